"""Factorisations: cholesky, eigh, eig, svd, qr.

Formulas: M. Giles 2008, "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation", by its section numbers, and those named at each. A bar is an adjoint, ^H transposes and conjugates.
Factors are determined up to signs or phases; functions of them that depend on these have no derivative of a meaning.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2s.ir.core import Op
from s2s.ir.types import Dim, fresh_dim, known_dim
from s2s.rules.dims import Adjoints, Result, array_or_scalar, fit, fresh_array, known_as, mH, refusal, require, write
from s2s.rules.expr import Expr, encode_index, fn, several
from s2s.rules.linalg import float_dtype, inverse_type, matrix, real_dtype
from s2s.rules.table import Family

family = Family("decompositions")


def _row(w: Expr) -> Expr:
    """Numbers that scale the columns of a matrix."""
    return w[..., None, :]


def _on_diagonal(w: Expr) -> Expr:
    """Diagonal matrices of the rows of `w`."""
    return _row(w) * fn.eye(w.size_of(-1), dtype=real_dtype(w.dtype))


def _diagonal(x: Expr) -> Expr:
    return fn.diagonal(x, 0, -2, -1)


# cholesky

_cholesky = family.op("np.linalg.cholesky", "a", inverse_type)


def _lower_half(x: Expr) -> Expr:
    """The lower triangle, with half of the diagonal."""
    n = x.size_of(-1)
    return fn.tril(x) - 0.5 * (x * fn.eye(n, dtype=real_dtype(x.dtype)))


def _of_triangle(s: Expr, uplo: str = "L") -> Expr:
    """An adjoint for the elements that NumPy reads, of a symmetric matrix: those of one triangle."""
    lower = _lower_half(s + mH(s))
    return lower if uplo in ("L", "l") else mH(lower)


@_cholesky.vjp
def _(g: Expr, ans: Expr, a: Expr) -> Adjoints:
    """I. Murray 2016, "Differentiation of the Cholesky decomposition", (10): inv(L)^H P(L^H L_bar) inv(L)."""
    inner = _lower_half(mH(ans) @ g)
    left = fn.solve(mH(ans), inner)
    return {"a": fit(known_as(_of_triangle(mH(fn.solve(mH(ans), mH(left)))), a), a)}


@_cholesky.jvp
def _(dots: Any, ans: Expr, a: Expr) -> Expr:
    """Murray 2016, (8): L P(inv(L) dA inv(L)^H), with the symmetric dA that the lower triangle says."""
    change = _symmetric(dots["a"])
    middle = fn.solve(ans, mH(fn.solve(ans, change)))
    return ans @ _lower_half(mH(middle))


# eigh, eigvalsh: of the symmetric matrix of which NumPy reads one triangle.

def _eigh_type(op: Op) -> Result:
    t, dtype = matrix(op), float_dtype(op, "a")
    if op.attrs["UPLO"] not in ("L", "l", "U", "u"):
        raise refusal(op, f"UPLO={op.attrs['UPLO']!r} is neither 'L' nor 'U'.")
    return [array_or_scalar(real_dtype(dtype), t.dims[:-1]), fresh_array(dtype, t.dims)]


_eigvalsh = family.op("np.linalg.eigvalsh", "a, UPLO='L'", lambda op: [_eigh_type(op)[0]])


@_eigvalsh.vjp
def _(g: Expr, ans: Expr, a: Expr, UPLO: str) -> Adjoints:
    """3.1: A_bar = V diag(w_bar) V^H; well defined for symmetric functions of equal eigenvalues too."""
    _, v = several("np.linalg.eigh", a, UPLO=UPLO)
    return {"a": fit(known_as(_of_triangle((v * _row(g)) @ mH(v), UPLO), a), a)}


@_eigvalsh.jvp
def _(dots: Any, ans: Expr, a: Expr, UPLO: str) -> Expr:
    _, v = several("np.linalg.eigh", a, UPLO=UPLO)
    return fn.sum((v.conj() * (_symmetric(dots["a"], UPLO) @ v)).real, axis=-2)


def _symmetric(x: Expr, uplo: str = "L") -> Expr:
    """The symmetric matrix with one triangle of `x`."""
    low = fn.tril(x if uplo in ("L", "l") else mH(x))
    return low + mH(low) - low * fn.eye(x.size_of(-1), dtype=real_dtype(x.dtype))


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
        middle = (v * _row(w_bar)) @ mH(v)
    else:
        inner = _gaps(w) * (mH(v) @ v_bar)
        middle = v @ inner @ mH(v)
        if w_bar is not None:
            middle = middle + (v * _row(w_bar)) @ mH(v)
    return {"a": fit(known_as(_of_triangle(middle, UPLO), a), a)}


@_eigh.jvp
def _(dots: Any, ans: Any, a: Expr, UPLO: str) -> list[Expr]:
    w, v = ans
    turned = mH(v) @ _symmetric(dots["a"], UPLO) @ v
    return [_diagonal(turned).real, v @ (_gaps(w) * turned)]


# eig, eigvals: complex. Of a real matrix, NumPy before 2.5 gives real numbers where all are, so a helper is called.

def _eig_type(op: Op) -> Result:
    t, dtype = matrix(op), float_dtype(op, "a")
    wide = {"float32": "complex64", "complex64": "complex64"}.get(dtype, "complex128")
    if op.name.startswith("np.") and dtype != wide:
        raise refusal(op, "Whether the eigenvalues of a real matrix are real is not known before it runs.")
    return [array_or_scalar(wide, t.dims[:-1]), fresh_array(wide, t.dims)]


def _largest(v: Expr) -> Expr:
    """Where the largest component of each column is."""
    places = fn.arange(v.size_of(-2))
    return places[:, None] == _row(fn.argmax(fn.abs(v), axis=v.ndim - 2))


def _eig_vjp(g: Any, ans: Any, a: Expr) -> Adjoints:
    """3.1, with the adjoint of how the vectors are scaled."""
    (w, v), (w_bar, v_bar) = ans, g
    vh = mH(v)
    inner = None if w_bar is None else _on_diagonal(w_bar)
    if v_bar is not None:
        along = _row(fn.sum(v.conj() * v_bar, axis=v.ndim - 2))
        free = v_bar - v * along.real - fn.where(_largest(v), 1j * along.imag / v.real, 0.0)
        change = _gaps(w).conj() * (vh @ free)
        inner = change if inner is None else inner + change
    assert inner is not None, "an operation of which no result is used"
    return {"a": fit(known_as(fn.solve(vh, inner @ vh), a), a)}


def _eig_jvp(dots: Any, ans: Any, a: Expr) -> list[Expr]:
    w, v = ans
    turned = fn.solve(v, dots["a"].astype(v.dtype) @ v)
    free = v @ (_gaps(w) * turned)
    along = _row(fn.sum(v.conj() * free, axis=v.ndim - 2).real)
    phase = _row(fn.sum(fn.where(_largest(v), free.imag / v.real, 0.0), axis=v.ndim - 2))
    return [_diagonal(turned), free - v * (along + 1j * phase)]


def _eigenvalues(module: str) -> None:
    """Declare `eig` and `eigvals`: NumPy's of complex matrices, the helpers of real ones."""
    def vjp(g: Expr, ans: Expr, a: Expr) -> Adjoints:
        """3.1: A_bar = V^-H diag(w_bar) V^H."""
        vh = mH(several(f"{module}.eig", a)[1])
        return {"a": fit(known_as(fn.solve(vh, _on_diagonal(g) @ vh), a), a)}

    def jvp(dots: Any, ans: Expr, a: Expr) -> Expr:
        v = several(f"{module}.eig", a)[1]
        return _diagonal(fn.solve(v, dots["a"].astype(v.dtype) @ v))

    values = family.op(f"{module}.eigvals", "a", lambda op: [_eig_type(op)[0]])
    values.vjp(vjp)
    values.jvp(jvp)
    # Vectors have length 1 and a real largest component, as LAPACK gives them. Equal eigenvalues: infinite.
    both = family.op(f"{module}.eig", "a", _eig_type, emits="tuple", singular=True)
    both.vjp(_eig_vjp)
    both.jvp(_eig_jvp)


_eigenvalues("np.linalg")
_eigenvalues("s2s")


# svd

def _svd_dims(op: Op, name: str = "a") -> tuple[tuple[Dim, ...], Dim, Dim, Dim]:
    """The axes before the last two, these, and the smaller."""
    t = matrix(op, name)
    m, n = t.dims[-2:]
    known = m.symbol is None and n.symbol is None
    return t.dims[:-2], m, n, m if m == n else known_dim(min(m.offset, n.offset)) if known else fresh_dim()


def _svd_type(op: Op) -> Result:
    dtype, (lead, m, n, k) = float_dtype(op, "a"), _svd_dims(op)
    if op.attrs["hermitian"] or not op.attrs["compute_uv"]:
        raise refusal(op, "Two of the arguments change what is computed.", "Use np.linalg.svdvals, or np.linalg.eigh.")
    full = op.attrs["full_matrices"]
    return [fresh_array(dtype, (*lead, m, m if full else k)), fresh_array(real_dtype(dtype), (*lead, k)),
            fresh_array(dtype, (*lead, n if full else k, n))]


_svdvals = family.op("np.linalg.svdvals", "x", lambda op: [
    fresh_array(real_dtype(float_dtype(op, "x")), (*_svd_dims(op, "x")[0], _svd_dims(op, "x")[3]))])


@_svdvals.vjp
def _(g: Expr, ans: Expr, x: Expr) -> Adjoints:
    """3.2: A_bar = U diag(s_bar) V^H."""
    u, _, vh = several("np.linalg.svd", x, full_matrices=False)
    return {"x": fit(known_as((u * _row(g)) @ vh, x), x)}


@_svdvals.jvp
def _(dots: Any, ans: Expr, x: Expr) -> Expr:
    u, _, vh = several("np.linalg.svd", x, full_matrices=False)
    return fn.sum((u.conj() * (dots["x"] @ mH(vh))).real, axis=x.ndim - 2)


_svd = family.op("np.linalg.svd", "a, full_matrices=True, compute_uv=True, hermitian=False", _svd_type, emits="tuple",
                 singular=True)


def _thin(u: Expr, s: Expr, vh: Expr, full: bool) -> tuple[Expr, Expr]:
    """The singular vectors that belong to singular values."""
    return (u[..., :s.size_of(-1)], vh[..., :s.size_of(-1), :]) if full else (u, vh)


def _square(a: Expr) -> bool:
    return a.dims[-2] == a.dims[-1]


def _check_unused(a: Expr, bar: Expr | None, others: Any) -> None:
    """Of a matrix that is not square, the vectors that no singular value belongs to have no derivative."""
    if bar is None or _square(a):
        return
    what = "the vectors of np.linalg.svd beyond the singular values have no derivative: pass full_matrices=False"
    require(fn.logical_not(fn.any(bar[others] != 0)), what)


def _widened(dot: Expr, vectors: Expr, place: Any) -> Expr:
    """The tangents of all vectors: nan where there is none."""
    whole = fn.full_like(vectors, np.nan)
    write("setitem", whole, encode_index(whole, place), dot)
    return whole


def _square_gaps(s: Expr) -> Expr:
    """1 / (s_j^2 - s_i^2), and 0 on the diagonal."""
    return _gaps(s * s)


@_svd.vjp
def _(g: Any, ans: Any, a: Expr, full_matrices: bool, compute_uv: bool, hermitian: bool) -> Adjoints:
    """J. Townsend 2016, "Differentiating the singular value decomposition"; for complex matrices Z.-Q. Wan, S.-X. Zhang
    2019, "Automatic differentiation for complex valued SVD".
    """
    (u, s, vh), (u_bar, s_bar, vh_bar) = ans, g
    u, vh = _thin(u, s, vh, full_matrices)
    if full_matrices:
        k = s.size_of(-1)
        _check_unused(a, u_bar, (..., slice(k, None)))
        _check_unused(a, vh_bar, (..., slice(k, None), slice(None)))
        u_bar = None if u_bar is None else u_bar[..., :k]
        vh_bar = None if vh_bar is None else vh_bar[..., :k, :]
    v, gaps = mH(vh), _square_gaps(s)
    parts = [] if s_bar is None else [(u * _row(s_bar)) @ vh]
    turn = None
    if u_bar is not None:
        inner = mH(u) @ u_bar
        skew = gaps * inner
        parts.append((u @ ((skew + mH(skew)) * _row(s)) + (u_bar - u @ inner) / _row(s)) @ vh)
        turn = _diagonal(inner).imag if a.is_complex else None
    if vh_bar is not None:
        v_bar = mH(vh_bar)
        inner = vh @ v_bar
        skew = gaps * inner
        parts.append(u @ (s[..., :, None] * ((skew + mH(skew)) @ vh) + mH((v_bar - v @ inner) / _row(s))))
        if a.is_complex:
            own = _diagonal(inner).imag
            turn = -own if turn is None else turn - own
    if turn is not None:
        parts.append((u * _row(0.5j * turn / s)) @ vh)
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return {"a": fit(known_as(total, a), a)}


@_svd.jvp
def _(dots: Any, ans: Any, a: Expr, full_matrices: bool, compute_uv: bool, hermitian: bool) -> list[Expr]:
    (u, s, vh), da = ans, dots["a"]
    u, vh = _thin(u, s, vh, full_matrices)
    v, gaps = mH(vh), _square_gaps(s)
    p = mH(u) @ da @ v
    ph, column = mH(p), s[..., :, None]
    u_dot = u @ (gaps * (p * _row(s) + column * ph)) + (da @ v - u @ p) / _row(s)
    v_dot = v @ (gaps * (column * p + ph * _row(s))) + (mH(da) @ u - v @ ph) / _row(s)
    if a.is_complex:
        turn = _row(0.5j * _diagonal(p).imag / s)
        u_dot, v_dot = u_dot + u * turn, v_dot - v * turn
    vh_dot = mH(v_dot)
    if full_matrices and not _square(a):
        k = s.size_of(-1)
        u_dot = _widened(u_dot, ans[0], (..., slice(None, k)))
        vh_dot = _widened(vh_dot, ans[2], (..., slice(None, k), slice(None)))
    return [u_dot, _diagonal(p).real, vh_dot]


# qr

def _qr_type(op: Op) -> Result:
    dtype, (lead, m, n, k) = float_dtype(op, "a"), _svd_dims(op)
    mode = op.attrs["mode"]
    if mode not in ("reduced", "r"):
        raise refusal(op, f"mode={mode!r} has no rule.", "Use mode='reduced'.")
    r = fresh_array(dtype, (*lead, k, n))
    return [r] if mode == "r" else [fresh_array(dtype, (*lead, m, k)), r]


# Where the first columns are independent.
_qr = family.op("np.linalg.qr", "a, mode='reduced'", _qr_type, singular=True)


def _below(x: Expr) -> Expr:
    """What is below the diagonal."""
    return fn.tril(x, -1)


def _real_diagonal(x: Expr) -> Expr:
    """The diagonal matrix of the real parts of the diagonal."""
    return x.real * fn.eye(x.size_of(-1), dtype=real_dtype(x.dtype))


@_qr.vjp
def _(g: Any, ans: Any, a: Expr, mode: str) -> Adjoints:
    """D. A. O. Roberts, L. R. Roberts 2020, "QR and LQ decomposition matrix backpropagation algorithms for square,
    wide, and deep matrices": the columns after those that give Q are Q^H of them.
    """
    q, r = several("np.linalg.qr", a) if mode == "r" else ans
    q_bar: Any = None if mode == "r" else g[0]
    r_bar = g if mode == "r" else g[1]
    k = q.size_of(-1)
    upper, rest = r[..., :k], a[..., k:]
    if r_bar is None:
        m = -(mH(q_bar) @ q)
        rest_bar = fn.zeros_like(rest)
    else:
        more = r_bar[..., k:]
        beside = rest @ mH(more)
        q_bar = beside if q_bar is None else q_bar + beside
        m = upper @ mH(r_bar[..., :k]) - mH(q_bar) @ q
        rest_bar = q @ more
    symmetric = _below(m) + mH(_below(m)) + _real_diagonal(m)
    first = mH(fn.solve(upper, mH(q_bar + q @ symmetric)))
    return {"a": fit(known_as(fn.concatenate([first, rest_bar.astype(first.dtype)], axis=a.ndim - 1), a), a)}


@_qr.jvp
def _(dots: Any, ans: Any, a: Expr, mode: str) -> Any:
    q, r = several("np.linalg.qr", a) if mode == "r" else ans
    k, da = q.size_of(-1), dots["a"]
    upper, rest = r[..., :k], a[..., k:]
    change = mH(fn.solve(mH(upper), mH(da[..., :k])))
    s = mH(q) @ change
    turn = _below(s) - mH(_below(s))
    if a.is_complex:
        turn = turn + 1j * _diagonal(s).imag[..., None, :] * fn.eye(k, dtype=real_dtype(s.dtype))
    q_dot = change - q @ s + q @ turn
    r_dot = fn.concatenate([(s - turn) @ upper, mH(q_dot) @ rest + mH(q) @ da[..., k:]], axis=a.ndim - 1)
    return r_dot if mode == "r" else [q_dot, r_dot]
