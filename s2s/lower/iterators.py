"""Iterators: generators, generator expressions, zip and its kind. Each hands out its items once.

An iterator is a container of the program, which holds what it iterates over and how far it is. A generator
is a `Producer`: to iterate over it is to lower its body with the body of the loop where it yields.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from s2s.ir.core import Value
from s2s.ir.ops import constant
from s2s.ir.types import Array, List, Scalar
from s2s.lower.containers import append
from s2s.lower.context import RETURNED, Context, copy_content
from s2s.lower.control import TRUE, branch, conditional
from s2s.lower.describe import describe
from s2s.lower.guards import raise_if
from s2s.lower.iterate import Items, items_of, new_iterator
from s2s.lower.loops import lower_for, usable_items
from s2s.lower.numbers import value
from s2s.lower.objects import call_special
from s2s.lower.outside import outside
from s2s.lower.sequences import make_sequence
from s2s.lower.truth import usable
from s2s.lower.values import Box, Conflict, Lowered, Outside, Producer, Range, Static, Tuple


def collect(ctx: Context, node: gast.AST, items: Items) -> Box:
    """A list of the items."""
    box = make_sequence(ctx, "list", [], node)
    assert isinstance(box, Box)
    endless = len(ctx.endless)
    lower_for(ctx, node, items, lambda loop, item: append(ctx, node, box, item), lambda: None)
    if len(ctx.endless) > endless:
        raise ctx.error(node, "all items of an iterator that never ends are taken", "Python would not come back",
                        "take the first ones with itertools.islice, or leave the loop with `break`")
    return box


def all_items(ctx: Context, node: gast.AST, x: Lowered) -> list[Lowered] | None:
    """The items of anything whose number is known; None where it is not."""
    x = usable(ctx, node, x)
    items = items_of(ctx, node, x)
    if items.push is not None:
        box = collect(ctx, node, items)  # it may put another state in place
        content = ctx.state.heap[box]
        return list(content) if isinstance(content, list) else None
    return None if items.fixed is None else [f() for f in items.fixed]


def pool_of(ctx: Context, node: gast.AST, args: list[Lowered], kwargs: dict[str, Lowered]) -> Lowered:
    """The items of anything, to be read by index: a tuple, an array or a range."""
    x = usable(ctx, node, args[0])
    if isinstance(x, Range) or (isinstance(x, Value) and isinstance(x.type, Array)):
        return x
    content = ctx.state.heap.get(x) if isinstance(x, Box) else x
    if isinstance(content, Value) and isinstance(content.type, List):
        if not isinstance(content.type.element, Scalar):
            # The arrays themselves: they may be written to.
            return ctx.stand_in(node, "list_part", [content, Static(None), Static(None), Static(1)], {})
        return value(ctx, node, content)
    items = items_of(ctx, node, x)
    if items.fixed is not None and (not items.runtime or len(items.fixed) <= 8):
        return Tuple(tuple(_as_tuple(ctx, f()) for f in items.fixed))
    box = collect(ctx, node, items)
    content = ctx.state.heap[box]
    if isinstance(content, list):
        return Tuple(tuple(content))
    return value(ctx, node, content) if isinstance(content.type.element, Scalar) else box


def _as_tuple(ctx: Context, x: Lowered) -> Lowered:
    """A tuple from outside as one of the program, item by item."""
    if not (isinstance(x, Outside) and isinstance(x.value, tuple)):
        return x
    cls = type(x.value) if hasattr(x.value, "_fields") else None
    return Tuple(tuple(_as_tuple(ctx, outside(ctx, ctx.binding.read(x.read, "item", k)))
                       for k in range(len(x.value))), cls)


def lower_iter(ctx: Context, node: gast.AST, args: list[Lowered], kwargs: dict[str, Lowered]) -> Lowered:
    """iter(x)."""
    if len(args) != 1:
        raise ctx.error(node, "iter() with a sentinel is not supported", "", "write it as a `while` loop")
    x = usable(ctx, node, args[0])
    if isinstance(x, Box) and x.kind == "iterator":
        return x
    return call_special(ctx, node, x, "__iter__", []) or new_iterator(ctx, x)


def lower_next(ctx: Context, node: gast.AST, args: list[Lowered], kwargs: dict[str, Lowered]) -> Lowered:
    """next(iterator) and next(iterator, default)."""
    x = usable(ctx, node, args[0])
    default = args[1] if len(args) > 1 else None
    own = call_special(ctx, node, x, "__next__", []) if default is None else None
    if own is not None:
        return own
    if not (isinstance(x, Box) and x.kind == "iterator"):
        raise ctx.error(node, f"next() of {describe(x)}", "it is no iterator: Python would raise TypeError",
                        "make one with iter()", python=TypeError)
    source = usable(ctx, node, ctx.state.heap[x]["source"])
    if isinstance(source, Producer) and not x.hint:
        found = ctx.stand_in(node, "next_", args, {})
        left_early(ctx, x)
        return found
    _refuse_changed(ctx, node, x)
    if isinstance(source, Producer):
        read = _read_by(ctx, source)
        made = collect(ctx, node, items_of(ctx, node, x))
        if _read_by(ctx, source) != read:
            raise ctx.error(node, "next() of a generator that changes what is around it",
                            "its values are all computed at the first next()", "loop over it")
        ctx.taken[x] = {"of": source, **read}
        ctx.state.heap[x] = {"source": made, "position": ctx.b.int(0)}
        source = made
    return _next_by_index(ctx, node, x, source, default)


def _read_by(ctx: Context, source: Producer) -> dict[Any, Any]:
    """What a generator may read: the names around it, and what is in the containers among these and its arguments."""
    found: dict[Any, Any] = {key: ctx.state.env.get(key) for key in source.names}
    pending = [*found.values(), *source.given]
    while pending:
        x = pending.pop()
        if isinstance(x, Tuple):
            pending += x.items
        elif isinstance(x, Box) and x not in found:
            content = found[x] = copy_content(ctx.state.heap.get(x))
            pending += content if isinstance(content, list) else content.values() if isinstance(content, dict) else []
    return found


def _refuse_changed(ctx: Context, node: gast.AST, x: Box) -> None:
    """All values of a generator were computed at the first next(): what it reads must be as it was then."""
    before = ctx.taken.get(x)
    if before is not None and {"of": before["of"], **_read_by(ctx, before["of"])} != before:
        raise ctx.error(node, "next() of a generator that reads what has changed since the next() before",
                        "its values are all computed at the first next()", "loop over it")


def _next_by_index(ctx: Context, node: gast.AST, x: Box, source: Lowered, default: Lowered | None) -> Lowered:
    items = items_of(ctx, node, source)
    if items.push is not None:
        raise ctx.error(node, "next() of an iterator over a generator is not supported",
                        "its items are handed out one at a time", "loop over it, or make a list of it first")
    position = ctx.state.heap[x]["position"]
    following = ctx.b.add(position, ctx.b.int(1))
    k = constant(position)
    if items.fixed is not None and k is not None:
        if k < len(items.fixed):
            ctx.state.heap[x]["position"] = following
            return items.fixed[k]()  # type: ignore[no-any-return]
        if default is not None:
            return default
        raise ctx.error(node, "next() of an iterator that has come to its end", "Python would raise StopIteration",
                        "give it a default: next(iterator, None)", python=StopIteration)
    if not items.runtime:
        raise ctx.error(node, "next() of an iterator whose position is not known before the function runs",
                        "its items are of different kinds", "loop over it")
    there = ctx.b.binary("lt", position, items.length(ctx))
    ctx.state.heap[x]["position"] = following
    if default is None:
        raise_if(ctx, ctx.b.one("not", {"x": there}), "StopIteration")
        return items.kth(ctx, position)
    return conditional(ctx, node, there, lambda: items.kth(ctx, position), lambda: default)


def numbered(ctx: Context, inner: Items, start: Value) -> Items:
    """enumerate() of a generator."""
    return _counted(ctx, inner, lambda k: True, lambda k, item: Tuple((ctx.b.add(start, k), item)))


def _counted(ctx: Context, inner: Items, there: Callable[[Value], bool | Value],
             row: Callable[[Value, Lowered], Lowered]) -> Items:
    """The items of a generator with their numbers, as long as `there(k)`."""
    assert inner.push is not None
    push = inner.push
    key: Any = (("counter", object()), "k")

    def run(consume: Callable[[Lowered], None]) -> None:
        ctx.state.env[key] = ctx.b.int(0)

        def one(item: Lowered) -> None:
            k = ctx.state.env[key]
            assert isinstance(k, Value)
            frame = ctx.frame

            def hand_on() -> None:
                consume(row(k, item))
                ctx.state.env[key] = ctx.b.add(k, ctx.b.int(1))

            def end() -> None:
                ctx.state.env[frame, RETURNED] = TRUE

            go_on = there(k)
            if isinstance(go_on, Value):
                branch(ctx, go_on, hand_on, end)
            elif go_on:
                hand_on()
            else:
                end()

        push(one)
        ctx.state.env.pop(key, None)

    return Items(None, False, push=run)


def zip_generators(ctx: Context, node: gast.AST, inner: list[Items]) -> Items:
    """zip() with a generator: the others are read by the number of the item."""
    at = [k for k, i in enumerate(inner) if i.push is not None]
    for k in at[1:]:
        box = collect(ctx, node, inner[k])
        content = ctx.state.heap[box]
        inner[k] = items_of(ctx, node, Tuple(tuple(content)) if isinstance(content, list) else content)

    def there(k: Value) -> bool | Value:
        found: bool | Value = True
        for i in inner:
            if i.push is None:
                more = ctx.b.binary("lt", k, i.length(ctx))
                known = constant(more)
                if known is None:
                    found = more if isinstance(found, bool) else ctx.b.one("and", {"x": found, "y": more})
                elif not known:
                    return False
        return found

    def other(i: Items, k: Value) -> Lowered:
        known = constant(k)
        if i.fixed is not None and known is not None:
            return i.fixed[known]()  # type: ignore[no-any-return]
        if not i.runtime:
            raise ctx.error(node, "zip() of a generator and a container of different things",
                            "which of them is next is not known before the function runs", "make a list of it first")
        return i.kth(ctx, k)

    return _counted(ctx, inner[at[0]], there,
                    lambda k, item: Tuple(tuple(item if i.push is not None else other(i, k) for i in inner)))


def left_early(ctx: Context, x: Lowered) -> None:
    """After a loop that may have ended before the iterator did: what is left of it is not known."""
    if isinstance(x, Box) and x.kind == "iterator":
        ctx.state.heap[x]["source"] = Conflict("an iterator that a loop may have left before its end")


def lower_yield(ctx: Context, node: gast.Yield) -> Lowered:
    """`yield value`: what iterates over the generator takes the value."""
    item: Lowered = Static(None) if node.value is None else ctx.expr(node.value)
    ctx.yields[ctx.frame](item)
    return Static(None)


def lower_yield_from(ctx: Context, node: gast.YieldFrom) -> Lowered:
    """`yield from iterable`."""
    consume: Any = ctx.yields[ctx.frame]
    items = usable_items(ctx, node, ctx.expr(node.value), node)
    lower_for(ctx, node, items, lambda loop, item: consume(item), lambda: None)
    return Static(None)
