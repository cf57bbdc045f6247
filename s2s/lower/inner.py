"""A function inside the program that is not run but differentiated: its operations in a block of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import gast

from s2s.ir.core import Block, Function, Op, Value, free_values, walk
from s2s.ir.memory import Memory, is_memory
from s2s.lower.context import Context, State
from s2s.lower.nests import leaves_of, settled
from s2s.lower.values import Box, Conflict, Lowered


def inner_block(ctx: Context, node: gast.AST | None, write: Callable[[], Lowered],
                own: Iterable[Value] = ()) -> tuple[Block, Lowered, State]:
    """What `write` lowers, in a block; its result, and the state in which that is to be read.

    The block yields the leaves of the result. The program's state stays as it was; so an inner function that
    changes something of the functions around it is refused. own: its parameters, of which it changes copies.
    """
    block, saved = Block(), ctx.state.copy()
    with ctx.b.at(block):
        result = settled(ctx, node, write())
        block.results = leaves_of(ctx, result)
    after, ctx.state = ctx.state, saved
    _refuse_changes(ctx, node, saved, after)
    _forget(ctx, saved, after)
    _refuse_stores(ctx, block, frozenset(own))
    return block, result, after


def _forget(ctx: Context, before: State, after: State) -> None:
    """Globals and attributes that the inner function assigns: it does so once, but what they hold then is not known."""
    for key in after.env:
        if key not in before.env and key in ctx.initial:
            why = f"what an inner function, which is differentiated, has assigned to {key[1]!r}"
            ctx.state.bind(key, Conflict(why))


def _error(ctx: Context, node: gast.AST | None, what: str) -> Any:
    return ctx.error(node, f"the inner function changes {what}, which belongs to the function around it",
                     "it is differentiated in its own place, and what it changes would be lost",
                     "return what it computes, or change a copy")


def _refuse_changes(ctx: Context, node: gast.AST | None, before: State, after: State) -> None:
    for key, v in before.env.items():
        name = key[1]
        if not name.startswith("#") and key in after.env and _differ(v, after.env[key]):
            raise _error(ctx, node, repr(name))
    for box, content in before.heap.items():
        now = after.heap.get(box, content)
        if isinstance(content, Value) or type(now) is not type(content):
            changed = now is not content
        else:
            changed = len(now) != len(content) or (
                any(map(_differ, now.values(), content.values())) or list(now) != list(content)
                if isinstance(content, dict) else any(map(_differ, now, content)))
        if changed:
            raise _error(ctx, node, f"the {box.kind} {box.hint!r}" if box.hint else f"a {box.kind}")


def _differ(x: Lowered, y: Lowered) -> bool:
    return x is not y and (isinstance(x, Value | Box) or isinstance(y, Value | Box) or x != y)


def _refuse_stores(ctx: Context, block: Block, own: frozenset[Value]) -> None:
    """Stores into arrays and growing lists of the functions around an inner one."""
    stores: list[Op] = [op for op in walk(block) if op.spec.writes is not None]
    if not stores:
        return
    outer = [v for v in free_values(block) if is_memory(v.type) and v not in own]
    memory = Memory(Function("inner", Block(list(outer), block.ops, block.results)))
    classes = {memory.of(v): v for v in outer}
    for op in stores:
        assert op.spec.writes is not None
        target = classes.get(memory.of(op.value(op.spec.writes)))
        if target is not None:
            ctx.b.loc = op.loc
            raise _error(ctx, None, repr(target.hint) if target.hint else "an array")
