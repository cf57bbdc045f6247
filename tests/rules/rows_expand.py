"""Sample calls of functions of NumPy: the arguments before the first that is no float are moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .rows_arrays import M23, M34, T234, V3, V4, C, array, spd, well


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
    return Row(name or getattr(function, "__name__", "function"), function, args[:count], args[count:], options,
        order,
               single)


#: Its smallest singular value is less than a fifth of the largest.
CUT = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.2], [0.0, 0.3, 0.1], [1.0, 1.0, 0.5]])
T = getattr(np, "trapezoid", None)
V6 = array(6)

SETS = [
    row(np.unique, V6), row(np.unique, M34),
    row(lambda x: np.unique(x[[0, 2, 1, 0, 3, 2]]), V4, name="unique of equals"),
    row(lambda x: np.unique(x[[0, 2, 1, 0, 3, 2]].reshape(2, 3), True, True, True)[0], V4, name="unique of all"),
    row(np.unique, array(4, dtype=C)),
    row(lambda x, y: np.union1d(x, y[:2]), V4, V3, name="union1d"),
    row(lambda x: np.intersect1d(x, x[1:3]), V4, name="intersect1d"), row(
        lambda x: np.setdiff1d(x, x[1:3]), V4, name="setdiff1d"),
    row(lambda x: np.setxor1d(x[:3], x[1:]), V4, name="setxor1d"),
    row(lambda x: np.trim_zeros(np.concatenate(([0.0], x, [0.0, 0.0]))), V4, name="trim_zeros"),
    row(lambda x: np.trim_zeros(np.concatenate(([0.0], x, [0.0, 0.0])), "b"), V4, name="trim_zeros at the end"),
    *(row(f.reduceat, V6, [0, 3, 1, 4], name=f"{f.__name__}.reduceat")
      for f in (np.add, np.multiply, np.maximum)),
    row(lambda x: np.add.reduceat(x, np.array([0, 2]), axis=1), M34, name="add.reduceat along an axis"),
]
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
    row(T, V6), row(T, M34, dx=0.5, axis=0), row(T, M34, np.arange(4.0) ** 2),
    row(T, M34, np.arange(3.0) ** 2, axis=0),
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
    row(np.percentile, T234, [10.0, 35.0], axis=(0, 1), single=False),
    row(np.quantile, V6, np.array([0.1, 0.5, 0.97]),
                                                                           single=False),
    row(lambda x: np.quantile(x, 0.4, weights=[1.0, 0.5, 2.0, 0.25, 3.0, 1.0], method="inverted_cdf"), V6,
        name="quantile with weights"),
    row(lambda x: np.percentile(x, [0.0, 35.0, 100.0], weights=np.array([0.0, 0.5, 2.0, 0.25, 3.0, 1.0]),
                                method="inverted_cdf"), V6, name="percentile with weights"),
    row(lambda x: np.quantile(x, 0.7, weights=np.arange(12.0).reshape(3, 4), method="inverted_cdf", keepdims=True),
        M34, name="quantile with weights of all"),
    # What is nan by a constant has no part in the derivative.
    *(row(lambda x, f=f: f((x * HOLES) ** 2), M34, name=f"{f.__name__} of products", single=False)
      for f in (np.nansum, np.nanprod, np.nanmean, np.nanvar, np.nanstd, np.nanmax, np.nanmedian, np.nan_to_num)),
    row(lambda x: np.sum(np.where(np.isnan(HOLES), 0.0, np.exp(x * HOLES))), M34, name="where of products",
        single=False),
    row(np.quantile, V6, 0.37, name="quantile by q"),
    *(row(lambda x, method: np.quantile(x, 0.37, method=method), array(7), name=f"quantile {m}", method=m) for m in (
        "linear", "lower", "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf",
        "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased",
            "normal_unbiased")),
    *(row(lambda x, method: np.quantile(x, 0.5, method=method), array(6), name=f"quantile half {m}", method=m)
      for m in ("inverted_cdf", "averaged_inverted_cdf", "closest_observation")),
]
W3, W4, W23 = well(3), well(4), well(3, 2)
LA = np.linalg
MATRICES = [
    *(row(LA.norm, M34, ord=o, name=f"matrix norm {o}") for o in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)),
    *(row(LA.norm, V6, ord=o, name=f"vector norm {o}") for o in (None, 0, 1, 2, 3, 0.5, -1, -2, np.inf, -np.inf)),
    *(row(LA.norm, T234, ord=o, name=f"norms {o} {more}", **more) for o, more in (
        (np.inf, {"axis": 1}), (-np.inf, {"axis": 0, "keepdims": True}), ("nuc", {"axis": (0, 2)}),
        (2, {"axis": (2, 1)}),
        (1, {"axis": (0, 1), "keepdims": True}), (-2, {"axis": (1, 2), "keepdims": True}), (np.inf, {"axis": (0, 1)}),
        (0.5, {"axis": 1}), (1, {"axis": (2, 0)}))),
    row(LA.norm, array(3, 4, dtype=C), "nuc"), row(LA.norm, array(3, 4, dtype=C), 1),
    row(LA.norm, array(4, dtype=C), ord=3),
    *(row(LA.cond, W3, p=p, name=f"cond {p}") for p in (None, 2, -2, "fro", 1, np.inf)), row(LA.cond, W23),
    row(LA.multi_dot, [M23, M34, array(4, 2)]), row(lambda x, y, z: LA.multi_dot([x, y, z]), V3, M34, V4,
                                                   name="multi_dot of vectors"),
    row(LA.tensorsolve, well(6).reshape(2, 3, 6), array(2, 3)),
    row(LA.tensorsolve, well(6).reshape(6, 2, 3), array(6)),
    row(LA.tensorsolve, well(6).reshape(2, 3, 6), array(6), axes=(0, 1), name="tensorsolve axes"),
    row(LA.tensorinv, array(4, 6, 8, 3) + np.eye(24).reshape(4, 6, 8, 3), order=1),
    row(LA.tensorinv, well(6).reshape(6, 2, 3), ind=1),
    row(np.trace, T234), row(np.trace, T234, 1, 1, 2), row(np.trace, M34, 0, 1, 0),
    row(np.trace, T234, axis1=-1, axis2=0),
    row(lambda x: LA.svd(x), W3, name="svd square"),
    row(lambda x: LA.svd(x, full_matrices=False), M34, name="svd wide"),
    row(lambda x: LA.svd(x)[1], M34, name="svd full, values"), row(LA.svd, M34, compute_uv=False),
    row(lambda x: LA.svd(x).S, M34, name="svd by name"),
    row(lambda x: LA.eigh(x @ x.T).eigenvalues, W3, name="eigh by name"),
    row(lambda x: LA.eigh(x + x.T)[1] ** 2, W3, name="eigh vectors"), row(LA.cholesky, spd(3), upper=True),
    row(lambda x: LA.cholesky(x @ x.T), W23[0], name="cholesky"), row(LA.qr, W4), row(LA.qr, array(4, 3), "r"),
    row(lambda x: LA.qr(x).R, array(4, 3), name="qr by name"),
    row(lambda x: LA.eig(x + 0j), W3, name="eig"), row(lambda x: LA.eigvals(x + 0j), W23, name="eigvals"),
    row(lambda x: np.abs(LA.eig(x)[1]), W3, name="eig of a real matrix"),
    row(lambda x: np.sort(np.abs(LA.eigvals(x))), W3, name="eigvals of a real matrix"),
    row(lambda a, b: LA.lstsq(a, b, rcond=None)[0], array(5, 3), array(5), name="lstsq"),
    row(lambda a, b: LA.lstsq(a, b)[0], array(5, 3), array(5, 2), name="lstsq of matrices"),
    row(lambda a, b: LA.lstsq(a, b)[0], array(3, 5), array(3), name="lstsq wide"),
    row(lambda a, b: LA.lstsq(a, b)[0], array(5, 3, dtype=C), array(5, dtype=C), name="lstsq complex"),
    row(lambda a, b: LA.lstsq(a, b, rcond=0.2)[0], CUT, V4, name="lstsq cut off"),
    row(lambda a, b: LA.lstsq(a, b, rcond=0.2)[0], CUT * (1.0 + 0.3j), array(4, dtype=C),
        name="lstsq cut off, complex"),
    row(lambda a, b: LA.lstsq(a, b, rcond=0.2)[0], CUT.T, array(3, 2), name="lstsq wide, cut off"),
    # One of the singular values is that of rounding alone.
    row(lambda a, b: LA.lstsq(a @ np.array([[1.0, 0.3, 1.3], [0.2, -1.0, -0.8]]), b, rcond=None)[0], array(5, 2),
        array(5), name="lstsq of less than full rank", single=False),
    row(LA.pinv, CUT, rcond=0.2),
    row(LA.pinv, CUT.T * (1.0 - 0.5j), rcond=0.2),
    row(LA.pinv, M34, rcond=1e-10), row(LA.pinv, array(2, 3, 2)),
    row(lambda x: LA.slogdet(x)[1], -W23, name="slogdet"),
    row(lambda x: LA.slogdet(x).logabsdet, W3, name="slogdet name"),
    row(lambda x: LA.slogdet(x), W3 + 1j * array(3, 3), name="slogdet complex"),
    row(lambda x: LA.inv(x) @ LA.solve(x, M34), W23, name="stacked"),
    row(lambda x: LA.det(x), W23, name="det stacked"),
    row(lambda x: LA.matrix_power(x, -2), W3, name="matrix_power"), row(np.vecdot, M34, V4),
    row(np.vecdot, array(3, 4, dtype=C), array(3, 4, dtype=C), axis=0), row(np.matrix_transpose, T234),
    *(row(getattr(LA, name), *args, **options) for name, args, options in (
        ("vector_norm", (M34,), {}), ("vector_norm", (M34,), {"axis": 1, "ord": 3}),
        ("vector_norm", (T234,), {"axis": (0, 1)}),
        ("matrix_norm", (T234,), {}), ("matrix_norm", (M34,), {"ord": "nuc", "keepdims": True}),
        ("trace", (T234,), {}),
        ("diagonal", (T234,), {"offset": 1}), ("matmul", (M23, M34), {}), ("outer", (V3, V4), {}),
        ("tensordot", (M23, M34), {"axes": 1}), ("vecdot", (M34, V4), {}), ("matrix_transpose", (M34,), {}))),
    *(row(getattr(np, name), *args) for name, args in (
        ("matvec", (T234, V4)), ("vecmat", (array(3, dtype=C), T234))) if hasattr(np, name)),
]
B4 = np.array([True, False, True, True])
PICK = np.array([[0, 1, 2, 1], [2, 0, 0, 1], [1, 1, 2, 0]])
CHOOSING = [
    row(lambda x, y: np.select([x > 0.5, x < -0.5], [x * x, y], 2.0), M34, array(3, 4), name="select"),
    row(lambda x: np.select([x > 0.5, x < -0.5], [x * x, 3.0 * x]), M34, name="select without default"),
    row(lambda x, y: np.choose(PICK, [x, y, 1.5]), M34, V4, name="choose"),
    row(lambda x: np.choose(PICK + 2, (x, 2.0 * x, -x), mode="wrap"), M34, name="choose wrap"),
    row(lambda x: np.choose(PICK - 1, (x, 2.0 * x, -x), mode="clip"), M34, name="choose clip"),
    row(lambda x: np.choose(PICK, x), array(3, 3, 4), name="choose of an array"),
    row(lambda x: PICK.choose([x, x * x, x + 1.0]), M34, name="choose method"),
    row(lambda x: np.compress(B4, x, axis=1), M34, name="compress"), row(lambda x: np.compress([0, 1, 1], x), V3,
                                                                        name="compress flat"),
    row(lambda x: x.compress(B4), V4, name="compress method"),
    row(lambda x: np.extract(x > 0, x), M34, name="extract"),
    row(lambda x: np.partition(x, 2), array(6), name="partition"),
    row(lambda x: np.partition(x, (1, 3), axis=0), array(5, 2),
                                                                     name="partition axis"),
    row(lambda x: np.partition(x, 4, axis=None), M34, name="partition flat"), row(np.partition, M34, 2, axis=-1),
    row(np.sort, M34, axis=None), row(lambda x: np.sort(x, kind="stable"), V6, name="sort stable"),
    row(lambda x: x[np.argsort(x)[:3]] * x[np.argpartition(x, 2)[:3]] ** 2, V6, name="sorted selection"),
    row(lambda x, xp, fp: np.interp(x, np.cumsum(np.abs(xp)), fp, left=-1.0, right=2.0), V6, V4, array(4),
        name="interp ends"),
    row(lambda x, fp: np.interp(x, [0.5, 1.7, 3.1], fp, period=4.0), V6, V3, name="interp period"),
    row(lambda x, fp: np.interp(x, [-1.0, 0.2, 1.0], fp), V6, array(3, dtype=C), name="interp complex"),
    row(np.sign, array(3, dtype=C)), row(np.divmod, array(4), np.array([0.7, -0.4, 0.3, 0.9])),
    row(np.real_if_close, V3),
    row(np.sort_complex, array(4, dtype=C)), row(np.unwrap, 3.0 * V6), row(np.unwrap, 3.0 * M34, axis=0),
    row(lambda x: np.unwrap(x, period=2.0), 3.0 * V6, name="unwrap period"),
    row(lambda x: x[np.nanargmax(np.where(x > 1, np.nan, x))] * x[np.nanargmin(x)], V6, name="nanargmax"),
]
FW = np.array([1, 2, 1, 3])
STATISTICS = [
    row(np.average, M34), row(np.average, M34, axis=1), row(lambda x, w: np.average(x, weights=w), M34, np.abs(M34)),
    row(lambda x, w: np.average(x, axis=0, weights=w), M34, np.abs(V3), name="average of rows"),
    row(lambda x, w: np.average(x, 1, w, returned=True), M34, np.abs(V4), name="average returned"),
    row(lambda x, w: np.average(x, (0, 1), np.abs(w), keepdims=True), T234, M23, name="average axes"),
    row(np.cov, M34), row(np.cov, V6), row(np.cov, M34, rowvar=False), row(lambda x, y: np.cov(x, y), V4, array(4),
                                                                         name="cov of two"),
    row(np.cov, M34[:1]), row(np.corrcoef, M34[:1]), row(np.cov, M34[:, :1], rowvar=False),
    row(np.cov, M34, bias=True), row(np.cov, M34, ddof=0), row(np.cov, array(3, 4, dtype=C)),
    row(lambda x: np.cov(x, fweights=FW), M34, name="cov fweights", single=False),
    row(lambda x, w: np.cov(x, aweights=np.abs(w)), M34, V4, name="cov aweights", single=False),
    row(lambda x, w: np.cov(x, fweights=FW, aweights=np.abs(w)), M34, V4, name="cov both", single=False),
    row(np.corrcoef, M34), row(lambda x, y: np.corrcoef(x, y), V4, array(4), name="corrcoef of two"),
    row(np.corrcoef, M34, rowvar=False), row(np.ptp, M34, axis=1), row(np.cumsum, T234, 1),
    row(np.cumprod, T234, axis=-1),
]


def convolutions(function: Callable[..., Any]) -> list[Row]:
    """All modes, of vectors of every kind of length."""
    return [row(lambda a, v, mode: function(a, v, mode=mode), array(n, dtype=d), array(m), mode=mode,
                name=f"{function.__name__} {mode} {n} {m} {d}", order=2 if n == 5 else 1, single=m == 3)
            for mode in ("full", "same", "valid")
            for n, m, d in ((5, 3, "float64"), (3, 5, "float64"), (4, 2, C), (2, 4, "float64"), (4, 4, "float64"),
                            (6, 1, "float64"), (2, 5, C), (6, 3, "float64"), (3, 6, "float64"))]


MORE_PRODUCTS = [
    *convolutions(np.convolve), *convolutions(np.correlate), row(np.convolve, V6, array(3)),
    row(np.correlate, V6, array(3)),
    row(lambda x, y: np.einsum("...ij,...jk->...ik", x, y), T234, array(4, 2), name="einsum ellipsis"),
    row(lambda x, y: np.einsum("...ij,...j", x, y), T234, array(2, 4), name="einsum implicit"),
    row(lambda x: np.einsum("...ii->...i", x), array(2, 3, 3), name="einsum diagonal"),
    row(lambda x: np.einsum("i...->...", x), T234, name="einsum sum"),
    row(lambda x, y: np.einsum(x, [0, 1], y, [1, 2], [0, 2]), M23, M34, name="einsum lists"),
    row(lambda x, y: np.einsum(x, [0, 1], y, [1, 2]), M23, M34, name="einsum lists implicit"),
    row(lambda x, y: np.einsum(x, [..., 0, 1], y, [1], [..., 0]), T234, V4, name="einsum lists ellipsis"),
    row(lambda x, y: np.einsum("...,...->...", x, y), array(3, 1), V4, name="einsum broadcast"),
    row(lambda x, y: np.einsum("i...,i...", x, y), M34, array(3, 4), name="einsum all"),
    row(lambda x: np.einsum("ijj->i", x), array(2, 3, 3), name="einsum trace"),
    row(lambda x, y: np.einsum("ij,jk->ik", x, y, optimize=True), M23, M34, name="einsum optimize"),
    row(np.kron, M23, V3), row(np.kron, V3, T234), row(np.kron, 1.5, M23), row(np.kron, T234, array(1, 2, 2)),
    row(lambda a, b: np.cross(a, b, axis=0), array(3, 4), array(3, 4), name="cross axis"),
    row(lambda a, b: np.cross(a, b, axisa=0, axisb=1, axisc=0), array(3, 4), array(4, 3), name="cross axes"),
    row(lambda a, b: LA.cross(a, b, axis=0), array(3, 4), array(3, 4), name="linalg cross"),
]
PADDING = [
    *(row(np.pad, x, w, mode=m, name=f"pad {m} {w}") for m in (
        "edge", "reflect", "symmetric", "wrap", "maximum", "minimum", "mean", "median", "linear_ramp") for x, w in (
        (V4, 2), (M34, ((1, 2), (3, 0))))),
    row(np.pad, V3, 7, mode="reflect"), row(np.pad, V3, 7, mode="wrap"),
    row(np.pad, M34, 2, "constant", constant_values=1.5),
    row(np.pad, V4, (2, 1), mode="reflect", reflect_type="odd"),
    row(np.pad, V4, 3, mode="symmetric", reflect_type="odd"),
    row(np.pad, V3, (8, 5), mode="symmetric", reflect_type="odd", name="pad odd beyond"),
    row(np.pad, V3[:2], (1, 6), mode="reflect", reflect_type="odd", name="pad odd beyond reflect"),
    row(np.pad, V3[:1], 2, mode="reflect", reflect_type="odd", name="pad odd of one"),
    row(np.pad, V6, 2, mode="mean", stat_length=3), row(np.pad, M34, 1, mode="median", stat_length=((2, 1), (3, 2))),
    row(np.pad, V4, (1, 3), mode="linear_ramp", end_values=(2.0, -1.0)), row(np.pad, T234, ((0, 0), (1, 1), (2, 3))),
]
POLYNOMIALS = [
    row(np.polyval, V4, array(3)), row(np.polyval, V3, M23), row(np.polyval, V4, 0.7),
    row(lambda x: np.polyval([2.0, 0.5, 1.0], x),
                                                                                      V6,
                                                                                          name="polyval of constants"),
    row(np.polyfit, V6, array(6), 2), row(np.polyfit, np.array([0.1, 0.2, 0.35, 0.4, 0.7]), array(5), 3, rcond=0.2),
    row(np.polyfit, V6, array(6, 2), 1), row(
        lambda x, y, w: np.polyfit(x, y, 2, w=np.abs(w)), V6, array(6), array(6), name="polyfit with weights"),
    row(lambda p: np.sort_complex(np.roots(p)), V4, name="roots", single=False),
    row(lambda p: np.sum(np.roots(np.concatenate(([0.0], p, [0.0]))) ** 3), V4, name="roots with zeros", single=False),
    row(lambda p: np.sort_complex(np.roots(p)), array(4, dtype=C), name="roots complex", single=False),
    row(np.poly, V3), row(np.poly, array(3, dtype=C)), row(np.poly, M34[:, :3], single=False),
    row(np.polydiv, V6, V3, single=False), row(np.polydiv, V3, V4),
    row(np.polydiv, array(4, dtype=C), array(2, dtype=C), single=False),
    row(lambda v: np.polydiv(np.array([1.0, -3.0, 3.0, -1.0]) * v[0], [1.0, -1.0])[0], V3, name="polydiv exact",
        single=False),
    row(np.polyadd, V3, V4), row(np.polysub, V4, V3), row(np.polyadd, V3, array(3)), row(np.polymul, V3, V4),
    row(np.polyder, V6), row(np.polyder, V6, 2), row(np.polyint, V4), row(np.polyint, V4, m=2), row(
        lambda p, k: np.polyint(p, k=k), V4, 0.5, name="polyint with a constant"),
    row(np.vander, V4), row(np.vander, V4, 3), row(np.vander, V4, increasing=True),
]
STACKING = [
    row(lambda a, b, c, d: np.block([[a, b], [c, d]]), M23, array(2, 4), array(3, 3), array(3, 4), name="block"),
    row(lambda a, b: np.block([a, b, 2.0]), V3, V4, name="block of vectors"),
    row(lambda a: np.block(a), V3, name="block of one"),
    *[row(f, a, name=f"{f.__name__} of the rows of an array of {a.ndim} axes")
      for f in (np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack) for a in (V3, M23, T234)
      if a.ndim > 1 or f is not np.concatenate],
    row(lambda a: np.concatenate(a, axis=-1) * np.stack(a, 1).reshape(3, 8), T234, name="rows of an array, by axis"),
    row(lambda a, b: np.broadcast_arrays(a, b), array(3, 1), V4, name="broadcast_arrays"),
    row(lambda a, b: np.atleast_2d(a, b), V3, M23, name="atleast_2d of two"), row(np.atleast_1d, 1.5, V3),
    row(lambda x: x[np.ix_([0, 2], [True, False, True, True])], M34, name="ix_"),
    row(np.linspace, V3, array(3), num=4), row(np.linspace, V3, 2.0, num=3, axis=1),
    row(np.linspace, 0.5, 2.0, retstep=True),
    row(np.logspace, 0.3, 1.2, num=5), row(lambda a, b, c: np.logspace(a, b, 4, base=c), 0.3, 1.2, 2.5,
        name="logspace base"),
    row(np.geomspace, 0.5, 3.0, num=4), row(np.geomspace, -0.5, -3.0, num=4),
    row(lambda x: x[np.triu_indices_from(x, 1)] * x[np.tril_indices_from(x, -1)], array(3, 3), name="indices_from"),
    row(lambda x: x[np.diag_indices_from(x)], array(3, 3), name="diag_indices_from"),
    row(lambda x: x[np.triu_indices(3)], array(3, 3), name="triu_indices"),
    row(lambda x: np.sum(x * np.indices((3, 4))[1]), M34, name="indices"),
    row(lambda x: x * np.hanning(4) + np.bartlett(4), V4, name="windows", single=False),
    row(lambda x: x[np.lexsort((x, np.abs(x)))], V4, name="lexsort"),
    row(lambda x: x[np.unravel_index(5, (3, 4))], M34,
                                                                       name="unravel_index"),
]
FUNCTIONALS = [
    row(lambda x: np.piecewise(x, [x < 0, x >= 0], [lambda t: t * t, lambda t: 3.0 * t]), V6, name="piecewise"),
    row(lambda x: np.piecewise(x, [x < 0], [lambda t: np.sin(t), 2.0]), M34, name="piecewise with a number"),
    row(lambda x: np.apply_along_axis(np.sum, 0, x), M34, name="apply_along_axis sum"),
    row(lambda x: np.apply_along_axis(lambda v: v * v[0], 1, x), M34, name="apply_along_axis"),
    row(lambda x: np.apply_along_axis(np.cumsum, 1, x), T234, name="apply_along_axis middle"),
    row(lambda x: np.apply_over_axes(np.sum, x, [0, 2]), T234, name="apply_over_axes"),
    row(lambda x: np.fromfunction(lambda i, j: i * x + j * x * x, (2, 3)), 0.7, name="fromfunction", single=False),
    row(lambda x: np.vectorize(lambda t: t * t if t > 0 else -t)(x), M34, name="vectorize"),
    row(lambda x, y: np.vectorize(lambda s, t: s * t)(x, y), array(3, 1), V4, name="vectorize of two"),
]
METHODS = [
    row(lambda x: x.mT @ x, T234, name="mT"),
    row(lambda x: x.item(1, 2) * x.item(3) + x.item((0, 1)), M34, name="item",
                                               single=False),
    row(lambda x: x.cumprod(axis=1) + x.clip(-1.0, 0.5), M34, name="cumprod method"),
    row(lambda x: x.sum(axis=0, where=MASK) * x.max(0, initial=0.1, where=MASK), M34, name="sum method"),
    row(lambda x: x.var(axis=1, ddof=1) + x.trace() + x.dot(x.T).std(), array(3, 3), name="var method"),
]
ROLL = np.random.default_rng


def shaped(order: str) -> list[Row]:
    """Elements read in an order of memory."""
    return [row(lambda x: np.reshape(x, (4, 6), order=order), T234, name=f"reshape {order}"),
            row(lambda x: x.reshape(-1, 3, order=order), M34, name=f"reshape method {order}"),
            row(lambda x: np.ravel(x.T, order) * x.flatten(order=order), M34, name=f"ravel {order}")]


INDEXED = [
    row(lambda x: np.r_[x, 1.0, x * x], V4, name="r_"), row(lambda x: np.r_[1:3, x, [2, 3]], V4, name="r_ range"),
    row(lambda x: np.r_["0,2", x, x * x], V4, name="r_ rows"), row(lambda x: np.r_["-1", x, x], M23, name="r_ axis"),
    row(lambda x, y: np.c_[x, y], V4, M23.ravel()[:4], name="c_"),
    row(lambda x: np.c_[x, x * x], M23, name="c_ matrix"),
    row(lambda x: x[np.s_[1:, 0]] * x[np.index_exp[1:, 1]], M34, name="s_"), *shaped("C"), *shaped("F"), *shaped("A"),
    row(lambda x: np.array(x, ndmin=3), M23, name="ndmin"), row(lambda x: x.view() * 2.0, M23, name="view"),
]
DRAWS = [
    row(lambda m, s: ROLL(0).normal(m, s), V4, np.abs(V4), name="normal", single=False),
    row(lambda s: ROLL(0).normal(0.0, s * s, size=3), 1.3, name="normal of a size", single=False),
    row(lambda a, b: ROLL(0).uniform(a, b, (2, 3)), 0.3, 1.7, name="uniform", single=False),
    row(lambda s: ROLL(0).exponential(s), 1.3, name="exponential", single=False),
    row(lambda m, s: np.random.RandomState(0).laplace(loc=m, scale=s), V4, 0.7, name="laplace", single=False),
    row(lambda m, s: ROLL(0).lognormal(m, s) + ROLL(1).gumbel(m, s), 0.2, 0.7, name="lognormal", single=False),
    row(lambda x: ROLL(0).permutation(x) * ROLL(1).choice(x, 4), V4, name="permutation", single=False),
    row(lambda x: np.random.RandomState(0).randn(4) * x + np.random.RandomState(1).rand(4), V4, name="randn",
        single=False),
]
PARTIAL = partial(np.einsum, "...ij,...kj->...ik")
WINDOWS = np.lib.stride_tricks.sliding_window_view
OTHERS = [
    row(lambda x: WINDOWS(x, 3).mean(axis=-1), V6, name="sliding windows"), row(WINDOWS, M34, (2, 3)),
    row(WINDOWS, T234, 2, axis=1), row(lambda x: np.logaddexp.reduce(x, axis=1), M34, name="logaddexp reduce"),
    row(np.add.outer, V3, M23), row(lambda x: np.multiply.reduce(x, axis=0) * np.add.accumulate(x, 1), M34,
                                    name="reduce and accumulate"),
    row(lambda x: PARTIAL(x, x), T234, name="partial of a function written in C")]
PARTS = [
    row(np.modf, V4), row(np.modf, M23), row(lambda x: np.frexp(x)[0], V4, name="frexp"), row(
        lambda x: np.ldexp(x, np.array([1, 2, 3, 0])), V4, name="ldexp"), row(np.nextafter, V4, array(4)),
    row(np.fmod, V4, array(4)), row(np.remainder, V4, array(4)), row(np.heaviside, V4, array(4)),
    row(np.float_power, np.abs(V4), 1.5,
                                                                                              single=False),
    row(np.nan_to_num, V4), row(lambda x: np.nan_to_num(np.where(x > 1, np.nan, x), nan=2.0), V4, name="nan_to_num"),
]

ROWS = [*POLYNOMIALS, *STACKING, *FUNCTIONALS, *METHODS, *INDEXED, *DRAWS, *OTHERS, *PARTS, *CHOOSING,
    *STATISTICS, *MORE_PRODUCTS, *PADDING,
    *MATRICES,
        *SETS, *CUTTING, *DIFFERENCES, *FOURIER, *REDUCING]
