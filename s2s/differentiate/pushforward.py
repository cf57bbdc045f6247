"""The tangent of a custom gradient, from its pullback: the pullback is linear, and forward mode needs its transpose.

With `pullback(y_bar) = J^T y_bar`, the adjoint of the pullback with respect to `y_bar`, seeded with
`x_dot`, is `J x_dot`.
"""

from __future__ import annotations

from s2s.differentiate.reverse import reverse
from s2s.differentiate.tangents import Tangents
from s2s.ir.core import Block, Function, Op, Value, clone_op, free_values, inline
from s2s.ir.types import is_inexact
from s2s.rules.table import Rule


def pushforward(t: Tangents, op: Op) -> list[Value | None]:
    """The tangents of the results of `op`, a `custom` operation of the new program; None is zero."""
    if not any(v in t.dots for v in op.values("sources")):
        return [None] * len(op.results)
    pullback, captured = as_function(op.blocks[0])
    given = pullback.block.params[:len(pullback.block.params) - len(captured)]
    cotangents = given[:len(op.results)]
    transposed = reverse(pullback, cotangents, t.table, keep_values=False, seeds_given=True)
    seeds = [t.dot(s) for s, r in zip(op.values("sources"), pullback.block.results, strict=True) if is_inexact(r.type)]
    # It is linear in the cotangents, so that their value is never read; the results have the right shape.
    args = [*op.results, *op.results[:len(given) - len(cotangents)], *captured, *seeds]
    found = iter(inline(t.b.block, transposed.function, args))
    dots: list[Value | None] = [next(found) if c else None for c in transposed.connected]
    return [None if d is None else t.fit(d, r.type) for d, r in zip(dots, op.results, strict=True)]


def pushforward_of_rule(t: Tangents, op: Op, rule: Rule) -> list[Value | None]:
    """The tangents of the results of `op`, whose rule gives the adjoint only: they are its transpose."""
    sources = [v for v in op.operands() if v in t.dots]
    block = Block([Value(r.type, "g") for r in op.results])
    with t.b.at(block):
        gs, results = [t.expr(g) for g in block.params], [t.expr(r) for r in op.results]
        assert rule.vjp_function is not None
        several = len(results) > 1
        found = rule.vjp_function(tuple(gs) if several else gs[0], tuple(results) if several else results[0],
                                  **t.arguments(op))
        table: dict[Value, Value] = {}
        for name, contribution in found.items():
            arg = op.args.get(name)
            for v, c in zip(arg if isinstance(arg, tuple) else (arg,),
                            contribution if isinstance(arg, tuple) else (contribution,), strict=True):
                if v in t.dots and c is not None:
                    x = gs[0].lift(c).v
                    table[v] = t.b.add(table[v], x) if v in table else x
        kept = [v for v in sources if v in table]
        block.results = [t.fit(table[v], v.type, v) for v in kept]
    pullback, captured = as_function(block)
    cotangents = pullback.block.params[:len(op.results)]
    transposed = reverse(pullback, cotangents, t.table, keep_values=False, seeds_given=True)
    out = iter(inline(t.b.block, transposed.function, [*op.results, *captured, *(t.dots[v] for v in kept)]))
    return [t.fit(next(out), r.type, r) if c else None for r, c in zip(op.results, transposed.connected, strict=True)]


def as_function(block: Block) -> tuple[Function, list[Value]]:
    """A block as a function, whose parameters are those of the block, then what it reads from around it."""
    captured = free_values(block)
    mapping = {v: Value(v.type, v.hint) for v in (*block.params, *captured)}
    new = Block(list(mapping.values()))
    new.ops = [clone_op(op, mapping) for op in block.ops]
    new.results = [mapping[v] for v in block.results]
    return Function("pullback", new), captured
