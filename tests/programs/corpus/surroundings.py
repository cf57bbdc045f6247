"""What functions share or change around them: code with other cells, globals, objects with two names."""

import numpy as np

import s2s

from . import program

X = np.array([0.3, -0.7, 1.1])

NOT_NUMBA = "a store that numba cannot run"
rate = 1.0
_factor = 0.5
gate = s2s.Variable(0.5, name="gate")


def _times(k):
    def decorate(f):
        def inner(x):
            return k * f(x)

        return inner

    return decorate


@_times(3.0)
@_times(2.0)
def _decorated(x):
    return x * x


def _compose(*functions):
    def inner(x):
        for f in functions:
            x = f(x)
        return x

    return inner


_once = _compose(np.sin, lambda x: x * x)
_twice = _compose(_once, _once, lambda y: y + 1.0)


def _long(k):
    def long(x):
        for c in (0.1, 0.2, 0.3, 0.4, 0.5) * 10:
            x = x + c * np.sin(k * x)
        return x

    return long


_longs = [_long(0.1), _long(0.2), _long(0.3), _long(0.4), _long(0.5)]


@program(args=(2.0,), order=2)
def one_decorator_twice(x):
    return _decorated(x)


@program(args=(0.5,), order=2)
def composition_of_compositions(x):
    return _twice(x) + _compose(_twice, _once)(x)


@program(args=(1.2,))
def one_code_with_other_cells(x):
    return _longs[0](x) + _longs[1](x) + _longs[2](x) + _longs[3](x) + _longs[4](x)


@program(args=(1.2, 1.1))
def long_closure_over_names_that_change(x, z):
    mode, sizes, p = "double", [1.0], x

    def long(y):
        for c in (0.1, 0.2, 0.3, 0.4, 0.5) * 10:
            y = y + c * np.sin(y)
        if mode == "double":
            y = y * 2.0
        return y * len(sizes) * p

    r = long(x) + long(x * x) + long(z) + long(x * z)
    mode = "single"
    r = r + long(x)
    sizes.append(x)
    r = r + long(x)
    p = z
    return r + long(x)


def _long_of_rate(y):
    for c in (0.1, 0.2, 0.3, 0.4, 0.5) * 10:
        y = y + c * np.sin(y)
    return y * rate


@program(args=(1.2,), cpu=NOT_NUMBA)
def long_function_of_a_global_that_changes(x):
    global rate
    rate = 1.0
    r = _long_of_rate(x) + _long_of_rate(x * x) + _long_of_rate(x * 0.5) + _long_of_rate(x * 0.3)
    rate = 4.0
    return r + _long_of_rate(x)


class _Part:
    def __init__(self):
        self.scale = 1.0
        self.shift = 2.0
        self.seen = []


_part, _owner = _Part(), _Part()
_owner.part = _part


@program(args=(1.2,), cpu=NOT_NUMBA)
def attributes_stored_twice(x):
    _part.scale = x
    _part.shift = x * x
    r = _part.scale * _part.shift
    _part.scale = 1.0
    return r + _part.scale * x


@program(args=(1.2,), cpu=NOT_NUMBA)
def attribute_by_two_paths(x):
    _part.scale = x
    r = _owner.part.scale * x
    _owner.part.scale = 1.0
    return r + _part.scale * x


@program(args=(1.2,), order=2)
def list_attribute_extended(x):
    part = _Part()
    seen = part.seen
    part.seen += [x]
    table = {"seen": seen}
    table["seen"] += [x * x]
    return sum(seen) + len(seen) * x


@program(args=(1.2,), cpu=NOT_NUMBA)
def variable_assigned_twice(x):
    gate.assign(gate * x)
    r = gate * x
    gate.assign(0.5)
    return r * gate


@program(args=(X, 3), wrt=(0,), order=2, cpu=NOT_NUMBA)
def attribute_stored_in_a_loop(x, n):
    s = 0.0
    for k in range(n):
        s += _part.scale * x[k]
        _part.scale = x[k]
    _part.scale = 1.0
    return s


@program(args=(X, 3), wrt=(0,), order=2, cpu=NOT_NUMBA)
def attribute_stored_on_one_path(x, n):
    s = 0.0
    for k in range(n):
        if k == 1:
            _part.scale = x[k]
        s += _part.scale * x[k]
    _part.scale = 1.0
    return s


@program(args=(X, 3), wrt=(0,), order=2, cpu=NOT_NUMBA)
def global_stored_in_a_loop(x, n):
    global _factor
    s = 0.0
    for k in range(n):
        if x[k] > 0.5:
            s += _factor * x[k]
            _factor = x[k]
    _factor = 0.5
    return s


@program(args=(X, 3), wrt=(0,), cpu=NOT_NUMBA)
def variable_assigned_on_one_path(x, n):
    s = 0.0
    for k in range(n):
        if k == 1:
            gate.assign(x[k])
        s += gate * x[k]
    gate.assign(0.5)
    return s
