"""Statements one after the other: operators, intermediate names, scalars and arrays."""

import math

import numpy as np

from . import program


@program(args=(1.5, -2.0, 0.75, 3.0), order=2, smoke=True)
def four_scalars(a, b, c, d):
    p = a * b + c
    q = p * d - a / d
    return q * q + b


@program(args=(1.7,), order=2)
def polynomial(x):
    return 4.0 * x**3 - 2.0 * x**2 + x - 7.0


@program(args=(0.4, 1.3), order=2)
def transcendental(x, y):
    u = math.sin(x) * math.exp(-y)
    v = math.log(1.0 + u * u) + math.sqrt(y)
    return u / v + math.atan2(x, y)


@program(args=(1.2, 2.3), order=2)
def every_operator(x, y):
    return (x + y) * (x - y) / (x * x + y * y) + x**y - (-x) + (+y)


@program(args=(7.3, 2.0))
def modulo_and_floor(x, y):
    return (x % y) * x + (x // y) * y


@program(args=(np.array([0.5, -1.0, 2.0]), np.array([1.5, 0.25, -0.5])), order=2, smoke=True)
def arrays_elementwise(x, y):
    z = np.sin(x) * y + x * np.exp(-(y**2))
    return np.sum(z * z)


@program(args=(2.0, np.array([1.0, 2.0, 3.0])), order=2)
def scalar_times_array(a, x):
    return a * x + a


@program(args=(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.5, -0.5])))
def array_result(m, v):
    return np.tanh(m @ v) + v


@program(args=(0.3, 0.7), order=2)
def shared_subexpressions(x, y):
    s = x * y
    t = s + s
    u = s * t
    return u * s + t * u + s


@program(args=(1.1,), order=2)
def power_of_power(x):
    return (x**1.5) ** x


@program(args=(0.9,))
def constants_only_in_between(x):
    k = 2.0 * math.pi
    scale = k / 3.0
    shift = math.cos(scale)
    return scale * x + shift


@program(args=(0.6, 1.4))
def unread_intermediates(x, y):
    wasted = math.exp(x) * y
    also_wasted = wasted + x  # noqa: F841
    return x * y


@program(args=(2.5,))
def maths_module_functions(x):
    a = math.sinh(x) + math.cosh(x) - math.tanh(x)
    b = math.asin(x / 4.0) + math.acos(x / 5.0) + math.atan(x)
    c = math.log10(x) + math.log2(x) + math.log1p(x) + math.expm1(x)
    d = math.hypot(x, 1.0) + math.pow(x, 1.5) + math.fabs(-x)
    return a * 0.01 + b + c + d


@program(args=(-1.5, 0.6))
def builtin_functions(x, y):
    return abs(x) * max(x, y) + min(x, y, 0.25) * abs(y) + sum([x, y, x * y]) + float(x) * round(y, 0)


@program(args=(1.3,))
def long_expression_over_lines(x):
    return (
        x * x
        + 3.0 * x
        - math.sin(
            x,
        )
        / (1.0 + x)
    )


@program(args=(1.3, 0.2))
def semicolons_and_backslash(x, y):
    a = x * y; b = a + x  # noqa: E702
    return a * \
        b
