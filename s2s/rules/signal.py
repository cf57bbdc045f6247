"""Convolution and correlation of vectors; np.unwrap."""

from __future__ import annotations

from typing import Any

from s2s.ir.core import Op
from s2s.ir.ops import numeric
from s2s.ir.types import Array, Dim, fresh_dim, known_dim
from s2s.rules.dims import Adjoints, Result, fit, fresh_array, known_as, promoted, refusal, sum_dim, write
from s2s.rules.expr import Expr, encode_index, fn
from s2s.rules.table import Family

family = Family("signal")


def _type(op: Op) -> Result:
    a, v, mode = numeric(op, "a"), numeric(op, "v"), op.attrs["mode"]
    if a.ndim != 1 or v.ndim != 1:
        raise refusal(op, "The arguments are not two vectors.")
    n, m = a.dims[0], v.dims[0]
    known = n.symbol is None and m.symbol is None
    size: Dim = fresh_dim()
    if mode == "full":
        size = sum_dim([n, m]).plus(-1)
    elif known:
        size = known_dim(max(n.offset, m.offset) if mode == "same" else abs(n.offset - m.offset) + 1)
    elif mode not in ("same", "valid"):
        raise refusal(op, f"mode={mode!r} is none of 'full', 'same' and 'valid'.")
    return [fresh_array(promoted(a, v), (size,))]


def _whole(g: Expr, a: Expr, v: Expr, mode: str, correlates: bool) -> Expr:
    """`g` at its place in the full convolution, of which `mode` keeps a part."""
    if mode == "full":
        return g
    n, m = a.size_of(0), v.size_of(0)
    whole = fn.zeros((n + m - 1,), dtype=g.dtype)
    short = fn.minimum(n, m)
    start = short - 1 if mode == "valid" else (short - 1) // 2
    if correlates and mode == "same":
        # Of an even number, the middle is on the other side where the second is the longer: NumPy swaps the two.
        start = fn.where(n < m, short // 2, start)
    write("setitem", whole, encode_index(whole, [slice(start, start + g.size_of(0))]), g)
    return whole


_convolve = family.op("np.convolve", "a, v, mode='full'", _type, linear="a v")


@_convolve.vjp
def _(g: Expr, ans: Expr, a: Expr, v: Expr, mode: str) -> Adjoints:
    """z[i + k] has a[i] * v[k]."""
    whole = _whole(g, a, v, mode, False)
    return {"a": fit(known_as(fn.correlate(whole, v), a), a), "v": fit(known_as(fn.correlate(whole, a), v), v)}


_correlate = family.op("np.correlate", "a, v, mode='valid'", _type, linear="a v")


@_correlate.vjp
def _(g: Expr, ans: Expr, a: Expr, v: Expr, mode: str) -> Adjoints:
    """A convolution with the second vector backwards and conjugated."""
    whole = _whole(g, a, v, mode, True)
    back = v[::-1].conj()
    v_bar = fn.correlate(whole, a)[::-1].conj()
    return {"a": fit(known_as(fn.correlate(whole, back), a), a), "v": fit(known_as(v_bar, v), v)}


# What is added does not change with the values.

def _same(op: Op) -> Result:
    t = numeric(op, "p")
    assert isinstance(t, Array)
    return [fresh_array(t.dtype if t.dtype in ("float32", "float64") else "float64", t.dims)]


_unwrap = family.op("np.unwrap", "p, discont=None, axis=-1, *, period=6.283185307179586", _same)


@_unwrap.vjp
def _(g: Expr, ans: Expr, p: Expr, **options: Any) -> Adjoints:
    return {"p": g}


@_unwrap.jvp
def _(dots: Any, ans: Expr, p: Expr, **options: Any) -> Expr:
    return dots["p"]  # type: ignore[no-any-return]
