"""Forms of functions of numbers, and of elementwise functions that numba lacks."""

from __future__ import annotations

from typing import Any

from s2s.ir.core import OpSpec
from s2s.ir.ops import numeric
from s2s.ir.types import Scalar
from s2s.rules.expr import Expr, fn
from s2s.rules.table import parse_params

# numba takes the digits of `round` by position only.
_ROUND = OpSpec("round", parse_params("x, ndigits: value"), lambda op: [Scalar(numeric(op, "x").dtype, True)])


def _log(x: Expr, base: Any = None) -> Expr | None:
    if not isinstance(base, Expr):
        return None
    own = Expr(x.b, x.v, x.lookup, "math")
    # As Python computes it.
    return fn.log(own) / fn.log(Expr(x.b, base.v, x.lookup, "math"))


def _fmod(x: Expr, y: Expr) -> Expr:
    return fn.fmod(x, y)


def _heaviside(x: Expr, y: Expr) -> Expr:
    inside = fn.where(x < 0.0, 0.0, fn.where(x > 0.0, 1.0, y))
    return fn.where(x == x, inside, x)


def _isclose(a: Expr, b: Expr, rel_tol: float, abs_tol: float) -> Expr:
    size = fn.maximum(fn.abs(a), fn.abs(b))
    near = (fn.abs(a - b) <= fn.maximum(size * rel_tol, a.lift(abs_tol))) & (size < float("inf"))
    return a.wrap(a.b.binary("bitor", (a == b).v, near.v))


def _isclose_arrays(a: Expr, b: Expr, rtol: float, atol: float, equal_nan: bool) -> Expr | None:
    """As NumPy computes it: numba does not broadcast here."""
    if not (a.is_array and b.is_array) or a.dims == b.dims:
        return None
    near = (fn.abs(a - b) <= atol + rtol * fn.abs(b)) & fn.isfinite(b)
    close = a.wrap(a.b.binary("bitor", (a == b).v, near.v))
    return a.wrap(a.b.binary("bitor", close.v, (fn.isnan(a) & fn.isnan(b)).v)) if equal_nan else close


def _clip(a: Expr, a_min: Any, a_max: Any) -> Expr | None:
    if a.is_array or (isinstance(a_min, Expr) and a_min.is_array) or (isinstance(a_max, Expr) and a_max.is_array):
        return None
    low = a if a_min is None else fn.maximum(a, a_min)
    return low if a_max is None else fn.minimum(low, a_max)


def _abs(x: Expr) -> Expr | None:
    """The builtin is there for numbers only."""
    return fn.abs(x) if x.is_array else None


def _round(x: Expr, ndigits: Any = None) -> Expr | None:
    if ndigits is None or isinstance(ndigits, Expr):
        return None
    return x.wrap(x.b.one(_ROUND, {"x": x.v, "ndigits": x.lift(ndigits).v}))


def _exp2(x: Expr) -> Expr:
    return fn.exp2(x)


def _cbrt(x: Expr) -> Expr:
    return fn.cbrt(x)


def _remainder(x: Expr, y: Expr) -> Expr:
    return x - y * fn.rint(x / y)


def _sum(seq: tuple[Expr, ...]) -> Expr:
    total = seq[0]
    for x in seq[1:]:
        total = total + x
    return total


def _modf(x: Expr) -> tuple[Expr, Expr]:
    whole = fn.trunc(x)
    return fn.where(fn.isinf(x), 0.0, x - whole), whole


def _unravel_index(indices: Expr, shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The last axis runs fastest."""
    found: list[Expr] = []
    for n in reversed(shape):
        found.insert(0, indices % n)
        indices = indices // n
    return tuple(found)


def _ravel_multi_index(multi_index: tuple[Expr, ...], dims: tuple[Expr, ...]) -> Expr:
    total = multi_index[0]
    for index, n in zip(multi_index[1:], dims[1:], strict=True):
        total = total * n + index
    return total


FORMS: dict[str, Any] = {
    "np.modf": _modf, "np.unravel_index": _unravel_index, "np.ravel_multi_index": _ravel_multi_index,
    "math.fmod": _fmod, "math.isclose": _isclose, "math.log": _log, "math.exp2": _exp2,
    "math.cbrt": _cbrt, "math.remainder": _remainder,
    "math.fma": lambda x, y, z: x * y + z, "math.ulp": lambda x: fn.spacing(fn.abs(x)), "math.fsum": _sum,
    "np.clip": _clip, "np.heaviside": _heaviside,
    "np.isclose": _isclose_arrays, "abs": _abs, "round": _round,
}
