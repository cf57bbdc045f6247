"""Target cpu: array expressions that read the same cells are computed in one loop, and so are the sums of them.

    t = np.exp(x * y)                         total = 0.0
    u = np.where(t > c, t, 0.0)               u = np.empty_like(x)
    total = np.sum(t)                         for i in range(x.shape[0]):
                                                  t = np.exp(x[i] * y[i])
                                                  u[i] = t if t > c else 0.0
                                                  total += t

numba passes over memory once for each expression, and makes an array of what is read more than once, or chosen from, or
summed. Between two statements that write, operations may come in any order that their operands allow: those of one
shape that have an operand in common are joined, as long as nothing outside of the loop would have to come in between.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence

from s2s.ir.builder import Builder
from s2s.ir.cells import Cells, Nesting
from s2s.ir.core import Block, Function, Op, Value, clone_function, readers, substitute, walk
from s2s.ir.memory import LIST_STORES
from s2s.ir.types import Array, Dim, Scalar, kind
from s2s.rules.common import normalised
from s2s.simplify.dce import dce
from s2s.targets.cellwise import cell_of, close, empty, is_cellwise, load, made, narrowed, nest
from s2s.targets.errors_in_threads import fits

# They keep their order among themselves, and are in nobody's way else.
_LISTS = frozenset({*LIST_STORES, "listget", "listlen"})
# What numba makes no part of an expression.
_APART = frozenset({"np.where", "np.copy", "np.sum"})
# Longer stretches than that are taken in pieces.
_LONG = 400


def expressions(fn: Function) -> Function:
    """`fn` with loops in place of expressions that are better computed together."""
    if not any(is_cellwise(op) for op in walk(fn.block)):
        return fn
    new, _ = clone_function(fn)
    writer = _Writer(new)
    writer.block(new.block)
    if not writer.replaced:
        return fn
    substitute(new.block, writer.replaced)
    return dce(new)


class _Writer:
    def __init__(self, fn: Function) -> None:
        self.params = fn.block.params
        self.cells = Cells(Nesting(fn), fn.block)
        self.uses = readers(fn)
        self.replaced: dict[Value, Value] = {}

    def block(self, block: Block) -> None:
        """Rewrite a block: each stretch of operations between two that write or branch."""
        out: list[Op] = []
        stretch: list[Op] = []
        for op in block.ops:
            for inner in op.blocks:
                self.block(inner)
            if op.blocks or op.name == "call" or not (op.spec.pure or op.name in _LISTS):
                out += [*self._joined(stretch), op]
                stretch = []
            else:
                stretch.append(op)
                if len(stretch) == _LONG:
                    out += self._joined(stretch)
                    stretch = []
        block.ops = [*out, *self._joined(stretch)]

    def _joined(self, ops: list[Op]) -> list[Op]:
        groups = _Groups(ops)
        for op in ops:
            groups.place(op)
        groups.sink(self.uses)
        done = {op: group for group in groups.found() if self._pays(group) for op in group}
        if not done:
            return ops
        out = []
        for op in groups.in_order(done):
            out += self._nest(done[op]) if op in done else [op]
        return out

    def _pays(self, group: Sequence[Op]) -> bool:
        """Whether numba would pass over memory more than once, and the sizes are known."""
        members = set(group)
        passes = 0
        for op in group:
            users = self.uses.get(op.result, [])
            passes += not (op.name not in _APART and len(users) == 1 and users[0] in members
                           and users[0].name not in _APART)
        return passes > 1 and all(self._sized(group, d) is not None for d in _dims(group[0]))

    def _sized(self, group: Sequence[Op], d: Dim) -> tuple[Value, int] | None:
        """An array of which one axis has the size `d`, and the axis."""
        computed = {r for op in group for r in op.results}
        outside = [v for op in group for v in op.operands() if v not in computed]
        for v in (*self.params, *outside):
            if isinstance(v.type, Array) and d in v.type.dims:
                return v, v.type.dims.index(d)
        return (group[0].result, -1) if d.symbol is None else None

    def _nest(self, group: Sequence[Op]) -> list[Op]:
        """The loop of a group."""
        out = Block()
        dims = _dims(group[0])
        members = set(group)
        b = Builder(out, group[-1].loc, group[-1].origin)
        sizes = []
        for d in dims:
            where = self._sized(group, d)
            assert where is not None
            sizes.append(b.int(d.offset) if d.symbol is None else b.dim(*where))
        kept: dict[Value, Value] = {}
        sums: list[Op] = []
        for op in group:
            r = op.result
            b.loc, b.origin = op.loc, op.origin
            if op.name == "np.sum" and isinstance(r.type, Array):
                kept[r] = made(b, "np.zeros", r.type, [sizes[k] for k in _left(op)], r.hint)
            elif op.name == "np.sum":
                sums.append(op)
            elif any(user not in members for user in self.uses.get(r, ())):
                kept[r] = empty(b, r, sizes)
        init = [b.const(0.0, Scalar(_number(op).dtype)) for op in sums]
        for op, v in zip(sums, init, strict=True):
            v.hint = op.result.hint
        index, blocks = nest(len(dims), init)
        totals = dict(zip(sums, blocks[-1].params[1:], strict=True))
        with b.at(blocks[-1]):
            self._body(b, group, index, kept, totals)
        b.loc, b.origin = group[-1].loc, group[-1].origin
        ends = close(b, blocks, sizes, init, list(totals.values()))
        self.replaced.update(kept)
        self.replaced.update((op.result, v) for op, v in zip(sums, ends, strict=True))
        return out.ops

    def _body(self, b: Builder, group: Sequence[Op], index: list[Value], kept: dict[Value, Value],
              totals: dict[Op, Value]) -> None:
        """One iteration; `totals` are the sums so far, and after it."""
        cell: dict[Value, Value] = {}
        dims = _dims(group[0])

        def of(v: Value) -> Value:
            if v not in cell:
                cell[v] = load(b, self.cells, v, index, dims)
            return cell[v]

        for op in group:
            b.loc, b.origin = op.loc, op.origin
            if op in totals:
                totals[op] = b.add(totals[op], of(op.value("a")))
                totals[op].hint = op.result.hint
            elif op.name == "np.sum":
                at = tuple(index[k] for k in _left(op))
                b.emit("additem", {"a": kept[op.result], "index": at, "value": of(op.value("a"))},
                       {"items": ("i",) * len(at)})
            else:
                cell[op.result] = cell_of(b, op, {n: of(a) for n, a in op.args.items() if isinstance(a, Value)})
                if op.result in kept:
                    t = op.result.type
                    assert isinstance(t, Array)
                    b.emit("setitem", {"a": kept[op.result], "index": tuple(index),
                                       "value": narrowed(b, cell[op.result], t.dtype)}, {"items": ("i",) * len(index)})


class _Groups:
    """A stretch of operations, some of which share loops."""

    def __init__(self, ops: Sequence[Op]) -> None:
        self.ops = ops
        self.number = {op: k for k, op in enumerate(ops)}
        self.users: list[set[int]] = [set() for _ in ops]
        self.group: list[list[int]] = [[k] for k in range(len(ops))]
        self.reads: dict[Value, list[int]] = {}
        before: int | None = None
        for k, op in enumerate(ops):
            for v in op.operands():
                if v.op in self.number:
                    self.users[self.number[v.op]].add(k)
            if op.name in _LISTS:
                if before is not None:
                    self.users[before].add(k)
                before = k

    def place(self, op: Op) -> None:
        """Let an operation join the loops that it has an operand in common with."""
        if not _may_join(op):
            return
        k = self.number[op]
        dims = _dims(op)
        near = [j for v in op.operands() if isinstance(v.type, Array)
                for j in (*self.reads.get(v, ()), *([self.number[v.op]] if v.op in self.number else []))]
        for j in sorted(set(near), reverse=True):
            other = self.group[j]
            if other is not self.group[k] and _may_join(self.ops[j]) and _dims(self.ops[j]) == dims:
                joined = sorted({*self.group[k], *other})
                if not self._passes_outside(joined):
                    for i in joined:
                        self.group[i] = joined
        for v in op.operands():
            if isinstance(v.type, Array):
                self.reads.setdefault(v, []).append(k)

    def sink(self, uses: Mapping[Value, Sequence[Op | None]]) -> None:
        """Compute what one other loop alone reads in that: to load the operands there is to load as much."""
        for k in range(len(self.ops) - 1, -1, -1):
            op, group = self.ops[k], self.group[k]
            users = {self.number.get(user, -1) if user is not None else -1 for user in uses.get(op.result, ())} \
                if _may_join(op) and op.name != "np.sum" else {-1}
            heads = {id(self.group[u]) if u >= 0 else 0 for u in users}
            if len(group) == 1 or len(heads) != 1 or 0 in heads or id(group) in heads:
                continue
            if sum(isinstance(v.type, Array) for v in set(op.operands())) > 1:
                continue
            other = self.group[next(iter(users))]
            if all(_may_join(self.ops[u]) for u in users) and _dims(self.ops[other[0]]) == _dims(op):
                group.remove(k)
                other.insert(0, k)
                other.sort()
                self.group[k] = other

    def _passes_outside(self, joined: Sequence[int]) -> bool:
        """Whether something outside needs one operation of a loop, and is needed by another one."""
        inside = set(joined)
        work = [u for k in joined for u in self.users[k] if u not in inside]
        if any(self.ops[k].name == "np.sum" and self.users[k] & inside for k in joined):
            return True  # a sum is there when the loop is done
        seen: set[int] = set()
        while work:
            k = work.pop()
            if k in inside:
                return True
            if k not in seen:
                seen.update(self.group[k])
                work += [u for i in self.group[k] for u in self.users[i]]
        return False

    def found(self) -> Iterator[list[Op]]:
        """The loops of more than one operation, each once."""
        for k, group in enumerate(self.group):
            if group[0] == k and len(group) > 1:
                yield [self.ops[i] for i in group]

    def in_order(self, done: dict[Op, list[Op]]) -> Iterator[Op]:
        """All operations, and of each group in `done` the first one, such that what is needed comes before."""
        head = [self.number[done[op][0]] if op in done else k for k, op in enumerate(self.ops)]
        waits: dict[int, int] = dict.fromkeys(head, 0)
        follow: dict[int, set[int]] = {k: set() for k in waits}
        for k, users in enumerate(self.users):
            for u in users:
                if head[u] != head[k] and head[u] not in follow[head[k]]:
                    follow[head[k]].add(head[u])
                    waits[head[u]] += 1
        ready = [k for k, n in waits.items() if n == 0]
        heapq.heapify(ready)
        while ready:
            k = heapq.heappop(ready)
            yield self.ops[k]
            for u in follow[k]:
                waits[u] -= 1
                if waits[u] == 0:
                    heapq.heappush(ready, u)


def _may_join(op: Op) -> bool:
    """Whether a cell of an operation, or what it adds to a sum, can be computed in a loop."""
    if op.name == "np.sum":
        t = op.value("a").type
        return (isinstance(t, Array) and kind(t) == "f" and t.ndim > 0 and not op.attrs.get("keepdims")
                and op.attrs.get("dtype") is None and op.result.type.dtype == t.dtype)  # type: ignore[union-attr]
    if not is_cellwise(op):
        return False
    t = op.result.type
    assert isinstance(t, Array)
    if t.ndim == 0 or (t.layout == "F" and t.ndim > 1):
        return False
    return all(fits(v.type.dims, t.dims) for v in op.operands() if isinstance(v.type, Array))


def _dims(op: Op) -> tuple[Dim, ...]:
    """The shape of the loop that an operation takes part in."""
    t = op.value("a").type if op.name == "np.sum" else op.result.type
    assert isinstance(t, Array)
    return t.dims


def _left(op: Op) -> list[int]:
    """The axes of its argument that a sum leaves."""
    summed = normalised(op.attrs.get("axis"), len(_dims(op)))
    return [k for k in range(len(_dims(op))) if k not in summed]


def _number(op: Op) -> Array | Scalar:
    assert isinstance(op.result.type, Array | Scalar)
    return op.result.type
