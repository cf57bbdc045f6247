"""np.linalg.norm of vectors and its Frobenius norm; the other norms of matrices are written out in terms of others."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2s.ir.core import Op
from s2s.ir.ops import numeric
from s2s.ir.types import Dim
from s2s.rules.dims import Adjoints, Result, array_or_scalar, axes_of, fit, refusal, write, zeros_like
from s2s.rules.expr import Expr, encode_index, fn
from s2s.rules.linalg import float_dtype, real_dtype
from s2s.rules.table import Family

family = Family("norms")


def _norm_axes(op: Op | None, ndim: int, axis: Any) -> tuple[int, ...] | None:
    """The axes that are normed; None for all."""
    if axis is None:
        return None
    given = axis if isinstance(axis, tuple | list) else (axis,)
    return tuple(k % ndim for k in given) if op is None else axes_of(op, given, ndim)


def _norm_type(op: Op) -> Result:
    t, ord = numeric(op, "x"), op.attrs["ord"]
    axes = _norm_axes(op, t.ndim, op.attrs["axis"])
    count = t.ndim if axes is None else len(axes)
    if count > 1 and ord not in (None, "fro"):
        raise refusal(op, f"Matrix norm {ord!r} has no rule.", "Use ord=None or 'fro', or a vector norm.")
    if (count == 1 and ord in (0, "fro", "nuc")) or (isinstance(ord, int | float) and ord < 1):
        raise refusal(op, f"Norm {ord!r} has no rule.")
    if ord in (np.inf, float("inf")) and t.ndim > 1:
        raise refusal(op, "The maximum norm has a rule for one vector only.", "Use np.max(np.abs(x), axis).")
    dims: list[Dim] = []
    for k, d in enumerate(t.dims):
        if axes is not None and k not in axes:
            dims.append(d)
        elif op.attrs["keepdims"]:
            dims.append(Dim(None, 1))
    return [array_or_scalar(real_dtype(float_dtype(op, "x")), dims)]


# The gradient is 0 at 0, as for abs.
_norm = family.op("np.linalg.norm", "x, ord=None, axis=None, keepdims=False", _norm_type)


@_norm.vjp
def _(g: Expr, ans: Expr, x: Expr, ord: Any, axis: Any, keepdims: bool) -> Adjoints:
    if ord in (np.inf, float("inf")):
        x_bar = zeros_like(x)
        k = fn.argmax(fn.abs(x))
        write("additem", x_bar, encode_index(x_bar, [k]), g * _phase(x[k]))
        return {"x": x_bar}
    axes = None if keepdims else _norm_axes(None, x.ndim, axis)
    return {"x": fit(_kept(g, axes, x.ndim) * _norm_partial(ans, x, ord, axes), x)}


@_norm.jvp
def _(dots: Any, ans: Expr, x: Expr, ord: Any, axis: Any, keepdims: bool) -> Any:
    dot = dots["x"]
    if ord in (np.inf, float("inf")):
        k = fn.argmax(fn.abs(x))
        return (_phase(x[k]).conj() * dot[k]).real
    axes = _norm_axes(None, x.ndim, axis)
    partial = _norm_partial(ans, x, ord, None if keepdims else axes)
    along = axes[0] if axes is not None and len(axes) == 1 else axes
    return fn.sum((partial.conj() * dot).real, axis=along, keepdims=keepdims)


def _norm_partial(ans: Expr, x: Expr, ord: Any, axes: tuple[int, ...] | None) -> Expr:
    """d norm / d x, with 0 where the norm is 0."""
    if ord == 1:
        return _phase(x)
    length = _kept(fn.where(ans == 0.0, 1.0, ans), axes, x.ndim)
    if ord in (None, 2, "fro"):
        return x / length
    return _phase(x) * (fn.abs(x) / length) ** (float(ord) - 1.0)


def _phase(x: Expr) -> Expr:
    """x / |x|, and 0 at 0."""
    if not x.is_complex:
        return fn.sign(x)
    length = fn.abs(x)
    return x / (length + (length == 0))


def _kept(g: Expr, axes: tuple[int, ...] | None, ndim: int) -> Expr:
    """`g` with axes of size 1 where it was reduced."""
    if axes is None or not g.is_array:
        return g
    return g[tuple(None if k in axes else slice(None) for k in range(ndim))]


