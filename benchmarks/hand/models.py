"""Straightforward adjoints of `kernels/models.py`."""

from __future__ import annotations

import math

import numpy as np


def four_scalars(a, b, c, d):
    p = a * b + math.sin(c)
    q = p * d - a / d
    decay = math.exp(-c)
    q_bar = 2.0 * q
    p_bar = q_bar * d
    a_bar = p_bar * b - q_bar / d
    b_bar = p_bar * a + decay
    c_bar = p_bar * math.cos(c) - b * decay
    d_bar = q_bar * (p + a / (d * d))
    return a_bar, b_bar, c_bar, d_bar


def rosenbrock(x):
    x_bar = np.zeros_like(x)
    for i in range(len(x) - 1):
        t = 200.0 * (x[i + 1] - x[i] * x[i])
        x_bar[i + 1] += t
        x_bar[i] -= 2.0 * x[i] * t + 2.0 * (1.0 - x[i])
    return (x_bar,)


def recurrence(x):
    n = len(x)
    y = x.copy()
    for i in range(1, n):
        y[i] = math.sin(y[i - 1]) * x[i]
    x_bar = 2.0 * y
    for i in range(n - 1, 0, -1):
        t = x_bar[i]
        x_bar[i] = math.sin(y[i - 1]) * t
        x_bar[i - 1] += math.cos(y[i - 1]) * x[i] * t
    return (x_bar,)


def pendulum(theta, omega, length, drag, steps, dt):
    thetas = np.empty(steps)
    omegas = np.empty(steps)
    for k in range(steps):
        thetas[k] = theta
        omegas[k] = omega
        accel = -9.81 / length * math.sin(theta) - drag * omega * abs(omega)
        theta = theta + dt * omega
        omega = omega + dt * accel
    theta_bar = 2.0 * theta
    omega_bar = 0.0
    length_bar = 0.0
    drag_bar = 0.0
    for k in range(steps - 1, -1, -1):
        theta = thetas[k]
        omega = omegas[k]
        accel_bar = dt * omega_bar
        omega_bar += dt * theta_bar
        length_bar += 9.81 / (length * length) * math.sin(theta) * accel_bar
        theta_bar -= 9.81 / length * math.cos(theta) * accel_bar
        drag_bar -= omega * abs(omega) * accel_bar
        omega_bar -= 2.0 * drag * abs(omega) * accel_bar
    return theta_bar, omega_bar, length_bar, drag_bar


def newton(a, tolerance):
    saved = []
    x = a
    while abs(x * x * x - a) > tolerance:
        saved.append(x)
        x = x - (x * x * x - a) / (3.0 * x * x)
    x_bar = 1.0
    a_bar = 0.0
    for k in range(len(saved) - 1, -1, -1):
        x = saved[k]
        square = x * x
        a_bar += x_bar / (3.0 * square)
        x_bar = x_bar * (2.0 / 3.0) * (1.0 - a / (square * x))
    return (a_bar + x_bar,)


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
        alpha_bar += x * dx
        beta_bar -= x * y * dx
        delta_bar += x * y * dy
        gamma_bar -= y * dy
        x_bar += (alpha - beta * y) * dx + delta * y * dy
        y_bar += (delta * x - gamma) * dy - beta * x * dx
    return alpha_bar, beta_bar, delta_bar, gamma_bar


def mlp(W1, b1, W2, b2, X, Y):
    n, inputs = X.shape
    hidden = b1.shape[0]
    outputs = b2.shape[0]
    W1_bar = np.zeros_like(W1)
    b1_bar = np.zeros_like(b1)
    W2_bar = np.zeros_like(W2)
    b2_bar = np.zeros_like(b2)
    h = np.empty(hidden)
    z = np.empty(outputs)
    h_bar = np.empty(hidden)
    for p in range(n):
        h[:] = b1
        for i in range(inputs):
            for j in range(hidden):
                h[j] += X[p, i] * W1[i, j]
        for j in range(hidden):
            h[j] = math.tanh(h[j])
        z[:] = b2
        for j in range(hidden):
            for k in range(outputs):
                z[k] += h[j] * W2[j, k]
        total = 0.0
        for k in range(outputs):
            z[k] = math.exp(z[k])
            total += z[k]
        for k in range(outputs):
            z[k] = (z[k] / total - Y[p, k]) / n  # now the adjoint
            b2_bar[k] += z[k]
        for j in range(hidden):
            t = 0.0
            for k in range(outputs):
                W2_bar[j, k] += h[j] * z[k]
                t += W2[j, k] * z[k]
            h_bar[j] = t * (1.0 - h[j] * h[j])
            b1_bar[j] += h_bar[j]
        for i in range(inputs):
            for j in range(hidden):
                W1_bar[i, j] += X[p, i] * h_bar[j]
    return W1_bar, b1_bar, W2_bar, b2_bar


def barrier_option(price, rate, volatility, noise, strike, barrier, years):
    paths, steps = noise.shape
    dt = years / steps
    root = math.sqrt(dt)
    discount = math.exp(-rate * years) / paths
    before = np.empty(steps)
    growth = np.empty(steps)
    volatility_bar = np.zeros_like(volatility)
    price_bar = 0.0
    rate_bar = 0.0
    total = 0.0
    for p in range(paths):
        s = price
        alive = True
        for t in range(steps):
            v = volatility[t]
            before[t] = s
            growth[t] = math.exp((rate - 0.5 * v * v) * dt + v * root * noise[p, t])
            s = s * growth[t]
            if s > barrier:
                alive = False
        if alive and s > strike:
            total += s - strike
            s_bar = discount
            for t in range(steps - 1, -1, -1):
                exponent_bar = s_bar * before[t] * growth[t]
                rate_bar += dt * exponent_bar
                volatility_bar[t] += (root * noise[p, t] - volatility[t] * dt) * exponent_bar
                s_bar = s_bar * growth[t]
            price_bar += s_bar
    return price_bar, rate_bar - years * discount * total, volatility_bar


ADJOINTS = {
    "four-scalars": four_scalars,
    "rosenbrock": rosenbrock,
    "recurrence": recurrence,
    "pendulum": pendulum,
    "newton": newton,
    "predator-prey": predator_prey,
    "mlp": mlp,
    "barrier-option": barrier_option,
}
