"""Tuple unpacking: nested, starred, from calls, from arrays."""

import numpy as np

from . import program


def _pair(x, y):
    return x * y, x + y


@program(args=(0.5, 2.0), order=2)
def from_tuple(x, y):
    a, b = x * y, x - y
    return a * b


@program(args=(0.5, 2.0), smoke=True)
def from_call(x, y):
    a, b = _pair(x, y)
    return a / b


@program(args=(0.5, 2.0, -1.0))
def nested(x, y, z):
    (a, b), c = (x * y, y * z), x
    [d, (e, f)] = [a, (b, c)]
    return d * e + f * a


@program(args=(0.5, 2.0, -1.0))
def starred_end(x, y, z):
    first, *rest = x, y, z
    return first * rest[0] + rest[1] * rest[1]


@program(args=(0.5, 2.0, -1.0))
def starred_middle(x, y, z):
    a, *b, c = [x, y, z, x * y]
    return a * b[0] * b[1] + c


@program(args=(0.5, 2.0))
def starred_empty(x, y):
    a, b, *c = x, y
    return a * b + len(c)


@program(args=(0.5, 2.0, -1.0))
def starred_in_display(x, y, z):
    pair = (y, z)
    t = (x, *pair, *(x * y, z))
    return t[0] * t[1] + t[2] * t[3] - t[4]


@program(args=(np.array([0.5, 2.0, -1.0]),))
def from_array(v):
    a, b, c = v
    return a * b - c * c


@program(args=(np.array([[0.5, 2.0], [1.5, -1.0]]),))
def rows_from_matrix(m):
    top, bottom = m
    (a, b), (c, d) = m
    return np.sum(top * bottom) + a * d - b * c


@program(args=((0.5, (2.0, -1.0)),))
def argument(pair):
    x, (y, z) = pair
    return x * y * z


@program(args=(0.5, 2.0))
def underscore_twice(x, y):
    a, _, b, _ = x, y, x * y, 3.0
    return a * b


@program(args=(0.5, 2.0))
def evaluated_before_bound(x, y):
    a = x
    a, b = a * y, a + y
    b, a = a, b * a
    return a - b * b


@program(args=(np.array([[0.5, 2.0], [1.5, -1.0]]),))
def in_loop_header(m):
    s = 0.0
    for a, b in m:
        s = s + a * b * b
    return s


@program(args=(0.5, 2.0))
def shape_unpacked(x, y):
    m = np.array([[x, y, x * y], [1.0, x, y]])
    rows, columns = m.shape
    return np.sum(m * m) / (rows * columns)
