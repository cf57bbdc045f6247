"""Factorisations and solvers: cholesky, durbin, gramschmidt, lu, ludcmp, trisolv."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.kernel import Kernel, rng


def cholesky(A):
    A = A.copy()
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = math.sqrt(A[i, i])
    return np.sum(A)


def cholesky_arrays(A):
    A = A.copy()
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[j, :j]) / A[j, j]
        A[i, i] = np.sqrt(A[i, i] - A[i, :i] @ A[i, :i])
    return np.sum(A)


def positive_definite(r, n):
    """A symmetric matrix with eigenvalues near 1."""
    A = r.uniform(-1.0, 1.0, (n, n)) / n
    return np.eye(n) + 0.5 * (A + A.T)


def make_cholesky(size):
    n = {"tiny": 5, "bench": 160}[size]
    return {"A": positive_definite(rng(21), n)}


def durbin(r):
    n = r.shape[0]
    y = np.zeros_like(r)
    z = np.zeros_like(r)
    y[0] = -r[0]
    beta = 1.0
    alpha = -r[0]
    for k in range(1, n):
        beta = (1.0 - alpha * alpha) * beta
        total = 0.0
        for i in range(k):
            total += r[k - i - 1] * y[i]
        alpha = -(r[k] + total) / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
    return np.sum(y)


def durbin_arrays(r):
    y = np.zeros_like(r)
    y[0] = -r[0]
    beta = 1.0
    alpha = -r[0]
    for k in range(1, r.shape[0]):
        beta = (1.0 - alpha * alpha) * beta
        alpha = -(r[k] + np.flip(r[:k]) @ y[:k]) / beta
        y[:k] = y[:k] + alpha * np.flip(y[:k])
        y[k] = alpha
    return np.sum(y)


def make_durbin(size):
    n = {"tiny": 6, "bench": 500}[size]
    r = rng(22)
    return {"r": 0.4 * r.uniform(-1.0, 1.0, n) / (1.0 + np.arange(n))}


def gramschmidt(A):
    A = A.copy()
    m, n = A.shape
    Q = np.zeros_like(A)
    R = np.zeros((n, n), A.dtype)
    for k in range(n):
        norm = 0.0
        for i in range(m):
            norm += A[i, k] * A[i, k]
        R[k, k] = math.sqrt(norm)
        for i in range(m):
            Q[i, k] = A[i, k] / R[k, k]
        for j in range(k + 1, n):
            for i in range(m):
                R[k, j] += Q[i, k] * A[i, j]
            for i in range(m):
                A[i, j] = A[i, j] - Q[i, k] * R[k, j]
    return np.sum(Q) + np.sum(R)


def gramschmidt_arrays(A):
    A = A.copy()
    n = A.shape[1]
    Q = np.zeros_like(A)
    R = np.zeros((n, n), A.dtype)
    for k in range(n):
        R[k, k] = np.sqrt(A[:, k] @ A[:, k])
        Q[:, k] = A[:, k] / R[k, k]
        R[k, k + 1 :] = Q[:, k] @ A[:, k + 1 :]
        A[:, k + 1 :] -= np.outer(Q[:, k], R[k, k + 1 :])
    return np.sum(Q) + np.sum(R)


def make_gramschmidt(size):
    m, n = {"tiny": (5, 4), "bench": (120, 100)}[size]
    return {"A": np.eye(m, n) + rng(23).uniform(-1.0, 1.0, (m, n)) / math.sqrt(4.0 * m)}


def lu(A):
    A = A.copy()
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[k, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            for k in range(i):
                A[i, j] -= A[i, k] * A[k, j]
    return np.sum(A)


def lu_arrays(A):
    A = A.copy()
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[:j, j]) / A[j, j]
        A[i, i:] -= A[i, :i] @ A[:i, i:]
    return np.sum(A)


def make_lu(size):
    n = {"tiny": 5, "small": 20, "bench": 140}[size]
    return {"A": np.eye(n) + rng(24).uniform(-1.0, 1.0, (n, n)) / n}


def ludcmp(A, b):
    A = A.copy()
    n = A.shape[0]
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    for i in range(n):
        for j in range(i):
            w = A[i, j]
            for k in range(j):
                w -= A[i, k] * A[k, j]
            A[i, j] = w / A[j, j]
        for j in range(i, n):
            w = A[i, j]
            for k in range(i):
                w -= A[i, k] * A[k, j]
            A[i, j] = w
    for i in range(n):
        w = b[i]
        for j in range(i):
            w -= A[i, j] * y[j]
        y[i] = w
    for i in range(n - 1, -1, -1):
        w = y[i]
        for j in range(i + 1, n):
            w -= A[i, j] * x[j]
        x[i] = w / A[i, i]
    return np.sum(x)


def ludcmp_arrays(A, b):
    A = A.copy()
    n = A.shape[0]
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    for i in range(n):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[:j, j]) / A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    for i in range(n):
        y[i] = b[i] - A[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return np.sum(x)


def make_ludcmp(size):
    n = {"tiny": 5, "bench": 140}[size]
    r = rng(25)
    return {"A": np.eye(n) + r.uniform(-1.0, 1.0, (n, n)) / n, "b": r.uniform(-1.0, 1.0, n)}


def trisolv(L, b):
    n = b.shape[0]
    x = np.zeros_like(b)
    for i in range(n):
        rest = b[i]
        for j in range(i):
            rest -= L[i, j] * x[j]
        x[i] = rest / L[i, i]
    return np.sum(x)


def trisolv_arrays(L, b):
    x = np.zeros_like(b)
    for i in range(b.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return np.sum(x)


def make_trisolv(size):
    n = {"tiny": 6, "small": 40, "bench": 600}[size]
    r = rng(26)
    L = np.tril(r.uniform(-1.0, 1.0, (n, n)) / n, -1) + np.diag(r.uniform(1.0, 2.0, n))
    return {"L": L, "b": r.uniform(-1.0, 1.0, n)}


KERNELS = (
    Kernel("cholesky", ("A",), make_cholesky, cholesky, cholesky_arrays),
    Kernel("durbin", ("r",), make_durbin, durbin, durbin_arrays),
    Kernel("gramschmidt", ("A",), make_gramschmidt, gramschmidt, gramschmidt_arrays),
    Kernel("lu", ("A",), make_lu, lu, lu_arrays),
    Kernel("ludcmp", ("A", "b"), make_ludcmp, ludcmp, ludcmp_arrays),
    Kernel("trisolv", ("L", "b"), make_trisolv, trisolv, trisolv_arrays),
)
