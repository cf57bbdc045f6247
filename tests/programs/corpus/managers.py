"""`with` around differentiated code: classes with `__enter__` and `__exit__`, `@contextmanager`, suppress."""

import contextlib
import math
import time

import numpy as np

from . import program

TIMES = []
EVENTS = []


class Recorded:
    def __enter__(self):
        EVENTS.append("in")
        return self

    def __exit__(self, *exception):
        EVENTS.append("out")


RECORDED = Recorded()


class Doubled:
    def __init__(self, v):
        self.v = v

    def __enter__(self):
        self.v = self.v * 2.0
        return self

    def __exit__(self, kind, error, trace):
        self.v = self.v / 4.0
        return False


@contextlib.contextmanager
def timed(label):
    start = time.perf_counter()
    try:
        yield
    finally:
        TIMES.append((label, time.perf_counter() - start))


@contextlib.contextmanager
def scaled(v):
    yield v * 2.0


EFFECT = "numba cannot call what it does not know"


@program(args=(0.7,), cpu=EFFECT)
def recorded(x):
    with Recorded():
        y = x * x
    return y * x


@program(args=(0.7,), cpu=EFFECT)
def recorded_outside(x):
    with RECORDED as r:
        y = x * x
    return y * x if r is RECORDED else 0.0


@program(args=(0.7,), order=2)
def state_of_a_manager(x):
    doubled = Doubled(x)
    with doubled as d:
        y = d.v * x
    return y * doubled.v


@program(args=(0.7,))
def returned_from_the_block(x):
    doubled = Doubled(x)
    with doubled:
        if x > 0.5:
            return doubled.v * x
    return doubled.v


@program(args=(0.7,), cpu=EFFECT)
def timed_block(x):
    with timed("cube"):
        y = x * x * x
    return y


@program(args=(0.7,), cpu="numba knows no context managers")
def yielded_value(x):
    with scaled(x) as s, np.errstate(all="ignore"):
        y = s * x
    return y


@program(args=(-0.7,))
def suppressed(x):
    y = x
    with contextlib.suppress(ValueError):
        y = math.sqrt(x)
    with contextlib.nullcontext(y) as z:
        return z * x
