"""Straightforward adjoints of kernels of PolyBench in loop form, but for stencils."""

from __future__ import annotations

import math

import numpy as np


def gemm(alpha, beta, C, A, B):
    n, m = C.shape
    alpha_bar = 0.0
    beta_bar = 0.0
    A_bar = np.empty_like(A)
    B_bar = np.zeros_like(B)
    C_bar = np.ones_like(C)
    for i in range(n):
        for k in range(A.shape[1]):
            t = 0.0
            for j in range(m):
                t += B[k, j] * C_bar[i, j]
                B_bar[k, j] += alpha * A[i, k] * C_bar[i, j]
            A_bar[i, k] = alpha * t
            alpha_bar += A[i, k] * t
        for j in range(m):
            beta_bar += C[i, j] * C_bar[i, j]
            C_bar[i, j] *= beta
    return alpha_bar, beta_bar, C_bar, A_bar, B_bar


def gesummv(alpha, beta, A, B, x):
    n = x.shape[0]
    alpha_bar = 0.0
    beta_bar = 0.0
    A_bar = np.empty_like(A)
    B_bar = np.empty_like(B)
    x_bar = np.zeros_like(x)
    for i in range(n):
        t = 0.0
        s = 0.0
        for j in range(n):
            t += A[i, j] * x[j]
            s += B[i, j] * x[j]
            A_bar[i, j] = alpha * x[j]
            B_bar[i, j] = beta * x[j]
            x_bar[j] += alpha * A[i, j] + beta * B[i, j]
        alpha_bar += t
        beta_bar += s
    return alpha_bar, beta_bar, A_bar, B_bar, x_bar


def syrk(alpha, beta, C, A):
    n, m = A.shape
    alpha_bar = 0.0
    A_bar = np.zeros_like(A)
    C_bar = np.ones_like(C)
    for i in range(n):
        for k in range(m):
            t = 0.0
            for j in range(i + 1):
                t += A[j, k] * C_bar[i, j]
                A_bar[j, k] += alpha * A[i, k] * C_bar[i, j]
            A_bar[i, k] += alpha * t
            alpha_bar += A[i, k] * t
        for j in range(i + 1):
            C_bar[i, j] *= beta
    return alpha_bar, C_bar, A_bar


def two_mm(alpha, beta, A, B, C, D):
    n, p = A.shape
    q = B.shape[1]
    m = D.shape[1]
    t = np.zeros((n, q))
    for i in range(n):
        for k in range(p):
            for j in range(q):
                t[i, j] += alpha * A[i, k] * B[k, j]
    alpha_bar = 0.0
    A_bar = np.empty_like(A)
    B_bar = np.zeros_like(B)
    C_bar = np.zeros_like(C)
    D_bar = np.ones_like(D)
    t_bar = np.empty((n, q))
    for i in range(n):
        for k in range(q):
            s = 0.0
            for j in range(m):
                s += C[k, j] * D_bar[i, j]
                C_bar[k, j] += t[i, k] * D_bar[i, j]
            t_bar[i, k] = s
        for j in range(m):
            D_bar[i, j] *= beta
    for i in range(n):
        for k in range(p):
            s = 0.0
            for j in range(q):
                s += B[k, j] * t_bar[i, j]
                B_bar[k, j] += alpha * A[i, k] * t_bar[i, j]
            A_bar[i, k] = alpha * s
            alpha_bar += A[i, k] * s
    return alpha_bar, A_bar, B_bar, C_bar, D_bar


def atax(A, x):
    m, n = A.shape
    A_bar = np.empty_like(A)
    x_bar = np.zeros_like(x)
    for i in range(m):
        t = 0.0
        t_bar = 0.0
        for j in range(n):
            t += A[i, j] * x[j]
            t_bar += A[i, j]
        for j in range(n):
            A_bar[i, j] = t + x[j] * t_bar
            x_bar[j] += A[i, j] * t_bar
    return A_bar, x_bar


def bicg(A, p, r):
    n, m = A.shape
    A_bar = np.empty_like(A)
    p_bar = np.zeros_like(p)
    r_bar = np.empty_like(r)
    for i in range(n):
        q = 0.0
        for j in range(m):
            q += A[i, j] * p[j]
        q_bar = 2.0 * q
        t = 0.0
        for j in range(m):
            A_bar[i, j] = r[i] + p[j] * q_bar
            p_bar[j] += A[i, j] * q_bar
            t += A[i, j]
        r_bar[i] = t
    return A_bar, p_bar, r_bar


def mvt(A, x1, x2, y1, y2):
    n = A.shape[0]
    x1_bar = x1.copy()
    x2_bar = x2.copy()
    for i in range(n):
        for j in range(n):
            x1_bar[i] += A[i, j] * y1[j]
            x2_bar[j] += A[i, j] * y2[i]
    A_bar = np.empty_like(A)
    y1_bar = np.zeros_like(y1)
    y2_bar = np.zeros_like(y2)
    for i in range(n):
        x1_bar[i] *= 2.0
        x2_bar[i] *= 2.0
    for i in range(n):
        t = 0.0
        for j in range(n):
            A_bar[i, j] = y1[j] * x1_bar[i] + y2[i] * x2_bar[j]
            y1_bar[j] += A[i, j] * x1_bar[i]
            t += A[i, j] * x2_bar[j]
        y2_bar[i] = t
    return A_bar, x1_bar, x2_bar, y1_bar, y2_bar


def doitgen(A, C4):
    nr, nq, n = A.shape
    A_bar = np.empty_like(A)
    C4_bar = np.zeros_like(C4)
    for r in range(nr):
        for q in range(nq):
            for s in range(n):
                t = 0.0
                for p in range(n):
                    t += C4[s, p]
                    C4_bar[s, p] += A[r, q, s]
                A_bar[r, q, s] = t
    return A_bar, C4_bar


def cholesky(A):
    L = A.copy()
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            t = L[i, j]
            for k in range(j):
                t -= L[i, k] * L[j, k]
            L[i, j] = t / L[j, j]
        t = L[i, i]
        for k in range(i):
            t -= L[i, k] * L[i, k]
        L[i, i] = math.sqrt(t)
    L_bar = np.ones_like(A)
    for i in range(n - 1, -1, -1):
        L_bar[i, i] /= 2.0 * L[i, i]
        for k in range(i):
            L_bar[i, k] -= 2.0 * L[i, k] * L_bar[i, i]
        for j in range(i - 1, -1, -1):
            t = L_bar[i, j] / L[j, j]
            L_bar[j, j] -= L[i, j] * t
            L_bar[i, j] = t
            for k in range(j):
                L_bar[i, k] -= L[j, k] * t
                L_bar[j, k] -= L[i, k] * t
    return (L_bar,)


def durbin(r):
    n = r.shape[0]
    ys = np.zeros((n, n))  # a row for each step
    alphas = np.empty(n)
    betas = np.empty(n)
    y = np.zeros(n)
    z = np.empty(n)
    y[0] = -r[0]
    alphas[0] = -r[0]
    betas[0] = 1.0
    for k in range(1, n):
        betas[k] = (1.0 - alphas[k - 1] * alphas[k - 1]) * betas[k - 1]
        total = 0.0
        for i in range(k):
            ys[k, i] = y[i]
            total += r[k - i - 1] * y[i]
        alphas[k] = -(r[k] + total) / betas[k]
        for i in range(k):
            z[i] = y[i] + alphas[k] * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alphas[k]
    r_bar = np.zeros(n)
    y_bar = np.ones(n)
    z_bar = np.empty(n)
    alpha_bar = 0.0
    beta_bar = 0.0
    for k in range(n - 1, 0, -1):
        alpha_bar += y_bar[k]
        for i in range(k):
            z_bar[i] = y_bar[i]
        for i in range(k):
            y_bar[k - i - 1] += alphas[k] * z_bar[i]
            alpha_bar += ys[k, k - i - 1] * z_bar[i]
        t = alpha_bar / betas[k]
        r_bar[k] -= t
        for i in range(k):
            r_bar[k - i - 1] -= ys[k, i] * t
            y_bar[i] -= r[k - i - 1] * t
        beta_bar -= alphas[k] * t
        alpha_bar = -2.0 * alphas[k - 1] * betas[k - 1] * beta_bar
        beta_bar = (1.0 - alphas[k - 1] * alphas[k - 1]) * beta_bar
    r_bar[0] -= alpha_bar + y_bar[0]
    return (r_bar,)


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
    A_bar = np.ones_like(A)
    for i in range(n - 1, -1, -1):
        for k in range(i):
            t = 0.0
            for j in range(i, n):
                t += A[k, j] * A_bar[i, j]
                A_bar[k, j] -= A[i, k] * A_bar[i, j]
            A_bar[i, k] -= t
        for j in range(i - 1, -1, -1):
            t = A_bar[i, j] / A[j, j]
            A_bar[j, j] -= A[i, j] * t
            A_bar[i, j] = t
            for k in range(j):
                A_bar[i, k] -= A[k, j] * t
                A_bar[k, j] -= A[i, k] * t
    return (A_bar,)


def trisolv(L, b):
    n = b.shape[0]
    x = np.empty_like(b)
    for i in range(n):
        t = b[i]
        for j in range(i):
            t -= L[i, j] * x[j]
        x[i] = t / L[i, i]
    L_bar = np.zeros_like(L)
    b_bar = np.empty_like(b)
    x_bar = np.ones_like(b)
    for i in range(n - 1, -1, -1):
        t = x_bar[i] / L[i, i]
        b_bar[i] = t
        L_bar[i, i] = -x[i] * t
        for j in range(i):
            L_bar[i, j] = -x[j] * t
            x_bar[j] -= L[i, j] * t
    return L_bar, b_bar


def covariance(data):
    n, m = data.shape
    mean = np.zeros(m)
    for i in range(n):
        for j in range(m):
            mean[j] += data[i, j]
    for j in range(m):
        mean[j] /= n
    centred = np.empty_like(data)
    for i in range(n):
        for j in range(m):
            centred[i, j] = data[i, j] - mean[j]
    data_bar = np.zeros_like(data)
    for k in range(n):
        for i in range(m):
            data_bar[k, i] += 2.0 * centred[k, i] / (n - 1.0)
            for j in range(i + 1, m):
                data_bar[k, i] += 2.0 * centred[k, j] / (n - 1.0)
                data_bar[k, j] += 2.0 * centred[k, i] / (n - 1.0)
    mean_bar = np.zeros(m)
    for i in range(n):
        for j in range(m):
            mean_bar[j] -= data_bar[i, j]
    for i in range(n):
        for j in range(m):
            data_bar[i, j] += mean_bar[j] / n
    return (data_bar,)


ADJOINTS = {
    "gemm": gemm,
    "gesummv": gesummv,
    "syrk": syrk,
    "2mm": two_mm,
    "atax": atax,
    "bicg": bicg,
    "mvt": mvt,
    "doitgen": doitgen,
    "cholesky": cholesky,
    "durbin": durbin,
    "lu": lu,
    "trisolv": trisolv,
    "covariance": covariance,
}
