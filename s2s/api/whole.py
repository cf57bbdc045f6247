"""`s2s.function`: a function compiled as a whole, with the derivatives that it asks for in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2s.api.dispatch import GradientFunction, function_name, positional_names
from s2s.api.entry import Entry
from s2s.api.shell import write_value_shell
from s2s.api.structure import build
from s2s.lower.binding import Read
from s2s.options import Request, options_of
from s2s.pipeline import Derivative, evaluation, lowered
from s2s.variable import plain


class CompiledFunction(GradientFunction):
    """What `s2s.function` returns. Call it as the function; it has `source`, `signatures` and `lower(...)`."""

    __s2s_role__ = "whole"

    def _write_shell(self, entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any]:
        return write_value_shell(entry, len(args), tuple(kwargs), self._assigned(entry))

    def _assigned(self, entry: Entry) -> list[Read]:
        """The Variables that are to be assigned what the core returns for them."""
        program = entry.derivative.program
        return [r for r, _ in program.assigned] if self.request.options.target == "cpu" else []

    def _derivative(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], with_dy: bool) -> Derivative:
        self._check_arguments(args, kwargs)
        name = function_name(function)
        program = lowered(function, name, args, kwargs, positional_names(self._signature, len(args)), merge=True)
        return evaluation(program, options=self.request.options)

    def _finish(self, entry: Entry, values: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any], dy: Any) -> Any:
        results, _ = entry.run(values, None)
        assigned = self._assigned(entry)
        count = len(results) - len(assigned)
        for read, new in zip(assigned, results[count:], strict=True):
            values[read.index].assign(plain(new))
        return build(entry.structure, results[:count])


def function(f: Any = None, **options: Any) -> Any:
    """`f` compiled as a whole: each `with GradientTape()` block in it runs once, and its gradient is code in place.

    A decorator, with options or without; the options are those of every gradient function (`target="cpu"`). What is
    called is looked into; what cannot be compiled is left in place (`target="python"`) or refused (`"cpu"`).
    Variables may be assigned. Returns what `f` returns, numbers and arrays as Tensors.

    Raises the errors of `s2s.errors` where the function, or a derivative in it, cannot be formed.

    >>> import s2s
    >>> w = s2s.Variable(3.0)
    >>> @s2s.function
    ... def step(x):
    ...     with s2s.GradientTape() as tape:
    ...         loss = (w * x - 1.0) ** 2
    ...     w.assign_sub(0.1 * tape.gradient(loss, w))
    ...     return loss
    >>> float(step(1.0)), round(float(w), 6)
    (4.0, 2.6)
    >>> print(step.source)
    def step(x, w, w1):
        t = w * x - 1.0
        loss = t ** 2
        w1.assign((w - 0.2 * (x * t)))
        return loss
    <BLANKLINE>
    """
    opts = options_of(options)

    def make(f: Any) -> CompiledFunction:
        return CompiledFunction(Request("value", f, True, options=opts))

    return make if f is None else make(f)


__all__ = ["CompiledFunction", "function"]
