"""The functions that are timed, as a user writes them, and the arguments they are timed with."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Kernel:
    function: Callable[..., Any]
    #: The differentiated parameters.
    params: tuple[str, ...]
    #: Arguments, large enough to time or (`small=True`) small enough for finite differences.
    make: Callable[[bool], tuple[Any, ...]]


def four_scalars(a, b, c, d):
    p = a * b + math.sin(c)
    q = p * d - a / d
    return q * q + b * math.exp(-c)


def make_four_scalars(small):
    return 1.5, -2.0, 0.75, 3.0


def valley(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def make_valley(small):
    return (np.random.default_rng(1).uniform(-1.2, 1.2, 8 if small else 50_000),)


def pendulum(theta, omega, length, drag, steps, dt):
    for _ in range(steps):
        accel = -9.81 / length * math.sin(theta) - drag * omega * abs(omega)
        theta = theta + dt * omega
        omega = omega + dt * accel
    return theta * theta


def make_pendulum(small):
    return 0.5, 0.1, 1.3, 0.2, 30 if small else 20_000, 1e-2 if small else 1e-3


def newton(a, tolerance):
    x = a
    while abs(x * x * x - a) > tolerance:
        x = x - (x * x * x - a) / (3.0 * x * x)
    return x


def make_newton(small):
    return 2.0 if small else 2e30, 1e-11 if small else 1e17


def mlp(x, y, w1, b1, w2):
    h = np.tanh(x @ w1 + b1)
    e = h @ w2 - y
    return np.mean(e * e)


def make_mlp(small):
    rng = np.random.default_rng(2)
    n, inputs, hidden, outputs = (5, 3, 4, 2) if small else (512, 32, 64, 8)
    shapes = ((n, inputs), (n, outputs), (inputs, hidden), (hidden,), (hidden, outputs))
    return tuple(rng.normal(size=shape) / math.sqrt(shape[0]) for shape in shapes)


KERNELS = {
    "four_scalars": Kernel(four_scalars, ("a", "b", "c", "d"), make_four_scalars),
    "valley": Kernel(valley, ("x",), make_valley),
    "pendulum": Kernel(pendulum, ("theta", "omega", "length", "drag"), make_pendulum),
    "newton": Kernel(newton, ("a",), make_newton),
    "mlp": Kernel(mlp, ("w1", "b1", "w2"), make_mlp),
}
