"""Running products, and the linear recurrence that their derivatives are.

    y[k] = x[k] + c[k] * y[k - 1]

The adjoint of a recurrence is one that runs backwards, so that derivatives of any order are recurrences again.
Nothing is divided by, and elements may be 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2s.ir.core import Op
from s2s.ir.types import Array, Type
from s2s.rules.common import argument
from s2s.rules.dims import Adjoints, axes_of, fit, known_as, size_dim
from s2s.rules.expr import Expr, fn
from s2s.rules.table import Family

family = Family("running")


def _recurrence_type(op: Op) -> Sequence[Type]:
    t = argument(op, "x")
    return [Array(t.dtype, t.dims, "C")]


# Along the last axis; `c[..., 0]` is not read.
_recurrence = family.op("s2s.recurrence", "c, x", _recurrence_type)


def _flipped(x: Expr) -> Expr:
    return x[..., ::-1]


def _before(y: Expr, first: Expr) -> Expr:
    """The elements one place further, after `first`."""
    return fn.concatenate([first, y[..., :-1]], axis=y.ndim - 1)


def _backwards(c: Expr, g: Expr) -> Expr:
    """r[k] = g[k] + c[k + 1] * r[k + 1]."""
    later = _flipped(c)
    return _flipped(fn.recurrence(_before(later, later[..., :1]), _flipped(g)))


@_recurrence.vjp
def _(g: Expr, ans: Expr, c: Expr, x: Expr) -> Adjoints:
    x_bar = _backwards(c.conj(), g)
    inner = x_bar[..., 1:] * ans[..., :-1].conj()
    c_bar = fn.concatenate([fn.zeros_like(x_bar[..., :1]), inner], axis=x.ndim - 1)
    return {"c": fit(known_as(c_bar, c), c), "x": fit(known_as(x_bar, x), x)}


@_recurrence.jvp
def _(dots: dict[str, Expr], ans: Expr, c: Expr, x: Expr) -> Expr:
    total = dots.get("x")
    if "c" in dots:
        term = dots["c"] * _before(ans, fn.zeros_like(ans[..., :1]))
        total = term if total is None else total + term
    return fn.recurrence(c, known_as(total, x))  # type: ignore[arg-type]


# cumprod

def _running_type(op: Op) -> Sequence[Type]:
    a, axis, wanted = argument(op, "a"), op.attrs["axis"], op.attrs["dtype"]
    dtype = np.cumprod(np.ones(1, a.dtype)).dtype.name if wanted is None else np.dtype(wanted).name
    if axis is not None:
        axes_of(op, axis, a.ndim)
    return [Array(dtype, a.dims if a.ndim == 1 or axis is not None else (size_dim(a.dims),), "C")]


_cumprod = family.op("np.cumprod", "a, axis=None, dtype=None", _running_type, methods="cumprod")


def _rows(x: Expr, axis: int | None) -> Expr:
    """`x` with the axis that is run along last."""
    if x.ndim == 1:
        return x
    if axis is None:
        return fn.ravel(x)
    return x if axis % x.ndim == x.ndim - 1 else fn.moveaxis(x, axis, -1)


def _unrows(rows: Expr, x: Expr, axis: int | None) -> Expr:
    """What `_rows` did to `x`, undone."""
    if rows.ndim == x.ndim:
        moved = axis is not None and axis % x.ndim != x.ndim - 1
        return known_as(fn.moveaxis(rows, -1, axis) if moved else rows, x)
    return fn.reshape(rows, x.shape)


def _product_before(rows: Expr) -> Expr:
    """The product of the elements before each."""
    return _before(rows, fn.ones_like(rows[..., :1]))


@_cumprod.vjp
def _(g: Expr, ans: Expr, a: Expr, axis: int | None, dtype: Any) -> Adjoints:
    """a[j] is in the products from j on: a_bar[j] = prod(a[:j]) * (g[j] + a[j + 1] * (g[j + 1] + ...))."""
    axis = None if g.ndim != a.ndim else axis
    over = g.ndim - 1 if axis is None else axis
    x, y, seed = _rows(a, axis).astype(ans.dtype), _rows(ans, over), _rows(g, over)
    a_bar = _product_before(y).conj() * _backwards(x.conj(), seed)
    return {"a": fit(_unrows(a_bar, a, axis), a)}


@_cumprod.jvp
def _(dots: dict[str, Expr], ans: Expr, a: Expr, axis: int | None, dtype: Any) -> Expr:
    axis = None if ans.ndim != a.ndim else axis
    over = ans.ndim - 1 if axis is None else axis
    x, dot, y = _rows(a, axis).astype(ans.dtype), _rows(dots["a"], axis).astype(ans.dtype), _rows(ans, over)
    return _unrows(fn.recurrence(x, _product_before(y) * dot), ans, over)
