"""Functions that are written out in terms of others: np.split as slices, np.gradient as differences.

Each entry takes the arguments as the function does, arrays and run-time numbers as `Expr`, the rest as
Python constants, and gives an `Expr`, a tuple of them, or None where the function's own rule is to be
used. Lowering asks here before it looks for a rule; so views stay slices, of which the engines know the
memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from s2s.errors import NoRuleError
from s2s.rules.expr import Expr, fn

Expansion: TypeAlias = Callable[..., "Expr | tuple[Expr, ...] | None"]


def _cut(x: Expr, axis: int, start: Any, stop: Any) -> Expr:
    return x[(*[slice(None)] * axis, slice(start, stop))]


def _bounds(size: Expr, sections: int, equal: bool) -> list[Any]:
    """Where the parts of an axis begin and end."""
    known = getattr(size.type, "dim", None)
    if known is not None and known.symbol is None:
        base, extra = divmod(known.offset, sections)
        if extra and equal:
            raise NoRuleError(f"np.split: {known.offset} elements do not divide into {sections} equal parts")
        return [k * base + min(k, extra) for k in range(sections + 1)]
    step = size // sections
    if equal:
        # The last part goes to the end: that NumPy raises where the parts are not equal is not repeated.
        return [k * step for k in range(sections)] + [None]
    extra = size - step * sections
    return [k * step + fn.minimum(extra.lift(k), extra) for k in range(sections)] + [None]


def _split(axis: int | None, equal: bool = True) -> Expansion:
    """A splitting function; `axis` is the one it splits, of an array with more than one."""
    def expand(ary: Expr, indices_or_sections: Any, axis_given: int = 0, **options: int) -> Expr | tuple[Expr, ...]:
        at = options.get("axis", axis_given) % ary.ndim if axis is None else axis if ary.ndim > 1 else 0
        if isinstance(indices_or_sections, int):
            bounds = _bounds(ary.size_of(at), indices_or_sections, equal)
        elif isinstance(indices_or_sections, Sequence):
            bounds = [None, *indices_or_sections, None]
        else:
            raise NoRuleError("np.split: the number of parts is not known before it runs")
        bounds = [None, *bounds[1:]]
        return tuple(_cut(ary, at, a, b) for a, b in pairwise(bounds))
    return expand


def _diag(v: Expr, k: Any = 0) -> Expr | None:
    """Of a matrix it is a view, as np.diagonal says."""
    return fn.diagonal(v, k) if v.ndim == 2 and isinstance(k, int) else None


def _gradient(f: Expr, *spacing: Any, axis: int | None = None, edge_order: int = 1) -> Expr:
    """Central differences with one spacing, one-sided at the ends."""
    if (axis is None and f.ndim > 1) or len(spacing) > 1 or edge_order != 1:
        raise NoRuleError("np.gradient along several axes, or with edge_order=2, is not covered")
    h = spacing[0] if spacing else 1.0
    if isinstance(h, Expr) and h.is_array:
        raise NoRuleError("np.gradient with coordinates is not covered")
    at = 0 if axis is None else axis % f.ndim

    def part(start: Any, stop: Any) -> Expr:
        return _cut(f, at, start, stop)

    ends = [part(1, 2) - part(0, 1), part(-1, None) - part(-2, -1)]
    middle = (part(2, None) - part(None, -2)) / 2.0
    return fn.concatenate([ends[0], middle, ends[1]], axis=at) / h


def _trapezoid(y: Expr, x: Expr | None = None, dx: Any = 1.0, axis: int = -1) -> Expr:
    """The trapezoidal rule."""
    at = axis % y.ndim
    sums = _cut(y, at, 1, None) + _cut(y, at, None, -1)
    if x is None:
        return fn.sum(sums, axis=at) * dx / 2.0  # type: ignore[no-any-return]
    width = fn.diff(x, axis=at if x.ndim == y.ndim else 0)
    if x.ndim < y.ndim:
        width = width[(slice(None), *[None] * (y.ndim - at - 1))]
    return fn.sum(width * sums, axis=at) / 2.0


def _delete(arr: Expr, obj: Any, axis: int | None = None) -> Expr:
    """Without one element or row."""
    flat = fn.ravel(arr) if axis is None and arr.ndim > 1 else arr
    at = 0 if axis is None else axis % arr.ndim
    if not isinstance(obj, int):
        raise NoRuleError("np.delete with an index that is not a constant is not covered")
    if obj == -1:
        return fn.copy(_cut(flat, at, None, -1))
    return fn.concatenate([_cut(flat, at, None, obj), _cut(flat, at, obj + 1, None)], axis=at)


def _ediff1d(ary: Expr) -> Expr:
    return fn.diff(fn.ravel(ary) if ary.ndim > 1 else ary)


EXPANSIONS: dict[Callable[..., Any], Expansion] = {
    np.split: _split(None),
    np.array_split: _split(None, equal=False),
    np.hsplit: _split(1),
    np.vsplit: _split(0),
    np.dsplit: _split(2),
    np.diag: _diag,
    np.gradient: _gradient,
    np.delete: _delete,
    np.ediff1d: _ediff1d,
}
# NumPy 2 has renamed np.trapz.
for _name in ("trapezoid", "trapz"):
    if hasattr(np, _name):
        EXPANSIONS[getattr(np, _name)] = _trapezoid
