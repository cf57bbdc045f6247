"""What functions that stand for those of a library are written with; lowering knows them by their roles."""

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


def _role(name: str) -> Any:
    """A function that exists in programs alone, where lowering knows it by its role."""
    def function(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{name} is known to programs alone")
    function.__s2s_role__ = name  # type: ignore[attr-defined]
    function.__name__ = name
    return function


#: See `s2s.lower.hosts`, `s2s.lower.api_calls`.
lift, host, with_pullback, sealed = _role("lift"), _role("host"), _role("with_pullback"), _role("sealed")
grad, vjp, jacobian = _role("grad"), _role("vjp"), _role("jacobian")
