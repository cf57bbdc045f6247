"""What several forms are written with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2s.rules.common import normalised
from s2s.rules.expr import Expr, fn


def contiguous(x: Expr) -> Expr:
    """`x` in C order, which is how numba reshapes."""
    return x if getattr(x.type, "layout", "C") == "C" else fn.ascontiguousarray(x)


def reshaped(x: Expr, shape: Sequence[Any]) -> Expr:
    """`x`, an array, with another shape."""
    return fn.reshape(contiguous(x), tuple(shape))


def packed(x: Expr) -> Expr:
    """A number as an array of one element."""
    return x.wrap(x.b.one("pack", {"elements": (x.v,)}, {"dtype": x.dtype}))


def at_least_1d(x: Expr) -> Expr:
    """An array, of one element where `x` is a number."""
    return x if x.is_array else packed(x)


def transposed(x: Expr, order: Sequence[int]) -> Expr:
    """The axes of `x` in another order."""
    return x if tuple(order) == tuple(range(x.ndim)) else fn.transpose(x, axes=tuple(order))


def axes_last(x: Expr, axis: Any) -> tuple[Expr, tuple[int, ...]]:
    """`x` with the axes `axis` last, joined to one, and which they were."""
    gone = normalised(axis, x.ndim)
    kept = [k for k in range(x.ndim) if k not in gone]
    moved = transposed(x, (*kept, *gone))
    if len(gone) > 1:
        moved = reshaped(moved, (*(x.size_of(k) for k in kept), product([x.size_of(k) for k in gone])))
    return moved, gone


def product(sizes: Sequence[Expr]) -> Expr:
    """The product of sizes."""
    total = sizes[0]
    for n in sizes[1:]:
        total = total * n
    return total


def with_ones(x: Expr, gone: Sequence[int], rank: int) -> Expr:
    """`x`, a reduction over the axes `gone` of `rank`, with these axes put back as ones."""
    if not x.is_array:
        return fn.full((*(x.lift(1) for _ in range(rank)),), x, dtype=x.dtype)
    return x[tuple(None if k in gone else slice(None) for k in range(rank))]


def move_axis(rank: int, source: int, destination: int) -> tuple[int, ...]:
    """The order of axes in which one was moved."""
    order = [k for k in range(rank) if k != source % rank]
    order.insert(destination % rank, source % rank)
    return tuple(order)


def inverse(order: Sequence[int]) -> tuple[int, ...]:
    """The order that undoes another one."""
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def cut(x: Expr, axis: int, start: Any = None, stop: Any = None, step: Any = None) -> Expr:
    """A slice of one axis."""
    return x[(*[slice(None)] * axis, slice(start, stop, step))]
