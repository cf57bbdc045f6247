"""Objects made in the program: instances of user classes, namedtuples and dataclasses."""

from __future__ import annotations

import functools
import types
from typing import Any

import gast

from s2s.lower.context import Context
from s2s.lower.effects import leave_in_place
from s2s.lower.values import Bound, Box, Lowered, Outside, Static, Tuple


def construct(ctx: Context, node: gast.AST | None, callee: Static | Outside, args: list[Lowered],
              kwargs: dict[str, Lowered]) -> Lowered:
    """A call of a class."""
    cls = callee.value
    if cls is functools.partial:
        return Bound(args[0], tuple(args[1:]), tuple(kwargs.items()))
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        items = dict(zip(cls._fields, args, strict=False)) | kwargs
        defaults = getattr(cls, "_field_defaults", {})
        missing = [f for f in cls._fields if f not in items and f not in defaults]
        if missing:
            raise ctx.error(node, f"{cls.__name__}() misses {missing[0]!r}")
        return Tuple(tuple(items[f] if f in items else _constant(ctx, defaults[f]) for f in cls._fields), cls)
    init = _init(cls)
    if init is None and cls.__init__ is object.__init__ and cls.__module__ != "builtins":
        return _instance(ctx, cls)
    if isinstance(init, types.FunctionType):
        box = _instance(ctx, cls)
        if hasattr(cls, "__dataclass_fields__") and init.__code__.co_filename == "<string>":
            _dataclass(ctx, node, cls, box, args, kwargs)
        else:
            ctx.call(node, Static(init), [box, *args], kwargs)
        return box
    assert node is not None
    return leave_in_place(ctx, node, callee, args, kwargs)


def _constant(ctx: Context, v: Any) -> Lowered:
    return ctx.b.const(v) if isinstance(v, bool | int | float | complex) else Static(v)


def _init(cls: type) -> Any:
    for base in cls.__mro__:
        if "__init__" in base.__dict__:
            return base.__dict__["__init__"]
    return None


def _instance(ctx: Context, cls: type) -> Box:
    box = Box("object", cls, "", ctx.depth)
    ctx.state.heap[box] = {}
    return box


def _dataclass(ctx: Context, node: gast.AST | None, cls: Any, box: Box, args: list[Lowered],
               kwargs: dict[str, Lowered]) -> None:
    """What the generated `__init__` of a dataclass does."""
    import dataclasses
    rest = list(args)
    content = ctx.state.heap[box]
    for field in dataclasses.fields(cls):
        if not field.init:
            continue
        if rest:
            content[field.name] = rest.pop(0)
        elif field.name in kwargs:
            content[field.name] = kwargs[field.name]
        elif field.default is not dataclasses.MISSING:
            content[field.name] = _constant(ctx, field.default)
        elif field.default_factory in (list, dict):
            made = Box("list" if field.default_factory is list else "dict", None, field.name, ctx.depth)
            ctx.state.heap[made] = [] if field.default_factory is list else {}
            content[field.name] = made
        else:
            raise ctx.error(node, f"{cls.__name__}() misses {field.name!r}")
    if hasattr(cls, "__post_init__"):
        ctx.call(node, Static(cls.__post_init__), [box])
