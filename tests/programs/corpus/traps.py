"""What has caught other systems: names, types, zero trips, identical results, constants."""

import math

import numpy as np

from . import program

V = np.array([0.5, -1.5, 2.0])


@program(args=(1.3,), order=2)
def int_then_float(x):
    s = 0
    for i in range(3):
        s = s + x * i
    return s * x


@program(args=(1.3,))
def float_then_int_then_float(x):
    t = x * x
    s = t
    for i in range(3):
        if i == 1:
            s = 2
        s = s * x
    return s + t


@program(args=(1.3,), smoke=True)
def product_from_integer_one(x):
    p = 1
    k = 0
    while k < 4:
        p *= x + k
        k += 1
    return p


@program(args=(V,))
def scalar_then_array(x):
    t = 0.0
    for k in range(3):
        t = t + x * k
    return np.sum(t * t)


@program(args=(1.3,))
def loop_variable_after_loop(x):
    r = x
    for i in range(4):
        r = r * 1.1
    return r * i + x**i


@program(args=(V,))
def array_loop_variable_after_loop(x):
    s = 0.0
    for v in x:
        s = s + v
    return s * v


@program(args=(1.3,))
def loop_variable_rebound_in_loop(x):
    r = x
    for i in range(4):
        i = i * x
        r = r + i * i
    return r


@program(args=(1.3, 0), wrt=(0,))
def zero_trips_keeps_initial(x, n):
    t = x * x
    for i in range(n):
        t = x + i
    return t * x


@program(args=(1.3, 0), wrt=(0,))
def zero_trips_of_nested_loop(x, n):
    s = x
    for i in range(3):
        for j in range(n):
            s = s * x * j
        s = s + x * i
    return s


@program(args=(1.3, 0.5))
def users_own_bar(x, x_bar):
    y_bar = x * x_bar
    value_bar = y_bar * x
    x_dot = value_bar + x_bar
    return value_bar * x_dot


@program(args=(1.3,))
def users_own_saved_and_value(x):
    x_saved = x * 2.0
    value = x_saved
    t1 = value * x
    t1_bar = math.sin(t1)
    for k in range(3):
        x_saved = x_saved * x + k
    return t1_bar * value + x_saved


@program(args=(1.3, 0.7))
def names_of_modules_and_builtins(np_, len):
    sum = np_ * len
    max = sum + np_
    return max * sum


@program(args=(1.3,))
def shadows_the_math_module(x):
    numpy = x * 2.0
    zeros = numpy * x
    range_ = zeros + numpy
    return range_ * zeros


@program(args=(1.3, 0.5))
def unused_parameter(x, y):
    return x * x


@program(args=(1.3, V))
def unused_array_parameter(x, y):
    return x * x


@program(args=(1.3, 0.5))
def parameter_used_on_other_path(x, y):
    if x > 0.0:
        return x * x
    return x * y


@program(args=(1.3, 0.5))
def read_but_without_influence(x, y):
    t = y * y
    t = x
    return t * x


@program(args=(1.3,))
def value_returned_twice(x):
    y = x * x
    return y, y


@program(args=(1.3,))
def own_argument_returned(x):
    return x


@program(args=(V,))
def own_array_returned(x):
    return x


@program(args=(V, 0.5))
def own_argument_among_results(x, a):
    return x, a * x, a


@program(args=(V,))
def view_of_argument_returned(x):
    return x[1:]


@program(args=(V,))
def transpose_of_argument_returned(x):
    return x.reshape(1, 3).T


@program(args=(1.3, 0.7))
def one_result_is_constant(x, y):
    return x * y, 3.0, V


@program(args=(1.3,))
def result_is_parameter_after_loop(x):
    for _ in range(3):
        x = x * x * 0.9
    return x


@program(args=(V, V))
def same_value_for_two_parameters(x, y):
    return np.sum(x * x * y)


@program(args=(V,))
def alias_of_array(x):
    y = x
    z = y
    return np.sum(x * y * z)


@program(args=(V,))
def alias_written_after_copy(x):
    y = x * 1.0
    z = y
    z[0] = x[1] * x[2]
    return y[0] * z[1] + np.sum(y)


@program(args=(V,))
def view_of_local_then_store(x):
    y = x * 2.0
    row = y[1:]
    row[0] = x[0] ** 2
    return np.sum(y * y)


@program(args=(1.3,))
def power_zero_and_one(x):
    return x**0 + x**1 + x**2 + x**-1 + x**0.5


@program(args=(0.0, 1.3))
def zero_to_positive_power(x, y):
    return x**2 * y + x**1 * 3.0 + x * x


@program(args=(np.array([0.0, 1.0, -2.0]),))
def square_at_zero(x):
    return np.sum(x**2) + np.sum(x**3)


@program(args=(np.array([0.0, 3.0, 2.0]),))
def product_with_zero(x):
    return np.prod(x) + x[0]


@program(args=(1.3,))
def adjoint_reset_between_iterations(x):
    s = 0.0
    t = 0.0
    for i in range(4):
        if i % 2 == 0:
            t = x * i
        s = s + t * t
        t = t * x
    return s


@program(args=(1.3, 0.4))
def accumulator_inside_helper(x, y):
    def total(n):
        s = 0.0
        for k in range(n):
            s = s * y + x * k
        return s

    return total(3) * total(5)


@program(args=(1.3,))
def constant_folded_condition(x):
    debug = False
    if debug:
        x = x * 100.0
    if not debug and 1 < 2:
        x = x * x
    return x


@program(args=(1.3,))
def reused_temporary_names(x):
    t = x * x
    a = t
    t = math.sin(x)
    b = t
    t = a * b
    return t + a - b


@program(args=(1.3,))
def value_needed_after_overwrite(x):
    y = math.exp(x)
    z = y * y
    y = z * x
    z = math.sin(y)
    return z * y


@program(args=(1.3,))
def string_keyed_state(x):
    state = {"pos": x, "vel": 1.0}
    for _ in range(3):
        state = {"pos": state["pos"] + 0.1 * state["vel"], "vel": state["vel"] - 0.1 * state["pos"]}
    return state["pos"] * state["vel"]


@program(args=(np.array([1.0, 2.5, 3.0]),))
def length_depends_on_active_value(x):
    n = int(x[1])
    s = 0.0
    for i in range(n):
        s = s + x[i] ** 2
    return s * x[2]


@program(args=(2.3,))
def trip_count_from_active_value(x):
    r = x
    for _ in range(int(x * 2.0)):
        r = r * 0.5 + x
    return r


@program(args=(0.4, 0.7))
def name_bound_in_a_branch_never_taken(x, y):
    for k in range(0, 5, 2):
        if 0.5 > 0.6:
            a = x = 0.9
            y += a
        y = y * x
    return y * y


@program(args=(0.4,))
def loop_in_a_loop_with_a_branch_never_taken(x):
    for k in range(1, 4):
        while k > 1 and x <= 2.0:
            if 0.5 > 0.6:
                items = [0.4, x]
                items.append(x + 1.0)
            x = x * 1.5
    return x * x


@program(args=(0.3,), order=2)
def value_that_only_an_inner_branch_takes(x):
    if np.sum(1) > 3:
        return 0.8
    if math.sin(x) > 0.1:
        x = math.sin(x)
    return x


@program(args=(0.4, 0.7))
def loop_whose_test_has_a_constant_part(x, y):
    items = [x, y]
    n = 0
    while n < 2 and (x < 0.5 and 0.3 > 0.4):
        n += 1
        items.append(math.tanh(items[-1]))
    return items[-1] * items[0] + n
