"""scipy.linalg: solvers and factorisations as those of NumPy, functions of matrices by the block formula.

The derivative of f(A) along E is the upper right block of f([[A, E], [0, A]]) (Higham, Functions of Matrices, 3.6).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.linalg

from s2s.errors import NoRuleError
from s2s.ir.core import Op
from s2s.ir.types import Array, Type
from s2s.rules.common import argument
from s2s.rules.expr import Expr, fn
from s2s.rules.primitives import refuse
from s2s.rules.table import Family, numeric_dtype

FAMILY = Family("scipy.linalg")


# Functions of matrices ---------------------------------------------------------------------------------


def _square(op: Op) -> Sequence[Type]:
    t = argument(op, "A")
    if t.ndim != 2:
        raise NoRuleError(f"{op.spec.called} of an array that is no matrix is not covered")
    dtype = t.dtype if np.dtype(t.dtype).kind in "fc" else "float64"
    return [Array(dtype, t.dims, "A")]


def sqrtm(A: Any) -> Any:
    """The principal square root; of a real matrix it has to be real."""
    return _same_kind(A, scipy.linalg.sqrtm(A), "sqrtm")


def logm(A: Any) -> Any:
    """The principal logarithm; of a real matrix it has to be real."""
    return _same_kind(A, scipy.linalg.logm(A), "logm")


def _same_kind(A: Any, made: Any, name: str) -> Any:
    if np.iscomplexobj(made) and not np.iscomplexobj(A):
        if np.max(np.abs(made.imag)) > 1e-10 * np.max(np.abs(made)):
            raise ValueError(f"{name} of this real matrix is complex: pass A.astype(complex)")
        made = made.real
    return np.asarray(made, A.dtype)


def _matrix_function(name: str, function: Callable[..., Any] | None = None) -> None:
    given = getattr(scipy.linalg, name)
    rule = FAMILY.op(f"scipy.linalg.{name}", "A", _square, callables=(given,), function=function)

    def along(A: Expr, direction: Expr) -> Expr:
        n = A.size_of(0)
        top = fn.concatenate([A, direction], axis=1)
        bottom = fn.concatenate([fn.zeros_like(A), A], axis=1)
        block = fn.__getattr__(f"scipy.linalg.{name}")(fn.concatenate([top, bottom], axis=0))
        return block[slice(None, n), slice(n, None)]

    @rule.vjp
    def _(g: Expr, ans: Expr, A: Expr) -> dict[str, Expr]:
        return {"A": along(A.conj().T, g)}

    @rule.jvp
    def _(dots: dict[str, Expr], ans: Expr, A: Expr) -> Expr:
        return along(A, dots["A"])


_matrix_function("expm")
_matrix_function("sqrtm", sqrtm)
_matrix_function("logm", logm)


# Sylvester's equation: a x + x b = q --------------------------------------------------------------------


def _sylvester_type(op: Op) -> Sequence[Type]:
    types = [argument(op, n) for n in "abq"]
    dtype = numeric_dtype(*types)
    return [Array(dtype if np.dtype(dtype).kind in "fc" else "float64", types[2].dims, "A")]


_sylvester = FAMILY.op("scipy.linalg.solve_sylvester", "a, b, q", _sylvester_type)


@_sylvester.vjp
def _(g: Expr, ans: Expr, a: Expr, b: Expr, q: Expr) -> dict[str, Expr]:
    q_bar = fn.solve_sylvester(a.conj().T, b.conj().T, g)
    x = ans.conj().T
    return {"a": -(q_bar @ x), "b": -(x @ q_bar), "q": q_bar}


@_sylvester.jvp
def _(dots: dict[str, Expr], ans: Expr, a: Expr, b: Expr, q: Expr) -> Expr:
    right: Any = dots.get("q", fn.zeros_like(q))
    if "a" in dots:
        right = right - dots["a"] @ ans
    if "b" in dots:
        right = right - ans @ dots["b"]
    return fn.solve_sylvester(a, b, right)


# What NumPy has -----------------------------------------------------------------------------------------


def _stored_symmetric(a: Any, lower: Any, hermitian: Any = True) -> Any:
    """The Hermitian (or symmetric) matrix of which one triangle is read."""
    if not hermitian:
        return np.tril(a) + np.tril(a, -1).T if lower else np.triu(a) + np.triu(a, 1).T
    if lower:
        return np.tril(a) + np.conj(np.tril(a, -1)).T
    return np.triu(a) + np.conj(np.triu(a, 1)).T


def _triangle(a: Any, lower: Any, unit_diagonal: Any) -> Any:
    if unit_diagonal:
        return (np.tril(a, -1) if lower else np.triu(a, 1)) + np.eye(a.shape[0])
    return np.tril(a) if lower else np.triu(a)


def solve(a: Any, b: Any, lower: Any = False, overwrite_a: Any = False, overwrite_b: Any = False,
          check_finite: Any = True, assume_a: Any = None, transposed: Any = False) -> Any:
    if assume_a in ("sym", "symmetric", "her", "hermitian", "pos", "positive definite"):
        a = _stored_symmetric(a, lower, assume_a not in ("sym", "symmetric"))
    elif assume_a in ("upper triangular", "lower triangular"):
        a = _triangle(a, assume_a == "lower triangular", False)
    elif assume_a is not None and assume_a not in ("gen", "general"):
        refuse("solve(assume_a=...) is not covered for this structure")
    return np.linalg.solve(a.T if transposed else a, b)


def solve_triangular(a: Any, b: Any, trans: Any = 0, lower: Any = False, unit_diagonal: Any = False,
                     overwrite_b: Any = False, check_finite: Any = True) -> Any:
    t = _triangle(a, lower, unit_diagonal)
    if trans in (1, "T"):
        t = t.T
    elif trans in (2, "C"):
        t = np.conj(t).T
    return np.linalg.solve(t, b)


def cholesky(a: Any, lower: Any = False, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    c = np.linalg.cholesky(_stored_symmetric(a, lower))
    return c if lower else np.conj(c).T


def cho_factor(a: Any, lower: Any = False, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    """The other triangle is zero, where SciPy leaves in it what it had."""
    return cholesky(a, lower), lower


def cho_solve(c_and_lower: Any, b: Any, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    c, lower = c_and_lower
    t = np.tril(c) if lower else np.conj(np.triu(c)).T
    return np.linalg.solve(np.conj(t).T, np.linalg.solve(t, b))


def inv(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    return np.linalg.inv(a)


def det(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    return np.linalg.det(a)


def pinv(a: Any, atol: Any = None, rtol: Any = None, return_rank: Any = False, check_finite: Any = True) -> Any:
    if atol is not None or return_rank:
        refuse("pinv with an absolute tolerance or the rank is not covered")
    return np.linalg.pinv(a) if rtol is None else np.linalg.pinv(a, rtol)


def norm(a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False, check_finite: Any = True) -> Any:
    return np.linalg.norm(a, ord=ord, axis=axis, keepdims=keepdims)


def eigh(a: Any, b: Any = None, lower: Any = True, eigvals_only: Any = False, overwrite_a: Any = False,
         overwrite_b: Any = False, type: Any = 1, check_finite: Any = True, subset_by_index: Any = None,
         subset_by_value: Any = None, driver: Any = None) -> Any:
    if b is not None or subset_by_index is not None or subset_by_value is not None:
        refuse("eigh of a generalised problem, or of a part of the spectrum, is not covered")
    s = _stored_symmetric(a, lower)
    if eigvals_only:
        return np.linalg.eigvalsh(s)
    w, v = np.linalg.eigh(s)
    return w, v


def eigvalsh(a: Any, b: Any = None, lower: Any = True, overwrite_a: Any = False, overwrite_b: Any = False,
             type: Any = 1, check_finite: Any = True, subset_by_index: Any = None,
             subset_by_value: Any = None, driver: Any = None) -> Any:
    return eigh(a, b, lower, True, subset_by_index=subset_by_index, subset_by_value=subset_by_value)


def svd(a: Any, full_matrices: Any = True, compute_uv: Any = True, overwrite_a: Any = False, check_finite: Any = True,
        lapack_driver: Any = "gesdd") -> Any:
    if not compute_uv:
        return np.linalg.svd(a, compute_uv=False)
    u, s, vh = np.linalg.svd(a, full_matrices=full_matrices)
    return u, s, vh


def svdvals(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    return np.linalg.svd(a, compute_uv=False)


def qr(a: Any, overwrite_a: Any = False, lwork: Any = None, mode: Any = "full", pivoting: Any = False,
       check_finite: Any = True) -> Any:
    if pivoting or mode == "raw":
        refuse("qr with pivoting, or its raw form, is not covered")
    if mode == "r":
        refuse("qr(mode='r') is not covered: use mode='economic'")
    q, r = np.linalg.qr(a, mode="reduced" if mode == "economic" else "complete")
    return q, r


def lu(a: Any, permute_l: Any = False, overwrite_a: Any = False, check_finite: Any = True,
       p_indices: Any = False) -> Any:
    """Gaussian elimination with SciPy's pivots."""
    if p_indices:
        refuse("lu(p_indices=True) is not covered")
    p = permutation(a)
    n = a.shape[0]
    u = p.T @ a
    l = np.eye(n, dtype=u.dtype)  # noqa: E741
    for k in range(n - 1):
        factor = u[k + 1:, k] / u[k, k]
        l[k + 1:, k] = factor
        u[k + 1:, :] = u[k + 1:, :] - np.outer(factor, u[k, :])
    u = np.triu(u)
    if permute_l:
        return p @ l, u
    return p, l, u


def permutation(a: Any) -> Any:
    """The permutation matrix of an LU factorisation."""
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError("s2s differentiates lu of square matrices only")
    return scipy.linalg.lu(a)[0].astype(a.dtype)


FAMILY.op("scipy.linalg.permutation", "A", _square, callables=(permutation,), function=permutation,
          nondiff="which rows are exchanged is a constant")


def block_diag(*arrs: Any) -> Any:
    blocks = [np.atleast_2d(a) for a in arrs]
    width = sum([b.shape[1] for b in blocks])
    rows = []
    before = 0
    for b in blocks:
        after = width - before - b.shape[1]
        rows.append(np.concatenate((np.zeros((b.shape[0], before), b.dtype), b, np.zeros((b.shape[0], after), b.dtype)),
                                   axis=1))
        before += b.shape[1]
    return np.concatenate(rows, axis=0)


def toeplitz(c: Any, r: Any = None) -> Any:
    first = np.ravel(c)
    top = np.conj(first) if r is None else np.ravel(r)
    values = np.concatenate((first[::-1], top[1:]))
    n = first.shape[0]
    return values[np.arange(n)[::-1][:, None] + np.arange(top.shape[0])[None, :]]


def hankel(c: Any, r: Any = None) -> Any:
    first = np.ravel(c)
    last = np.zeros_like(first) if r is None else np.ravel(r)
    values = np.concatenate((first, last[1:]))
    return values[np.arange(first.shape[0])[:, None] + np.arange(last.shape[0])[None, :]]


def circulant(c: Any) -> Any:
    first = np.ravel(c)
    n = first.shape[0]
    return first[(np.arange(n)[:, None] - np.arange(n)[None, :]) % n]


def lstsq(a: Any, b: Any, cond: Any = None, overwrite_a: Any = False, overwrite_b: Any = False,
          check_finite: Any = True, lapack_driver: Any = None) -> Any:
    x, residuals, rank, s = np.linalg.lstsq(a, b, rcond=-1 if cond is None else cond)
    return x, residuals, rank, s


_HERE = (solve, solve_triangular, cholesky, cho_factor, cho_solve, inv, det, pinv, norm, eigh, eigvalsh, svd, svdvals,
         qr, lu, block_diag, toeplitz, hankel, circulant, lstsq)
WRITTEN: dict[Any, Callable[..., Any]] = {getattr(scipy.linalg, f.__name__): f for f in _HERE}
REFUSED = {
    "use scipy.linalg.solve with the matrix written out": "solve_banded solveh_banded solve_circulant solve_toeplitz "
    "cho_solve_banded cholesky_banded eig_banded eigh_tridiagonal eigvals_banded eigvalsh_tridiagonal",
    "use np.linalg.eig": "eig eigvals",
    "no derivative is known to s2s": "schur hessenberg ldl qz polar funm signm cosm sinm tanm coshm sinhm tanhm "
    "fractional_matrix_power expm_frechet solve_lyapunov solve_continuous_lyapunov solve_discrete_lyapunov "
    "solve_continuous_are solve_discrete_are lu_factor lu_solve null_space orth",
}
