"""Lists and dicts from outside that the function changes: the value, the gradient, and what they hold afterwards."""

from __future__ import annotations

import collections
import copy

import numpy as np
import pytest

import s2s

STATS = {"n": 0, "best": 1e9, "w": np.array([1.0, 2.0])}
MEMO = {}
TWO = [1.0, 2.0]
SUMS = collections.defaultdict(float)
COUNTS = collections.Counter()


class Model:
    def __init__(self):
        self.cache = {}
        self.state = [0.5]

    def step(self, x):
        self.cache["last"] = x * 2.0
        self.state[0] = self.state[0] * 0.5 + x
        return self.cache["last"] + self.state[-1] * x


MODEL = Model()


def counted(x):
    STATS["n"] += 1
    STATS["best"] = min(STATS["best"], x)
    return x**3 * STATS["n"]


def in_attributes(x):
    return MODEL.step(x) + MODEL.step(x * x)


def fibonacci(n, x):
    if n < 2:
        return x * n
    if n in MEMO:
        return MEMO[n]
    MEMO[n] = fibonacci(n - 1, x) + fibonacci(n - 2, x) * x
    return MEMO[n]


def remembered(x):
    MEMO.clear()
    return fibonacci(6, x)


def items_of_a_list(x):
    TWO[0] = TWO[1] * x
    TWO[1] = TWO[0] * x
    return TWO[0] + TWO[1] + sum(TWO)


def missing_keys(x):
    for k in range(3):
        SUMS["k"] += x * k
        COUNTS["c"] += 1
    return SUMS["k"] * COUNTS["c"]


def under_another_name(x):
    stats = STATS
    stats["w"] = stats["w"] * x
    return np.sum(STATS["w"])


def written_and_replaced(x):
    STATS["w"][0] = x
    STATS["w"] = STATS["w"] * x
    return np.sum(STATS["w"] * x)


def on_a_condition(x):
    if x < STATS["best"]:
        STATS["best"] = x * x
    return STATS["best"] * x


def on_a_condition_that_does_not_hold(x):
    if x > STATS["best"]:
        STATS["best"] = x * x
    return STATS["best"] * 1e-9 + x


def in_a_loop(x):
    for k in range(4):
        STATS["n"] += 1
        STATS["best"] = STATS["best"] * 1e-3 + x * k
    return STATS["best"] * STATS["n"]


def updated(x):
    STATS.update(z=x * 2.0, q=3)
    del STATS["q"]
    return STATS["z"] * x * STATS.pop("n", 1.0) + STATS.setdefault("fresh", x)


def extended(x):
    global TWO
    TWO += [x, x * x]
    return sum(TWO)


def appended(x):
    TWO.append(x)
    return TWO[-1] * x + len(TWO)


def in_a_loop_that_reads_it(x, n=3):
    for _ in range(n):
        x = x * TWO[0]
        TWO.append(x)
    return x + sum(TWO)


def attribute_that_is_not_there_at_first(x):
    for k in range(3):
        MODEL.fresh = 0.3 * getattr(MODEL, "fresh", x) * x + k
    return MODEL.fresh


def in_a_nest_that_never_runs(x, n=0):
    for _ in range(n):
        for k in range(n):
            STATS["new"] = x * k
    return x * x


def argument(x, given={"a": 2.0}):  # noqa: B006
    given["b"] = x * x
    return given["b"] * given["a"]


FUNCTIONS = [counted, in_attributes, remembered, items_of_a_list, missing_keys, under_another_name,
             written_and_replaced, on_a_condition, on_a_condition_that_does_not_hold, in_a_loop, updated, extended,
             appended, in_a_loop_that_reads_it, in_a_nest_that_never_runs, attribute_that_is_not_there_at_first,
             argument]


def reset():
    STATS.clear()
    STATS.update(n=0, best=1e9, w=np.array([1.0, 2.0]))
    TWO[:] = [1.0, 2.0]
    for d in (MEMO, SUMS, COUNTS, MODEL.cache):
        d.clear()
    MODEL.state[:] = [0.5]
    vars(MODEL).pop("fresh", None)
    argument.__defaults__[0].clear()
    argument.__defaults__[0]["a"] = 2.0


def held():
    return repr(copy.deepcopy([STATS, MEMO, TWO, SUMS, COUNTS, MODEL.cache, MODEL.state, argument.__defaults__]))


def run(f, x):
    reset()
    return f(x), held()


@pytest.mark.parametrize("f", FUNCTIONS)
def test_value_gradient_and_contents(f):
    x, h = 1.5, 1e-6
    value, contents = run(f, x)
    difference = (run(f, x + h)[0] - run(f, x - h)[0]) / (2.0 * h)
    g = s2s.value_and_gradients_function(f, params=["x"])
    for _ in range(2):
        (found, (gradient,)), after = run(g, x)
        assert float(found) == pytest.approx(value, rel=1e-12)
        assert float(gradient) == pytest.approx(difference, rel=1e-6)
        assert after == contents
    assert float(run(lambda x: s2s.jvp(f, (x,), (1.0,))[1], x)[0]) == pytest.approx(difference, rel=1e-6)


def test_two_names_for_one_dict_are_one():
    def f(x, a, b):
        a["k"] = x * x
        return a["k"] * b["k"]

    g = s2s.grad(f)
    one, other = {"k": 1.0}, {"k": 3.0}
    assert float(g(2.0, one, dict(other))) == 12.0
    assert float(g(2.0, one, one)) == 32.0
    assert float(g(2.0, one, dict(other))) == 12.0


def test_a_store_in_the_block_of_a_tape_is_refused():
    w = s2s.Variable(2.0)
    with s2s.GradientTape() as t:
        STATS["n"] = w * w
        y = STATS["n"] * w
    with pytest.raises(s2s.UnsupportedSyntaxError, match="outside the function"):
        t.gradient(y, w)
    reset()
