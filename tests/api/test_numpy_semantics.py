"""What NumPy makes of unusual arguments, seen through the public functions."""

import math
import pickle
import subprocess
import sys
from collections import OrderedDict, defaultdict

import numpy as np
import pytest

import s2s

A = np.array([[1.0, 4.0, 2.0], [0.5, 3.0, 9.0]])


def _recursive(x, n):
    return x if n == 0 else np.sin(_recursive(x, n - 1)) * x


@pytest.mark.parametrize(("f", "explicit"), [
    (lambda a: np.var(a, 1, None, None, 1), lambda a: np.var(a, axis=1, ddof=1)),
    (lambda a: np.sum(a, 0, None, None, True), lambda a: np.sum(a, axis=0, keepdims=True)),
    (lambda a: a.max(0, None, True), lambda a: np.max(a, axis=0, keepdims=True)),
    (lambda a: np.take(a, [0, 7], None, None, "wrap"), lambda a: np.take(a, [0, 7], mode="wrap")),
    (lambda a: np.clip(a, min=1.5, max=3.5), lambda a: np.clip(a, 1.5, 3.5)),
    (lambda a: a.clip(max=3.5), lambda a: np.clip(a, None, 3.5)),
    (lambda a: a.clip(1.5), lambda a: np.clip(a, 1.5, None)),
    (lambda a: np.sum(a, where=True, out=None), np.sum),
    (lambda a: np.add(a, a, where=True), lambda a: a + a),
    (lambda a: np.sort(a, kind="stable"), lambda a: np.sort(a)),
    (lambda a: np.einsum("ij,kj->ik", a, a, optimize=True), lambda a: np.einsum("ij,kj->ik", a, a)),
])
def test_other_ways_to_pass_arguments(f, explicit):
    value, (gradient,) = s2s.value_and_gradients_function(f)(A)
    want, (reference,) = s2s.value_and_gradients_function(explicit)(A)
    np.testing.assert_array_equal(value, f(A))
    np.testing.assert_array_equal(value, want)
    np.testing.assert_array_equal(gradient, reference)


@pytest.mark.parametrize("f", [
    lambda a: np.sum(a, 0, None, a), lambda a: np.sum(np.sin(a, where=a > 1.0)),
    lambda a: np.sum(np.max(a, axis=0, where=a > 1.0)), lambda a: np.add(a, a, out=2.0),
    lambda a: np.add.at(a, (slice(None), [0, 1]), 1.0, 2.0),
])
def test_refused(f):
    with pytest.raises(s2s.S2SError):
        s2s.grad(f)(A)


def test_memory_order():
    def flat(a):
        return np.ravel(a, order="K")[:2]

    np.testing.assert_array_equal(s2s.grad(flat)(A), [[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(s2s.grad(flat)(np.asfortranarray(A)), [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("f", "args"), [
    (lambda x, y: np.sum(np.sin(x) * y), (np.float32([1.0, 2.0]), np.array([1.0, 2.0]))),
    (lambda x, y: x * y, (np.float32(2.0), np.float64(3.0))),
    (lambda x, y: np.dot(x, y), (np.float32([1.0, 2.0]), np.array([1.0, 2.0]))),
])
def test_weights_left_out_keep_the_dtype(f, args, target):
    gradients = s2s.gradients_function(f, target=target)(*args)
    weighted = s2s.gradients_function(f, target=target)(*args, dy=1.0)
    for gradient, other, x in zip(gradients, weighted, args, strict=True):
        assert gradient.dtype == x.dtype
        np.testing.assert_array_equal(gradient, other)


def test_small_ints_and_bools_meet_floats():
    for x in (np.array([True, False]), np.array([1, 2], np.int8)):
        _, gradient = s2s.gradients_function(lambda x, y: np.sum(np.sin(x) * y))(x, np.array([1.0, 2.0]))
        assert gradient.dtype == np.float64
    gradient, none = s2s.gradients_function(lambda a, b: np.sum(a ** b))(np.array([2.0, 0.0]), np.array([True, False]))
    np.testing.assert_array_equal(gradient, [1.0, 0.0])
    assert none is None


def test_arrays_of_numpy_and_python_numbers():
    def mixed(x, y):
        return np.array([x, y])

    value, (x_bar, y_bar) = s2s.value_and_gradients_function(mixed)(np.float32(1.5), 2.0)
    assert value.dtype == mixed(np.float32(1.5), 2.0).dtype == np.float64
    assert (x_bar.dtype, y_bar.dtype) == (np.float32, np.float64)
    value, _ = s2s.value_and_gradients_function(lambda x: np.array((x, 2.0), dtype=np.float32))(np.float32(1.5))
    assert value.dtype == np.float32


def test_remainder_of_numpy_numbers():
    x_bar, y_bar = s2s.gradients_function(lambda x, y: math.fmod(x, y))(np.float32(5.0), np.float32(3.0))
    assert (x_bar, y_bar) == (1.0, -1.0)


@pytest.mark.parametrize("depth", [1, 2])
def test_fourth_derivative_of_a_recursion(depth):
    third = s2s.grad(s2s.grad(s2s.grad(_recursive)))
    step = 1e-4
    slope = (third(0.6 + step, depth) - third(0.6 - step, depth)) / (2 * step)
    assert s2s.grad(third)(0.6, depth) == pytest.approx(slope, rel=1e-6)


def _product(p):
    return np.sum(p["a"] * p["b"])


def test_dicts_of_other_types():
    gradient = s2s.grad(_product)(OrderedDict(b=3.0, a=2.0))
    assert gradient == OrderedDict(b=2.0, a=3.0)
    given = defaultdict(float, a=2.0, b=np.array([1.0, 2.0]))
    gradient = s2s.grad(_product)(given)
    assert (gradient.default_factory, gradient["a"]) == (float, 3.0)
    np.testing.assert_array_equal(gradient["b"], [2.0, 2.0])
    assert s2s.grad(_product)({"a": 2.0, "b": 3.0}) == {"a": 3.0, "b": 2.0}

    class Doubled(dict):
        def __getitem__(self, key):
            return 2.0 * dict.__getitem__(self, key)

    with pytest.raises(TypeError, match="a Doubled"):
        s2s.grad(_product)(Doubled(a=2.0, b=3.0))


@pytest.mark.parametrize("x", [np.ma.masked_array([1.0, 2.0], [False, True]), np.eye(2).view(np.matrix)])
def test_arrays_that_compute_otherwise(x):
    with pytest.raises(TypeError, match="plain array"):
        s2s.grad(lambda x: np.sum(x * x))(x)


_PROGRAM = """
import sys
import cloudpickle, numpy as np, s2s

def helper(x):
    return x ** 3

class Model:
    def __init__(self):
        self.w = s2s.Variable(2.0)
    def __call__(self, x):
        return helper(x) * self.w
    def forward(self, x):
        return helper(x) * self.w

def f(x):
    return np.sum(helper(x))

made = (s2s.grad(f), s2s.grad(Model().forward))
sys.stdout.buffer.write(cloudpickle.dumps(made))
"""


def test_cloudpickle_from_the_main_program(tmp_path):
    pytest.importorskip("cloudpickle")
    (tmp_path / "program.py").write_text(_PROGRAM)
    data = subprocess.run([sys.executable, tmp_path / "program.py"], check=True, capture_output=True).stdout
    gradient, method = pickle.loads(data)
    np.testing.assert_array_equal(gradient(np.array([1.0, 2.0])), [3.0, 12.0])
    assert method(1.0) == 6.0
