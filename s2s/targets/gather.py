"""Target cpu: loops that add to neighbouring cells, so that each iteration adds to one.

    for i in range(n):                   if n > 1:
        x_bar[i] += u(i)                     x_bar[0] += u(0)
        x_bar[i + 1] += v(i)                 for i in range(n - 1):
                                                 x_bar[i + 1] += u(i + 1) + v(i)
                                             x_bar[n] += v(n - 1)

No iteration waits for what the one before it stored, and the loop is vectorised. What an iteration adds to the
cell at i + k is added by the iteration that adds to that cell anyway; those at the ends are peeled off (J. Hückelheim,
N. Kukreja, S. Narayanan, F. Luporini, G. Gorman, P. Hovland: "Automatic Differentiation for Adjoint Stencil Loops",
ICPP 2019). Only where the iterations may run in any order, and what they add is cheap enough to be computed twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from s2s.ir.builder import Builder
from s2s.ir.core import Arg, Block, Function, Op, Value, clone_function, clone_op, walk
from s2s.ir.linear import Linear
from s2s.ir.memory import is_memory
from s2s.ir.ops import SPECS, constant
from s2s.ir.types import INT, Array, Scalar
from s2s.rules import TABLE
from s2s.simplify.ascending import Order

# What may be computed more than once: each operation, and all together.
_COSTLY = 6
_TOTAL = 60
# How far apart the cells of one iteration may be.
_FAR = 4
_EMPTY = {"np.zeros_like": "np.empty_like", "np.zeros": "np.empty"}
# What bounds of inner loops are computed with.
_BOUNDS = frozenset({"const", "dim", "add", "sub"})


def gather(fn: Function) -> Function:
    """`fn` with additions to neighbouring cells gathered."""
    if sum(op.name == "additem" for op in walk(fn.block)) < 2:
        return fn
    new, _ = clone_function(fn)
    _block(new.block, Order(new))
    return new


def _block(block: Block, order: Order) -> None:
    ops: list[Op] = []
    for op in block.ops:
        plan = _plan(op, order)
        if plan is None:
            for inner in op.blocks:
                _block(inner, order)
            ops.append(op)
        else:
            made = _zeros(ops, op, plan[1], order)
            if made is not None:
                made.spec = TABLE.by_name[_EMPTY[made.name]].spec
            ops += _Writer(*plan, fills=made is not None).write()
    block.ops = ops


def _zeros(before: Sequence[Op], loop: Op, additions: Sequence[_Addition], order: Order) -> Op | None:
    """What makes the zeros to whose cells `loop`, and nothing before it, adds: to each one, without exception."""
    a = additions[0].op.value("a")
    made = a.op
    if len({x.cell for x in additions}) > 1 or len(additions[0].shifts) > 1 or made not in before \
            or made is None or made.name not in _EMPTY or not isinstance(a.type, Array) or a.type.ndim > 1:
        return None
    later = before[before.index(made) + 1:]
    if any(order.memory.of(v) is order.memory.of(a) for o in later for v in _read(o) if is_memory(v.type)):
        return None
    cells = order.cells
    index = loop.blocks[0].params[0]
    reached = [cells.linear(x.op.values("index")[0]) for x in additions]
    first = min(e.constant for e in reached)
    low = Linear({k: c for k, c in reached[0].factors.items() if k is not index}, first).plus(
        cells.linear(loop.value("start")))
    high = low.minus(cells.linear(loop.value("start"))).plus(cells.linear(loop.value("stop")))
    far = max(e.constant for e in reached) - first
    size = cells.extent(a, 0)
    return made if low == Linear() and high.shifted(far) == size else None


def _read(op: Op) -> Iterator[Value]:
    yield from op.operands()
    for inner in op.blocks:
        yield from inner.results
        for o in inner.ops:
            yield from _read(o)


@dataclass(frozen=True)
class _Addition:
    """An addition in a nest of loops, that is done `shifts` iterations later. cell: equal where cells then are."""

    op: Op
    shifts: tuple[int, ...]
    cell: Any


def _plan(op: Op, order: Order) -> tuple[list[Op], list[_Addition]] | None:
    """A nest of loops and its additions; None where gathering does not pay or is not known to be right."""
    nest = _nest(op)
    if not nest:
        return None
    body = nest[-1].blocks[0]
    found: dict[Any, list[tuple[Op, list[int]]]] = {}
    for o in body.ops:
        if o.name == "additem":
            if o.origin is None:
                return None  # what the function itself computes is added up in its order
            place = _place(o, [loop.blocks[0].params[0] for loop in nest], order)
            if place is None:
                return None
            found.setdefault(place[0], []).append((o, place[1]))
    additions = []
    for cell, members in found.items():
        nearest = [min(ahead) for ahead in zip(*(ahead for _, ahead in members), strict=True)]
        additions += [_Addition(o, tuple(x - y for x, y in zip(ahead, nearest, strict=True)), cell)
                      for o, ahead in members]
    far = max((s for a in additions for s in a.shifts), default=0)
    if not 0 < far <= _FAR or not _is_cheap(body, additions) or not _is_apart(body, order):
        return None
    return (nest, additions) if all(order.is_free(loop) for loop in nest) else None


def _nest(op: Op) -> list[Op]:
    """The loops, each alone in the one around it, with the bounds of all known before the first; none if it is none."""
    nest: list[Op] = []
    while True:
        if op.name != "for" or constant(op.value("step")) != 1 or op.values("init") or op.attrs.get("breaks"):
            return []
        nest.append(op)
        body = op.blocks[0]
        inner = [o for o in body.ops if o.blocks]
        if not inner:
            ok = all(_is_simple(o) for o in body.ops)
            return nest if ok and all(_is_before(v, nest) for loop in nest for v in loop.operands()) else []
        if len(inner) > 1 or any(o.name not in _BOUNDS for o in body.ops if o is not inner[0]):
            return []
        op = inner[0]


def _is_before(v: Value, nest: Sequence[Op]) -> bool:
    """Whether a bound does not depend on the indices of the nest."""
    if any(v is loop.blocks[0].params[0] for loop in nest):
        return False
    inside = v.op is not None and any(v.op in loop.blocks[0].ops for loop in nest)
    return not inside or (v.op is not None and v.op.name in _BOUNDS
                          and all(_is_before(u, nest) for u in v.op.operands()))


def _is_simple(op: Op) -> bool:
    if op.name in ("setitem", "additem"):
        return set(op.attrs["items"]) == {"i"} and isinstance(op.value("value").type, Scalar)
    return op.spec.pure and op.name != "call" and all(isinstance(r.type, Scalar) for r in op.results)


def _place(op: Op, indices: Sequence[Value], order: Order) -> tuple[Any, list[int]] | None:
    """Which cells an addition goes along, and how far it is ahead of each loop index."""
    ahead: list[int | None] = [None] * len(indices)
    rest: list[Any] = []
    for v in op.values("index"):
        e = order.cells.linear(v)
        along = [m for m, i in enumerate(indices) if i in e.factors]
        if not along:
            if any(_depends(v, i) for i in indices):
                return None
            rest.append((None, frozenset(e.factors.items()), e.constant))
            continue
        m = along[0]
        others = Linear({k: c for k, c in e.factors.items() if k is not indices[m]})
        if len(along) > 1 or e.factors[indices[m]] != 1 or ahead[m] is not None \
                or any(isinstance(k, Value) and _depends(k, i) for k in others.factors for i in indices):
            return None
        ahead[m] = e.constant
        rest.append((m, frozenset(others.factors.items())))
    return (op.value("a"), *rest), [d or 0 for d in ahead]


def _depends(v: Value, index: Value) -> bool:
    """Whether a number is computed from the loop index."""
    return v is index or (v.op is not None and any(_depends(u, index) for u in v.op.operands()))


def _is_cheap(body: Block, additions: Sequence[_Addition]) -> bool:
    shifts = {a.shifts for a in additions}
    costs = {op: op.spec.cost for a in additions for op in _computing(body.ops, [a.op.value("value")])}
    return max(costs.values(), default=0) <= _COSTLY and sum(costs.values()) * (len(shifts) - 1) <= _TOTAL


def _computing(ops: Sequence[Op], values: Sequence[Value]) -> list[Op]:
    """The operations among `ops` that compute `values`, in order."""
    inside = set(ops)
    found: set[Op] = set()
    work = [v.op for v in values if v.op in inside]
    while work:
        op = work.pop()
        if op is not None and op not in found:
            found.add(op)
            work += [v.op for v in op.operands() if v.op in inside]
    return [op for op in ops if op in found]


def _is_apart(body: Block, order: Order) -> bool:
    """Whether all additions can come first: nothing else touches what they change, and no store what they read."""
    memory = order.memory
    adding = [op for op in body.ops if op.name == "additem"]
    added = {memory.of(op.value("a")) for op in adding}
    stored: set[Value] = set()
    sources = set(_computing(body.ops, [v for op in adding for v in op.operands()]))
    for op in body.ops:
        if op.name == "additem":
            continue
        touched = {memory.of(v) for v in op.operands() if is_memory(v.type)}
        if touched & added or (op in sources and touched & stored):
            return False
        if op.name == "setitem":
            stored.add(memory.of(op.value("a")))
    return True


Index = dict[Value, Value]


class _Writer:
    """Writes a nest in pieces: for each loop the peeled beginning, all in the middle, and the peeled end.

    fills: the memory that is added to is zero so far, and becomes what it is by this nest alone: the first
    addition to each cell stores.
    """

    def __init__(self, nest: Sequence[Op], additions: Sequence[_Addition], *, fills: bool = False) -> None:
        self.fills = fills
        self.nest = nest
        self.additions = additions
        self.body = nest[-1].blocks[0]
        self.scope = [op for loop in nest for op in loop.blocks[0].ops if not op.blocks]
        self.far = [max(a.shifts[m] for a in additions) for m in range(len(nest))]
        self.made = Block()
        self.b = Builder(self.made, nest[0].loc, nest[0].origin)
        self.known: Index = {}
        self.starts: list[Value] = []
        self.lengths: list[Value] = []

    def write(self) -> list[Op]:
        """The operations that stand for the nest."""
        b = self.b
        for loop in self.nest:
            self.starts.append(self._before(loop.value("start")))
            self.lengths.append(b.sub(self._before(loop.value("stop")), self.starts[-1]))
        tests = [b.binary("gt", n, b.int(far)) for n, far in zip(self.lengths, self.far, strict=True) if far]
        enough = tests[0]
        for test in tests[1:]:
            enough = b.binary("and", enough, test)
        pieces, whole = Block(), Block()
        with b.at(pieces):
            self._level(0, {a: {} for a in self.additions})
        with b.at(whole):
            if self.fills:
                a = self.additions[0].op.value("a")
                assert isinstance(a.type, Array)
                zero = b.const(0, Scalar(a.type.dtype, a.type.dtype == "float64"))
                b.emit("setitem", {"a": a, "index": (), "value": zero}, {"items": ("e",)})
            self._plain(0, [a.op for a in self.additions], {}, edge=True)
        b.region("if", {"cond": enough}, [pieces, whole], [])
        stores = [op for op in self.body.ops if op.name == "setitem"]
        if stores:
            self._plain(0, stores, {})
        return self.made.ops

    def _before(self, v: Value) -> Value:
        """A bound, computed before the nest."""
        if v.op is None or not any(v.op in loop.blocks[0].ops for loop in self.nest):
            return v
        if v not in self.known:
            for u in v.op.operands():
                self.known[u] = self._before(u)
            self.b.block.ops.append(clone_op(v.op, self.known))
        return self.known[v]

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

    def _level(self, m: int, index: dict[_Addition, Index]) -> None:
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

    def _few(self, m: int, index: dict[_Addition, Index], start: Value, count: int, *, first: bool) -> None:
        """A few iterations of the `m`-th loop, for some of the additions, and all of the loops inside it.

        first: no others add to these cells before.
        """
        if not count:
            return
        groups: dict[tuple[int, ...], list[_Addition]] = {}
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
            self._clone(ops, dict(index), stored=stored)
            return
        body, i = self._for(m, self.lengths[m], edge=edge)
        with self.b.at(body):
            self._plain(m + 1, ops, {**index, **self._number(m, i)}, stored, edge=edge)

    def _cells(self, index: dict[_Addition, Index]) -> None:
        """All that is added to a cell, at once."""
        b = self.b
        cells: dict[Any, list[tuple[_Addition, Index]]] = {}
        known: dict[tuple[int, ...], Index] = {}
        for a, indices in index.items():
            mapping = known.setdefault(a.shifts, indices)
            self._clone([a.op], mapping, stores=False)
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

    def _clone(self, ops: Sequence[Op], mapping: Index, stores: bool = True, stored: Op | None = None) -> None:
        """Some stores of the nest, with what they need, where `mapping` gives the indices."""
        b = self.b
        needed = set(_computing(self.scope, [v for op in ops for v in op.operands()]))
        for op in self.scope:
            if op in (ops if stores else ()) or (op in needed and op.results[0] not in mapping):
                b.loc, b.origin = op.loc, op.origin
                if op.name == "const" or not op.results:
                    b.block.ops.append(clone_op(op, mapping))
                    if op is stored:
                        b.block.ops[-1].spec = SPECS["setitem"]
                    continue
                args: dict[str, Arg] = {n: tuple(mapping.get(v, v) for v in a) if isinstance(a, tuple)
                                        else mapping.get(a, a) for n, a in op.args.items()}
                mapping.update(zip(op.results, b.emit(op.spec, args, op.attrs, op.results[0].hint), strict=True))
        b.loc, b.origin = self.nest[0].loc, self.nest[0].origin
