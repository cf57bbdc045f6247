"""Jacobians and Hessians inside a differentiated function: loops over a basis, written in the input language.

`columns` and `rows` below are inlined like functions of the user's; what they call are products with the
Jacobian, put in place in their turn. So the result is ordinary code, and can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gast
import numpy as np

from s2s.ir.core import Value
from s2s.ir.types import Array, Scalar, is_inexact
from s2s.lower.context import Context
from s2s.lower.values import Bound, Lowered, Static, Tuple


def columns(push, x, values, dtypes):  # type: ignore[no-untyped-def]
    """Forward mode: one direction for each element of the array `x`."""
    parts = [np.empty((x.size, *np.shape(v)), dtype) for v, dtype in zip(values, dtypes, strict=True)]
    basis = np.eye(x.size, dtype=x.dtype)
    for k in range(x.size):
        for part, dot in zip(parts, push(basis[k].reshape(x.shape)), strict=True):
            part[k] = dot
    return tuple([np.moveaxis(part, 0, -1).reshape((*np.shape(v), *x.shape))
                  for part, v in zip(parts, values, strict=True)])


def rows(pull, x, value, dtype):  # type: ignore[no-untyped-def]
    """Reverse mode: one weight for each element of the array `value`."""
    parts = np.empty((value.size, *np.shape(x)), dtype)
    basis = np.eye(value.size, dtype=value.dtype)
    for k in range(value.size):
        parts[k] = pull(basis[k].reshape(value.shape))
    return parts.reshape((*value.shape, *np.shape(x)))


def shorter(pull, push, x, value, dtype):  # type: ignore[no-untyped-def]
    """The mode with fewer passes, where that depends on sizes that are known when it runs."""
    result = np.empty((*value.shape, *x.shape), dtype)
    if value.size < x.size:
        result[...] = rows(pull, x, value, dtype)  # type: ignore[no-untyped-call]
    else:
        result[...] = columns(push, x, (value,), (dtype,))[0]  # type: ignore[no-untyped-call]
    return result


def jacobian_of_leaf(ctx: Context, node: gast.AST | None, push: Bound, pulls: Callable[[int], Bound], x: Value,
                     values: Sequence[Value]) -> list[Lowered]:
    """The Jacobian of each of `values` with respect to the number or array `x`."""
    if isinstance(x.type, Scalar):
        dots = ctx.call(node, push, [ctx.b.const(1.0, x.type)])
        assert isinstance(dots, Tuple)
        return list(dots.items)
    dtypes = [Static(np.dtype(_dtype(v, x))) for v in values]
    modes = [_mode(v, x) for v in values]
    if "columns" in modes or (len(values) > 1 and "either" in modes):
        made = ctx.call(node, Static(columns), [push, x, Tuple(tuple(values)), Tuple(tuple(dtypes))])
        assert isinstance(made, Tuple)
        return list(made.items)
    out: list[Lowered] = []
    for k, (v, mode, dtype) in enumerate(zip(values, modes, dtypes, strict=True)):
        if mode == "one":
            out.append(ctx.call(node, pulls(k), [ctx.b.const(1.0, v.type)]))
        elif mode == "rows":
            out.append(ctx.call(node, Static(rows), [pulls(k), x, v, dtype]))
        else:
            out.append(ctx.call(node, Static(shorter), [pulls(k), push, x, v, dtype]))
    return out


FEW = 8


def _dtype(v: Value, x: Value) -> str:
    assert isinstance(v.type, Scalar | Array) and isinstance(x.type, Scalar | Array)
    return v.type.dtype


def _mode(v: Value, x: Value) -> str:
    """How the Jacobian of `v` is to be had: "one" gradient, "rows", "columns", or whichever is shorter: "either"."""
    t, u = v.type, x.type
    assert isinstance(t, Scalar | Array) and isinstance(u, Array)
    if np.dtype(t.dtype).kind == "c" or np.dtype(u.dtype).kind == "c" or not is_inexact(t):
        return "columns"
    if isinstance(t, Scalar):
        return "one"
    inner, outer = list(t.dims), list(u.dims)
    for d in t.dims:
        if d in outer:
            outer.remove(d)
            inner.remove(d)
    if all(d.is_one for d in outer):
        return "columns"
    if all(d.is_one for d in inner):
        return "rows"
    sizes = [int(np.prod([d.offset for d in dims])) if all(d.symbol is None for d in dims) else None
             for dims in (inner, outer)]
    if sizes[0] is not None and sizes[1] is not None:
        return "rows" if sizes[0] < sizes[1] else "columns"
    # A few are taken as fewer than an unknown number.
    return "rows" if sizes[0] is not None and sizes[0] <= FEW else "either"
