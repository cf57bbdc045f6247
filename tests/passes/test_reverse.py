# ruff: noqa: F821 (programs are read by small_python, which knows the names of the rule table)
"""Reverse mode against central differences of the interpreted primal: first and second order."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from random_ir import RandomProgram
from small_python import array, small

from s2s.differentiate.reverse import reverse
from s2s.errors import UnsupportedSyntaxError
from s2s.ir.builder import Builder
from s2s.ir.check import check
from s2s.ir.core import Block, Function, Op, Value, clone_function
from s2s.ir.ops import SPECS
from s2s.ir.types import FLOAT, INT, Array, Scalar, Type
from s2s.rules import TABLE
from s2s.rules.expr import Expr
from s2s.rules.expr import fn as functions
from s2s.simplify.driver import simplify
from s2s.testing.interpret import run

N, NM, MN = array("n"), array("n, m"), array("m, n")
VECTOR = [0.3, -0.7, 1.1, 0.9]
MATRIX = [[0.3, -0.7, 1.1], [0.2, 0.5, -0.4], [0.9, 1.3, 0.1], [0.6, 0.8, 0.7]]


def weighted_sum(x, y, w):
    return w * x + w * y


def elementary(x, y):
    t = sin(x) * exp(y) / (1.0 + x * x)
    return t * t - x / y + t


def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def pendulum(theta, omega, length, drag, steps, dt):
    for k in range(steps):
        accel = -9.81 / length * sin(theta) - drag * omega * abs(omega)
        theta = theta + dt * omega
        omega = omega + dt * accel
    return theta * theta


def newton_sqrt(a):
    x = a
    while abs(x * x - a) > 1e-3:
        x = 0.5 * (x + a / x)
    return x


def mlp(x, W1, b1, W2):
    h = tanh(x @ W1 + b1)
    e = h @ W2
    return mean(e * e)


def branches(x, y):
    if x > 0.2:
        t = exp(x) * y
        s = t * t
    else:
        t = sin(y)
        s = x
    if y < 0.0:
        s = s * t
    return s + t


def branch_in_loop(x, y):
    total = 1.0
    for i in range(len(x)):
        if x[i] > 0.0:
            t = exp(total * y)
            total = total + t * x[i]
        else:
            total = total * x[i]
    return total


def nested(x, s):
    total = s
    for i in range(len(x)):
        for j in range(i, len(x)):
            total = total + sin(total) * x[i] * x[j]
    return total


def rectangular(A, s):
    total = s
    for i in range(len(A)):
        row = A[i]
        for j in range(3):
            total = total * row[j] + exp(total * 0.1)
    return total


def steps(x, s):
    for i in range(len(x) - 1, 0, -2):
        s = s * s * x[i] + s
    for i in range(1, len(x), 2):
        s = s * s * x[i] + s
    for i in range(len(x) - 1, -1, -1):
        s = s * s * x[i] + s
    return s


def breaks(x, s):
    for i in range(len(x)):
        s = s * s + x[i]
        stop = s > 1.0  # noqa: F841 - read by the marker of the loop
    return s


def breaks_nested(x, s):
    for i in range(len(x)):
        t = s
        while t * t < 4.0:
            t = t * t + 1.1
            if t > 1.5:
                t = t * exp(0.1 * t)
        s = s + t * x[i]
        stop = s > 10.0  # noqa: F841 - read by the marker of the loop
    return s


def count_only(x, s):
    while s < 10.0:
        s = s + 3.0 * x
    return s * x


def stores(x):
    y = zeros_like(x)
    for i in range(len(x)):
        y[i] = x[i] * x[i]
    y[1] = y[0] * y[2]
    y[0] += sin(x[3])
    return sum(y * y)


def recurrence(x):
    for i in range(1, len(x)):
        x[i] = sin(x[i - 1]) * x[i]
    return x[-1] * x[1]


def seidel(A, steps):
    for t in range(steps):
        for i in range(1, len(A) - 1):
            for j in range(1, 2):
                A[i, j] = (A[i - 1, j] + A[i, j - 1] + A[i, j] + A[i, j + 1] + A[i + 1, j]) / 5.0
    return sum(A * A)


def square_sweep(A, steps):
    for t in range(steps):
        for i in range(1, len(A) - 1):
            A[i, 1] = A[i - 1, 1] * A[i, 0] + A[i, 1] * A[i + 1, 1]
    return sum(A * A)


def rows(A):
    B = zeros_like(A)
    for i in range(len(A)):
        row = B[i]
        row[0] = A[i, 1] * A[i, 2]
        row[1:] = A[i, :2] * row[0]
    B[:, 1] += A[:, 0]
    return sum(B * A)


def array_loop(y, dt, steps):
    for k in range(steps):
        t = sin(y)
        y = y + dt * t * t
    return sum(y)


def new_array_each_step(u, steps):
    for t in range(steps):
        v = zeros_like(u)
        for i in range(1, len(u) - 1):
            v[i] = u[i - 1] * u[i] + u[i + 1]
        u = v
    return sum(u * u)


def swap(x, steps):
    u = copy(x)
    v = zeros_like(x)
    for t in range(steps):
        for i in range(1, len(x) - 1):
            v[i] = u[i - 1] * u[i + 1] + u[i]
        u, v = v, u
    return sum(u * u)


def lists(x, s):
    L = [s, s * s]
    for i in range(len(x)):
        L.append(L[i] * x[i] + L[i + 1])
    L[2] = L[3] * L[1]
    total = 0.0
    for i in range(len(L)):
        total += L[i] * L[i]
    return total


def list_of_arrays(x, steps):
    L = arrays(x)
    for k in range(steps):
        x = x * sin(x)
        L.append(x)
    return sum(L[0] * L[2]) + sum(L[1])


def slices(x):
    y = x[1:] * x[:-1]
    z = y[::2]
    return sum(z * z) + sum(y) + x[0] * x[0]


def broadcast(A, b, s):
    C = A * b + s
    D = C / (b * b + 1.0)
    return sum(D * D * s)


def whole_and_elements(x, s):
    total = sum(x * x)
    for i in range(len(x)):
        total += x[i] * sum(x * s)
        s = s * x[i]
    return total


def array_in_branch(x, s):
    if s > 0.0:
        y = x * s
    else:
        y = x
    t = 0.0
    for i in range(len(x)):
        if x[i] > 0.0:
            t = t + sum(y * x) * x[i]
    return t


def written_between(x):
    a = copy(x)
    y = a * a
    a[0] = x[1]
    z = sin(a)
    a[2] = 5.0
    return sum(y * z) + sum(a * a)


def alias_of_stored(x):
    a = zeros_like(x)
    b = a[1:]
    a[0] = x[0]
    b[0] = x[1] * a[0]
    a[2] = b[0] * b[0]
    return sum(a * a)


def mixed_order(x, s):
    total = 0.0
    p = 1.0
    for i in range(len(x)):
        total = total + p * x[i] * s
    for i in range(len(x)):
        p = p * x[i]
        total = total + p
    return total


def triangle_saved(x, s):
    for i in range(len(x)):
        for j in range(i):
            s = s * s * 0.5 + x[j] * s
    return s


def fancy(x):
    k = argsort(x)
    y = x[k]
    return sum(y * y * x) + sum(x[x > 0.0])


def unused_result(x, y):
    t = y * 2.0
    for i in range(3):
        t = t + 1.0
    return x * x




CASES: list[tuple[Callable[..., Any], list[Type], list[Any]]] = [
    (weighted_sum, [FLOAT] * 3, [0.3, 0.7, 1.1]),
    (elementary, [FLOAT] * 2, [0.3, 0.7]),
    (rosenbrock, [N], [VECTOR]),
    (pendulum, [FLOAT] * 4 + [INT, FLOAT], [0.5, 0.1, 1.3, 0.2, 5, 0.1]),
    (newton_sqrt, [FLOAT], [2.0]),
    (mlp, [NM, array("m, k"), array("k"), array("k, 2")],
     [MATRIX, np.ones((3, 2)) * 0.3, np.array([0.1, 0.2]), np.ones((2, 2)) * 0.7]),
    (branches, [FLOAT] * 2, [0.3, 0.7]), (branches, [FLOAT] * 2, [0.1, -0.7]),
    (branch_in_loop, [N, FLOAT], [VECTOR, 0.2]),
    (nested, [N, FLOAT], [VECTOR, 0.2]),
    (rectangular, [NM, FLOAT], [MATRIX, 0.2]),
    (steps, [N, FLOAT], [VECTOR, 0.2]),
    (breaks, [N, FLOAT], [VECTOR, 0.9]), (breaks, [N, FLOAT], [VECTOR, 0.2]),
    (breaks_nested, [N, FLOAT], [[1.2, 0.7, 0.9, 0.9], 0.2]),
    (count_only, [FLOAT] * 2, [0.9, 0.2]),
    (stores, [N], [VECTOR]),
    (recurrence, [N], [VECTOR]),
    (seidel, [NM, INT], [MATRIX, 2]),
    (square_sweep, [NM, INT], [MATRIX, 2]),
    (rows, [array("n, 3")], [MATRIX]),
    (array_loop, [N, FLOAT, INT], [VECTOR, 0.3, 3]),
    (new_array_each_step, [N, INT], [VECTOR, 2]),
    (swap, [N, INT], [VECTOR, 3]),
    (lists, [N, FLOAT], [VECTOR, 0.3]),
    (list_of_arrays, [N, INT], [VECTOR, 3]),
    (slices, [N], [VECTOR]),
    (broadcast, [NM, array("m"), FLOAT], [MATRIX, [0.3, 0.5, 0.7], 0.4]),
    (broadcast, [NM, array("n, 1"), FLOAT], [MATRIX, [[0.3], [0.5], [0.7], [0.1]], 0.4]),
    (whole_and_elements, [N, FLOAT], [VECTOR, 0.3]),
    (array_in_branch, [N, FLOAT], [VECTOR, 0.3]), (array_in_branch, [N, FLOAT], [VECTOR, -0.3]),
    (written_between, [N], [VECTOR]),
    (alias_of_stored, [N], [VECTOR]),
    (mixed_order, [N, FLOAT], [VECTOR, 0.3]),
    (triangle_saved, [N, FLOAT], [VECTOR, 0.3]),
    (fancy, [N], [VECTOR]),
]


def copies(args: list[Any]) -> list[Any]:
    return [np.array(a, dtype=float) if isinstance(a, list | np.ndarray) else a for a in args]


def floating(fn: Function) -> list[int]:
    """Parameters that have a derivative."""
    return [k for k, p in enumerate(fn.block.params) if getattr(p.type, "dtype", "").startswith("float")]


def differences(fn: Function, args: list[Any], eps: float = 1e-5) -> list[Any]:
    """The gradient of the first result by central differences."""
    grads = []
    for k in floating(fn):
        if k >= len(args):
            break  # seeds have defaults
        x = np.asarray(args[k], dtype=float)
        grad = np.empty_like(x)
        for index in np.ndindex(x.shape):
            values = []
            for sign in (1.0, -1.0):
                moved = x.copy()
                moved[index] += sign * eps
                call = copies(args)
                call[k] = moved if moved.shape else float(moved)
                values.append(run(fn, call)[0])
            grad[index] = (values[0] - values[1]) / (2 * eps)
        grads.append(grad)
    return grads


def ids(case: Any) -> str:
    return case[0].__name__


@pytest.mark.parametrize("simplified", [False, True])
@pytest.mark.parametrize("case", CASES, ids=ids)
def test_first_order(case: Any, simplified: bool) -> None:
    function, types, args = case
    fn = small(function, types)
    wrt = [fn.block.params[k] for k in floating(fn)]
    made = reverse(fn, wrt, TABLE, keep_values=True, seeds_given=False)
    assert all(made.connected)
    check(made.function)
    gradient = simplify(made.function) if simplified else made.function
    before = copies(args)
    value, *grads = run(gradient, before)
    assert value == pytest.approx(run(fn, copies(args))[0])
    for a, b in zip(before, copies(args), strict=True):
        np.testing.assert_array_equal(a, b)
    for got, want in zip(grads, differences(fn, copies(args)), strict=True):
        assert np.shape(got) == np.shape(want)
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("simplified", [False, True])
@pytest.mark.parametrize("case", CASES, ids=ids)
def test_second_order(case: Any, simplified: bool) -> None:
    """The derivative of the sum of one gradient, by reverse of reverse."""
    function, types, args = case
    fn = small(function, types)
    k = floating(fn)[0]
    first = reverse(fn, [fn.block.params[k]], TABLE, keep_values=False, seeds_given=False).function
    scalar = simplify(first) if simplified else first
    scalar = _summed(scalar)
    wrt = [scalar.block.params[j] for j in floating(fn)]
    made = reverse(scalar, wrt, TABLE, keep_values=False, seeds_given=False)
    check(made.function)
    second = simplify(made.function) if simplified else made.function
    grads = run(second, copies(args))
    wants = differences(scalar, copies(args))[:len(wrt)]
    for got, want in zip(grads, [w for w, c in zip(wants, made.connected, strict=True) if c], strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
    for want in (w for w, c in zip(wants, made.connected, strict=True) if not c):
        np.testing.assert_allclose(want, 0.0, atol=1e-6)


def _summed(fn: Function) -> Function:
    """`fn` with the sum of squares of its result, so that it is a number."""
    (r,) = fn.block.results
    if isinstance(r.type, Array):
        x = Expr(Builder(fn.block), r, lookup)
        fn.block.results = [functions.sum(x * x).v]
    return fn


def lookup(name: str) -> Any:
    rule = TABLE.by_name.get(name)
    return None if rule is None else rule.spec


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("block", range(4))
def test_random_programs(block: int, order: int) -> None:
    """Right or refused, never wrong: nests of loops and branches over memory with many names."""
    right = 0
    for seed in range(10 * block, 10 * (block + 1)):
        fn = _number(RandomProgram(seed, smooth=True).build())
        try:
            if order == 2:
                first = reverse(fn, fn.block.params[:4], TABLE, keep_values=False, seeds_given=False)
                fn = _number(first.function)
            made = reverse(fn, fn.block.params[:4], TABLE, keep_values=False, seeds_given=False)
        except UnsupportedSyntaxError:
            continue
        check(made.function)
        args = [0.7, -0.4, [0.3, 0.8, -0.5, 0.9], [-0.2, 0.6, 1.1, 0.4]]
        grads = iter(run(made.function, copies(args)))
        for want, connected in zip(differences(fn, copies(args)), made.connected, strict=True):
            got = next(grads) if connected else 0.0 * want
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6, err_msg=f"seed {seed}")
        right += 1
    assert right > 0


def _number(fn: Function) -> Function:
    """A copy of `fn` with one result, made of all of its results."""
    fn, _ = clone_function(fn)
    b = Builder(fn.block)
    total: Any = 0.0
    for r in fn.block.results:
        x = Expr(b, r, lookup)
        total = total + (functions.sum(x * x) if x.is_array else functions.sin(x))
    fn.block.results = [total.v]
    return fn


def test_unconnected() -> None:
    fn = small(unused_result, [FLOAT, FLOAT])
    made = reverse(fn, fn.block.params, TABLE, keep_values=False, seeds_given=False)
    assert made.connected == [True, False]
    assert run(made.function, [3.0, 2.0]) == [6.0]
    assert not math.isnan(run(fn, [3.0, 2.0])[0])


def single(x, s):
    for i in range(len(x)):
        s = s * s + x[i] * 2.0
    return s * sum(x * s)


def complex_loss(z):
    w = z * z * exp(z)
    return sum(real(w * conj(z)))


def test_single_precision() -> None:
    fn = small(single, [array("n", "float32"), Scalar("float32")])
    made = reverse(fn, fn.block.params, TABLE, keep_values=True, seeds_given=False)
    args = [np.array([0.3, 0.4, 0.5], "float32"), np.float32(0.2)]
    assert [np.asarray(r).dtype.name for r in run(simplify(made.function), args)] == ["float32"] * 3


def test_complex() -> None:
    """The gradient of a real loss is dL/dx + i dL/dy."""
    fn = small(complex_loss, [array("n", "complex128")])
    made = reverse(fn, fn.block.params, TABLE, keep_values=False, seeds_given=False)
    z = np.array([0.3 + 0.2j, -0.4 + 0.1j])
    (got,) = run(simplify(made.function), [z])
    for k, e in enumerate(np.eye(2) * 1e-6):
        parts = [(run(fn, [z + unit * e])[0] - run(fn, [z - unit * e])[0]) / 2e-6 for unit in (1, 1j)]
        np.testing.assert_allclose(got[k], parts[0] + 1j * parts[1], rtol=1e-6)


def test_recursive_call() -> None:
    """g(x, n) = sin(x * g(x, n - 1)), g(x, 0) = x."""
    x, n = Value(FLOAT, "x"), Value(INT, "n")
    g = Function("g", Block([x, n]))
    b = Builder(g.block)
    cond, blocks = b.binary("le", n, b.int(0)), [Block(results=[x]), Block()]
    with b.at(blocks[1]):
        call = Op(SPECS["call"], {"args": (x, b.sub(n, b.int(1)))}, {"function": g})
        call.results = [Value(FLOAT, "", call)]
        blocks[1].ops.append(call)
        blocks[1].results = [b.one(TABLE.by_name["math.sin"].spec, {"x": b.mul(x, call.result)})]
    g.block.results = b.region("if", {"cond": cond}, blocks, [FLOAT]).results
    made = reverse(g, [x], TABLE, keep_values=False, seeds_given=False)
    assert made.connected == [True]
    want = (run(g, [0.7 + 1e-6, 3])[0] - run(g, [0.7 - 1e-6, 3])[0]) / 2e-6
    assert run(made.function, [0.7, 3]) == [pytest.approx(want)]
