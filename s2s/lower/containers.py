"""Methods of lists and dicts that the program made, and of strings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from s2s.ir.core import Value
from s2s.ir.types import Array, List, Scalar, Type, fresh_dim, unify
from s2s.lower.context import Context, GrowList, Unroll
from s2s.lower.indexing import get_item
from s2s.lower.iterate import describe, items_of, known_items
from s2s.lower.merge import cast_to
from s2s.lower.numbers import known, sequence, value
from s2s.lower.sequences import mapping_items
from s2s.lower.truth import static, usable
from s2s.lower.values import Box, Lazy, Lowered, Outside, Static, Tuple


def append(ctx: Context, node: gast.AST, box: Box, new: Lowered) -> None:
    """`list.append(new)`; a list that is appended to in a run-time loop becomes one that grows."""
    if box in ctx.frozen:
        raise ctx.error(node, "this list is one of two, depending on a condition, and is changed")
    content = ctx.state.heap[box]
    if isinstance(content, Value):
        t = content.type
        assert isinstance(t, List)
        v = value(ctx, node, new)
        joined = unify(t.element, v.type)
        if joined is None:
            raise ctx.error(node, f"{describe(v)} is appended to a {t}",
                            "a list that grows in a loop has elements of one type")
        if not same_kind(joined, t.element):
            raise GrowList(box.site, general(joined))
        ctx.b.emit("append", {"list": content, "value": cast_to(ctx.b, ctx.b.block, v, t.element)})
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
    _trim(box, content, first=True)


def _trim(box: Box, content: list[Lowered], *, first: bool) -> None:
    """Keep a deque as long as it may be."""
    if box.kind == "list" and isinstance(box.extra, int) and len(content) > box.extra:
        del content[0 if first else -1]


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


def call_method(ctx: Context, node: gast.AST, x: Lowered, name: str, args: list[Lowered],
                kwargs: dict[str, Lowered]) -> Lowered | None:
    """A method of a container or string; None if it has no such method here."""
    if isinstance(x, Box) and x.kind in ("list", "dict"):
        table = _LIST if x.kind == "list" else _DICT
        if name in table:
            return table[name](ctx, node, x, *args, **kwargs)  # type: ignore[no-any-return]
    if isinstance(x, Outside) and name in ("items", "keys", "values", "get", "index", "count", "copy"):
        x = usable(ctx, node, x)
    if isinstance(x, Outside) and isinstance(x.value, dict) and name in ("items", "keys", "values"):
        return Lazy(name, (x,))
    if isinstance(x, Outside) and isinstance(x.value, dict) and name == "get":
        key = static(ctx, node, args[0], "the key of a dict")
        if key in x.value:
            return get_item(ctx, node, x, args[0])
        return args[1] if len(args) > 1 else Static(None)
    if isinstance(x, Static) and isinstance(x.value, str | bytes):
        given = [static(ctx, node, a, "an argument of a string method") for a in args]
        named = {k: static(ctx, node, v, "an argument of a string method") for k, v in kwargs.items()}
        return Static(getattr(x.value, name)(*given, **named))
    if isinstance(x, Tuple | Outside) and name in ("index", "count"):
        items = sequence(ctx, x)
        if items is not None:
            values = [known(ctx, v) for v in items]
            return ctx.b.int(getattr(values, name)(static(ctx, node, args[0], "the item")))
    return None


def _append(ctx: Context, node: gast.AST, x: Box, new: Lowered) -> Lowered:
    append(ctx, node, x, new)
    return Static(None)


def _extend(ctx: Context, node: gast.AST, x: Box, new: Lowered) -> Lowered:
    items = items_of(ctx, node, new)
    if items.fixed is None:
        raise ctx.error(node, f"a list is extended by {describe(new)}, whose length is not known")
    for f in items.fixed:
        append(ctx, node, x, f())
    return Static(None)


def _fixed(ctx: Context, node: gast.AST, x: Box, what: str) -> list[Lowered]:
    content = ctx.state.heap[x]
    if not isinstance(content, list) or ctx.depth > x.depth:
        raise ctx.error(node, f"{what} on a list that grows or shrinks in a loop is not supported")
    return content


def _pop(ctx: Context, node: gast.AST, x: Box, index: Lowered | None = None) -> Lowered:
    content = _fixed(ctx, node, x, "pop")
    k = -1 if index is None else static(ctx, node, index, "the index")
    return content.pop(k)


def _insert(ctx: Context, node: gast.AST, x: Box, index: Lowered, new: Lowered) -> Lowered:
    _fixed(ctx, node, x, "insert").insert(static(ctx, node, index, "the index"), new)
    return Static(None)


def _reverse(ctx: Context, node: gast.AST, x: Box) -> Lowered:
    _fixed(ctx, node, x, "reverse").reverse()
    return Static(None)


def _clear(ctx: Context, node: gast.AST, x: Box) -> Lowered:
    _fixed(ctx, node, x, "clear").clear()
    return Static(None)


def _copy(ctx: Context, node: gast.AST, x: Box) -> Lowered:
    content = ctx.state.heap[x]
    if isinstance(content, Value):
        raise ctx.error(node, "a copy of a list that grows in a loop is not supported")
    box = Box(x.kind, x.cls, "", ctx.depth)
    ctx.state.heap[box] = dict(content) if isinstance(content, dict) else list(content)
    return box


def _index(ctx: Context, node: gast.AST, x: Box, item: Lowered) -> Lowered:
    values = [known(ctx, v) for v in _fixed(ctx, node, x, "index")]
    return ctx.b.int(values.index(static(ctx, node, item, "the item")))


def _get(ctx: Context, node: gast.AST, x: Box, key: Lowered, default: Lowered = Static(None)) -> Lowered:  # noqa: B008
    return ctx.state.heap[x].get(static(ctx, node, key, "the key of a dict"), default)  # type: ignore[no-any-return]


def _dict_pop(ctx: Context, node: gast.AST, x: Box, key: Lowered, *default: Lowered) -> Lowered:
    return ctx.state.heap[x].pop(static(ctx, node, key, "the key of a dict"), *default)  # type: ignore[no-any-return]


def _update(ctx: Context, node: gast.AST, x: Box, *others: Lowered, **named: Lowered) -> Lowered:
    for other in others:
        ctx.state.heap[x].update(mapping_items(ctx, node, other))
    ctx.state.heap[x].update(named)
    return Static(None)


def _setdefault(ctx: Context, node: gast.AST, x: Box, key: Lowered, default: Lowered) -> Lowered:
    return ctx.state.heap[x].setdefault(static(ctx, node, key, "the key of a dict"), default)  # type: ignore[no-any-return]


def _view(name: str) -> Callable[..., Lowered]:
    def view(ctx: Context, node: gast.AST, x: Box) -> Lowered:
        return Lazy(name, (x,))
    return view


def _appendleft(ctx: Context, node: gast.AST, x: Box, new: Lowered) -> Lowered:
    content = _fixed(ctx, node, x, "appendleft")
    content.insert(0, new)
    _trim(x, content, first=False)
    return Static(None)


def _popleft(ctx: Context, node: gast.AST, x: Box) -> Lowered:
    return _pop(ctx, node, x, ctx.b.int(0))


def _extendleft(ctx: Context, node: gast.AST, x: Box, new: Lowered) -> Lowered:
    for item in known_items(ctx, node, new):
        _appendleft(ctx, node, x, item)
    return Static(None)


def _rotate(ctx: Context, node: gast.AST, x: Box, n: Lowered | None = None) -> Lowered:
    content = _fixed(ctx, node, x, "rotate")
    by = 1 if n is None else static(ctx, node, n, "how far it is rotated")
    if content:
        at = -by % len(content)
        content[:] = [*content[at:], *content[:at]]
    return Static(None)


def _popitem(ctx: Context, node: gast.AST, x: Box, last: Lowered | None = None) -> Lowered:
    content = ctx.state.heap[x]
    if not content:
        raise ctx.error(node, "popitem of an empty dict", "Python would raise KeyError", "look at its length first",
                        python=KeyError)
    key = list(content)[-1 if last is None or static(ctx, node, last, "last") else 0]
    return Tuple((_constant(ctx, key), content.pop(key)))


def _constant(ctx: Context, key: Any) -> Lowered:
    return ctx.b.const(key) if isinstance(key, bool | int | float | complex) else Static(key)


def _move_to_end(ctx: Context, node: gast.AST, x: Box, key: Lowered, last: Lowered | None = None) -> Lowered:
    content, name = ctx.state.heap[x], static(ctx, node, key, "the key of a dict")
    item = {name: content.pop(name)}
    rest = dict(content)
    content.clear()
    content.update({**rest, **item} if last is None or static(ctx, node, last, "last") else {**item, **rest})
    return Static(None)


_LIST: dict[str, Callable[..., Any]] = {
    "appendleft": _appendleft, "popleft": _popleft, "extendleft": _extendleft, "rotate": _rotate,
    "append": _append, "extend": _extend, "pop": _pop, "insert": _insert, "reverse": _reverse, "copy": _copy,
    "clear": _clear, "index": _index}
_DICT: dict[str, Callable[..., Any]] = {
    "popitem": _popitem, "move_to_end": _move_to_end,
    "get": _get, "pop": _dict_pop, "update": _update, "setdefault": _setdefault, "copy": _copy,
    "items": _view("items"), "keys": _view("keys"), "values": _view("values")}
