"""Programs that write into arrays, with every array rolled back that can be, whether or not that saves anything."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
import test_corpus
from corpus import Program

import s2s
from s2s.api import dispatch
from s2s.differentiate import reverse

WRITING = ("aliases", "arrays", "assignment", "grids", "hpc", "in_place", "indexing", "memory", "outputs", "traps")
PROGRAMS = [p for p in test_corpus.PROGRAMS.values() if p.wrt and p.name.startswith(tuple(f"{n}." for n in WRITING))]


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Arrays that were rolled back: all that could be. Nothing is found that was compiled before, or kept."""
    chosen: list[Any] = []

    def choose(roots: Any, cost: Any) -> list[Any]:
        chosen.extend(roots)
        return list(roots)

    monkeypatch.setattr(reverse, "choose", choose)
    monkeypatch.setattr(dispatch, "_shared", lambda request: ({}, threading.Lock()))
    return chosen


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_gradients(program: Program, forced: list[Any]) -> None:
    test_corpus.check_explicit(program)


def test_it_is_forced(forced: list[Any]) -> None:
    def f(x: Any) -> Any:
        u = np.copy(x)
        for i in range(1, len(u)):
            u[i] = u[i] * u[i - 1]
        return np.sum(u)

    np.testing.assert_allclose(s2s.grad(f)(np.array([2.0, 3.0, 0.5])), [1 + 3 + 1.5, 2 + 1, 6.0])
    assert forced
