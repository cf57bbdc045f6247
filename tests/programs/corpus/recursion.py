"""Functions that call themselves: linear, binary, mutual, on arrays."""

import math

import numpy as np

from . import program


def _power(x, n):
    if n == 0:
        return 1.0
    return x * _power(x, n - 1)


@program(args=(1.3, 4), wrt=(0,), order=2)
def linear(x, n):
    return _power(x, n)


@program(args=(1.3, 4), wrt=(0,))
def itself(x, n):
    if n <= 0:
        return math.sin(x)
    return itself(x * 0.8, n - 1) * x


def _tree(x, depth):
    if depth == 0:
        return math.sin(x)
    left = _tree(x * 0.5, depth - 1)
    right = _tree(x + 0.1, depth - 1)
    return left * right + x


@program(args=(0.9, 3), wrt=(0,))
def binary(x, depth):
    return _tree(x, depth)


def _even(x, n):
    if n == 0:
        return x
    return _odd(x * x, n - 1)


def _odd(x, n):
    if n == 0:
        return -x
    return _even(x + 1.0, n - 1)


@program(args=(0.3, 5), wrt=(0,))
def mutual(x, n):
    return _even(x, n)


@program(args=(0.9,))
def on_active_value(x):
    if x > 3.0:
        return x * x
    return on_active_value(x * 1.5) + x


def _fold(v):
    if len(v) == 1:
        return v[0]
    half = len(v) // 2
    return _fold(v[:half]) * 0.5 + _fold(v[half:]) * v[0]


@program(args=(np.array([0.5, 1.5, -0.5, 2.0, 1.0]),))
def over_halves_of_array(v):
    return _fold(v)


@program(args=(0.4,))
def nested_function_recursive(x):
    def series(k):
        if k > 5:
            return 0.0
        return x**k / k + series(k + 1)

    return series(1)


@program(args=(0.7, 8), wrt=("x",))
def remembered_in_a_dict(x, n):
    found = {}

    def go(k):
        if k in found:
            return found[k]
        r = x if k < 2 else go(k - 1) * x + math.sin(go(k - 2))
        found[k] = r
        return r

    return go(n) + len(found)


@program(args=(1.3,))
def adaptive_quadrature(x):
    def simpson(f, a, b):
        return (b - a) / 6.0 * (f(a) + 4.0 * f((a + b) / 2.0) + f(b))

    def adapt(f, a, b, tolerance, whole):
        c = (a + b) / 2.0
        left, right = simpson(f, a, c), simpson(f, c, b)
        error = left + right - whole
        if abs(error) < 15.0 * tolerance:
            return left + right + error / 15.0
        return adapt(f, a, c, tolerance / 2.0, left) + adapt(f, c, b, tolerance / 2.0, right)

    def f(t):
        return math.exp(-x * t) * math.sin(5.0 * t)

    return adapt(f, 0.0, 1.0, 1e-5, simpson(f, 0.0, 1.0))
