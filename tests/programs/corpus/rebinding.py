"""Names that are given another value: parameters, locals, swaps, names of other types."""

import math

import numpy as np

from . import program


@program(args=(1.5,), order=2)
def parameter_rebound(x):
    x = x * x
    x = math.sin(x)
    return x * 3.0


@program(args=(1.5, 2.5), order=2, smoke=True)
def parameter_overwritten_by_another(x, y):
    x = y * y
    return x * y


@program(args=(0.5, 2.0), order=2)
def tuple_swap(x, y):
    x, y = y, x * y
    x, y = y + x, x
    return x * x * y


@program(args=(0.5, 2.0, -1.0))
def rotation_of_three(a, b, c):
    for _ in range(4):
        a, b, c = b * 0.5, c + a, math.sin(a)
    return a * b + c


@program(args=(2.0,))
def accumulated_in_place_of_itself(x):
    t = 1.0
    t = t * x
    t = t * x + t
    t = t * t
    return t


@program(args=(np.array([1.0, -2.0]),))
def array_name_rebound(x):
    y = x * 2.0
    y = y * x
    x = y + x
    return np.sum(x * y)


@program(args=(np.array([1.0, -2.0, 0.5]),))
def array_name_becomes_scalar(x):
    t = x * x
    t = np.sum(t)
    t = t * x[0]
    return t


@program(args=(1.5,))
def rebound_to_a_constant_and_back(x):
    t = x * x
    t = 2.0
    t = t * x
    return t


@program(args=(1.5, 0.5))
def rebound_on_one_path(x, y):
    t = x
    if x > y:
        t = y * t
    return t * t + x


@program(args=(1.5, 0.5))
def parameter_overwritten_with_constant(x, y):
    r = x * y
    x = 4.0
    return r * x


@program(args=(0.8,))
def deleted_name(x):
    t = x * x
    u = t + 1.0
    del t
    return u * x
