"""np.pad with constants, and with elements of the array itself: edge, reflect, symmetric, wrap."""

from __future__ import annotations

from typing import Any

from s2s.ir.core import Op
from s2s.ir.ops import numeric
from s2s.rules.dims import Adjoints, Result, fresh_array, known_as, refusal, write
from s2s.rules.expr import Expr, encode_index, fn
from s2s.rules.table import Family

family = Family("padding")
REPEATING = ("edge", "reflect", "symmetric", "wrap")


def pad_widths(pad_width: Any, ndim: int) -> list[tuple[int, int]]:
    """The widths before and after each axis, from what np.pad takes.

    >>> pad_widths(1, 2), pad_widths((1, 2), 1), pad_widths(((0, 1), (2, 0)), 2)
    ([(1, 1), (1, 1)], [(1, 2)], [(0, 1), (2, 0)])
    """
    if isinstance(pad_width, int):
        return [(pad_width, pad_width)] * ndim
    rows: list[Any] = list(pad_width)
    if all(isinstance(r, int) for r in rows):
        return [(int(rows[0]), int(rows[-1]))] * ndim
    pairs = [(int(r[0]), int(r[-1])) for r in rows]
    return pairs * ndim if len(pairs) == 1 else pairs


def _pad_type(op: Op) -> Result:
    t, mode = numeric(op, "array"), op.attrs["mode"]
    if mode not in (*REPEATING, "constant", "empty") or op.attrs["reflect_type"] != "even":
        raise refusal(op, f"mode={mode!r} with reflect_type={op.attrs['reflect_type']!r} has no rule.",
                      "Index the array to build its border.")
    widths = pad_widths(op.attrs["pad_width"], t.ndim)
    return [fresh_array(t.dtype, [n.plus(a + b) for n, (a, b) in zip(t.dims, widths, strict=True)])]


_pad = family.op("np.pad", "array, pad_width: static, mode='constant', constant_values=0, reflect_type='even'",
                 _pad_type)


@_pad.vjp
def _(g: Expr, ans: Expr, array: Expr, pad_width: Any, mode: str, constant_values: Any, reflect_type: str) -> Adjoints:
    widths = pad_widths(pad_width, array.ndim)
    if mode not in REPEATING:
        index = tuple(slice(before or None, -after if after else None) for before, after in widths)
        return {"array": known_as(g[index], array)}
    for k, (before, after) in reversed(list(enumerate(widths))):
        if before or after:
            g = _gathered(g, array.size_of(k), k, (before, after), mode)
    return {"array": known_as(g, array)}


def _gathered(g: Expr, size: Expr, axis: int, widths: tuple[int, int], mode: str) -> Expr:
    """What each element along one axis gets of its copies."""
    sources = fn.pad(fn.arange(size), widths, mode)
    total = fn.zeros([size if k == axis else g.size_of(k) for k in range(g.ndim)], dtype=g.dtype)
    write("additem", total, encode_index(total, [*[slice(None)] * axis, sources]), g)
    return total


@_pad.jvp
def _(dots: Any, ans: Expr, array: Expr, pad_width: Any, mode: str, constant_values: Any, reflect_type: str) -> Any:
    return fn.pad(dots["array"], pad_width, mode if mode in REPEATING else "constant")
