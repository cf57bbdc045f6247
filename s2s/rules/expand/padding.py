"""np.pad with numbers computed from the array: maximum, minimum, mean, median, linear_ramp, odd reflections."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2s.rules.expand.core import Expansions, Static, cut, refuse
from s2s.rules.expr import Expr, fn
from s2s.rules.padding import pad_widths

written = Expansions()


def _ends(value: Any, ndim: int) -> list[Any]:
    """What is said for both ends of each axis."""
    return [(None, None)] * ndim if value is None else np.broadcast_to(np.asarray(value), (ndim, 2)).tolist()


def _statistic(part: Expr, axis: int, mode: str) -> Expr:
    """One number for each line along the axis."""
    if mode != "median":
        return getattr(fn, {"maximum": "max", "minimum": "min"}.get(mode, mode))(part, axis, keepdims=True)  # type: ignore[no-any-return]
    ordered, n = fn.sort(part, axis=axis), part.size_of(axis)
    low, high = (n - 1) // 2, n // 2
    return 0.5 * (cut(ordered, axis, low, low + 1) + cut(ordered, axis, high, high + 1))


def _border(x: Expr, edge: Expr, axis: int, width: int) -> Expr:
    """The same line, `width` times."""
    return fn.broadcast_to(edge, [width if k == axis else n for k, n in enumerate(x.shape)])


def _ramp(x: Expr, edge: Expr, end: float, axis: int, width: int, first: bool) -> Expr:
    """From `end` to the edge in steps, without the edge."""
    steps = fn.arange(x.lift(width)) * (1.0 / width)
    share = (steps if first else 1.0 - (steps + 1.0 / width)).astype(x.dtype)
    return end + (edge - end) * _lined(share, x, axis)


def _odd(x: Expr, axis: int, widths: tuple[int, int], mode: str) -> Expr:
    """Twice the edge minus the reflection, again and again: every two lengths it is higher by twice the whole rise."""
    n = x.size_of(axis)
    length = fn.maximum(n - 1, 1) if mode == "reflect" else n
    place = fn.arange(-widths[0], n + widths[1])
    turns = (place + length) // (2 * length)
    place = place - turns * (2 * length)
    back = place < 0
    first, last = cut(x, axis, 0, 1), cut(x, axis, -1, None)
    inner = fn.minimum(fn.where(back, -place - (mode == "symmetric"), place), n - 1)
    found = fn.take(x, inner, axis)
    found = fn.where(_lined(back, x, axis), 2.0 * first - found, found)
    return found + _lined(2.0 * turns, x, axis).astype(x.dtype) * (last - first)


def _lined(v: Expr, x: Expr, axis: int) -> Expr:
    """A vector along an axis of `x`."""
    return v[(slice(None), *[None] * (x.ndim - axis - 1))]


@written.of(np.pad)
def _pad(array: Expr, pad_width: Static, mode: Static = "constant", *, constant_values: Static = 0,
         reflect_type: Static = "even", stat_length: Static = None, end_values: Static = 0) -> Expr | None:
    if callable(mode) or isinstance(pad_width, dict):
        raise refuse("np.pad", "a function as the mode, or a dict as the widths, is not covered")
    if mode in ("constant", "edge", "wrap", "empty") or (mode in ("reflect", "symmetric") and reflect_type == "even"):
        return None
    x, widths = array, pad_widths(pad_width, array.ndim)
    for axis, (width, length, ends) in enumerate(zip(
            widths, _ends(stat_length, array.ndim), _ends(end_values, array.ndim), strict=True)):
        x = _axis(x, axis, width, length, ends, mode)
    return x


def _axis(x: Expr, axis: int, widths: tuple[int, int], lengths: tuple[Any, Any], ends: tuple[Any, Any],
          mode: str) -> Expr:
    """One axis padded."""
    if not any(widths):
        return x
    if mode in ("reflect", "symmetric"):
        return _odd(x, axis, widths, mode)
    parts = [x]
    for side, (width, length) in enumerate(zip(widths, lengths, strict=True)):
        if not width:
            continue
        if mode == "linear_ramp":
            edge = cut(x, axis, 0, 1) if side == 0 else cut(x, axis, -1, None)
            border = _ramp(x, edge, float(ends[side]), axis, width, side == 0)
        elif mode in ("maximum", "minimum", "mean", "median"):
            part = x if length is None else cut(x, axis, None, length) if side == 0 else cut(x, axis, -length, None)
            border = _border(x, _statistic(part, axis, mode), axis, width)
        else:
            raise refuse("np.pad", f"mode={mode!r} is not known")
        parts.insert(0 if side == 0 else len(parts), border)
    return fn.concatenate(parts, axis=axis)
