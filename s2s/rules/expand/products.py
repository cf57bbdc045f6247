"""Products: einsum with an ellipsis or lists, kron of any rank, cross along any axes, and convolution of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2s.ir.types import Scalar, known_dim
from s2s.rules.dims import require
from s2s.rules.einsum import parse
from s2s.rules.expand.core import Expansions, Parts, Static, refuse
from s2s.rules.expr import Expr, fn

written = Expansions()
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _from_lists(operands: Sequence[Any]) -> tuple[str, list[Expr]]:
    """The subscripts of einsum(a, [0, 1], b, [1, 2], [0, 2])."""
    def letters(part: Any) -> str:
        return "".join("..." if k is ... else _LETTERS[k] for k in part)

    arrays, lists = list(operands[0:len(operands) // 2 * 2:2]), list(operands[1::2])
    spec = ",".join(map(letters, lists))
    if len(operands) % 2:
        spec += "->" + letters(operands[-1])
    return spec, arrays


def without_ellipsis(spec: str, ranks: Sequence[int]) -> str:
    """Subscripts in which the axes of each ellipsis have letters.

    >>> without_ellipsis("...ij,...jk", [3, 2]), without_ellipsis("i...->...", [3])
    ('Zij,jk->Zik', 'iZY->ZY')
    """
    spec = spec.replace(" ", "")
    left, arrow, right = spec.partition("->")
    inputs = left.split(",")
    free = [c for c in reversed(_LETTERS) if c not in spec]
    widths = [rank - len(s.replace("...", "")) if "..." in s else 0 for s, rank in zip(inputs, ranks, strict=True)]
    widest = max(widths)
    named = [s.replace("...", "".join(free[widest - n:widest])) for s, n in zip(inputs, widths, strict=True)]
    if arrow:
        return ",".join(named) + "->" + right.replace("...", "".join(free[:widest]))
    letters = left.replace("...", "").replace(",", "")
    once = sorted(c for c in set(letters) if letters.count(c) == 1)
    return ",".join(named) + "->" + "".join(free[:widest]) + "".join(once)


@written.of(np.einsum)
def _einsum(*operands: Parts, optimize: Static = False, order: Static = "K", dtype: Static = None,
            casting: Static = "safe") -> Expr | None:
    if isinstance(operands[0], str):
        spec, arrays = operands[0], list(operands[1:])
    else:
        spec, arrays = _from_lists(operands)
    first = next((x for x in arrays if isinstance(x, Expr)), None)
    if first is None:
        return None
    given = [_array(first, x) for x in arrays]
    if dtype is not None:
        given = [x.astype(dtype) for x in given]
    written_so = isinstance(operands[0], str) and dtype is None and order == "K" and "." not in spec
    if "." in spec:
        spec = without_ellipsis(spec, [x.ndim for x in given])
    if len(given) == 1 and given[0].is_array and (view := _view(spec, given[0])) is not None:
        return view
    return None if written_so else fn.einsum(spec, given)


def _view(spec: str, x: Expr) -> Expr | None:
    """np.einsum of one operand that is not summed: a view of it; None where it is summed."""
    (letters,), output = parse(spec)
    if set(letters) != set(output) or len(letters) != x.ndim:
        return None
    while len(set(letters)) < len(letters):
        twice = next(c for c in letters if letters.count(c) > 1)
        i = letters.index(twice)
        j = letters.index(twice, i + 1)
        x = fn.diagonal(x, 0, i, j)  # whose axis is the last one
        letters = letters[:i] + letters[i + 1:j] + letters[j + 1:] + twice
    order = tuple(letters.index(c) for c in output)
    if order == tuple(range(x.ndim)):
        return x
    return fn.transpose(x) if order == tuple(range(x.ndim))[::-1] else fn.transpose(x, axes=order)


def _array(first: Expr, x: Any) -> Expr:
    if isinstance(x, list | tuple):
        parts = tuple(_array(first, v).v for v in x)
        return first.wrap(first.b.one("pack", {"elements": parts}, {"dtype": None}))
    return first.lift(x)


def _strong(x: Expr) -> Expr:
    """A Python number as a NumPy one."""
    return x.wrap(x.b.cast(x.v, Scalar(x.dtype))) if isinstance(x.type, Scalar) else x


@written.of(np.kron)
def _kron(a: Expr, b: Expr) -> Expr | None:
    """Each element of `a` times `b`: of arrays with as many axes each, those that are missing are first."""
    if a.ndim == b.ndim and a.ndim in (1, 2):
        return None
    if not (a.ndim and b.ndim):
        return _strong(a) * _strong(b)
    rank = max(a.ndim, b.ndim)
    wide = [x if x.ndim == rank else x[(*[None] * (rank - x.ndim), ...)] for x in (a, b)]
    left = wide[0][tuple(item for _ in range(rank) for item in (slice(None), None))]
    right = wide[1][tuple(item for _ in range(rank) for item in (None, slice(None)))]
    return fn.reshape(left * right, [m * n for m, n in zip(wide[0].shape, wide[1].shape, strict=True)])


def _cross_of(a: Expr, b: Expr, axisa: int, axisb: int, axisc: int, axis: int | None) -> Expr:
    if axis is not None:
        axisa = axisb = axisc = axis
    x = a if axisa % a.ndim == a.ndim - 1 else fn.moveaxis(a, axisa, -1)
    y = b if axisb % b.ndim == b.ndim - 1 else fn.moveaxis(b, axisb, -1)
    if known_dim(2) in (x.dims[-1], y.dims[-1]):
        raise refuse("np.cross", "the vectors have two components; write a[0] * b[1] - a[1] * b[0]")
    for v in (x, y):
        if v.dims[-1] != known_dim(3):
            require(v.size_of(-1) == 3, "np.cross is covered for vectors with three components")
    rank = max(a.ndim, b.ndim)
    found = fn.cross(x, y)
    return found if axisc % rank == rank - 1 else fn.moveaxis(found, -1, axisc)


@written.of(np.cross)
def _cross(a: Expr, b: Expr, axisa: Static = -1, axisb: Static = -1, axisc: Static = -1,
           axis: Static = None) -> Expr:
    return _cross_of(a, b, axisa, axisb, axisc, axis)


@written.of(getattr(np.linalg, "cross", None))
def _linalg_cross(x1: Expr, x2: Expr, /, *, axis: Static = -1) -> Expr:
    return _cross_of(x1, x2, axis, axis, axis, None)
