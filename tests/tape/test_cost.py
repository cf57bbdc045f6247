"""What tapes keep, and what they do at each step: nothing grows, nothing is compiled again."""

from __future__ import annotations

import gc
import tracemalloc
import weakref

import numpy as np
import pytest

import s2s
from s2s import GradientTape, Variable
from s2s.tape import place, replay

X = np.ones((5, 3))


def test_a_training_loop_compiles_once(monkeypatch):
    w, made, graphs = Variable(np.zeros(3)), [], []
    attempt, graph = replay._attempt, place.Graph
    monkeypatch.setattr(replay, "_attempt", lambda *given: made.append(1) or attempt(*given))
    monkeypatch.setattr(place, "Graph", lambda *given: graphs.append(1) or graph(*given))
    for _ in range(10):
        with GradientTape() as t:
            loss = np.sum((X @ w - 1.0) ** 2)
        w.assign_sub(0.01 * t.gradient(loss, w))
    assert len(made) == 1 and len(graphs) == 1


def test_where_an_instruction_stands_is_looked_up_once(monkeypatch):
    w, asked = Variable(2.0), []
    column_of = place.column_of
    monkeypatch.setattr(place, "column_of", lambda frame: asked.append(1) or column_of(frame))
    for _ in range(3):
        with GradientTape() as t:
            y = w * w
            w.assign_sub(0.1 * t.gradient(y, w))
    assert len(asked) == 1


def test_entering_copies_and_inspects_nothing():
    """No copy of an array that is only read, no look at what can be reached, no state of a generator."""
    w = Variable(np.zeros(3))
    for _ in range(3):
        with GradientTape() as t:
            loss = np.sum((X @ w) ** 2)
        t.gradient(loss, w)
    entry = t._spans[0].entry
    assert not entry.copies and not entry.states and entry.graph is None
    assert any(v is X for v in entry.values)


@pytest.mark.usefixtures("small_heap")
def test_tapes_are_collected_without_the_collector():
    w, kept = Variable(np.ones(3)), []

    def step():
        with GradientTape() as t:
            loss = np.sum((X @ w) ** 2)
        t.gradient(loss, w)
        kept.append(weakref.ref(t))

    gc.collect()
    gc.disable()
    try:
        for _ in range(5):
            step()
        assert [r() for r in kept] == [None] * 5
    finally:
        gc.enable()


@pytest.mark.usefixtures("small_heap")
def test_a_tape_does_not_keep_the_one_before():
    w, kept = Variable(np.ones(3)), []
    for _ in range(5):
        with GradientTape(persistent=True) as outer:
            with GradientTape() as inner:
                loss = np.sum((X @ w) ** 2)
            g = inner.gradient(loss, w)
            z = np.sum(g * g)
        outer.gradient(z, w)
        kept += [weakref.ref(outer), weakref.ref(inner)]
    gc.collect()
    assert [r() is not None for r in kept] == [False] * 8 + [True] * 2


@pytest.mark.usefixtures("small_heap")
def test_memory_is_flat():
    w = Variable(np.ones(3))

    def steps(count):
        for _ in range(count):
            with GradientTape() as t:
                x = np.random.default_rng(0).normal(size=(100, 3))
                loss = np.sum((x @ w) ** 2)
            t.gradient(loss, w)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        first = steps(50)
        assert steps(300) - first < 20_000  # one batch alone has 2,400 bytes
    finally:
        tracemalloc.stop()


def test_the_frame_is_not_kept():
    class Marker:
        pass

    w = Variable(2.0)

    def f():
        local = Marker()
        with GradientTape() as t:
            y = w * w
        return t, y, weakref.ref(local)

    t, y, marker = f()
    assert marker() is None
    assert float(t.gradient(y, w)) == 4.0


def test_source_shows_the_last_derivative():
    w = Variable(2.0)
    with GradientTape(persistent=True) as t:
        y = w * w
        z = np.sin(w)
    with pytest.raises(AttributeError, match="no gradient"):
        t.source  # noqa: B018
    t.gradient(y, w)
    assert "def y_gradients(w)" in t.source and "2.0 * w" in t.source
    t.gradient(z, w)
    assert "def z_gradients(w)" in t.source and "np.cos(w)" in t.source
    assert s2s.GradientTape().persistent is False
