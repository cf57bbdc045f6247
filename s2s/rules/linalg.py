"""np.linalg: norm, inv, det, slogdet, solve, cholesky, eigh, pinv, matrix_power.

Formulas: M. Giles 2008, "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation", by its section numbers; a bar is an adjoint, ^H transposes and conjugates.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2s.ir.core import Op
from s2s.ir.ops import numeric
from s2s.ir.types import Array, Dim, broadcast_dims
from s2s.rules.dims import (
    Adjoints,
    Result,
    array_or_scalar,
    axes_of,
    fit,
    fresh_array,
    known_as,
    mH,
    mT,
    promoted,
    reduce_to,
    refusal,
    write,
    zeros_like,
)
from s2s.rules.expr import Expr, encode_index, fn
from s2s.rules.table import Family

family = Family("linalg")


def _float(op: Op, *names: str) -> str:
    """The dtype in which LAPACK computes with the arguments."""
    dtype = promoted(*(numeric(op, n) for n in names))
    return dtype if np.dtype(dtype).kind in "fc" else "float64"


def _real(dtype: str) -> str:
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def _matrix(op: Op, name: str = "a") -> Array:
    """The type of an argument that is a matrix, or a stack of them."""
    t = numeric(op, name)
    if not isinstance(t, Array) or t.ndim < 2:
        raise refusal(op, f"{name} is not a matrix.")
    return t


# norm

def _norm_axes(op: Op | None, ndim: int, axis: Any) -> tuple[int, ...] | None:
    """The axes that are normed; None for all."""
    if axis is None:
        return None
    given = axis if isinstance(axis, tuple | list) else (axis,)
    return tuple(k % ndim for k in given) if op is None else axes_of(op, given, ndim)


def _norm_type(op: Op) -> Result:
    t, ord = numeric(op, "x"), op.attrs["ord"]
    axes = _norm_axes(op, t.ndim, op.attrs["axis"])
    count = t.ndim if axes is None else len(axes)
    if count > 1 and ord not in (None, "fro"):
        raise refusal(op, f"Matrix norm {ord!r} has no rule.", "Use ord=None or 'fro', or a vector norm.")
    if (count == 1 and ord in (0, "fro", "nuc")) or (isinstance(ord, int | float) and ord < 1):
        raise refusal(op, f"Norm {ord!r} has no rule.")
    if ord in (np.inf, float("inf")) and t.ndim > 1:
        raise refusal(op, "The maximum norm has a rule for one vector only.", "Use np.max(np.abs(x), axis).")
    dims: list[Dim] = []
    for k, d in enumerate(t.dims):
        if axes is not None and k not in axes:
            dims.append(d)
        elif op.attrs["keepdims"]:
            dims.append(Dim(None, 1))
    return [array_or_scalar(_real(_float(op, "x")), dims)]


# The gradient is 0 at 0, as for abs.
_norm = family.op("np.linalg.norm", "x, ord=None, axis=None, keepdims=False", _norm_type)


@_norm.vjp
def _(g: Expr, ans: Expr, x: Expr, ord: Any, axis: Any, keepdims: bool) -> Adjoints:
    if ord in (np.inf, float("inf")):
        x_bar = zeros_like(x)
        k = fn.argmax(fn.abs(x))
        write("additem", x_bar, encode_index(x_bar, [k]), g * _phase(x[k]))
        return {"x": x_bar}
    axes = None if keepdims else _norm_axes(None, x.ndim, axis)
    return {"x": fit(_kept(g, axes, x.ndim) * _norm_partial(ans, x, ord, axes), x)}


@_norm.jvp
def _(dots: Any, ans: Expr, x: Expr, ord: Any, axis: Any, keepdims: bool) -> Any:
    dot = dots["x"]
    if ord in (np.inf, float("inf")):
        k = fn.argmax(fn.abs(x))
        return (_phase(x[k]).conj() * dot[k]).real
    axes = _norm_axes(None, x.ndim, axis)
    partial = _norm_partial(ans, x, ord, None if keepdims else axes)
    along = axes[0] if axes is not None and len(axes) == 1 else axes
    return fn.sum((partial.conj() * dot).real, axis=along, keepdims=keepdims)


def _norm_partial(ans: Expr, x: Expr, ord: Any, axes: tuple[int, ...] | None) -> Expr:
    """d norm / d x, with 0 where the norm is 0."""
    if ord == 1:
        return _phase(x)
    length = _kept(fn.where(ans == 0.0, 1.0, ans), axes, x.ndim)
    if ord in (None, 2, "fro"):
        return x / length
    return _phase(x) * (fn.abs(x) / length) ** (float(ord) - 1.0)


def _phase(x: Expr) -> Expr:
    return fn.sign(x)


def _kept(g: Expr, axes: tuple[int, ...] | None, ndim: int) -> Expr:
    """`g` with axes of size 1 where it was reduced."""
    if axes is None or not g.is_array:
        return g
    return g[tuple(None if k in axes else slice(None) for k in range(ndim))]


# inv, det, slogdet

def _inverse_type(op: Op) -> Result:
    t = _matrix(op)
    return [fresh_array(_float(op, "a"), t.dims)]


_inv = family.op("np.linalg.inv", "a", _inverse_type)


@_inv.vjp
def _(g: Expr, ans: Expr, a: Expr) -> Adjoints:
    """2.2.3: A_bar = -C^H C_bar C^H."""
    return {"a": fit(known_as(-(mH(ans) @ g @ mH(ans)), a), a)}


@_inv.jvp
def _(dots: Any, ans: Expr, a: Expr) -> Expr:
    return -(ans @ dots["a"] @ ans)  # type: ignore[no-any-return]


def _det_type(op: Op) -> Result:
    return [array_or_scalar(_float(op, "a"), _matrix(op).dims[:-2])]


_det = family.op("np.linalg.det", "a", _det_type)


@_det.vjp
def _(g: Expr, ans: Expr, a: Expr) -> Adjoints:
    """2.2.4: A_bar = C_bar C inv(A)^H; written with cofactors, which singular matrices have too."""
    return {"a": fit(known_as(_spread(g) * fn.cofactors(a).conj(), a), a)}


@_det.jvp
def _(dots: Any, ans: Expr, a: Expr) -> Expr:
    return _total(fn.cofactors(a) * dots["a"])


# Its own derivative is that of det(A) inv(A)^T, of an invertible matrix.
_cofactors = family.op("s2s.cofactors", "a", _inverse_type)


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
    t, dtype = _matrix(op), _float(op, "a")
    if np.dtype(dtype).kind == "c":
        raise refusal(op, "The sign of a complex determinant has a derivative of its own.",
                      "Use np.log(np.linalg.det(a)).")
    return [array_or_scalar(dtype, t.dims[:-2])] * 2


# Two results: the sign, constant almost everywhere, and the logarithm of the absolute value.
_slogdet = family.op("np.linalg.slogdet", "a", _slogdet_type, emits="tuple")


@_slogdet.vjp
def _(g: Any, ans: Any, a: Expr) -> Adjoints:
    """d log|det A| = tr(inv(A) dA)."""
    if g[1] is None:
        return {"a": zeros_like(a)}
    return {"a": known_as(_spread(g[1]) * mT(fn.inv(a)), a)}


@_slogdet.jvp
def _(dots: Any, ans: Any, a: Expr) -> list[Expr]:
    return [zeros_like(ans[0]), _trace(fn.solve(a, dots["a"]))]


# solve

def _solve_type(op: Op) -> Result:
    a, b = _matrix(op), numeric(op, "b")
    dtype = _float(op, "a", "b")
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


# cholesky

_cholesky = family.op("np.linalg.cholesky", "a", _inverse_type)


def _lower_half(x: Expr) -> Expr:
    """The lower triangle, with half of the diagonal."""
    n = x.size_of(-1)
    return fn.tril(x) - 0.5 * (x * fn.eye(n, dtype=_real(x.dtype)))


def _of_lower(s: Expr) -> Expr:
    """An adjoint for the elements that NumPy reads, of a symmetric matrix: those of the lower triangle."""
    return _lower_half(s + mH(s))


@_cholesky.vjp
def _(g: Expr, ans: Expr, a: Expr) -> Adjoints:
    """I. Murray 2016, "Differentiation of the Cholesky decomposition", (10): inv(L)^H P(L^H L_bar) inv(L)."""
    inner = _lower_half(mH(ans) @ g)
    left = fn.solve(mH(ans), inner)
    return {"a": fit(known_as(_of_lower(mH(fn.solve(mH(ans), mH(left)))), a), a)}


@_cholesky.jvp
def _(dots: Any, ans: Expr, a: Expr) -> Expr:
    """Murray 2016, (8): L P(inv(L) dA inv(L)^H), with the symmetric dA that the lower triangle says."""
    low = fn.tril(dots["a"])
    n = low.size_of(-1)
    change = low + mH(low) - low * fn.eye(n, dtype=_real(low.dtype))
    middle = fn.solve(ans, mH(fn.solve(ans, change)))
    return ans @ _lower_half(mH(middle))


# eigh, eigvalsh: of the symmetric matrix of which NumPy reads the lower triangle.

def _eigh_type(op: Op) -> Result:
    t, dtype = _matrix(op), _float(op, "a")
    if op.attrs["UPLO"] != "L":
        raise refusal(op, "UPLO='U' has no rule.", "Pass the transpose.")
    return [array_or_scalar(_real(dtype), t.dims[:-1]), fresh_array(dtype, t.dims)]


_eigvalsh = family.op("np.linalg.eigvalsh", "a, UPLO='L'", lambda op: [_eigh_type(op)[0]])


def several(name: str, x: Expr) -> list[Expr]:
    """The results of a function of one argument that has several."""
    spec = x.lookup(name)
    attrs = {p.name: p.default for p in spec.params if p.kind == "static"}
    return [x.wrap(v) for v in x.b.emit(spec, {"a": x.v}, attrs)]


@_eigvalsh.vjp
def _(g: Expr, ans: Expr, a: Expr, UPLO: str) -> Adjoints:
    """3.1: A_bar = V diag(w_bar) V^H; well defined for symmetric functions of equal eigenvalues too."""
    _, v = several("np.linalg.eigh", a)
    return {"a": fit(known_as(_of_lower((v * g[..., None, :]) @ mH(v)), a), a)}


@_eigvalsh.jvp
def _(dots: Any, ans: Expr, a: Expr, UPLO: str) -> Expr:
    _, v = several("np.linalg.eigh", a)
    return fn.sum((v.conj() * (_symmetric(dots["a"]) @ v)).real, axis=-2)


def _symmetric(x: Expr) -> Expr:
    """The symmetric matrix with the lower triangle of `x`."""
    low = fn.tril(x)
    return low + mH(low) - low * fn.eye(x.size_of(-1), dtype=_real(x.dtype))


# Two results. Eigenvectors of equal eigenvalues have no derivative: it is infinite there.
_eigh = family.op("np.linalg.eigh", "a, UPLO='L'", _eigh_type, emits="tuple", singular=True)


def _gaps(w: Expr) -> Expr:
    """1 / (w_j - w_i), and 0 on the diagonal."""
    n = w.size_of(-1)
    eye = fn.eye(n, dtype=w.dtype)
    return (1.0 - eye) / (w[..., None, :] - w[..., :, None] + eye)


@_eigh.vjp
def _(g: Any, ans: Any, a: Expr, UPLO: str) -> Adjoints:
    """3.1: A_bar = V (diag(w_bar) + F * (V^H V_bar)) V^H."""
    (w, v), (w_bar, v_bar) = ans, g
    if v_bar is None:
        middle = (v * w_bar[..., None, :]) @ mH(v)
    else:
        inner = _gaps(w) * (mH(v) @ v_bar)
        middle = v @ inner @ mH(v)
        if w_bar is not None:
            middle = middle + (v * w_bar[..., None, :]) @ mH(v)
    return {"a": fit(known_as(_of_lower(middle), a), a)}


@_eigh.jvp
def _(dots: Any, ans: Any, a: Expr, UPLO: str) -> list[Expr]:
    w, v = ans
    turned = mH(v) @ _symmetric(dots["a"]) @ v
    return [fn.diagonal(turned, 0, -2, -1).real, v @ (_gaps(w) * turned)]


# pinv, matrix_power

def _pinv_type(op: Op) -> Result:
    t = _matrix(op)
    if t.ndim != 2:
        raise refusal(op, "The argument is a stack of matrices.")
    return [fresh_array(_float(op, "a"), (t.dims[1], t.dims[0]))]


# Where the rank of the matrix is constant near it.
_pinv = family.op("np.linalg.pinv", "a", _pinv_type)


@_pinv.vjp
def _(g: Expr, ans: Expr, a: Expr) -> Adjoints:
    """G. H. Golub, V. Pereyra 1973, "The differentiation of pseudo-inverses", (4.12), transposed."""
    p, ph, gh = ans, mH(ans), mH(g)
    rows, columns = fn.eye(a.size_of(0), dtype=a.dtype), fn.eye(a.size_of(1), dtype=a.dtype)
    first = -(ph @ g @ ph)
    second = (rows - a @ p) @ gh @ (p @ ph)
    third = (ph @ p) @ gh @ (columns - p @ a)
    return {"a": fit(known_as(first + second + third, a), a)}


@_pinv.jvp
def _(dots: Any, ans: Expr, a: Expr) -> Any:
    p, ph, da, dh = ans, mH(ans), dots["a"], mH(dots["a"])
    rows, columns = fn.eye(a.size_of(0), dtype=a.dtype), fn.eye(a.size_of(1), dtype=a.dtype)
    return -(p @ da @ p) + (p @ ph) @ dh @ (rows - a @ p) + (columns - p @ a) @ dh @ (ph @ p)


_power = family.op("np.linalg.matrix_power", "a, n: static", _inverse_type)


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
