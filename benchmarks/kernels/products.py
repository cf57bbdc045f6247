"""Chains of matrix and vector products: 2mm, 3mm, atax, bicg, doitgen, mvt."""

from __future__ import annotations

import numpy as np

from benchmarks.kernel import Kernel, rng


def two_mm(alpha, beta, A, B, C, D):
    D = D.copy()
    n, p = A.shape
    t = np.zeros((n, B.shape[1]), A.dtype)
    for i in range(n):
        for j in range(t.shape[1]):
            for k in range(p):
                t[i, j] += alpha * A[i, k] * B[k, j]
    for i in range(n):
        for j in range(D.shape[1]):
            D[i, j] *= beta
            for k in range(t.shape[1]):
                D[i, j] += t[i, k] * C[k, j]
    return np.sum(D)


def two_mm_arrays(alpha, beta, A, B, C, D):
    return np.sum(alpha * (A @ B) @ C + beta * D)


def make_two_mm(size):
    n, p, q, m = {"tiny": (4, 3, 5, 2), "bench": (90, 80, 110, 100)}[size]
    r = rng(11)
    A, B, C, D = (r.uniform(-1.0, 1.0, shape) for shape in ((n, p), (p, q), (q, m), (n, m)))
    return {"alpha": 1.5, "beta": 1.2, "A": A, "B": B, "C": C, "D": D}


def three_mm(A, B, C, D):
    n, m = A.shape[0], D.shape[1]
    E = np.zeros((n, B.shape[1]), A.dtype)
    F = np.zeros((C.shape[0], m), A.dtype)
    G = np.zeros((n, m), A.dtype)
    for i in range(n):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                E[i, j] += A[i, k] * B[k, j]
    for i in range(C.shape[0]):
        for j in range(m):
            for k in range(C.shape[1]):
                F[i, j] += C[i, k] * D[k, j]
    for i in range(n):
        for j in range(m):
            for k in range(E.shape[1]):
                G[i, j] += E[i, k] * F[k, j]
    return np.sum(G)


def three_mm_arrays(A, B, C, D):
    return np.sum((A @ B) @ (C @ D))


def make_three_mm(size):
    n, p, q, s, m = {"tiny": (4, 3, 5, 2, 3), "bench": (80, 90, 100, 85, 95)}[size]
    r = rng(12)
    A, B, C, D = (r.uniform(-1.0, 1.0, shape) for shape in ((n, p), (p, q), (q, s), (s, m)))
    return {"A": A, "B": B, "C": C, "D": D}


def atax(A, x):
    m, n = A.shape
    y = np.zeros_like(x)
    for i in range(m):
        t = 0.0
        for j in range(n):
            t += A[i, j] * x[j]
        for j in range(n):
            y[j] += A[i, j] * t
    return np.sum(y)


def atax_arrays(A, x):
    return np.sum((A @ x) @ A)


def make_atax(size):
    m, n = {"tiny": (4, 5), "small": (38, 42), "bench": (390, 410)}[size]
    r = rng(13)
    return {"A": r.uniform(-1.0, 1.0, (m, n)), "x": r.uniform(-1.0, 1.0, n)}


def bicg(A, p, r):
    n, m = A.shape
    s = np.zeros_like(p)
    q = np.zeros_like(r)
    for i in range(n):
        for j in range(m):
            s[j] += r[i] * A[i, j]
            q[i] += A[i, j] * p[j]
    return np.sum(s) + np.sum(q * q)


def bicg_arrays(A, p, r):
    q = A @ p
    return np.sum(r @ A) + np.sum(q * q)


def make_bicg(size):
    n, m = {"tiny": (4, 5), "small": (42, 38), "bench": (410, 390)}[size]
    g = rng(14)
    return {"A": g.uniform(-1.0, 1.0, (n, m)), "p": g.uniform(-1.0, 1.0, m), "r": g.uniform(-1.0, 1.0, n)}


def doitgen(A, C4):
    A = A.copy()
    nr, nq, n = A.shape
    row = np.zeros(n, A.dtype)
    for r in range(nr):
        for q in range(nq):
            for p in range(n):
                row[p] = 0.0
                for s in range(n):
                    row[p] += A[r, q, s] * C4[s, p]
            for p in range(n):
                A[r, q, p] = row[p]
    return np.sum(A)


def doitgen_arrays(A, C4):
    A = A.copy()
    for r in range(A.shape[0]):
        A[r] = A[r] @ C4
    return np.sum(A)


def make_doitgen(size):
    nr, nq, n = {"tiny": (3, 2, 4), "bench": (40, 50, 60)}[size]
    r = rng(15)
    return {"A": r.uniform(-1.0, 1.0, (nr, nq, n)), "C4": r.uniform(-1.0, 1.0, (n, n))}


def mvt(A, x1, x2, y1, y2):
    x1, x2 = x1.copy(), x2.copy()
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            x1[i] = x1[i] + A[i, j] * y1[j]
    for i in range(n):
        for j in range(n):
            x2[i] = x2[i] + A[j, i] * y2[j]
    return np.sum(x1 * x1) + np.sum(x2 * x2)


def mvt_arrays(A, x1, x2, y1, y2):
    x1 = x1 + A @ y1
    x2 = x2 + y2 @ A
    return np.sum(x1 * x1) + np.sum(x2 * x2)


def make_mvt(size):
    n = {"tiny": 5, "small": 40, "bench": 400}[size]
    r = rng(16)
    made = {"A": r.uniform(-1.0, 1.0, (n, n))}
    return made | {name: r.uniform(-1.0, 1.0, n) for name in ("x1", "x2", "y1", "y2")}


KERNELS = (
    Kernel("2mm", ("alpha", "A", "B", "C", "D"), make_two_mm, two_mm, two_mm_arrays),
    Kernel("3mm", ("A", "B", "C", "D"), make_three_mm, three_mm, three_mm_arrays),
    Kernel("atax", ("A", "x"), make_atax, atax, atax_arrays),
    Kernel("bicg", ("A", "p", "r"), make_bicg, bicg, bicg_arrays),
    Kernel("doitgen", ("A", "C4"), make_doitgen, doitgen, doitgen_arrays),
    Kernel("mvt", ("A", "x1", "x2", "y1", "y2"), make_mvt, mvt, mvt_arrays),
)
