"""The programs whose adjoints are kept: one for each thing that emitted code has to show."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import s2s


@dataclass(frozen=True)
class Case:
    """A gradient function, a call of it, and the Variables it reads (else its arguments are differentiated)."""

    gradient: Any
    args: tuple[Any, ...]
    variables: tuple[s2s.Variable, ...] = ()
    rtol: float = 1e-6

    @property
    def function(self) -> Callable[..., Any]:
        return self.gradient.__wrapped__


CASES: dict[str, Case] = {}


def case(api: Any, *args: Any, name: str = "", variables: tuple[s2s.Variable, ...] = (), rtol: float = 1e-6,
         **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(f: Callable[..., Any]) -> Callable[..., Any]:
        CASES[name or f.__name__] = Case(api(f, **options), args, variables, rtol)
        return f

    return register


def sample(*shape: int) -> np.ndarray:
    return np.cos(1.7 * np.arange(1.0, 1.0 + math.prod(shape))).reshape(shape)


# Straight line, Variables. ------------------------------------------------------------------------

w1, w2 = s2s.Variable(2.0, name="w1"), s2s.Variable(3.0, name="w2")


@case(s2s.implicit_value_and_gradients, 5.0, 7.0, variables=(w1, w2))
def weighted_sum(x1, x2):
    return w1 * x1 + w2 * x2


class Dense:
    def __init__(self, inputs, outputs):
        self.w = s2s.Variable(sample(inputs, outputs))
        self.b = s2s.Variable(sample(outputs))

    def __call__(self, x):
        return x @ self.w + self.b


class TwoLayers:
    def __init__(self):
        self.layers = [Dense(3, 4), Dense(4, 2)]

    def loss(self, x, y):
        for layer in self.layers[:-1]:
            x = np.tanh(layer(x))
        return np.mean((self.layers[-1](x) - y) ** 2)


model = TwoLayers()
case(s2s.implicit_value_and_gradients, sample(5, 3), sample(5, 2), name="two_layers",
     variables=tuple(v for layer in model.layers for v in (layer.w, layer.b)))(model.loss)


# Loops. -------------------------------------------------------------------------------------------

@case(s2s.gradients_function, sample(6))
def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


@case(s2s.gradients_function, 0.5, 0.1, 1.3, 0.2, 40, 0.01, params=["theta", "omega", "length", "drag"])
def pendulum(theta, omega, length, drag, steps, dt):
    for k in range(steps):
        accel = -9.81 / length * math.sin(theta) - drag * omega * abs(omega)
        theta = theta + dt * omega
        omega = omega + dt * accel
    return theta * theta


@case(s2s.gradients_function, 2.0)
def newton_sqrt(a):
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


@case(s2s.gradients_function, np.array([0.5, 0.8, 1.1, 1.4]), 0.9, params=["x"])
def break_loop(x, limit):
    total = 0.0
    for v in x:
        total += math.sin(v) * v
        if total > limit:
            break
    return total * total


@case(s2s.gradients_function, 1.3, 0.4)
def branch(x, y):
    if x > y:
        z = x * y
    elif x > 0.0:
        z = math.exp(x)
    else:
        z = y
    return z * z


# Arrays. ------------------------------------------------------------------------------------------

@case(s2s.gradients_function, sample(7, 4), sample(7, 2), sample(4, 5), sample(5), sample(5, 2),
      params=["W1", "b1", "W2"])
def mlp_loss(x, y, W1, b1, W2):
    h = np.tanh(x @ W1 + b1)
    e = h @ W2 - y
    return np.mean(e * e)


@case(s2s.gradients_function, 0.5, 10, params=["x0"])
def history(x0, steps):
    xs = np.empty(steps + 1)
    xs[0] = x0
    for k in range(steps):
        xs[k + 1] = xs[k] * math.cos(xs[k])
    return np.sum(xs * xs)


@case(s2s.gradients_function, sample(3, 4), sample(4))
def row_view(A, v):
    total = 0.0
    for i in range(A.shape[0]):
        row = A[i]
        total += np.dot(row, v) * row[0]
    return total


@case(s2s.gradients_function, np.float32([0.5, -0.3, 0.8]), np.float32([1.5, 0.2, -0.4]), 0.5, rtol=1e-3)
def float32(x, w, rate):
    return np.sum(np.tanh(x * w) * rate)


# Arrays written in place. -------------------------------------------------------------------------

@case(s2s.gradients_function, sample(5, 5), 2, params=["A"])
def seidel(A, steps):
    n = A.shape[0]
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = (A[i - 1, j] + A[i, j - 1] + A[i, j] + A[i, j + 1] + A[i + 1, j]) / 5.0
    return np.sum(A * A)


@case(s2s.gradients_function, sample(6))
def recurrence(x):
    for i in range(1, len(x)):
        x[i] = np.sin(x[i - 1]) * x[i]
    return x[-1]


@case(s2s.gradients_function, sample(7), sample(7) + 0.5, 3, params=["A", "B"])
def jacobi_1d(A, B, steps):
    for t in range(steps):
        for i in range(1, len(A) - 1):
            B[i] = (A[i - 1] + A[i] + A[i + 1]) / 3.0
        for i in range(1, len(A) - 1):
            A[i] = (B[i - 1] + B[i] + B[i + 1]) / 3.0
    return np.sum(A)


@case(s2s.gradients_function, sample(4, 4) + 5.0 * np.eye(4), sample(4))
def trisolv(L, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n):
        acc = b[i]
        for j in range(i):
            acc -= L[i, j] * x[j]
        x[i] = acc / L[i, i]
    return np.sum(x)


@case(s2s.gradients_function, sample(4, 4) + 5.0 * np.eye(4))
def lu(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[k, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            for k in range(i):
                A[i, j] -= A[i, k] * A[k, j]
    return np.sum(A)


@case(s2s.gradients_function, sample(4, 4, 4), 2, params=["A"])
def heat_3d(A, steps):
    B = A.copy()
    for t in range(steps):
        B[1:-1, 1:-1, 1:-1] = A[1:-1, 1:-1, 1:-1] + 0.125 * (
            A[2:, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1] + A[1:-1, 2:, 1:-1] + A[1:-1, :-2, 1:-1]
            + A[1:-1, 1:-1, 2:] + A[1:-1, 1:-1, :-2] - 6.0 * A[1:-1, 1:-1, 1:-1])
        A[1:-1, 1:-1, 1:-1] = B[1:-1, 1:-1, 1:-1]
    return np.sum(A * A)


@case(s2s.gradients_function, 1.0, sample(3), sample(5, 3), 0.9, params=["start", "drift"])
def paths(start, drift, noise, strike):
    total = 0.0
    for p in range(noise.shape[0]):
        s = start
        for t in range(noise.shape[1]):
            s = s * math.exp(drift[t] + 0.1 * noise[p, t])
        if s > strike:
            total += s - strike
    return total / noise.shape[0]


@case(s2s.gradients_function, sample(6), 0.4, 3, params=["prices", "p"])
def option_tree(prices, p, steps):
    s = prices * 2.0
    v = np.maximum(1.0 - s, 0.0)
    for _ in range(steps):
        s = s[1:]
        v = np.maximum(p * v[1:] + (1.0 - p) * v[:-1], 1.0 - s)
    return v[0]


@case(s2s.gradients_function, sample(9), 2, params=["a"], target="cpu")
def smooth_on_cpu(a, steps):
    for _ in range(steps):
        b = a.copy()
        a[1:-1] = 0.5 * b[1:-1] + 0.25 * (b[:-2] + b[2:])
    return np.sum(a * a)


@case(s2s.gradients_function, sample(5, 6), 2, params=["a"], target="cpu")
def diffuse_on_cpu(a, steps):
    for _ in range(steps):
        b = a.copy()
        a[1:-1, 1:-1] = 0.6 * b[1:-1, 1:-1] + 0.1 * (b[:-2, 1:-1] + b[2:, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:])
    return np.sum(a * a)


@case(s2s.gradients_function, sample(2), 5, params=["p"], target="cpu")
def oscillator_on_cpu(p, steps):
    y = np.array([1.0, 0.0])
    for _ in range(steps):
        y = y + 0.1 * np.array([y[1], -p[0] * y[0] - p[1] * y[1]])
    return y[0] * y[0]


@case(s2s.gradients_function, sample(6), sample(6), 0.2, params=["x"], target="cpu")
def capped_on_cpu(x, y, cap):
    t = np.exp(x * y)
    u = np.where(t > cap, t, 0.5 * x)
    return np.sum(u * u) + np.sum(t)


@case(s2s.gradients_function, sample(5, 2), 0.3 * sample(3, 2), params=["centers"], target="cpu")
def nearest_on_cpu(points, centers):
    cost = 0.0
    for i in range(points.shape[0]):
        best = 1e300
        for c in range(centers.shape[0]):
            s = 0.0
            for j in range(points.shape[1]):
                s += (points[i, j] - centers[c, j]) ** 2
            if s < best:
                best = s
        cost += best
    return cost


# Calls, lists, derivatives of one's own, derivatives of derivatives. ------------------------------

@case(s2s.gradients_function, 1.5, 3, params=["x"])
def recursion(x, n):
    if n == 0:
        return 1.0
    return math.sin(x) * recursion(x, n - 1)


@case(s2s.gradients_function, 1.5, 4, params=["x"])
def list_append(x, n):
    values = []
    for k in range(n):
        values.append(x * k)
    total = 0.0
    for v in values:
        total += v * v
    return total


@s2s.custom_gradient
def log1pexp(x):
    e = math.exp(x)

    def grad(dy):
        return dy * (1.0 - 1.0 / (1.0 + e))

    return math.log(1.0 + e), grad


@case(s2s.gradients_function, 1.5, 0.5)
def custom_gradient(x, y):
    return log1pexp(x * y) * y


def cubic(x):
    return x ** 3 * math.sin(x)


slope = s2s.grad(cubic)


@case(s2s.gradients_function, 1.5)
def second_order(x):
    return slope(x)


# Memory that is rolled back. ----------------------------------------------------------------------


@case(s2s.gradients_function, sample(6), 0.1, 3)
def burgers_in_place(u, c, steps):
    u = u.copy()
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            u[i] = u[i] - c * u[i] * (u[i] - u[i - 1]) + 0.2 * u[i + 1]
    return np.sum(u * u)
