"""Memory that the function makes: zeros then stores, element `+=`, history arrays, `empty` filled."""

import math

import numpy as np

from . import program

V = np.array([0.5, -1.5, 2.0, 0.25])
M = np.array([[0.5, 1.0, -0.3], [2.0, -1.0, 0.7]])


@program(args=(V,), order=2, smoke=True)
def zeros_then_stores(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] * x[i]
    return np.sum(y * x)


@program(args=(V,))
def empty_filled(x):
    n = x.shape[0]
    y = np.empty(n)
    for i in range(n):
        y[n - 1 - i] = math.sin(x[i])
    return y[0] * y[2] + np.sum(y)


@program(args=(V,), smoke=True)
def element_plus_equals(x):
    y = np.zeros(2)
    for i in range(len(x)):
        y[i % 2] += x[i] ** 2
    return y[0] * y[1]


@program(args=(V,))
def element_other_augmented(x):
    y = np.ones(3)
    for i in range(len(x)):
        y[i % 3] *= x[i]
        y[0] -= x[i] * y[1]
        y[2] /= 1.0 + x[i] ** 2
    return y[0] + y[1] * y[2]


@program(args=(0.5, 0.3, 6), wrt=(0, 1), smoke=True)
def history_array(x, rate, steps):
    h = np.zeros(steps + 1)
    h[0] = x
    for k in range(steps):
        h[k + 1] = h[k] + rate * math.sin(h[k])
    return h[-1] * h[2]


@program(args=(np.array([0.5, 0.3]), 5), wrt=(0,))
def history_matrix(x, steps):
    h = np.zeros((steps, 2))
    h[0] = x
    for k in range(1, steps):
        h[k] = np.tanh(h[k - 1]) + h[k - 1] * 0.1
    return np.sum(h * h)


@program(args=(0.7,))
def overwritten_cell(x):
    y = np.zeros(2)
    y[0] = x * x
    y[1] = y[0] * x
    y[0] = math.sin(y[1])
    y[0] = y[0] * y[1]
    return y[0] * y[1]


@program(args=(0.7,))
def cell_overwritten_with_constant(x):
    y = np.zeros(2)
    y[0] = x * x
    a = y[0] * x
    y[0] = 5.0
    return y[0] * x + a


@program(args=(V,))
def running_cell(x):
    y = np.ones(1)
    for i in range(len(x)):
        y[0] = y[0] * x[i] + 1.0
    return y[0]


@program(args=(V,))
def long_and_short_update_agree(x):
    a = np.zeros(2)
    b = np.zeros(2)
    for i in range(len(x)):
        a[i % 2] = a[i % 2] + x[i] ** 3
        b[i % 2] += x[i] ** 3
    return a[0] * b[1] + a[1] * b[0]


@program(args=(M,))
def matrix_filled_by_element(m):
    r = np.zeros(m.shape)
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            r[i, j] = m[i, j] * (i + 1) + m[i, j] ** 2
    return np.sum(r * m)


@program(args=(M,))
def row_and_column_stores(m):
    r = np.zeros((3, 3))
    r[0] = m[0] * m[1]
    r[1, :] = m[1]
    r[:, 2] = np.sum(m)
    r[1:, 0] = m[:, 1]
    return np.sum(r * r)


@program(args=(V,))
def slice_stores(x):
    y = np.zeros(6)
    y[1:5] = x
    y[::2] = y[::2] * 2.0
    y[-1] = x[0] * x[1]
    return np.sum(y * y)


@program(args=(V,))
def slice_plus_equals(x):
    y = np.zeros(5)
    y[1:] += x
    y[:-1] += x * x
    y[:] *= 2.0
    return np.sum(y**2)


@program(args=(V,))
def copy_then_stores(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] = math.sin(y[i - 1]) * y[i]
    return y[-1]


@program(args=(V,))
def nonlinear_in_place_sweep(x):
    y = np.array(x)
    for t in range(2):
        for i in range(1, len(y) - 1):
            y[i] = 0.5 * y[i - 1] * y[i + 1] + 0.1 * y[i] ** 2
    return np.sum(y)


@program(args=(M,))
def stencil_on_a_copy(m):
    a = np.zeros((4, 5))
    a[1:3, 1:4] = m
    for t in range(2):
        for i in range(1, 3):
            for j in range(1, 4):
                a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i, j + 1] + a[i + 1, j]) / 5.0
    return np.sum(a * a)


@program(args=(V,))
def zeros_like_and_full(x):
    a = np.zeros_like(x)
    b = np.full(4, 2.0)
    c = np.ones_like(x)
    a[0] = x[3]
    b[1] = x[0] * x[2]
    c[2] += x[1]
    return np.sum(a * b * c + b * b)


@program(args=(0.7,))
def full_of_active_value(x):
    a = np.full(3, x)
    a[1] = x * x
    return np.sum(a * a)


@program(args=(V,))
def store_in_branch(x):
    y = np.zeros(4)
    for i in range(4):
        if x[i] > 0.0:
            y[i] = x[i] ** 2
        else:
            y[0] += x[i]
    return np.sum(y * y)


@program(args=(V,))
def store_then_break(x):
    y = np.zeros(4)
    for i in range(4):
        y[i] = x[i] * 2.0
        if x[i] > 1.0:
            break
        y[i] = y[i] * x[i]
    return np.sum(y * y)


@program(args=(V,))
def store_in_while(x):
    y = np.zeros(4)
    i = 0
    s = 0.0
    while s < 2.0 and i < 4:
        y[i] = x[i] + s
        s = s + y[i] ** 2
        i += 1
    return s * y[1]


@program(args=(V,))
def array_made_in_loop(x):
    s = 0.0
    for i in range(3):
        y = np.zeros(2)
        y[0] = x[i]
        y[1] = y[0] * x[i + 1]
        s = s + y[0] * y[1]
    return s


@program(args=(V,))
def array_returned(x):
    y = np.zeros(4)
    for i in range(4):
        y[i] = x[i] * x[3 - i]
    return y


@program(args=(0.7, 4), wrt=(0,))
def table_of_differences(x, n):
    t = np.zeros((n, n))
    for i in range(n):
        t[i, 0] = math.sin(x * (i + 1))
    for j in range(1, n):
        for i in range(n - j):
            t[i, j] = (t[i + 1, j - 1] - t[i, j - 1]) * x
    return t[0, n - 1] + t[1, 1]


@program(args=(np.array([[4.0, 1.0], [1.0, 3.0]]),))
def cholesky_by_hand(a):
    n = a.shape[0]
    low = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= low[i, k] * low[j, k]
            if i == j:
                low[i, i] = math.sqrt(s)
            else:
                low[i, j] = s / low[j, j]
    return low[0, 0] * low[1, 0] + low[1, 1]


@program(args=(V,))
def tuple_swap_of_elements(x):
    y = x * 1.0
    y[0], y[3] = y[3] * 2.0, y[0]
    y[1], y[2] = y[2], y[1] * y[0]
    return y[0] * y[1] + y[2] ** 2 * y[3]


@program(args=(V,))
def helper_fills_callers_array(x):
    def fill(target, source):
        for i in range(len(source)):
            target[i] = source[i] ** 2

    y = np.zeros(4)
    fill(y, x)
    return np.sum(y * x)


@program(args=(V,))
def double_buffer(x):
    a = x * 1.0
    b = np.zeros(4)
    for _ in range(3):
        for i in range(4):
            b[i] = 0.5 * a[i] + 0.25 * a[i - 1] * a[i - 1]
        a, b = b, a
    return np.sum(a * a)


@program(args=(V,))
def fancy_store(x):
    y = np.zeros(5)
    y[[4, 1]] = x[:2] * x[2:]
    y[np.array([0, 2])] = x[0]
    return np.sum(y**2)


@program(args=(V,))
def mask_store(x):
    y = x * x
    y[x < 0.0] = 0.0
    y[y > 3.0] = x[0]
    return np.sum(y * y)


@program(args=(np.array([0.5, -1.5, 2.0, 0.25, -0.75]), np.array([1.2, 0.7, -0.4])))
def slices_that_grow(x, y):
    out = x * x
    for i in range(4):
        out[: i + 1] += x[:i] @ x[:i] * y[: i + 1 if i < 3 else 1]  # a slice of y of one element, and of many
        out[i:] = out[i:] * np.sum(y[:i]) + x[i:]
        out[1 : i + 1] -= y[:1] * out[: i]
    return np.sum(out * x)


@program(args=(np.array([0.5, -1.5, 2.0, 0.25, -0.75]),))
def slices_added_to_themselves(x):
    y = x * 1.5
    for k in range(1, 3):
        y[:k] += y[:k][::-1]
        y[1:] += y[:-1]
        y[:k] = y[:k] + np.sin(y[:k])
        t = y[1:] + x[:-1]
        y[0] = t[0] * y[0]
        y[1:] = t
    return np.sum(y * y)


@program(args=(np.array([0.5, -1.5, 2.0, 0.25, -0.75]),), smoke=True)
def copy_read_before_and_after_stores(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] = y[i - 1] * np.sin(y[i])
        y[i - 1] = y[i - 1] * y[i - 1]
    z = x.copy()
    for k in range(2):
        for i in range(len(z)):
            z[i] = z[i] * z[i] * y[i]
        for i in range(len(z) - 1, -1, -1):
            z[i] *= np.cos(z[len(z) - 1 - i])
    return np.sum(y * y) + np.sum(z)


@program(args=(np.array([0.5, -1.5, 2.0, 0.25, -0.75]),))
def copies_of_what_changes(x):
    w = 2.0 * x
    y = w.copy()
    for i in range(len(y)):
        y[i] = y[i] * y[i]
        w[i] = y[i] + x[i] * w[i]
    z = y[1:4].copy()
    for i in range(3):
        z[i] = z[i] * z[2 - i]
    return np.sum(z * w[:3])
