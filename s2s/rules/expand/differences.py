"""Differences and sums along an axis: gradient, diff, ediff1d, trapezoid, cumulative_sum, cumulative_prod."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2s.rules.expand.core import Expansions, Static, cut, refuse
from s2s.rules.expr import Expr, fn

written = Expansions()


@written.of(np.gradient)
def _gradient(f: Expr, *varargs: Any, axis: Static = None, edge_order: Static = 1) -> Any:
    """One result for each axis."""
    given = range(f.ndim) if axis is None else axis if isinstance(axis, tuple | list) else (axis,)
    axes = [k % f.ndim for k in given]
    if len(varargs) > 1 and len(varargs) != len(axes):
        raise refuse("np.gradient", "there are not as many spacings as axes")
    spacings = varargs if len(varargs) > 1 else (varargs or (1.0,)) * len(axes)
    if edge_order not in (1, 2):
        raise refuse("np.gradient", f"edge_order is {edge_order!r}")
    found = [_slope(f, k, _spacing(f, h), edge_order) for k, h in zip(axes, spacings, strict=True)]
    return found[0] if len(found) == 1 else tuple(found)


def _spacing(f: Expr, h: Any) -> Any:
    """A step, or an array of coordinates."""
    if isinstance(h, list | tuple):
        return f.wrap(f.b.one("pack", {"elements": tuple(f.lift(x).v for x in h)}, {"dtype": None}))
    return float(h) if isinstance(h, int) else h


def _slope(f: Expr, at: int, h: Any, edge_order: int) -> Expr:
    """Second-order differences inside, one-sided ones at the ends."""
    if isinstance(h, Expr) and h.is_array and h.ndim:
        return _uneven(f, at, fn.diff(h), edge_order)

    def part(start: Any, stop: Any) -> Expr:
        return cut(f, at, start, stop)

    if edge_order == 1:
        first, last = part(1, 2) - part(0, 1), part(-1, None) - part(-2, -1)
    else:
        first = -1.5 * part(0, 1) + 2.0 * part(1, 2) - 0.5 * part(2, 3)
        last = 0.5 * part(-3, -2) - 2.0 * part(-2, -1) + 1.5 * part(-1, None)
    middle = (part(2, None) - part(None, -2)) / 2.0
    return fn.concatenate([first, middle, last], axis=at) / h  # type: ignore[no-any-return]


def _uneven(f: Expr, at: int, dx: Expr, edge_order: int) -> Expr:
    """The same, between coordinates whose differences are `dx`."""
    def part(start: Any, stop: Any) -> Expr:
        return cut(f, at, start, stop)

    wide = (None,) * (f.ndim - at - 1)
    left, right = dx[(slice(None, -1), *wide)], dx[(slice(1, None), *wide)]
    both = left + right
    middle = part(None, -2) * (-right / (left * both)) + part(1, -1) * ((right - left) / (left * right)) \
        + part(2, None) * (left / (right * both))
    if edge_order == 1:
        first = (part(1, 2) - part(0, 1)) / dx[0]
        last = (part(-1, None) - part(-2, -1)) / dx[-1]
    else:
        a, b = dx[0], dx[1]
        first = part(0, 1) * (-(2.0 * a + b) / (a * (a + b))) + part(1, 2) * ((a + b) / (a * b)) \
            - part(2, 3) * (a / (b * (a + b)))
        a, b = dx[-2], dx[-1]
        last = part(-3, -2) * (b / (a * (a + b))) - part(-2, -1) * ((a + b) / (a * b)) \
            + part(-1, None) * ((2.0 * b + a) / (b * (a + b)))
    return fn.concatenate([first, middle, last], axis=at)


# NumPy 2 has renamed np.trapz.
@written.of(getattr(np, "trapezoid", None), np.__dict__.get("trapz"))
def _trapezoid(y: Expr, x: Expr | None = None, dx: Any = 1.0, axis: Static = -1) -> Expr:
    """The trapezoidal rule."""
    at = axis % y.ndim
    sums = cut(y, at, 1, None) + cut(y, at, None, -1)
    if x is None:
        return fn.sum(sums, axis=at) * dx / 2.0  # type: ignore[no-any-return]
    width = fn.diff(x, axis=at if x.ndim == y.ndim else 0)
    if x.ndim < y.ndim:
        width = width[(slice(None), *[None] * (y.ndim - at - 1))]
    return fn.sum(width * sums, axis=at) / 2.0


def _beside(a: Expr, x: Expr, at: int) -> Expr:
    """A number as an array that can be joined to `a`."""
    if x.ndim:
        return x
    return fn.broadcast_to(x, [1 if k == at else n for k, n in enumerate(a.shape)])


@written.of(np.diff)
def _diff(a: Expr, n: Static = 1, axis: Static = -1, prepend: Expr | None = None,
          append: Expr | None = None) -> Expr | None:
    if prepend is None and append is None:
        return None
    at = axis % a.ndim
    parts = [a] if prepend is None else [_beside(a, prepend, at), a]
    return fn.diff(fn.concatenate(parts if append is None else [*parts, _beside(a, append, at)], axis=at), n, at)


@written.of(np.ediff1d)
def _ediff1d(ary: Expr, to_end: Expr | None = None, to_begin: Expr | None = None) -> Expr:
    inner = fn.diff(fn.ravel(ary) if ary.ndim > 1 else ary)
    around = [x if x is None or x.ndim == 1 else fn.ravel(fn.atleast_1d(x)) for x in (to_begin, to_end)]
    parts = [x for x in (around[0], inner, around[1]) if x is not None]
    return inner if len(parts) == 1 else fn.concatenate([x.astype(ary.dtype) for x in parts])


def _cumulative(x: Expr, axis: Any, dtype: Any, include_initial: bool, name: str) -> Expr:
    if axis is None and x.ndim != 1:
        raise refuse(f"np.cumulative_{name}", "an array with several axes needs an axis")
    at = 0 if axis is None else axis % x.ndim
    total: Expr = fn.cumsum(x, axis=at, dtype=dtype) if name == "sum" else fn.cumprod(x, axis=at, dtype=dtype)
    if not include_initial:
        return total
    shape = tuple(x.lift(1) if k == at else n for k, n in enumerate(x.shape))
    first = fn.zeros(shape, dtype=total.dtype) if name == "sum" else fn.ones(shape, dtype=total.dtype)
    return fn.concatenate([first, total], axis=at)


@written.of(getattr(np, "cumulative_sum", None))
def _cumulative_sum(x: Expr, /, *, axis: Static = None, dtype: Static = None,
                    include_initial: Static = False) -> Expr:
    return _cumulative(x, axis, dtype, include_initial, "sum")


@written.of(getattr(np, "cumulative_prod", None))
def _cumulative_prod(x: Expr, /, *, axis: Static = None, dtype: Static = None,
                     include_initial: Static = False) -> Expr:
    return _cumulative(x, axis, dtype, include_initial, "prod")
