"""Elements by index: getitem, take, sort, diagonals, triangles, interp.

Indexing is linear; its adjoint adds to the elements that were read.
"""

from __future__ import annotations

from typing import Any

from s2s.ir.core import Op
from s2s.ir.ops import SPECS, numeric
from s2s.ir.types import Array, Dim, Scalar, fresh_dim, known_dim
from s2s.rules.dims import (
    Adjoints,
    Result,
    array_or_scalar,
    axes_of,
    axis_of,
    constant_int,
    fit,
    fresh_array,
    known_as,
    promoted,
    refusal,
    reshaped,
    size_dim,
    write,
    zeros_like,
)
from s2s.rules.expr import Expr, encode_index, fn
from s2s.rules.table import Family

family = Family("indexing")


_getitem = family.core(SPECS["getitem"], linear="a")


@_getitem.vjp
def _(g: Expr, ans: Expr, a: Expr, index: tuple[Expr, ...], items: tuple[str, ...]) -> Adjoints:
    a_bar = zeros_like(a)
    write("additem", a_bar, (items, tuple(x.v for x in index)), g)
    return {"a": a_bar}


# take

def _take_type(op: Op) -> Result:
    t, indices, axis = numeric(op, "a"), numeric(op, "indices"), op.attrs["axis"]
    if axis is None:
        return [array_or_scalar(t.dtype, indices.dims)]
    at = axis_of(op, axis, t.ndim)
    return [array_or_scalar(t.dtype, (*t.dims[:at], *indices.dims, *t.dims[at + 1:]))]


_take = family.op("np.take", "a, indices, axis=None, mode='raise'", _take_type, methods="take", linear="a")


@_take.vjp
def _(g: Expr, ans: Expr, a: Expr, indices: Expr, axis: int | None, mode: str) -> Adjoints:
    at = 0 if axis is None else axis % a.ndim
    if mode != "raise":
        size = a.size if axis is None else a.size_of(at)
        indices = fn.mod(indices, size) if mode == "wrap" else fn.minimum(fn.maximum(indices, 0), size - 1)
    flat = axis is None and a.ndim > 1
    a_bar = fn.zeros((a.size,), dtype=a.dtype) if flat else zeros_like(a)
    write("additem", a_bar, encode_index(a_bar, [*[slice(None)] * at, indices]), g)
    return {"a": reshaped(a_bar, a) if flat else a_bar}


def _along_type(op: Op) -> Result:
    t, indices, axis = numeric(op, "arr"), numeric(op, "indices"), op.attrs["axis"]
    if axis is None:
        return [fresh_array(t.dtype, indices.dims)]
    at = axis_of(op, axis, t.ndim)
    dims = [i if k == at or d.is_one else d for k, (d, i) in enumerate(zip(t.dims, indices.dims, strict=True))]
    return [fresh_array(t.dtype, dims)]


_take_along = family.op("np.take_along_axis", "arr, indices, axis: static", _along_type, linear="arr")


@_take_along.vjp
def _(g: Expr, ans: Expr, arr: Expr, indices: Expr, axis: int | None) -> Adjoints:
    if axis is None:
        flat = fn.zeros((arr.size,), dtype=arr.dtype)
        write("additem", flat, encode_index(flat, [indices]), g)
        return {"arr": reshaped(flat, arr)}
    arr_bar = zeros_like(arr)
    write("additem", arr_bar, encode_index(arr_bar, along_axis(arr, indices, axis)), g)
    return {"arr": arr_bar}


def along_axis(a: Expr, indices: Expr, axis: int) -> list[Expr]:
    """The index that takes `indices` along `axis`, and each element of the other axes with it."""
    at = axis % a.ndim
    return [indices if k == at else _open(fn.arange(a.size_of(k)), k, a.ndim) for k in range(a.ndim)]


def _open(x: Expr, axis: int, ndim: int) -> Expr:
    """A vector laid along one axis of an array of `ndim`."""
    after = (None,) * (ndim - axis - 1)
    return x[(slice(None), *after)] if after else x


# sort, partition

def _sort_type(op: Op) -> Result:
    t, axis = numeric(op, "a"), op.attrs["axis"]
    return [fresh_array(t.dtype, (size_dim(t.dims),) if axis is None else t.dims)]


_sort = family.op("np.sort", "a, axis=-1", _sort_type)


@_sort.vjp
def _(g: Expr, ans: Expr, a: Expr, axis: int | None) -> Adjoints:
    """Back to where each element came from. Equal elements: in the order that argsort gives them."""
    if a.ndim == 1 or axis is None:
        order = fn.argsort(a if a.ndim == 1 else fn.ravel(a))
        a_bar = fn.empty_like(a) if a.ndim == 1 else fn.empty((a.size,), dtype=a.dtype)
        write("setitem", a_bar, encode_index(a_bar, [order]), g)
        return {"a": reshaped(a_bar, a)}
    a_bar = fn.empty_like(a)
    write("setitem", a_bar, encode_index(a_bar, along_axis(a, fn.argsort(a, axis=axis), axis)), g)
    return {"a": a_bar}


@_sort.jvp
def _(dots: Any, ans: Expr, a: Expr, axis: int | None) -> Any:
    if axis is None and a.ndim > 1:
        return fn.ravel(dots["a"])[fn.argsort(fn.ravel(a))]
    if a.ndim == 1:
        return dots["a"][fn.argsort(a)]
    return fn.take_along_axis(dots["a"], fn.argsort(a, axis=axis), axis=axis)


# Diagonals and triangles

def diagonal_dim(rows: Dim, columns: Dim, k: int | None) -> Dim:
    """The length of the k-th diagonal."""
    if k == 0 and rows == columns:
        return rows
    if k is None or rows.symbol is not None or columns.symbol is not None:
        return fresh_dim()
    return known_dim(max(0, min(rows.offset + min(k, 0), columns.offset - max(k, 0))))


def _diag_type(op: Op) -> Result:
    t, k = numeric(op, "v"), constant_int(op, "k")
    if t.ndim == 1:
        n = fresh_dim() if k is None else t.dims[0].plus(abs(k))
        return [fresh_array(t.dtype, (n, n))]
    if t.ndim != 2:
        raise refusal(op, "The argument is neither a vector nor a matrix.")
    return [Array(t.dtype, (diagonal_dim(t.dims[0], t.dims[1], k),))]


# Of a vector: a new matrix. Of a matrix: a read-only view of its diagonal.
_diag = family.op("np.diag", "v, k: value = 0", _diag_type, linear="v", fresh=False, cost=100)


@_diag.vjp
def _(g: Expr, ans: Expr, v: Expr, k: Any) -> Adjoints:
    if v.ndim == 1:
        return {"v": known_as(fn.diag(g, k), v)}
    return {"v": _on_diagonal(g, v, k)}


def _on_diagonal(g: Expr, a: Expr, k: Any) -> Expr:
    """A matrix like `a` with `g` on its k-th diagonal, and zeros elsewhere."""
    zero = not isinstance(k, Expr) and k == 0
    if zero and a.dims[0] == a.dims[1]:
        return known_as(fn.diag(g), a)
    a_bar = zeros_like(a)
    rows = fn.arange(g.size_of(0))
    if isinstance(k, Expr):
        index = [rows + fn.maximum(-k, 0), rows + fn.maximum(k, 0)]
    else:
        index = _diagonal_index(rows, k)
    write("additem" if isinstance(k, Expr) else "setitem", a_bar, encode_index(a_bar, index), g)
    return a_bar


def _diagonal_index(rows: Expr, k: int) -> list[Expr]:
    """The indices of the elements of a diagonal; one of them counts up."""
    return [rows if k >= 0 else rows - k, rows if k <= 0 else rows + k]


_diagflat = family.op("np.diagflat", "v, k: value = 0", lambda op: [
    fresh_array(numeric(op, "v").dtype, (_flat_diagonal(op),) * 2)], linear="v")


def _flat_diagonal(op: Op) -> Dim:
    n, k = size_dim(numeric(op, "v").dims), constant_int(op, "k")
    return fresh_dim() if k is None else n.plus(abs(k))


@_diagflat.vjp
def _(g: Expr, ans: Expr, v: Expr, k: Any) -> Adjoints:
    return {"v": reshaped(known_as(fn.diag(g, k), v), v)}


def _diagonal_type(op: Op) -> Result:
    t = numeric(op, "a")
    if t.ndim < 2:
        raise refusal(op, "The argument has fewer than two axes.")
    one, two = axes_of(op, (op.attrs["axis1"], op.attrs["axis2"]), t.ndim)
    rest = [d for k, d in enumerate(t.dims) if k not in (one, two)]
    return [Array(t.dtype, (*rest, diagonal_dim(t.dims[one], t.dims[two], op.attrs["offset"])))]


# A read-only view.
_diagonal = family.op("np.diagonal", "a, offset=0, axis1=0, axis2=1", _diagonal_type, methods="diagonal",
                      linear="a", view="a", cost=1)


@_diagonal.vjp
def _(g: Expr, ans: Expr, a: Expr, offset: int, axis1: int, axis2: int) -> Adjoints:
    if a.ndim == 2:
        square = _on_diagonal(g, a if axis1 % 2 == 0 else a.T, offset)
        return {"a": square if axis1 % 2 == 0 else square.T}
    a_bar = zeros_like(a)
    matrices = fn.moveaxis(a_bar, (axis1 % a.ndim, axis2 % a.ndim), (a.ndim - 2, a.ndim - 1))
    rows = fn.arange(g.size_of(-1))
    write("setitem", matrices, encode_index(matrices, (..., *_diagonal_index(rows, offset))), g)
    return {"a": a_bar}


def _triangle_type(op: Op) -> Result:
    t = numeric(op, "m")
    dims = t.dims * 2 if t.ndim == 1 else t.dims
    return [fresh_array(t.dtype, dims)]


def _triangle(name: str) -> None:
    def vjp(g: Expr, ans: Expr, m: Expr, k: Any) -> Adjoints:
        kept = getattr(fn, name)(g, k)
        return {"m": fn.sum(kept, axis=0) if m.ndim == 1 else kept}

    family.op(f"np.{name}", "m, k: value = 0", _triangle_type, linear="m").vjp(vjp)


_triangle("tril")
_triangle("triu")


# Linear interpolation

def _interp_type(op: Op) -> Result:
    x = numeric(op, "x")
    for name in ("left", "right", "period"):
        if op.attrs[name] is not None:
            raise refusal(op, f"{name} is given.", "Extend xp and fp, or use np.where.")
    return [array_or_scalar(promoted(numeric(op, "fp"), Scalar("float64")), x.dims)]


# Where x is at a node, the slope is that to its right.
_interp = family.op("np.interp", "x, xp, fp, left=None, right=None, period=None", _interp_type)


def _segments(x: Expr, xp: Expr, fp: Expr) -> tuple[Expr, Expr, Expr, Expr]:
    """The segment of each x, how far it is in it (0 to 1), its slope (0 outside) and width."""
    j = fn.minimum(fn.maximum(fn.searchsorted(xp, x, side="right") - 1, 0), xp.size_of(0) - 2)
    width = xp[j + 1] - xp[j]
    t = fn.minimum(fn.maximum((x - xp[j]) / width, 0.0), 1.0)
    inside = (x >= xp[0]) & (x <= xp[-1])
    return j, t, fn.where(inside, (fp[j + 1] - fp[j]) / width, 0.0), width


@_interp.vjp
def _(g: Expr, ans: Expr, x: Expr, xp: Expr, fp: Expr, left: Any, right: Any, period: Any) -> Adjoints:
    j, t, slope, _ = _segments(x, xp, fp)
    fp_bar, xp_bar = zeros_like(fp), zeros_like(xp)
    for a_bar, value in ((fp_bar, g), (xp_bar, -g * slope)):
        write("additem", a_bar, encode_index(a_bar, [j]), (1.0 - t) * value)
        write("additem", a_bar, encode_index(a_bar, [j + 1]), t * value)
    return {"x": fit(g * slope, x), "fp": fp_bar, "xp": xp_bar}


@_interp.jvp
def _(dots: Any, ans: Expr, x: Expr, xp: Expr, fp: Expr, left: Any, right: Any, period: Any) -> Expr:
    j, t, slope, _ = _segments(x, xp, fp)
    terms = []
    if dots.get("x") is not None:
        terms.append(slope * dots["x"])
    if (dot := dots.get("fp")) is not None:
        terms.append((1.0 - t) * dot[j] + t * dot[j + 1])
    if (dot := dots.get("xp")) is not None:
        terms.append(-slope * ((1.0 - t) * dot[j] + t * dot[j + 1]))
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total  # type: ignore[no-any-return]


# bincount: sums of weights by index

def _bincount_type(op: Op) -> Result:
    weighted = "weights" in op.args
    return [fresh_array("float64" if weighted else "int64", (fresh_dim(),))]


_bincount = family.op("np.bincount", "x, weights: value = None, minlength: value = 0", _bincount_type,
                      linear="weights")


@_bincount.vjp
def _(g: Expr, ans: Expr, x: Expr, weights: Expr | None, minlength: Any) -> Adjoints:
    return {} if weights is None else {"weights": fit(known_as(g[x], weights), weights)}


# Functions whose result is a constant.

INDICES = "its result is indices, which do not change with the values"


def _sorted_indices(op: Op) -> Result:
    t, axis = numeric(op, "a"), op.attrs["axis"]
    return [fresh_array("int64", (size_dim(t.dims),) if axis is None else t.dims)]


def _found(op: Op) -> Result:
    v = numeric(op, "v")
    return [array_or_scalar("int64", v.dims)]


def _one_per_axis(op: Op) -> Result:
    n = fresh_dim()
    return [Array("int64", (n,)) for _ in range(max(1, numeric(op, "a").ndim))]


def _size_said(op: Op) -> Dim:
    return getattr(op.value("n").type, "dim", None) or fresh_dim()


family.op("np.argsort", "a, axis=-1, kind=None", _sorted_indices, methods="argsort", nondiff=INDICES)
family.op("np.argpartition", "a, kth, axis=-1", _sorted_indices, methods="argpartition", nondiff=INDICES)
family.op("np.searchsorted", "a, v, side='left'", _found, methods="searchsorted", nondiff=INDICES)
family.op("np.digitize", "x, bins, right=False", lambda op: [
    array_or_scalar("int64", numeric(op, "x").dims)], nondiff=INDICES)
# As many results as the array has axes. np.where with one argument is this.
family.op("np.nonzero", "a", _one_per_axis, methods="nonzero", emits="tuple", nondiff=INDICES)
family.op("np.flatnonzero", "a", lambda op: [fresh_array("int64", (fresh_dim(),))], nondiff=INDICES)
family.op("np.argwhere", "a", lambda op: [
    Array("int64", (fresh_dim(), known_dim(max(1, numeric(op, "a").ndim))))], nondiff=INDICES)
for _name in ("tril_indices", "triu_indices"):
    family.op(f"np.{_name}", "n, k: value = 0, m: value = None", lambda op: [
        fresh_array("int64", (n,)) for n in (fresh_dim(),) * 2], emits="tuple", nondiff=INDICES)
family.op("np.diag_indices", "n", lambda op: [fresh_array("int64", (_size_said(op),))] * 2, emits="tuple",
          nondiff=INDICES)
family.op("np.linalg.matrix_rank", "A", lambda op: [Scalar("int64")], nondiff="a rank is an integer")
