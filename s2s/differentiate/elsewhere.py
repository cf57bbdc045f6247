"""Where a new array takes its shape from, if the array that it is to be like would have to be saved for that."""

from __future__ import annotations

from collections.abc import Iterable

from s2s.analyse.memory import LOOPS, Memory
from s2s.ir.core import Block, Op, Value
from s2s.ir.types import Array


def shape_from_elsewhere(op: Op, memory: Memory, top: Block, unsure: frozenset[Value]) -> None:
    """Let `np.zeros_like(v)`, where `v` would have to be saved, take the shape from something at hand."""
    if op.name not in ("np.zeros_like", "dim"):
        return
    v: Value | None = op.value("a")
    while v is not None and v in memory.home:
        op.args["a"] = v
        v = None if memory.home[v] is top else _same_shape(v, memory, unsure)


def _same_shape(v: Value, memory: Memory, unsure: frozenset[Value]) -> Value | None:
    """An older value, of which `v` is made, that has the same type and shape."""
    candidates: Iterable[Value] = () if v.op is None else v.op.operands()
    if v.op is not None and v.op.name in LOOPS:
        candidates = v.op.values("init")
    elif v.op is None and (owner := memory.owner[memory.home[v]]) is not None and owner.name in LOOPS:
        # What a loop carries has one type, and so one shape, in all iterations.
        block = memory.home[v]
        skip = len(block.params) - len(owner.values("init"))
        k = block.params.index(v) - skip
        candidates = [owner.values("init")[k]] if 0 <= k < len(owner.values("init")) else []
    return next((u for u in candidates if u in memory.home and u not in unsure
                 and isinstance(u.type, Array) and u.type == v.type
                 and not (u.op is not None and u.op.name == "undefined")), None)
