"""Random programs: reverse mode, forward mode and finite differences agree.

`S2S_RANDOM_PROGRAMS=20000` runs more of them than CI does.
"""

from __future__ import annotations

import copy
import importlib.util
import os
import random
from pathlib import Path
from types import ModuleType
from typing import Any

import checking
import numpy as np
import pytest
import random_programs
from hypothesis import HealthCheck, given, note, seed, settings
from random_memory import MemoryWriter
from random_programs import Writer

import s2s

COUNT = int(os.environ.get("S2S_RANDOM_PROGRAMS", "2000"))
PARTS = 4  # of each kind
SAMPLE = max(4, min(20, COUNT // 100))  # compiled
NUMBA = importlib.util.find_spec("numba") is not None
outcomes = {"stable": 0, "unstable": 0}


def directions(values: list[Any]) -> list[Any]:
    rng = np.random.default_rng(1)
    return [checking.tangent_like(value, rng) for value in values]


def along(gradients: list[Any], tangents: list[Any]) -> float:
    return sum(checking.inner_product(g, t) for g, t in zip(gradients, tangents, strict=True))


def assert_close(got: float, want: float, tolerance: float, what: str) -> None:
    assert abs(got - want) <= tolerance * max(1.0, abs(want)), f"{what}: {got!r} and {want!r}"


def run(f: Any, args: Any) -> float:
    """The value for copies of the arguments: a program may write into them."""
    return float(f(*copy.deepcopy(args)))


def check_parameters(module: ModuleType, name: str, **options: Any) -> None:
    """Gradients of the parameters against forward mode and a difference along one direction."""
    f = getattr(module, name)
    args = copy.deepcopy(random_programs.ARGUMENTS)
    value, gradients = s2s.value_and_gradients_function(f, **options)(*args)
    checking.assert_unchanged(args, random_programs.ARGUMENTS)
    assert_close(float(value), run(f, args), 1e-12, "value and run")
    tangents = directions(list(args))
    reverse = along(gradients, tangents)
    _, tangent = s2s.jvp(f, args, tuple(tangents))
    assert_close(reverse, 0.0 if tangent is None else float(tangent), 1e-9, "reverse and forward mode")
    compare_with_difference(
        lambda h: run(f, [a + h * t for a, t in zip(args, tangents, strict=True)]), reverse
    )


def check_variables(module: ModuleType, name: str, **options: Any) -> None:
    """Gradients of the Variables against a difference along one direction."""
    f, args = getattr(module, name), copy.deepcopy(random_programs.ARGUMENTS)
    try:
        pairs = s2s.implicit_gradients(f, **options)(*args)
    except ValueError as error:
        if "no trainable Variable is read" not in str(error):
            raise
        # All of them stand where Python never comes, such as in a loop over `range(0)`.
        for name in ("w0", "w1", "w2"):
            setattr(module, name, None)
        run(f, args)
        return
    variables = [variable for _, variable in pairs]
    before = [np.array(variable.numpy()) for variable in variables]
    tangents = directions(before)

    def moved(h: float) -> float:
        for variable, value, tangent in zip(variables, before, tangents, strict=True):
            variable.assign(value + h * tangent)
        return run(f, args)

    reverse = along([gradient for gradient, _ in pairs], tangents)
    compare_with_difference(moved, reverse)
    moved(0.0)


def compare_with_difference(f: Any, reverse: float) -> None:
    try:
        want = checking.stable_difference(f, 0.0, 1e-6)
    except checking.UnstableError:
        outcomes["unstable"] += 1
        return
    outcomes["stable"] += 1
    assert_close(reverse, want, 1e-5, "reverse mode and finite differences")


def check(source: str, folder: Path) -> None:
    note(source)
    body = source[source.index("def program(") :]
    with random_programs.imported(source, folder) as module, checking.time_limit(60.0):
        try:
            check_parameters(module, "program")
            # Each compiles one more adjoint: every second program with Variables.
            if len(body) % 2 and any(name in body for name in ("w0", "w1", "w2")):
                check_variables(module, "program")
        except Exception as error:
            raise AssertionError(f"{error}\n\nin the program\n\n{body}") from error


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("random_programs")


def part(number: int, kind: type[Writer]) -> Any:
    """A test of the part of the programs that belongs to a seed: parts may run beside each other."""

    @seed(number)
    @settings(
        max_examples=-(-COUNT // (2 * PARTS)),
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(source=random_programs.programs(kind))
    def test(folder: Path, source: str) -> None:
        check(source, folder)

    return test


(test_random_programs_a, test_random_programs_b, test_random_programs_c, test_random_programs_d) = (
    part(k, Writer) for k in range(PARTS))
(test_programs_with_memory_a, test_programs_with_memory_b, test_programs_with_memory_c, test_programs_with_memory_d) = (
    part(k, MemoryWriter) for k in range(PARTS))


def test_most_references_were_stable() -> None:
    """Runs after the programs: finite differences said something about nearly all of them."""
    total = outcomes["stable"] + outcomes["unstable"]
    if total:
        assert outcomes["stable"] > 0.8 * total, outcomes


@pytest.mark.cpu
@pytest.mark.skipif(not NUMBA, reason="numba is not installed")
@pytest.mark.parametrize("number", range(4))
def test_sample_on_cpu(folder: Path, number: int) -> None:
    """Several programs compiled together agree with forward mode and with target python."""
    rng = random.Random(number)
    kind = Writer if number < 2 else MemoryWriter
    tapes = [rng.randbytes(kind.tape) for _ in range(SAMPLE // 4)]
    source = random_programs.module_source(tapes, kind)
    with random_programs.imported(source, folder) as module:
        args = copy.deepcopy(random_programs.ARGUMENTS)
        try:
            check_parameters(module, "together", target="cpu")
            check_variables(module, "together", target="cpu")
            plain = s2s.gradients_function(module.together)(*args)
            compiled = s2s.gradients_function(module.together, target="cpu")(*args)
            for one, other in zip(compiled, plain, strict=True):
                checking.assert_gradient(one, other, 1e-9)
        except Exception as error:
            raise AssertionError(f"{error}\n\nin the module\n\n{source}") from error
