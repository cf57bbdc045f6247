"""Forms of products of arrays, and of linear algebra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2s.ir.types import promote
from s2s.rules.common import normalised
from s2s.rules.expr import Expr, fn
from s2s.targets.common import product, reshaped, transposed


def _met(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """Both in one inexact dtype, which BLAS wants."""
    dtype = promote([a.type, b.type])[0]  # type: ignore[list-item]
    if dtype[:5] not in ("float", "compl"):
        return a, b
    return a.astype(dtype), b.astype(dtype)


def _matmul(x: Expr, y: Expr) -> Expr | None:
    a, b = _met(x, y)
    dtype = promote([a.type, b.type])[0]  # type: ignore[list-item]
    if dtype[:5] not in ("float", "compl"):  # BLAS has no integers
        return _integer(a, b)
    if a.ndim <= 2 and b.ndim <= 2:
        return None if a is x and b is y else fn.matmul(a, b)
    if a.ndim == 1:
        return fn.matmul(a[None, :], b)[(..., 0, slice(None))]
    if b.ndim == 1:
        return fn.matmul(a, b[:, None])[(..., 0)]
    if b.ndim == 2:
        rows = reshaped(a, (product(a.shape[:-1]), a.size_of(-1)))
        return reshaped(fn.matmul(rows, b), (*a.shape[:-1], b.size_of(-1)))
    lead = _leading(a, b)
    return fn.matmul_stack(_wide(a, lead), _wide(b, lead))


def _integer(a: Expr, b: Expr) -> Expr:
    """A product of integers, by sums."""
    if a.ndim == 1 and b.ndim == 1:
        return fn.sum(a * b)
    if a.ndim == 1:
        return fn.sum(a[:, None] * b, axis=b.ndim - 2)
    if b.ndim == 1:
        return fn.sum(a * b, axis=a.ndim - 1)
    return fn.sum(a[(..., None)] * b[(..., None, slice(None), slice(None))], axis=max(a.ndim, b.ndim) - 1)


def _leading(a: Expr, b: Expr) -> list[Expr]:
    """The shape of the axes before the last two, broadcast."""
    rank = max(a.ndim, b.ndim) - 2
    out = []
    for k in range(-rank, 0):
        sizes = [x.size_of(k - 2) for x in (a, b) if x.ndim - 2 >= -k and x.dims[k - 2].is_one is not True]
        if not sizes:
            sizes = [a.lift(1)]
        out.append(sizes[0] if len(sizes) == 1 or a.dims[k - 2].not_one else fn.maximum(*sizes))
    return out


def _wide(x: Expr, lead: Sequence[Expr]) -> Expr:
    """`x` with the leading axes `lead`."""
    return fn.broadcast_to(x, (*lead, x.size_of(-2), x.size_of(-1)))


def _dot(a: Expr, b: Expr) -> Expr | None:
    if not (a.is_array and b.is_array):
        return a * b
    if a.ndim <= 2 and b.ndim <= 2:
        x, y = _met(a, b)
        if x.dtype[:5] not in ("float", "compl") or y.dtype[:5] not in ("float", "compl"):
            return _integer(a, b)
        return None if x is a and y is b else fn.dot(x, y)
    return fn.tensordot(a, b, axes=((a.ndim - 1,), (max(b.ndim - 2, 0),)))


def _inner(a: Expr, b: Expr) -> Expr:
    if not (a.is_array and b.is_array):
        return a * b
    if a.ndim == b.ndim == 1:
        return fn.dot(a, b)
    return fn.tensordot(a, b, axes=((a.ndim - 1,), (b.ndim - 1,)))


def _vdot(a: Expr, b: Expr) -> Expr | None:
    if not (a.is_array and b.is_array):
        return a.conj() * b
    x, y = _met(a, b)
    return fn.sum(fn.ravel(x).conj() * fn.ravel(y))


def _outer(a: Expr, b: Expr) -> Expr:
    x, y = (fn.ravel(v) if not v.is_array or v.ndim != 1 else v for v in (a, b))
    return x[:, None] * y[None, :]


def _tensordot(a: Expr, b: Expr, axes: Any) -> Expr:
    if isinstance(axes, int):
        axes = (tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes)))
    left, right = (normalised(k, x.ndim) if isinstance(k, int) else tuple(i % x.ndim for i in k)
                   for k, x in zip(axes, (a, b), strict=True))
    rows = [k for k in range(a.ndim) if k not in left]
    columns = [k for k in range(b.ndim) if k not in right]
    shape = [*(a.size_of(k) for k in rows), *(b.size_of(k) for k in columns)]
    if not left:
        spread = a[(*[slice(None)] * a.ndim, *[None] * b.ndim)]
        return spread * b
    joined = product([a.size_of(k) for k in left])
    one = a.lift(1)
    x = reshaped(transposed(a, (*rows, *left)), (product([a.size_of(k) for k in rows] or [one]), joined))
    y = reshaped(transposed(b, (*right, *columns)), (joined, product([b.size_of(k) for k in columns] or [one])))
    result = fn.matmul(x, y)
    return reshaped(result, shape) if shape else result[0, 0]


def _einsum(subscripts: str, operands: tuple[Expr, ...]) -> Expr:
    """Each operand in the order of all letters, the product of them, and sums over what is gone."""
    inputs, _, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if "." in subscripts:
        raise NotImplementedError("with an ellipsis")
    if "->" not in subscripts:
        output = "".join(c for c in sorted(set("".join(terms))) if "".join(terms).count(c) == 1)
    reduced = _without_ones([_diagonals(x, term) for x, term in zip(operands, terms, strict=True)])
    if len(reduced) == 2:
        contracted = _contraction(reduced, output)
        if contracted is not None:
            return contracted
    letters = output + "".join(c for c in dict.fromkeys("".join(terms)) if c not in output)
    total: Expr | None = None
    for x, term in reduced:
        present = [c for c in letters if c in term]
        if x.is_array:
            x = transposed(x, [term.index(c) for c in present])
            x = x[tuple(slice(None) if c in term else None for c in letters)]
        total = x if total is None else total * x
    assert total is not None
    gone = tuple(range(len(output), len(letters)))
    return fn.sum(total, axis=gone) if gone else total


def _diagonals(x: Expr, term: str) -> tuple[Expr, str]:
    """`x` without repeated letters."""
    for c in dict.fromkeys(term):
        while term.count(c) > 1:
            first = term.index(c)
            second = term.index(c, first + 1)
            x = fn.diagonal(x, axis1=first, axis2=second)
            term = term[:first] + term[first + 1:second] + term[second + 1:] + c
    return x, term


def _without_ones(operands: Sequence[tuple[Expr, str]]) -> list[tuple[Expr, str]]:
    """Axes of length 1 that are broadcast left out."""
    wide = {c for x, term in operands for c, d in zip(term, x.dims if x.is_array else (), strict=True)
            if d.is_one is not True}
    out = []
    for x, term in operands:
        if x.is_array:
            gone = [c in wide and d.is_one is True for c, d in zip(term, x.dims, strict=True)]
            if any(gone):
                x = x[tuple(0 if g else slice(None) for g in gone)]
                term = "".join(c for c, g in zip(term, gone, strict=True) if not g)
        out.append((x, term))
    return out


def _contraction(operands: Sequence[tuple[Expr, str]], output: str) -> Expr | None:
    """A product of two without a letter that is in both and in the result, as tensordot computes it."""
    (a, s), (b, t) = operands
    common = [c for c in s if c in t]
    alone = [c for c in s + t if c not in common and c not in output]
    if not common or alone or any(c in output for c in common):
        return None
    result = fn.tensordot(a, b, axes=(tuple(s.index(c) for c in common), tuple(t.index(c) for c in common)))
    order = [c for c in s + t if c not in common]
    return transposed(result, [order.index(c) for c in output]) if output else result


def _norm(x: Expr, ord: Any, axis: Any, keepdims: bool) -> Expr | None:
    if axis is None and not keepdims and x.ndim <= 2 and (ord in (None, 2, "fro") or x.ndim == 1):
        if x.ndim == 2 and ord == 2:
            raise NotImplementedError("of a matrix with ord=2")
        return fn.norm(x) if ord == "fro" else None
    if axis is None and ord is None:
        axis = tuple(range(x.ndim))
    vector = isinstance(axis, int) or ord in (None, "fro") or x.ndim == 1
    if not vector:
        raise NotImplementedError(f"of matrices with ord={ord!r}")
    size = fn.abs(x)
    if ord == float("inf"):
        return fn.max(size, axis=axis, keepdims=keepdims)
    if ord == -float("inf"):
        return fn.min(size, axis=axis, keepdims=keepdims)
    if ord == 0:
        return fn.sum((x != 0).astype(size.dtype), axis=axis, keepdims=keepdims)
    if ord == 1:
        return fn.sum(size, axis=axis, keepdims=keepdims)
    if ord in (None, 2, "fro"):
        return fn.sqrt(fn.sum((x * x.conj()).real, axis=axis, keepdims=keepdims))
    return fn.sum(size ** float(ord), axis=axis, keepdims=keepdims) ** (1.0 / ord)  # type: ignore[no-any-return]


def _stacked(helper: str) -> Any:
    def form(a: Expr) -> Expr | None:
        return None if a.ndim == 2 else getattr(fn, helper)(a)
    return form


def _solve(a: Expr, b: Expr) -> Expr | None:
    x, y = _met(a, b)
    if a.ndim == 2 and b.ndim <= 2:
        return None if x is a and y is b else fn.solve(x, y)
    if b.ndim == 1:
        return fn.solve(a, b[:, None])[(..., 0)]
    lead = _leading(x, y)
    return fn.solve_stack(fn.ascontiguousarray(_wide(x, lead)), fn.ascontiguousarray(_wide(y, lead)))


def _matrix_power(a: Expr, n: int) -> Expr:
    if n == 0:
        if a.ndim > 2:
            raise NotImplementedError("of a stack of matrices with n=0")
        return fn.eye(a.size_of(-1), dtype=a.dtype)
    base = fn.inv(a) if n < 0 else a
    result: Expr | None = None
    for digit in reversed(f"{abs(n):b}"):
        if digit == "1":
            result = base if result is None else fn.matmul(result, base)
        base = fn.matmul(base, base)
    assert result is not None
    return fn.copy(result) if n == 1 else result


FORMS: dict[str, Any] = {
    "np.matmul": _matmul, "np.dot": _dot, "np.inner": _inner, "np.vdot": _vdot, "np.outer": _outer,
    "np.tensordot": _tensordot, "np.einsum": _einsum, "np.linalg.norm": _norm, "np.linalg.inv": _stacked("inv_stack"),
    "np.linalg.det": _stacked("det_stack"), "np.linalg.solve": _solve,
    "np.linalg.matrix_power": _matrix_power,
}
