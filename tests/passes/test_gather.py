"""Loops of additions give the same when they are gathered: random nests, run both ways, also where they hardly run."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from s2s.compile.python import compile_python
from s2s.emit import emit
from s2s.ir.check import check
from s2s.ir.core import Function, walk
from s2s.pipeline import lowered
from s2s.simplify import simplify
from s2s.targets.gather import gather
from tests.passes.sources import imported

COUNT = 60
FILLED = """
def filled(a):
    t = np.zeros(len(a))
    for i in range(1, len(a) - 1):
        t[i] += a[i] * a[i]
        t[i - 1] += a[i]
        t[i + 1] += 2.0 * a[i]
        t[i] += 0.5
    return t
"""
EMPTY = """
def empty(a, n, m):
    t = np.zeros(a.shape)
    for i in range(n):
        for j in range(m):
            t[i, j] += a[i, j]
            t[i + 2, j + 1] += 2.0 * a[i, j]
            t[i + 1, j] += a[i, j] * a[i, j]
    return t
"""


def program(seed: int) -> str:
    """A function that adds to `t` (and `u`) from what `a` holds, in one to three loops."""
    r = random.Random(seed)
    rank = r.choice([1, 1, 2, 2, 3])
    names = "ijk"[:rank]
    target = r.choice(["zeros", "copy"])
    lines = ["t = np.zeros_like(a)" if target == "zeros" else "t = a * 1.0", "u = a * 2.0", "c = a * 1.0"]
    margin = r.choice([0, 1, 2])
    outer = r.random() < 0.3
    if outer:
        lines.append("for step in range(3):")
    indent = "    " * outer
    for m, name in enumerate(names):
        first, last = r.choice([(margin, margin), (0, margin), (margin, 0)])
        stop = f"a.shape[{m}] - {last}" if last else f"a.shape[{m}]"
        lines.append(f"{indent}{'    ' * m}for {name} in range({f'{first}, ' if first else ''}{stop}):")
    inside = indent + "    " * rank

    def index(spread: int) -> str:
        found = [r.choice([0, 0, -spread, spread]) for _ in names]
        return ", ".join(f"{n} {'+-'[d < 0]} {abs(d)}" if d else n for n, d in zip(names, found, strict=True))

    lines.append(f"{inside}w = c[{index(0)}] * {r.choice(['0.5', 's', f'c[{index(0)}]'])}")
    for _ in range(r.randint(2, 5)):
        value = r.choice(["w", "2.0 * w", f"c[{index(0)}] - w"])
        lines.append(f"{inside}{r.choice('tttu')}[{index(margin and r.choice([1, margin]))}] += {value}")
    if r.random() < 0.4:
        lines.append(f"{inside}c[{index(0)}] = {r.choice(['0.0', 'w', 's'])}")
    body = "".join(f"    {line}\n" for line in lines)
    return f"def f{seed}(a, s):\n{body}    return t, u, c\n"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return imported(tmp_path_factory.mktemp("programs"), "nests", [*map(program, range(COUNT)), FILLED, EMPTY])


def rank_of(seed: int) -> int:
    return program(seed).count("for ") - ("for step" in program(seed))


def gathered_reverse(fn: Function, *, threads: bool = False) -> Function:
    """The function treated as if it were a reverse sweep."""
    for op in walk(fn.block):
        op.origin = op
    made = gather(fn, threads=threads)
    for op in walk(made.block):
        op.origin = None
    return made


@pytest.mark.parametrize("threads", [False, True])
@pytest.mark.parametrize("seed", range(COUNT))
def test_same(module: Any, seed: int, threads: bool) -> None:
    function = getattr(module, f"f{seed}")
    rng = np.random.default_rng(seed)
    fn = simplify(lowered(function, function.__name__, (np.ones((6,) * rank_of(seed)), 0.5), {}, ["a", "s"]).function)
    gathered = gathered_reverse(fn, threads=threads)
    check(gathered)
    run = compile_python(emit(gathered))
    for shape in ((7, 6, 8), (4, 5, 3), (3, 2, 2), (6, 1, 2), (1, 3, 0), (0, 5, 1)):
        a = rng.uniform(-1.0, 1.0, shape[:rank_of(seed)])
        try:
            want = function(np.copy(a), 0.5)
        except IndexError:
            continue
        for got, expected in zip(run(a, 0.5), want, strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-14)


def test_zeros_that_are_written_over(module: Any) -> None:
    """Memory is not filled with zeros first where all of it is written."""
    fn = gathered_reverse(simplify(lowered(module.filled, "filled", (np.ones(5),), {}, ["a"]).function))
    source = emit(fn).source.replace("np.empty(a.shape[0])", "np.full(a.shape[0], np.nan)")
    assert "np.full" in source
    namespace: dict[str, Any] = {"np": np}
    exec(source, namespace)
    for n in range(1, 9):
        a = np.cos(np.arange(n))
        np.testing.assert_allclose(namespace["filled"](a), module.filled(a), rtol=1e-12)


@pytest.mark.parametrize("threads", [False, True])
def test_loops_that_never_run(module: Any, threads: bool) -> None:
    """Cells are there that are added to, not those that would be if a loop ran."""
    fn = simplify(lowered(module.empty, "empty", (np.ones((5, 5)), 3, 4), {}, ["a", "n", "m"]).function)
    run = compile_python(emit(gathered_reverse(fn, threads=threads)))
    for n, m, *shape in ((3, 4, 5, 5), (0, 9, 1, 2), (9, 0, 2, 1), (-1, 2, 2, 3), (2, -9, 4, 2), (1, 1, 3, 2)):
        a = np.cos(np.arange(shape[0] * shape[1], dtype=float)).reshape(shape)
        np.testing.assert_allclose(run(a, n, m), module.empty(a, n, m), rtol=1e-12)


def test_what_is_found(module: Any) -> None:
    """A good part is gathered."""
    rows = peeled = 0
    for seed in range(COUNT):
        function = getattr(module, f"f{seed}")
        args = (np.ones((6,) * rank_of(seed)), 0.5)
        fn = simplify(lowered(function, function.__name__, args, {}, ["a", "s"]).function)
        before = emit(fn).source
        source = emit(gathered_reverse(fn)).source
        rows += "rows = " in source or "planes = " in source
        peeled += emit(gathered_reverse(fn, threads=True)).source != before
    assert rows > COUNT // 4, rows
    assert peeled > COUNT // 3, peeled
