"""`check_grads`: the derivatives of a function against finite differences and against each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2s.api.dispatch import function_name
from s2s.api.functions import gradients_function
from s2s.api.short import jvp
from s2s.api.structure import is_number
from s2s.variable import plain


def check_grads(f: Callable[..., Any], args: Sequence[Any], order: int = 1, modes: Sequence[str] = ("fwd", "rev"),
                rtol: float = 1e-5, atol: float = 1e-6, eps: float = 1e-5, **options: Any) -> None:
    """Raise AssertionError where a derivative of `f` at `args` is wrong.

    Along random directions: forward mode against central differences, and reverse against forward mode by
    the dot product <dy, J v> = <J' dy, v>. Arguments that are floats or arrays of floats, or lists, tuples
    and dicts with such, are moved, all others are held. order: how many derivatives to check; the second is that
    of the gradient.

    >>> import numpy as np, s2s
    >>> s2s.check_grads(lambda x: np.sum(np.sin(x) ** 2), [np.array([0.3, -1.0])], order=2)
    """
    if not isinstance(args, tuple | list):
        raise TypeError(f"check_grads: args is {args!r:.60}; pass a tuple with one entry for each argument of "
                        f"{function_name(f)}")
    modes = (modes,) if isinstance(modes, str) else modes
    if order < 1 or not modes or not set(modes) <= {"fwd", "rev"}:
        raise ValueError(f"check_grads: order is 1 or more, and modes are among 'fwd' and 'rev'; got order={order!r}, "
                         f"modes={modes!r}")
    rng = np.random.default_rng(0)
    moved = [k for k, a in enumerate(args) if any(map(is_number, _leaves(a)))]
    if not moved:
        raise TypeError(f"{function_name(f)} is given no float and no array of floats to check; pass floats, such "
                        "as 3.0 for 3")
    tangents = [_map(lambda v: _direction(rng, v) if is_number(v) else None, a) if k in moved else None
                for k, a in enumerate(args)]
    value, dot = jvp(f, args, tangents, **options)
    if "fwd" in modes:
        _compare(dot, _difference(f, args, tangents, eps), rtol, atol, f"forward mode of {function_name(f)}")
    if "rev" in modes:
        weights = _map(lambda v: _direction(rng, v), value)
        gradients = gradients_function(f, params=moved, **options)(*args, dy=weights)
        forward = sum(_inner(w, d) for w, d in zip(_leaves(weights), _leaves(dot), strict=True))
        backward = sum(_inner_nest(g, tangents[k]) for g, k in zip(gradients, moved, strict=True))
        _compare(backward, forward, rtol, atol, f"reverse mode of {function_name(f)}")
    if order > 1:
        inner = gradients_function(f, params=moved, **options)
        dy = _map(lambda v: _direction(rng, v), value)

        def gradient(*xs: Any) -> Any:
            return inner(*xs, dy=dy)

        check_grads(gradient, args, order - 1, modes, rtol, atol, eps, **options)


def _direction(rng: np.random.Generator, a: Any) -> Any:
    """Random numbers of the shape and dtype of `a`, of an int or a bool zeros."""
    x = np.asarray(plain(a))
    if x.dtype.kind not in "fc":
        return np.zeros_like(x)[()]
    made = rng.standard_normal(x.shape)
    whole = made + 1j * rng.standard_normal(x.shape) if x.dtype.kind == "c" else made
    return np.asarray(whole).astype(x.dtype)[()]


def _difference(f: Callable[..., Any], args: Sequence[Any], tangents: Sequence[Any], eps: float) -> Any:
    def at(step: float) -> Any:
        return f(*(_moved(a, t, step) for a, t in zip(args, tangents, strict=True)))
    ahead, behind = at(eps), at(-eps)
    return [_slope(plain(x), plain(y), eps) for x, y in zip(_leaves(ahead), _leaves(behind), strict=True)]


def _moved(a: Any, tangent: Any, step: float) -> Any:
    """`a` moved along its tangent."""
    if tangent is None:
        return a
    if isinstance(a, dict):
        return {k: _moved(v, tangent[k], step) for k, v in a.items()}
    if isinstance(a, list | tuple):
        return _like(a, [_moved(v, t, step) for v, t in zip(a, tangent, strict=True)])
    return plain(a) + step * tangent


def _like(x: Any, parts: list[Any]) -> Any:
    """A list or tuple of the class of `x`."""
    return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)


def _slope(ahead: Any, behind: Any, eps: float) -> Any:
    """The difference quotient; 0 for what is an int or a bool."""
    if np.asarray(ahead).dtype.kind not in "fc":
        return np.zeros(np.shape(ahead))
    return (ahead - behind) / (2 * eps)


def _leaves(x: Any) -> list[Any]:
    if isinstance(x, dict):
        return [v for part in x.values() for v in _leaves(part)]
    if isinstance(x, list | tuple):
        return [v for part in x for v in _leaves(part)]
    return [] if x is None else [x]


def _map(function: Callable[[Any], Any], x: Any) -> Any:
    if isinstance(x, dict):
        return {k: _map(function, v) for k, v in x.items()}
    if isinstance(x, list | tuple):
        return _like(x, [_map(function, v) for v in x])
    return None if x is None else function(x)


def _inner(x: Any, y: Any) -> float:
    return float(np.sum(np.real(np.conj(plain(x)) * plain(y))))


def _inner_nest(x: Any, y: Any) -> float:
    """The same of nests, in which what has no gradient is None."""
    if x is None or y is None:
        return 0.0
    if isinstance(x, dict):
        return sum(_inner_nest(v, y[k]) for k, v in x.items())
    if isinstance(x, list | tuple):
        return sum(map(_inner_nest, x, y))
    return _inner(x, y)


def _compare(got: Any, want: Any, rtol: float, atol: float, what: str) -> None:
    for g, w in zip(_leaves(got), _leaves(want), strict=True):
        np.testing.assert_allclose(plain(g), plain(w), rtol=rtol, atol=atol, err_msg=what)
