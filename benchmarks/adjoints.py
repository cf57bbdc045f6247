"""The adjoints of the kernels, written by hand for numba: the mark that s2s is measured by."""

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


def valley(x):
    x_bar = np.zeros_like(x)
    for i in range(len(x) - 1):
        t = 200.0 * (x[i + 1] - x[i] ** 2)
        x_bar[i + 1] += t
        x_bar[i] -= 2.0 * x[i] * t + 2.0 * (1.0 - x[i])
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


def mlp(x, y, w1, b1, w2):
    h = np.tanh(x @ w1 + b1)
    e_bar = (h @ w2 - y) * (2.0 / y.size)
    t_bar = (e_bar @ w2.T) * (1.0 - h * h)
    return x.T @ t_bar, np.sum(t_bar, axis=0), h.T @ e_bar
