"""Names: what they stand for, and whose they are."""

from __future__ import annotations

import builtins
import types
from typing import Any

from s2s.ir.core import Value
from s2s.lower.binding import MISSING, Read
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
        read = ctx.binding.read(scope.read, "cell", name)
        bound = _bound_by_block(ctx, scope, name, read)
        return outside(ctx, read) if bound is None else bound
    return global_name(ctx, scope.read, name)


def _bound_by_block(ctx: Context, scope: Frame, name: str, read: Read) -> Lowered | None:
    """What a block that ran has bound a name to, if that is the cell that a function reads; None if it is not."""
    for frame in ctx.run_frames:
        bound = ctx.state.env.get((frame, name))
        if bound is None or frame.block is None or not frame.block.owns(scope.source.function.__code__):
            continue
        before = frame.block.entry(name)
        if before is not read.value:
            raise ctx.error(ctx.statement, f"{name!r} is bound in the block, and read by {scope.source.name}()",
                            "whether it is the same variable cannot be told",
                            f"pass {name!r} to the function as an argument")
        read.same_as = ctx.binding.root(("name", name, frame.block.number), before)
        return bound
    return None


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
