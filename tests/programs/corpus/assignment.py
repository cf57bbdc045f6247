"""Augmented and chained assignment, annotations."""

import numpy as np

from . import program


@program(args=(1.5, 0.5), order=2)
def augmented_scalars(x, y):
    r = x
    r += y
    r *= x
    r -= y * y
    r /= 1.0 + y
    r **= 2
    return r


@program(args=(7.5, 2.0))
def augmented_modulo_and_floor(x, y):
    r = x
    r %= y
    s = x
    s //= y
    return r * x + s * y


@program(args=(1.5,))
def augmented_parameter(x):
    x += x * x
    x *= 2.0
    return x * x


@program(args=(np.array([1.0, 2.0, -0.5]),))
def augmented_local_array(x):
    r = x * x
    r += x
    r *= 2.0
    r -= np.sin(x)
    r /= 3.0
    return np.sum(r * r)


@program(args=(np.array([[1.0, 2.0], [3.0, 0.5]]), np.array([0.3, -0.3])))
def augmented_local_array_with_broadcast(m, v):
    r = m * m
    r += v
    r *= v
    return np.sum(r)


@program(args=(np.array([[1.0, 2.0], [3.0, 0.5]]),))
def augmented_matmul(m):
    r = m * 1.0
    r = r @ m
    r @= m
    return np.sum(r)


@program(args=(1.5, 0.5))
def chained(x, y):
    a = b = x * y
    a = a * a
    return a + b * x


@program(args=(1.5, 0.5))
def chained_through_unpacking(x, y):
    (a, b) = c = (x * y, y)
    return a * c[1] + b * c[0]


@program(args=(1.5,))
def annotated(x: float) -> float:
    a: float = x * x
    b: float
    b = a * x
    c: "np.ndarray | float" = b
    return c + a


@program(args=(1.5, 3), wrt=(0,))
def augmented_integer(x, n):
    k = n
    k += 2
    k *= n
    k //= 4
    k <<= 1
    return x**k


@program(args=(1.5, 2.0))
def augmented_by_itself(x, y):
    r = x * y
    r += r
    r *= r
    r -= r * x
    return r
