"""Forms of functions that join arrays."""

from __future__ import annotations

from typing import Any

from s2s.ir.types import promote
from s2s.rules.expr import Expr, fn
from s2s.rules.padding import REPEATING, pad_widths
from s2s.targets.common import at_least_1d, cut


def _like_each_other(arrays: tuple[Expr, ...]) -> list[Expr]:
    """The arrays in one dtype, which numba wants."""
    dtype = promote([a.type for a in arrays])[0]  # type: ignore[misc]
    return [a.astype(dtype) for a in arrays]


def _concatenate(arrays: tuple[Expr, ...], axis: int | None) -> Expr | None:
    if axis is None:
        return fn.concatenate([fn.ravel(a) for a in arrays])
    if axis < 0:
        return fn.concatenate(list(arrays), axis=axis % arrays[0].ndim)
    return None


def _stack(arrays: tuple[Expr, ...], axis: int) -> Expr | None:
    first = arrays[0]
    if not first.is_array:
        elements = tuple(a.v for a in _like_each_other(arrays))
        return first.wrap(first.b.one("pack", {"elements": elements}, {"dtype": _like_each_other(arrays)[0].dtype}))
    if axis < 0:
        return fn.stack(list(arrays), axis=axis % (first.ndim + 1))
    return None


def _hstack(arrays: tuple[Expr, ...]) -> Expr | None:
    if all(a.is_array for a in arrays):
        return fn.concatenate(list(arrays), axis=0 if arrays[0].ndim == 1 else 1)
    return fn.concatenate(_like_each_other(tuple(map(at_least_1d, arrays))), axis=0)


def _vstack(arrays: tuple[Expr, ...]) -> Expr:
    return fn.concatenate([fn.atleast_2d(a) for a in arrays], axis=0)


def _dstack(arrays: tuple[Expr, ...]) -> Expr:
    return fn.concatenate([fn.atleast_3d(a) for a in arrays], axis=2)


def _column_stack(arrays: tuple[Expr, ...]) -> Expr:
    columns = [a if a.ndim > 1 else at_least_1d(a)[:, None] for a in arrays]
    return fn.concatenate(columns, axis=1)


def _append(arr: Expr, values: Expr, axis: int | None) -> Expr:
    if axis is None:
        return fn.concatenate([fn.ravel(arr), fn.ravel(values)])
    return fn.concatenate([arr, values], axis=axis)


def _meshgrid(xi: tuple[Expr, ...], indexing: str) -> tuple[Expr, ...]:
    order = [1, 0, *range(2, len(xi))] if indexing == "xy" and len(xi) > 1 else list(range(len(xi)))
    xs = [at_least_1d(x) for x in xi]
    shape = [xs[k].size_of(0) for k in order]
    grids = []
    for k, x in enumerate(xs):
        at = order.index(k)
        lined = x[tuple(slice(None) if j == at else None for j in range(len(xs)))]
        grids.append(fn.copy(fn.broadcast_to(lined, shape)))
    return tuple(grids)


def _source(array: Expr, axis: int, before: int, after: int, mode: str) -> Expr:
    """Which element along one axis each of the padded array is."""
    n = array.size_of(axis)
    at = fn.arange(n + (before + after)) - before
    if mode == "edge":
        return fn.minimum(fn.maximum(at, 0), n - 1)
    if mode == "wrap":
        return at % n
    period = fn.maximum(n * 2 - 2, 1) if mode == "reflect" else n * 2
    at = at % period
    return fn.minimum(at, (period if mode == "reflect" else period - 1) - at)


def _pad(array: Expr, pad_width: Any, mode: str, constant_values: Any, reflect_type: str = "even") -> Expr:
    if mode in REPEATING:
        for axis, (before, after) in enumerate(pad_widths(pad_width, array.ndim)):
            if before or after:
                array = array[(*[slice(None)] * axis, _source(array, axis, before, after, mode))]
        return array
    if mode == "empty":
        mode = "constant"
    if mode != "constant" or not isinstance(constant_values, int | float):
        raise NotImplementedError(f"with mode={mode!r}, or several constants")
    if isinstance(pad_width, int):
        pad_width = (pad_width, pad_width)
    if isinstance(pad_width[0], int):
        pad_width = [tuple(pad_width) * (2 if len(pad_width) == 1 else 1)] * array.ndim
    widths = [tuple(w) * (2 if len(w) == 1 else 1) for w in pad_width]
    widths = widths * (array.ndim if len(widths) == 1 else 1)
    shape = [n + (before + after) for n, (before, after) in zip(array.shape, widths, strict=True)]
    out = fn.full(shape, array.lift(constant_values).astype(array.dtype), dtype=array.dtype)
    flags, values = [], []
    for n, (before, _) in zip(array.shape, widths, strict=True):
        flags.append("s110")
        values += [array.lift(before).v, (n + before).v]
    out.b.emit("setitem", {"a": out.v, "index": tuple(values), "value": array.v}, {"items": tuple(flags)})
    return out


def _diff(a: Expr, n: int, axis: int) -> Expr | None:
    if a.ndim == 1 and n == 1 and axis == -1:
        return None
    at = axis % a.ndim
    for _ in range(n):
        a = cut(a, at, 1) - cut(a, at, None, -1)
    return a


def _unwrap(p: Expr, discont: Any, axis: int, period: float) -> Expr:
    """Steps of more than half a period are made up for by those after them."""
    at, half = axis % p.ndim, 0.5 * float(period)
    step = cut(p, at, 1) - cut(p, at, None, -1)
    wrapped = (step + half) % float(period) - half
    wrapped = fn.where((wrapped == -half) & (step > 0.0), half, wrapped)
    limit = half if discont is None else max(half, float(discont))
    change = fn.where(fn.abs(step) < limit, 0.0, wrapped - step)
    return fn.concatenate([cut(p, at, None, 1), cut(p, at, 1) + fn.cumsum(change, axis=at)], axis=at)


def _repeat(a: Expr, repeats: Expr, axis: int | None) -> Expr | None:
    if not a.is_array or (axis is None and a.ndim == 1):
        return None
    if axis is None:
        return fn.repeat(fn.ravel(a), repeats)
    at = axis % a.ndim
    # An index is what numba can repeat.
    index = fn.repeat(fn.arange(a.size_of(at)), repeats)
    return a[(*[slice(None)] * at, index)]


FORMS: dict[str, Any] = {
    "np.concatenate": _concatenate, "np.stack": _stack, "np.hstack": _hstack, "np.vstack": _vstack,
    "np.dstack": _dstack, "np.column_stack": _column_stack, "np.append": _append, "np.meshgrid": _meshgrid,
    "np.pad": _pad, "np.diff": _diff, "np.repeat": _repeat, "np.unwrap": _unwrap,
}
