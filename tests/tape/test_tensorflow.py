"""What TensorFlow documents and tests of its GradientTape, restated for NumPy values: each behaviour is one test."""

from __future__ import annotations

from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import s2s
from s2s import GradientTape, Variable, constant


def numbers(x):
    if isinstance(x, list | tuple):
        return [numbers(v) for v in x]
    return None if x is None else np.asarray(x).tolist()


def test_several_targets_are_summed():
    x, y = constant(3.0), constant(2.0)
    with GradientTape() as t:
        t.watch([x, y])
        a = x * x
        b = x * y
    assert numbers(t.gradient([a, b], [x, y])) == [8.0, 3.0]


def test_a_target_that_is_a_source():
    x = constant(3.0)
    with GradientTape(persistent=True) as t:
        t.watch(x)
        y = x * x
    assert numbers(t.gradient(x, x)) == 1.0
    assert numbers(t.gradient([x, y], x)) == 7.0
    assert numbers(t.gradient([y, y], x)) == 12.0
    assert numbers(t.gradient([x, y], [x, y])) == [7.0, 1.0]


def test_targets_that_are_all_sources():
    x, y = constant(3.0), constant(5.0)
    with GradientTape() as t:
        t.watch([x, y])
        z = y * y
    assert numbers(t.gradient([x, y, z], [x, y])) == [1.0, 11.0]


def test_an_alias_of_a_source_is_that_source():
    x = constant(3.0)
    with GradientTape() as t:
        t.watch(x)
        y = x
    assert numbers(t.gradient([y, y], x)) == 2.0


def test_an_intermediate_value_as_source():
    x = constant(3.0)
    with GradientTape(persistent=True) as t:
        t.watch(x)
        y = x * x
        z = y * y
    assert numbers(t.gradient(z, x)) == 108.0
    assert numbers(t.gradient(z, y)) == 18.0
    assert numbers(t.gradient(z, [y, x])) == [18.0, 108.0]
    assert numbers(t.gradient(y, x)) == 6.0
    assert t.gradient(y, z) is None


def test_output_gradients():
    x = constant([1.0, 2.0, 3.0])
    with GradientTape(persistent=True) as t:
        t.watch(x)
        y = x * x
        z = 3.0 * x
    assert numbers(t.gradient(y, x, output_gradients=np.array([1.0, 0.0, 2.0]))) == [2.0, 0.0, 12.0]
    assert numbers(t.gradient([y, z], x, output_gradients=[None, np.array([1.0, 1.0, 0.0])])) == [5.0, 7.0, 6.0]


def test_output_gradients_of_another_shape():
    x = constant([1.0, 2.0, 3.0])
    with GradientTape() as t:
        t.watch(x)
        y = x * x
    with pytest.raises(s2s.ShapeError, match="output_gradients has shape"):
        t.gradient(y, x, output_gradients=np.ones(2))


def test_a_tape_gives_one_gradient():
    x = constant(3.0)
    with GradientTape() as t:
        t.watch(x)
        y = x * x
        z = y * y
    t.gradient(z, [x])
    with pytest.raises(RuntimeError, match="persistent"):
        t.gradient(y, [x])


def test_a_persistent_tape_gives_many():
    x, y = constant(3.0), constant(4.0)
    with GradientTape(persistent=True) as t:
        t.watch([x, y])
        z = x * x + y * x
    for _ in range(3):
        assert numbers(t.gradient(z, [x, y])) == [10.0, 3.0]


def test_stop_recording():
    x = constant(3.0)
    with GradientTape(persistent=True) as t:
        t.watch(x)
        y = x * x
        with t.stop_recording():
            z = y * y
        w = z * x
    assert t.gradient(z, x) is None
    assert numbers(t.gradient(w, x)) == 81.0
    assert numbers(t.gradient(y, x)) == 6.0


def test_gradient_inside_stop_recording():
    x = Variable(2.0)
    with GradientTape(persistent=True) as t:
        y = x * x
        with t.stop_recording():
            g = t.gradient(y, x)
        z = y * g
    assert numbers(g) == 4.0
    assert numbers(t.gradient(z, x)) == 16.0


def test_stop_recording_outside_the_block():
    t = GradientTape()
    with pytest.raises(ValueError, match="not recording"):
        with t.stop_recording():
            pass


def test_reset():
    v = Variable(1.0)
    with GradientTape() as t:
        loss = v * v
        t.reset()
        loss += v * v
    assert numbers(t.gradient(loss, v)) == 2.0


def test_reset_forgets_what_was_watched():
    x = constant(2.0)
    with GradientTape() as t:
        t.watch(x)
        t.reset()
        y = x * x
    assert t.gradient(y, x) is None


def test_structure_of_sources():
    x, y, z = constant(1.0), constant(2.0), constant(3.0)
    pair = namedtuple("pair", "a b")
    with GradientTape(persistent=True) as t:
        t.watch([x, y, z])
        w = x + 2.0 * y + 3.0 * z
    assert numbers(t.gradient(w, [x, y, z])) == [1.0, 2.0, 3.0]
    assert t.gradient(w, (x, [y])) == (1.0, [2.0])
    assert t.gradient(w, {"x": x, "inner": {"z": z}}) == {"x": 1.0, "inner": {"z": 3.0}}
    assert list(t.gradient(w, OrderedDict(b=y, a=x))) == ["b", "a"]
    found = t.gradient(w, pair(x, y))
    assert isinstance(found, pair) and found.b == 2.0
    assert t.gradient(w, []) == []


def test_repeated_sources():
    x = constant(3.0)
    with GradientTape(persistent=True) as t:
        t.watch(x)
        y = 2.0 * x
    for _ in range(2):
        assert numbers(t.gradient(y, [x, x])) == [2.0, 2.0]


def test_watching_belongs_to_a_tape():
    x1, x2 = Variable(2.0, trainable=False), Variable(2.0, trainable=False)
    with GradientTape() as tape1:
        with GradientTape() as tape2:
            tape1.watch(x1)
            tape2.watch([x1, x2])
            y = x1 ** 3
            z = x2 ** 2
            dy, dz = tape2.gradient([y, z], [x1, x2])
            d2y, d2z = tape1.gradient([dy, dz], [x1, x2])
    assert numbers([dy, dz]) == [12.0, 4.0]
    assert numbers(d2y) == 12.0 and d2z is None


def test_tapes_that_watch_different_things():
    x1, x2 = Variable(2.0, trainable=False), Variable(2.0, trainable=False)
    with GradientTape() as tape1, GradientTape() as tape2:
        tape1.watch(x1)
        tape2.watch([x1, x2])
        y = x1 ** 3
        z = x2 ** 2
    assert numbers(tape1.gradient([y, z], [x1, x2])) == [12.0, None]
    assert numbers(tape2.gradient([y, z], [x1, x2])) == [12.0, 4.0]


def test_unconnected_gradients_none():
    x, y = constant(1.0), constant(3.0)
    with GradientTape() as t:
        t.watch([x, y])
        z = y * 2.0
    assert t.gradient(z, x, unconnected_gradients="none") is None


def test_unconnected_gradients_zero():
    x, y = constant([[1.0, 1.0]]), constant(3.0)
    with GradientTape() as t:
        t.watch([x, y])
        z = y * 2.0
    assert numbers(t.gradient(z, x, unconnected_gradients="zero")) == [[0.0, 0.0]]


def test_unconnected_gradients_of_a_variable():
    v, w = Variable(1.0), Variable(2.0)
    with GradientTape(persistent=True) as t:
        z = w * w
    assert t.gradient(z, v) is None
    assert numbers(t.gradient(z, [v, w], unconnected_gradients="zero")) == [0.0, 4.0]


def test_unconnected_gradients_unknown_value():
    x = constant(1.0)
    with GradientTape() as t:
        t.watch(x)
        z = x * 2.0
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'nonsense'"):
        t.gradient(z, x, unconnected_gradients="nonsense")


def test_what_is_not_watched_has_no_gradient():
    x, c = constant(2.0), constant(5.0)
    with GradientTape() as t:
        t.watch(x)
        y = x * c
    assert numbers(t.gradient(y, [x, c])) == [5.0, None]


def test_selective_watching():
    v, w = Variable(2.0), Variable(3.0)
    with GradientTape(watch_accessed_variables=False) as t:
        t.watch(w)
        y = v * w
    assert numbers(t.gradient(y, [v, w])) == [None, 2.0]


def test_not_trainable_is_not_watched():
    v, w = Variable(2.0, trainable=False), Variable(3.0)
    with GradientTape() as t:
        y = v * w
    assert numbers(t.gradient(y, [v, w])) == [None, 2.0]


def test_watched_variables():
    v, w, unused = Variable(2.0), Variable(3.0), Variable(1.0)
    with GradientTape() as t:
        assert t.watched_variables() == ()
        a = v * v
        assert [x is v for x in t.watched_variables()] == [True]
        b = w * v
        assert len(t.watched_variables()) == 2
    assert [x is y for x, y in zip(t.watched_variables(), (v, w), strict=True)] == [True, True]
    assert a + b + unused == 11.0


def test_watched_variables_made_in_the_block():
    with GradientTape() as t:
        assert len(t.watched_variables()) == 0
        v = Variable(1.0)
        assert len(t.watched_variables()) == 0
        y = v + v
        assert [x is v for x in t.watched_variables()] == [True]
    assert numbers(t.gradient(y, v)) == 2.0


def test_explicitly_watched_variables():
    with GradientTape(watch_accessed_variables=False) as t:
        v = Variable(1.0)
        t.watch(v)
        assert [x is v for x in t.watched_variables()] == [True]
        w = Variable(1.0)
        y = v * w
    assert [x is v for x in t.watched_variables()] == [True]
    assert numbers(t.gradient(y, [v, w])) == [1.0, None]


def test_entered_again_the_record_goes_on():
    x = constant(3.0)
    t = GradientTape()
    with t:
        t.watch(x)
        y = x * x
    with t:
        z = y * y
    assert numbers(t.gradient(z, x)) == 108.0


def test_between_two_blocks_nothing_is_recorded():
    x = constant(3.0)
    t = GradientTape(persistent=True)
    with t:
        t.watch(x)
        y = x * x
    outside = y * 1.0
    with t:
        z = outside * x
    assert numbers(t.gradient(z, x)) == 9.0


def test_entering_itself():
    w = Variable(2.0)
    t = GradientTape()
    with t:
        y = w * w
        with pytest.raises(ValueError, match="recording already"):
            with t:
                pass
    assert numbers(t.gradient(y, w)) == 4.0


def test_persistent_higher_order():
    x = constant(3.0)
    with GradientTape(persistent=True) as t:
        t.watch(x)
        y = x ** 3
        first = t.gradient(y, x)
        second = t.gradient(first, x)
    assert numbers([first, second]) == [27.0, 18.0]
    assert numbers(t.gradient(second, x)) == 6.0


def test_the_gradient_of_a_linear_function_has_none():
    x = constant(3.0)
    with GradientTape(persistent=True) as t:
        t.watch(x)
        y = 2.0 * x
        first = t.gradient(y, x)
    assert numbers(first) == 2.0
    assert t.gradient(first, x) is None


def test_nested_tapes():
    x = constant(3.0)
    with GradientTape() as outer:
        outer.watch(x)
        with GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        dy = inner.gradient(y, x)
    assert numbers([dy, outer.gradient(dy, x)]) == [27.0, 18.0]


def test_an_inner_gradient_used_in_the_outer_block():
    x = constant(3.0)
    with GradientTape() as g:
        g.watch(x)
        y = x * x
        with GradientTape() as gg:
            gg.watch(y)
            z = 2.0 * y
        inner = gg.gradient(z, [y])[0]
        assert inner == 2.0
        y += inner
    assert numbers(g.gradient(y, [x])[0]) == 6.0


def test_persistent_nested_tapes():
    with GradientTape(persistent=True) as g:
        x = constant(3.0)
        g.watch(x)
        y = x * x
        with GradientTape(persistent=True) as gg:
            gg.watch(y)
            z = 2.0 * y
        for _ in range(2):
            inner = gg.gradient(z, [y])[0]
            assert inner == 2.0
        y += inner
        del gg
    assert numbers(g.gradient(y, [x])) == [6.0]
    assert numbers(g.gradient(z, [x])) == [12.0]


def test_equal_constants_are_distinct():
    x, y = constant(3.0), constant(3.0)
    with GradientTape() as t:
        t.watch([x, y])
        z = x * x * y
    assert numbers(t.gradient(z, [x, y])) == [18.0, 9.0]


def test_jacobian():
    x = constant([1.0, 2.0])
    with GradientTape(persistent=True) as t:
        t.watch(x)
        y = x ** 2 * x[0]
        s = np.sum(x)
    assert numbers(t.jacobian(y, x)) == [[3.0, 0.0], [4.0, 4.0]]
    assert numbers(t.jacobian(s, x)) == [1.0, 1.0]


def test_jacobian_of_several_sources():
    x, w, other = constant([1.0, 2.0]), Variable(np.ones((2, 2))), Variable(1.0)
    with GradientTape() as t:
        t.watch(x)
        y = w @ x
    dx, dw, none = t.jacobian(y, [x, w, other])
    assert numbers(dx) == [[1.0, 1.0], [1.0, 1.0]] and dw.shape == (2, 2, 2) and none is None


def test_jacobian_unconnected_zero():
    x, y = constant([1.0, 2.0]), constant([1.0, 2.0, 3.0])
    with GradientTape() as t:
        t.watch([x, y])
        z = x * x
    assert t.jacobian(z, y, unconnected_gradients="zero").shape == (2, 3)


def test_batch_jacobian():
    x = constant([[1.0, 2.0], [3.0, 4.0]])
    with GradientTape() as t:
        t.watch(x)
        y = x * x
    assert numbers(t.batch_jacobian(y, x)) == [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]


def test_batch_jacobian_of_other_shapes():
    x = constant([[1.0, 2.0], [3.0, 4.0]])
    with GradientTape(persistent=True) as t:
        t.watch(x)
        y = np.sum(x * x, axis=0)[:1]
        s = np.sum(x)
    with pytest.raises(ValueError, match="Need first dimension of target shape"):
        t.batch_jacobian(y, x)
    with pytest.raises(ValueError, match="Need first dimension of target shape"):
        t.batch_jacobian(s, x)


def test_batch_jacobian_unconnected_zero():
    x = constant(np.ones((2, 3), np.float32))
    with GradientTape(persistent=True) as t:
        t.watch(x)
        y = constant(np.ones((2, 2), np.float32)) * 2.0
    assert t.batch_jacobian(y, x) is None
    zeros = t.batch_jacobian(y, x, unconnected_gradients="zero")
    assert zeros.dtype == np.float32 and zeros.shape == (2, 2, 3)


@pytest.mark.parametrize(("value", "gradient"), [(3.0, 6.0), (-3.0, 27.0)])
def test_branches(value, gradient):
    x = constant(value)
    with GradientTape() as t:
        t.watch(x)
        if x > 0:
            y = x * x
        else:
            y = x * x * x
    assert numbers(t.gradient(y, x)) == gradient


def test_loops():
    x = constant(2.0)
    with GradientTape(persistent=True) as t:
        t.watch(x)
        y = x
        for _ in range(3):
            y = y * x
        z = constant(1.0)
        n = 0
        while n < 4:
            z = z * x
            n += 1
    assert numbers([t.gradient(y, x), t.gradient(z, x)]) == [32.0, 32.0]


def test_max_of_python():
    x, y = constant(2.0), constant(5.0)
    with GradientTape() as t:
        t.watch([x, y])
        z = max(x * x, y)
    assert numbers(t.gradient(z, [x, y])) == [0.0, 1.0]


def test_a_function_with_a_gradient_of_its_own():
    @s2s.custom_gradient
    def f(x):
        def grad(dy):
            return 1000.0 * dy
        return x * x, grad

    x = constant(3.0)
    with GradientTape() as t:
        t.watch(x)
        y = f(x)
    assert numbers(t.gradient(y, x)) == 1000.0


def test_stop_gradient():
    x = constant(3.0)
    with GradientTape() as t:
        t.watch(x)
        y = x * s2s.stop_gradient(x * x)
    assert numbers(t.gradient(y, x)) == 9.0


def test_assigned_after_the_block():
    v = Variable(3.0)
    with GradientTape() as t:
        y = v * v
    v.assign(100.0)
    assert numbers(t.gradient(y, v)) == 6.0


def test_a_gradient_inside_the_block_ends_the_record():
    x = Variable(3.0)
    with GradientTape() as t:
        y = x * x
        g = t.gradient(y, x)
        z = y * x
    assert numbers(g) == 6.0
    with pytest.raises(RuntimeError, match="persistent"):
        t.gradient(z, x)


def test_watch_takes_numbers_only():
    with GradientTape() as t:
        with pytest.raises(TypeError, match="has no gradient"):
            t.watch("text")
        with pytest.raises(TypeError, match="has no gradient"):
            t.watch(3)


def test_a_variable_may_be_watched_after_it_was_read():
    w = Variable(2.0)
    with GradientTape() as t:
        y = w * w
        t.watch(w)
        z = y + 3.0 * w
    assert float(t.gradient(z, w)) == 7.0


def test_watch_counts_from_where_it_stands():
    x = constant(3.0)
    with GradientTape() as t:
        y = x * x
        t.watch(x)
        z = y * x
    assert numbers(t.gradient(z, x)) == 9.0


def test_a_target_from_after_the_block():
    x = Variable(3.0)
    with GradientTape() as t:
        y = x * x
    z = y * 2.0
    assert t.gradient(z, x) is None


def test_never_entered():
    with pytest.raises(RuntimeError, match="recorded nothing"):
        GradientTape().gradient(1.0, Variable(1.0))


@pytest.mark.parametrize("target", ["python", pytest.param("cpu", marks=pytest.mark.cpu)])
def test_a_function_with_a_tape_is_called_again(target):
    w = s2s.Variable(1.0)

    @s2s.function(target=target)
    def step(x):
        with s2s.GradientTape() as tape:
            loss = (w * x) ** 2
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    assert [float(step(1.0)) for _ in range(3)] == pytest.approx([1.0, 0.8**2, 0.8**4])
    assert float(w) == pytest.approx(0.8**3)
