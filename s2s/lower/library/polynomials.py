"""np.polyval, np.roots, np.poly and np.polydiv: polynomials by their coefficients and by their roots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2s.rules.primitives import constant, with_pullback


def polyval(p: Any, x: Any) -> Any:
    coefficients = np.asarray(p)
    at = np.asarray(x)
    total = np.zeros_like(at) * coefficients[0]
    for c in coefficients:
        total = total * at + c
    return total


def roots(p: Any) -> Any:
    """Complex, as eigenvalues are. A root r moves by -dp(r) / p'(r); a double one has no derivative: inf or nan."""
    c = np.atleast_1d(np.asarray(p))
    r = constant(_eigenvalues(constant(c)))

    def pullback(dy: Any, y: Any) -> Any:
        powers = y[:, None] ** np.arange(c.shape[0] - 1, -1, -1)
        slopes = np.sum(powers[:, 1:] * (c[:-1] * np.arange(c.shape[0] - 1, 0, -1)), axis=-1)
        c_bar = -(np.conj(powers).T @ (dy / np.conj(slopes)))
        return (c_bar if c.dtype.kind == "c" else c_bar.real.astype(c.dtype),)

    return with_pullback(r, pullback, (c,))


def _eigenvalues(c: Any) -> Any:
    """Of the companion matrix, without the zeros at both ends of the coefficients; those at the end are roots 0."""
    places = np.flatnonzero(c)
    if places.shape[0] == 0:
        return np.linalg.eigvals(np.zeros((0, 0), c.dtype))
    n = places[-1] - places[0]
    a = np.zeros((n, n), c.dtype)
    if n > 0:
        a[0] = -c[places[0] + 1:places[-1] + 1] / c[places[0]]
        for k in range(n - 1):
            a[k + 1, k] = 1.0
    found = np.linalg.eigvals(a)
    return np.concatenate((found, np.zeros(c.shape[0] - 1 - places[-1], found.dtype)))


def poly(seq_of_zeros: Any) -> Any:
    """Of roots that are complex the coefficients are, too; of a real matrix they are real."""
    z = np.atleast_1d(np.asarray(seq_of_zeros))
    if z.ndim == 2:
        found = poly(np.linalg.eigvals(z))
        return found if z.dtype.kind == "c" else np.real(found)
    a = np.zeros(z.shape[0] + 1, z.dtype)
    a[0] = 1.0
    for k in range(z.shape[0]):
        a[1:] = a[1:] - z[k] * a[:-1]
    return a


def polydiv(u: Any, v: Any) -> Any:
    divisor = np.atleast_1d(np.asarray(v)) + 0.0
    r = np.atleast_1d(np.asarray(u)) + 0.0 * divisor[0]
    n, scale = divisor.shape[0], 1.0 / divisor[0]
    steps = r.shape[0] - n + 1
    q = np.zeros(max(steps, 1), r.dtype)
    for k in range(steps):
        q[k] = scale * r[k]
        r[k:k + n] = r[k:k + n] - q[k] * divisor
    first = 0
    while first < r.shape[0] - 1 and np.allclose(constant(r[first]), 0.0, rtol=1e-14):
        first += 1
    return q, r[first:]


STAND_INS: dict[Any, Callable[..., Any]] = {np.polyval: polyval, np.roots: roots, np.poly: poly, np.polydiv: polydiv}
