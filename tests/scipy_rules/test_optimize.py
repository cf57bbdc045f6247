"""scipy.optimize: derivatives of roots and minimisers, in both modes and of second order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2s

optimize = pytest.importorskip("scipy.optimize")

B = np.array([1.3, 0.7])


def equations(x: Any, a: Any, b: Any) -> Any:
    return np.array([x[0] ** 3 + a * x[1] - b[0], x[1] + np.sin(x[0]) * a - b[1]])


def by_args(a: Any, b: Any) -> Any:
    x = optimize.fsolve(equations, np.array([0.5, 0.5]), args=(a, b), xtol=1e-13)
    return np.sum(x ** 2) * a


def by_closure(a: Any, b: Any) -> Any:
    return np.prod(optimize.root(lambda x: equations(x, a, b), [0.5, 0.5], tol=1e-13).x)


def of_minimize(a: Any, b: Any) -> Any:
    def loss(x: Any) -> Any:
        return np.sum((x - b) ** 2) + a * np.cosh(x[0] * x[1])

    found = optimize.minimize(loss, np.zeros(2), method="BFGS", options={"gtol": 1e-9})
    return found.x[0] * found.x[1] + found.fun


def of_scalar(a: Any, b: Any) -> Any:
    found = optimize.minimize_scalar(lambda x: (x - a) ** 2 + b[0] * x ** 4, tol=1e-12)
    bounded = optimize.minimize_scalar(lambda x: (x - 0.1 * a) ** 2, bounds=(-1.0, 1.0), method="bounded",
                                       options={"xatol": 1e-10})
    return found.x * 2.0 + bounded.x


def bracketed(a: Any, b: Any) -> Any:
    def f(x: Any, c: Any) -> Any:
        return x ** 3 + c * x - a

    return (optimize.brentq(f, 0.0, 2.0, args=(b[0],)) + optimize.brenth(f, 0.0, 2.0, args=(b[1],))
            + optimize.bisect(f, 0.0, 2.0, args=b[0]) * optimize.ridder(f, 0.0, 2.0, args=(a,)))


def by_newton(a: Any, b: Any) -> Any:
    x = optimize.newton(lambda x: x * np.exp(x) - a, 0.5, tol=1e-13)
    y = optimize.root_scalar(lambda x: x ** 3 - b[0] * a, bracket=[0.0, 3.0], method="brentq").root
    return x * y


def of_least_squares(a: Any, b: Any) -> Any:
    t = np.array([0.0, 0.5, 1.0, 1.5])
    data = a * np.exp(-b[1] * t) + np.array([0.1, -0.05, 0.02, 0.03]) * b[0]
    found = optimize.least_squares(lambda p: p[0] * np.exp(-p[1] * t) - data, [1.0, 1.0], ftol=1e-14, xtol=1e-14,
                                   gtol=1e-14)
    return found.x[0] * found.x[1]


@pytest.mark.parametrize("f", [by_args, by_closure, of_minimize, of_scalar, bracketed, by_newton, of_least_squares])
def test_program(f: Any) -> None:
    args = (1.4, B)
    loose = f in (of_minimize, of_scalar, of_least_squares)
    np.testing.assert_allclose(s2s.value_and_grad(f)(*args)[0], f(*args), rtol=1e-12)
    gradient = s2s.grad(f, (0, 1))

    def difference(g: Any, h: float = 1e-4) -> Any:
        return [(np.asarray(p) - np.asarray(m)) / (2 * h) for p, m in zip(g(1.4 + h, B), g(1.4 - h, B), strict=True)]

    (da,) = difference(lambda a, b: [f(a, b)])
    np.testing.assert_allclose(gradient(*args)[0], da, rtol=1e-3 if loose else 1e-6)
    for k in range(2):
        e = np.eye(2)[k] * 1e-4
        np.testing.assert_allclose(gradient(*args)[1][k], (f(1.4, B + e) - f(1.4, B - e)) / 2e-4,
                                   rtol=1e-3 if loose else 1e-6, atol=1e-6)
    _, dot = s2s.jvp(f, args, (1.0, np.zeros(2)))
    np.testing.assert_allclose(dot, gradient(*args)[0], rtol=1e-9)
    second = difference(gradient)
    (hess,) = s2s.hvp(lambda a: f(a, B), (1.4,), (1.0,))
    np.testing.assert_allclose(hess, second[0], rtol=1e-2 if loose else 1e-5)


def test_a_root_that_depends_on_nothing() -> None:
    f = lambda a: optimize.brentq(lambda x: x ** 2 - 2.0, 0.0, 2.0) * a  # noqa: E731
    assert float(s2s.grad(f)(3.0)) == pytest.approx(np.sqrt(2.0))


def test_refusals() -> None:
    with pytest.raises(s2s.NoRuleError, match="bounds or constraints"):
        s2s.grad(lambda a: optimize.minimize(lambda x: np.sum((x - a) ** 2), [0.0], bounds=[(0, 1)]).x[0])(2.0)
    with pytest.raises(ValueError, match="at a bound"):
        s2s.grad(lambda a: optimize.minimize_scalar(lambda x: (x - a) ** 2, bounds=(0.0, 1.0), method="bounded").x)(2.0)
    with pytest.raises(ValueError, match="did not converge"):
        s2s.grad(lambda a: np.sum(optimize.root(lambda x: x ** 2 + a, [1.0]).x))(2.0)


@pytest.mark.cpu
def test_target_cpu_names_the_solver() -> None:
    with pytest.raises(s2s.CompilationError, match="scipy's brentq cannot be compiled"):
        s2s.grad(lambda a: optimize.brentq(lambda x: x ** 2 - a, 0.0, 3.0), target="cpu")(2.0)
