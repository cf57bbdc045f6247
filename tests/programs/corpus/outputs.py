"""Results that go into arrays: `out=`, `where=`, `dtype=`, `copyto`, `put`, `sort`, and the methods of ufuncs."""

import numpy as np

from . import program

V = np.array([0.5, -1.5, 2.0, 0.25, 0.9])
W = np.array([0.7, 0.1, -0.4, 1.3, 0.6])
M = np.array([[0.5, 1.0, -0.3, 0.2], [2.0, -1.0, 0.7, 0.4], [0.1, 0.6, -0.8, 1.2]])
INDEX = np.array([0, 2, 2, 1, 2])


@program(args=(V, W), order=2, smoke=True)
def out_by_name_and_place(a, b):
    c = np.empty(5)
    np.add(a, b, out=c)
    np.multiply(c, a, out=(c,))
    np.sin(c, c)
    d = np.empty((2, 5))
    np.exp(b, out=d[0])
    np.power(a, 2, out=d[1])
    return np.sum(c * d)


@program(args=(V, W))
def out_is_returned(a, b):
    c = np.empty(5)
    d = np.add(a, b, out=c)
    d[0] = 3.0 * b[1]
    return np.sum(c * c)


@program(args=(V, W), smoke=True)
def where_and_out(a, b):
    r = np.divide(a, b, out=np.zeros_like(a), where=b > 0.5)
    c = a * b
    np.sqrt(c, out=c, where=c > 0.1)
    return np.sum(r * c * b)


@program(args=(np.array([0.5, 0.0, -2.0]),))
def where_hides_what_has_no_derivative(a):
    b = a * 1.0
    np.log(b, out=b, where=b > 0)
    np.power(b, -1.5, out=b, where=b != 0)
    return np.sum(np.abs(b)) if b[0] < 0 else 0.0


@program(args=(M, V[:4]))
def out_of_products_and_reductions(a, x):
    y, z = np.empty(3), np.empty(4)
    np.dot(a, x, out=y)
    np.sum(a * a, axis=0, out=z)
    s = np.sum(y) * np.sum(z)
    np.matmul(a, x * x, out=y)
    a.mean(axis=0, out=z)
    x.clip(0.3, 1.5, out=z)
    return s + np.sum(y) * np.sum(z)


@program(args=(V,))
def nan_to_num_in_place(a):
    b = a * 2.0
    b[3] = np.inf
    np.nan_to_num(b, copy=False, posinf=3.0)
    return np.sum(b * b)


@program(args=(M,))
def reductions_over_a_part(a):
    s = np.sum(a * a, where=a > 0.3) + np.prod(a, where=a > 0.55)
    return s * np.max(a, where=a < 0.9, initial=0.05) + np.sum(a, axis=0, dtype=np.float64, initial=2.0)[1]


@program(args=(V, W), smoke=True)
def copied_and_filled(a, b):
    c = np.zeros(5)
    np.copyto(c, a * b)
    np.copyto(c, b, where=a > 0.45)
    d = np.empty((2, 5))
    d[0].fill(a[1])
    np.copyto(d[1], c)
    return np.sum(c * d)


@program(args=(V, W))
def put_and_masks(a, b):
    c = a * a
    np.put(c, [0, 3, 3], b[:3])
    c.put([1, 2], b[0])
    np.putmask(c, a > 0.8, b)
    np.place(c, a < 0.0, b[2:4])
    d = np.outer(c, b)
    np.put(d, [3, 7], a)
    np.put_along_axis(d, np.argsort(np.outer(a, b), axis=1)[:, :2], d[:, 3:] * 2, axis=1)
    return np.sum(d * d)


@program(args=(M, V))
def diagonals_filled(a, b):
    c = a * a
    np.fill_diagonal(c, b[0])
    np.fill_diagonal(c[:, 1:], b[:3])
    return np.sum(c * a)


@program(args=(M,), smoke=True)
def sorted_in_place(a):
    b = np.sin(9.0 * a)
    b[0].sort()
    c = b * a
    c.sort(axis=0)
    return np.sum(b[0, 1:] * b[0, :-1]) + c[0, 0] * c[2, 3]


@program(args=(V, W), smoke=True)
def scattered_by_add(a, v):
    c = a * a
    np.add.at(c, INDEX, v * v)
    np.subtract.at(c, INDEX[:2], 0.5)
    np.add.at(c, 3, v[0])
    return np.sum(c * c)


@program(args=(V, W))
def scattered_otherwise(a, v):
    c = a * a
    np.multiply.at(c, INDEX, v)
    np.maximum.at(c, INDEX, v[::-1])
    np.divide.at(c, np.array([0, 0, 4]), 1.5)
    np.negative.at(c, np.array([1, 1, 3]))
    d = np.outer(c, a)
    np.add.at(d, (INDEX, [1, 2, 2, 0, 4]), v)
    np.multiply.at(d, np.array([0, 0, 3]), v)
    return np.sum(d * d)


@program(args=(V, W))
def methods_of_ufuncs(a, b):
    s = np.sum(np.multiply.outer(a, b) * np.add.outer(a, a)) + np.sum(np.subtract.outer(a, b) ** 2)
    s += np.add.reduce(a * a) + np.multiply.reduce(b) + np.sum(np.add.accumulate(a) ** 2)
    return s + np.sum(np.maximum.accumulate(a) * b)


@program(args=(M,))
def reduced_along_an_axis(a):
    c = np.maximum.accumulate(a, axis=1) * np.minimum.reduce(a, axis=0)
    return np.sum(np.add.reduce(a * a, axis=1) ** 2) + np.sum(c * np.multiply.accumulate(a))


@program(args=(V, 3), wrt=(0,))
def one_of_two_buffers(u, n):
    buffers = [u.copy(), np.zeros_like(u)]
    for k in range(n):
        old = buffers[k % 2]
        new = buffers[(k + 1) % 2]
        new[:] = old * old + 0.1
        new[0] += old[1]
    return np.sum(buffers[n % 2] * u)
