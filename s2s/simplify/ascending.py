"""Reverse loops whose iterations may run in any order count upwards: that reads better, and is vectorised.

    for i in range(n - 1, -1, -1):          for i in range(n):
        t = y_bar[i]                            t = y_bar[i]
        y_bar[i] = 0.0                          y_bar[i] = 0.0
        x_bar[i + 1] += t                       x_bar[i + 1] += t

Iterations may be exchanged if what they carry are sums, and if any two accesses to memory in different iterations,
of which one is a store, are both additions or never meet in a cell.
"""

from __future__ import annotations

from collections.abc import Sequence

from s2s.ir.builder import Builder
from s2s.ir.cells import Cells, Nesting
from s2s.ir.core import Block, Function, Op, Value, clone_function, walk
from s2s.ir.memory import Memory, is_memory, shares_memory
from s2s.ir.ops import constant
from s2s.ir.sums import adds, uses

ADDITIONS = frozenset({"additem", "addto"})
_STORES = frozenset({"setitem", *ADDITIONS})
# Accesses of one loop: beyond this many, all pairs are too many.
_MANY = 60


def ascending(fn: Function, *, disjoint: bool = True) -> Function:
    """`fn` with the loops of its reverse sweep that may run forwards running forwards."""
    if not any(_is_backwards(op) for op in walk(fn.block)):
        return fn
    new, _ = clone_function(fn)
    order = Order(new, disjoint=disjoint)
    _turn(new.block, order)
    return new


def _is_backwards(op: Op) -> bool:
    return op.name == "for" and op.origin is not None and constant(op.value("step")) == -1


def _turn(block: Block, order: Order) -> None:
    ops: list[Op] = []
    for op in block.ops:
        for inner in op.blocks:
            _turn(inner, order)
        if _is_backwards(op) and order.is_free(op):
            ops += upwards(op)
        ops.append(op)
    block.ops = ops


def upwards(loop: Op) -> list[Op]:
    """Let a loop with the step -1 count upwards; what computes its bounds has to come before it."""
    made = Block()
    b = Builder(made, loop.loc, loop.origin)
    start, stop = loop.value("start"), loop.value("stop")
    loop.args.update(start=b.add(stop, b.int(1)), stop=b.add(start, b.int(1)), step=b.int(1))
    return made.ops


def is_store(op: Op, v: Value) -> bool:
    """Whether `op` stores into `v`."""
    return op.name in _STORES and op.value("a") is v


class Order:
    """Which iterations of the loops of a function may be exchanged."""

    def __init__(self, fn: Function, *, disjoint: bool = True) -> None:
        self.memory = Memory(fn, disjoint=disjoint)
        self.cells = Cells(Nesting(fn), fn.block)

    def is_free(self, loop: Op) -> bool:
        """Whether the iterations of `loop` may run in any order."""
        body = loop.blocks[0]
        if loop.attrs.get("breaks") or not _carries_sums(loop):
            return False
        accesses = self.accesses(body)
        return accesses is not None and all(self._commute(found, loop) for found in accesses.values())

    def accesses(self, body: Block) -> dict[Value, list[tuple[Op, Value]]] | None:
        """What in `body` reads or writes each class of memory, by which argument; None for what is not known."""
        found: dict[Value, list[tuple[Op, Value]]] = {}
        for op in walk(body):
            if op.name in ("call", "pycall", "print", "raise", "assert", "with", "custom") or op.spec.effect \
                    or (op.spec.writes is not None and op.name not in _STORES):
                return None
            if shares_memory(op) and op.name not in _STORES:
                continue  # whoever uses the view accesses
            if op.blocks and any(is_memory(v.type) for v in op.operands()):
                return None  # memory that is carried
            for v in () if op.blocks else op.operands_read():
                if is_memory(v.type):
                    found.setdefault(self.memory.of(v), []).append((op, v))
        return found

    def _commute(self, accesses: Sequence[tuple[Op, Value]], loop: Op) -> bool:
        stores = [(op, v) for op, v in accesses if is_store(op, v)]
        if not stores:
            return True
        if len(accesses) > _MANY:
            return False
        return all((op.name in ADDITIONS and other.name in ADDITIONS and other.value("a") is u)
                   or not self.cells.may_meet(loop, op, other, None if other.args.get("a") is u else u)
                   for op, _ in stores for other, u in accesses)


def _carries_sums(loop: Op) -> bool:
    """Whether all that an iteration does with what is carried is to add to it."""
    body = loop.blocks[0]
    count = uses(body, body.results)
    return all(adds(r, p, count) for r, p in zip(body.results, body.params[1:], strict=True))
