"""Statements that carry no derivative: print, f-strings, assert, raise, logging, docstrings."""

import logging
import math
import warnings

import numpy as np

from . import program

logger = logging.getLogger(__name__)
LOG = []

COMPUTED = "numba cannot compute a text, nor call what it does not know"
IN_LOOP = "numba cannot print or log with a format inside a loop"


@program(args=(1.5,))
def docstring_and_pass(x):
    """A docstring is a statement."""
    pass
    "so is this"
    ...
    return x * x


@program(args=(1.5,))
def print_before(x):
    print("start", x)
    return x * x


@program(args=(1.5,), cpu=COMPUTED)
def print_after(x):
    y = x * x
    print(f"y = {y:.3f}", "and x", x, sep=" | ")
    return y


@program(args=(1.5,), cpu=IN_LOOP)
def print_in_loop(x):
    for i in range(3):
        x = x * 1.1
        print(f"step {i}: {x:.4f}")
    return x


@program(args=(1.5,), cpu=COMPUTED)
def assert_holds(x):
    assert x > 0.0, f"x must be positive, is {x}"
    return math.log(x)


@program(args=(1.5,))
def raise_not_reached(x):
    if x < 0.0:
        raise ValueError("x must not be negative")
    return math.sqrt(x)


@program(args=(1.5,))
def raise_in_loop_not_reached(x):
    for i in range(3):
        x = x * 1.2
        if x > 100.0:
            raise OverflowError("diverged")
    return x


@program(args=(1.5,))
def raise_in_helper_not_reached(x):
    def checked(v):
        if v != v:
            raise FloatingPointError
        return v

    return checked(x * x) * checked(x)


@program(args=(1.5,), cpu=COMPUTED)
def logging_call(x):
    logger.debug("called with %s", x)
    y = x * x
    logger.info("y is %.3f", y)
    return y


@program(args=(1.5,), cpu=IN_LOOP)
def logging_in_loop(x):
    for i in range(2):
        x = x * x
        logger.debug("%d: %s", i, x)
    return x


@program(args=(1.5,))
def f_string_unused(x):
    name = "scale"
    label = f"{name}={x!r:>10}"
    y = x * 3.0
    label += " done"
    return y if label else 0.0


@program(args=(1.5,), cpu=COMPUTED)
def append_to_a_log(x):
    LOG.append("called")
    return x * x


@program(args=(1.5,))
def import_inside(x):
    import math as m
    from math import cos

    return m.sin(x) * cos(x)


@program(args=(1.5,), cpu=COMPUTED)
def warning_not_reached(x):
    if x > 10.0:
        warnings.warn("large", stacklevel=2)
    return x * x


@program(args=(1.5,))
def integer_bookkeeping(x):
    names = ["a", "b", "c"]
    lengths = {}
    for n in names:
        lengths[n] = len(n) * 2
    count = 0
    for n in sorted(lengths):
        count += lengths[n]
    return x * count


@program(args=(np.array([3.0, 1.0, 2.0]),))
def non_differentiable_on_the_side(x):
    order = np.argsort(x)
    best = int(np.argmax(x))
    finite = np.isfinite(x).all()
    r = x[best] * x[order[0]]
    if finite:
        r = r * 2.0
    return r
