"""Containers as nests of numbers and arrays: their leaves, and the same nest with other leaves.

Tuples, lists, dicts, namedtuples, dataclasses and attrs classes are nests, whether the program made them or
they exist outside; other objects are not looked into.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from s2s.containers import field_names
from s2s.ir.core import Value
from s2s.ir.types import Scalar, is_inexact
from s2s.lower.context import Context
from s2s.lower.outside import outside
from s2s.lower.truth import usable
from s2s.lower.values import Bound, Box, Closure, Lowered, Outside, Static, Tuple

Refold = Callable[[list[Lowered]], Lowered]


def unfold(ctx: Context, x: Lowered) -> tuple[list[Lowered], Refold] | None:
    """The parts of a container, and what makes one of the same kind of other parts; None for anything else."""
    if isinstance(x, Tuple):
        return list(x.items), lambda parts: Tuple(tuple(parts), x.cls)
    if isinstance(x, Box):
        content = ctx.whole(x)
        if isinstance(content, list):
            return list(content), lambda parts: new_list(ctx, parts)
        if isinstance(content, dict):
            keys = list(content)
            return list(content.values()), lambda parts: _new(ctx, x.kind, x.cls, dict(zip(keys, parts, strict=True)))
        if isinstance(content, Value):
            return [content], lambda parts: parts[0]
        return None
    return _unfold_outside(ctx, x) if isinstance(x, Outside) else None


def _unfold_outside(ctx: Context, x: Outside) -> tuple[list[Lowered], Refold] | None:
    v = x.value

    def item(key: Any) -> Lowered:
        return outside(ctx, ctx.binding.read(x.read, "item", key))

    if isinstance(v, tuple):
        cls = type(v) if hasattr(v, "_fields") else None
        return [item(k) for k in range(len(v))], lambda parts: Tuple(tuple(parts), cls)
    if isinstance(v, list):
        return [item(k) for k in range(len(v))], lambda parts: new_list(ctx, parts)
    if isinstance(v, dict):
        return [item(k) for k in v], lambda parts: _new(ctx, "dict", None, dict(zip(v, parts, strict=True)))
    names = field_names(v)
    if names is None:
        return None
    scope = ctx.object_scope(x)
    found = [ctx.get((scope, name)) or outside(ctx, ctx.binding.read(x.read, "attr", name)) for name in names]
    return found, lambda parts: _new(ctx, "object", type(v), dict(zip(names, parts, strict=True)))


def new_list(ctx: Context, items: list[Lowered]) -> Box:
    """A list that the program makes."""
    box = Box("list", None, "", ctx.depth)
    ctx.state.heap[box] = items
    return box


def _new(ctx: Context, kind: str, cls: type | None, content: dict[Any, Lowered]) -> Box:
    box = Box(kind, cls, "", ctx.depth)
    ctx.state.heap[box] = content
    return box


def settled(ctx: Context, node: gast.AST | None, x: Lowered) -> Lowered:
    """`x`, where every part of it is of one kind on every path; else `usable` says what is to be done.

    What is to be differentiated, or by which, has to be so: `leaves_of` finds no leaf in what differs. Attributes of
    objects are left as they are.
    """
    x = usable(ctx, node, x)
    if isinstance(x, Box) and x.kind == "object":
        return x
    unfolded = unfold(ctx, x)
    if unfolded is None:
        return x
    parts, refold = unfolded
    found = [settled(ctx, node, p) for p in parts]
    return x if all(new is old for new, old in zip(found, parts, strict=True)) else refold(found)


def leaves_of(ctx: Context, x: Lowered) -> list[Value]:
    """The IR values in a nest, in order."""
    if isinstance(x, Value):
        return [x]
    unfolded = unfold(ctx, x)
    return [] if unfolded is None else [v for p in unfolded[0] for v in leaves_of(ctx, p)]


def rebuild(ctx: Context, x: Lowered, leaf: Any, other: Any = None) -> Lowered:
    """A nest like `x` with `leaf(v)` for each IR value, and None (or `other(v)`) for the rest."""
    if isinstance(x, Value):
        return leaf(x)  # type: ignore[no-any-return]
    unfolded = unfold(ctx, x)
    if unfolded is not None:
        parts, refold = unfolded
        return refold([rebuild(ctx, p, leaf, other) for p in parts])
    return Static(None) if other is None else other(x)


def zero_like(ctx: Context, node: gast.AST | None, v: Value) -> Lowered:
    """What a number or array gets that nothing depends on, where it is one of several."""
    if isinstance(v.type, Scalar):
        return ctx.b.const(0.0, v.type)
    return ctx.call(node, Static(np.zeros_like), [v])


def stopped(ctx: Context, node: gast.AST | None, x: Lowered) -> Lowered:
    """`stop_gradient(x)`."""
    x = usable(ctx, node, x)
    return rebuild(ctx, x, lambda v: ctx.b.one("stop_gradient", {"x": v}) if is_inexact(v.type) else v, lambda v: v)


def rebuild_args(ctx: Context, x: Lowered, param: Any) -> Lowered:
    """An argument with its leaves replaced by parameters; what is no number stays as it is."""
    if isinstance(x, Static | Closure | Bound):
        return x
    return rebuild(ctx, x, param, lambda v: v)


def replaced(ctx: Context, result: Lowered, state: Any, found: list[Value], values: list[Value]) -> Lowered:
    """The value of an inner function, in terms of what was put in place."""
    mapping = dict(zip(found, values, strict=True))
    saved = ctx.state
    ctx.state = state
    try:
        shape = rebuild(ctx, result, lambda v: mapping.get(v, v), lambda v: v)
        boxes = {b: c for b, c in ctx.state.heap.items() if b not in saved.heap}
    finally:
        ctx.state = saved
    ctx.state.heap.update(boxes)
    return shape
