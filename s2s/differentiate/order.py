"""Whether the iterations of a reverse loop may run in any order: then it runs forwards, which is faster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from s2s.analyse.memory import LOOPS, is_reference, is_view
from s2s.ir.core import Block, Op, Value, walk
from s2s.ir.sums import adds, uses

_KEEPS_ORDER = frozenset({"setitem", "listset", "append", "listpop", "call", "pycall", "print", "raise", "assert"})


def is_sum(block: Block, carried: Sequence[tuple[Value, Value | None]]) -> bool:
    """Whether one run of `block` does no more than add to what it carries and to memory from outside.

    carried: block parameters, and what is yielded for each.
    """
    count = uses(block, [last for _, last in carried if last is not None])
    if any(last is None or not adds(last, param, count) for param, last in carried):
        return False
    return _memory_is_summed(block)


def _memory_is_summed(block: Block) -> bool:
    """Whether memory from outside is only added to, by whichever of its names."""
    made: set[Value] = set()
    for op in walk(block):
        made.update(op.results)
    first = _first(block)
    added: set[Value] = set()
    for op in walk(block):
        if op.name in _KEEPS_ORDER:
            if op.spec.writes is None or op.name in ("listpop", "append") \
                    or not roots(op.value(op.spec.writes), first) <= made:
                return False
        elif op.spec.writes is not None:
            added |= roots(op.value(op.spec.writes), first) - made
    return not any(is_reference(v.type) and _reads(op, v) and roots(v, first) & added for op in walk(block)
                   for v in op.operands())


def _first(block: Block) -> dict[Value, Value]:
    """What the values that loops in `block` carry are at first."""
    return {p: init for op in walk(block) if op.name in LOOPS for inner in op.blocks
            for p, init in zip(inner.params[op.name == "for":], op.values("init"), strict=True)}


def roots(v: Value, first: Mapping[Value, Value]) -> set[Value]:
    """The values whose memory `v` may be, or be a part of. first: what loops carry, in their first iteration."""
    found: set[Value] = set()
    work, seen = [v], {v}
    while work:
        u = work.pop()
        op = u.op
        bases: list[Value] = []
        if op is not None and op.blocks:
            k = op.results.index(u)
            bases = [b.results[k] for b in op.blocks if k < len(b.results) and is_reference(b.results[k].type)]
            bases += [op.values("init")[k]] if op.name in LOOPS else []
        elif op is not None and is_view(op):
            bases = [op.value(op.spec.view or "")]
        elif u in first:
            bases = [first[u]]
        if not bases:
            found.add(u)
        work += [b for b in bases if b not in seen]
        seen.update(bases)
    return found


def _reads(op: Op, v: Value) -> bool:
    """Whether `op` looks into `v`, and does not only add to it or take a view of it."""
    if op.name in ("additem", "addto"):
        return op.args["value"] is v
    return not (is_view(op) and op.value(op.spec.view or "") is v)
