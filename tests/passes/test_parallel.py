"""Loops that are shared out to threads: in any order, and with no cell written twice, they give what they gave."""

from __future__ import annotations

import copy
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2s
import s2s.targets.parallel
from s2s.ir.core import walk
from s2s.ir.ops import constant
from s2s.targets.parallel import Marker, Plan
from tests.passes.nests import Nest, runs
from tests.passes.prange import backwards, check_carried, run, shuffled, watched
from tests.passes.random_threads import Program
from tests.passes.sources import imported

pytest.importorskip("numba")

from tests.passes import threads
from tests.passes.threads import CASES

cases = pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)


def wrt(f: Callable[..., Any]) -> tuple[int, ...]:
    return tuple(k for k, a in enumerate(CASES[f]) if np.asarray(a).dtype == np.float64)


def arguments(f: Callable[..., Any]) -> Any:
    return copy.deepcopy(CASES[f])


def lowered(f: Callable[..., Any]) -> Any:
    return s2s.gradients_function(f, params=list(wrt(f)), target="cpu", parallel=True).lower(*arguments(f))


def expected(f: Callable[..., Any]) -> Any:
    return s2s.gradients_function(f, params=list(wrt(f)))(*arguments(f))


def core_arguments(low: Any, args: Any) -> list[Any]:
    given = [v.numpy() for v in low.variables]
    return [*copy.deepcopy(args), *given]


@cases
@pytest.mark.parametrize("prange", [range, backwards, shuffled, watched])
def test_any_order(f: Callable[..., Any], prange: Callable[..., Any]) -> None:
    low = lowered(f)
    got = run(low._derivative.emitted, core_arguments(low, CASES[f]), prange)
    for one, want in zip(got, expected(f), strict=True):
        np.testing.assert_allclose(one, want, rtol=1e-11)


def test_check_carried() -> None:
    head = "s = 0.0\nfor i in numba.prange(n):\n    "
    check_carried(head + "t = x[i]\n    t += 1.0\n    y[i] = t")
    for wrong in ("s += x[i]", "for j in range(3):\n        s += x[j]", "s = x[i] - s",
                  "if x[i]:\n        t = 1.0\n    y[i] = t"):
        with pytest.raises(AssertionError):
            check_carried(head + wrong)


@cases
def test_carried(f: Callable[..., Any]) -> None:
    check_carried(lowered(f).source)


REASONS = [
    (threads.scattered, False, "two iterations may write one cell of y (`y[idx[i]] += x[i] * x[i]`)"),
    (threads.seidel, True, "may write a cell of A_bar that it reads in another iteration"),
    (threads.remembered, False, "two iterations may write one cell of kept (`kept[j] = x[i] * x[j]`)"),
    (threads.solved, False, "may raise an error (np.linalg.solve), which a thread would lose"),
    (threads.mixed, False, "`y[i] = np.sum(A[i] * x)` may raise an error (mul), which a thread would lose"),
    (threads.prefix, False, "s is handed on from one iteration to the next (`s += x[i] * x[i]`)"),
    (threads.last, True, "t_bar is handed on from one iteration to the next"),
    (threads.until, False, "an iteration may be the last one (break)"),
    (threads.seidel, True, "two iterations may write one cell of A_bar"),
    (threads.diffusion, False, "too little work: it is run anew by each iteration of `for _ in range(steps):`"),
    (threads.bodies, False, "`f[j] -= d ** 3` may write a cell of f that `f[i] += d ** 3` reads in another iteration"),
]


@pytest.mark.parametrize(("f", "reverse", "reason"), REASONS)
def test_reason(f: Callable[..., Any], reverse: bool, reason: str) -> None:
    loops = lowered(f).loops
    found = [loop for loop in loops if loop.reverse is reverse and reason in loop.reason]
    assert found, "\n".join(map(str, loops))
    assert not found[0].parallel
    assert str(found[0]).startswith(f"{threads.__file__}:{found[0].loc.line}: ")


FORWARD = [threads.jacobi, threads.gemm, threads.atax, threads.products, threads.reused, threads.paths,
           threads.triangle]
REVERSE = [threads.jacobi, threads.gemm, threads.atax, threads.bodies, threads.summed, threads.scattered,
           threads.backwards, threads.scaled]


@pytest.mark.parametrize(("f", "reverse"), [*((f, False) for f in FORWARD), *((f, True) for f in REVERSE)])
def test_parallel(f: Callable[..., Any], reverse: bool) -> None:
    assert any(loop.parallel and loop.reverse is reverse for loop in lowered(f).loops)


@pytest.mark.parametrize("f", [threads.layers, threads.reused], ids=lambda f: f.__name__)
def test_batch(f: Callable[..., Any]) -> None:
    """A loop over samples is one loop with its reverse, which keeps nothing for later samples."""
    low = lowered(f)
    assert [loop.parallel for loop in low.loops] == [True]
    assert "saved" not in low.source


def test_only_where_asked() -> None:
    low = s2s.grad(threads.gemm, (0, 1), target="cpu").lower(*arguments(threads.gemm))
    assert not low.loops
    assert "prange" not in low.source


def test_checked_indices() -> None:
    """numba loses the error that a thread raises."""
    low = s2s.grad(threads.gemm, (0, 1), target="cpu", parallel=True, boundscheck=True).lower(*arguments(threads.gemm))
    assert {loop.reason for loop in low.loops} == {"boundscheck=True: a thread would lose the error"}
    assert "prange" not in low.source


def compiled(f: Callable[..., Any]) -> None:
    g = s2s.gradients_function(f, params=list(wrt(f)), target="cpu", parallel=True)
    want = expected(f)
    for _ in range(20):
        for one, other in zip(g(*arguments(f)), want, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-11)


@pytest.mark.cpu
@pytest.mark.parametrize("f", [threads.triangle, threads.views, threads.scaled_gemm], ids=lambda f: f.__name__)
def test_compiled(f: Callable[..., Any]) -> None:
    """An index that numba must count with a sign; two names of one memory in neighbouring loops; sums in a nest."""
    compiled(f)


@pytest.mark.cpu
@pytest.mark.full_cpu
@cases
def test_all_compiled(f: Callable[..., Any]) -> None:
    compiled(f)


def check_random(seed: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A random function, with all loops taken that can be, whether it pays or not."""
    monkeypatch.setattr(s2s.targets.parallel, "_FEW", 1)
    monkeypatch.setattr(s2s.targets.parallel, "_too_little", lambda *_: "")
    f = getattr(imported(folder, f"program{seed}", [Program(seed).text]), f"f{seed}")
    rng = np.random.default_rng(seed)
    args = rng.random((6, 7)), rng.random(7), rng.random(6)
    with np.errstate(all="ignore"):
        want = [g for g in s2s.gradients_function(f)(*args) if g is not None]
        if not all(np.isfinite(g).all() for g in want):
            return
        low = s2s.gradients_function(f, target="cpu", parallel=True).lower(*args)
        check_carried(low.source)
        for prange in (range, backwards, watched):
            for one, expect in zip(run(low._derivative.emitted, args, prange), want, strict=True):
                np.testing.assert_allclose(one, expect, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("seed", range(20))
def test_random(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_random(seed, tmp_path, monkeypatch)


@pytest.mark.full_cpu
@pytest.mark.parametrize("seed", range(20, 220))
def test_more_random(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_random(seed, tmp_path, monkeypatch)


@pytest.mark.parametrize("seed", range(400))
def test_no_race(seed: int) -> None:
    """Random nests, run: of a loop that is taken no iteration touches a cell that another one stores to."""
    fn = Nest(seed, ("additem", "additem")).fn
    marker = Marker(fn, True, [])
    for loop in [op for op in walk(fn.block) if op.name == "for" and constant(op.value("step")) in (1, -1)]:
        plan = Plan()
        if marker.memory(loop, plan):
            continue
        around = [b.params[0] for b in marker.order.cells.loops(marker.order.cells.s.block_of[loop])]
        inside = set(walk(loop.blocks[0]))
        env: dict[Any, Any] = {}
        found: dict[Any, dict[Any, list[tuple[int, Any]]]] = {}
        for op, cells in runs(fn.block, env):
            if op in inside:
                assert not plan.shared or op.name == "additem"
                cell_uses = found.setdefault(tuple(env[i] for i in around), {})
                for c in cells:
                    cell_uses.setdefault(c, []).append((env[loop.blocks[0].params[0]], op.name))
        for cell_uses in found.values():
            for some in cell_uses.values():
                assert plan.shared or len({i for i, _ in some}) == 1 or all(name == "getitem" for _, name in some)


def test_races_are_told_apart() -> None:
    """Enough of the random loops are taken, and enough are not."""
    taken = [not Marker(fn, True, []).memory(op, Plan()) for fn in (Nest(k, ("additem",)).fn for k in range(100))
             for op in walk(fn.block) if op.name == "for" and constant(op.value("step")) in (1, -1)]
    assert 20 < sum(taken) < len(taken) - 20


@pytest.mark.parametrize("f", [threads.backwards, threads.bodies], ids=lambda f: f.__name__)
def test_differentiated_again(f: Callable[..., Any], tmp_path: Path) -> None:
    """What is emitted is read again: `numba.prange` is a range, and the number of threads a constant."""
    low = lowered(f)
    assert "numba.prange" in low.source
    low.save(tmp_path / "saved.py")
    assert "parallel=" in (tmp_path / "saved.py").read_text()
    spec = importlib.util.spec_from_file_location("saved", tmp_path / "saved.py")
    assert spec is not None and spec.loader is not None
    saved = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(saved)
    gradient, again = s2s.grad(f), getattr(saved, f"{f.__name__}_gradients")
    (x,) = arguments(f)
    got = s2s.grad(lambda x: np.sum(again(x) ** 2))(x)
    np.testing.assert_allclose(got, s2s.grad(lambda x: np.sum(gradient(x) ** 2))(x), rtol=1e-12)
