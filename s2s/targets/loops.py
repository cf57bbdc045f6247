"""Target cpu: statements on slices as loops over their cells; those that follow each other share one loop.

    b[1:-1] = 0.5 * (a[:-2] + a[2:])          for i in range(a.shape[0] - 2):
    total[1:-1] += b[1:-1]                        t = 0.5 * (a[i] + a[i + 2])
                                                  b[i + 1] = t
                                                  total[i + 1] += b[i + 1]

numba makes a temporary array of each right side, and passes over memory for each statement. A statement joins a loop
if no iteration touches what another statement of the loop was to touch before. Where that does not hold for one
statement alone (`a[1:] = a[:-1]`) it stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from s2s.ir.builder import Builder
from s2s.ir.cells import Cells, Nesting
from s2s.ir.core import Block, Function, Op, Value, clone_function, readers, substitute, walk
from s2s.ir.memory import ARRAY_STORES, Memory, is_memory, shares_memory
from s2s.ir.ops import SPECS, is_basic
from s2s.ir.types import Array, Dim, kind
from s2s.simplify.ascending import ADDITIONS
from s2s.targets.access import Access, access, indexed, steps_back
from s2s.targets.cellwise import cell_index, cell_of, close, empty, is_cellwise, load, nest, wide
from s2s.targets.errors_in_threads import fits


def loops(fn: Function) -> Function:
    """`fn` with loops in place of statements on slices."""
    if not any(op.name in ARRAY_STORES and _is_slice(op) for op in walk(fn.block)):
        return fn
    new, _ = clone_function(fn)
    writer = _Writer(new)
    writer.block(new.block)
    substitute(new.block, writer.replaced)
    return new


def _is_slice(op: Op) -> bool:
    """Whether a store changes a part of an array that is an array, at a place that slices give."""
    if op.name == "addto":
        return True
    items = op.attrs["items"]
    return is_basic(items) and any(c[0] in "se" for c in items)


@dataclass
class _Group:
    """Statements that share a loop over cells `dims`, with what is computed for them on the way."""

    dims: tuple[Dim, ...] = ()
    ops: list[Op] = field(default_factory=list)
    touched: list[tuple[Op, Access, Value]] = field(default_factory=list)
    claimed: set[Value] = field(default_factory=set)
    written: set[Value] = field(default_factory=set)


class _Writer:
    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.memory = Memory(fn)
        self.cells = Cells(Nesting(fn), fn.block)
        self.uses = readers(fn)
        self.replaced: dict[Value, Value] = {}

    # Choosing.

    def block(self, block: Block) -> None:
        """Rewrite a block: `before` and `after` are what comes before and after the loop of the group."""
        out: list[Op] = []
        group = _Group()
        before: list[Op] = []
        after: list[Op] = []
        for op in block.ops:
            for inner in op.blocks:
                self.block(inner)
            store = self._is_store(op)
            if store and not self._joins(group, op, before, after):
                later = self._later(op, group, before)
                self._flush(group, [o for o in before if o not in later], out)
                group, before, after = _Group(), [*later, *after], []
                store = self._joins(group, op, before, after)
            if store:
                self._add(group, op, before, after)
            elif op.blocks or not op.spec.pure or op.name in ("call", "listget"):
                self._flush(group, before, out)
                out += [*after, op]
                group, before, after = _Group(), [], []
            else:
                (after if self._waits(op, group, after) else before).append(op)
        self._flush(group, before, out)
        block.ops = [*out, *after]

    def _later(self, op: Op, group: _Group, before: Sequence[Op]) -> list[Op]:
        """What comes before the loop of the group for the sake of the next store alone, and may as well come after."""
        target = self._target(op)
        assert target is not None
        needed = self._needed(op, before, group, target[1])
        return [o for o in needed if not any(self.memory.of(v) in group.written for v in o.operands()
                                             if isinstance(v.type, Array))]

    def _waits(self, op: Op, group: _Group, after: Sequence[Op]) -> bool:
        """Whether a pure operation has to come after the loop of the group."""
        if any(v in group.claimed or (v.op is not None and v.op in after) for v in op.operands()):
            return True
        return not shares_memory(op) and any(self.memory.of(v) in group.written for v in op.operands()
                                             if is_memory(v.type))

    def _is_store(self, op: Op) -> bool:
        if op.name not in ARRAY_STORES or not _is_slice(op):
            return False
        t = op.value("a").type
        return isinstance(t, Array) and kind(t) in "f" and self._target(op) is not None

    def _target(self, op: Op) -> tuple[Access, tuple[Dim, ...]] | None:
        """The cells that a store changes, and their shape."""
        a = op.value("a")
        assert isinstance(a.type, Array)
        base = access(self.cells, a)
        if op.name == "addto":
            return base, a.type.dims
        found = indexed(self.cells, base, op)
        part = SPECS["getitem"].infer(Op(SPECS["getitem"], {"a": a, "index": op.values("index")}, dict(op.attrs)))[0]
        return (found, part.dims) if found is not None and isinstance(part, Array) else None

    def _needed(self, op: Op, within: Sequence[Op], group: _Group, dims: tuple[Dim, ...]) -> list[Op]:
        """The operations of `within` that compute, cell by cell, what `op` stores, or read what it overwrites."""
        found: set[Op] = set()
        work = [op.value("value")]
        work += [o.result for o in within if self._is_cellwise(o) and o.result.type.dims == dims  # type: ignore[union-attr]
                 and self._reads(o, op)]
        possible = set(within)
        while work:
            made = work.pop().op
            if made in possible and made not in found and self._is_cellwise(made) and _is_full(made.result, dims):
                found.add(made)
                work += [v for v in made.operands() if isinstance(v.type, Array)]
        # What something else needs before the loop, or the loop reads already, is computed before it.
        found -= {o for o in found for g in group.ops if o.result in g.operands()}
        while early := {o for o in found for v in within if v not in found and o.result in v.operands()}:
            found -= early
        return [o for o in within if o in found]

    def _is_cellwise(self, op: Op) -> bool:
        """Whether each cell of the result depends on that cell of the arguments alone, and stays what it is."""
        return is_cellwise(op) and self.memory.of(op.result) not in self.memory.written

    def _reads(self, op: Op, store: Op) -> bool:
        """Whether `op` reads memory that `store` may change."""
        c = self.memory.of(store.value("a"))
        return not shares_memory(op) and any(self.memory.of(v) is c for v in op.operands() if is_memory(v.type))

    def _joins(self, group: _Group, op: Op, before: Sequence[Op], after: Sequence[Op]) -> bool:
        """Whether a store can be done in the loop of the group, with what is computed for it."""
        target = self._target(op)
        assert target is not None
        dims = target[1]
        if group.ops and dims != group.dims:
            return False
        new = [*self._needed(op, [*before, *after], group, dims), op]
        if any(self._reads(o, op) for o in after if o not in new):
            return False
        if any(v.op in after and v.op not in new for o in new for v in o.operands()):
            return False
        if any(self.memory.of(v) in group.written for o in new if o in before for v in o.operands()
               if isinstance(v.type, Array)):
            return False  # it was computed before stores of the group
        touched = list(group.touched)
        known = group.claimed | {r for o in new for r in o.results}
        shaped = _shaped(new, dims)
        for o in new:
            found = self._touches(o, dims, known, shaped)
            if found is None:
                return False
            if any(self._conflict(x, y) for k, y in enumerate(found) for x in (*touched, *found[:k])):
                return False
            touched += found
        return True

    def _touches(self, op: Op, dims: tuple[Dim, ...], known: set[Value],
                 shaped: AbstractSet[Value]) -> list[tuple[Op, Access, Value]] | None:
        """What an operation reads and writes in each iteration; None where shapes are not known to fit."""
        found = []
        names = ("value",) if op.name in ARRAY_STORES else tuple(op.args)
        for name in names:
            arg = op.args[name]
            for v in arg if isinstance(arg, tuple) else (arg,):
                if isinstance(v.type, Array):
                    if not (v in shaped or fits(v.type.dims, dims)) or kind(v.type) not in ("f", "b", "i"):
                        return None
                    if v not in known:
                        found.append((op, wide(access(self.cells, v), v.type.dims, dims), v))
        if op.name in ARRAY_STORES:
            target = self._target(op)
            assert target is not None
            found.append((op, target[0], op.value("a")))
        elif not isinstance(op.result.type, Array) or len(op.result.type.dims) != len(dims) \
                or not (op.result in shaped or fits(op.result.type.dims, dims)):
            return None
        return found

    def _conflict(self, x: tuple[Op, Access, Value], y: tuple[Op, Access, Value]) -> bool:
        """Whether `y`, which comes after `x`, must not be done in the same iteration."""
        writes = [op.name in ARRAY_STORES and op.value("a") is v for op, _, v in (x, y)]
        if not any(writes) or self.memory.of(x[2]) is not self.memory.of(y[2]):
            return False
        if all(writes) and x[0].name in ADDITIONS and y[0].name in ADDITIONS:
            return False
        return steps_back(self.cells, x[1], y[1])

    def _add(self, group: _Group, op: Op, before: list[Op], after: list[Op]) -> None:
        target = self._target(op)
        assert target is not None
        group.dims = target[1]
        needed = self._needed(op, [*before, *after], group, group.dims)
        known = group.claimed | {r for o in needed for r in o.results}
        shaped = _shaped([*needed, op], group.dims)
        for o in (*needed, op):
            group.touched += self._touches(o, group.dims, known, shaped) or []
            group.ops.append(o)
            group.claimed.update(o.results)
        before[:] = [o for o in before if o not in needed]
        after[:] = [o for o in after if o not in needed]
        group.written.add(self.memory.of(op.value("a")))

    # Writing.

    def _flush(self, group: _Group, before: list[Op], out: list[Op]) -> None:
        out += before
        if group.ops:
            out += self._nest(group)

    def _nest(self, group: _Group) -> list[Op]:
        """The loop of a group."""
        made = Block()
        first = group.ops[-1]
        b = Builder(made, first.loc, first.origin)
        sizes = [self._size(b, d, group, m) for m, d in enumerate(group.dims)]
        kept: dict[Value, Value] = {}
        for o in group.ops:
            for r in o.results:
                if any(user not in group.ops for user in self.uses.get(r, ())):
                    kept[r] = empty(b, r, sizes)
        index, blocks = nest(len(sizes))
        cell: dict[Value, Value] = {}
        with b.at(blocks[-1]):
            for o in group.ops:
                b.loc, b.origin = o.loc, o.origin
                self._cellwise(b, o, index, cell, group.dims)
                for r in o.results:
                    if r in kept:
                        b.emit("setitem", {"a": kept[r], "index": tuple(index), "value": cell[r]},
                               {"items": ("i",) * len(index)})
        b.loc, b.origin = first.loc, first.origin
        close(b, blocks, sizes)
        self.replaced.update(kept)
        return made.ops

    def _size(self, b: Builder, d: Dim, group: _Group, axis: int) -> Value:
        """The size of an axis, as a number."""
        if d.symbol is None:
            return b.int(d.offset)
        roots = [p for p in self.fn.block.params if isinstance(p.type, Array)]
        roots += [found.root for _, found, _ in group.touched if found.root not in group.claimed]
        for root in roots:
            assert isinstance(root.type, Array)
            for k, e in enumerate(root.type.dims):
                # Sizes that the type says are below 0 are 0: from such a one nothing larger can be told.
                if e.symbol == d.symbol and (e.offset >= d.offset):
                    return b.add(b.one("dim", {"a": root}, {"axis": k}), b.int(d.offset - e.offset))
        op = group.ops[-1]
        part = op.value("a")
        if op.name != "addto":
            part = b.one("getitem", {"a": part, "index": op.values("index")}, {"items": op.attrs["items"]})
        return b.dim(part, axis)

    def _cellwise(self, b: Builder, op: Op, index: Sequence[Value], cell: dict[Value, Value],
                  dims: tuple[Dim, ...]) -> None:
        """One cell of what `op` computes or stores."""
        def of(v: Value) -> Value:
            return cell[v] if v in cell else load(b, self.cells, v, index, dims)

        if op.name in ARRAY_STORES:
            target = self._target(op)
            assert target is not None
            name = "setitem" if op.name == "setitem" else "additem"
            b.emit(name, {"a": target[0].root, "index": cell_index(b, target[0], index),
                          "value": of(op.value("value"))}, {"items": ("i",) * len(target[0].starts)})
            return
        cell[op.result] = cell_of(b, op, {n: of(a) for n, a in op.args.items() if isinstance(a, Value)})


def _shaped(ops: Sequence[Op], dims: Sequence[Dim]) -> set[Value]:
    """Values that have the shape of a place, by whatever name: what is added to an adjoint, and what that is made of
    or broadcast from.

    ops: a store, and before it what computes its value.
    """
    value = ops[-1].value("value")
    if ops[-1].origin is None or not isinstance(value.type, Array) or value.type.ndim != len(dims):
        return set()
    found = {value}
    for op in reversed(ops[:-1]):
        if op.result in found:
            arrays = {v for v in op.operands() if isinstance(v.type, Array) and v.type.ndim == len(dims)}
            assert isinstance(op.result.type, Array)
            found |= arrays if len(arrays) == 1 else {v for v in arrays if fits(v.type.dims, op.result.type.dims)}  # type: ignore[union-attr]
    return found


def _is_full(v: Value, dims: Sequence[Dim]) -> bool:
    """Whether an array is computed for each cell of `dims`, and not once for several."""
    t = v.type
    return isinstance(t, Array) and t.ndim == len(dims) and all(
        d.is_one is not True or e.is_one is True for d, e in zip(t.dims, dims, strict=True))
