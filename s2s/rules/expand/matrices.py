"""Linear algebra in terms of other: norms of matrices, cond, multi_dot, tensorsolve, eig of real matrices."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np

from s2s.rules.common import normalised, root_of_sum
from s2s.rules.dims import mH
from s2s.rules.expand.core import Expansions, Parts, Static, refuse
from s2s.rules.expand.reducing import kept_dims, rows_of
from s2s.rules.expr import Expr, fn, several

written = Expansions()


def _product(sizes: Any) -> Any:
    return reduce(lambda x, y: x * y, sizes)


# Norms

def _infinite(ord: Any) -> bool:
    return isinstance(ord, float) and math.isinf(ord)


def _vector_norm(x: Expr, ord: Any, axis: Any, keepdims: bool) -> Expr:
    """The norm of all elements along the axes."""
    if _infinite(ord):
        return getattr(fn, "max" if ord > 0 else "min")(fn.abs(x), axis, keepdims)  # type: ignore[no-any-return]
    if ord == 0:
        dtype = "float32" if x.dtype in ("float32", "complex64") else "float64"
        return fn.sum((x != 0).astype(dtype), axis, None, keepdims)
    if ord == 1:
        return fn.sum(fn.abs(x), axis, None, keepdims)
    total = fn.sum(fn.abs(x) ** ord, axis, None, keepdims)
    return root_of_sum(total, ord) if ord > 0 else total ** (1.0 / ord)


def _matrix_norm(x: Expr, ord: Any, rows: int, columns: int, keepdims: bool) -> Expr:
    """The norm of the matrices in two axes."""
    if ord in (1, -1) or _infinite(ord):
        summed, left = (rows, columns) if ord in (1, -1) else (columns, rows)
        sums = fn.sum(fn.abs(x), axis=summed)
        left -= left > summed
        found = getattr(fn, "max" if ord > 0 else "min")(sums, axis=left)
    elif ord in (2, -2, "nuc"):
        rest = [k for k in range(x.ndim) if k not in (rows, columns)]
        s = fn.svdvals(x if (*rest, rows, columns) == tuple(range(x.ndim)) else fn.transpose(
            x, axes=(*rest, rows, columns)))
        found = fn.sum(s, axis=-1) if ord == "nuc" else s[..., 0] if ord == 2 else s[..., -1]
    else:
        raise refuse("np.linalg.norm", f"{ord!r} is no norm of a matrix")
    return kept_dims(found, x, (rows, columns), keepdims)


@written.of(np.linalg.norm)
def _norm(x: Expr, ord: Static = None, axis: Static = None, keepdims: Static = False) -> Expr | None:
    """None: the rule of the function has this norm."""
    if axis is None and ord is None:
        return None
    axes = tuple(range(x.ndim)) if axis is None else tuple(
        k % x.ndim for k in (axis if isinstance(axis, tuple | list) else (axis,)))
    if len(axes) == 1:
        if ord is None or (isinstance(ord, int | float) and ord >= 1 and not _infinite(ord)):
            return None
        if _infinite(ord) and ord > 0 and x.ndim == 1 and not keepdims:
            return None
        if isinstance(ord, str):
            raise refuse("np.linalg.norm", f"{ord!r} is no norm of a vector")
        return _vector_norm(x, ord, axes[0], keepdims)
    if len(axes) != 2:
        raise refuse("np.linalg.norm", f"ord={ord!r} of an array with {len(axes)} axes")
    return None if ord in (None, "fro") else _matrix_norm(x, ord, *axes, keepdims)


@written.of(getattr(np.linalg, "vector_norm", None))
def _vector_norm_function(x: Expr, /, *, axis: Static = None, keepdims: Static = False, ord: Static = 2) -> Expr:
    if ord != 2:
        return _vector_norm(x, ord, axis, keepdims)
    axes = None if axis is None else axis if isinstance(axis, int) else tuple(axis)
    if isinstance(axes, tuple) and len(axes) > 2:
        return kept_dims(fn.norm(rows_of(x, axes), None, -1), x, axes, keepdims)
    return fn.norm(x, None, axes, keepdims)


@written.of(getattr(np.linalg, "matrix_norm", None))
def _matrix_norm_function(x: Expr, /, *, keepdims: Static = False, ord: Static = "fro") -> Expr:
    if ord in ("fro", None):
        return fn.norm(x, ord, (-2, -1), keepdims)
    return _matrix_norm(x, ord, x.ndim - 2, x.ndim - 1, keepdims)


@written.of(np.linalg.cond)
def _cond(x: Expr, p: Static = None) -> Expr:
    if p in (None, 2, -2):
        s = fn.svdvals(x)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    if p == "fro":
        return fn.norm(x, None, (-2, -1)) * fn.norm(fn.inv(x), None, (-2, -1))
    return _matrix_norm(x, p, x.ndim - 2, x.ndim - 1, False) * _matrix_norm(fn.inv(x), p, x.ndim - 2, x.ndim - 1, False)


# Forms of the factorisations

@written.of(np.linalg.cholesky)
def _cholesky(a: Expr, /, *, upper: Static = False) -> Expr | None:
    """The lower factor of the transpose, of which the lower triangle is the upper one of `a`."""
    return mH(fn.cholesky(mH(a))) if upper else None


@written.of(np.linalg.svd)
def _svd(a: Expr, full_matrices: Static = True, compute_uv: Static = True, hermitian: Static = False) -> Expr | None:
    if hermitian:
        raise refuse("np.linalg.svd", "hermitian=True reads one half of the matrix; use np.linalg.eigh")
    return None if compute_uv else fn.svdvals(a)


@written.of(np.linalg.eig)
def _eig(a: Expr) -> Any:
    """Of a real matrix too the results are complex, as since NumPy 2.5."""
    if a.is_complex:
        return None
    named: Any = type(np.linalg.eig(np.eye(1)))
    return named(*several("s2s.eig", a))


@written.of(np.linalg.eigvals)
def _eigvals(a: Expr) -> Expr | None:
    return None if a.is_complex else several("s2s.eigvals", a)[0]


@written.of(np.linalg.pinv)
def _pinv(a: Expr, rcond: Static = None, hermitian: Static = False, *, rtol: Static = None) -> Expr:
    return fn.pinv(a, rtol if rcond is None else rcond, hermitian)


# Products and equations

@written.of(np.linalg.multi_dot)
def _multi_dot(arrays: list[Expr]) -> Expr:
    if not isinstance(arrays, list):
        raise refuse("np.linalg.multi_dot", "the number of matrices is not known before it runs")
    return reduce(lambda x, y: x @ y, arrays)


@written.of(np.linalg.tensorsolve)
def _tensorsolve(a: Expr, b: Expr, axes: Static = None) -> Expr:
    if axes is not None:
        chosen = normalised(tuple(axes), a.ndim) if len(axes) < 2 else tuple(k % a.ndim for k in axes)
        a = fn.transpose(a, axes=(*(k for k in range(a.ndim) if k not in chosen), *chosen))
    shape = a.shape[b.ndim:]
    size = _product(shape)
    flat = b if b.ndim == 1 else fn.ravel(b)
    return fn.reshape(fn.solve(fn.reshape(a, (size, size)), flat), shape)


@written.of(np.linalg.tensorinv)
def _tensorinv(a: Expr, ind: Static = 2) -> Expr:
    size = _product(a.shape[ind:])
    return fn.reshape(fn.inv(fn.reshape(a, (_product(a.shape[:ind]), size))), (*a.shape[ind:], *a.shape[:ind]))


@written.of(np.trace, method="trace")
def _trace(a: Expr, offset: Parts = 0, axis1: Static = 0, axis2: Static = 1, dtype: Static = None,
           out: Static = None) -> Expr | None:
    if a.ndim == 2 and (axis1 % 2, axis2 % 2) == (0, 1) and dtype is None:
        return None
    if isinstance(offset, Expr):
        raise refuse("np.trace", "the offset is not known before it runs")
    return fn.sum(fn.diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


@written.of(getattr(np.linalg, "trace", None))
def _linalg_trace(x: Expr, /, *, offset: Static = 0, dtype: Static = None) -> Expr:
    if x.ndim == 2 and dtype is None:
        return fn.trace(x, offset)
    return fn.sum(fn.diagonal(x, offset, -2, -1), axis=-1, dtype=dtype)


@written.of(getattr(np.linalg, "diagonal", None))
def _linalg_diagonal(x: Expr, /, *, offset: Static = 0) -> Expr:
    return fn.diagonal(x, offset, -2, -1)


@written.of(np.matrix_transpose, getattr(np.linalg, "matrix_transpose", None))
def _matrix_transpose(x: Expr) -> Expr:
    return fn.swapaxes(x, -1, -2)


@written.of(getattr(np.linalg, "matmul", None))
def _linalg_matmul(x1: Expr, x2: Expr, /) -> Expr:
    return x1 @ x2


@written.of(getattr(np.linalg, "outer", None))
def _linalg_outer(x1: Expr, x2: Expr, /) -> Expr:
    return fn.outer(x1, x2)


@written.of(getattr(np.linalg, "tensordot", None))
def _linalg_tensordot(x1: Expr, x2: Expr, /, *, axes: Static = 2) -> Expr:
    return fn.tensordot(x1, x2, axes)


@written.of(np.vecdot, getattr(np.linalg, "vecdot", None))
def _vecdot(x1: Expr, x2: Expr, /, *, axis: Static = -1) -> Expr:
    return fn.sum(x1.conj() * x2, axis=axis)


@written.of(getattr(np, "matvec", None))
def _matvec(x1: Expr, x2: Expr, /) -> Expr:
    return (x1 @ x2[..., None])[..., 0]


@written.of(getattr(np, "vecmat", None))
def _vecmat(x1: Expr, x2: Expr, /) -> Expr:
    return (x1.conj()[..., None, :] @ x2)[..., 0, :]
