"""Additions of one iteration to neighbouring cells, in the order in which compilers can overlap iterations.

    for i in range(n):                 for i in range(n):
        a[i] += u                          a[i + 1] += v
        a[i + 1] += v                      a[i] += u

On the left an iteration begins by reading what the one before it stored last, and none can begin before
that is done; on the right loops are vectorised (LLVM: three times as fast). Additions commute.
"""

from __future__ import annotations

from s2s.ir.core import Block, Function, Op, Value, clone_function, walk
from s2s.ir.memory import Memory
from s2s.ir.ops import constant, is_basic
from s2s.ir.types import Scalar
from s2s.simplify.additions import touched


def stores(fn: Function, *, disjoint: bool = True) -> Function:
    """`fn` with the additions of each loop body in order."""
    if sum(op.name == "additem" for op in walk(fn.block)) < 2 or not any(op.name == "for" for op in walk(fn.block)):
        return fn
    new, _ = clone_function(fn)
    memory = Memory(new, disjoint=disjoint)
    for op in list(walk(new.block)):
        step = constant(op.value("step")) if op.name == "for" else None
        if step is not None and step != 0:
            _order(op.blocks[0], op.blocks[0].params[0], 1 if step > 0 else -1, memory)
    return new


def _order(block: Block, index: Value, sign: int, memory: Memory) -> None:
    # Class of memory -> additions between which nothing else reads or writes it.
    runs: dict[Value, list[Op]] = {}
    done: list[list[Op]] = []
    for op in block.ops:
        if op.name == "additem" and isinstance(op.value("value").type, Scalar) and is_basic(op.attrs["items"]):
            runs.setdefault(memory.of(op.value("a")), []).append(op)
            continue
        if runs:
            gone = list(runs) if op.name in ("pycall", "call") else [memory.of(v) for v in touched(op)]
            done += [runs.pop(c) for c in gone if c in runs]
    for run in [*done, *runs.values()]:
        keys = [_place(op, index) for op in run]
        if len(run) > 1 and None not in keys:
            wanted = sorted(run, key=lambda op: -sign * (_place(op, index) or 0))
            if wanted != run:
                _move(block, run, wanted)


def _move(block: Block, run: list[Op], wanted: list[Op]) -> None:
    """Put additions where the last of them is, in another order."""
    at = block.ops.index(run[-1]) + 1
    moved = set(run)
    block.ops = [op for op in block.ops[:at] if op not in moved] + wanted + block.ops[at:]


def _place(op: Op, index: Value) -> int | None:
    """How far the cell is from that of the loop index, along the axis that the loop runs over."""
    found = [offset for offset in (_offset(v, index) for v in op.values("index")) if offset is not None]
    return found[0] if len(found) == 1 else None


def _offset(v: Value, index: Value) -> int | None:
    """c, where `v` is `index + c`."""
    if v is index:
        return 0
    if v.op is None or v.op.name not in ("add", "sub"):
        return None
    x, y = v.op.value("x"), v.op.value("y")
    if x is index and isinstance(constant(y), int):
        return int(constant(y)) if v.op.name == "add" else -int(constant(y))
    if y is index and v.op.name == "add" and isinstance(constant(x), int):
        return int(constant(x))
    return None
