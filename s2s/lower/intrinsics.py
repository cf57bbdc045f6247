"""Builtins and NumPy functions whose meaning is known here: they need no rule, or more than one."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from s2s.ir.core import Arg, Block, Value
from s2s.ir.ops import constant
from s2s.ir.types import BOOL, COMPLEX, FLOAT, INT, Array, List, Scalar
from s2s.lower.arrays import ARRAYS
from s2s.lower.assign import set_plain
from s2s.lower.attributes import Super, get_attribute, outside_attribute
from s2s.lower.binding import MISSING
from s2s.lower.classes import new_instance, object_new
from s2s.lower.context import Context, Loop
from s2s.lower.describe import describe
from s2s.lower.effects import Template, is_text, lower_print, text_of
from s2s.lower.guards import raise_if
from s2s.lower.indexing import get_item
from s2s.lower.iterate import Items, demand_length, items_of, known_items, new_iterator
from s2s.lower.iterators import all_items, collect, lower_iter, lower_next, pool_of
from s2s.lower.library.pools import pool_of as library_pool
from s2s.lower.loops import lower_for
from s2s.lower.mappings import COLLECTIONS, pairs_of
from s2s.lower.numbers import UNKNOWN, known, scalar, value
from s2s.lower.objects import call_special, class_of, default_load, default_store, store
from s2s.lower.operators import binary
from s2s.lower.ordering import ORDERING
from s2s.lower.rulecalls import call_rule
from s2s.lower.sequences import make_sequence, make_set
from s2s.lower.standing import stand_for
from s2s.lower.tools import TOOLS
from s2s.lower.truth import static, truth, usable
from s2s.lower.values import (
    Bound,
    Box,
    Closure,
    Conflict,
    Lazy,
    Lowered,
    Method,
    Outside,
    Producer,
    Range,
    Slice,
    Static,
    Tuple,
)
from s2s.variable import Variable

Node = Any
Args = list[Lowered]
Kwargs = dict[str, Lowered]


def _len(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    x = usable(ctx, node, args[0])
    if isinstance(x, Value) and isinstance(x.type, Array) and x.type.ndim:
        return ctx.b.dim(x, 0)
    if isinstance(x, Value) and isinstance(x.type, List):
        return ctx.b.one("listlen", {"list": x})
    if isinstance(x, Box):
        if x.kind == "object":
            return ctx.call(node, get_attribute(ctx, node, x, "__len__"), [])
        content = ctx.whole(x)
        return ctx.b.one("listlen", {"list": content}) if isinstance(content, Value) else ctx.b.int(len(content))
    if isinstance(x, Outside) and isinstance(x.value, list | tuple | dict):
        return ctx.b.int(len(x.value))
    if isinstance(x, Static) and hasattr(x.value, "__len__"):
        return ctx.b.int(len(x.value))
    if isinstance(x, Outside):
        return ctx.call(node, get_attribute(ctx, node, x, "__len__"), [])
    return items_of(ctx, node, x).length(ctx)


def _range(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    values = [value(ctx, node, a) for a in args]
    for v in values:
        if not (isinstance(v.type, Scalar) and np.dtype(v.type.dtype).kind in "iu"):
            raise ctx.error(node, f"range() of {describe(v)}", "range takes ints")
    values = [ctx.b.cast(v, INT) if isinstance(v.type, Scalar) and not v.type.weak else v for v in values]
    if len(values) == 1:
        return Range(ctx.b.int(0), values[0], ctx.b.int(1))
    return Range(values[0], values[1], values[2] if len(values) > 2 else ctx.b.int(1))


def _lazy(kind: str) -> Callable[..., Lowered]:
    def make(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
        if kwargs:
            raise ctx.error(node, f"the argument {next(iter(kwargs))!r} of {kind}() is not supported")
        return new_iterator(ctx, Lazy(kind, tuple(args)))
    return make


def _zip(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    if kwargs and static(ctx, node, kwargs["strict"], "strict"):
        _same_lengths(ctx, node, args)
    return new_iterator(ctx, Lazy("zip", tuple(args)))


def _same_lengths(ctx: Context, node: Node, args: Args) -> None:
    """zip(strict=True): all of one length."""
    for x in args[1:]:
        first, other = (value(ctx, node, ctx.call(node, Static(len), [v])) for v in (args[0], x))
        differ = ctx.b.binary("ne", first, other)
        if constant(differ):
            raise ctx.error(node, "zip(strict=True) of different lengths", "Python would raise ValueError",
                            "make them equally long", python=ValueError)
        if constant(differ) is None:
            raise_if(ctx, differ, "ValueError('zip() of arguments of different lengths')")


def _enumerate(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    start = args[1] if len(args) > 1 else kwargs.get("start", ctx.b.int(0))
    return new_iterator(ctx, Lazy("enumerate", (args[0], value(ctx, node, start))))


def _convert(type: Scalar, python: Callable[..., Any]) -> Callable[..., Lowered]:
    def convert(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
        parts = [k for k in ("real", "imag", "base") if k in kwargs]  # what there is by name
        if parts and python is complex:
            args = [*(args or [kwargs.get("real", ctx.b.const(0.0))]), kwargs.get("imag", ctx.b.const(0.0))]
        elif parts:
            args = [*args, kwargs["base"]]
        if not args:
            return ctx.b.const(python())
        x = usable(ctx, node, args[0])
        if is_text(x):
            raise ctx.error(node, "a number is read back from text", "the derivative does not go through text",
                            "use the number itself")
        if isinstance(x, Static) and isinstance(x.value, str | bytes | int | float):
            try:
                return ctx.b.const(python(x.value, *(static(ctx, node, a, "the base") for a in args[1:])))
            except (ValueError, TypeError) as error:
                raise ctx.error(node, f"{error.__class__.__name__}: {error}", "Python would raise it too",
                                python=error.__class__) from None
        own = call_special(ctx, node, x, f"__{python.__name__}__", [])
        if own is not None and type != BOOL:
            return own
        if type == BOOL:
            found = truth(ctx, node, x)
            return ctx.b.const(found) if isinstance(found, bool) else found
        if len(args) == 2:
            real, imag = scalar(ctx, node, args[0]), scalar(ctx, node, args[1])
            return ctx.b.add(ctx.b.cast(real, COMPLEX), ctx.b.mul(ctx.b.cast(imag, COMPLEX), ctx.b.const(1j)))
        v = scalar(ctx, node, x)
        if not isinstance(v.type, Scalar):
            raise ctx.error(node, f"{describe(v)} is converted to a number", "it is none", "use a number here")
        return ctx.b.cast(v, type)
    return convert


def _sum(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    x = usable(ctx, node, args[0])
    start = args[1] if len(args) > 1 else kwargs.get("start", ctx.b.int(0))
    if isinstance(x, Value) and isinstance(x.type, Array):
        total = ctx.call(node, Static(np.sum), [x], {"axis": ctx.b.int(0)})
        return total if constant(start) == 0 else _add(ctx, node, start, total)
    grown = ctx.state.heap.get(x) if isinstance(x, Box) else x
    if isinstance(grown, Value) and isinstance(grown.type, List):
        return _sum_list(ctx, node, grown, start)
    items = items_of(ctx, node, x)
    if items.fixed is None or (items.runtime and len(items.fixed) > 16):
        return _sum_items(ctx, node, items, start)
    total = start
    for f in items.fixed:
        total = _add(ctx, node, total, f())
    return total


def _sum_items(ctx: Context, node: Node, items: Items, start: Lowered) -> Lowered:
    """The sum of what a generator yields, or of what is read by index, in a loop."""
    key: Any = (("sum", object()), "total")
    ctx.state.env[key] = start

    def add(loop: Loop, item: Lowered) -> None:
        ctx.state.env[key] = _add(ctx, node, ctx.state.env[key], item)

    lower_for(ctx, node, items, add, lambda: None)
    return ctx.state.env.pop(key)


def _sum_list(ctx: Context, node: Node, x: Value, start: Lowered) -> Lowered:
    """The sum of a list that grew in a loop."""
    assert isinstance(x.type, List)
    t = x.type.element
    if not isinstance(t, Scalar):
        return ctx.call(node, Static(np.sum), [value(ctx, node, x)], {"axis": ctx.b.int(0)})
    first = ctx.b.cast(value(ctx, node, start), t)
    block = Block(params=[Value(INT, ""), Value(t, "total")])
    with ctx.b.at(block):
        element = ctx.b.one("listget", {"list": x, "index": block.params[0]})
        block.results = [ctx.b.add(block.params[1], element)]
    n = ctx.b.one("listlen", {"list": x})
    args: dict[str, Arg] = {"start": ctx.b.int(0), "stop": n, "step": ctx.b.int(1), "init": (first,)}
    return ctx.b.region("for", args, [block], [t], {"breaks": False}, ["total"]).result


def _add(ctx: Context, node: Node, x: Lowered, y: Lowered) -> Lowered:
    return binary(ctx, node, "add", x, y)


def _list(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    if not args:
        return make_sequence(ctx, "list", [], node)
    x = usable(ctx, node, args[0])
    if isinstance(x, Value) and isinstance(x.type, Array) and x.type.ndim and x.type.dims[0].symbol is not None \
            and id(node) not in ctx.growing:
        return stand_for(ctx, node, x, list)
    items = items_of(ctx, node, x)
    if items.fixed is None or id(node) in ctx.growing:
        return collect(ctx, node, items)
    return make_sequence(ctx, "list", [f() for f in items.fixed], node)


def _tuple(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    if not args:
        return Tuple(())
    x = usable(ctx, node, args[0])
    if isinstance(x, Value) and isinstance(x.type, Array) and x.type.ndim and x.type.dims[0].symbol is not None:
        return stand_for(ctx, node, x, tuple)
    items = all_items(ctx, node, x)
    if items is None:
        demand_length(ctx, x)
        raise ctx.error(node, f"the number of items of {describe(x)} is not known before the function runs",
                        "a tuple has a length that decides which code is generated", "make a list or an array")
    return Tuple(tuple(items))


def _set(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    return make_set(ctx, [static(ctx, node, v, "an element of a set")
                          for v in (known_items(ctx, node, args[0]) if args else [])])


def _dict(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    content = dict(pairs_of(ctx, node, args[0])) if args else {}
    content.update(kwargs)
    box = Box("dict", None, "", ctx.depth)
    ctx.state.heap[box] = content
    return box


def python_type(ctx: Context, x: Lowered) -> type | None:
    """The class of what `x` stands for."""
    if isinstance(x, Value):
        if x in ctx.variables:
            return Variable
        if x in ctx.lists:
            return ctx.lists[x].cls  # type: ignore[no-any-return]
        t = x.type
        if isinstance(t, Scalar):
            if t.weak:
                return {"f": float, "i": int, "b": bool, "c": complex}[np.dtype(t.dtype).kind]
            return np.dtype(t.dtype).type
        return np.ndarray if isinstance(t, Array) else list if isinstance(t, List) else None
    if isinstance(x, Static | Outside):
        return type(x.value)
    if isinstance(x, Tuple):
        return x.cls or tuple
    if isinstance(x, Box):
        return x.cls or {"list": list, "dict": dict, "set": set}.get(x.kind)
    if isinstance(x, Closure | Bound | Method):
        return type(lambda: None)
    return range if isinstance(x, Range) else None


def _isinstance(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    classes = static(ctx, node, args[1], "the class")
    cls = python_type(ctx, usable(ctx, node, args[0]))
    if cls is None:
        raise ctx.error(node, f"the class of {describe(args[0])} is not known before the function runs",
                        "it decides which code is generated", "find it out before the function")
    return ctx.b.const(issubclass(cls, classes))


def _type(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    if len(args) != 1:
        raise ctx.error(node, "type() that makes a class is not supported in a differentiated function", "",
                        "define the class outside of the function")
    cls = python_type(ctx, usable(ctx, node, args[0]))
    if cls is None:
        raise ctx.error(node, f"the class of {describe(args[0])} is not known before the function runs",
                        "it decides which code is generated", "find it out before the function")
    return Static(cls)


def _getattr(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    name = static(ctx, node, args[1], "the name of the attribute")
    if len(args) > 2 and not _has(ctx, args[0], name):
        return args[2]
    return get_attribute(ctx, node, args[0], name)


def _has(ctx: Context, x: Lowered, name: str) -> bool:
    if isinstance(x, Box) and x.kind == "object":
        held = ctx.state.heap[x].get(name)
        if isinstance(held, Conflict) and held.partly:
            usable(ctx, None, held)
        return ctx.has(x, name) or hasattr(x.cls, name)
    if isinstance(x, Outside):
        key = (ctx.object_scope(x), name)
        if key in ctx.state.unsure:
            raise ctx.error(None, f"whether this object has the attribute {name!r} depends on a condition",
                            "it decides which code is generated", "set it on every path")
        if key in ctx.state.env or hasattr(type(x.value), name):
            return True
        if ctx.binding.read(x.read, "attr", name).value is not MISSING:
            return True
        ctx.missed.add(key)
        return False
    if isinstance(x, Static):
        return hasattr(x.value, name)
    cls = python_type(ctx, x)
    return cls is not None and hasattr(cls, name)


def _hasattr(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    return ctx.b.const(_has(ctx, args[0], static(ctx, node, args[1], "the name of the attribute")))


def _callable(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    x = args[0]
    return ctx.b.const(isinstance(x, Closure | Bound | Method) or (
        isinstance(x, Outside | Static) and callable(x.value)))


def _logical(conjunction: bool) -> Callable[..., Lowered]:
    def combine(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
        x = usable(ctx, node, args[0])
        if isinstance(x, Value) and isinstance(x.type, Array):
            return ctx.call(node, Static(np.all if conjunction else np.any), [x])
        result: Value | None = None
        items = all_items(ctx, node, x) if not _is_producer(ctx, x) else None
        if items is None:
            return ctx.stand_in(node, "all_" if conjunction else "any_", [x], {})
        for item in items:
            test = truth(ctx, node, item)
            if isinstance(test, bool):
                if test != conjunction:
                    return ctx.b.const(test)
                continue
            result = test if result is None else ctx.b.one("and" if conjunction else "or", {"x": result, "y": test})
        return ctx.b.const(conjunction) if result is None else result
    return combine


def _is_producer(ctx: Context, x: Lowered) -> bool:
    """Whether `x` hands out its items one at a time, so that a loop over them can be left."""
    if isinstance(x, Box) and x.kind == "iterator":
        source = ctx.state.heap[x]["source"]
        return isinstance(source, Producer) or (isinstance(source, Lazy) and any(
            _is_producer(ctx, p) for p in source.parts))
    content = ctx.state.heap.get(x) if isinstance(x, Box) else x
    return isinstance(content, Value) and isinstance(content.type, List)


def _abs(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    own = call_special(ctx, node, usable(ctx, node, args[0]), "__abs__", [])
    return call_rule(ctx, node, ctx.services.table.by_callable[abs], args, kwargs) if own is None else own


def _round(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    own = call_special(ctx, node, usable(ctx, node, args[0]), "__round__", args[1:])
    if own is not None:
        return own
    v = scalar(ctx, node, args[0]) if not isinstance(getattr(args[0], "type", None), Array) else args[0]
    assert isinstance(v, Value)
    digits = args[1] if len(args) > 1 else kwargs.get("ndigits", Static(None))
    number, places = constant(v), known(ctx, digits)
    if isinstance(v.type, Scalar) and v.type.weak and number is not None and places is not UNKNOWN:
        return ctx.b.const(round(number, places))  # of the decimal number that it is, which np.round is not
    if digits != Static(None):
        return ctx.call(node, Static(np.round), [v, digits])
    rounded = ctx.call(node, Static(np.round), [v])
    assert isinstance(rounded, Value)
    return ctx.b.cast(rounded, INT)


def _divmod(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    own = call_special(ctx, node, usable(ctx, node, args[0]), "__divmod__", args[1:])
    return Tuple((binary(ctx, node, "floordiv", *args), binary(ctx, node, "mod", *args))) if own is None else own


def _pow(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    given = [*args, *(kwargs[k] for k in ("base", "exp", "mod") if k in kwargs)]
    if len(given) > 2 and given[2] != Static(None):
        found = [static(ctx, node, v, "an argument of pow() with a modulus") for v in given]
        return ctx.b.const(pow(*found))
    return binary(ctx, node, "pow", given[0], given[1])


def _text(name: str) -> Callable[..., Lowered]:
    def make(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
        x = args[0] if args else Static("")
        found = known(ctx, x)
        if found is not UNKNOWN:
            return Static(str(found) if name == "str" else repr(found))
        template = Template(ctx)
        text = f"{name}({text_of(template.of(node, x))})"
        return ctx.b.one("format", {"args": tuple(template.operands)}, {"text": text})
    return make


def _slice(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    given = [None if isinstance(a, Static) and a.value is None else value(ctx, node, a) for a in args]
    if len(given) == 1:
        return Slice(None, given[0], None)
    return Slice(given[0], given[1], given[2] if len(given) > 2 else None)


def _super(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    """super() and super(cls, self): methods of the classes after `cls`."""
    if args:
        cls, receiver = static(ctx, node, args[0], "the class"), args[1]
    else:
        frame = ctx.frame
        while frame.class_of is None and frame.outer is not None:
            frame = frame.outer
        cls = frame.class_of
        first = frame.source.node.args.args[0].id
        receiver = ctx.state.env[frame, first]
        if cls is None:
            raise ctx.error(node, "super() outside a method", "Python would raise RuntimeError",
                            "call it in a method of a class")
    return Static(Super(cls, receiver))


def _raw_attribute(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    """object.__getattribute__(x, name)."""
    name = static(ctx, node, args[1], "the name of the attribute")
    x = usable(ctx, node, args[0])
    if isinstance(x, Box) and x.kind == "object":
        return default_load(ctx, node, x, name)
    return outside_attribute(ctx, node, x, name) if isinstance(x, Outside) else get_attribute(ctx, node, x, name)


def _raw_store(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    """object.__setattr__(x, name, value)."""
    x, name = usable(ctx, node, args[0]), static(ctx, node, args[1], "the name of the attribute")
    cls = class_of(x)
    if cls is None or not default_store(ctx, node, x, cls, name, args[2]):
        set_plain(ctx, node, x, name, args[2])
    return Static(None)


def _setattr(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    name = static(ctx, node, args[1], "the name of the attribute")
    x = usable(ctx, node, args[0])
    if not store(ctx, node, x, name, args[2]):
        set_plain(ctx, node, x, name, args[2])
    return Static(None)


def _raw_item(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    """list.__getitem__(x, index) and its kind."""
    return get_item(ctx, node, usable(ctx, node, args[0]), usable(ctx, node, args[1]), raw=True)


def _type_call(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    """type.__call__(cls, ...)."""
    cls = args[0]
    assert isinstance(cls, Static | Outside)
    return new_instance(ctx, node, cls, args[1:], kwargs)


INTRINSICS: dict[Any, Callable[..., Lowered]] = {
    len: _len, range: _range, enumerate: _enumerate, zip: _zip, reversed: _lazy("reversed"),
    map: _lazy("map"), float: _convert(FLOAT, float), int: _convert(INT, int), bool: _convert(BOOL, bool),
    complex: _convert(COMPLEX, complex), sum: _sum, list: _list, abs: _abs, operator.abs: _abs,
    tuple: _tuple, dict: _dict, set: _set, frozenset: _set, isinstance: _isinstance, type: _type, getattr: _getattr,
    setattr: _setattr, hasattr: _hasattr,
    callable: _callable, any: _logical(False), all: _logical(True), print: lower_print, round: _round,
    divmod: _divmod, pow: _pow, str: _text("str"), repr: _text("repr"), slice: _slice,
    super: _super, iter: lower_iter, next: lower_next, library_pool: pool_of,
    object.__getattribute__: _raw_attribute, object.__setattr__: _raw_store, object.__new__: object_new,
    type.__call__: _type_call, list.__getitem__: _raw_item, tuple.__getitem__: _raw_item, dict.__getitem__: _raw_item,
    **ARRAYS, **ORDERING, **TOOLS, **COLLECTIONS,
}
