"""`while`: on active values, on counters, nested, with `else`."""

import math

import numpy as np

from . import program


@program(args=(2.0,), order=2, smoke=True)
def newton_square_root(a):
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


@program(args=(0.7, 4), wrt=(0,))
def while_counts_down(x, n):
    r = x
    while n > 0:
        r = math.sin(r) * x
        n -= 1
    return r


@program(args=(1.3,))
def while_on_active(x):
    while x < 10.0:
        x = x * x + 0.1
    return x


@program(args=(11.0,))
def while_never_entered(x):
    r = x * x
    while x < 10.0:
        r = r * x
        x = x + 1.0
    return r


@program(args=(1.3,))
def while_else_reached(x):
    r = x
    while r < 5.0:
        r = r * x
    else:
        r = r + x * x
    return r


@program(args=(1.3,))
def while_else_skipped(x):
    r = x
    while r < 50.0:
        r = r * x
        if r > 4.0:
            break
    else:
        r = r * 1000.0
    return r


@program(args=(1.3,))
def while_true_break(x):
    r = x
    k = 0
    while True:
        r = r * x + 0.1 * k
        k += 1
        if r > 9.0:
            break
    return r * k


@program(args=(1.3, 0.4))
def while_nested(x, y):
    r = x
    while r < 6.0:
        t = y
        while t < r:
            t = t * 2.0 + x * 0.1
        r = r + t * 0.5
    return r


@program(args=(np.array([0.5, 0.7, 0.9, 1.1]),))
def while_with_index(x):
    i = 0
    s = 0.0
    while i < len(x) and s < 1.5:
        s = s + x[i] * x[i]
        i = i + 1
    return s * s


@program(args=(0.9,))
def while_in_for(x):
    total = 0.0
    for i in range(3):
        t = x + i
        while t > 0.5:
            t = t * 0.6
        total = total + t * t
    return total


@program(args=(0.9,))
def for_in_while(x):
    s = x
    while s < 3.0:
        for i in range(2):
            s = s * 1.1 + 0.2 * x
    return s


@program(args=(np.array([3.0, 4.0]),))
def while_on_array(x):
    n = 0
    while np.sum(x * x) > 1.0:
        x = x * 0.6
        n += 1
    return np.sum(x) * n


@program(args=(4.0, 0.3), smoke=True)
def bisection_like(a, b):
    lo = b
    hi = a
    k = 0
    while k < 6:
        mid = 0.5 * (lo + hi)
        if mid * mid > 2.3:
            hi = mid * 0.99
        else:
            lo = mid
        k += 1
    return hi * lo


@program(args=(np.array([-0.3, 0.4, 0.5]), 3), wrt=(0,), order=2)
def stores_in_a_while_on_a_path_not_taken(x, n):
    a = x * 1.0
    if x[0] > 0.0:
        k = 0
        while k < n:
            a[1:] = np.sin(a[:-1]) * x[0]
            a[0] = a[1] * a[1]
            k += 1
    return np.sum(a * a)
