"""Attributes of objects with a Python class, looked up and stored as Python does it.

In this order: a data descriptor of the class (a property, `__set__`), the object's own attribute, what else
the class has (methods are bound), `__getattr__`. Functions on the way are called like any other.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import gast

from s2s.lower.binding import MISSING, Read, member
from s2s.lower.context import Context
from s2s.lower.outside import outside
from s2s.lower.truth import usable
from s2s.lower.values import Bound, Box, Lowered, Outside, Static, Tuple


def class_of(x: Lowered) -> type | None:
    """The user's class of an object or named tuple; None for anything else."""
    if isinstance(x, Box | Tuple):
        return x.cls
    if isinstance(x, Outside) and not isinstance(x.value, type | types.ModuleType):
        return type(x.value)
    return None


def python_method(cls: type | None, name: str) -> types.FunctionType | None:
    """The method that a class defines in Python; None where it has none, or one written in C."""
    found = MISSING if cls is None else member(cls, name)
    return found if isinstance(found, types.FunctionType) else None


def call_special(ctx: Context, node: gast.AST | None, x: Lowered, name: str, args: list[Lowered]) -> Lowered | None:
    """`x.__name__(*args)`, looked up on the class; None where the class does not define it in Python."""
    cls = class_of(x)
    found = python_method(cls, name)
    if cls is None or found is None:
        return None
    read = member_read(ctx, cls, name)
    return ctx.call(node, Outside(read.value, read), [x, *args])


def member_read(ctx: Context, cls: type, name: str) -> Read:
    """What a class has under a name, read afresh at each call: a method that is replaced is noticed."""
    return ctx.binding.read(ctx.binding.constant(cls), "member", name)


BOUND = (property, staticmethod, classmethod, functools.partialmethod, functools.cached_property)


def is_data_descriptor(found: Any) -> bool:
    """Whether what a class has goes before an attribute of the object itself."""
    return isinstance(found, property) or isinstance(member(type(found), "__set__"), types.FunctionType)


def load(ctx: Context, node: gast.AST, x: Box, name: str) -> Lowered:
    """`x.name` of an object that the program made."""
    assert x.cls is not None
    own = python_method(x.cls, "__getattribute__")
    if own is not None:
        return ctx.call(node, Static(own), [x, Static(name)])
    return default_load(ctx, node, x, name)


def default_load(ctx: Context, node: gast.AST, x: Box, name: str) -> Lowered:
    """What `object.__getattribute__` does, and `__getattr__` where it fails."""
    assert x.cls is not None
    found = member(x.cls, name)
    usable(ctx, node, x)
    content = ctx.state.heap[x]
    if name in content and not is_data_descriptor(found):
        return content[name]  # type: ignore[no-any-return]
    ctx.missed.add((x, name))
    if found is not MISSING and not isinstance(found, types.MemberDescriptorType):
        return bound_member(ctx, node, x, x.cls, name)
    if name == "__class__":
        return Static(x.cls)
    fallback = python_method(x.cls, "__getattr__")
    if fallback is not None:
        return ctx.call(node, Static(fallback), [x, Static(name)])
    raise ctx.error(node, f"{x.cls.__name__} object has no attribute {name!r}", "Python would raise AttributeError",
                    "set it before this line, or correct its spelling", python=AttributeError)


def bound_member(ctx: Context, node: gast.AST, x: Lowered, cls: type, name: str) -> Lowered:
    """What a class has under a name, as an attribute of its instance `x`."""
    found = member(cls, name)
    read = member_read(ctx, cls, name)

    def part(attribute: str) -> Outside:
        inner = ctx.binding.read(read, "attr", attribute)
        return Outside(inner.value, inner)

    if isinstance(found, property) and found.fget is not None:
        return ctx.call(node, part("fget"), [x])
    if isinstance(found, types.FunctionType):
        return Bound(Outside(found, read), (x,))
    if isinstance(found, staticmethod):
        return part("__func__")
    if isinstance(found, classmethod):
        return Bound(part("__func__"), (Static(cls),))
    if isinstance(found, functools.partialmethod):
        given = tuple(outside(ctx, ctx.binding.read(ctx.binding.read(read, "attr", "args"), "item", k))
                      for k in range(len(found.args)))
        words = ctx.binding.read(read, "attr", "keywords")
        named = tuple((k, outside(ctx, ctx.binding.read(words, "item", k))) for k in found.keywords)
        return Bound(part("func"), (x, *given), named)
    if isinstance(found, functools.cached_property):
        return _cached(ctx, node, x, name, part("func"))
    get = member(type(found), "__get__")
    if isinstance(get, types.FunctionType):
        return ctx.call(node, Static(get), [Outside(found, read), x, Static(cls)])
    return class_value(ctx, cls, name)


def _cached(ctx: Context, node: gast.AST, x: Lowered, name: str, function: Lowered) -> Lowered:
    """functools.cached_property: computed once, and then an attribute of the object."""
    made = ctx.call(node, function, [x])
    if isinstance(x, Box):
        ctx.state.heap[x][name] = made
    elif isinstance(x, Outside):
        ctx.state.bind((ctx.object_scope(x), name), made)
    return made


def inherited(ctx: Context, cls: type | None, name: str) -> Lowered | None:
    """What an object of a class that has no attribute of a name has from that class, where it is a plain value."""
    found = MISSING if cls is None else member(cls, name)
    if cls is None or found is MISSING or isinstance(found, (*BOUND, types.FunctionType, types.MemberDescriptorType)) \
            or isinstance(member(type(found), "__get__"), types.FunctionType):
        return None
    return class_value(ctx, cls, name)


def class_value(ctx: Context, cls: type, name: str) -> Lowered:
    """An attribute of a class that is no function: as the program stored it, or read at each call."""
    for base in cls.__mro__:
        stored = ctx.get((("attr", id(base)), name))
        if stored is not None:
            return stored
        if name in base.__dict__:
            break
    return outside(ctx, member_read(ctx, cls, name))


def store(ctx: Context, node: gast.AST, x: Lowered, name: str, new: Lowered) -> bool:
    """`x.name = new` where the class of `x` has its own way; False where it is to be stored as it is."""
    cls = class_of(x)
    if cls is None:
        return False
    own = python_method(cls, "__setattr__")
    if own is not None and own.__code__.co_filename == "<string>":
        raise ctx.error(node, f"a field of a frozen dataclass, {cls.__name__}.{name}, is assigned",
                        "Python would raise FrozenInstanceError", "make a new object with dataclasses.replace",
                        python=AttributeError)
    if own is not None:
        ctx.call(node, Static(own), [x, Static(name), new])
        return True
    return default_store(ctx, node, x, cls, name, new)


def default_store(ctx: Context, node: gast.AST, x: Lowered, cls: type, name: str, new: Lowered) -> bool:
    """What `object.__setattr__` does with properties and descriptors; False where there are none."""
    found = member(cls, name)
    if isinstance(found, property):
        if found.fset is None:
            raise ctx.error(node, f"the property {cls.__name__}.{name} has no setter", "Python would raise "
                            "AttributeError", "store what it is computed from", python=AttributeError)
        setter = ctx.binding.read(member_read(ctx, cls, name), "attr", "fset")
        ctx.call(node, Outside(setter.value, setter), [x, new])
        return True
    set_ = member(type(found), "__set__")
    if isinstance(set_, types.FunctionType):
        ctx.call(node, Static(set_), [Outside(found, member_read(ctx, cls, name)), x, new])
        return True
    return False
