"""scipy.optimize: roots and minimisers, by the implicit function theorem.

F(x, theta) = 0 gives dx/dtheta = -(dF/dx)^-1 dF/dtheta; of a minimum, F is the gradient. What the function uses from
around it is theta. SciPy runs as it is called; its result is as exact as its tolerance, and so are derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize

from s2s.rules.primitives import grad, host, jacobian, lift, refuse, vjp, with_pullback
from s2s.scipy_rules import runners


@dataclass
class Result:
    """What a solver returns: the solution `x`, and `fun`, the function there."""

    x: Any
    fun: Any
    success: Any = True
    status: Any = 0


@dataclass
class RootResult:
    """What `root_scalar` returns."""

    root: Any
    converged: Any = True


def _implicit(f: Any, theta: Any, x: Any) -> Any:
    """`x`, a root of the vector function `f(x, *theta)`, as a function of theta."""
    def pullback(dy: Any, x: Any) -> Any:
        slope = jacobian(f)(x, *theta)
        weight = -np.linalg.solve(np.transpose(slope), dy)
        _, pull = vjp(lambda *t: f(x, *t), *theta)
        return pull(weight)
    return with_pullback(x, pullback, theta) if len(theta) else x


def _implicit_scalar(f: Any, theta: Any, x: Any) -> Any:
    def pullback(dy: Any, x: Any) -> Any:
        slope = grad(f)(x, *theta)
        _, pull = vjp(lambda *t: f(x, *t), *theta)
        return pull(-dy / slope)
    return with_pullback(x, pullback, theta) if len(theta) else x


def _args(args: Any) -> Any:
    return args if isinstance(args, tuple) else (args,)


def _vector(x0: Any) -> Any:
    return np.atleast_1d(np.asarray(x0, dtype=float))


def fsolve(func: Any, x0: Any, args: Any = (), fprime: Any = None, full_output: Any = False, col_deriv: Any = False,
           xtol: Any = 1.49012e-8, maxfev: Any = 0, band: Any = None, epsfcn: Any = None, factor: Any = 100,
           diag: Any = None) -> Any:
    if full_output:
        refuse("fsolve(full_output=True) is not covered")
    start = _vector(x0)
    f, theta = lift(lambda x, *a: np.atleast_1d(np.asarray(func(x, *a))), _args(args), start)
    x = host(runners.run_fsolve, f, theta, start, start, xtol=xtol, maxfev=maxfev, factor=factor)
    return _implicit(f, theta, x)


def root(fun: Any, x0: Any, args: Any = (), method: Any = "hybr", jac: Any = None, tol: Any = None,
         callback: Any = None, options: Any = None) -> Any:
    if jac is True:
        refuse("root(jac=True) is not covered: return the function alone")
    start = _vector(x0)
    f, theta = lift(lambda x, *a: np.atleast_1d(np.asarray(fun(x, *a))), _args(args), start)
    x = _implicit(f, theta, host(runners.run_root, f, theta, start, start, method=method, tol=tol, options=options))
    return Result(x, f(x, *theta))


def minimize(fun: Any, x0: Any, args: Any = (), method: Any = None, jac: Any = None, hess: Any = None,
             hessp: Any = None, bounds: Any = None, constraints: Any = (), tol: Any = None, callback: Any = None,
             options: Any = None) -> Any:
    if bounds is not None or len(constraints):
        refuse("minimize with bounds or constraints is not covered")
    start = _vector(x0)
    value_and_gradient = jac is True

    def value(x: Any, *a: Any) -> Any:
        out = fun(x, *a)
        return np.sum(out[0]) if value_and_gradient else np.sum(out)

    f, theta = lift(value, _args(args), start)
    x = host(runners.run_minimize, f, theta, start, start, method=method, tol=tol, options=options)
    x = _implicit(grad(f), theta, x)
    return Result(x, f(x, *theta))


def minimize_scalar(fun: Any, bracket: Any = None, bounds: Any = None, args: Any = (), method: Any = None,
                    tol: Any = None, options: Any = None) -> Any:
    f, theta = lift(lambda x, *a: 1.0 * fun(x, *a), _args(args), 0.5)
    x = host(runners.run_minimize_scalar, f, theta, "float64", bracket=bracket, bounds=bounds, method=method, tol=tol,
             options=options)
    if bounds is not None:
        margin = 1e-4 * (bounds[1] - bounds[0])
        if x < bounds[0] + margin or x > bounds[1] - margin:
            raise ValueError("the minimum is at a bound, where it is no function of the parameters")
    x = _implicit_scalar(grad(f), theta, x)
    return Result(x, f(x, *theta))


def _bracketed(method: Any, f: Any, a: Any, b: Any, args: Any, options: Any) -> Any:
    g, theta = lift(lambda x, *rest: 1.0 * f(x, *rest), _args(args), 0.5)
    x = host(runners.run_brentq, g, theta, "float64", a, b, method=method, **options)
    return _implicit_scalar(g, theta, x)


def brentq(f: Any, a: Any, b: Any, args: Any = (), xtol: Any = 2e-12, rtol: Any = 8.881784197001252e-16,
           maxiter: Any = 100, full_output: Any = False, disp: Any = True) -> Any:
    if full_output:
        refuse("brentq(full_output=True) is not covered")
    return _bracketed("brentq", f, a, b, args, {"xtol": xtol, "rtol": rtol, "maxiter": maxiter})


def brenth(f: Any, a: Any, b: Any, args: Any = (), xtol: Any = 2e-12, rtol: Any = 8.881784197001252e-16,
           maxiter: Any = 100, full_output: Any = False, disp: Any = True) -> Any:
    if full_output:
        refuse("brenth(full_output=True) is not covered")
    return _bracketed("brenth", f, a, b, args, {"xtol": xtol, "rtol": rtol, "maxiter": maxiter})


def ridder(f: Any, a: Any, b: Any, args: Any = (), xtol: Any = 2e-12, rtol: Any = 8.881784197001252e-16,
           maxiter: Any = 100, full_output: Any = False, disp: Any = True) -> Any:
    if full_output:
        refuse("ridder(full_output=True) is not covered")
    return _bracketed("ridder", f, a, b, args, {"xtol": xtol, "rtol": rtol, "maxiter": maxiter})


def bisect(f: Any, a: Any, b: Any, args: Any = (), xtol: Any = 2e-12, rtol: Any = 8.881784197001252e-16,
           maxiter: Any = 100, full_output: Any = False, disp: Any = True) -> Any:
    if full_output:
        refuse("bisect(full_output=True) is not covered")
    return _bracketed("bisect", f, a, b, args, {"xtol": xtol, "rtol": rtol, "maxiter": maxiter})


def newton(func: Any, x0: Any, fprime: Any = None, args: Any = (), tol: Any = 1.48e-8, maxiter: Any = 50,
           fprime2: Any = None, x1: Any = None, rtol: Any = 0.0, full_output: Any = False, disp: Any = True) -> Any:
    if full_output or x1 is not None:
        refuse("newton with full_output or x1 is not covered")
    if np.ndim(x0):
        refuse("newton of an array is not covered: use scipy.optimize.root")
    f, theta = lift(lambda x, *rest: 1.0 * func(x, *rest), _args(args), 0.5)
    x = host(runners.run_newton, f, theta, "float64", x0, tol=tol, maxiter=maxiter, rtol=rtol)
    return _implicit_scalar(f, theta, x)


def root_scalar(f: Any, args: Any = (), method: Any = None, bracket: Any = None, fprime: Any = None,
                fprime2: Any = None, x0: Any = None, x1: Any = None, xtol: Any = None, rtol: Any = None,
                maxiter: Any = None, options: Any = None) -> Any:
    if fprime is not None or fprime2 is not None:
        refuse("root_scalar with derivatives of yours is not covered: leave them out")
    g, theta = lift(lambda x, *rest: 1.0 * f(x, *rest), _args(args), 0.5)
    x = host(runners.run_root_scalar, g, theta, "float64", np.nan if x0 is None else x0, method=method,
             bracket=bracket, x1=x1, xtol=xtol, rtol=rtol, maxiter=maxiter, options=options)
    return RootResult(_implicit_scalar(g, theta, x))


def least_squares(fun: Any, x0: Any, jac: Any = "2-point", bounds: Any = None, method: Any = "trf", ftol: Any = 1e-8,
                  xtol: Any = 1e-8, gtol: Any = 1e-8, x_scale: Any = 1.0, loss: Any = "linear", args: Any = (),
                  max_nfev: Any = None) -> Any:
    if bounds is not None or loss != "linear":
        refuse("least_squares with bounds or a loss is not covered")
    start = _vector(x0)
    f, theta = lift(lambda x, *a: np.atleast_1d(np.asarray(fun(x, *a))), _args(args), start)
    x = host(runners.run_least_squares, f, theta, start, start, method=method, ftol=ftol, xtol=xtol, gtol=gtol,
             max_nfev=max_nfev)
    x = _implicit(lambda x, *t: grad(lambda z: 0.5 * np.sum(f(z, *t) ** 2))(x), theta, x)
    return Result(x, f(x, *theta))


_HERE = (fsolve, root, minimize, minimize_scalar, brentq, brenth, ridder, bisect, newton, root_scalar, least_squares)
WRITTEN: dict[Any, Callable[..., Any]] = {getattr(scipy.optimize, f.__name__): f for f in _HERE}
REFUSED = {
    "bounds and constraints that are active decide the derivative": "linprog milp nnls lsq_linear "
    "linear_sum_assignment isotonic_regression",
    "use least_squares": "curve_fit leastsq",
    "a search has no derivative by itself": "basinhopping brute differential_evolution dual_annealing direct shgo "
    "fmin fmin_bfgs fmin_cg fmin_ncg fmin_powell fmin_l_bfgs_b fmin_tnc fmin_cobyla fmin_slsqp fminbound",
    "use fsolve or root": "fixed_point broyden1 broyden2 anderson newton_krylov toms748 elementwise",
}
