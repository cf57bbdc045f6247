"""What a function that stands for one of a library says where it covers less."""

from __future__ import annotations

from typing import Any


def refuse(what: str) -> Any:
    """Lowered as an error at the user's line: `what` is not covered."""
    raise NotImplementedError(what)


refuse.__s2s_role__ = "refuse"  # type: ignore[attr-defined]


def constant(x: Any) -> Any:
    """`x`, as a constant of the derivative."""
    return x


constant.__s2s_role__ = "stop_gradient"  # type: ignore[attr-defined]
