"""Ninety little functions of the kind that every source transformation tool is tested with."""

import math

import numpy as np

from . import program

A = 1.3
B = 0.6
V = np.array([0.8, 1.7, -0.4, 1.1])
W = np.array([0.3, -0.9, 1.2, 0.5])
M = np.array([[0.9, 0.2, -0.5], [0.4, 1.3, 0.1], [-0.2, 0.6, 1.1]])


# Arithmetic --------------------------------------------------------------------------------------


@program(args=(A,), order=2)
def c01_identity(a):
    return a


@program(args=(A,), order=2)
def c02_square(a):
    return a * a


@program(args=(A,), order=2)
def c03_negated(a):
    return -a


@program(args=(A, B), order=2)
def c04_sum(a, b):
    return a + b


@program(args=(A, B), order=2)
def c05_difference_of_products(a, b):
    return a * a - b * a


@program(args=(A, B), order=2)
def c06_quotient(a, b):
    return a / b


@program(args=(A, B), order=2)
def c07_power(a, b):
    return a**b


@program(args=(A,), order=2)
def c08_cube_by_name(a):
    b = a * a
    c = b * a
    return c


@program(args=(A,), order=2)
def c09_reciprocal_of_square(a):
    return 1.0 / (a * a)


@program(args=(A,), order=2)
def c10_half_and_double(a):
    return a / 2.0 + 2.0 * a - a * 0.5


@program(args=(A,), order=2)
def c11_logistic(a):
    return 1.0 / (1.0 + np.exp(-a))


@program(args=(A,), order=2)
def c12_tanh_of_sine(a):
    return np.tanh(np.sin(a))


@program(args=(A,), order=2)
def c13_gaussian(a):
    return np.exp(-0.5 * a * a) / np.sqrt(2.0 * np.pi)


@program(args=(A, B), order=2)
def c14_log_ratio(a, b):
    return np.log(a) - np.log(b) * a


@program(args=(A,), order=2)
def c15_quotient_of_itself(a):
    b = a + 1.0
    return b / (b * b + a)


# Overwritten arguments and names -----------------------------------------------------------------


@program(args=(A,))
def c16_argument_squared_in_place(a):
    a = a * a
    return a


@program(args=(A,))
def c17_argument_overwritten_three_times(a):
    a = a * 2.0
    a = a * a
    a = a + a * a
    return a


@program(args=(A, B))
def c18_first_overwritten_by_second(a, b):
    a = b
    return a * b


@program(args=(A, B))
def c19_swap_through_temporary(a, b):
    t = a
    a = b * b
    b = t * t * t
    return a - b


@program(args=(A, B))
def c20_overwritten_after_use(a, b):
    c = a * b
    a = c * c
    b = a + c
    c = b * b
    return c


@program(args=(A,))
def c21_overwritten_with_constant(a):
    b = a * a
    a = 3.0
    return a * b


@program(args=(V,))
def c22_array_overwritten(x):
    x = x * x
    x = np.sin(x)
    return np.sum(x)


@program(args=(A,))
def c23_augmented_four_ways(a):
    b = a
    b += a
    b *= b
    b -= 0.5
    b /= a
    return b


@program(args=(A, B))
def c24_overwritten_in_one_arm(a, b):
    if a > b:
        a = a * b
    return a * a


@program(args=(A, B))
def c25_both_overwritten_in_arm(a, b):
    if a > b:
        a, b = b, a
    return a * a + 3.0 * b


# Branches ----------------------------------------------------------------------------------------


@program(args=(A,), order=2)
def c26_if_positive(a):
    if a > 0.0:
        return a * a
    return -a


@program(args=(-A,), order=2)
def c27_if_negative(a):
    if a > 0.0:
        b = a * a
    else:
        b = a * a * a
    return b


@program(args=(A, B))
def c28_nested_if(a, b):
    c = 0.0
    if a > 1.0:
        if b > 1.0:
            c = a * b
        else:
            c = a - b * b
    return c * a


@program(args=(A, B))
def c29_nested_if_else_else(a, b):
    if a < 1.0:
        c = a
    else:
        if b > 1.0:
            c = b
        else:
            if a * b > 0.5:
                c = a * b * b
            else:
                c = 0.0
    return c


@program(args=(A, B))
def c30_serial_ifs(a, b):
    c = a
    if a > b:
        c = c * b
    if c > 0.5:
        c = c + a
    if c > 100.0:
        c = 0.0
    return c


@program(args=(A, B))
def c31_if_changes_condition(a, b):
    if a > b:
        a = b * 0.5
    if a > b:
        a = a * 100.0
    return a * b


@program(args=(A,))
def c32_elif_chain(a):
    if a < 0.0:
        b = -a
    elif a < 1.0:
        b = a
    elif a < 2.0:
        b = a * a
    else:
        b = 4.0
    return b


@program(args=(A, B))
def c33_conjunction(a, b):
    if a > 1.0 and b < 1.0:
        return a * b
    return a + b


@program(args=(A, B))
def c34_hinge(a, b):
    m = 1.0 - a * b
    if m < 0.0:
        m = 0.0
    return m * m + a


@program(args=(A,))
def c35_unchanged_in_else(a):
    b = a * 3.0
    if a > 10.0:
        b = b * b
    else:
        b = b
    return b


@program(args=(A, B))
def c36_ternary(a, b):
    return a if a < b else b * a


@program(args=(V,))
def c37_if_on_element(x):
    if x[2] > 0.0:
        return x[0]
    return x[1] * x[2]


@program(args=(A, B))
def c38_if_with_equal_constants(a, b):
    k = 1
    if k == 1:
        a = a * b
    if k != 1:
        a = a * 100.0
    return a


# Early returns -----------------------------------------------------------------------------------


@program(args=(A, B))
def c39_return_in_arm(a, b):
    if a > 1.0:
        c = a * b
        return c * c
    return a


@program(args=(A, B))
def c40_return_in_nested_arm(a, b):
    c = a + b
    if c > 1.0:
        if c > 10.0:
            return c
        c = c * a
    return c * b


@program(args=(A, B))
def c41_return_in_every_arm(a, b):
    if a < b:
        return a
    elif a < 2.0 * b:
        return a * b
    else:
        return b * b * a


@program(args=(A,))
def c42_return_from_for(a):
    b = a
    for i in range(8):
        b = b * a
        if b > 2.0:
            return b * a
    return b


@program(args=(A,))
def c43_return_from_while(a):
    b = a
    while b < 100.0:
        b = b * a
        if b > 4.0:
            return b + a
    return b


@program(args=(V,))
def c44_first_negative(x):
    for i in range(len(x)):
        if x[i] < 0.0:
            return x[i] * x[i]
    return x[0]


# Loops -------------------------------------------------------------------------------------------


@program(args=(A,), order=2)
def c45_for_sum(a):
    s = 0.0
    for i in range(4):
        s = s + a * a
    return s


@program(args=(A,), order=2)
def c46_for_product(a):
    p = 1.0
    for i in range(4):
        p = p * a
    return p


@program(args=(A,))
def c47_for_uses_index(a):
    s = 0.0
    for i in range(4):
        s = s + a**i * i
    return s


@program(args=(A, B))
def c48_serial_loops(a, b):
    for i in range(3):
        a = a * b
    for j in range(2):
        a = a + a * b
    return a


@program(args=(A, B))
def c49_serial_loops_same_index(a, b):
    c = b
    for i in range(3):
        c = c * a + i
    for i in range(4):
        c = np.sin(c) + i * b
    return c


@program(args=(A, B))
def c50_nested_loops(a, b):
    for i in range(2):
        for j in range(3):
            a = a * b + 0.1
    return a


@program(args=(A, B))
def c51_nested_loops_with_indices(a, b):
    c = a
    for i in range(3):
        for j in range(2):
            c = np.sin(c * b) + i * a - j * b
        c = c * a
    return c


@program(args=(A, B))
def c52_three_deep(a, b):
    c = b
    for i in range(2):
        for j in range(2):
            for k in range(2):
                c = c * 0.5 + a * (i + j + k)
    return c * b


@program(args=(A,))
def c53_loop_from_argument(a):
    n = 3
    b = a
    for i in range(n):
        b = b * a
    return b


@program(args=(A, 3), wrt=(0,))
def c54_loop_count_is_argument(a, n):
    b = a
    for i in range(n):
        b = np.sin(b) + a
    return b


@program(args=(A, B))
def c55_branch_in_loop(a, b):
    c = a
    for i in range(5):
        if c > 1.0:
            c = c * b
        else:
            c = c + a
    return c


@program(args=(A, B))
def c56_branch_on_index_in_loop(a, b):
    c = a
    for i in range(5):
        if i == 2:
            c = c * c
        elif i > 2:
            c = c * b
        else:
            c = c + b
    return c


@program(args=(A, B))
def c57_loop_in_branch(a, b):
    c = a
    if a > b:
        for i in range(3):
            c = c * b
    else:
        for i in range(2):
            c = c + b
    return c


@program(args=(A,))
def c58_loop_overwrites_argument(a):
    for i in range(3):
        a = a * a * 0.9
    return a


@program(args=(A,))
def c59_while_doubling(a):
    while a < 10.0:
        a = a * 2.0
    return a * a


@program(args=(A,))
def c60_while_counter(a):
    i = 3
    while i > 0:
        a = a * a * 0.8
        i = i - 1
    return a


@program(args=(A, B))
def c61_while_two_states(a, b):
    while a < 5.0:
        a = a + b
        b = b * 1.3
    return a * b


@program(args=(A, B))
def c62_nested_while(a, b):
    i = 0
    while i < 2:
        j = 0
        while j < 3:
            a = a * b + 0.3
            j = j + 1
        i = i + 1
    return a


@program(args=(A,))
def c63_while_with_break(a):
    b = a
    while True:
        b = b * a
        if b > 3.0:
            break
    return b


@program(args=(A,))
def c64_for_with_break(a):
    b = 1.0
    for i in range(10):
        if b > 2.0:
            break
        b = b * a
    return b * a


@program(args=(A,))
def c65_for_with_continue(a):
    b = 1.0
    for i in range(6):
        if i % 2 == 0:
            continue
        b = b * a + i
    return b


@program(args=(A,))
def c66_newton_steps(a):
    x = 1.0
    for i in range(5):
        x = x - (x * x - a) / (2.0 * x)
    return x


@program(args=(A, B))
def c67_logistic_map(a, b):
    for i in range(5):
        b = 2.0 * a * b * (1.0 - b)
    return b


@program(args=(A, B))
def c68_euler_steps(a, b):
    y = a
    t = 0.0
    while t < 0.45:
        y = y + 0.1 * (b * y - t * y * y)
        t = t + 0.1
    return y


@program(args=(A, B))
def c69_horner(a, b):
    r = 0.0
    for c in (1.0, -2.0, 0.5, b):
        r = r * a + c
    return r


@program(args=(A, B))
def c70_continued_fraction(a, b):
    r = a
    for i in range(4):
        r = a + b / r
    return r


# Subscripts --------------------------------------------------------------------------------------


@program(args=(V,))
def c71_two_subscripts(x):
    return x[0] * x[1]


@program(args=(V,))
def c72_same_subscript_twice(x):
    a = x[1]
    b = x[1]
    return a * b * x[1]


@program(args=(V,))
def c73_sum_by_subscript(x):
    s = 0.0
    for i in range(4):
        s = s + x[i]
    return s * s


@program(args=(V, W))
def c74_dot_by_subscript(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


@program(args=(V,))
def c75_neighbour_products(x):
    s = 1.0
    for i in range(len(x) - 1):
        s = s + x[i] * x[i + 1]
    return s


@program(args=(M,))
def c76_trace_by_subscript(m):
    t = 0.0
    for i in range(3):
        t = t + m[i, i] * m[i][i]
    return t


@program(args=(M,))
def c77_determinant_by_subscript(m):
    a = m[0, 0] * (m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1])
    b = m[0, 1] * (m[1, 0] * m[2, 2] - m[1, 2] * m[2, 0])
    c = m[0, 2] * (m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0])
    return a - b + c


@program(args=(V,))
def c78_slice_sums(x):
    return np.sum(x[1:]) * np.sum(x[:-1])


@program(args=(V,))
def c79_store_by_subscript(x):
    y = np.zeros(4)
    y[0] = x[3]
    y[3] = x[0] * x[0]
    return np.sum(y * x)


@program(args=(V,))
def c80_accumulate_by_subscript(x):
    y = np.zeros(4)
    for i in range(3):
        y[i] += x[i] * x[i + 1]
        y[i + 1] += y[i]
    return y[3] * y[1]


@program(args=(M,))
def c81_matrix_vector_by_hand(m):
    y = np.zeros(3)
    for i in range(3):
        for j in range(3):
            y[i] = y[i] + m[i, j] * m[j, i]
    return y[0] * y[1] + y[2]


@program(args=(A, B))
def c82_tuple_subscripts(a, b):
    t = (a * b, a + b)
    return t[0] * t[1] + t[-1]


@program(args=(A, B))
def c83_dict_subscripts(a, b):
    d = {"p": a * b, "q": a}
    return d["p"] * d["q"]


# Calls -------------------------------------------------------------------------------------------


def _helper(a, b=2.0, c=1.0):
    a = a * b
    return a + c


@program(args=(A,))
def c84_call(a):
    return _helper(a)


@program(args=(A, B))
def c85_keyword_calls(a, b):
    return _helper(b=a, a=b) * _helper(a, c=b)


@program(args=(A,))
def c86_call_of_call(a):
    return _helper(_helper(a, a), c=_helper(a))


@program(args=(A,))
def c87_call_in_loop(a):
    b = a
    for i in range(3):
        b = _helper(b, 0.5, c=a)
    return b


@program(args=(M,))
def c88_keyword_calls_of_numpy(m):
    a = np.sum(m, axis=0)
    b = np.mean(m, axis=1, keepdims=True)
    return np.sum(np.transpose(a=m, axes=(1, 0)) * b) + np.sum(a * a)


@program(args=(A, B))
def c89_two_results(a, b):
    def polar(x, y):
        return np.sqrt(x * x + y * y), np.arctan2(y, x)

    r, phi = polar(a, b)
    return r * phi


@program(args=(V, W))
def c90_small_perceptron(x, w):
    s = 0.0
    for i in range(len(x)):
        s += w[i] * x[i]
    if s > 0.0:
        out = np.tanh(s)
    else:
        out = 0.1 * s
    return (out - 1.0) ** 2
