"""Methods of ufuncs: `np.add.at`, `np.multiply.outer`, `np.maximum.reduce`, `np.add.accumulate`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2s.errors import NoRuleError
from s2s.ir.core import Arg, Block, Value
from s2s.ir.types import INT, Array, Scalar
from s2s.lower.context import Context
from s2s.lower.indexing import encode, store
from s2s.lower.library.sets import reduceat
from s2s.lower.numbers import value
from s2s.lower.outputs import check_cast
from s2s.lower.truth import static, usable
from s2s.lower.values import Lowered, Static
from s2s.lower.writers import arguments_of, expr, store_at, target_of
from s2s.rules.expr import fn

Node = Any
Args = list[Lowered]
Kwargs = dict[str, Lowered]


def _at(ctx: Context, node: Node, ufunc: np.ufunc, args: Args, kwargs: Kwargs) -> Lowered:
    """`ufunc.at(a, index, v)`: an index that is named twice counts twice."""
    found = arguments_of(ctx, node, f"np.{ufunc.__name__}.at", ["a", "indices", "b"], args, kwargs)
    target = target_of(ctx, node, found["a"], f"np.{ufunc.__name__}.at")
    assert isinstance(target.type, Array)
    change = None if "b" not in found else value(ctx, node, found["b"])
    items, index = encode(ctx, node, target.type, usable(ctx, node, found["indices"]))
    if ufunc in (np.add, np.subtract) and change is not None:
        check_cast(ctx, node, change, target)
        new = change if ufunc is np.add else ctx.b.neg(change)
        new = new if getattr(new.type, "dtype", None) == target.type.dtype else ctx.b.cast(
            new, Scalar(target.type.dtype))
        ctx.b.emit("additem", {"a": target, "index": index, "value": new}, {"items": items})
        return Static(None)
    arrays = [v for v in index if isinstance(v.type, Array)]
    one = index[0] if len(index) == 1 else None
    if arrays and (one is None or not isinstance(one.type, Array) or one.type.ndim != 1 or one.type.dtype == "bool"):
        raise ctx.error(node, f"np.{ufunc.__name__}.at with this index is not supported",
                        "an index that is named twice would count once", "write it as a loop", NoRuleError)
    if not arrays:
        _update(ctx, node, ufunc, target, items, index, change)
        return Static(None)
    _update_each(ctx, node, ufunc, target, arrays[0], change)
    return Static(None)


def _update(ctx: Context, node: Node, ufunc: np.ufunc, a: Value, items: tuple[str, ...], index: tuple[Value, ...],
            change: Value | None) -> None:
    old = ctx.b.one("getitem", {"a": a, "index": index}, {"items": items})
    new = value(ctx, node, ctx.call(node, Static(ufunc), [old] if change is None else [old, change]))
    check_cast(ctx, node, new, a)
    store(ctx, node, a, items, index, new)


def _update_each(ctx: Context, node: Node, ufunc: np.ufunc, a: Value, index: Value, change: Value | None) -> None:
    """One after the other, along the index array."""
    assert isinstance(a.type, Array)
    rows = change is not None and getattr(change.type, "ndim", 0) == a.type.ndim
    if rows and change is not None:
        change = fn.broadcast_to(expr(ctx, change), (expr(ctx, index).size, *expr(ctx, a).shape[1:])).v
    block = Block(params=[Value(INT, "")])
    with ctx.b.at(block):
        at = (block.params[0],)
        place = ctx.b.one("getitem", {"a": index, "index": at}, {"items": ("i",)})
        part = change if change is None or not rows else ctx.b.one(
            "getitem", {"a": change, "index": at}, {"items": ("i",)})
        _update(ctx, node, ufunc, a, ("i",), (place,), part)
    bounds: dict[str, Arg] = {"start": ctx.b.int(0), "stop": ctx.b.dim(index, 0), "step": ctx.b.int(1), "init": ()}
    ctx.b.region("for", bounds, [block], [], {"breaks": False})


_REDUCE: dict[Any, Any] = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min,
                           np.logical_and: np.all, np.logical_or: np.any}
_ACCUMULATE: dict[Any, Any] = {np.add: np.cumsum, np.multiply: np.cumprod}


def _outer(ctx: Context, node: Node, ufunc: np.ufunc, args: Args, kwargs: Kwargs) -> Lowered:
    """Each element of the first with each of the second."""
    left, right = value(ctx, node, args[0]), value(ctx, node, args[1])
    n = getattr(right.type, "ndim", 0)
    if isinstance(left.type, Array) and n:
        left = expr(ctx, left)[(..., *[None] * n)].v
    return ctx.call(node, Static(ufunc), [left, right], kwargs)


def _reduce(ctx: Context, node: Node, ufunc: np.ufunc, args: Args, kwargs: Kwargs) -> Lowered | None:
    if ufunc not in _REDUCE:
        return _last(ctx, node, ufunc, args, kwargs)
    axis = {} if len(args) > 1 or "axis" in kwargs else {"axis": ctx.b.int(0)}
    return ctx.call(node, Static(_REDUCE[ufunc]), args, {**axis, **kwargs})


def _last(ctx: Context, node: Node, ufunc: np.ufunc, args: Args, kwargs: Kwargs) -> Lowered | None:
    """Any other reduction: the last of what accumulates."""
    total = _accumulate(ctx, node, ufunc, args, kwargs)
    if total is None:
        return None
    x = expr(ctx, value(ctx, node, total))
    at = static(ctx, node, args[1] if len(args) > 1 else kwargs.get("axis", Static(0)), "the axis")
    if not isinstance(at, int):
        return None
    return x[(*[slice(None)] * (at % x.ndim), -1)].v


def _accumulate(ctx: Context, node: Node, ufunc: np.ufunc, args: Args, kwargs: Kwargs) -> Lowered | None:
    axis = {} if len(args) > 1 or "axis" in kwargs else {"axis": ctx.b.int(0)}
    if _ACCUMULATE.get(ufunc) in ctx.services.table.by_callable:
        return ctx.call(node, Static(_ACCUMULATE[ufunc]), args, {**axis, **kwargs})
    a = value(ctx, node, args[0])
    at = static(ctx, node, args[1] if len(args) > 1 else kwargs.get("axis", Static(0)), "the axis")
    if not isinstance(a.type, Array) or ufunc.nin != 2 or len(args) > 2 or set(kwargs) - {"axis"}:
        return None
    out = value(ctx, node, ctx.call(node, Static(np.copy), [a]))
    before: list[Any] = [slice(None)] * (at % a.type.ndim)
    block = Block(params=[Value(INT, "")])
    with ctx.b.at(block):
        k = expr(ctx, block.params[0])
        x = expr(ctx, out)
        new = ctx.call(node, Static(ufunc), [x[(*before, k - 1)].v, expr(ctx, a)[(*before, k)].v])
        store_at(ctx, node, out, (*before, k), value(ctx, node, new))
    bounds: dict[str, Arg] = {"start": ctx.b.int(1), "stop": ctx.b.dim(a, at % a.type.ndim), "step": ctx.b.int(1),
                              "init": ()}
    ctx.b.region("for", bounds, [block], [], {"breaks": False})
    return out


def _reduceat(ctx: Context, node: Node, ufunc: np.ufunc, args: Args, kwargs: Kwargs) -> Lowered:
    return ctx.call(node, Static(reduceat), [Static(ufunc), *args], kwargs)


_METHODS: dict[str, Callable[..., Lowered | None]] = {
    "at": _at, "reduceat": _reduceat, "outer": _outer, "reduce": _reduce, "accumulate": _accumulate}


def ufunc_method(ctx: Context, node: Node, f: Any, args: Args, kwargs: Kwargs) -> Lowered | None:
    """`np.add.outer(...)` and its kind; None for everything else."""
    ufunc, name = getattr(f, "__self__", None), getattr(f, "__name__", "")
    if not isinstance(ufunc, np.ufunc) or name not in _METHODS or not args:
        return None
    return _METHODS[name](ctx, node, ufunc, args, kwargs)
