"""Methods of dicts, sets and strings, and the choice of the method of any container."""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable
from typing import Any

import gast

from s2s.ir.core import Value
from s2s.lower.adopted import adopt, can_adopt
from s2s.lower.containers import DEQUE_METHODS, LIST_METHODS, count_equal, first_equal
from s2s.lower.context import Context
from s2s.lower.indexing import get_item
from s2s.lower.iterate import known_items
from s2s.lower.ordering import sort_in_place
from s2s.lower.outside import outside
from s2s.lower.sequences import make_set, mapping_items
from s2s.lower.standing import check_changed
from s2s.lower.truth import static, usable
from s2s.lower.values import Box, Lazy, Lowered, Outside, Static, Tuple

NONE = Static(None)


def call_method(ctx: Context, node: gast.AST, x: Lowered, name: str, args: list[Lowered],
                kwargs: dict[str, Lowered]) -> Lowered | None:
    """A method of a container or string; None if it has no such method here."""
    if name in _SPECIAL and not (isinstance(x, Box) and x.kind == "object"):
        return ctx.call(node, Static(_SPECIAL[name]), [x, *args], kwargs)
    if isinstance(x, Box):
        usable(ctx, node, x)
        method = methods_of(x).get(name)
        return None if method is None else method(ctx, node, x, *args, **kwargs)
    if isinstance(x, Outside) and can_adopt(ctx, x) and (
            x.read.path in ctx.adopting or (isinstance(x.value, dict) and name in _CHANGES)):
        return call_method(ctx, node, adopt(ctx, node, x), name, args, kwargs)
    if isinstance(x, Outside):
        return _outside_method(ctx, node, x, name, args)
    if isinstance(x, Static) and isinstance(x.value, str | bytes):
        return _text_method(ctx, node, x.value, name, args, kwargs)
    if isinstance(x, Tuple) and name in ("index", "count"):
        return _of_items(ctx, node, list(x.items), name, args)
    return None


# Methods that are called by name, as a key: `max(range(n), key=items.__getitem__)`.
_SPECIAL = {"__getitem__": operator.getitem, "__len__": len, "__contains__": operator.contains}


def methods_of(x: Box) -> dict[str, Callable[..., Any]]:
    """The methods of a container."""
    if x.kind == "list":
        return {**LIST_METHODS, **DEQUE_METHODS} if x.cls is collections.deque else {**LIST_METHODS, **_SORT}
    return {"dict": _DICT, "set": _SET}.get(x.kind, {})


def _of_items(ctx: Context, node: gast.AST, items: list[Lowered], name: str, args: list[Lowered]) -> Lowered:
    if name == "count":
        return count_equal(ctx, node, items, args[0])
    return first_equal(ctx, node, items, args[0], "the item is not there")


def _outside_method(ctx: Context, node: gast.AST, x: Outside, name: str, args: list[Lowered]) -> Lowered | None:
    """What a container from outside is read with."""
    if name not in ("items", "keys", "values", "get", "index", "count", "copy") or not isinstance(
            x.value, list | tuple | dict):
        return None
    used = usable(ctx, node, x)
    assert isinstance(used, Outside)
    v = used.value
    if isinstance(v, dict):
        if name in ("items", "keys", "values"):
            return Lazy(name, (used,))
        if name == "get":
            key = static(ctx, node, args[0], "the key of a dict")
            return get_item(ctx, node, used, args[0]) if key in v else args[1] if len(args) > 1 else NONE
        if name == "copy":
            return _new_dict(ctx, mapping_items(ctx, node, used), None)
        return None
    items = [outside(ctx, ctx.binding.read(used.read, "item", k)) for k in range(len(v))]
    if name == "copy":
        return ctx.call(node, Static(list), [used])
    return _of_items(ctx, node, items, name, args) if name in ("index", "count") else None


def _text_method(ctx: Context, node: gast.AST, text: Any, name: str, args: list[Lowered],
                 kwargs: dict[str, Lowered]) -> Lowered:
    what = "an argument of a string method"
    if name == "join":
        given: list[Any] = [[static(ctx, node, v, what) for v in known_items(ctx, node, args[0])]]
    else:
        given = [static(ctx, node, a, what) for a in args]
    named = {k: static(ctx, node, v, what) for k, v in kwargs.items()}
    try:
        found = getattr(text, name)(*given, **named)
    except Exception as error:
        raise ctx.error(node, f"{type(error).__name__}: {error}", "Python would raise it too",
                        python=type(error)) from None
    return ctx.b.const(found) if isinstance(found, bool | int) else Static(found)


def _new_dict(ctx: Context, content: dict[Any, Lowered], cls: type | None, extra: Any = None) -> Box:
    box = Box("dict", cls, "", ctx.depth, 0, extra)
    ctx.state.heap[box] = content
    return box


def _content(ctx: Context, node: gast.AST, x: Box) -> dict[Any, Any]:
    """The content of a dict or set, to be changed."""
    check_changed(ctx, node, x)
    return ctx.state.heap[x]  # type: ignore[no-any-return]


def _get(ctx: Context, node: gast.AST, x: Box, key: Lowered, default: Lowered = NONE) -> Lowered:
    k = static(ctx, node, key, "the key of a dict")
    return ctx.state.heap[x][k] if ctx.has(x, k) else default


def _pop(ctx: Context, node: gast.AST, x: Box, key: Lowered, *default: Lowered) -> Lowered:
    k, content = static(ctx, node, key, "the key of a dict"), _content(ctx, node, x)
    if not ctx.has(x, k) and not default:
        raise ctx.error(node, f"the dict has no key {k!r}", "Python would raise KeyError", "give pop a default",
                        python=KeyError)
    return content.pop(k, *default)  # type: ignore[no-any-return]


def _popitem(ctx: Context, node: gast.AST, x: Box, last: Lowered = Static(True)) -> Lowered:  # noqa: B008
    content = _content(ctx, node, x)
    if not ctx.whole(x):
        raise ctx.error(node, "popitem of an empty dict", "Python would raise KeyError", "test its length before",
                        python=KeyError)
    key = list(content)[-1 if static(ctx, node, last, "last") else 0]
    return Tuple((Static(key) if not isinstance(key, int | float) else ctx.b.const(key), content.pop(key)))


def _update(ctx: Context, node: gast.AST, x: Box, *others: Lowered, **named: Lowered) -> Lowered:
    content = _content(ctx, node, x)
    for other in others:
        content.update(pairs_of(ctx, node, other))
    content.update(named)
    return NONE


def pairs_of(ctx: Context, node: gast.AST, x: Lowered) -> dict[Any, Lowered]:
    """The items of a dict, or of pairs as dict() takes them."""
    x = usable(ctx, node, x)
    if (isinstance(x, Box) and x.kind == "dict") or (isinstance(x, Outside) and isinstance(x.value, dict)):
        return mapping_items(ctx, node, x)
    found: dict[Any, Lowered] = {}
    for pair in known_items(ctx, node, x):
        key, item = known_items(ctx, node, pair)
        found[static(ctx, node, key, "the key of a dict")] = item
    return found


def _setdefault(ctx: Context, node: gast.AST, x: Box, key: Lowered, default: Lowered = NONE) -> Lowered:
    content, k = _content(ctx, node, x), static(ctx, node, key, "the key of a dict")
    if not ctx.has(x, k):
        content[k] = default
    return content[k]  # type: ignore[no-any-return]


def _copy(ctx: Context, node: gast.AST, x: Box) -> Lowered:
    return _new_dict(ctx, dict(ctx.whole(x)), x.cls, x.extra)


def _clear(ctx: Context, node: gast.AST, x: Box) -> Lowered:
    _content(ctx, node, x).clear()
    return NONE


def _move_to_end(ctx: Context, node: gast.AST, x: Box, key: Lowered, last: Lowered = Static(True)) -> Lowered:  # noqa: B008
    content, k = _content(ctx, node, x), static(ctx, node, key, "the key of a dict")
    item = content.pop(k)
    if static(ctx, node, last, "last"):
        content[k] = item
    else:
        rest = dict(content)
        content.clear()
        content.update({k: item, **rest})
    return NONE


def _view(name: str) -> Callable[..., Lowered]:
    def view(ctx: Context, node: gast.AST, x: Box) -> Lowered:
        return Lazy(name, (x,))
    return view


def _add(ctx: Context, node: gast.AST, x: Box, item: Lowered) -> Lowered:
    if ctx.depth > x.depth:
        raise ctx.error(node, "a set is added to in a loop", "what is in it then is not known before the function runs",
                        "use a list or an array")
    _content(ctx, node, x)[static(ctx, node, item, "an element of a set")] = NONE
    return NONE


def _discard(ctx: Context, node: gast.AST, x: Box, item: Lowered) -> Lowered:
    _content(ctx, node, x).pop(static(ctx, node, item, "an element of a set"), None)
    return NONE


def _remove(ctx: Context, node: gast.AST, x: Box, item: Lowered) -> Lowered:
    if not ctx.has(x, static(ctx, node, item, "an element of a set")):
        raise ctx.error(node, "the set has no such element", "Python would raise KeyError", "use discard",
                        python=KeyError)
    return _discard(ctx, node, x, item)


def keys_of(ctx: Context, node: gast.AST, x: Lowered) -> set[Any]:
    """The elements of a set, or of anything that one can be made of."""
    x = usable(ctx, node, x)
    if isinstance(x, Box) and x.kind in ("set", "dict"):
        return set(ctx.whole(x))
    return {static(ctx, node, v, "an element of a set") for v in known_items(ctx, node, x)}


def _combined(name: str) -> Callable[..., Lowered]:
    """union, intersection and their kind: a new set."""
    def combine(ctx: Context, node: gast.AST, x: Box, *others: Lowered) -> Lowered:
        return make_set(ctx, getattr(keys_of(ctx, node, x), name)(*(keys_of(ctx, node, o) for o in others)))
    return combine


def _changed(name: str) -> Callable[..., Lowered]:
    """The same, in place."""
    def change(ctx: Context, node: gast.AST, x: Box, *others: Lowered) -> Lowered:
        made = getattr(keys_of(ctx, node, x), name)(*(keys_of(ctx, node, o) for o in others))
        content = _content(ctx, node, x)
        content.clear()
        content.update(dict.fromkeys(made, NONE))
        return NONE
    return change


def _tested(name: str) -> Callable[..., Lowered]:
    def test(ctx: Context, node: gast.AST, x: Box, other: Lowered) -> Lowered:
        return ctx.b.const(getattr(keys_of(ctx, node, x), name)(keys_of(ctx, node, other)))
    return test


_SORT: dict[str, Callable[..., Any]] = {"sort": sort_in_place}
_DICT: dict[str, Callable[..., Any]] = {
    "get": _get, "pop": _pop, "popitem": _popitem, "update": _update, "setdefault": _setdefault, "copy": _copy,
    "clear": _clear, "move_to_end": _move_to_end, "items": _view("items"), "keys": _view("keys"),
    "values": _view("values")}
_CHANGES = ("pop", "popitem", "update", "setdefault", "clear", "move_to_end")
_SET: dict[str, Callable[..., Any]] = {
    "add": _add, "discard": _discard, "remove": _remove, "clear": _clear,
    "union": _combined("union"), "intersection": _combined("intersection"), "difference": _combined("difference"),
    "symmetric_difference": _combined("symmetric_difference"), "copy": _combined("union"),
    "update": _changed("union"), "intersection_update": _changed("intersection"),
    "difference_update": _changed("difference"), "issubset": _tested("issubset"),
    "issuperset": _tested("issuperset"), "isdisjoint": _tested("isdisjoint")}


# Constructors ---------------------------------------------------------------------------------------


def _counter(ctx: Context, node: gast.AST, args: list[Lowered], kwargs: dict[str, Lowered]) -> Lowered:
    counts: dict[Any, Lowered] = {}
    for key in [static(ctx, node, v, "what is counted") for v in known_items(ctx, node, args[0])] if args else []:
        before = counts.get(key, ctx.b.int(0))
        assert isinstance(before, Value)
        counts[key] = ctx.b.add(before, ctx.b.int(1))
    return _new_dict(ctx, {**counts, **kwargs}, collections.Counter)


def _fromkeys(ctx: Context, node: gast.AST, args: list[Lowered], kwargs: dict[str, Lowered]) -> Lowered:
    keys = [static(ctx, node, v, "the key of a dict") for v in known_items(ctx, node, args[0])]
    return _new_dict(ctx, dict.fromkeys(keys, args[1] if len(args) > 1 else NONE), None)


def missing_item(ctx: Context, node: gast.AST, x: Box, key: Any) -> Lowered | None:
    """What a defaultdict or a Counter has for a key that is not there; None for other dicts."""
    if x.cls is collections.Counter:
        return ctx.b.int(0)
    if x.extra is None:
        return None
    made = ctx.call(node, x.extra, [])
    _content(ctx, node, x)[key] = made
    return made


COLLECTIONS: dict[Any, Callable[..., Lowered]] = {
    collections.Counter: _counter, dict.fromkeys: _fromkeys}
