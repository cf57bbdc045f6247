"""The function APIs: gradients of a function's arguments, and of the Variables it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, overload

from s2s.api.dispatch import GradientFunction
from s2s.options import Request, options_of

Params = Sequence[int | str] | None


def _form(make: Callable[[Any], GradientFunction], f: Any) -> Any:
    """A function, a decorator, or a decorator with options: the three forms of every API."""
    return make if f is None else make(f)


def _parameters(given: Any, what: str) -> tuple[int | str, ...] | None:
    """Names or positions of parameters as a tuple; None for None."""
    if given is None:
        return None
    if isinstance(given, int | str):
        return (given,)
    if not isinstance(given, Iterable):
        raise TypeError(f"{what} is a name or position of a parameter, or several in a list; got {given!r:.60}")
    return tuple(given)


def gradients_function(f: Callable[..., Any] | None = None, params: Params = None, **options: Any) -> Any:
    """A function that returns the gradients of `f` with respect to its arguments, as a list.

    params: names or positions of the parameters to differentiate; all positional arguments if None. The
    value of `f` may be a number, an array or a nest of them; its elements are summed, with the weights
    `dy` if the result is called with `dy=`. Each gradient has the shape, dtype and structure of its
    argument; it is None where the value does not depend on the argument, or the argument is no float.

    Raises TypeError where an argument named in `params` has no gradient, ValueError where `f` returns
    None, and the errors of `s2s.errors` where the derivative cannot be formed.

    >>> import s2s
    >>> def f(x, y):
    ...     return x * x * y
    >>> [float(g) for g in s2s.gradients_function(f)(3.0, 4.0)]
    [24.0, 9.0]
    """
    opts = options_of(options)
    chosen = _parameters(params, "params")
    return _form(lambda f: GradientFunction(Request("gradients", f, False, chosen, options=opts)), f)


def value_and_gradients_function(f: Callable[..., Any] | None = None, params: Params = None, **options: Any) -> Any:
    """Like `gradients_function`, but returns `(value, [gradient, ...])`.

    >>> import s2s
    >>> value, (gradient,) = s2s.value_and_gradients_function(lambda x: x ** 3)(2.0)
    >>> float(value), float(gradient)
    (8.0, 12.0)
    """
    opts = options_of(options)
    chosen = _parameters(params, "params")
    return _form(lambda f: GradientFunction(Request("gradients", f, True, chosen, options=opts)), f)


def implicit_gradients(f: Callable[..., Any] | None = None, **options: Any) -> Any:
    """A function that returns `[(gradient, variable), ...]` for every trainable Variable that `f` reads.

    Variables are found in the source: globals, closures, defaults, attributes, elements of containers,
    arguments, and all of these in the functions that `f` calls. Raises ValueError where there is none.

    >>> import s2s
    >>> w = s2s.Variable(3.0)
    >>> [(float(g), v is w) for g, v in s2s.implicit_gradients(lambda x: w * x)(2.0)]
    [(2.0, True)]
    """
    opts = options_of(options)
    return _form(lambda f: GradientFunction(Request("implicit", f, False, options=opts)), f)


def implicit_value_and_gradients(f: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Like `implicit_gradients`, but returns `(value, [(gradient, variable), ...])`.

    >>> import s2s
    >>> w = s2s.Variable(3.0)
    >>> value, [(gradient, _)] = s2s.implicit_value_and_gradients(lambda x: w * w * x)(2.0)
    >>> float(value), float(gradient)
    (18.0, 12.0)
    """
    opts = options_of(options)
    return _form(lambda f: GradientFunction(Request("implicit", f, True, options=opts)), f)


Argnums = int | Sequence[int]


def _short(f: Any, argnums: Argnums, with_value: bool, options: dict[str, Any]) -> Any:
    opts = options_of(options)
    single = isinstance(argnums, int | str)
    params = _parameters(argnums, "argnums") or ()
    if argnums is None:
        raise TypeError("argnums is a position of a parameter, or several; got None")
    return _form(lambda f: GradientFunction(
        Request("gradients", f, with_value, params, single=True, as_tuple=not single, options=opts)), f)


def grad(f: Callable[..., Any] | None = None, argnums: Argnums = 0, **options: Any) -> Any:
    """The gradient of `f` with respect to one argument (an int), or a tuple of gradients (a sequence).

    >>> import s2s
    >>> float(s2s.grad(lambda x, y: x * y)(2.0, 5.0))
    5.0
    """
    return _short(f, argnums, False, options)


def value_and_grad(f: Callable[..., Any] | None = None, argnums: Argnums = 0, **options: Any) -> Any:
    """`(value, gradient)` with respect to one argument or several, as for `grad`.

    >>> import s2s
    >>> value, gradient = s2s.value_and_grad(lambda x: x * x)(3.0)
    >>> float(value), float(gradient)
    (9.0, 6.0)
    """
    return _short(f, argnums, True, options)


for _name, _function in list(globals().items()):
    if _name in ("gradients_function", "value_and_gradients_function", "implicit_gradients",
                 "implicit_value_and_gradients", "grad", "value_and_grad"):
        _function.__s2s_role__ = _name

__all__ = ["grad", "gradients_function", "implicit_gradients", "implicit_value_and_gradients", "overload",
           "value_and_grad", "value_and_gradients_function"]
