"""Outside values: globals, closure cells, defaults, attributes and elements of what exists already."""

from __future__ import annotations

import builtins
import cmath
import functools
import itertools
import math
import operator
import statistics
import types
from typing import Any

import numpy as np

from s2s.ir.core import Value
from s2s.ir.types import Opaque
from s2s.lower.binding import MISSING, Read, is_argument, path_name
from s2s.lower.context import Context
from s2s.lower.values import Lowered, Outside, Static
from s2s.variable import Variable

# Modules whose names do not change: reading one of their attributes needs no check at each call.
STABLE_MODULES = (np, math, np.linalg, builtins, cmath, functools, itertools, operator, statistics)


def outside(ctx: Context, read: Read) -> Lowered:
    """What a read stands for: a parameter of the program, a constant, or an object to look into."""
    v = read.value
    linked = ctx.linked(Outside(v, read)) if ctx.links else None
    if linked is not None:
        return linked
    if read.by_value or v is None or isinstance(v, str | bytes | slice | np.dtype | type(...)):
        return Static(v) if not _is_number(v) else ctx.b.const(v)
    if isinstance(v, Variable):
        if ctx.merge or not is_argument(read):
            first = ctx.same.setdefault(id(v), read)
            read.same_as = first
            read = first
        ctx.touched[read] = None
        assigned = ctx.get((("variable", id(v)), "value"))
        if assigned is not None:
            if isinstance(assigned, Value):
                ctx.variables[assigned] = read
            return assigned
    elif id(v) in ctx.one_memory:
        read.same_as = ctx.same.setdefault(id(v), read)
        read.leaf = read.same_as.leaf
    if read.leaf is not None and not isinstance(read.leaf.type, Opaque):
        watched = ctx.state.env.get((("instead", id(read.leaf)), "value")) if ctx.superseded else None
        return read.leaf if watched is None else watched
    name = path_name(read.path)
    found = ctx.binding.type_of(read, name)
    if found is not None:
        read.leaf = ctx.param(found, name)
        if isinstance(v, Variable):
            ctx.variables[read.leaf] = read
        return read.leaf
    return Outside(v, read)


def _is_number(v: Any) -> bool:
    return isinstance(v, bool | int | float | complex | np.generic)


def opaque(ctx: Context, x: Outside) -> Value:
    """The object itself, as a parameter of the program, for calls that are left in place."""
    if x.read.leaf is None:
        name = path_name(x.read.path)
        if len(x.read.path) == 1 and not is_argument(x.read):
            name = getattr(x.value, "__name__", type(x.value).__name__)
        x.read.leaf = ctx.param(Opaque(type(x.value).__name__), name if name.isidentifier() else "function")
    return x.read.leaf


def attribute(ctx: Context, x: Outside, name: str) -> Lowered | None:
    """`x.name`, or None where there is no such attribute."""
    if isinstance(x.value, types.ModuleType) and x.value in STABLE_MODULES:
        found = getattr(x.value, name, MISSING)
        return None if found is MISSING else constant_object(ctx, found)
    read = ctx.binding.read(x.read, "attr", name)
    return None if read.value is MISSING else outside(ctx, read)


def constant_object(ctx: Context, v: Any) -> Lowered:
    """An object that is always the same: a NumPy function, `math.pi`."""
    return ctx.b.const(v) if _is_number(v) else Static(v)


def global_name(ctx: Context, function: Read, name: str) -> Lowered | None:
    """A global or builtin name as `function` sees it now."""
    read = ctx.binding.read(function, "global", name)
    if read.value is not MISSING:
        v = read.value
        if isinstance(v, types.ModuleType) and v in STABLE_MODULES:
            return Static(v)
        return outside(ctx, read)
    found = getattr(builtins, name, MISSING)
    return None if found is MISSING else Static(found)
