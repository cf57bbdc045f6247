"""What several families of rules share: NumPy numbers, axes, and undoing a reduction."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from s2s.ir.core import Op
from s2s.ir.types import Array, Dim, Scalar, known_dim
from s2s.rules.expr import Expr, as_numpy, fn

Axis: TypeAlias = "int | tuple[int, ...] | None"


def argument(op: Op, name: str) -> Scalar | Array:
    """The numeric type of an argument, for `infer` functions."""
    t = op.value(name).type
    assert isinstance(t, Scalar | Array), (op.name, name, t)
    return t


def with_numpy_names(x: Expr) -> Expr:
    """`x`, so that functions of it are NumPy's: `math.log` raises where `np.log` gives nan."""
    return Expr(x.b, x.v, x.lookup, "np")


def root_of_sum(x: Expr, ord: float = 2) -> Expr:
    """The root of a sum of squares (or other powers). Where all of them are 0 so is it, and so is its gradient."""
    positive = x > 0
    safe = fn.where(positive, x, 1)
    return fn.where(positive, fn.sqrt(safe) if ord == 2 else safe ** (1.0 / ord), x * 0)


def normalised(axis: Axis, rank: int) -> tuple[int, ...]:
    """The axes that `axis` stands for, in order and counted from the front.

    >>> normalised(None, 2), normalised(-1, 3), normalised((1, 0), 3)
    ((0, 1), (2,), (0, 1))
    """
    if axis is None:
        return tuple(range(rank))
    given = axis if isinstance(axis, tuple | list) else (axis,)
    return tuple(sorted(int(k) % rank for k in given)) if rank else ()


def reduced_type(t: Scalar | Array, axis: Axis, keepdims: bool, dtype: str) -> Scalar | Array:
    """The type of a reduction of `t` over `axis`."""
    gone = normalised(axis, t.ndim)
    dims: list[Dim] = []
    for k, d in enumerate(t.dims):
        if k not in gone:
            dims.append(d)
        elif keepdims:
            dims.append(known_dim(1))
    return Array(dtype, tuple(dims), "C") if dims else Scalar(dtype)


def expand(g: Expr, x: Expr, axis: Axis, keepdims: bool) -> Expr:
    """A reduction of `x` over `axis`, with the axes that are gone put back as ones."""
    if keepdims or not g.is_array:
        return g
    gone = normalised(axis, x.ndim)
    return g[tuple(None if k in gone else slice(None) for k in range(x.ndim))]


def spread(g: Expr, x: Expr, axis: Axis, keepdims: bool) -> Expr:
    """A reduction of `x` over `axis`, repeated to the shape of `x`."""
    return fn.broadcast_like(expand(g, x, axis, keepdims), x) if x.is_array else g


def count(x: Expr, axis: Axis = None) -> Expr:
    """How many elements a reduction of `x` over `axis` joins."""
    total = x.wrap(x.b.int(1))
    for k in normalised(axis, x.ndim):
        total = total * x.size_of(k)
    return total


def constant_number(x: Expr) -> int | float | None:
    """The real number that `x` is, where it is a constant."""
    op = x.v.op
    if op is None or op.name != "const" or isinstance(op.attrs["value"], bool | str | complex | np.bool_):
        return None
    value = op.attrs["value"]
    return value if isinstance(value, int | float | np.integer | np.floating) else None  # type: ignore[return-value]


LN2 = math.log(2.0)
LN10 = math.log(10.0)

__all__ = [
    "LN2",
    "LN10",
    "Axis",
    "argument",
    "as_numpy",
    "constant_number",
    "count",
    "expand",
    "normalised",
    "reduced_type",
    "spread",
    "with_numpy_names",
]
