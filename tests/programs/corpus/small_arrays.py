"""Arrays of a few numbers, as in equations of motion: on target cpu they become their elements."""

import numpy as np

from . import program

P = np.array([1.0, 0.5])
SIGMA = np.array([10.0, 28.0, 8.0 / 3.0])


def oscillator(t, y, p):
    return np.array([y[1], p[0] * (1.0 - y[0] * y[0]) * y[1] - p[1] * y[0] + np.sin(t)])


@program(args=(P, 6), wrt=(0,), smoke=True)
def runge_kutta(p, steps):
    y = np.array([2.0, 0.0])
    t, h = 0.0, 1.0 / steps
    for _ in range(steps):
        k1 = oscillator(t, y, p)
        k2 = oscillator(t + h / 2, y + h / 2 * k1, p)
        k3 = oscillator(t + h / 2, y + h / 2 * k2, p)
        k4 = oscillator(t + h, y + h * k3, p)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
    return y[0] ** 2 + y[1]


def lorenz_rate(y, p):
    dy = np.zeros(3)
    dy[0] = p[0] * (y[1] - y[0])
    dy[1] = y[0] * (p[1] - y[2]) - y[1]
    dy[2] = y[0] * y[1] - p[2] * y[2]
    return dy


@program(args=(SIGMA, 8), wrt=(0,), rtol=1e-5, smoke=True)
def lorenz_path(p, n):
    y = np.array([1.0, 1.0, 1.0])
    out = np.zeros((n + 1, 3))
    out[0] = y
    for k in range(n):
        y = y + 0.01 * lorenz_rate(y, p)
        out[k + 1, :] = y
    return np.sum(out[:, 2] ** 2) / n


@program(args=(1.1, 10), wrt=(0,), smoke=True)
def kepler_in_place(v0, n):
    position = np.array([1.0, 0.0])
    velocity = np.array([0.0, v0])
    for _ in range(n):
        r = np.sqrt(np.sum(position**2))
        velocity -= 0.05 * position / r**3
        position += 0.05 * velocity
    return np.dot(position, position)


@program(args=(P,), smoke=True)
def rotations_of_a_matrix(p):
    R = np.eye(2)
    x = np.array([1.0, p[1]])
    turn = np.array([[np.cos(p[0]), -np.sin(p[0])], [np.sin(p[0]), np.cos(p[0])]])
    for _ in range(3):
        R = turn @ R
        x = turn.T @ x + R[0]
    return x @ x


@program(args=(P, 4), wrt=(0,))
def read_by_another_name(p, n):
    """What is stored by one name is seen by the other."""
    y = np.array([p[0], p[1]])
    z = y
    total = 0.0
    for k in range(n):
        y[0] += 0.5 * z[1]
        z[1] *= p[0]
        total += y[1] * z[0]
    return total


@program(args=(P, 4), wrt=(0,))
def swapped_names(p, n):
    now, before = np.array([p[0], 0.3]), np.zeros(2)
    total = 0.0
    for _ in range(n):
        before[0] = 0.5 * now[0] + now[1]
        before[1] = p[1] * now[0]
        now, before = before, now
        total += now[0] * before[1]
    return total


@program(args=(P, 3), wrt=(0,))
def kept_before_it_changes(p, n):
    y = np.array([p[0], 0.3])
    history = []
    for _ in range(n):
        y[0] = np.sin(y[0]) + p[1]
        history.append(y)
        history.append(y.copy())
    total = 0.0
    for h in history:
        total += h[0] * h[0]
    return total


@program(args=(P, 0), wrt=(0,))
def no_iteration(p, n):
    acc = np.zeros(2)
    for k in range(n):
        acc[0] += p[0]
        acc = acc * p[1]
    acc[1] += p[0] * p[1]
    return np.sum(acc * acc)


@program(args=(P, 5), wrt=(0,))
def stopped_early(p, n):
    y = np.array([p[0], p[1]])
    for k in range(n):
        y = y + 0.5 * np.array([y[1], y[0] * p[1]])
        if y[0] > 1.8:
            y[1] = 2.0 * y[1]
            break
    k = 0
    while y[1] > 0.2:
        y = np.where(y > 0.5, 0.5 * y, 0.9 * y)
        k += 1
    return y[0] * y[1]
