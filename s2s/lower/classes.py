"""Objects made in the program: instances of user classes, namedtuples and dataclasses."""

from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import types
from typing import Any

import gast

from s2s.lower.binding import member
from s2s.lower.context import Context
from s2s.lower.effects import leave_in_place
from s2s.lower.objects import python_method
from s2s.lower.records import attrs_init
from s2s.lower.tapes import make_tape
from s2s.lower.truth import static
from s2s.lower.values import Bound, Box, Lowered, Outside, Static, Tuple
from s2s.variable import Variable


def construct(ctx: Context, node: gast.AST | None, callee: Static | Outside, args: list[Lowered],
              kwargs: dict[str, Lowered]) -> Lowered:
    """A call of a class."""
    made = python_method(type(callee.value), "__call__")
    if made is not None and not issubclass(callee.value, enum.Enum):
        return ctx.call(node, Static(made), [callee, *args], kwargs)
    return new_instance(ctx, node, callee, args, kwargs)


def new_instance(ctx: Context, node: gast.AST | None, callee: Static | Outside, args: list[Lowered],
                 kwargs: dict[str, Lowered]) -> Lowered:
    """What `type.__call__` does: `__new__`, then `__init__`."""
    cls = callee.value
    if cls is functools.partial:
        return Bound(args[0], tuple(args[1:]), tuple(kwargs.items()))
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return named_tuple(ctx, node, cls, args, kwargs)
    if getattr(cls, "__s2s_role__", None) == "tape":
        return make_tape(ctx, node, cls, args, kwargs)
    if issubclass(cls, Variable):
        assert node is not None
        return leave_in_place(ctx, node, callee, args, kwargs)
    init, new = member(cls, "__init__"), member(cls, "__new__")
    new = new.__func__ if isinstance(new, staticmethod) else new
    plain = cls.__new__ is object.__new__ or isinstance(new, types.FunctionType)
    if plain and not issubclass(cls, BaseException | enum.Enum) and cls.__module__ != "builtins" and (
            init is object.__init__ or isinstance(init, types.FunctionType)):
        given = _instance(ctx, cls)
        if isinstance(new, types.FunctionType):
            given = ctx.call(node, Static(new), [callee, *args], kwargs)  # type: ignore[assignment]
            if not (isinstance(given, Box) and given.cls is not None and issubclass(given.cls, cls)):
                return given
        if isinstance(init, types.FunctionType) and hasattr(cls, "__dataclass_fields__") \
                and init.__code__.co_filename == "<string>":
            _dataclass(ctx, node, cls, given, args, kwargs)
        elif isinstance(init, types.FunctionType) and init.__code__.co_filename.startswith("<attrs generated"):
            attrs_init(ctx, node, cls, given, args, kwargs)
        elif isinstance(init, types.FunctionType):
            ctx.call(node, Static(init), [given, *args], kwargs)
        return given
    if issubclass(cls, enum.Enum) and len(args) == 1 and not kwargs:
        return Static(cls(static(ctx, node, args[0], f"the value of a {cls.__name__}")))
    assert node is not None
    return leave_in_place(ctx, node, callee, args, kwargs)


def object_new(ctx: Context, node: gast.AST | None, args: list[Lowered], kwargs: dict[str, Lowered]) -> Lowered:
    """object.__new__(cls)."""
    return _instance(ctx, static(ctx, node, args[0], "the class"))


def named_tuple(ctx: Context, node: gast.AST | None, cls: Any, args: list[Lowered],
                kwargs: dict[str, Lowered]) -> Tuple:
    """A namedtuple of its fields and defaults."""
    if not cls.__new__.__code__.co_filename.startswith("<"):
        raise ctx.error(node, f"a namedtuple with a __new__ of its own, {cls.__name__}, is made",
                        "s2s knows the fields of a namedtuple, not what that makes of them",
                        "make it outside of the function, or write a function that makes it")
    items = _by_name(ctx, node, cls, cls.__new__, [cls, *args], kwargs)
    return Tuple(tuple(items[f] if f in items else _constant(ctx, cls._field_defaults[f]) for f in cls._fields), cls)


def _constant(ctx: Context, v: Any) -> Lowered:
    return ctx.b.const(v) if isinstance(v, bool | int | float | complex) else Static(v)


def _instance(ctx: Context, cls: type) -> Box:
    box = Box("object", cls, "", ctx.depth)
    ctx.state.heap[box] = {}
    return box


def _dataclass(ctx: Context, node: gast.AST | None, cls: Any, box: Box, args: list[Lowered],
               kwargs: dict[str, Lowered]) -> None:
    """What the generated `__init__` of a dataclass does."""
    given = _by_name(ctx, node, cls, cls.__init__, [box, *args], kwargs)
    fields = {field.name: field for field in dataclasses.fields(cls)}
    for name, field in fields.items():
        if name in given:
            ctx.state.heap[box][name] = given[name]
        elif field.default is not dataclasses.MISSING:
            ctx.state.heap[box][name] = _constant(ctx, field.default)
        elif field.default_factory is not dataclasses.MISSING:
            made = ctx.call(node, Static(field.default_factory), [])
            ctx.state.heap[box][name] = made
    if hasattr(cls, "__post_init__"):
        defaults = inspect.signature(cls.__init__).parameters
        only = [name for name in cls.__dataclass_fields__ if name in defaults and name not in fields]  # InitVar
        ctx.call(node, Static(cls.__post_init__), [
            box, *(given[name] if name in given else _constant(ctx, defaults[name].default) for name in only)])


def _by_name(ctx: Context, node: gast.AST | None, cls: Any, function: Any, args: list[Any],
             kwargs: dict[str, Lowered]) -> dict[str, Any]:
    """The arguments that are given to a function which was generated for a class."""
    try:
        return inspect.signature(function).bind(*args, **kwargs).arguments
    except TypeError as error:
        raise ctx.error(node, f"{cls.__name__}(): {error}", "Python would raise TypeError", "correct the call",
                        python=TypeError) from None
