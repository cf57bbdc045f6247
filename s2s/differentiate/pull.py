"""The reverse of one plain operation: its rule, applied to the adjoint of its result.

Multiplying by the adjoint, summing over broadcast axes and accumulating happen here, never in rules.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from s2s.analyse.activity import dependencies
from s2s.analyse.memory import is_view
from s2s.differentiate.adjoints import Adjoints
from s2s.errors import NoRuleError, located
from s2s.ir.core import Block, Op, Value
from s2s.ir.types import Array, Scalar, is_inexact
from s2s.rules.expr import Expr, fn
from s2s.rules.table import Rule


def pull(adj: Adjoints, op: Op) -> None:
    """Add what the results of `op` contribute to the adjoints of its arguments."""
    gs = [adj.take(r) for r in op.results]
    if is_view(op) and adj.is_memory(op.result):
        return  # its adjoint is part of that of the argument
    rule = adj.table.rule(op)
    active = [v for v in dependencies(op, rule) if adj.activity.active(v)]
    if all(g is None for g in gs) or not active or (rule is not None and rule.zero):
        return
    if op.name in ("cast", "pos") and (rule is None or not rule.differentiable):
        x = op.value("x")
        adj.add(x, adj.fit(gs[0], x))  # type: ignore[arg-type]
    elif op.name == "pack" and (rule is None or not rule.differentiable):
        _pack(adj, op, gs[0])  # type: ignore[arg-type]
    elif rule is None or not rule.differentiable:
        raise no_rule(op)
    elif rule.vjp_function is not None:
        _vjp(adj, op, rule, gs)
    else:
        assert gs[0] is not None
        _elementwise(adj, op, rule, gs[0])


def no_rule(op: Op, name: str | None = None) -> Exception:
    """The error for an operation without derivative on the path from an input to the result."""
    if op.name == "pycall":
        return located(NoRuleError, op.loc, f"{op.attrs.get('name') or 'a call'}() gets a value that is differentiated",
                       "s2s has no derivative rule for it and cannot look into it; it may change an array that it gets",
                       "give it a derivative with s2s.custom_gradient, pass it a copy (np.copy), or write it with "
                       "functions that have a rule")
    argument = "" if name is None else f" as its argument {name!r}"
    return located(NoRuleError, op.loc, f"{op.spec.called} gets a value that is differentiated{argument}",
                   op.spec.refused or "it has no derivative rule" + " for that" * bool(argument),
                   "give it a derivative with s2s.custom_gradient, or pass it s2s.stop_gradient(...)")


def refuse_captured(op: Op, active: Callable[[Value], bool]) -> None:
    """The value of a custom gradient must not depend on what is differentiated but through its arguments."""
    for v in op.values("captured"):
        if active(v) and "why" in op.attrs:
            raise located(NoRuleError, op.loc, op.attrs["why"], "the derivative that is asked for is of a higher order",
                          "take lower derivatives, or write the function out")
        if active(v):
            what = repr(v.hint) if v.hint else "a value"
            raise located(NoRuleError, op.loc, f"a function under s2s.custom_gradient uses {what}, which is "
                          "differentiated and none of its positional arguments",
                          "its grad gives no gradient for that, which would be lost",
                          "pass it as an argument, or use it through s2s.stop_gradient(...)")


def _flavour(op: Op) -> str:
    plain = all(isinstance(v.type, Scalar) for v in op.operands())
    return "math" if plain and not op.name.startswith(NUMPY) else "np"


#: Functions whose derivatives are written with those of NumPy, for numbers too: they raise nowhere.
NUMPY = ("np.", "scipy.", "user.")


def _elementwise(adj: Adjoints, op: Op, rule: Rule, g: Value) -> None:
    flavour = _flavour(op)
    arguments = [adj.expr(op.value(p.name), flavour) if p.name in op.args else op.attrs.get(p.name, p.default)
                 for p in op.spec.params if p.kind == "value"]
    if op.name == "mul" and op.value("x") is op.value("y") and op not in adj.guarded:
        x = op.value("x")
        adj.add(x, adj.fit(((2.0 * adj.expr(x, flavour)).conj() * adj.expr(g, flavour)).v, x))
        return
    for p in op.spec.params:
        if p.kind != "value" or p.name not in op.args or not adj.activity.active(op.value(p.name)):
            continue
        x = op.value(p.name)
        if not (p.name in rule.pulls or p.name in rule.partials):
            raise no_rule(op, p.name)
        seed = adj.expr(g, flavour)
        if op in adj.guarded:
            c = where_not_zero(seed, partial(_contribution, adj, op, rule, p.name, seed, arguments))
        else:
            c = _contribution(adj, op, rule, p.name, seed, arguments)
        adj.add(x, adj.fit(c.v, x))


def where_not_zero(g: Expr, product: Callable[[], Expr]) -> Expr:
    """`product()`, which is `g` times something that may be infinite or NaN; 0 where `g` is."""
    if g.is_array:
        return fn.where(g != 0, product(), 0.0)
    b, blocks = g.b, [Block(), Block()]
    with b.at(blocks[0]):
        blocks[0].results = [product().v]
    t = blocks[0].results[0].type
    with b.at(blocks[1]):
        blocks[1].results = [b.const(0, t)]
    return g.wrap(b.region("if", {"cond": (g != 0).v}, blocks, [t]).result)


def _contribution(adj: Adjoints, op: Op, rule: Rule, name: str, g: Expr, arguments: list[Any]) -> Expr:
    """The adjoint times the (conjugated) partial derivative."""
    ans = adj.expr(op.result, g.flavour)
    if name in rule.pulls:
        # p is the partial: conj(p) * g = conj(p * conj(g)).
        return g.lift(rule.pulls[name](g.conj(), ans, *arguments)).conj()
    return g.lift(rule.partials[name](ans, *arguments)).conj() * g


def _vjp(adj: Adjoints, op: Op, rule: Rule, gs: list[Value | None]) -> None:
    exprs = [None if g is None else adj.expr(g) for g in gs]
    results = [adj.expr(r) for r in op.results]
    single = len(results) == 1
    given = rule_arguments(adj, op)
    assert rule.vjp_function is not None
    found = rule.vjp_function(exprs[0] if single else tuple(exprs), results[0] if single else tuple(results), **given)
    pairs: list[tuple[Value, Expr]] = []
    for name, contribution in found.items():
        if name not in op.args:
            continue
        arg = op.args[name]
        many = contribution if isinstance(arg, tuple) else [contribution]
        for v, c in zip(arg if isinstance(arg, tuple) else (arg,), many or (), strict=False):
            if c is not None and adj.activity.active(v):
                pairs.append((v, exprs_of(adj, c)))
    for v, c in pairs:
        # One contribution may be a view of another, and then neither is owned.
        adj.add(v, adj.fit(c.v, v), fresh=len(pairs) == 1)


def exprs_of(adj: Adjoints, c: Any) -> Expr:
    """A contribution that a rule returned, as an expression."""
    return c if isinstance(c, Expr) else adj.expr(adj.b.const(c))


def rule_arguments(adj: Adjoints, op: Op) -> dict[str, Any]:
    """The arguments of `op` by name, as a rule gets them."""
    given: dict[str, Any] = {}
    for p in op.spec.params:
        if p.name not in op.args:
            given[p.name] = op.attrs.get(p.name, None if p.default is ... else p.default)
            continue
        arg = op.args[p.name]
        given[p.name] = tuple(adj.expr(v) for v in arg) if isinstance(arg, tuple) else adj.expr(arg)
    return given


def _pack(adj: Adjoints, op: Op, g: Value) -> None:
    for k, v in enumerate(op.values("elements")):
        if is_inexact(v.type) and adj.activity.active(v):
            c = adj.b.one("getitem", {"a": g, "index": (adj.b.int(k),)}, {"items": ("i",)})
            adj.add(v, adj.fit(adj.copy(c) if isinstance(c.type, Array) else c, v))
