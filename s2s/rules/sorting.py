"""np.partition: the same elements in another order, of which only some are in their place."""

from __future__ import annotations

from typing import Any

from s2s.ir.core import Op
from s2s.ir.ops import numeric
from s2s.rules.dims import Adjoints, Result, fresh_array, size_dim, write
from s2s.rules.expr import Expr, encode_index, fn
from s2s.rules.indexing import along_axis
from s2s.rules.table import Family

family = Family("sorting")


def _type(op: Op) -> Result:
    t = numeric(op, "a")
    return [fresh_array(t.dtype, (size_dim(t.dims),) if op.attrs["axis"] is None else t.dims)]


_partition = family.op("np.partition", "a, kth: ints, axis=-1", _type)


def _flat(x: Expr, axis: int | None) -> tuple[Expr, int]:
    """The array that is partitioned, and along which axis."""
    if axis is None and x.ndim > 1:
        return fn.ravel(x), 0
    return x, 0 if axis is None else axis % x.ndim


@_partition.vjp
def _(g: Expr, ans: Expr, a: Expr, kth: Any, axis: int | None) -> Adjoints:
    """The k-th smallest of the result is the k-th smallest of the argument."""
    x, at = _flat(a, axis)
    x_bar = fn.empty_like(x)
    sources = along_axis(x, fn.argsort(x, axis=at, kind="stable"), at)
    write("setitem", x_bar, encode_index(x_bar, sources), g[tuple(along_axis(ans, _ranks(ans, at), at))])
    return {"a": x_bar if x is a else fn.reshape(x_bar, a.shape)}


def _ranks(x: Expr, at: int) -> Expr:
    return fn.argsort(x, axis=at, kind="stable")


@_partition.jvp
def _(dots: Any, ans: Expr, a: Expr, kth: Any, axis: int | None) -> Expr:
    x, at = _flat(a, axis)
    dot, _ = _flat(dots["a"], axis)
    ans_dot = fn.empty_like(ans)
    write("setitem", ans_dot, encode_index(ans_dot, along_axis(ans, _ranks(ans, at), at)),
          dot[tuple(along_axis(x, _ranks(x, at), at))])
    return ans_dot
