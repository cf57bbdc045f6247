"""Products with the Jacobian and the Hessian, put in place where the program asks for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from s2s.ir.core import Block, Function, Value, inline
from s2s.ir.types import Array, Scalar, is_inexact
from s2s.lower.context import Context
from s2s.lower.gradients import Inner, gradient
from s2s.lower.inner import inner_block
from s2s.lower.iterate import describe
from s2s.lower.jacobians import jacobian_of_leaf
from s2s.lower.nests import leaves_of, rebuild, rebuild_args, replaced
from s2s.lower.numbers import sequence, value
from s2s.lower.truth import static
from s2s.lower.values import Bound, Lowered, Static, Tuple


def _jvp(ctx: Context, node: gast.AST | None, f: Lowered, primals: Lowered, tangents: Lowered) -> Lowered:
    """`s2s.jvp(f, primals, tangents)` inside the program: (value, tangent)."""
    args, dots = sequence(ctx, primals), sequence(ctx, tangents)
    if args is None or dots is None or len(args) != len(dots):
        raise ctx.error(node, "jvp takes as many tangents as primals, both as tuples or lists", "",
                        "correct the call")
    params: list[Value] = []
    actual: list[Value] = []
    directions: list[Value] = []
    inner: list[Lowered] = []
    for x, t in zip(args, dots, strict=True):
        if isinstance(t, Static) and t.value is None:
            inner.append(x)
            continue
        leaves = [v for v in leaves_of(ctx, x) if is_inexact(v.type)]
        fresh = {v: Value(v.type, v.hint) for v in leaves}
        inner.append(rebuild_args(ctx, x, lambda v, fresh=fresh: fresh.get(v, v)))
        params += fresh.values()
        actual += fresh
        directions += [ctx.b.cast(d, _scalar_type(v)) for d, v in zip(leaves_of(ctx, t), leaves, strict=True)]
    block, result, state = inner_block(ctx, node, lambda: ctx.call(node, f, inner), params)
    found = block.results
    values, tangent = _tangents(ctx, node, Function("inner", Block(params, block.ops, found)), actual, directions)
    return Tuple((replaced(ctx, result, state, found, values), replaced(ctx, result, state, found, tangent)))


def _tangents(ctx: Context, node: gast.AST | None, fn: Function, actual: list[Value],
              directions: list[Value]) -> tuple[list[Value], list[Value]]:
    """Put the tangent of `fn` in place: its values, and a tangent for each."""
    found = fn.block.results
    made = ctx.services.jvp(fn, fn.block.params)
    out = inline(ctx.b.block, made.function, [*actual, *directions])
    rest = iter(out[len(found):])
    dots = [next(rest) if connected else _zero(ctx, node, v, x)
            for v, x, connected in zip(found, out[:len(found)], made.connected, strict=True)]
    return out[:len(found)], dots


def _scalar_type(v: Value) -> Scalar:
    assert isinstance(v.type, Scalar | Array)
    return Scalar(v.type.dtype, isinstance(v.type, Scalar) and v.type.weak)


def _zero(ctx: Context, node: gast.AST | None, v: Value, like: Value) -> Value:
    if isinstance(v.type, Scalar):
        return ctx.b.const(0.0, v.type)
    return value(ctx, node, ctx.call(node, Static(np.zeros_like), [like]))


def _vjp(ctx: Context, node: gast.AST | None, f: Lowered, *args: Lowered) -> Lowered:
    """`s2s.vjp(f, *args)`: the value, and a pullback that is an inner gradient weighted by its argument."""
    pullback = Bound(Static(_Pullback()), (f, Tuple(args)))
    return Tuple((ctx.call(node, f, list(args)), pullback))


class _Pullback:
    """What `vjp` returns inside the program."""

    __s2s_role__ = "pullback"


def _pullback(ctx: Context, node: gast.AST | None, f: Lowered, args: Lowered, dy: Lowered) -> Lowered:
    assert isinstance(args, Tuple)
    inner = Inner("gradients", False, None, True, True)
    return gradient(ctx, node, inner, f, list(args.items), {"dy": dy})


def _hvp(ctx: Context, node: gast.AST | None, f: Lowered, primals: Lowered, tangents: Lowered) -> Lowered:
    """`s2s.hvp(f, primals, tangents)`: the tangent of the gradient."""
    count = len(sequence(ctx, primals) or [])
    gradient = Bound(Static(Inner("gradients", False, tuple(range(count)), True, True)), (f,))
    pair = _jvp(ctx, node, gradient, primals, tangents)
    assert isinstance(pair, Tuple)
    return pair.items[1]


class _Pushforward:
    """What `linearize` returns inside the program."""

    __s2s_role__ = "pushforward"


def _linearize(ctx: Context, node: gast.AST | None, f: Lowered, *args: Lowered) -> Lowered:
    """`s2s.linearize(f, *args)`: the value, and a function that gives its tangent."""
    pushforward = Bound(Static(_Pushforward()), (f, Tuple(args)))
    return Tuple((ctx.call(node, f, list(args)), pushforward))


def _pushforward(ctx: Context, node: gast.AST | None, f: Lowered, args: Lowered, *tangents: Lowered) -> Lowered:
    pair = _jvp(ctx, node, f, args, Tuple(tangents))
    assert isinstance(pair, Tuple)
    return pair.items[1]


# Jacobians -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InnerJacobian:
    """A Jacobian function made inside the program, or described by an outside one."""

    argnums: int | tuple[int, ...]

    __s2s_role__ = "inner_jacobian"


def _make_jacobian(ctx: Context, node: gast.AST | None, f: Lowered, argnums: Lowered | None = None) -> Lowered:
    """`s2s.jacobian(f, argnums)`."""
    given = 0 if argnums is None else static(ctx, node, argnums, "which parameters")
    return Bound(Static(InnerJacobian(tuple(given) if isinstance(given, list) else given)), (f,))


def _make_hessian(ctx: Context, node: gast.AST | None, f: Lowered, argnums: Lowered | None = None) -> Lowered:
    """`s2s.hessian(f, argnums)`: the Jacobian of the gradient."""
    given = 0 if argnums is None else static(ctx, node, argnums, "which parameters")
    several = isinstance(given, tuple | list)
    places = tuple(given) if isinstance(given, tuple | list) else (given,)
    gradient_function = Bound(Static(Inner("gradients", False, places, True, several)), (f,))
    return Bound(Static(InnerJacobian(places if several else places[0])), (gradient_function,))


def jacobian(ctx: Context, node: gast.AST | None, made: InnerJacobian, f: Lowered, args: list[Lowered]) -> Lowered:
    """The call of a Jacobian function: a nest like the value, of nests like the argument."""
    several = isinstance(made.argnums, tuple)
    found = []
    for k in made.argnums if isinstance(made.argnums, tuple) else (made.argnums,):
        if not isinstance(k, int) or not -len(args) <= k < len(args):
            raise ctx.error(node, f"the inner function is not given the argument {k!r} to differentiate",
                            f"it is called with {len(args)} positional argument{'s' * (len(args) != 1)}",
                            "correct argnums")
        found.append(_jacobian(ctx, node, f, args, k % len(args)))
    return Tuple(tuple(found)) if several else found[0]


def _jacobian(ctx: Context, node: gast.AST | None, f: Lowered, args: list[Lowered], k: int) -> Lowered:
    leaves = [v for v in leaves_of(ctx, args[k]) if is_inexact(v.type)]
    if not leaves:
        raise ctx.error(node, f"the Jacobian with respect to {describe(args[k])}",
                        "it holds no float and no array of floats", "differentiate with respect to floats")
    result = ctx.call(node, f, args)
    values = [v for v in leaves_of(ctx, result) if is_inexact(v.type)]
    table: dict[Value, list[Lowered]] = {v: [] for v in values}
    for x in leaves:
        call = (f, Tuple(tuple(args)), Static(k), Static(x))
        push = Bound(Static(_Columns()), call)
        parts = jacobian_of_leaf(ctx, node, push, lambda j, c=call: Bound(Static(_Rows()), (*c, Static(j))), x, values)  # type: ignore[misc]
        for v, part in zip(values, parts, strict=True):
            table[v].append(part)

    def of_value(v: Value) -> Lowered:
        if v not in table:
            return Static(None)
        parts = dict(zip(leaves, table[v], strict=True))
        return rebuild(ctx, args[k], lambda x: parts.get(x, Static(None)))

    return rebuild(ctx, result, of_value)


class _Columns:
    """Called with a direction of one leaf: the tangents of all leaves of the value, as a tuple."""

    __s2s_role__ = "columns"


class _Rows:
    """Called with weights for one leaf of the value: the adjoint of one leaf of the argument."""

    __s2s_role__ = "rows"


def _with_leaf(ctx: Context, x: Lowered, leaf: Value, new: Value) -> Lowered:
    return rebuild_args(ctx, x, lambda v: new if v is leaf else v)


def _columns(ctx: Context, node: gast.AST | None, f: Lowered, args: Lowered, k: Lowered, leaf: Lowered,
             direction: Lowered) -> Lowered:
    assert isinstance(args, Tuple) and isinstance(k, Static) and isinstance(leaf, Static)
    x = leaf.value
    assert isinstance(x, Value)

    inner = Value(x.type, x.hint)
    given = list(args.items)
    given[k.value] = _with_leaf(ctx, given[k.value], x, inner)
    block, _, _ = inner_block(ctx, node, lambda: ctx.call(node, f, given), [inner])
    found = [v for v in block.results if is_inexact(v.type)]
    dot = ctx.b.cast(value(ctx, node, direction), _scalar_type(x))
    return Tuple(tuple(_tangents(ctx, node, Function("inner", Block([inner], block.ops, found)), [x], [dot])[1]))


def _rows(ctx: Context, node: gast.AST | None, f: Lowered, args: Lowered, k: Lowered, leaf: Lowered, j: Lowered,
          weights: Lowered) -> Lowered:
    assert isinstance(args, Tuple) and isinstance(k, Static) and isinstance(leaf, Static) and isinstance(j, Static)
    x = leaf.value
    assert isinstance(x, Value)
    part = Bound(Static(_Part()), (f, Tuple(tuple(args.items)), k, leaf, j))
    inner = Inner("gradients", False, (0,), True, False)
    found = gradient(ctx, node, inner, part, [x], {"dy": weights})
    if isinstance(found, Static):
        return _zero(ctx, node, x, x)
    return found


class _Part:
    """A function of one leaf of an argument, which gives one leaf of the value."""

    __s2s_role__ = "part"


def _part(ctx: Context, node: gast.AST | None, f: Lowered, args: Lowered, k: Lowered, leaf: Lowered, j: Lowered,
          x: Lowered) -> Lowered:
    assert isinstance(args, Tuple) and isinstance(k, Static) and isinstance(leaf, Static) and isinstance(j, Static)
    given = list(args.items)
    given[k.value] = _with_leaf(ctx, given[k.value], leaf.value, value(ctx, node, x))
    found = [v for v in leaves_of(ctx, ctx.call(node, f, given)) if is_inexact(v.type)]
    return found[j.value]  # type: ignore[no-any-return]


PRODUCTS: dict[str, Any] = {
    "jvp": _jvp, "vjp": _vjp, "hvp": _hvp, "linearize": _linearize, "pullback": _pullback, "pushforward": _pushforward,
    "jacobian": _make_jacobian, "hessian": _make_hessian, "columns": _columns, "rows": _rows, "part": _part,
}
