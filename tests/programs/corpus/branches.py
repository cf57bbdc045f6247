"""`if`, `elif`, `else`: nested, on active values, on flags, with names bound on one path."""

import math

import json

import numpy as np

from . import program


@program(args=(1.5, 0.5), order=2, smoke=True)
def if_else_active(x, y):
    if x > y:
        r = x * x * y
    else:
        r = y * y * x
    return r


@program(args=(-1.5,))
def if_without_else(x):
    r = x * x
    if x < 0.0:
        r = r * x
    return r


def _ladder(x):
    if x < -1.0:
        r = x * x
    elif x < 0.0:
        r = math.exp(x)
    elif x < 1.0:
        r = math.sin(x)
    else:
        r = 3.0 * x
    return r


for _k, _x in enumerate((-1.5, -0.5, 0.5, 1.5)):
    program(args=(_x,), name=f"ladder_rung_{_k}", order=2)(_ladder)


def _nested(x, y, z):
    r = x
    if x > 0.0:
        if y > 0.0:
            r = r * y
            if z > 0.0:
                r = r + z * z
            else:
                r = r - z
        else:
            r = r * z
        r = r * 2.0
    else:
        r = y * z
    return r * x


for _k, _args in enumerate([(1.0, 2.0, 3.0), (1.0, 2.0, -3.0), (1.0, -2.0, 3.0), (-1.0, 2.0, 3.0)]):
    program(args=_args, name=f"nested_path_{_k}")(_nested)


@program(args=(1.2, True), wrt=(0,))
def on_a_flag(x, flag):
    if flag:
        y = x * x
    else:
        y = -x
    return y * x


@program(args=(1.2, "square"), wrt=(0,))
def on_a_string(x, kind):
    if kind == "square":
        return x * x
    if kind == "cube":
        return x * x * x
    raise ValueError(kind)


@program(args=(1.2, None), wrt=(0,))
def on_none(x, scale):
    if scale is None:
        scale = 2.0
    return x * x * scale


@program(args=(1.2, 3), wrt=(0,))
def on_an_integer(x, n):
    if n % 2 == 1:
        x = x * x
    if n > 2 and n != 4:
        x = x + n
    return x * n


@program(args=(1.2,))
def name_bound_on_one_path(x):
    if x > 0.0:
        t = x * x
    if x > 1.0:
        return t * x
    return x


@program(args=(0.5, 1.5))
def branch_passes(x, y):
    if x > y:
        pass
    else:
        x = x * y
    return x * x


@program(args=(np.array([1.0, -2.0, 3.0]),))
def on_an_element(x):
    if x[1] < 0.0:
        r = x[0] * x[2]
    else:
        r = x[1] * x[1]
    return r * x[1]


@program(args=(np.array([1.0, 2.0, 3.0]),))
def on_a_reduction(x):
    if np.sum(x) > 4.0:
        x = x * x
    return np.sum(np.sin(x))


@program(args=(np.ones((2, 3)) * 0.5,))
def on_rank_and_shape(x):
    if x.ndim == 2:
        r = np.sum(x * x, axis=1)
    else:
        r = x
    if x.shape[0] == 2 and len(x) != 7:
        r = r * 3.0
    return np.sum(r * r)


@program(args=(1.5,))
def on_the_type(x):
    if isinstance(x, float):
        return x * x
    return x


@program(args=(0.7, 0.2))
def same_name_read_and_written(x, y):
    if x > y:
        x = x + y
        y = x * y
    else:
        y = x - y
        x = y * x
    return x / y


@program(args=(2.0, 3.0))
def branches_of_other_kinds(x, y):
    if x > y:
        r = 0
    elif y > 100.0:
        r = 1.5
    else:
        r = x * y
    return r


@program(args=(1.3, 0.4))
def constant_branch_taken(x, y):
    r = x * y
    if x > 1.0:
        r = 5.0
    return r + y


@program(args=(0.3, 1.7))
def condition_reused_after_change(x, y):
    bigger = x > y
    x = x + 10.0
    if bigger:
        r = x * x
    else:
        r = x * y
    return r


@program(args=(0.3, 1.7))
def condition_from_overwritten_value(x, y):
    t = x * y
    if t < 1.0:
        t = t * t
        if t < 0.5:
            t = t + x
    return t * y


@program(args=(np.array([0.5, 1.5, -0.5]),))
def truth_of_any_and_all(x):
    if np.any(x > 1.0) and not np.all(x > 0.0):
        return np.sum(x**3)
    return np.sum(x)


_CONFIG = {"exact": False, "order": 2}


class _Settings:
    verbose = False


def _unsupported(x):
    return float(json.loads(json.dumps({"x": float(x)}))["x"])


@program(args=(1.7, False), wrt=("x",))
def unsupported_for_a_flag(x, exact):
    if exact:
        return _unsupported(x)
    return x * x


@program(args=(1.7,))
def unsupported_for_a_setting(x):
    y = x * x
    for _ in range(_CONFIG["order"]):
        if _CONFIG["exact"] or _CONFIG["order"] > 4:
            y = _unsupported(y)
        else:
            y = np.sin(y) * x
    return _unsupported(y) if _Settings.verbose else y


@program(args=(1.7, False), wrt=("x",))
def unsupported_after_an_early_return(x, exact):
    if not exact:
        return x * x * x
    y = _unsupported(x)
    return y * x


@program(args=(1.7, 2), wrt=("x",))
def message_by_flag(x, n):
    message = f"too large: {x}" if n > 3 else "too small"
    if x > 100.0:
        raise ValueError(message)
    return x * x


# A loop does nothing on one path, where the adjoint is 0. -----------------------------------------

X = np.array([0.7, -0.4, 1.1, 0.3])

@program(args=(X, np.outer(X, X)))
def loop_of_what_is_rectified(x, w):
    total = 0.0
    for i in range(w.shape[0]):
        s = 0.1
        for j in range(w.shape[1]):
            for k in range(2):
                s += w[i, j] * x[j] * (k + 1.0)
        if s <= 0.0:
            pass
        else:
            total += s * s
    return total


@program(args=(X, 0.4))
def loops_of_one_path(x, c):
    total = 0.0
    for i in range(x.shape[0]):
        s = 1.0
        t = 0.0
        for j in range(x.shape[0]):
            s = s * (1.0 + 0.1 * x[j] * c)
            if x[j] > 0.0:
                s = s + x[i]
        for j in range(x.shape[0]):
            t += s * x[j]
        if t > 1.0:
            total += t
        elif t > 0.0:
            total += c
    return total


@program(args=(X, np.outer(X, X)))
def loop_with_more_than_that_path(x, w):
    total = 0.0
    y = np.zeros(x.shape[0])
    for i in range(w.shape[0]):
        s = 0.0
        u = 0.0
        for j in range(w.shape[1]):
            s += w[i, j] * x[j]
            u += x[j] * x[i]
            y[j] += x[i] * w[i, j]
        if s > 0.0:
            total += s
        total += 0.5 * u
    return total + np.sum(y * y)
