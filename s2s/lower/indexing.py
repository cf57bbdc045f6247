"""`x[index]`, read and written: arrays, containers of known structure, growing lists."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any

import gast
import numpy as np

from s2s.ir.core import Value
from s2s.ir.ops import axes_taken, constant, index_items
from s2s.ir.types import INT, Array, List, Scalar, Type, unify
from s2s.lower.adopted import adopt
from s2s.lower.attributes import get_attribute
from s2s.lower.context import Context, GrowList
from s2s.lower.describe import describe
from s2s.lower.guards import raise_if
from s2s.lower.iterate import known_items
from s2s.lower.numbers import UNKNOWN, held, known, not_a_number, pack, sequence, value
from s2s.lower.objects import call_special
from s2s.lower.outside import outside
from s2s.lower.sequences import make_sequence
from s2s.lower.standing import check_changed, check_replaced, item_of_list
from s2s.lower.truth import demand_constant, demand_static, static, usable
from s2s.lower.values import Box, Lowered, Outside, Range, Slice, Static, Tuple


def get_item(ctx: Context, node: gast.AST, x: Lowered, index: Lowered, raw: bool = False) -> Lowered:
    """`x[index]`. raw: as list and dict do it, whatever a subclass does."""
    own = None if raw else call_special(ctx, node, x, "__getitem__", [index])
    if own is not None:
        return own
    if isinstance(x, Value):
        if isinstance(x.type, List):
            if isinstance(index, Slice):
                bounds = [Static(None) if p is None else p for p in (index.start, index.stop)]
                step = 1 if index.step is None else static(ctx, node, index.step, "the step of a slice of a list")
                return ctx.stand_in(node, "list_part", [x, *bounds, Static(step)], {})
            return ctx.b.one("listget", {"list": x, "index": value(ctx, node, index)})
        if isinstance(x.type, Array):
            items, values = encode(ctx, node, x.type, index)
            part = ctx.b.one("getitem", {"a": x, "index": values}, {"items": items})
            return item_of_list(ctx, node, x, index, part) if x in ctx.lists else part
        if isinstance(x.type, Scalar) and _is_empty_index(index):
            return x
        raise ctx.error(node, f"{describe(x)} cannot be indexed")
    if isinstance(x, Box) and isinstance(ctx.state.heap[x], Value):
        return get_item(ctx, node, ctx.state.heap[x], index)
    if isinstance(x, Box) and x.kind == "dict":
        return _dict_item(ctx, node, x, index)
    if (isinstance(x, Box) and x.kind == "object") or (isinstance(x, Outside) and not isinstance(
            x.value, list | tuple | dict | str)):
        return ctx.call(node, get_attribute(ctx, node, x, "__getitem__"), [index])
    if isinstance(x, Outside) and isinstance(x.value, dict):
        return _outside_dict_item(ctx, node, x, index)
    if isinstance(x, Static) and isinstance(x.value, dict | str):
        return Static(x.value[static(ctx, node, index, "the key")])
    if isinstance(x, Range):
        return _range_item(ctx, node, x, index)
    elements = sequence(ctx, x)
    if elements is None:
        raise ctx.error(node, f"{describe(x)} cannot be indexed")
    return _sequence_item(ctx, node, x, elements, index)


def _range_item(ctx: Context, node: gast.AST, x: Range, index: Lowered) -> Lowered:
    """range(...)[k] and range(...)[a:b]."""
    b = ctx.b
    if isinstance(index, Slice):
        known_range = [constant(v) for v in (x.start, x.stop, x.step)]
        if None not in known_range:
            part = range(*known_range)[_slice(ctx, node, index)]
            return Range(b.int(part.start), b.int(part.stop), b.int(part.step))
        first = None if index.start is None else constant(index.start)
        if index.stop is not None or index.step is not None or first is None or first < 0:
            raise ctx.error(node, "a part of a range that is not its end is not supported", "", "make another range")
        return Range(b.add(x.start, b.mul(b.int(first), x.step)), x.stop, x.step)
    k = value(ctx, node, index)
    count = b.one("trips", {"start": x.start, "stop": x.stop, "step": x.step})
    negative = b.binary("lt", k, b.int(0))
    k = b.add(k, b.mul(b.cast(negative, INT), count))
    raise_if(ctx, b.one("or", {"x": b.binary("lt", k, b.int(0)), "y": b.binary("ge", k, count)}),
             "IndexError('range object index out of range')")
    return b.add(x.start, b.mul(k, x.step))


def _outside_dict_item(ctx: Context, node: gast.AST, x: Outside, index: Lowered) -> Lowered:
    key = static(ctx, node, index, "the key")
    if key not in x.value:
        if type(x.value) in (collections.defaultdict, collections.Counter):
            return get_item(ctx, node, adopt(ctx, node, x), index)
        missing = call_special(ctx, node, x, "__missing__", [index])
        if missing is not None:
            return missing
        raise ctx.error(node, f"KeyError: {key!r}", python=KeyError)
    return outside(ctx, ctx.binding.read(x.read, "item", key))


def _is_empty_index(index: Lowered) -> bool:
    return (isinstance(index, Tuple) and not index.items) or (isinstance(index, Static) and index.value is ...)


def _dict_item(ctx: Context, node: gast.AST, x: Box, index: Lowered) -> Lowered:
    content = ctx.state.heap[x]
    key = static(ctx, node, index, "the key of a dict")
    if key not in content:
        ctx.missed.add((x, key))
        made = ctx.handlers.missing(ctx, node, x, key)
        if made is not None:
            return usable(ctx, node, made)
        have = ", ".join(map(repr, content)) or "none"
        raise ctx.error(node, f"the dict has no key {key!r}", f"Python would raise KeyError; its keys are: {have}",
                        "use one of these keys, or store this one first", python=KeyError)
    return usable(ctx, node, content[key])


def _sequence_item(ctx: Context, node: gast.AST, x: Lowered, items: list[Lowered], index: Lowered) -> Lowered:
    if isinstance(index, Slice):
        chosen = items[_slice(ctx, node, index)]
        if isinstance(x, Tuple) or (isinstance(x, Outside) and isinstance(x.value, tuple)):
            return Tuple(tuple(chosen))
        return make_sequence(ctx, "list", chosen, node)
    k = known(ctx, index)
    if k is UNKNOWN:
        assert isinstance(index, Value)
        found = _varying(ctx, node, items, index)
        if found is not None:
            return found
        demand_static(ctx, index)
        raise ctx.error(node, "the index is not known before the function runs",
                        "the elements of this container are of different kinds, so it decides which code is generated",
                        "choose with `if`, or give the elements one type")
    try:
        return items[k]  # type: ignore[no-any-return]
    except (IndexError, TypeError) as error:
        raise ctx.error(node, str(error), f"Python would raise {type(error).__name__}",
                        f"there are {len(items)} elements; use an int below that as the index",
                        python=type(error)) from None


def _varying(ctx: Context, node: gast.AST, items: list[Lowered], index: Value) -> Value | None:
    """The element of a container of numbers, or of arrays of one kind, at an index that varies."""
    values = [v for v in items if isinstance(v, Value)]
    if not values or len(values) < len(items):
        return None
    types = [v.type for v in values]
    if all(isinstance(t, Scalar) for t in types) and len({t.dtype for t in types if isinstance(t, Scalar)}) == 1:
        packed = pack(ctx, node, items)
        return ctx.b.one("getitem", {"a": packed, "index": (index,)}, {"items": ("i",)})
    arrays = list_of_arrays(ctx, values)
    return None if arrays is None else ctx.b.one("listget", {"list": arrays, "index": index})


def list_of_arrays(ctx: Context, values: Sequence[Value]) -> Value | None:
    """A list of the arrays themselves, not of copies: they may be written to. None where they differ in rank."""
    element: Type | None = values[0].type
    for v in values[1:]:
        element = None if element is None else unify(element, v.type)
    if not isinstance(element, Array):
        return None
    return ctx.b.one("list", {"elements": tuple(values)}, {"type": List(element)})


def encode(ctx: Context, node: gast.AST, a: Array, index: Lowered) -> tuple[tuple[str, ...], tuple[Value, ...]]:
    """The codes and values of an index into an array."""
    parts = list(index.items) if isinstance(index, Tuple) else [index]
    if isinstance(index, Outside) and isinstance(index.value, tuple):
        parts = sequence(ctx, index) or []
    items: list[str] = []
    values: list[Value] = []
    for part in parts:
        code, operands = _item(ctx, node, usable(ctx, node, part))
        items.append(code)
        values += operands
    consumed = sum(axes_taken(c, v) for c, v in index_items(items, values))
    if consumed > a.ndim:
        raise ctx.error(node, f"too many indices: {consumed} for an array of {a.ndim} dimensions",
                        "NumPy would raise IndexError", f"use {a.ndim} or fewer")
    return tuple(items), tuple(values)


def _item(ctx: Context, node: gast.AST, part: Lowered) -> tuple[str, list[Value]]:
    if isinstance(part, Slice):
        given = (part.start, part.stop, part.step)
        return "s" + "".join("0" if p is None else "1" for p in given), [p for p in given if p is not None]
    if isinstance(part, Static):
        if part.value is None:
            return "n", []
        if part.value is ...:
            return "e", []
        if isinstance(part.value, slice):
            s = part.value
            given_constants = (s.start, s.stop, s.step)
            return ("s" + "".join("0" if p is None else "1" for p in given_constants),
                    [ctx.b.const(p) for p in given_constants if p is not None])
    v = value(ctx, node, part)
    t = v.type
    if not isinstance(t, Scalar | Array):
        raise not_a_number(ctx, node, v, "used as an index")
    kind = np.dtype(t.dtype).kind
    if isinstance(t, Scalar) and kind in "iu":
        return "i", [v]
    if kind in "iub":
        return "a", [v]
    if isinstance(t, Array) and t.dims and t.dims[0].symbol is None and t.dims[0].offset == 0:
        return "a", [ctx.b.cast(v, Scalar("int64"))]  # x[[]]
    raise ctx.error(node, f"an array is indexed with {describe(v)}",
                    "an index is an int, a slice, or an array of int or bool", "convert it with int(...)")


def set_item(ctx: Context, node: gast.AST, x: Lowered, index: Lowered, new: Lowered) -> None:
    """`x[index] = new`."""
    if isinstance(x, Value) and isinstance(x.type, Array):
        if x in ctx.lists:
            check_replaced(ctx, node, x, index)
        items, values = encode(ctx, node, x.type, index)
        store(ctx, node, x, items, values, value(ctx, node, new))
        return
    if isinstance(x, Box):
        check_changed(ctx, node, x)
        content = ctx.state.heap[x]
        if isinstance(content, Value):
            assert isinstance(content.type, List)
            v = held(ctx, node, new)
            ctx.b.emit("listset", {"list": content, "index": value(ctx, node, index), "value": v})
            return
        if x.kind == "dict":
            key = static(ctx, node, index, "the key of a dict")
            content[key] = new
            ctx.state.lost.pop((x, key), None)
            return
        if x.kind == "list":
            _set_list_item(ctx, node, x, content, index, new)
            return
        ctx.call(node, get_attribute(ctx, node, x, "__setitem__"), [index, new])
        return
    if isinstance(x, Outside) and call_special(ctx, node, x, "__setitem__", [index, new]) is not None:
        return
    if isinstance(x, Outside):
        set_item(ctx, node, adopt(ctx, node, x), index, new)
        return
    raise ctx.error(node, f"a store into {describe(x)}")


def _slice(ctx: Context, node: gast.AST, index: Slice) -> slice:
    """A slice whose bounds are known."""
    return slice(*(None if p is None else static(ctx, node, p, "a bound of this slice")
                   for p in (index.start, index.stop, index.step)))


def _set_list_item(ctx: Context, node: gast.AST, x: Box, content: list[Lowered], index: Lowered, new: Lowered) -> None:
    k = known(ctx, index)
    if isinstance(k, int):
        try:
            content[k] = new
        except IndexError as error:
            raise ctx.error(node, f"IndexError: {error}", python=IndexError) from None
        return
    if isinstance(index, Slice):
        if ctx.depth > x.depth:
            raise ctx.error(node, "a store into a slice of a list in a loop is not supported",
                            "its length may change", "use an array")
        where, items = _slice(ctx, node, index), known_items(ctx, node, new)
        try:
            content[where] = items
        except ValueError as error:
            raise ctx.error(node, f"ValueError: {error}", python=ValueError) from None
        return
    assert isinstance(index, Value)
    demand_constant(ctx, index)
    if x.site and isinstance(new, Value):
        element = new.type
        for v in content:
            joined = unify(element, v.type) if isinstance(v, Value) else None
            if joined is None:
                break
            element = joined
        else:
            raise GrowList(x.site, element)
    demand_static(ctx, index)
    raise ctx.error(node, "the index is not known before the function runs")


def store(ctx: Context, node: gast.AST, a: Value, items: tuple[str, ...], index: tuple[Value, ...], new: Value) -> None:
    """A store into an array; the value is cast to its dtype, as NumPy does."""
    t, v = a.type, new.type
    assert isinstance(t, Array)
    if isinstance(v, Scalar | Array) and v.dtype != t.dtype:
        kinds = np.dtype(t.dtype).kind, np.dtype(v.dtype).kind
        if kinds[1] == "c" and kinds[0] != "c":
            raise ctx.error(node, f"a complex value is stored into an array of {t.dtype}",
                            "NumPy drops its imaginary part")
        if not (isinstance(v, Scalar) and v.weak and constant(new) is not None):
            new = ctx.b.cast(new, Scalar(t.dtype))
        else:
            new = ctx.b.const(constant(new), Scalar(t.dtype)) if kinds[0] in "fc" else ctx.b.cast(new, Scalar(t.dtype))
    ctx.b.emit("setitem", {"a": a, "index": index, "value": new}, {"items": items})


def delete_item(ctx: Context, node: gast.AST, x: Lowered, index: Lowered) -> None:
    """`del x[index]` for containers that the program made, or took over."""
    if isinstance(x, Box) and isinstance(ctx.state.heap[x], Value) and not isinstance(index, Slice):
        ctx.stand_in(node, "list_pop", [x, index], {})
        return
    if isinstance(x, Outside) and isinstance(x.value, list | dict):
        x = adopt(ctx, node, x)
    if isinstance(x, Box) and isinstance(ctx.state.heap[x], list | dict):
        check_changed(ctx, node, x)
        if ctx.depth > x.depth:
            raise ctx.error(node, "del of an element in a loop is not supported", "how many are left is not known",
                            "make a new list")
        key: Any = _slice(ctx, node, index) if isinstance(index, Slice) else static(ctx, node, index, "the index")
        try:
            del ctx.state.heap[x][key]
        except (KeyError, IndexError) as error:
            raise ctx.error(node, f"{type(error).__name__}: {error}", "Python would raise it too",
                            python=type(error)) from None
        return
    raise ctx.error(node, f"del of an element of {describe(x)}")
