"""Programs of the corpus in a block: a tape gives what the functions of the API give."""

from __future__ import annotations

from typing import Any

import checking
import numpy as np
import pytest
from corpus import Program, load

import s2s
from s2s import GradientTape, constant

PROGRAMS = [p for p in load().values() if p.smoke and p.wrt == tuple(range(len(p.args))) and not p.kwargs]
programs = pytest.mark.parametrize("program", [pytest.param(p, id=p.name) for p in PROGRAMS])


def with_identity(leaf: Any) -> Any:
    """A number with an identity of its own; a copy of an array."""
    if isinstance(leaf, np.ndarray):
        return leaf.copy()
    return constant(leaf) if checking.is_inexact(leaf) else leaf


def arguments(program: Program) -> list[Any]:
    return [checking.map_leaves(with_identity, a) for a in program.args]


def compare(program: Program, found: list[Any], args: list[Any]) -> None:
    fresh = [checking.map_leaves(lambda x: x, a) for a in program.args]
    expected = [g for gradient, a in zip(s2s.gradients_function(program.function)(*fresh), args, strict=True)
                for g, leaf in zip(checking.leaves(gradient) if gradient is not None else
                                   [None] * len(checking.leaves(a)), checking.leaves(a), strict=True)
                if checking.is_inexact(leaf)]
    for one, want, leaf in zip(found, expected, inexact(args), strict=True):
        zero = np.zeros_like(checking.plain(leaf))
        np.testing.assert_allclose(zero if one is None else one, zero if want is None else want, rtol=1e-10, atol=1e-12)


def inexact(args: list[Any]) -> list[Any]:
    return [leaf for a in args for leaf in checking.leaves(a) if checking.is_inexact(leaf)]


@programs
def test_in_a_block(program: Program, capsys: pytest.CaptureFixture[str]) -> None:
    args = arguments(program)
    sources = inexact(args)
    with GradientTape() as tape:
        tape.watch(sources)
        y = program.function(*args)
    printed = capsys.readouterr().out
    found = tape.gradient(y, sources)
    assert capsys.readouterr().out == "" or not printed
    compare(program, found, arguments(program))


@programs
def test_in_a_compiled_function(program: Program) -> None:
    args = [checking.map_leaves(lambda x: x.copy() if isinstance(x, np.ndarray) else x, a) for a in program.args]
    if len(inexact(args)) != len([leaf for a in args for leaf in checking.leaves(a)]):
        pytest.skip("an argument has no gradient")

    @s2s.function
    def step(*args):
        with GradientTape() as tape:
            tape.watch(args)
            y = program.function(*args)
        return tape.gradient(y, args)

    try:
        found = step(*args)
    except s2s.UnsupportedSyntaxError as error:
        if "writes into" not in str(error):
            raise
        pytest.skip("the block writes into an argument")
    compare(program, [g for a in found for g in checking.leaves(a)], args)


@pytest.mark.parametrize("program", [pytest.param(p, id=p.name) for p in PROGRAMS
                                     if p.order == 2 and all(isinstance(a, np.ndarray) for a in p.args)])
def test_second_order(program: Program) -> None:
    """The derivative of a gradient along a direction, by nested tapes and by functions of functions."""
    args = arguments(program)
    with GradientTape() as outer:
        outer.watch(args)
        with GradientTape() as inner:
            inner.watch(args)
            y = program.function(*args)
        gradients = inner.gradient(y, args)
        s = sum(np.sum(g * np.cos(g)) for g in gradients)
    found = outer.gradient(s, args)
    first = s2s.gradients_function(program.function)

    def summed(*args):
        return sum(np.sum(g * np.cos(g)) for g in first(*args))

    expected = s2s.gradients_function(summed)(*[a.copy() for a in program.args])
    for one, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(0.0 if one is None else one, 0.0 if want is None else want, rtol=1e-9, atol=1e-11)
