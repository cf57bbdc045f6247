"""Whether an array that is bound on some paths only is bound: where it is not, nothing can be shaped like it."""

from __future__ import annotations

from collections.abc import Sequence

from s2s.analyse.memory import LOOPS, is_reference
from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Op, Value
from s2s.ir.types import BOOL, is_inexact


def bound_flags(function: Function) -> dict[Value, Value]:
    """For each array or list that may be unbound, a bool; `function` gets what computes it."""
    writer = _Writer()
    writer.block(function.block)
    return writer.flags


class _Writer:
    def __init__(self) -> None:
        self.flags: dict[Value, Value] = {}

    def block(self, block: Block) -> None:
        ops, block.ops = block.ops, []
        for op in ops:
            places = [k for k, r in enumerate(op.results) if is_reference(r.type) and is_inexact(r.type)]
            if op.name in LOOPS:
                self.loop(block, op, places)
            elif op.name == "if":
                self.branch(op, places)
            else:
                for inner in op.blocks:
                    self.block(inner)
            block.ops.append(op)

    def may_be_unbound(self, v: Value) -> bool:
        return v in self.flags or (v.op is not None and v.op.name == "undefined")

    def flag(self, block: Block, v: Value) -> Value:
        """Whether `v` is bound, as a value of `block`."""
        return self.flags[v] if v in self.flags else Builder(block).const(not self.may_be_unbound(v))

    def branch(self, op: Op, places: Sequence[int]) -> None:
        for inner in op.blocks:
            self.block(inner)
        for k in places:
            ends = [b.results[k] for b in op.blocks]
            if not any(self.may_be_unbound(v) for v in ends):
                continue
            if not self.may_be_unbound(ends[0]) and ends[1] not in self.flags:
                self.flags[op.results[k]] = op.value("cond")
                continue
            for inner, v in zip(op.blocks, ends, strict=True):
                inner.results.append(self.flag(inner, v))
            op.results.append(Value(BOOL, "", op))
            self.flags[op.results[k]] = op.results[-1]

    def loop(self, block: Block, op: Op, places: Sequence[int]) -> None:
        first = 1 if op.name == "for" else 0
        places = [k for k in places if self.may_be_unbound(op.values("init")[k])]
        for k in places:
            op.args["init"] = (*op.values("init"), self.flag(block, op.values("init")[k]))
            for inner in op.blocks:
                inner.params.append(Value(BOOL))
                self.flags[inner.params[first + k]] = inner.params[-1]
        for inner in op.blocks:
            self.block(inner)
        body = op.blocks[-1]
        for k in places:
            at = len(body.results) - (1 if op.attrs.get("breaks") else 0)
            body.results.insert(at, self.flag(body, body.results[k]))
            op.results.append(Value(BOOL, "", op))
            self.flags[op.results[k]] = op.results[-1]
