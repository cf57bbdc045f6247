"""Pseudo-inverses and least squares, where the rank of the matrix is constant near it.

A bar is an adjoint, ^H transposes and conjugates.
"""

from __future__ import annotations

from typing import Any

from s2s.errors import NoRuleError
from s2s.ir.core import Op
from s2s.ir.ops import numeric
from s2s.ir.types import Scalar, fresh_dim
from s2s.rules.dims import Adjoints, Result, fit, fresh_array, known_as, mH, refusal
from s2s.rules.expr import Expr, fn, several
from s2s.rules.linalg import float_dtype, matrix, real_dtype
from s2s.rules.table import Family

family = Family("least squares")


def _pinv_type(op: Op) -> Result:
    t = matrix(op)
    if op.attrs["hermitian"]:
        raise refusal(op, "hermitian=True reads one half of the matrix.", "Leave it out.")
    return [fresh_array(float_dtype(op, "a"), (*t.dims[:-2], t.dims[-1], t.dims[-2]))]


_pinv = family.op("np.linalg.pinv", "a, rcond=None, hermitian=False", _pinv_type)


def _cuts(rcond: Any) -> bool:
    """Whether singular values are cut off that are not zero but for rounding."""
    return rcond is not None and rcond > 1e-12


def _cut_off(a: Expr, rcond: float) -> tuple[Expr, Expr, Expr, Expr]:
    """Singular vectors, and what singular values t that are cut off add beside each s that is kept: the formula of
    Golub and Pereyra takes t for 0. With h(s) = 1/s and h(t) = 0 the pseudo-inverse is a function of the singular
    values, whose derivative has (h(s)s - h(t)t) / (s^2 - t^2) in the place of 1/s^2, and (h(s)t - h(t)s) / (s^2 - t^2)
    across (V. Noferini 2017, "A formula for the Frechet derivative of a generalized matrix function").
    """
    u, s, vh = several("np.linalg.svd", a, full_matrices=False)
    kept = s > rcond * s[..., :1]
    mixed = kept[..., :, None] != kept[..., None, :]
    rows, columns = s[..., :, None], s[..., None, :]
    large, small = fn.where(mixed, fn.maximum(rows, columns), 1.0), fn.where(mixed, fn.minimum(rows, columns), 0.0)
    across = small / (large * (large * large - small * small))
    return u, vh, across * small / large, across


def _cut_tangent(a: Expr, rcond: float, da: Expr) -> Expr:
    """The tangent of the pseudo-inverse, as far as it is for what is cut off."""
    u, vh, near, across = _cut_off(a, rcond)
    turned = mH(u) @ da @ mH(vh)
    return mH(vh) @ (near * mH(turned) + across * turned) @ mH(u)


def _projectors(p: Expr, a: Expr) -> tuple[Expr, Expr]:
    """I - A P and I - P A: what `a` does not reach, and what it does not see."""
    dtype = real_dtype(p.dtype)
    return fn.eye(a.size_of(-2), dtype=dtype) - a @ p, fn.eye(a.size_of(-1), dtype=dtype) - p @ a


@_pinv.vjp
def _(g: Expr, ans: Expr, a: Expr, rcond: Any, hermitian: bool) -> Adjoints:
    """G. H. Golub, V. Pereyra 1973, "The differentiation of pseudo-inverses", (4.12), transposed."""
    p, ph, gh = ans, mH(ans), mH(g)
    rows, columns = _projectors(p, a)
    a_bar = -(ph @ g @ ph) + rows @ gh @ (p @ ph) + (ph @ p) @ gh @ columns
    if _cuts(rcond):
        u, vh, near, across = _cut_off(a, rcond)
        turned = vh @ g @ u
        a_bar = a_bar + u @ (mH(near * turned) + across * turned) @ vh
    return {"a": fit(known_as(a_bar, a), a)}


@_pinv.jvp
def _(dots: Any, ans: Expr, a: Expr, rcond: Any, hermitian: bool) -> Any:
    p, ph, da, dh = ans, mH(ans), dots["a"], mH(dots["a"])
    rows, columns = _projectors(p, a)
    dot = -(p @ da @ p) + (p @ ph) @ dh @ rows + columns @ dh @ (ph @ p)
    return dot + _cut_tangent(a, rcond, da) if _cuts(rcond) else dot


def _lstsq_type(op: Op) -> Result:
    a, b = matrix(op), numeric(op, "b")
    if a.ndim != 2 or b.ndim not in (1, 2):
        raise refusal(op, "The arguments are not a matrix and a vector or matrix.")
    dtype = float_dtype(op, "a", "b")
    return [fresh_array(dtype, (a.dims[1], *b.dims[1:])), fresh_array(real_dtype(dtype), (fresh_dim(),)),
            Scalar("int64", True), fresh_array(real_dtype(dtype), (fresh_dim(),))]


# Four results: the solution, the squares of what remains, the rank and the singular values.
_lstsq = family.op("np.linalg.lstsq", "a, b, rcond=None", _lstsq_type, emits="tuple")


def _only_solution(gs: Any) -> None:
    if any(x is not None for x in (gs[1], gs[3])):
        raise NoRuleError("np.linalg.lstsq: only its solution has a derivative here; compute what remains as "
                          "np.sum((a @ x - b) ** 2, axis=0) and the singular values with np.linalg.svdvals")


def _inverse(a: Expr, rcond: Any) -> Expr:
    """The pseudo-inverse, with what `lstsq` takes for zero."""
    return several("np.linalg.lstsq", a, fn.eye(a.size_of(0), dtype=a.dtype), rcond)[0]


@_lstsq.vjp
def _(g: Any, ans: Any, a: Expr, b: Expr, rcond: Any) -> Adjoints:
    """The adjoint of x = P b, with the derivative of the pseudo-inverse P as above."""
    _only_solution(g)
    p = _inverse(a, rcond)
    vector = b.ndim == 1
    x, x_bar, right = ((v[:, None] if vector else v) for v in (ans[0], g[0], b))
    ph, columns = mH(p), _projectors(p, a)[1]
    b_bar = ph @ x_bar
    left = (right - a @ x) @ mH(p @ b_bar)
    a_bar = left - b_bar @ mH(x) + (ph @ x) @ mH(columns @ x_bar)
    if _cuts(rcond):
        u, vh, near, across = _cut_off(a, rcond)
        turned = (vh @ x_bar) @ (mH(right) @ u)
        a_bar = a_bar + u @ (mH(near * turned) + across * turned) @ vh
    return {"a": fit(known_as(a_bar, a), a), "b": fit(known_as(b_bar[:, 0] if vector else b_bar, b), b)}


@_lstsq.jvp
def _(dots: Any, ans: Any, a: Expr, b: Expr, rcond: Any) -> list[Any]:
    p, x = _inverse(a, rcond), ans[0]
    right = dots.get("b")
    total = None if right is None else p @ right
    if (da := dots.get("a")) is not None:
        ph, columns = mH(p), _projectors(p, a)[1]
        change = p @ (ph @ (mH(da) @ (b - a @ x))) - p @ (da @ x) + columns @ (mH(da) @ (ph @ x))
        if _cuts(rcond):
            change = change + _cut_tangent(a, rcond, da) @ b
        total = change if total is None else total + change
    return [total, None, None, None]
