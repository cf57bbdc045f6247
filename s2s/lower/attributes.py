"""`x.name`: of arrays, of outside objects, of objects made in the program, and methods of all of them."""

from __future__ import annotations

import collections
import types
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from s2s.ir.core import Value
from s2s.ir.types import Array, List, Opaque, Scalar
from s2s.lower.binding import MISSING, member
from s2s.lower.context import Context
from s2s.lower.describe import describe
from s2s.lower.objects import BOUND, bound_member, class_value, is_data_descriptor, load, python_method
from s2s.lower.outside import attribute, constant_object, outside
from s2s.lower.sparse import Transposed, is_sparse
from s2s.lower.tapes import METHODS as TAPE_METHODS
from s2s.lower.tapes import is_tape
from s2s.lower.values import Bound, Box, Closure, Lowered, Method, Outside, Range, Static, Tuple


@dataclass(frozen=True)
class Super:
    """`super()`: the classes after `cls` in the order of the receiver's class."""

    cls: type
    receiver: Lowered


CONTAINER_METHODS = {
    kind: {name for name in dir(cls) if not name.startswith("_")}
    for kind, cls in (("list", collections.deque), ("dict", collections.OrderedDict), ("set", set))}
CONTAINER_METHODS["list"] |= {"sort"}
for _names in CONTAINER_METHODS.values():
    _names |= {"__getitem__", "__len__", "__contains__"}


def named_replace(self: Any, /, **changes: Any) -> Any:
    """Stands for `_replace` of a namedtuple, whose source is not kept; see `s2s.lower.records`."""


def named_asdict(self: Any, /) -> Any:
    """Stands for `_asdict` of a namedtuple."""


NAMED_METHODS = {"_replace": named_replace, "_asdict": named_asdict}


def get_attribute(ctx: Context, node: gast.AST, x: Lowered, name: str) -> Lowered:  # noqa: C901 - a table of cases
    """The attribute `name` of anything."""
    if isinstance(x, Value):
        return _value_attribute(ctx, node, x, name)
    if name in TAPE_METHODS and is_tape(x):
        return Method(x, name)
    if isinstance(x, Outside):
        return _outside_attribute(ctx, node, x, name)
    if isinstance(x, Box) and x.kind == "object":
        return load(ctx, node, x, name)
    if isinstance(x, Box) and name in CONTAINER_METHODS.get(x.kind, ()):
        return Method(x, name)
    if isinstance(x, Tuple):
        fields = getattr(x.cls, "_fields", ())
        if name in fields:
            return x.items[fields.index(name)]
        if name in ("index", "count"):
            return Method(x, name)
        if fields and name in NAMED_METHODS:
            return Bound(Static(NAMED_METHODS[name]), (x,))
        if x.cls is not None and hasattr(x.cls, name):
            return bound_member(ctx, node, x, x.cls, name)
    if isinstance(x, Static) and isinstance(x.value, Transposed) and name in ("T", "dot"):
        return x.value.matrix if name == "T" else Method(x, name)
    if isinstance(x, Static) and isinstance(x.value, Super):
        return _super_attribute(ctx, node, x.value, name)
    if isinstance(x, Static):
        found = getattr(x.value, name, MISSING)
        if found is not MISSING:
            if isinstance(x.value, str | bytes):
                return Method(x, name)
            return constant_object(ctx, found)
    if isinstance(x, Range) and name in ("start", "stop", "step"):
        return getattr(x, name)  # type: ignore[no-any-return]
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
    return _number_attribute(ctx, node, x, t, name)


def _number_attribute(ctx: Context, node: gast.AST, x: Value, t: Scalar | Array, name: str) -> Lowered:
    if name == "__class__":
        return ctx.call(node, Static(type), [x])
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
    if name == "mT" and t.ndim > 1:
        return ctx.call(node, Static(np.swapaxes), [x, ctx.b.int(-1), ctx.b.int(-2)])
    if name in ("real", "imag"):
        if np.dtype(t.dtype).kind != "c":
            return x if name == "real" else ctx.call(node, Static(np.zeros_like), [x])
        return ctx.call(node, Static(getattr(np, name)), [x])
    if name == "flat":
        return ctx.call(node, Static(np.ravel), [x])
    return Method(x, name)


def _outside_attribute(ctx: Context, node: gast.AST, x: Outside, name: str) -> Lowered:
    override = ctx.get((ctx.object_scope(x), name))
    if override is not None:
        return override
    v = x.value
    fields = getattr(v, "_fields", ()) if isinstance(v, tuple) else ()
    if name in fields:
        return outside(ctx, ctx.binding.read(x.read, "item", fields.index(name)))
    if fields and name in NAMED_METHODS:
        return Bound(Static(NAMED_METHODS[name]), (x,))
    if isinstance(v, list | dict) and name in CONTAINER_METHODS["list" if isinstance(v, list) else "dict"]:
        return Method(x, name)
    if isinstance(v, type):
        computed = _class_descriptor(ctx, node, x, name)
        if computed is not None:
            return computed
    if isinstance(v, types.ModuleType | type | types.FunctionType):
        found = attribute(ctx, x, name)
        if found is not None:
            return found
        raise ctx.error(node, f"{getattr(v, '__name__', v)} has no attribute {name!r}")
    if name in ("T", "dot") and is_sparse(v):
        return Static(Transposed(x)) if name == "T" else Method(x, name)
    written = ctx.services.table.method_of(v, name)
    if written is not None:
        return Static(written)
    own = python_method(type(v), "__getattribute__")
    if own is not None:
        return ctx.call(node, Static(own), [x, Static(name)])
    return outside_attribute(ctx, node, x, name)


def _class_descriptor(ctx: Context, node: gast.AST, x: Outside, name: str) -> Lowered | None:
    """An attribute of a class that Python computes: a descriptor of the class, a property of its metaclass."""
    found, above = member(x.value, name), member(type(x.value), name)
    if isinstance(above, property) and above.fget is not None:
        return ctx.call(node, Static(above.fget), [x])
    get = python_method(type(found), "__get__") if found is not MISSING else None
    if get is not None:
        return ctx.call(node, Static(get), [Static(found), Static(None), x])
    return None


def outside_attribute(ctx: Context, node: gast.AST, x: Outside, name: str) -> Lowered:
    """What `object.__getattribute__` does for an object from outside, and `__getattr__` where it fails."""
    v, cls = x.value, type(x.value)
    found = member(cls, name)
    own = name in getattr(v, "__dict__", {})
    if found is not MISSING and (is_data_descriptor(found) or not own):
        if isinstance(found, types.FunctionType):
            return Bound(_class_function(ctx, x, name), (x,))
        if isinstance(found, BOUND) or is_data_descriptor(found) or python_method(type(found), "__get__"):
            return bound_member(ctx, node, x, cls, name)
        if _stored(ctx, cls, name):
            return class_value(ctx, cls, name)
        if callable(found):
            return Method(x, name)
    fallback = python_method(cls, "__getattr__")
    if found is MISSING and not own and fallback is not None:
        return ctx.call(node, Static(fallback), [x, Static(name)])
    read = attribute(ctx, x, name)
    if read is None:
        raise ctx.error(node, f"{cls.__name__} object has no attribute {name!r}", "Python would raise AttributeError",
                        "set it before the call, or correct its spelling", python=AttributeError)
    return read


def _stored(ctx: Context, cls: type, name: str) -> bool:
    """Whether the program has stored a class attribute that an object from outside has too."""
    return any((("attr", id(base)), name) in ctx.state.env for base in cls.__mro__)


def _super_attribute(ctx: Context, node: gast.AST, x: Super, name: str) -> Lowered:
    receiver = x.receiver
    given = getattr(receiver, "value", None)
    if isinstance(receiver, Box | Tuple):
        own: Any = receiver.cls
    else:
        own = given if isinstance(given, type) and not issubclass(x.cls, type) else type(given)
    order = own.__mro__ if own is not None else ()
    for base in order[order.index(x.cls) + 1:] if x.cls in order else ():
        found = base.__dict__.get(name)
        if isinstance(found, types.FunctionType):
            is_class = isinstance(given, type) and not issubclass(x.cls, type)
            return Static(found) if is_class else Bound(Static(found), (receiver,))
        if isinstance(found, staticmethod):
            return Static(found.__func__)
        if isinstance(found, classmethod):
            return Bound(Static(found.__func__), (receiver if isinstance(given, type) else Static(own),))
        if isinstance(found, property) and found.fget is not None:
            return ctx.call(node, Static(found.fget), [receiver])
        if base is object and name == "__init__":
            return Static(_nothing)
        if base is object and name in ("__setattr__", "__getattribute__"):
            return Bound(Static(found), (receiver,))
        if base is object and name == "__new__":
            return Static(object.__new__)
        if base in (list, tuple, dict) and name == "__getitem__":
            return Bound(Static(found), (receiver,))
        if base is type and name == "__call__":
            return Bound(Static(type.__call__), (receiver,))
        if found is not None and not callable(found):
            return constant_object(ctx, found)
    raise ctx.error(node, f"super() has no attribute {name!r}")


def _nothing(*args: object) -> None:
    """object.__init__."""


def _class_function(ctx: Context, x: Outside, name: str) -> Outside | Static:
    """A method found on the class of an outside object, so that replacing it there is noticed."""
    read = ctx.binding.read(x.read, "type_attr", name)
    return Outside(read.value, read)
