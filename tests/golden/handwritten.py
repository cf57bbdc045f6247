"""Adjoints as an expert writes them, whose length emitted code is held against."""

import math

import numpy as np


def weighted_sum(x1, x2, w1, w2, seed=1.0):
    value = w1 * x1 + w2 * x2
    w1_bar = x1 * seed
    w2_bar = x2 * seed
    return value, w1_bar, w2_bar


def rosenbrock(x, seed=1.0):
    x_bar = np.zeros_like(x)
    for i in range(len(x) - 1):
        valley = x[i + 1] - x[i] ** 2
        slope = 200.0 * valley * seed
        x_bar[i] -= 2.0 * x[i] * slope + 2.0 * (1.0 - x[i]) * seed
        x_bar[i + 1] += slope
    return x_bar


def pendulum(theta, omega, length, drag, steps, dt, seed=1.0):
    thetas = np.empty(steps)
    omegas = np.empty(steps)
    for k in range(steps):
        thetas[k] = theta
        omegas[k] = omega
        accel = -9.81 / length * math.sin(theta) - drag * omega * abs(omega)
        theta = theta + dt * omega
        omega = omega + dt * accel
    theta_bar = 2.0 * theta * seed
    omega_bar = 0.0
    length_bar = 0.0
    drag_bar = 0.0
    for k in range(steps - 1, -1, -1):
        theta = thetas[k]
        speed = abs(omegas[k])
        accel_bar = dt * omega_bar
        omega_bar += dt * theta_bar - 2.0 * drag * speed * accel_bar
        drag_bar -= omegas[k] * speed * accel_bar
        length_bar += 9.81 * math.sin(theta) / (length * length) * accel_bar
        theta_bar -= 9.81 / length * math.cos(theta) * accel_bar
    return theta_bar, omega_bar, length_bar, drag_bar


def newton_sqrt(a, seed=1.0):
    x = a
    iterates = []
    while abs(x * x - a) > 1e-12:
        iterates.append(x)
        x = 0.5 * (x + a / x)
    x_bar = seed
    a_bar = 0.0
    for k in range(len(iterates) - 1, -1, -1):
        x = iterates[k]
        half = 0.5 * x_bar
        a_bar += half / x
        x_bar = half - half * a / (x * x)
    a_bar += x_bar
    return a_bar


def mlp_loss(x, y, W1, b1, W2, seed=1.0):
    h = np.tanh(x @ W1 + b1)
    e = h @ W2 - y
    e_bar = 2.0 * seed / e.size * e
    W2_bar = h.T @ e_bar
    z_bar = (e_bar @ W2.T) * (1.0 - h * h)
    W1_bar = x.T @ z_bar
    b1_bar = np.sum(z_bar, axis=0)
    return W1_bar, b1_bar, W2_bar


def seidel(A, steps, seed=1.0):
    A = A.copy()
    n = A.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = (A[i - 1, j] + A[i, j - 1] + A[i, j] + A[i, j + 1] + A[i + 1, j]) / 5.0
    A_bar = 2.0 * seed * A
    for _ in range(steps):
        for i in range(n - 2, 0, -1):
            for j in range(n - 2, 0, -1):
                fifth = A_bar[i, j] / 5.0
                A_bar[i, j] = fifth
                A_bar[i - 1, j] += fifth
                A_bar[i, j - 1] += fifth
                A_bar[i, j + 1] += fifth
                A_bar[i + 1, j] += fifth
    return A_bar


def recurrence(x, seed=1.0):
    x = x.copy()
    n = len(x)
    old = np.empty(n)
    for i in range(1, n):
        old[i] = x[i]
        x[i] = np.sin(x[i - 1]) * x[i]
    x_bar = np.zeros_like(x)
    x_bar[-1] = seed
    for i in range(n - 1, 0, -1):
        new = x_bar[i]
        x_bar[i] = np.sin(x[i - 1]) * new
        x_bar[i - 1] += np.cos(x[i - 1]) * old[i] * new
    return x_bar


def trisolv(L, b, seed=1.0):
    n = len(b)
    x = np.zeros(n)
    for i in range(n):
        acc = b[i]
        for j in range(i):
            acc -= L[i, j] * x[j]
        x[i] = acc / L[i, i]
    x_bar = np.full(n, seed)
    L_bar = np.zeros_like(L)
    b_bar = np.zeros(n)
    for i in range(n - 1, -1, -1):
        part = x_bar[i] / L[i, i]
        L_bar[i, i] -= part * x[i]
        for j in range(i):
            x_bar[j] -= L[i, j] * part
            L_bar[i, j] -= x[j] * part
        b_bar[i] = part
    return L_bar, b_bar


def lu(A, seed=1.0):
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
    A_bar = np.full_like(A, seed)
    for i in range(n - 1, -1, -1):
        for j in range(i, n):
            for k in range(i):
                A_bar[i, k] -= A[k, j] * A_bar[i, j]
                A_bar[k, j] -= A[i, k] * A_bar[i, j]
        for j in range(i - 1, -1, -1):
            A_bar[i, j] /= A[j, j]
            A_bar[j, j] -= A[i, j] * A_bar[i, j]
            for k in range(j):
                A_bar[i, k] -= A[k, j] * A_bar[i, j]
                A_bar[k, j] -= A[i, k] * A_bar[i, j]
    return A_bar
