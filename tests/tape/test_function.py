"""`s2s.function`: blocks in a compiled function run once, their gradients are code in place."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import s2s
from s2s import GradientTape, Variable, constant

NUMBA = importlib.util.find_spec("numba") is not None
X = np.random.default_rng(0).normal(size=(20, 3))
Y = X @ [1.0, 2.0, 3.0] + 4.0


def training(target):
    w, b = Variable(np.zeros(3)), Variable(0.0)

    @s2s.function(target=target)
    def step(x, y):
        with GradientTape() as tape:
            loss = np.mean((x @ w + b - y) ** 2)
        for gradient, variable in zip(tape.gradient(loss, [w, b]), [w, b], strict=True):
            variable.assign_sub(0.1 * gradient)
        return loss

    losses = [float(step(X, Y)) for _ in range(100)]
    return losses, w, b, step


def test_a_training_step():
    losses, _, _, step = training("python")
    assert losses[-1] < 1e-3 * losses[0]
    lines = [line.strip() for line in step.source.splitlines() if "np.mean" in line]
    assert [line[0] for line in lines] == ["l", "#"], "the block runs once"
    assert len(step.signatures) == 1


@pytest.mark.cpu
@pytest.mark.skipif(not NUMBA, reason="numba is not installed")
def test_a_training_step_on_cpu():
    losses, w, b, _ = training("cpu")
    plain, v, c, _ = training("python")
    np.testing.assert_allclose(losses, plain, rtol=1e-9)
    np.testing.assert_allclose(w.numpy(), v.numpy(), rtol=1e-9)
    np.testing.assert_allclose(b.numpy(), c.numpy(), rtol=1e-9)


def test_a_training_loop_inside():
    w = Variable(np.zeros(3))

    @s2s.function
    def train(x, y, steps):
        loss = 0.0
        for _ in range(steps):
            with GradientTape() as tape:
                loss = np.mean((x @ w - y) ** 2)
            w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    train(X, X @ [1.0, 2.0, 3.0], 300)
    np.testing.assert_allclose(w.numpy(), [1.0, 2.0, 3.0], atol=1e-6)


def test_draws_and_prints_happen_once(capsys):
    w, rng = Variable(2.0), np.random.default_rng(0)

    @s2s.function
    def step():
        with GradientTape() as tape:
            x = rng.normal(size=3)
            y = np.sum(w * x * x)
            print("once")
        return y, tape.gradient(y, w)

    y, g = step()
    assert float(y) == 2.0 * float(g) and capsys.readouterr().out == "once\n"
    np.testing.assert_array_equal(rng.normal(size=3), np.random.default_rng(0).normal(size=6)[3:])


def test_gradients_of_functions_with_tapes():
    def slope(x):
        with GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
        return tape.gradient(y, x)

    assert float(s2s.grad(slope)(2.0)) == 12.0
    assert float(s2s.grad(s2s.grad(slope))(2.0)) == 6.0
    value, tangent = s2s.jvp(slope, (2.0,), (1.0,))
    assert float(value) == 12.0 and float(tangent) == 12.0
    assert s2s.hessian(lambda x: np.sum(slope(x)))(np.array([1.0, 2.0])).tolist() == [[6.0, 0.0], [0.0, 6.0]]


def test_a_gradient_function_in_a_block():
    f = s2s.grad(lambda x: x ** 4)
    x = constant(2.0)
    with GradientTape() as t:
        t.watch(x)
        y = f(x)
    assert float(t.gradient(y, x)) == 48.0


def test_a_compiled_function_in_a_block_is_refused_or_right():
    w = Variable(3.0)

    @s2s.function
    def square(x):
        return w * x * x

    with GradientTape() as t:
        y = square(w)
    try:
        g = t.gradient(y, w)
    except s2s.S2SError:
        return
    assert float(g) == 27.0


@pytest.mark.parametrize("persistent", [False, True])
def test_everything_that_a_tape_has(persistent):
    @s2s.function
    def f(x, c):
        with GradientTape(persistent=True) as t:
            t.watch(x)
            y = x * x * c
            with t.stop_recording():
                s = y * y
            z = s * x + y
        return t.gradient(z, [x, c], unconnected_gradients="zero"), t.gradient(z, y), t.gradient(s, x)

    (dx, dc), dy, none = f(2.0, 3.0)
    assert [float(dx), float(dc), float(dy), none] == [144.0 + 12.0, 0.0, 1.0, None]


def test_reset_watched_variables_and_weights():
    w, v = Variable(2.0), Variable(np.array([1.0, 2.0]))

    @s2s.function
    def f():
        with GradientTape() as t:
            a = w * w
            t.reset()
            y = v * w + a
        return t.gradient(y, t.watched_variables(), output_gradients=np.array([1.0, 10.0]))

    dw, dv = f()
    assert float(dw) == 21.0 and dv.tolist() == [2.0, 20.0]


def test_asked_in_a_branch_and_in_a_loop():
    @s2s.function
    def f(x, n):
        with GradientTape(persistent=True) as t:
            t.watch(x)
            y = x * x
        total = 0.0
        if n > 0:
            total = t.gradient(y, x)
        for k in range(n):
            total = total + k * t.gradient(y, x)
        return total

    assert float(f(3.0, 4)) == 6.0 + 36.0 and float(f(3.0, 0)) == 0.0


def test_refusals():
    w = Variable(2.0)

    @s2s.function
    def twice():
        with GradientTape() as t:
            y = w * w
        return t.gradient(y, w), t.gradient(y, w)

    with pytest.raises(RuntimeError, match="persistent"):
        twice()

    @s2s.function
    def writes(a):
        with GradientTape() as t:
            a[0] = w * 2.0
            y = np.sum(a)
        return t.gradient(y, w)

    with pytest.raises(s2s.UnsupportedSyntaxError, match="made before the block"):
        writes(np.ones(2))

    @s2s.function
    def watches(x):
        with GradientTape() as t:
            if x > 0.0:
                t.watch(x)
            y = x * x
        return t.gradient(y, x)

    with pytest.raises(s2s.UnsupportedSyntaxError, match=r"watch\(\) in a loop or branch"):
        watches(2.0)

    @s2s.function
    def rows(x):
        with GradientTape() as t:
            t.watch(x)
            y = x * x
        return t.jacobian(y, x)

    with pytest.raises(s2s.UnsupportedSyntaxError, match="jacobian"):
        rows(np.ones(2))


def test_results_of_all_kinds():
    @s2s.function
    def nothing(x):
        print(end="")

    @s2s.function
    def structure(x, flag):
        return {"a": x * 2.0, "b": [x, None, "text"]} if flag else x

    assert nothing(1.0) is None and nothing(2.0) is None
    assert structure(2.0, True) == {"a": 4.0, "b": [2.0, None, "text"]}
    assert float(structure(2.0, False)) == 2.0


def test_weights_of_some_targets_and_of_other_dtypes():
    x = np.array([1.0, 2.0])

    @s2s.function
    def f(x, n):
        with GradientTape() as t:
            t.watch(x)
            a, b, c = x * x, 3.0 * x, x[0] * x[1]
        return t.gradient([a, b, c], x, output_gradients=[None, n * np.ones(2), 2.0 * n]), a

    assert f(x, 2)[0].tolist() == [2.0 + 6.0 + 8.0, 4.0 + 6.0 + 4.0]
    v = Variable(np.float32([1.0, 2.0]))
    with GradientTape() as t:
        a, b = v * v, np.sum(v)
    g = t.gradient([a, b], v, output_gradients=[np.array([1.0, 2.0]), None])
    assert g.dtype == np.float32 and g.tolist() == [3.0, 9.0]
