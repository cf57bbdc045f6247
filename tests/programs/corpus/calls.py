"""Calls: helpers, nested functions, closures, lambdas, methods, partials, decorated functions."""

import functools
import math
from functools import partial

import numpy as np

from . import program

SCALE = 2.5
TABLE = {"offset": 0.5, "weights": np.array([1.0, -2.0, 0.5])}


def _square(x):
    return x * x


def _affine(x, slope, offset=0.25):
    return slope * x + offset


def _clamped_sine(x, low):
    if x < low:
        return low * x
    return math.sin(x)


def _sum_of_squares(v):
    s = 0.0
    for e in v:
        s += e * e
    return s


@program(args=(1.5,), order=2)
def helper(x):
    return _square(x) + _square(_square(x))


@program(args=(1.5, 0.5), smoke=True)
def helper_with_branch_and_return(x, y):
    return _clamped_sine(x, 1.0) * _clamped_sine(y, 1.0)


@program(args=(np.array([1.0, 2.0]), np.array([0.5, -1.0])))
def helper_with_loop(x, y):
    return _sum_of_squares(x) * _sum_of_squares(x + y)


@program(args=(1.5,))
def helper_called_in_loop(x):
    r = x
    for i in range(4):
        r = _affine(_square(r), 0.3, offset=x) - _clamped_sine(r, 0.2)
    return r


def _level_three(x):
    return math.sin(x) * x


def _level_two(x):
    return _level_three(x) + _level_three(x * x)


def _level_one(x):
    return _level_two(x) * _level_two(x + 1.0)


@program(args=(0.4,), order=2)
def helpers_to_any_depth(x):
    return _level_one(x) + _level_one(x * 0.5)


@program(args=(1.5, 0.5))
def nested_function(x, y):
    def inner(t):
        return t * t + y

    return inner(x) * inner(y)


@program(args=(1.5, 0.5))
def nested_function_reads_later_binding(x, y):
    def inner():
        return x * z

    z = x + y
    a = inner()
    z = a * y
    return a + inner()


@program(args=(1.5,))
def nested_function_with_nonlocal(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v * x
        return total * v

    a = add(x)
    b = add(a)
    return a + b + total


@program(args=(1.5,))
def nested_two_deep(x):
    def outer(a):
        def inner(b):
            return a * b * x

        return inner(a + 1.0)

    return outer(x) + outer(2.0)


@program(args=(1.5,))
def function_returned_by_function(x):
    def multiplier(k):
        return lambda t: t * k

    double = multiplier(2.0)
    by_x = multiplier(x)
    return double(x) * by_x(by_x(3.0))


@program(args=(1.5, 0.5))
def function_passed_as_argument(x, y):
    def twice(f, v):
        return f(f(v))

    return twice(math.sin, x) + twice(lambda t: t * y, x) + twice(_square, y)


@program(args=(1.5,))
def functions_in_a_tuple(x):
    r = x
    for f in (math.sin, _square, np.exp):
        r = f(r)
    return r


@program(args=(1.5,))
def functions_in_a_dict(x):
    table = {"a": math.cos, "b": _square}
    return table["a"](x) + table["b"](x)


def _make_closure(scale, offsets):
    def closure(x):
        return scale * x * x + offsets[0] * x + offsets[1]

    return closure


program(args=(1.5,), name="closure_over_numbers")(_make_closure(3.0, (0.5, -1.0)))
program(args=(np.array([1.0, 2.0]),), name="closure_over_array")(
    _make_closure(np.array([2.0, -1.0]), [1.0, 3.0])
)

square_lambda = lambda x, y=2.0: x * x * y  # noqa: E731
program(args=(1.5,), name="lambda_with_default")(square_lambda)
program(args=(1.5, 0.5), name="lambda_with_conditional")(lambda x, y: x * y if x > y else x)


class _Spring:
    """Bound methods, static and class methods, callable objects."""

    stretch = 0.5

    def __init__(self, stiffness):
        self.stiffness = stiffness

    def energy(self, x):
        return 0.5 * self.stiffness * self.extension(x) ** 2

    def extension(self, x):
        return x - self.stretch

    @staticmethod
    def damping(v, c):
        return -c * v * abs(v)

    @classmethod
    def rest(cls, x):
        return cls.stretch * x * x

    def __call__(self, x, v):
        return self.energy(x) + self.damping(v, 0.3) * self.rest(x)


spring = _Spring(4.0)
program(args=(1.5,), name="bound_method", order=2)(spring.energy)
program(args=(1.5, 0.5), name="static_method")(_Spring.damping)
program(args=(1.5,), name="class_method")(_Spring.rest)
program(args=(1.5, 0.5), name="callable_object")(spring)


@program(args=(1.5,))
def calls_bound_method(x):
    return spring.energy(x) * spring(x, x)


@program(args=(1.5,))
def method_kept_in_a_name(x):
    f = spring.energy
    return f(x) + f(f(x))


program(args=(1.5,), name="partial_positional")(partial(_affine, 2.0))
program(args=(1.5, 2.0), name="partial_keyword")(partial(_affine, offset=3.0))
program(args=(0.5,), name="partial_of_partial")(partial(partial(_affine, slope=2.0), offset=1.0))


@program(args=(1.5,))
def partial_inside(x):
    f = partial(_affine, slope=x)
    return f(x) + f(2.0, offset=x)


def _doubled(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return 2.0 * f(*args, **kwargs)

    return wrapper


def _powered(n):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(x):
            return f(x) ** n

        return wrapper

    return decorate


@program(args=(1.5,), order=2)
@_doubled
def decorated(x):
    return x * x


@program(args=(1.5,))
@_doubled
@_powered(3)
def decorated_twice(x):
    return x * x + 1.0


@_doubled
def _decorated_helper(x, y=0.5):
    return x * y


@program(args=(1.5,))
def calls_decorated_function(x):
    return _decorated_helper(x) * _decorated_helper(x, y=x)


@functools.lru_cache(maxsize=None)
def _table_size(n):
    return n * 2


@program(args=(1.5,))
def calls_cached_constant_function(x):
    r = x
    for _ in range(_table_size(2)):
        r = r * 0.5 + x
    return r


@program(args=(1.5,))
def reads_globals(x):
    return SCALE * x * x + TABLE["offset"] * x + TABLE["weights"][1]


@program(args=(np.array([1.0, 2.0, 3.0]),))
def reads_global_array(x):
    return np.sum(TABLE["weights"] * x * x) + x[0]


@program(args=(1.5, 2.0))
def result_of_call_ignored(x, y):
    _square(y)
    return x * y


@program(args=(1.5,))
def several_results_one_used(x):
    def parts(t):
        return t * t, math.sin(t), 3.0

    a, _, c = parts(x)
    return a * c + parts(x)[1]


@program(args=(1.5,))
def keyword_calls(x):
    return _affine(slope=x, offset=2.0, x=3.0) + _affine(2.0, offset=x, slope=x)


@program(args=(np.array([3.0, 4.0]), 0.5))
def immediately_called_lambda(v, t):
    return (lambda a, b: np.sum(a) * b)(v * v, t)


@program(args=(1.5,))
def helper_rebinds_its_parameter(x):
    def scaled(t):
        t = t * 2.0
        t = t * t
        return t

    y = scaled(x)
    return y * x + scaled(y)


@program(args=(0.8,))
def same_name_in_caller_and_callee(x):
    def f(y):
        t = y * y
        x = t + 1.0
        return x * t

    t = f(x)
    y = f(t)
    return x * t * y


@program(args=(0.8,))
def map_and_filter(x):
    r = 0.0
    for v in map(_square, (x, 2.0, x * x)):
        r = r + v
    return r


@program(args=(0.8,))
def loop_closure_sees_last_value(x):
    fs = []
    for k in range(3):
        fs.append(lambda t: t * k * x)
    return fs[0](x) + fs[2](1.0)


def _with_scaled(position):
    def scaled(*args):
        args = list(args)
        args[position] = args[position] * 2.0
        return _of_all(*args)

    return scaled


def _of_all(x, y=3.0):
    return x * y**2


_scaled_first, _scaled_second = _with_scaled(0), _with_scaled(1)


@program(args=(1.7, 0.6), order=2)
def starred_list_stored_at_a_position_from_outside(x, y):
    return _scaled_first(x) + _scaled_first(x, y) * _scaled_second(y, x)
