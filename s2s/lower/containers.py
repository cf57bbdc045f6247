"""Lists that the program made: append, which makes them grow in loops, and their other methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from s2s.ir.core import Value
from s2s.ir.types import INT, Array, List, Scalar, Type, fresh_dim, unify
from s2s.lower.context import Context, GrowList, Unroll
from s2s.lower.control import conditional
from s2s.lower.describe import describe
from s2s.lower.guards import raise_if
from s2s.lower.iterate import items_of, known_items
from s2s.lower.merge import cast_to
from s2s.lower.numbers import compare, held, known, value
from s2s.lower.standing import check_changed
from s2s.lower.truth import static, truth, usable
from s2s.lower.values import Box, Lowered, Static, Tuple


def append(ctx: Context, node: gast.AST, box: Box, new: Lowered, limit: bool = True) -> None:
    """`list.append(new)`; a list that is appended to in a run-time loop becomes one that grows.

    limit: whether a deque drops its first item where it becomes too long.
    """
    check_changed(ctx, node, box)
    content = ctx.state.heap[box]
    if isinstance(content, Value):
        t = content.type
        assert isinstance(t, List)
        v = held(ctx, node, new)
        joined = unify(t.element, v.type)
        if joined is None:
            raise ctx.error(node, f"{describe(v)} is appended to a {t}",
                            "a list that grows in a loop has elements of one type")
        if not same_kind(joined, t.element):
            raise GrowList(box.site, general(joined))
        ctx.b.emit("append", {"list": content, "value": cast_to(ctx.b, ctx.b.block, v, t.element)})
        if box.extra is not None and limit:
            ctx.stand_in(node, "list_limit", [box, Static(box.extra), Static(True)], {})
        return
    if ctx.depth > box.depth:
        if not isinstance(new, Value):
            loop = next((r for r in reversed(ctx.loops) if r.runtime), None)
            structured = isinstance(new, Tuple) or (isinstance(new, Box) and new.kind == "list")
            if loop is not None and loop.unrollable and not structured:
                raise Unroll(loop.node, ctx.error(node, f"{describe(new)} is appended in a loop"))
            new = value(ctx, node, new)
        element = new.type
        for item in content:
            joined = unify(element, value(ctx, node, item).type)
            if joined is None:
                raise ctx.error(node, "the elements of this list have different types",
                                "a list that grows in a loop has elements of one type")
            element = joined
        if not box.site:
            raise ctx.error(node, "this list grows in a loop, and s2s does not know where it was made")
        raise GrowList(box.site, general(element))
    content.append(new)
    if box.extra is not None and len(content) > box.extra:
        content.pop(0)


def grown(ctx: Context, node: gast.AST, box: Box, what: str) -> Value:
    """The list as one that grows at run time: it starts over, where it has been one of known length so far."""
    content = ctx.state.heap[box]
    if isinstance(content, Value):
        return content
    element: Type | None = None
    for item in content:
        v = value(ctx, node, item)
        element = v.type if element is None else unify(element, v.type)
        if element is None:
            break
    if element is None or not box.site:
        raise ctx.error(node, f"{what} on a list that grows or shrinks in a loop is not supported",
                        "its length is not known before the function runs", "use an array and an index")
    raise GrowList(box.site, general(element))


def same_kind(a: Type, b: Type) -> bool:
    """Whether two types differ in sizes at most."""
    return str(a) == str(b) and getattr(a, "weak", None) == getattr(b, "weak", None)


def general(t: Type) -> Type:
    """The type without sizes that belong to one value of it."""
    if isinstance(t, Scalar):
        return Scalar(t.dtype, t.weak)
    if isinstance(t, Array):
        return Array(t.dtype, tuple(fresh_dim() if d.symbol is not None else d for d in t.dims))
    return t


def _append(ctx: Context, node: gast.AST, x: Box, new: Lowered) -> Lowered:
    append(ctx, node, x, new)
    return Static(None)


def _extend(ctx: Context, node: gast.AST, x: Box, new: Lowered) -> Lowered:
    items = items_of(ctx, node, usable(ctx, node, new))
    if items.fixed is None:
        ctx.handlers.loop(ctx, node, items, lambda loop, item: append(ctx, node, x, item), lambda: None)
        return Static(None)
    for f in list(items.fixed):
        append(ctx, node, x, f())
    return Static(None)


def grows(ctx: Context, x: Box) -> bool:
    """Whether the length of a list that is to be changed is known at run time only."""
    return isinstance(ctx.state.heap[x], Value) or (ctx.depth > x.depth and bool(x.site))


def _written(ctx: Context, node: gast.AST, x: Box, method: str, *args: Lowered) -> Lowered:
    """A method of a list that grows, written by what such a list can do."""
    check_changed(ctx, node, x)
    grown(ctx, node, x, method)
    return ctx.stand_in(node, f"list_{method}", [x, *args], {})


def fixed_content(ctx: Context, node: gast.AST, x: Box, what: str) -> list[Lowered]:
    """The items of a list of known length, to be changed or looked through."""
    content = ctx.state.heap[x]
    check_changed(ctx, node, x)
    if not isinstance(content, list) or ctx.depth > x.depth:
        raise ctx.error(node, f"{what} on a list that grows or shrinks in a loop is not supported",
                        "its length is not known before the function runs", "use an array and an index")
    return content


def _pop(ctx: Context, node: gast.AST, x: Box, index: Lowered | None = None) -> Lowered:
    content = ctx.state.heap[x]
    last = index is None or known(ctx, index) == -1
    if last and (isinstance(content, Value) or ctx.depth > x.depth):
        return ctx.b.one("listpop", {"list": grown(ctx, node, x, "pop")})
    if grows(ctx, x):
        grown(ctx, node, x, "pop")
        return ctx.stand_in(node, "list_pop", [x, ctx.b.int(-1) if index is None else index], {})
    content = fixed_content(ctx, node, x, "pop")
    k = -1 if index is None else static(ctx, node, index, "the index")
    if not -len(content) <= k < len(content):
        raise ctx.error(node, "pop index out of range" if content else "pop from an empty list",
                        "Python would raise IndexError", "test its length before", python=IndexError)
    return content.pop(k)


def _popleft(ctx: Context, node: gast.AST, x: Box) -> Lowered:
    return _pop(ctx, node, x, ctx.b.int(0))


def _appendleft(ctx: Context, node: gast.AST, x: Box, new: Lowered) -> Lowered:
    if grows(ctx, x):
        append(ctx, node, x, new, limit=False)
        ctx.stand_in(node, "list_last_to", [x, ctx.b.int(0)], {})
        if x.extra is not None:
            ctx.stand_in(node, "list_limit", [x, Static(x.extra), Static(False)], {})
        return Static(None)
    content = fixed_content(ctx, node, x, "appendleft")
    content.insert(0, new)
    if x.extra is not None and len(content) > x.extra:
        content.pop()
    return Static(None)


def _extendleft(ctx: Context, node: gast.AST, x: Box, new: Lowered) -> Lowered:
    for item in known_items(ctx, node, new):
        _appendleft(ctx, node, x, item)
    return Static(None)


def _rotate(ctx: Context, node: gast.AST, x: Box, n: Lowered | None = None) -> Lowered:
    content = fixed_content(ctx, node, x, "rotate")
    k = 1 if n is None else static(ctx, node, n, "the number of places")
    if content:
        k %= len(content)
        content[:] = content[-k:] + content[:-k] if k else content
    return Static(None)


def _insert(ctx: Context, node: gast.AST, x: Box, index: Lowered, new: Lowered) -> Lowered:
    if grows(ctx, x):
        append(ctx, node, x, new)
        return ctx.stand_in(node, "list_last_to", [x, index], {})
    fixed_content(ctx, node, x, "insert").insert(static(ctx, node, index, "the index"), new)
    return Static(None)


def _reverse(ctx: Context, node: gast.AST, x: Box) -> Lowered:
    if grows(ctx, x):
        return _written(ctx, node, x, "reverse")
    fixed_content(ctx, node, x, "reverse").reverse()
    return Static(None)


def _clear(ctx: Context, node: gast.AST, x: Box) -> Lowered:
    if grows(ctx, x):
        return _written(ctx, node, x, "clear")
    fixed_content(ctx, node, x, "clear").clear()
    return Static(None)


def _copy(ctx: Context, node: gast.AST, x: Box) -> Lowered:
    content = ctx.state.heap[x]
    if isinstance(content, Value):
        return ctx.call(node, Static(list), [x])
    box = Box(x.kind, x.cls, "", ctx.depth, id(node), x.extra)
    ctx.state.heap[box] = list(content)
    return box


def equal_items(ctx: Context, node: gast.AST, items: list[Lowered], item: Lowered) -> list[bool | Value]:
    """For each of `items`, whether it is equal to `item`."""
    return [truth(ctx, node, compare(ctx, node, "eq", v, item)) for v in items]


def first_equal(ctx: Context, node: gast.AST, items: list[Lowered], item: Lowered, what: str) -> Lowered:
    """The index of the first item that is equal."""
    tests = equal_items(ctx, node, items, item)
    while tests and tests[-1] is False:
        tests.pop()
    found: Lowered | None = None
    certain = [k for k, test in enumerate(tests) if test is True]
    if certain:
        tests = tests[:certain[0] + 1]
    elif tests:
        any_: Value | None = None
        for test in tests:
            if isinstance(test, Value):
                any_ = test if any_ is None else ctx.b.one("or", {"x": any_, "y": test})
        assert any_ is not None
        raise_if(ctx, ctx.b.one("not", {"x": any_}), f"ValueError({what!r})")
    for k in reversed(range(len(tests))):
        test, here = tests[k], ctx.b.int(k)
        if found is None or test is True:
            found = here
        elif isinstance(test, Value):
            found = conditional(ctx, node, test, lambda v=here: v, lambda v=found: v)
    if found is None:
        raise ctx.error(node, what, "Python would raise ValueError", "test with `in` before", python=ValueError)
    return found


def _index(ctx: Context, node: gast.AST, x: Box, item: Lowered) -> Lowered:
    if isinstance(ctx.state.heap[x], Value):
        return _written(ctx, node, x, "index", item)
    return first_equal(ctx, node, fixed_content(ctx, node, x, "index"), item, "the item is not in the list")


def _remove(ctx: Context, node: gast.AST, x: Box, item: Lowered) -> Lowered:
    if grows(ctx, x):
        return _written(ctx, node, x, "remove", item)
    content = fixed_content(ctx, node, x, "remove")
    k = static(ctx, node, first_equal(ctx, node, content, item, "the item is not in the list"),
               "which item is removed")
    del content[k]
    return Static(None)


def _count(ctx: Context, node: gast.AST, x: Box, item: Lowered) -> Lowered:
    if isinstance(ctx.state.heap[x], Value):
        return _written(ctx, node, x, "count", item)
    return count_equal(ctx, node, fixed_content(ctx, node, x, "count"), item)


def count_equal(ctx: Context, node: gast.AST, items: list[Lowered], item: Lowered) -> Lowered:
    """How many items are equal to one."""
    total = ctx.b.int(0)
    for test in equal_items(ctx, node, items, item):
        if isinstance(test, Value):
            total = ctx.b.add(total, ctx.b.cast(test, INT))
        elif test:
            total = ctx.b.add(total, ctx.b.int(1))
    return total


LIST_METHODS: dict[str, Callable[..., Any]] = {
    "append": _append, "extend": _extend, "pop": _pop, "insert": _insert, "reverse": _reverse, "copy": _copy,
    "clear": _clear, "index": _index, "count": _count, "remove": _remove}
DEQUE_METHODS: dict[str, Callable[..., Any]] = {
    "popleft": _popleft, "appendleft": _appendleft, "extendleft": _extendleft, "rotate": _rotate}
