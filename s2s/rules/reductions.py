"""Reductions: sums, products, extrema and moments over all elements or some axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2s.ir.core import Op
from s2s.ir.types import Array, Type
from s2s.rules.common import Axis, argument, count, expand, normalised, reduced_type, spread
from s2s.rules.dims import axes_of, size_dim
from s2s.rules.expr import Expr, fn
from s2s.rules.table import Family

family = Family("reductions")

_DTYPE = "a, axis=None, dtype=None, keepdims=False"
_MOMENT = "a, axis=None, dtype=None, ddof=0, keepdims=False"
_PLAIN = "a, axis=None, keepdims=False"


def _summed(dtype: str) -> str:
    """The dtype in which NumPy adds: small ints and bools become int64."""
    kind = np.dtype(dtype).kind
    return {"b": "int64", "i": "int64", "u": "uint64"}.get(kind, dtype)


def _averaged(dtype: str) -> str:
    """The dtype of a mean."""
    return dtype if np.dtype(dtype).kind in "fc" else "float64"


def _spread_dtype(dtype: str) -> str:
    """The dtype of a variance, which is real."""
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, _averaged(dtype))


def reduced(dtype: Callable[[str], str]) -> Callable[[Op], Sequence[Type]]:
    """Types of a reduction whose dtype is that of its argument, through `dtype`."""
    def infer(op: Op) -> Sequence[Type]:
        a = argument(op, "a")
        wanted = op.attrs.get("dtype")
        name = dtype(a.dtype) if wanted is None else np.dtype(wanted).name
        axis = op.attrs.get("axis")
        if axis is not None:
            axes_of(op, axis, a.ndim)  # refuses what is no axis
        return [reduced_type(a, axis, op.attrs.get("keepdims", False), name)]
    return infer


# Sums.
for _name in ("np.sum", "np.nansum"):
    _sum = family.op(_name, _DTYPE, reduced(_summed), methods="sum" if _name == "np.sum" else "",
                     linear="a" if _name == "np.sum" else "")

    @_sum.vjp
    def _(g: Expr, ans: Expr, a: Expr, axis: Axis, dtype: Any, keepdims: bool,
          skip: bool = _name == "np.nansum") -> dict[str, Expr]:
        a_bar = spread(g, a, axis, keepdims)
        return {"a": fn.where(fn.isnan(a), 0.0, a_bar) if skip else a_bar}

    if _name == "np.nansum":
        @_sum.jvp
        def _(dots: dict[str, Expr], ans: Expr, a: Expr, axis: Axis, dtype: Any, keepdims: bool) -> Expr:
            return fn.sum(fn.where(fn.isnan(a), 0.0, dots["a"]), axis=axis, dtype=dtype, keepdims=keepdims)


_mean = family.op("np.mean", _DTYPE, reduced(_averaged), methods="mean", linear="a")


@_mean.vjp
def _(g: Expr, ans: Expr, a: Expr, axis: Axis, dtype: Any, keepdims: bool) -> dict[str, Expr]:
    return {"a": spread(g / count(a, axis), a, axis, keepdims)}


# Variance and standard deviation.

def _centred(a: Expr, axis: Axis) -> Expr:
    """`a` without its mean over `axis`."""
    if not a.is_array or len(normalised(axis, a.ndim)) == a.ndim:
        return a - fn.mean(a)
    return a - expand(fn.sum(a, axis=axis) / count(a, axis), a, axis, False)


def _freedom(a: Expr, axis: Axis, ddof: int) -> Expr:
    """The number that a variance divides by."""
    return count(a, axis) - ddof


_var = family.op("np.var", _MOMENT, reduced(_spread_dtype), methods="var")


@_var.vjp
def _(g: Expr, ans: Expr, a: Expr, axis: Axis, dtype: Any, ddof: int, keepdims: bool) -> dict[str, Expr]:
    weight = 2.0 * g / _freedom(a, axis, ddof)
    return {"a": _centred(a, axis) * spread(weight, a, axis, keepdims)}


@_var.jvp
def _(dots: dict[str, Expr], ans: Expr, a: Expr, axis: Axis, dtype: Any, ddof: int, keepdims: bool) -> Expr:
    joint = (_centred(a, axis).conj() * dots["a"]).real
    return 2.0 * fn.sum(joint, axis=axis, keepdims=keepdims) / _freedom(a, axis, ddof)


_std = family.op("np.std", _MOMENT, reduced(_spread_dtype), methods="std")


@_std.vjp
def _(g: Expr, ans: Expr, a: Expr, axis: Axis, dtype: Any, ddof: int, keepdims: bool) -> dict[str, Expr]:
    # As of a norm, the derivative is 0 where all elements are equal.
    weight = g / (_freedom(a, axis, ddof) * (ans + (ans == 0)))
    return {"a": _centred(a, axis) * spread(weight, a, axis, keepdims)}


@_std.jvp
def _(dots: dict[str, Expr], ans: Expr, a: Expr, axis: Axis, dtype: Any, ddof: int, keepdims: bool) -> Expr:
    joint = (_centred(a, axis).conj() * dots["a"]).real
    return fn.sum(joint, axis=axis, keepdims=keepdims) / (_freedom(a, axis, ddof) * (ans + (ans == 0)))


# Extrema. The first of equal elements gets the adjoint.

def _first(a: Expr, axis: Axis, which: str) -> Any:
    """Where the first extremum over `axis` is, as an array of bools; `which` is "max" or "min"."""
    find = fn.argmax if which == "max" else fn.argmin
    axes = normalised(axis, a.ndim)
    if not axes:
        return 1.0
    if len(axes) == a.ndim:
        places = fn.arange(count(a))
        return (places if a.ndim == 1 else fn.reshape(places, a.shape)) == find(a)
    last = axes[-1]
    places = fn.arange(a.size_of(last))
    if last < a.ndim - 1:
        places = places[(slice(None), *[None] * (a.ndim - 1 - last))]
    here = places == expand(find(a, axis=last), a, last, False)
    if len(axes) == 1:
        return here
    best = expand(fn.max(a, axis=last) if which == "max" else fn.min(a, axis=last), a, last, False)
    return here & _first(best, axes[:-1], which)


for _name, _method, _callables in (("np.max", "max", (np.max, np.amax)), ("np.min", "min", (np.min, np.amin))):
    _extremum = family.op(_name, _PLAIN, reduced(str), methods=_method, callables=_callables)

    @_extremum.vjp
    def _(g: Expr, ans: Expr, a: Expr, axis: Axis, keepdims: bool, which: str = _method) -> dict[str, Expr]:
        return {"a": expand(g, a, axis, keepdims) * _first(a, axis, which) if a.is_array else g}

    @_extremum.jvp
    def _(dots: dict[str, Expr], ans: Expr, a: Expr, axis: Axis, keepdims: bool, which: str = _method) -> Expr:
        dot = dots["a"] * _first(a, axis, which) if a.is_array else dots["a"]
        return fn.sum(dot, axis=axis, keepdims=keepdims)


_ptp = family.op("np.ptp", _PLAIN, reduced(str))


@_ptp.vjp
def _(g: Expr, ans: Expr, a: Expr, axis: Axis, keepdims: bool) -> dict[str, Expr]:
    wide = expand(g, a, axis, keepdims)
    return {"a": wide * _first(a, axis, "max") - wide * _first(a, axis, "min")}


@_ptp.jvp
def _(dots: dict[str, Expr], ans: Expr, a: Expr, axis: Axis, keepdims: bool) -> Expr:
    dot = dots["a"]
    change = dot * _first(a, axis, "max") - dot * _first(a, axis, "min")
    return fn.sum(change, axis=axis, keepdims=keepdims)


# Products. The derivative is the product of the others, without dividing: an element may be 0.

def _others(a: Expr, axis: Axis) -> Expr:
    """For each element, the product of the others that `axis` joins it with."""
    axes = normalised(axis, a.ndim)
    if not axes:
        return fn.ones_like(a) if a.is_array else a * 0.0 + 1.0
    if len(axes) == a.ndim:
        if a.ndim == 1:
            return fn.product_of_others(a)
        return fn.reshape(fn.product_of_others(fn.reshape(a, (count(a),))), a.shape)
    kept = [k for k in range(a.ndim) if k not in axes]
    order = (*kept, *axes)
    moved = a if order == tuple(range(a.ndim)) else fn.transpose(a, axes=order)
    sizes = [a.size_of(k) for k in kept]
    rows = moved if len(axes) == 1 else fn.reshape(moved, (*sizes, count(a, axes)))
    out = fn.product_of_others(rows)
    if len(axes) > 1:
        out = fn.reshape(out, (*sizes, *[a.size_of(k) for k in axes]))
    back = tuple(int(k) for k in np.argsort(order))
    return out if moved is a else fn.transpose(out, axes=back)


_prod = family.op("np.prod", _DTYPE, reduced(_summed), methods="prod")


@_prod.vjp
def _(g: Expr, ans: Expr, a: Expr, axis: Axis, dtype: Any, keepdims: bool) -> dict[str, Expr]:
    return {"a": expand(g, a, axis, keepdims) * _others(a, axis).conj()}


@_prod.jvp
def _(dots: dict[str, Expr], ans: Expr, a: Expr, axis: Axis, dtype: Any, keepdims: bool) -> Expr:
    return fn.sum(dots["a"] * _others(a, axis), axis=axis, keepdims=keepdims)


def _same_array(op: Op) -> Sequence[Type]:
    a = argument(op, "a")
    return [Array(a.dtype, a.dims, "C")]


_product_of_others = family.op("s2s.product_of_others", "a", _same_array)


def _pairs(a: Expr) -> Expr:
    """The derivative of each product of others (last axis but one) by each element (last axis)."""
    places = fn.arange(a.size_of(-1))
    same = places[:, None] == places
    rows = fn.where(same, 1.0, a[..., None, :])
    return fn.where(same, 0.0, fn.product_of_others(rows))


@_product_of_others.vjp
def _(g: Expr, ans: Expr, a: Expr) -> dict[str, Expr]:
    return {"a": fn.sum(g[..., None] * _pairs(a).conj(), axis=-2)}


@_product_of_others.jvp
def _(dots: dict[str, Expr], ans: Expr, a: Expr) -> Expr:
    return fn.sum(dots["a"][..., None, :] * _pairs(a), axis=-1)


# Running sums.

def _running(op: Op) -> Sequence[Type]:
    a = argument(op, "a")
    wanted = op.attrs.get("dtype")
    dtype = _summed(a.dtype) if wanted is None else np.dtype(wanted).name
    if a.ndim == 1 or op.attrs.get("axis") is not None:
        return [Array(dtype, a.dims, "C")]
    return [Array(dtype, (size_dim(a.dims),), "C")]


_cumsum = family.op("np.cumsum", "a, axis=None, dtype=None", _running, methods="cumsum", linear="a")


@_cumsum.vjp
def _(g: Expr, ans: Expr, a: Expr, axis: int | None, dtype: Any) -> dict[str, Expr]:
    if g.ndim == 1:
        summed = fn.cumsum(g[::-1])[::-1]
        return {"a": summed if a.ndim == 1 else fn.reshape(summed, a.shape)}
    assert axis is not None
    flip = (*[slice(None)] * (axis % a.ndim), slice(None, None, -1))
    return {"a": fn.cumsum(g[flip], axis=axis)[flip]}


# No derivative.
for _names, _dtype, _reason in (
    ("any all", "bool", "a truth value has no derivative"),
    ("argmax argmin count_nonzero", "int64", "the result is an index or a count"),
):
    for _name in _names.split():
        family.op(f"np.{_name}", _PLAIN, reduced(lambda _, dtype=_dtype: dtype),  # type: ignore[misc]
                  methods="" if _name == "count_nonzero" else _name, nondiff=_reason)
