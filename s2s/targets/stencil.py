"""Loops that add to neighbouring cells: what gathering them has to know, and copies of parts of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from s2s.ir.builder import Builder
from s2s.ir.core import Arg, Op, Value, clone_op
from s2s.ir.ops import SPECS

Index = dict[Value, Value]


@dataclass(frozen=True)
class Addition:
    """An addition in a nest of loops, that is done `shifts` iterations later. cell: equal where cells then are."""

    op: Op
    shifts: tuple[int, ...]
    cell: Any


def computing(ops: Sequence[Op], values: Sequence[Value]) -> list[Op]:
    """The operations among `ops` that compute `values`, in order."""
    inside = set(ops)
    found: set[Op] = set()
    work = [v.op for v in values if v.op in inside]
    while work:
        op = work.pop()
        if op is not None and op not in found:
            found.add(op)
            work += [v.op for v in op.operands() if v.op in inside]
    return [op for op in ops if op in found]


def bounds(b: Builder, nest: Sequence[Op]) -> tuple[list[Value], list[Value]]:
    """Where the loops of a nest start, and how often they run, computed before the nest."""
    known: Index = {}
    starts: list[Value] = []
    lengths: list[Value] = []
    for loop in nest:
        starts.append(bound(b, loop.value("start"), nest, known))
        lengths.append(b.sub(bound(b, loop.value("stop"), nest, known), starts[-1]))
    return starts, lengths


def bound(b: Builder, v: Value, nest: Sequence[Op], known: Index) -> Value:
    """A bound of a loop of the nest, computed before the nest; `known`: what is computed there already."""
    if v.op is None or not any(v.op in loop.blocks[0].ops for loop in nest):
        return v
    if v not in known:
        for u in v.op.operands():
            known[u] = bound(b, u, nest, known)
        b.block.ops.append(clone_op(v.op, known))
    return known[v]


def copy(b: Builder, scope: Sequence[Op], ops: Collection[Op], values: Sequence[Value], mapping: Index,
         stored: Op | None = None) -> None:
    """Copies of the operations `ops` of a nest, and of what computes their operands and `values`.

    scope: the operations of the nest, in order. mapping: what the loop indices are; is extended by all that is
    copied. stored: an addition that is to be a store.
    """
    loc, origin = b.loc, b.origin
    needed = set(computing(scope, [*values, *(v for op in ops for v in op.operands())]))
    for op in scope:
        if op in ops or (op in needed and op.results[0] not in mapping):
            b.loc, b.origin = op.loc, op.origin
            if op.name == "const" or not op.results:
                b.block.ops.append(clone_op(op, mapping))
                if op is stored:
                    b.block.ops[-1].spec = SPECS["setitem"]
                continue
            args: dict[str, Arg] = {n: tuple(mapping.get(v, v) for v in a) if isinstance(a, tuple)
                                    else mapping.get(a, a) for n, a in op.args.items()}
            mapping.update(zip(op.results, b.emit(op.spec, args, op.attrs, op.results[0].hint), strict=True))
    b.loc, b.origin = loc, origin
