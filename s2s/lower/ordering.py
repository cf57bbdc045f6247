"""sorted, list.sort, min and max: of known items, by a key, and of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2s.ir.core import Value
from s2s.ir.types import Array, List, Scalar
from s2s.lower.containers import fixed_content, grown, grows
from s2s.lower.context import Context
from s2s.lower.control import conditional
from s2s.lower.indexing import list_of_arrays
from s2s.lower.iterate import element
from s2s.lower.iterators import pool_of
from s2s.lower.numbers import UNKNOWN, compare, known, pack, scalar, value
from s2s.lower.sequences import make_sequence
from s2s.lower.standing import Stand
from s2s.lower.truth import static, truth, usable
from s2s.lower.values import Box, Lowered, Range, Static, Tuple

Node = Any
Args = list[Lowered]
Kwargs = dict[str, Lowered]
NONE = Static(None)


def _sorted(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    x = usable(ctx, node, args[0])
    key = usable(ctx, node, kwargs.get("key", NONE))
    reverse = bool(static(ctx, node, kwargs.get("reverse", Static(False)), "reverse"))
    if isinstance(x, Value) and isinstance(x.type, Array) and key == NONE:
        return _sorted_array(ctx, node, x, key, reverse)
    pool = pool_of(ctx, node, [x], {})
    if isinstance(pool, Tuple):
        return make_sequence(ctx, "list", ordered(ctx, node, pool.items, key, reverse), node)
    if key != NONE or isinstance(pool, Range):
        return ctx.stand_in(node, "sorted_by", [pool, key, Static(reverse)], {})
    return _sorted_array(ctx, node, value(ctx, node, pool), key, reverse)


def _sorted_array(ctx: Context, node: Node, x: Value, key: Lowered, reverse: bool) -> Lowered:
    """An array with the elements in order, which stands for the list."""
    if not (isinstance(x.type, Array) and x.type.ndim == 1):
        raise ctx.error(node, "sorted() of an array of more than one dimension", "Python would compare its rows",
                        "use np.sort with an axis")
    if key != NONE:
        raise ctx.error(node, "sorted() of an array with a key", "the keys are computed one by one",
                        "use x[np.argsort(keys)], with an array of keys")
    out = value(ctx, node, ctx.call(node, Static(np.sort), [x]))
    if reverse:
        out = value(ctx, node, ctx.call(node, Static(np.flip), [out]))
    ctx.lists[out] = Stand(0, list)
    return out


def ordered(ctx: Context, node: Node, items: Sequence[Lowered], key: Lowered, reverse: bool) -> list[Lowered]:
    """Known items in order; equal ones stay as they are."""
    keys = [item if key == NONE else usable(ctx, node, ctx.call(node, key, [item])) for item in items]
    found = [known(ctx, k) for k in keys]
    if all(k is not UNKNOWN for k in found):
        try:
            order = sorted(range(len(found)), key=lambda k: found[k], reverse=reverse)
        except TypeError as error:
            raise ctx.error(node, f"TypeError: {error}", "Python would raise it too", python=TypeError) from None
        return [items[k] for k in order]
    if any(isinstance(k, Box) and k.kind == "object" for k in keys):
        return _by_exchange(ctx, node, list(items), keys, reverse)
    for k in keys:
        if not (isinstance(k, Value) and isinstance(k.type, Scalar)):
            raise ctx.error(node, "the order is decided by tuples of computed numbers", "they are compared one by one",
                            "sort by one number")
    packed = value(ctx, node, pack(ctx, node, keys))
    permutation = value(ctx, node, ctx.call(node, Static(np.argsort), [ctx.b.neg(packed) if reverse else packed],
                                            {"kind": Static("stable")}))
    return _gathered(ctx, node, items, permutation)


def _gathered(ctx: Context, node: Node, items: Sequence[Lowered], order: Value) -> list[Lowered]:
    """Items of one structure in an order that is known at run time."""
    first = items[0]
    if all(isinstance(v, Tuple) and isinstance(first, Tuple) and len(v.items) == len(first.items) for v in items):
        columns = [_gathered(ctx, node, [v.items[k] for v in items if isinstance(v, Tuple)], order)
                   for k in range(len(first.items))]  # type: ignore[union-attr]
        return [Tuple(row, first.cls) for row in zip(*columns, strict=True)]  # type: ignore[union-attr]
    found = [known(ctx, v) for v in items]
    if all(v is not UNKNOWN and v == found[0] and type(v) is type(found[0]) for v in found):
        return list(items)
    for v in items:
        if not isinstance(v, Value):
            raise ctx.error(node, "things that are no numbers are put in an order that is known at run time only",
                            "it decides which code is generated", "sort numbers, or tuples of them")
    arrays = list_of_arrays(ctx, [v for v in items if isinstance(v, Value)])
    if arrays is not None:
        return [ctx.b.one("listget", {"list": arrays, "index": element(ctx, order, ctx.b.int(k))})
                for k in range(len(items))]
    stacked = value(ctx, node, pack(ctx, node, items))
    chosen = ctx.b.one("getitem", {"a": stacked, "index": (order,)}, {"items": ("a",)})
    return [element(ctx, chosen, ctx.b.int(k)) for k in range(len(items))]


def _by_exchange(ctx: Context, node: Node, items: list[Lowered], keys: list[Lowered], reverse: bool) -> list[Lowered]:
    """Insertion sort of objects that compare themselves, where each comparison is known."""
    order: list[int] = []
    for k in range(len(items)):
        at = len(order)
        while at > 0:
            pair = (keys[k], keys[order[at - 1]])
            less = truth(ctx, node, compare(ctx, node, "gt" if reverse else "lt", *pair))
            if not isinstance(less, bool):
                raise ctx.error(node, "objects are put in an order that is known at run time only",
                                "it decides which code is generated", "sort numbers, or tuples of them")
            if not less:
                break
            at -= 1
        order.insert(at, k)
    return [items[k] for k in order]


def sort_in_place(ctx: Context, node: Node, x: Box, *, key: Lowered = NONE,
                  reverse: Lowered = Static(False)) -> Lowered:  # noqa: B008
    """list.sort()."""
    if grows(ctx, x):
        grown(ctx, node, x, "sort")
        return ctx.stand_in(node, "list_sort", [x, key, Static(bool(static(ctx, node, reverse, "reverse")))], {})
    ctx.state.heap[x] = ordered(ctx, node, fixed_content(ctx, node, x, "sort"), usable(ctx, node, key),
                                bool(static(ctx, node, reverse, "reverse")))
    return Static(None)


def _extreme(name: str) -> Callable[..., Lowered]:
    def extreme(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
        key = usable(ctx, node, kwargs.get("key", NONE))
        parts: list[Lowered] = list(args)
        if len(args) == 1:
            x = usable(ctx, node, args[0])
            if isinstance(x, Value) and isinstance(x.type, Array) and key == NONE and "default" not in kwargs:
                return _of_array(ctx, node, name, x)
            if _is_list(ctx, x) and key == NONE and "default" not in kwargs:
                return _of_array(ctx, node, name, value(ctx, node, x))
            pool = pool_of(ctx, node, [x], {})
            if not isinstance(pool, Tuple):
                given = [kwargs["default"]] if "default" in kwargs else []
                return ctx.stand_in(node, f"{name}_by", [pool, key, *given], {})
            parts = list(pool.items)
        if not parts and "default" in kwargs:
            return kwargs["default"]
        if not parts:
            raise ctx.error(node, f"{name}() of nothing", "Python would raise ValueError", "give it a value",
                            python=ValueError)
        return _chosen(ctx, node, name, [usable(ctx, node, v) for v in parts], key)
    return extreme


def _is_list(ctx: Context, x: Lowered) -> bool:
    content = ctx.state.heap.get(x) if isinstance(x, Box) else x
    return isinstance(content, Value) and isinstance(content.type, List)


def _of_array(ctx: Context, node: Node, name: str, x: Value) -> Lowered:
    if not (isinstance(x.type, Array) and x.type.ndim == 1):
        raise ctx.error(node, f"{name}() of an array of more than one dimension", "Python would compare its rows",
                        f"use np.{name}")
    return ctx.call(node, Static(getattr(np, name)), [x])


def _chosen(ctx: Context, node: Node, name: str, parts: list[Lowered], key: Lowered) -> Lowered:
    """The first of the smallest (or greatest) of known items."""
    if key == NONE and all(isinstance(v, Static | Value) for v in parts):
        constants = [known(ctx, v) for v in parts]
        if all(c is not UNKNOWN for c in constants):
            return parts[constants.index({"min": min, "max": max}[name](constants))]
        spec = ctx.services.table.by_name[name].spec
        first, second = [p.name for p in spec.params[:2]]
        result = scalar(ctx, node, parts[0])
        for v in parts[1:]:
            result = ctx.b.one(spec, {first: result, second: scalar(ctx, node, v)}, {})
        return result
    best = parts[0]
    best_key = best if key == NONE else ctx.call(node, key, [best])
    for item in parts[1:]:
        item_key = item if key == NONE else ctx.call(node, key, [item])
        better = truth(ctx, node, compare(ctx, node, "lt" if name == "min" else "gt", item_key, best_key))
        if isinstance(better, bool):
            best, best_key = (item, item_key) if better else (best, best_key)
            continue
        pair = conditional(ctx, node, better, lambda a=item, b=item_key: Tuple((a, b)),
                           lambda a=best, b=best_key: Tuple((a, b)))
        assert isinstance(pair, Tuple)
        best, best_key = pair.items
    return best


ORDERING: dict[Any, Callable[..., Lowered]] = {sorted: _sorted, min: _extreme("min"), max: _extreme("max")}
