"""Lists, tuples and dicts that the program makes, and their items."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gast

from s2s.ir.types import List, Type, unify
from s2s.lower.context import Context
from s2s.lower.describe import describe
from s2s.lower.iterate import demand_length, items_of
from s2s.lower.merge import cast_to
from s2s.lower.numbers import held
from s2s.lower.outside import outside
from s2s.lower.truth import usable
from s2s.lower.values import Box, Lowered, Outside, Static, Tuple


def make_sequence(ctx: Context, kind: str, items: list[Lowered], node: gast.AST | None = None) -> Lowered:
    """A new tuple or list. A list that grows in a run-time loop is a value of the program."""
    if kind == "tuple":
        return Tuple(tuple(items))
    box = Box("list", None, "", ctx.depth, id(node) if node is not None else 0)
    if node is not None and id(node) in ctx.growing:
        element: Type | None = ctx.growing[id(node)]
        values = [held(ctx, node, v) for v in items]
        for v in values:
            element = unify(element, v.type) if element is not None else None
        if element is None:
            raise ctx.error(node, "the elements of this list have different types",
                            "a list that grows in a loop has elements of one type")
        values = [cast_to(ctx.b, ctx.b.block, v, element) for v in values]
        ctx.state.heap[box] = ctx.b.one("list", {"elements": tuple(values)}, {"type": List(element)})
    else:
        ctx.state.heap[box] = items
    return box


def make_set(ctx: Context, keys: Iterable[Any]) -> Box:
    """A set of known elements."""
    box = Box("set", None, "", ctx.depth)
    ctx.state.heap[box] = dict.fromkeys(keys, Static(None))
    return box


def elements(ctx: Context, nodes: list[gast.AST]) -> list[Lowered]:
    """The items of a display or of call arguments, with starred parts spread out."""
    out: list[Lowered] = []
    for n in nodes:
        if isinstance(n, gast.Starred):
            given = usable(ctx, n, ctx.expr(n.value))
            items = items_of(ctx, n, given)
            if items.push is not None and not items.endless:
                box = ctx.handlers.collect(ctx, n, items)
                content = ctx.state.heap[box]
                if isinstance(content, list):
                    out += content
                    continue
            if items.fixed is None:
                demand_length(ctx, given)
                raise ctx.error(n, "the number of starred values is not known before the function runs",
                                "it decides which code is generated", "pass the list or array itself")
            out += [f() for f in items.fixed]
        else:
            out.append(ctx.expr(n))
    return out


def mapping_items(ctx: Context, node: gast.AST | None, x: Lowered) -> dict[Any, Lowered]:
    """The items of a dict of known keys."""
    if isinstance(x, Box) and x.kind == "dict":
        return dict(ctx.whole(x))
    if isinstance(x, Outside) and isinstance(x.value, dict):
        return {k: outside(ctx, ctx.binding.read(x.read, "item", k)) for k in x.value}
    raise ctx.error(node, f"the keys of {describe(x)} are not known before the function runs",
                    "they decide which code is generated", "pass the keywords one by one")
