"""`Variable`, `Tensor` and `constant` as values of plain Python and NumPy."""

from __future__ import annotations

import copy
import math
import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2s.errors import ShapeError
from s2s.variable import Tensor, Variable, constant, plain, tensor, wrapped

V3 = [0.5, 1.5, -2.5]


def both(value: Any) -> list[Any]:
    return [Variable(value), constant(value)]


# Making, reading and assigning.


def test_dtypes() -> None:
    assert Variable(1.0).dtype == np.float64
    assert Variable(np.float32(1.0)).dtype == np.float32
    assert Variable(np.ones(2, np.float32)).dtype == np.float32
    assert Variable([1.0, 2.0], dtype=np.float32).dtype == np.float32
    assert Variable(Variable(2.0)).raw == 2.0
    with pytest.raises(TypeError, match="holds numbers"):
        Variable("text")


def test_attributes() -> None:
    v = Variable([[1.0, 2.0]], name="w", trainable=False)
    assert (v.shape, v.ndim, v.size, v.name, v.trainable) == ((1, 2), 2, 2, "w", False)
    assert Variable(1.0).trainable and Variable(1.0).name is None
    with pytest.raises(AttributeError):
        operator.attrgetter("nothing")(v)
    with pytest.raises(AttributeError):
        v.trainable = True  # type: ignore[misc]


@pytest.mark.parametrize("value", [3, True, np.arange(3)])
def test_integers_are_not_trainable(value: Any) -> None:
    assert not Variable(value).trainable


def test_reading() -> None:
    v, s = Variable(V3), Variable(2.0)
    assert type(v.numpy()) is np.ndarray and type(s.numpy()) is np.float64
    for read in (v.value(), v.read_value()):
        assert type(read) is Tensor and read.tolist() == V3
    for array in (v.numpy(), v.value(), np.asarray(v), v[1:], v.T):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    assert type(v.raw) is np.ndarray and type(s.raw) is np.float64


def test_assign_rebinds() -> None:
    v = Variable(V3)
    array, value, new = v.numpy(), v.value(), np.ones(3)
    assert v.assign(new) is v
    new[0] = 7.0
    assert v.numpy().tolist() == [1.0, 1.0, 1.0]
    assert array.tolist() == V3 and value.tolist() == V3
    v.assign_add([1.0, 2.0, 3.0])
    v.assign_sub(Variable([1.0, 1.0, 1.0]))
    assert v.numpy().tolist() == [1.0, 2.0, 3.0]
    assert Variable(1.0).assign(3).raw == 3.0


def test_the_initial_value_is_copied() -> None:
    array = np.ones(2)
    v = Variable(array)
    array[0] = 5.0
    assert v.raw.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("change", [Variable.assign, Variable.assign_add, Variable.assign_sub])
@pytest.mark.parametrize("value", [1.0, [1.0, 2.0], [[1.0, 2.0, 3.0]]])
def test_shape_mismatch(change: Callable[[Variable, Any], Any], value: Any) -> None:
    v = Variable(V3, name="w")
    with pytest.raises(ShapeError, match="Variable 'w' has shape"):
        change(v, value)
    assert v.raw.tolist() == V3


@pytest.mark.parametrize(("initial", "value"), [(1, 2.0), (1.0, 2j), (True, 3)])
def test_dtype_mismatch(initial: Any, value: Any) -> None:
    v = Variable(initial)
    with pytest.raises(ValueError, match="has dtype"):
        v.assign(value)
    assert v.raw == initial


def test_float32_stays_float32() -> None:
    v = Variable(np.ones(2, np.float32))
    v.assign_add([0.5, 0.5])
    assert v.dtype == np.float32 and (v * 2.0).dtype == np.float32


def test_in_place_operators_would_rebind_the_name() -> None:
    v = Variable(1.0)
    with pytest.raises(RuntimeError, match="assign_add"):
        v += 1.0
    with pytest.raises(RuntimeError, match="assign_add"):
        np.add(1.0, 2.0, out=v)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="read-only"):
        np.copyto(Variable(V3), 0.0)  # type: ignore[arg-type]


def test_identity() -> None:
    v, w = Variable(1.0), Variable(1.0)
    assert v == w and len({v, w}) == 2 and hash(v) != hash(w)
    assert v._number < w._number
    assert (Variable(V3) == V3).tolist() == [True, True, True]
    assert (Variable(V3) != [0.5, 0.0, 0.0]).tolist() == [False, True, True]


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_copies(duplicate: Callable[[Any], Any]) -> None:
    v = Variable(np.ones(2, np.float32), trainable=False, name="w")
    w = duplicate(v)
    assert w is not v and w._number > v._number
    assert (w.name, w.trainable, w.dtype, w.raw.tolist()) == ("w", False, np.float32, [1.0, 1.0])
    w.assign([2.0, 2.0])
    assert v.raw.tolist() == [1.0, 1.0]
    t = duplicate(constant(V3))
    assert type(t) is Tensor and t.tolist() == V3


def test_a_deep_copy_keeps_what_is_shared() -> None:
    v = Variable(1.0)
    a, b = copy.deepcopy([v, v])
    assert a is b


# As an array.

BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
          operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, divmod]
OTHERS = [2.0, 3, np.float64(1.5), np.array([1.0, 2.0, 3.0]), np.float32(2.0)]


def check(got: Any, want: Any) -> None:
    """The same numbers, as Tensors."""
    if isinstance(want, tuple):
        for g, w in zip(got, want, strict=True):
            check(g, w)
        return
    assert type(got) is Tensor, (type(got), got)
    np.testing.assert_array_equal(np.asarray(got), want, strict=True)


@pytest.mark.parametrize("op", BINARY)
@pytest.mark.parametrize("other", OTHERS, ids=repr)
@pytest.mark.parametrize("value", [1.75, V3])
def test_operators(op: Callable[[Any, Any], Any], other: Any, value: Any) -> None:
    array = np.array(value)[()]
    with np.errstate(all="ignore"):
        for x in both(value):
            check(op(x, other), op(array, other))
            check(op(other, x), op(other, array))
            for y in both(other):
                check(op(x, y), op(array, np.array(other)[()]))


@pytest.mark.parametrize("op", [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift])
def test_integer_operators(op: Callable[[Any, Any], Any]) -> None:
    for x in both([5, 6]):
        check(op(x, 3), op(np.array([5, 6]), 3))
        check(op(3, x), op(3, np.array([5, 6])))


@pytest.mark.parametrize("op", [operator.neg, operator.pos, operator.abs])
@pytest.mark.parametrize("value", [-1.75, V3])
def test_unary_operators(op: Callable[[Any], Any], value: Any) -> None:
    for x in both(value):
        check(op(x), op(np.array(value)))
    check(~Variable(True), np.array(False))


def test_matmul() -> None:
    m = np.arange(9.0).reshape(3, 3)
    for x in both(V3):
        check(m @ x, m @ np.array(V3))
        check(x @ m, np.array(V3) @ m)
        check(x @ x, np.array(V3) @ np.array(V3))


@pytest.mark.parametrize("function", [
    np.sin, np.sum, np.mean, np.max, np.argmax, np.linalg.norm, lambda x: np.dot(x, x),
    lambda x: np.where(x > 0, x, 0.0),
    lambda x: np.stack([x, x]), lambda x: np.concatenate([x, x]), lambda x: np.outer(x, x), np.cumsum, np.modf,
    lambda x: np.linalg.eigh(np.outer(x, x)), np.sort, lambda x: np.interp(0.3, [0.0, 1.0, 2.0], x), np.zeros_like,
    lambda x: np.add.reduce(x), lambda x: np.clip(x, 0.0, 1.0), lambda x: np.linalg.solve(np.eye(3), x),
    lambda x: np.vdot(x, x), lambda x: np.einsum("i,i->", x, x), lambda x: np.prod(x, axis=0), np.median])
def test_numpy_functions(function: Callable[[Any], Any]) -> None:
    for x in both(V3):
        check(function(x), function(np.array(V3)))


@pytest.mark.parametrize("method", [
    "sum", "mean", "max", "min", "prod", "std", "var", "argmax", "argmin", "round", "cumsum", "copy", "ravel", "all",
    "any"])
def test_methods(method: str) -> None:
    for x in both(V3):
        check(getattr(x, method)(), np.asarray(getattr(np.array(V3), method)()))


def test_methods_with_arguments() -> None:
    for x in both([[1.0, 2.0], [3.0, 4.0]]):
        check(x.dot(x), np.array([[7.0, 10.0], [15.0, 22.0]]))
        check(x[0].dot(x[1]), np.array(11.0))
        check(x.trace(), np.array(5.0))
        check(x.take(0), np.array(1.0))
        check(x.reshape(-1), np.array([1.0, 2.0, 3.0, 4.0]))
        check(x.T, np.array([[1.0, 3.0], [2.0, 4.0]]))
        assert x.item(1, 0) == 3.0 and x.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_indexing_and_iteration() -> None:
    for x in both(V3):
        check(x[1], np.array(1.5))
        check(x[-2:], np.array([1.5, -2.5]))
        check(x[np.array([True, False, True])], np.array([0.5, -2.5]))
        check(x[constant(2)], np.array(-2.5))
        check(x[..., None], np.array(V3)[..., None])
        assert [float(e) for e in x] == V3 and all(type(e) is Tensor for e in x)
        assert len(x) == 3 and 1.5 in x and 9.0 not in x
        _, b, _ = x
        check(b, np.array(1.5))
    with pytest.raises(TypeError):
        len(Variable(1.0))


def test_conversions() -> None:
    for x in both(2.5):
        assert (float(x), int(x), complex(x), bool(x)) == (2.5, 2, 2.5 + 0j, True)
        assert math.sqrt(x) == math.sqrt(2.5) and round(x) == 2.0
        check(round(x, 1), np.array(2.5))
    for x in both(2):
        assert [1, 2, 3][x] == 3 and list(range(x)) == [0, 1]
    with pytest.raises(TypeError):
        [1, 2, 3][Variable(1.0)]
    with pytest.raises(ValueError, match="ambiguous"):
        bool(Variable(V3))


def test_np_array() -> None:
    v, w = Variable(1.0), Variable(2.0)
    assert type(np.array(v)) is np.ndarray and np.array([v, w]).tolist() == [1.0, 2.0]
    assert np.asarray(v, dtype=np.float32).dtype == np.float32
    np.array(Variable(V3))[0] = 3.0
    array = np.zeros(2)
    array[0] = w
    array += v
    assert type(array) is np.ndarray and array.tolist() == [3.0, 1.0]


def test_writing_into_tensors() -> None:
    t = constant(V3)
    t[0] = Variable(9.0)
    t += 1.0
    assert type(t) is Tensor and t.tolist() == [10.0, 2.5, -1.5]
    out = constant(0.0)
    assert np.sum(t, out=out) is out and float(out) == 11.0
    np.copyto(out, 4.0)
    assert float(out) == 4.0


def test_printing() -> None:
    for x in both(2.0):
        assert f"{x:.3f}" == "2.000" and str(x) == "2.0" and f"{x}" == "2.0" and format(x, "5.1f") == "  2.0"
    assert repr(constant([1.0, 2.0])) == "Tensor([1., 2.])" and repr(constant(2.0)) == "Tensor(2.)"
    assert repr(constant(1.0, np.float32)) == "Tensor(1., dtype=float32)"
    assert repr(Variable(1.0)) == "<Variable shape=() dtype=float64 value=1.>"
    assert repr(Variable([1.0], False, "w")) == "<Variable 'w' shape=(1,) dtype=float64 trainable=False value=[1.]>"
    assert str(Variable(V3)) == str(np.array(V3))


# Tensor and constant.


def test_numpy() -> None:
    assert type(constant(V3).numpy()) is np.ndarray and type(constant(2.0).numpy()) is np.float64
    assert type(np.asarray(constant(V3))) is np.ndarray


def test_constant_has_an_identity_of_its_own() -> None:
    array = np.ones(2)
    a, b = constant(array), constant(array)
    assert a is not b and not np.shares_memory(a, array)
    assert constant(a) is not a and not np.shares_memory(constant(a), a)
    assert constant([1, 2], dtype=float).dtype == np.float64
    assert type(constant(Variable(2.0))) is Tensor


def test_tensor_shares_memory() -> None:
    array = np.ones(2)
    assert np.shares_memory(tensor(array), array) and type(tensor(2.0)) is Tensor and tensor(2.0).ndim == 0


def test_plain_and_wrapped() -> None:
    v = Variable(2.0)
    got = plain({"a": [v, constant(V3)], "b": (1, "text")})
    assert type(got["a"][0]) is np.float64 and type(got["a"][1]) is np.ndarray and got["b"] == (1, "text")
    back = wrapped((got["a"], 3, None))
    assert all(type(x) is Tensor for x in back[0]) and back[1:] == (3, None)


def test_scipy() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    target = Variable([1.0, -2.0])
    found = optimize.minimize(lambda x: np.sum((x - target) ** 2), constant([0.0, 0.0]), jac=lambda x: 2 * (x - target))
    np.testing.assert_allclose(found.x, [1.0, -2.0], atol=1e-6)
