"""Simplification keeps what a program means, and makes it smaller in the ways that each pass promises."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest
from random_ir import SIZE, RandomProgram

from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Value, walk
from s2s.ir.types import FLOAT, INT, Array, Dim
from s2s.simplify import simplify
from s2s.simplify.additions import additions
from s2s.simplify.copies import copies
from s2s.simplify.cse import cse
from s2s.simplify.dce import dce
from s2s.simplify.zeros import zeros
from s2s.testing.interpret import run

VECTOR = Array("float64", (Dim("n"),), "C")
PASSES: list[Callable[[Function], Function]] = [dce, copies, cse, additions, zeros, simplify]


def names(fn: Function) -> list[str]:
    return [op.name for op in walk(fn.block)]


def outcome(fn: Function) -> list[np.ndarray]:
    """The results of `fn`, and its array arguments afterwards."""
    rng = np.random.default_rng(1)
    arrays = [rng.normal(size=SIZE), rng.normal(size=SIZE)]
    return [np.array(r) for r in run(fn, [0.7, -1.3, *arrays])] + arrays


@pytest.mark.parametrize("pass_", PASSES, ids=lambda p: p.__name__)
@pytest.mark.parametrize("seed", [*range(60), 226, 307, 889])
def test_random_programs_keep_their_meaning(seed: int, pass_: Callable[[Function], Function]) -> None:
    fn = RandomProgram(seed, 30).build()
    before = outcome(fn)
    text = names(fn)
    new = pass_(fn)
    assert names(fn) == text  # passes are pure
    for x, y in zip(before, outcome(new), strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-9, atol=1e-12)
    for x, y in zip(before, outcome(fn), strict=True):
        np.testing.assert_array_equal(y, x)


def getitem(b: Builder, a: Value, *index: Value) -> Value:
    return b.one("getitem", {"a": a, "index": index}, {"items": ("i",) * len(index)})


def store(b: Builder, name: str, a: Value, index: Value, value: Value) -> None:
    b.emit(name, {"a": a, "index": (index,), "value": value}, {"items": ("i",)})


def loop(b: Builder, stop: Value, init: Value, step: Callable[[Value, Value], Value]) -> Value:
    """A loop that carries one value."""
    i, carried = Value(INT, "i"), Value(init.type, "s")
    body = Block([i, carried])
    with b.at(body):
        body.results = [step(i, carried)]
    return b.region("for", {"start": b.int(0), "stop": stop, "step": b.int(1), "init": (init,)}, [body],
                    [init.type]).result


def test_loop_whose_result_is_unused_goes() -> None:
    x, n = Value(FLOAT, "x"), Value(INT, "n")
    b = Builder(Block([x, n]))
    loop(b, n, x, lambda i, s: b.mul(s, x))
    b.block.results = [x]
    assert names(simplify(Function("f", b.block))) == []


def test_carried_value_that_serves_itself_goes() -> None:
    x, n = Value(FLOAT, "x"), Value(INT, "n")
    b = Builder(Block([x, n]))
    i, s, t = Value(INT), Value(FLOAT), Value(FLOAT)
    body = Block([i, s, t])
    with b.at(body):
        body.results = [b.mul(s, x), b.mul(t, x)]
    op = b.region("for", {"start": b.int(0), "stop": n, "step": b.int(1), "init": (x, x)}, [body], [FLOAT, FLOAT])
    b.block.results = [op.results[1]]
    new = simplify(Function("f", b.block))
    (kept,) = [op for op in walk(new.block) if op.name == "for"]
    assert len(kept.results) == 1
    assert names(new).count("mul") == 1


def test_store_into_memory_that_nobody_reads_goes() -> None:
    x = Value(FLOAT, "x")
    b = Builder(Block([x]))
    a = b.one("pack", {"elements": (x, x)})
    store(b, "setitem", a, b.int(0), x)
    b.block.results = [x]
    assert names(simplify(Function("f", b.block))) == []


def test_store_into_parameter_stays() -> None:
    x, a = Value(FLOAT, "x"), Value(VECTOR, "a")
    b = Builder(Block([x, a]))
    view = b.one("getitem", {"a": a, "index": ()}, {"items": ("s000",)})
    store(b, "setitem", view, b.int(0), x)
    b.block.results = [x]
    assert names(simplify(Function("f", b.block))) == ["getitem", "const", "setitem"]


def test_raise_keeps_its_condition() -> None:
    x = Value(FLOAT, "x")
    b = Builder(Block([x]))
    then = Block()
    cond = b.binary("lt", x, b.const(0.0))
    with b.at(then):
        b.emit("raise", {}, {"text": "ValueError"})
    b.region("if", {"cond": cond}, [then, Block()], [])
    b.block.results = [x]
    assert names(simplify(Function("f", b.block))) == ["const", "lt", "if", "raise"]


def test_load_is_reused_until_a_store() -> None:
    a, i = Value(VECTOR, "a"), Value(INT, "i")
    b = Builder(Block([a, i]))
    first = b.add(getitem(b, a, i), getitem(b, a, i))
    store(b, "setitem", a, i, first)
    b.block.results = [b.add(first, getitem(b, a, i))]
    assert names(simplify(Function("f", b.block))).count("getitem") == 2


def test_load_survives_a_store_into_other_memory() -> None:
    a, i = Value(VECTOR, "a"), Value(INT, "i")
    b = Builder(Block([a, i]))
    first = getitem(b, a, i)
    other = b.one("pack", {"elements": (first, first)})
    store(b, "setitem", other, i, first)
    b.block.results = [b.add(first, getitem(b, a, i)), other]
    assert names(simplify(Function("f", b.block))).count("getitem") == 1


def test_loads_in_a_loop_see_its_stores() -> None:
    a, n = Value(VECTOR, "a"), Value(INT, "n")
    b = Builder(Block([a, n]))
    zero = b.int(0)
    first = getitem(b, a, zero)

    def step(i: Value, s: Value) -> Value:
        t = b.add(s, getitem(b, a, zero))
        store(b, "setitem", a, zero, t)
        return t
    b.block.results = [loop(b, n, first, step)]
    assert names(simplify(Function("f", b.block))).count("getitem") == 2


def test_written_arrays_are_not_merged() -> None:
    x = Value(FLOAT, "x")
    b = Builder(Block([x]))
    one, two = (b.one("pack", {"elements": (x, x)}) for _ in range(2))
    store(b, "setitem", one, b.int(0), b.const(0.0))
    b.block.results = [one, two]
    assert names(simplify(Function("f", b.block))).count("pack") == 2


def test_invariant_carried_value_of_nested_loops() -> None:
    x, n = Value(FLOAT, "x"), Value(INT, "n")
    b = Builder(Block([x, n]))
    result = loop(b, n, x, lambda i, s: loop(b, n, s, lambda j, t: t))
    b.block.results = [result]
    assert names(simplify(Function("f", b.block))) == []


def test_zero_and_addition_to_one_cell() -> None:
    a, i, j, v = Value(VECTOR, "a"), Value(INT, "i"), Value(INT, "j"), Value(FLOAT, "v")
    b = Builder(Block([a, i, j, v]))
    t = b.mul(getitem(b, a, i), v)
    store(b, "setitem", a, i, b.const(0.0))
    store(b, "additem", a, j, t)
    store(b, "additem", a, i, t)
    b.block.results = [t]
    got = simplify(Function("f", b.block))
    assert names(got) == ["getitem", "mul", "setitem", "additem"]
    for where in (0, 1):
        arrays = [np.array([2.0, 3.0]) for _ in range(2)]
        run(Function("f", b.block), [arrays[0], 0, where, 0.5])
        run(got, [arrays[1], 0, where, 0.5])
        np.testing.assert_array_equal(*arrays)


def test_zero_store_waits_for_what_is_computed_after_it() -> None:
    a, i, j = Value(VECTOR, "a"), Value(INT, "i"), Value(INT, "j")
    b = Builder(Block([a, i, j]))
    t = getitem(b, a, i)
    store(b, "setitem", a, i, b.const(0.0))
    half = b.mul(b.const(0.5), t)
    store(b, "additem", a, j, half)
    store(b, "additem", a, i, half)
    got = simplify(Function("f", b.block))
    assert names(got) == ["getitem", "const", "mul", "setitem", "additem"]
    for where in (0, 1):
        arrays = [np.array([2.0, 3.0]) for _ in range(2)]
        run(Function("f", b.block), [arrays[0], 0, where])
        run(got, [arrays[1], 0, where])
        np.testing.assert_array_equal(*arrays)


def test_additions_to_one_cell_are_joined() -> None:
    a, i, j, v = Value(VECTOR, "a"), Value(INT, "i"), Value(INT, "j"), Value(FLOAT, "v")
    b = Builder(Block([a, i, j, v]))
    store(b, "additem", a, i, b.neg(v))
    store(b, "additem", a, j, v)
    store(b, "additem", a, i, b.mul(b.const(-3.0), v))
    got = simplify(Function("f", b.block))
    assert names(got) == ["additem", "const", "mul", "add", "neg", "additem"]
    for where in (0, 1):
        arrays = [np.array([2.0, 3.0]) for _ in range(2)]
        run(Function("f", b.block), [arrays[0], 0, where, 0.5])
        run(got, [arrays[1], 0, where, 0.5])
        np.testing.assert_array_equal(*arrays)


def test_additions_around_a_read_stay_apart() -> None:
    a, i, v = Value(VECTOR, "a"), Value(INT, "i"), Value(FLOAT, "v")
    b = Builder(Block([a, i, v]))
    store(b, "additem", a, i, v)
    b.block.results = [getitem(b, a, i)]
    store(b, "additem", a, i, v)
    assert names(simplify(Function("f", b.block))).count("additem") == 2


def test_size_of_a_temporary_is_that_of_its_operand() -> None:
    a = Value(VECTOR, "a")
    b = Builder(Block([a]))
    b.block.results = [b.dim(b.mul(a, a), 0), b.dim(a, 0)]
    assert names(simplify(Function("f", b.block))) == ["dim"]


def test_called_functions_are_simplified_too() -> None:
    x, n = Value(FLOAT, "x"), Value(INT, "n")
    power = Function("power", Block([x, n]))
    power.block.results = [Value(FLOAT)]
    b = Builder(power.block)
    more, done = Block(), Block(results=[x])
    b.mul(x, x)  # dead
    with b.at(more):
        (rest,) = b.emit("call", {"args": (x, b.sub(n, b.int(1)))}, {"function": power})
        more.results = [b.mul(x, rest)]
    power.block.results = b.region("if", {"cond": b.binary("gt", n, b.int(1))}, [more, done], [FLOAT]).results
    y = Value(FLOAT, "y")
    main = Builder(Block([y]))
    main.block.results = main.emit("call", {"args": (y, main.int(3))}, {"function": power})
    fn = simplify(Function("f", main.block))
    (call,) = [op for op in walk(fn.block) if op.name == "call"]
    new = call.attrs["function"]
    assert new is not power
    assert names(new).count("mul") == 1
    assert all(op.attrs["function"] is new for op in walk(new.block) if op.name == "call")
    assert run(fn, [2.0]) == [8.0]


def test_sum_of_a_value_with_itself() -> None:
    x = Value(FLOAT, "x")
    b = Builder(Block([x]))
    b.block.results = [b.add(b.mul(x, x), b.mul(x, x))]
    assert names(simplify(Function("f", b.block))) == ["mul", "const", "mul"]


def test_zero_that_is_read_stays() -> None:
    a, i, j, v = Value(VECTOR, "a"), Value(INT, "i"), Value(INT, "j"), Value(FLOAT, "v")
    b = Builder(Block([a, i, j, v]))
    store(b, "setitem", a, i, b.const(0.0))
    t = getitem(b, a, j)
    store(b, "additem", a, i, v)
    b.block.results = [t]
    assert names(simplify(Function("f", b.block))).count("additem") == 1


def _calls(function: Callable[[], object]) -> int:
    """How many Python functions a call runs: a measure of work that does not depend on the machine."""
    count = 0

    def profile(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def test_the_work_grows_with_the_program() -> None:
    small, large = (RandomProgram(3, size).build() for size in (250, 1000))
    simplify(small)  # what is done once only
    assert _calls(lambda: simplify(large)) < 6 * _calls(lambda: simplify(small))
