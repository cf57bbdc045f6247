"""Array expressions give the same as loops: random sequences of them, run both ways."""

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
from s2s.targets.expressions import expressions
from tests.passes.sources import imported

COUNT = 80


def atom(r: random.Random, rank: int) -> str:
    if rank == 2:
        return r.choice(["A", "B", "A", "B", "C.T", "x", "x[np.newaxis, :]", "y[:, np.newaxis]", "2.0", "s"])
    return r.choice(["x", "x", "A[0]", "B[-1]", "C[:, 1]", "x[::-1]", "0.5", "s"])


def expression(r: random.Random, rank: int, names: list[str], depth: int) -> str:
    if depth == 0 or r.random() < 0.2:
        return r.choice(names) if names and r.random() < 0.6 else atom(r, rank)
    one, two = (expression(r, rank, names, depth - 1) for _ in range(2))
    return r.choice([f"({one} + {two})", f"({one} - {two})", f"({one} * {two})", f"np.tanh({one})",
                     f"np.where({one} > {two}, {two}, 0.25)", f"np.maximum({one}, {two})",
                     f"np.where(({one} < 0.5) & ~({two} > {one}), {one}, {two})"])


def program(seed: int) -> str:
    """A function of three square arrays, two vectors and a number."""
    r = random.Random(seed)
    names: dict[int, list[str]] = {1: ["x"], 2: ["A"]}
    lines = ["kept = []"]
    indent = ""
    for k in range(r.randint(4, 9)):
        rank = r.choice([1, 2, 2])
        kind = r.random()
        computed = expression(r, rank, names[rank], 2)
        if kind < 0.45:
            name = r.choice("uvw" if rank == 2 else "pqr")
            if indent and name not in names[rank]:
                name = {1: "x", 2: "A"}[rank]
            # The others are bound to what has that shape: `2.0` is no array.
            lines.append(f"{indent}{name} = {names[rank][0]} * {computed}")
            names[rank] += [] if name in names[rank] else [name]
        elif kind < 0.6:
            lines.append(f"{indent}s = s + 0.01 * np.sum({r.choice(names[rank])} * {computed})")
        elif kind < 0.75:
            axis = r.choice(["0", "1", "-1"])
            name = "x" if indent else r.choice("pqr")
            lines.append(f"{indent}{name} = np.sum(A * {expression(r, 2, names[2], 2)}, axis={axis})")
            names[1] += [] if name in names[1] else [name]
        elif kind < 0.85:
            append, store = f"kept.append({names[rank][0]} * {computed})", f"A[0] = {names[1][0]}"
            lines.append(indent + (append if rank == 2 else store))
        elif kind < 0.93 and not indent and k > 1:
            lines.append("for _ in range(2):")
            indent = "    "
    if lines[-1].endswith(":"):
        lines.append("    s = s + 1.0")
    lines.append("for k in range(len(kept)):")
    lines.append("    s = s + np.sum(kept[k])")
    body = "".join(f"    {line}\n" for line in ["A = A * 1.0", *lines])
    return f"def f{seed}(A, B, C, x, y, s):\n{body}    return A, x, s, {names[1][-1]}, {names[2][-1]}\n"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return imported(tmp_path_factory.mktemp("programs"), "expressions", map(program, range(COUNT)))


def arguments(seed: int, size: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    squares, vectors = (rng.uniform(-1.0, 1.0, (3, size, size)), rng.uniform(-1.0, 1.0, (2, size)))
    return (*squares, *vectors, 0.5)


def joined(function: Any, args: tuple[Any, ...]) -> tuple[Any, Any]:
    names = ["A", "B", "C", "x", "y", "s"]
    fn = simplify(lowered(function, function.__name__, args, {}, names).function)
    return fn, expressions(fn)


@pytest.mark.parametrize("seed", range(COUNT))
@pytest.mark.parametrize("size", [4, 2])
def test_same(module: Any, seed: int, size: int) -> None:
    function = getattr(module, f"f{seed}")
    args = arguments(seed, size)
    want = function(*args)
    fn, looped = joined(function, args)
    check(looped)
    for got in (compile_python(emit(fn))(*args), compile_python(emit(looped))(*args)):
        for g, w in zip(got, want, strict=True):
            np.testing.assert_allclose(g, w, rtol=1e-10, atol=1e-12)


def test_many_are_joined(module: Any) -> None:
    """In most of the programs there is something to join."""
    changed = 0
    for seed in range(COUNT):
        fn, looped = joined(getattr(module, f"f{seed}"), arguments(seed, 3))
        changed += sum(op.name == "for" for op in walk(looped.block)) > sum(op.name == "for" for op in walk(fn.block))
    assert changed > 0.7 * COUNT, changed
