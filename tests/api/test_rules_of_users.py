"""Derivatives that users give: `rule` for functions of other libraries, `custom_gradient` with Variables."""

from __future__ import annotations

import ctypes
import ctypes.util
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2s

libm = ctypes.CDLL(ctypes.util.find_library("m"))
for _name, _count in (("j0", 1), ("j1", 1), ("hypot", 2), ("ldexp", 1), ("erf", 1), ("cbrt", 1)):
    _f = getattr(libm, _name)
    _f.restype, _f.argtypes = ctypes.c_double, [ctypes.c_double] * _count

j0 = s2s.rule(libm.j0, lambda y, x: -j1(x))
j1 = s2s.rule(libm.j1, lambda y, x: j0(x) - y / x)
s2s.rule(libm.hypot, lambda z, x, y: x / z, lambda z, x, y: y / z)
s2s.rule(libm.erf, lambda y, x: 2.0 / math.sqrt(math.pi) * np.exp(-x * x))
s2s.rule(libm.cbrt, None)


class Opaque:
    """Functions that s2s does not look into: without source, as those of a library in C."""

    def __init__(self, f: Any) -> None:
        self.f = f
        self.__name__ = f.__name__

    __call__ = property(lambda self: self.f)  # no method that has source


def _quadratic(a: Any, x: Any) -> Any:
    return x @ a @ x


def _normalised(x: Any) -> Any:
    return x / np.sqrt(np.sum(x * x))


def _scaled(x: Any, power: int = 2) -> Any:
    return x ** power


quadratic, normalised, scaled = Opaque(_quadratic), Opaque(_normalised), Opaque(_scaled)
s2s.rule(quadratic, vjp=lambda g, y, a, x: (g * np.outer(x, x), g * (a @ x + np.transpose(a) @ x)), result="float64",
         params="a, x")
s2s.rule(normalised, vjp=lambda g, y, x: (g - y * np.sum(g * y)) / np.sqrt(np.sum(x * x)), result="x", params="x")
s2s.rule(scaled, vjp=lambda g, y, x, power: g * power * x ** (power - 1),
         jvp=lambda dots, y, x, power: dots[0] * power * x ** (power - 1), result="x", params="x, power=2")

A = np.array([[2.0, 0.5, -1.0], [0.25, 1.0, 0.0], [3.0, -0.5, 1.5]])
X = np.array([0.3, -1.2, 0.8])


def scalars(x: Any, y: Any) -> Any:
    total = 0.0
    for k in range(3):
        total += libm.j0(x * (k + 1)) * libm.hypot(x, y) * libm.erf(total)
        total += libm.hypot(y, 2.0)
    return total


def arrays(a: Any, x: Any) -> Any:
    return quadratic(a, normalised(x * x)) * np.sum(scaled(x, 3)) + np.sum(normalised(x) * x)


@pytest.mark.parametrize(("f", "args"), [(scalars, (1.5, 0.75)), (arrays, (A, X))], ids=["scalars", "arrays"])
def test_both_modes_to_second_order(f: Any, args: Any) -> None:
    s2s.check_grads(f, args, order=2)


def test_the_source_calls_the_function() -> None:
    source = s2s.grad(lambda x: libm.j0(x) ** 2).lower(1.0).source
    assert "j0(x)" in source
    assert "j1(x)" in source

    def f(x: Any) -> Any:
        j0 = 2.0 * x  # a name of the user's own
        return libm.j0(j0)

    assert float(s2s.grad(f)(1.0)) == pytest.approx(-2.0 * libm.j1(2.0))


@pytest.mark.cpu
def test_c_functions_on_target_cpu() -> None:
    def f(x: Any) -> Any:
        return libm.j0(x) * x

    assert float(s2s.grad(f, target="cpu")(2.0)) == pytest.approx(float(s2s.grad(f)(2.0)))


def test_what_is_called_decides() -> None:
    """Another C function under the same name is another program."""
    def f(x: Any) -> Any:
        return function(x)

    g = s2s.grad(f)
    found = []
    for one in (libm.j0, libm.erf, libm.j0):
        function = one
        found.append(float(g(1.0)))
    assert found == [pytest.approx(-libm.j1(1.0)), pytest.approx(2 / math.sqrt(math.pi) / math.e), found[0]]


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(s2s.NoRuleError, match="cbrt gets a value that is differentiated\n"):
        s2s.grad(lambda x: libm.cbrt(x) * x)(2.0)
    with pytest.raises(TypeError, match="either partial derivatives"):
        s2s.rule(libm.ldexp)
    with pytest.raises(TypeError, match="jvp alone does not do"):
        s2s.rule(libm.ldexp, jvp=lambda dots, y, x: dots[0])
    with pytest.raises(TypeError, match="needs the type of the result"):
        s2s.rule(libm.ldexp, vjp=lambda g, y, x: g)
    with pytest.raises(TypeError, match="neither an argument"):
        s2s.rule(libm.ldexp, vjp=lambda g, y, x: g, result="text[:]")
    with pytest.raises(TypeError, match="2 partial derivatives are given"):
        s2s.rule(libm.ldexp, lambda y, x: 1.0, lambda y, x: 1.0, params="x")
    wrong = Opaque(lambda x, y: x)
    s2s.rule(wrong, vjp=lambda g, z, x, y: g, result="x", params="x, y")
    with pytest.raises(TypeError, match="returned 1 adjoints, and has 2 to return"):
        s2s.grad(lambda x: np.sum(wrong(x, x)))(X)
    with pytest.raises(s2s.CompilationError, match="j0 cannot be imported"):
        s2s.grad(lambda x: libm.j0(x) * x).lower(1.0).save(tmp_path / "saved.py")


def test_a_rule_without_derivative() -> None:
    steps = Opaque(lambda x: np.floor(x))
    s2s.rule(steps, nondiff="steps are flat", params="x")
    assert float(s2s.grad(lambda x: steps(x) * x)(2.5)) == 2.0


v = s2s.Variable(3.0)
w = s2s.Variable(np.array([1.0, 2.0]))


@s2s.custom_gradient
def doubled(x: Any) -> Any:
    """Derivatives that are recognised: twice those by x, ten times those by the Variables."""
    def grad(dy: Any, variables: Any = None) -> Any:
        assert len(variables) == 2
        return dy * v * 2.0, [10.0 * dy * x, 10.0 * dy * np.ones(2)]
    return x * v + np.sum(w), grad


def test_custom_gradient_with_variables() -> None:
    """As in TensorFlow: grad(dy, variables=...) returns (gradients, gradients of the variables)."""
    pairs = s2s.implicit_gradients(lambda x: doubled(x))(4.0)
    assert [(float(np.sum(g)), variable is u) for (g, variable), u in zip(pairs, (v, w), strict=True)] == [
        (40.0, True), (20.0, True)]
    assert float(s2s.grad(lambda x: doubled(x))(4.0)) == 6.0


def test_custom_gradient_that_would_lose_a_gradient() -> None:
    @s2s.custom_gradient
    def reads(x: Any) -> Any:
        return x * v, lambda dy: dy * v

    with pytest.raises(s2s.UnsupportedSyntaxError, match="reads a Variable"):
        s2s.grad(lambda x: reads(x))(2.0)

    def captures(x: Any) -> Any:
        @s2s.custom_gradient
        def f(y: Any) -> Any:
            return y * x, lambda dy: dy * x
        return f(2.0 * x)

    for derivative in (s2s.grad(captures), lambda x: s2s.jvp(captures, (x,), (1.0,))):
        with pytest.raises(s2s.NoRuleError, match="uses 'x', which is differentiated"):
            derivative(3.0)

    def stops(x: Any) -> Any:
        @s2s.custom_gradient
        def f(y: Any) -> Any:
            return y * s2s.stop_gradient(x), lambda dy: dy * x
        return f(2.0 * x)

    assert float(s2s.grad(stops)(3.0)) == 6.0
