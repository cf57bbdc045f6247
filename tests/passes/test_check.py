"""The checker refuses what is no program, and the printer shows any that is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from s2s.ir.builder import Builder
from s2s.ir.check import IRError, check
from s2s.ir.core import Block, Function, Value
from s2s.ir.printer import to_text
from s2s.ir.types import BOOL, FLOAT, INT, Array, Dim
from tests.passes.random_control import RandomControl
from tests.passes.random_ir import RandomProgram

VECTOR = Array("float64", (Dim("n"),))


@pytest.mark.parametrize("program", [RandomControl, RandomProgram])
@pytest.mark.parametrize("seed", range(20))
def test_programs_pass_and_print(program: type[RandomControl | RandomProgram], seed: int) -> None:
    fn = program(seed, 25).build()
    check(fn)
    assert to_text(fn).startswith("f(")


def square() -> tuple[Value, Block, Builder]:
    x = Value(FLOAT, "x")
    block = Block([x])
    b = Builder(block)
    block.results = [b.mul(x, x)]
    return x, block, b


def used_before_defined() -> Block:
    _, block, b = square()
    b.add(block.results[0], block.results[0])
    block.ops.reverse()
    return block


def used_outside_its_block() -> Block:
    x, block, b = square()
    inner = Block()
    with b.at(inner):
        inner.results = [b.add(x, x)]
    b.region("if", {"cond": b.const(True)}, [inner, Block(results=[x])], [FLOAT])
    block.results = [inner.results[0]]
    return block


def twice() -> Block:
    _, block, _ = square()
    block.ops *= 2
    return block


def wrong_type() -> Block:
    _, block, _ = square()
    block.results[0].type = VECTOR
    return block


def yields_another_type() -> Block:
    x, block, b = square()
    b.region("if", {"cond": b.const(True)}, [Block(results=[x]), Block(results=[b.const(1j)])], [FLOAT])
    return block


def condition_is_a_number() -> Block:
    x, block, b = square()
    b.region("if", {"cond": x}, [Block(), Block()], [])
    return block


def loop_carries_too_little() -> Block:
    x, block, b = square()
    body = Block([Value(INT, "i"), Value(FLOAT, "s")])
    bounds = {"start": b.int(0), "stop": b.int(2), "step": b.int(1)}
    b.region("for", {**bounds, "init": (x,)}, [body], [FLOAT], {"breaks": False})
    return block


def loop_does_not_say_whether_to_stop() -> Block:
    x, block, b = square()
    body = Block([Value(INT, "i"), Value(FLOAT, "s")])
    body.results = [body.params[1]]
    bounds = {"start": b.int(0), "stop": b.int(2), "step": b.int(1)}
    b.region("for", {**bounds, "init": (x,)}, [body], [FLOAT], {"breaks": True})
    return block


def while_without_a_known_test() -> Block:
    _, block, b = square()
    b.region("while", {"init": ()}, [Block(results=[Value(BOOL)]), Block()], [], {"breaks": False})
    return block


@pytest.mark.parametrize("broken", [
    used_before_defined, used_outside_its_block, twice, wrong_type, yields_another_type, condition_is_a_number,
    loop_carries_too_little, loop_does_not_say_whether_to_stop, while_without_a_known_test,
], ids=lambda f: f.__name__)
def test_refusals(broken: Callable[[], Block]) -> None:
    with pytest.raises(IRError):
        check(Function("f", broken()))


def test_loops_and_branches_print() -> None:
    _, block, b = square()
    body = Block([Value(INT, "i")])
    bounds = {"start": b.int(0), "stop": b.int(2), "step": b.int(1)}
    b.region("for", {**bounds, "init": ()}, [body], [], {"breaks": False})
    assert to_text(Function("f", block)) == "\n".join([
        "f(x: weak float64):",
        "    t: weak float64 = mul(x=x, y=x)",
        "    for(start=0, stop=2, step=1, init=(), breaks: False)",
        "        body (i: weak int64):",
        "            yield",
        "    yield t",
    ])
