"""Every error that s2s raises on purpose, and how its text is laid out."""

from __future__ import annotations


class S2SError(Exception):
    """Base of all errors raised by s2s.

    The message has what was met, the place (file, line, source line with a caret), why it cannot be
    differentiated and what to do instead.
    """


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
