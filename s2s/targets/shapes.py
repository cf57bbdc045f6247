"""Forms of functions that give an array another shape, or fill one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2s.rules.common import normalised
from s2s.rules.expr import Expr, fn
from s2s.targets.common import at_least_1d, cut, move_axis, packed, reshaped, transposed


def _reshape(a: Expr, shape: tuple[Expr, ...], order: str) -> Expr | None:
    if order == "F" and a.is_array:
        backwards = reshaped(fn.transpose(a), tuple(reversed(shape)))
        return fn.transpose(backwards)
    if a.is_array and getattr(a.type, "layout", "") == "C" and shape:
        return None
    if not shape:
        return reshaped(a, (1,))[0] if a.is_array else a
    return reshaped(at_least_1d(a), shape)


def _ravel(a: Expr, order: str) -> Expr | None:
    if not a.is_array:
        return packed(a)
    if order == "F":
        return fn.flatten(fn.transpose(a))
    return None if order == "C" else fn.ravel(a)


def _flatten(a: Expr, order: str) -> Expr | None:
    return None if order == "C" and a.is_array else _ravel(a, order)


def _swapaxes(a: Expr, axis1: int, axis2: int) -> Expr:
    order = list(range(a.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return transposed(a, order)


def _moveaxis(a: Expr, source: Any, destination: Any) -> Expr:
    sources = [source] if isinstance(source, int) else list(source)
    places = [destination] if isinstance(destination, int) else list(destination)
    sources, places = [k % a.ndim for k in sources], [k % a.ndim for k in places]
    order = [k for k in range(a.ndim) if k not in sources]
    for place, k in sorted(zip(places, sources, strict=True)):
        order.insert(place, k)
    return transposed(a, order)


def _rollaxis(a: Expr, axis: int, start: int) -> Expr:
    axis, start = axis % a.ndim, start + a.ndim if start < 0 else start
    return transposed(a, move_axis(a.ndim, axis, start - 1 if axis < start else start))


def _expand_dims(a: Expr, axis: Any) -> Expr | None:
    if isinstance(axis, int) and a.is_array:
        return None
    axes = [axis] if isinstance(axis, int) else list(axis)
    rank = a.ndim + len(axes)
    gone = [k % rank for k in axes]
    if not a.is_array:
        return reshaped(packed(a), [a.lift(1)] * rank)
    return a[tuple(None if k in gone else slice(None) for k in range(rank))]


def _squeeze(a: Expr, axis: Any) -> Expr:
    if not a.is_array:
        return a
    gone = [k for k, d in enumerate(a.dims) if d.is_one] if axis is None else normalised(axis, a.ndim)
    return a[tuple(0 if k in gone else slice(None) for k in range(a.ndim))] if gone else a


def _atleast(rank: int) -> Any:
    def form(a: Expr) -> Expr | None:
        if not a.is_array:
            return reshaped(packed(a), [a.lift(1)] * rank)
        if a.ndim >= rank:
            return a
        if rank == 3:
            return a[None, :, None] if a.ndim == 1 else a[:, :, None]
        return a[None, :]
    return form


def _broadcast_to(array: Expr, shape: tuple[Expr, ...]) -> Expr | None:
    return None if array.is_array and shape else fn.full(shape, array, dtype=array.dtype) if shape else array


def _flip(m: Expr, axis: Any) -> Expr:
    gone = normalised(axis, m.ndim)
    return m[tuple(slice(None, None, -1) if k in gone else slice(None) for k in range(m.ndim))]


def _rot90(m: Expr, k: int, axes: Sequence[int]) -> Expr:
    first, second = (axis % m.ndim for axis in axes)
    turns = k % 4
    if turns == 2:
        return _flip(m, (first, second))
    if turns == 1:
        return _swapaxes(_flip(m, second), first, second)
    return _flip(_swapaxes(m, first, second), second) if turns == 3 else fn.copy(m)


def _roll(a: Expr, shift: tuple[Expr, ...], axis: Any) -> Expr | None:
    if axis is None:
        if len(shift) == 1:
            return None
        axis = 0
    if not isinstance(axis, int) or a.ndim > 1:
        axes = [axis] * len(shift) if isinstance(axis, int) else list(axis)
        shifts = list(shift) * (len(axes) if len(shift) == 1 else 1)
        for n, k in zip(shifts, axes, strict=True):
            a = _roll_one(a, n, k % a.ndim)
        return a
    for n in shift:
        a = fn.roll(a, n)
    return a


def _roll_one(a: Expr, shift: Expr, axis: int) -> Expr:
    size = fn.maximum(a.size_of(axis), 1)
    at = size - a.wrap(a.b.binary("mod", shift.v, size.v))
    return fn.concatenate([cut(a, axis, at), cut(a, axis, None, at)], axis=axis)


def _tile(A: Expr, reps: tuple[Expr, ...]) -> Expr:
    a = at_least_1d(A)
    rank = max(a.ndim, len(reps))
    counts = [a.lift(1)] * (rank - len(reps)) + list(reps)
    sizes = [a.lift(1)] * (rank - a.ndim) + list(a.shape)
    spaced = a[(*[None] * (rank - a.ndim), *_interleaved([None] * a.ndim, [slice(None)] * a.ndim))] \
        if rank == a.ndim else a[(*_interleaved([None] * (rank - a.ndim), [None] * (rank - a.ndim)),
                                  *_interleaved([None] * a.ndim, [slice(None)] * a.ndim))]
    wide = fn.broadcast_to(spaced, _interleaved(counts, sizes))
    return reshaped(fn.copy(wide, order="C"), [n * m for n, m in zip(counts, sizes, strict=True)])


def _interleaved(xs: Sequence[Any], ys: Sequence[Any]) -> list[Any]:
    return [z for pair in zip(xs, ys, strict=True) for z in pair]


def _full(shape: tuple[Expr, ...], fill_value: Expr, dtype: Any) -> Expr | None:
    if not fill_value.is_array:
        return None
    if dtype is not None:
        fill_value = fill_value.astype(str(dtype))
    return fn.copy(fn.broadcast_to(fill_value, shape))


def _full_like(a: Expr, fill_value: Expr, dtype: Any) -> Expr | None:
    wanted = a.dtype if dtype is None else str(dtype)
    if not a.is_array:
        return fill_value.astype(wanted)
    if fill_value.is_array:
        return fn.copy(fn.broadcast_to(fill_value.astype(wanted), a.shape))
    return None


def _unbroadcast(x: Expr, like: Expr) -> Expr | None:
    if x.ndim and like.ndim:
        return x.wrap(x.b.one(x.lookup("s2s.unbroadcast_cells"), {"x": x.v, "like": like.v}))
    return None


def _broadcast_like(x: Expr, like: Expr) -> Expr | None:
    if x.is_array or (getattr(like.type, "layout", "") == "C" and x.dtype == like.dtype):
        return None
    return fn.full(like.shape, x, dtype=x.dtype)


def _linspace(start: Expr, stop: Expr, num: Any, endpoint: bool, retstep: bool, dtype: Any) -> Expr | None:
    if retstep:
        raise NotImplementedError("with retstep=True")
    if endpoint and dtype is None and not start.is_array and not stop.is_array:
        return None
    if start.is_array or stop.is_array:
        raise NotImplementedError("between arrays")
    n = start.lift(num)
    steps = fn.maximum(n - 1, 1) if endpoint else fn.maximum(n, 1)
    line = start + fn.arange(n) * ((stop - start) / steps)
    return line if dtype is None else line.astype(str(dtype))


def _array(a: Expr, dtype: Any) -> Expr | None:
    if not a.is_array:
        return None
    return a.astype(str(dtype)) if dtype is not None and str(dtype) != a.dtype else fn.copy(a)


def _asarray(a: Expr, dtype: Any) -> Expr | None:
    if not a.is_array:
        return None
    return a if dtype is None else a.astype(str(dtype))


def _copy(a: Expr, order: str) -> Expr | None:
    # numba's copy takes no order; it is C.
    return fn.copy(a) if order not in ("K",) else None


def _diagonal(a: Expr, offset: int, axis1: int, axis2: int) -> Expr:
    axis1, axis2 = axis1 % a.ndim, axis2 % a.ndim
    rest = [k for k in range(a.ndim) if k not in (axis1, axis2)]
    return fn.diagonal_last(transposed(a, (*rest, axis1, axis2)), a.lift(offset))


def _diag_indices(n: Any) -> tuple[Expr, Expr]:
    line = fn.arange(n)
    return line, line


def _zeros_like(a: Expr, dtype: Any) -> Expr | None:
    """Of a value that is not there on this path there are no zeros either."""
    missing = a.v.op is not None and a.v.op.name == "undefined"
    return a.wrap(a.b.undefined(a.type)) if missing and dtype is None else None


FORMS: dict[str, Any] = {
    "np.reshape": _reshape, "np.ravel": _ravel, "flatten": _flatten, "np.swapaxes": _swapaxes,
    "np.moveaxis": _moveaxis, "np.rollaxis": _rollaxis, "np.expand_dims": _expand_dims, "np.squeeze": _squeeze,
    "np.atleast_1d": _atleast(1), "np.atleast_2d": _atleast(2), "np.atleast_3d": _atleast(3),
    "np.broadcast_to": _broadcast_to, "np.flip": _flip, "np.rot90": _rot90, "np.roll": _roll, "np.tile": _tile,
    "np.fliplr": lambda m: _flip(m, 1), "np.flipud": lambda m: _flip(m, 0),
    "np.full": _full, "np.full_like": _full_like, "np.linspace": _linspace, "np.array": _array,
    "np.asarray": _asarray, "np.copy": _copy, "np.diagonal": _diagonal, "np.diag_indices": _diag_indices,
    "np.zeros_like": _zeros_like, "s2s.unbroadcast": _unbroadcast, "s2s.broadcast_like": _broadcast_like,
}
