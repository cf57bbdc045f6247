"""Small arrays and their elements give the same: random programs with stores and aliases, run both ways."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from s2s.compile.python import compile_python
from s2s.emit import emit
from s2s.errors import S2SError
from s2s.ir.check import check
from s2s.pipeline import lowered
from s2s.simplify import simplify
from s2s.targets.small import small
from tests.passes.sources import imported

COUNT = 150


class Writer:
    """A function whose names a, b, c are arrays of three numbers, M one of 2 x 3, p an argument, s a number."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.budget = self.r.randint(4, 12)

    def number(self) -> str:
        r = self.r
        return r.choice([f"{r.choice('abc')}[{r.choice(['0', '1', '2', '-1'])}]", "s", "0.5", "p[1]", "p[0]", "M[1, 2]",
                         f"np.sum({r.choice('abc')})", f"np.dot({r.choice('abc')}, {r.choice('abc')})"])

    def array(self, depth: int = 1) -> str:
        r = self.r
        if depth == 0 or r.random() < 0.25:
            return r.choice([*"abcabc", "M[0]", f"np.array([{self.number()}, {self.number()}, 1.0])"])
        one, two = self.array(depth - 1), self.array(depth - 1)
        return r.choice([f"({one} + 0.5 * {two})", f"({one} - {two})", f"{one} * {self.number()}", f"np.sin({one})",
                         f"np.where({one} > {two}, {one}, {two})", f"(M.T @ (M @ {one}))"])

    def statement(self, indent: str, depth: int) -> list[str]:
        r = self.r
        self.budget -= 1
        if depth and r.random() < 0.25:
            return self.compound(indent, depth)
        x, y = r.choice("abc"), r.choice("abc")
        return [indent + r.choice([
            f"{x} = 0.3 * {self.array()}", f"{x} = 0.3 * {self.array()}", f"{x} = {y}", f"{x} = {y}.copy()",
            f"{x}[{r.choice(['0', '1', '-1'])}] {r.choice(['=', '+=', '*='])} 0.5 * {self.number()}",
            f"{x}[{r.choice(['0', '1', '-1'])}] {r.choice(['=', '+=', '*='])} 0.5 * {self.number()}",
            f"{x} {r.choice(['+=', '-=', '*='])} 0.3 * {self.array()}",
            f"{x}[{r.choice([':', '...', '1:', ':2'])}] = {self.number()}",
            f"{x}[:] = {self.array()}",
            f"M = M + 0.1 * {self.array()}",
            f"M[{r.choice('01')}] = 0.5 * {self.array()}",
            f"out[{r.choice(['0', '1', 'n'])}] {r.choice(['=', '+='])} {self.array()}",
            f"kept.append({x})" if r.random() < 0.3 else f"{y} = {y} + {x}",
            f"{x} = 0.1 * helper({y}, {self.number()})",
            f"s = s + 0.1 * {self.number()}"])]

    def compound(self, indent: str, depth: int) -> list[str]:
        r = self.r
        if r.random() < 0.5:
            return [f"{indent}for k in range({r.choice(['n', '2', 'n'])}):", *self.block(indent + "    ", depth - 1)]
        one, two = (self.block(indent + "    ", depth - 1) for _ in range(2))
        test = f"{indent}if {self.number()} > {self.number()}:"
        return [test, *one, f"{indent}else:", *two] if r.random() < 0.6 else [test, *one]

    def block(self, indent: str, depth: int) -> list[str]:
        lines = self.statement(indent, depth)
        while self.budget > 0 and self.r.random() < 0.6:
            lines += self.statement(indent, depth)
        return lines

    def function(self, seed: int) -> str:
        lines = ["    a = np.array([0.1, s, 0.3])", "    b = np.zeros(3)", "    c = np.array([s, 0.7, p[0]])",
                 "    M = np.array([[0.1, 0.2, s], [0.4, p[1], 0.6]])", "    out = np.zeros((4, 3))", "    kept = []",
                 "    for step in range(n):", *self.block("        ", 2)]
        while self.budget > 0:
            lines += self.statement("    ", 2)
        lines += ["    for k in kept:", "        s = s + 0.1 * np.sum(k)", "    return a, b, c, M, out, s"]
        return "\n".join([f"def f{seed}(p, s, n):", *lines, ""])


HELPER = """
def helper(v, t):
    w = np.empty(3)
    w[0] = v[1]
    w[1] = t
    w[2] = v[0] * v[2]
    return w
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    sources = [HELPER, *(Writer(seed).function(seed) for seed in range(COUNT))]
    return imported(tmp_path_factory.mktemp("programs"), "small", sources)


def apart(function: Any, args: tuple[Any, ...]) -> tuple[Any, Any]:
    try:
        fn = simplify(lowered(function, function.__name__, args, {}, ["p", "s", "n"]).function)
    except S2SError as error:
        pytest.skip(str(error).splitlines()[0])
    return fn, small(fn)


@pytest.mark.parametrize("seed", range(COUNT))
def test_same(module: Any, seed: int) -> None:
    function = getattr(module, f"f{seed}")
    for n in (0, 1, 3):
        args = (np.array([0.4, -0.3]), 0.5, n)
        fn, numbers = apart(function, args)
        check(numbers)
        want = function(*args)
        for got in (compile_python(emit(fn))(*args), compile_python(emit(numbers))(*args)):
            for g, w in zip(got, want, strict=True):
                np.testing.assert_allclose(g, w, rtol=1e-10, atol=1e-12)


def test_many_are_taken_apart(module: Any) -> None:
    changed = 0
    for seed in range(COUNT):
        try:
            fn, numbers = apart(getattr(module, f"f{seed}"), (np.array([0.4, -0.3]), 0.5, 2))
        except pytest.skip.Exception:
            continue
        changed += numbers is not fn
    assert changed > 0.3 * COUNT, changed
