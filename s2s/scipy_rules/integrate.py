"""scipy.integrate: quadrature by Leibniz' rule, samples by their weights, initial value problems step by step.

`solve_ivp` is differentiated as it is computed: SciPy chooses the steps, which are constants, and the program takes
them once more with the same formulas. So the derivative is that of the numbers that come out, by anything that the
right-hand side uses, the initial state, and both ends of the interval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.integrate

from s2s.rules.primitives import constant, grad, host, lift, refuse, sealed, with_pullback
from s2s.scipy_rules import runners

# Quadrature ----------------------------------------------------------------------------------------------


def quad(func: Any, a: Any, b: Any, args: Any = (), full_output: Any = 0, epsabs: Any = 1.49e-8,
         epsrel: Any = 1.49e-8, limit: Any = 50, points: Any = None, weight: Any = None, wvar: Any = None,
         wopts: Any = None, maxp1: Any = 50, limlst: Any = 50, complex_func: Any = False) -> Any:
    if full_output or weight is not None or complex_func or points is not None:
        refuse("quad with full_output, points, a weight or a complex function is not covered")
    given = args if isinstance(args, tuple) else (args,)
    f, theta = lift(lambda x, *rest: 1.0 * func(x, *rest), given, 0.5)
    value, error = host(runners.run_quad, f, theta, ("float64", "float64"), a, b, epsabs=epsabs, epsrel=epsrel,
                        limit=limit)
    return _by_leibniz(value, f, theta, a, b, epsabs, epsrel, limit, 2), error


def _by_leibniz(value: Any, f: Any, theta: Any, a: Any, b: Any, epsabs: Any, epsrel: Any, limit: Any,
                order: Any) -> Any:
    """`value`, the integral of f(x, *theta), which can be differentiated `order` times."""
    if order == 0:
        return sealed(value, (a, b, *theta), "third derivatives of quad are not covered")

    def pullback(dy: Any, y: Any) -> Any:
        return (-_at(f, theta, a, dy), _at(f, theta, b, dy), *[
            _slope(f, theta, k, a, b, dy, epsabs, epsrel, limit, order - 1) for k in range(len(theta))])

    return with_pullback(value, pullback, (a, b, *theta))


def _at(f: Any, theta: Any, end: Any, dy: Any) -> Any:
    """By a limit: the function there; an infinite one is a constant."""
    finite = np.isfinite(end)
    return np.sum(np.where(finite, dy * f(np.where(finite, end, 0.0), *theta), 0.0))


def _slope(f: Any, theta: Any, k: Any, a: Any, b: Any, dy: Any, epsabs: Any, epsrel: Any, limit: Any,
           order: Any) -> Any:
    """By the k-th parameter: the integral of the derivative."""
    if np.asarray(theta[k]).dtype.kind not in "fc":
        return None

    def slope(x: Any) -> Any:
        return grad(lambda p: np.sum(dy * f(x, *theta[:k], p, *theta[k + 1:])))(theta[k])

    g, inner = lift(slope, (), 0.5)
    if np.ndim(theta[k]):
        value = host(runners.run_quad_vec, g, inner, theta[k], a, b, epsabs=epsabs, epsrel=epsrel)
    else:
        value, _ = host(runners.run_quad, g, inner, ("float64", "float64"), a, b, epsabs=epsabs, epsrel=epsrel,
                        limit=limit)
    return _by_leibniz(value, g, inner, a, b, epsabs, epsrel, limit, order)


# Samples -------------------------------------------------------------------------------------------------


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    return np.trapezoid(y, x, dx, axis)


def _widths(x: Any, axis: Any) -> Any:
    """Between neighbours along the last axis: of one vector, or of places for each sample."""
    places = np.asarray(x)
    return np.diff(places if places.ndim == 1 else np.moveaxis(places, axis, -1))


def cumulative_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None) -> Any:
    values = np.moveaxis(np.asarray(y), axis, -1)
    widths = dx if x is None else _widths(x, axis)
    sums = np.cumsum(0.5 * widths * (values[..., 1:] + values[..., :-1]), axis=-1)
    if initial is not None:
        sums = np.concatenate((np.zeros_like(values[..., :1]) + initial, sums), axis=-1)
    return np.moveaxis(sums, -1, axis)


def simpson(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    values = np.moveaxis(np.asarray(y), axis, -1)
    n = values.shape[-1]
    h = np.full(n - 1, 1.0) * dx if x is None else _widths(x, axis)
    if n == 2:
        return 0.5 * h[..., 0] * (values[..., 0] + values[..., 1])
    if n % 2:
        return _parabolas(values, h)
    # The last interval of an odd number: K. Cartwright 2017, Simpson's rule cumulative integration, as SciPy.
    p, q = h[..., -2], h[..., -1]
    last = ((2.0 * q * q + 3.0 * p * q) / (6.0 * (p + q)) * values[..., -1] + (q * q + 3.0 * p * q) / (6.0 * p)
            * values[..., -2] - q ** 3 / (6.0 * p * (p + q)) * values[..., -3])
    return _parabolas(values[..., :-1], h[..., :-1]) + last


def _parabolas(y: Any, h: Any) -> Any:
    p, q = h[..., 0::2], h[..., 1::2]
    both = p + q
    parts = both / 6.0 * (y[..., 0:-1:2] * (2.0 - q / p) + y[..., 1::2] * both * both / (p * q)
                          + y[..., 2::2] * (2.0 - p / q))
    return np.sum(parts, axis=-1)


# Initial value problems ----------------------------------------------------------------------------------


@dataclass
class OdeResult:
    """What `solve_ivp` returns: times, and the states in columns."""

    t: Any
    y: Any
    success: Any = True
    status: Any = 0
    t_events: Any = None
    sol: Any = None


def solve_ivp(fun: Any, t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None, dense_output: Any = False,
              events: Any = None, vectorized: Any = False, args: Any = None, rtol: Any = 1e-3, atol: Any = 1e-6,
              max_step: Any = np.inf, first_step: Any = None) -> Any:
    if method not in ("RK45", "RK23"):
        refuse("solve_ivp is covered for the methods RK45 and RK23 only")
    if events is not None or dense_output or vectorized:
        refuse("solve_ivp with events, dense_output or vectorized is not covered")
    y = np.copy(np.atleast_1d(np.asarray(y0)))
    if y.dtype.kind != "f":
        refuse("solve_ivp of a state that is not of floats is not covered")
    f, theta = lift(lambda t, y, *a: np.atleast_1d(np.asarray(fun(t, y, *a))), () if args is None else args, 0.5, y)
    start, end = t_span
    chosen = host(runners.run_steps, f, theta, "float64[:]", start, end, y, method=method, rtol=rtol, atol=atol,
                  max_step=max_step, first_step=first_step)
    part = constant((chosen - start) / (end - start))
    times = start + part * (end - start)
    step = _rk45 if method == "RK45" else _rk23
    if t_eval is None:
        return OdeResult(times, _at_steps(step, f, theta, times, y))
    at = np.asarray(t_eval)
    where = (at - start) / (end - start)
    index = np.clip(np.searchsorted(part, constant(where)) - 1, 0, part.shape[0] - 2)
    return OdeResult(at, _between(step, f, theta, times, y, at, index))


def _at_steps(step: Any, f: Any, theta: Any, times: Any, y: Any) -> Any:
    out = np.empty((y.shape[0], times.shape[0]))
    out[:, 0] = y
    slope = f(times[0], y, *theta)
    for i in range(times.shape[0] - 1):
        y, slope, _ = step(f, theta, times[i], y, times[i + 1] - times[i], slope)
        out[:, i + 1] = y
    return out


def _between(step: Any, f: Any, theta: Any, times: Any, y: Any, at: Any, index: Any) -> Any:
    """The states at `at`, of which the k-th is in the step `index[k]`, by SciPy's interpolation."""
    n = times.shape[0] - 1
    states = np.empty((n, y.shape[0]))
    powers = np.empty((n, 4, y.shape[0]))
    slope = f(times[0], y, *theta)
    for i in range(n):
        states[i] = y
        y, slope, (first, second, third, fourth) = step(f, theta, times[i], y, times[i + 1] - times[i], slope)
        powers[i, 0] = first
        powers[i, 1] = second
        powers[i, 2] = third
        powers[i, 3] = fourth
    out = np.empty((y.shape[0], at.shape[0]))
    for j in range(at.shape[0]):
        i = index[j]
        h = times[i + 1] - times[i]
        x = (at[j] - times[i]) / h
        rise = powers[i, 0] + x * (powers[i, 1] + x * (powers[i, 2] + x * powers[i, 3]))
        out[:, j] = states[i] + h * x * rise
    return out


def _rk45(f: Any, theta: Any, t: Any, y: Any, h: Any, k1: Any) -> Any:
    """A step of Dormand and Prince: the new state, its slope, and the powers of the interpolation (as in SciPy)."""
    k2 = f(t + h / 5, y + h * (k1 / 5), *theta)
    k3 = f(t + 3 * h / 10, y + h * (3 / 40 * k1 + 9 / 40 * k2), *theta)
    k4 = f(t + 4 * h / 5, y + h * (44 / 45 * k1 - 56 / 15 * k2 + 32 / 9 * k3), *theta)
    k5 = f(t + 8 * h / 9, y + h * (19372 / 6561 * k1 - 25360 / 2187 * k2 + 64448 / 6561 * k3 - 212 / 729 * k4), *theta)
    k6 = f(t + h, y + h * (9017 / 3168 * k1 - 355 / 33 * k2 + 46732 / 5247 * k3 + 49 / 176 * k4 - 5103 / 18656 * k5),
           *theta)
    new = y + h * (35 / 384 * k1 + 500 / 1113 * k3 + 125 / 192 * k4 - 2187 / 6784 * k5 + 11 / 84 * k6)
    k7 = f(t + h, new, *theta)
    second = (-8048581381 / 2820520608 * k1 + 131558114200 / 32700410799 * k3 - 1754552775 / 470086768 * k4
              + 127303824393 / 49829197408 * k5 - 282668133 / 205662961 * k6 + 40617522 / 29380423 * k7)
    third = (8663915743 / 2820520608 * k1 - 68118460800 / 10900136933 * k3 + 14199869525 / 1410260304 * k4
             - 318862633887 / 49829197408 * k5 + 2019193451 / 616988883 * k6 - 110615467 / 29380423 * k7)
    fourth = (-12715105075 / 11282082432 * k1 + 87487479700 / 32700410799 * k3 - 10690763975 / 1880347072 * k4
              + 701980252875 / 199316789632 * k5 - 1453857185 / 822651844 * k6 + 69997945 / 29380423 * k7)
    return new, k7, (k1, second, third, fourth)


def _rk23(f: Any, theta: Any, t: Any, y: Any, h: Any, k1: Any) -> Any:
    """A step of Bogacki and Shampine."""
    k2 = f(t + h / 2, y + h * (k1 / 2), *theta)
    k3 = f(t + 3 * h / 4, y + h * (3 / 4 * k2), *theta)
    new = y + h * (2 / 9 * k1 + 1 / 3 * k2 + 4 / 9 * k3)
    k4 = f(t + h, new, *theta)
    return new, k4, (k1, -4 / 3 * k1 + k2 + 4 / 3 * k3 - k4, 5 / 9 * k1 - 2 / 3 * k2 - 8 / 9 * k3 + k4, 0.0 * k1)


def odeint(func: Any, y0: Any, t: Any, args: Any = (), Dfun: Any = None, col_deriv: Any = 0, full_output: Any = 0,
           ml: Any = None, mu: Any = None, rtol: Any = None, atol: Any = None, tcrit: Any = None, h0: Any = 0.0,
           hmax: Any = 0.0, hmin: Any = 0.0, ixpr: Any = 0, mxstep: Any = 0, mxhnil: Any = 0, mxordn: Any = 12,
           mxords: Any = 5, printmessg: Any = 0, tfirst: Any = False) -> Any:
    """By RK45, with the tolerances of `odeint`."""
    if full_output:
        refuse("odeint(full_output=True) is not covered")
    at = np.asarray(t)
    given = args if isinstance(args, tuple) else (args,)

    def swapped(time: Any, y: Any) -> Any:
        return func(time, y, *given) if tfirst else func(y, time, *given)

    solved = solve_ivp(swapped, (at[0], at[-1]), y0, t_eval=at, rtol=1.49012e-8 if rtol is None else rtol,
                       atol=1.49012e-8 if atol is None else atol)
    return np.transpose(solved.y)


_HERE = (quad, trapezoid, cumulative_trapezoid, simpson, solve_ivp, odeint)
WRITTEN: dict[Any, Callable[..., Any]] = {getattr(scipy.integrate, f.__name__): f for f in _HERE}
REFUSED = {
    "integrate with quad, one variable after the other": "dblquad tplquad nquad",
    "not covered yet": "quad_vec fixed_quad romb newton_cotes qmc_quad cumulative_simpson solve_bvp ode complex_ode "
    "tanhsinh nsum cubature lebedev_rule",
}
