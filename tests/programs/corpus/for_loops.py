"""`for` over ranges, arrays, tuples, lists, `enumerate`, `zip`, `reversed`, dict items; `for … else`."""

import math

import numpy as np

from . import program

VECTOR = np.array([0.5, -1.5, 2.0, 0.25])


@program(args=(np.array([0.5, 1.2, -0.3, 0.8]),), order=2, smoke=True)
def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


@program(args=(0.5, 0.1, 1.3, 0.2, 12, 0.05), wrt=(0, 1, 2, 3), order=2, smoke=True)
def carried_state(theta, omega, length, drag, steps, dt):
    for k in range(steps):
        accel = -9.81 / length * math.sin(theta) - drag * omega * abs(omega)
        theta = theta + dt * omega
        omega = omega + dt * accel
    return theta * theta


@program(args=(1.1, 5), wrt=(0,), order=2)
def power_by_repetition(x, n):
    r = 1.0
    for _ in range(n):
        r = r * x
    return r


@program(args=(0.7,))
def range_with_start(x):
    s = 0.0
    for i in range(2, 6):
        s = s + math.sin(i * x)
    return s


@program(args=(0.7,))
def range_with_step(x):
    s = x
    for i in range(1, 10, 3):
        s = s * math.cos(i * x) + x
    return s


@program(args=(0.7,))
def range_downwards(x):
    s = x
    for i in range(5, 0, -1):
        s = math.sin(s) * i + x
    return s


@program(args=(0.7,))
def range_downwards_by_two(x):
    s = x
    for i in range(7, -2, -2):
        s = s * 0.5 + math.sin(s + i)
    return s


@program(args=(0.7, 3), wrt=(0,))
def range_with_step_from_argument(x, step):
    s = x
    for i in range(0, 10, step):
        s = s * x + i
    return s


@program(args=(0.7, -3), wrt=(0,))
def range_with_negative_step_from_argument(x, step):
    s = x
    for i in range(10, 0, step):
        s = s * x + i
    return s


@program(args=(0.7, 0), wrt=(0,))
def range_of_zero_trips(x, n):
    r = x * x
    for i in range(n):
        r = r * x * i
    return r


@program(args=(0.7, -4), wrt=(0,))
def range_of_negative_length(x, n):
    r = x * x
    for i in range(n):
        r = r * x * i
    return r


@program(args=(VECTOR,), order=2)
def over_array(x):
    s = 0.0
    for v in x:
        s = s * 0.5 + v * v
    return s


@program(args=(np.array([[0.5, 1.0], [-1.0, 2.0], [0.3, 0.2]]),))
def over_rows(m):
    r = np.ones(2)
    for row in m:
        r = r * np.sin(row) + row
    return np.sum(r)


@program(args=(0.5, 1.5, -1.0))
def over_tuple(a, b, c):
    r = 1.0
    for v in (a, b, c, a * b):
        r = r * v + math.sin(v)
    return r


@program(args=(0.5, 1.5))
def over_list(a, b):
    r = 0.0
    for v in [a, b, a]:
        r = r * v + v
    return r


@program(args=(1.3,))
def over_tuple_of_constants(x):
    r = 0.0
    for c in (3.0, -2.0, 0.5):
        r = r * x + c
    return r


@program(args=(1.3,))
def over_tuple_of_mixed_numbers(x):
    r = x
    for c in (3, -2.0, True):
        r = r * x + c
    return r


@program(args=(VECTOR,), smoke=True)
def over_enumerate(x):
    s = 0.0
    for i, v in enumerate(x):
        s = s + v**2 * (i + 1) + s * v
    return s


@program(args=(VECTOR,))
def over_enumerate_with_start(x):
    s = 0.0
    for i, v in enumerate(x, start=3):
        s = s + v * v * i
    return s


@program(args=(VECTOR, np.array([1.0, 0.5, -0.5, 2.0])))
def over_zip(x, y):
    s = 1.0
    for a, b in zip(x, y):
        s = s * a + b
    return s


@program(args=(np.array([1.0, 2.0, 3.0]), np.array([0.5, -0.5])))
def over_zip_of_other_lengths(x, y):
    s = 0.0
    for a, b, k in zip(x, y, range(10)):
        s = s + a * b * b * (k + 1)
    return s


@program(args=(VECTOR,))
def over_enumerate_of_zip(x):
    s = 0.0
    for i, (a, b) in enumerate(zip(x[:-1], x[1:])):
        s = s + a * b * i + a
    return s


@program(args=(VECTOR, 1.5))
def over_reversed(c, x):
    r = 0.0
    for v in reversed(c):
        r = r * x + v
    return r


@program(args=(1.5,))
def over_reversed_range(x):
    r = x
    for i in reversed(range(1, 8, 2)):
        r = math.sin(r * i)
    return r


@program(args=({"w": 1.5, "b": np.array([0.5, -0.5])},), cpu=True)
def over_dict_items(params):
    s = 0.0
    for key, value in params.items():
        if key == "w":
            s = s + value * value
        else:
            s = s + np.sum(value**3)
    return s


@program(args=(1.5, 0.5))
def over_dict_values_and_keys(x, y):
    d = {"x": x, "y": y}
    r = 1.0
    for v in d.values():
        r = r * v
    for k in d:
        r = r + d[k] * d[k]
    return r


@program(args=(1.5,))
def for_else_reached(x):
    r = x
    for i in range(3):
        r = r * x
        if r > 100.0:
            break
    else:
        r = r + x * x
    return r


@program(args=(1.5,))
def for_else_skipped(x):
    r = x
    for i in range(10):
        r = r * x
        if r > 3.0:
            break
    else:
        r = r * 100.0
    return r


@program(args=(np.arange(6.0).reshape(2, 3) * 0.3 + 0.1,), order=2)
def nested_loops(m):
    s = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            s = s + m[i, j] ** 2 * (i + 1) - s * m[i, j]
    return s


@program(args=(np.array([0.5, -0.4, 0.3, 0.2]),), smoke=True)
def triangular_loops(x):
    s = 0.0
    n = len(x)
    for i in range(n):
        t = 1.0
        for j in range(i + 1):
            t = t * x[j] + x[i]
        s = s + math.sin(t)
    return s


@program(args=(np.array([0.5, -0.4, 0.3, 0.2]),))
def triangular_loops_backwards(x):
    s = 0.0
    for i in range(len(x) - 1, -1, -1):
        for j in range(i, len(x), 2):
            s = s * x[j] + x[i]
    return s


@program(args=(0.5, 0.2))
def loops_one_after_the_other(x, y):
    a = x
    for i in range(3):
        a = math.sin(a) + y
    b = y
    for i in range(4):
        b = b * a + x
    return a * b


@program(args=(0.3,))
def loop_in_branch_in_loop(x):
    r = x
    for i in range(4):
        if i % 2 == 0:
            for j in range(i + 1):
                r = math.sin(r + j * x)
        else:
            r = r * x + i
    return r


@program(args=(0.3, 0.8))
def branch_on_active_value_in_loop(x, y):
    r = x
    for i in range(6):
        if r > 0.9:
            r = r * 0.3 * y
        else:
            r = r + y * x
    return r


@program(args=(np.array([0.3, -0.2]), np.array([[0.5, -0.3], [0.2, 0.7]])), smoke=True)
def array_state(x, w):
    for _ in range(5):
        x = np.tanh(w @ x) + 0.1 * x
    return np.sum(x)


@program(args=(np.array([0.3, -0.2, 0.9]),))
def array_sum_in_loop(x):
    total = np.zeros(3)
    for k in range(1, 4):
        total = total + np.sin(k * x)
    return np.sum(total * total)


@program(args=(0.4,))
def fibonacci_like(x):
    a, b = x, 1.0
    for _ in range(6):
        a, b = b, a * x + b
    return b


@program(args=(1.5, 2.0))
def loop_local_not_carried(x, y):
    s = 0.0
    for i in range(3):
        t = x * i
        u = t * y
        s = s + u * u
    return s


@program(args=(1.5, 2.0))
def constant_reset_in_loop(x, y):
    s = 0.0
    for i in range(3):
        t = 0.0
        t = t + x * i
        t = t * y
        s = s + t
    return s


@program(args=(np.array([[0.1, 0.2], [0.3, -0.4]]), 3), wrt=(0,))
def matrix_power(m, n):
    r = np.eye(2)
    for _ in range(n):
        r = r @ m + m
    return np.sum(r * r)


@program(args=(0.7, 1.3, 4), wrt=(0, 1), order=2)
def invariant_work_in_nested_loops(x, y, n):
    total = 0.0
    for i in range(n):
        for j in range(i):
            total += np.exp(-x * y) * np.sin(y) ** 2 + x**1.5 * j
            y = y * 1.01
    return total


@program(args=(-0.7, 0.0, 0), wrt=(0, 1))
def invariant_work_that_would_raise(x, y, n):
    total = x * y
    for i in range(n):
        total += math.log(x) / y + math.sqrt(x) ** 0.5 * i
    return total


@program(args=(VECTOR, 3), wrt=(0,), order=2)
def invariant_until_stored(x, n):
    y = x.copy()
    total = 0.0
    for i in range(n):
        total += np.sum(np.exp(x) * y)
        total += np.sum(np.exp(y))
        y[i] = total * 0.1
    return total


@program(args=(0.7, 5), wrt=(0,), order=2)
def invariant_after_break(x, n):
    total = x
    for i in range(n):
        if total > 2.0:
            break
        total += np.exp(x) + 1 / x
    while total < 9.0 * np.tanh(x):
        total += np.exp(0.1 * x)
    return total


@program(args=(0.7, 4), wrt=(0,), smoke=True)
def bound_by_one_iteration(x, n):
    s = 0.0
    for k in range(n):
        if k == 1:
            kept = x * k
        s += x * x
    return s * kept * kept


@program(args=(0.7, 4), wrt=(0,))
def bound_by_the_first_and_changed_by_all(x, n):
    s = 0.0
    for k in range(n):
        if k == 0:
            value = x
            pair = (x, x * x)
        s += value * k + pair[1]
        value = value * x
        pair = (pair[1], value)
    return s


@program(args=(np.array([0.5, -1.5, 2.0]), 3), wrt=(0,))
def array_kept_by_one_iteration(x, n):
    s = 0.0
    for k in range(n):
        t = np.zeros(3)
        t[k] = x[k] * x[0]
        if k == 1:
            kept = t
        s += t[k]
    kept[0] = x[2]
    return s + np.sum(kept * kept)


@program(args=(0.7, 3), wrt=(0,))
def bound_by_an_inner_loop(x, n):
    s = 0.0
    for i in range(n):
        for j in range(1 - i):
            t = x * (j + 2)
        s += t * i * x
    while i > 0:
        if i == 2:
            last = s
        s = last * x + s
        i -= 1
    return s
