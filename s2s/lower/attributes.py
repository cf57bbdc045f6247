"""`x.name`: of arrays, of outside objects, of objects made in the program, and methods of all of them."""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from s2s.ir.core import Value
from s2s.ir.types import Array, List, Opaque, Scalar
from s2s.lower.binding import MISSING
from s2s.lower.context import Context
from s2s.lower.iterate import describe
from s2s.lower.outside import attribute, constant_object, outside
from s2s.lower.values import Bound, Box, Closure, Lowered, Method, Outside, Static, Tuple


@dataclass(frozen=True)
class Super:
    """`super()`: the classes after `cls` in the order of the receiver's class."""

    cls: type
    receiver: Lowered


CONTAINER_METHODS = {
    "list": {"append", "pop", "extend", "insert", "index", "count", "copy", "reverse", "sort", "clear", "remove"},
    "dict": {"get", "items", "keys", "values", "pop", "update", "setdefault", "copy"},
}


def get_attribute(ctx: Context, node: gast.AST, x: Lowered, name: str) -> Lowered:  # noqa: C901 - a table of cases
    """The attribute `name` of anything."""
    if isinstance(x, Value):
        return _value_attribute(ctx, node, x, name)
    if isinstance(x, Outside):
        return _outside_attribute(ctx, node, x, name)
    if isinstance(x, Box) and x.kind == "object":
        return _object_attribute(ctx, node, x, name)
    if isinstance(x, Box) and name in CONTAINER_METHODS.get(x.kind, ()):
        return Method(x, name)
    if isinstance(x, Tuple):
        fields = getattr(x.cls, "_fields", ())
        if name in fields:
            return x.items[fields.index(name)]
        if name in ("index", "count"):
            return Method(x, name)
        if x.cls is not None and hasattr(x.cls, name):
            return _class_attribute(ctx, node, x, x.cls, name)
    if isinstance(x, Static) and isinstance(x.value, Super):
        return _super_attribute(ctx, node, x.value, name)
    if isinstance(x, Static):
        found = getattr(x.value, name, MISSING)
        if found is not MISSING:
            if isinstance(x.value, str | bytes):
                return Method(x, name)
            return constant_object(ctx, found)
    if isinstance(x, Method | Closure | Bound):
        if name == "__name__" and isinstance(x, Closure):
            return Static(getattr(x.node, "name", "<lambda>"))
        if isinstance(x, Bound) and name == "func":
            return x.callee
    raise ctx.error(node, f"{describe(x)} has no attribute {name!r} that s2s knows",
                    fix="correct its spelling, or read it before the function and pass it in as an argument")


VARIABLE_METHODS = ("numpy", "value", "read_value", "assign", "assign_add", "assign_sub")


def _value_attribute(ctx: Context, node: gast.AST, x: Value, name: str) -> Lowered:
    if x in ctx.variables and name in (*VARIABLE_METHODS, "name", "trainable"):
        if name in VARIABLE_METHODS:
            return Method(x, name)
        v = getattr(ctx.variables[x].value, name)
        return ctx.b.const(v) if isinstance(v, bool) else Static(v)
    if isinstance(x.type, Opaque | List):
        return Method(x, name)
    t = x.type
    assert isinstance(t, Scalar | Array), t
    if name == "shape":
        return Tuple(tuple(ctx.b.dim(x, k) for k in range(t.ndim)))
    if name == "ndim":
        return ctx.b.int(t.ndim)
    if name == "size":
        n = ctx.b.int(1)
        for k in range(t.ndim):
            n = ctx.b.mul(n, ctx.b.dim(x, k))
        return n
    if name == "dtype":
        return Static(np.dtype(t.dtype))
    if name in ("nbytes", "itemsize"):
        item = ctx.b.int(np.dtype(t.dtype).itemsize)
        size = _value_attribute(ctx, node, x, "size")
        assert isinstance(size, Value)
        return item if name == "itemsize" else ctx.b.mul(item, size)
    if name == "T":
        return x if t.ndim < 2 else ctx.call(node, Static(np.transpose), [x])
    if name in ("real", "imag"):
        if np.dtype(t.dtype).kind != "c":
            return x if name == "real" else ctx.call(node, Static(np.zeros_like), [x])
        return ctx.call(node, Static(getattr(np, name)), [x])
    if name == "flat":
        return ctx.call(node, Static(np.ravel), [x])
    return Method(x, name)


def _outside_attribute(ctx: Context, node: gast.AST, x: Outside, name: str) -> Lowered:
    override = ctx.state.env.get((ctx.object_scope(x), name))
    if override is not None:
        return override
    v = x.value
    fields = getattr(v, "_fields", ()) if isinstance(v, tuple) else ()
    if name in fields:
        return outside(ctx, ctx.binding.read(x.read, "item", fields.index(name)))
    if isinstance(v, list | dict) and name in CONTAINER_METHODS["list" if isinstance(v, list) else "dict"]:
        return Method(x, name)
    if isinstance(v, types.ModuleType | type | types.FunctionType):
        found = attribute(ctx, x, name)
        if found is not None:
            return found
        raise ctx.error(node, f"{getattr(v, '__name__', v)} has no attribute {name!r}")
    cls = type(v)
    static_attribute = _static_lookup(cls, name)
    if isinstance(static_attribute, property) and static_attribute.fget is not None:
        return ctx.call(node, Static(static_attribute.fget), [x])
    if isinstance(static_attribute, types.FunctionType) and name not in getattr(v, "__dict__", {}):
        return Bound(_class_function(ctx, x, name), (x,))
    if isinstance(static_attribute, staticmethod | classmethod) and name not in getattr(v, "__dict__", {}):
        function = Static(static_attribute.__func__)
        return function if isinstance(static_attribute, staticmethod) else Bound(function, (Static(cls),))
    if static_attribute is not MISSING and name not in getattr(v, "__dict__", {}) and callable(static_attribute):
        return Method(x, name)
    found = attribute(ctx, x, name)
    if found is None:
        raise ctx.error(node, f"{cls.__name__} object has no attribute {name!r}", "Python would raise AttributeError",
                        "set it before the call, or correct its spelling")
    return found


def _super_attribute(ctx: Context, node: gast.AST, x: Super, name: str) -> Lowered:
    receiver = x.receiver
    own = receiver.cls if isinstance(receiver, Box | Tuple) else type(getattr(receiver, "value", None))
    order = own.__mro__ if own is not None else ()
    for base in order[order.index(x.cls) + 1:]:
        found = base.__dict__.get(name)
        if isinstance(found, types.FunctionType):
            return Bound(Static(found), (receiver,))
        if isinstance(found, property) and found.fget is not None:
            return ctx.call(node, Static(found.fget), [receiver])
        if name == "__init__" and base is object:
            return Static(_nothing)
    raise ctx.error(node, f"super() has no attribute {name!r}")


def _nothing(*args: object) -> None:
    """object.__init__."""


def _class_function(ctx: Context, x: Outside, name: str) -> Outside | Static:
    """A method found on the class of an outside object, so that replacing it there is noticed."""
    read = ctx.binding.read(x.read, "type_attr", name)
    return Outside(read.value, read)


def _static_lookup(cls: type, name: str) -> Any:
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return MISSING


def _object_attribute(ctx: Context, node: gast.AST, x: Box, name: str) -> Lowered:
    content = ctx.state.heap[x]
    if name in content:
        return content[name]  # type: ignore[no-any-return]
    assert x.cls is not None
    return _class_attribute(ctx, node, x, x.cls, name)


def _class_attribute(ctx: Context, node: gast.AST, x: Lowered, cls: type, name: str) -> Lowered:
    found = _static_lookup(cls, name)
    if isinstance(found, property) and found.fget is not None:
        return ctx.call(node, Static(found.fget), [x])
    if isinstance(found, types.FunctionType):
        return Bound(Static(found), (x,))
    if isinstance(found, staticmethod):
        return Static(found.__func__)
    if isinstance(found, classmethod):
        return Bound(Static(found.__func__), (Static(cls),))
    if found is not MISSING:
        return constant_object(ctx, found)
    if name == "__class__":
        return Static(cls)
    raise ctx.error(node, f"{cls.__name__} object has no attribute {name!r}")
