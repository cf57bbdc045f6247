"""The tangent of one plain operation: its rule, applied to the tangents of its arguments.

Multiplying, adding up and broadcasting to the shape of the result happen here, never in rules.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

from s2s.differentiate.pull import NUMPY, where_not_zero
from s2s.errors import NoRuleError, located
from s2s.ir.builder import Builder
from s2s.ir.core import Arg, Op, OpSpec, Value
from s2s.ir.types import Array, List, Scalar, Type, kind, same_size
from s2s.rules.expr import Expr, fn
from s2s.rules.table import Rule, Table


class Tangents:
    """Writes tangents with `b`; `dots` maps values of the new program to their tangents (absent: zero)."""

    def __init__(self, b: Builder, table: Table) -> None:
        self.b = b
        self.table = table
        self.dots: dict[Value, Value] = {}
        self.guarded = False  # whether a tangent of 0 stays 0, whatever it is multiplied by

    def lookup(self, name: str) -> OpSpec | None:
        rule = self.table.by_name.get(name)
        return None if rule is None else rule.spec

    def expr(self, v: Value, flavour: str = "np") -> Expr:
        """`v` as rules see it."""
        return Expr(self.b, v, self.lookup, flavour)

    def zero(self, v: Value) -> Value:
        """The zero tangent of `v`, as memory of its own."""
        t = v.type
        if isinstance(t, Scalar):
            return self.b.const(0, t)
        if v.op is not None and v.op.name == "undefined":
            return self.b.undefined(t)  # nobody reads it, and a list of zeros like it cannot be made
        if isinstance(t, Array):
            return self.expr(self.b.one(self._spec("np.zeros_like"), {"a": v}, self._defaults("np.zeros_like"))).v
        if isinstance(t, List):
            return self.b.one("listzeros", {"list": v})
        return self.b.undefined(t)

    def _spec(self, name: str) -> OpSpec:
        return self.table.by_name[name].spec

    def _defaults(self, name: str) -> dict[str, Any]:
        return {p.name: p.default for p in self._spec(name).params if p.default is not ...}

    def dot(self, v: Value) -> Value:
        """The tangent of `v`, zeros where it has none."""
        known = self.dots.get(v)
        return self.zero(v) if known is None else known

    def of(self, op: Op) -> list[Value | None]:
        """The tangents of the results of `op`, an operation of the new program; None is zero."""
        rule = self.table.rule(op)
        if not any(v in self.dots for v in op.operands()):
            return [None] * len(op.results)
        if rule is None or not (rule.jvp_function or rule.linear or rule.differentiable):
            if rule is not None and (rule.zero or rule.nondiff is not None):
                return [None] * len(op.results)
            if op.name in ("cast", "pos", "pack"):
                return [self._linear(op, list(op.args))]
            raise no_rule(op)
        if rule.jvp_function is not None:
            return self._jvp(op, rule)
        if rule.partials or rule.pulls:
            return [self._elementwise(op, rule)]
        if rule.linear:
            return [self._linear(op, rule.linear)]
        raise no_rule(op)

    def _elementwise(self, op: Op, rule: Rule) -> Value | None:
        flavour = "math" if all(isinstance(v.type, Scalar) for v in op.operands()) and not op.name.startswith(NUMPY) \
            else "np"
        names = [p.name for p in op.spec.params if p.kind == "value"]
        arguments = [self.expr(op.value(n), flavour) if n in op.args else op.attrs.get(n) for n in names]
        ans = self.expr(op.result, flavour)
        terms: list[Expr] = []
        for n in names:
            dot = self.dots.get(op.value(n)) if n in op.args else None
            if dot is None:
                continue
            if n not in rule.pulls and n not in rule.partials:
                raise no_rule(op, n)
            x_dot = self.expr(dot, flavour)
            term = functools.partial(_term, rule, n, x_dot, ans, arguments)
            terms.append(where_not_zero(x_dot, term) if self.guarded else term())
        return self._sum(op.result, terms)

    def _linear(self, op: Op, names: Iterable[str]) -> Value | None:
        """Each linear argument in turn replaced by its tangent."""
        terms: list[Expr] = []
        for n in names:
            arg = op.args.get(n)
            if arg is None or not any(v in self.dots for v in (arg if isinstance(arg, tuple) else (arg,))):
                continue
            dot: Arg = tuple(self.dot(v) for v in arg) if isinstance(arg, tuple) else self.dots[arg]
            terms.append(self.expr(shaped_as(self.b.one(op.spec, {**op.args, n: dot}, op.attrs), op)))
        return self._sum(op.result, terms)

    def _jvp(self, op: Op, rule: Rule) -> list[Value | None]:
        dots: dict[str, Any] = {}
        for n, arg in op.args.items():
            if isinstance(arg, tuple):
                dots[n] = tuple(self.expr(self.dots[v]) if v in self.dots else None for v in arg)
            elif arg in self.dots:
                dots[n] = self.expr(self.dots[arg])
        results = [self.expr(r) for r in op.results]
        assert rule.jvp_function is not None
        found = rule.jvp_function(dots, results[0] if len(results) == 1 else tuple(results), **self.arguments(op))
        tangents = list(found) if isinstance(found, list | tuple) else [found]
        return [None if t is None else self._sum(r, [self.expr(r).lift(t)])
                for r, t in zip(op.results, tangents, strict=True)]

    def arguments(self, op: Op) -> Mapping[str, Any]:
        given: dict[str, Any] = {}
        for p in op.spec.params:
            arg = op.args.get(p.name)
            if arg is None:
                given[p.name] = op.attrs.get(p.name, None if p.default is ... else p.default)
            else:
                given[p.name] = tuple(self.expr(v) for v in arg) if isinstance(arg, tuple) else self.expr(arg)
        return given

    def _sum(self, result: Value, terms: list[Expr]) -> Value | None:
        """The sum of `terms`, with the shape and dtype of `result`."""
        if not terms:
            return None
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return self.fit(total.v, result.type, result)

    def fit(self, x: Value, t: Type, like: Value | None = None) -> Value:
        """`x` with dtype `t`, and broadcast to the array `like`."""
        if isinstance(t, Array) and like is not None and not _has_shape(x.type, t):
            x = self.b.one(self._spec("s2s.broadcast_like"), {"x": x, "like": like})
        if isinstance(t, Scalar | Array) and isinstance(x.type, Scalar | Array) and x.type.dtype != t.dtype:
            if kind(x.type) == "c" and kind(t) != "c":
                x = self.expr(x).real.v
            x = self.b.cast(x, Scalar(t.dtype, t.weak))
        return x


def _term(rule: Rule, name: str, x_dot: Expr, ans: Expr, arguments: list[Any]) -> Expr:
    """The tangent of an argument times the partial derivative."""
    if name in rule.pulls:
        return ans.lift(rule.pulls[name](x_dot, ans, *arguments))
    partial = ans.lift(rule.partials[name](ans, *arguments))
    if partial.is_array and partial.dtype == "bool":
        return fn.where(partial, x_dot, 0.0)  # where it is not chosen, the tangent may be NaN
    return partial * x_dot


def _has_shape(x: Type, t: Array) -> bool:
    return isinstance(x, Array) and x.ndim == t.ndim and all(
        same_size(a, b) for a, b in zip(x.dims, t.dims, strict=True))


def no_rule(op: Op, argument: str | None = None) -> NoRuleError:
    """The error for an operation without derivative on the path from an input to the result."""
    name = f"{op.attrs.get('name') or 'a call'}()" if op.name == "pycall" else op.spec.called
    place = "" if argument is None else f" as its argument {argument!r}"
    return located(NoRuleError, op.loc, f"{name} gets a value that is differentiated{place}",
                   op.spec.refused or "it has no derivative rule that forward mode could use",
                   "give it a derivative with s2s.custom_gradient, or pass it s2s.stop_gradient(...)")


def shaped_as(dot: Value, op: Op) -> Value:
    """`dot`, made by the operation `op` applied to a tangent: its sizes, although unknown, are those of the result."""
    t, u = dot.type, op.result.type
    same = dot.op is not None and dot.op.spec is op.spec
    if same and isinstance(t, Array) and isinstance(u, Array) and t.ndim == u.ndim:
        dot.type = Array(t.dtype, u.dims, t.layout)
    return dot
