"""The order in which operations are written: three moves that save a name or a copy.

What is computed of a loaded number moves up to the load, which a store keeps from its reader:

    t = A_bar[i]              t = A_bar[i] / 5.0
    A_bar[i] = 0.0     ─►     A_bar[i] = 0.0
    t1 = t / 5.0              A_bar[i - 1] += t
    A_bar[i - 1] += t1

The new value of a name moves down, after the last read of the old one:

    s_bar1 = y * s_bar        y_bar += s * s_bar
    y_bar += s * s_bar ─►     s_bar = y * s_bar
    s_bar = s_bar1

What follows the last `if` of a body, and has nothing to do with it, moves up before it; for an `if` at the
end may `break`.
"""

from __future__ import annotations

from s2s.emit.facts import LOOPS, REGIONS, Facts, breaks, carried, is_effect, may_alias
from s2s.ir.core import Block, Function, Op, Value, clone_function, free_values
from s2s.ir.types import Array, List, Scalar


def schedule(fn: Function) -> Function:
    """A copy of `fn` with its operations in the order in which they are written best."""
    copy, _ = clone_function(fn)
    facts = Facts(copy)
    for block, owner in facts.blocks:
        if owner is None or owner in facts.live:
            _lift(facts, block)
            if owner is not None:
                _sink(facts, block, owner)
            if owner is not None and breaks(owner) and block is owner.blocks[-1]:
                _end_with_if(facts, block)
    return copy


def _is_plain(facts: Facts, op: Op) -> bool:
    """Whether an operation does nothing but compute one value."""
    return op in facts.live and op.name not in REGIONS and not is_effect(op) and len(op.results) == 1


def _reads_no_memory(op: Op) -> bool:
    return not any(isinstance(v.type, Array | List) for v in op.operands())


# ---- up to the load


def _lift(facts: Facts, block: Block) -> None:
    """Move readers of loads in `block` up, over the write that comes between."""
    place = {op: k for k, op in enumerate(block.ops)}
    after: dict[Op, list[Op]] = {}
    moved: set[Op] = set()
    for op in block.ops:
        load = _load(facts, op)
        if load is None or load not in place:
            continue
        ready = all(_defined_by(facts, v, place, place[load], moved) for v in facts.operands(op))
        reads = facts.reads(load)
        if ready and any(may_alias(reads, facts.writes(w)) for w in block.ops[place[load] + 1:place[op]]):
            after.setdefault(load, []).append(op)
            moved.add(op)
    if moved:
        block.ops = [o for op in block.ops if op not in moved for o in (op, *after.get(op, ()))]


def _load(facts: Facts, op: Op) -> Op | None:
    """The load whose number is read by `op` alone, where `op` does no more than compute with it."""
    if not _is_plain(facts, op) or not isinstance(op.result.type, Scalar) or not _reads_no_memory(op):
        return None
    for v in facts.operands(op):
        load = v.op
        if load is not None and load.name in ("getitem", "listget") and len(facts.uses.get(v, ())) == 1 \
                and facts.hint(v) == facts.hint(op.result):
            return load
    return None


def _defined_by(facts: Facts, v: Value, place: dict[Op, int], limit: int, moved: set[Op]) -> bool:
    """Whether `v` is there at `limit`: made before it, outside the block, or a constant."""
    where = facts.definition.get(v)
    if where is None or where.op not in place or where.op.name == "const":
        return True
    return where.op not in moved and place[where.op] <= limit


# ---- down after the last read of the old value


def _sink(facts: Facts, block: Block, owner: Op) -> None:
    """Move what is yielded as the new value of a name down, after the last read of the old one."""
    targets = dict(zip(block.results, carried(owner) if owner.name in LOOPS else (), strict=False))
    for op in list(block.ops):
        if not _is_plain(facts, op) or not _reads_no_memory(op) \
                or [(u.kind, u.block) for u in facts.uses.get(op.result, ())] != [("yield", block)]:
            continue
        hint, target = facts.hint(op.result), targets.get(op.result)
        old = next((v for v in facts.operands(op) if v is target or (hint and facts.hint(v) == hint)), None)
        if old is not None:
            _move_after_reads(facts, block, op, old)


def _move_after_reads(facts: Facts, block: Block, op: Op, old: Value) -> None:
    at = block.ops.index(op)
    place = {o: k for k, o in enumerate(block.ops)}
    last = max((_written_at(facts, o, place) for o in block.ops[at + 1:] if _reads(facts, o, old)), default=at)
    between = block.ops[at + 1:last + 1]
    names = {facts.hint(v) for v in facts.operands(op) if v is not old} - {""}
    if between and not any(facts.hint(r) in names for o in between for r in o.results):
        block.ops[at:last + 1] = [*between, op]


def _written_at(facts: Facts, op: Op, place: dict[Op, int]) -> int:
    """Where `op` will be written: what is read once goes into its reader."""
    while _is_plain(facts, op):
        uses = facts.uses.get(op.result, ())
        reader = uses[0].op if len(uses) == 1 else None
        if reader is None or reader not in place:
            break
        op = reader
    return place[op]


def _reads(facts: Facts, op: Op, v: Value) -> bool:
    found = [*op.operands(), *(u for b in op.blocks for u in free_values(b))]
    return any(facts.resolve(u) is v for u in found)


# ---- an `if` at the end


def _end_with_if(facts: Facts, block: Block) -> None:
    """Move plain operations that follow the last `if` of `block` before it, if they do not read its results."""
    at = max((k for k, op in enumerate(block.ops) if op.name == "if" and op in facts.live), default=-1)
    tail = block.ops[at + 1:]
    if at < 0 or not all(_is_plain(facts, o) or o not in facts.live for o in tail):
        return
    late = set(block.ops[at].results)
    if all(_reads_no_memory(o) and not late & {facts.resolve(v) for v in o.operands()} for o in tail):
        block.ops[at:] = [*tail, block.ops[at]]
