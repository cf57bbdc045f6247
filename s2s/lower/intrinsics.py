"""Builtins and NumPy functions whose meaning is known here: they need no rule, or more than one."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from s2s.ir.core import Arg, Block, Value
from s2s.ir.ops import constant
from s2s.ir.types import BOOL, COMPLEX, FLOAT, INT, Array, List, Scalar
from s2s.lower.arrays import ARRAYS
from s2s.lower.attributes import Super, get_attribute
from s2s.lower.binding import MISSING
from s2s.lower.context import Context
from s2s.lower.effects import Template, is_text, lower_print, text_of
from s2s.lower.iterate import Items, describe, items_of, known_items
from s2s.lower.numbers import UNKNOWN, known, pack, scalar, value
from s2s.lower.operators import binary
from s2s.lower.sequences import make_sequence, mapping_items
from s2s.lower.truth import static, truth, usable
from s2s.lower.values import Bound, Box, Closure, Lazy, Lowered, Method, Outside, Range, Slice, Static, Tuple
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
        content = ctx.state.heap[x]
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
        return Lazy(kind, tuple(args))
    return make


def _enumerate(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    start = args[1] if len(args) > 1 else kwargs.get("start", ctx.b.int(0))
    return Lazy("enumerate", (args[0], value(ctx, node, start)))


def _convert(type: Scalar, python: Callable[..., Any]) -> Callable[..., Lowered]:
    def convert(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
        if not args:
            return ctx.b.const(python())
        x = usable(ctx, node, args[0])
        if is_text(x):
            raise ctx.error(node, "a number is read back from text", "the derivative does not go through text",
                            "use the number itself")
        if isinstance(x, Static) and isinstance(x.value, str | int | float):
            return ctx.b.const(python(x.value))
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
    items = items_of(ctx, node, x)
    grown = ctx.state.heap.get(x) if isinstance(x, Box) else x
    if isinstance(grown, Value) and isinstance(grown.type, List):
        return _sum_list(ctx, node, grown, start)
    if items.fixed is None or (items.runtime and len(items.fixed) > 16):
        total = ctx.call(node, Static(np.sum), [_gathered(ctx, node, x, items)], {"axis": ctx.b.int(0)})
        return total if constant(start) == 0 else _add(ctx, node, start, total)
    total = start
    for f in items.fixed:
        total = _add(ctx, node, total, f())
    return total


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


def _gathered(ctx: Context, node: Node, x: Lowered, items: Items) -> Value:
    """What is iterated over as an array."""
    if isinstance(x, Lazy | Range):
        raise ctx.error(node, f"sum() of {describe(x)} of unknown length", "", "write it as a loop")
    return value(ctx, node, x)


def _add(ctx: Context, node: Node, x: Lowered, y: Lowered) -> Lowered:
    return binary(ctx, node, "add", x, y)


def _extreme(name: str) -> Callable[..., Lowered]:
    def extreme(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
        if "key" in kwargs:
            raise ctx.error(node, f"{name}() with a key is not supported")
        parts: list[Lowered] = list(args)
        if len(args) == 1:
            x = usable(ctx, node, args[0])
            if isinstance(x, Value) and isinstance(x.type, Array):
                return ctx.call(node, Static(getattr(np, name)), [x])
            items = items_of(ctx, node, x)
            if items.fixed is None:
                return ctx.call(node, Static(getattr(np, name)), [value(ctx, node, x)])
            parts = [f() for f in items.fixed]
        if not parts:
            raise ctx.error(node, f"{name}() of nothing", "Python would raise ValueError", "give it a value")
        constants = [known(ctx, v) for v in parts]
        if all(c is not UNKNOWN for c in constants):
            return ctx.b.const({"min": min, "max": max}[name](constants))
        spec = ctx.services.table.by_name[name].spec
        first, second = [p.name for p in spec.params[:2]]
        result = scalar(ctx, node, parts[0])
        for v in parts[1:]:
            result = ctx.b.one(spec, {first: result, second: scalar(ctx, node, v)}, {})
        return result
    return extreme


def _list(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    items = known_items(ctx, node, args[0]) if args else []
    return make_sequence(ctx, "list", items, node)


def _tuple(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    return Tuple(tuple(known_items(ctx, node, args[0]) if args else ()))


def _dict(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    content: dict[Any, Lowered] = {}
    if args:
        x = usable(ctx, node, args[0])
        if isinstance(x, Lazy | Tuple) or (isinstance(x, Box) and x.kind == "list"):
            for pair in known_items(ctx, node, x):
                key, item = known_items(ctx, node, pair)
                content[static(ctx, node, key, "the key of a dict")] = item
        else:
            content.update(mapping_items(ctx, node, x))
    content.update(kwargs)
    box = Box("dict", None, "", ctx.depth)
    ctx.state.heap[box] = content
    return box


def python_type(ctx: Context, x: Lowered) -> type | None:
    """The class of what `x` stands for."""
    if isinstance(x, Value):
        if x in ctx.variables:
            return Variable
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
        return name in ctx.state.heap[x] or hasattr(x.cls, name)
    if isinstance(x, Outside):
        if (ctx.object_scope(x), name) in ctx.state.env or hasattr(type(x.value), name):
            return True
        return ctx.binding.read(x.read, "attr", name).value is not MISSING
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
        for item in known_items(ctx, node, x):
            test = truth(ctx, node, item)
            if isinstance(test, bool):
                if test != conjunction:
                    return ctx.b.const(test)
                continue
            result = test if result is None else ctx.b.one("and" if conjunction else "or", {"x": result, "y": test})
        return ctx.b.const(conjunction) if result is None else result
    return combine


def _round(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    v = scalar(ctx, node, args[0]) if not isinstance(getattr(args[0], "type", None), Array) else args[0]
    assert isinstance(v, Value)
    digits = args[1] if len(args) > 1 else kwargs.get("ndigits", Static(None))
    if digits != Static(None):
        return ctx.call(node, Static(np.round), [v, digits])
    rounded = ctx.call(node, Static(np.round), [v])
    assert isinstance(rounded, Value)
    return ctx.b.cast(rounded, INT)


def _divmod(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    return Tuple((binary(ctx, node, "floordiv", *args), binary(ctx, node, "mod", *args)))


def _pow(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    return binary(ctx, node, "pow", args[0], args[1])


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


def _sorted(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    x = usable(ctx, node, args[0])
    if isinstance(x, Value) and isinstance(x.type, Array):
        return ctx.call(node, Static(np.sort), [x])
    items = known_items(ctx, node, x)
    values = [known(ctx, v) for v in items]
    if any(v is UNKNOWN for v in values):
        return ctx.call(node, Static(np.sort), [pack(ctx, node, items)])
    order = sorted(range(len(values)), key=lambda k: values[k])
    return make_sequence(ctx, "list", [items[k] for k in order])


def _slice(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    given = [None if isinstance(a, Static) and a.value is None else value(ctx, node, a) for a in args]
    if len(given) == 1:
        return Slice(None, given[0], None)
    return Slice(given[0], given[1], given[2] if len(given) > 2 else None)


def _isclose_math(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    return ctx.call(node, Static(np.isclose), args, {})


def _fsum(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    return _sum(ctx, node, args[:1], {})


def _next(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    items = items_of(ctx, node, usable(ctx, node, args[0]))
    if items.fixed:
        return items.fixed[0]()
    raise ctx.error(node, "next() of an iterator is not supported")


def _reduce(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    items = known_items(ctx, node, args[1])
    total = args[2] if len(args) > 2 else items.pop(0)
    for item in items:
        total = ctx.call(node, args[0], [total, item])
    return total


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


def _copysign_identity(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    return args[0]


INTRINSICS: dict[Any, Callable[..., Lowered]] = {
    len: _len, range: _range, enumerate: _enumerate, zip: _lazy("zip"), reversed: _lazy("reversed"),
    map: _lazy("map"), float: _convert(FLOAT, float), int: _convert(INT, int), bool: _convert(BOOL, bool),
    complex: _convert(COMPLEX, complex), sum: _sum, min: _extreme("min"), max: _extreme("max"), list: _list,
    tuple: _tuple, dict: _dict, isinstance: _isinstance, type: _type, getattr: _getattr, hasattr: _hasattr,
    callable: _callable, any: _logical(False), all: _logical(True), print: lower_print, round: _round,
    divmod: _divmod, pow: _pow, str: _text("str"), repr: _text("repr"), sorted: _sorted, slice: _slice,
    super: _super, functools.reduce: _reduce, iter: _copysign_identity, next: _next,
    math.isclose: _isclose_math, math.fsum: _fsum,
    **ARRAYS,
}
