"""Names of one memory: views, swaps, arrays chosen by the path; cells stored to twice; elements not used."""

import copy
import itertools
import math

import numpy as np

from . import program

X = np.array([0.3, -0.7, 1.1, 0.9, 0.2, 0.5])
M = np.array([[0.3, -0.7, 1.1], [0.9, 0.2, 0.5]])
W = np.arange(1.0, 7.0)
TWICE = np.array([0, 0, 1])
SQUARE = np.array([[0, 1], [1, 0]])
POSITIVE = np.array([True, False, True])


@program(args=(M,), order=2)
def transposed_after_store(m):
    a = m.copy()
    a[0, 0] = 0.0
    return a.T


@program(args=(M,), order=2)
def store_through_axes(m):
    a = m.copy()
    b = np.expand_dims(a.swapaxes(0, 1), 0)
    b[0, 1, 1] = m[0, 0] ** 2
    c = np.squeeze(b, 0)
    c[0] *= 2.0
    return np.sum(a**2)


@program(args=(M,), order=2)
def store_through_ravel(m):
    a = m.copy()
    b = a.ravel()
    b[0] = m[1, 1] * m[0, 1]
    return np.sum(a**2)


@program(args=(M,), order=2)
def broadcast_of_stored(m):
    a = m.copy()
    a[0] = m[1] ** 2
    return np.sum(np.broadcast_to(a, (4, 2, 3)) ** 2)


@program(args=(M,), cpu="numba reshapes contiguous arrays only")
def copy_by_reshape_of_stored(m):
    a = np.zeros((2, 3))
    a[:] = m
    b = a[:, ::-1].reshape(6)
    return np.sum(b**2) + b[0] * a[0, 0]


@program(args=(X,), order=2)
def identity_is_a_copy(x):
    y = x * 1.0
    n = -x
    z = -n
    u = x + 0.0
    y[0] = 0.0
    z[1] = x[0] * 2.0
    x[2] = 2.0
    return np.sum(y * z * x * u)


@program(args=(X,), order=2)
def repeated_index_last_wins(x):
    y = x.copy()
    y[TWICE] = x[3:] ** 2
    y[TWICE] += x[2]
    return np.sum(y * y * W)


@program(args=(X,))
def repeated_index_of_two_axes(x):
    y = np.zeros(6)
    y[SQUARE] = x[:4].reshape(2, 2) ** 2
    return np.sum(y * y * W)


@program(args=(X,))
def negative_index_is_the_same_cell(x):
    y = np.zeros(2)
    y[np.arange(-2, 2)] = x[:4] * x[1:5]
    return np.sum(y * y)


@program(args=(np.array([0.3, 1.1, 0.9]),), order=2)
def singular_where(x):
    return np.sum(np.where(x >= 0, x, x * np.sqrt(-x)))


@program(args=(np.array([0.5, -0.3, 2.0]),))
def singular_selection(d):
    return np.sum((d**0.5)[d > 0]) + np.sum(np.log(d)[POSITIVE])


@program(args=(np.array([0.5, 0.3, 2.0]),))
def singular_overwritten(d):
    y = np.sqrt(d - np.array([0.0, 0.3, 0.0]) * (d / d))
    y[1] = 0.0
    return np.sum(y)


@program(args=(X,), order=2)
def chosen_by_a_condition(x):
    a = x * 2.0
    d = x * x
    c = a if x[0] > 0 else d
    c[0] = x[1] * x[2]
    return np.sum(a * d * W)


@program(args=(X,), order=2)
def chosen_in_each_iteration(x):
    a = x * 2.0
    b = x * x
    for k in range(5):
        p = a if x[k] > 0.25 else b
        q = b if x[k] > 0.25 else a
        p[k] = q[k + 1] * p[k]
    return np.sum(a * W * b)


@program(args=(X,), order=2)
def view_of_a_view_in_a_loop(x):
    a = x * 2.0
    k = 0
    p = a
    while k < 3:
        v = p[1:]
        v[0] = v[0] * v[1]
        p = v
        k += 1
    return np.sum(a * W)


@program(args=(X,), order=2)
def buffers_swapped(x):
    cur, nxt = x.copy(), np.zeros(6)
    for _ in range(3):
        nxt[1:-1] = cur[:-2] * cur[2:] + cur[1:-1]
        nxt[0] = cur[0]
        nxt[-1] = cur[-1]
        cur, nxt = nxt, cur
    return np.sum(cur * W * nxt)


@program(args=(X,), order=2)
def arrays_of_a_list_written(x):
    hist = []
    for k in range(3):
        z = np.zeros(6)
        z[k:] = x[k:] * x[k]
        hist.append(z)
        if k > 0:
            hist[k - 1][k] = z[k] * 2.0
    return np.sum(hist[0] * hist[1] * hist[2]) + hist[0][1]


@program(args=(X,), order=2)
def last_of_a_list_that_grows(x):
    hist = [x]
    for _ in range(3):
        y = hist[-1] * hist[0]
        y[0] = y[1] ** 2
        hist.append(y)
    return np.sum(hist[-1] * hist[1])


@program(args=(X,), order=2)
def written_on_one_path(x):
    a = x * 1.5
    b = np.cos(x)
    if x[1] > 0.2:
        for _ in range(2):
            a[1:4] += a[3:0:-1]
            b, a = a, b
    return np.sum(b * W * a)


@program(args=(X,), order=2)
def reversed_until_a_break(x):
    d = x.copy()
    for k in range(3):
        if d[k + 1] > 0.8:
            break
        for _ in range(1, 3):
            d = d[::-1]
    return np.sum(d * W * (x + 0.1))


@program(args=(X,), order=2)
def added_slices_in_a_loop(x):
    a = np.zeros(6)
    for i in range(3):
        b = a[i : i + 3]
        c = b[1:]
        c += x[i : i + 2] * b[0] + x[2:4]
    return np.sum(a * a)


@program(args=(X,), order=2)
def written_and_carried_on_one_path(x):
    d = x * 1.5
    for k in range(3):
        if x[k] > 0.2:
            c = d * x
            if x[k] > 1.0:
                c[k] = x[k] * d[0]
            d = d + c
    return np.sum(d * W)


def _folded(p):
    s = 0.0
    for e in p:
        s = math.tanh(s + 0.3 * e)
    return s


@program(args=(np.array([0.3, -0.7, 0.5]),), order=2)
def view_read_before_and_after_its_base(u):
    return np.sum(u * _folded(u[::-1])) * np.sum(u * _folded(u[::-1]))


@program(args=(np.array([0.3, -0.7, 0.5]),), order=2)
def row_of_a_row_used_whole(u):
    v = u[1:] * 1.5
    w = v[::-1]
    s = 0.0
    for k in range(2):
        s = s + w[k] * v[k]
    return s * np.sum(v * v) + np.sum(w * u[1:])


@program(args=(np.array([0.5, -1.5, 2.0]), 3), wrt=(0,), smoke=True)
def sum_that_feeds_itself_through_a_view(x, n):
    s = x * 0.5
    t = s[:]
    for _ in range(n):
        t[1] += x[0] * s[-2]
    return np.sum(s * x)


@program(args=(X, 3), wrt=(0,))
def additions_through_a_view_in_a_loop(x, n):
    a = 1.0 * x
    v = a[1:]
    for _ in range(n):
        v[2:4] += np.sort(a[4:6])
    return np.sum(v * v)


@program(args=(X, 3), wrt=(0,))
def additions_to_a_view_of_what_is_read(x, n):
    a = 1.0 * x
    v = a[1:]
    for i in range(n):
        v[i] += a[i]
        np.add.at(a, [4, i, 4], v[1:4])
    return np.sum(v * v)


@program(args=(np.array([0.5, -1.5, 2.0, 0.25]), 3), wrt=(0,))
def rows_in_a_list_and_in_the_matrix(x, n):
    a = np.outer(x, x)
    rows = []
    for k in range(n):
        rows.append(a[k])
    for k in range(n):
        rows[k][k] = x[0] * k
        a[k, 0] += rows[(k + 1) % n][1]
    return np.sum(a * a)


@program(args=(np.array([0.5, -1.5, 2.0, 0.25]), 3), wrt=(0,))
def popped_changed_and_pushed(x, n):
    stack = [x * 1.0, x * 2.0]
    for k in range(n):
        a = stack.pop()
        b = stack[-1]
        a[:] = a * b
        b[k] += a[0]
        stack.append(a)
        stack.append(b)
    return sum(np.sum(v * x) for v in stack)


@program(args=(np.array([0.5, -1.5, 2.0, 0.25]), 3), wrt=(0,))
def each_row_from_the_one_before(x, n):
    rows = np.zeros((n + 1, 4))
    rows[0] = x
    row = rows[0]
    for k in range(n):
        after = rows[k + 1]
        after[:] = row * row + 0.1 * row[::-1]
        row = after
    row[0] = rows[1, 1]
    return np.sum(rows * rows)


@program(args=(np.array([0.5, -1.5, 2.0, 0.25]), 3), wrt=(0,))
def swapped_on_a_condition(x, n):
    a, b = x * 1.0, x * 2.0
    for k in range(n):
        if a[k] > 0.4:
            a, b = b, a
        a[k] *= b[(k + 1) % 4]
        b[k] += a[0]
    return np.sum(a * x) + np.sum(b * b)


@program(args=(np.array([0.5, -1.5, 2.0, 0.25]), 3), wrt=(0,))
def same_array_or_a_copy(x, n):
    def updated(a, k):
        if a[k] > 0.3:
            return a
        b = a.copy()
        b[k] = a[k] * 3.0
        return b

    y = x * 1.0
    z = y
    for k in range(n):
        z = updated(z, k)
        z[3] += z[k]
    return np.sum(z * x) + np.sum(y * y)


# Rows in lists, and what NumPy gives as a view without saying so.


@program(args=(M,), order=2)
def rows_of_a_list_changed(m):
    a = m * 1.0
    rows = list(a)
    rows[0][:] = rows[1] * rows[0]
    for k, row in enumerate(tuple(a)):
        row[k] *= 2.0
    return np.sum(a * a) + (rows[1][0] if isinstance(rows, list) else 0.0)


@program(args=(M,), order=2)
def row_of_a_list_replaced(m):
    a = m * 1.0
    rows = list(a)
    rows[0], rows[1] = rows[1], rows[0] * 2.0
    rows[0][1] = m[1, 0] ** 2
    rows += [rows[1]]
    return np.sum(a * a) + np.sum(rows[1] * rows[2])


@program(args=(X,), order=2)
def part_of_a_list_of_numbers_changed(x):
    values = list(x)
    part = values[1:]
    part[0] = values[0] * 5.0
    return sum(values) * values[1] + sum(part)


@program(args=(M,), order=2)
def nested_list_with_a_row_twice(m):
    table = m.tolist()
    table[0] = table[1]
    table[0][0] = 7.0 * m[0, 1]
    return sum(table[1]) * table[0][1]


@program(args=(np.outer(X[:3], X[:3]),))
def views_by_einsum_and_conj(m):
    a = m * 1.0
    np.einsum("ij->ji", a)[0, 1:] = m[0, 0] ** 2
    a.conj()[2] *= a[1]
    trace = np.einsum("ii->i", m)
    return np.sum(a**2) + np.sum(trace**3)


@program(args=(M,), order=2)
def pairs_kept_while_others_are_written(m):
    pairs = []
    for k in range(len(m)):
        a = np.zeros(3)
        a[k] = m[k, 0]
        b = m[k] * 1.0
        b[0] *= a[k]
        pairs.append((a, b))
    return sum(np.sum(a * b) for a, b in pairs)


@program(args=(np.outer(X[:3], X[3:]),))
def rows_sorted_by_a_key_and_changed(m):
    a = m * 1.0
    rows = [a[0], a[1], a[2]]
    rows.sort(key=lambda row: row[0])
    rows[0] *= 2.0
    first, *_ = sorted([(row[1], row) for row in rows], key=lambda pair: -pair[0])
    first[1][1:] += rows[1][:-1]
    return np.sum(a * a)


@program(args=(np.outer(X[:3], X[3:]),))
def rows_sorted_before_the_array_changes(m):
    a = m * 1.0
    rows = []
    for k in range(len(a)):
        rows.append(a[k])
    in_order = sorted(rows, key=lambda row: row[0])
    first, second = next((p, q) for p, q in itertools.combinations(rows, 2) if p[0] < 9.0)
    a[:, 2] *= 2.0
    second += first
    return np.sum(in_order[0] * in_order[2])


@program(args=(np.outer(X[:3], X[3:]),))
def copies_of_lists_of_rows(m):
    a = m * 1.0
    rows = []
    for k in range(len(a)):
        rows.append(a[k])
    shallow, deep = copy.copy(rows), copy.deepcopy(rows)
    shallow[0] = m[1] * 1.0
    shallow[1][0] = 5.0
    deep[0][1] = 7.0
    other = list(a).copy()
    other[2][2] = m[0, 0] ** 2
    return np.sum(a * a) + np.sum(shallow[0]) + np.sum(deep[0] * deep[2])


@program(args=(np.outer(X[:3], X[3:]),))
def lists_of_rows_that_a_loop_exchanges(m):
    a = m * 1.0
    rows = list(a)
    for k in range(3):
        rows = rows[::-1]
        rows[0] = rows[1] * 0.5
        rows[2][k] = 1.0
    table = m.tolist()
    copies = [row[:] for row in table]
    copies[0][0] = 3.0 * table[1][1]
    numbers = table[1] if m[0, 0] > 0.0 else table[2]
    part = numbers[1:]
    part[0] = 9.0
    return np.sum(a * a) + np.sum(rows[0] * rows[2]) + sum(table[0]) * sum(numbers) + copies[0][0]
