"""Expressions: constants, names, operators, comparisons, conditionals, displays, lambdas, comprehensions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast

from s2s.ir.core import Block, Value
from s2s.ir.types import BOOL
from s2s.lower.assign import assign
from s2s.lower.attributes import get_attribute
from s2s.lower.comprehensions import lower_comprehension, lower_generator
from s2s.lower.context import Context, Peel
from s2s.lower.control import conditional
from s2s.lower.effects import format_string
from s2s.lower.grids import grid
from s2s.lower.indexing import get_item
from s2s.lower.iterators import lower_yield, lower_yield_from
from s2s.lower.mentions import mention
from s2s.lower.merge import changed
from s2s.lower.names import assigned_names
from s2s.lower.numbers import compare, value
from s2s.lower.objects import call_special
from s2s.lower.operators import BINARY, binary
from s2s.lower.scope import lookup, mangled
from s2s.lower.sequences import elements, make_sequence, make_set, mapping_items
from s2s.lower.truth import static, truth, usable
from s2s.lower.values import Box, Closure, Conflict, Lowered, Slice, Static, Tuple

_COMPARE = {gast.Eq: "eq", gast.NotEq: "ne", gast.Lt: "lt", gast.LtE: "le", gast.Gt: "gt", gast.GtE: "ge",
            gast.Is: "is", gast.IsNot: "isnot", gast.In: "in", gast.NotIn: "notin"}


def lower_expression(ctx: Context, node: gast.AST) -> Lowered:
    """Lower one expression."""
    handler = _EXPRESSIONS.get(type(node))
    if handler is None:
        raise ctx.error(node, f"{type(node).__name__} is not supported in a differentiated function")
    return handler(ctx, node)


def _constant(ctx: Context, node: gast.Constant) -> Lowered:
    v = node.value
    if isinstance(v, bool | int | float | complex):
        if isinstance(v, int) and not isinstance(v, bool) and abs(v) >= 2**63:
            return Static(v)
        return ctx.b.const(v)
    return Static(v)


def _name(ctx: Context, node: gast.Name) -> Lowered:
    found = lookup(ctx, ctx.frame, node.id)
    if found is None:
        if any(loop.runtime and node.id in assigned_names(loop.node) for loop in ctx.loops):
            raise Peel(ctx.error(node, f"the name {node.id!r} is not bound here",
                                 "Python would raise NameError, unless an earlier iteration of a loop has bound it",
                                 "bind it before the loop"))
        raise ctx.error(node, f"the name {node.id!r} is not bound here", "Python would raise NameError",
                        "assign it before this line, or correct its spelling")
    return found


def _binop(ctx: Context, node: gast.BinOp) -> Lowered:
    x = ctx.expr(node.left)
    y = ctx.expr(node.right)
    return binary(ctx, node, BINARY[type(node.op)], x, y)


def _unary(ctx: Context, node: gast.UnaryOp) -> Lowered:
    x = usable(ctx, node.operand, ctx.expr(node.operand))
    if isinstance(node.op, gast.Not):
        known = truth(ctx, node.operand, x)
        return ctx.b.const(not known) if isinstance(known, bool) else ctx.b.one("not", {"x": known})
    name = {gast.USub: "neg", gast.UAdd: "pos", gast.Invert: "invert"}[type(node.op)]
    own = call_special(ctx, node, x, f"__{name}__", [])
    if own is not None:
        return own
    if isinstance(x, Static) and isinstance(x.value, int | float):
        return ctx.b.const(getattr(operator, name)(x.value))
    return ctx.b.one(name, {"x": value(ctx, node.operand, x)})


def _boolop(ctx: Context, node: gast.BoolOp) -> Lowered:
    return _short_circuit(ctx, node, list(node.values), isinstance(node.op, gast.And))


def condition(ctx: Context, node: gast.AST) -> Lowered:
    """An expression of which only the truth counts: of `stack and n < 6`, parts of different kinds too."""
    if not isinstance(node, gast.BoolOp):
        return ctx.expr(node)
    return _short_circuit(ctx, node, list(node.values), isinstance(node.op, gast.And), only_truth=True)


def _short_circuit(ctx: Context, node: gast.AST, parts: list[gast.AST], conjunction: bool,
                   only_truth: bool = False) -> Lowered:
    """`and` and `or`: the parts after the first run only where they have to."""
    x = condition(ctx, parts[0]) if only_truth else ctx.expr(parts[0])
    if only_truth:
        known = truth(ctx, parts[0], x)
        x = Static(known) if isinstance(known, bool) else known
    if len(parts) == 1:
        return x
    return _junction(ctx, parts[0], x, parts[1],
                     lambda: _short_circuit(ctx, node, parts[1:], conjunction, only_truth), conjunction)


def _junction(ctx: Context, node: gast.AST, x: Lowered, second: gast.AST, rest: Callable[[], Lowered],
              conjunction: bool) -> Lowered:
    """`x and rest()`, or `x or rest()`, at `node` and `second`."""
    cond = truth(ctx, node, x)
    if isinstance(cond, bool):
        return rest() if cond == conjunction else x
    trial = Block()
    start = ctx.state.copy()
    with ctx.b.at(trial):
        y = rest()
        other = truth(ctx, second, y)
    harmless = not changed(start, ctx.state) and all(
        op.spec.pure and not op.blocks and not op.name.startswith("math.")
        and op.name not in ("getitem", "listget", "div", "floordiv", "mod", "pow") for op in trial.ops)
    is_bool = isinstance(x, Value) and x.type == BOOL and (isinstance(other, bool) or y is other)
    if is_bool and harmless:
        ctx.b.block.ops += trial.ops
        if isinstance(other, bool):
            other = ctx.b.const(other)
        return ctx.b.one("and" if conjunction else "or", {"x": cond, "y": other})
    ctx.state = start

    def first() -> Lowered:
        return ctx.b.const(not conjunction) if isinstance(x, Value) and x.type == BOOL else x

    return conditional(ctx, node, cond, *((rest, first) if conjunction else (first, rest)))


def _compare(ctx: Context, node: gast.Compare) -> Lowered:
    def link(k: int, left: Lowered) -> Lowered:
        right = ctx.expr(node.comparators[k])
        test = compare(ctx, node, _COMPARE[type(node.ops[k])], left, right)
        if k == len(node.ops) - 1:
            return test
        return _junction(ctx, node, test, node, lambda: link(k + 1, right), True)

    return link(0, ctx.expr(node.left))


def _ifexp(ctx: Context, node: gast.IfExp) -> Lowered:
    cond = truth(ctx, node.test, condition(ctx, node.test))
    if isinstance(cond, bool):
        mention(ctx, [node.orelse if cond else node.body])
        return ctx.expr(node.body if cond else node.orelse)
    return conditional(ctx, node, cond, lambda: ctx.expr(node.body), lambda: ctx.expr(node.orelse))


def _tuple(ctx: Context, node: gast.Tuple) -> Lowered:
    return Tuple(tuple(elements(ctx, node.elts)))


def _list(ctx: Context, node: gast.List) -> Lowered:
    return make_sequence(ctx, "list", elements(ctx, node.elts), node)


def _dict(ctx: Context, node: gast.Dict) -> Lowered:
    content: dict[Any, Lowered] = {}
    for k, v in zip(node.keys, node.values, strict=True):
        if k is None:
            spread = usable(ctx, v, ctx.expr(v))
            content.update(mapping_items(ctx, v, spread))
        else:
            key = static(ctx, k, ctx.expr(k), "the key of a dict")
            content[key] = ctx.expr(v)
    box = Box("dict", None, "", ctx.depth)
    ctx.state.heap[box] = content
    return box


def closure(ctx: Context, node: gast.FunctionDef | gast.Lambda) -> Closure:
    """A nested function; its defaults are evaluated now."""
    defaults = tuple(ctx.expr(d) for d in node.args.defaults)
    kw = {a.id: ctx.expr(d) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if d is not None}
    return Closure(node, ctx.frame.source, ctx.frame, defaults, kw)


def _walrus(ctx: Context, node: gast.NamedExpr) -> Lowered:
    result = ctx.expr(node.value)
    assign(ctx, node.target, result)
    return result


def _attribute(ctx: Context, node: gast.Attribute) -> Lowered:
    name = mangled(ctx, node.attr)
    x = ctx.expr(node.value)
    # The receiver of a method is not read by being one.
    return get_attribute(ctx, node, usable(ctx, node.value, x) if isinstance(x, Conflict) else x, name)


def _subscript(ctx: Context, node: gast.Subscript) -> Lowered:
    base = usable(ctx, node.value, ctx.expr(node.value))
    index = usable(ctx, node.slice, ctx.expr(node.slice))
    return grid(ctx, node, base, index) or get_item(ctx, node, base, index)


def _slice(ctx: Context, node: gast.Slice) -> Lowered:
    def part(n: gast.AST | None) -> Value | None:
        if n is None:
            return None
        x = usable(ctx, n, ctx.expr(n))
        return None if isinstance(x, Static) and x.value is None else value(ctx, n, x)
    return Slice(part(node.lower), part(node.upper), part(node.step))


def _call(ctx: Context, node: gast.Call) -> Lowered:
    callee = usable(ctx, node.func, ctx.expr(node.func))
    args = elements(ctx, node.args)
    kwargs: dict[str, Lowered] = {}
    for k in node.keywords:
        if k.arg is None:
            kwargs.update(mapping_items(ctx, k.value, usable(ctx, k.value, ctx.expr(k.value))))
        else:
            kwargs[k.arg] = ctx.expr(k.value)
    return ctx.call(node, callee, args, kwargs)


def _set(ctx: Context, node: gast.Set) -> Lowered:
    return make_set(ctx, [static(ctx, n, ctx.expr(n), "an element of a set") for n in node.elts])


def _starred(ctx: Context, node: gast.AST) -> Lowered:
    raise ctx.error(node, "a starred expression is not supported here")


_EXPRESSIONS: dict[type, Callable[[Context, Any], Lowered]] = {
    gast.Constant: _constant, gast.Name: _name, gast.BinOp: _binop, gast.UnaryOp: _unary, gast.BoolOp: _boolop,
    gast.Compare: _compare, gast.IfExp: _ifexp, gast.Tuple: _tuple, gast.List: _list, gast.Dict: _dict,
    gast.Lambda: closure, gast.NamedExpr: _walrus, gast.Attribute: _attribute, gast.Subscript: _subscript,
    gast.Slice: _slice, gast.Call: _call, gast.JoinedStr: format_string, gast.Set: _set, gast.Starred: _starred,
    gast.ListComp: lower_comprehension, gast.GeneratorExp: lower_generator, gast.DictComp: lower_comprehension,
    gast.SetComp: lower_comprehension, gast.Yield: lower_yield, gast.YieldFrom: lower_yield_from,
}
