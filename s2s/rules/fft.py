"""np.fft: the discrete Fourier transforms, of one axis and of several.

A transform is a matrix F, whose adjoint F^H is the inverse transform with the other normalisation. Of a real argument
the real part is taken; of a spectrum of which half is left out, the frequencies that stand for two count twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2s.ir.core import Op
from s2s.ir.ops import numeric
from s2s.ir.types import Dim, fresh_dim, known_dim
from s2s.rules.dims import Adjoints, Result, axes_of, axis_of, constant_int, fit, fresh_array, known_as, write
from s2s.rules.expr import Expr, encode_index, fn
from s2s.rules.table import Family

family = Family("fft")

_OTHER = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def other_norm(norm: str | None) -> str:
    """The normalisation of the adjoint of a transform, which goes the other way."""
    return _OTHER[norm]


def _complex(dtype: str) -> str:
    return {"float32": "complex64", "complex64": "complex64"}.get(dtype, "complex128")


def _real(dtype: str) -> str:
    return {"complex64": "float32", "complex128": "float64"}[dtype]


def _half(n: Dim) -> Dim:
    """The number of frequencies of a real signal of size `n`."""
    return known_dim(n.offset // 2 + 1) if n.symbol is None else fresh_dim()


def _whole(n: Dim) -> Dim:
    """The size of a real signal that has `n` frequencies, where it is not said."""
    return known_dim(2 * (n.offset - 1)) if n.symbol is None else fresh_dim()


# Along one axis.

def _type(name: str) -> Any:
    def infer(op: Op) -> Result:
        t = numeric(op, "a")
        at = axis_of(op, op.attrs["axis"], t.ndim)
        said = getattr(op.value("n").type, "dim", None) or fresh_dim() if "n" in op.args else None
        known = constant_int(op, "n")
        n = known_dim(known) if known is not None else said
        size = n or t.dims[at]
        if name == "rfft":
            size = _half(size)
        elif name == "irfft":
            size = n or _whole(t.dims[at])
        dtype = _complex(t.dtype)
        return [fresh_array(_real(dtype) if name == "irfft" else dtype, (*t.dims[:at], size, *t.dims[at + 1:]))]
    return infer


def _fitted(z: Expr, a: Expr, axes: Sequence[int]) -> Expr:
    """`z`, the adjoint of `a` after its `axes` were cut or filled up with zeros to a size: that of `a` itself."""
    if not axes:
        return known_as(z, a)
    a_bar = fn.zeros(a.shape, dtype=z.dtype)
    into = tuple(slice(None, z.size_of(k)) if k in axes else slice(None) for k in range(a.ndim))
    out = tuple(slice(None, a.size_of(k)) if k in axes else slice(None) for k in range(a.ndim))
    write("setitem", a_bar, encode_index(a_bar, into), z[out])
    return a_bar


def _twice(z: Expr, n: Expr, at: int) -> Expr:
    """`z` times 2, but for the frequencies 0 and n / 2, which stand for themselves alone."""
    k = fn.arange(z.size_of(at))
    alone = (k == 0) | (k * 2 == n)
    weight = 2.0 - alone.astype(_real(z.dtype))
    return z * weight[(slice(None), *[None] * (z.ndim - at - 1))]


def _one_axis(name: str, back: Any) -> None:
    """Declare a transform along one axis; `back(g, n, at, norm)` is its adjoint, of the transformed size."""
    def vjp(g: Expr, ans: Expr, a: Expr, n: Any, axis: int, norm: str | None) -> Adjoints:
        at = axis % a.ndim
        # The size of the signal on the side of real numbers.
        size = ans.size_of(at) if name == "irfft" else a.size_of(at) if n is None else a.lift(n)
        z = back(g, size, at, other_norm(norm))
        return {"a": fit(_fitted(z, a, () if n is None else (at,)), a)}

    family.op(f"np.fft.{name}", "a, n: value = None, axis=-1, norm=None", _type(name), linear="a").vjp(vjp)


_one_axis("fft", lambda g, n, at, norm: fn.ifft(g, axis=at, norm=norm))
_one_axis("ifft", lambda g, n, at, norm: fn.fft(g, axis=at, norm=norm))
_one_axis("rfft", lambda g, n, at, norm: fn.ifft(g, n, axis=at, norm=norm).real)
_one_axis("irfft", lambda g, n, at, norm: _twice(fn.rfft(g, axis=at, norm=norm), n, at))


# Along several.

def _axes(op: Op | None, ndim: int, s: Any, axes: Any) -> tuple[int, ...]:
    """The axes that are transformed, the last of which is halved of real signals."""
    if axes is None:
        axes = tuple(range(ndim)) if s is None else tuple(range(ndim - len(s), ndim))
    return tuple(k % ndim for k in axes) if op is None else axes_of(op, axes, ndim)


def _several_type(name: str) -> Any:
    def infer(op: Op) -> Result:
        t, s = numeric(op, "a"), op.attrs["s"]
        axes = _axes(op, t.ndim, s, op.attrs["axes"])
        dims, dtype = list(t.dims), _complex(t.dtype)
        for k, n in zip(axes, s or (), strict=False):
            dims[k] = dims[k] if n in (-1, None) else known_dim(n)
        last = axes[-1]
        if name == "rfftn":
            dims[last] = _half(dims[last])
        elif name == "irfftn" and (s is None or s[-1] in (-1, None)):
            dims[last] = _whole(t.dims[last])
        return [fresh_array(_real(dtype) if name == "irfftn" else dtype, dims)]
    return infer


def _resized(s: Any, axes: tuple[int, ...]) -> tuple[int, ...]:
    """The axes of which the size is changed before the transform."""
    return tuple(k for k, n in zip(axes, s or (), strict=False) if n not in (-1, None))


def _others(inverse: bool, z: Expr, axes: tuple[int, ...], norm: str) -> Expr:
    """The adjoint of the transforms of all axes but the last."""
    if len(axes) < 2:
        return z
    return fn.ifftn(z, axes=axes[:-1], norm=norm) if inverse else fn.fftn(z, axes=axes[:-1], norm=norm)


def _several_axes(name: str, back: Any) -> None:
    """Declare a transform along several axes; `back(g, ans, n, axes, norm)` is its adjoint."""
    def vjp(g: Expr, ans: Expr, a: Expr, s: Any, axes: Any, norm: str | None) -> Adjoints:
        chosen = _axes(None, a.ndim, s, axes)
        resized = _resized(s, chosen)
        last = chosen[-1]
        size = ans.size_of(last) if name == "irfftn" else a.lift(s[-1]) if last in resized else a.size_of(last)
        z = back(g, size, chosen, other_norm(norm))
        return {"a": fit(_fitted(z, a, resized), a)}

    family.op(f"np.fft.{name}", "a, s=None, axes=None, norm=None", _several_type(name), linear="a").vjp(vjp)


_several_axes("fftn", lambda g, n, axes, norm: fn.ifftn(g, axes=axes, norm=norm))
_several_axes("ifftn", lambda g, n, axes, norm: fn.fftn(g, axes=axes, norm=norm))
_several_axes("rfftn", lambda g, n, axes, norm: _others(True, fn.ifft(g, n, axis=axes[-1], norm=norm), axes, norm).real)
_several_axes("irfftn", lambda g, n, axes, norm: _others(
    False, _twice(fn.rfft(g, axis=axes[-1], norm=norm), n, axes[-1]), axes, norm))


# Frequencies.

def _frequencies(half: bool) -> Any:
    def infer(op: Op) -> Result:
        n = constant_int(op, "n")
        dim = known_dim(n) if n is not None else getattr(op.value("n").type, "dim", None) or fresh_dim()
        return [fresh_array("float64", (_half(dim) if half else dim,))]
    return infer


family.op("np.fft.fftfreq", "n", _frequencies(False), nondiff="the frequencies of a size")
family.op("np.fft.rfftfreq", "n", _frequencies(True), nondiff="the frequencies of a size")
