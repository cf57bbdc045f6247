"""Every error that s2s raises on purpose, and how its text is laid out."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from s2s.ir.core import Loc


class S2SError(Exception):
    """Base of all errors raised by s2s.

    The message has what was met, the place (file, line, source line with a caret), why it cannot be
    differentiated and what to do instead. `filename` and `lineno` are the place, where there is one.
    `python` is the exception that the function itself would raise there, where that is certain.
    """

    filename: str | None = None
    lineno: int | None = None
    python: type[BaseException] | None = None
    block: object = None  # where lowering was


class SourceError(S2SError):
    """The source of a function cannot be found, or is not that of the function."""


class ReplayError(S2SError):
    """A `GradientTape` block cannot be replayed faithfully."""


class UnsupportedSyntaxError(S2SError):
    """A construct that cannot be differentiated is on the path from an input to the result."""


class NoRuleError(S2SError, NotImplementedError):
    """A call without source and without a rule gets a differentiated value."""


class ShapeError(S2SError, ValueError):
    """`dy`, `output_gradients` or an assigned value has the wrong shape."""


class CompilationError(S2SError):
    """The target's compiler refused the adjoint."""


ErrorT = TypeVar("ErrorT", bound=S2SError)


def located(cls: type[ErrorT], loc: Loc | None, what: str, why: str = "", fix: str = "") -> ErrorT:
    """The error `cls` with the message that every error of s2s has; `raise` it.

    what: what was met. loc: where. why: why it cannot be differentiated. fix: what to do instead.

    >>> from s2s.ir.core import Loc
    >>> loc = Loc("f.py", 12, "v = float(repr(x))", "    v = float(repr(x))", (14, 21), "loss")
    >>> print(located(UnsupportedSyntaxError, loc, "A number became text.", "Text has no derivative.",
    ...               "Use x itself."))
    A number became text.
      File "f.py", line 12, in loss
        v = float(repr(x))
                  ^^^^^^^
    Text has no derivative.
    Use x itself.
    """
    error = cls("\n".join([what, *place(loc), *filter(None, (why, fix))]))
    if loc is not None:
        error.filename, error.lineno = loc.file, loc.line
    return error


def place(loc: Loc | None) -> list[str]:
    """The lines of a message that show `loc`, as in a traceback: file and line, source line, caret."""
    if loc is None:
        return []
    where = f'  File "{loc.file}", line {loc.line}'
    if loc.function:
        where += f", in {loc.function}"
    line = loc.source_line.rstrip() or loc.text
    code = line.lstrip()
    if not code:
        return [where]
    lines = [where, f"    {code}"]
    start, end = (column - (len(line) - len(code)) for column in loc.caret)
    start, end = max(start, 0), min(end, len(code))
    if loc.source_line and start < end:
        # Tabs stay tabs, so that the caret is below its text whatever their width.
        blank = "".join("\t" if c == "\t" else " " for c in code[:start])
        lines.append(f"    {blank}{'^' * (end - start)}")
    return lines
