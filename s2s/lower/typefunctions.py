"""Functions of NumPy that look at types alone: what they say is known before the program runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2s.ir.core import Value
from s2s.ir.ops import constant
from s2s.ir.types import Array, Scalar
from s2s.lower.context import Context
from s2s.lower.truth import static, usable
from s2s.lower.values import Lowered, Static

Node = Any

OF_TYPES: tuple[Any, ...] = tuple(f for f in (
    np.result_type, np.can_cast, np.promote_types, np.min_scalar_type, np.issubdtype, getattr(np, "isdtype", None),
    np.common_type, np.mintypecode, np.typename, np.isrealobj, np.iscomplexobj, np.isscalar, np.iterable,
    np.broadcast_shapes, np.finfo, np.iinfo, np.dtype) if f is not None)


def _sample(ctx: Context, node: Node, x: Lowered) -> Any:
    """A value of the type of `x`; `x` itself where it is known."""
    x = usable(ctx, node, x)
    if not isinstance(x, Value) or constant(x) is not None or not isinstance(x.type, Scalar | Array):
        return static(ctx, node, x, "what is asked about its type")
    t = x.type
    if isinstance(t, Array):
        return np.zeros((1,) * t.ndim, t.dtype)
    one = np.dtype(t.dtype).type(1)
    return one.item() if t.weak else one


def type_function(function: Any) -> Callable[..., Lowered]:
    """The handler of a function that looks at types."""
    def handler(ctx: Context, node: Node, args: list[Lowered], kwargs: dict[str, Lowered]) -> Lowered:
        named = {k: _sample(ctx, node, v) for k, v in kwargs.items()}
        found = function(*(_sample(ctx, node, x) for x in args), **named)
        return ctx.b.const(found) if isinstance(found, bool | int | np.bool_) else Static(found)
    return handler


TYPE_FUNCTIONS: dict[Any, Callable[..., Lowered]] = {f: type_function(f) for f in OF_TYPES}
