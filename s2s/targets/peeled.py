"""Gathering by peeling: the iterations at the ends of each loop are taken off, and the rest add to each cell once.

    for i in range(n):                   if n > 0:
        x_bar[i] += u(i)                     x_bar[0] += u(0)
        x_bar[i + 1] += v(i)                 for i in range(n - 1):
                                                 x_bar[i + 1] += u(i + 1) + v(i)
                                             x_bar[n] += v(n - 1)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2s.ir.builder import Builder
from s2s.ir.core import Block, Op, Value
from s2s.ir.types import INT, Array, Scalar
from s2s.targets.stencil import Addition, Index, bounds, copy


class Peeled:
    """Writes a nest in pieces: for each loop the peeled beginning, all in the middle, and the peeled end.

    fills: the memory that is added to is zero so far, and becomes what it is by this nest alone: the first
    addition to each cell stores.
    """

    def __init__(self, nest: Sequence[Op], additions: Sequence[Addition], *, fills: bool = False) -> None:
        self.fills = fills
        self.nest = nest
        self.additions = additions
        self.body = nest[-1].blocks[0]
        self.scope = [op for loop in nest for op in loop.blocks[0].ops if not op.blocks]
        self.far = [max(a.shifts[m] for a in additions) for m in range(len(nest))]
        self.made = Block()
        self.b = Builder(self.made, nest[0].loc, nest[0].origin)
        self.starts: list[Value] = []
        self.lengths: list[Value] = []

    def write(self) -> list[Op]:
        """The operations that stand for the nest."""
        b = self.b
        self.starts, self.lengths = bounds(b, self.nest)
        # With fewer iterations than that, those that are peeled off at the beginning and at the end would be the same.
        tests = [b.binary("gt", n, b.int(far - 1)) for n, far in zip(self.lengths, self.far, strict=True) if far]
        enough = tests[0]
        for test in tests[1:]:
            enough = b.binary("and", enough, test)
        pieces, few = Block(), Block()
        with b.at(pieces):
            self._level(0, {a: {} for a in self.additions})
        with b.at(few):
            if self.fills:
                a = self.additions[0].op.value("a")
                assert isinstance(a.type, Array)
                zero = b.const(0, Scalar(a.type.dtype, a.type.dtype == "float64"))
                b.emit("setitem", {"a": a, "index": (), "value": zero}, {"items": ("e",)})
            if max(self.far) > 1:  # else there are none
                self._plain(0, [a.op for a in self.additions], {}, edge=True)
        b.region("if", {"cond": enough}, [pieces, few], [])
        stores = [op for op in self.body.ops if op.name == "setitem"]
        if stores:
            self._plain(0, stores, {})
        return self.made.ops

    def _for(self, m: int, count: Value, *, edge: bool = False) -> tuple[Block, Value]:
        """A loop that counts from 0, in the place of the `m`-th of the nest: its body and its index.

        edge: it does what is left beside the middle, or everything where there is no middle.
        """
        body = Block([Value(INT, self.nest[m].blocks[0].params[0].hint)])
        self.b.region("for", {"start": self.b.int(0), "stop": count, "step": self.b.int(1), "init": ()}, [body], [],
                      {"breaks": False, "edge": edge})
        return body, body.params[0]

    def _number(self, m: int, number: Value) -> Index:
        """The index of the `m`-th loop in the iteration with this number."""
        return {self.nest[m].blocks[0].params[0]: self.b.add(number, self.starts[m])}

    def _level(self, m: int, index: dict[Addition, Index]) -> None:
        """The loops from the `m`-th on; `index`: for each addition, what the indices of those around are."""
        if m == len(self.nest):
            self._cells(index)
            return
        b, far, length = self.b, self.far[m], self.lengths[m]
        shifts = sorted({a.shifts[m] for a in index})
        for s in shifts:
            self._few(m, {a: i for a, i in index.items() if a.shifts[m] == s}, b.int(0), far - s, first=s == 0)
        body, i = self._for(m, b.sub(length, b.int(far)))
        with b.at(body):
            at = {s: self._number(m, b.add(i, b.int(far - s))) for s in shifts}
            self._level(m + 1, {a: {**known, **at[a.shifts[m]]} for a, known in index.items()})
        for s in reversed(shifts):
            self._few(m, {a: i for a, i in index.items() if a.shifts[m] == s}, b.sub(length, b.int(s)), s,
                      first=s == far)

    def _few(self, m: int, index: dict[Addition, Index], start: Value, count: int, *, first: bool) -> None:
        """A few iterations of the `m`-th loop, for some of the additions, and all of the loops inside it.

        first: no others add to these cells before.
        """
        if not count:
            return
        groups: dict[tuple[int, ...], list[Addition]] = {}
        for a in index:
            groups.setdefault(a.shifts[:m], []).append(a)
        for some in groups.values():
            known, ops = index[some[0]], [a.op for a in some]
            stored = some[0].op if first and self.fills else None
            if count == 1:
                self._plain(m + 1, ops, {**known, **self._number(m, start)}, stored, edge=True)
                continue
            body, i = self._for(m, self.b.int(count), edge=True)
            with self.b.at(body):
                self._plain(m + 1, ops, {**known, **self._number(m, self.b.add(start, i))}, stored, edge=True)

    def _plain(self, m: int, ops: Sequence[Op], index: Index, stored: Op | None = None, *, edge: bool = False) -> None:
        """The loops from the `m`-th on as they were, for some of the stores; `stored` is no addition but a store."""
        if m == len(self.nest):
            copy(self.b, self.scope, ops, [], dict(index), stored)
            return
        body, i = self._for(m, self.lengths[m], edge=edge)
        with self.b.at(body):
            self._plain(m + 1, ops, {**index, **self._number(m, i)}, stored, edge=edge)

    def _cells(self, index: dict[Addition, Index]) -> None:
        """All that is added to a cell, at once."""
        b = self.b
        cells: dict[Any, list[tuple[Addition, Index]]] = {}
        known: dict[tuple[int, ...], Index] = {}
        for a, indices in index.items():
            mapping = known.setdefault(a.shifts, indices)
            copy(b, self.scope, [], list(a.op.operands()), mapping)
            cells.setdefault(a.cell, []).append((a, mapping))
        for members in cells.values():
            a, mapping = members[0]
            total: Value | None = None
            b.loc, b.origin = a.op.loc, a.op.origin
            for v in (found.get(o.op.value("value"), o.op.value("value")) for o, found in members):
                total = v if total is None else b.add(total, v)
            assert total is not None
            b.emit("setitem" if self.fills else "additem", {
                "a": a.op.value("a"), "index": tuple(mapping.get(v, v) for v in a.op.values("index")), "value": total,
            }, a.op.attrs)
        b.loc, b.origin = self.nest[0].loc, self.nest[0].origin
