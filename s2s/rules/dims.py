"""What the rules over arrays share: axes, symbolic sizes, and adjoints that fit their argument."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from s2s.errors import NoRuleError, located
from s2s.ir.core import Op
from s2s.ir.ops import constant, numeric
from s2s.ir.types import Array, Dim, Scalar, Type, fresh_dim, is_inexact, known_dim, promote, same_size
from s2s.rules.expr import Expr, fn

# What a vjp gives: parameter -> adjoint, or a list of adjoints for a parameter of several values.
Adjoints: TypeAlias = dict[str, Any]
Result: TypeAlias = Sequence[Type]


def refusal(op: Op, why: str, fix: str = "") -> NoRuleError:
    """The error for a form of a function that its rule does not cover; `raise` it."""
    return located(NoRuleError, op.loc, f"This form of {op.name} is not covered.", why, fix)


def axis_of(op: Op, axis: Any, ndim: int) -> int:
    """`axis` counted from the front."""
    if not isinstance(axis, int) or not -ndim <= axis < ndim:
        what = f"an array with {ndim} {'axis' if ndim == 1 else 'axes'}" if ndim else "a number, which has none"
        fix = f"Pass an axis from {-ndim} to {ndim - 1}." if ndim else "Leave out the axis."
        raise refusal(op, f"axis {axis} is not one of {what}.", fix)
    return axis % ndim


def axes_of(op: Op, axis: Any, ndim: int) -> tuple[int, ...]:
    """An axis, or a tuple or list of axes, counted from the front."""
    return tuple(axis_of(op, k, ndim) for k in (axis if isinstance(axis, tuple | list) else (axis,)))


def numerics(op: Op, name: str) -> list[Scalar | Array]:
    """The types of a parameter that takes several values."""
    types = [v.type for v in op.values(name)]
    numbers = [t for t in types if isinstance(t, Scalar | Array)]
    if len(numbers) != len(types):
        raise refusal(op, "An argument is neither a number nor an array.")
    return numbers


def int_dims(op: Op, name: str = "shape") -> tuple[Dim, ...]:
    """The sizes that a shape argument says."""
    return tuple(_int_dim(t) for t in numerics(op, name))


def _int_dim(t: Scalar | Array) -> Dim:
    return (t.dim if isinstance(t, Scalar) else None) or fresh_dim()


def size_dim(dims: Iterable[Dim]) -> Dim:
    """The product of sizes, where it can be said.

    >>> str(size_dim((Dim("n"), known_dim(1)))), size_dim((known_dim(2), known_dim(3))).offset
    ("Dim(symbol='n', offset=0, not_one=False)", 6)
    """
    wide = [d for d in dims if d.is_one is not True]
    if len(wide) == 1:
        return wide[0]
    product = 1
    for d in wide:
        if d.symbol is not None:
            return fresh_dim()
        product *= d.offset
    return known_dim(product)


def sum_dim(dims: Sequence[Dim]) -> Dim:
    """The sum of sizes, where it can be said."""
    symbolic = [d for d in dims if d.symbol is not None]
    if len(symbolic) > 1:
        return fresh_dim(not_one=any(d.is_one is False for d in dims))
    known = sum(d.offset for d in dims if d.symbol is None)
    return symbolic[0].plus(known) if symbolic else known_dim(known)


def best_dim(dims: Iterable[Dim]) -> Dim:
    """One for sizes that must be equal: the one of which most is known."""
    return min(dims, key=lambda d: (d.symbol is not None, not d.not_one))


def fresh_array(dtype: str, dims: Iterable[Dim]) -> Array:
    """The type of a new array in C order."""
    return Array(dtype, tuple(dims), "C")


def array_or_scalar(dtype: str, dims: Sequence[Dim], layout: str = "C") -> Array | Scalar:
    """The type of what NumPy returns as a number where it has no axes."""
    return Array(dtype, tuple(dims), layout) if dims else Scalar(dtype)


def promoted(*types: Scalar | Array) -> str:
    """The dtype to which the operands of a function promote that makes arrays of numbers first."""
    return promote(Array(t.dtype, t.dims) for t in types)[0]


def constant_int(op: Op, name: str) -> int | None:
    """The value of an int argument, if it is a constant; None where it is not given."""
    if name not in op.args:
        value = op.attrs.get(name)
        return value if isinstance(value, int) else None
    value = constant(op.value(name))
    return int(value) if isinstance(value, int) else None


def plain_order(op: Op) -> None:
    """Refuse memory orders other than C, and those that are C only because the array is."""
    order, t = op.attrs.get("order", "C"), numeric(op, "a")
    if order not in ("C", None) and isinstance(t, Array) and t.ndim > 1 and (order == "F" or t.layout != "C"):
        raise refusal(op, f"order={order!r} reads the elements in another order.", "Transpose first.")


def like_argument(op: Op, name: str = "a") -> Result:
    """The types of a result that has the shape and dtype of an argument; fresh."""
    t = numeric(op, name)
    return [fresh_array(t.dtype, t.dims)]


# Adjoints.


def fit(x_bar: Expr, x: Expr) -> Expr:
    """An adjoint of the right shape, in the dtype of its primal: real where that is real."""
    if not is_inexact(x.type):
        return x_bar
    x_bar, t = x_bar if x.is_complex else x_bar.real, x.type
    if x_bar.dtype == x.dtype:
        return x_bar
    weak = isinstance(t, Scalar) and t.weak
    return x_bar.wrap(x_bar.b.cast(x_bar.v, Scalar(x.dtype, weak)))


def known_as(x_bar: Expr, x: Expr) -> Expr:
    """`x_bar`, which has the shape of `x` although its type does not say so: now it does."""
    t = x_bar.v.type
    if isinstance(t, Array) and isinstance(x.v.type, Array):
        x_bar.v.type = Array(t.dtype, x.dims, t.layout)
    return x_bar


def reduce_to(g: Expr, x: Expr) -> Expr:
    """`g`, whose shape is one that `x` was broadcast to, summed to the shape and dtype of `x`."""
    if not x.is_array:
        return fit(fn.sum(g) if g.is_array else g, x)
    missing = g.ndim - x.ndim
    pairs = list(zip(g.dims[missing:], x.dims, strict=True))
    if not all(d.is_one or same_size(d, n) for n, d in pairs):
        return fit(known_as(fn.unbroadcast(g, x), x), x)
    if missing:
        g = fn.sum(g, axis=0 if missing == 1 else tuple(range(missing)))
    ones = tuple(k for k, (n, d) in enumerate(pairs) if d.is_one and not n.is_one)
    if ones:
        g = fn.sum(g, axis=ones[0] if len(ones) == 1 else ones, keepdims=True)
    return fit(known_as(g, x), x)


def reshaped(g: Expr, x: Expr) -> Expr:
    """`g` with the shape of `x`, which has as many elements."""
    if not x.is_array:
        return g[(0,) * g.ndim] if g.is_array and g.ndim else g
    if x.ndim == 1:
        return g if g.ndim == 1 else known_as(fn.ravel(g), x)
    return fn.reshape(g, x.shape) if x.ndim else g[(0,) * g.ndim]


def zeros_like(x: Expr) -> Expr:
    """Zeros that can be the adjoint or the tangent of `x`."""
    return fn.zeros_like(x) if x.is_array else x.lift(0.0).astype(x.dtype)


def write(name: str, a: Expr, index: tuple[tuple[str, ...], tuple[Any, ...]], value: Expr) -> None:
    """Append `setitem` or `additem` on `a`, which the rule made itself. `index` is from `encode_index`."""
    items, values = index
    a.b.emit(name, {"a": a.v, "index": values, "value": value.v}, {"items": items})


def require(test: Expr, what: str) -> None:
    """Append an assertion: AssertionError with `what` where `test` does not hold when the program runs."""
    test.b.emit("assert", {"test": test.v, "args": ()}, {"text": f"assert ⟦0⟧, {what!r}"})


def mT(x: Expr) -> Expr:
    """The matrices in the last two axes, transposed."""
    return x.T if x.ndim <= 2 else fn.swapaxes(x, -1, -2)


def mH(x: Expr) -> Expr:
    """The matrices in the last two axes, transposed and conjugated."""
    return mT(x).conj()
