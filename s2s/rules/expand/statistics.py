"""Averages and correlations: average, cov, corrcoef."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2s.rules.common import count, normalised
from s2s.rules.dims import mH
from s2s.rules.expand.core import Expansions, Static, refuse
from s2s.rules.expr import Expr, fn

written = Expansions()


@written.of(np.average)
def _average(a: Expr, axis: Static = None, weights: Expr | None = None, returned: Static = False, *,
             keepdims: Static = False) -> Any:
    """The mean, or that with weights, along one axis or several."""
    if weights is None:
        mean: Expr = fn.mean(a, axis, None, keepdims)
        total = fn.full_like(mean, count(a, axis)) if mean.is_array else mean * 0.0 + count(a, axis)
        return (mean, total) if returned else mean
    axes = normalised(axis, a.ndim)
    if weights.ndim != a.ndim:
        if weights.ndim != len(axes):
            raise refuse("np.average", "the weights have another shape than the array, and more than its axes")
        weights = weights[tuple(slice(None) if k in axes else None for k in range(a.ndim))]
    scale = fn.sum(weights, axis, None, keepdims)
    found = fn.sum(a * weights, axis, None, keepdims) / scale
    return (found, scale.astype(found.dtype) + found * 0.0) if returned else found


def _rows(m: Expr, rowvar: bool) -> Expr:
    """Variables as rows."""
    x = m if m.ndim == 2 else m[None, :]
    return x if rowvar or m.ndim < 2 else x.T


@written.of(np.cov)
def _cov(m: Expr, y: Expr | None = None, rowvar: Static = True, bias: Static = False, ddof: Static = None,
         fweights: Expr | None = None, aweights: Expr | None = None, *, dtype: Static = None) -> Expr:
    x = _rows(m, rowvar)
    if y is not None:
        x = fn.concatenate([x, _rows(y, rowvar)], axis=0)
    dtype = dtype or ("complex128" if x.is_complex else "float64")
    x = x.astype(dtype)
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights = None
    for w in (fweights, aweights):
        if w is not None:
            weights = w.astype("float64") if weights is None else weights * w
    if weights is None:
        number = x.size_of(1)
        factor: Any = number - ddof
        centred = x - fn.mean(x, 1, None, True)
        right = centred
    else:
        total = fn.sum(weights)
        centred = x - fn.sum(x * weights, 1, None, True) / total
        right = centred * weights
        factor = total if ddof == 0 else total - ddof if aweights is None else \
            total - ddof * fn.sum(weights * aweights) / total
    found = centred @ mH(right) / factor
    return found[0, 0] if found.dims[0].is_one else found  # type: ignore[no-any-return]


@written.of(np.corrcoef)
def _corrcoef(x: Expr, y: Expr | None = None, rowvar: Static = True, *, dtype: Static = None) -> Expr:
    """The covariances of variables scaled to a variance of 1. That NumPy clips them changes rounding only."""
    c = _cov(x, y, rowvar, dtype=dtype)
    if not c.is_array:
        return c / c  # type: ignore[no-any-return]
    spread = fn.sqrt(fn.diagonal(c).real)
    return c / spread[:, None] / spread[None, :]  # type: ignore[no-any-return]
