"""`custom_gradient` in a differentiated function: the value as it is, with a pullback that the user wrote."""

from __future__ import annotations

import inspect
from typing import Any

import gast
import numpy as np

from s2s.ir.core import Block, Op, Value, free_values, walk
from s2s.ir.ops import constant
from s2s.ir.types import Array, Scalar, is_inexact
from s2s.lower.binding import Read
from s2s.lower.context import Context
from s2s.lower.describe import describe
from s2s.lower.guards import raise_if
from s2s.lower.nests import leaves_of, rebuild, settled
from s2s.lower.numbers import not_a_number, sequence, value
from s2s.lower.values import Box, Closure, Lowered, Outside, Static, Tuple


class CustomInner:
    """`custom_gradient` applied to a function that the program defines."""

    __s2s_role__ = "custom_inner"


def custom(ctx: Context, node: gast.AST | None, callee: Lowered, args: list[Lowered],
            kwargs: dict[str, Lowered]) -> Lowered:
    """A call of a function under `custom_gradient`: (value, pullback) = f(*args)."""
    before = len(ctx.b.block.ops)
    touched, ctx.touched = ctx.touched, {}
    arguments = frozenset(v for a in args for v in leaves_of(ctx, a))
    # What comes from an argument must be seen to do so: it is by the arguments that there is a derivative.
    seen, ctx.b.opaque = ctx.b.opaque, ctx.b.opaque | arguments
    try:
        result = ctx.call(node, callee, args, kwargs)
    finally:
        ctx.b.opaque = seen
    read = [r for r in ctx.touched if r.value.trainable and r.leaf is not None]
    ctx.touched = {**touched, **ctx.touched}
    pair = sequence(ctx, result)
    if pair is None or len(pair) != 2:
        raise ctx.error(node, f"a function under s2s.custom_gradient returns {describe(result)}",
                        "it has to return the value and a function that gives its derivative",
                        "end it with `return value, grad`, where grad(dy) gives one gradient for each argument")
    primal, pullback = pair
    if isinstance(pullback, Value | Tuple) or (isinstance(pullback, Static | Outside)
                                               and not callable(pullback.value)):
        raise ctx.error(node, f"a function under s2s.custom_gradient returns {describe(pullback)} after the value",
                        "it has to be a function that gives the derivative",
                        "end it with `return value, grad`, where grad(dy) gives one gradient for each argument")
    primal = settled(ctx, node, primal)
    outputs = leaves_of(ctx, primal)
    sources = [v for a in args for v in leaves_of(ctx, a) if is_inexact(v.type)]
    variables = _variables(ctx, read, sources)
    captured = _captured(ctx, before, outputs, [*sources, *(v for v, _ in variables)])
    named = _takes_variables(ctx, node, pullback, variables)
    block = Block([Value(v.type, f"{v.hint or 'value'}_bar") for v in outputs])
    saved = ctx.state.copy()
    with ctx.b.at(block):
        bars = iter(block.params)
        cotangent = rebuild(ctx, primal, lambda _: next(bars))
        if isinstance(primal, Tuple):
            given = ctx.call(node, pullback, list(cotangent.items) if isinstance(cotangent, Tuple) else [cotangent],
                             named)
        else:
            given = ctx.call(node, pullback, [cotangent], named)
        if named:
            given, of_variables = _with_variables(ctx, node, given)
            block.results = [*_adjoints(ctx, node, given, sources),
                             *_adjoints(ctx, node, of_variables, [v for v, _ in variables])]
        else:
            block.results = _adjoints(ctx, node, given, sources)
    ctx.state = saved
    stopped_values = [ctx.b.one("stop_gradient", {"x": v}) if is_inexact(v.type) else v for v in outputs]
    sources += [v for v, _ in variables]
    op = ctx.b.region("custom", {"args": tuple(stopped_values), "sources": tuple(sources),
                                 "captured": tuple(captured)}, [block], [v.type for v in stopped_values])
    values = iter(op.results)
    return rebuild(ctx, primal, lambda _: next(values))


def _variables(ctx: Context, read: list[Read], sources: list[Value]) -> list[tuple[Value, Read]]:
    """The Variables that the function reads beside its arguments, with their values, in order of creation."""
    found: dict[int, tuple[Value, Read]] = {}
    for r in sorted(read, key=lambda r: r.value._number):
        v = ctx.state.env.get((("variable", id(r.value)), "value"), r.leaf)
        if isinstance(v, Value) and v not in sources and is_inexact(v.type):
            found.setdefault(id(r.value), (v, r))
    return list(found.values())


def _takes_variables(ctx: Context, node: gast.AST | None, pullback: Lowered,
                     variables: list[tuple[Value, Read]]) -> dict[str, Lowered]:
    """What is passed to the user's grad by name: `variables`, where it takes them."""
    if isinstance(pullback, Closure):
        a = pullback.node.args
        takes = a.kwarg is not None or any(p.id == "variables" for p in (*a.args, *a.kwonlyargs))
    else:
        takes = isinstance(pullback, Static | Outside) and _has_parameter(pullback.value, "variables")
    if not variables:
        return {}
    if not takes:
        names = ", ".join(r.value.name or "one without a name" for _, r in variables)
        raise ctx.error(node, f"a function under s2s.custom_gradient reads a Variable ({names})",
                        "its grad gives no gradient for that, which would be lost",
                        "let it be `def grad(dy, variables=None)`, and return (gradients, gradients of the variables)")
    box = Box("list", None, "variables", ctx.depth)
    ctx.state.heap[box] = [v for v, _ in variables]
    return {"variables": box}


def _has_parameter(function: Any, name: str) -> bool:
    try:
        found = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return name in found or any(p.kind is p.VAR_KEYWORD for p in found.values())


def _with_variables(ctx: Context, node: gast.AST | None, given: Lowered) -> tuple[Lowered, Lowered]:
    pair = None if isinstance(given, Value) else sequence(ctx, given)
    if pair is None or len(pair) != 2:
        raise ctx.error(node, f"grad of a function under s2s.custom_gradient returns {describe(given)}",
                        "the function reads Variables, so that grad has to return a pair",
                        "return (gradients of the arguments, gradients of the variables)")
    return pair[0], pair[1]


def _captured(ctx: Context, before: int, outputs: list[Value], sources: list[Value]) -> list[Value]:
    """What the value was computed from beside the sources: by that it must not be differentiated."""
    seen: set[Value] = set()
    found: dict[Value, None] = {}
    made = {r for op in walk(Block([], ctx.b.block.ops[before:])) for r in op.results}
    inner = {p for op in walk(Block([], ctx.b.block.ops[before:])) for b in op.blocks for p in b.params}
    work = list(outputs)
    while work:
        v = work.pop()
        if v in seen:
            continue
        seen.add(v)
        if v in inner:
            continue
        if v not in made:
            if v not in sources and is_inexact(v.type) and constant(v) is None:
                found[v] = None
        elif v.op is not None and v.op.name != "stop_gradient":
            work += _read_by(v.op)
    return list(found)


def _read_by(op: Op) -> list[Value]:
    """What the results of an operation depend on, but for shapes."""
    if op.name == "custom":
        return list(op.values("sources"))
    read = list(op.operands_read())
    for block in op.blocks:
        read += [*block.results, *free_values(block)]
    return read


def _adjoints(ctx: Context, node: gast.AST | None, given: Lowered, sources: list[Value]) -> list[Value]:
    """What the pullback gives, one for each source; None is zero."""
    parts = sequence(ctx, given) if not isinstance(given, Value) else [given]
    if parts is None:
        parts = [given]
    if len(parts) != len(sources):
        raise ctx.error(node, f"grad of a function under s2s.custom_gradient returns {len(parts)} "
                              f"gradient{'s' * (len(parts) != 1)}, and has {len(sources)} to return",
                        "each float argument, and each array of floats, has a gradient of its own",
                        "return one for each, in their order")
    return [adjoint_like(ctx, node, part, source) for part, source in zip(parts, sources, strict=True)]


def adjoint_like(ctx: Context, node: gast.AST | None, part: Lowered, source: Value) -> Value:
    """What a pullback gives for `source`, with its shape and dtype; None is zero."""
    t = source.type
    assert isinstance(t, Scalar | Array)
    if isinstance(part, Static) and part.value is None:
        return ctx.b.const(0.0, t) if isinstance(t, Scalar) else value(
            ctx, node, ctx.call(node, Static(np.zeros_like), [source]))
    v = value(ctx, node, part)
    if not isinstance(v.type, Scalar | Array):
        raise not_a_number(ctx, node, v, "returned as a gradient")
    if v.type.ndim != t.ndim:
        raise ctx.error(node, f"grad of a function under s2s.custom_gradient returns an array of {v.type.ndim} "
                              f"dimensions for an argument of {t.ndim}",
                        "a gradient has the shape of its argument", "reduce or reshape it in grad")
    for axis, (have, want) in enumerate(zip(v.type.dims, t.dims, strict=True)):
        if have != want:
            differs = ctx.b.binary("ne", ctx.b.dim(v, axis), ctx.b.dim(source, axis))
            raise_if(ctx, differs, "ValueError('grad of a function under s2s.custom_gradient returns an array of "
                                   "another shape than its argument')")
    return ctx.b.cast(v, Scalar(t.dtype, t.weak if isinstance(t, Scalar) else False))
