"""List, dict, set-free generator comprehensions, nested and filtered."""

import math

import numpy as np

from . import program

VECTOR = np.array([0.5, -1.5, 2.0])


@program(args=(VECTOR,), order=2)
def sum_of_list(x):
    return sum([v * v for v in x])


@program(args=(VECTOR,))
def sum_of_generator(x):
    return sum(v * v * (i + 1) for i, v in enumerate(x))


@program(args=(VECTOR,))
def list_then_indexed(x):
    squares = [v * v for v in x]
    return squares[0] * squares[-1] + squares[1]


@program(args=(VECTOR,))
def filtered_by_index(x):
    return sum([x[i] ** 3 for i in range(3) if i != 1])


@program(args=(VECTOR,))
def filtered_by_active_value(x):
    return sum([v * v for v in x if v > 0.0])


@program(args=(1.5,), cpu="numba has no math.factorial")
def over_range(x):
    terms = [x**k / math.factorial(k) for k in range(6)]
    return sum(terms)


@program(args=(0.5, 2.0))
def nested_generators(x, y):
    return sum([a * b for a in (x, y) for b in (y, x, 3.0)])


@program(args=(0.5, 2.0))
def list_of_lists(x, y):
    table = [[x * i + y * j for j in range(2)] for i in range(3)]
    return table[0][1] * table[2][0] + table[1][1]


@program(args=(0.5, 2.0))
def dict_comprehension(x, y):
    d = {k: v * v for k, v in (("x", x), ("y", y))}
    return d["x"] * d["y"]


@program(args=(VECTOR,))
def array_from_list(x):
    y = np.array([math.sin(v) for v in x])
    return np.sum(y * x)


@program(args=(VECTOR,))
def stacked_rows(x):
    m = np.stack([x * k for k in range(1, 4)])
    return np.sum(m @ x)


@program(args=((np.array([1.0, 2.0]), np.array([3.0, 0.5, -1.0])),))
def over_tuple_of_arrays(parts):
    return sum([np.sum(p * p) for p in parts])


@program(args=(0.5,))
def does_not_leak_its_name(x):
    v = x * x
    w = [v * 2.0 for v in (1.0, x)]
    return v + w[1] * w[0]


@program(args=(np.array([1.0, 2.0, 3.0]),), order=2)
def table_of_products(x):
    table = [[a * b for a in x] for b in x]
    return sum(sum(row) for row in table) + table[1][2]
