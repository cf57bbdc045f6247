"""Arrays that a function writes to: those from outside are left as the function leaves them, arguments as they were."""

from __future__ import annotations

import numpy as np
import pytest

import s2s

X = np.array([1.0, 2.0, 3.0])
SCRATCH = np.zeros(3)
TABLE = np.arange(3.0)
NESTED = {"rows": [np.zeros(3), np.ones(3)]}


def through_scratch(x):
    SCRATCH[:] = x * x
    SCRATCH[1] += TABLE[1] * x[0]
    return np.sum(SCRATCH * SCRATCH)


def through_containers(x):
    NESTED["rows"][0][:] = x
    NESTED["rows"][1][1:] = x[1:] * x[:-1]
    return np.sum(NESTED["rows"][0] * NESTED["rows"][1])


def on_a_path(x):
    if x[0] > 0.0:
        np.multiply(x, 2.0, out=SCRATCH)
    return SCRATCH @ x


def in_a_loop(x):
    SCRATCH[0] = x[0]
    for k in range(1, 3):
        SCRATCH[k] = SCRATCH[k - 1] * x[k]
    return SCRATCH[2]


class Filter:
    def __init__(self):
        self.buffer = np.zeros(3)
        self.calls = 0

    def step(self, x):
        self.calls += 1
        self.buffer[1:] = self.buffer[:-1]
        self.buffer[0] = x[0]
        self.buffer *= x[1]
        return np.sum(self.buffer ** 2) * x[2]


def differences(f, x):
    out = np.zeros_like(x)
    for k in range(x.size):
        step = np.zeros_like(x)
        step[k] = 1e-6
        out[k] = (f(x + step) - f(x - step)) / 2e-6
    return out


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [through_scratch, through_containers, on_a_path, in_a_loop])
def test_arrays_from_outside(f, target):
    if target == "cpu":
        pytest.importorskip("numba")
        if f is not through_scratch:
            pytest.skip("one is enough")
    arrays = [SCRATCH, *NESTED["rows"]]
    for a in arrays:
        a[:] = 0.5
    want = f(X)
    left = [a.copy() for a in arrays]
    reference = differences(f, X)
    for make in (s2s.value_and_grad, s2s.grad):
        for a in arrays:
            a[:] = 0.5
        out = make(f, target=target)(X)
        value, gradient = out if make is s2s.value_and_grad else (want, out)
        assert value == pytest.approx(want)
        np.testing.assert_allclose(gradient, reference, rtol=1e-6)
        for a, b in zip(arrays, left, strict=True):
            np.testing.assert_array_equal(a, b)
    for a in arrays:
        a[:] = 0.5
    value, tangent = s2s.jvp(f, (X,), (np.ones(3),))
    assert (value, tangent) == (pytest.approx(want), pytest.approx(np.sum(reference)))
    for a, b in zip(arrays, left, strict=True):
        np.testing.assert_array_equal(a, b)


def test_an_attribute_is_changed_once():
    ours, plain = Filter(), Filter()
    g = s2s.value_and_grad(ours.step)
    for _ in range(3):
        before = plain.buffer.copy()
        value, gradient = g(X)

        def again(x, before=before):
            copy = Filter()
            copy.buffer = before.copy()
            return copy.step(x)

        assert value == pytest.approx(plain.step(X))
        np.testing.assert_allclose(ours.buffer, plain.buffer)
        np.testing.assert_allclose(gradient, differences(again, X), rtol=1e-6)
    assert ours.calls == 3


def test_an_object_that_is_an_argument_is_changed_too():
    ours = Filter()
    held = ours.buffer
    (gradient,) = s2s.gradients_function(lambda model, x: model.step(x), params=[1])(ours, X)
    assert ours.buffer is held and ours.buffer[0] == 2.0 and ours.calls == 1
    np.testing.assert_allclose(gradient, [24.0, 12.0, 4.0])


def weighted(x, y):
    x[0] = y[1] * 2.0
    return np.sum(x * y)


def test_one_array_for_two_parameters():
    a = X.copy()
    reference = differences(lambda z: weighted(z, z), X)
    for k in (0, 1):
        (gradient,) = s2s.gradients_function(weighted, params=[k])(a, a)
        np.testing.assert_allclose(gradient, reference, rtol=1e-6)
        np.testing.assert_array_equal(a, X)
    one, other = s2s.gradients_function(weighted)(a, a.copy())
    np.testing.assert_allclose(one, [0.0, 2.0, 3.0])
    np.testing.assert_allclose(other, [4.0, 4.0, 3.0])
    with pytest.raises(s2s.UnsupportedSyntaxError, match=r"'x', which is also the argument 'y', and both"):
        s2s.gradients_function(weighted)(a, a)
    with pytest.raises(s2s.UnsupportedSyntaxError, match="share memory"):
        s2s.gradients_function(weighted, params=[0])(a[:2], a[1:])


def test_one_array_for_two_parameters_that_are_only_read():
    def f(x, y, out):
        out[:] = x * y
        return np.sum(out)

    one, other, third = s2s.gradients_function(f)(X, X, X.copy())
    np.testing.assert_array_equal(one, X)
    np.testing.assert_array_equal(other, X)
    np.testing.assert_array_equal(third, np.zeros(3))


def test_an_argument_that_is_from_outside():
    def f(x):
        SCRATCH[0] = x[0]
        return np.sum(SCRATCH * x)

    assert s2s.grad(f)(X) is not None
    with pytest.raises(s2s.UnsupportedSyntaxError, match="an argument and an array from outside"):
        s2s.grad(f)(SCRATCH)


def test_a_variable_is_not_stored_into():
    w = s2s.Variable(np.ones(3))

    def f(x):
        w[0] = x[0]
        return np.sum(w * x)

    with pytest.raises(s2s.UnsupportedSyntaxError, match="use assign"):
        s2s.grad(f)(X)
