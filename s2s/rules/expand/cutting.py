"""Parts of arrays: split, unstack, delete, insert, resize, diag."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from s2s.ir.memory import STALE
from s2s.ir.types import known_dim
from s2s.rules.dims import size_dim
from s2s.rules.expand.core import Expansions, Parts, Static, cut, refuse
from s2s.rules.expr import Expr, fn

written = Expansions()


def _bounds(size: Expr, sections: int, equal: bool) -> list[Any]:
    """Where the parts of an axis begin and end."""
    known = getattr(size.type, "dim", None)
    if known is not None and known.symbol is None:
        base, extra = divmod(known.offset, sections)
        if extra and equal:
            raise refuse("np.split", f"{known.offset} elements do not divide into {sections} equal parts")
        return [k * base + min(k, extra) for k in range(sections + 1)]
    step = size // sections
    if equal:
        # The last part goes to the end: that NumPy raises where the parts are not equal is not repeated.
        return [k * step for k in range(sections)] + [None]
    extra = size - step * sections
    return [k * step + fn.minimum(extra.lift(k), extra) for k in range(sections)] + [None]


def _parts(ary: Expr, indices_or_sections: Any, at: int, equal: bool = True) -> list[Expr]:
    """The parts of `ary` along one axis."""
    if isinstance(indices_or_sections, int):
        bounds = _bounds(ary.size_of(at), indices_or_sections, equal)
    elif isinstance(indices_or_sections, Sequence):
        bounds = [None, *indices_or_sections, None]
    else:
        raise refuse("np.split", "the number of parts is not known before it runs")
    bounds = [None, *bounds[1:]]
    return [cut(ary, at, a, b) for a, b in pairwise(bounds)]


@written.of(np.split)
def _split(ary: Expr, indices_or_sections: Parts, axis: Static = 0) -> list[Expr]:
    return _parts(ary, indices_or_sections, axis % ary.ndim)


@written.of(np.array_split)
def _array_split(ary: Expr, indices_or_sections: Parts, axis: Static = 0) -> list[Expr]:
    return _parts(ary, indices_or_sections, axis % ary.ndim, equal=False)


@written.of(np.hsplit)
def _hsplit(ary: Expr, indices_or_sections: Parts) -> list[Expr]:
    return _parts(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


@written.of(np.vsplit)
def _vsplit(ary: Expr, indices_or_sections: Parts) -> list[Expr]:
    return _parts(ary, indices_or_sections, 0)


@written.of(np.dsplit)
def _dsplit(ary: Expr, indices_or_sections: Parts) -> list[Expr]:
    return _parts(ary, indices_or_sections, 2)


@written.of(np.diag)
def _diag(v: Expr, k: Any = 0) -> Expr | None:
    """Of a matrix it is a view, as np.diagonal says."""
    return fn.diagonal(v, k) if v.ndim == 2 and isinstance(k, int) else None


@written.of(getattr(np, "unstack", None))
def _unstack(x: Expr, *, axis: Static = 0) -> Any:
    """Its items are those of the array with the axis first."""
    at = axis % x.ndim
    size = x.dims[at]
    if size.symbol is not None:
        return x if at == 0 else fn.moveaxis(x, at, 0)
    return tuple(x[(*[slice(None)] * at, k)] for k in range(size.offset))


def _flat(x: Expr) -> Expr:
    """All elements along one axis."""
    if not x.is_array:
        return fn.atleast_1d(x)
    return x if x.ndim == 1 else fn.ravel(x)


@written.of(np.delete)
def _delete(arr: Expr, obj: Any, axis: Static = None) -> Expr:
    """One place: what is before and after it. Several: the others, by index."""
    flat = _flat(arr) if axis is None else arr
    at = 0 if axis is None else axis % arr.ndim
    if isinstance(obj, int) and obj == -1:
        return fn.copy(cut(flat, at, None, -1))
    if isinstance(obj, int) and not isinstance(obj, bool):
        return fn.concatenate([cut(flat, at, None, obj), cut(flat, at, obj + 1, None)], axis=at)
    if isinstance(obj, slice):
        raise refuse("np.delete", "the index is a slice")
    gone = _index(flat, obj)
    return flat[(*[slice(None)] * at, fn.delete(fn.arange(flat.size_of(at)), gone))]


def _index(like: Expr, obj: Any) -> Expr:
    """An index as an expression: a list of ints becomes an array."""
    if isinstance(obj, list | tuple):
        parts = tuple(like.lift(k).v for k in obj)
        return like.wrap(like.b.one("pack", {"elements": parts}, {"dtype": None}))
    return like.lift(obj)


@written.of(np.insert)
def _insert(arr: Expr, obj: Any, values: Expr, axis: Static = None) -> Expr:
    flat, new = (_flat(arr), _flat(values)) if axis is None else (arr, values)
    at = 0 if axis is None else axis % arr.ndim
    if not isinstance(obj, bool | list | tuple) and not (isinstance(obj, Expr) and obj.is_array):
        block = _row(flat, new, at)
        return fn.concatenate([cut(flat, at, None, obj), block.astype(flat.dtype), cut(flat, at, obj, None)], axis=at)
    place = _index(flat, obj)
    if flat.ndim != 1 or not place.is_array:
        raise refuse("np.insert", "several places of an array with more than one axis are not covered")
    # Where each element of the result comes from: places after those of `arr` are those of what is inserted.
    n, count = flat.size_of(0), place.size_of(0)
    sources = fn.insert(fn.arange(n), place, fn.arange(count) + n)
    wide = new.astype(flat.dtype)
    if not wide.is_array or wide.dims[0] != place.dims[0]:
        wide = fn.broadcast_to(wide, (count,))
    return fn.concatenate([flat, wide])[sources]


def _row(arr: Expr, values: Expr, at: int) -> Expr:
    """`values` as a block that fits into `arr` along one axis, as np.insert at one place reads it."""
    if arr.ndim == 1:
        return _flat(values)
    if values.ndim < arr.ndim:
        # The axis of the block is that of size 1 which is missing.
        shape = [1 if k == at else n for k, n in enumerate(arr.shape)]
        rest = values[(..., None)] if values.ndim and at == arr.ndim - 1 and values.ndim == arr.ndim - 1 else None
        return fn.broadcast_to(values if rest is None else rest, shape)
    order = list(range(arr.ndim))
    order.insert(at, order.pop(0))
    moved = values if at == 0 else fn.moveaxis(values, 0, at)
    return fn.broadcast_to(moved, [moved.size_of(k) if k == at else n for k, n in enumerate(arr.shape)])


@written.of(np.lib.stride_tricks.sliding_window_view)
def _sliding_window_view(x: Expr, window_shape: Static, axis: Static = None, *, subok: Static = False,
                         writeable: Static = False) -> Expr:
    """By indices, which makes a copy: each window along an axis is a row of a new last axis."""
    sizes = window_shape if isinstance(window_shape, tuple | list) else (window_shape,)
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple | list) else (axis,)
    if writeable or len(axes) != len(sizes):
        raise refuse("np.lib.stride_tricks.sliding_window_view", "a view that is written to is not covered")
    rank = x.ndim
    for size, k in zip(sizes, axes, strict=True):
        at = k % rank
        places = fn.arange(x.size_of(at) - size + 1)[:, None] + fn.arange(x.lift(size))
        x = x[(*[slice(None)] * at, places)]
        assert x.v.op is not None
        x.v.op.attrs[STALE] = True
        x = x if at + 2 == x.ndim else fn.moveaxis(x, at + 1, -1)
    return x


@written.of(np.resize)
def _resize(a: Expr, new_shape: list[Expr]) -> Expr:
    """The elements in order, over and over."""
    shape: list[Any] = list(new_shape) if isinstance(new_shape, list) else [new_shape]
    flat = _flat(a)
    count = a.lift(1)
    for n in shape:
        count = count * n
    if size_dim([getattr(n.type, "dim", None) or known_dim(-1) for n in shape]) == known_dim(0):
        return fn.zeros(tuple(shape), dtype=a.dtype)
    return fn.reshape(flat[fn.arange(count) % flat.size_of(0)], tuple(shape))
