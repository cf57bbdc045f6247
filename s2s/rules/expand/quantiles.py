"""Quantiles: median, quantile, percentile, and the same of what is not nan.

A quantile is one element of the sorted array, or lies between two; so are its derivatives those elements'.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2s.ir.types import Scalar
from s2s.rules.expand.core import Expansions, Static, refuse
from s2s.rules.expand.reducing import kept_dims, rows_of
from s2s.rules.expr import Expr, fn

written = Expansions()

# Alpha and beta of the methods that interpolate: R. J. Hyndman, Y. Fan 1996, "Sample quantiles in statistical
# packages".
_CONTINUOUS = {"linear": (1.0, 1.0), "interpolated_inverted_cdf": (0.0, 1.0), "hazen": (0.5, 0.5),
               "weibull": (0.0, 0.0), "median_unbiased": (1.0 / 3.0, 1.0 / 3.0),
               "normal_unbiased": (3.0 / 8.0, 3.0 / 8.0)}


def _floor(x: Expr) -> Expr:
    """The int below a number that is not negative; a Python int of a Python float."""
    return x.astype("int64")


def _inside(at: Expr, n: Expr) -> Expr:
    """A place among `n`."""
    return fn.minimum(fn.maximum(at, 0), n - 1)


def _place(q: Expr, n: Expr, method: str) -> tuple[Expr, Expr]:
    """Where the quantile is among `n` sorted elements: the one below, and how far it is to the next."""
    at = q * (n - 1)
    if method in _CONTINUOUS:
        alpha, beta = _CONTINUOUS[method]
        if method != "linear":
            exact = n * q + (alpha + q * (1.0 - alpha - beta)) - 1.0
            inside = fn.minimum(fn.maximum(exact, at * 0.0), at * 0.0 + (n - 1))
            at = at.wrap(at.b.cast(inside.v, at.type)) if isinstance(at.type, Scalar) else inside
        return _floor(at), at - _floor(at)
    low, count = _floor(at), n * q
    exact = at == low
    if method == "midpoint":
        return low, 0.5 - 0.5 * exact
    if method in ("lower", "higher"):
        return low if method == "lower" else _inside(low + (1 - exact * 1), n), at * 0.0
    if method == "nearest":
        return _floor(fn.rint(at)), at * 0.0
    if method in ("inverted_cdf", "averaged_inverted_cdf"):
        below = _floor(count)
        exact = count == below
        place = _inside(below - exact * 1, n)
        half = (exact & (below > 0)) * 0.5 if method.startswith("a") else at * 0.0
        return place, half
    if method == "closest_observation":
        below = _floor(count + 0.5) - 2
        even = ((count + 0.5) == (below + 2)) & (below % 2 == 1)
        return _inside(below + 1 - even * 1, n), at * 0.0
    raise refuse("np.quantile", f"method={method!r} is not known")


def _quantile(a: Expr, q: Expr, axis: Any, method: str, keepdims: bool, skip: bool) -> Expr:
    """Quantiles of the rows of `a`; skip: of what is not nan in each."""
    rows = rows_of(a if np.dtype(a.dtype).kind in "fc" else a.astype("float64"), axis)
    if q.is_array and q.ndim > 1:
        raise refuse("np.quantile", "q has more than one axis")
    if skip:
        # A choice, by which the adjoint of nan stays 0; infinity is sorted to the end, as nan is.
        missing = fn.isnan(rows)
        ordered: Expr = fn.sort(fn.where(missing, rows.lift(math.inf).astype(rows.dtype), rows))
        number = fn.sum(fn.logical_not(missing), axis=-1)
        found = _of_counts(ordered, q, number, method)
        found = fn.where(number == 0, found.lift(math.nan).astype(found.dtype), found)
    else:
        ordered = fn.sort(rows)
        found = _of_all(ordered, q, rows.size_of(-1), method)
        last = ordered[..., -1]
        lined = last if not q.is_array else last[None] if last.is_array else last
        found = fn.where(fn.isnan(lined), found.lift(math.nan).astype(found.dtype), found)
    return kept_dims(found, a, axis, keepdims, q.ndim)


def _between(low: Expr, high: Expr, share: Expr) -> Expr:
    """The two meet where they are equal, infinities too."""
    return low + (high - low) * share


def _of_all(ordered: Expr, q: Expr, n: Expr, method: str) -> Expr:
    low, share = _place(q, n, method)
    at, above = low, fn.minimum(low + 1, n - 1)
    if not q.is_array:
        return _between(ordered[..., at], ordered[..., above], share)
    first = ordered if ordered.ndim == 1 else fn.moveaxis(ordered, -1, 0)
    wide = share[(slice(None), *[None] * (ordered.ndim - 1))]
    return _between(first[at], first[above], wide)


def _of_counts(ordered: Expr, q: Expr, number: Expr, method: str) -> Expr:
    """Of the first `number` elements of each row, nan where there are none."""
    wide = q[(slice(None), *[None] * number.ndim)] if q.is_array else q
    low, share = _place(wide, fn.maximum(number, 1), method)
    at, above = low, fn.minimum(low + 1, fn.maximum(number, 1) - 1)
    if ordered.ndim == 1:
        return _between(ordered[at], ordered[above], share)
    if not q.is_array:
        def taken(index: Expr) -> Expr:
            return fn.take_along_axis(ordered, index[..., None], axis=-1)[..., 0]
        return _between(taken(at), taken(above), share)
    columns = fn.moveaxis(ordered, -1, 0)
    return _between(fn.take_along_axis(columns, at, axis=0), fn.take_along_axis(columns, above, axis=0), share)


def _weighted(a: Expr, q: Expr, weights: Expr, axis: Any, keepdims: bool) -> Expr:
    """The first element, in order, up to which there is the share `q` of all weight."""
    rows, weight = rows_of(a if np.dtype(a.dtype).kind in "fc" else a.astype("float64"), axis), rows_of(weights, None)
    if rows.ndim != 1 or weights.ndim not in (1, a.ndim):
        raise refuse("np.quantile", "weights are covered for quantiles of all elements")
    order = fn.argsort(rows)
    reached = fn.cumsum(weight[order].astype("float64"))
    share = reached / reached[-1]
    # What has no weight is not found for q = 0.
    at = fn.searchsorted(fn.where(share == 0, -1.0, share), q)
    ordered = rows[order]
    found: Expr = ordered[fn.minimum(at, rows.size_of(-1) - 1)]
    found = fn.where(fn.isnan(ordered[-1]), found.lift(math.nan).astype(found.dtype), found)
    return kept_dims(found, a, axis, keepdims, q.ndim)


def _number(q: Expr) -> Expr:
    """The quantile as a float; a Python int becomes a Python float."""
    return q * 1.0 if np.dtype(q.dtype).kind in "biu" else q


def _declare(name: str, scale: float, skip: bool) -> None:
    @written.of(getattr(np, name))
    def _(a: Expr, q: Expr, axis: Static = None, out: Static = None, overwrite_input: Static = False,
          method: Static = "linear", keepdims: Static = False, *, weights: Expr | None = None,
          interpolation: Static = None) -> Expr:
        share = _number(q) if scale == 1.0 else _number(q) / scale
        if weights is not None:
            if method != "inverted_cdf" or skip:
                raise refuse(f"np.{name}", "weights are covered for np.quantile and np.percentile, as NumPy has them: "
                             "with method='inverted_cdf'")
            return _weighted(a, share, weights, axis, keepdims)
        return _quantile(a, share, axis, interpolation or method, keepdims, skip)


_declare("quantile", 1.0, False)
_declare("percentile", 100.0, False)
_declare("nanquantile", 1.0, True)
_declare("nanpercentile", 100.0, True)


@written.of(np.median)
def _median(a: Expr, axis: Static = None, out: Static = None, overwrite_input: Static = False,
            keepdims: Static = False) -> Expr:
    """The middle element, or the mean of the middle two."""
    rows = rows_of(a if np.dtype(a.dtype).kind in "fc" else a.astype("float64"), axis)
    ordered: Expr = fn.sort(rows)
    n = rows.size_of(-1)
    middle = 0.5 * (ordered[..., (n - 1) // 2] + ordered[..., n // 2])
    last = ordered[..., -1]
    found = fn.where(fn.isnan(last), last.lift(math.nan).astype(last.dtype), middle)
    return kept_dims(found, a, axis, keepdims)


@written.of(np.nanmedian)
def _nanmedian(a: Expr, axis: Static = None, out: Static = None, overwrite_input: Static = False,
               keepdims: Static = False) -> Expr:
    return _quantile(a, a.lift(0.5), axis, "linear", keepdims, True)
