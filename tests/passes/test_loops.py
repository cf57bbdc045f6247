"""Statements on slices give the same as loops: random sequences of them, run both ways."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import s2s
from s2s.compile.python import compile_python
from s2s.emit import emit
from s2s.ir.check import check
from s2s.ir.core import walk
from s2s.pipeline import lowered
from s2s.simplify import simplify
from s2s.targets.loops import loops
from tests.passes.sources import imported

COUNT = 60


def part(r: random.Random, rank: int) -> str:
    """An index; on each axis it leaves two cells fewer than there are."""
    return ", ".join(r.choice([":-2", "1:-1", "1:-1", "2:"]) for _ in range(rank))


def expression(r: random.Random, rank: int, names: list[str], depth: int) -> str:
    if depth == 0 or r.random() < 0.3:
        if r.random() < 0.15:
            return r.choice(["2.0", "s", "x[1:-1]" if rank == 2 else "0.5"])
        if names and r.random() < 0.3:
            return r.choice(names)
        return f"{r.choice('abc')}[{part(r, rank)}]"
    if r.random() < 0.2:
        return f"np.sin({expression(r, rank, names, depth - 1)})"
    op = r.choice(["+", "-", "*"])
    return f"({expression(r, rank, names, depth - 1)} {op} {expression(r, rank, names, depth - 1)})"


def program(seed: int) -> str:
    """A function of three arrays, a vector and a number."""
    r = random.Random(seed)
    rank = seed % 2 + 1
    names: list[str] = []
    lines = ["a = a * 1.0", "b = b * 1.0", "c = c * 1.0"]
    indent = ""
    for _ in range(r.randint(2, 8)):
        kind = r.random()
        if kind < 0.25:
            name = r.choice("uvw")
            inside = f"{r.choice('abc')}[{part(r, rank)}]"
            lines.append(f"{indent}{name} = {inside} * {expression(r, rank, names, 1)}")
            names += [name] if name not in names and not indent else []
        elif kind < 0.32 and not indent:
            lines.append("for _ in range(2):")
            indent = "    "
        elif kind < 0.4:
            lines.append(f"{indent}s = s + np.sum({expression(r, rank, names, 1)})")
        else:
            verb = r.choice(["=", "=", "+=", "-=", "*="])
            lines.append(f"{indent}{r.choice('abc')}[{part(r, rank)}] {verb} {expression(r, rank, names, 2)}")
    if lines[-1].endswith(":"):
        lines.append("    s = s + 1.0")
    body = "".join(f"    {line}\n" for line in lines)
    return f"def f{seed}(a, b, c, x, s):\n{body}    return a, b, c, s\n"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return imported(tmp_path_factory.mktemp("programs"), "slices", map(program, range(COUNT)))


@pytest.mark.parametrize("seed", range(COUNT))
@pytest.mark.parametrize("size", [5, 1])
def test_same(module: Any, seed: int, size: int) -> None:
    function = getattr(module, f"f{seed}")
    rank = seed % 2 + 1
    rng = np.random.default_rng(seed)
    arrays = [rng.uniform(-1.0, 1.0, (size + 1, size)[:rank] if size > 2 else (size,) * rank) for _ in range(3)]
    args = (*arrays, rng.uniform(-1.0, 1.0, arrays[0].shape[-1]), 0.5)
    want = function(*(np.copy(a) for a in args[:4]), 0.5)
    fn = simplify(lowered(function, function.__name__, args, {}, ["a", "b", "c", "x", "s"]).function)
    looped = loops(fn)
    check(looped)
    for got in (compile_python(emit(fn))(*args), compile_python(emit(looped))(*args)):
        for g, w in zip(got, want, strict=True):
            np.testing.assert_allclose(g, w, rtol=1e-12)


def test_most_become_loops(module: Any) -> None:
    """Of the statements on slices, most are turned."""
    before = after = 0
    for seed in range(COUNT):
        function = getattr(module, f"f{seed}")
        rank = seed % 2 + 1
        args = (*(np.ones((4, 5)[:rank]) for _ in range(3)), np.ones((4, 5)[rank - 1]), 0.5)
        fn = simplify(lowered(function, function.__name__, args, {}, ["a", "b", "c", "x", "s"]).function)
        for made, count in ((fn, "before"), (loops(fn), "after")):
            n = sum(op.name in ("setitem", "additem", "addto") and any(c[0] == "s" for c in op.attrs.get("items", "s"))
                    for op in walk(made.block))
            before, after = (before + n, after) if count == "before" else (before, after + n)
    assert after < 0.4 * before, (before, after)


def gated(W: np.ndarray, xs: np.ndarray) -> float:
    """Of the sizes of `h` nothing is known after the first step."""
    h = np.ones(W.shape[0])
    total = 0.0
    for t in range(xs.shape[0]):
        z = np.dot(h, W) + xs[t]
        h = np.tanh(z[:3]) * z[1:]
        total += np.sum(h * h)
    return total


def test_outer_products_are_added_up_cell_by_cell() -> None:
    args = np.cos(np.arange(12.0)).reshape(3, 4), np.sin(np.arange(20.0)).reshape(5, 4)
    made = s2s.gradients_function(gated, params=["W"], target="cpu").lower(*args)
    assert "W_bar[i, j] +=" in made.source and "newaxis" not in made.source, made.source
    want = s2s.gradients_function(gated, params=["W"])(*args)
    got = s2s.gradients_function(gated, params=["W"], target="cpu")(*args)
    np.testing.assert_allclose(got[0], want[0], rtol=1e-10)
