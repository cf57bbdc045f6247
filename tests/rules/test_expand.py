"""Functions that are written out give what NumPy gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Value
from s2s.rules import TABLE
from s2s.rules.expand import EXPANSIONS
from s2s.rules.expr import Expr
from s2s.testing.interpret import run
from s2s.testing.rules import type_of

V = np.arange(7.0) ** 2
M = np.arange(24.0).reshape(4, 6) ** 1.5


def lookup(name: str) -> Any:
    rule = TABLE.by_name.get(name)
    return None if rule is None else rule.spec


@pytest.mark.parametrize(("function", "array", "args", "options"), [
    (np.split, V[:6], (3,), {}), (np.split, V, ([1, 4],), {}), (np.split, M, (2, 1), {}),
    (np.split, M, (2,), {"axis": -1}),
    (np.split, V, (1,), {}), (np.array_split, V, (3,), {}), (np.array_split, V, (1,), {}), (np.hsplit, M, (3,), {}),
    (np.hsplit, V[:6], (2,), {}), (np.vsplit, M, ([1],), {}), (np.dsplit, M.reshape(2, 3, 4), (2,), {}),
    (np.diag, M, (), {}), (np.diag, M, (1,), {}), (np.gradient, V, (), {}), (np.gradient, V, (0.5,), {}),
    (np.gradient, M, (), {"axis": 1}), (np.delete, V, (2,), {}), (np.delete, V, (-1,), {}),
    (np.delete, M, (0, 1), {}),
    (np.ediff1d, M, (), {}), (np.trapezoid, V, (), {}), (np.trapezoid, M, (), {"dx": 0.5, "axis": 0}),
    (np.trapezoid, M, (np.arange(6.0) ** 2,), {}), (np.trapezoid, M, (np.arange(4.0) ** 2,), {"axis": 0}),
])
def test_expansion(function: Any, array: Any, args: Any, options: Any) -> None:
    block = Block()
    numbers = [array, *(a for a in args if isinstance(a, np.ndarray))]
    block.params = [Value(type_of(x, f"x{k}"), "x") for k, x in enumerate(numbers)]
    b = Builder(block)
    exprs = iter([Expr(b, v, lookup) for v in block.params])
    first, *rest = (next(exprs) if isinstance(a, np.ndarray) else a for a in (array, *args))
    found = EXPANSIONS[function](first, *rest, **options)
    parts = found if isinstance(found, tuple) else (found,)
    block.results = [x.v for x in parts]
    expected = function(array, *args, **options)
    expected = expected if isinstance(expected, list) else [expected]
    for x, y in zip(run(Function("f", block), numbers), expected, strict=True):
        np.testing.assert_allclose(x, y)
    if function is np.split:
        assert all(np.shares_memory(x, array) for x in run(Function("f", block), numbers))
