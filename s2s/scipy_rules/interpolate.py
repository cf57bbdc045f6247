"""scipy.interpolate: evaluations, by the places and, of what a program makes, by the values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.interpolate

from s2s.rules.primitives import constant, refuse


def _interval(x: Any, t: Any) -> Any:
    """The number of the interval between breakpoints in which each of `t` lies; beyond the ends, the outer ones."""
    return np.clip(np.searchsorted(constant(x), constant(t), side="right") - 1, 0, x.shape[0] - 2)


def _floats(x: Any) -> Any:
    """As SciPy computes: in double precision."""
    values = np.asarray(x)
    return values.astype(np.result_type(values, np.float64))


@dataclass
class Piecewise:
    """Cubic polynomials: what `CubicSpline` makes in a program. c: four rows, that of the highest power first."""

    x: Any
    c: Any
    extrapolate: Any

    def __call__(self, t: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        return _cubic(self.x, self.c, np.asarray(t), nu, self.extrapolate if extrapolate is None else extrapolate)


def _cubic(x: Any, c: Any, t: Any, nu: Any, extrapolate: Any) -> Any:
    """Outside the nodes: the outer polynomials, with extrapolate "periodic" those of the period, with False nan."""
    if extrapolate == "periodic":
        return _powers(x, c, x[0] + (t - x[0]) % (x[-1] - x[0]), nu)
    if extrapolate:
        return _powers(x, c, t, nu)
    return np.where((t >= x[0]) & (t <= x[-1]), _powers(x, c, t, nu), np.nan)


def _powers(x: Any, c: Any, t: Any, nu: Any) -> Any:
    k = _interval(x, t)
    h = t - x[k]
    if nu == 0:
        return c[3][k] + h * (c[2][k] + h * (c[1][k] + h * c[0][k]))
    if nu == 1:
        return c[2][k] + h * (2.0 * c[1][k] + 3.0 * h * c[0][k])
    if nu == 2:
        return 2.0 * c[1][k] + 6.0 * h * c[0][k]
    return refuse("derivatives of splines are covered to the second")


def CubicSpline(x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> Any:
    """Slopes at the breakpoints from a linear system (C. de Boor, A Practical Guide to Splines, IV)."""
    places, values = _floats(x), _floats(y)
    if values.ndim != 1:
        refuse("CubicSpline is covered for values of one dimension")
    n = places.shape[0]
    h = np.diff(places)
    slope = np.diff(values) / h
    a = np.zeros((n, n), values.dtype)
    b = np.zeros(n, values.dtype)
    for i in range(1, n - 1):
        a[i, i - 1] = h[i]
        a[i, i] = 2.0 * (h[i - 1] + h[i])
        a[i, i + 1] = h[i - 1]
        b[i] = 3.0 * (h[i] * slope[i - 1] + h[i - 1] * slope[i])
    if bc_type == "natural":
        a[0, 0] = 2.0
        a[0, 1] = 1.0
        b[0] = 3.0 * slope[0]
        a[n - 1, n - 1] = 2.0
        a[n - 1, n - 2] = 1.0
        b[n - 1] = 3.0 * slope[-1]
    elif bc_type == "clamped":
        a[0, 0] = 1.0
        a[n - 1, n - 1] = 1.0
    elif bc_type == "not-a-knot" and n == 2:
        a[0, 0] = 1.0
        b[0] = slope[0]
        a[1, 1] = 1.0
        b[1] = slope[0]
    elif bc_type == "not-a-knot" and n == 3:
        # The parabola through three points: the two conditions would be the same.
        a[0, 0] = 1.0
        a[0, 1] = 1.0
        b[0] = 2.0 * slope[0]
        a[2, 1] = 1.0
        a[2, 2] = 1.0
        b[2] = 2.0 * slope[1]
    elif bc_type == "not-a-knot":
        d = places[2] - places[0]
        a[0, 0] = h[1]
        a[0, 1] = d
        b[0] = ((h[0] + 2.0 * d) * h[1] * slope[0] + h[0] ** 2 * slope[1]) / d
        e = places[-1] - places[-3]
        a[n - 1, n - 1] = h[-2]
        a[n - 1, n - 2] = e
        b[n - 1] = (h[-1] ** 2 * slope[-2] + (2.0 * e + h[-1]) * h[-2] * slope[-1]) / e
    else:
        refuse("CubicSpline is covered for the boundary conditions not-a-knot, natural and clamped")
    s = np.linalg.solve(a, b)
    t = (s[:-1] + s[1:] - 2.0 * slope) / h
    c = np.stack((t / h, (slope - s[:-1]) / h - t, s[:-1], values[:-1]))
    return Piecewise(places, c, True if extrapolate is None else extrapolate)


def evaluate_spline(spline: Any, t: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
    """A `CubicSpline` that exists already, by the places."""
    # Later versions of SciPy keep the arrays in an object of their own.
    plain = spline._delegate_to if hasattr(spline, "_delegate_to") else spline
    x, c = plain.x, plain.c
    if c.ndim != 2:
        refuse("splines are covered with values of one dimension")
    if c.shape[0] != 4:
        raise ValueError("s2s evaluates cubic splines only")
    return _cubic(x, c, np.asarray(t), nu, plain.extrapolate if extrapolate is None else extrapolate)


@dataclass
class Linear:
    """What `interp1d` makes in a program. outside: "extrapolate", "error", or the values below and above."""

    x: Any
    y: Any
    outside: Any

    def __call__(self, t: Any) -> Any:
        at = np.asarray(t)
        if self.outside == "error" and (np.any(at < self.x[0]) or np.any(at > self.x[-1])):
            raise ValueError("a value is outside of the interpolation range")
        k = _interval(self.x, at)
        found = self.y[k] + (at - self.x[k]) * (self.y[k + 1] - self.y[k]) / (self.x[k + 1] - self.x[k])
        if isinstance(self.outside, str):
            return found
        below, above = self.outside
        return np.where(at < self.x[0], below, np.where(at > self.x[-1], above, found))


def interp1d(x: Any, y: Any, kind: Any = "linear", axis: Any = -1, copy: Any = True, bounds_error: Any = None,
             fill_value: Any = np.nan, assume_sorted: Any = False) -> Any:
    places, values = _floats(x), np.asarray(y)
    if values.ndim != 1:
        refuse("interp1d is covered for values of one dimension")
    if kind != "linear":
        refuse("interp1d is covered for kind='linear': use CubicSpline")
    if not assume_sorted:
        order = np.argsort(constant(places), kind="stable")
        places, values = places[order], values[order]
    if isinstance(fill_value, str):
        return Linear(places, values, fill_value)
    if bounds_error is None or bounds_error:
        return Linear(places, values, "error")
    return Linear(places, values, fill_value if isinstance(fill_value, tuple) else (fill_value, fill_value))


@dataclass
class Grid:
    """What `RegularGridInterpolator` makes in a program, of one or two axes."""

    points: Any
    values: Any

    def __call__(self, xi: Any) -> Any:
        at = np.asarray(xi)
        return _on_grid(self.points, self.values, at)


def _on_grid(points: Any, values: Any, at: Any) -> Any:
    if len(points) != 2:
        refuse("RegularGridInterpolator is covered for two axes")
    x, y = np.asarray(points[0]), np.asarray(points[1])
    s, t = at[..., 0], at[..., 1]
    if np.any(s < x[0]) or np.any(s > x[-1]) or np.any(t < y[0]) or np.any(t > y[-1]):
        raise ValueError("a place is outside of the grid: its derivative is not covered")
    i, j = _interval(x, s), _interval(y, t)
    u = (s - x[i]) / (x[i + 1] - x[i])
    v = (t - y[j]) / (y[j + 1] - y[j])
    return ((1.0 - u) * ((1.0 - v) * values[i, j] + v * values[i, j + 1])
            + u * ((1.0 - v) * values[i + 1, j] + v * values[i + 1, j + 1]))


def RegularGridInterpolator(points: Any, values: Any, method: Any = "linear", bounds_error: Any = True,
                            fill_value: Any = np.nan) -> Any:
    if method != "linear" or not bounds_error:
        refuse("RegularGridInterpolator is covered for method='linear' within its bounds")
    return Grid(points, np.asarray(values))


def evaluate_grid(grid: Any, xi: Any, method: Any = None, nu: Any = None) -> Any:
    """A `RegularGridInterpolator` that exists already, by the places."""
    if grid.method != "linear" or method is not None:
        refuse("RegularGridInterpolator is covered for method='linear'")
    points = grid._grid if hasattr(grid, "_grid") else grid.grid
    values = grid._values if hasattr(grid, "_values") else grid.values
    return _on_grid(points, values, np.atleast_2d(np.asarray(xi)))


WRITTEN: dict[Any, Callable[..., Any]] = {
    scipy.interpolate.CubicSpline: CubicSpline, scipy.interpolate.interp1d: interp1d,
    scipy.interpolate.RegularGridInterpolator: RegularGridInterpolator,
    (scipy.interpolate.CubicSpline, "__call__"): evaluate_spline,
    (scipy.interpolate.PchipInterpolator, "__call__"): evaluate_spline,
    (scipy.interpolate.Akima1DInterpolator, "__call__"): evaluate_spline,
    (scipy.interpolate.RegularGridInterpolator, "__call__"): evaluate_grid,
}
REFUSED = {
    "use CubicSpline": "UnivariateSpline InterpolatedUnivariateSpline splrep splev BSpline make_interp_spline",
    "made in a program (those from outside can be evaluated)": "PchipInterpolator Akima1DInterpolator",
    "not covered yet": "griddata RBFInterpolator RectBivariateSpline LinearNDInterpolator interpn "
    "BarycentricInterpolator KroghInterpolator",
}
