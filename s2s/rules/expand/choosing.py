"""Elements chosen by conditions or numbers: select, choose, compress, extract, interp with ends, sorted values."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2s.rules.expand.core import Expansions, Several, Static, refuse
from s2s.rules.expr import Expr, fn

written = Expansions()


def _parts(x: Any, name: str) -> list[Expr]:
    """The items of a list, or the rows of an array whose number is known."""
    if isinstance(x, list):
        return [_joined(v) for v in x]
    if x.is_array and x.dims[0].symbol is None:
        return [x[k] for k in range(x.dims[0].offset)]
    raise refuse(name, "the number of choices is not known before it runs")


def _joined(x: Any) -> Expr:
    """An expression, or a list of them as an array."""
    if isinstance(x, Expr):
        return x
    rows = [_joined(v) for v in x]
    return rows[0].wrap(rows[0].b.one("pack", {"elements": tuple(v.v for v in rows)}, {"dtype": None}))


@written.of(np.select)
def _select(condlist: Several, choicelist: Several, default: Any = 0) -> Expr:
    """The choice of the first condition that holds."""
    conditions, choices = _parts(condlist, "np.select"), _parts(choicelist, "np.select")
    if len(conditions) != len(choices):
        raise refuse("np.select", "there are not as many choices as conditions")
    found = choices[0].lift(default)
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        found = fn.where(condition, choice, found)
    return found


def _index(a: Expr, count: Any, mode: str) -> Expr:
    """Which choice is meant, where numbers out of bounds are allowed."""
    if mode == "wrap":
        return a % count  # type: ignore[no-any-return]
    return fn.minimum(fn.maximum(a, 0), count - 1) if mode == "clip" else a


@written.of(np.choose, method="choose")
def _choose(a: Expr, choices: Several, out: Static = None, mode: Static = "raise") -> Expr:
    if isinstance(choices, Expr) and not (choices.is_array and choices.dims[0].symbol is None):
        if choices.ndim != a.ndim + 1:
            raise refuse("np.choose", "the choices are an array that is broadcast")
        index = _index(a, choices.size_of(0), mode)
        return fn.take_along_axis(choices, index[None], axis=0)[0]
    parts = _parts(choices, "np.choose")
    index = _index(a, len(parts), mode)
    found = parts[-1]
    for k in reversed(range(len(parts) - 1)):
        found = fn.where(index == k, parts[k], found)
    if len(parts) == 1:
        return fn.where(index == 0, parts[0], parts[0])
    return found


def _flat(x: Expr) -> Expr:
    return x if x.ndim == 1 else fn.ravel(x) if x.is_array else fn.atleast_1d(x)


@written.of(np.compress)
def _compress(condition: Expr, a: Expr, axis: Static = None, out: Static = None) -> Expr:
    rows = fn.flatnonzero(condition)
    if axis is None:
        return _flat(a)[rows]
    return a[(*[slice(None)] * (axis % a.ndim), rows)]


@written.of(method="compress")
def _compress_method(a: Expr, condition: Expr, axis: Static = None, out: Static = None) -> Expr:
    return _compress(condition, a, axis)  # type: ignore[no-any-return]


@written.of(np.extract)
def _extract(condition: Expr, arr: Expr) -> Expr:
    return _flat(arr)[fn.flatnonzero(condition)]


@written.of(np.interp)
def _interp(x: Expr, xp: Expr, fp: Expr, left: Expr | None = None, right: Expr | None = None,
            period: Any = None) -> Expr | None:
    """With ends of its own, with a period, or of complex values."""
    if fp.is_complex:
        parts = [_interp(x, xp, p, *(None if e is None else e.real if k == 0 else _imaginary(e) for e in (left, right)),
                         period) for k, p in enumerate((fp.real, fp.imag))]
        real, imag = (fn.interp(x, xp, p) if part is None else part
                      for part, p in zip(parts, (fp.real, fp.imag), strict=True))
        return real + 1j * imag
    if period is not None:
        x, xp = x.astype("float64"), xp.astype("float64")
        wide = xp % period
        order = fn.argsort(wide)
        nodes, values = wide[order], fp[order]
        nodes = fn.concatenate([nodes[-1:] - period, nodes, nodes[:1] + period])
        return fn.interp(x % period, nodes, fn.concatenate([values[-1:], values, values[:1]]))
    if left is None and right is None:
        return None
    found = fn.interp(x, xp, fp)
    if left is not None:
        found = fn.where(x < xp[0], left, found)
    return found if right is None else fn.where(x > xp[-1], right, found)


def _imaginary(x: Expr) -> Expr:
    return x.imag if x.is_complex else x * 0.0


@written.of(getattr(np, "sort_complex", None))
def _sort_complex(a: Expr) -> Expr:
    return fn.sort(a if a.is_complex else a.astype("complex64" if a.dtype == "float32" else "complex128"))


@written.of(np.sign)
def _sign(x: Expr) -> Expr | None:
    """x / |x|, which of complex numbers has a derivative."""
    if not x.is_complex:
        return None
    length = fn.abs(x)
    return x / (length + (length == 0))


@written.of(np.real_if_close)
def _real_if_close(a: Expr, tol: Static = 100) -> Expr:
    if a.is_complex:
        raise refuse("np.real_if_close", "whether the result is complex is not known before it runs; use .real")
    return a


@written.of(np.around)
def _around(a: Expr, decimals: Static = 0) -> Expr:
    return fn.round(a, decimals)


@written.of(np.require)
def _require(a: Expr, dtype: Static = None, requirements: Static = None) -> Expr:
    return fn.ascontiguousarray(a, dtype=dtype)


@written.of(np.divmod)
def _divmod(x1: Expr, x2: Expr, /) -> tuple[Expr, Expr]:
    return x1 // x2, x1 % x2


@written.of(np.nanargmax)
def _nanargmax(a: Expr, axis: Static = None, out: Static = None, *, keepdims: Static = False) -> Expr:
    return fn.argmax(fn.where(fn.isnan(a), a.lift(-np.inf).astype(a.dtype), a), axis, keepdims)


@written.of(np.nanargmin)
def _nanargmin(a: Expr, axis: Static = None, out: Static = None, *, keepdims: Static = False) -> Expr:
    return fn.argmin(fn.where(fn.isnan(a), a.lift(np.inf).astype(a.dtype), a), axis, keepdims)
