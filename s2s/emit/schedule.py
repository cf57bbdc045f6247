"""What is computed of a loaded number moves up to the load, so that the two are one statement.

    t = A_bar[i]              t = A_bar[i] / 5.0
    A_bar[i] = 0.0     ─►     A_bar[i] = 0.0
    t1 = t / 5.0              A_bar[i - 1] += t
    A_bar[i - 1] += t1

The load could not go to its reader, because of the store between.
"""

from __future__ import annotations

from s2s.emit.facts import REGIONS, Facts, is_effect, may_alias
from s2s.ir.core import Block, Function, Op, Value, clone_function
from s2s.ir.types import Array, List, Scalar


def schedule(fn: Function) -> Function:
    """A copy of `fn` with its operations in the order in which they are written best."""
    copy, _ = clone_function(fn)
    facts = Facts(copy)
    for block, owner in facts.blocks:
        if owner is None or owner in facts.live:
            _lift(facts, block)
    return copy


def _lift(facts: Facts, block: Block) -> None:
    """Move readers of loads in `block` up, over the write that comes between."""
    place = {op: k for k, op in enumerate(block.ops)}
    after: dict[Op, list[Op]] = {}
    moved: set[Op] = set()
    for op in block.ops:
        load = _load(facts, block, op)
        if load is None or load not in place:
            continue
        ready = all(_defined_by(facts, v, place, place[load], moved) for v in facts.operands(op))
        reads = facts.reads(load)
        if ready and any(may_alias(reads, facts.writes(w)) for w in block.ops[place[load] + 1:place[op]]):
            after.setdefault(load, []).append(op)
            moved.add(op)
    if moved:
        block.ops = [o for op in block.ops if op not in moved for o in (op, *after.get(op, ()))]


def _load(facts: Facts, block: Block, op: Op) -> Op | None:
    """The load whose number is read by `op` alone, where `op` does no more than compute with it."""
    if op not in facts.live or op.name in REGIONS or is_effect(op) or len(op.results) != 1 \
            or not isinstance(op.result.type, Scalar) \
            or any(isinstance(v.type, Array | List) for v in op.operands()):
        return None
    for v in facts.operands(op):
        load = v.op
        if load is not None and load.name in ("getitem", "listget") and len(facts.uses.get(v, ())) == 1 \
                and facts.hint(v) == facts.hint(op.result):
            return load
    return None


def _defined_by(facts: Facts, v: Value, place: dict[Op, int], limit: int, moved: set[Op]) -> bool:
    """Whether `v` is there at `limit`: made before it, outside the block, or a constant."""
    if v.op is None or v.op not in place or v.op.name == "const":
        return True
    return v.op not in moved and place[v.op] <= limit
