"""What emitted code calls: solvers of SciPy, given a function of the program and the numbers that it uses.

Each is called as `run_NAME(f, theta, *values, **options)`; `f(x, *theta)` is the function.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate
import scipy.optimize

Function = Callable[..., Any]


#: A residual that is taken for zero where a solver is not content with its own progress.
SMALL = 1e-8


def run_fsolve(f: Function, theta: Any, x0: Any, **options: Any) -> Any:
    x, info, found, message = scipy.optimize.fsolve(f, x0, args=theta, full_output=True, **options)
    _check(found == 1 or np.max(np.abs(info["fvec"]), initial=0.0) < SMALL, message)
    return np.asarray(x)


def run_root(f: Function, theta: Any, x0: Any, **options: Any) -> Any:
    result = scipy.optimize.root(f, x0, args=theta, **options)
    _check(result.success or np.max(np.abs(result.fun), initial=0.0) < SMALL, result.message)
    return np.asarray(result.x).reshape(np.shape(x0))


def run_minimize(f: Function, theta: Any, x0: Any, **options: Any) -> Any:
    result = scipy.optimize.minimize(f, x0, args=theta, **options)
    # 2: rounding leaves no better point to be found.
    _check(result.success or result.status == 2, result.message)
    return np.asarray(result.x).reshape(np.shape(x0))


def run_least_squares(f: Function, theta: Any, x0: Any, **options: Any) -> Any:
    result = scipy.optimize.least_squares(f, x0, args=theta, **options)
    _check(result.success, result.message)
    return np.asarray(result.x)


def run_minimize_scalar(f: Function, theta: Any, **options: Any) -> Any:
    result = scipy.optimize.minimize_scalar(f, args=theta, **options)
    _check(result.success, result.message)
    return float(result.x)


def _check(converged: Any, message: Any) -> None:
    if not converged:
        raise ValueError(f"scipy.optimize did not converge: {message}\n"
                         "Where it stops is no root or minimum, and so no function of the parameters.")


def run_brentq(f: Function, theta: Any, a: Any, b: Any, method: str = "brentq", **options: Any) -> Any:
    return float(getattr(scipy.optimize, method)(f, float(a), float(b), args=theta, **options))


def run_newton(f: Function, theta: Any, x0: Any, **options: Any) -> Any:
    return float(scipy.optimize.newton(f, float(x0), args=theta, **options))


def run_root_scalar(f: Function, theta: Any, x0: Any, **options: Any) -> Any:
    given = {} if math.isnan(x0) else {"x0": float(x0)}
    result = scipy.optimize.root_scalar(f, args=theta, **given, **options)
    _check(result.converged, result.flag)
    return float(result.root)


def run_quad(f: Function, theta: Any, a: Any, b: Any, **options: Any) -> Any:
    """The integral, and SciPy's estimate of its error."""
    found = scipy.integrate.quad(f, a, b, args=theta, **options)
    return float(found[0]), float(found[1])


def run_quad_vec(f: Function, theta: Any, a: Any, b: Any, **options: Any) -> Any:
    """The integral of a function whose values are arrays."""
    return np.asarray(scipy.integrate.quad_vec(lambda x: np.asarray(f(x, *theta)), a, b, **options)[0])


def run_steps(f: Function, theta: Any, start: Any, end: Any, y0: Any, **options: Any) -> Any:
    """The times of the steps that `solve_ivp` takes."""
    found = scipy.integrate.solve_ivp(lambda t, y: f(t, y, *theta), (float(start), float(end)), y0, **options)
    if not found.success:
        raise ValueError(f"scipy.integrate.solve_ivp failed: {found.message}")
    return found.t
