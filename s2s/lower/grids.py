"""Grids and index arrays: `np.mgrid[...]`, `np.ogrid[...]`, `np.indices`, `np.ix_`.

Also what makes an array of a given shape by another name: `np.ndarray(shape)`, `np.empty_like(a, shape=...)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from s2s.errors import NoRuleError
from s2s.ir.core import Value
from s2s.ir.ops import constant
from s2s.ir.types import Array, Scalar, promote
from s2s.lower.context import Context
from s2s.lower.numbers import pack, sequence, value
from s2s.lower.rulecalls import call_rule
from s2s.lower.truth import static, usable
from s2s.lower.values import Lowered, Outside, Slice, Static, Tuple
from s2s.lower.writers import expr
from s2s.rules.expr import fn

Node = Any
Args = list[Lowered]
Kwargs = dict[str, Lowered]
_DENSE, _OPEN = type(np.mgrid), type(np.ogrid)
_ROWS, _COLUMNS, _INDEX = type(np.r_), type(np.c_), type(np.s_)


def grid(ctx: Context, node: gast.AST, x: Lowered, index: Lowered) -> Lowered | None:
    """`np.mgrid[index]`, `np.r_[index]`, `np.s_[index]` and their kind; None where `x` is none of them."""
    made: Any = x.value if isinstance(x, Static | Outside) else None
    if type(made) is _INDEX:
        pair = getattr(made, "maketuple", False)
        return Tuple((index,)) if pair and not isinstance(index, Tuple) else index
    if type(made) in (_ROWS, _COLUMNS):
        return _concatenated(ctx, node, [*index.items] if isinstance(index, Tuple) else [index], type(made) is _COLUMNS)
    if not (isinstance(x, Static | Outside) and isinstance(x.value, _DENSE | _OPEN)):
        return None
    parts = list(index.items) if isinstance(index, Tuple) else [index]
    arrays = [_range(ctx, node, p) for p in parts]
    if not isinstance(index, Tuple):
        return arrays[0]
    made = _spread(ctx, node, arrays, dense=isinstance(x.value, _DENSE))
    return Tuple(tuple(made)) if isinstance(x.value, _OPEN) else pack(ctx, node, made)


def _concatenated(ctx: Context, node: gast.AST, parts: list[Lowered], columns: bool) -> Lowered:
    """Arrays, numbers and ranges next to each other; first, text may say along which axis."""
    axis, rank, start = (-1, 2, 0) if columns else (0, 1, -1)
    if isinstance(parts[0], Static) and isinstance(parts[0].value, str):
        try:
            said = [int(n) for n in parts.pop(0).value.split(",")]  # type: ignore[union-attr]
        except ValueError:
            raise ctx.error(node, "np.r_ that makes a matrix", "it computes otherwise than an array",
                            "write the axis: np.r_['0', ...]", NoRuleError) from None
        axis, rank, start = (said + [axis, rank, start][len(said):])[:3]
    arrays: list[Any] = []
    values: list[Any] = []
    for part in parts:
        is_range = isinstance(part, Slice) or (isinstance(part, Static) and isinstance(part.value, slice))
        v = expr(ctx, _range(ctx, node, part) if is_range else value(ctx, node, part))
        values.append(v)
        own = v if v.is_array else fn.atleast_1d(v)
        missing = rank - own.ndim if v.ndim or is_range else rank - 1
        if missing > 0:
            # Where the array's own first axis goes; the others are new.
            at = start % (missing + 1) if v.ndim or is_range else 0
            own = own[(*[None] * at, ..., *[None] * (missing - at))]
        arrays.append(own)
    dtype = promote(v.type for v in values)[0]
    return fn.concatenate([x.astype(dtype) for x in arrays], axis=axis).v


def grid_parts(ctx: Context, node: gast.AST) -> Lowered | None:
    """The arrays of `np.mgrid[...]`, where they are unpacked at once; None for every other expression."""
    if not isinstance(node, gast.Subscript) or getattr(node.value, "attr", "") != "mgrid":
        return None
    x, index = ctx.expr(node.value), ctx.expr(node.slice)
    if not (isinstance(x, Static | Outside) and isinstance(x.value, _DENSE) and isinstance(index, Tuple)):
        return None
    return Tuple(tuple(_spread(ctx, node, [_range(ctx, node, p) for p in index.items], dense=True)))


def _range(ctx: Context, node: gast.AST, part: Lowered) -> Value:
    """The coordinates along one axis: a range, or as many points as an imaginary step says."""
    if isinstance(part, Static) and isinstance(part.value, slice):
        s = part.value
        part = Slice(*(None if v is None else ctx.b.const(v) for v in (s.start, s.stop, s.step)))
    if not isinstance(part, Slice) or part.stop is None:
        raise ctx.error(node, "an axis of this grid is no range", "", "write it as start:stop or start:stop:step")
    start = ctx.b.int(0) if part.start is None else part.start
    count = None if part.step is None else constant(part.step)
    if isinstance(count, complex):
        return value(ctx, node, ctx.call(node, Static(np.linspace), [start, part.stop, ctx.b.int(int(abs(count)))]))
    bounds: Args = [start, part.stop, *(() if part.step is None else (part.step,))]
    if part.start is None and part.step is None:
        bounds = [part.stop]
    return value(ctx, node, ctx.call(node, Static(np.arange), bounds))


def _spread(ctx: Context, node: Node, arrays: list[Value], *, dense: bool) -> list[Value]:
    """Each array along an axis of its own; dense: and repeated along the others."""
    dtypes = [v.type.dtype for v in arrays if isinstance(v.type, Array)]
    common = Scalar(np.result_type(*map(np.dtype, dtypes)).name)
    arrays = [ctx.b.cast(v, common) for v in arrays]
    if dense and len(arrays) > 1:
        made = sequence(ctx, ctx.call(node, Static(np.meshgrid), list(arrays), {"indexing": Static("ij")}))
        assert made is not None
        return [value(ctx, node, v) for v in made]
    n = len(arrays)
    return [expr(ctx, v)[(*[None] * k, slice(None), *[None] * (n - 1 - k))].v if n > 1 else v
            for k, v in enumerate(arrays)]


def _indices(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    sizes = sequence(ctx, args[0] if args else kwargs["dimensions"]) or []
    dtype = args[1] if len(args) > 1 else kwargs.get("dtype", Static(int))
    sparse = "sparse" in kwargs and static(ctx, node, kwargs["sparse"], "sparse")
    arrays = [value(ctx, node, ctx.call(node, Static(np.arange), [n], {"dtype": dtype})) for n in sizes]
    made = _spread(ctx, node, arrays, dense=not sparse)
    return Tuple(tuple(made)) if sparse else pack(ctx, node, made)


def _ix(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    arrays = []
    for x in args:
        v = value(ctx, node, x)
        if isinstance(v.type, Array) and v.type.dtype == "bool":
            v = value(ctx, node, ctx.call(node, Static(np.flatnonzero), [v]))
        arrays.append(v)
    return Tuple(tuple(_spread(ctx, node, arrays, dense=False)))


def _ndarray(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    other = next((k for k in kwargs if k not in ("shape", "dtype")), "buffer" if len(args) > 2 else None)
    if other is not None:
        raise ctx.error(node, f"the argument {other!r} of np.ndarray is not supported", "it is another object's memory",
                        "use np.empty(shape, dtype)", NoRuleError)
    return ctx.call(node, Static(np.empty), args, kwargs)


def _like(function: Any, plain: Any) -> Callable[..., Lowered]:
    """np.zeros_like and its kind, which may be given another shape."""
    def make(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
        shape = kwargs.pop("shape", Static(None)) if "shape" in kwargs else Static(None)
        if shape == Static(None):
            return call_rule(ctx, node, ctx.services.table.by_callable[function], args, kwargs)
        like = value(ctx, node, usable(ctx, node, args[0]))
        assert isinstance(like.type, Scalar | Array)
        dtype = kwargs.get("dtype", args[-1] if len(args) > (2 if plain is np.full else 1) else Static(None))
        if dtype == Static(None):
            dtype = Static(np.dtype(like.type.dtype))
        fill = [args[1] if len(args) > 1 else kwargs["fill_value"]] if plain is np.full else []
        return ctx.call(node, Static(plain), [shape, *fill], {"dtype": dtype})
    return make


def _histogram(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    """Counts, or sums of weights, between equal (or given) edges; of the counts nothing is differentiated."""
    found = dict(zip(["a", "bins", "range", "density", "weights"], args, strict=False)) | kwargs
    a = value(ctx, node, ctx.call(node, Static(np.ravel), [found["a"]]))
    bins = usable(ctx, node, found.get("bins", ctx.b.int(10)))
    density = found.get("density", Static(None))
    if isinstance(bins, Static):
        raise ctx.error(node, "np.histogram with bins chosen by a rule", "", "pass the number of bins", NoRuleError)
    edges = _edges(ctx, node, expr(ctx, a), value(ctx, node, bins), found.get("range", Static(None)))
    count = edges.size_of(0) - 1
    inside = fn.bitand(expr(ctx, a) >= edges[0], expr(ctx, a) <= edges[-1])
    place = value(ctx, node, ctx.call(node, Static(np.searchsorted), [edges.v, a, Static("right")]))
    place = fn.minimum(expr(ctx, place) - 1, count - 1)[inside].v
    weights = usable(ctx, node, found.get("weights", Static(None)))
    named: Kwargs = {"minlength": count.v}
    if weights != Static(None):
        given = expr(ctx, value(ctx, node, ctx.call(node, Static(np.ravel), [weights])))
        named["weights"] = given[inside].v
    sums = ctx.call(node, Static(np.bincount), [place], named)
    if density != Static(None) and static(ctx, node, density, "density"):
        h = expr(ctx, value(ctx, node, sums))
        sums = (h / (edges[1:] - edges[:-1]) / fn.sum(h)).v
    return Tuple((sums, edges.v))


def _edges(ctx: Context, node: Node, a: Any, bins: Value, limits: Lowered) -> Any:
    if isinstance(bins.type, Array):
        return expr(ctx, bins)
    if limits == Static(None):
        first, last = fn.min(a), fn.max(a)
    else:
        parts = sequence(ctx, limits)
        assert parts is not None
        first, last = (expr(ctx, value(ctx, node, v)).astype("float64") for v in parts)
    margin = (first == last) * 0.5  # NumPy makes a bin of width 1 around a single value
    first, last = first - margin, last + margin
    return expr(ctx, value(ctx, node, ctx.call(node, Static(np.linspace), [
        first.v, last.v, ctx.b.add(bins, ctx.b.int(1))])))


GRIDS: dict[Any, Callable[..., Lowered]] = {
    np.indices: _indices, np.ix_: _ix, np.ndarray: _ndarray,
    np.histogram: _histogram, np.empty_like: _like(np.empty_like, np.empty),
    np.zeros_like: _like(np.zeros_like, np.zeros), np.ones_like: _like(np.ones_like, np.ones),
    np.full_like: _like(np.full_like, np.full),
}
