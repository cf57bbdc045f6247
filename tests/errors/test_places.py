"""Exceptions that emitted code raises name the user's line in a note."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2s


def quotient(x, y):
    scaled = x * 2.0
    return scaled / (y - 3.0) + 1.0


def element(a, i):
    b = a * a
    return b[i] * 2.0


def product(a, b):
    c = a @ b
    return np.sum(c)


def refused(x):
    if x > 0.0:
        raise ValueError("no")
    return x


def note_of(call: Any, cls: type[Exception]) -> str:
    with pytest.raises(cls) as caught:
        call()
    [note] = caught.value.__notes__  # type: ignore[attr-defined]
    return note  # type: ignore[no-any-return]


@pytest.mark.parametrize(("call", "cls", "line", "caret"), [
    (lambda: s2s.value_and_gradients_function(quotient)(1.0, 3.0), ZeroDivisionError,
     "return scaled / (y - 3.0) + 1.0", "       ^^^^^^^^^^^^^^^^^^"),
    (lambda: s2s.value_and_grad(element)(np.ones(3), 5), IndexError, "return b[i] * 2.0", "       ^^^^"),
    (lambda: s2s.value_and_grad(product)(np.ones((3, 2)), np.ones((4, 2))), ValueError, "c = a @ b", "    ^^^^^"),
    (lambda: s2s.value_and_gradients_function(quotient).with_dy(1.0)(1.0, 3.0), ZeroDivisionError,
     "return scaled / (y - 3.0) + 1.0", "       ^^^^^^^^^^^^^^^^^^"),
    (lambda: s2s.grad(refused)(1.0), ValueError, 'raise ValueError("no")', "^^^^^^^^^^^^^^^^^^^^^^"),
    (lambda: s2s.jvp(quotient, (1.0, 3.0), (1.0, 1.0)), ZeroDivisionError,
     "return scaled / (y - 3.0) + 1.0", "       ^^^^^^^^^^^^^^^^^^"),
])
def test_the_line(call: Any, cls: type[Exception], line: str, caret: str) -> None:
    text = note_of(call, cls).splitlines()
    assert text[0] == "That line was emitted for"
    assert __file__ in text[1]
    assert text[2:] == [f"    {line}", f"    {caret}"]


def test_one_note_a_line() -> None:
    """Also where one gradient function calls another."""
    inner = s2s.grad(quotient)

    def outer(x, y):
        return inner(x, y) * x

    assert "return inner(x, y) * x" in note_of(lambda: s2s.grad(outer)(1.0, 3.0), ZeroDivisionError)


def test_other_exceptions_are_left_alone() -> None:
    with pytest.raises(TypeError) as caught:
        s2s.grad(quotient)(1, 2)
    assert not getattr(caught.value, "__notes__", [])
