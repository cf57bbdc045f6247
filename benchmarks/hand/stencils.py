"""Straightforward adjoints of `kernels/stencils.py`: linear functions, of which nothing is saved."""

from __future__ import annotations

import numpy as np


def fdtd_2d(ex, ey, hz, pulse):
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    nx, ny = hz.shape
    steps = pulse.shape[0]
    for t in range(steps):
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
    ex_bar = np.zeros_like(ex)
    ey_bar = np.zeros_like(ey)
    hz_bar = 2.0 * hz
    pulse_bar = np.zeros_like(pulse)
    for t in range(steps - 1, -1, -1):
        for i in range(nx - 1):
            for j in range(ny - 1):
                g = 0.7 * hz_bar[i, j]
                ex_bar[i, j + 1] -= g
                ex_bar[i, j] += g
                ey_bar[i + 1, j] -= g
                ey_bar[i, j] += g
        for i in range(nx):
            for j in range(1, ny):
                g = 0.5 * ex_bar[i, j]
                hz_bar[i, j] -= g
                hz_bar[i, j - 1] += g
        for i in range(1, nx):
            for j in range(ny):
                g = 0.5 * ey_bar[i, j]
                hz_bar[i, j] -= g
                hz_bar[i - 1, j] += g
        for j in range(ny):
            pulse_bar[t] += ey_bar[0, j]
            ey_bar[0, j] = 0.0
    return ex_bar, ey_bar, hz_bar, pulse_bar


def jacobi_1d(A, steps):
    A, B = A.copy(), A.copy()
    n = A.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1])
        for i in range(1, n - 1):
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1])
    A_bar = 2.0 * A
    B_bar = np.zeros_like(A)
    for _ in range(steps):
        for i in range(1, n - 1):
            g = 0.33333 * A_bar[i]
            A_bar[i] = 0.0
            B_bar[i - 1] += g
            B_bar[i] += g
            B_bar[i + 1] += g
        for i in range(1, n - 1):
            g = 0.33333 * B_bar[i]
            B_bar[i] = 0.0
            A_bar[i - 1] += g
            A_bar[i] += g
            A_bar[i + 1] += g
    return (A_bar + B_bar,)


def jacobi_2d(A, steps):
    A, B = A.copy(), A.copy()
    n, m = A.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
    A_bar = 2.0 * A
    B_bar = np.zeros_like(A)
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                g = 0.2 * A_bar[i, j]
                A_bar[i, j] = 0.0
                B_bar[i, j] += g
                B_bar[i, j - 1] += g
                B_bar[i, j + 1] += g
                B_bar[i + 1, j] += g
                B_bar[i - 1, j] += g
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                g = 0.2 * B_bar[i, j]
                B_bar[i, j] = 0.0
                A_bar[i, j] += g
                A_bar[i, j - 1] += g
                A_bar[i, j + 1] += g
                A_bar[i + 1, j] += g
                A_bar[i - 1, j] += g
    return (A_bar + B_bar,)


def seidel_2d(A, steps):
    n, m = A.shape
    A_bar = np.ones_like(A)
    for _ in range(steps):
        for i in range(n - 2, 0, -1):
            for j in range(m - 2, 0, -1):
                g = A_bar[i, j] / 9.0
                A_bar[i, j] = g
                A_bar[i - 1, j - 1] += g
                A_bar[i - 1, j] += g
                A_bar[i - 1, j + 1] += g
                A_bar[i, j - 1] += g
                A_bar[i, j + 1] += g
                A_bar[i + 1, j - 1] += g
                A_bar[i + 1, j] += g
                A_bar[i + 1, j + 1] += g
    return (A_bar,)


ADJOINTS = {
    "fdtd-2d": fdtd_2d,
    "jacobi-1d": jacobi_1d,
    "jacobi-2d": jacobi_2d,
    "seidel-2d": seidel_2d,
}
