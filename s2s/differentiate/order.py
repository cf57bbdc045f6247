"""Whether the iterations of a reverse loop may run in any order: then it runs forwards, which is faster."""

from __future__ import annotations

from collections.abc import Sequence

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
    """Whether memory from outside is only added to."""
    made: set[Value] = set()
    for op in walk(block):
        made.update(op.results)
    targets: dict[Value, None] = {}
    for op in walk(block):
        if op.name in _KEEPS_ORDER:
            if op.spec.writes is None or op.value(op.spec.writes) not in made or op.name in ("listpop", "append"):
                return False
        elif op.spec.writes is not None:
            targets[op.value(op.spec.writes)] = None
    # A view through which is added to, is only added to as well.
    work = list(targets)
    while work:
        v = work.pop()
        if v.op is not None and v in made and v.op.spec.view is not None:
            base = v.op.value(v.op.spec.view)
            if base not in targets:
                targets[base] = None
                work.append(base)
    outer = {v for v in targets if v not in made or _is_view(v)}
    return all(_only_target(op, v, outer) for op in walk(block) for v in op.operands() if v in outer)


def _is_view(v: Value) -> bool:
    return v.op is not None and v.op.spec.view is not None


def _only_target(op: Op, v: Value, outer: set[Value]) -> bool:
    """Whether `op` does with `v` no more than add to it, or take a view of it that is."""
    if op.name in ("additem", "addto"):
        return op.value("a") is v and op.args["value"] is not v
    return op.spec.view is not None and op.value(op.spec.view) is v and op.result in outer
