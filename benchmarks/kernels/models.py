"""Small models: scalars, a valley, recurrences, equations solved by steps, a network, a price by simulation."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.kernel import Kernel, rng


def four_scalars(a, b, c, d):
    p = a * b + math.sin(c)
    q = p * d - a / d
    return q * q + b * math.exp(-c)


def make_four_scalars(size):
    return {"a": 1.5, "b": -2.0, "c": 0.75, "d": 3.0}


def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def rosenbrock_arrays(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def make_rosenbrock(size):
    return {"x": rng(61).uniform(-1.2, 1.2, {"tiny": 8, "bench": 100_000}[size])}


def recurrence(x):
    x = x.copy()
    for i in range(1, len(x)):
        x[i] = math.sin(x[i - 1]) * x[i]
    return np.sum(x * x)


def make_recurrence(size):
    return {"x": rng(62).uniform(0.5, 1.5, {"tiny": 8, "bench": 50_000}[size])}


def pendulum(theta, omega, length, drag, steps, dt):
    for _ in range(steps):
        accel = -9.81 / length * math.sin(theta) - drag * omega * abs(omega)
        theta = theta + dt * omega
        omega = omega + dt * accel
    return theta * theta


def make_pendulum(size):
    steps, dt = {"tiny": (20, 1e-2), "bench": (20_000, 1e-3)}[size]
    return {"theta": 0.5, "omega": 0.1, "length": 1.3, "drag": 0.2, "steps": steps, "dt": dt}


def newton(a, tolerance):
    x = a
    while abs(x * x * x - a) > tolerance:
        x = x - (x * x * x - a) / (3.0 * x * x)
    return x


def make_newton(size):
    a, tolerance = {"tiny": (2.0, 1e-4), "bench": (2e30, 1e17)}[size]
    return {"a": a, "tolerance": tolerance}


def predator_prey(alpha, beta, delta, gamma, steps):
    x = 1.0
    y = 0.5
    dt = 10.0 / steps
    for _ in range(steps):
        x_next = x + dt * (alpha * x - beta * x * y)
        y = y + dt * (delta * x * y - gamma * y)
        x = x_next
    return (x - 1.0) * (x - 1.0) + y * y


def predator_prey_arrays(alpha, beta, delta, gamma, steps):
    state = np.array([1.0, 0.5])
    dt = 10.0 / steps
    for _ in range(steps):
        both = state[0] * state[1]
        state = state + dt * np.array([alpha * state[0] - beta * both, delta * both - gamma * state[1]])
    state[0] -= 1.0
    return np.sum(state * state)


def make_predator_prey(size):
    steps = {"tiny": 40, "bench": 50_000}[size]
    return {"alpha": 1.5, "beta": 1.0, "delta": 0.75, "gamma": 1.25, "steps": steps}


def mlp(W1, b1, W2, b2, X, Y):
    n, inputs = X.shape
    hidden = b1.shape[0]
    outputs = b2.shape[0]
    h = np.zeros(hidden, X.dtype)
    z = np.zeros(outputs, X.dtype)
    loss = 0.0
    for p in range(n):
        for j in range(hidden):
            h[j] = b1[j]
        for i in range(inputs):
            for j in range(hidden):
                h[j] += X[p, i] * W1[i, j]
        for j in range(hidden):
            h[j] = math.tanh(h[j])
        for k in range(outputs):
            z[k] = b2[k]
        for j in range(hidden):
            for k in range(outputs):
                z[k] += h[j] * W2[j, k]
        total = 0.0
        for k in range(outputs):
            total += math.exp(z[k])
            loss -= z[k] * Y[p, k]
        loss += math.log(total)
    return loss / n


def mlp_arrays(W1, b1, W2, b2, X, Y):
    h = np.tanh(X @ W1 + b1)
    z = h @ W2 + b2
    return (np.sum(np.log(np.sum(np.exp(z), axis=1))) - np.sum(z * Y)) / X.shape[0]


def make_mlp(size):
    n, inputs, hidden, outputs = {"tiny": (4, 3, 5, 2), "bench": (256, 200, 100, 10)}[size]
    r = rng(63)
    return {
        "W1": r.normal(0.0, 1.0 / math.sqrt(inputs), (inputs, hidden)),
        "b1": r.normal(0.0, 0.1, hidden),
        "W2": r.normal(0.0, 1.0 / math.sqrt(hidden), (hidden, outputs)),
        "b2": r.normal(0.0, 0.1, outputs),
        "X": r.uniform(0.0, 1.0, (n, inputs)),
        "Y": np.eye(outputs)[r.integers(0, outputs, n)],
    }


def barrier_option(price, rate, volatility, noise, strike, barrier, years):
    paths, steps = noise.shape
    dt = years / steps
    total = 0.0
    for p in range(paths):
        s = price
        alive = True
        for t in range(steps):
            v = volatility[t]
            s = s * math.exp((rate - 0.5 * v * v) * dt + v * math.sqrt(dt) * noise[p, t])
            if s > barrier:
                alive = False
        if alive and s > strike:
            total += s - strike
    return math.exp(-rate * years) * total / paths


def barrier_option_arrays(price, rate, volatility, noise, strike, barrier, years):
    paths, steps = noise.shape
    dt = years / steps
    s = np.full(paths, price)
    alive = np.full(paths, True)
    for t in range(steps):
        v = volatility[t]
        s = s * np.exp((rate - 0.5 * v * v) * dt + v * np.sqrt(dt) * noise[:, t])
        alive = alive & (s <= barrier)
    payoff = np.where(alive & (s > strike), s - strike, 0.0)
    return np.exp(-rate * years) * np.sum(payoff) / paths


def make_barrier_option(size):
    paths, steps = {"tiny": (12, 4), "bench": (2000, 100)}[size]
    return {
        "price": 100.0,
        "rate": 0.03,
        "volatility": 0.2 + 0.05 * np.sin(np.arange(steps)),
        "noise": rng(64).normal(0.0, 1.0, (paths, steps)),
        "strike": 95.0,
        "barrier": 140.0,
        "years": 1.0,
    }


KERNELS = (
    Kernel("four-scalars", ("a", "b", "c", "d"), make_four_scalars, four_scalars),
    Kernel("rosenbrock", ("x",), make_rosenbrock, rosenbrock, rosenbrock_arrays),
    Kernel("recurrence", ("x",), make_recurrence, recurrence),
    Kernel("pendulum", ("theta", "omega", "length", "drag"), make_pendulum, pendulum),
    Kernel("newton", ("a",), make_newton, newton),
    Kernel(
        "predator-prey",
        ("alpha", "beta", "delta", "gamma"),
        make_predator_prey,
        predator_prey,
        predator_prey_arrays,
    ),
    Kernel("mlp", ("W1", "b1", "W2", "b2"), make_mlp, mlp, mlp_arrays),
    Kernel(
        "barrier-option",
        ("price", "rate", "volatility"),
        make_barrier_option,
        barrier_option,
        barrier_option_arrays,
    ),
)
