"""Comprehensions: loops that make a list, a dict or a set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from s2s.ir.core import Block, Value
from s2s.lower.assign import assign
from s2s.lower.containers import append
from s2s.lower.context import RETURNED, Context, Frame, GrowList, Loop
from s2s.lower.control import branch
from s2s.lower.iterate import new_iterator
from s2s.lower.loops import lower_for, usable_items
from s2s.lower.names import _targets
from s2s.lower.sequences import make_sequence, make_set
from s2s.lower.truth import static, truth
from s2s.lower.values import Box, Lowered, Producer, Range, Static


def lower_comprehension(ctx: Context, node: Any) -> Lowered:
    """A list, dict or set display with `for`."""
    outer, frame = ctx.frame, _frame(ctx, node)
    box = _new_box(ctx, node)
    if isinstance(node, gast.ListComp):
        ctx.sites[id(node)] = frozenset(id(g) for g in node.generators)
    ctx.frame = frame
    try:
        _loop(ctx, node, 0, _First(ctx, node, outer), _element(ctx, node, box), box)
    finally:
        ctx.frame = outer
    if isinstance(node, gast.SetComp):
        return make_set(ctx, ctx.state.heap[box])
    return box


def lower_generator(ctx: Context, node: gast.GeneratorExp) -> Lowered:
    """A generator expression: its first iterable is evaluated now, the rest where its values are taken."""
    frame = _frame(ctx, node)
    first = _First(ctx, node, ctx.frame)
    first.evaluate()
    statement = ctx.statement

    def run(consume: Callable[[Lowered], None]) -> None:
        outer = ctx.frame, ctx.statement
        ctx.frame, ctx.statement = frame, statement
        try:
            _loop(ctx, node, 0, first, lambda: consume(ctx.expr(node.elt)), None)
        finally:
            ctx.frame, ctx.statement = outer
        ctx.state.env.pop((frame, RETURNED), None)

    names = tuple((scope, n.id) for scope in (frame.outer,) for n in gast.walk(node) if isinstance(n, gast.Name))
    return new_iterator(ctx, Producer(run, "a generator expression", None, names))


def _frame(ctx: Context, node: Any) -> Frame:
    outer = ctx.frame
    names: set[str] = set()
    for g in node.generators:
        names |= set(_targets(g.target))
    return Frame(outer.source, frozenset(names), outer=outer, read=outer.read, class_of=outer.class_of,
                 comprehension=True, at=outer.at)


class _First:
    """The first iterable, which is evaluated in the scope around the comprehension, once."""

    def __init__(self, ctx: Context, node: Any, frame: Frame) -> None:
        self.ctx, self.node, self.frame = ctx, node.generators[0].iter, frame
        self.found: Lowered | None = None

    def evaluate(self) -> Lowered:
        if self.found is None:
            inner, self.ctx.frame = self.ctx.frame, self.frame
            self.found = self.ctx.expr(self.node)
            self.ctx.frame = inner
        return self.found


def _new_box(ctx: Context, node: Any) -> Box:
    if isinstance(node, gast.DictComp | gast.SetComp):
        box = Box("dict", None, "", ctx.depth)
        ctx.state.heap[box] = {}
        return box
    made = make_sequence(ctx, "list", [], node)
    assert isinstance(made, Box)
    return made


def _loop(ctx: Context, node: Any, k: int, first: _First, emit: Callable[[], None], box: Box | None) -> None:
    """The k-th `for` and what is in it; `emit` takes the element, `box` is the list that it goes into."""
    if k == len(node.generators):
        emit()
        return
    g = node.generators[k]
    iterable = first.evaluate() if k == 0 else ctx.expr(g.iter)
    items = usable_items(ctx, g.iter, iterable, g)
    if isinstance(iterable, Range) and isinstance(g.target, gast.Name):
        items.hint = g.target.id

    def body(loop: Loop, item: Lowered) -> None:
        assign(ctx, g.target, item)
        _filtered(ctx, node, g.ifs, k, first, emit, box)

    lower_for(ctx, g, items, body, lambda: None)


def _filtered(ctx: Context, node: Any, conditions: list[gast.AST], k: int, first: _First,
              emit: Callable[[], None], box: Box | None) -> None:
    if not conditions:
        _loop(ctx, node, k + 1, first, emit, box)
        return
    test = truth(ctx, conditions[0], ctx.expr(conditions[0]))
    if test is True:
        _filtered(ctx, node, conditions[1:], k, first, emit, box)
    elif isinstance(test, Value):
        if isinstance(node, gast.ListComp) and box is not None and not isinstance(ctx.state.heap[box], Value):
            saved = ctx.state.copy()
            with ctx.b.at(Block()):
                _filtered(ctx, node, conditions[1:], k, first, emit, box)
                content = ctx.state.heap[box]
            ctx.state = saved
            _grow(node, content[-1] if content else None)
        branch(ctx, test, lambda: _filtered(ctx, node, conditions[1:], k, first, emit, box), lambda: None)


def _grow(node: Any, element: Lowered | None) -> None:
    if isinstance(element, Value):
        raise GrowList(id(node), element.type)


def _element(ctx: Context, node: Any, box: Box) -> Callable[[], None]:
    """Puts the element into the list, dict or set."""
    def dict_item() -> None:
        ctx.state.heap[box][static(ctx, node.key, ctx.expr(node.key), "the key of a dict")] = ctx.expr(node.value)

    def set_item() -> None:
        ctx.state.heap[box][static(ctx, node.elt, ctx.expr(node.elt), "an element of a set")] = Static(None)

    def list_item() -> None:
        append(ctx, node, box, ctx.expr(node.elt))

    return {gast.DictComp: dict_item, gast.SetComp: set_item}.get(type(node), list_item)
