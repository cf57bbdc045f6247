"""What a source, a target or a watched value is: by identity, by name, or not at all."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
import pytest

import s2s
from s2s import GradientTape, Variable, constant


def test_floats_are_sources_by_name():
    x1 = x2 = 3.0
    with GradientTape(persistent=True) as t:
        t.watch([x1, x2])
        y = x1 * x1 * x2
    assert [float(g) for g in t.gradient(y, [x1, x2])] == [18.0, 9.0]
    assert float(t.gradient(y, x2)) == 9.0
    assert [float(g) for g in t.gradient(y, {"a": x2, "b": x1}).values()] == [9.0, 18.0]


def test_equal_floats_without_names_are_refused():
    x1, x2 = 3.0, 3.0
    with GradientTape(persistent=True) as t:
        t.watch([x1, x2])
        y = x1 * x1 * x2
    both = [x1, x2]
    with pytest.raises(s2s.ReplayError, match=r"s2s\.constant"):
        t.gradient(y, both)
    with pytest.raises(s2s.ReplayError, match=r"s2s\.constant"):
        [t.gradient(y, x) for x in (x1, x2)]


def test_of_equal_floats_one_is_watched():
    x1, x2 = 3.0, 3.0
    with GradientTape() as t:
        t.watch(x1)
        y = x1 * x1 * x2
    assert [g if g is None else float(g) for g in t.gradient(y, [x1, x2])] == [18.0, None]


def test_watched_before_the_block():
    x1, x2, a = 3.0, 3.0, np.array([1.0, 2.0])
    t = GradientTape()
    t.watch(x1)
    t.watch({"a": a})
    with t:
        y = x1 * x1 * x2 * np.sum(a)
    gradients = t.gradient(y, [x1, x2, a])
    assert float(gradients[0]) == 54.0 and gradients[1] is None and gradients[2].tolist() == [27.0, 27.0]


def test_a_source_rebound_after_the_block():
    x = constant(3.0)
    with GradientTape() as t:
        t.watch(x)
        y = x * x
    before, x = x, constant(5.0)
    assert [g if g is None else float(g) for g in t.gradient(y, [x, before])] == [None, 6.0]


def test_a_source_rebound_in_the_block():
    x = constant(3.0)
    first = x
    with GradientTape(persistent=True) as t:
        t.watch(x)
        x = x * x
        y = x * x
    assert float(t.gradient(y, first)) == 108.0
    assert float(t.gradient(y, x)) == 18.0


def test_nests_and_elements():
    ws = [Variable(1.0), Variable(2.0)]
    arrays, table = [np.array([1.0, 2.0]), np.array([3.0, 4.0])], {"a": np.array([1.0])}
    with GradientTape(persistent=True) as t:
        t.watch([arrays, table])
        y = ws[0] * ws[1] * np.sum(arrays[0] * arrays[1]) * table["a"][0]
    assert float(t.gradient(y, ws[0])) == 22.0
    assert [float(g) for g in t.gradient(y, ws)] == [22.0, 11.0]
    assert t.gradient(y, arrays[1]).tolist() == [2.0, 4.0]
    assert [g.tolist() for g in t.gradient(y, arrays)] == [[6.0, 8.0], [2.0, 4.0]]
    assert t.gradient(y, table)["a"].tolist() == [22.0]


class Layer:
    def __init__(self, size):
        self.w = Variable(np.full(size, 0.5))

    def __call__(self, x):
        return np.tanh(self.w * x)


class Model:
    def __init__(self):
        self.layers = [Layer(2), Layer(2)]
        self.scale = np.array([2.0, 3.0])

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x * self.scale


def test_models():
    model, x = Model(), np.array([1.0, 2.0])
    with GradientTape(persistent=True) as t:
        t.watch(model.scale)
        y = np.sum(model(x))
    hidden = np.tanh(0.5 * x)
    outer = np.tanh(0.5 * hidden)
    by_last = model.scale * (1.0 - outer ** 2) * hidden
    np.testing.assert_allclose(t.gradient(y, model.layers[1].w), by_last)
    np.testing.assert_allclose(t.gradient(y, [layer.w for layer in model.layers])[1], by_last)
    np.testing.assert_allclose(t.gradient(y, model.scale), outer)


def test_two_names_of_one_array():
    a = np.array([1.0, 2.0])
    b = a
    for _ in range(2):
        with GradientTape(persistent=True) as t:
            t.watch(a)
            y = np.sum(a * b)
        assert t.gradient(y, a).tolist() == [2.0, 4.0] and t.gradient(y, b).tolist() == [2.0, 4.0]


def test_arrays_that_are_one_now_and_were_two_before():
    found = []
    a, c = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    for b in (c, a, c):
        with GradientTape() as t:
            t.watch([a, b])
            y = np.sum(a * b)
        found.append(t.gradient(y, a).tolist())
    assert found == [[3.0, 4.0], [2.0, 4.0], [3.0, 4.0]]


def test_integers_are_refused():
    with GradientTape() as t:
        x = 3
        y = x * Variable(1.0)
    with pytest.raises(TypeError, match="sources are Variables, floats"):
        t.gradient(y, x)
    with pytest.raises(TypeError, match="has no gradient"):
        t.watch(np.arange(3))


def test_a_source_of_a_loop_is_refused():
    x = constant(2.0)
    with GradientTape() as t:
        t.watch(x)
        total = 0.0
        for k in range(3):
            y = x * float(k)
            total = total + y * y
    with pytest.raises(s2s.UnsupportedSyntaxError, match="computed in a loop or branch"):
        t.gradient(total, y)


def test_a_source_written_in_place_is_refused_or_right():
    x = np.array([1.0, 2.0])
    with GradientTape() as t:
        t.watch(x)
        y = x * x
        y[0] = 3.0 * x[1]
        z = np.sum(y * y)
    assert t.gradient(z, x).tolist() == [0.0, 4 * 2.0 ** 3 + 2 * 9.0 * 2.0]


def test_the_value_of_a_variable_is_not_the_variable():
    w = Variable(2.0)
    with GradientTape() as t:
        v = w.value()
        y = w * v
    with pytest.raises(s2s.UnsupportedSyntaxError, match="under another type"):
        t.gradient(y, v)


def test_helpers_that_ask():
    w = Variable(2.0)

    def ask(tape, y):
        return tape.gradient(y, w)

    for _ in range(2):
        with GradientTape() as t:
            loss = w * w * w
        assert float(ask(t, loss)) == 12.0


def test_inside_its_own_block_by_a_helper():
    w = Variable(2.0)

    def ask(tape, y):
        return tape.gradient(y, w)

    with GradientTape(persistent=True) as t:
        y = w * w
        g = ask(t, y)
        z = y * 3.0
    assert float(g) == 4.0 and float(t.gradient(z, w)) == 12.0


def test_inside_its_own_block_in_a_branch_is_refused():
    w = Variable(2.0)
    with GradientTape(persistent=True) as t:
        y = w * w
        if y > 0:
            with pytest.raises(s2s.UnsupportedSyntaxError, match="inside its own block, in a loop or branch"):
                t.gradient(y, w)


def test_a_gradient_of_another_tape_that_is_over():
    w = Variable(2.0)
    with GradientTape(persistent=True) as first:
        y = w * w
    with GradientTape() as second:
        g = first.gradient(y, w)
        z = g * w
    with pytest.raises(s2s.UnsupportedSyntaxError, match="a tape whose block is not part of this program"):
        second.gradient(z, w)


def test_containers_as_targets():
    w = Variable(2.0)
    with GradientTape(persistent=True) as t:
        out = {"a": w * w, "b": [w * 3.0, w * w * w]}
    assert float(t.gradient(out, w)) == 4.0 + 3.0 + 12.0
    assert float(t.gradient(out["b"][1], w)) == 12.0
    assert float(t.gradient([out["a"], out["b"]], w)) == 19.0


def test_gradients_have_the_dtype_of_their_source():
    w = Variable(np.float32([1.0, 2.0]))
    with GradientTape() as t:
        y = np.sum(w * w * np.float32(0.5))
    g = t.gradient(y, w)
    assert g.dtype == np.float32 and g.tolist() == [1.0, 2.0]


def test_complex_loss():
    z = constant(1.0 + 2.0j)
    with GradientTape() as t:
        t.watch(z)
        y = abs(z) ** 2
    assert complex(t.gradient(y, z)) == pytest.approx(2.0 + 4.0j)


@dataclass
class Point:
    x: np.ndarray
    y: float


def test_dataclasses_and_other_dicts():
    a, w = np.array([1.0, 2.0]), Variable(3.0)
    with GradientTape(persistent=True) as t:
        t.watch(Point(a, w))
        y = np.sum(a * a) * w
    by_point = t.gradient(y, Point(a, w))
    assert type(by_point) is Point and by_point.x.tolist() == [6.0, 12.0] and float(by_point.y) == 5.0
    assert type(t.gradient(y, OrderedDict(w=w))) is OrderedDict
    doubled = t.gradient(Point(y, y), w, output_gradients=Point(np.array(2.0), None))
    assert float(doubled) == 15.0
    with pytest.raises(s2s.ShapeError, match="the target has 2 parts"):
        t.gradient(Point(y, y), w, output_gradients=[1.0, 1.0])


def test_a_weak_reference_of_the_user():
    held = np.array([1.0, 2.0])
    w, ref = Variable(held * 3.0), weakref.ref(held)
    for _ in range(2):
        with GradientTape() as t:
            x = ref()
            y = np.sum(x * w)
        assert t.gradient(y, w).tolist() == [1.0, 2.0]


def test_a_tape_in_a_container():
    w, tapes = Variable(2.0), {}
    with GradientTape() as tapes["a"]:
        y = w * w
    assert float(tapes["a"].gradient(y, w)) == 4.0
    with GradientTape(persistent=True) as tapes["b"]:
        y = w * w
        z = tapes["b"].gradient(y, w) * w
    with pytest.raises(s2s.UnsupportedSyntaxError, match=r"(?s)put into a container.*tapes\[\"b\"\].*\^\^"):
        tapes["b"].gradient(z, w)
