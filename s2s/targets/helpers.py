"""The run-time helpers of target cpu as operations."""

from __future__ import annotations

from s2s.ir.core import Op, OpSpec
from s2s.ir.ops import numeric
from s2s.ir.types import Array, Type, fresh_dim
from s2s.rules.table import parse_params


def _without_last(op: Op) -> list[Type]:
    a = numeric(op, "a")
    return [Array(a.dtype, a.dims[:-1], "C")]


def _same(op: Op) -> list[Type]:
    a = numeric(op, "a")
    return [Array(a.dtype, a.dims, "C")]


def _order(op: Op) -> list[Type]:
    return [Array("int64", numeric(op, "a").dims, "C")]


def _diagonal(op: Op) -> list[Type]:
    a = numeric(op, "a")
    return [Array(a.dtype, (*a.dims[:-2], fresh_dim()), "C")]


def _product(op: Op) -> list[Type]:
    a, b = numeric(op, "a"), numeric(op, "b")
    return [Array(a.dtype, (*a.dims[:-1], b.dims[-1]), "C")]


def _stack(op: Op) -> list[Type]:
    a = numeric(op, "a")
    return [Array(a.dtype, a.dims[:-2], "C")]


def _like_b(op: Op) -> list[Type]:
    b = numeric(op, "b")
    return [Array(b.dtype, b.dims, "C")]


def _unbroadcast(op: Op) -> list[Type]:
    return [Array(numeric(op, "x").dtype, numeric(op, "like").dims, "C")]


def _nothing(op: Op) -> list[Type]:
    return []


HELPERS: dict[str, OpSpec] = {
    name: OpSpec(name, parse_params(params), infer, fresh=True, cost=1000, writes=writes)
    for name, params, infer, writes in (
        ("s2s.prod_last", "a", _without_last, None),
        ("s2s.max_last", "a", _without_last, None),
        ("s2s.min_last", "a", _without_last, None),
        ("s2s.unbroadcast_cells", "x, like", _unbroadcast, None),
        ("s2s.cumsum_last", "a", _same, None),
        ("s2s.sort_last", "a", _same, None),
        ("s2s.argsort_last", "a", _order, None),
        ("s2s.diagonal_last", "a, offset: value", _diagonal, None),
        ("s2s.matmul_stack", "a, b", _product, None),
        ("s2s.inv_stack", "a", _same, None),
        ("s2s.det_stack", "a", _stack, None),
        ("s2s.solve_stack", "a, b", _like_b, None),
        ("s2s.add_at", "a, index, values", _nothing, "a"),
        ("s2s.add_at_pairs", "a, first, second, values", _nothing, "a"),
        ("s2s.set_at", "a, index, values", _nothing, "a"),
        ("s2s.set_at_pairs", "a, first, second, values", _nothing, "a"),
        ("s2s.add_where", "a, mask, values", _nothing, "a"),
        ("s2s.set_where", "a, mask, values", _nothing, "a"),
    )
}
