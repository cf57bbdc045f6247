"""np.linalg: inv, det, slogdet, solve, matrix_power.

Formulas: M. Giles 2008, "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation", by its section numbers; a bar is an adjoint, ^H transposes and conjugates.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2s.ir.core import Op
from s2s.ir.ops import numeric
from s2s.ir.types import Array, Scalar, broadcast_dims
from s2s.rules.dims import (
    Adjoints,
    Result,
    array_or_scalar,
    fit,
    fresh_array,
    known_as,
    mH,
    mT,
    promoted,
    reduce_to,
    refusal,
    zeros_like,
)
from s2s.rules.expr import Expr, fn
from s2s.rules.table import Family

family = Family("linalg")


def float_dtype(op: Op, *names: str) -> str:
    """The dtype in which LAPACK computes with the arguments."""
    dtype = promoted(*(numeric(op, n) for n in names))
    return dtype if np.dtype(dtype).kind in "fc" else "float64"


def real_dtype(dtype: str) -> str:
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def matrix(op: Op, name: str = "a") -> Array:
    """The type of an argument that is a matrix, or a stack of them."""
    t = numeric(op, name)
    if not isinstance(t, Array) or t.ndim < 2:
        raise refusal(op, f"{name} is not a matrix.")
    return t


# inv, det, slogdet

def inverse_type(op: Op) -> Result:
    t = matrix(op)
    return [fresh_array(float_dtype(op, "a"), t.dims)]


_inv = family.op("np.linalg.inv", "a", inverse_type)


@_inv.vjp
def _(g: Expr, ans: Expr, a: Expr) -> Adjoints:
    """2.2.3: A_bar = -C^H C_bar C^H."""
    return {"a": fit(known_as(-(mH(ans) @ g @ mH(ans)), a), a)}


@_inv.jvp
def _(dots: Any, ans: Expr, a: Expr) -> Expr:
    return -(ans @ dots["a"] @ ans)  # type: ignore[no-any-return]


def _det_type(op: Op) -> Result:
    return [array_or_scalar(float_dtype(op, "a"), matrix(op).dims[:-2])]


_det = family.op("np.linalg.det", "a", _det_type)


@_det.vjp
def _(g: Expr, ans: Expr, a: Expr) -> Adjoints:
    """2.2.4: A_bar = C_bar C inv(A)^H; written with cofactors, which singular matrices have too."""
    return {"a": fit(known_as(_spread(g) * fn.cofactors(a).conj(), a), a)}


@_det.jvp
def _(dots: Any, ans: Expr, a: Expr) -> Expr:
    return _total(fn.cofactors(a) * dots["a"])


# What `try` tests where LinAlgError is caught.
for _name in ("is_singular", "is_indefinite"):
    family.op(f"s2s.{_name}", "a", lambda op: [Scalar("bool", True)], nondiff="a test gives a bool")


# Its own derivative is that of det(A) inv(A)^T, of an invertible matrix.
_cofactors = family.op("s2s.cofactors", "a", inverse_type)


@_cofactors.vjp
def _(g: Expr, ans: Expr, a: Expr) -> Adjoints:
    n, c = mH(fn.inv(a)), ans.conj()
    return {"a": fit(known_as(_spread(_total(g * n)) * c - c @ mT(g) @ n, a), a)}


@_cofactors.jvp
def _(dots: Any, ans: Expr, a: Expr) -> Expr:
    n, a_dot = mT(fn.inv(a)), dots["a"]
    return _spread(_total(n * a_dot)) * ans - n @ mT(a_dot) @ ans


def _total(x: Expr) -> Expr:
    """The sum over each matrix."""
    return fn.sum(x) if x.ndim == 2 else fn.sum(x, axis=(-2, -1))


def _spread(g: Expr) -> Expr:
    """One number for each matrix, laid over its elements."""
    return g[..., None, None] if g.is_array else g


def _trace(x: Expr) -> Expr:
    return fn.trace(x) if x.ndim == 2 else fn.sum(fn.diagonal(x, 0, -2, -1), axis=-1)


def _slogdet_type(op: Op) -> Result:
    t, dtype = matrix(op), float_dtype(op, "a")
    return [array_or_scalar(dtype, t.dims[:-2]), array_or_scalar(real_dtype(dtype), t.dims[:-2])]


# Two results: the sign, constant almost everywhere if it is real, and the logarithm of the absolute value.
_slogdet = family.op("np.linalg.slogdet", "a", _slogdet_type, emits="tuple")


@_slogdet.vjp
def _(g: Any, ans: Any, a: Expr) -> Adjoints:
    """With t = tr(inv(A) dA): d log|det A| = Re t and d sign = i sign Im t."""
    weight = g[1]
    if g[0] is not None and ans[0].is_complex:
        turn = 1j * (ans[0].conj() * g[0]).imag
        weight = turn if weight is None else weight + turn
    if weight is None:
        return {"a": zeros_like(a)}
    return {"a": known_as(_spread(weight) * mH(fn.inv(a)), a)}


@_slogdet.jvp
def _(dots: Any, ans: Any, a: Expr) -> list[Expr]:
    t = _trace(fn.solve(a, dots["a"]))
    return [1j * t.imag * ans[0] if t.is_complex else zeros_like(ans[0]), t.real]


# solve

def _solve_type(op: Op) -> Result:
    a, b = matrix(op), numeric(op, "b")
    dtype = float_dtype(op, "a", "b")
    if b.ndim == 1:
        return [fresh_array(dtype, (*a.dims[:-2], b.dims[0]))]
    if b.ndim == 0:
        raise refusal(op, "b is a number.")
    return [fresh_array(dtype, (*broadcast_dims([a.dims[:-2], b.dims[:-2]]), *b.dims[-2:]))]


_solve = family.op("np.linalg.solve", "a, b", _solve_type)


@_solve.vjp
def _(g: Expr, ans: Expr, a: Expr, b: Expr) -> Adjoints:
    """2.3.1: B_bar = inv(A)^H C_bar, A_bar = -B_bar C^H."""
    if b.ndim > 1:
        b_bar = fn.solve(mH(a), g)
        return {"a": reduce_to(-(b_bar @ mH(ans)), a), "b": reduce_to(b_bar, b)}
    if a.ndim == 2:
        b_bar = fn.solve(mH(a), g)
        return {"a": fit(known_as(-fn.outer(b_bar, ans.conj()), a), a), "b": fit(known_as(b_bar, b), b)}
    # A stack of matrices and one vector.
    b_bar = fn.solve(mH(a), g[..., None])
    return {"a": reduce_to(-(b_bar * ans.conj()[..., None, :]), a), "b": reduce_to(b_bar[..., 0], b)}


@_solve.jvp
def _(dots: Any, ans: Expr, a: Expr, b: Expr) -> Any:
    right = dots.get("b")
    if dots.get("a") is not None:
        change = dots["a"] @ (ans if b.ndim > 1 or a.ndim == 2 else ans[..., None])
        if b.ndim == 1 and a.ndim > 2:
            right = -change if right is None else right[:, None] - change
            return fn.solve(a, right)[..., 0]
        right = -change if right is None else right - change
    return fn.solve(a, right)


# matrix_power

_power = family.op("np.linalg.matrix_power", "a, n: static", inverse_type)


@_power.vjp
def _(g: Expr, ans: Expr, a: Expr, n: int) -> Adjoints:
    """The sum over k of (A^H)^k C_bar (A^H)^(n-1-k), by Horner's rule."""
    if n == 0:
        return {"a": zeros_like(a)}
    base = mH(a) if n > 0 else mH(fn.inv(a))
    total, power = g, g
    for _ in range(abs(n) - 1):
        power = power @ base
        total = base @ total + power
    if n < 0:
        total = -(base @ total @ base)
    return {"a": known_as(total, a)}


@_power.jvp
def _(dots: Any, ans: Expr, a: Expr, n: int) -> Any:
    if n == 0:
        return zeros_like(ans)
    base, dot = (a, dots["a"]) if n > 0 else (fn.inv(a), None)
    if dot is None:
        dot = -(base @ dots["a"] @ base)
    total, power = dot, dot
    for _ in range(abs(n) - 1):
        power = power @ base
        total = base @ total + power
    return total
