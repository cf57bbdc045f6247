"""Sample calls of functions of NumPy: the arguments before the first that is no float are moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .rows_arrays import M23, M34, T234, V3, V4, C, array


@dataclass(frozen=True)
class Row:
    """A call: `args` are differentiated, `rest` follows them. order: how many derivatives are checked."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    rest: tuple[Any, ...]
    options: dict[str, Any]
    order: int = 2
    single: bool = True

    @property
    def applied(self) -> Callable[..., Any]:
        """The function of the differentiated arguments."""
        function, rest, options = self.function, self.rest, self.options

        def applied(*args: Any) -> Any:
            return function(*args, *rest, **options)
        return applied

    def seed(self, parts: list[Any]) -> Any:
        """Weights of the value: a tuple or list of them where it is one."""
        value = self.applied(*self.args)
        return type(value)(parts) if type(value) in (list, tuple) else parts[0] if len(parts) == 1 else \
            type(value)(*parts)


def _is_float(x: Any) -> bool:
    if isinstance(x, list):
        return bool(x) and all(map(_is_float, x))
    return isinstance(x, float | complex) or (isinstance(x, np.ndarray) and x.dtype.kind in "fc")


def row(function: Callable[..., Any], *args: Any, order: int = 2, single: bool = True, name: str = "",
        **options: Any) -> Row:
    count = next((k for k, x in enumerate(args) if not _is_float(x)), len(args))
    return Row(name or getattr(function, "__name__", "function"), function, args[:count], args[count:], options, order,
               single)


T = getattr(np, "trapezoid", None)
V6 = array(6)

CUTTING = [
    row(np.split, V6, 3), row(np.split, V6, [1, 4]), row(np.split, M34, 2, axis=-1), row(np.split, V6, 1),
    row(np.array_split, V4, 3), row(np.array_split, V4, 1), row(np.array_split, M34, 3, axis=1),
    row(np.hsplit, M34, 2), row(np.hsplit, V6, 2), row(np.vsplit, M34, [1]), row(np.dsplit, T234, 2),
    row(np.diag, M34), row(np.diag, M34, 1),
    row(np.delete, V6, 2), row(np.delete, V6, -1), row(np.delete, M34, 0, 1), row(np.delete, M34, [0, 2], axis=1),
    row(np.delete, M34, [0, 2]), row(np.delete, V3, np.array([True, False, True])),
    row(np.insert, V6, 2, 0.5), row(np.insert, V6, 0, [1.0, 2.0]), row(np.insert, M34, 1, 7.0, axis=0),
    row(lambda x, v: np.insert(x, 1, v, axis=0), M34, V4, name="insert row"),
    row(lambda x, v: np.insert(x, 1, v, axis=1), M34, V3, name="insert column"),
    row(lambda x, v: np.insert(x, [1, 3, 3], v), V6, V3, name="insert several"),
    row(lambda x, v: np.insert(x, 2, v), M34, V3, name="insert flat"),
    row(np.resize, V3, (2, 4)), row(np.resize, M34, 5), row(np.resize, M23, (4, 3)),
]
DIFFERENCES = [
    row(np.gradient, V6), row(np.gradient, V6, 0.5), row(np.gradient, M34, axis=1), row(np.gradient, M34),
    row(np.gradient, M34, 2.0, 0.5), row(np.gradient, V6, edge_order=2), row(np.gradient, M34, axis=(0, 1)),
    row(lambda f, x: np.gradient(f, np.cumsum(np.abs(x))), V6, array(6), name="gradient at coordinates"),
    row(lambda f, x: np.gradient(f, np.cumsum(np.abs(x)), edge_order=2, axis=0), array(6, 2), array(6),
        name="gradient at coordinates 2"),
    row(np.diff, V6, prepend=0.5), row(np.diff, M34, n=2, append=1.0), row(np.diff, M34, axis=0, prepend=array(2, 4)),
    row(np.ediff1d, M34), row(np.ediff1d, V6, to_end=[1.0, 2.0], to_begin=0.5),
    row(T, V6), row(T, M34, dx=0.5, axis=0), row(T, M34, np.arange(4.0) ** 2), row(T, M34, np.arange(3.0) ** 2, axis=0),
]
FOURIER = [
    row(np.fft.fft2, M34), row(np.fft.ifft2, array(2, 3, 4, dtype=C), axes=(0, 1)), row(np.fft.rfft2, M34),
    row(np.fft.irfft2, array(3, 4, dtype=C)), row(np.fft.fft2, M34, (4, 2)), row(np.fft.hfft, array(4, dtype=C)),
    row(np.fft.hfft, array(3, 4, dtype=C), 5, axis=0, norm="ortho"), row(np.fft.ihfft, V6), row(np.fft.ihfft, M34, 3),
    row(np.fft.fftshift, M34), row(np.fft.ifftshift, array(5), 0), row(np.fft.fftshift, M34, axes=(1,)),
    row(lambda x, d: x * np.fft.fftfreq(6, d) * np.fft.rfftfreq(10, d), V6, 0.5, name="frequencies", single=False),
]
# Some of the elements are nan.
HOLES = np.where(np.arange(12).reshape(3, 4) % 5 == 1, np.nan, M34)
MASK = np.array([[True, False, True, True], [False, True, True, False], [True, True, True, True]])


def with_holes(function: Callable[..., Any], *rest: Any, **options: Any) -> list[Row]:
    """The function of an array with nan: along each kind of axis."""
    def applied(x: Any, **more: Any) -> Any:
        return function(np.where(np.isnan(HOLES), HOLES, x), *rest, **options, **more)
    return [row(applied, M34, name=f"{function.__name__} {more}", single=False, **more)
            for more in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}, {"axis": (0, 1)})]


REDUCING = [
    *(row(f, M34, where=MASK, **o) for f in (np.sum, np.prod, np.mean, np.var, np.std) for o in (
        {}, {"axis": 0}, {"axis": 1, "keepdims": True})),
    *(row(f, M34, where=MASK, initial=i, axis=1) for f, i in ((np.max, -5.0), (np.min, 5.0), (np.sum, 2.0),
                                                              (np.prod, 0.5), (np.nanmax, -5.0), (np.nansum, 1.0))),
    row(np.sum, M34, initial=1.5), row(np.prod, M34, axis=0, initial=2.0), row(np.max, M34, axis=0, initial=0.3),
    row(np.amin, M34, initial=0.3), row(np.var, M34, axis=0, correction=1), row(np.std, array(3, 4, dtype=C), ddof=1),
    row(np.var, array(3, 4, dtype=C), axis=1, where=MASK), row(np.mean, M34, 0, None, None, True),
    row(lambda x: np.var(x, axis=0, mean=np.mean(x, axis=0, keepdims=True)), M34, name="var of a mean"),
    *(r for f in (np.nansum, np.nanprod, np.nanmean, np.nanvar, np.nanstd, np.nanmax, np.nanmin, np.nanmedian)
      for r in with_holes(f)),
    *(r for f, q in ((np.nanquantile, 0.3), (np.nanpercentile, [20.0, 70.0])) for r in with_holes(f, q)),
    row(lambda x: np.nancumsum(np.where(np.isnan(HOLES), HOLES, x), axis=1), M34, name="nancumsum", single=False),
    row(lambda x: np.nancumprod(np.where(np.isnan(HOLES), HOLES, x)), M34, name="nancumprod", single=False),
    row(np.nancumsum, M34), row(np.nancumprod, M34, axis=0),
    *(row(np.median, x, **o) for x in (array(5), array(6), M34)
      for o in ({}, {"axis": 0}, {"axis": -1, "keepdims": True})),
    row(np.median, T234, axis=(0, 2)), row(np.median, T234, axis=(1, 2), keepdims=True),
    row(np.median, M34, keepdims=True),
    row(np.quantile, V6, 0.3), row(np.quantile, M34, 0.75, axis=0), row(np.quantile, M34, 0.5, axis=1, keepdims=True),
    row(np.quantile, M34, [0.25, 0.6], axis=1, keepdims=True, single=False), row(np.percentile, M34, 30),
    row(np.percentile, T234, [10.0, 35.0], axis=(0, 1), single=False), row(np.quantile, V6, np.array([0.1, 0.5, 0.97]),
                                                                           single=False),
    row(np.quantile, V6, 0.37, name="quantile by q"),
    *(row(lambda x, method: np.quantile(x, 0.37, method=method), array(7), name=f"quantile {m}", method=m) for m in (
        "linear", "lower", "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf",
        "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased")),
    *(row(lambda x, method: np.quantile(x, 0.5, method=method), array(6), name=f"quantile half {m}", method=m)
      for m in ("inverted_cdf", "averaged_inverted_cdf", "closest_observation")),
]

ROWS = CUTTING + DIFFERENCES + FOURIER + REDUCING
