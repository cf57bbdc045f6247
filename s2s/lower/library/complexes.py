"""cmath, by NumPy's functions of complex numbers."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np


def exp(z: Any) -> Any:
    return complex(np.exp(complex(z)))


def sqrt(z: Any) -> Any:
    return complex(np.sqrt(complex(z)))


def log(z: Any, base: Any = None) -> Any:
    if base is None:
        return complex(np.log(complex(z)))
    return complex(np.log(complex(z))) / complex(np.log(complex(base)))


def log10(z: Any) -> Any:
    return complex(np.log10(complex(z)))


def sin(z: Any) -> Any:
    return complex(np.sin(complex(z)))


def cos(z: Any) -> Any:
    return complex(np.cos(complex(z)))


def tan(z: Any) -> Any:
    return complex(np.tan(complex(z)))


def asin(z: Any) -> Any:
    return complex(np.arcsin(complex(z)))


def acos(z: Any) -> Any:
    return complex(np.arccos(complex(z)))


def atan(z: Any) -> Any:
    return complex(np.arctan(complex(z)))


def sinh(z: Any) -> Any:
    return complex(np.sinh(complex(z)))


def cosh(z: Any) -> Any:
    return complex(np.cosh(complex(z)))


def tanh(z: Any) -> Any:
    return complex(np.tanh(complex(z)))


def asinh(z: Any) -> Any:
    return complex(np.arcsinh(complex(z)))


def acosh(z: Any) -> Any:
    # Not np.arccosh, whose derivative is that of one root of z * z - 1: the branch is that of two.
    w = complex(z)
    return complex(np.log(w + np.sqrt(w + 1.0) * np.sqrt(w - 1.0)))


def atanh(z: Any) -> Any:
    return complex(np.arctanh(complex(z)))


def phase(z: Any) -> Any:
    w = complex(z)
    return math.atan2(w.imag, w.real)


def polar(z: Any) -> Any:
    return (abs(complex(z)), phase(z))


def rect(r: Any, phi: Any) -> Any:
    return complex(r * math.cos(phi), r * math.sin(phi))


def isclose(a: Any, b: Any, *, rel_tol: float = 1e-09, abs_tol: float = 0.0) -> Any:
    x, y = complex(a), complex(b)
    return x == y or abs(x - y) <= max(rel_tol * max(abs(x), abs(y)), abs_tol)


def isnan(z: Any) -> Any:
    w = complex(z)
    return math.isnan(w.real) or math.isnan(w.imag)


def isinf(z: Any) -> Any:
    w = complex(z)
    return math.isinf(w.real) or math.isinf(w.imag)


def isfinite(z: Any) -> Any:
    w = complex(z)
    return math.isfinite(w.real) and math.isfinite(w.imag)


STAND_INS: dict[Any, Callable[..., Any]] = {
    cmath.exp: exp, cmath.sqrt: sqrt, cmath.log: log, cmath.log10: log10, cmath.sin: sin, cmath.cos: cos,
    cmath.tan: tan, cmath.asin: asin, cmath.acos: acos, cmath.atan: atan, cmath.sinh: sinh, cmath.cosh: cosh,
    cmath.tanh: tanh, cmath.asinh: asinh, cmath.acosh: acosh, cmath.atanh: atanh, cmath.phase: phase,
    cmath.polar: polar, cmath.rect: rect, cmath.isclose: isclose, cmath.isnan: isnan, cmath.isinf: isinf,
    cmath.isfinite: isfinite,
}
