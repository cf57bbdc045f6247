"""Transforms that others give: fft2 and its kind, hfft, ihfft, fftshift, ifftshift, frequencies."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2s.rules.expand.core import Expansions, Static
from s2s.rules.expr import Expr, fn
from s2s.rules.fft import other_norm

written = Expansions()


@written.of(np.fft.fft2)
def _fft2(a: Expr, s: Static = None, axes: Static = (-2, -1), norm: Static = None) -> Expr:
    return fn.fftn(a, s, axes, norm)


@written.of(np.fft.ifft2)
def _ifft2(a: Expr, s: Static = None, axes: Static = (-2, -1), norm: Static = None) -> Expr:
    return fn.ifftn(a, s, axes, norm)


@written.of(np.fft.rfft2)
def _rfft2(a: Expr, s: Static = None, axes: Static = (-2, -1), norm: Static = None) -> Expr:
    return fn.rfftn(a, s, axes, norm)


@written.of(np.fft.irfft2)
def _irfft2(a: Expr, s: Static = None, axes: Static = (-2, -1), norm: Static = None) -> Expr:
    return fn.irfftn(a, s, axes, norm)


@written.of(np.fft.hfft)
def _hfft(a: Expr, n: Any = None, axis: Static = -1, norm: Static = None) -> Expr:
    return fn.irfft(a.conj(), n, axis=axis, norm=other_norm(norm))


@written.of(np.fft.ihfft)
def _ihfft(a: Expr, n: Any = None, axis: Static = -1, norm: Static = None) -> Expr:
    return fn.rfft(a, n, axis=axis, norm=other_norm(norm)).conj()


def _shift(x: Expr, axes: Any, sign: int) -> Expr:
    chosen = tuple(range(x.ndim)) if axes is None else axes if isinstance(axes, tuple | list) else (axes,)
    halves = [x.size_of(k) // 2 for k in chosen]
    return fn.roll(x, [n if sign > 0 else -n for n in halves], axis=tuple(chosen))


@written.of(np.fft.fftshift)
def _fftshift(x: Expr, axes: Static = None) -> Expr:
    return _shift(x, axes, 1)


@written.of(np.fft.ifftshift)
def _ifftshift(x: Expr, axes: Static = None) -> Expr:
    return _shift(x, axes, -1)


@written.of(np.fft.fftfreq)
def _fftfreq(n: Expr, d: Expr | None = None) -> Expr:
    return fn.fftfreq(n) if d is None else fn.fftfreq(n) / d


@written.of(np.fft.rfftfreq)
def _rfftfreq(n: Expr, d: Expr | None = None) -> Expr:
    return fn.rfftfreq(n) if d is None else fn.rfftfreq(n) / d
