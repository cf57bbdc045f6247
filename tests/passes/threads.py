"""Functions with loops that can be shared out to threads, or only seem so."""

import numba
import numpy as np

from s2s.variable import Variable

SCALE = Variable(1.5)


def jacobi(A, steps):
    B = A.copy()
    n = A.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = 0.2 * B[i, j] * B[i, j - 1] + B[i - 1, j]
    return np.sum(A)


def gemm(A, B):
    C = np.zeros((A.shape[0], B.shape[1]))
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]
    return np.sum(C * C)


def scaled_gemm(alpha, beta, C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            C[i, j] *= beta
        for k in range(A.shape[1]):
            for j in range(B.shape[1]):
                C[i, j] += alpha * A[i, k] * B[k, j]
    return np.sum(C)


def diffusion(u, steps):
    v = np.zeros_like(u)
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            v[i] = 0.5 * (u[i - 1] * u[i + 1])
        for i in range(1, u.shape[0] - 1):
            u[i] = v[i]
    return np.sum(u)


def summed(A, x):
    s = 1.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            s += A[i, j] * A[i, j] * x[j]
        if x[i] > 0.5:
            s -= np.sin(x[i])
    return s * s


def scattered(x, idx):
    y = np.zeros(5)
    for i in range(x.shape[0]):
        y[idx[i]] += x[i] * x[i]
    return np.sum(y * y)


def seidel(A, steps):
    for _ in range(steps):
        for i in range(1, A.shape[0] - 1):
            for j in range(1, A.shape[0] - 1):
                A[i, j] = (A[i - 1, j] + A[i, j] + A[i, j + 1]) / 3.0 * A[i, j - 1]
    return np.sum(A)


def atax(A, x):
    y = np.zeros(A.shape[1])
    for i in range(A.shape[0]):
        t = 0.0
        for j in range(A.shape[1]):
            t += A[i, j] * x[j]
        for j in range(A.shape[1]):
            y[j] += A[i, j] * t
    return np.sum(y * y)


def bodies(x):
    f = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        for j in range(i):
            d = x[i] - x[j]
            f[i] += d ** 3
            f[j] -= d ** 3
    return np.sum(f * f)


def all_pairs(x):
    f = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            f[i] += (x[i] - x[j]) ** 3
    return np.sum(f * f)


def prefix(x):
    y = np.zeros(x.shape[0])
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * x[i]
        y[i] = s
    return np.sum(y * y)


def layers(X, W, V):
    s = 0.0
    for b in range(X.shape[0]):
        h = np.zeros(W.shape[0])
        for k in range(W.shape[0]):
            a = 0.0
            for d in range(W.shape[1]):
                a += W[k, d] * X[b, d]
            h[k] = np.tanh(a)
        o = 0.0
        for k in range(W.shape[0]):
            o += V[k] * h[k]
        s += o * o
    return s


def products(X):
    out = np.zeros(X.shape[0])
    for b in numba.prange(X.shape[0]):
        p = 1.0
        for d in range(X.shape[1]):
            p *= X[b, d]
        out[b] = np.log(p) * -b
    return np.sum(out)


def paths(Z, drift, start):
    total = 0.0
    for p in range(Z.shape[0]):
        x = start
        for t in range(Z.shape[1]):
            x = x * np.exp(drift[t] + 0.1 * np.sin(x) * Z[p, t])
        total += x * x
    return total


def reused(X, W):
    h = np.zeros(W.shape[0])
    s = 0.0
    for p in range(X.shape[0]):
        h[:] = 0.0
        for i in range(W.shape[1]):
            for j in range(W.shape[0]):
                h[j] += X[p, i] * W[j, i]
        s += np.sum(np.tanh(h))
    return s


def remembered(x):
    kept = np.empty(x.shape[0])
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        for j in range(i, x.shape[0]):
            kept[j] = x[i] * x[j]
        for j in range(x.shape[0]):
            y[i] += kept[j] * j
    return np.sum(y * y)


def solved(A):
    M = 2.0 * np.eye(A.shape[1])
    y = np.zeros(A.shape[0])
    for i in range(A.shape[0]):
        y[i] = np.sum(np.linalg.solve(M, A[i]))
    return np.sum(y * y)


def mixed(A, x):
    y = np.zeros(A.shape[0])
    for i in range(A.shape[0]):
        y[i] = np.sum(A[i] * x)
    return np.sum(y * y)


def triangle(L, x):
    y = np.zeros(L.shape[0])
    for i in range(L.shape[0]):
        for j in range(i):
            y[i] += L[i, j] * x[j] * (j - i)
    return np.sum(y * y)


def views(x):
    y = np.zeros(x.shape[0])
    v = y[::-1]
    for i in range(x.shape[0]):
        y[i] = x[i] * x[i]
    s = 0.0
    for i in range(x.shape[0]):
        s += v[i] * v[i] * i
    return s


def shifted(x):
    y = x * 1.0
    y[1:] = y[:-1] * x[1:]
    y[1:] += y[:-1] * y[:-1]
    return np.sum(y * y)


def last(x):
    t = 0.0
    for i in range(x.shape[0]):
        t = x[i] * x[i]
    return t


def until(x):
    y = x * 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.99:
            break
        y[i] = x[i] ** 3
    return np.sum(y)


def rows(X):
    Y = np.zeros_like(X)
    for i in range(X.shape[0]):
        row = X[i]
        t = row * row
        t += row[::-1]
        Y[i] = t * np.sum(t)
    return np.sum(Y * Y)


def backwards(x):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0] - 1, -1, -1):
        y[i] = np.exp(x[i]) * -i
    return np.sum(y * y)


def scaled(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += np.sin(x[i] * SCALE)
    return s


_r = np.random.default_rng(0).random
# Each function with its arguments.
CASES = {
    jacobi: (_r((12, 12)), 3), gemm: (_r((9, 10)), _r((10, 11))),
    diffusion: (_r(12), 4), scaled_gemm: (1.5, 0.5, _r((9, 11)), _r((9, 10)), _r((10, 11))),
    summed: (_r((12, 12)), _r(12)), scattered: (_r(40), np.arange(40) * 7 % 5),
    seidel: (_r((12, 12)), 3), atax: (_r((9, 10)), _r(10)),
    bodies: (_r(11),), all_pairs: (_r(11),), prefix: (_r(11),), layers: (_r((9, 10)), _r((12, 10)), _r(12)),
    solved: (_r((5, 4)),), mixed: (_r((5, 6)), _r(6)),
    reused: (_r((9, 10)), _r((8, 10))), remembered: (_r(9),), paths: (_r((9, 10)), _r(10), 1.5),
    products: (_r((9, 10)),),
    triangle: (_r((9, 9)), _r(9)), views: (_r(30),), shifted: (_r(30),), last: (_r(9),),
    until: (_r(9) * 0.9,), rows: (_r((9, 10)),), backwards: (_r(20),), scaled: (_r(20),),
}
