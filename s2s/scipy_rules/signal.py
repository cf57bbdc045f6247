"""scipy.signal: convolutions and linear filters. Each is linear in each of its arguments, or a quotient of such."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.signal

from s2s.errors import NoRuleError
from s2s.ir.core import Op
from s2s.ir.types import Array, Type, fresh_dim
from s2s.rules.common import argument
from s2s.rules.expr import Expr, fn
from s2s.rules.primitives import refuse
from s2s.rules.table import Family, numeric_dtype

FAMILY = Family("scipy.signal")


def _floating(dtype: str) -> str:
    return dtype if np.dtype(dtype).kind in "fc" else "float64"


def _convolved(op: Op) -> Sequence[Type]:
    a, b = argument(op, "in1"), argument(op, "in2")
    if a.ndim != b.ndim or not a.ndim:
        raise NoRuleError(f"{op.spec.called} of arrays of {a.ndim} and {b.ndim} dimensions is not covered")
    return [Array(_floating(numeric_dtype(a, b)), tuple(fresh_dim() for _ in a.dims), "A")]


def full_convolution(in1: Any, in2: Any, mode: str = "full") -> Any:
    """scipy.signal.convolve; "valid" is that of `in1`, which is larger along each axis."""
    return scipy.signal.convolve(in1, in2, mode)


_convolve = FAMILY.op("scipy.signal.convolution", "in1, in2, mode='full'", _convolved, callables=(full_convolution,),
                      function=full_convolution, linear="in1 in2")


def _flip(x: Expr) -> Expr:
    return x[tuple(slice(None, None, -1) for _ in range(x.ndim))].conj()


def _convolve_expr(x: Expr, y: Expr, mode: str) -> Expr:
    return getattr(fn, "scipy.signal.convolution")(x, y, mode)  # type: ignore[no-any-return]


@_convolve.vjp
def _(g: Expr, ans: Expr, in1: Expr, in2: Expr, mode: str) -> dict[str, Expr]:
    if mode == "full":
        return {"in1": _convolve_expr(g, _flip(in2), "valid"), "in2": _convolve_expr(g, _flip(in1), "valid")}
    return {"in1": _convolve_expr(g, _flip(in2), "full"), "in2": _convolve_expr(_flip(in1), g, "valid")}


def _filtered(op: Op) -> Sequence[Type]:
    types = [argument(op, n) for n in "bax"]
    if any(t.ndim != 1 for t in types):
        raise NoRuleError("scipy.signal.lfilter is covered for a signal of one dimension")
    return [Array(_floating(numeric_dtype(*types)), types[2].dims, "C")]


_lfilter = FAMILY.op("scipy.signal.lfilter", "b, a, x", _filtered, callables=())


@_lfilter.vjp
def _(g: Expr, ans: Expr, b: Expr, a: Expr, x: Expr) -> dict[str, Expr]:
    lfilter = getattr(fn, "scipy.signal.lfilter")
    one = b[slice(None, 1)] * 0.0 + 1.0
    n = x.size_of(0)

    def lags(u: Expr, like: Expr) -> Expr:
        """sum over t of g[t] u[t - k], for each k."""
        return _convolve_expr(g, _flip(u), "full")[slice(n - 1, n - 1 + like.size_of(0))]

    backwards = lfilter(b.conj(), a.conj(), g[slice(None, None, -1)])
    return {"b": lags(lfilter(one, a, x), b), "a": -lags(lfilter(one, a, ans), a),
            "x": backwards[slice(None, None, -1)]}


# As SciPy calls them --------------------------------------------------------------------------------------


def convolve(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    a, b = np.asarray(in1), np.asarray(in2)
    if mode == "valid":
        if a.shape[0] < b.shape[0]:
            return full_convolution(b, a, "valid")
        return full_convolution(a, b, "valid")
    full = full_convolution(a, b)
    if mode == "full":
        return full
    if mode != "same":
        refuse("convolve is covered for the modes full, same and valid")
    for axis in range(a.ndim):
        start = (full.shape[axis] - a.shape[axis]) // 2
        full = np.moveaxis(np.moveaxis(full, axis, 0)[start:start + a.shape[axis]], 0, axis)
    return full


def fftconvolve(in1: Any, in2: Any, mode: Any = "full", axes: Any = None) -> Any:
    if axes is not None:
        refuse("fftconvolve along some of the axes is not covered")
    return convolve(in1, in2, mode)


def convolve2d(in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0) -> Any:
    if boundary != "fill" or fillvalue != 0:
        refuse("convolve2d is covered for boundaries of zeros")
    return convolve(in1, in2, mode)


def correlate(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    return convolve(in1, np.conj(np.flip(np.asarray(in2))), mode)


def lfilter(b: Any, a: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    if zi is not None:
        refuse("lfilter with an initial state is not covered")
    return _filter(np.atleast_1d(np.asarray(b) * 1.0), np.atleast_1d(np.asarray(a) * 1.0), np.asarray(x))


def _filter(b: Any, a: Any, x: Any) -> Any:
    return scipy.signal.lfilter(b, a, x)


_lfilter.callables = (_filter,)
_HERE = (convolve, fftconvolve, convolve2d, correlate, lfilter)
WRITTEN: dict[Any, Callable[..., Any]] = {getattr(scipy.signal, f.__name__): f for f in _HERE}
REFUSED = {
    "written with lfilter or convolve": "filtfilt sosfilt sosfiltfilt savgol_filter oaconvolve correlate2d decimate",
    "written with np.fft": "hilbert periodogram welch csd stft istft spectrogram resample",
    "finds places, which have no derivative": "find_peaks argrelmax argrelmin argrelextrema peak_widths",
}
