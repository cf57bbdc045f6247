"""Memory that is not filled with zeros is written before it is read: what is not shows as nan."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from s2s.emit import emit
from s2s.ir.core import Function, walk
from s2s.pipeline import lowered
from s2s.simplify import simplify
from s2s.targets.fills import fills
from tests.passes.sources import imported

COUNT = 80


def program(seed: int) -> str:
    """A function that adds to zeros in loops over all of them, or nearly so."""
    r = random.Random(seed)
    rank = r.choice([1, 2])
    lines = ["t = np.zeros_like(a)", "s = 0.0"]
    indent = ""
    if r.random() < 0.2:
        lines.append("for step in range(2):")
        indent = "    "
    if r.random() < 0.15:
        lines.append(f"{indent}s += t[{', '.join('0' * rank)}]")
    sizes = [f"a.shape[{m}]" for m in range(rank)]
    names = list("ij"[:rank])
    for m in r.sample(range(rank), rank):
        bounds = r.choice([sizes[m], sizes[m], f"{sizes[m]} - 1, -1, -1", f"1, {sizes[m]}", f"1, {sizes[m]} + 1"])
        if bounds.startswith("1, ") and bounds.endswith("+ 1"):
            names[m] = f"{names[m]} - 1"
        lines.append(f"{indent}for {'ij'[m]} in range({bounds}):")
        indent += "    "
    if r.random() < 0.15:
        lines.append(f"{indent}if s < 5.0:")
        indent += "    "
    if r.random() < 0.15:
        lines.append(f"{indent}for k in range(2):")
        indent += "    "
    cell = ", ".join(names)
    for _ in range(r.randint(1, 3)):
        other = ", ".join(r.choice([n, n, n, "0", f"-{1 + m}"]) for m, n in enumerate(names))
        lines.append(indent + r.choice([f"t[{cell}] += a[{cell}] * 2.0", f"t[{cell}] += a[{cell}] + 1.0",
                                        f"s += t[{other}]", f"t[{other}] += 0.5"]))
    lines.append("s += np.sum(t)")
    text = "".join(f"    {line}\n" for line in lines)
    return f"def f{seed}(a):\n{text}    return t, s\n"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return imported(tmp_path_factory.mktemp("programs"), "zeros", map(program, range(COUNT)))


def filled(module: Any, seed: int) -> Function:
    """The function treated as if it were a reverse sweep."""
    function = getattr(module, f"f{seed}")
    rank = 2 if "j" in program(seed) else 1
    fn = simplify(lowered(function, function.__name__, (np.ones((4, 3)[:rank]),), {}, ["a"]).function)
    for op in walk(fn.block):
        op.origin = op
    made = fills(fn)
    for op in walk(made.block):
        op.origin = None
    return made


@pytest.mark.parametrize("seed", range(COUNT))
def test_same(module: Any, seed: int) -> None:
    source = emit(filled(module, seed)).source.replace("np.empty_like(a)", "np.full_like(a, np.nan)")
    namespace: dict[str, Any] = {"np": np}
    exec(source, namespace)
    rank = 2 if "j" in program(seed) else 1
    for shape in ((4, 3), (1, 2), (3, 1)):
        a = np.cos(np.arange(float(np.prod(shape[:rank])))).reshape(shape[:rank])
        try:
            want = getattr(module, f"f{seed}")(a)
        except IndexError:
            continue
        for got, expected in zip(namespace[f"f{seed}"](a), want, strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_what_is_found(module: Any) -> None:
    found = sum("np.empty_like" in emit(filled(module, seed)).source for seed in range(COUNT))
    assert found > COUNT // 8, found
