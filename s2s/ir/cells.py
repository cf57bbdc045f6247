"""Which cells of an array an operation reads or writes, and whether a store may change what was read before.

A place is a box of cells of the array it belongs to: bounds, linear in loop indices and sizes, along each axis.
Two accesses meet only if the inequalities of their boxes, of the loops around them and of the order in which they
run hold together (`linear.impossible`); so it is known that

    for i in range(n):
        for j in range(i):
            acc -= L[i, j] * x[j]
        x[i] = acc / L[i, i]

changes no x[j] after it was read. What is not known to be so is taken as possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from s2s.ir.core import Block, Function, Op, Value
from s2s.ir.linear import Linear, impossible
from s2s.ir.memory import is_fresh
from s2s.ir.ops import along, constant, is_basic
from s2s.ir.types import Array, Dim, Scalar

LOOPS = ("for", "while")
# How many pairs of accesses are looked into; what is left in a program that is larger is taken to meet.
_MANY = 3000


class Structure(Protocol):
    """Where operations and values are: what `analyse.memory.Memory` and `Nesting` know."""

    home: dict[Value, Block]
    owner: dict[Block, Op | None]
    block_of: dict[Op, Block]
    order: dict[Op, int]


class Nesting:
    """The structure of a function."""

    def __init__(self, fn: Function) -> None:
        self.home: dict[Value, Block] = {}
        self.owner: dict[Block, Op | None] = {}
        self.block_of: dict[Op, Block] = {}
        self.order: dict[Op, int] = {}
        self._visit(fn.block, None)

    def _visit(self, block: Block, owner: Op | None) -> None:
        self.owner[block] = owner
        self.home.update((p, block) for p in block.params)
        for op in block.ops:
            self.order[op] = len(self.order)
            self.block_of[op] = block
            self.home.update((r, block) for r in op.results)
            for inner in op.blocks:
                self._visit(inner, op)


@dataclass(frozen=True)
class Side:
    """The cells from `low` to below `high` along an axis; None: not known. exact: `low` itself is the first."""

    low: Linear | None
    high: Linear | None = None
    exact: bool = True

    @property
    def is_point(self) -> bool:
        return self.low is not None and self.high is not None and self.high.minus(self.low) == Linear({}, 1)


@dataclass(frozen=True)
class Place:
    """A box of cells of `root`; axes: for each axis of the view, the axis of `root` it runs along (None: new)."""

    root: Value
    sides: tuple[Side, ...]
    axes: tuple[int | None, ...] = field(default=())


class Cells:
    """Places of the arrays of a function, whose parameters are `params`."""

    def __init__(self, structure: Structure, top: Block) -> None:
        self.s = structure
        self.top = top
        self.symbols = {d.symbol for p in top.params if isinstance(p.type, Array) for d in p.type.dims}
        self._places: dict[tuple[Value, Op], Place | None] = {}
        self._accessed: dict[tuple[Op, str], Place | None] = {}
        self._followed: dict[tuple[Op, Op, str, Value | None], bool] = {}
        self._facts: dict[Op, list[Linear]] = {}
        self._loops: dict[Block, tuple[Block, ...]] = {}
        self._asked = 0

    # Integers.

    def linear(self, v: Value) -> Linear:
        """An int as a linear form over loop indices, sizes and what else is not known."""
        t, op = v.type, v.op
        c = constant(v)
        if isinstance(c, int) and not isinstance(c, bool):
            return Linear({}, c)
        if not isinstance(t, Scalar) or t.dtype != "int64":
            return Linear.of(v)
        if op is not None and op.name in ("add", "sub"):
            x, y = self.linear(op.value("x")), self.linear(op.value("y"))
            return x.plus(y) if op.name == "add" else x.minus(y)
        if op is not None and op.name == "neg":
            return self.linear(op.value("x")).times(-1)
        if op is not None and op.name == "mul":
            x, y = self.linear(op.value("x")), self.linear(op.value("y"))
            if not x.factors or not y.factors:
                return y.times(x.constant) if not x.factors else x.times(y.constant)
        # Of a slice that is empty because the array is short, the type says a size below 0.
        known = self._size(t.dim) if t.dim is not None and t.dim.offset >= 0 else None
        return known or Linear.of(v)

    def _size(self, d: Dim) -> Linear | None:
        """A size that the parameters fix: within loops, other symbols may mean another number each time."""
        if d.symbol is None:
            return Linear({}, d.offset)
        return Linear({d.symbol: 1}, d.offset) if d.symbol in self.symbols else None

    def facts(self, op: Op) -> list[Linear]:
        """What is at least 0 wherever `op` runs: bounds of the loops around it, tests of branches."""
        if op not in self._facts:
            found: list[Linear] = []
            block: Block | None = self.s.block_of.get(op)
            while block is not None and (owner := self.s.owner[block]) is not None:
                if owner.name == "for":
                    found += self._bounds(owner, block)
                elif owner.name == "if":
                    found += self._test(owner.value("cond"), block is owner.blocks[0])
                block = self.s.block_of[owner]
            self._facts[op] = found
        return self._facts[op]

    def _bounds(self, loop: Op, block: Block) -> list[Linear]:
        step = constant(loop.value("step"))
        if not isinstance(step, int) or step == 0:
            return []
        i = Linear.of(block.params[0])
        start, stop = self.linear(loop.value("start")), self.linear(loop.value("stop"))
        if step > 0:
            return [i.minus(start), stop.minus(i).shifted(-1)]
        return [start.minus(i), i.minus(stop).shifted(-1)]

    def _test(self, cond: Value, holds: bool) -> list[Linear]:
        op = cond.op
        if op is None:
            return []
        if op.name == "not":
            return self._test(op.value("x"), not holds)
        if op.name == ("and" if holds else "or"):
            return self._test(op.value("x"), holds) + self._test(op.value("y"), holds)
        ints = all(isinstance(v.type, Scalar) and v.type.dtype == "int64" for v in op.operands())
        if op.name not in ("lt", "le", "gt", "ge", "eq") or not ints:
            return []
        gap = self.linear(op.value("y")).minus(self.linear(op.value("x")))
        if op.name == "eq":
            return [gap, gap.times(-1)] if holds else []
        if op.name in ("gt", "ge"):
            gap = gap.times(-1)
        strict = op.name in ("lt", "gt")
        return [gap.shifted(-strict)] if holds else [gap.times(-1).shifted(-(not strict))]

    def is_natural(self, e: Linear, at: Op) -> bool:
        """Whether `e` is known to be at least 0 where `at` runs."""
        if not e.factors:
            return e.constant >= 0
        if e.constant >= 0 and all(c > 0 and k in self.symbols for k, c in e.factors.items()):
            return True
        below = e.times(-1).shifted(-1)
        return impossible([], [*self.facts(at), *self._naturals([*self.facts(at), e]), below])

    def _naturals(self, forms: list[Linear]) -> list[Linear]:
        """The unknowns that are sizes, and so at least 0."""
        unknowns = {k for e in forms for k in e.factors}
        return [Linear.of(k) for k in unknowns if self._is_size(k)]

    def _is_size(self, k: object) -> bool:
        if isinstance(k, tuple):  # of one access, or the size of an axis
            return k[0] == "size" or self._is_size(k[0])
        if isinstance(k, Value):
            return k.op is not None and k.op.name in ("dim", "listlen", "trips")
        return k in self.symbols

    # Places.

    def place(self, v: Value, at: Op) -> Place | None:
        """The cells that the array `v` has, as `at` sees it; None where it is not known whose they are."""
        key = (v, at)
        if key not in self._places:
            self._places[key] = self._place(v, at)
        return self._places[key]

    def accessed(self, op: Op, name: str = "a") -> Place | None:
        """The cells that a load or store with an index touches; all of its argument for other operations."""
        key = (op, name)
        if key not in self._accessed:
            base = self.place(op.value(name), op)
            indexed = base is not None and "items" in op.attrs and name == "a"
            self._accessed[key] = self.indexed(base, op) if indexed and base is not None else base
        return self._accessed[key]

    def _place(self, v: Value, at: Op) -> Place | None:
        t, op = v.type, v.op
        if not isinstance(t, Array):
            return None
        if op is not None and op.spec.view is not None:
            base = self.place(op.value(op.spec.view), op)
            if base is None:
                return None
            if op.name == "getitem":
                return self.indexed(base, op)
            if op.name == "np.transpose":
                return self._transposed(base, op)
            return Place(base.root, base.sides, ())
        if not self._is_root(v):
            return None
        sides = tuple(Side(Linear(), self.extent(v, k)) for k in range(t.ndim))
        return Place(v, sides, tuple(range(t.ndim)))

    def _is_root(self, v: Value) -> bool:
        """Whether `v` is one array during each run of its block, and another one than that of any other value."""
        home = self.s.home.get(v)
        if home is None:
            return False
        return home is self.top or (v.op is not None and is_fresh(v.op))

    def extent(self, root: Value, axis: int) -> Linear:
        """The size of an axis of an array."""
        assert isinstance(root.type, Array)
        return self._size(root.type.dims[axis]) or Linear.of(("size", root, axis))

    def _transposed(self, base: Place, op: Op) -> Place:
        axes = op.attrs.get("axes")
        order = range(len(base.axes) - 1, -1, -1) if axes is None else axes
        known = base.axes and len(base.axes) == len(tuple(order))
        return Place(base.root, base.sides, tuple(base.axes[k] for k in order) if known else ())

    def indexed(self, base: Place, op: Op) -> Place:
        """The part of `base` that the index of `op` selects."""
        a = op.value("a").type
        assert isinstance(a, Array)
        if not is_basic(op.attrs["items"]) or len(base.axes) != a.ndim:
            return Place(base.root, base.sides, ())
        sides = list(base.sides)
        axes: list[int | None] = []
        for code, parts, k in along(op, base.axes):
            if k is not None and code != "e":
                whole = sides[k] == Side(Linear(), self.extent(base.root, k))
                sides[k] = self._point(sides[k], parts[0], op, whole) if code == "i" \
                    else self._slice(sides[k], code, parts, op, whole)
            if code != "i":
                axes.append(k)
        return Place(base.root, tuple(sides), tuple(axes))

    def _point(self, side: Side, index: Value, op: Op, whole: bool) -> Side:
        e = self.linear(index)
        if not e.factors and e.constant < 0:
            if not whole or side.high is None:
                return Side(side.low, side.high, False)
            cell = side.high.plus(e)
            return Side(cell, cell.shifted(1))
        if side.low is None or not side.exact or not self.is_natural(e, op):
            return Side(side.low, side.high, False)
        cell = side.low.plus(e)
        return Side(cell, cell.shifted(1))

    def _slice(self, side: Side, code: str, parts: list[Value], op: Op, whole: bool) -> Side:
        given = iter(parts)
        start, stop, step = (next(given) if flag == "1" else None for flag in code[1:])
        if step is not None and not (isinstance(constant(step), int) and constant(step) > 0):
            return Side(side.low, side.high, False)
        low, high, exact = side.low, side.high, side.exact and step is None
        if stop is not None and side.low is not None:
            e = self.linear(stop)
            if not e.factors and e.constant < 0:
                high = side.high.plus(e) if side.high is not None and whole else side.high
            elif side.exact and self.is_natural(e, op):
                high = side.low.plus(e)
        if start is not None and side.low is not None:
            e = self.linear(start)
            if not e.factors and e.constant < 0:
                low, exact = (side.high.plus(e) if side.high is not None and whole else side.low), False
            elif side.exact and self.is_natural(e, op):
                low = side.low.plus(e)
            else:
                exact = False
        return Side(low, high, exact)

    # Order.

    def loops(self, block: Block) -> tuple[Block, ...]:
        """The bodies of the loops that `block` is in, outermost first."""
        if block not in self._loops:
            owner = self.s.owner[block]
            around = () if owner is None else self.loops(self.s.block_of[owner])
            self._loops[block] = (*around, block) if owner is not None and owner.name in LOOPS else around
        return self._loops[block]

    def may_follow(self, store: Op, reader: Op, name: str = "a", value: Value | None = None) -> bool:
        """Whether `store` may change, after `reader` ran, what that read: of its argument `name`, or of `value`.

        The two are known to belong to memory that may be the same.
        """
        key = (store, reader, name, value)
        if key not in self._followed:
            read = self.place(value, reader) if value is not None else self.accessed(reader, name)
            self._followed[key] = self._may_touch(store, reader, read, 1)
        return self._followed[key]

    def may_change_in_run(self, store: Op, reader: Op, name: str = "a", value: Value | None = None) -> bool:
        """The same for a `store` after `reader` in the same run of the block that `reader` is in."""
        read = self.place(value, reader) if value is not None else self.accessed(reader, name)
        write = self.accessed(store) if store.spec.writes == "a" else None
        if read is None or write is None or read.root is not write.root or self._asked > _MANY:
            return True
        self._asked += 1
        level = len(self.loops(self.s.block_of[reader]))
        return len(self.loops(self.s.home[read.root])) > level or self._meet(store, write, reader, read, level, [])

    def may_precede(self, store: Op, reader: Op) -> bool:
        """Whether `store` may have changed, before `reader` runs, what that reads."""
        return self._may_touch(store, reader, self.accessed(reader), -1)

    def _may_touch(self, store: Op, reader: Op, read: Place | None, after: int) -> bool:
        """Whether `store` may touch cells of `read`, after `reader` (1) or before it (-1)."""
        if store.spec.writes != "a":
            return True
        write = self.accessed(store)
        if read is None or write is None or read.root is not write.root or self._asked > _MANY:
            return True
        self._asked += 1
        common = 0
        r, w = self.loops(self.s.block_of[reader]), self.loops(self.s.block_of[store])
        while common < min(len(r), len(w)) and r[common] is w[common]:
            common += 1
        inside = len(self.loops(self.s.home[read.root]))
        fresh = read.root.op is not None and is_fresh(read.root.op)
        for level in range(common):
            if level < inside:
                # Each iteration makes an array of its own.
                if not fresh:
                    return True
                continue
            order = self._later(r[level])
            if after < 0:
                order = [gap.times(-1).shifted(-2) for gap in order]
            if self._meet(store, write, reader, read, level, order):
                return True
        first, second = (reader, store) if after > 0 else (store, reader)
        return store is not reader and self._after(second, first) \
            and self._meet(store, write, reader, read, common, [])

    def may_meet(self, loop: Op, store: Op, other: Op, value: Value | None = None, *, same: bool = False) -> bool:
        """Whether `store` in one iteration of `loop` and `other` in another one may touch the same cell.

        Both are in its body; `other` touches the cells of its index, or of its argument `value`.
        same: or in the same iteration.
        """
        touched = self.place(value, other) if value is not None else self.accessed(other)
        write = self.accessed(store)
        if touched is None or write is None or touched.root is not write.root or self._asked > _MANY:
            return True
        self._asked += 1
        body = loop.blocks[0]
        level = len(self.loops(body)) - 1
        if level < len(self.loops(self.s.home[write.root])):
            return same or write.root.op is None or not is_fresh(write.root.op)
        later = self._later(body)
        if same:
            return self._meet(store, write, other, touched, level, [])
        return not later or any(self._meet(store, write, other, touched, level, [gap.times(s).shifted(s - 1)])
                                for gap in later for s in (1, -1))

    def _later(self, body: Block) -> list[Linear]:
        """That the store runs in a later iteration of a loop than the reader."""
        owner = self.s.owner[body]
        step = constant(owner.value("step")) if owner is not None and owner.name == "for" else None
        if not isinstance(step, int) or step == 0:
            return []
        gap = Linear({(body.params[0], "store"): 1, (body.params[0], "reader"): -1})
        return [gap.times(1 if step > 0 else -1).shifted(-1)]

    def _after(self, second: Op, first: Op) -> bool:
        """Whether `second` may come after `first` in one run of the innermost block that both are in."""
        chains = [list(self._chain(op)) for op in (second, first)]
        blocks = {b: o for o, b in chains[1]}
        for op, block in chains[0]:
            if block in blocks:
                other = blocks[block]
                if op is not other:
                    return self.s.order[op] > self.s.order[other]
                # In two branches of one statement: one of them runs; or in the test and the body of a loop.
                return op.name != "if"
        return True

    def _chain(self, op: Op) -> Iterator[tuple[Op, Block]]:
        while True:
            block = self.s.block_of[op]
            yield op, block
            owner = self.s.owner[block]
            if owner is None:
                return
            op = owner

    def _meet(self, store: Op, write: Place, reader: Op, read: Place, level: int, later: list[Linear]) -> bool:
        """Whether the boxes can have a cell in common, where the iterations of the first `level` loops are the same."""
        zero: list[Linear] = []
        natural = list(later)
        for op, tag in ((store, "store"), (reader, "reader")):
            natural += [self._tagged(e, tag, level) for e in self.facts(op)]
        for k, (x, y) in enumerate(zip(write.sides, read.sides, strict=True)):
            if x.is_point and y.is_point and x.low is not None and y.low is not None:
                zero.append(self._tagged(x.low, "store", level).minus(self._tagged(y.low, "reader", level)))
                continue
            cell = Linear.of(("cell", k))
            natural.append(cell)
            for side, tag in ((x, "store"), (y, "reader")):
                if side.low is not None:
                    natural.append(cell.minus(self._tagged(side.low, tag, level)))
                if side.high is not None:
                    natural.append(self._tagged(side.high, tag, level).minus(cell).shifted(-1))
        natural += self._naturals([*zero, *natural])
        return not impossible(zero, natural)

    def _tagged(self, e: Linear, tag: str, level: int) -> Linear:
        """`e` as it is for the store or for the reader: what loops define may differ."""
        if not any(isinstance(k, Value) for k in e.factors):
            return e
        return Linear({self._tag(k, tag, level): c for k, c in e.factors.items()}, e.constant)

    def _tag(self, k: object, tag: str, level: int) -> object:
        if not isinstance(k, Value):
            return k
        home = self.s.home.get(k)
        if home is not None and len(self.loops(home)) <= level:
            return k
        return (k, tag)

