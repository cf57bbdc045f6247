"""Loops give the same where cells are held in numbers: random ones, run both ways, also where inner ones do not run."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from s2s.compile.python import compile_python
from s2s.emit import emit
from s2s.ir.check import check
from s2s.ir.core import walk
from s2s.pipeline import lowered
from s2s.simplify import simplify
from s2s.targets.registers import registers
from tests.passes.sources import imported

COUNT = 50


def program(seed: int) -> str:
    """A function of two vectors and a matrix, in loops of which some run over nothing."""
    r = random.Random(seed)
    lines = ["x = x * 1.0", "y = y * 1.0", "M = M * 1.0", "total = s"]

    def cell(names: str) -> str:
        place = [*names, *names, "0", "k"]
        if r.random() < 0.4:
            return f"M[{r.choice(place)}, {r.choice(place)}]"
        return f"{r.choice('xy')}[{r.choice(place)}]"

    def body(names: str, indent: str, depth: int) -> None:
        for _ in range(r.randint(1, 3)):
            kind = r.random()
            if depth and kind < 0.45:
                name = "ijm"[len(names)]
                first = r.choice(["", "", "k, ", f"{names[-1]}, " if names else ""])
                lines.append(f"{indent}for {name} in range({first}{r.choice(['n', 'n', 'k', *names])}):")
                body(names + name, indent + "    ", depth - 1)
            elif kind < 0.8:
                value = r.choice([f"{cell(names)} * {cell(names)}", f"0.5 * {cell(names)}", "s"])
                lines.append(f"{indent}{cell(names)} {r.choice(['+=', '+=', '-=', '='])} {value}")
            else:
                lines.append(f"{indent}total += {cell(names)} * {cell(names)}")

    body("", "    "[:0], 3)
    text = "".join(f"    {line}\n" for line in lines)
    return f"def f{seed}(x, y, M, s, n, k):\n{text}    return x, y, M, total\n"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return imported(tmp_path_factory.mktemp("programs"), "cells", map(program, range(COUNT)))


def optimised(module: Any, seed: int, *, reverse: bool) -> Any:
    """The function, as a piece of a reverse sweep or of a user's program."""
    function = getattr(module, f"f{seed}")
    args = (np.ones(4), np.ones(5), np.ones((4, 5)), 0.5, 4, 1)
    fn = simplify(lowered(function, function.__name__, args, {}, ["x", "y", "M", "s", "n", "k"]).function)
    if reverse:
        for op in walk(fn.block):
            op.origin = op
    return fn, registers(fn)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("seed", range(COUNT))
def test_same(module: Any, seed: int, reverse: bool) -> None:
    _, made = optimised(module, seed, reverse=reverse)
    check(made)
    for op in walk(made.block):
        op.origin = None
    run = compile_python(emit(made))
    rng = np.random.default_rng(seed)
    for n, k in ((4, 1), (3, 0), (0, 2), (1, 3), (0, 9)):
        args = (rng.uniform(-1.0, 1.0, 4), rng.uniform(-1.0, 1.0, 5), rng.uniform(-1.0, 1.0, (4, 5)), 0.5, n, k)
        try:
            want = getattr(module, f"f{seed}")(*args)
        except IndexError:
            continue
        for got, expected in zip(run(*args), want, strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)


def test_what_is_found(module: Any) -> None:
    """Many of the programs change."""
    changed = sum(made is not fn for fn, made in (optimised(module, seed, reverse=True) for seed in range(COUNT)))
    assert changed > COUNT // 4, changed
