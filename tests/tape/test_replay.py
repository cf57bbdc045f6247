"""What a block read is what its derivative is taken of: snapshots, draws, and what is taken from the run."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

import s2s
from s2s import GradientTape, Variable, constant


def test_variables_assigned_after_each_block():
    w = Variable(2.0)
    tapes = []
    for k in range(3):
        x = np.array([1.0, 2.0]) * (k + 1)
        with GradientTape() as t:
            loss = np.sum(w * w * x)
        tapes.append((t, loss, float(w)))
        w.assign_add(1.0)
    assert [float(t.gradient(loss, w)) for t, loss, _ in tapes] == [2 * at * 3 * (k + 1)
                                                                    for k, (_, _, at) in enumerate(tapes)]


def test_names_rebound_after_the_block():
    w, x, c = Variable(3.0), np.array([1.0, 2.0]), 2.0

    def f(a):
        return np.sum(a * c * w)

    with GradientTape() as t:
        y = f(x)
    x, c = np.zeros(2), 100.0
    assert float(t.gradient(y, w)) == 6.0


class State:
    def __init__(self):
        self.h = np.array([0.1, 0.2])
        self.steps = 0

    def advance(self, w):
        self.h = np.tanh(w * self.h + 1.0)
        self.steps += 1
        return np.sum(self.h)


@pytest.mark.parametrize("as_method", [False, True])
def test_attributes_rebound_in_the_block(as_method):
    w, m = Variable(0.7), State()
    for _ in range(3):
        before = m.h
        with GradientTape() as t:
            if as_method:
                y = m.advance(w)
            else:
                m.h = np.tanh(w * m.h + 1.0)
                y = np.sum(m.h)
        expected = np.sum((1 - np.tanh(0.7 * before + 1.0) ** 2) * before)
        np.testing.assert_allclose(t.gradient(y, w), expected, rtol=1e-12)
    assert m.steps == 3 * as_method


def test_attributes_as_target_and_source():
    class Holder:
        pass

    w, m = Variable(0.5), Holder()
    with GradientTape(persistent=True) as t:
        m.h = w * w
        m.k = m.h * 3.0
    assert float(t.gradient(m.k, w)) == 3.0
    assert float(t.gradient(m.k, m.h)) == 3.0
    m.h = constant(7.0)
    with pytest.raises(s2s.ReplayError, match="A source is"):
        t.gradient(m.k, m.h)


def test_arrays_written_in_place():
    w, buffer = Variable(2.0), np.zeros(3)
    for k in range(3):
        with GradientTape() as t:
            buffer[k] = 5.0
            buffer += 1.0
            y = np.sum(buffer * w)
        kept = buffer.copy()
        assert float(t.gradient(y, w)) == np.sum(buffer)
        np.testing.assert_array_equal(buffer, kept)


def test_arrays_written_with_what_is_differentiated():
    w, a = Variable(2.0), np.ones(3)
    for _ in range(3):
        before = a.copy()
        with GradientTape() as t:
            a *= w
            y = np.sum(a ** 2)
        assert float(t.gradient(y, w)) == np.sum(2.0 * before ** 2 * 2.0)


def test_a_function_that_writes_into_its_argument():
    def f(a, w):
        a[0] = a[0] * w
        return np.sum(a)

    w, a = Variable(3.0), np.array([2.0, 1.0])
    for _ in range(2):
        before = a[0]
        with GradientTape() as t:
            y = f(a, w)
        assert float(t.gradient(y, w)) == before


def test_changed_after_the_block():
    w, a = Variable(1.0), np.array([1.0, 2.0])
    with GradientTape() as t:
        y = np.sum(a * a) * w
    a[:] = 0.0
    with pytest.raises(s2s.ReplayError, match=r"the block gives .* where it gave") as found:
        t.gradient(y, w)
    assert "with GradientTape() as t:" in str(found.value)


def test_draws_happen_once_and_repeat():
    w = Variable(1.0)
    rng, same = np.random.default_rng(1), np.random.default_rng(1)
    for _ in range(3):
        with GradientTape() as t:
            x = rng.normal(size=4)
            y = np.sum(w * x * x)
        assert float(t.gradient(y, w)) == np.sum(same.normal(size=4) ** 2)
    assert rng.random() == same.random()


def test_draws_in_functions():
    w, rng, same = Variable(1.0), np.random.default_rng(1), np.random.default_rng(1)

    def dropped(x):
        return x * (rng.random(3) < 0.5)

    for _ in range(3):
        with GradientTape() as t:
            y = np.sum(dropped(w * np.ones(3))) + 10.0 * np.sum(dropped(w * np.ones(3)))
        first, second = (np.sum(same.random(3) < 0.5) for _ in range(2))
        assert float(t.gradient(y, w)) == first + 10.0 * second
    assert rng.random() == same.random()


def test_draws_of_the_modules():
    w, found = Variable(1.0), []
    np.random.seed(0)  # noqa: NPY002
    random.seed(0)
    for _ in range(3):
        with GradientTape() as t:
            y = w * np.random.normal() + w * random.random() * np.random.rand()  # noqa: NPY002
        found.append(float(t.gradient(y, w)))
    np.random.seed(0)  # noqa: NPY002
    random.seed(0)
    for g in found:
        assert g == np.random.normal() + random.random() * np.random.rand()  # noqa: NPY002


def test_a_shuffle_is_not_repeated():
    w, rng = Variable(1.0), np.random.default_rng(0)
    for _ in range(2):
        order = np.arange(5)
        with GradientTape() as t:
            rng.shuffle(order)
            y = np.sum(w * order[:2])
        kept = order.copy()
        assert float(t.gradient(y, w)) == np.sum(kept[:2])
        np.testing.assert_array_equal(order, kept)


def test_iterators_advance_once():
    w = Variable(1.0)
    data = iter([(np.array([1.0, 2.0]), 3.0), (np.array([3.0, 4.0]), 5.0), (np.array([5.0, 6.0]), 6.0)])
    for k in range(3):
        with GradientTape() as t:
            x, y = next(data)
            loss = np.sum(w * x) - y
        assert float(t.gradient(loss, w)) == 4 * k + 3


def test_an_iterator_in_a_loop_is_refused():
    w, data = Variable(1.0), iter([1.0, 2.0])
    with GradientTape() as t:
        s = 0.0
        for _ in range(2):
            s = s + w * next(data)
    with pytest.raises(s2s.S2SError, match="next") as found:
        t.gradient(s, w)
    assert "s = s + w * next(data)" in str(found.value)


def test_files_and_time(tmp_path):
    w = Variable(2.0)
    (tmp_path / "number").write_text("3.5")
    np.save(tmp_path / "array.npy", np.array([1.0, 2.0]))
    with GradientTape() as t:
        a = np.load(tmp_path / "array.npy")
        x = float(open(tmp_path / "number").read())
        now = time.time()
        y = np.sum(w * a) + w * x + w * now
    (tmp_path / "number").unlink()
    (tmp_path / "array.npy").unlink()
    assert float(t.gradient(y, w)) == pytest.approx(6.5 + now)


def test_a_file_read_on_the_way_is_refused(tmp_path):
    w = Variable(2.0)
    (tmp_path / "number").write_text("3.5")
    with GradientTape() as t:
        y = w * float(open(tmp_path / "number").read())
    with pytest.raises(s2s.S2SError):
        t.gradient(y, w)


def test_a_call_that_is_given_what_is_differentiated():
    w = Variable(2.0)
    with GradientTape() as t:
        a = w * 3.0
        b = float(str(float(a)))
        y = a * b
    with pytest.raises(s2s.S2SError, match=r"str|text|number"):
        t.gradient(y, w)


def test_effects_happen_once(capsys):
    w, log = Variable(2.0), []
    with GradientTape() as t:
        y = w * w
        print(f"{float(y):.1f}")
        log.append(float(y))
        assert y > 0
    assert float(t.gradient(y, w)) == 4.0
    assert log == [4.0] and capsys.readouterr().out == "4.0\n"


def test_variables_assigned_in_the_block():
    w, v = Variable(3.0), Variable(1.0)
    with GradientTape() as t:
        v.assign_add(1.0)
        y = w * v
        v.assign_add(5.0)
    assert float(t.gradient(y, w)) == 2.0 and float(v) == 7.0


def test_a_source_assigned_in_the_block_is_refused():
    v = Variable(2.0)
    with GradientTape() as t:
        y = v * v
        v.assign(3.0)
        z = y * v
    with pytest.raises(s2s.UnsupportedSyntaxError, match="is assigned in the block and is a source"):
        t.gradient(z, v)


def test_lists_of_the_block():
    w = Variable(2.0)
    with GradientTape(persistent=True) as t:
        kept, x = [], 1.0
        for _ in range(3):
            x = x * w
            kept.append(x)
        y = sum(kept)
        scaled = [w * k for k in range(4)]
    assert float(t.gradient(y, w)) == 17.0
    assert float(t.gradient(kept[1], w)) == 4.0
    assert float(t.gradient(scaled, w)) == 6.0
    assert float(t.gradient(scaled[3], w)) == 3.0


def test_a_list_from_outside_that_grows_is_refused():
    w, kept = Variable(2.0), [1.0]
    with GradientTape() as t:
        kept.append(w * 3.0)
        y = kept[0] * kept[1]
    with pytest.raises(s2s.S2SError, match="append"):
        t.gradient(y, w)


def test_statements_that_do_not_matter_may_be_anything():
    w = Variable(2.0)
    with GradientTape() as t:
        y = w * w
        try:
            text = str(y)
        except ValueError:
            text = ""
        words = {text.lower(): 1}
        z = 2.0 * y
    assert float(t.gradient(z, w)) == 8.0 and words


def test_modes_of_leaving():
    w = Variable(3.0)

    def returns():
        with GradientTape() as t:
            return w * w, t

    y, t = returns()
    assert float(t.gradient(y, w)) == 6.0
    for k in range(3):
        with GradientTape() as t:
            y = w * w
            if k == 1:
                break
            y = y * w
    assert float(t.gradient(y, w)) == 6.0


def test_an_exception_of_the_block():
    w = Variable(3.0)
    error = KeyError("mine")
    with pytest.raises(KeyError) as found:  # noqa: PT012
        with GradientTape() as t:
            y = w * w
            raise error
            y = y * w
    assert found.value is error and error.__context__ is None
    assert float(t.gradient(y, w)) == 6.0
