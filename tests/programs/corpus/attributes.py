"""Classes whose attributes are read: numbers, arrays, objects within objects, properties."""

import math
from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np

from . import program


@dataclass
class _Gains:
    proportional: float = 1.5
    derivative: float = 0.25
    limits: tuple = (0.1, 2.0)


@dataclass
class _Plant:
    gains: _Gains = field(default_factory=_Gains)
    matrix: np.ndarray = field(default_factory=lambda: np.array([[0.5, -0.1], [0.2, 0.3]]))
    linear: bool = False

    def step(self, state):
        state = self.matrix @ state
        if not self.linear:
            state = np.tanh(state)
        return state * self.gains.proportional

    @property
    def doubled(self):
        return 2.0 * self.gains.derivative


class _Base:
    factor = 3.0

    def scale(self, x):
        return self.factor * x

    def evaluate(self, x):
        return self.scale(x) + 1.0


class _Derived(_Base):
    factor = 0.5

    def scale(self, x):
        return super().scale(x) * x


class _Operators:
    """A user's class with operators of its own, made inside the function."""

    def __init__(self, re, im):
        self.re = re
        self.im = im

    def times(self, other):
        return _Operators(
            self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
        )


Point = namedtuple("Point", "x y")
plant = _Plant()
derived = _Derived()


@program(args=(1.5,))
def attributes_of_global(x):
    return plant.gains.proportional * x + plant.gains.limits[1] * x * x


@program(args=(np.array([0.5, 0.2]),), smoke=True)
def method_in_loop(state):
    for _ in range(4):
        state = plant.step(state)
    return np.sum(state)


program(args=(np.array([0.5, 0.2]),), name="method")(plant.step)


@program(args=(1.5,))
def property_read(x):
    return plant.doubled * x * x


@program(args=(1.5,))
def inherited_method(x):
    return derived.evaluate(x) * x


@program(args=(_Plant(), np.array([0.5, 0.2])), wrt=(1,))
def object_as_argument(system, state):
    return np.sum(system.step(system.step(state))) * system.gains.derivative


@program(args=(1.5, 0.5))
def namedtuple_made_inside(x, y):
    p = Point(x * y, x)
    q = Point(y=p.x, x=p.y)
    return p.x * q.x + q.y


@program(args=(Point(1.5, 0.5),))
def namedtuple_argument(p):
    return p.x * p.x * p.y + p[1]


@program(args=(0.5, 1.2))
def object_made_inside(x, y):
    a = _Operators(x, y)
    b = a.times(a).times(a)
    return b.re * b.im


@program(args=(1.5,))
def attribute_of_module(x):
    return math.pi * x + np.pi * x * x + math.e


@program(args=(np.ones((2, 3)),))
def array_attributes(x):
    return np.sum(x * x) * x.size + x.ndim * x[0, 0] + np.sum(x.T @ x) * x.shape[1]


class Empty:
    pass


@program(args=(1.5, 3), wrt=(0,))
def attribute_first_set_in_the_loop(x, n):
    o = Empty()
    for k in range(n):
        o.v = getattr(o, "v", 0.5) * x + k
    return o.v ** 2
