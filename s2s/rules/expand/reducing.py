"""Reductions with `where`, `initial` and the like, and those that pass over nan."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2s.rules.common import count, expand, normalised, root_of_sum
from s2s.rules.expand.core import Expansions, Static, refuse
from s2s.rules.expr import Expr, fn

written = Expansions()


def _all(where: Any) -> bool:
    """Whether no element is left out."""
    return where is None or where is True


def _masked(a: Expr, where: Any, neutral: Any) -> Expr:
    """`a`, with a neutral element where it is left out."""
    return a if _all(where) else fn.where(where, a, a.lift(neutral).astype(a.dtype))


def _counted(a: Expr, where: Any, axis: Any, keepdims: bool) -> Expr:
    """How many elements are joined, as real numbers like those of `a` where they differ."""
    if _all(where):
        return count(a, axis)
    dtype = np.zeros(1, a.dtype).real.dtype.name if np.dtype(a.dtype).kind in "fc" else "float64"
    total: Expr = fn.sum(fn.broadcast_to(a.lift(where), a.shape), axis=axis, keepdims=keepdims)
    return total.astype(dtype)


def _strong(x: Any, like: Expr) -> Expr:
    return like.lift(x).astype(like.dtype)


@written.of(np.sum)
def _sum(a: Expr, axis: Static = None, dtype: Static = None, out: Static = None, keepdims: Static = False,
         initial: Any = None, where: Any = True) -> Expr | None:
    if (initial is None and _all(where)) or out is not None:
        return None
    total: Expr = fn.sum(_masked(a, where, 0), axis, dtype, keepdims)
    return total if initial is None else total + _strong(initial, total)


@written.of(np.prod)
def _prod(a: Expr, axis: Static = None, dtype: Static = None, out: Static = None, keepdims: Static = False,
          initial: Any = None, where: Any = True) -> Expr | None:
    if (initial is None and _all(where)) or out is not None:
        return None
    total: Expr = fn.prod(_masked(a, where, 1), axis, dtype, keepdims)
    return total if initial is None else total * _strong(initial, total)


def _extremum(name: str, function: Any) -> None:
    @written.of(function, getattr(np, f"a{name}"))
    def _(a: Expr, axis: Static = None, out: Static = None, keepdims: Static = False, initial: Any = None,
          where: Any = True) -> Expr | None:
        if (initial is None and _all(where)) or out is not None:
            return None
        if initial is None:
            raise refuse(f"np.{name}", "`where` needs `initial`")
        found: Expr = getattr(fn, name)(_masked(a, where, initial), axis, keepdims)
        return getattr(fn, f"{name}imum")(found, _strong(initial, found))  # type: ignore[no-any-return]


_extremum("max", np.max)
_extremum("min", np.min)


@written.of(np.mean)
def _mean(a: Expr, axis: Static = None, dtype: Static = None, out: Static = None, keepdims: Static = False, *,
          where: Any = True) -> Expr | None:
    if _all(where) or out is not None:
        return None
    total: Expr = fn.sum(_masked(a, where, 0), axis, dtype, keepdims)
    return total / _counted(a, where, axis, keepdims)


def _variance(a: Expr, axis: Any, ddof: Any, keepdims: bool, where: Any, mean: Expr | None) -> Expr:
    """The mean square of what is left without the mean."""
    number = _counted(a, where, axis, True)
    middle = fn.sum(_masked(a, where, 0), axis, None, True) / number if mean is None else mean
    apart = a - middle
    square = (apart * apart.conj()).real if a.is_complex else apart * apart
    total = fn.sum(_masked(square, where, 0), axis, None, keepdims)
    return total / (_counted(a, where, axis, keepdims) - ddof)  # type: ignore[no-any-return]


def _deviation(name: str, prefix: str = "") -> None:
    """np.var and np.std; with prefix "nan", of what is not nan."""
    @written.of(getattr(np, prefix + name))
    def _(a: Expr, axis: Static = None, dtype: Static = None, out: Static = None, ddof: Static = 0,
          keepdims: Static = False, *, where: Any = True, mean: Expr | None = None,
          correction: Static = None) -> Expr | None:
        ddof = ddof if correction is None else correction
        if not prefix and (out is not None or (_all(where) and mean is None and dtype is None)):
            return None if correction is None else getattr(fn, name)(a, axis, None, ddof, keepdims)
        wide = a if dtype is None else a.astype(np.dtype(dtype).name)
        found = _variance(wide, axis, ddof, keepdims, _valid(a, where) if prefix else where, mean)
        return found if name == "var" else root_of_sum(found)


_deviation("var")
_deviation("std")


def _truth(name: str, function: Any) -> None:
    @written.of(function)
    def _(a: Expr, axis: Static = None, out: Static = None, keepdims: Static = False, *,
          where: Any = True) -> Expr | None:
        if _all(where) or out is not None:
            return None
        kept = fn.logical_or(a, fn.logical_not(where)) if name == "all" else fn.logical_and(a, where)
        return getattr(fn, name)(kept, axis, keepdims)  # type: ignore[no-any-return]


_truth("all", np.all)
_truth("any", np.any)


# Of what is not nan.

def _valid(a: Expr, where: Any) -> Any:
    """Where `a` counts: True if everywhere, as in an array without nan."""
    if np.dtype(a.dtype).kind not in "fc":
        return where
    number = fn.logical_not(fn.isnan(a))
    return number if _all(where) else fn.logical_and(number, where)


@written.of(np.nansum)
def _nansum(a: Expr, axis: Static = None, dtype: Static = None, out: Static = None, keepdims: Static = False,
            initial: Any = None, where: Any = True) -> Expr | None:
    if (initial is None and _all(where)) or out is not None:
        return None
    total: Expr = fn.nansum(_masked(a, where, 0), axis, dtype, keepdims)
    return total if initial is None else total + _strong(initial, total)


@written.of(np.nanprod)
def _nanprod(a: Expr, axis: Static = None, dtype: Static = None, out: Static = None, keepdims: Static = False,
             initial: Any = None, where: Any = True) -> Expr:
    total: Expr = fn.prod(_masked(a, _valid(a, where), 1), axis, dtype, keepdims)
    return total if initial is None else total * _strong(initial, total)


@written.of(np.nanmean)
def _nanmean(a: Expr, axis: Static = None, dtype: Static = None, out: Static = None, keepdims: Static = False, *,
             where: Any = True) -> Expr:
    valid = _valid(a, where)
    total: Expr = fn.sum(_masked(a, valid, 0), axis, dtype, keepdims)
    return total / _counted(a, valid, axis, keepdims)


_deviation("var", "nan")
_deviation("std", "nan")


def _nan_extremum(name: str, function: Any, outermost: float) -> None:
    @written.of(function)
    def _(a: Expr, axis: Static = None, out: Static = None, keepdims: Static = False, initial: Any = None,
          where: Any = True) -> Expr:
        if initial is None and not _all(where):
            raise refuse(f"np.nan{name}", "`where` needs `initial`")
        valid = _valid(a, where)
        found: Expr = getattr(fn, name)(_masked(a, valid, outermost), axis, keepdims)
        if initial is not None:
            return getattr(fn, f"{name}imum")(found, _strong(initial, found))  # type: ignore[no-any-return]
        if _all(valid):
            return found
        # Of nothing but nan it is nan.
        return fn.where(fn.any(valid, axis, keepdims), found, _strong(math.nan, found))


_nan_extremum("max", np.nanmax, -math.inf)
_nan_extremum("min", np.nanmin, math.inf)


@written.of(np.nancumsum)
def _nancumsum(a: Expr, axis: Static = None, dtype: Static = None) -> Expr:
    return fn.cumsum(_masked(a, _valid(a, True), 0), axis=axis, dtype=dtype)


@written.of(np.nancumprod)
def _nancumprod(a: Expr, axis: Static = None, dtype: Static = None) -> Expr:
    return fn.cumprod(_masked(a, _valid(a, True), 1), axis=axis, dtype=dtype)


# The order of the elements.

def rows_of(a: Expr, axis: Any) -> Expr:
    """`a` with the axes `axis` joined to one, the last."""
    gone = normalised(axis, a.ndim)
    if not a.is_array:
        return fn.atleast_1d(a)
    if len(gone) == a.ndim:
        return a if a.ndim == 1 else fn.ravel(a)
    kept = [k for k in range(a.ndim) if k not in gone]
    order = (*kept, *gone)
    moved = a if order == tuple(range(a.ndim)) else fn.transpose(a, axes=order)
    if len(gone) == 1:
        return moved
    return fn.reshape(moved, (*(a.size_of(k) for k in kept), count(a, gone)))


def kept_dims(x: Expr, a: Expr, axis: Any, keepdims: bool, lead: int = 0) -> Expr:
    """A reduction of `a`, with the axes put back if they are kept; `lead` axes are before them."""
    if not keepdims:
        return x
    if not x.is_array:
        return fn.broadcast_to(x, (1,) * a.ndim) if a.ndim else x
    if not lead:
        return expand(x, a, axis, False)
    gone = normalised(axis, a.ndim)
    return x[(*[slice(None)] * lead, *[None if k in gone else slice(None) for k in range(a.ndim)])]
