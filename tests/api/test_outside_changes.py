"""What a specialisation relies on of objects from outside, and what calls left in place may change."""

from __future__ import annotations

import bisect
import enum
import heapq
import math

import numpy as np
import pytest

import s2s


class Mode(enum.Enum):
    SQUARE = 1
    TRIPLE = 2


class Bag:
    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __eq__(self, other):
        return self.size == other.size

    def __hash__(self):
        return self.size


mode = Mode.SQUARE
bag, other_bag = Bag(1), Bag(1)


def by_identity(x):
    return x * x if mode is Mode.SQUARE else x * 3.0


def by_equality(x):
    return x * x if mode == Mode.SQUARE else x * 3.0


def by_truth(x):
    return x * x if bag else x * 3.0


def by_own_equality(x):
    return x * x if bag == other_bag else x * 3.0


def by_presence(x):
    return x * 3.0 if hasattr(bag, "extra") else x * x


@pytest.fixture
def outside():
    yield
    globals().update(mode=Mode.SQUARE, bag=Bag(1), other_bag=Bag(1))


@pytest.mark.parametrize("f", [by_identity, by_equality, by_truth, by_own_equality, by_presence])
def test_an_object_that_decides_a_branch_is_looked_at_in_each_call(f, outside):
    global mode
    g = s2s.grad(f)
    assert float(g(2.0)) == 4.0
    mode = Mode.TRIPLE
    bag.size = 0
    bag.extra = 1.0
    assert float(g(2.0)) == 3.0
    mode = Mode.SQUARE
    bag.size = 1
    del bag.extra
    assert float(g(2.0)) == 4.0


def test_an_enum_argument_decides_a_branch():
    g = s2s.grad(lambda x, m: x * x if m == Mode.SQUARE else x * 3.0)
    assert [float(g(2.0, m)) for m in (Mode.SQUARE, Mode.TRIPLE, Mode.SQUARE)] == [4.0, 3.0, 4.0]


def test_the_length_of_an_object_made_in_the_function():
    g = s2s.grad(lambda x: x * x if Bag(0) else x * 3.0)
    assert float(g(2.0)) == 3.0


def push(x):
    heap = [3.0, 5.0]
    heapq.heappush(heap, x)
    return heap[0] * x


def insort(x):
    found = [3.0, 5.0]
    bisect.insort(found, x)
    return found[0] * x


@pytest.mark.parametrize("f", [push, insort])
def test_a_container_read_after_a_call_that_changes_it_is_refused(f):
    with pytest.raises(s2s.UnsupportedSyntaxError):
        s2s.grad(f)(2.0)


def test_appending_to_an_argument_happens_and_its_gradient_is_for_what_was_passed():
    def f(x, seen):
        seen.append(x)
        return x * x * (seen[0] if False else 1.0)

    seen = [1.0, 2.0]
    assert float(s2s.grad(f)(3.0, seen)) == 6.0
    assert len(seen) == 3
    value, (_, of_seen) = s2s.value_and_gradients_function(lambda x, s: _summed(x, s))(3.0, seen)
    assert float(value) == 12.0
    assert [float(g) for g in of_seen] == [3.0, 0.0, 0.0]
    assert len(seen) == 4


def _summed(x, seen):
    value = x * seen[0] + x * x
    seen.append(4.0)
    return value


def test_the_result_of_a_call_without_a_rule_is_not_a_value():
    with pytest.raises(s2s.NoRuleError, match="asmatrix"):
        s2s.grad(lambda x: np.sum(np.asmatrix(np.ones(3) * x)))(2.0)


def test_closures_over_functions_written_in_c_are_told_apart():
    def applied(function):
        return lambda x: function(x)

    x = np.array([1.0, 2.0, 4.0])
    for function in (np.gradient, np.cumsum, np.sort, np.diff, np.sin):
        np.testing.assert_allclose(s2s.jvp(applied(function), (x,), (x,))[0], function(x))
    np.testing.assert_allclose(s2s.grad(applied(np.sum))(x), np.ones(3))
    np.testing.assert_allclose(s2s.grad(applied(np.mean))(x), np.ones(3) / 3)


curve = np.sin


def along_curve(x):
    return curve(x)


def test_another_function_of_numpy_under_the_name():
    global curve
    g = s2s.gradients_function(along_curve)
    try:
        for curve, slope in ((np.sin, np.cos(0.5)), (np.exp, np.exp(0.5)), (math, None), (np.sin, np.cos(0.5))):
            if slope is None:
                with pytest.raises((TypeError, s2s.errors.S2SError)):
                    g(0.5)
            else:
                assert abs(float(g(0.5)[0]) - slope) < 1e-15
    finally:
        curve = np.sin
