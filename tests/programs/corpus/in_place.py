"""Arrays written in place, where what the reverse sweep reads is there to the end, or is not."""

import math

import numpy as np

from . import program

V = np.array([0.5, -1.5, 2.0, 0.25, 0.75])
B = np.array([1.0, 0.5, -0.5, 2.0])
S = np.array([[4.0, 0.5, -0.3, 0.2], [0.5, 3.0, 0.7, -0.6], [-0.3, 0.7, 5.0, 0.4], [0.2, -0.6, 0.4, 4.5]])


@program(args=(np.array([[0.5, 1.0, -0.3], [2.0, -1.0, 0.7]]), 3), wrt=(0,))
def cells_by_masks_of_two_axes(g, steps):
    a = g.copy()
    b = np.empty_like(a)
    for _ in range(steps):
        near = np.zeros_like(a)
        near[1:] += a[:-1]
        near[:, 1:] += a[:, :-1]
        live = near > 0.2
        b[live] = np.tanh(a[live] + near[live])
        b[~live] = 0.5 * a[~live] * near[~live]
        b.T[live.T] = b.T[live.T] * 1.5
        a, b = b, a
    return np.sum(a * a * b)


@program(args=(S,), rtol=1e-5)
def lu_in_place(A):
    for i in range(len(A)):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[k, j]
            A[i, j] /= A[j, j]
        for j in range(i, len(A)):
            for k in range(i):
                A[i, j] -= A[i, k] * A[k, j]
    return np.sum(A * A)


@program(args=(S,), smoke=True)
def cholesky_in_place(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = math.sqrt(A[i, i])
    return np.sum(A)


@program(args=(S, B), smoke=True)
def forward_and_back_substitution(A, b):
    n = len(b)
    y = np.zeros(n)
    x = np.zeros(n)
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= A[i, j] * y[j]
        y[i] = s / A[i, i]
    for i in range(n - 1, -1, -1):
        s = y[i]
        for j in range(i + 1, n):
            s -= A[i, j] * x[j]
        x[i] = s / A[i, i]
    return np.sum(x * x)


@program(args=(V,))
def durbin(r):
    n = len(r)
    y, z = np.zeros(n), np.zeros(n)
    y[0] = -r[0]
    beta, alpha = 1.0, -r[0]
    for k in range(1, n):
        beta = (1.0 - alpha * alpha) * beta
        s = 0.0
        for i in range(k):
            s += r[k - i - 1] * y[i]
        alpha = -(r[k] + s) / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
    return np.sum(y)


@program(args=(S[:, :3],))
def gram_schmidt(A):
    m, n = A.shape
    R, Q = np.zeros((n, n)), np.zeros((m, n))
    for k in range(n):
        norm = 0.0
        for i in range(m):
            norm += A[i, k] * A[i, k]
        R[k, k] = math.sqrt(norm)
        for i in range(m):
            Q[i, k] = A[i, k] / R[k, k]
        for j in range(k + 1, n):
            for i in range(m):
                R[k, j] += Q[i, k] * A[i, j]
            for i in range(m):
                A[i, j] -= Q[i, k] * R[k, j]
    return np.sum(Q) + np.sum(R * R)


@program(args=(V, 3), wrt=(0,))
def nonlinear_sweeps(x, steps):
    for _ in range(steps):
        for i in range(1, len(x) - 1):
            x[i] = math.sin(x[i - 1]) * x[i] + x[i] * x[i + 1]
    return np.sum(x * x)


@program(args=(V,))
def read_where_the_next_iteration_writes(x):
    y = x * 1.0
    for i in range(len(x) - 1):
        y[i + 1] = y[i] * y[i + 1]
    return y[-1] * y[1]


@program(args=(V,))
def read_behind_by_a_negative_index(x):
    y = x * 1.0
    for i in range(len(x)):
        y[i] = y[i - 1] * x[i]  # y[-1] in the first iteration: written in the last one
    return np.sum(y)


@program(args=(V,))
def read_from_the_end(x):
    y = x * 1.0
    for i in range(len(x)):
        y[i] = y[-1] * x[i]
    return np.sum(y)


@program(args=(V,))
def steps_of_two(x):
    y = x * 1.0
    for i in range(0, len(x) - 1, 2):
        y[i] = y[i + 1] * x[i]
    for i in range(1, len(x), 2):
        y[i] = y[i - 1] * y[i]
    return np.sum(y)


@program(args=(V,))
def backwards(x):
    y = x * 1.0
    for i in range(len(x) - 2, -1, -1):
        y[i] = y[i] * y[i + 1] * y[i + 1]
    return y[0] * y[1]


@program(args=(S,))
def rows_as_views(A):
    A = A * 1.0
    for i in range(1, len(A)):
        above, row = A[i - 1], A[i]
        for j in range(len(row)):
            row[j] = math.sin(above[j]) * row[j]
    return np.sum(A)


@program(args=(S,))
def columns_by_slices(A):
    A = A * 1.0
    for j in range(1, A.shape[1]):
        A[:, j] = A[:, j - 1] * A[:, j]
        A[1:, j] *= A[:-1, j - 1]
    return np.sum(A[:, 1:])


@program(args=(V, B))
def kept_in_memory_then_overwritten(x, w):
    y = np.zeros(5)
    total = 0.0
    for i in range(5):
        y[i] = math.exp(0.3 * x[i])
        total += y[i] * y[i]
    y[2] = w[0]
    return total * y[2] + y[1]


@program(args=(V,))
def kept_in_memory_of_this_iteration(x):
    total = 0.0
    for i in range(len(x)):
        y = np.zeros(3)
        y[0] = math.exp(x[i])
        y[1] = y[0] * x[i]
        total += y[0] * y[1]
    return total


@program(args=(V, 2), wrt=(0,))
def branch_decides_what_is_written(x, k):
    y = x * 1.0
    for i in range(len(x)):
        if i < k:
            y[i] = y[i] * y[k]
        else:
            y[i] = y[i] * y[i]
    return np.sum(y)


@program(args=(V, np.array([3, 0, 3, 1, 2])), wrt=(0,))
def places_by_an_array(x, places):
    y = x * 1.0
    for i in range(len(x)):
        y[places[i]] = y[places[i]] * math.cos(x[i])
    return np.sum(y)


@program(args=(V,))
def two_arrays_swapped(x):
    a, b = x * 1.0, x * 2.0
    for _ in range(3):
        for i in range(1, len(x)):
            b[i] = a[i] * a[i - 1]
        a, b = b, a
    return np.sum(a * b)


@program(args=(S,))
def transposed_store(A):
    A = A * 1.0
    T = A.T
    for i in range(1, len(A)):
        for j in range(i):
            T[i, j] = A[i, j] * T[i, j]
    return np.sum(A * A)


@program(args=(V,))
def empty_loops(x):
    y = x * 1.0
    for i in range(2, 2):
        y[i] = y[i] * y[0]
    for i in range(3):
        for j in range(i, 0):
            y[j] = y[i] * y[i]
        y[i] = y[i] * y[3]
    return np.sum(y * y)


@program(args=(0.5, np.array([0.1, 0.3, 0.2]), S[:, :3]), smoke=True)
def paths_one_after_the_other(start, drift, Z):
    total = 0.0
    for p in range(Z.shape[0]):
        x = start
        for t in range(Z.shape[1]):
            x = x * math.exp(drift[t] + 0.1 * Z[p, t])
        if x > 0.9:
            total += x * x
    return math.log(total) * total


@program(args=(0.5, S[:, :3]))
def paths_that_depend_on_the_one_before(start, Z):
    total = 0.0
    x = start
    for p in range(Z.shape[0]):
        for t in range(Z.shape[1]):
            x = math.sin(x + Z[p, t]) * x
        total += math.exp(x)
    return total


@program(args=(V, S[:, :3]))
def paths_that_see_what_the_one_before_left(x, Z):
    y = x * 1.0
    total = 0.0
    for p in range(1, Z.shape[0]):
        s = y[p - 1]
        for t in range(Z.shape[1]):
            s = s * math.exp(0.1 * Z[p, t])
        y[p] = s * y[p]
        total += s
    return total * y[2]


@program(args=(V, S[:, :3]))
def paths_with_rows_of_their_own(x, Z):
    y = np.zeros((4, 3))
    total = 0.0
    for p in range(4):
        s = x[p]
        for t in range(3):
            s = s * math.cos(Z[p, t])
            y[p, t] = s * s
        total += math.exp(s)
    return total + np.sum(y * Z)


@program(args=(V, np.zeros((0, 3))))
def no_paths(x, Z):
    total = x[0]
    for p in range(Z.shape[0]):
        s = x[p]
        for t in range(Z.shape[1]):
            s = s * math.exp(Z[p, t])
        total += s
    return total * total

@program(args=(np.array([[0.5, 1.0, -0.3], [2.0, -1.0, 0.7], [0.1, 0.6, -0.8]]), 0.1), smoke=True)
def change_that_two_columns_share(u, dt):
    un = u.copy()
    u[1:-1, -1] = un[1:-1, -1] - dt * (un[1:-1, -1] - un[1:-1, -2])
    return np.sum(u * un)


@program(args=(V,), smoke=True)
def rows_of_a_triangle(x):
    total = 0.0
    for i in range(len(x)):
        s = x[i]
        for j in range(i):
            s = math.sin(s) * x[j]
        for j in range(len(x) - 1, i, -1):
            s = s * math.cos(s + x[j])
        total += s
    return total


@program(args=(V,))
def rows_of_a_band(x):
    s = 1.0
    for i in range(len(x) - 2):
        for j in range(i, i + 3):
            s = math.sin(s) + s * x[j]
        for j in range(i + 2, i, -2):
            s = s * x[j]
    return s


@program(args=(V,))
def rows_of_a_pyramid(x):
    s = 1.0
    for i in range(1, len(x)):
        for j in range(i):
            for k in range(j, i + 1):
                s = math.sin(s) + x[k] * x[j]
    return s


@program(args=(V,))
def rows_of_their_own_length(x):
    s = 1.0
    for i in range(len(x)):
        for j in range(i, 2 * i):
            s = math.sin(s) + x[j % 5]
        for j in range(i * i % 4):
            s = math.sin(s) * x[j]
    return s


@program(args=(V,))
def divided_then_compared(x):
    total = 0.0
    for i in range(len(x)):
        part = x[i] / 3.0
        y = part * x[i] / 7.0
        if part / 0.1 < 4.0 and int(y / 0.3) < 1:
            total += y * y / 9.0
        else:
            total -= part / 5.0
    return total


@program(args=(V, 0.1, 0.2, 3), wrt=(0, 1, 2), smoke=True)
def burgers_sweep(u, c, d, steps):
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            u[i] = u[i] - c * u[i] * (u[i] - u[i - 1]) + d * (u[i + 1] - 2 * u[i] + u[i - 1])
    return np.sum(u * u)


@program(args=(S,))
def nonlinear_seidel_by_rows(A):
    for _ in range(2):
        for i in range(1, len(A) - 1):
            row, above = A[i], A[i - 1]
            for j in range(1, len(A) - 1):
                row[j] = 0.1 * (above[j] * row[j - 1] + row[j + 1] * A[i + 1, j]) + math.sin(row[j])
    return np.sum(A * A)


@program(args=(V, 3), wrt=(0,))
def slices_of_one_array(u, steps):
    for _ in range(steps):
        u[1:-1] = u[1:-1] * u[2:] + 0.1 * np.sin(u[:-2])
        u[0] += u[-1] * u[1]
    return np.sum(u * u)


@program(args=(V, 0.3))
def stores_on_some_paths(u, limit):
    for k in range(4):
        for i in range(1, len(u)):
            if u[i] * u[i - 1] > limit:
                u[i] = u[i] * u[i - 1] * 0.5
            elif k == 2:
                u[i - 1] += u[i] * u[i] * u[i - 1]
        if abs(u[1]) > 50.0:
            break
    return np.sum(u)


@program(args=(V,))
def what_made_the_array_reads_it(v):
    h = np.tanh(v)
    h[-2] += 0.3 * v[0]
    h[1:3] *= h[0] * h[2]
    return np.sum(h * h)


@program(args=(V,))
def loaded_before_several_stores(u):
    k = 0
    while k < 3:
        for i in range(len(u) - 1):
            a, b = u[i], u[i + 1]
            u[i] = a * b * u[i - 1]
            u[i + 1] = b + 0.1 * u[i] * a
        k += 1
    return np.sum(u * u)


@program(args=(V, 2), wrt=(0,))
def undone_and_returned(u, steps):
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            u[i] = u[i] * u[i - 1] + 0.1 * u[i + 1] * u[i]
    return u, np.sum(u[1:] * u[:-1])


@program(args=(S, B), rtol=1e-5)
def rows_chosen_by_numbers(A, b):
    D = np.outer(b, b)
    for k in np.array([0, 2, 2, 1]):
        D[k] = 0.3 * D[k] * D[k - 1] + A[k]
        D[[0, 1]] *= D[[1, 3]] * 0.5
    return np.sum(D * D)
