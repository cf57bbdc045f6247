"""From anything that can be called to the Python function that runs, and the arguments it already has."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType, MethodType
from typing import Any


@dataclass(frozen=True)
class Unwrapped:
    """A call of the original with `*a, **k` is `function(*args, *a, **{**keywords, **k})`.

    path: what was taken off, outermost first: "partial", "method" (bound, to an instance or a class),
    "static", "call" (an object with `__call__`), "numba", "lru_cache".
    """

    function: FunctionType
    args: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)
    path: tuple[str, ...] = ()


def unwrap(call: Any) -> Unwrapped | None:
    """The Python function that a call of `call` runs; None if there is none, as for `len` or a class.

    A decorated function is the function that the decorator returned, for that is what runs: `__wrapped__`
    is not followed, except where it is known to mean the same (numba, `functools.lru_cache`).

    >>> def scaled(k, x):
    ...     return k * x
    >>> found = unwrap(functools.partial(scaled, 2.0))
    >>> found.function is scaled, found.args, found.path
    (True, (2.0,), ('partial',))
    >>> unwrap(len) is None
    True
    """
    args: tuple[Any, ...] = ()
    keywords: dict[str, Any] = {}
    path: list[str] = []
    while not isinstance(call, FunctionType):
        step = _step(call)
        if step is None or len(path) > _DEEPEST:
            return None
        call, kind, first, named = step
        args = (*first, *args)
        keywords = {**named, **keywords}
        path.append(kind)
    return Unwrapped(call, args, keywords, tuple(path))


# An object may be its own `__call__`; nobody nests this deep on purpose.
_DEEPEST = 100

Step = tuple[Callable[..., Any], str, tuple[Any, ...], dict[str, Any]]


def _step(call: Any) -> Step | None:
    """What `call` calls in turn, the kind of step, and the arguments that it passes first."""
    if isinstance(call, functools.partial):
        return call.func, "partial", call.args, call.keywords
    if isinstance(call, MethodType):
        return call.__func__, "method", (call.__self__,), {}
    if isinstance(call, staticmethod):
        return call.__func__, "static", (), {}
    if isinstance(call, type):
        return None
    if _is_numba(call):
        return call.py_func, "numba", (), {}
    if isinstance(call, functools._lru_cache_wrapper):
        return call.__wrapped__, "lru_cache", (), {}
    return _call_method(call)


def _call_method(call: Any) -> Step | None:
    """The step into `__call__`, if Python code of the user defines it."""
    if type(call).__module__.partition(".")[0] in {"builtins", "numpy", "numba"}:
        return None
    for cls in type(call).__mro__:
        method = vars(cls).get("__call__")
        if isinstance(method, FunctionType):
            return method, "call", (call,), {}
        if method is not None:  # such as a partialmethod, a static method or a jitted function
            return method.__get__(call, type(call)) if hasattr(method, "__get__") else method, "call", (), {}
    return None


def _is_numba(call: Any) -> bool:
    """Is it a function jitted by numba? Known by its looks: s2s does not import numba unless asked to.

    What `numba.vectorize` makes (it has a `ufunc`) is not: it applies its function to each element.
    """
    return isinstance(getattr(call, "py_func", None), FunctionType) and not hasattr(call, "ufunc")
