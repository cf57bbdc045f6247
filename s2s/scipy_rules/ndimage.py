"""scipy.ndimage: linear filters, as sums of shifted arrays; what is beyond the edge comes by index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.ndimage

from s2s.rules.primitives import refuse


def _places(n: Any, left: Any, right: Any, mode: Any) -> Any:
    """Which elements of an axis stand at -left, ..., n + right - 1."""
    i = np.arange(-left, n + right)
    if mode == "nearest" or mode == "constant":
        return np.clip(i, 0, n - 1)
    if mode == "wrap" or mode == "grid-wrap":
        return i % n
    if mode == "reflect" or mode == "grid-mirror":
        p = i % (2 * n)
        return np.where(p < n, p, 2 * n - 1 - p)
    if mode == "mirror":
        q = i % np.maximum(2 * n - 2, 1)
        return np.where(q < n, q, 2 * n - 2 - q)
    return refuse("ndimage is covered for the modes reflect, mirror, nearest, wrap and constant")


def _correlated(x: Any, weights: Any, axis: Any, mode: Any, cval: Any, left: Any) -> Any:
    """sum over k of weights[k] x[i + k - left] along `axis`."""
    rows = np.moveaxis(x, axis, 0)
    n, count = rows.shape[0], weights.shape[0]
    wide = rows[_places(n, left, count - 1 - left, mode)]
    if mode == "constant":
        i = np.arange(-left, n + count - 1 - left)
        inside = ((i >= 0) & (i < n)).reshape((-1, *[1] * (rows.ndim - 1)))
        wide = np.where(inside, wide, cval)
    out = np.zeros_like(rows)
    for k in range(count):
        out = out + weights[k] * wide[k:k + n]
    return np.moveaxis(out, 0, axis)


def correlate1d(input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect",
                cval: Any = 0.0, origin: Any = 0) -> Any:
    w = np.asarray(weights)
    return _correlated(np.asarray(input), w, axis, mode, cval, w.shape[0] // 2 + origin)


def convolve1d(input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect",
               cval: Any = 0.0, origin: Any = 0) -> Any:
    w = np.asarray(weights)[::-1]
    return _correlated(np.asarray(input), w, axis, mode, cval, (w.shape[0] - 1) // 2 - origin)


def gaussian_filter1d(input: Any, sigma: Any, axis: Any = -1, order: Any = 0, output: Any = None,
                      mode: Any = "reflect", cval: Any = 0.0, truncate: Any = 4.0, radius: Any = None) -> Any:
    if order != 0:
        refuse("gaussian_filter is covered for order 0")
    reach = int(truncate * sigma + 0.5) if radius is None else radius
    x = np.arange(-reach, reach + 1)
    weights = np.exp(-0.5 / (sigma * sigma) * x ** 2)
    return _correlated(np.asarray(input), weights / np.sum(weights), axis, mode, cval, reach)


def gaussian_filter(input: Any, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect",
                    cval: Any = 0.0, truncate: Any = 4.0, radius: Any = None, axes: Any = None) -> Any:
    if axes is not None:
        refuse("gaussian_filter along some of the axes is not covered: use gaussian_filter1d")
    out = np.asarray(input)
    for axis in range(out.ndim):
        width = sigma[axis] if isinstance(sigma, (tuple, list)) else sigma
        out = gaussian_filter1d(out, width, axis, order, None, mode, cval, truncate, radius)
    return out


def uniform_filter1d(input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect",
                     cval: Any = 0.0, origin: Any = 0) -> Any:
    return _correlated(np.asarray(input), np.full(size, 1.0 / size), axis, mode, cval, size // 2 + origin)


def uniform_filter(input: Any, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                   origin: Any = 0, axes: Any = None) -> Any:
    if axes is not None:
        refuse("uniform_filter along some of the axes is not covered: use uniform_filter1d")
    out = np.asarray(input)
    for axis in range(out.ndim):
        width = size[axis] if isinstance(size, (tuple, list)) else size
        out = uniform_filter1d(out, width, axis, None, mode, cval, origin)
    return out


def correlate(input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
              origin: Any = 0, axes: Any = None) -> Any:
    x, w = np.asarray(input), np.asarray(weights)
    if origin != 0 or axes is not None:
        refuse("correlate with an origin or axes is not covered")
    if x.ndim == 1:
        return _correlated(x, w, 0, mode, cval, w.shape[0] // 2)
    return _plane(x, w, mode, cval, w.shape[0] // 2, w.shape[1] // 2)


def convolve(input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
             origin: Any = 0, axes: Any = None) -> Any:
    x, w = np.asarray(input), np.flip(np.asarray(weights))
    if origin != 0 or axes is not None:
        refuse("convolve with an origin or axes is not covered")
    if x.ndim == 1:
        return _correlated(x, w, 0, mode, cval, (w.shape[0] - 1) // 2)
    return _plane(x, w, mode, cval, (w.shape[0] - 1) // 2, (w.shape[1] - 1) // 2)


def _plane(x: Any, w: Any, mode: Any, cval: Any, up: Any, left: Any) -> Any:
    if x.ndim != 2:
        refuse("correlate and convolve of ndimage are covered for one and two dimensions")
    if mode == "constant" and cval != 0.0:
        refuse("correlate and convolve with a constant other than 0 are not covered")
    n, m = x.shape
    height, width = w.shape
    tall = x[_places(n, up, height - 1 - up, mode)]
    if mode == "constant":
        i = np.arange(-up, n + height - 1 - up)
        tall = np.where(((i >= 0) & (i < n))[:, None], tall, 0.0)
    wide = tall[:, _places(m, left, width - 1 - left, mode)]
    if mode == "constant":
        j = np.arange(-left, m + width - 1 - left)
        wide = np.where(((j >= 0) & (j < m))[None, :], wide, 0.0)
    out = np.zeros_like(x)
    for k in range(height):
        for l in range(width):  # noqa: E741
            out = out + w[k, l] * wide[k:k + n, l:l + m]
    return out


def sobel(input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    out = correlate1d(input, np.array([-1.0, 0.0, 1.0]), axis, None, mode, cval)
    for other in range(out.ndim):
        if other != axis % out.ndim:
            out = correlate1d(out, np.array([1.0, 2.0, 1.0]), other, None, mode, cval)
    return out


def laplace(input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    x = np.asarray(input)
    out = correlate1d(x, np.array([1.0, -2.0, 1.0]), 0, None, mode, cval)
    for axis in range(1, x.ndim):
        out = out + correlate1d(x, np.array([1.0, -2.0, 1.0]), axis, None, mode, cval)
    return out


_HERE = (correlate1d, convolve1d, gaussian_filter1d, gaussian_filter, uniform_filter1d, uniform_filter, correlate,
         convolve, sobel, laplace)
WRITTEN: dict[Any, Callable[..., Any]] = {getattr(scipy.ndimage, f.__name__): f for f in _HERE}
REFUSED = {
    "not covered yet": "map_coordinates affine_transform geometric_transform rotate shift zoom spline_filter prewitt "
    "gaussian_gradient_magnitude gaussian_laplace generic_gradient_magnitude generic_laplace fourier_gaussian",
    "of order statistics: use NumPy's sort on windows": "median_filter maximum_filter minimum_filter percentile_filter "
    "rank_filter grey_dilation grey_erosion",
    "a labelling or measurement of bools and ints": "label find_objects binary_dilation binary_erosion "
    "distance_transform_edt watershed_ift",
}
