"""Forms of factorisations, which numba has of single matrices, and refusals of transforms, which it has not."""

from __future__ import annotations

from typing import Any

from s2s.rules.dims import mH
from s2s.rules.expr import Expr, fn, several
from s2s.targets.common import at_least_1d, inverse, move_axis, transposed


def _single(a: Expr) -> None:
    if a.ndim > 2:
        raise NotImplementedError("of a stack of matrices")


def _only_matrices(a: Expr, **options: Any) -> None:
    _single(a)


def _eigh(a: Expr, UPLO: str) -> tuple[Expr, ...] | None:
    _single(a)
    return None if UPLO in ("L", "l") else tuple(several("np.linalg.eigh", fn.copy(mH(a))))


def _eigvalsh(a: Expr, UPLO: str) -> Expr | None:
    _single(a)
    return None if UPLO in ("L", "l") else fn.eigvalsh(fn.copy(mH(a)))


def _complex(a: Expr) -> Expr:
    """Numba finds complex eigenvalues of complex matrices only."""
    _single(a)
    return a.astype("complex64" if a.dtype == "float32" else "complex128")


def _eig(a: Expr) -> tuple[Expr, ...]:
    return tuple(several("np.linalg.eig", _complex(a)))


def _eigvals(a: Expr) -> Expr:
    return fn.eigvals(_complex(a))


def _svdvals(x: Expr) -> Expr:
    _single(x)
    return several("np.linalg.svd", x, full_matrices=False)[1]


def _qr(a: Expr, mode: str) -> Expr | None:
    _single(a)
    return several("np.linalg.qr", a)[1] if mode == "r" else None


def _lstsq(a: Expr, b: Expr, rcond: Any) -> None:
    if rcond is None:
        return
    if not isinstance(rcond, int | float):
        raise NotImplementedError("with this rcond")


def _pinv(a: Expr, rcond: Any, hermitian: bool) -> None:
    _single(a)


def _no_transform(**arguments: Any) -> None:
    raise NotImplementedError("at all: numba has no FFT")


def _cumprod(a: Expr, axis: int | None, dtype: Any) -> Expr | None:
    if dtype is not None:
        a = a.astype(str(dtype))
    if not a.is_array:
        return at_least_1d(a)
    if a.ndim == 1:
        return None if axis is None and dtype is None else fn.cumprod(a)
    if axis is None:
        return fn.cumprod(fn.ravel(a))
    order = move_axis(a.ndim, axis, -1)
    rows = transposed(a, order)
    first = fn.concatenate([rows[..., :1], fn.zeros_like(rows[..., 1:])], axis=a.ndim - 1)
    return transposed(fn.recurrence(rows, first), inverse(order))


_TRANSFORMS = ("fft", "ifft", "rfft", "irfft", "fftn", "ifftn", "rfftn", "irfftn", "fftfreq", "rfftfreq")

FORMS: dict[str, Any] = {
    "np.cumprod": _cumprod, "s2s.eig": _eig, "s2s.eigvals": _eigvals,
    "np.linalg.svdvals": _svdvals, "np.linalg.qr": _qr, "np.linalg.eigh": _eigh,
    "np.linalg.eigvalsh": _eigvalsh, "np.linalg.lstsq": _lstsq, "np.linalg.pinv": _pinv,
    **{f"np.linalg.{name}": _only_matrices for name in ("svd", "eig", "eigvals", "cholesky", "slogdet")},
    **{f"np.fft.{name}": _no_transform for name in _TRANSFORMS},
}
