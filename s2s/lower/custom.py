"""`custom_gradient` in a differentiated function: the value as it is, with a pullback that the user wrote."""

from __future__ import annotations

import gast
import numpy as np

from s2s.ir.core import Block, Value
from s2s.ir.types import Array, Scalar, is_inexact
from s2s.lower.context import Context
from s2s.lower.guards import raise_if
from s2s.lower.iterate import describe
from s2s.lower.nests import leaves_of, rebuild
from s2s.lower.numbers import not_a_number, sequence, value
from s2s.lower.values import Lowered, Outside, Static, Tuple


class CustomInner:
    """`custom_gradient` applied to a function that the program defines."""

    __s2s_role__ = "custom_inner"


def custom(ctx: Context, node: gast.AST | None, callee: Lowered, args: list[Lowered],
            kwargs: dict[str, Lowered]) -> Lowered:
    """A call of a function under `custom_gradient`: (value, pullback) = f(*args)."""
    result = ctx.call(node, callee, args, kwargs)
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
    outputs = leaves_of(ctx, primal)
    sources = [v for a in args for v in leaves_of(ctx, a) if is_inexact(v.type)]
    block = Block([Value(v.type, f"{v.hint or 'value'}_bar") for v in outputs])
    saved = ctx.state.copy()
    with ctx.b.at(block):
        table = dict(zip(outputs, block.params, strict=True))
        cotangent = rebuild(ctx, primal, lambda v: table[v])
        if isinstance(primal, Tuple):
            given = ctx.call(node, pullback, list(cotangent.items) if isinstance(cotangent, Tuple) else [cotangent])
        else:
            given = ctx.call(node, pullback, [cotangent])
        block.results = _adjoints(ctx, node, given, sources)
    ctx.state = saved
    stopped_values = [ctx.b.one("stop_gradient", {"x": v}) if is_inexact(v.type) else v for v in outputs]
    op = ctx.b.region("custom", {"args": tuple(stopped_values), "sources": tuple(sources)}, [block],
                      [v.type for v in stopped_values])
    values = dict(zip(outputs, op.results, strict=True))
    return rebuild(ctx, primal, lambda v: values[v])


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
    out = []
    for part, source in zip(parts, sources, strict=True):
        t = source.type
        assert isinstance(t, Scalar | Array)
        if isinstance(part, Static) and part.value is None:
            out.append(ctx.b.const(0.0, t) if isinstance(t, Scalar)
                       else value(ctx, node, ctx.call(node, Static(np.zeros_like), [source])))
            continue
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
        out.append(ctx.b.cast(v, Scalar(t.dtype, t.weak if isinstance(t, Scalar) else False)))
    return out
