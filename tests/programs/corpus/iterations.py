"""What one iteration finds that another one left: keys, attributes, tuples, what the test of a loop changes."""

import collections
import dataclasses
from dataclasses import InitVar, dataclass, field
from typing import NamedTuple

import numpy as np

from . import program


class Part:
    """An object without attributes."""


class Total:
    """Its attribute is the class's until it is assigned."""

    total = 0.0

    def add(self, v):
        self.total = self.total + v


class Countdown:
    def __init__(self, n):
        self.left = n

    def go_on(self):
        self.left -= 1
        return self.left > 0


@program(args=(1.5, 5), wrt=(0,))
def a_test_that_changes_an_object(x, n):
    countdown = Countdown(n)
    while countdown.go_on():
        x = x * 1.1
    return x * (countdown.left + 2)


@program(args=(1.5,))
def a_test_that_changes_a_variable_around_it(x):
    k = 0

    def more():
        nonlocal k
        k += 1
        return k < 4

    while more():
        x = x * 1.1
    return x * k


@program(args=(1.5, 5), wrt=(0,))
def a_key_with_a_default(x, n):
    d, s = {}, 0.0
    for _ in range(n):
        s = s + d.get("a", 1.0) * x
        d["a"] = s
    return s


@program(args=(1.5, 5), wrt=(0,))
def a_key_that_may_be_there(x, n):
    d, s = {}, x
    for k in range(n):
        if "a" in d:
            s = s + d["a"]
        d["a"] = x * k
    return s


@program(args=(1.5, 0), wrt=(0,))
def a_key_of_a_loop_that_never_runs(x, n):
    d = {}
    for k in range(n):
        d["a"] = x * k
    return (x if "a" in d else 2.0 * x) * (len(d) + 1)


@program(args=(1.5, 5), wrt=(0,))
def setdefault_in_a_loop(x, n):
    d, s = {}, 0.0
    for k in range(n):
        s = s + d.setdefault("a", x * (k + 1.0))
    return s


@program(args=(1.5, 5), wrt=(0,))
def items_that_a_loop_adds(x, n):
    d, s = {"a": x}, 0.0
    for _ in range(n):
        s = s + sum(d.values()) + len(d)
        d.update(b=2 * x)
    return s


@program(args=(1.5, 5), wrt=(0,))
def a_default_that_a_loop_adds(x, n):
    d, s = collections.defaultdict(float), 0.0
    for _ in range(n):
        s = s + len(d) * x
        d["a"] += x
    return s


@program(args=(1.5, 5), wrt=(0,))
def a_key_error_the_first_time(x, n):
    d, s = {}, x
    for k in range(n):
        try:
            s = s + d["b"]
        except KeyError:
            s = s + x
        d["b"] = 2 * x * k
    return s


@program(args=(1.5, 4), wrt=(0,))
def keys_of_nested_loops(x, n):
    d, s = {}, 0.0
    for i in range(n):
        for _ in range(n):
            s = s + d.get("a", 1.0) * x
            d["a"] = x * i
    return s


@program(args=(1.5, 5), wrt=(0,))
def elements_that_a_loop_adds(x, n):
    seen, s = {1}, 0.0
    for _ in range(n):
        s = s + x * len(seen)
        seen.update({1, 2})
    return s


@program(args=(1.5, 5), wrt=(0,))
def an_attribute_with_a_default(x, n):
    o, s = Part(), 0.0
    for _ in range(n):
        s = s + getattr(o, "a", x)
        o.a = 2 * x
    return s


@program(args=(1.5, 5), wrt=(0,))
def an_attribute_that_is_made_once(x, n):
    o, s = Part(), 0.0
    k = 0
    while k < n:
        if not hasattr(o, "a"):
            o.a = x * (k + 1.0)
        s = s + o.a
        k += 1
    return s


@program(args=(np.array([1.5, 0.5, 2.0]),))
def an_attribute_of_the_class_at_first(x):
    o = Total()
    for v in x:
        o.add(v * v)
    return o.total


@program(args=(np.array([1.5, 0.5, 2.0]),))
def an_attribute_that_only_a_loop_sets(x):
    o = Part()
    for k in range(len(x)):
        o.last = x[k] * k
    return o.last


@program(args=(1.5, 5), wrt=(0,))
def none_and_then_a_tuple(x, n):
    best, s = None, x
    for _ in range(n):
        if best is None:
            best = (x, 2 * x)
        else:
            s = s + best[0]
    return s


@program(args=(1.5, 5), wrt=(0,))
def a_tuple_and_then_a_number(x, n):
    best, s = (x, x), 0.0
    for _ in range(n):
        s = s + (best[0] if isinstance(best, tuple) else best)
        best = x * 3
    return s


@program(args=(1.5,))
def a_tuple_that_grows(x):
    t = ()
    for k in range(4):
        t = (*t, x * k)
    return sum(t) + x


@program(args=(1.5, 4), wrt=(0,))
def a_tuple_that_grows_as_often_as_is_asked_for(x, n):
    t = (x,)
    for k in range(n):
        t += (x * k,)
    return sum(t)


@program(args=(1.5, -2), wrt=(0,))
def elements_and_parts_of_ranges(x, i):
    s = x * range(10)[i] * range(1, 20, 3)[-1]
    for k in range(10)[-3:]:
        s = s + x * k
    for k in range(20)[2:9:3]:
        s = s * x + k
    return s


@dataclass
class Keyword:
    a: float = field(kw_only=True, default=3.0)
    b: float = 2.0


@dataclass
class Scaled:
    x: float
    scale: InitVar[float] = 2.0
    y: float = 1.0
    z: np.ndarray = dataclasses.field(default_factory=lambda: np.ones(3))

    def __post_init__(self, scale):
        self.y = self.y * scale


class Pair(NamedTuple):
    a: float
    b: float = 2.0


@program(args=(1.5,))
def fields_by_keyword_and_for_init_only(x):
    one, two, three = Keyword(x, a=2.0 * x), Scaled(x, 3.0 * x), Scaled(x)
    return one.a * 10 + one.b + two.x * 100 + two.y * np.sum(two.z) + three.y * x + Pair(x).b * Pair(b=x, a=1.0).b


@program(args=(1.5,))
def conversions_by_keyword(x):
    z = complex(real=x, imag=2.0 * x)
    return z.real * z.imag * int("10", base=2) + complex(x, imag=x).imag


@program(args=(np.array([1.0, 2.0]),))
def a_copy_by_asarray(x):
    y = np.asarray(x * 1.0)
    z = np.asarray(y, copy=True)
    z[0] = 0.0
    return np.sum(y * x) + np.shape(a=x)[0] * np.size(x, -1) * np.size(x, axis=None) * x[0]


@program(args=(1.5,))
def an_attribute_of_the_class_on_one_path(x):
    one, two = Total(), Total()
    if x > 1.0:
        one.total = x * x
    if x > 2.0:
        two.total = x * x
    return one.total + two.total * x
