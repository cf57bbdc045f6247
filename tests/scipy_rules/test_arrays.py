"""scipy.signal, scipy.ndimage, scipy.interpolate: values as SciPy's, derivatives in both modes and of second order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2s

signal = pytest.importorskip("scipy.signal")
ndimage = pytest.importorskip("scipy.ndimage")
interpolate = pytest.importorskip("scipy.interpolate")

V = np.array([0.3, -1.2, 0.8, 1.7, -0.4, 0.9])
W = np.array([0.5, 1.3, -0.7])
M = np.random.default_rng(0).standard_normal((5, 4))
K = np.array([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]])
XS = np.array([0.0, 0.4, 1.1, 1.5, 2.3, 3.0])
T = np.array([0.13, 0.9, 1.3, 2.9])
GRID = (np.array([0.0, 0.5, 1.2, 2.0, 2.5]), np.array([-1.0, 0.0, 0.3, 1.0]))
SPLINE = interpolate.CubicSpline(XS, V)
PCHIP = interpolate.PchipInterpolator(XS, V)
PERIODIC = interpolate.CubicSpline(XS, np.append(V[:-1], V[0]), bc_type="periodic")
AKIMA = interpolate.Akima1DInterpolator(XS, V)
BOUNDED = interpolate.CubicSpline(XS, V, extrapolate=False)
MIXED = XS[[2, 0, 5, 1, 4, 3]]
ON_GRID = interpolate.RegularGridInterpolator(GRID, M)
PLACES = np.array([[0.3, -0.4], [1.9, 0.7]])

PROGRAMS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "convolve": (lambda a, b: signal.convolve(a, b), (V, W)),
    "convolve same": (lambda a, b: signal.convolve(a, b, mode="same"), (V, W)),
    "convolve valid": (lambda a, b: signal.convolve(a, b, "valid") + signal.convolve(b, a, "valid"), (V, W)),
    "fftconvolve": (lambda a, b: signal.fftconvolve(a, b, mode="same"), (M, K)),
    "convolve2d": (lambda a, b: signal.convolve2d(a, b), (M, K)),
    "correlate": (lambda a, b: signal.correlate(a, b), (V, W)),
    "lfilter": (lambda b, a, x: signal.lfilter(b, a, x), (W, np.array([1.5, 0.4, -0.2]), V)),
    "lfilter fir": (lambda b, x: signal.lfilter(b, 1.0, x), (W, V)),
    "gaussian_filter": (lambda x, s: ndimage.gaussian_filter(x, s), (M, 0.8)),
    "gaussian_filter modes": (lambda x: ndimage.gaussian_filter1d(x, 1.1, mode="nearest")
                              + ndimage.gaussian_filter1d(x, 1.1, mode="wrap", axis=0)
                              + ndimage.gaussian_filter(x, (0.5, 0.9), mode="mirror")
                              + ndimage.gaussian_filter(x, 0.7, mode="constant", cval=0.5), (M,)),
    "uniform_filter": (lambda x: ndimage.uniform_filter(x, 3) + ndimage.uniform_filter1d(x, 2, mode="mirror"), (M,)),
    "correlate1d": (lambda x, w: ndimage.correlate1d(x, w) + ndimage.convolve1d(x, w[:2], axis=0), (M, W)),
    "ndimage correlate": (lambda x, w: ndimage.correlate(x, w) + ndimage.convolve(x, w, mode="constant"), (M, K)),
    "ndimage convolve": (lambda x, w: ndimage.convolve(x, w) + ndimage.correlate(x, w, mode="wrap"), (V, W)),
    "sobel": (lambda x: ndimage.sobel(x, axis=0) + ndimage.laplace(x), (M,)),
    "interp1d": (lambda y, t: interpolate.interp1d(XS, y)(t), (V, T)),
    "interp1d extrapolates": (lambda x, y: interpolate.interp1d(x, y, fill_value="extrapolate")(T + 0.5), (XS, V)),
    "interp1d unsorted": (lambda y, t: interpolate.interp1d(MIXED, y)(t)
                          + interpolate.interp1d(XS, y, assume_sorted=True)(t), (V, T)),
    "interp1d filled": (lambda y, t: interpolate.interp1d(XS, y, bounds_error=False, fill_value=0.5)(t - 1.05)
                        + interpolate.interp1d(XS, y, bounds_error=False, fill_value=(-1.0, 2.0))(t + 1.05), (V, T)),
    "CubicSpline of ints": (lambda t: interpolate.CubicSpline(np.arange(5), np.array([1, 3, 2, 7, 4]))(t), (T,)),
    "CubicSpline of few": (lambda y, t: interpolate.CubicSpline(XS[:3], y[:3])(t)
                           + interpolate.CubicSpline(XS[:2], y[:2])(t), (V, T)),
    "CubicSpline periodic outside": (lambda y, t: interpolate.CubicSpline(XS, y, extrapolate="periodic")(t - 1.0)
                                     + interpolate.CubicSpline(XS, y)(t + 2.0, extrapolate="periodic"), (V, T)),
    "CubicSpline": (lambda x, y, t: interpolate.CubicSpline(x, y)(t), (XS, V, T)),
    "CubicSpline natural": (lambda y, t: interpolate.CubicSpline(XS, y, bc_type="natural")(t, 1), (V, T)),
    "CubicSpline clamped": (lambda y, t: interpolate.CubicSpline(XS, y, bc_type="clamped")(t + 0.3, nu=2), (V, T)),
    "a spline": (lambda t: SPLINE(t) * SPLINE(t, 1) + PCHIP(t), (T,)),
    "a periodic spline": (lambda t: PERIODIC(t + 2.0) + PERIODIC(t - 4.0, 1), (T,)),
    "within a spline": (lambda t: np.where(t < 2.5, AKIMA(t + 0.5), 0.0) + np.nan_to_num(BOUNDED(t + 1.0)), (T,)),
    "RegularGridInterpolator": (lambda m, p: interpolate.RegularGridInterpolator(GRID, m)(p), (M, PLACES)),
    "a grid": (lambda p: ON_GRID(p), (PLACES,)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    function, args = PROGRAMS[name]
    value = np.asarray(function(*args))
    weights = np.random.default_rng(3).standard_normal(value.shape)

    def f(*args: Any) -> Any:
        out = function(*args)
        return np.sum(out * weights + out ** 2)

    np.testing.assert_allclose(s2s.value_and_grad(f)(*args)[0], f(*args), rtol=1e-11)
    s2s.check_grads(f, args, order=2 if name.startswith(("lfilter", "Cubic", "fft", "a ")) else 1)


def test_refusals() -> None:
    with pytest.raises(s2s.NoRuleError, match="order 0"):
        s2s.grad(lambda x: np.sum(ndimage.gaussian_filter(x, 1.0, order=1)))(M)
    with pytest.raises(s2s.NoRuleError, match="use CubicSpline"):
        s2s.grad(lambda y: np.sum(interpolate.interp1d(XS, y, kind="quadratic")(T)))(V)
    with pytest.raises(ValueError, match="outside of the interpolation range"):
        s2s.grad(lambda y: np.sum(interpolate.interp1d(XS, y)(T + 1.0)))(V)
