"""Every program of the corpus, in reverse and forward mode, second order, on every target."""

from __future__ import annotations

import copy
import functools
import importlib.util
import inspect
from typing import Any

import checking
import corpus
import numpy as np
import pytest
from corpus import Program

import s2s
from s2s.api.plan import Plan
from tests.passes import prange

PROGRAMS = corpus.load()
NUMBA = importlib.util.find_spec("numba") is not None

explicit = [p for p in PROGRAMS.values() if p.wrt]
implicit = [p for p in PROGRAMS.values() if p.variables]
second_order = [p for p in PROGRAMS.values() if p.order >= 2]
smoke = [p for p in PROGRAMS.values() if p.smoke]
rest = [p for p in PROGRAMS.values() if not p.smoke]


def programs(selection: list[Program]) -> Any:
    return pytest.mark.parametrize("program", selection, ids=[p.name for p in selection])


@functools.cache
def reference(name: str) -> tuple[Any, ...]:
    """The gradients by finite differences, once for all targets and modes."""
    program = PROGRAMS[name]
    return tuple(
        checking.argument_gradient(program.reference, program.args, program.kwargs, which)
        for which in program.wrt
    )


def call_arguments(program: Program) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Fresh copies of the arguments; Variables are passed as they are."""
    memo = {id(v): v for v in program.variables}
    return copy.deepcopy(program.args, memo), copy.deepcopy(dict(program.kwargs), memo)


def check_explicit(program: Program, **options: Any) -> None:
    f, params = program.function, list(program.wrt)
    args, kwargs = call_arguments(program)
    gradients = s2s.gradients_function(f, params=params, **options)(*args, **kwargs)
    check_gradients(program, gradients, "")
    checking.assert_unchanged((args, kwargs), (program.args, dict(program.kwargs)))
    check_with_value(program, **options)


def check_with_value(program: Program, **options: Any) -> None:
    f, params = program.function, list(program.wrt)
    args, kwargs = call_arguments(program)
    value, gradients = s2s.value_and_gradients_function(f, params=params, **options)(*args, **kwargs)
    checking.assert_unchanged((args, kwargs), (program.args, dict(program.kwargs)))
    checking.assert_same(value, f(*args, **kwargs), 1e-6 if program.rtol >= 1e-5 else 1e-10)
    check_gradients(program, gradients, ", with value")


def check_gradients(program: Program, gradients: Any, what: str) -> None:
    assert isinstance(gradients, list)
    for which, one, want in zip(program.wrt, gradients, reference(program.name), strict=True):
        checking.assert_gradient(one, want, program.rtol, f"gradient of {which!r}{what}")
    assert_dtypes(program, gradients)


def assert_dtypes(program: Program, gradients: list[Any]) -> None:
    """A gradient has the dtype of its argument: float64 for a Python float."""
    for which, gradient in zip(program.wrt, gradients, strict=True):
        if gradient is None or isinstance(which, str):
            continue
        pairs = zip(checking.leaves(program.args[which]), checking.leaves(gradient), strict=True)
        for leaf, grad in pairs:
            if grad is not None:
                assert checking.plain(grad).dtype == checking.plain(leaf).dtype


def check_implicit(program: Program, **options: Any) -> None:
    f = program.function
    args, kwargs = call_arguments(program)
    value, pairs = s2s.implicit_value_and_gradients(f, **options)(*args, **kwargs)
    checking.assert_same(value, f(*args, **kwargs), 1e-10)
    found = {id(variable): gradient for gradient, variable in pairs}
    assert len(found) == len(pairs), "a Variable comes twice"
    assert set(found) == {id(v) for v in program.variables}, "other Variables than those read"
    for variable in program.variables:
        want = checking.variable_gradient(lambda: checking.total(f(*args, **kwargs)), variable)
        checking.assert_gradient(found[id(variable)], want, program.rtol, str(variable.name))


@programs(explicit)
def test_reverse(program: Program) -> None:
    check_explicit(program)


@programs(implicit)
def test_implicit(program: Program) -> None:
    check_implicit(program)


@programs([p for p in explicit if not p.kwargs])
def test_forward(program: Program) -> None:
    args, _ = call_arguments(program)
    gradients = s2s.gradients_function(program.function, params=list(program.wrt))(*args)
    names = list(inspect.signature(program.function).parameters)
    places = [names.index(which) if isinstance(which, str) else which for which in program.wrt]
    by_position = dict(zip(places, gradients, strict=True))
    rtol = 1e-9 if program.rtol < 1e-6 else program.rtol
    checking.assert_modes_agree(program.function, args, by_position, rtol)


@programs(second_order)
def test_second_order(program: Program) -> None:
    args, kwargs = call_arguments(program)
    first = s2s.gradients_function(program.function, params=list(program.wrt))

    def gradients(*inner):
        return first(*inner)

    second = s2s.gradients_function(gradients, params=list(program.wrt))(*args, **kwargs)
    for which, got in zip(program.wrt, second, strict=True):
        want = checking.argument_gradient(first, args, kwargs, which)
        checking.assert_gradient(got, want, 1e-6, f"second derivative for {which!r}")
    if not kwargs and all(isinstance(which, int) for which in program.wrt):
        # The Hessian is symmetric: its product with ones, by forward mode.
        ones = [checking.map_leaves(lambda leaf: np.ones_like(checking.plain(leaf))[()], a)
                if k in program.wrt else None for k, a in enumerate(args)]
        _, along = s2s.jvp(gradients, args, tuple(ones))
        for got, want in zip(along or [None] * len(second), second, strict=True):
            if got is not None or want is not None:
                checking.assert_same(0.0 if got is None else got, 0.0 if want is None else want, 1e-7, "forward mode")


def check_cpu(program: Program) -> None:
    """Values and gradients together: one function to compile."""
    check = check_implicit if program.variables else check_with_value
    if program.cpu is True:
        check(program, target="cpu")
        return
    with pytest.raises(s2s.CompilationError) as caught:
        check(program, target="cpu")
    assert "line" in str(caught.value)


@pytest.mark.cpu
@pytest.mark.skipif(not NUMBA, reason="numba is not installed")
@programs(smoke)
def test_cpu_smoke(program: Program) -> None:
    check_cpu(program)


@pytest.mark.cpu
@pytest.mark.full_cpu
@pytest.mark.skipif(not NUMBA, reason="numba is not installed")
@programs(rest)
def test_cpu(program: Program) -> None:
    check_cpu(program)


def check_parallel(program: Program) -> None:
    """Loops that are shared out to threads run in any order, and write no cell twice."""
    make = s2s.implicit_gradients if program.variables else functools.partial(
        s2s.gradients_function, params=list(program.wrt))
    args, kwargs = call_arguments(program)
    low = make(program.function, target="cpu", parallel=True).lower(*args, **kwargs)
    if not any(loop.parallel for loop in low.loops):
        return
    prange.check_carried(low.source)
    derivative = low._derivative
    plan = Plan(derivative.program.binding, derivative.program.function.block.params)
    found = []
    for order in (range, prange.backwards, prange.watched):
        args, kwargs = call_arguments(program)
        values = plan.values(program.function, args, kwargs)
        assert values is not None
        found.append(prange.run(derivative.emitted, plan.core_arguments(values), order))
    for results in found[1:]:
        for one, want in zip(results, found[0], strict=True):
            np.testing.assert_allclose(one, want, rtol=1e-9, atol=1e-12)


# Where the example does not run as plain Python: math.log(-1.0) is nan for numba.
parallel = [p for p in PROGRAMS.values() if p.cpu is True and p.name != "for_loops.invariant_work_that_would_raise"]


@pytest.mark.skipif(not NUMBA, reason="numba is not installed")
@programs([p for p in parallel if p.smoke])
def test_parallel_smoke(program: Program) -> None:
    check_parallel(program)


@pytest.mark.full_cpu
@pytest.mark.skipif(not NUMBA, reason="numba is not installed")
@programs([p for p in parallel if not p.smoke])
def test_parallel(program: Program) -> None:
    check_parallel(program)


@programs(explicit)
def test_reference_is_sound(program: Program) -> None:
    """Two step sizes agree for every program (`UnstableError` otherwise), and the gradients are finite."""
    for gradient in reference(program.name):
        for leaf in checking.leaves(gradient):
            assert leaf is None or np.all(np.isfinite(leaf))


def test_enough_programs() -> None:
    assert len(PROGRAMS) > 350
    assert len([name for name in PROGRAMS if name.startswith("classics.")]) == 90
    assert 10 <= len(smoke) <= 60
