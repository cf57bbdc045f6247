"""Each rule over arrays on each of its rows: types, adjoints and tangents, against NumPy and differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2s.ir.builder import Builder, constant_type
from s2s.ir.core import Block, Function, Value
from s2s.ir.types import Array, Dim, Scalar, Type, is_inexact
from s2s.rules import TABLE, creation, einsum, indexing, joining, linalg, products, shape
from s2s.rules.expr import Expr
from s2s.testing.interpret import run

from .rows_arrays import ROWS, Row

FAMILIES = (shape, creation, joining, indexing, products, einsum, linalg)


def type_of(x: Any, name: str) -> Type:
    """The type that an argument specialises on: sizes are symbols unless they are 1."""
    if isinstance(x, np.ndarray):
        layout = "C" if x.flags.c_contiguous else "F" if x.flags.f_contiguous else "A"
        dims = tuple(Dim(None, 1) if n == 1 else Dim(f"{name}.{k}", 0, True) for k, n in enumerate(x.shape))
        return Array(x.dtype.name, dims, layout)
    t = constant_type(x)
    return Scalar(t.dtype, t.weak)


def lookup(name: str) -> Any:
    rule = TABLE.by_name.get(name)
    return None if rule is None else rule.spec


class Program:
    """The row as a program: its operation applied to parameters, and the numbers to pass."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.rule = TABLE.by_name[row.name]
        self.block = Block()
        self.b = Builder(self.block)
        self.numbers: list[Any] = []
        self.args: dict[str, Any] = {}
        self.attrs: dict[str, Any] = {}
        rest = list(row.args)
        for p in self.rule.spec.params:
            if p.kind == "static":
                self.attrs[p.name] = row.options.get(p.name, p.default)
            elif not rest:
                self.attrs[p.name] = p.default
            elif p.kind == "ints":
                self.args[p.name] = tuple(self.b.int(n) for n in rest.pop(0))
            elif p.kind == "values":
                self.args[p.name] = tuple(self.param(x, f"{p.name}{k}") for k, x in enumerate(rest.pop(0)))
            elif isinstance(rest[0], int):
                self.args[p.name] = self.b.int(rest.pop(0))
            else:
                self.args[p.name] = self.param(rest.pop(0), p.name)
        assert not rest
        self.inputs = list(self.block.params)
        self.results = self.b.emit(self.rule.spec, self.args, self.attrs)

    def param(self, x: Any, name: str) -> Value:
        v = Value(type_of(x, name), name)
        self.block.params.append(v)
        self.numbers.append(x)
        return v

    def expr(self, v: Value) -> Expr:
        return Expr(self.b, v, lookup)

    def arguments(self) -> dict[str, Any]:
        """The operation's arguments as a rule gets them."""
        wrapped = {k: tuple(self.expr(v) for v in a) if isinstance(a, tuple) else self.expr(a)
                   for k, a in self.args.items()}
        return {p.name: wrapped.get(p.name, self.attrs.get(p.name)) for p in self.rule.spec.params}

    def ans(self) -> Any:
        found = tuple(self.expr(r) for r in self.results)
        return found[0] if len(found) == 1 else found

    def call(self, numbers: list[Any]) -> list[Any]:
        block = Block(self.inputs, list(self.block.ops[:self.count()]), self.results)
        return run(Function("f", block), numbers)

    def count(self) -> int:
        """How many operations the forward part has."""
        ops = self.block.ops
        return next(k for k, op in enumerate(ops) if op.results and op.results[0] is self.results[0]) + 1


def ids(row: Row) -> str:
    return row.id


@pytest.mark.parametrize("row", ROWS, ids=ids)
def test_type(row: Row) -> None:
    p = Program(row)
    for t, value in zip([r.type for r in p.results], p.call(p.numbers), strict=True):
        assert isinstance(t, Array) == isinstance(value, np.ndarray), (t, type(value))
        assert t.ndim == np.ndim(value)
        assert t.dtype == np.asarray(value).dtype.name
        if isinstance(t, Array):
            sizes = {}
            for x, q in zip(p.numbers, p.inputs, strict=True):
                sizes |= {d.symbol: n for d, n in zip(q.type.dims, np.shape(x), strict=True)}
            for d, n in zip(t.dims, value.shape, strict=True):
                assert d.symbol is not None or d.offset == n
                assert d.is_one is None or d.is_one == (n == 1)
                assert d.symbol not in sizes or d.symbol is None or sizes[d.symbol] + d.offset == n
            assert t.layout == "A" or value.flags[f"{t.layout}_CONTIGUOUS"]


def seeds(p: Program) -> list[Any]:
    rng = np.random.default_rng(3)
    found = []
    for y in p.call(p.numbers):
        g = rng.normal(size=np.shape(y))
        if np.asarray(y).dtype.kind == "c":
            g = g + 1j * rng.normal(size=np.shape(y))
        found.append(np.asarray(g, np.asarray(y).dtype)[()])
    return found


def dot(a: Any, b: Any) -> float:
    return float(np.sum(np.real(np.conj(np.asarray(a, "complex128")) * b)))


def directions(x: Any) -> Any:
    rng = np.random.default_rng(5)
    v = rng.normal(size=np.shape(x))
    if np.asarray(x).dtype.kind == "c":
        v = v + 1j * rng.normal(size=np.shape(x))
    return v


def difference(p: Program, moved: int, v: Any) -> list[Any]:
    """How the results change along `v`, by central differences in double precision."""
    exact = [x.astype({"float32": "float64"}.get(x.dtype.name, x.dtype)) if isinstance(x, np.ndarray | np.float32) else x
             for x in p.numbers]

    def at(step: float) -> list[Any]:
        numbers = list(exact)
        numbers[moved] = numbers[moved] + step * v
        return Program(Row(p.row.name, p.row.args, {**p.row.options, "dtype": None})).call(numbers) \
            if p.attrs.get("dtype") == "float32" else p.call(numbers)

    h = 1e-6
    return [(np.asarray(b) - np.asarray(a)) / (2 * h) for a, b in zip(at(-h), at(h), strict=True)]


def is_single(p: Program) -> bool:
    return any("float32" in str(np.asarray(x).dtype) for x in p.numbers) or p.attrs.get("dtype") == "float32"


DIFFERENTIABLE = [r for r in ROWS if TABLE.by_name[r.name].differentiable]


@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=ids)
def test_vjp(row: Row) -> None:
    p = Program(row)
    gs = seeds(p)
    params = [Value(r.type, "g") for r in p.results]
    g: Any = tuple(p.expr(v) for v in params)
    found = p.rule.vjp_function(g[0] if len(g) == 1 else g, p.ans(), **p.arguments())
    adjoints: dict[Value, Expr] = {}
    for name, value in found.items():
        arg = p.args.get(name)
        many = isinstance(arg, tuple)
        for v, c in zip(arg if many else (arg,), value if many else (value,), strict=True):
            if v in p.inputs and is_inexact(v.type) and c is not None:
                adjoints[v] = c
    fn = Function("vjp", Block([*p.inputs, *params], p.block.ops, [c.v for c in adjoints.values()]))
    values = run(fn, [*p.numbers, *gs])
    for (v, c), x_bar in zip(adjoints.items(), values, strict=True):
        k = p.inputs.index(v)
        x = p.numbers[k]
        assert np.shape(x_bar) == np.shape(x)
        assert np.asarray(x_bar).dtype == np.asarray(x).dtype
        assert c.type.dims == v.type.dims
        direction = directions(x)
        expected = sum(dot(g, d) for g, d in zip(gs, difference(p, k, direction), strict=True))
        assert dot(x_bar, direction) == pytest.approx(expected, rel=1e-3 if is_single(p) else 1e-6, abs=1e-5 if is_single(p) else 1e-7)


@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=ids)
def test_jvp(row: Row) -> None:
    p = Program(row)
    active = [k for k, v in enumerate(p.inputs) if is_inexact(v.type)]
    if not active:
        return
    tangents = {p.inputs[k]: Value(p.inputs[k].type, "dot") for k in active}
    numbers = {k: np.asarray(directions(p.numbers[k]), np.asarray(p.numbers[k]).dtype)[()] for k in active}
    dots = {name: tuple(None if v not in tangents else p.expr(tangents[v]) for v in a) if isinstance(a, tuple)
            else p.expr(tangents[a]) for name, a in p.args.items() if isinstance(a, tuple) or a in tangents}
    if p.rule.jvp_function is not None:
        found = p.rule.jvp_function(dots, p.ans(), **p.arguments())
        totals = list(found) if isinstance(found, tuple | list) else [found]
    else:
        assert p.rule.linear
        totals = []
        for name in p.rule.linear:
            if name in dots:
                args = {**p.args, name: dots[name].v}
                terms = [p.expr(v) for v in p.b.emit(p.rule.spec, args, p.attrs)]
                totals = [a + b for a, b in zip(totals, terms, strict=True)] if totals else terms
    fn = Function("jvp", Block([*p.inputs, *tangents.values()], p.block.ops, [t.v for t in totals]))
    values = run(fn, [*p.numbers, *numbers.values()])
    for j, value in enumerate(values):
        expected = sum(difference(p, k, numbers[k])[j] for k in active)
        assert np.shape(value) == np.shape(expected)
        tolerance = 1e-3 if is_single(p) else 1e-6
        np.testing.assert_allclose(value, expected, rtol=tolerance, atol=tolerance)


def test_every_rule_has_a_row() -> None:
    named = {r.name for r in ROWS}
    missing = [r.spec.name for f in FAMILIES for r in f.family if r.spec.name not in named]
    assert missing == ["getitem"]  # built with index items; tested with the engine
