"""Numbers in parts: modf, frexp, ldexp, nextafter."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2s.ir.core import Op
from s2s.ir.ops import elementwise_type, numeric
from s2s.rules.dims import Adjoints, Result
from s2s.rules.expr import Expr, fn
from s2s.rules.table import Family

family = Family("parts")


def _two(second: str | None) -> Any:
    """Two results of the shape of the argument; the second of another dtype."""
    def infer(op: Op) -> Result:
        t = numeric(op, "x")
        dtype = t.dtype if np.dtype(t.dtype).kind == "f" else "float64"
        return [elementwise_type([t], dtype, False), elementwise_type([t], second or dtype, False)]
    return infer


# The part after the point, and that before it, which is constant almost everywhere.
_modf = family.op("np.modf", "x", _two(None), emits="tuple", elementwise=True)


@_modf.vjp
def _(g: Any, ans: Any, x: Expr) -> Adjoints:
    return {"x": x * 0.0 if g[0] is None else g[0]}


@_modf.jvp
def _(dots: Any, ans: Any, x: Expr) -> list[Any]:
    return [dots["x"], None]


# x = mantissa * 2 ** exponent, where the exponent is an int.
_frexp = family.op("np.frexp", "x", _two("int32"), emits="tuple", elementwise=True)


def _scale(x: Expr, exponent: Expr) -> Expr:
    return fn.ldexp(x, -exponent)


@_frexp.vjp
def _(g: Any, ans: Any, x: Expr) -> Adjoints:
    return {"x": _scale(g[0], ans[1])}


@_frexp.jvp
def _(dots: Any, ans: Any, x: Expr) -> list[Any]:
    return [_scale(dots["x"], ans[1]), None]


family.elementwise("np.ldexp", pulls=(lambda g, z, x, y: fn.ldexp(g, y), None), cost=5)
family.elementwise("np.nextafter", lambda z, x, y: 1.0, lambda z, x, y: 0.0, cost=1)
