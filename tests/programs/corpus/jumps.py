"""`break`, `continue` and `return` from anywhere."""

import math

import numpy as np

from . import program

VECTOR = np.array([0.5, -1.5, 2.0, 0.25, -0.75])


@program(args=(1.4,), smoke=True)
def break_on_active(x):
    s = 0.0
    for i in range(20):
        s = s + x * x * (i + 1)
        if s > 10.0:
            break
        s = s * 0.9
    return s


@program(args=(VECTOR,), smoke=True)
def continue_on_active(x):
    s = 1.0
    for v in x:
        if v < 0.0:
            continue
        s = s * v + v
    return s


@program(args=(VECTOR,))
def break_and_continue(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] < -1.0:
            continue
        s = s + x[i] ** 2
        if s > 4.0:
            break
        s = s + x[i]
    return s * x[0]


@program(args=(VECTOR,))
def continue_in_else(x):
    s = 0.0
    for v in x:
        if v > 0.0:
            s = s + v * v
        else:
            s = s + v
            continue
        s = s * 1.5
    return s


@program(args=(1.4, 0.5))
def break_from_inner_loop(x, y):
    s = 0.0
    for i in range(4):
        t = x
        for j in range(10):
            t = t * x
            if t > 3.0 + i:
                break
            s = s + t * y
        s = s + t
    return s


@program(args=(1.4, 0.5))
def continue_in_inner_loop(x, y):
    s = x
    for i in range(3):
        for j in range(4):
            if (i + j) % 2 == 0:
                continue
            s = s * y + x * j
        if i == 1:
            continue
        s = s + y
    return s


@program(args=(1.4,))
def break_before_anything(x):
    r = x * x
    for i in range(5):
        if x > 1.0:
            break
        r = r * x
    return r


@program(args=(1.4,))
def break_last_iteration(x):
    r = x
    for i in range(5):
        r = r * x
        if i == 4:
            break
    return r


@program(args=(0.5, 2.0), order=2)
def early_return(x, y):
    if x < 1.0:
        return x * y
    r = x + y
    return r * r


@program(args=(1.5, 2.0))
def early_return_not_taken(x, y):
    if x < 1.0:
        return x * y
    r = x + y
    return r * r


def _many_returns(x):
    if x < -1.0:
        return x * x
    if x < 0.0:
        return math.exp(x)
    y = x * 3.0
    if y > 2.0:
        y = y * x
        if y > 4.0:
            return y * y
        return y
    return y + x * x


for _k, _x in enumerate((-1.5, -0.5, 0.5, 1.0, 1.5)):
    program(args=(_x,), name=f"many_returns_{_k}")(_many_returns)


@program(args=(1.4,), smoke=True)
def return_from_loop(x):
    r = x
    for i in range(10):
        r = r * x
        if r > 4.0:
            return r * i
    return x


@program(args=(1.01,))
def return_from_loop_not_reached(x):
    r = x
    for i in range(5):
        r = r * x
        if r > 4.0:
            return r * i
    return r + x


@program(args=(1.2, 0.4))
def return_from_nested_loops(x, y):
    s = y
    for i in range(5):
        for j in range(5):
            s = s + x * y * (j + 1)
            if s > 4.0:
                return s * s * x
        s = s * 0.8
    return s


@program(args=(1.3,))
def return_from_while(x):
    r = x
    while True:
        r = r * x + 0.2
        if r > 7.0:
            return r * x


@program(args=(1.3,))
def return_in_both_arms_of_loop(x):
    for i in range(3):
        if x > 1.0:
            return x * x * (i + 1)
        else:
            return x
    return 0.0


@program(args=(1.3,))
def return_in_else_of_for(x):
    r = x
    for i in range(3):
        r = r * x
    else:
        return r * 2.0


@program(args=(1.3,))
def code_after_return(x):
    return x * x
    x = x * 100.0
    return x


@program(args=(VECTOR,))
def search_with_return(x):
    for i in range(len(x)):
        if x[i] > 1.0:
            return x[i] * x[0] + i
    return x[-1]


@program(args=(1.3, 0.6))
def break_in_nested_branches(x, y):
    r = x
    k = 0
    while k < 10:
        k += 1
        if k > 2:
            if r > 2.5:
                r = r * y
                break
            elif r > 2.0:
                r = r + y
                continue
        r = r * x
    return r * k


@program(args=(np.array([1.0, 2.0]), 3), wrt=(0,))
def array_returned_from_loop(x, n):
    for i in range(10):
        x = x * 1.5
        if i == n:
            return x * x
    return x


@program(args=(1.3,))
def break_after_continue_in_while_true(x):
    s = x
    n = 0
    while True:
        n += 1
        if n < 3:
            s = s * x
            continue
        s = s + x
        if n > 5:
            break
    return s
