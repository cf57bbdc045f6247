"""Conditional expressions, chained comparisons, `and`, `or`, `not`, walrus."""

import math

import numpy as np

from . import program


@program(args=(1.5, 0.5), order=2)
def conditional_expression(x, y):
    r = x * y if x > y else x - y
    return r * r


@program(args=(0.5, 1.5))
def conditional_expression_nested(x, y):
    r = x if x > 2.0 else (y * y if y > 1.0 else x + y)
    return r * x


@program(args=(0.5, 1.5))
def conditional_expression_in_call(x, y):
    return math.sin(x if x > y else y * x) * (2.0 if x > 0.0 else 3.0)


@program(args=(0.5,))
def chained_comparison(x):
    if 0.0 < x < 1.0:
        return x * x
    return x


@program(args=(0.5, 1.5, 2.5))
def chained_comparison_of_three(x, y, z):
    if x < y <= z > 0.0:
        return x * y * z
    return x + y + z


@program(args=(0.5, -1.5))
def and_or_not(x, y):
    r = x
    if x > 0.0 and y < 0.0:
        r = r * y
    if x < 0.0 or y < -1.0:
        r = r + x
    if not (x > 0.0 and y > 0.0):
        r = r * 2.0
    return r * r


@program(args=(0.5, 0.0), wrt=(0,))
def and_or_as_values(x, y):
    a = y or x
    b = x and x * 3.0
    return a * b


@program(args=(0.5, 2), wrt=(0,))
def short_circuit_guards_division(x, n):
    if n != 0 and x / n > 0.1:
        return x * x
    return x


@program(args=(-0.5,))
def short_circuit_guards_domain(x):
    if x > 0.0 and math.log(x) < 1.0:
        return math.log(x) * x
    return x * x * x


@program(args=(1.5,))
def walrus_in_condition(x):
    if (y := x * x) > 1.0:
        return y * x
    return y


@program(args=(2.0,))
def walrus_in_while(x):
    total = 0.0
    while (x := x * 0.5) > 0.1:
        total = total + x * x
    return total


@program(args=(1.5,))
def walrus_in_expression(x):
    return (y := math.sin(x)) * y + (z := y * x) * z


@program(args=(np.array([0.5, 1.0, 2.0]),))
def walrus_in_comprehension(x):
    return sum([t * t for v in x if (t := v * 2.0) > 1.5])


@program(args=(1.5, True, False), wrt=(0,))
def boolean_arithmetic(x, p, q):
    return x * p + x * x * (p and not q) + (p + q) * x


@program(args=(1.5, 2.5))
def comparison_as_number(x, y):
    return x * (x < y) + y * (y < x) + (x < 2.0) * y


@program(args=(1.5,))
def membership_and_identity(x):
    kinds = ("a", "b")
    r = x
    if "a" in kinds:
        r = r * x
    if None is not kinds and "c" not in kinds:
        r = r * x
    return r


@program(args=(3.5, 1.25))
def max_min_of_expressions(x, y):
    return max(x * y, x + y) - min(x / y, x - y, 7.0)


@program(args=(1.5,))
def an_append_after_and(x):
    values = [x]
    x > 1.0 and values.append(2.0 * x)
    x > 2.0 and values.append(20.0 * x)
    x > 1.0 or values.append(200.0 * x)
    return sum(values)


@program(args=(1.5, np.ones(3), 7, 0), wrt=(0, 1))
def a_comparison_that_is_not_come_to(x, v, i, k):
    near = 2.0 < x < 1.0 / k
    return 2.0 * x if near or i < 2 < v[i] else x * v[0]
