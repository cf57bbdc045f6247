"""Draws whose place and width are differentiated: written as those of a standard draw, which is a constant.

    rng.normal(loc, scale, n)      loc + scale * rng.standard_normal(n)

The generator is asked for the same numbers: NumPy computes such draws so too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2s.ir.core import Value
from s2s.ir.ops import constant
from s2s.ir.types import Array, is_inexact
from s2s.lower.context import Context
from s2s.lower.numbers import sequence, value
from s2s.lower.truth import usable
from s2s.lower.values import Lowered, Static, Tuple
from s2s.lower.writers import expr
from s2s.rules.expand.stacking import common_shape
from s2s.rules.expr import Expr, fn

Node = Any
# A standard draw: the method of the generator, its arguments, those by name.
Standard = Callable[[str, list[Lowered], dict[str, Lowered]], Lowered]

# Parameters with their defaults, the standard draw and its first arguments, and what becomes of it.
_LOCATED: dict[str, tuple[tuple[tuple[str, float], ...], str, tuple[float, ...], Callable[..., Expr]]] = {
    "normal": ((("loc", 0.0), ("scale", 1.0)), "standard_normal", (), lambda z, loc, scale: loc + scale * z),
    "lognormal": ((("mean", 0.0), ("sigma", 1.0)), "standard_normal", (),
                  lambda z, mean, sigma: fn.exp(mean + sigma * z)),
    "uniform": ((("low", 0.0), ("high", 1.0)), "random", (), lambda z, low, high: low + (high - low) * z),
    "exponential": ((("scale", 1.0),), "standard_exponential", (), lambda z, scale: scale * z),
    "rayleigh": ((("scale", 1.0),), "rayleigh", (1.0,), lambda z, scale: scale * z),
    **{name: ((("loc", 0.0), ("scale", 1.0)), name, (0.0, 1.0), lambda z, loc, scale: loc + scale * z)
       for name in ("laplace", "gumbel", "logistic")},
}


def _is_variable(v: Lowered) -> bool:
    """Whether a parameter of a draw may be differentiated."""
    return isinstance(v, Value) and is_inexact(v.type) and constant(v) is None


def located_draw(ctx: Context, node: Node, method: str, args: list[Lowered], kwargs: dict[str, Lowered],
                 standard: Standard) -> Lowered | None:
    """The draw by a standard one; None where it has no place or width that is computed."""
    if method in ("permutation", "choice") and args:
        return _selected(ctx, node, method, args, kwargs, standard)
    if method not in _LOCATED:
        return None
    parameters, base, first, combined = _LOCATED[method]
    given = dict(zip([*(name for name, _ in parameters), "size"], args, strict=False)) | kwargs
    if set(given) - {"size", *(name for name, _ in parameters)}:
        return None
    numbers = {name: value(ctx, node, usable(ctx, node, given[name])) if name in given else ctx.b.const(default)
               for name, default in parameters}
    if not any(map(_is_variable, numbers.values())):
        return None
    exprs = {name: expr(ctx, v) for name, v in numbers.items()}
    size = usable(ctx, node, given.get("size", Static(None)))
    named: dict[str, Lowered] = {}
    if size != Static(None):
        named["size"] = size
    elif any(x.is_array for x in exprs.values()):
        shape = [n.v for n in common_shape(list(exprs.values()))]
        named["size"] = shape[0] if len(shape) == 1 else Tuple(tuple(shape))
    z = expr(ctx, value(ctx, node, standard(base, [ctx.b.const(x) for x in first], named)))
    return combined(z, **exprs).v


def _selected(ctx: Context, node: Node, method: str, args: list[Lowered], kwargs: dict[str, Lowered],
              standard: Standard) -> Lowered | None:
    """Elements in a drawn order: those at drawn places."""
    x = usable(ctx, node, args[0])
    array = x if isinstance(x, Value) else value(ctx, node, x) if sequence(ctx, x) is not None else None
    if array is None or not _is_variable(array) or not isinstance(array.type, Array):
        return None
    if "axis" in kwargs or (method == "permutation" and len(args) > 1):
        return None
    places = standard(method, [ctx.b.dim(array, 0), *args[1:]], kwargs)
    return expr(ctx, array)[expr(ctx, value(ctx, node, places))].v
