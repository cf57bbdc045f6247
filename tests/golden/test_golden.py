"""Adjoints kept as files: a change of emitted code shows as a difference to review.

Each also runs, as do the programs that are emitted without simplification; all give the numbers of finite
differences.
"""

from __future__ import annotations

import copy
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden_cases import CASES, Case

from s2s.api.plan import Plan
from s2s.compile.numba_cpu import compile_cpu
from s2s.compile.python import compile_python
from s2s.compile.save import module_text
from s2s.differentiate.reverse import reverse
from s2s.emit import Emitted, emit
from s2s.options import Options
from s2s.pipeline import Derivative, differentiate
from s2s.rules import TABLE
from s2s.simplify import simplify

FOLDER = Path(__file__).resolve().parent / "adjoints"
# numba loses the symbol of a function that calls itself, is called by another one that does, and is inlined there.
NUMBA_FAILS = {"recursion"}
NUMBA = importlib.util.find_spec("numba") is not None


def derivative(case: Case) -> Derivative:
    return case.gradient.lower(*copy.deepcopy(case.args))._derivative


def plain_adjoint(made: Derivative, *, before: bool, after: bool) -> Emitted:
    """The adjoint, with simplification before and after differentiating, or without."""
    fn = simplify(made.program.function) if before else made.program.function
    params = dict(zip(made.program.function.block.params, fn.block.params, strict=True))
    inputs = [params[r.leaf] for r in made.wrt]
    adjoint = reverse(fn, inputs, TABLE, keep_values=made.keep_values, seeds_given=False).function
    return emit(simplify(adjoint) if after else adjoint)


def gradients(made: Derivative, case: Case, core: Callable[..., Any]) -> list[np.ndarray]:
    """What `core`, an adjoint of the case, gives for the differentiated inputs."""
    args = copy.deepcopy(case.args)
    plan = Plan(made.program.binding, made.program.function.block.params)
    values = plan.values(case.function, args, {})
    assert values is not None
    out = core(*plan.core_arguments(values))
    out = out if isinstance(out, tuple) else (out,)
    return [np.asarray(x) for x in out[len(out) - len(made.wrt):]]


def finite_differences(case: Case, made: Derivative) -> list[np.ndarray]:
    """Central differences, of float64 numbers."""
    found = []
    for k in range(len(made.wrt)):
        args = [a.astype(float) if isinstance(a, np.ndarray) else a for a in copy.deepcopy(case.args)]
        if case.variables:
            variable, start = case.variables[k], case.variables[k].numpy()
        else:
            at = list(made.program.arguments.values()).index(made.wrt[k])
            start = args[at]
        gradient = np.zeros_like(np.asarray(start, float))
        for index in np.ndindex(gradient.shape):
            ends = []
            for h in (1e-5, -1e-5):
                moved = np.array(start, float)
                moved[index] += h
                if case.variables:
                    variable.assign(moved if moved.shape else float(moved))
                else:
                    args[at] = moved if moved.shape else float(moved)
                ends.append(float(np.asarray(case.function(*copy.deepcopy(args)))))
            gradient[index] = (ends[0] - ends[1]) / 2e-5
        if case.variables:
            variable.assign(start)
        found.append(gradient)
    return found


def check(case: Case, made: Derivative, core: Callable[..., Any]) -> None:
    got, want = gradients(made, case, core), finite_differences(case, made)
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        assert g.shape == w.shape
        np.testing.assert_allclose(g, w, rtol=case.rtol, atol=case.rtol * max(1.0, np.abs(w).max(initial=0.0)))


@pytest.mark.parametrize("name", CASES)
def test_golden(name: str, update_golden: bool) -> None:
    text = module_text(derivative(CASES[name]).emitted)
    path = FOLDER / f"{name}.py"
    if update_golden:
        path.write_text(text, encoding="utf-8")
    assert path.exists(), "run `python -m pytest tests/golden --update-golden`"
    assert path.read_text(encoding="utf-8") == text, "see the difference; --update-golden takes it over"


def test_no_golden_without_case() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_file_runs(name: str) -> None:
    made = derivative(CASES[name])
    namespace: dict[str, Any] = {}
    exec((FOLDER / f"{name}.py").read_text(encoding="utf-8"), namespace)
    check(CASES[name], made, namespace[made.emitted.name])


@pytest.mark.parametrize("before", [True, False], ids=["simplified", "plain"])
@pytest.mark.parametrize("after", [True, False], ids=["simplified", "plain"])
@pytest.mark.parametrize("name", CASES)
def test_simplification_changes_no_number(name: str, before: bool, after: bool) -> None:
    made = derivative(CASES[name])
    check(CASES[name], made, compile_python(plain_adjoint(made, before=before, after=after)))


@pytest.mark.full_cpu
@pytest.mark.skipif(not NUMBA, reason="numba is not installed")
@pytest.mark.parametrize("name", [name for name in CASES if name not in NUMBA_FAILS])
def test_on_cpu(name: str) -> None:
    """The source for target cpu, as numba compiles it and as plain Python."""
    made = derivative(CASES[name])
    for_cpu = differentiate(made.program, made.wrt, keep_values=made.keep_values, seeds_given=False, options=Options(target="cpu"))
    check(CASES[name], for_cpu, compile_cpu(for_cpu.emitted, {}))
    check(CASES[name], for_cpu, compile_python(for_cpu.emitted))
