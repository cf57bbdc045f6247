"""Operations of BLAS: gemm, gemver, gesummv, symm, syr2k, syrk, trmm."""

from __future__ import annotations

import numpy as np

from benchmarks.kernel import Kernel, rng


def gemm(alpha, beta, C, A, B):
    C = C.copy()
    n, m = C.shape
    for i in range(n):
        for j in range(m):
            C[i, j] *= beta
        for k in range(A.shape[1]):
            for j in range(m):
                C[i, j] += alpha * A[i, k] * B[k, j]
    return np.sum(C)


def gemm_arrays(alpha, beta, C, A, B):
    return np.sum(alpha * (A @ B) + beta * C)


def make_gemm(size):
    n, m, p = {"tiny": (4, 5, 3), "small": (20, 24, 22), "bench": (120, 140, 130)}[size]
    r = rng(1)
    C, A, B = (r.uniform(-1.0, 1.0, shape) for shape in ((n, m), (n, p), (p, m)))
    return {"alpha": 1.5, "beta": 1.2, "C": C, "A": A, "B": B}


def gemver(alpha, beta, A, u1, v1, u2, v2, x, y, w, z):
    A, x, w = A.copy(), x.copy(), w.copy()
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] + u1[i] * v1[j] + u2[i] * v2[j]
    for i in range(n):
        for j in range(n):
            x[i] = x[i] + beta * A[j, i] * y[j]
    for i in range(n):
        x[i] = x[i] + z[i]
    for i in range(n):
        for j in range(n):
            w[i] = w[i] + alpha * A[i, j] * x[j]
    return np.sum(w)


def gemver_arrays(alpha, beta, A, u1, v1, u2, v2, x, y, w, z):
    A = A + np.outer(u1, v1) + np.outer(u2, v2)
    x = x + beta * (y @ A) + z
    w = w + alpha * (A @ x)
    return np.sum(w)


def make_gemver(size):
    n = {"tiny": 5, "bench": 400}[size]
    r = rng(2)
    made = {"alpha": 1.5, "beta": 1.2, "A": r.uniform(-1.0, 1.0, (n, n)) / n}
    return made | {name: r.uniform(-1.0, 1.0, n) for name in ("u1", "v1", "u2", "v2", "x", "y", "w", "z")}


def gesummv(alpha, beta, A, B, x):
    n = x.shape[0]
    y = np.zeros_like(x)
    for i in range(n):
        t = 0.0
        s = 0.0
        for j in range(n):
            t += A[i, j] * x[j]
            s += B[i, j] * x[j]
        y[i] = alpha * t + beta * s
    return np.sum(y)


def gesummv_arrays(alpha, beta, A, B, x):
    return np.sum(alpha * (A @ x) + beta * (B @ x))


def make_gesummv(size):
    n = {"tiny": 5, "small": 40, "bench": 500}[size]
    r = rng(3)
    A, B = r.uniform(-1.0, 1.0, (2, n, n))
    return {"alpha": 1.5, "beta": 1.2, "A": A, "B": B, "x": r.uniform(-1.0, 1.0, n)}


def symm(alpha, beta, C, A, B):
    C = C.copy()
    m, n = C.shape
    for i in range(m):
        for j in range(n):
            t = 0.0
            for k in range(i):
                C[k, j] += alpha * B[i, j] * A[i, k]
                t += B[k, j] * A[i, k]
            C[i, j] = beta * C[i, j] + alpha * B[i, j] * A[i, i] + alpha * t
    return np.sum(C)


def symm_arrays(alpha, beta, C, A, B):
    C = C.copy()
    for i in range(C.shape[0]):
        C[:i] += alpha * np.outer(A[i, :i], B[i])
        C[i] = beta * C[i] + alpha * (B[i] * A[i, i] + A[i, :i] @ B[:i])
    return np.sum(C)


def make_symm(size):
    m, n = {"tiny": (4, 5), "bench": (120, 140)}[size]
    r = rng(4)
    C, A, B = (r.uniform(-1.0, 1.0, shape) for shape in ((m, n), (m, m), (m, n)))
    return {"alpha": 1.5, "beta": 1.2, "C": C, "A": A, "B": B}


def syr2k(alpha, beta, C, A, B):
    C = C.copy()
    n, m = A.shape
    for i in range(n):
        for j in range(i + 1):
            C[i, j] *= beta
        for k in range(m):
            for j in range(i + 1):
                C[i, j] += A[j, k] * alpha * B[i, k] + B[j, k] * alpha * A[i, k]
    return np.sum(C)


def syr2k_arrays(alpha, beta, C, A, B):
    C = C.copy()
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += A[: i + 1, k] * alpha * B[i, k] + B[: i + 1, k] * alpha * A[i, k]
    return np.sum(C)


def make_syr2k(size):
    n, m = {"tiny": (5, 3), "bench": (120, 100)}[size]
    r = rng(5)
    C, A, B = (r.uniform(-1.0, 1.0, shape) for shape in ((n, n), (n, m), (n, m)))
    return {"alpha": 1.5, "beta": 1.2, "C": C, "A": A, "B": B}


def syrk(alpha, beta, C, A):
    C = C.copy()
    n, m = A.shape
    for i in range(n):
        for j in range(i + 1):
            C[i, j] *= beta
        for k in range(m):
            for j in range(i + 1):
                C[i, j] += alpha * A[i, k] * A[j, k]
    return np.sum(C)


def syrk_arrays(alpha, beta, C, A):
    C = C.copy()
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += alpha * A[i, k] * A[: i + 1, k]
    return np.sum(C)


def make_syrk(size):
    n, m = {"tiny": (5, 3), "bench": (140, 120)}[size]
    r = rng(6)
    return {"alpha": 1.5, "beta": 1.2, "C": r.uniform(-1.0, 1.0, (n, n)), "A": r.uniform(-1.0, 1.0, (n, m))}


def trmm(alpha, A, B):
    B = B.copy()
    m, n = B.shape
    for i in range(m):
        for j in range(n):
            for k in range(i + 1, m):
                B[i, j] += A[k, i] * B[k, j]
            B[i, j] = alpha * B[i, j]
    return np.sum(B)


def trmm_arrays(alpha, A, B):
    B = B.copy()
    for i in range(B.shape[0]):
        B[i] = alpha * (B[i] + A[i + 1 :, i] @ B[i + 1 :])
    return np.sum(B)


def make_trmm(size):
    m, n = {"tiny": (4, 5), "bench": (120, 140)}[size]
    r = rng(7)
    return {"alpha": 1.5, "A": r.uniform(-1.0, 1.0, (m, m)), "B": r.uniform(-1.0, 1.0, (m, n))}


KERNELS = (
    Kernel("gemm", ("alpha", "beta", "C", "A", "B"), make_gemm, gemm, gemm_arrays),
    Kernel(
        "gemver", ("alpha", "A", "u1", "v1", "u2", "v2", "x", "y", "w", "z"), make_gemver, gemver, gemver_arrays
    ),
    Kernel("gesummv", ("alpha", "beta", "A", "B", "x"), make_gesummv, gesummv, gesummv_arrays),
    Kernel("symm", ("alpha", "C", "A", "B"), make_symm, symm, symm_arrays),
    Kernel("syr2k", ("beta", "C", "A", "B"), make_syr2k, syr2k, syr2k_arrays),
    Kernel("syrk", ("alpha", "C", "A"), make_syrk, syrk, syrk_arrays),
    Kernel("trmm", ("A", "B"), make_trmm, trmm, trmm_arrays),
)
