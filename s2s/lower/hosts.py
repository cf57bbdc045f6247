"""Solvers of a library that call a function of the program: what they are given, and what they give back.

`lift` makes a function of the program one of its parameters alone, with what it uses from around it as
further ones. `host` calls a solver with it; what that returns is a constant of the derivative. `with_pullback`
gives it a derivative, as `custom_gradient` does. All three are used by functions written in `s2s.scipy_rules`.
"""

from __future__ import annotations

import re
from typing import Any

import gast
import numpy as np

from s2s.ir.core import Block, Function, Value, free_values, inline
from s2s.ir.ops import Pairs
from s2s.ir.types import Array, Scalar, Type, fresh_dim, is_inexact
from s2s.lower.context import Context
from s2s.lower.custom import adjoint_like
from s2s.lower.inner import inner_block
from s2s.lower.nests import leaves_of, rebuild
from s2s.lower.numbers import sequence, value
from s2s.lower.sequences import mapping_items
from s2s.lower.truth import static
from s2s.lower.values import Box, Closure, Lowered, Outside, Static, Tuple


class Lifted:
    """A function of the program, as one of its own; called with its parameters and what it was lifted from."""

    __s2s_role__ = "lifted"

    def __init__(self, function: Function) -> None:
        self.function = function


def lift(ctx: Context, node: gast.AST | None, func: Lowered, args: Lowered, *likes: Lowered) -> Lowered:
    """`lift(func, args, *likes)`: (f, theta), so that f(*xs, *theta) is func(*xs, *args).

    likes: numbers and arrays of the types of the first parameters. theta: what func uses from around it.
    """
    params = [Value(_plain(value(ctx, node, x).type), f"x{k or ''}") for k, x in enumerate(likes)]
    rest = sequence(ctx, args)
    given = [*params, *([args] if rest is None else rest)]
    block, _, _ = inner_block(ctx, node, lambda: value(ctx, node, ctx.call(node, func, given)))
    block.params = params
    free = free_values(block)
    inner = {v: Value(v.type, v.hint) for v in free}
    made = Function(_name(func), Block(params, block.ops, block.results))
    closed = _closed(made, inner)
    return Tuple((Static(Lifted(closed)), Tuple(tuple(free))))


def _plain(t: Type) -> Type:
    return Array(t.dtype, t.dims, "A") if isinstance(t, Array) else Scalar(t.dtype, t.weak) if isinstance(
        t, Scalar) else t


def _closed(fn: Function, inner: dict[Value, Value]) -> Function:
    block = Block([*fn.block.params, *inner.values()])
    block.results = inline(block, Function(fn.name, Block([*fn.block.params, *inner], fn.block.ops, fn.block.results)),
                           block.params)
    return Function(fn.name, block)


def _name(func: Lowered) -> str:
    if isinstance(func, Closure):
        return getattr(func.node, "name", "function")
    return getattr(getattr(func, "value", None), "__name__", "function").replace("<lambda>", "function")


def call_lifted(ctx: Context, node: gast.AST | None, f: Lifted, args: list[Lowered]) -> Lowered:
    """A call of a lifted function: its operations, in place."""
    params = f.function.block.params
    values = [value(ctx, node, v) if isinstance(p.type, Scalar | Array) else v
              for p, v in zip(params, args, strict=True)]
    given = [ctx.b.cast(v, Scalar(p.type.dtype, getattr(p.type, "weak", False)))
             if isinstance(p.type, Scalar | Array) and isinstance(v, Value) else v
             for p, v in zip(params, values, strict=True)]
    (result,) = inline(ctx.b.block, f.function, given)  # type: ignore[arg-type]
    return result


_TYPE = re.compile(r"(\w+)(\[:(?:, :)*\])?$")


def host(ctx: Context, node: gast.AST | None, runner: Lowered, f: Lowered, theta: Lowered, like: Lowered,
         *values: Lowered, **options: Lowered) -> Lowered:
    """`host(runner, f, theta, like, *values, **options)`: runner(f, theta, *values, **options), a constant.

    like: a number or array of the type of the result, or that type as text; several in a tuple.
    """
    assert isinstance(runner, Static | Outside) and isinstance(f, Static | Outside) and isinstance(theta, Tuple)
    several = isinstance(like, Tuple)
    types = [_result_type(ctx, node, x) for x in (like.items if isinstance(like, Tuple) else (like,))]
    attrs = {"function": f.value.function, "runner": runner.value, "types": tuple(types),
             "options": tuple((k, _option(ctx, node, v, k)) for k, v in options.items())}
    args = {"theta": tuple(v for v in theta.items if isinstance(v, Value)),
            "values": tuple(value(ctx, node, v) for v in values)}
    results = ctx.b.emit("hostcall", args, attrs)
    return Tuple(tuple(results)) if several else results[0]


def _option(ctx: Context, node: gast.AST | None, x: Lowered, name: str) -> Any:
    """An option of a solver, which is known when the code is made; a dict as pairs, a list as a tuple."""
    if isinstance(x, Box) and x.kind == "dict":
        return Pairs(tuple((k, _option(ctx, node, v, name)) for k, v in ctx.state.heap[x].items()))
    if isinstance(x, Outside) and isinstance(x.value, dict):
        return Pairs(tuple((k, _option(ctx, node, v, name)) for k, v in mapping_items(ctx, node, x).items()))
    items = None if isinstance(x, Value) else sequence(ctx, x)
    if items is not None:
        return tuple(_option(ctx, node, v, name) for v in items)
    return static(ctx, node, x, f"the option {name!r} of the solver")


def _result_type(ctx: Context, node: gast.AST | None, like: Lowered) -> Type:
    if isinstance(like, Static) and isinstance(like.value, str):
        match = _TYPE.match(like.value)
        assert match is not None, like.value
        dims = tuple(fresh_dim() for _ in range((match[2] or "").count(":")))
        return Array(match[1], dims, "A") if dims else Scalar(match[1], match[1] == "float64")
    t = value(ctx, node, like).type
    assert isinstance(t, Scalar | Array)
    dtype = t.dtype if np.dtype(t.dtype).kind in "fc" else "float64"
    return Array(dtype, t.dims, "A") if isinstance(t, Array) else Scalar(dtype, t.weak)


def with_pullback(ctx: Context, node: gast.AST | None, result: Lowered, pullback: Lowered,
                  sources: Lowered) -> Lowered:
    """`with_pullback(value, pullback, sources)`: pullback(dy, value) gives the adjoint of each of the sources.

    In the pullback `value` is the result itself, which depends on the sources, so that it can be differentiated.
    """
    outputs = [v for v in leaves_of(ctx, result) if is_inexact(v.type)]
    given = sequence(ctx, sources) or []
    kept = [k for k, v in enumerate(given) if isinstance(v, Value) and is_inexact(v.type)]
    block = Block([Value(v.type, "value_bar") for v in outputs] + [Value(v.type, v.hint or "value") for v in outputs])
    bars = dict(zip(outputs, block.params[:len(outputs)], strict=True))
    own = dict(zip(outputs, block.params[len(outputs):], strict=True))
    saved = ctx.state.copy()
    with ctx.b.at(block):
        found = sequence(ctx, ctx.call(node, pullback, [rebuild(ctx, result, lambda v: bars.get(v, v)),
                                                        rebuild(ctx, result, lambda v: own.get(v, v))]))
        assert found is not None and len(found) == len(given)
        block.results = [adjoint_like(ctx, node, found[k], given[k]) for k in kept]  # type: ignore[arg-type]
    ctx.state = saved
    stopped = [ctx.b.one("stop_gradient", {"x": v}) for v in outputs]
    op = ctx.b.region("custom", {"args": tuple(stopped), "sources": tuple(given[k] for k in kept),  # type: ignore[misc]
                                 "captured": ()}, [block], [v.type for v in stopped])
    values = dict(zip(outputs, op.results, strict=True))
    return rebuild(ctx, result, lambda v: values.get(v, v), lambda v: v)


def sealed(ctx: Context, node: gast.AST | None, result: Lowered, sources: Lowered, why: Lowered) -> Lowered:
    """`sealed(value, sources, why)`: the value, by whose sources there is no derivative: an error."""
    v = value(ctx, node, result)
    captured = tuple(x for x in sequence(ctx, sources) or () if isinstance(x, Value) and is_inexact(x.type))
    stopped = ctx.b.one("stop_gradient", {"x": v})
    op = ctx.b.region("custom", {"args": (stopped,), "sources": (), "captured": captured}, [Block([Value(v.type)])],
                      [v.type], {"why": static(ctx, node, why, "the text")})
    return op.results[0]


HOSTS: dict[str, Any] = {"lift": lift, "host": host, "with_pullback": with_pullback,
                         "sealed": sealed}
