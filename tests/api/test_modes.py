"""Products with derivatives, Jacobians and Hessians: at the top and inside differentiated functions, of any order."""

from __future__ import annotations

import itertools
import pickle
from collections import namedtuple
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import s2s

X = np.array([1.5, 0.5, -0.75])
W = np.array([0.3, -1.2, 0.8])


def loop(x: Any) -> Any:
    """A loop that carries a number."""
    total = 0.0
    for k in range(3):
        total = np.sin(total + x[k] * x[0]) * x[k]
    return total


def in_place(x: Any) -> Any:
    """Stores that overwrite what was read."""
    a = np.zeros(4)
    a[0] = x[0] * x[1]
    for k in range(3):
        a[k + 1] = a[k] * x[k] + a[k] ** 2
        a[k] *= x[1]
    return a[3] * a[0] + a[2]


def branching(x: Any) -> Any:
    """A loop with a branch and an early end."""
    y = x[0]
    while y < 4.0:
        y = y * y + x[2] if y > 1.6 else y + x[1] * x[0]
    return y * x[2]


def taken(f: Callable[..., Any], x: Any) -> Any:
    """The gradient of `f` by differences of sixth order."""
    def along(k: int, h: float) -> Any:
        e = np.zeros_like(x)
        e[k] = h
        return np.asarray(f(x + e)) - np.asarray(f(x - e))
    h = 2e-3
    return np.stack([(45 * along(k, h) - 9 * along(k, 2 * h) + along(k, 3 * h)) / (60 * h)
                     for k in range(x.size)], axis=-1)


@pytest.mark.parametrize("f", [loop, in_place, branching])
def test_fourth_derivatives(f: Any) -> None:
    """Each order against differences of the one before, and the modes against each other."""
    orders: list[Any] = [f, s2s.grad(f), s2s.hessian(f), s2s.jacobian(s2s.hessian(f)),
                         s2s.jacobian(s2s.jacobian(s2s.hessian(f)))]
    for lower, higher in itertools.pairwise(orders):
        np.testing.assert_allclose(higher(X), taken(lower, X), rtol=1e-7, atol=1e-7)
    fourth = orders[4](X)
    v = W

    def along(x: Any) -> Any:  # reverse over reverse over reverse over forward
        return s2s.jvp(f, (x,), (v,))[1]

    third = s2s.grad(lambda x: s2s.grad(lambda y: s2s.grad(along)(y) @ v)(x) @ v)
    np.testing.assert_allclose(third(X), np.einsum("ijkl,j,k,l->i", fourth, v, v, v), rtol=1e-9)


def of_a_tuple(x: Any) -> Any:
    """Arrays of a tuple, at an index that varies, stored into an array."""
    rows, parts = np.empty((2, 2)), (x[0] * x[:2], x[0] * x[1] * x[1:])
    for k in range(2):
        rows[k] = parts[k]
    return np.sum(rows ** 2)


@pytest.mark.parametrize("f", [loop, in_place, branching, of_a_tuple])
def test_second_derivatives_of_all_modes_agree(f: Any) -> None:
    full = s2s.hessian(f)(X)
    (forward_over_reverse,) = s2s.hvp(f, (X,), (W,))
    reverse_over_reverse = s2s.grad(lambda x: s2s.grad(f)(x) @ W)(X)
    reverse_over_forward = s2s.grad(lambda x: s2s.jvp(f, (x,), (W,))[1])(X)
    _, forward_over_forward = s2s.jvp(lambda x: s2s.jvp(f, (x,), (W,))[1], (X,), (W,))
    np.testing.assert_allclose(full, full.T, rtol=1e-12)
    for product in (forward_over_reverse, reverse_over_reverse, reverse_over_forward):
        np.testing.assert_allclose(product, full @ W, rtol=1e-12)
    np.testing.assert_allclose(forward_over_forward, W @ full @ W, rtol=1e-12)


def wide(x: Any) -> Any:
    return np.array([x[0] * x[1], np.sin(x[1]) * x[2]])


def tall(x: Any) -> Any:
    return np.outer(x, x)


def squares(x: Any) -> Any:
    return x * x * np.sum(x)


def flat(x: Any) -> Any:
    return np.sum(x ** 3)


@pytest.mark.parametrize("f", [wide, tall, squares, flat])
def test_jacobian_inside(f: Any) -> None:
    """The Jacobian of a function, and what it is used for in a differentiated one."""
    expected = s2s.jacobian(f)(X)
    np.testing.assert_allclose(expected, taken(f, X), rtol=1e-8, atol=1e-8)

    def used(x: Any) -> Any:
        return np.sum(s2s.jacobian(f)(x) ** 2)

    value, gradient = s2s.value_and_grad(used)(X)
    np.testing.assert_allclose(value, np.sum(expected ** 2), rtol=1e-12)
    np.testing.assert_allclose(gradient, taken(used, X), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(s2s.hessian(used)(X), taken(s2s.grad(used), X), rtol=1e-7, atol=1e-7)


def test_hessian_inside_of_several_arguments() -> None:
    def f(x: Any, y: Any) -> Any:
        return np.sum(x * x) * y + x[0] * y ** 3

    h = s2s.hessian(f, (0, 1))(X, 2.0)
    assert [[np.shape(p) for p in row] for row in h] == [[(3, 3), (3,)], [(3,), ()]]
    np.testing.assert_allclose(h[0][1], 2 * X + np.array([12.0, 0.0, 0.0]))

    def used(x: Any) -> Any:
        rows = s2s.hessian(f, argnums=(0, 1))(x, x[1])
        return np.sum(rows[0][0]) + np.sum(rows[0][1] ** 2) + rows[1][1]

    np.testing.assert_allclose(s2s.grad(used)(X), taken(used, X), rtol=1e-8)


def test_numbers_and_ranks() -> None:
    assert float(s2s.jacobian(lambda x: x ** 3)(2.0)) == 12.0
    assert s2s.jacobian(lambda x: np.array([x, x * x]))(2.0).tolist() == [1.0, 4.0]
    matrix = np.arange(6.0).reshape(2, 3)
    j = s2s.jacobian(lambda m: m.T * m[0, 1])(matrix)
    assert j.shape == (3, 2, 2, 3)

    def used(m: Any) -> Any:
        return np.sum(s2s.jacobian(lambda a: a.T * a[0, 1])(m) ** 2)

    np.testing.assert_allclose(float(used(matrix)), np.sum(np.asarray(j) ** 2))
    np.testing.assert_allclose(
        s2s.grad(used)(matrix), taken(lambda v: used(v.reshape(2, 3)), matrix.ravel()).reshape(2, 3), rtol=1e-7,
        atol=1e-8)
    assert s2s.jacobian(lambda x: x)(np.zeros(0)).shape == (0, 0)
    assert float(s2s.grad(lambda s, y: np.sum(s2s.jacobian(lambda x: x * s)(y)))(2.0, np.zeros(0))) == 0.0


def test_few_results_are_rows() -> None:
    """A value with fewer elements than the argument: one reverse pass for each, whenever that is known."""
    calls = []

    def f(x: Any) -> Any:
        calls.append(0)
        return np.array([np.sum(x), np.sum(x * x)])

    j = s2s.jacobian(f)(np.arange(100.0))
    assert j.shape == (2, 100)
    assert len(calls) < 10

    def used(x: Any) -> Any:
        return np.sum(s2s.jacobian(lambda y: y[1:] * y[:-1])(x) ** 2)

    x = np.arange(4.0)
    np.testing.assert_allclose(s2s.grad(used)(x), taken(used, x), rtol=1e-8)


class Point(NamedTuple):
    """A namedtuple of a number and an array."""

    a: Any
    b: Any


Pair = namedtuple("Pair", "u v")


def test_containers() -> None:
    def f(p: Any) -> Any:
        return {"s": p["w"][0] * p["x"].b, "t": Pair(p["x"].a ** 2, [p["w"][1]])}

    p = {"w": [2.0, 3.0], "x": Point(4.0, X), "name": "text", "n": 3}
    j = s2s.jacobian(f)(p)
    assert j["s"]["name"] is None
    assert isinstance(j["t"], Pair)
    assert isinstance(j["s"]["x"], Point)
    np.testing.assert_allclose(j["s"]["w"][0], X)
    np.testing.assert_allclose(j["s"]["x"].b, 2.0 * np.eye(3))
    assert float(j["t"].u["x"].a) == 8.0
    assert float(j["t"].v[0]["w"][1]) == 1.0

    def used(x: Any) -> Any:
        j = s2s.jacobian(f)({"w": [x[0], x[1]], "x": Point(x[2], x), "name": "text", "n": 3})
        return np.sum(j["s"]["x"].b) + j["t"].u["x"].a ** 2 + np.sum(j["s"]["w"][0] ** 2)

    np.testing.assert_allclose(s2s.grad(used)(X), taken(used, X), rtol=1e-8)


def test_several_results_of_many_elements_are_rows() -> None:
    j = s2s.jacobian(lambda x: (np.sum(x), np.array([x[0], x[1] * x[2]])))(X)
    np.testing.assert_allclose(j[0], np.ones(3))
    np.testing.assert_allclose(j[1], [[1.0, 0.0, 0.0], [0.0, X[2], X[1]]])


def test_complex_jacobian_is_the_complex_derivative() -> None:
    z = np.array([1.0 + 2.0j, 0.5j])
    np.testing.assert_allclose(s2s.jacobian(lambda z: z ** 3)(z), np.diag(3 * z ** 2))


@pytest.mark.cpu
def test_target_cpu() -> None:
    for make in (s2s.jacobian, s2s.hessian):
        np.testing.assert_allclose(make(loop, target="cpu")(X), make(loop)(X), rtol=1e-12)

    def used(x: Any) -> Any:
        return np.sum(s2s.jacobian(wide)(x) ** 2)

    np.testing.assert_allclose(s2s.grad(used, target="cpu")(X), s2s.grad(used)(X), rtol=1e-12)


def test_linearize() -> None:
    value, push = s2s.linearize(lambda x, y: (x * y, x), 3.0, 2.0)
    assert [float(v) for v in value] == [6.0, 3.0]
    assert [float(t) for t in push(1.0, 10.0)] == [32.0, 1.0]

    def used(x: Any) -> Any:
        value, push = s2s.linearize(lambda y: y ** 3, x)
        return value * push(2.0)

    assert float(s2s.grad(used)(1.5)) == pytest.approx(30 * 1.5 ** 4)


def test_checkpoint_changes_nothing() -> None:
    assert float(s2s.grad(lambda x: s2s.checkpoint(lambda y: y * y)(x))(3.0)) == 6.0


def cubes(x: Any) -> Any:
    return x ** 3


def weighted(x: Any, dy: Any) -> Any:
    return x * x * dy


def test_pickle() -> None:
    x = np.array([1.0, 2.0])
    for g in (s2s.jacobian(cubes), s2s.hessian(flat), s2s.jacobian(s2s.jacobian(cubes))):
        again = pickle.loads(pickle.dumps(g))
        assert again(x).tolist() == g(x).tolist()
    g = s2s.gradients_function(weighted, params=["x"]).with_dy(10.0)
    assert [float(v) for v in pickle.loads(pickle.dumps(g))(2.0, 3.0)] == [120.0]


class Model:
    """A gradient function in a class, with weights."""

    scale = 3.0

    @s2s.gradients_function
    def f(self, x: Any) -> Any:
        return self.scale * x * x


def test_with_dy_of_a_method() -> None:
    assert [float(v) for v in Model().f.with_dy(10.0)(2.0)] == [120.0]


def test_a_function_with_an_attribute_request():
    """It is not taken for a gradient function, which has one of that name."""
    def k(x):
        return x * x

    k.request = 1
    assert [float(v) for v in s2s.jvp(k, (3.0,), (1.0,))] == [9.0, 6.0]


def product(pair: Any) -> Any:
    return pair[0] * pair[1] ** 2


def twice(x: Any) -> Any:
    y = x * x
    return y, y


@s2s.custom_gradient
def twice_custom(x: Any) -> Any:
    y = x * x
    return (y, y), lambda first, second: 2.0 * x * (first + 10.0 * second)


@pytest.mark.parametrize(("f", "expected"), [
    (lambda x: s2s.grad(product)((x, x))[0], lambda x: x * x),
    (lambda x: s2s.grad(product)([x, x])[1], lambda x: 2.0 * x * x),
    (lambda x: s2s.grad(lambda d: product((d["a"], d["b"])))({"a": x, "b": x})["a"], lambda x: x * x),
    (lambda x: s2s.jvp(product, ((x, x),), ((1.0, 2.0),))[1], lambda x: 5.0 * x * x),
    (lambda x: s2s.jacobian(product)((x, x))[0], lambda x: x * x),
    (lambda x: s2s.jacobian(twice)(x)[1], lambda x: 2.0 * x),
    (lambda x: s2s.hvp(product, ((x, x),), ((1.0, 2.0),))[0][0], lambda x: 4.0 * x),
    (lambda x: s2s.grad(lambda y: twice_custom(y)[0] + 3.0 * twice_custom(y)[1])(x), lambda x: 62.0 * x),
], ids=["tuple", "list", "dict", "jvp", "jacobian", "jacobian of a pair", "hvp", "custom"])
def test_one_value_in_two_places_inside(f: Any, expected: Any) -> None:
    """A number that an argument or a value holds twice is two numbers, each with a derivative of its own."""
    assert f(3.0) == pytest.approx(expected(3.0))
    value, gradient = s2s.value_and_grad(f)(3.0)
    assert value == pytest.approx(expected(3.0))
    assert gradient == pytest.approx(s2s.grad(expected)(3.0))
    assert s2s.jvp(f, (3.0,), (1.0,))[1] == pytest.approx(gradient)


def grows(x: Any, n: Any) -> Any:
    """A number where the loop does not run, an array where it does."""
    total = 0.25 * n
    for k in range(n):
        total = total + np.sin(x - 0.5 * k)
    return total


@pytest.mark.parametrize("f", [
    lambda x, n: s2s.grad(grows)(x, n),
    lambda x, n: s2s.jvp(lambda y: grows(y, n), (x,), (W,))[1],
    lambda x, n: s2s.vjp(lambda y: grows(y, n), x)[1](W)[0],
    lambda x, n: s2s.jacobian(lambda y: grows(y, n))(x),
], ids=["grad", "jvp", "vjp", "jacobian"])
def test_inner_function_with_a_value_of_two_kinds(f: Any) -> None:
    """The number that decides which it is goes into the key; it is no constant."""
    gradient = s2s.grad(f)(X, 2)
    step = 1e-6
    moved = [(np.sum(f(X + step * e, 2)) - np.sum(f(X - step * e, 2))) / (2.0 * step) for e in np.eye(X.size)]
    np.testing.assert_allclose(gradient, moved, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("pair", [lambda x, y: (x, y), lambda x, y: [x, y], lambda x, y: {0: x, 1: y}])
def test_inside_what_nothing_depends_on_is_zero_as_outside(pair: Any) -> None:
    def f(x: Any, y: Any) -> Any:
        gradient = s2s.grad(lambda p: np.sum(p[0] ** 2))(pair(x, y))
        return np.sum(gradient[0] * x) + np.sum(gradient[1])

    assert f(X, W) == pytest.approx(2.0 * X @ X)
    np.testing.assert_allclose(s2s.grad(f)(X, W), 4.0 * X)
