"""Elementwise functions: one line a function, its partial derivative for each argument.

`y` (or `z`, with two arguments) is the result. At ties the first argument gets the adjoint; at a kink
the derivative of `abs` is 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from s2s.ir.core import Op
from s2s.ir.ops import elementwise_type
from s2s.ir.types import Scalar, Type, is_numeric, promote
from s2s.rules.common import LN2, LN10, as_numpy, with_numpy_names
from s2s.rules.expr import Expr, fn
from s2s.rules.operators import power_by_base, power_by_exponent
from s2s.rules.table import Family

family = Family("elementwise")
one = family.elementwise


def promoted(op: Op) -> Sequence[Type]:
    """The arguments' common dtype."""
    numbers: list[Any] = [v.type for v in op.operands() if is_numeric(v.type)]
    return [elementwise_type(numbers, *promote(numbers))]


def promoted_strong(op: Op) -> Sequence[Type]:
    """The arguments' common dtype, as a NumPy number."""
    numbers: list[Any] = [v.type for v in op.operands() if is_numeric(v.type)]
    return [elementwise_type(numbers, promote(numbers)[0], False)]


def _where_type(op: Op) -> Sequence[Type]:
    """The arms' common dtype, and the shape of all three."""
    arms: list[Any] = [op.value(n).type for n in ("x", "y")]
    return [elementwise_type([op.value("condition").type, *arms], promote(arms)[0], False)]  # type: ignore[list-item]


def _inside(a: Expr, a_min: Expr | None, a_max: Expr | None) -> Any:
    """Where clipping keeps `a`; its bounds belong to it."""
    above = None if a_min is None else a_min <= a
    below = None if a_max is None else a <= a_max
    if above is None or below is None:
        return 1.0 if above is below else above if below is None else below
    return above & below


def _round_type(op: Op) -> Sequence[Type]:
    t = op.value("x").type
    assert isinstance(t, Scalar)
    return [Scalar("int64", True) if op.attrs.get("ndigits") is None else Scalar(t.dtype, t.weak)]


# Exponentials and logarithms.
one("np.exp math.exp", lambda y, x: y)
one("np.exp2 math.exp2", lambda y, x: LN2 * y)
one("np.expm1 math.expm1", lambda y, x: y + 1.0)
one("np.log", pulls=(lambda g, y, x: g / x,), singular=True)
one("np.log2 math.log2", pulls=(lambda g, y, x: g / (LN2 * x),), singular=True)
one("np.log10 math.log10", pulls=(lambda g, y, x: g / (LN10 * x),), singular=True)
one("np.log1p math.log1p", pulls=(lambda g, y, x: g / (1.0 + x),), singular=True)
one("math.log", params="x, base: value = None", singular=True, pulls=(
    lambda g, y, x, base: g / x if base is None else g / (x * fn.log(base)),
    lambda g, y, x, base: -(g * y) / (base * fn.log(base))))
one("np.logaddexp", lambda z, x, y: fn.exp(x - z), lambda z, x, y: fn.exp(y - z), singular=True)
one("np.logaddexp2", lambda z, x, y: fn.exp2(x - z), lambda z, x, y: fn.exp2(y - z), singular=True)

# Powers and roots.
one("np.sqrt math.sqrt", lambda y, x: 0.5 / as_numpy(y), singular=True, cost=5)
one("np.cbrt math.cbrt", lambda y, x: 1.0 / (3.0 * (y * y)), singular=True)
one("np.square", lambda y, x: 2.0 * x, cost=1)
one("np.reciprocal", lambda y, x: -(y * y), singular=True, cost=5)
one("np.float_power math.pow", power_by_base, power_by_exponent, singular=True)
# As of a norm, the derivative at the origin is 0.
one("np.hypot math.hypot", lambda z, x, y: x / (z + (z == 0)), lambda z, x, y: y / (z + (z == 0)))

# Trigonometry.
one("np.sin math.sin", lambda y, x: fn.cos(x))
one("np.cos math.cos", lambda y, x: -fn.sin(x))
one("np.tan math.tan", lambda y, x: 1.0 + y * y)
one("np.arcsin math.asin", lambda y, x: 1.0 / as_numpy(fn.sqrt(1.0 - x * x)), singular=True)
one("np.arccos math.acos", lambda y, x: -1.0 / as_numpy(fn.sqrt(1.0 - x * x)), singular=True)
one("np.arctan math.atan", pulls=(lambda g, y, x: g / (1.0 + x * x),))
one("np.arctan2 math.atan2", lambda z, y, x: x / as_numpy(x * x + y * y), lambda z, y, x: -y / as_numpy(x * x + y * y),
    params="y, x", singular=True)
one("np.sinh math.sinh", lambda y, x: fn.cosh(x))
one("np.cosh math.cosh", lambda y, x: fn.sinh(x))
one("np.tanh math.tanh", lambda y, x: 1.0 - y * y)
one("np.arcsinh math.asinh", lambda y, x: 1.0 / fn.sqrt(x * x + 1.0))
one("np.arccosh math.acosh", lambda y, x: 1.0 / as_numpy(fn.sqrt(x * x - 1.0)), singular=True)
one("np.arctanh math.atanh", pulls=(lambda g, y, x: g / (1.0 - x * x),), singular=True)
# At 0 the first term of the series, so that the second derivative is right too.
one("np.sinc", lambda y, x: fn.where(x == 0, (-math.pi**2 / 3.0) * x, (fn.cos(math.pi * x) - y) / (x + (x == 0))))
one("np.deg2rad np.radians math.radians", lambda y, x: math.pi / 180.0, cost=1)
one("np.rad2deg np.degrees math.degrees", lambda y, x: 180.0 / math.pi, cost=1)

# Error functions.
one("math.erf", lambda y, x: 2.0 / math.sqrt(math.pi) * fn.exp(-(x * x)))
one("math.erfc", lambda y, x: -2.0 / math.sqrt(math.pi) * fn.exp(-(x * x)))

# The gamma function.
one("math.gamma", lambda y, x: y * fn.polygamma(x), singular=True, cost=50)
one("math.lgamma", lambda y, x: fn.polygamma(x), singular=True, cost=50)

# Choices. A comparison times the adjoint is the adjoint or zero.
one("np.maximum", lambda z, x, y: x >= y, lambda z, x, y: x < y, cost=1)
one("np.minimum", lambda z, x, y: x <= y, lambda z, x, y: x > y, cost=1)
one("max", lambda z, x, y: x >= y, lambda z, x, y: x < y, cost=1, infer=promoted)
one("min", lambda z, x, y: x <= y, lambda z, x, y: x > y, cost=1, infer=promoted)
# These two pass over nan, which is equal to nothing.
one("np.fmax np.fmin", lambda z, x, y: z == x, lambda z, x, y: z != x, cost=1)
one("np.where", params="condition, x, y", cost=1, infer=_where_type, pulls=(
    None,
    lambda g, z, condition, x, y: fn.where(condition, g, 0.0),
    lambda g, z, condition, x, y: fn.where(condition, 0.0, g)))
# min(max(a, a_min), a_max). A bound that is None is a static argument.
one("np.clip", lambda y, a, a_min, a_max: _inside(a, a_min, a_max),
    lambda y, a, a_min, a_max: a < a_min if a_max is None else (a < a_min) & (a_min <= a_max),
    lambda y, a, a_min, a_max: (a if a_min is None else fn.maximum(a, a_min)) > a_max,
    params="a, a_min: value, a_max: value", methods="clip", cost=1, infer=promoted_strong)
one("np.nan_to_num", lambda y, x, *_: fn.isfinite(x), params="x, copy=True, nan=0.0, posinf=None, neginf=None", cost=1)


# Remainders and signs.
one("np.fmod math.fmod", lambda z, x, y: 1.0, lambda z, x, y: -fn.trunc(with_numpy_names(x / y)), cost=5)
# x - n y, with n the integer nearest to x / y.
one("math.remainder", lambda z, x, y: 1.0, lambda z, x, y: -fn.rint(with_numpy_names((x - z) / y)), cost=5)
one("math.fma", lambda w, x, y, z: y, lambda w, x, y, z: x, lambda w, x, y, z: 1.0, cost=2)
one("math.nextafter", lambda z, x, y: 1.0, lambda z, x, y: 0.0, cost=5)
one("np.copysign math.copysign", lambda z, x, y: fn.copysign(1.0, y) * fn.sign(x), lambda z, x, y: 0.0, cost=1)
one("np.fabs math.fabs", lambda y, x: fn.sign(x), cost=1)

# A derivative that is 0 almost everywhere.
one("np.sign np.floor np.ceil np.trunc np.rint np.fix", zero=True, cost=1)
one("np.round", params="a, decimals=0", methods="round", zero=True, cost=1)
one("np.heaviside", params="x, y", zero=True, cost=1)
one("round", params="x, ndigits=None", zero=True, cost=5, infer=_round_type)

# No derivative.
one("np.isnan np.isfinite np.isinf np.signbit np.logical_not", dtype="bool", cost=1,
    nondiff="a test of a number gives a bool")
one("np.logical_and np.logical_or np.logical_xor", dtype="bool", cost=1, params="x, y",
    nondiff="a truth value has no derivative")
one("math.isnan math.isfinite math.isinf", dtype="bool", cost=1, nondiff="a test of a number gives a bool")
one("math.floor math.ceil math.trunc", dtype="int64", cost=1, nondiff="the result is an int")
one("np.isclose", dtype="bool", params="a, b, rtol=1e-05, atol=1e-08, equal_nan=False",
    nondiff="a comparison gives a bool")
one("math.isclose", dtype="bool", params="a, b, *, rel_tol=1e-09, abs_tol=0.0", nondiff="a comparison gives a bool")
one("np.spacing math.ulp", nondiff="a step between numbers is a constant")
