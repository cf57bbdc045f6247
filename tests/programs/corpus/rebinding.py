"""Names that are given another value: parameters, locals, swaps, names of other types."""

import math

import numpy as np

from . import program

X = np.array([0.3, -0.7, 1.1, 0.9, 0.2, 0.5])


@program(args=(1.5,), order=2)
def parameter_rebound(x):
    x = x * x
    x = math.sin(x)
    return x * 3.0


@program(args=(1.5, 2.5), order=2, smoke=True)
def parameter_overwritten_by_another(x, y):
    x = y * y
    return x * y


@program(args=(0.5, 2.0), order=2)
def tuple_swap(x, y):
    x, y = y, x * y
    x, y = y + x, x
    return x * x * y


@program(args=(0.5, 2.0, -1.0))
def rotation_of_three(a, b, c):
    for _ in range(4):
        a, b, c = b * 0.5, c + a, math.sin(a)
    return a * b + c


@program(args=(2.0,))
def accumulated_in_place_of_itself(x):
    t = 1.0
    t = t * x
    t = t * x + t
    t = t * t
    return t


@program(args=(np.array([1.0, -2.0]),))
def array_name_rebound(x):
    y = x * 2.0
    y = y * x
    x = y + x
    return np.sum(x * y)


@program(args=(np.array([1.0, -2.0, 0.5]),))
def array_name_becomes_scalar(x):
    t = x * x
    t = np.sum(t)
    t = t * x[0]
    return t


@program(args=(1.5,))
def rebound_to_a_constant_and_back(x):
    t = x * x
    t = 2.0
    t = t * x
    return t


@program(args=(1.5, 0.5))
def rebound_on_one_path(x, y):
    t = x
    if x > y:
        t = y * t
    return t * t + x


@program(args=(1.5, 0.5))
def parameter_overwritten_with_constant(x, y):
    r = x * y
    x = 4.0
    return r * x


@program(args=(0.8,))
def deleted_name(x):
    t = x * x
    u = t + 1.0
    del t
    return u * x


@program(args=(X, 5), wrt=(0,))
def bound_in_an_earlier_iteration(x, n):
    for k in range(n):
        if k == 1:
            t = 2.0 * x[k]
    return t * t


@program(args=(X, 5), wrt=(0,))
def changed_where_an_earlier_iteration_bound_it(x, n):
    for k in range(n):
        if k == 1:
            last = 2.0 * x[k]
        if k >= 2:
            last = last * x[k]
    return last * x[0]


@program(args=(X, 5), wrt=(0,))
def integer_bound_in_an_earlier_iteration(x, n):
    s = 0.0
    for k in range(n):
        if k == 1:
            m = 2
        elif k == 3:
            m = 3
        if k >= 1:
            s += x[k] ** m
    return s


@program(args=(X, 5), wrt=(0,))
def array_bound_in_an_earlier_iteration(x, n):
    s = 0.0
    for k in range(n):
        if k == 1:
            a = 2.0 * x
        if k == 3:
            a = a[::-1].copy()
        if k >= 1:
            a[k] = a[k - 1] * x[k]
            s += a[k]
    return s * np.sum(a)


@program(args=(X, 5), wrt=(0,))
def bound_by_a_loop_that_runs_now_and_then(x, n):
    s = 0.0
    for i in range(n):
        for j in range(3 * (i % 2)):
            t = x[j]
        if i >= 1:
            s += t * x[j] * (j + i)
    return s * x[0]


@program(args=(X, 5), wrt=(0,))
def tuple_bound_in_an_earlier_iteration(x, n):
    s = 0.0
    for k in range(n):
        if k == 1:
            last = (2.0 * x[k], x[k])
        if k >= 2:
            s += last[0] * x[k] * last[1]
        if k == 3:
            last = (s, last[0])
    return s * x[0]


@program(args=(X, 5), wrt=(0,))
def while_test_of_what_an_iteration_binds(x, n):
    s, k = 0.0, 0
    while k < n and (k < 2 or last < 5.0):
        k += 1
        if k < 2:
            last = 2.0 * x[k]
        else:
            last = last * x[k] + 0.1
            s += last
    return s * x[0]


def _early(x, k, s):
    if k > 2:
        r = x[k] * s
    if k > 2:
        return r * r
    return s + x[k]


@program(args=(X, 5), wrt=(0,))
def saved_where_it_is_not_bound(x, n):
    s = 0.0
    for k in range(n):
        s = _early(x, k, s)
    return s


@program(args=(X, 5), wrt=(0,))
def containers_bound_in_an_earlier_iteration(x, n):
    for k in range(n):
        for j in range(k % 2):
            pair = {"a": x[k], "b": [x[j], x[k] ** 2]}
    return pair["a"] * pair["b"][0] * pair["b"][1]


@program(args=(X, 4), wrt=(0,))
def view_bound_by_an_inner_loop(x, n):
    a = 1.0 * x
    for _ in range(n):
        for j in range(3):
            v = a[-2 - j : 6 - j]
            v[0] = v[1] * v[0]
    return np.sum(v * v) * a[0]


# Arrays that a loop makes shorter or longer. --------------------------------------------------------

SIX = np.array([0.3, -0.7, 1.1, 0.4, -1.2, 0.8])


@program(args=(SIX, 0.6), order=2)
def arrays_that_shrink_together(x, c):
    s = x * 2.0
    v = np.maximum(c - s, 0.1)
    for _ in range(3):
        s = s[:-1] * c
        v = c * v[:-1] + (1.0 - c) * v[1:]
        v = np.maximum(v, c - s)
    return v[0] * v[1] + np.sum(s * v)


@program(args=(SIX, 0.6))
def arrays_of_which_one_shrinks_faster(x, c):
    s = x * 2.0
    v = np.sin(s)
    for _ in range(2):
        s = s[:-1] * c
        v = v[1:-1] * np.sum(s)
    return np.sum(s) + np.sum(v * s[: v.shape[0]])


@program(args=(SIX, 0.6))
def array_that_shrinks_to_one(x, c):
    s = x * 2.0
    v = x * c
    for _ in range(5):
        s = s[:-1] * c + v[0]
        v = v + s[0] * np.sum(s * s)
    return np.sum(s * v)


@program(args=(SIX, 0.6))
def array_that_grows(x, c):
    s = x[:2] * 2.0
    v = x[:2] * c
    for k in range(3):
        s, v = np.concatenate((s, x[k:k + 1])), np.concatenate((v * c, x[k:k + 1] * s[0]))
        s = s * v
    return np.sum(s * v)


@program(args=(SIX, 0.6))
def arrays_that_take_turns(x, c):
    s = x * 2.0
    v = x * c
    while s.shape[0] > 2:
        s, v = v[1:] * c, s[:-1] + v[1:]
    return np.sum(s * v)


@program(args=(SIX, 0.6, 0), wrt=("x", "c"))
def array_that_may_not_shrink(x, c, n):
    s = x * c
    v = x * x
    for _ in range(n):
        s = s[1:] * v[:-1]
        v = v[1:] * c
    return np.sum(s * v)


@program(args=(SIX, 0.6, 2), wrt=("x", "c"))
def array_that_shrinks_until_it_leaves(x, c, n):
    s = x * c
    for k in range(5):
        s = s[1:] * c
        if k == n:
            break
    t = s * s
    for _ in range(n):
        for _ in range(1):
            t = t[:-1] * s[0]
            s = s[1:] + t
    return np.sum(t * s)
