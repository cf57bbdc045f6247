"""Kernels of PolyBench with their loops kept: each `for` is a `fori_loop`, each store an `.at[...]`.

This is what a user of JAX gets who writes the loops down as they are. Bounds are to be known for reverse mode, so a
loop whose bounds depend on another one runs over all of its axis, and adds zero or stores what was there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as np
from jax.lax import fori_loop


def nest(bounds: tuple[tuple[int, int], ...], body: Callable[..., Any], state: Any) -> Any:
    """Loops over `bounds`, the first outermost: `state = body(state, i, j, ...)`."""
    if not bounds:
        return body(state)
    return fori_loop(*bounds[0], lambda i, s: nest(bounds[1:], lambda s, *rest: body(s, i, *rest), s), state)


def gemm(alpha, beta, C, A, B):
    (n, m), p = A.shape, C.shape[1]
    C = nest(((0, n), (0, p)), lambda C, i, j: C.at[i, j].multiply(beta), C)
    C = nest(((0, n), (0, m), (0, p)), lambda C, i, k, j: C.at[i, j].add(alpha * A[i, k] * B[k, j]), C)
    return np.sum(C)


def gesummv(alpha, beta, A, B, x):
    n = x.shape[0]

    def both(state, i, j):
        t, y = state
        return t.at[i].add(A[i, j] * x[j]), y.at[i].add(B[i, j] * x[j])

    t, y = nest(((0, n), (0, n)), both, (np.zeros(n), np.zeros(n)))
    return np.sum(alpha * t + beta * y)


def atax(A, x):
    m, n = A.shape
    t = nest(((0, m), (0, n)), lambda t, i, j: t.at[i].add(A[i, j] * x[j]), np.zeros(m))
    return np.sum(nest(((0, m), (0, n)), lambda y, i, j: y.at[j].add(A[i, j] * t[i]), np.zeros(n)))


def bicg(A, p, r):
    n, m = A.shape

    def both(state, i, j):
        s, q = state
        return s.at[j].add(r[i] * A[i, j]), q.at[i].add(A[i, j] * p[j])

    s, q = nest(((0, n), (0, m)), both, (np.zeros(m), np.zeros(n)))
    return np.sum(s) + np.sum(q * q)


def mvt(A, x1, x2, y1, y2):
    n = x1.shape[0]
    x1 = nest(((0, n), (0, n)), lambda x, i, j: x.at[i].add(A[i, j] * y1[j]), x1)
    x2 = nest(((0, n), (0, n)), lambda x, i, j: x.at[i].add(A[j, i] * y2[j]), x2)
    return np.sum(x1 * x1) + np.sum(x2 * x2)


def trisolv(L, b):
    n = b.shape[0]

    def row(x, i):
        x = x.at[i].set(b[i])
        x = nest(((0, n),), lambda x, j: x.at[i].add(-np.where(j < i, L[i, j] * x[j], 0.0)), x)
        return x.at[i].divide(L[i, i])

    return np.sum(nest(((0, n),), row, np.zeros(n)))


def lu(A):
    n = A.shape[0]

    def cell(A, i, j):
        last = np.minimum(i, j)
        A = nest(((0, n),), lambda A, k: A.at[i, j].add(-np.where(k < last, A[i, k] * A[k, j], 0.0)), A)
        return A.at[i, j].divide(np.where(j < i, A[j, j], 1.0))

    return np.sum(nest(((0, n), (0, n)), cell, A))


def covariance(data):
    n, m = data.shape
    mean = nest(((0, m), (0, n)), lambda mean, j, i: mean.at[j].add(data[i, j]), np.zeros(m)) / n
    data = nest(((0, n), (0, m)), lambda data, i, j: data.at[i, j].add(-mean[j]), data)

    def cell(cov, i, j):
        total = nest(((0, n),), lambda t, k: t + data[k, i] * data[k, j], 0.0) / (n - 1.0)
        cov = cov.at[i, j].set(np.where(j >= i, total, cov[i, j]))
        return cov.at[j, i].set(np.where(j >= i, total, cov[j, i]))

    return np.sum(nest(((0, m), (0, m)), cell, np.zeros((m, m))))


def alternating(half, A, steps):
    """Two arrays by turns: `half(old, new)` is the new one."""
    def step(state, _):
        A, B = state
        B = half(A, B)
        return half(B, A), B

    A, _ = nest(((0, steps),), step, (A, A))
    return np.sum(A * A)


def jacobi_1d(A, steps):
    n = A.shape[0]

    def half(old, new):
        def cell(new, i):
            return new.at[i].set(0.33333 * (old[i - 1] + old[i] + old[i + 1]))

        return nest(((1, n - 1),), cell, new)

    return alternating(half, A, steps)


def jacobi_2d(A, steps):
    n, m = A.shape

    def half(old, new):
        def cell(new, i, j):
            five = old[i, j] + old[i, j - 1] + old[i, j + 1] + old[i + 1, j] + old[i - 1, j]
            return new.at[i, j].set(0.2 * five)

        return nest(((1, n - 1), (1, m - 1)), cell, new)

    return alternating(half, A, steps)


def seidel_2d(A, steps):
    n, m = A.shape

    def cell(A, _, i, j):
        nine = sum(A[i + di, j + dj] for di in (-1, 0, 1) for dj in (-1, 0, 1))
        return A.at[i, j].set(nine / 9.0)

    return np.sum(nest(((0, steps), (1, n - 1), (1, m - 1)), cell, A))


def fdtd_2d(ex, ey, hz, pulse):
    nx, ny = hz.shape

    def step(state, t):
        ex, ey, hz = state
        ey = nest(((0, ny),), lambda ey, j: ey.at[0, j].set(pulse[t]), ey)
        ey = nest(((1, nx), (0, ny)), lambda ey, i, j: ey.at[i, j].add(-0.5 * (hz[i, j] - hz[i - 1, j])), ey)
        ex = nest(((0, nx), (1, ny)), lambda ex, i, j: ex.at[i, j].add(-0.5 * (hz[i, j] - hz[i, j - 1])), ex)

        def cell(hz, i, j):
            return hz.at[i, j].add(-0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j]))

        return ex, ey, nest(((0, nx - 1), (0, ny - 1)), cell, hz)

    _, _, hz = nest(((0, pulse.shape[0]),), step, (ex, ey, hz))
    return np.sum(hz * hz)


KERNELS = {
    "gemm": gemm, "gesummv": gesummv, "atax": atax, "bicg": bicg, "mvt": mvt, "trisolv": trisolv, "lu": lu,
    "covariance": covariance, "jacobi-1d": jacobi_1d, "jacobi-2d": jacobi_2d, "seidel-2d": seidel_2d,
    "fdtd-2d": fdtd_2d,
}  # fmt: skip
