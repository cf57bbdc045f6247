"""The layout of messages: what, place, source line, caret, why, what to do."""

from __future__ import annotations

import pickle
import textwrap

import pytest

from s2s import errors
from s2s.errors import located
from s2s.ir.core import Loc

LOC = Loc("f.py", 12, "v = float(repr(x * 1.0))", "    v = float(repr(x * 1.0))\n", (14, 27), "loss")


def text(expected: str) -> str:
    return textwrap.dedent(expected).strip("\n")


def test_full_message() -> None:
    error = located(errors.UnsupportedSyntaxError, LOC, "A differentiated value is turned into text by repr().",
                    "Text has no derivative, so the gradient would silently lose this path.",
                    "Use the value itself, or s2s.stop_gradient(x) if it is meant to be constant.")
    assert type(error) is errors.UnsupportedSyntaxError
    assert (error.filename, error.lineno) == ("f.py", 12)
    assert str(error) == text("""
        A differentiated value is turned into text by repr().
          File "f.py", line 12, in loss
            v = float(repr(x * 1.0))
                      ^^^^^^^^^^^^^
        Text has no derivative, so the gradient would silently lose this path.
        Use the value itself, or s2s.stop_gradient(x) if it is meant to be constant.
        """)


def test_without_place() -> None:
    error = located(errors.SourceError, None, "No source.", fix="Define it in a file.")
    assert str(error) == "No source.\nDefine it in a file."
    assert error.filename is None and error.lineno is None


def test_without_function_and_caret() -> None:
    error = located(errors.ReplayError, Loc("f.py", 3, "x = read()", "x = read()"), "What.", "Why.")
    assert str(error) == text("""
        What.
          File "f.py", line 3
            x = read()
        Why.
        """)


def test_statement_text_when_there_is_no_source_line() -> None:
    error = located(errors.ReplayError, Loc("f.py", 3, "x = read()", caret=(0, 4)), "What.")
    assert str(error) == 'What.\n  File "f.py", line 3\n    x = read()'


def test_place_without_any_text() -> None:
    assert str(located(errors.SourceError, Loc("f.py", 3, ""), "What.")) == 'What.\n  File "f.py", line 3'


def test_caret_ends_with_the_line() -> None:
    loc = Loc("f.py", 1, "y = f(a, b)", "  y = f(a,  ", (6, 40))
    assert str(located(errors.NoRuleError, loc, "What.")).splitlines()[2:] == ["    y = f(a,", "        ^^^^"]


def test_caret_below_tabs() -> None:
    loc = Loc("f.py", 1, "", "\ty =\tf(x)", (5, 9))
    assert str(located(errors.NoRuleError, loc, "What.")).splitlines()[2:] == ["    y =\tf(x)", "       \t^^^^"]


@pytest.mark.parametrize(("cls", "builtin"), [
    (errors.ShapeError, ValueError), (errors.NoRuleError, NotImplementedError), (errors.SourceError, Exception)])
def test_can_be_caught_as(cls: type[errors.S2SError], builtin: type[Exception]) -> None:
    with pytest.raises(builtin):
        raise located(cls, LOC, "What.")


def test_pickles() -> None:
    error = located(errors.ShapeError, LOC, "What.")
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error) and (copy.filename, copy.lineno) == ("f.py", 12)
