"""Comprehensions: loops that make a list, a dict or a set."""

from __future__ import annotations

from typing import Any

import gast

from s2s.ir.core import Block, Value
from s2s.lower.assign import assign
from s2s.lower.containers import append
from s2s.lower.context import Context, Frame, GrowList, Loop
from s2s.lower.control import branch
from s2s.lower.loops import lower_for, usable_items
from s2s.lower.names import _targets
from s2s.lower.sequences import make_sequence
from s2s.lower.truth import static, truth
from s2s.lower.values import Box, Lowered, Range, Static


def lower_comprehension(ctx: Context, node: Any) -> Lowered:
    """A list, generator, dict or set display with `for`."""
    outer = ctx.frame
    names: set[str] = set()
    for g in node.generators:
        names |= set(_targets(g.target))
    ctx.frame = Frame(outer.source, frozenset(names), outer=outer, read=outer.read,
                      class_of=outer.class_of, comprehension=True)
    box = _new_box(ctx, node)
    try:
        _generator(ctx, node, 0, box)
    finally:
        ctx.frame = outer
    if isinstance(node, gast.SetComp):
        content = ctx.state.heap[box]
        return Static(frozenset(static(ctx, node, v, "an element of a set") for v in content))
    return box


def _new_box(ctx: Context, node: Any) -> Box:
    if isinstance(node, gast.DictComp):
        box = Box("dict", None, "", ctx.depth)
        ctx.state.heap[box] = {}
        return box
    made = make_sequence(ctx, "list", [], node)
    assert isinstance(made, Box)
    return made


def _generator(ctx: Context, node: Any, k: int, box: Box) -> None:
    if k == len(node.generators):
        _element(ctx, node, box)
        return
    g = node.generators[k]
    # The first iterable is evaluated in the scope around the comprehension.
    frame = ctx.frame
    if k == 0:
        assert frame.outer is not None
        ctx.frame = frame.outer
    iterable = ctx.expr(g.iter)
    items = usable_items(ctx, g.iter, iterable, g)
    ctx.frame = frame
    if isinstance(iterable, Range) and isinstance(g.target, gast.Name):
        items.hint = g.target.id

    def body(loop: Loop, item: Lowered) -> None:
        assign(ctx, g.target, item)
        _filtered(ctx, node, g.ifs, k, box)

    lower_for(ctx, g, items, body, lambda: None)


def _filtered(ctx: Context, node: Any, conditions: list[gast.AST], k: int, box: Box) -> None:
    if not conditions:
        _generator(ctx, node, k + 1, box)
        return
    test = truth(ctx, conditions[0], ctx.expr(conditions[0]))
    if test is True:
        _filtered(ctx, node, conditions[1:], k, box)
    elif isinstance(test, Value):
        if not isinstance(ctx.state.heap[box], Value) and not isinstance(node, gast.DictComp):
            with_element = ctx.b
            saved = ctx.state.copy()
            with with_element.at(Block()):
                _filtered(ctx, node, conditions[1:], k, box)
                content = ctx.state.heap[box]
            ctx.state = saved
            _grow(ctx, node, content[-1] if content else None)
        branch(ctx, test, lambda: _filtered(ctx, node, conditions[1:], k, box), lambda: None)


def _grow(ctx: Context, node: Any, element: Lowered | None) -> None:
    if isinstance(element, Value):
        raise GrowList(id(node), element.type)


def _element(ctx: Context, node: Any, box: Box) -> None:
    content = ctx.state.heap[box]
    if isinstance(node, gast.DictComp):
        content[static(ctx, node.key, ctx.expr(node.key), "the key of a dict")] = ctx.expr(node.value)
        return
    append(ctx, node, box, ctx.expr(node.elt))
