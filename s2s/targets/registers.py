"""Target cpu: a cell that a loop adds to all the time is summed up in a number; what it only loads is loaded before.

    for j in range(m):                            t = A[i, k]
        B_bar[k, j] += A[i, k] * C_bar[i, j]      total = 0.0
        A_bar[i, k] += B[k, j] * C_bar[i, j]      for j in range(m):
                                                      B_bar[k, j] += t * C_bar[i, j]
                                                      total += B[k, j] * C_bar[i, j]
                                                  A_bar[i, k] += total

The compiler of the target cannot do that: for all that it knows, B_bar may be the memory of A. Where it is not known
that the loop runs, or that the cell is there, all this is done under the condition that it runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from s2s.ir.builder import Builder
from s2s.ir.core import Arg, Block, Function, Op, Value, clone_function, substitute, walk
from s2s.ir.ops import constant
from s2s.ir.types import Array, Scalar, kind
from s2s.simplify.ascending import ADDITIONS, Order, is_store
from s2s.simplify.cse import cse
from s2s.simplify.dce import dce

_MOVABLE = frozenset({"const", "add", "sub", "mul", "neg", "dim"})
# Loops inside loops inside loops: how often to look again.
_DEEP = 4


def registers(fn: Function) -> Function:
    """`fn` with what loops do to one cell done to a number."""
    if not any(op.name == "for" for op in walk(fn.block)):
        return fn
    new, _ = clone_function(fn)
    changed = False
    for height in range(_DEEP):
        order = Order(new)
        writer = _Writer(order, height)
        writer.block(new.block)
        if writer.mapping:
            substitute(new.block, writer.mapping)
        changed = changed or writer.changed
    return dce(cse(new)) if changed else fn


def _height(op: Op) -> int:
    """How many loops deep the loops inside `op` are."""
    return max((_height(o) + (o.name in ("for", "while")) for block in op.blocks for o in block.ops), default=0)


class _Writer:
    """Rewrites the loops of one height."""

    def __init__(self, order: Order, height: int) -> None:
        self.order = order
        self.height = height
        self.changed = False
        self.mapping: dict[Value, Value] = {}

    def block(self, block: Block) -> None:
        ops: list[Op] = []
        for op in block.ops:
            for inner in op.blocks:
                self.block(inner)
            is_loop = op.name == "for" and not op.attrs.get("breaks") and constant(op.value("step")) in (1, -1)
            ops += self.loop(op, block) if is_loop and _height(op) == self.height else [op]
        block.ops = ops

    def loop(self, loop: Op, block: Block) -> list[Op]:
        """What stands for a loop of `block`."""
        body = loop.blocks[0]
        accesses = self.order.accesses(body)
        if accesses is None:
            return [loop]
        inside = {v for op in walk(body) for v in (*op.results, *(p for b in op.blocks for p in b.params))}
        inside |= set(body.params)
        moved = self._moved(loop, accesses, inside)
        inside -= {r for op in moved for r in op.results}
        sums = self._sums(loop, accesses, inside)
        if not sums and not any(op.name == "getitem" for op in moved):
            return [loop]
        self.changed = True
        body.ops = [op for op in body.ops if op not in moved and not any(op in some for some in sums)]
        cells = [*(op for op in moved if op.name == "getitem"), *(some[0] for some in sums)]
        made = Block()
        b = Builder(made, loop.loc, loop.origin)
        if self._runs(loop) or all(self._is_there(op, loop, block) for op in cells):
            self._write(b, loop, moved, sums)
            return made.ops
        return self._guarded(b, loop, moved, sums)

    def _guarded(self, b: Builder, loop: Op, moved: Sequence[Op], sums: Sequence[Sequence[Op]]) -> list[Op]:
        """The loop, where it runs at all."""
        first, last = loop.value("start"), loop.value("stop")
        if constant(loop.value("step")) == -1:
            first, last = last, first
        before = list(loop.results)
        init = list(loop.values("init"))
        arms = [Block(), Block()]
        with b.at(arms[0]):
            self._write(b, loop, moved, sums)
        arms[0].results = before
        arms[1].results = init
        test = b.binary("gt", last, first)
        new = b.region("if", {"cond": test}, arms, [r.type for r in before], hints=[r.hint for r in before])
        # The results of the loop are known in the branch alone.
        inner = [Value(r.type, r.hint, loop) for r in before]
        loop.results[:len(before)] = inner
        arms[0].results = list(inner)
        self.mapping.update(zip(before, new.results, strict=True))
        return b.block.ops

    def _write(self, b: Builder, loop: Op, moved: Sequence[Op], sums: Sequence[Sequence[Op]]) -> None:
        body = loop.blocks[0]
        b.block.ops += moved
        after: list[tuple[Op, Value]] = []
        for some in sums:
            op = some[0]
            a = op.value("a").type
            assert isinstance(a, Array)
            cell: dict[str, Arg] = {"a": op.value("a"), "index": op.values("index")}
            b.loc, b.origin = op.loc, op.origin
            if op.origin is None:  # bit by bit as the user's program
                first = b.one("getitem", cell, op.attrs)
            else:
                first = b.const(0, Scalar(a.dtype, a.dtype in ("float64", "complex128")))
            total = Value(Scalar(a.dtype), "", None)
            body.params.append(total)
            with b.at(body):
                last = total
                for add in some:
                    b.loc, b.origin = add.loc, add.origin
                    last = b.add(last, add.value("value"))
            body.results.append(last)
            loop.args["init"] = (*loop.values("init"), first)
            result = Value(Scalar(a.dtype), "", loop)
            loop.results.append(result)
            after.append((op, result))
        b.block.ops.append(loop)
        for op, result in after:
            b.loc, b.origin = op.loc, op.origin
            b.emit("setitem" if op.origin is None else "additem",
                   {"a": op.value("a"), "index": op.values("index"), "value": result}, op.attrs)

    # What can be moved.

    def _moved(self, loop: Op, accesses: dict[Value, list[tuple[Op, Value]]], inside: set[Value]) -> list[Op]:
        """Operations of the body that give the same in each iteration."""
        moved: list[Op] = []
        known: set[Value] = set()
        for op in loop.blocks[0].ops:
            if any(v in inside and v not in known for v in op.operands()):
                continue
            load = op.name == "getitem" and isinstance(op.result.type, Scalar)
            if (not load and op.name not in _MOVABLE) or not all(isinstance(r.type, Scalar) for r in op.results):
                continue
            if load and self._changes(loop, op, accesses):
                continue
            moved.append(op)
            known.update(op.results)
        return moved

    def _changes(self, loop: Op, load: Op, accesses: dict[Value, list[tuple[Op, Value]]]) -> bool:
        """Whether the loop may store into the cell of a load."""
        found = accesses.get(self.order.memory.of(load.value("a")), [])
        return any(is_store(op, v) and self.order.cells.may_meet(loop, op, load, same=True) for op, v in found)

    def _sums(self, loop: Op, accesses: dict[Value, list[tuple[Op, Value]]], inside: set[Value]) -> list[list[Op]]:
        """Additions of the body to one cell each, which nothing else in the loop touches."""
        cells: dict[tuple[Value, ...], list[Op]] = {}
        for op in loop.blocks[0].ops:
            if op.name == "additem" and set(op.attrs["items"]) == {"i"} and _is_number(op) \
                    and not any(v in inside for v in (op.value("a"), *op.values("index"))):
                cells.setdefault((op.value("a"), *op.values("index")), []).append(op)
        out = []
        for some in cells.values():
            found = accesses[self.order.memory.of(some[0].value("a"))]
            # Additions to the same cell by other names come to the same; but a number must not stand for the cell then.
            others = [(op, v) for op, v in found if op not in some
                      and not (some[0].origin is not None and is_store(op, v) and op.name in ADDITIONS)]
            if not any(self.order.cells.may_meet(loop, some[0], op, None if op.args.get("a") is v else v, same=True)
                       for op, v in others):
                out.append(some)
        return out

    def _runs(self, loop: Op) -> bool:
        """Whether the loop is known to run at least once."""
        cells = self.order.cells
        gap = cells.linear(loop.value("stop")).minus(cells.linear(loop.value("start")))
        return cells.is_natural(gap.times(int(constant(loop.value("step")))).shifted(-1), loop)

    def _is_there(self, op: Op, loop: Op, block: Block) -> bool:
        """Whether the cell of a load or store exists, or will be asked for anyway, also where the loop does not run."""
        cells = self.order.cells
        a = op.value("a")
        if any(o is not op and _same_cell(o, op) for o in block.ops):
            return True
        if not isinstance(a.type, Array) or (a.op is not None and a.op.spec.view is not None):
            return False
        found = [(cells.linear(v), cells.extent(a, k)) for k, v in enumerate(op.values("index"))]
        return all(cells.is_natural(e, loop) and cells.is_natural(size.minus(e).shifted(-1), loop) for e, size in found)


def _same_cell(x: Op, y: Op) -> bool:
    """Whether two loads or stores are of one cell."""
    return "items" in x.attrs and x.value("a") is y.value("a") and x.values("index") == y.values("index") \
        and x.attrs["items"] == y.attrs["items"]


def _is_number(op: Op) -> bool:
    """Whether numbers of the dtype of the array are added to it."""
    a, v = op.value("a").type, op.value("value").type
    return isinstance(a, Array) and isinstance(v, Scalar) and kind(a) == "f" and (
        v.dtype == a.dtype or (v.weak and kind(v) in "fi"))
