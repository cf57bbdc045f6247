"""Gathering of nests by rows: what an outer iteration would add is kept in a row with zeros at its ends.

    for i in range(n):                   rows = np.zeros((2, m + 2))
        for j in range(m):               for i in range(n + 1):
            t = u(i, j)                      row, row1 = i % 2, (i + 1) % 2
            x_bar[i, j] += t                 for j in range(m):
            x_bar[i, j + 1] += t                 rows[row, j + 1] = u(i, j) if i < n else 0.0
            x_bar[i + 1, j] += t             for j in range(m + 1):
                                                 x_bar[i, j] += rows[row, j + 1] + rows[row, j] + rows[row1, j + 1]

As many rows as may still be needed; in three dimensions, planes. All is computed once and in its order, no cell is
special, and every loop inside is vectorised.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

from s2s.ir.builder import Builder
from s2s.ir.core import Block, Op, Value
from s2s.ir.linear import Linear
from s2s.ir.memory import is_memory
from s2s.ir.ops import constant
from s2s.ir.types import INT, Array, Scalar
from s2s.rules import TABLE
from s2s.simplify.ascending import Order
from s2s.targets.stencil import Addition, Index, bounds, copy

# For how many numbers of an iteration there may be rows.
_MANY = 3


def delayed(nest: Sequence[Op], additions: Sequence[Addition], order: Order) -> list[Op] | None:
    """The operations that stand for a nest; None where it would need too many rows, or there are few ends to peel.

    Those are few where the cells that an iteration adds to follow each other along one loop alone.
    """
    moved = _moved(additions)
    along = max(len({m for a in moved if a.cell == cell for m, s in enumerate(a.shifts) if s})
                for cell in {a.cell for a in moved})
    body = nest[-1].blocks[0]
    added = {order.memory.of(a.op.value("a")) for a in moved}
    if along < 2 or any(
            order.memory.of(v) in added for op in body.ops if op.name != "additem"
            for v in op.operands() if is_memory(v.type)):
        return None
    same = _same(body, order)
    kept = _kept(body, moved, same)
    return _Writer(nest, moved, kept, same, order).write() if len(kept) <= _MANY else None


def _moved(additions: Sequence[Addition]) -> list[Addition]:
    """Those that other iterations add to the same cells."""
    far = {a.cell for a in additions if any(a.shifts)}
    return [a for a in additions if a.cell in far]


def _same(body: Block, order: Order) -> Index:
    """Loads of a cell that was loaded before, in an iteration that does not change it: the first one."""
    changed = {order.memory.of(op.value("a")) for op in body.ops if op.name == "setitem"}
    first: dict[Any, Value] = {}
    same: Index = {}
    for op in body.ops:
        if op.name == "getitem" and order.memory.of(op.value("a")) not in changed:
            index = [order.cells.linear(v) for v in op.values("index")]
            cell = (op.value("a"), *((frozenset(e.factors.items()), e.constant) for e in index))
            same[op.result] = first.setdefault(cell, op.result)
    return same


def _kept(body: Block, moved: Sequence[Addition], same: Index) -> list[Value]:
    """The numbers from which all that is added follows, as 0 from 0: as few as possible."""
    values = list(dict.fromkeys(same.get(v, v) for v in (a.op.value("value") for a in moved)))
    inside = set(body.ops)
    sources = list(dict.fromkeys(same.get(s, s) for v in values for s in _sources(v, inside)))
    return sources if len(sources) < len(values) else values


def _sources(v: Value, inside: Collection[Op]) -> list[Value]:
    """What `v` is a sum of multiples of."""
    op = v.op
    if op is not None and op in inside:
        if op.name == "neg":
            return _sources(op.value("x"), inside)
        if op.name in ("add", "sub") and not any(_is_number(op.value(name)) for name in "xy"):
            return _sources(op.value("x"), inside) + _sources(op.value("y"), inside)
        if op.name == "mul":
            for name, other in ("xy", "yx"):
                if _is_number(op.value(name)):
                    return _sources(op.value(other), inside)
    return [v]


def _is_number(v: Value) -> bool:
    c = constant(v)
    return isinstance(c, int | float) and math.isfinite(c)


class _Writer:
    """kept: for each number that rows are for, its rows. same: what is one of them, too."""

    def __init__(self, nest: Sequence[Op], moved: Sequence[Addition], kept: Sequence[Value], same: Index,
                 order: Order) -> None:
        self.nest = nest
        self.moved = moved
        self.same = same
        self.order = order
        self.scope = [op for loop in nest for op in loop.blocks[0].ops if not op.blocks]
        gone = {a.op for a in moved}
        self.rest = [op for op in nest[-1].blocks[0].ops if op.name in ("setitem", "additem") and op not in gone]
        self.far = [max(a.shifts[m] for a in moved) for m in range(len(nest))]
        self.made = Block()
        self.b = Builder(self.made, nest[0].loc, nest[0].origin)
        self.values = kept
        self.kept: dict[Value, Value] = {}
        self.starts: list[Value] = []
        self.lengths: list[Value] = []

    def write(self) -> list[Op]:
        """The operations that stand for the nest."""
        b = self.b
        self.starts, self.lengths = bounds(b, self.nest)
        tests = self._tests()
        if not tests:
            self._all()
            return self.made.ops
        some = tests[0]
        for test in tests[1:]:
            some = b.binary("and", some, test)
        inside = Block()
        with b.at(inside):
            self._all()
        b.region("if", {"cond": some}, [inside, Block()], [])
        return self.made.ops

    def _tests(self) -> list[Value]:
        """What has to hold for the cells to be there: that the nest runs at all, where it is not known of them."""
        if all(self._is_inside(a, m) for a in self.moved for m in range(len(self.nest))):
            return []
        known = [self._length(m) for m in range(len(self.nest))]
        return [self.b.binary("gt", n, self.b.int(0)) for m, n in enumerate(self.lengths) if known[m] not in known[:m]]

    def _length(self, m: int) -> Linear:
        linear = self.order.cells.linear
        return linear(self.nest[m].value("stop")).minus(linear(self.nest[m].value("start")))

    def _is_inside(self, a: Addition, m: int) -> bool:
        """Whether the cells that the `m`-th loop adds to are there also if it never runs."""
        cells, first = self.order.cells, self.nest[0]
        length, index = self._length(m), self.nest[m].blocks[0].params[0]
        if m and not cells.is_natural(length.shifted(2 * self.far[m]), first):
            return False  # no size of a row
        for axis, v in enumerate(a.op.values("index")):
            e = cells.linear(v)
            if index in e.factors:
                low = Linear({k: c for k, c in e.factors.items() if k is not index}, e.constant - a.shifts[m]).plus(
                    cells.linear(self.nest[m].value("start")))
                high = low.plus(length).shifted(self._far(a)[m])
                room = cells.extent(a.op.value("a"), axis).minus(high)
                return cells.is_natural(low, first) and cells.is_natural(room, first)
        return True

    def _far(self, a: Addition) -> tuple[int, ...]:
        """How far the cells are apart to which one iteration adds as `a` does."""
        return tuple(max(o.shifts[m] for o in self.moved if o.cell == a.cell) for m in range(len(self.nest)))

    def _all(self) -> None:
        """The rows, and the loop that fills and reads them."""
        b, far, length = self.b, self.far, self.lengths
        count = far[0] + 1
        for v in self.values:
            shape = [b.int(count)] if far[0] else []
            shape += [b.add(n, b.int(2 * f)) for n, f in zip(length[1:], far[1:], strict=True)]
            self.kept[v] = self._zeros(v, shape)
        reaches: dict[tuple[int, ...], list[Addition]] = {}
        for a in self.moved:
            reaches.setdefault(self._far(a), []).append(a)
        body, i = self._for(0, b.add(length[0], b.int(far[0])))
        with b.at(body):
            # The rows of this iteration, of the one before it, and so on.
            rows = [b.binary("mod", b.add(i, b.int((count - s) % count)), b.int(count), "row")
                    for s in range(count)] if far[0] else []
            if far[0]:
                first, last = Block(), Block()
                with b.at(first):
                    self._fill(i, rows[:1])
                with b.at(last):
                    self._clear(rows[:1])
                b.region("if", {"cond": b.binary("lt", i, length[0])}, [first, last], [])
            else:
                self._fill(i, [])
            for reach, members in reaches.items():
                if reach[0] == far[0]:
                    self._cells([i], reach, members, rows)
                    continue
                inside = Block()
                with b.at(inside):
                    self._cells([i], reach, members, rows)
                b.region("if", {"cond": b.binary("lt", i, b.add(length[0], b.int(reach[0])))}, [inside, Block()], [])

    def _zeros(self, v: Value, shape: Sequence[Value]) -> Value:
        added = self.moved[0].op.value("a").type
        assert isinstance(added, Array) and isinstance(v.type, Scalar)
        dtype = added.dtype if v.type.weak else v.type.dtype
        spec = TABLE.by_name["np.zeros"].spec
        hint = "rows" if len(self.nest) == 2 else "planes"
        return self.b.one(spec, {"shape": tuple(shape)}, {**spec.defaults, "dtype": dtype}, hint)

    def _for(self, m: int, count: Value) -> tuple[Block, Value]:
        """A loop that counts from 0, in the place of the `m`-th of the nest: its body and its index."""
        body = Block([Value(INT, self.nest[m].blocks[0].params[0].hint)])
        self.b.region("for", {"start": self.b.int(0), "stop": count, "step": self.b.int(1), "init": ()}, [body], [],
                      {"breaks": False})
        return body, body.params[0]

    def _numbers(self, numbers: Sequence[Value]) -> Index:
        """The indices in the iteration with these numbers."""
        return {loop.blocks[0].params[0]: self.b.add(number, start)
                for loop, number, start in zip(self.nest, numbers, self.starts, strict=True)}

    def _fill(self, i: Value, row: Sequence[Value], numbers: Sequence[Value] = ()) -> None:
        """What is left of an outer iteration: it keeps what it would have added elsewhere."""
        m = len(numbers) + 1
        if m < len(self.nest):
            body, j = self._for(m, self.lengths[m])
            with self.b.at(body):
                self._fill(i, row, [*numbers, j])
            return
        mapping = self._numbers([i, *numbers])
        copy(self.b, self.scope, self.rest, list(self.kept), mapping)
        for v in self.kept:
            self._store(v, row, numbers, mapping.get(v, v))

    def _clear(self, row: Sequence[Value], numbers: Sequence[Value] = ()) -> None:
        """After the last iteration, nothing is added by any."""
        m = len(numbers) + 1
        if m < len(self.nest):
            body, j = self._for(m, self.lengths[m])
            with self.b.at(body):
                self._clear(row, [*numbers, j])
            return
        for v, rows in self.kept.items():
            assert isinstance(rows.type, Array)
            zero = self.b.const(0, Scalar(rows.type.dtype, rows.type.dtype == "float64"))
            self._store(v, row, numbers, zero)

    def _store(self, v: Value, row: Sequence[Value], numbers: Sequence[Value], value: Value) -> None:
        index = (*row, *(self.b.add(j, self.b.int(f)) for j, f in zip(numbers, self.far[1:], strict=True)))
        self.b.emit("setitem", {"a": self.kept[v], "index": index, "value": value}, {"items": ("i",) * len(index)})

    def _cells(self, numbers: Sequence[Value], reach: tuple[int, ...], members: Sequence[Addition],
               rows: Sequence[Value]) -> None:
        """All that is added to the cells that are that far apart."""
        m = len(numbers)
        if m < len(self.nest):
            body, j = self._for(m, self.b.add(self.lengths[m], self.b.int(reach[m])))
            with self.b.at(body):
                self._cells([*numbers, j], reach, members, rows)
            return
        b = self.b
        cells: dict[Any, list[Addition]] = {}
        for a in members:
            cells.setdefault(a.cell, []).append(a)
        loaded: dict[tuple[int, ...], Index] = {}
        for some in cells.values():
            op = some[0].op
            b.loc, b.origin = op.loc, op.origin
            total: Value | None = None
            for a in some:
                value = self._value(a.op.value("value"), loaded.setdefault(a.shifts, {}), a.shifts, numbers, rows)
                total = value if total is None else b.add(total, value)
            assert total is not None
            shifted = [b.add(j, b.int(-s)) for j, s in zip(numbers, some[0].shifts, strict=True)]
            mapping = self._numbers(shifted)
            copy(b, self.scope, [], op.values("index"), mapping)
            b.emit("additem", {"a": op.value("a"), "index": tuple(mapping.get(v, v) for v in op.values("index")),
                               "value": total}, op.attrs)
        b.loc, b.origin = self.nest[0].loc, self.nest[0].origin

    def _value(self, v: Value, loaded: Index, shifts: tuple[int, ...], numbers: Sequence[Value],
               rows: Sequence[Value]) -> Value:
        """`v` as it was that many iterations before."""
        b, v = self.b, self.same.get(v, v)
        if v not in loaded:
            if v in self.kept:
                index = [rows[shifts[0]]] if rows else []
                index += [b.add(j, b.int(f - s)) for j, f, s in zip(numbers[1:], self.far[1:], shifts[1:], strict=True)]
                loaded[v] = b.one("getitem", {"a": self.kept[v], "index": tuple(index)}, {"items": ("i",) * len(index)})
            elif v.op is not None and v.op in self.scope and v.op.name != "const":
                args = {n: self._value(u, loaded, shifts, numbers, rows) for n, u in v.op.args.items()
                        if isinstance(u, Value)}
                loaded[v] = b.one(v.op.spec, args, v.op.attrs, v.hint)
            elif v.op is not None and v.op.name == "const":
                loaded[v] = b.const(constant(v), v.type)
            else:
                loaded[v] = v
        return loaded[v]
