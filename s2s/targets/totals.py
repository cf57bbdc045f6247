"""Cells that do not change with an inner loop are kept out of it, as numbers.

    >>> from s2s.ir.builder import Builder
    >>> from s2s.ir.core import Block, Function, Op, Value
    >>> from s2s.ir.types import INT, Array, Dim, Scalar
    >>> from s2s.ir.ops import SPECS, constant
    >>> a, x = Value(Array("float64", (Dim("n"),)), "a"), Value(Array("float64", (Dim("m"),)), "x")
    >>> b = Builder(Block([a, x]))
    >>> zero, one = b.int(0), b.int(1)
    >>> i, j = Value(INT, "i"), Value(INT, "j")
    >>> outer, inner = Block([i]), Block([j])
    >>> with b.at(inner):
    ...     value = b.one("getitem", {"a": x, "index": (j,)}, {"items": ("i",)})
    ...     added = b.emit("additem", {"a": a, "index": (i,), "value": value}, {"items": ("i",)})
    >>> inner.ops[-1].origin = inner.ops[-1]  # as in the reverse of something
    >>> def loop(size, body):
    ...     b.block.ops.append(Op(SPECS["for"], {"start": zero, "stop": size, "step": one, "init": ()},
    ...                           {"breaks": False}, [], [body]))
    >>> with b.at(outer):
    ...     loop(b.dim(x, 0), inner)
    >>> loop(b.dim(a, 0), outer)
    >>> [op.name for op in totals(Function("f", b.block)).block.ops[-1].blocks[0].ops]
    ['dim', 'const', 'for', 'additem']

A compiler cannot do it: it does not know that `a[i] += v` leaves the other arrays of the loop alone, and so loads and
stores the cell each time. Where the loop runs zero times, there may be no such cell: unless it is known that there is,
a test whether the loop runs goes with what is moved. Sums of the function itself stay as they are: in another order
they would be rounded otherwise.
"""

from __future__ import annotations

from s2s.ir.builder import Builder
from s2s.ir.cells import Cells, Nesting
from s2s.ir.core import Block, Function, Op, Value, clone_function, walk
from s2s.ir.memory import Memory, is_memory
from s2s.ir.ops import SPECS, constant
from s2s.ir.types import Array, Scalar, is_inexact

_STORES = frozenset({"setitem", "additem"})


def totals(fn: Function) -> Function:
    """`fn` with a number in the place of each cell that an innermost loop reads or adds to in every iteration."""
    if not any(op.name == "for" for op in walk(fn.block)):
        return fn
    fn, _ = clone_function(fn)
    _Totals(fn).block(fn.block)
    return fn


class _Totals:
    def __init__(self, fn: Function) -> None:
        self.memory = Memory(fn)
        self.cells = Cells(Nesting(fn), fn.block)

    def block(self, block: Block) -> None:
        ops: list[Op] = []
        for op in block.ops:
            for inner in op.blocks:
                self.block(inner)
            if op.name == "for" and not op.attrs.get("breaks") and _is_plain(op.blocks[0]) \
                    and isinstance(constant(op.value("step")), int):
                before, after = self._taken(op)
                ops += [*before, op, *after]
            else:
                ops.append(op)
        block.ops = ops

    def _taken(self, loop: Op) -> tuple[list[Op], list[Op]]:
        """What now comes before the loop, and after it."""
        body = loop.blocks[0]
        defined = {*body.params, *(r for op in body.ops for r in op.results)}
        accesses: dict[Value, list[Op]] = {}
        for op in body.ops:
            for v in op.operands():
                if is_memory(v.type):
                    accesses.setdefault(self.memory.of(v), []).append(op)
        fixed = [op for op in body.ops if _is_fixed(op, defined)]
        stores = any(op.name in _STORES for op in body.ops)  # without, compilers move loads themselves
        loads = [op for op in fixed if stores and op.name == "getitem" and not any(
            other.name in _STORES and self._meet(loop, other, op) for other in accesses[self.memory.of(op.value("a"))])]
        body.ops = [op for op in body.ops if op not in loads]
        groups: list[list[Op]] = []
        for op in fixed:
            if op.name == "additem" and op.origin is not None:
                group = next((g for g in groups if _same_cell(g[0], op)), None)
                if group is None:
                    groups.append([op])
                else:
                    group.append(op)
        before = Builder(Block())
        added = [_summed(loop, group, before) for group in groups if not any(
            other not in group and other not in loads and self._meet(loop, group[0], other)
            for other in accesses[self.memory.of(group[0].value("a"))])]
        moved = [self._guarded(loop, [op for op in ops if not self._is_there(op, loop)]) for ops in (loads, added)]
        kept = [[op for op in ops if self._is_there(op, loop)] for ops in (loads, added)]
        return [*kept[0], *moved[0], *before.block.ops], [*kept[1], *moved[1]]

    def _is_there(self, op: Op, loop: Op) -> bool:
        """Whether the cell of `op` is known to be one of the array also where `loop` runs zero times."""
        place = self.cells.place(op.value("a"), loop)
        if place is None or place.root is not op.value("a"):
            return False
        for side, index in zip(place.sides, op.values("index"), strict=True):
            e = self.cells.linear(index)
            if side.high is None or not self.cells.is_natural(e, loop) \
                    or not self.cells.is_natural(side.high.minus(e).shifted(-1), loop):
                return False
        return True

    def _guarded(self, loop: Op, ops: list[Op]) -> list[Op]:
        """`ops`, done where `loop` runs at all; loads give 0 elsewhere."""
        if not ops:
            return []
        step = constant(loop.value("step"))
        runs, other, then = Builder(Block()), Builder(Block()), Block(ops=ops)
        runs.loc, runs.origin = ops[0].loc, ops[0].origin
        cond = runs.binary("gt" if step > 0 else "lt", loop.value("stop"), loop.value("start"))
        results: list[Value] = []
        for op in ops:
            for k, r in enumerate(op.results):
                inner = Value(r.type, r.hint, op)
                op.results[k] = inner
                then.results.append(inner)
                assert isinstance(r.type, Scalar)
                other.block.results.append(other.const(0.0, r.type))
                results.append(r)
        test = Op(SPECS["if"], {"cond": cond}, {}, results, [then, other.block], loc=ops[0].loc, origin=ops[0].origin)
        for r in results:
            r.op = test
        return [*runs.block.ops, test]

    def _meet(self, loop: Op, store: Op, other: Op) -> bool:
        if other.name not in ("getitem", *_STORES):
            return True
        return self.cells.may_meet(loop, store, other, same=True)


def _is_fixed(op: Op, defined: set[Value]) -> bool:
    """Whether `op` loads or adds to a number whose place is the same in each iteration."""
    if op.name not in ("getitem", "additem") or op.value("a") in defined or not defined.isdisjoint(op.values("index")):
        return False
    a = op.value("a").type
    if not isinstance(a, Array) or not is_inexact(a) or op.attrs["items"] != ("i",) * a.ndim:
        return False
    return op.name == "getitem" or isinstance(op.value("value").type, Scalar)


def _summed(loop: Op, group: list[Op], before: Builder) -> Op:
    """Let `loop` add up what `group` adds to one cell; returns what adds that."""
    first, body = group[0], loop.blocks[0]
    a = first.value("a").type
    assert isinstance(a, Array)
    t = Scalar(a.dtype)
    before.loc, before.origin = first.loc, first.origin
    start = before.const(0.0, t)
    total: Value = Value(t, "total")
    body.params.append(total)
    made = Builder(Block())
    for op in body.ops:
        if op in group:
            made.loc, made.origin = op.loc, op.origin
            total = made.add(total, made.cast(op.value("value"), t))
            total.hint = "total"
        else:
            made.block.ops.append(op)
    body.ops = made.block.ops
    body.results.append(total)
    result = Value(t, "total", loop)
    loop.results.append(result)
    loop.args["init"] = (*loop.values("init"), start)
    return Op(SPECS["additem"], {**first.args, "value": result}, dict(first.attrs), loc=first.loc,
              origin=first.origin)


def _is_plain(body: Block) -> bool:
    """Whether nothing happens in `body` but arithmetic, and loads and stores of numbers."""
    return not any(op.blocks or op.spec.effect or op.name in ("call", "pycall")
                   or (op.spec.writes is not None and op.name not in _STORES)
                   or any(isinstance(r.type, Array) for r in op.results) for op in body.ops)


def _same_cell(a: Op, b: Op) -> bool:
    return a.value("a") is b.value("a") and a.values("index") == b.values("index")
