"""Products: matmul, dot, inner, outer, tensordot, einsum, kron, cross, trace.

For C = A B: A_bar = C_bar B^H, B_bar = A^H C_bar (M. Giles 2008, "Collected matrix derivative results
for forward and reverse mode algorithmic differentiation", section 2.2.2; with conjugates for complex).
"""

from __future__ import annotations

from typing import Any

from s2s.ir.core import Op
from s2s.ir.ops import numeric
from s2s.ir.types import Array, Dim, Scalar, broadcast_dims, known_dim
from s2s.rules.dims import (
    Adjoints,
    Result,
    array_or_scalar,
    axes_of,
    fit,
    fresh_array,
    known_as,
    mH,
    promoted,
    reduce_to,
    refusal,
    reshaped,
    size_dim,
)
from s2s.rules.expr import Expr, fn
from s2s.rules.table import Family

family = Family("products")


# matmul

def _matmul_type(op: Op) -> Result:
    x, y = numeric(op, "x"), numeric(op, "y")
    if not (x.ndim and y.ndim):
        raise refusal(op, "A number has no matrix product.", "Write x * y.")
    return [array_or_scalar(promoted(x, y), matmul_dims(x.dims, y.dims))]


def matmul_dims(x: tuple[Dim, ...], y: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """The shape of `x @ y`.

    >>> [d.symbol for d in matmul_dims((Dim("b"), Dim("n"), Dim("k")), (Dim("k"), Dim("m")))]
    ['b', 'n', 'm']
    """
    batch = broadcast_dims([x[:-2], y[:-2]])
    return (*batch, *(x[-2:-1] if len(x) > 1 else ()), *(y[-1:] if len(y) > 1 else ()))


# Written `x @ y`.
_matmul = family.op("np.matmul", "x, y", _matmul_type, linear="x y")


@_matmul.vjp
def _(g: Expr, ans: Expr, x: Expr, y: Expr) -> Adjoints:
    return {"x": _left(g, x, y), "y": _right(g, x, y)}


def _left(g: Expr, x: Expr, y: Expr) -> Expr:
    """The adjoint of `x` in `x @ y`."""
    if y.ndim == 1:
        if x.ndim == 1:
            x_bar = g * y.conj()
        else:
            x_bar = fn.outer(g, y.conj()) if x.ndim == 2 else g[..., None] * y.conj()
    elif x.ndim == 1 and y.ndim > 2:
        x_bar = (y.conj() @ g[..., None])[..., 0]
    else:
        x_bar = g @ mH(y)
    return reduce_to(_sized_as(x_bar, x, -1), x)


def _right(g: Expr, x: Expr, y: Expr) -> Expr:
    """The adjoint of `y` in `x @ y`."""
    if x.ndim == 1:
        if y.ndim == 1:
            y_bar = g * x.conj()
        else:
            y_bar = fn.outer(x.conj(), g) if y.ndim == 2 else x.conj()[:, None] * g[..., None, :]
    elif y.ndim == 1 and x.ndim > 2:
        y_bar = (mH(x) @ g[..., None])[..., 0]
    else:
        y_bar = mH(x) @ g
    return reduce_to(_sized_as(y_bar, y, -2 if y.ndim > 1 else -1), y)


def _sized_as(x_bar: Expr, x: Expr, axis: int) -> Expr:
    """`x_bar`, of which one axis has the size of that of `x`: the other factor's, which is never broadcast."""
    t = x_bar.v.type
    if isinstance(t, Array):
        dims = list(t.dims)
        dims[axis] = x.dims[axis]
        x_bar.v.type = Array(t.dtype, tuple(dims), t.layout)
    return x_bar


# dot, inner, vdot, outer

def _dot_type(op: Op) -> Result:
    x, y = numeric(op, "a"), numeric(op, "b")
    dtype = promoted(x, y)
    if not (x.ndim and y.ndim):
        return [array_or_scalar(dtype, x.dims or y.dims)]
    return [array_or_scalar(dtype, (*x.dims[:-1], *y.dims[:-2], *(y.dims[-1:] if y.ndim > 1 else ())))]


_dot = family.op("np.dot", "a, b", _dot_type, methods="dot", linear="a b")


@_dot.vjp
def _(g: Expr, ans: Expr, a: Expr, b: Expr) -> Adjoints:
    if not (a.ndim and b.ndim):
        return _scaled(g, a, b)
    if b.ndim == 1 or (a.ndim <= 2 and b.ndim <= 2):
        return {"a": _left(g, a, b), "b": _right(g, a, b)}
    at = b.ndim - 2
    return tensordot_adjoints(g, a, b, (a.ndim - 1,), (at,))


def _scaled(g: Expr, a: Expr, b: Expr) -> Adjoints:
    """The adjoints of a number times an array."""
    return {"a": reduce_to(g * b.conj(), a), "b": reduce_to(g * a.conj(), b)}


def _inner_type(op: Op) -> Result:
    x, y = numeric(op, "a"), numeric(op, "b")
    if not (x.ndim and y.ndim):
        return [array_or_scalar(promoted(x, y), x.dims or y.dims)]
    return [array_or_scalar(promoted(x, y), (*x.dims[:-1], *y.dims[:-1]))]


_inner = family.op("np.inner", "a, b", _inner_type, linear="a b")


@_inner.vjp
def _(g: Expr, ans: Expr, a: Expr, b: Expr) -> Adjoints:
    if not (a.ndim and b.ndim) or a.ndim == b.ndim == 1:
        return _scaled(g, a, b)
    if a.ndim == b.ndim == 2:
        return {"a": fit(known_as(g @ b.conj(), a), a), "b": fit(known_as(g.T @ a.conj(), b), b)}
    return tensordot_adjoints(g, a, b, (a.ndim - 1,), (b.ndim - 1,))


_vdot = family.op("np.vdot", "a, b", lambda op: [Scalar(promoted(numeric(op, "a"), numeric(op, "b")))], linear="a b")


@_vdot.vjp
def _(g: Expr, ans: Expr, a: Expr, b: Expr) -> Adjoints:
    """For sum(conj(a) * b): a_bar = conj(g) * b, b_bar = g * a."""
    a_bar, b_bar = g.conj() * reshaped(b, a), g * reshaped(a, b)
    return {"a": fit(known_as(a_bar, a), a), "b": fit(known_as(b_bar, b), b)}


def _outer_type(op: Op) -> Result:
    x, y = numeric(op, "a"), numeric(op, "b")
    return [fresh_array(promoted(x, y), (size_dim(x.dims), size_dim(y.dims)))]


_outer = family.op("np.outer", "a, b", _outer_type, linear="a b")


@_outer.vjp
def _(g: Expr, ans: Expr, a: Expr, b: Expr) -> Adjoints:
    left = g @ _vector(b.conj()) if b.is_array else g[:, 0] * b.conj()
    right = _vector(a.conj()) @ g if a.is_array else a.conj() * g[0]
    return {"a": fit(reshaped(left, a), a), "b": fit(reshaped(right, b), b)}


def _vector(x: Expr) -> Expr:
    return x if x.ndim == 1 else fn.ravel(x)


# tensordot

def contracted(op: Op | None, axes: Any, a: int, b: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of two arrays of rank `a` and `b` that np.tensordot sums over.

    >>> contracted(None, 2, 3, 3), contracted(None, (-1, 0), 2, 2)
    (((1, 2), (0, 1)), ((1,), (0,)))
    """
    if isinstance(axes, int):
        return tuple(range(a - axes, a)), tuple(range(axes))
    first, second = (tuple(x) if isinstance(x, tuple | list) else (x,) for x in axes)
    if op is not None:
        axes_of(op, first, a), axes_of(op, second, b)
    return tuple(k % a for k in first), tuple(k % b for k in second)


def _tensordot_type(op: Op) -> Result:
    x, y = numeric(op, "a"), numeric(op, "b")
    first, second = contracted(op, op.attrs["axes"], x.ndim, y.ndim)
    dims = [d for k, d in enumerate(x.dims) if k not in first] + [d for k, d in enumerate(y.dims) if k not in second]
    return [fresh_array(promoted(x, y), dims)]


_tensordot = family.op("np.tensordot", "a, b, axes=2", _tensordot_type, linear="a b")


@_tensordot.vjp
def _(g: Expr, ans: Expr, a: Expr, b: Expr, axes: Any) -> Adjoints:
    return tensordot_adjoints(g, a, b, *contracted(None, axes, a.ndim, b.ndim))


def tensordot_adjoints(g: Expr, a: Expr, b: Expr, first: tuple[int, ...], second: tuple[int, ...]) -> Adjoints:
    """The adjoints of a contraction of axes `first` of `a` with axes `second` of `b`."""
    free_a = [k for k in range(a.ndim) if k not in first]
    free_b = [k for k in range(b.ndim) if k not in second]
    lead = len(free_a)
    # Contracting what only the other array has leaves its summed axes, in its own order.
    a_bar = fn.tensordot(g, b.conj(), axes=(tuple(range(lead, g.ndim)), tuple(free_b)))
    order_a = free_a + [first[second.index(k)] for k in sorted(second)]
    b_bar = fn.tensordot(a.conj(), g, axes=(tuple(free_a), tuple(range(lead))))
    order_b = [second[first.index(k)] for k in sorted(first)] + free_b
    return {"a": fit(_ordered(a_bar, order_a, a), a), "b": fit(_ordered(b_bar, order_b, b), b)}


def _ordered(x: Expr, order: list[int], like: Expr) -> Expr:
    """`x`, whose axis k is axis order[k] of `like`, with the axes in their places."""
    axes = tuple(order.index(k) for k in range(len(order)))
    return known_as(x if list(axes) == sorted(axes) else fn.transpose(x, axes=axes), like)


# kron, cross

def _kron_type(op: Op) -> Result:
    x, y = numeric(op, "a"), numeric(op, "b")
    if x.ndim != y.ndim or x.ndim not in (1, 2):
        raise refusal(op, "The arguments are not two vectors or two matrices.", "Reshape them first.")
    return [fresh_array(promoted(x, y), [size_dim(pair) for pair in zip(x.dims, y.dims, strict=True)])]


_kron = family.op("np.kron", "a, b", _kron_type, linear="a b")


@_kron.vjp
def _(g: Expr, ans: Expr, a: Expr, b: Expr) -> Adjoints:
    """Each element of `a` scales a block like `b`: blocks[i, k, j, l] = a[i, j] * b[k, l]."""
    blocks = fn.reshape(g, [n for pair in zip(a.shape, b.shape, strict=True) for n in pair])
    own, other = tuple(range(0, 2 * a.ndim, 2)), tuple(range(1, 2 * a.ndim, 2))
    everything = tuple(range(a.ndim))
    a_bar = fn.tensordot(blocks, b.conj(), axes=(other, everything))
    b_bar = fn.tensordot(blocks, a.conj(), axes=(own, everything))
    return {"a": fit(known_as(a_bar, a), a), "b": fit(known_as(b_bar, b), b)}


def _cross_type(op: Op) -> Result:
    x, y = numeric(op, "a"), numeric(op, "b")
    if x.dims[-1:] != (known_dim(3),) and y.dims[-1:] == (known_dim(2),):
        raise refusal(op, "The vectors have two components.", "Write a[0] * b[1] - a[1] * b[0].")
    return [fresh_array(promoted(x, y), (*broadcast_dims([x.dims[:-1], y.dims[:-1]]), x.dims[-1]))]


# Of vectors with three components, in the last axis.
_cross = family.op("np.cross", "a, b", _cross_type, linear="a b")


@_cross.vjp
def _(g: Expr, ans: Expr, a: Expr, b: Expr) -> Adjoints:
    """g . (da x b) = da . (b x g), and likewise for b."""
    return {"a": reduce_to(fn.cross(b.conj(), g), a), "b": reduce_to(fn.cross(g, a.conj()), b)}


# trace

def _trace_type(op: Op) -> Result:
    t = numeric(op, "a")
    if t.ndim != 2:
        raise refusal(op, "The argument is not a matrix.", "Write np.sum(np.diagonal(a, 0, k, l), axis=-1).")
    return [Scalar(t.dtype)]


_trace = family.op("np.trace", "a, offset: value = 0", _trace_type, methods="trace", linear="a")


@_trace.vjp
def _(g: Expr, ans: Expr, a: Expr, offset: Any) -> Adjoints:
    rows, columns = a.shape
    if isinstance(offset, Expr) or offset != 0:
        return {"a": known_as(g * fn.eye(rows, columns, offset, dtype=a.dtype), a)}
    if a.dims[0] == a.dims[1]:
        return {"a": known_as(g * fn.eye(rows, dtype=a.dtype), a)}
    return {"a": known_as(g * fn.eye(rows, columns, dtype=a.dtype), a)}
