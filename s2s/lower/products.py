"""Products with the Jacobian and the Hessian, put in place where the program asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gast

from s2s.ir.core import Block, Function, Value, inline
from s2s.ir.types import Array, Scalar, is_inexact
from s2s.lower.context import Context
from s2s.lower.describe import describe
from s2s.lower.gradients import Inner, gradient
from s2s.lower.inner import inner_block
from s2s.lower.jacobians import jacobian_of_leaf
from s2s.lower.nests import leaves_of, rebuild, rebuild_args, replaced, settled, zero_like
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
        x, t = settled(ctx, node, x), settled(ctx, node, t)
        leaves = _numbers(ctx, x)
        fresh = [Value(v.type, v.hint) for v in leaves]
        inner.append(_with_numbers(ctx, x, fresh))
        params += fresh
        actual += leaves
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
    dots = [next(rest) if connected else value(ctx, node, zero_like(ctx, node, x))
            for x, connected in zip(out[:len(found)], made.connected, strict=True)]
    return out[:len(found)], dots


def _numbers(ctx: Context, x: Lowered) -> list[Value]:
    """The leaves of a nest that have tangents; one that is in two places is two of them."""
    return [v for v in leaves_of(ctx, x) if is_inexact(v.type)]


def _with_numbers(ctx: Context, x: Lowered, numbers: Sequence[Lowered]) -> Lowered:
    """`x` with other leaves in the places of `_numbers`."""
    rest = iter(numbers)
    return rebuild_args(ctx, x, lambda v: next(rest) if is_inexact(v.type) else v)


def _scalar_type(v: Value) -> Scalar:
    assert isinstance(v.type, Scalar | Array)
    return Scalar(v.type.dtype, isinstance(v.type, Scalar) and v.type.weak)


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
    args = [settled(ctx, node, x) if at == k else x for at, x in enumerate(args)]
    leaves = _numbers(ctx, args[k])
    if not leaves:
        raise ctx.error(node, f"the Jacobian with respect to {describe(args[k])}",
                        "it holds no float and no array of floats", "differentiate with respect to floats")
    result = settled(ctx, node, ctx.call(node, f, args))
    values = _numbers(ctx, result)
    columns: list[Sequence[Lowered]] = []
    for i, x in enumerate(leaves):
        call = (f, Tuple(tuple(args)), Static(k), Static(i))
        push = Bound(Static(_Columns()), call)
        columns.append(jacobian_of_leaf(
            ctx, node, push, lambda j, c=call: Bound(Static(_Rows()), (*c, Static(j))), x, values))  # type: ignore[misc]
    rows = iter([rebuild(ctx, _with_numbers(ctx, args[k], row), lambda v: v)
                 for row in zip(*columns, strict=True)])
    return rebuild(ctx, result, lambda v: next(rows) if is_inexact(v.type) else Static(None))


class _Columns:
    """Called with a direction of one leaf: the tangents of all leaves of the value, as a tuple."""

    __s2s_role__ = "columns"


class _Rows:
    """Called with weights for one leaf of the value: the adjoint of one leaf of the argument."""

    __s2s_role__ = "rows"


def _leaf(ctx: Context, args: Lowered, k: Lowered, at: Lowered) -> Value:
    """The `at`-th leaf of the `k`-th argument."""
    assert isinstance(args, Tuple) and isinstance(k, Static) and isinstance(at, Static)
    return _numbers(ctx, args.items[k.value])[at.value]  # type: ignore[no-any-return]


def _with_leaf(ctx: Context, args: Lowered, k: Lowered, at: Lowered, new: Value) -> list[Lowered]:
    """The arguments with another `at`-th leaf in the `k`-th of them."""
    assert isinstance(args, Tuple) and isinstance(k, Static) and isinstance(at, Static)
    given = list(args.items)
    leaves = _numbers(ctx, given[k.value])
    given[k.value] = _with_numbers(ctx, given[k.value], [*leaves[:at.value], new, *leaves[at.value + 1:]])
    return given


def _columns(ctx: Context, node: gast.AST | None, f: Lowered, args: Lowered, k: Lowered, at: Lowered,
             direction: Lowered) -> Lowered:
    x = _leaf(ctx, args, k, at)
    inner = Value(x.type, x.hint)
    given = _with_leaf(ctx, args, k, at, inner)
    block, _, _ = inner_block(ctx, node, lambda: ctx.call(node, f, given), [inner])
    found = [v for v in block.results if is_inexact(v.type)]
    dot = ctx.b.cast(value(ctx, node, direction), _scalar_type(x))
    return Tuple(tuple(_tangents(ctx, node, Function("inner", Block([inner], block.ops, found)), [x], [dot])[1]))


def _rows(ctx: Context, node: gast.AST | None, f: Lowered, args: Lowered, k: Lowered, at: Lowered, j: Lowered,
          weights: Lowered) -> Lowered:
    x = _leaf(ctx, args, k, at)
    part = Bound(Static(_Part()), (f, args, k, at, j))
    inner = Inner("gradients", False, (0,), True, False)
    found = gradient(ctx, node, inner, part, [x], {"dy": weights})
    if isinstance(found, Static):
        return zero_like(ctx, node, x)
    return found


class _Part:
    """A function of one leaf of an argument, which gives one leaf of the value."""

    __s2s_role__ = "part"


def _part(ctx: Context, node: gast.AST | None, f: Lowered, args: Lowered, k: Lowered, at: Lowered, j: Lowered,
          x: Lowered) -> Lowered:
    assert isinstance(j, Static)
    given = _with_leaf(ctx, args, k, at, value(ctx, node, x))
    return _numbers(ctx, ctx.call(node, f, given))[j.value]  # type: ignore[no-any-return]


PRODUCTS: dict[str, Any] = {
    "jvp": _jvp, "vjp": _vjp, "hvp": _hvp, "linearize": _linearize, "pullback": _pullback, "pushforward": _pushforward,
    "jacobian": _make_jacobian, "hessian": _make_hessian, "columns": _columns, "rows": _rows, "part": _part,
}
