"""What an expansion is: a function of NumPy written out in terms of others, and how its arguments are given to it.

    @family.of(np.ediff1d)
    def _(ary: Expr, to_end: Expr | None = None, to_begin: Expr | None = None) -> Expr:
        ...

The annotation of a parameter says how it comes: `Expr` (or `Expr | None`) as an expression, lists of numbers as an
array; `list[Expr]` as a list of expressions, and `Several` so too, or as the array that it is; `Static` as a Python
constant, which has to be known when the code is made; `Any` as a constant where it is known, and as an expression
otherwise; `Parts` so too, but an int is constant.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from s2s.errors import NoRuleError
from s2s.rules.expr import Expr

Static: TypeAlias = Any
Parts: TypeAlias = Any
Several: TypeAlias = Any

_KINDS = {"Expr": "value", "Expr | None": "value", "list[Expr]": "values", "Static": "static", "Any": "any",
          "Parts": "parts", "Several": "values"}


class Expansion:
    """`function` gives an `Expr`, a tuple or list of them, or None where the rule of the function is to be used."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        """Read when it is asked for: an import has hundreds of functions."""
        return inspect.signature(self.function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
        """The arguments by parameter; TypeError for those that it has not."""
        return self.signature.bind(*args, **kwargs)

    def kind(self, name: str) -> str:
        """How the parameter is given: "value", "values", "static" or "any"."""
        return _KINDS[str(self.signature.parameters[name].annotation)]

    @property
    def star(self) -> str | None:
        """The parameter that takes any number of arguments by place."""
        return next((p.name for p in self.signature.parameters.values() if p.kind is p.VAR_POSITIONAL), None)


class Expansions:
    """The expansions of one file, by the function that they stand for, and by the name of an array method."""

    def __init__(self) -> None:
        self.functions: dict[Callable[..., Any], Expansion] = {}
        self.methods: dict[str, Expansion] = {}

    def of(self, *functions: Callable[..., Any] | None,
           method: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorator: the function is what `functions` (those that this NumPy has) do; `method`: an array method too."""
        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            made = Expansion(function)
            self.functions.update({f: made for f in functions if f is not None})
            if method:
                self.methods[method] = made
            return function
        return register


def refuse(name: str, what: str) -> NoRuleError:
    """The error for a form of a function that its expansion does not cover; `raise` it."""
    return NoRuleError(f"{name}: {what}")


def cut(x: Expr, axis: int, start: Any, stop: Any, step: Any = None) -> Expr:
    """A slice of one axis."""
    return x[(*[slice(None)] * axis, slice(start, stop, step))]
