"""Inner gradients: the adjoint of a function that the program calls, put in place at once.

So the outer derivative sees ordinary code.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import gast

from s2s.ir.core import Block, Function, Value, clone_block, inline
from s2s.ir.types import Scalar, is_inexact
from s2s.lower.binding import Read
from s2s.lower.context import Context
from s2s.lower.inner import inner_block
from s2s.lower.names import parameter_names
from s2s.lower.nests import leaves_of, new_list, rebuild, rebuild_args, replaced, settled, zero_like
from s2s.lower.values import Closure, Lowered, Outside, Static, Tuple


@dataclass(frozen=True)
class Inner:
    """A gradient function made inside the program, or described by an outside one."""

    kind: str
    with_value: bool
    params: tuple[int | str, ...] | None
    single: bool
    as_tuple: bool


def gradient(ctx: Context, node: gast.AST | None, inner: Inner, callee: Lowered, args: list[Lowered],
              kwargs: dict[str, Lowered]) -> Lowered:
    """The call of an inner gradient function."""
    dy = kwargs.pop("dy", None)
    chosen = _chosen(ctx, node, inner, callee, args) if inner.kind == "gradients" else []
    # Each number that an argument holds is a parameter of its own, also where one value is passed twice.
    given: dict[Value, Value] = {}

    def param(v: Value) -> Value:
        if not is_inexact(v.type):
            return v
        p = Value(v.type, v.hint)
        given[p] = v
        return p

    args = list(args)
    inner_args = list(args)
    for k in chosen:
        args[k] = settled(ctx, node, args[k])
        inner_args[k] = rebuild_args(ctx, args[k], param)
    touched = dict(ctx.touched)
    ctx.touched = {}
    block, result, shape_state = inner_block(ctx, node, lambda: ctx.call(node, callee, inner_args, kwargs), given)
    found = block.results
    variables = [r for r in ctx.touched if r.value.trainable and r.leaf is not None]
    ctx.touched = {**touched, **ctx.touched}
    if inner.kind == "implicit":
        return _implicit(ctx, node, inner, block, found, variables, result, shape_state, dy)
    wrt = list(given)
    fn = Function("inner", Block(wrt, block.ops, found))
    values, grads = _differentiated(ctx, fn, wrt, list(given.values()), dy, result, shape_state)
    table = dict(zip(wrt, grads, strict=True))
    out = [_like_argument(ctx, node, inner_args[k], args[k], table) for k in chosen]
    gradients: Lowered
    if inner.single and not inner.as_tuple:
        gradients = out[0]
    elif inner.single:
        gradients = Tuple(tuple(out))
    else:
        gradients = new_list(ctx, out)
    if not inner.with_value:
        return gradients
    return Tuple((replaced(ctx, result, shape_state, found, values), gradients))


def _like_argument(ctx: Context, node: gast.AST | None, inner: Lowered, given: Lowered,
                   gradients: dict[Value, Value | None]) -> Lowered:
    """The gradient of an argument: None where nothing depends on it, else zeros for the parts of which that is so."""
    if not any(gradients.get(p) for p in leaves_of(ctx, inner)):
        return Static(None)
    actual = iter(leaves_of(ctx, given))

    def of(p: Value) -> Lowered:
        v = next(actual)
        return gradients.get(p) or (zero_like(ctx, node, v) if is_inexact(v.type) else Static(None))

    return rebuild(ctx, inner, of)


def _chosen(ctx: Context, node: gast.AST | None, inner: Inner, callee: Lowered, args: list[Lowered]) -> list[int]:
    """Positions of the arguments to differentiate."""
    if inner.params is None:
        return list(range(len(args)))
    names = _parameter_names(callee)
    out = []
    for p in inner.params:
        k = names.index(p) if isinstance(p, str) and p in names else p
        if not isinstance(k, int) or not -len(args) <= k < len(args):
            raise ctx.error(node, f"the inner function is not given the argument {p!r} to differentiate",
                            f"it is called with {len(args)} positional argument{'s' * (len(args) != 1)}",
                            "correct argnums or params")
        out.append(k % len(args))
    return out


def _parameter_names(callee: Lowered) -> list[str]:
    if isinstance(callee, Closure):
        return parameter_names(callee.node)
    if isinstance(callee, Outside | Static):
        try:
            return list(inspect.signature(callee.value).parameters)
        except (TypeError, ValueError):
            return []
    return []


def _differentiated(ctx: Context, fn: Function, wrt: list[Value], actual: list[Value], dy: Lowered | None,
                    result: Lowered, state: Any) -> tuple[list[Value], list[Value | None]]:
    """Put the adjoint of `fn` in place; its values and gradients."""
    made = ctx.services.differentiate(fn, wrt, keep_values=True, seeds_given=dy is not None)
    seeds: list[Value] = []
    seed_params = made.function.block.params[len(fn.block.params):]
    given = [] if dy is None else leaves_of(ctx, settled(ctx, None, dy))
    for k, p in enumerate(seed_params):
        if dy is not None:
            v = given[k]
            seeds.append(ctx.b.cast(v, Scalar(p.type.dtype, getattr(p.type, "weak", False))))
        else:
            assert isinstance(p.type, Scalar)
            seeds.append(ctx.b.const(1.0, p.type))
    results = inline(ctx.b.block, made.function, [*actual, *seeds])
    n = len(fn.block.results)
    grads = iter(results[n:])
    return results[:n], [next(grads) if connected else None for connected in made.connected]


def _implicit(ctx: Context, node: gast.AST | None, inner: Inner, block: Block, found: list[Value],
              variables: list[Read], result: Lowered, state: Any, dy: Lowered | None) -> Lowered:
    variables = sorted(set(variables), key=lambda r: r.value._number)
    seen: dict[int, Read] = {}
    for r in variables:
        seen.setdefault(id(r.value), r)
    if not seen:
        raise ctx.error(node, "no trainable Variable is read by the inner function", "so there is nothing to "
                        "differentiate", "read a Variable in it, or use s2s.gradients_function")
    reads = list(seen.values())
    current = [ctx.state.env.get((("variable", id(r.value)), "value"), r.leaf) for r in reads]
    actual = [v for v in current if isinstance(v, Value)]
    mapping: dict[Value, Value] = {v: Value(v.type, v.hint) for v in actual}
    wrt = [mapping[v] for v in actual]
    closed = clone_block(Block([], block.ops, found), mapping)
    closed.params = wrt
    fn = Function("inner", closed)
    values, grads = _differentiated(ctx, fn, wrt, actual, dy, result, state)
    pairs: list[Lowered] = [
        Tuple((g if g is not None else Static(None), r.leaf))  # type: ignore[arg-type]
        for g, r in zip(grads, reads, strict=True)]
    gradients = new_list(ctx, pairs)
    if not inner.with_value:
        return gradients
    return Tuple((replaced(ctx, result, state, found, values), gradients))
