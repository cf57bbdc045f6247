"""Blocks where a gradient could be that of something else: each of these has been, or might be, wrong."""

from __future__ import annotations

import numpy as np
import pytest

import s2s
from s2s import GradientTape, Variable, constant

COUNT = 0
SCALE = 2.0


def test_a_global_that_a_function_of_the_block_rebinds():
    w = Variable(3.0)

    def f(x):
        global COUNT
        COUNT += 1
        return x * COUNT

    before = COUNT
    for k in range(3):
        with GradientTape() as t:
            y = f(w)
        assert float(t.gradient(y, w)) == before + k + 1
    assert before + 3 == COUNT


def test_a_global_that_the_block_rebinds_and_a_function_reads():
    global SCALE
    w = Variable(3.0)

    def f(x):
        return x * SCALE

    for _ in range(3):
        before = SCALE
        with GradientTape() as t:
            SCALE = SCALE + 1.0
            y = f(w)
        SCALE = SCALE * 10.0
        assert float(t.gradient(y, w)) == before + 1.0


def test_a_variable_of_a_closure_that_the_block_rebinds():
    w, c = Variable(3.0), 1.0

    def f(x):
        return x * c

    for _ in range(3):  # in the second iteration the value is the one that it is bound to, and yet depends on w
        with GradientTape() as t:
            c = w * 2.0
            y = f(w)
        assert float(t.gradient(y, w)) == 12.0


def test_a_function_of_another_activation():
    w = Variable(3.0)

    def make(c):
        def f(x):
            return x * c

        def run(g):
            nonlocal c
            with GradientTape() as t:
                c = w * 2.0
                y = g(w)
            return t, y
        return f, run

    (f, _), (_, run) = make(5.0), make(7.0)
    t, y = run(f)
    try:
        assert float(t.gradient(y, w)) == 5.0
    except s2s.UnsupportedSyntaxError as error:
        assert "whether it is the same variable" in str(error)  # noqa: PT017


def test_intermediate_values_stay_apart():
    w = Variable(2.0)
    with GradientTape(persistent=True) as t:
        ys = [a * w for a in (1.0, 2.0)]
        same = ys[0] * 1.0
        z = ys[1] * w
        u = same * ys[0]
    assert float(t.gradient(z, ys[1])) == 2.0
    assert float(t.gradient(u, same)) == 2.0 and float(t.gradient(u, ys[0])) == 4.0
    assert float(t.gradient(u, w)) == 4.0


def test_equal_expressions_recorded_and_not():
    w = Variable(2.0)
    with GradientTape() as a:
        with GradientTape() as b:
            y = w * w * w
            with a.stop_recording():
                g0 = y * 1.0
                again = w * w * w
        g = b.gradient(y, w)
        z = g * w + (g0 + again) * w
    assert float(a.gradient(z, w)) == 36.0 + 16.0


@pytest.mark.parametrize("order", [0, 1])
def test_the_kind_of_input_changes(order):
    w = Variable(2.0)
    inputs = [np.ones(3), np.ones((2, 2)), 3.0, np.float32([1.0, 2.0]), np.ones(3), 2]
    for x in inputs[::-1] if order else inputs:
        with GradientTape() as t:
            y = np.sum(w * x)
        assert float(t.gradient(y, w)) == np.sum(x)


def test_flags_that_change():
    class Options:
        training, power = True, 3

    w, options = Variable(2.0), Options()
    for k in range(6):
        options.training, options.power = k % 2 == 0, k // 2 + 1
        with GradientTape() as t:
            y = w ** options.power if options.training else w * 5.0
            for _ in range(options.power):
                y = y * 2.0
        p = options.power
        assert float(t.gradient(y, w)) == (p * 2.0 ** (p - 1) if options.training else 5.0) * 2.0 ** p


def test_one_call_that_asks_for_different_things():
    w, v, u = Variable(2.0), Variable(3.0), Variable(5.0)

    def ask(tape, target, sources):
        return [g if g is None else float(g) for g in tape.gradient(target, sources)]

    for order in ([w, v], [v, w], [w, u], [u, w], [u], [w, v, u]):
        with GradientTape(persistent=True) as t:
            y, z = w * v, w * w
        assert ask(t, y, order) == [{id(w): 3.0, id(v): 2.0}.get(id(o)) for o in order]
        assert ask(t, z, order) == [{id(w): 4.0}.get(id(o)) for o in order]


def test_models_that_take_turns():
    class Model:
        def __init__(self, value):
            self.w = Variable(value)

    models = [Model(2.0), Model(3.0)]
    for k in (0, 1, 0, 1):
        m = models[k]
        with GradientTape() as t:
            y = m.w * m.w
        found = t.gradient(y, [x.w for x in models])
        assert float(found[k]) == 2.0 * float(m.w) and found[1 - k] is None


def test_blocks_that_are_active_at_once():
    w = Variable(2.0)

    def recursive(n):
        with GradientTape() as t:
            y = w * float(n)
            inner = recursive(n - 1) if n else ()
            z = y * w
        return (float(t.gradient(z, w)), *inner)

    assert recursive(3) == (12.0, 8.0, 4.0, 0.0)


def test_tapes_that_interleave():
    w = Variable(2.0)
    a, b = GradientTape(persistent=True), GradientTape()
    with a:
        y = w * w
        with b:
            z = y * w
        u = z * y
    assert [float(g) for g in (a.gradient(u, w), b.gradient(z, w), a.gradient(u, z))] == [80.0, 4.0, 4.0]


def test_targets_that_are_no_numbers():
    w = Variable(2.0)
    with GradientTape(persistent=True) as t:
        y, n, text = w * w, 3, "a"
    assert t.gradient(n, w) is None and t.gradient(text, w) is None
    assert float(t.gradient([y, text, n, None], w)) == 4.0


def test_views():
    w = Variable(np.array([1.0, 2.0, 3.0]))
    with GradientTape(persistent=True) as t:
        y = w * w
        v = y[1:]
    assert t.gradient(v, w).tolist() == [0.0, 4.0, 6.0] and t.gradient(v, y).tolist() == [0.0, 1.0, 1.0]
    after = y[:2]
    assert t.gradient(after, w) is None


def test_what_is_stored_into_a_container_from_outside_is_refused():
    w, d, m = Variable(2.0), {"h": 1.0}, [1.0]
    with GradientTape(persistent=True) as t:
        d["h"] = d["h"] * w
        m[0] = m[0] * w
        y, z = d["h"] * w, m[0] * w
    for target in (y, z):
        with pytest.raises(s2s.UnsupportedSyntaxError, match="store into"):
            t.gradient(target, w)


def test_where_the_tape_is_bound():
    class Holder:
        pass

    w, holder, table = Variable(2.0), Holder(), {}
    with GradientTape() as holder.tape:
        y = w * w
    with GradientTape() as table["tape"]:
        z = w * w * w
    assert float(holder.tape.gradient(y, w)) == 4.0 and float(table["tape"].gradient(z, w)) == 12.0


def test_a_value_that_is_none_on_another_path():
    w = Variable(2.0)
    for flag in (True, False, True):
        with GradientTape() as t:
            y = w * w if flag else None
        if flag:
            assert float(t.gradient(y, w)) == 4.0


def test_watch_of_an_element_that_no_name_stands_for_is_refused():
    @s2s.function
    def f(xs, k):
        with GradientTape() as t:
            t.watch(xs[k])
            y = xs[0] * xs[1]
        return t.gradient(y, xs[k])

    with pytest.raises(s2s.UnsupportedSyntaxError, match="no name stands for"):
        f((constant(1.0), constant(2.0)), 1)


def test_attributes_of_objects_that_a_loop_goes_over():
    class Layer:
        def __init__(self):
            self.w, self.kept = Variable(2.0), None

        def __call__(self, x):
            self.kept = self.w * x
            return self.kept * 2.0

    layers = [Layer(), Layer()]
    for _ in range(2):
        with GradientTape(persistent=True) as t:
            x = 1.0
            for layer in layers:
                x = layer(x)
        assert float(t.gradient(x, layers[0].w)) == 8.0 and float(t.gradient(x, layers[0].kept)) == 8.0
        assert float(t.gradient(layers[1].kept, layers[0].w)) == 4.0


def test_what_is_asked_inside_does_not_disturb():
    x = constant([1.0, 2.0])
    with GradientTape(persistent=True) as t:
        t.watch(x)
        y = x * x
        rows = t.jacobian(y, x)
        seen = t.watched_variables()
        z = np.sum(y * x)
    assert rows.tolist() == [[2.0, 0.0], [0.0, 4.0]] and seen == ()
    assert t.gradient(z, x).tolist() == [3.0, 12.0]
