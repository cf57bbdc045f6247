"""Adjoints whose loops were changed until they were fast.

Each cell is written once (gathered) where no iteration needs the one before, which vectorises; sums that
wait for each other are taken several at a time; products of matrices are left to BLAS.
"""

from __future__ import annotations

import math

import numpy as np


def rosenbrock(x):
    n = x.shape[0]
    x_bar = np.empty_like(x)
    x_bar[0] = 2.0 * (x[0] - 1.0) - 400.0 * x[0] * (x[1] - x[0] * x[0])
    for i in range(1, n - 1):
        below = x[i] - x[i - 1] * x[i - 1]
        above = x[i + 1] - x[i] * x[i]
        x_bar[i] = 200.0 * below - 400.0 * x[i] * above + 2.0 * (x[i] - 1.0)
    x_bar[n - 1] = 200.0 * (x[n - 1] - x[n - 2] * x[n - 2])
    return (x_bar,)


def predator_prey(alpha, beta, delta, gamma, steps):
    xs = np.empty(steps)
    ys = np.empty(steps)
    x = 1.0
    y = 0.5
    dt = 10.0 / steps
    for k in range(steps):
        xs[k] = x
        ys[k] = y
        x_next = x + dt * (alpha * x - beta * x * y)
        y = y + dt * (delta * x * y - gamma * y)
        x = x_next
    x_bar = 2.0 * (x - 1.0)
    y_bar = 2.0 * y
    alpha_bar = 0.0
    beta_bar = 0.0
    delta_bar = 0.0
    gamma_bar = 0.0
    for k in range(steps - 1, -1, -1):
        x = xs[k]
        y = ys[k]
        dx = dt * x_bar
        dy = dt * y_bar
        alpha_bar += dx * x
        beta_bar -= dx * (x * y)
        delta_bar += dy * (x * y)
        gamma_bar -= dy * y
        # The matrix of a step does not wait for the adjoints: two products a step are on the critical path.
        xx = 1.0 + dt * (alpha - beta * y)
        xy = dt * (delta * y)
        yx = dt * (beta * x)
        yy = 1.0 + dt * (delta * x - gamma)
        x_bar, y_bar = xx * x_bar + xy * y_bar, yy * y_bar - yx * x_bar
    return alpha_bar, beta_bar, delta_bar, gamma_bar


def mlp(W1, b1, W2, b2, X, Y):
    n = X.shape[0]
    h = np.dot(X, W1)
    for p in range(n):
        for j in range(h.shape[1]):
            h[p, j] = math.tanh(h[p, j] + b1[j])
    z_bar = np.dot(h, W2)
    b2_bar = np.zeros_like(b2)
    for p in range(n):
        total = 0.0
        for k in range(z_bar.shape[1]):
            z_bar[p, k] = math.exp(z_bar[p, k] + b2[k])
            total += z_bar[p, k]
        share = 1.0 / (n * total)
        for k in range(z_bar.shape[1]):
            z_bar[p, k] = z_bar[p, k] * share - Y[p, k] / n
            b2_bar[k] += z_bar[p, k]
    W2_bar = np.dot(h.T, z_bar)
    h_bar = np.dot(z_bar, W2.T)
    b1_bar = np.zeros_like(b1)
    for p in range(n):
        for j in range(h.shape[1]):
            h_bar[p, j] *= 1.0 - h[p, j] * h[p, j]
            b1_bar[j] += h_bar[p, j]
    return np.dot(X.T, h_bar), b1_bar, W2_bar, b2_bar


def barrier_option(price, rate, volatility, noise, strike, barrier, years):
    paths, steps = noise.shape
    dt = years / steps
    root = math.sqrt(dt)
    discount = math.exp(-rate * years) / paths
    drift = np.empty(steps)
    for t in range(steps):
        drift[t] = (rate - 0.5 * volatility[t] * volatility[t]) * dt
    after = np.empty(steps)
    exponent_bar = np.zeros(steps)
    volatility_bar = np.zeros_like(volatility)
    price_bar = 0.0
    total = 0.0
    for p in range(paths):
        s = price
        alive = True
        for t in range(steps):
            s = s * math.exp(drift[t] + volatility[t] * root * noise[p, t])
            after[t] = s
            if s > barrier:
                alive = False
        if alive and s > strike:
            total += s - strike
            # The adjoint of the price before step t is discount * s / price then: every exponent gets the same.
            weight = discount * s
            price_bar += weight / price
            for t in range(steps):
                exponent_bar[t] += weight
                volatility_bar[t] += weight * noise[p, t]
    rate_bar = -years * discount * total
    for t in range(steps):
        rate_bar += exponent_bar[t] * dt
        volatility_bar[t] = volatility_bar[t] * root - exponent_bar[t] * volatility[t] * dt
    return price_bar, rate_bar, volatility_bar


def trisolv(L, b):
    n = b.shape[0]
    x = np.empty_like(b)
    whole = n - n % 4
    for i in range(0, whole, 4):  # four rows at once: four sums that do not wait for each other
        t0 = b[i]
        t1 = b[i + 1]
        t2 = b[i + 2]
        t3 = b[i + 3]
        for j in range(i):
            t0 -= L[i, j] * x[j]
            t1 -= L[i + 1, j] * x[j]
            t2 -= L[i + 2, j] * x[j]
            t3 -= L[i + 3, j] * x[j]
        x0 = t0 / L[i, i]
        x1 = (t1 - L[i + 1, i] * x0) / L[i + 1, i + 1]
        x2 = (t2 - L[i + 2, i] * x0 - L[i + 2, i + 1] * x1) / L[i + 2, i + 2]
        x[i] = x0
        x[i + 1] = x1
        x[i + 2] = x2
        x[i + 3] = (t3 - L[i + 3, i] * x0 - L[i + 3, i + 1] * x1 - L[i + 3, i + 2] * x2) / L[i + 3, i + 3]
    for i in range(whole, n):
        t = b[i]
        for j in range(i):
            t -= L[i, j] * x[j]
        x[i] = t / L[i, i]
    L_bar = np.empty_like(L)
    b_bar = np.empty_like(b)
    x_bar = np.ones_like(b)
    for i in range(n - 1, -1, -1):
        t = x_bar[i] / L[i, i]
        b_bar[i] = t
        for j in range(i):
            x_bar[j] -= L[i, j] * t
        for j in range(i + 1):
            L_bar[i, j] = -x[j] * t
        for j in range(i + 1, n):
            L_bar[i, j] = 0.0
    return L_bar, b_bar


def jacobi_2d(A, steps):
    # A and B take turns, so the function is 2 * steps stencils and its adjoint as many transposed ones. The border
    # is never written: what flows to it is summed apart, and the inside is gathered from a zero border.
    n, m = A.shape
    A, B = A.copy(), A.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
    A_bar = np.zeros_like(A)
    P = np.zeros_like(A)
    Q = np.zeros_like(A)
    for i in range(n):
        for j in range(m):
            if 0 < i < n - 1 and 0 < j < m - 1:
                P[i, j] = 2.0 * A[i, j]
            else:
                A_bar[i, j] = 2.0 * A[i, j]
    for _ in range(2 * steps):
        for j in range(1, m - 1):
            A_bar[0, j] += 0.2 * P[1, j]
            A_bar[n - 1, j] += 0.2 * P[n - 2, j]
        for i in range(1, n - 1):
            A_bar[i, 0] += 0.2 * P[i, 1]
            A_bar[i, m - 1] += 0.2 * P[i, m - 2]
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                Q[i, j] = 0.2 * (P[i, j] + P[i, j - 1] + P[i, j + 1] + P[i + 1, j] + P[i - 1, j])
        P, Q = Q, P
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            A_bar[i, j] = P[i, j]
    return (A_bar,)


def seidel_2d(A, steps):
    # Only the neighbour to the right must be done first. A row of shares is found by that recurrence; what the
    # rows above, below and this one get are sums of two or three shares, which vectorise.
    n, m = A.shape
    A_bar = np.ones_like(A)
    share = np.zeros(m + 1)  # none at the border
    ninth = 1.0 / 9.0
    for _ in range(steps):
        for i in range(n - 2, 0, -1):
            g = 0.0
            for j in range(m - 2, 0, -1):
                g = (A_bar[i, j] + g) * ninth
                share[j] = g
            A_bar[i, 0] += share[1]
            A_bar[i - 1, 0] += share[1]
            A_bar[i + 1, 0] += share[1]
            A_bar[i, m - 1] += share[m - 2]
            for j in range(1, m - 1):
                A_bar[i, j] = share[j] + share[j - 1]
            for j in range(1, m):
                three = share[j - 1] + share[j] + share[j + 1]
                A_bar[i - 1, j] += three
                A_bar[i + 1, j] += three
    return (A_bar,)


ADJOINTS = {
    "rosenbrock": rosenbrock,
    "predator-prey": predator_prey,
    "mlp": mlp,
    "barrier-option": barrier_option,
    "trisolv": trisolv,
    "jacobi-2d": jacobi_2d,
    "seidel-2d": seidel_2d,
}
