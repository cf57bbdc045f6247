"""Polynomials by their coefficients: polyfit, polyadd, polysub, polymul, polyder, polyint, vander."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2s.rules.dims import write
from s2s.rules.expand.core import Expansions, Static, refuse
from s2s.rules.expr import Expr, encode_index, fn, several

written = Expansions()


def _vector(p: Expr) -> Expr:
    return p if p.is_array else fn.atleast_1d(p)


def _powers(x: Expr, count: Any, increasing: bool) -> Expr:
    """Columns of powers, the highest first."""
    exponents = fn.arange(x.lift(count))
    return x[:, None] ** (exponents if increasing else exponents[::-1])


@written.of(np.vander)
def _vander(x: Expr, N: Static = None, increasing: Static = False) -> Expr:
    return _powers(x, x.size_of(0) if N is None else N, increasing)


@written.of(np.polyfit)
def _polyfit(x: Expr, y: Expr, deg: Static, rcond: Static = None, full: Static = False, w: Expr | None = None,
             cov: Static = False) -> Expr:
    """Least squares with columns of length 1."""
    if full or cov or not isinstance(deg, int):
        raise refuse("np.polyfit", "only the coefficients of a polynomial of one degree are covered")
    powers, right = _powers(x, deg + 1, False), y
    if w is not None:
        powers, right = powers * w[:, None], y * (w[:, None] if y.ndim == 2 else w)
    scale = fn.sqrt(fn.sum(powers * powers, axis=0))
    solution = several("np.linalg.lstsq", powers / scale, right, rcond)[0]
    return solution / (scale[:, None] if y.ndim == 2 else scale)


def _added(a: Expr, b: Expr, sign: float) -> Expr:
    """The sum of two vectors that end together."""
    a, b = _vector(a), _vector(b)
    if a.dims == b.dims:
        return a + b if sign > 0 else a - b
    n = fn.maximum(a.size_of(0), b.size_of(0))
    total = fn.zeros((n,), dtype=np.result_type(a.dtype, b.dtype).name)
    for x, value in ((a, a), (b, b if sign > 0 else -b)):
        write("additem", total, encode_index(total, [slice(n - x.size_of(0), None)]), value.astype(total.dtype))
    return total


@written.of(np.polyadd)
def _polyadd(a1: Expr, a2: Expr) -> Expr:
    return _added(a1, a2, 1.0)


@written.of(np.polysub)
def _polysub(a1: Expr, a2: Expr) -> Expr:
    return _added(a1, a2, -1.0)


@written.of(np.polymul)
def _polymul(a1: Expr, a2: Expr) -> Expr:
    return fn.convolve(_vector(a1), _vector(a2))


@written.of(np.polyder)
def _polyder(p: Expr, m: Static = 1) -> Expr:
    for _ in range(m):
        n = p.size_of(0)
        p = p[:-1] * fn.arange(n - 1, 0, -1)
    return p


@written.of(np.polyint)
def _polyint(p: Expr, m: Static = 1, k: Expr | None = None) -> Expr:
    for step in range(m):
        n = p.size_of(0)
        if k is None:
            last = fn.zeros((p.lift(1),), dtype=p.dtype)
        else:
            last = fn.atleast_1d(k if not k.is_array else k[step] if m > 1 else k[0])
        p = fn.concatenate([p / fn.arange(n, 0, -1), last.astype(p.dtype)])
    return p
