"""Stencils that step through time: fdtd-2d, heat-3d, jacobi-1d, jacobi-2d, seidel-2d."""

from __future__ import annotations

import numpy as np

from benchmarks.kernel import Kernel, rng


def fdtd_2d(ex, ey, hz, pulse):
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    nx, ny = hz.shape
    for t in range(pulse.shape[0]):
        for j in range(ny):
            ey[0, j] = pulse[t]
        for i in range(1, nx):
            for j in range(ny):
                ey[i, j] = ey[i, j] - 0.5 * (hz[i, j] - hz[i - 1, j])
        for i in range(nx):
            for j in range(1, ny):
                ex[i, j] = ex[i, j] - 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in range(nx - 1):
            for j in range(ny - 1):
                hz[i, j] = hz[i, j] - 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
    return np.sum(hz * hz)


def fdtd_2d_arrays(ex, ey, hz, pulse):
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    for t in range(pulse.shape[0]):
        ey[0, :] = pulse[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return np.sum(hz * hz)


def make_fdtd_2d(size):
    nx, ny, steps = {"tiny": (5, 6, 3), "small": (15, 16, 5), "bench": (150, 160, 30)}[size]
    r = rng(41)
    ex, ey, hz = r.uniform(-1.0, 1.0, (3, nx, ny))
    return {"ex": ex, "ey": ey, "hz": hz, "pulse": r.uniform(-1.0, 1.0, steps)}


def heat_3d(A, steps):
    A, B = A.copy(), A.copy()
    n = A.shape[0]
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    B[i, j, k] = (
                        0.125 * (A[i + 1, j, k] - 2.0 * A[i, j, k] + A[i - 1, j, k])
                        + 0.125 * (A[i, j + 1, k] - 2.0 * A[i, j, k] + A[i, j - 1, k])
                        + 0.125 * (A[i, j, k + 1] - 2.0 * A[i, j, k] + A[i, j, k - 1])
                        + A[i, j, k]
                    )
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    A[i, j, k] = (
                        0.125 * (B[i + 1, j, k] - 2.0 * B[i, j, k] + B[i - 1, j, k])
                        + 0.125 * (B[i, j + 1, k] - 2.0 * B[i, j, k] + B[i, j - 1, k])
                        + 0.125 * (B[i, j, k + 1] - 2.0 * B[i, j, k] + B[i, j, k - 1])
                        + B[i, j, k]
                    )
    return np.sum(A * A)


def heat_3d_arrays(A, steps):
    A, B = A.copy(), A.copy()
    for t in range(steps):
        B[1:-1, 1:-1, 1:-1] = (
            0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, :-2])
            + A[1:-1, 1:-1, 1:-1]
        )
        A[1:-1, 1:-1, 1:-1] = (
            0.125 * (B[2:, 1:-1, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[:-2, 1:-1, 1:-1])
            + 0.125 * (B[1:-1, 2:, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, :-2, 1:-1])
            + 0.125 * (B[1:-1, 1:-1, 2:] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, 1:-1, :-2])
            + B[1:-1, 1:-1, 1:-1]
        )
    return np.sum(A * A)


def make_heat_3d(size):
    n, steps = {"tiny": (4, 2), "bench": (40, 10)}[size]
    return {"A": rng(42).uniform(-1.0, 1.0, (n, n, n)), "steps": steps}


def jacobi_1d(A, steps):
    A, B = A.copy(), A.copy()
    n = A.shape[0]
    for t in range(steps):
        for i in range(1, n - 1):
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1])
        for i in range(1, n - 1):
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1])
    return np.sum(A * A)


def jacobi_1d_arrays(A, steps):
    A, B = A.copy(), A.copy()
    for t in range(steps):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])
    return np.sum(A * A)


def make_jacobi_1d(size):
    n, steps = {"tiny": (8, 3), "small": (100, 20), "bench": (2000, 200)}[size]
    return {"A": rng(43).uniform(-1.0, 1.0, n), "steps": steps}


def jacobi_2d(A, steps):
    A, B = A.copy(), A.copy()
    n, m = A.shape
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
    return np.sum(A * A)


def jacobi_2d_arrays(A, steps):
    A, B = A.copy(), A.copy()
    for t in range(steps):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
    return np.sum(A * A)


def make_jacobi_2d(size):
    n, m, steps = {"tiny": (5, 6, 3), "small": (25, 26, 5), "bench": (250, 260, 30)}[size]
    return {"A": rng(44).uniform(-1.0, 1.0, (n, m)), "steps": steps}


def seidel_2d(A, steps):
    A = A.copy()
    n, m = A.shape
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                A[i, j] = (
                    A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1]
                    + A[i, j - 1] + A[i, j] + A[i, j + 1]
                    + A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1]
                ) / 9.0
    return np.sum(A)


def seidel_2d_arrays(A, steps):
    A = A.copy()
    n, m = A.shape
    for t in range(steps):
        for i in range(1, n - 1):
            A[i, 1:-1] += A[i, 2:] + A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:]
            A[i, 1:-1] += A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            for j in range(1, m - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0
    return np.sum(A)


def make_seidel_2d(size):
    n, m, steps = {"tiny": (5, 6, 2), "small": (15, 16, 5), "bench": (150, 160, 20)}[size]
    return {"A": rng(45).uniform(-1.0, 1.0, (n, m)), "steps": steps}


KERNELS = (
    Kernel("fdtd-2d", ("ex", "ey", "hz", "pulse"), make_fdtd_2d, fdtd_2d, fdtd_2d_arrays),
    Kernel("heat-3d", ("A",), make_heat_3d, heat_3d, heat_3d_arrays),
    Kernel("jacobi-1d", ("A",), make_jacobi_1d, jacobi_1d, jacobi_1d_arrays),
    Kernel("jacobi-2d", ("A",), make_jacobi_2d, jacobi_2d, jacobi_2d_arrays),
    Kernel("seidel-2d", ("A",), make_seidel_2d, seidel_2d, seidel_2d_arrays),
)
