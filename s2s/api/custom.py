"""Derivatives that the user supplies, and values that are constants to the derivative."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class CustomGradient:
    """A function with a derivative of its own; called outside of s2s it gives the value alone."""

    __s2s_role__ = "custom"

    def __init__(self, f: Callable[..., Any]) -> None:
        if not callable(f):
            raise TypeError(f"s2s.custom_gradient decorates a function; it was given {f!r:.60}")
        functools.update_wrapper(self, f)
        self.__wrapped__ = f

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = self.__wrapped__(*args, **kwargs)
        if not isinstance(result, tuple | list) or len(result) != 2 or not callable(result[1]):
            name = getattr(self.__wrapped__, "__name__", "the function")
            raise TypeError(f"{name}: a function under s2s.custom_gradient has to return its value and a function that "
                            f"gives the derivative; it returned {result!r:.80}. End it with `return value, grad`")
        return result[0]

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        return CustomGradient(self.__wrapped__.__get__(instance))


def custom_gradient(f: Callable[..., Any]) -> CustomGradient:
    """Decorate a function that returns `(value, grad)`; `grad(dy)` gives the adjoints of its arguments.

    `grad` gets one cotangent for each value and returns one adjoint for each argument that is a float or
    an array of floats (a list or tuple where there are several). It is differentiated in its turn for
    second derivatives.

    >>> import s2s
    >>> @s2s.custom_gradient
    ... def clipped(x):
    ...     def grad(dy):
    ...         return dy * 0.5
    ...     return x * x, grad
    >>> float(s2s.grad(lambda x: clipped(x))(3.0)), clipped(3.0)
    (0.5, 9.0)
    """
    return CustomGradient(f)


def stop_gradient(x: T) -> T:
    """`x` itself, which is a constant to every derivative.

    >>> import s2s
    >>> float(s2s.grad(lambda x: x * s2s.stop_gradient(x))(3.0))
    3.0
    """
    return x


custom_gradient.__s2s_role__ = "custom_gradient"  # type: ignore[attr-defined]
stop_gradient.__s2s_role__ = "stop_gradient"  # type: ignore[attr-defined]
