"""Names: what they stand for, and whose they are."""

from __future__ import annotations

import builtins
import types
from typing import Any

from s2s.ir.core import Value
from s2s.lower.binding import MISSING
from s2s.lower.context import Context, Frame, RunBlock
from s2s.lower.effects import assign_outside
from s2s.lower.outside import STABLE_MODULES, constant_object, global_name, outside
from s2s.lower.values import Box, Lowered, Static


def lookup(ctx: Context, frame: Frame, name: str) -> Lowered | None:
    """What a name stands for in `frame` now; None where it is not bound."""
    scope: Frame | None = frame
    while scope is not None:
        if name in scope.local_names and not (scope is frame and name in scope.nonlocal_names):
            found = ctx.get((scope, name))
            if found is None and scope.block is not None:
                return entry_name(ctx, scope.block, name)
            if found is not None or scope is frame:
                return found
        if name in scope.global_names or scope.outer is None:
            break
        scope = scope.outer
    while scope is not None and scope.outer is not None:
        scope = scope.outer
    assert scope is not None
    return _outer_name(ctx, scope, name)



def _outer_name(ctx: Context, scope: Frame, name: str) -> Lowered | None:
    """A closure cell, global or builtin of the function of `scope`."""
    override = ctx.get((("global", id(scope.source.function.__globals__)), name))
    if override is not None:
        return override
    if scope.block is not None:
        return entry_name(ctx, scope.block, name)
    if scope.read is None:
        return None
    if scope.at is not None:  # a function of s2s: what it reads stays what it is
        found = scope.source.function.__globals__.get(name, getattr(builtins, name, None))
        return constant_object(ctx, found)
    free = scope.source.function.__code__.co_freevars
    if name in free and name not in scope.global_names:
        return outside(ctx, ctx.binding.read(scope.read, "cell", name))
    return global_name(ctx, scope.read, name)


def mangled(ctx: Context, name: str) -> str:
    """An attribute's name: `__private` names belong to the class whose method uses them."""
    cls = ctx.frame.class_of
    if cls is None or not name.startswith("__") or name.endswith("__"):
        return name
    return f"_{cls.__name__.lstrip('_')}{name}"


def entry_name(ctx: Context, block: RunBlock, name: str) -> Lowered | None:
    """What a name stood for when a block that ran was entered."""
    v = block.entry(name)
    if v is MISSING:
        found = getattr(builtins, name, MISSING)
        return None if found is MISSING else Static(found)
    if isinstance(v, types.ModuleType) and v in STABLE_MODULES:
        return Static(v)
    for k in range(block.number):
        before = ctx.binding.known.get((("name", name, k),))
        if before is not None and before.value is v:
            return outside(ctx, before)
    return outside(ctx, ctx.binding.root(("name", name, block.number), v))


def owner(ctx: Context, name: str) -> Any:
    """The frame whose variable an assignment to `name` binds; the key of a module for a global."""
    frame: Frame = ctx.frame
    while frame.comprehension and name not in frame.local_names and frame.outer is not None:
        frame = frame.outer
    if name in frame.global_names or (frame.block is not None and name not in frame.local_names):
        return ("global", id(frame.source.function.__globals__))
    scope: Frame | None = frame
    if name in frame.nonlocal_names:
        scope = frame.outer
        while scope is not None and name not in scope.local_names:
            scope = scope.outer
    return scope



def set_name(ctx: Context, name: str, new: Lowered) -> None:
    """Bind a name, giving the value that name unless it has one of the user's already."""
    scope = owner(ctx, name)
    if isinstance(scope, tuple) and ctx.frame.block is not None:
        _named(ctx, name, new)
        ctx.state.bind((scope, name), new)  # the module has it already
        return
    if scope is None or isinstance(scope, tuple):
        assign_outside(ctx, name, scope, new)
        return
    _named(ctx, name, new)
    ctx.state.bind((scope, name), new)


def _named(ctx: Context, name: str, new: Lowered) -> None:
    """Give `new` the name, unless it has one."""
    if isinstance(new, Value) and not new.hint and new.op is not None:
        new.hint = name
    if isinstance(new, Box) and not new.hint:
        new.hint = name
        content = ctx.state.heap.get(new)
        if isinstance(content, Value) and not content.hint:
            content.hint = name
