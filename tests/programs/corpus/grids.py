"""Grids, index arrays, histograms; arrays made by shape alone; assignments to attributes of arrays."""

import numpy as np

from . import program

V = np.array([0.52, 0.11, 0.83, 0.27, 0.94])
M = np.array([[0.5, 1.0, -0.3, 0.2], [2.0, -1.0, 0.7, 0.4], [0.1, 0.6, -0.8, 1.2]])


@program(args=(V,))
def dense_grids(x):
    rows, columns = np.mgrid[0:5, 0:3]
    both = np.mgrid[1:5, 0:8:2]
    line = np.mgrid[0:1:5j]
    i, j = np.indices((5, 5))
    s = np.sum(x[rows] * columns) + np.sum(x[both[0]] * both[1]) + np.sum(line * x)
    return s + np.sum(x[i] * x[j] * (i - 2 * j))


@program(args=(V,))
def open_grids(x):
    rows, columns = np.ogrid[0:5, 0:3]
    outer = (rows * x[:, None]) * columns
    outer[np.ix_([0, 2], [1, 2])] = np.outer(x[:2], x[3:])
    outer[np.ix_(x > 0.5, [True, False, True])] *= x[0]
    return np.sum(outer * outer)


@program(args=(M,), smoke=True)
def all_indices(a):
    s = 0.0
    for i, j in np.ndindex(a.shape):
        a[i, j] *= 2.0
        s += a[i, j] ** 2 * (i + 1)
    for (i, j), v in np.ndenumerate(a):
        s += v * i - j * v * v
    return s


@program(args=(V, V[::-1].copy()), wrt=(1,))
def histograms(x, w):
    counts, edges = np.histogram(x, bins=4)
    h = np.histogram(x, 3, weights=w * w)[0] / np.histogram(x, 3)[0]
    d = np.histogram(x, bins=np.array([0.0, 0.3, 0.6, 1.0]), weights=w, density=True)[0]
    fixed, _ = np.histogram(x, 2, range=(0.2, 0.8), weights=w)
    return np.sum(h * h) * counts[1] * edges[2] + d[1] * d[2] + fixed[0] * fixed[1]


@program(args=(V,))
def arrays_by_shape(x):
    y = np.ndarray((5,))
    y[:] = x * x
    z = np.ndarray(shape=(2, 2), dtype=np.float64)
    z[...] = x[0]
    e = np.empty_like(x, shape=(2, 5))
    e[0] = x
    e[1] = y
    f = np.zeros_like(e, dtype=float)
    f += np.full_like(x, x[1], shape=(2, 1)) * e
    return np.sum(f * e) * np.sum(z)


@program(args=(V,))
def shape_and_flat_assigned(x):
    y = np.sin(x[:4])
    alias = y
    y.shape = (2, 2)
    y[0, 1] *= alias[1, 0]
    z = np.empty((2, 2))
    z.flat = y * 2.0
    z.flat[3] = x[4]
    alias.shape = 4
    return np.sum(z.ravel() * y) + alias[1]


@program(args=(np.array([0.5 + 1.0j, -0.3 + 0.2j, 1.1 - 0.7j]),), smoke=True)
def parts_assigned(z):
    w = z * z
    w.real = 0.5 * w.imag
    w.imag[:2] *= 2.0
    x = np.abs(z)
    x.real = x * x
    return np.sum(np.abs(w) ** 2 * x)
