"""Reading elements, slices, negative, fancy and boolean indices."""

import numpy as np

from . import program

V = np.array([0.5, -1.5, 2.0, 0.25, -0.75, 1.25])
M = np.array([[0.5, 1.0, -0.3], [2.0, -1.0, 0.7], [0.2, 0.4, 0.9], [1.1, 0.8, -0.6]])
T = np.linspace(-1.0, 1.0, 24).reshape(2, 3, 4) ** 2 + 0.1


@program(args=(V,), order=2)
def elements(x):
    return x[0] * x[1] + x[3] ** 2


@program(args=(V,))
def negative_elements(x):
    return x[-1] * x[-2] + x[-len(x)] * x[0]


@program(args=(M,), smoke=True)
def matrix_elements(m):
    return m[0, 1] * m[2, -1] + m[-1][0] * m[1][1]


@program(args=(M,))
def rows_and_columns(m):
    return np.sum(m[1] * m[-1]) + np.sum(m[:, 0] * m[:, 2])


@program(args=(V,))
def slices(x):
    return np.sum(x[1:4] * x[2:5]) + np.sum(x[:2]) * np.sum(x[-2:])


@program(args=(V,))
def slices_with_step(x):
    return np.sum(x[::2] * x[1::2]) + np.sum(x[::-1] * x) + np.sum(x[4:0:-2] ** 3)


@program(args=(V,))
def slices_out_of_range(x):
    return np.sum(x[2:100] ** 2) + np.sum(x[10:]) + np.sum(x[-100:2])


@program(args=(M,))
def slices_of_matrix(m):
    return np.sum(m[1:, :-1] * m[:-1, 1:])


@program(args=(M,), order=2)
def slice_of_slice(m):
    a = m[1:]
    b = a[:, 1:]
    c = b[0]
    return np.sum(c * c) * b[1, 0] * a[2, 2]


@program(args=(T,))
def ellipsis_and_newaxis(t):
    a = t[..., 1]
    b = t[0, ..., np.newaxis]
    c = t[:, None, 2, :]
    return np.sum(a * a) + np.sum(b**3) + np.sum(c[..., 0])


@program(args=(V,))
def outer_by_newaxis(x):
    return np.sum(x[:, np.newaxis] * x[np.newaxis, :] ** 2)


@program(args=(V,))
def fancy_list(x):
    return np.sum(x[[0, 2, 2, -1]] ** 2)


@program(args=(V, np.array([0, 3, 3, 3, 5])), wrt=(0,), smoke=True)
def fancy_array_repeats(x, index):
    return np.sum(x[index] * x[index] * np.arange(1.0, 6.0))


@program(args=(M, np.array([0, 2, 2]), np.array([1, 0, 0])), wrt=(0,))
def fancy_pairs(m, i, j):
    return np.sum(m[i, j] ** 2)


@program(args=(M,))
def fancy_rows_and_slice(m):
    return np.sum(m[[0, 2, 0]] ** 2) + np.sum(m[[1, 3], 1:] ** 3) + np.sum(m[:, [2, 0, 2]] ** 2)


@program(args=(M,))
def fancy_grid(m):
    return np.sum(m[np.array([[0], [2]]), np.array([[1, 2]])] ** 2)


@program(args=(V,))
def boolean_mask(x):
    return np.sum(x[x > 0.0] ** 2)


@program(args=(M, np.array([True, False, True, True])), wrt=(0,))
def boolean_rows(m, keep):
    return np.sum(m[keep] ** 2) + np.sum(m[keep, 1])


@program(args=(M,))
def boolean_matrix_mask(m):
    return np.sum(np.sin(m[m < 0.95]))


@program(args=(V,))
def take(x):
    return np.sum(np.take(x, [1, 1, 4]) ** 2) + np.sum(x.take([0, 5]))


@program(args=(M,))
def take_along_columns(m):
    return np.sum(np.take(m, [2, 0], axis=1) ** 2)


@program(args=(V, 2), wrt=(0,))
def index_from_argument(x, k):
    return x[k] * x[k + 1] + np.sum(x[k:] * x[k])


@program(args=(V,))
def index_from_loop(x):
    s = 0.0
    for i in range(1, len(x) - 1):
        s += x[i - 1] * x[i + 1] - x[i] ** 2
    return s


@program(args=(V,))
def index_computed(x):
    s = 0.0
    n = len(x)
    for i in range(n):
        s += x[(2 * i + 1) % n] * x[i] + x[i // 2]
    return s


@program(args=(V,))
def index_of_maximum(x):
    k = np.argmax(x)
    return x[k] * x[k - 1]


@program(args=(M,))
def windows_in_loop(m):
    s = 0.0
    for i in range(m.shape[0] - 1):
        w = m[i : i + 2, :2]
        s += np.sum(w * w) * w[0, 1]
    return s


@program(args=(V,))
def slice_object(x):
    s = slice(1, None, 2)
    return np.sum(x[s] ** 2)


@program(args=(M,))
def element_of_expression(m):
    return (m @ m.T)[0, 1] * (m * m)[2][0] + np.sin(m)[1, 1]


@program(args=(V,))
def diagonal_and_flat(x):
    m = np.outer(x, x)
    return np.sum(np.diag(m) * x) + np.trace(m)


@program(args=(V,))
def read_after_rebinding(x):
    y = x
    x = x[1:]
    return np.sum(x * y[:-1])
