"""Functions that write into their argument: copyto, put, place, fill_diagonal, sort.

Each is written out as stores, whose derivatives are known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2s.errors import NoRuleError
from s2s.ir.core import Value
from s2s.ir.types import Array, Scalar
from s2s.lower.context import Context
from s2s.lower.describe import describe
from s2s.lower.indexing import store
from s2s.lower.numbers import value
from s2s.lower.outputs import check_cast
from s2s.lower.rulecalls import call_rule
from s2s.lower.truth import static, usable
from s2s.lower.values import Lowered, Static
from s2s.rules.dims import known_as
from s2s.rules.expr import Expr, encode_index, fn
from s2s.rules.indexing import along_axis

Node = Any
Args = list[Lowered]
Kwargs = dict[str, Lowered]


def expr(ctx: Context, v: Value) -> Expr:
    """A value as rules see it."""
    by_name = ctx.services.table.by_name
    return Expr(ctx.b, v, lambda name: by_name[name].spec if name in by_name else None)


def arguments_of(ctx: Context, node: Node, name: str, names: list[str], args: Args,
                 kwargs: Kwargs) -> dict[str, Lowered]:
    """Arguments by name; `names` are in the order of the function's parameters."""
    found = dict(zip(names, args, strict=False)) | kwargs
    other = next((k for k in found if k not in names), None)
    if other is not None or len(args) > len(names):
        raise ctx.error(node, f"the argument {other!r} of {name} is not supported", "its derivative is not known",
                        "leave it out, or write it as a store", NoRuleError)
    return found


def target_of(ctx: Context, node: Node, x: Lowered, name: str) -> Value:
    x = usable(ctx, node, x)
    if not (isinstance(x, Value) and isinstance(x.type, Array)):
        raise ctx.error(node, f"{name} of {describe(x)}", "it writes into an array", "pass an array")
    return x


def store_at(ctx: Context, node: Node, a: Value, index: tuple[Any, ...], new: Value) -> None:
    items, values = encode_index(expr(ctx, a), index)
    store(ctx, node, a, items, values, new)


def _copyto(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    found = arguments_of(ctx, node, "np.copyto", ["dst", "src", "casting", "where"], args, kwargs)
    target, new = target_of(ctx, node, found["dst"], "np.copyto"), value(ctx, node, found["src"])
    if "casting" not in found:
        check_cast(ctx, node, new, target)
    mask = found.get("where", Static(True))
    if mask not in (Static(True), Static(None)):
        new = value(ctx, node, ctx.call(node, Static(np.where), [mask, new, target]))
    store(ctx, node, target, ("e",), (), new)
    return Static(None)


def _repeated(ctx: Context, node: Node, new: Value, like: Expr | None, count: Expr) -> Value:
    """`count` values, which np.put and its kind take from `new` again and again."""
    if isinstance(new.type, Scalar):
        return new
    x = expr(ctx, new)
    flat = x if x.ndim == 1 else fn.ravel(x)
    if like is not None and like.ndim == 1 and flat.dims[0] == like.dims[0]:
        return flat.v
    return flat[fn.mod(fn.arange(count), flat.size)].v


def _flat(ctx: Context, a: Value) -> Value:
    """All elements of an array as a vector, to be stored into."""
    return a if isinstance(a.type, Array) and a.type.ndim == 1 else fn.ravel(expr(ctx, a)).v


def _index_array(ctx: Context, node: Node, x: Lowered) -> Value:
    v = value(ctx, node, x)
    return value(ctx, node, ctx.call(node, Static(np.ravel), [v])) if getattr(v.type, "ndim", 1) > 1 else v


def _put(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    found = arguments_of(ctx, node, "np.put", ["a", "ind", "v"], args,
                       {{"indices": "ind", "values": "v"}.get(k, k): v for k, v in kwargs.items()})
    target = target_of(ctx, node, found["a"], "np.put")
    index, new = _index_array(ctx, node, found["ind"]), value(ctx, node, found["v"])
    where = expr(ctx, index)
    if where.is_array:
        new = _repeated(ctx, node, new, where, where.size)
    elif isinstance(new.type, Array):
        new = fn.ravel(expr(ctx, new))[0].v
    store_at(ctx, node, _flat(ctx, target), (where,), new)
    return Static(None)


def _putmask(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    found = arguments_of(ctx, node, "np.putmask", ["a", "mask", "values"], args, kwargs)
    target, new = target_of(ctx, node, found["a"], "np.putmask"), value(ctx, node, found["values"])
    a, mask = expr(ctx, target), expr(ctx, value(ctx, node, found["mask"]))
    assert isinstance(a.type, Array)
    x = expr(ctx, new)
    if x.is_array and x.dims != a.dims:
        repeated = expr(ctx, _repeated(ctx, node, new, None, a.size))
        x = known_as(fn.reshape(repeated, a.shape) if a.ndim > 1 else repeated, a)
    chosen = value(ctx, node, ctx.call(node, Static(np.where), [mask.v, x.v, target]))
    store(ctx, node, target, ("e",), (), chosen)
    return Static(None)


def _place(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    found = arguments_of(ctx, node, "np.place", ["arr", "mask", "vals"], args, kwargs)
    target = target_of(ctx, node, found["arr"], "np.place")
    mask, new = expr(ctx, value(ctx, node, found["mask"])), value(ctx, node, found["vals"])
    store_at(ctx, node, target, (mask,), _repeated(ctx, node, new, None, fn.count_nonzero(mask)))
    return Static(None)


def _fill_diagonal(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    found = arguments_of(ctx, node, "np.fill_diagonal", ["a", "val"], args, kwargs)
    target, new = target_of(ctx, node, found["a"], "np.fill_diagonal"), value(ctx, node, found["val"])
    a = expr(ctx, target)
    n = a.size_of(0)
    for k in range(1, a.ndim):
        if a.dims[k] != a.dims[0]:
            n = fn.minimum(n, a.size_of(k))
    diagonal = fn.arange(n)
    store_at(ctx, node, target, (diagonal,) * a.ndim, _repeated(ctx, node, new, diagonal, n))
    return Static(None)


def _put_along_axis(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    found = arguments_of(ctx, node, "np.put_along_axis", ["arr", "indices", "values", "axis"], args, kwargs)
    target = target_of(ctx, node, found["arr"], "np.put_along_axis")
    axis = static(ctx, node, found["axis"], "the axis")
    index, new = expr(ctx, value(ctx, node, found["indices"])), value(ctx, node, found["values"])
    if axis is None:
        store_at(ctx, node, _flat(ctx, target), (index,), new)
    else:
        store_at(ctx, node, target, tuple(along_axis(expr(ctx, target), index, axis)), new)
    return Static(None)


def _sort(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    target = target_of(ctx, node, args[0], "sort")
    new = value(ctx, node, ctx.call(node, Static(np.sort), args, kwargs))
    store(ctx, node, target, ("e",), (), new)
    return Static(None)


def _partition(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    target = target_of(ctx, node, args[0], "partition")
    new = value(ctx, node, ctx.call(node, Static(np.partition), args, kwargs))
    store(ctx, node, target, ("e",), (), new)
    return Static(None)


def _nan_to_num(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    rule = ctx.services.table.by_callable[np.nan_to_num]
    copies = args[1] if len(args) > 1 else kwargs.get("copy", Static(True))
    new = call_rule(ctx, node, rule, args, kwargs)
    target = usable(ctx, node, args[0])
    if static(ctx, node, copies, "copy") or not (isinstance(target, Value) and isinstance(target.type, Array)):
        return new
    store(ctx, node, target, ("e",), (), value(ctx, node, new))
    return target


WRITERS: dict[Any, Callable[..., Lowered]] = {
    np.copyto: _copyto, np.put: _put, np.putmask: _putmask, np.place: _place, np.fill_diagonal: _fill_diagonal,
    np.put_along_axis: _put_along_axis, np.nan_to_num: _nan_to_num,
}
WRITING_METHODS: dict[str, Callable[..., Lowered]] = {"sort": _sort, "put": _put, "partition": _partition}
