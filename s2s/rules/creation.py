"""New arrays: zeros, full, arange, linspace, and copies of what there is."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2s.ir.core import Op
from s2s.ir.ops import numeric
from s2s.ir.types import Array, Dim, fresh_dim, known_dim
from s2s.rules.dims import (
    Adjoints,
    Result,
    constant_int,
    fit,
    fresh_array,
    int_dims,
    numerics,
    promoted,
    reduce_to,
    refusal,
    zeros_like,
)
from s2s.rules.expr import Expr, fn
from s2s.rules.table import Family

family = Family("creation")
CONSTANT = "the array is filled with constants"
SHAPE_ONLY = "only the shape and dtype of the argument are read"


# Constants

def _filled_type(op: Op) -> Result:
    return [fresh_array(op.attrs["dtype"] or "float64", int_dims(op))]


for _name in ("zeros", "ones", "empty"):
    family.op(f"np.{_name}", "shape: ints, dtype='float64'", _filled_type, nondiff=CONSTANT)


def _like_type(op: Op) -> Result:
    t = numeric(op, "a")
    layout = t.layout if isinstance(t, Array) else "C"
    return [Array(op.attrs["dtype"] or t.dtype, t.dims, layout)]


for _name in ("zeros_like", "ones_like", "empty_like"):
    family.op(f"np.{_name}", "a, dtype=None", _like_type, shape_only="a", nondiff=SHAPE_ONLY)


def _eye_type(op: Op) -> Result:
    rows = _size(op, "N")
    columns = _size(op, "M") if "M" in op.args else rows
    return [fresh_array(op.attrs["dtype"] or "float64", (rows, columns))]


def _size(op: Op, name: str) -> Dim:
    if name not in op.args:
        n = constant_int(op, name)
        return fresh_dim() if n is None else known_dim(n)
    return getattr(op.value(name).type, "dim", None) or fresh_dim()


family.op("np.eye", "N, M: value = None, k: value = 0, dtype='float64'", _eye_type, nondiff=CONSTANT)
family.op("np.identity", "n, dtype='float64'",
          lambda op: [fresh_array(op.attrs["dtype"] or "float64", (_size(op, "n"),) * 2)], nondiff=CONSTANT)
family.op("np.tri", "N, M: value = None, k: value = 0, dtype='float64'", _eye_type, nondiff=CONSTANT)


# Filled with a value

_full = family.op("np.full", "shape: ints, fill_value, dtype=None", lambda op: [
    fresh_array(op.attrs["dtype"] or numeric(op, "fill_value").dtype, int_dims(op))])


@_full.vjp
def _(g: Expr, ans: Expr, shape: Any, fill_value: Expr, dtype: str | None) -> Adjoints:
    return {"fill_value": reduce_to(g, fill_value)}


@_full.jvp
def _(dots: Any, ans: Expr, shape: Any, fill_value: Expr, dtype: str | None) -> Expr:
    return fn.full(shape, dots["fill_value"], dtype=dtype)


_full_like = family.op("np.full_like", "a, fill_value, dtype=None", _like_type, shape_only="a")


@_full_like.vjp
def _(g: Expr, ans: Expr, a: Expr, fill_value: Expr, dtype: str | None) -> Adjoints:
    return {"fill_value": reduce_to(g, fill_value)}


@_full_like.jvp
def _(dots: Any, ans: Expr, a: Expr, fill_value: Expr, dtype: str | None) -> Expr:
    if "fill_value" not in dots or dots["fill_value"] is None:
        return fn.zeros_like(a)
    return fn.full_like(a, dots["fill_value"], dtype=dtype)


# Ranges

def _arange_type(op: Op) -> Result:
    names = [n for n in ("start", "stop", "step") if n in op.args]
    dtype = op.attrs["dtype"] or promoted(*(numeric(op, n) for n in names))
    dim: Dim | None = None
    if constant_int(op, "step") in (None, 1) and ("step" not in op.args or constant_int(op, "step") == 1):
        dim = _range_dim(op)
    return [fresh_array(dtype, (dim or fresh_dim(),))]


def _range_dim(op: Op) -> Dim | None:
    """The length of np.arange(stop) or np.arange(start, stop), where it can be said."""
    first = getattr(op.value("start").type, "dim", None)
    if "stop" not in op.args:
        return known_dim(max(0, first.offset)) if first is not None and first.symbol is None else first
    last = getattr(op.value("stop").type, "dim", None)
    if first is None or last is None:
        return None
    if first.symbol is None and last.symbol is None:
        return known_dim(max(0, last.offset - first.offset))
    return last.plus(-first.offset) if first.symbol is None and first.offset >= 0 else None


# With one argument, `start` is where it stops.
_arange = family.op("np.arange", "start, stop: value = None, step: value = None, dtype=None", _arange_type)


@_arange.vjp
def _(g: Expr, ans: Expr, start: Expr, stop: Expr | None, step: Expr | None, dtype: str | None) -> Adjoints:
    if stop is None:
        return {}
    adjoints = {"start": fit(fn.sum(g), start)}
    if step is not None:
        adjoints["step"] = fit(fn.dot(g, fn.arange(ans.size_of(0)).astype(ans.dtype)), step)
    return adjoints


@_arange.jvp
def _(dots: Any, ans: Expr, start: Expr, stop: Expr | None, step: Expr | None, dtype: str | None) -> Expr:
    total = zeros_like(ans)
    if stop is not None and dots.get("start") is not None:
        total = total + dots["start"]
    if dots.get("step") is not None:
        total = total + dots["step"] * fn.arange(ans.size_of(0))
    return total


def _linspace_type(op: Op) -> Result:
    start, stop = numeric(op, "start"), numeric(op, "stop")
    if (isinstance(start, Array) and start.ndim) or (isinstance(stop, Array) and stop.ndim):
        raise refusal(op, "start or stop is an array.", "Write start + t * (stop - start).")
    if op.attrs["retstep"]:
        raise refusal(op, "retstep=True makes two results.", "Compute the step from start, stop and num.")
    dtype = op.attrs["dtype"] or _inexact(promoted(start, stop))
    return [fresh_array(dtype, (_size(op, "num"),))]


_linspace = family.op("np.linspace", "start, stop, num: value = 50, endpoint=True, retstep=False, dtype=None",
                      _linspace_type)


def _inexact(dtype: str) -> str:
    """What an int dtype becomes when it meets a Python float."""
    return dtype if np.dtype(dtype).kind in "fc" else "float64"


@_linspace.vjp
def _(g: Expr, ans: Expr, start: Expr, stop: Expr, num: Any, endpoint: bool, retstep: bool,
      dtype: str | None) -> Adjoints:
    t = _steps(ans, num, endpoint)
    return {"start": fit(fn.dot(g, 1.0 - t), start), "stop": fit(fn.dot(g, t), stop)}


@_linspace.jvp
def _(dots: Any, ans: Expr, start: Expr, stop: Expr, num: Any, endpoint: bool, retstep: bool,
      dtype: str | None) -> Expr:
    first, last = (x if (x := dots.get(n)) is not None else ans.lift(0.0) for n in ("start", "stop"))
    return fn.linspace(first, last, num, endpoint=endpoint, dtype=dtype)


def _steps(ans: Expr, num: Any, endpoint: bool) -> Expr:
    """How far each element is on the way from start to stop."""
    real = np.dtype(ans.dtype).type(0).real.dtype.name
    return fn.linspace(ans.lift(0.0), 1.0, num, endpoint=endpoint).astype(real)


# Copies

def _copy_type(op: Op) -> Result:
    t = numeric(op, "a")
    order = op.attrs.get("order", "K")
    layout = {"C": "C", "F": "F"}.get(order, getattr(t, "layout", "C"))
    return [Array(op.attrs.get("dtype") or t.dtype, t.dims, layout)]


def _contiguous_type(layout: str) -> Any:
    def infer(op: Op) -> Result:
        t = numeric(op, "a")
        return [Array(op.attrs["dtype"] or t.dtype, t.dims or (known_dim(1),), layout)]
    return infer


_copy = family.op("np.copy", "a, order='K'", _copy_type, methods="copy", linear="a")
_array = family.op("np.array", "a, dtype=None", _copy_type, linear="a")
_asarray = family.op("np.asarray", "a, dtype=None", _copy_type, linear="a", view="a", cost=1,
                     callables=(np.asarray, np.asanyarray, np.asarray_chkfinite))
_ascontiguous = family.op("np.ascontiguousarray", "a, dtype=None", _contiguous_type("C"), linear="a", view="a", cost=1)
_asfortran = family.op("np.asfortranarray", "a, dtype=None", _contiguous_type("F"), linear="a", view="a", cost=1)


@_copy.vjp
def _(g: Expr, ans: Expr, a: Expr, order: str) -> Adjoints:
    return {"a": fit(g, a)}


def _copied(g: Expr, ans: Expr, a: Expr, dtype: str | None) -> Adjoints:
    same = g if a.ndim == ans.ndim else g[0]
    return {"a": fit(same, a)}


for _rule in (_array, _asarray, _ascontiguous, _asfortran):
    _rule.vjp(_copied)


# meshgrid

def _meshgrid_type(op: Op) -> Result:
    if op.attrs["indexing"] not in ("xy", "ij"):
        raise refusal(op, f"indexing={op.attrs['indexing']!r} is not known.")
    types = numerics(op, "xi")
    sizes = [t.dims[0] if t.ndim else known_dim(1) for t in types]
    if op.attrs["indexing"] == "xy" and len(sizes) > 1:
        sizes[:2] = sizes[1], sizes[0]
    return [fresh_array(t.dtype, sizes) for t in types]


# Several results, one for each argument.
_meshgrid = family.op("np.meshgrid", "*xi, indexing='xy'", _meshgrid_type, emits="tuple")


@_meshgrid.vjp
def _(g: Any, ans: Any, xi: tuple[Expr, ...], indexing: str) -> Adjoints:
    gs = g if isinstance(g, tuple | list) else (g,)
    return {"xi": [None if gk is None else _along(gk, _grid_axis(k, len(xi), indexing), xi[k])
                   for k, gk in enumerate(gs)]}


def _grid_axis(k: int, count: int, indexing: str) -> int:
    return 1 - k if indexing == "xy" and count > 1 and k < 2 else k


def _along(g: Expr, axis: int, x: Expr) -> Expr:
    """`g` summed over all axes but one."""
    others = tuple(k for k in range(g.ndim) if k != axis)
    if not x.is_array or x.ndim == 0:
        return fn.sum(g)
    return fn.sum(g, axis=others[0] if len(others) == 1 else others) if others else g


@_meshgrid.jvp
def _(dots: Any, ans: Any, xi: tuple[Expr, ...], indexing: str) -> list[Expr]:
    """Each result is one argument, repeated along the other axes."""
    results = ans if isinstance(ans, tuple | list) else (ans,)
    tangents = []
    for k, (y, dot) in enumerate(zip(results, dots["xi"], strict=True)):
        if dot is None:
            tangents.append(zeros_like(y))
            continue
        axis = _grid_axis(k, len(xi), indexing)
        spread = dot[tuple(slice(None) if j == axis else None for j in range(y.ndim))] if dot.is_array else dot
        tangents.append(zeros_like(y) + spread)
    return tangents


