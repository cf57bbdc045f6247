"""Forward mode against central differences, run by the reference interpreter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from random_ir import SIZE, RandomProgram

from s2s.differentiate.forward import forward
from s2s.errors import NoRuleError
from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Value
from s2s.ir.ops import SPECS
from s2s.ir.types import FLOAT, INT, Array, Dim, List, Opaque, known_dim
from s2s.rules import TABLE
from s2s.simplify import simplify
from s2s.testing.interpret import run

VECTOR = Array("float64", (known_dim(SIZE),), "C")


def copied(args: Sequence[Any]) -> list[Any]:
    return [a.copy() if isinstance(a, np.ndarray) else a for a in args]


def moved(args: Sequence[Any], wrt: Sequence[int], dots: Sequence[Any], h: float) -> list[Any]:
    new = copied(args)
    for i, dot in zip(wrt, dots, strict=True):
        new[i] = new[i] + h * dot
    return new


def check(fn: Function, args: Sequence[Any], wrt: Sequence[int] | None = None) -> None:
    """Compare values and tangents, before and after simplification, with central differences."""
    rng = np.random.default_rng(0)
    wrt = range(len(args)) if wrt is None else wrt
    dots = [rng.normal(size=np.shape(args[i])) if np.shape(args[i]) else float(rng.normal()) for i in wrt]
    result = forward(fn, list(wrt), TABLE)
    value = run(fn, copied(args))
    h = 1e-5
    up, down = (run(fn, moved(args, wrt, dots, sign * h)) for sign in (1, -1))
    for new in (result.function, simplify(result.function)):
        got = run(new, copied(args) + copied(dots))
        tangents = iter(got[len(value):])
        for k, v in enumerate(value):
            np.testing.assert_allclose(got[k], v, rtol=1e-12)
            expected = (np.asarray(up[k]) - np.asarray(down[k])) / (2 * h)
            if result.connected[k]:
                np.testing.assert_allclose(next(tangents), expected, rtol=1e-6, atol=1e-7)
            else:
                np.testing.assert_allclose(expected, 0.0, atol=1e-7)


@pytest.mark.parametrize("seed", range(80))
def test_random_programs(seed: int) -> None:
    fn = RandomProgram(seed, 25, smooth=True).build()
    rng = np.random.default_rng(seed)
    args = [0.7, -1.3, rng.normal(size=SIZE), rng.normal(size=SIZE)]
    check(fn, args, [[0, 1, 2, 3], [0], [2], [1, 3]][seed % 4])


def program(types: Sequence[Any], write: Callable[..., Sequence[Value]]) -> Function:
    """A function of parameters of the given types; `write(builder, *params)` gives its results."""
    params = [Value(t, f"x{k}") for k, t in enumerate(types)]
    b = Builder(Block(params))
    b.block.results = list(write(b, *params))
    return Function("f", b.block)


def op(b: Builder, name: str, **args: Any) -> Value:
    """An operation of the rule table; arguments that are not values are static."""
    spec = SPECS.get(name) or TABLE.by_name[name].spec
    attrs = {p.name: p.default for p in spec.params if p.default is not ... and p.name not in args}
    attrs |= {k: v for k, v in args.items() if not isinstance(v, Value | tuple)}
    return b.one(spec, {k: v for k, v in args.items() if isinstance(v, Value | tuple)}, attrs)


def test_elementwise_functions_and_division() -> None:
    def write(b: Builder, x: Value, y: Value) -> list[Value]:
        return [b.binary("div", op(b, "np.sin", x=x), op(b, "np.exp", x=y)), b.binary("pow", x, b.int(3))]
    check(program([FLOAT, FLOAT], write), [0.3, 0.8])


def test_scalar_is_broadcast_to_the_array() -> None:
    check(program([FLOAT, VECTOR], lambda b, x, a: [b.mul(x, a), b.add(x, a)]), [0.3, np.arange(4.0)], [0])


def test_row_is_broadcast_to_the_matrix() -> None:
    matrix = Array("float64", (Dim("n"), Dim("m")), "C")
    row = Array("float64", (Dim("k"),), "C")
    check(program([matrix, row], lambda b, a, r: [b.add(a, r)]), [np.ones((3, 4)), np.ones(1)], [1])


def test_linear_operations() -> None:
    matrix = Array("float64", (Dim("n"), Dim("m")), "C")
    check(program([matrix], lambda b, a: [op(b, "np.sum", a=a)]), [np.ones((3, 4))])


def test_shadow_of_a_written_array() -> None:
    def write(b: Builder, x: Value) -> list[Value]:
        a = b.one("pack", {"elements": (x, x)})
        view = b.one("getitem", {"a": a, "index": (b.int(1),)}, {"items": ("s100",)})
        b.emit("setitem", {"a": view, "index": (b.int(0),), "value": b.mul(x, x)}, {"items": ("i",)})
        b.emit("addto", {"a": a, "value": x})
        return [a, op(b, "np.sum", a=a)]
    check(program([FLOAT], write), [0.7])


def test_array_made_from_a_tangent_owns_its_shadow() -> None:
    def write(b: Builder, a: Value) -> list[Value]:
        c = op(b, "pos", x=a)
        b.emit("setitem", {"a": c, "index": (b.int(0),), "value": b.const(2.0)}, {"items": ("i",)})
        return [b.mul(a, c)]
    check(program([VECTOR], write), [np.arange(1.0, 5.0)])


def test_list() -> None:
    def write(b: Builder, x: Value, n: Value) -> list[Value]:
        values = b.one("list", {"elements": (x,)}, {"type": List(FLOAT)})
        i = Value(INT, "i")
        body = Block([i])
        with b.at(body):
            last = b.one("listget", {"list": values, "index": i})
            b.emit("append", {"list": values, "value": b.mul(last, x)})
        b.region("for", {"start": b.int(0), "stop": n, "step": b.int(1), "init": ()}, [body], [])
        return [b.one("listget", {"list": values, "index": n})]
    check(program([FLOAT, INT], write), [1.1, 4], [0])


def test_while_with_break() -> None:
    def write(b: Builder, x: Value) -> list[Value]:
        test, body = Block([Value(FLOAT, "s"), Value(INT, "k")]), Block([Value(FLOAT, "s"), Value(INT, "k")])
        with b.at(test):
            test.results = [b.const(True)]
        with b.at(body):
            s, k = body.params
            body.results = [b.mul(s, x), b.add(k, b.int(1)), b.binary("ge", k, b.int(3))]
        return b.region("while", {"init": (x, b.int(0))}, [test, body], [FLOAT, INT], {"breaks": True}).results[:1]
    check(program([FLOAT], write), [1.2])


def test_recursive_call() -> None:
    x, n = Value(FLOAT, "x"), Value(INT, "n")
    power = Function("power", Block([x, n]))
    power.block.results = [Value(FLOAT)]
    b = Builder(power.block)
    more, done = Block(), Block(results=[x])
    with b.at(more):
        (rest,) = b.emit("call", {"args": (x, b.sub(n, b.int(1)))}, {"function": power})
        more.results = [b.mul(x, rest)]
    power.block.results = b.region("if", {"cond": b.binary("gt", n, b.int(1))}, [more, done], [FLOAT]).results
    check(power, [1.3, 4], [0])
    check(program([FLOAT], lambda b, x: b.emit("call", {"args": (x, b.int(3))}, {"function": power})), [1.3])


def test_opaque_call_only_fails_where_its_tangent_is_needed() -> None:
    def write(b: Builder, x: Value, f: Value) -> list[Value]:
        unused = b.emit("pycall", {"callee": f, "args": (x,), "kwargs": ()}, {"types": [FLOAT], "text": "float"})
        b.emit("print", {"args": (unused[0],)})
        return [b.mul(x, x)]
    forward(program([FLOAT, Opaque()], write), [0], TABLE)

    def used(b: Builder, x: Value, f: Value) -> list[Value]:
        return b.emit("pycall", {"callee": f, "args": (x,), "kwargs": ()}, {"types": [FLOAT], "text": "secret(x)",
                                                                            "name": "secret"})
    with pytest.raises(NoRuleError, match="secret"):
        forward(program([FLOAT, Opaque()], used), [0], TABLE)


def test_unconnected_result_has_no_tangent() -> None:
    fn = program([FLOAT, FLOAT], lambda b, x, y: [y, b.binary("lt", x, y), x])
    result = forward(fn, [0], TABLE)
    assert result.connected == (False, False, True)
    assert len(result.function.block.results) == 4


def test_caller_keeps_its_array() -> None:
    def write(b: Builder, a: Value) -> list[Value]:
        b.emit("setitem", {"a": a, "index": (b.int(0),), "value": b.const(2.0)}, {"items": ("i",)})
        return [b.mul(a, a)]
    fn = program([VECTOR], write)
    arrays = [np.arange(1.0, 5.0), np.ones(SIZE)]
    run(forward(fn, [0], TABLE).function, arrays)
    np.testing.assert_array_equal(arrays, [np.arange(1.0, 5.0), np.ones(SIZE)])


def test_custom_gradient_is_transposed() -> None:
    def write(b: Builder, x: Value, y: Value) -> list[Value]:
        value = b.mul(x, y)
        bar = Value(FLOAT, "value_bar")
        pullback = Block([bar])
        with b.at(pullback):
            pullback.results = [b.mul(b.const(10.0), b.mul(bar, y)), b.mul(bar, b.mul(x, x))]
        out = b.region("custom", {"args": (value,), "sources": (x, y), "captured": ()}, [pullback], [FLOAT])
        return [b.mul(out.result, x)]
    x, y, x_dot, y_dot = 2.0, 3.0, 0.5, 0.25
    made = forward(program([FLOAT, FLOAT], write), [0, 1], TABLE).function
    expected = (10.0 * y * x_dot + x * x * y_dot) * x + x * y * x_dot
    for fn in (made, simplify(made)):
        assert run(fn, [x, y, x_dot, y_dot]) == pytest.approx([x * y * x, expected])
