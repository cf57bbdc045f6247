"""Derivatives of the language's own operators, and of the NumPy functions that are the same operations."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from s2s.ir.ops import SPECS
from s2s.rules.common import as_numpy, constant_number, with_numpy_names
from s2s.rules.expr import Expr, fn
from s2s.rules.table import Family

family = Family("operators")

family.core(SPECS["add"], lambda z, x, y: 1.0, lambda z, x, y: 1.0, callables=(np.add, operator.add))
family.core(SPECS["sub"], lambda z, x, y: 1.0, lambda z, x, y: -1.0, callables=(np.subtract, operator.sub))
family.core(SPECS["mul"], lambda z, x, y: y, lambda z, x, y: x, callables=(np.multiply, operator.mul))
family.core(SPECS["div"], pulls=(lambda g, z, x, y: g / y, lambda g, z, x, y: -(g * z) / y),
            callables=(np.divide, operator.truediv), singular=True)
family.core(SPECS["neg"], lambda y, x: -1.0, callables=(np.negative, operator.neg))
family.core(SPECS["pos"], lambda y, x: 1.0, callables=(np.positive, operator.pos))
family.core(SPECS["floordiv"], zero=True, callables=(np.floor_divide, operator.floordiv))
family.core(SPECS["mod"], lambda z, x, y: 1.0, lambda z, x, y: -(x // y), callables=(np.remainder, operator.mod))


def power_by_base(z: Expr, x: Expr, y: Expr) -> Any:
    """d x**y / dx, which is 0 and not nan where y is 0 and x is too."""
    n = constant_number(y)
    if n in (0, 1):
        return float(n)
    if n == 0.5:
        return 0.5 / as_numpy(z)
    if n is not None:
        return float(n) * (x if n == 2 else (x if n > 1 or n < 0 else as_numpy(x)) ** (n - 1))
    if y.dtype == "bool":
        return y
    integral = np.dtype(y.dtype).kind in "biu"
    # y - 1, but 0 where y is 0. An integer power of zero that has a value has a derivative too.
    return y * (x if integral else as_numpy(x)) ** (y - (y != 0))


def power_by_exponent(z: Expr, x: Expr, y: Expr) -> Any:
    """d x**y / dy, which is 0 and not nan where x is 0."""
    c = constant_number(x)
    if c is not None and c > 0:
        return math.log(c) * z
    x = with_numpy_names(x)
    return z * fn.log(x + (x == 0))


family.core(SPECS["pow"], power_by_base, power_by_exponent, callables=(np.power, operator.pow), singular=True)

_cast = family.core(SPECS["cast"])


@_cast.vjp
def _(g: Expr, ans: Expr, x: Expr, dtype: str, weak: bool) -> dict[str, Expr]:
    return {"x": g} if np.dtype(ans.dtype).kind in "fc" else {}


@_cast.jvp
def _(dots: dict[str, Expr], ans: Expr, x: Expr, dtype: str, weak: bool) -> Expr:
    return dots["x"]


_pack = family.core(SPECS["pack"], linear="elements")


@_pack.vjp
def _(g: Expr, ans: Expr, elements: tuple[Expr, ...], dtype: str | None) -> dict[str, Any]:
    return {"elements": [g[k] for k in range(len(elements))]}


_CALLABLES: dict[str, tuple[Any, ...]] = {
    "eq": (np.equal, operator.eq), "ne": (np.not_equal, operator.ne), "lt": (np.less, operator.lt),
    "le": (np.less_equal, operator.le), "gt": (np.greater, operator.gt), "ge": (np.greater_equal, operator.ge),
    "bitand": (np.bitwise_and, operator.and_), "bitor": (np.bitwise_or, operator.or_),
    "bitxor": (np.bitwise_xor, operator.xor), "lshift": (np.left_shift, operator.lshift),
    "rshift": (np.right_shift, operator.rshift), "invert": (np.bitwise_not, operator.invert),
}
_NO_DERIVATIVE = {
    "a comparison gives a bool": "eq ne lt le gt ge is isnot in notin not and or",
    "bits have no derivative": "bitand bitor bitxor lshift rshift invert",
    "a size is an int": "dim trips listlen",
    "stop_gradient makes a constant": "stop_gradient",
}
for _reason, _names in _NO_DERIVATIVE.items():
    for _name in _names.split():
        family.core(SPECS[_name], nondiff=_reason, callables=_CALLABLES.get(_name, ()))
