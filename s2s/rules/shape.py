"""Shape and order of the elements: reshape, transpose, flip, roll, broadcast_to and the like.

All are linear, so the forward rule is the operation itself, and most give views: `reshape` and `ravel`
give one where the layout allows.
"""

from __future__ import annotations

from typing import Any

from s2s.ir.core import Op
from s2s.ir.ops import numeric
from s2s.ir.types import Array, Dim, fresh_dim, known_dim
from s2s.rules.dims import (
    Adjoints,
    Result,
    axes_of,
    axis_of,
    fresh_array,
    int_dims,
    known_as,
    plain_order,
    reduce_to,
    refusal,
    reshaped,
    size_dim,
)
from s2s.rules.expr import Expr, fn
from s2s.rules.table import Family

family = Family("shape")


# reshape, ravel, flatten

def reshaped_dims(old: tuple[Dim, ...], asked: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """`asked` with its -1, if it has one, replaced by what is left of `old`.

    >>> n, m = Dim("n"), Dim("m")
    >>> reshaped_dims((n, m, known_dim(2)), (n, known_dim(-1), m))[1].offset
    2
    """
    if known_dim(-1) not in asked:
        return asked
    left, rest = list(old), [d for d in asked if d != known_dim(-1) and not d.is_one]
    for d in list(rest):
        if d in left:
            left.remove(d)
            rest.remove(d)
    size = size_dim(left)
    if rest:
        by = size_dim(rest)
        known = size.symbol is None and by.symbol is None and by.offset > 0
        size = known_dim(size.offset // by.offset) if known else fresh_dim()
    return tuple(size if d == known_dim(-1) else d for d in asked)


def _reshape_type(op: Op) -> Result:
    plain_order(op)
    t = numeric(op, "a")
    dims = reshaped_dims(t.dims, int_dims(op))
    return [Array(t.dtype, dims, "C" if getattr(t, "layout", "C") == "C" else "A")]


_reshape = family.op("np.reshape", "a, shape: ints, order='C'", _reshape_type, methods="reshape",
                     linear="a", view="a", cost=1)


@_reshape.vjp
def _(g: Expr, ans: Expr, a: Expr, shape: Any, order: str) -> Adjoints:
    return {"a": reshaped(g, a)}


def _ravel_type(op: Op) -> Result:
    plain_order(op)
    t = numeric(op, "a")
    # A 1-d array is returned as it is, strides and all.
    layout = t.layout if isinstance(t, Array) and t.ndim == 1 else "C"
    return [Array(t.dtype, (size_dim(t.dims),), layout)]


_ravel = family.op("np.ravel", "a, order='C'", _ravel_type, methods="ravel", linear="a", view="a", cost=1)
_flatten = family.op("flatten", "a, order='C'", lambda op: [fresh_array(numeric(op, "a").dtype, _flat(op))],
                     methods="flatten", linear="a", emits="method", callables=())


def _flat(op: Op) -> tuple[Dim, ...]:
    plain_order(op)
    return (size_dim(numeric(op, "a").dims),)


@_ravel.vjp
@_flatten.vjp
def _(g: Expr, ans: Expr, a: Expr, order: str) -> Adjoints:
    return {"a": reshaped(g, a)}


# transpose, swapaxes, moveaxis

def _permuted(t: Any, order: list[int]) -> Array:
    """The type of an array with its axes in another order."""
    layout = "A"
    if order == sorted(order):
        layout = t.layout
    elif order == sorted(order, reverse=True):
        layout = {"C": "F", "F": "C"}.get(t.layout, "A")
    return Array(t.dtype, tuple(t.dims[k] for k in order), layout)


def _transpose_type(op: Op) -> Result:
    t, axes = numeric(op, "a"), op.attrs["axes"]
    order = list(range(t.ndim))[::-1] if axes is None else list(axes_of(op, axes, t.ndim))
    if len(order) != t.ndim:
        raise refusal(op, f"axes {axes} are not those of an array with {t.ndim} axes.")
    return [_permuted(t, order) if t.ndim else t]


# Without axes it is written `a.T`, as the attribute is too.
_transpose = family.op("np.transpose", "a, axes=None", _transpose_type, methods="transpose",
                       linear="a", view="a", cost=1)


@_transpose.vjp
def _(g: Expr, ans: Expr, a: Expr, axes: tuple[int, ...] | None) -> Adjoints:
    if axes is None or a.ndim <= 2:
        return {"a": g if _is_identity(axes, a.ndim) else g.T}
    order = [k % a.ndim for k in axes]
    return {"a": fn.transpose(g, axes=tuple(order.index(k) for k in range(a.ndim)))}


def _is_identity(axes: tuple[int, ...] | None, ndim: int) -> bool:
    return axes is not None and [k % ndim for k in axes] == list(range(ndim))


def _swapaxes_type(op: Op) -> Result:
    t = numeric(op, "a")
    one, two = (axis_of(op, op.attrs[n], t.ndim) for n in ("axis1", "axis2"))
    order = list(range(t.ndim))
    order[one], order[two] = order[two], order[one]
    return [_permuted(t, order)]


_swapaxes = family.op("np.swapaxes", "a, axis1: static, axis2: static", _swapaxes_type, methods="swapaxes",
                      linear="a", view="a", cost=1)


@_swapaxes.vjp
def _(g: Expr, ans: Expr, a: Expr, axis1: int, axis2: int) -> Adjoints:
    return {"a": fn.swapaxes(g, axis1, axis2)}


def moved_axes(ndim: int, source: tuple[int, ...], destination: tuple[int, ...]) -> list[int]:
    """The order of axes after np.moveaxis.

    >>> moved_axes(3, (0,), (2,))
    [1, 2, 0]
    """
    order = [k for k in range(ndim) if k not in source]
    for to, k in sorted(zip(destination, source, strict=True)):
        order.insert(to, k)
    return order


def _moveaxis_type(op: Op) -> Result:
    t = numeric(op, "a")
    source, destination = (axes_of(op, op.attrs[n], t.ndim) for n in ("source", "destination"))
    return [_permuted(t, moved_axes(t.ndim, source, destination))]


_moveaxis = family.op("np.moveaxis", "a, source: static, destination: static", _moveaxis_type,
                      linear="a", view="a", cost=1)


@_moveaxis.vjp
def _(g: Expr, ans: Expr, a: Expr, source: Any, destination: Any) -> Adjoints:
    return {"a": fn.moveaxis(g, destination, source)}


def _rollaxis_order(ndim: int, axis: int, start: int) -> list[int]:
    order = list(range(ndim))
    order.remove(axis % ndim)
    start = start + ndim if start < 0 else start
    order.insert(start - 1 if axis % ndim < start else start, axis % ndim)
    return order


def _rollaxis_type(op: Op) -> Result:
    t = numeric(op, "a")
    return [_permuted(t, _rollaxis_order(t.ndim, axis_of(op, op.attrs["axis"], t.ndim), op.attrs["start"]))]


_rollaxis = family.op("np.rollaxis", "a, axis: static, start=0", _rollaxis_type, linear="a", view="a", cost=1)


@_rollaxis.vjp
def _(g: Expr, ans: Expr, a: Expr, axis: int, start: int) -> Adjoints:
    order = _rollaxis_order(a.ndim, axis, start)
    return {"a": fn.transpose(g, axes=tuple(order.index(k) for k in range(a.ndim)))}


# Axes of size 1

def _expand_type(op: Op) -> Result:
    t, axis = numeric(op, "a"), op.attrs["axis"]
    count = len(axis) if isinstance(axis, tuple | list) else 1
    dims = list(t.dims)
    for k in sorted(axes_of(op, axis, t.ndim + count)):
        dims.insert(k, known_dim(1))
    return [Array(t.dtype, tuple(dims), "C" if getattr(t, "layout", "C") == "C" else "A")]


_expand = family.op("np.expand_dims", "a, axis: static", _expand_type, linear="a", view="a", cost=1)


@_expand.vjp
def _(g: Expr, ans: Expr, a: Expr, axis: Any) -> Adjoints:
    axes = {k % ans.ndim for k in (axis if isinstance(axis, tuple | list) else (axis,))}
    return {"a": without_axes(g, axes)}


def without_axes(g: Expr, axes: Any) -> Expr:
    """`g` without its `axes`, all of size 1: `g[:, 0]`."""
    if not axes:
        return g
    return g[tuple(0 if k in axes else slice(None) for k in range(max(axes) + 1))]


def with_axes(g: Expr, axes: Any, ndim: int) -> Expr:
    """`g` with `axes` of size 1 inserted, to have `ndim` axes: `g[:, None]`."""
    if not axes:
        return g
    return g[tuple(None if k in axes else slice(None) for k in range(max(axes) + 1))]


def _squeezed(op: Op) -> tuple[int, ...]:
    t, axis = numeric(op, "a"), op.attrs["axis"]
    if axis is not None:
        return axes_of(op, axis, t.ndim)
    if any(d.is_one is None for d in t.dims):
        raise refusal(op, "Whether an axis has size 1 is not known before it runs.", "Pass axis.")
    return tuple(k for k, d in enumerate(t.dims) if d.is_one)


def _squeeze_type(op: Op) -> Result:
    t, axes = numeric(op, "a"), _squeezed(op)
    dims = tuple(d for k, d in enumerate(t.dims) if k not in axes)
    return [Array(t.dtype, dims, getattr(t, "layout", "C"))]


_squeeze = family.op("np.squeeze", "a, axis=None", _squeeze_type, methods="squeeze", linear="a", view="a", cost=1)


@_squeeze.vjp
def _(g: Expr, ans: Expr, a: Expr, axis: Any) -> Adjoints:
    if not a.is_array or a.ndim == ans.ndim:
        return {"a": g}
    if axis is None:
        axes = {k for k, d in enumerate(a.dims) if d.is_one}
    else:
        axes = {k % a.ndim for k in (axis if isinstance(axis, tuple | list) else (axis,))}
    if not ans.ndim:
        return {"a": fn.reshape(g, a.shape)}
    return {"a": with_axes(g, axes, a.ndim)}


def at_least(ndim: int, rank: int) -> tuple[int | None, ...]:
    """Where the axes of an array go in np.atleast_1d, _2d, _3d: None is a new axis.

    >>> at_least(1, 2), at_least(1, 3), at_least(2, 3)
    ((None, 0), (None, 0, None), (0, 1, None))
    """
    if ndim >= rank:
        return tuple(range(ndim))
    if ndim == 0:
        return (None,) * rank
    return {(1, 2): (None, 0), (1, 3): (None, 0, None), (2, 3): (0, 1, None)}[ndim, rank]


def _at_least_type(rank: int) -> Any:
    def infer(op: Op) -> Result:
        t = numeric(op, "a")
        dims = [known_dim(1) if k is None else t.dims[k] for k in at_least(t.ndim, rank)]
        return [Array(t.dtype, tuple(dims), getattr(t, "layout", "C") if t.ndim >= rank or t.ndim == 0 else "A")]
    return infer


def _at_least_vjp(rank: int) -> Any:
    def vjp(g: Expr, ans: Expr, a: Expr) -> Adjoints:
        return {"a": without_axes(g, {k for k, old in enumerate(at_least(a.ndim, rank)) if old is None})}
    return vjp


for _rank in (1, 2, 3):
    family.op(f"np.atleast_{_rank}d", "a", _at_least_type(_rank), linear="a", view="a", cost=1) \
        .vjp(_at_least_vjp(_rank))


# broadcast_to

def _broadcast_type(op: Op) -> Result:
    return [Array(numeric(op, "array").dtype, int_dims(op))]


# The result is read-only, so that sharing memory with the argument shows only when that is written.
_broadcast_to = family.op("np.broadcast_to", "array, shape: ints", _broadcast_type, linear="array", view="array",
                          cost=1)


@_broadcast_to.vjp
def _(g: Expr, ans: Expr, array: Expr, shape: Any) -> Adjoints:
    return {"array": reduce_to(g, array)}


# Flips and rotations

def _same_shape(name: str, layout: str = "A") -> Any:
    def infer(op: Op) -> Result:
        t = numeric(op, name)
        return [Array(t.dtype, t.dims, layout)]
    return infer


_flip = family.op("np.flip", "m, axis=None", _same_shape("m"), linear="m", view="m", cost=1)
_fliplr = family.op("np.fliplr", "m", _same_shape("m"), linear="m", view="m", cost=1)
_flipud = family.op("np.flipud", "m", _same_shape("m"), linear="m", view="m", cost=1)


@_flip.vjp
def _(g: Expr, ans: Expr, m: Expr, axis: Any) -> Adjoints:
    return {"m": fn.flip(g, axis=axis)}


@_fliplr.vjp
def _(g: Expr, ans: Expr, m: Expr) -> Adjoints:
    return {"m": fn.fliplr(g)}


@_flipud.vjp
def _(g: Expr, ans: Expr, m: Expr) -> Adjoints:
    return {"m": fn.flipud(g)}


def _rot90_type(op: Op) -> Result:
    t = numeric(op, "m")
    one, two = axes_of(op, op.attrs["axes"], t.ndim)
    order = list(range(t.ndim))
    if op.attrs["k"] % 2:
        order[one], order[two] = order[two], order[one]
    return [Array(t.dtype, tuple(t.dims[k] for k in order))]


_rot90 = family.op("np.rot90", "m, k=1, axes=(0, 1)", _rot90_type, linear="m", view="m", cost=1)


@_rot90.vjp
def _(g: Expr, ans: Expr, m: Expr, k: int, axes: Any) -> Adjoints:
    return {"m": fn.rot90(g, -k, axes)}


# `shift` is an int or a tuple of ints.
_roll = family.op("np.roll", "a, shift: ints, axis=None", _same_shape("a", "C"), linear="a")


@_roll.vjp
def _(g: Expr, ans: Expr, a: Expr, shift: tuple[Expr, ...], axis: Any) -> Adjoints:
    return {"a": known_as(fn.roll(g, [-s for s in shift], axis=axis), a)}


