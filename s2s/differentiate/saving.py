"""Where a forward sweep keeps a value for the reverse sweep: a buffer, a list, or a result of its branch.

Everything here adds operations to the forward program. They are collected first and written into the
blocks at the end (`Insertions.apply`), so that the positions of the forward operations stay valid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from s2s.analyse.memory import LOOPS, Memory
from s2s.ir.builder import Builder
from s2s.ir.cells import Cells
from s2s.ir.core import Block, Op, OpSpec, Value
from s2s.ir.names import saved_name
from s2s.ir.ops import constant
from s2s.ir.types import INT, Array, List, Scalar, Type
from s2s.rules.table import Table

# Integer arithmetic that may be done before a loop, to know how often an inner loop will run.
_MOVABLE = frozenset({"const", "add", "sub", "mul", "floordiv", "dim", "trips"})


@dataclass
class Insertions:
    """Operations to be added to forward blocks."""

    head: dict[Block, list[Op]] = field(default_factory=dict)
    tail: dict[Block, list[Op]] = field(default_factory=dict)
    before: dict[Op, list[Op]] = field(default_factory=dict)
    after: dict[Op, list[Op]] = field(default_factory=dict)

    def apply(self, block: Block) -> None:
        """Write them into `block` and the blocks nested in it."""
        out = [op for new in self.head.get(block, ()) for op in self._expand(new)]
        for op in block.ops:
            out += self._expand(op)
            for inner in op.blocks:
                self.apply(inner)
        block.ops = out + [op for new in self.tail.get(block, ()) for op in self._expand(new)]

    def _expand(self, op: Op) -> list[Op]:
        first = [o for new in self.before.get(op, ()) for o in self._expand(new)]
        return [*first, op, *(o for new in self.after.get(op, ()) for o in self._expand(new))]


def trip_number(b: Builder, op: Op, index: Value) -> Value:
    """How many iterations of the `for` loop `op` ran before the one with this index."""
    start, step = op.value("start"), op.value("step")
    c = constant(step)
    if c == 1:
        return b.sub(index, start)
    if c == -1:
        return b.sub(start, index)
    return b.binary("floordiv", b.sub(index, start), step)


class Saver:
    """Adds saving to a forward program."""

    def __init__(self, memory: Memory, table: Table, cells: Cells) -> None:
        self.memory = memory
        self.cells = cells
        self.table = table
        self.insert = Insertions()
        self.home = memory.home
        self.block_of = memory.block_of
        self._buffers: dict[Value, Value] = {}
        self._bases: dict[Op, Value] = {}
        self._moved: dict[tuple[Op, Value], Value | None] = {}
        self._bound: set[Value] = set()

    def spec(self, name: str) -> OpSpec:
        return self.table.by_name[name].spec

    def _write(self, where: list[Op], home: Block, made: Block) -> None:
        where += made.ops
        for op in made.ops:
            self.block_of[op] = home
            for r in op.results:
                self.home[r] = home

    def before(self, op: Op, made: Block) -> None:
        """Put the operations of `made` before `op`."""
        self._write(self.insert.before.setdefault(op, []), self.block_of[op], made)

    def after_definition(self, v: Value, made: Block) -> None:
        """Put the operations of `made` where `v` has just been defined."""
        home = self.home[v]
        if v.op is None:
            self._write(self.insert.head.setdefault(home, []), home, made)
        else:
            self._write(self.insert.after.setdefault(v.op, []), home, made)

    def snapshot(self, v: Value, op: Op) -> Value:
        """A copy of the array `v` as it is when `op` runs."""
        made = Block()
        copy = Builder(made, op.loc).one(self.spec("np.copy"), {"a": v}, self._defaults("np.copy"), hint=v.hint)
        if v in op.results:
            self.after_definition(v, made)
        else:
            self.before(op, made)
        return copy

    def _defaults(self, name: str) -> dict[str, object]:
        return self.spec(name).defaults

    # Branches.

    def export(self, v: Value, op: Op, block: Block, in_loop: bool) -> Value:
        """`v`, defined in `block` of the branch (or `with`) `op`, as one more result of `op`.

        Where the other branch ran, nobody reads it; in a loop it is saved all the same, and so needs
        some value there.
        """
        result = Value(v.type, v.hint, op)
        op.results.append(result)
        self.home[result] = self.block_of[op]
        for inner in op.blocks:
            inner.results.append(v if inner is block else self._nothing(inner, v.type, in_loop))
        return result

    def _nothing(self, block: Block, t: Type, in_loop: bool) -> Value:
        made = Block()
        value = self._something(Builder(made), t) if in_loop else Builder(made).undefined(t)
        self._at_end(block, made)
        return value

    def _at_end(self, block: Block, made: Block) -> None:
        self._write(self.insert.tail.setdefault(block, []), block, made)

    def _something(self, b: Builder, t: Type) -> Value:
        """A value that can be saved, and that nobody reads."""
        if isinstance(t, Scalar):
            return b.const(0, t)
        if isinstance(t, List):
            return b.one("list", {"elements": ()}, {"type": t})
        if not isinstance(t, Array):
            return b.undefined(t)
        value = self._empty(b, t.dtype, [b.int(0)] * t.ndim, "")
        value.type = t
        return value

    def _bind(self, v: Value) -> None:
        """Something in the place of what is not bound, wherever `v`, which is saved, may come from there."""
        if v in self._bound:
            return
        self._bound.add(v)
        if v.op is None and v not in self.home:
            return  # taken from around the function
        owner = v.op if v.op is not None else self.memory.owner.get(self.home[v])
        if owner is None or owner.name not in (*LOOPS, "if", "with"):
            return
        if owner.name in LOOPS:
            inits = list(owner.values("init"))
            values = owner.results if v.op is not None else self.home[v].params[len(self.home[v].params) - len(inits):]
            k = values.index(v) if v in values else -1
            if not 0 <= k < len(inits):
                return
            inits[k] = self._bound_value(inits[k], partial(self.before, owner))
            owner.args["init"] = tuple(inits)
        else:
            k = owner.results.index(v)
        for block in owner.blocks if owner.name not in LOOPS else owner.blocks[-1:]:
            block.results[k] = self._bound_value(block.results[k], partial(self._at_end, block))

    def _bound_value(self, v: Value, place: Callable[[Block], None]) -> Value:
        """`v`, or, where that is not bound, something that `place` puts into the program."""
        if v.op is None or v.op.name != "undefined":
            self._bind(v)
            return v
        made = Block()
        value = self._something(Builder(made), v.type)
        place(made)
        return value

    def _empty(self, b: Builder, dtype: str, shape: Sequence[Value], hint: str) -> Value:
        attrs = {**self._defaults("np.empty"), "dtype": dtype}
        return b.one(self.spec("np.empty"), {"shape": tuple(shape)}, attrs, hint)

    # Buffers, over the iterations of loops.

    def buffer(self, v: Value, loops: Sequence[Op]) -> Value | None:
        """A buffer with a cell for `v` in each iteration of `loops` (inside out), and the stores to it.

        None where the size is not known before the outermost of the loops.
        """
        if v in self._buffers:
            return self._buffers[v]
        if not isinstance(v.type, Scalar):
            return None
        outermost = loops[-1]
        sizes = []
        for op in reversed(loops):
            n = self._trips(op, outermost)
            if n is None:
                return None
            sizes.append(n)
        made = Block()
        buffer = self._empty(Builder(made, outermost.loc), v.type.dtype, sizes, saved_name(v.hint))
        self.before(outermost, made)
        store = Block()
        b = Builder(store, v.op.loc if v.op is not None else loops[0].loc)
        index = tuple(trip_number(b, op, op.blocks[0].params[0]) for op in reversed(loops))
        b.emit("setitem", {"a": buffer, "index": index, "value": v}, {"items": ("i",) * len(index)})
        self.after_definition(v, store)
        self._bind(v)
        self._buffers[v] = buffer
        return buffer

    def _trips(self, op: Op, outermost: Op) -> Value | None:
        """How many iterations `op` makes at most, computed before `outermost`; None where that is not known."""
        if op.name != "for" or op.attrs.get("breaks"):
            return None
        bounds = [self._move(op.value(name), outermost) for name in ("start", "stop", "step")]
        if bounds[2] is None:
            return None
        gap = self.cells.linear(op.value("stop")).minus(self.cells.linear(op.value("start")))
        if bounds[0] is None and bounds[1] is None and not gap.factors:
            made = Block()
            b = Builder(made, outermost.loc)
            bounds[0], bounds[1] = b.int(0), b.int(gap.constant)
            self.before(outermost, made)
        elif (bounds[0] is None) != (bounds[1] is None):
            # Rows of a triangle: as long as the longest of them.
            up = constant(op.value("step")) == 1
            if not up and constant(op.value("step")) != -1:
                return None
            bounds[0] = bounds[0] or self._extreme(op.value("start"), outermost, largest=not up)
            bounds[1] = bounds[1] or self._extreme(op.value("stop"), outermost, largest=up)
        if any(v is None for v in bounds):
            return None
        made = Block()
        names = dict(zip(("start", "stop", "step"), [v for v in bounds if v is not None], strict=True))
        n = Builder(made, outermost.loc).one("trips", names)
        self.before(outermost, made)
        return n

    def _extreme(self, v: Value, outermost: Op, *, largest: bool) -> Value | None:
        """A number that an int inside `outermost` does not exceed (or fall below), computed before it."""
        moved = self._move(v, outermost)
        if moved is not None:
            return moved
        op = v.op
        if op is None:
            block = self.home[v]
            loop = self.memory.owner.get(block)
            if loop is None or loop.name != "for" or v is not block.params[0]:
                return None
            up = constant(loop.value("step")) == 1
            if not up and constant(loop.value("step")) != -1:
                return None
            if largest != up:
                return self._extreme(loop.value("start"), outermost, largest=largest)
            end = self._extreme(loop.value("stop"), outermost, largest=largest)
            return None if end is None else self._computed(outermost, "sub", end, 1 if up else -1)
        if op.name not in ("add", "sub"):
            return None
        x = self._extreme(op.value("x"), outermost, largest=largest)
        y = self._extreme(op.value("y"), outermost, largest=largest == (op.name == "add"))
        return None if x is None or y is None else self._computed(outermost, op.name, x, y)

    def _computed(self, outermost: Op, name: str, x: Value, y: Value | int) -> Value:
        made = Block()
        b = Builder(made, outermost.loc)
        result = b.binary(name, x, b.int(y) if isinstance(y, int) else y)
        self.before(outermost, made)
        return result

    def _move(self, v: Value, outermost: Op) -> Value | None:
        """`v`, or its equal before the loop `outermost`; None if there is none."""
        if not any(self.memory.is_inside(v, b) for b in outermost.blocks):
            return v
        key = (outermost, v)
        if key not in self._moved:
            self._moved[key] = self._moved_op(v, outermost)
        return self._moved[key]

    def _moved_op(self, v: Value, outermost: Op) -> Value | None:
        op = v.op
        if op is None or op.name not in _MOVABLE:
            return None
        args: dict[str, Value] = {}
        for name, arg in op.args.items():
            moved = self._move(arg, outermost) if isinstance(arg, Value) else None
            if moved is None:
                return None
            args[name] = moved
        made = Block()
        if op.name == "const":
            new = Builder(made, op.loc).const(op.attrs["value"], op.attrs["type"])
        else:
            new = Builder(made, op.loc).one(op.spec, args, op.attrs, v.hint)
        self.before(outermost, made)
        return new

    # Lists, where the number of values is not known.

    def growing(self, v: Value, loops: Sequence[Op]) -> tuple[Value, Value | None]:
        """A list to which `v` is appended in each iteration; and its length when the innermost loop began.

        There is no such length (it is 0) where only one loop is around `v`.
        """
        outermost = loops[-1]
        made = Block()
        saved = Builder(made, outermost.loc).one("list", {"elements": ()}, {"type": List(v.type)}, saved_name(v.hint))
        self.before(outermost, made)
        base: Value | None = None
        if len(loops) > 1:
            # All lists of one loop have the same length there.
            if loops[0] not in self._bases:
                entry = Block()
                self._bases[loops[0]] = Builder(entry, loops[0].loc).one("listlen", {"list": saved}, hint="start")
                self.before(loops[0], entry)
            base = self._bases[loops[0]]
        store = Block()
        Builder(store, loops[0].loc).emit("append", {"list": saved, "value": v})
        self.after_definition(v, store)
        self._bind(v)
        return saved, base

    def counter(self, op: Op) -> Value:
        """The number of iterations that the loop `op` made, counted while it runs."""
        start = Block()
        zero = Builder(start, op.loc).int(0)
        self.before(op, start)
        op.args["init"] = (*op.values("init"), zero)
        for block in op.blocks:
            p = Value(INT, "count")
            self.home[p] = block
            block.params.append(p)
        body = op.blocks[-1]
        made = Block()
        b = Builder(made, op.loc)
        total = b.add(body.params[-1], b.int(1))
        self._write(self.insert.tail.setdefault(body, []), body, made)
        at = len(body.results) - (1 if op.attrs.get("breaks") else 0)
        body.results.insert(at, total)
        result = Value(INT, "count", op)
        op.results.append(result)
        self.home[result] = self.block_of[op]
        return result
