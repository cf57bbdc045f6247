"""Arrays put together and shaped alike: block, broadcast_arrays, atleast_nd of several, linspace of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2s.ir.types import broadcast_dims
from s2s.rules.common import constant_number
from s2s.rules.expand.core import Expansions, Several, Static, refuse
from s2s.rules.expr import Expr, fn, several

written = Expansions()


def _depth(x: Any) -> int:
    return 1 + max(map(_depth, x)) if isinstance(x, list) else 0


def _rank(x: Any) -> int:
    return max(map(_rank, x)) if isinstance(x, list) else x.ndim


def _with_rank(x: Expr, rank: int) -> Expr:
    """`x` with axes of size 1 before its own."""
    if not x.is_array:
        return fn.broadcast_to(x, (1,) * rank) if rank else x
    return x if x.ndim == rank else x[(*[None] * (rank - x.ndim), ...)]


def _joined(x: Any, level: int, rank: int) -> Expr:
    """The blocks of one level of nesting, next to each other along one axis."""
    if not isinstance(x, list):
        return _with_rank(x, rank)
    return fn.concatenate([_joined(part, level - 1, rank) for part in x], axis=rank - level)


@written.of(np.block)
def _block(arrays: Several) -> Expr:
    if isinstance(arrays, Expr):
        return fn.copy(arrays) if arrays.is_array else arrays
    depth = _depth(arrays)
    return _joined(arrays, depth, max(depth, _rank(arrays)))


@written.of(np.__dict__.get("row_stack"))
def _row_stack(tup: Several) -> Expr:
    """What np.vstack was called before NumPy 2."""
    return fn.vstack(tup if isinstance(tup, list) else [tup])


def common_shape(arrays: Sequence[Expr]) -> list[Expr]:
    """The shape that arrays are broadcast to."""
    dims = broadcast_dims([x.dims for x in arrays])
    shape = []
    for k, dim in enumerate(dims, -len(dims)):
        having = [x for x in arrays if x.ndim >= -k and not x.dims[k].is_one] or [x for x in arrays if x.ndim >= -k]
        sure = next((x for x in having if x.dims[k] == dim), None)
        size = (having[0] if sure is None else sure).size_of(k)
        for x in having if sure is None else ():
            size = fn.maximum(size, x.size_of(k))
        shape.append(size)
    return shape


@written.of(np.broadcast_arrays)
def _broadcast_arrays(*args: Expr, subok: Static = False) -> tuple[Any, ...]:
    shape = common_shape(args)
    return tuple(fn.broadcast_to(x, shape) for x in args)


def _at_least(rank: int, function: Any) -> None:
    @written.of(function)
    def _(*arys: Expr) -> Any:
        return None if len(arys) == 1 else tuple(getattr(fn, f"atleast_{rank}d")(x) for x in arys)


_at_least(1, np.atleast_1d)
_at_least(2, np.atleast_2d)
_at_least(3, np.atleast_3d)


@written.of(np.linspace)
def _linspace(start: Expr, stop: Expr, num: Any = 50, endpoint: Static = True, retstep: Static = False,
              dtype: Static = None, axis: Static = 0, *, device: Static = None) -> Any:
    """Between arrays, along a new axis; and with the step."""
    if not (start.ndim or stop.ndim or retstep):
        return None
    count = start.lift(num)
    gaps = count - 1 if endpoint else count
    span = stop - start
    known = constant_number(gaps)
    step = span / (fn.maximum(gaps, 1).astype(span.dtype) if known is None else float(max(known, 1)))
    rank = max(start.ndim, stop.ndim)
    if not rank:
        return fn.linspace(start, stop, num, endpoint=endpoint, dtype=dtype), step
    places = fn.arange(count)[(slice(None), *[None] * rank)].astype(step.dtype)
    found = start + places * step
    found = found if axis == 0 else fn.moveaxis(found, 0, axis)
    found = found if dtype is None else found.astype(dtype)
    return (found, step) if retstep else found


@written.of(np.logspace)
def _logspace(start: Expr, stop: Expr, num: Any = 50, endpoint: Static = True, base: Expr | None = None,
              dtype: Static = None, axis: Static = 0) -> Expr:
    if start.ndim or stop.ndim:
        raise refuse("np.logspace", "the ends are arrays")
    exponents = fn.linspace(start, stop, num, endpoint=endpoint)
    found = (10.0 if base is None else base) ** exponents
    return found if dtype is None else found.astype(dtype)


@written.of(np.geomspace)
def _geomspace(start: Expr, stop: Expr, num: Any = 50, endpoint: Static = True, dtype: Static = None,
               axis: Static = 0) -> Expr:
    """Of positive or negative numbers: the logarithms are evenly spaced."""
    if start.ndim or stop.ndim or start.is_complex or stop.is_complex:
        raise refuse("np.geomspace", "the ends are arrays or complex")
    found = start * (stop / start) ** fn.linspace(start.lift(0.0), 1.0, num, endpoint=endpoint)
    return found if dtype is None else found.astype(dtype)


def _fortran(a: Expr, order: str) -> bool:
    """Whether the elements are read with the first axis running fastest."""
    layout = getattr(a.type, "layout", "C")
    if order in ("A", "K") and layout == "A" and a.ndim > 1:
        raise refuse("np.reshape", f"order={order!r} of an array of which it is not known how it lies in memory")
    return a.ndim > 1 and (order == "F" or (order in ("A", "K") and layout == "F"))


@written.of(np.reshape)
def _reshape(a: Expr, shape: Several, order: Static = "C", *, copy: Static = None) -> Expr | None:
    """In Fortran's order: that of the axes reversed, with the axes reversed back."""
    sizes = shape if isinstance(shape, list) else [shape]
    if order == "C" or (not _fortran(a, order) and (order != "F" or len(sizes) < 2)):
        return None if order == "C" and copy is None else fn.reshape(a, sizes)
    back = a.T if a.ndim > 1 else a
    return fn.reshape(back, sizes[::-1]).T if len(sizes) > 1 else fn.reshape(back, sizes)


@written.of(np.ravel)
def _ravel(a: Expr, order: Static = "C") -> Expr | None:
    return fn.ravel(a.T) if _fortran(a, order) else None if order == "C" else fn.ravel(a)


@written.of(method="flatten")
def _flatten(a: Expr, order: Static = "C") -> Expr | None:
    if not _fortran(a, order):
        return None if order == "C" else fn.flatten(a)
    return fn.flatten(a.T)


@written.of(getattr(np, "astype", None))
def _astype(x: Expr, dtype: Static, /, *, copy: Static = True, device: Static = None) -> Expr:
    if x.dtype == dtype:
        return fn.copy(x) if copy and x.is_array else x
    return x.astype(dtype)


@written.of(np.tril_indices_from)
def _tril_indices_from(arr: Expr, k: Any = 0) -> Any:
    return _triangle("tril", arr, k)


@written.of(np.triu_indices_from)
def _triu_indices_from(arr: Expr, k: Any = 0) -> Any:
    return _triangle("triu", arr, k)


def _triangle(name: str, arr: Expr, k: Any) -> Any:
    rows, columns = arr.shape
    return tuple(several(f"np.{name}_indices", rows, k=k, m=columns))


@written.of(np.diag_indices_from)
def _diag_indices_from(arr: Expr) -> Any:
    """One range, as many times as there are axes."""
    return (fn.arange(arr.size_of(0)),) * arr.ndim
