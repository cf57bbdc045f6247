"""Complex parts and absolute values, whose derivatives are not one factor; and the run-time helpers.

Complex adjoints follow TensorFlow: the adjoint of z = x + iy is x_bar + i y_bar.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from s2s.ir.core import Op
from s2s.ir.ops import elementwise_type
from s2s.ir.types import Array, Type
from s2s.rules.common import argument
from s2s.rules.dims import reduce_to
from s2s.rules.expr import Expr, fn
from s2s.rules.table import Family

family = Family("special")

_REAL = {"complex64": "float32", "complex128": "float64"}


def _real_type(weak: bool = False) -> Callable[[Op], Sequence[Type]]:
    """The real dtype of a complex argument."""
    def infer(op: Op) -> Sequence[Type]:
        t = argument(op, "x")
        dtype = _REAL.get(t.dtype, t.dtype)
        return [elementwise_type([t], "int64" if weak and dtype == "bool" else dtype, weak and t.weak)]
    return infer


def _part_type(op: Op) -> Sequence[Type]:
    """Every other number in memory, of a complex array."""
    (made,) = _real_type()(op)
    return [replace(made, layout="A") if isinstance(made, Array) and argument(op, "x").dtype in _REAL else made]


def _same_type(op: Op) -> Sequence[Type]:
    t = argument(op, "x")
    return [elementwise_type([t], t.dtype, False)]


def _angle_type(op: Op) -> Sequence[Type]:
    t = argument(op, "x")
    dtype = _REAL.get(t.dtype, t.dtype)
    return [elementwise_type([t], dtype if np.dtype(dtype).kind == "f" else "float64", False)]


def _direction(ans: Expr, x: Expr) -> Expr:
    """x / |x|, and 0 at 0."""
    return x / (ans + (ans == 0)) if x.is_complex else fn.sign(x)


for _name, _callables in (("np.abs", (np.abs,)), ("abs", (abs,))):
    _abs = family.op(_name, "x", _real_type(_name == "abs"), callables=_callables, cost=1, elementwise=True)

    @_abs.vjp
    def _(g: Expr, ans: Expr, x: Expr) -> dict[str, Expr]:
        return {"x": g * _direction(ans, x)}

    @_abs.jvp
    def _(dots: dict[str, Expr], ans: Expr, x: Expr) -> Expr:
        return (dots["x"] * _direction(ans, x).conj()).real


_conj = family.op("np.conj", "x", _same_type, methods="conj conjugate", cost=1, elementwise=True)


@_conj.vjp
def _(g: Expr, ans: Expr, x: Expr) -> dict[str, Expr]:
    return {"x": g.conj()}


@_conj.jvp
def _(dots: dict[str, Expr], ans: Expr, x: Expr) -> Expr:
    return dots["x"].conj()


_real = family.op("np.real", "x", _part_type, view="x", cost=1, elementwise=True)


@_real.vjp
def _(g: Expr, ans: Expr, x: Expr) -> dict[str, Expr]:
    return {"x": g}


@_real.jvp
def _(dots: dict[str, Expr], ans: Expr, x: Expr) -> Expr:
    return fn.real(dots["x"])


_imag = family.op("np.imag", "x", _part_type, view="x", cost=1, elementwise=True)


@_imag.vjp
def _(g: Expr, ans: Expr, x: Expr) -> dict[str, Any]:
    return {"x": g * 1j if x.is_complex else g * 0.0}


@_imag.jvp
def _(dots: dict[str, Expr], ans: Expr, x: Expr) -> Expr:
    return fn.imag(dots["x"])


_angle = family.op("np.angle", "x, deg=False", _angle_type, elementwise=True, singular=True)


def _turn(x: Expr, deg: bool) -> Expr:
    """The adjoint of the angle of `x`, for an adjoint of 1."""
    return (180.0 / np.pi if deg else 1.0) * (1j * x / (x * x.conj()).real)


@_angle.vjp
def _(g: Expr, ans: Expr, x: Expr, deg: bool) -> dict[str, Expr]:
    return {"x": g * _turn(x, deg) if x.is_complex else g * 0.0}


@_angle.jvp
def _(dots: dict[str, Expr], ans: Expr, x: Expr, deg: bool) -> Expr:
    return (dots["x"] * _turn(x, deg).conj()).real if x.is_complex else dots["x"] * 0.0


# The run-time helpers of s2s.runtime.helpers, which higher derivatives go through.

def _like_type(op: Op) -> Sequence[Type]:
    """The shape of `like`, with the dtype of `x`."""
    like = argument(op, "like")
    assert isinstance(like, Array), "a scalar needs no helper"
    return [Array(argument(op, "x").dtype, like.dims, "C")]


_unbroadcast = family.op("s2s.unbroadcast", "x, like", _like_type, linear="x", shape_only="like")


@_unbroadcast.vjp
def _(g: Expr, ans: Expr, x: Expr, like: Expr) -> dict[str, Expr]:
    return {"x": fn.broadcast_like(g, x)}


_broadcast_like = family.op("s2s.broadcast_like", "x, like", _like_type, linear="x", shape_only="like")


@_broadcast_like.vjp
def _(g: Expr, ans: Expr, x: Expr, like: Expr) -> dict[str, Expr]:
    return {"x": reduce_to(g, x)}


