"""scipy.integrate: values as SciPy's, derivatives in both modes and of second order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2s

integrate = pytest.importorskip("scipy.integrate")

P = np.array([1.3, 0.7])
Y = np.array([[0.3, 1.2, -0.4, 0.8, 1.9], [1.0, 0.2, 0.5, -0.7, 0.1]])
XS = np.array([0.0, 0.3, 0.8, 1.0, 1.7])


def quad_args(a: Any, p: Any) -> Any:
    return integrate.quad(lambda x, a, c: np.exp(-a * x) * np.cos(c * x), 0.0, 1.5, args=(a, p[0]))[0]


def quad_limits(a: Any, p: Any) -> Any:
    value, _ = integrate.quad(lambda x: np.sin(a * x) * x, p[1], a)
    return value ** 2


def quad_infinite(a: Any, p: Any) -> Any:
    return integrate.quad(lambda x: np.exp(-a * x * x), -np.inf, np.inf)[0]


def quad_array(a: Any, p: Any) -> Any:
    return integrate.quad(lambda x: np.sum(p * np.exp(-a * p * x)), 0.0, 2.0)[0]


def lotka_volterra(t: Any, z: Any, a: Any, b: Any) -> Any:
    x, y = z
    return [a * x - b * x * y, 0.4 * x * y - 0.3 * y + 0.1 * np.sin(t)]


def ode_args(a: Any, p: Any) -> Any:
    sol = integrate.solve_ivp(lotka_volterra, (0.0, 2.0), p, args=(a, 0.9), rtol=1e-10, atol=1e-12)
    return np.sum(sol.y[:, -1] ** 2)


def ode_eval(a: Any, p: Any) -> Any:
    sol = integrate.solve_ivp(lambda t, z: lotka_volterra(t, z, a, p[1]), [0.0, 2.0], [1.0, p[0]],
                              t_eval=np.linspace(0.0, 2.0, 7), rtol=1e-10, atol=1e-12)
    return np.sum(sol.y ** 2) + sol.t[-1]


def ode_span(a: Any, p: Any) -> Any:
    sol = integrate.solve_ivp(lambda t, z: -z * np.cos(t), (p[1], a + 1.0), p, method="RK23", rtol=1e-8, atol=1e-10)
    return sol.y[0, -1] * sol.y[1, -1]


def ode_backwards(a: Any, p: Any) -> Any:
    sol = integrate.solve_ivp(lambda t, z: a * z, (2.0, 0.0), p, t_eval=[1.5, 0.5], rtol=1e-10, atol=1e-12)
    return np.sum(sol.y)


def by_odeint(a: Any, p: Any) -> Any:
    return np.sum(integrate.odeint(lambda y, t, k: -k * y + np.sin(t), p, np.linspace(0.0, 1.0, 4), args=(a,),
                                  rtol=1e-11, atol=1e-11) ** 2)


@pytest.mark.parametrize("f", [quad_args, quad_limits, quad_infinite, quad_array, ode_args, ode_eval, ode_span,
                               ode_backwards, by_odeint], ids=lambda f: f.__name__)
def test_program(f: Any) -> None:
    args = (1.4, P)
    np.testing.assert_allclose(s2s.value_and_grad(f)(*args)[0], f(*args), rtol=1e-7 if f is by_odeint else 1e-11)
    gradient = s2s.grad(f, (0, 1))
    rtol = 1e-5

    def taken(g: Any, h: float = 1e-4) -> Any:
        def along(k: int) -> Any:
            e = np.eye(3)[k] * h
            up, down = g(1.4 + e[0], P + e[1:]), g(1.4 - e[0], P - e[1:])
            return (np.concatenate([np.ravel(x) for x in up]) - np.concatenate([np.ravel(x) for x in down])) / (2 * h)
        return np.stack([along(k) for k in range(3)], axis=-1)

    flat = np.concatenate([np.ravel(g if g is not None else np.zeros(2)) for g in gradient(*args)])
    np.testing.assert_allclose(flat, taken(lambda a, p: [f(a, p)])[0], rtol=rtol, atol=1e-6)
    dots = (0.3, np.array([1.0, -0.5]))
    _, dot = s2s.jvp(f, args, dots)
    np.testing.assert_allclose(dot, flat @ np.array([0.3, 1.0, -0.5]), rtol=1e-7)
    second = s2s.grad(lambda a: s2s.grad(f)(a, P))(1.4)
    np.testing.assert_allclose(second, (gradient(1.4 + 1e-4, P)[0] - gradient(1.4 - 1e-4, P)[0]) / 2e-4,
                               rtol=2 * rtol, atol=1e-6)


SAMPLES: dict[str, Any] = {
    "trapezoid": lambda y, x: integrate.trapezoid(y, x) + integrate.trapezoid(y, dx=0.3),
    "simpson odd": lambda y, x: integrate.simpson(y, x=x) + integrate.simpson(y, dx=0.3),
    "simpson even": lambda y, x: integrate.simpson(y[:, :4], x=x[:4], axis=1) + integrate.simpson(y[:, :2], x=x[:2]),
    "simpson axis": lambda y, x: integrate.simpson(y.T, x=x, axis=0),
    "simpson places of each": lambda y, x: integrate.simpson(y, x=np.stack((x, x ** 2 + x)))
    + integrate.simpson(y.T[:4], x=np.stack((x, x ** 2 + x), axis=1)[:4], axis=0),
    "cumulative places of each": lambda y, x: integrate.cumulative_trapezoid(y, np.stack((x, x + y[1] ** 2 + x * x)),
                                                                             axis=0),
    "cumulative_trapezoid": lambda y, x: integrate.cumulative_trapezoid(y, x)
    + integrate.cumulative_trapezoid(y, dx=0.5, initial=0)[:, 1:],
}


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(name: str) -> None:
    f = lambda y, x: np.sum(SAMPLES[name](y, x) ** 2)  # noqa: E731
    np.testing.assert_allclose(s2s.value_and_grad(f)(Y, XS)[0], f(Y, XS), rtol=1e-12)
    s2s.check_grads(f, (Y, XS), order=2 if name == "trapezoid" else 1)


def test_refusals() -> None:
    with pytest.raises(s2s.NoRuleError, match="methods RK45 and RK23 only"):
        s2s.grad(lambda a: integrate.solve_ivp(lambda t, y: -a * y, (0, 1), [1.0], method="BDF").y[0, -1])(1.0)
    f = lambda a: integrate.quad(lambda x: np.exp(a * x), 0.0, 1.0)[0]  # noqa: E731
    with pytest.raises(s2s.NoRuleError, match="third derivatives of quad"):
        s2s.grad(s2s.grad(s2s.grad(f)))(1.0)
