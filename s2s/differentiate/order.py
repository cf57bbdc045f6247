"""Whether the iterations of a reverse loop may run in any order: then it runs forwards, which is faster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from s2s.analyse.memory import LOOPS, is_reference, is_view
from s2s.ir.core import Block, Op, Value, walk

_KEEPS_ORDER = frozenset({"setitem", "listset", "append", "listpop", "call", "pycall", "print", "raise", "assert"})


def is_sum(block: Block, carried: Sequence[tuple[Value, Value | None]]) -> bool:
    """Whether one run of `block` does no more than add to what it carries and to memory from outside.

    carried: block parameters, and what is yielded for each.
    """
    uses = _uses(block, [last for _, last in carried if last is not None])
    if any(last is None or not _adds(last, param, uses) for param, last in carried):
        return False
    return _memory_is_summed(block)


def _uses(block: Block, results: Sequence[Value]) -> dict[Value, int]:
    """How often each value is read in `block`."""
    count: dict[Value, int] = {}
    for op in walk(block):
        for v in (*op.operands(), *(r for inner in op.blocks for r in inner.results)):
            count[v] = count.get(v, 0) + 1
    for v in results:
        count[v] = count.get(v, 0) + 1
    return count


def _adds(value: Value, param: Value, uses: dict[Value, int]) -> bool:
    """Whether `value` is `param` plus something in which `param` does not occur."""
    if value is param:
        return uses.get(value, 0) <= 1
    op = value.op
    if op is None or uses.get(value, 0) != 1:
        return False
    if op.name == "add":
        x, y = op.value("x"), op.value("y")
        return _adds(x, param, uses) or _adds(y, param, uses)
    if op.name == "sub":
        return _adds(op.value("x"), param, uses)
    if op.name == "for":
        k = op.results.index(value)
        inner = op.blocks[0]
        return _adds(op.values("init")[k], param, uses) and _adds(inner.results[k], inner.params[k + 1], uses)
    if op.name == "if":
        k = op.results.index(value)
        # Read once in each branch, and so twice in all.
        ends = [b.results[k] for b in op.blocks]
        once = {**uses, param: min(uses.get(param, 0) - 1, 1)} if uses.get(param, 0) == 2 else uses
        return all(_adds(e, param, once) for e in ends)
    return False


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
