"""Arrays of one shape are known to be: a specialisation for them serves no others."""

from __future__ import annotations

import numpy as np
import pytest

import s2s
from s2s.runtime.helpers import unbroadcast, unbroadcast_cells


def smooth(a, b):
    a = np.array(a)  # which a Variable needs
    a[1:-1] = 0.5 * b[1:-1] + a[:-2]
    return np.sum(a * a)


@pytest.mark.parametrize("make", [np.ones, s2s.Variable])
def test_equal_then_different(make):
    """What fits for arrays of one shape is not used where one is broadcast."""
    def array(*numbers):
        values = np.array(numbers)
        return values if make is np.ones else make(values)
    g = s2s.gradients_function(smooth)
    first = g(array(1.0, 2.0, 3.0, 4.0), array(1.0, -1.0, 0.5, 2.0))
    assert "unbroadcast" not in g.source
    second = g(array(1.0, 2.0, 3.0, 4.0), array(1.0, -1.0, 0.5))
    assert "unbroadcast" in g.source
    a, b = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, -1.0, 0.5])
    np.testing.assert_allclose(second[1], [0.0, np.sum(0.5 * 2.0 * (0.5 * b[1] + a[:2])), 0.0])
    again = g(array(1.0, 2.0, 3.0, 4.0), array(1.0, -1.0, 0.5, 2.0))
    for x, y in zip(first, again, strict=True):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize(("shape", "like"), [
    ((3, 4), (3, 4)), ((3, 4), (1, 4)), ((3, 4), (3, 1)), ((3, 4), (4,)), ((3, 4), (1,)), ((2, 3, 4), (3, 1)),
    ((2, 3, 4), (2, 1, 4)), ((1, 4), (4,)), ((0, 4), (1, 4)), ((5,), (1,)), ((0,), (1,)), ((1,), (1,)),
])
def test_unbroadcast_cells(shape, like):
    """What is written for numba is what NumPy does."""
    x = np.cos(np.arange(np.prod(shape))).reshape(shape)
    for a in (x, np.asfortranarray(x)):
        got = unbroadcast_cells(a, np.ones(like))
        assert got.shape == like
        np.testing.assert_allclose(got, unbroadcast(a, np.ones(like)))


def test_sizes_change_together():
    g = s2s.gradients_function(lambda a, b: np.sum(a * b[::-1]))
    for n in (3, 5, 8):
        g(np.ones(n), np.ones(n))
    assert len(g.signatures) == 1


def test_different_first():
    """A specialisation for arrays of different shapes serves those of one shape, too."""
    g = s2s.gradients_function(lambda x, y: np.sum(x) * np.sum(y))
    g(np.ones(3), np.ones(4))
    g(np.ones(3), np.ones(3))
    assert len(g.signatures) == 1
