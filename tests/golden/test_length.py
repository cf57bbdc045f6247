"""Emitted adjoints are hardly longer than those written by hand."""

from __future__ import annotations

import ast
import inspect

import handwritten
import pytest
from golden_cases import CASES
from test_golden import check, derivative

PAIRS = ("weighted_sum", "rosenbrock", "pendulum", "newton_sqrt", "mlp_loss", "seidel", "recurrence", "trisolv", "lu")
LONGER = 1.3


def statements(source: str, name: str) -> int:
    """The statements of the function `name`, those inside loops and branches included."""
    function = next(n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef) and n.name == name)
    return sum(isinstance(node, ast.stmt) for node in ast.walk(function)) - 1


@pytest.mark.parametrize("name", PAIRS)
def test_by_hand_is_right(name: str) -> None:
    check(CASES[name], derivative(CASES[name]), getattr(handwritten, name))


@pytest.mark.parametrize("name", PAIRS)
def test_length(name: str) -> None:
    emitted = derivative(CASES[name]).emitted
    by_hand = statements(inspect.getsource(getattr(handwritten, name)), name)
    got = statements(emitted.source, emitted.name)
    print(name, got, by_hand)
    assert got <= LONGER * by_hand, f"{got} statements, and {by_hand} by hand"
