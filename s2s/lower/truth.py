"""Whether a value counts as true, and how a value that must be known at compile time is demanded."""

from __future__ import annotations

import ast
import types
from typing import Any

import gast
import numpy as np

from s2s.ir.core import Value
from s2s.ir.ops import constant
from s2s.ir.types import BOOL, Array, List, Opaque, Scalar
from s2s.lower.binding import is_argument
from s2s.lower.context import MOST, Adopt, Context, Loop, Respecialise, Unroll
from s2s.lower.guards import raise_if
from s2s.lower.outside import outside
from s2s.lower.values import Bound, Box, Closure, Conflict, Lazy, Lowered, Method, Outside, Range, Static, Tuple


def truth(ctx: Context, node: gast.AST, x: Lowered) -> bool | Value:
    """The truth of `x`: known, or a bool value of the program."""
    x = usable(ctx, node, x)
    if isinstance(x, Static):
        return bool(x.value)
    if isinstance(x, Tuple):
        return bool(x.items)
    if isinstance(x, Outside) and isinstance(x.value, list | dict | tuple):
        return bool(x.value)
    if isinstance(x, Outside) or (isinstance(x, Box) and x.kind == "object"):
        return _object_truth(ctx, node, x)
    if isinstance(x, Box):
        content = ctx.whole(x)
        if isinstance(content, Value):
            return ctx.b.binary("gt", ctx.b.one("listlen", {"list": content}), ctx.b.int(0))
        return bool(content)
    if isinstance(x, Closure | Bound | Method | Lazy):
        return True
    if isinstance(x, Value):
        return _value_truth(ctx, node, x)
    if isinstance(x, Range):
        return ctx.b.binary("gt", ctx.b.one("trips", {"start": x.start, "stop": x.stop, "step": x.step}),
                            ctx.b.int(0))
    raise ctx.error(node, "the truth of this value is not known", "s2s cannot tell which branch is taken")


def _object_truth(ctx: Context, node: gast.AST, x: Outside | Box) -> bool | Value:
    """The truth of an object: what its `__bool__` or `__len__` says."""
    cls = x.cls if isinstance(x, Box) else type(x.value)
    own = getattr(cls, "__bool__", None) or getattr(cls, "__len__", None)
    if own is None:
        return True
    if isinstance(own, types.FunctionType):
        return truth(ctx, node, ctx.call(node, Static(own), [x]))
    if isinstance(x, Outside) and isinstance(x.value, frozenset):
        return bool(x.pinned())
    raise ctx.error(node, f"the truth of a {getattr(cls, '__name__', cls)} decides a branch",
                    fix="compute it before the function and pass it in as an argument")


def _value_truth(ctx: Context, node: gast.AST, x: Value) -> bool | Value:
    known = constant(x)
    if known is not None:
        return bool(known)
    if isinstance(x.type, Scalar):
        if x.type.dtype == "bool":
            return x if x.type == BOOL else ctx.b.cast(x, BOOL)
        return ctx.b.binary("ne", x, ctx.b.const(0, Scalar(x.type.dtype, x.type.weak)))
    if isinstance(x.type, Array) and x.type.ndim <= 1 and all(d.is_one for d in x.type.dims):
        element = ctx.b.one("getitem", {"a": x, "index": tuple(ctx.b.int(0) for _ in x.type.dims)},
                            {"items": ("i",) * x.type.ndim}) if x.type.ndim else x
        return _value_truth(ctx, node, element)
    if isinstance(x.type, List):
        return ctx.b.binary("gt", ctx.b.one("listlen", {"list": x}), ctx.b.int(0))
    if isinstance(x.type, Array):
        raise ctx.error(node, "the truth of an array with more than one element is ambiguous",
                        "NumPy raises here too", "use .any() or .all(), or np.where")
    if isinstance(x.type, Opaque) and x.op is not None and x.op.name == "format":
        parts = ast.walk(ast.parse(x.op.attrs["text"].replace("⟦", "S2S_").replace("⟧", "_E")))
        if any(isinstance(n, ast.Constant) and n.value for n in parts):
            return True
    raise ctx.error(node, "the truth of an object that s2s does not look into decides a branch",
                    "s2s generates code for numbers and arrays only",
                    fix="compute it before the function and pass it in as an argument")


def usable(ctx: Context, node: gast.AST | None, x: Lowered) -> Lowered:
    """`x`, unless paths disagree about it: then the value that decides the path goes into the key."""
    if isinstance(x, Conflict):
        if x.condition is not None:
            demand_static(ctx, x.condition)
        if x.value is not None:
            raise_if(ctx, is_none(ctx, x), "TypeError('a value that is None on this path is used as a number')")
            return x.value
        raise ctx.error(node, f"this is {x.why}", "the derivative needs one kind of value here",
                        "give it the same type on every path")
    if isinstance(x, Outside):
        x = ctx.linked(x) or x
    if isinstance(x, Outside | Box):
        _refuse_changed(ctx, node, x)
    if isinstance(x, Box) and any(_differs(ctx.state.heap.get(box, content), content)
                                  for box, content in ctx.one_of.get(x, {}).items()):
        raise ctx.error(node, f"this {'object' if x.kind == 'object' else 'container'} is one of two, depending on a "
                        "condition, and one of those has been changed", "which one it is, is not known",
                        "change them before the condition, or copy them")
    if isinstance(x, Box) and isinstance(content := ctx.state.heap.get(x), Conflict):
        usable(ctx, node, content)
    return x


def _differs(x: Any, y: Any) -> bool:
    """Whether a container holds something else now."""
    if isinstance(x, list) and isinstance(y, list) and len(x) == len(y):
        return any(v is not w and v != w for v, w in zip(x, y, strict=True))
    if isinstance(x, dict) and isinstance(y, dict) and list(x) == list(y):
        return any(v is not y[k] and v != y[k] for k, v in x.items())
    return x is not y


def _refuse_changed(ctx: Context, node: gast.AST | None, x: Outside | Box) -> None:
    """A container that a call has changed which s2s does not look into: what it holds is not known."""
    if isinstance(x, Outside) and isinstance(x.value, list | dict):
        ctx.seen.add(id(x.value))
    by = ctx.given.get(x) if isinstance(x, Box) else ctx.changed.get(id(x.value))
    if by is not None:
        ask_for_a_copy(ctx, x)
        raise ctx.error(node, f"a container is used after {by}(), which may have changed it",
                        "what it holds then is not known before the function runs",
                        "read it before that call, or build a list of the function's own")


def ask_for_a_copy(ctx: Context, x: Outside | Box) -> None:
    """Start over with a copy of the container, where the program may have one."""
    if isinstance(x, Outside) and x.read.path not in ctx.adopting and not ctx.run_frames and len(x.value) <= MOST:
        raise Adopt(x.read.path)


def is_none(ctx: Context, x: Conflict) -> Value:
    """Whether a value that is None on some paths is None on this one."""
    assert x.condition is not None
    return x.condition if x.none_where else ctx.b.one("not", {"x": x.condition})


def sources_of(v: Value) -> list[Value] | None:
    """The parameters from which a value is computed by int, bool and string operations alone."""
    if v.op is None:
        return [v] if isinstance(v.type, Scalar) and np.dtype(v.type.dtype).kind in "bi" else None
    if v.op.blocks or not v.op.spec.pure or v.op.name in ("dim", "getitem", "listlen", "listget", "undefined"):
        return None
    found: list[Value] = []
    for operand in v.op.operands():
        inner = sources_of(operand)
        if inner is None:
            return None
        found += inner
    return found


def demand_static(ctx: Context, v: Value, loops: bool = True) -> None:
    """Start over with the outside values that decide `v` in the key; returns where there are none.

    loops: whether those whose index decides it may be unrolled for it.
    """
    sources = sources_of(v)
    if not sources:
        return
    paths = []
    for p in sources:
        read = next((r for r in ctx.binding.reads if r.leaf is p), None)
        if read is None:
            if loops:
                _demand_unroll(ctx, p)
            return
        paths.append(read.path)
    raise Respecialise(paths)


def demand_constant(ctx: Context, v: Value) -> None:
    """Start over with a number from around the function in the key; arguments, which may be differentiated, are not."""
    read = next((r for r in ctx.binding.reads if r.leaf is v), None) if v.op is None else None
    if read is not None and isinstance(v.type, Scalar) and not is_argument(read) and v not in ctx.variables:
        raise Respecialise([read.path])


def _demand_unroll(ctx: Context, p: Value) -> None:
    for loop in reversed(ctx.loops):
        if loop.index is p and loop.unrollable:
            raise Unroll(loop.node, ctx.error(loop.node, "the loop index must be a constant here"))
        if loop.index is p:
            demand_trips(ctx, loop)


def demand_trips(ctx: Context, loop: Loop) -> None:
    """Start over with what decides the range of a run-time loop in the key: then it can be unrolled."""
    for bound in loop.bounds:
        demand_static(ctx, bound)


def static(ctx: Context, node: gast.AST | None, x: Lowered, what: str) -> Any:
    """The Python constant that `x` is: an axis, a flag, a key. Demands it of the key where it can."""
    x = usable(ctx, node, x)
    if isinstance(x, Static):
        return x.value
    if isinstance(x, Outside):
        if isinstance(x.value, tuple | list):
            parts = [outside(ctx, ctx.binding.read(x.read, "item", k)) for k in range(len(x.value))]
            return type(x.value)(static(ctx, node, part, what) for part in parts)
        return x.pinned()
    if isinstance(x, Tuple):
        return tuple(static(ctx, node, item, what) for item in x.items)
    if isinstance(x, Box) and isinstance(ctx.state.heap.get(x), list):
        return [static(ctx, node, item, what) for item in ctx.state.heap[x]]
    if isinstance(x, Value):
        known = constant(x)
        if known is not None:
            return known
        demand_static(ctx, x)
        demand_constant(ctx, x)
    raise ctx.error(node, f"{what} is not known before the function runs",
                    "it decides which code is generated",
                    "pass it as an argument, or write it as a constant")
