"""Which arrays and lists may share memory, and which stores may change what an operation has read.

Values are put into groups: two arrays of one group may share memory, those of two groups do not. The
grouping (`s2s.ir.memory`) does not depend on program order; what does, `may_change`, asks
whether a store to the group can run after a given operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from s2s.errors import UnsupportedSyntaxError, located
from s2s.ir import memory
from s2s.ir.core import Block, Function, Op, Value
from s2s.ir.memory import ARRAY_STORES
from s2s.ir.ops import constant
from s2s.ir.types import Array, List, Type

LOOPS = ("for", "while")


def is_reference(t: Type) -> bool:
    """Whether values of type `t` are references to memory that can change."""
    return isinstance(t, Array | List)


def is_view(op: Op) -> bool:
    """Whether the result of `op` is an array or list that may share memory with its argument `spec.view`."""
    return memory.shares_memory(op) and is_reference(op.result.type)


def is_surely_view(op: Op) -> bool:
    """Whether the result of `op`, which may share memory, does so whatever the strides are, element by element."""
    a = op.value(op.spec.view or "").type
    if not isinstance(a, Array):
        return True
    if op.name in ("stop_gradient", "np.broadcast_to", "np.diagonal"):
        return False  # no derivative flows, or elements occur twice, or it is read-only
    if op.name == "np.imag":
        return np.dtype(a.dtype).kind == "c"
    if op.name == "np.reshape":
        return a.layout == "C" or a.ndim == 1
    if op.name in ("np.ravel", "np.ascontiguousarray"):
        return a.layout == "C"
    if op.name == "np.asfortranarray":
        return a.layout == "F" or (a.ndim == 1 and a.layout == "C")
    return op.name != "np.asarray" or op.attrs.get("dtype") in (None, a.dtype)


def written(op: Op) -> Value | None:
    """The array or list that `op` changes."""
    return None if op.spec.writes is None else op.value(op.spec.writes)


def is_natural(v: Value, found: Memory) -> bool:
    """Whether an int is known not to be negative: such an index counts from the start."""
    c = constant(v)
    if c is not None:
        return isinstance(c, int) and c >= 0
    if v.op is None:
        owner = found.owner[found.home[v]]
        is_index = owner is not None and owner.name == "for" and v is found.home[v].params[0]
        return (owner is not None and is_index and is_natural(owner.value("start"), found)
                and (constant(owner.value("step")) or -1) > 0)
    if v.op.name in ("dim", "listlen", "trips"):
        return True
    return v.op.name in ("add", "mul") and all(is_natural(u, found) for u in v.op.operands())


class Memory:
    """Groups of values that may share memory, and the stores to each.

    >>> from s2s.ir.builder import Builder
    >>> from s2s.ir.types import Array, Dim
    >>> a = Value(Array("float64", (Dim("n"), Dim("m"))))
    >>> b = Builder(Block([a]))
    >>> row = b.one("getitem", {"a": a, "index": (b.int(0),)}, {"items": ("i",)})
    >>> m = Memory(Function("f", b.block))
    >>> m.group(row) is m.group(a), m.is_written(a)
    (True, False)
    """

    def __init__(self, fn: Function) -> None:
        self._classes = memory.Memory(fn)
        self.home: dict[Value, Block] = {}
        self.owner: dict[Block, Op | None] = {fn.block: None}
        self.block_of: dict[Op, Block] = {}
        self.order: dict[Op, int] = {}
        self.roots: dict[Value, list[Value]] = {}
        self.stores: dict[Value, list[Op]] = {}
        self.all_roots: list[Value] = []
        self._apart: dict[Value, bool] = {}
        all_stores: list[Op] = []
        self._visit(fn.block, self.all_roots, all_stores)
        for v in self.all_roots:
            self.roots.setdefault(self.group(v), []).append(v)
        for op in all_stores:
            target = written(op)
            assert target is not None
            self.stores.setdefault(self.group(target), []).append(op)

    def group(self, v: Value) -> Value:
        """The representative of the group of `v`."""
        return self._classes.of(v)

    def _visit(self, block: Block, roots: list[Value], stores: list[Op]) -> None:
        for p in block.params:
            self.home[p] = block
        if self.owner[block] is None:
            roots += [p for p in block.params if is_reference(p.type)]
        for op in block.ops:
            self.order[op] = len(self.order)
            self.block_of[op] = block
            for r in op.results:
                self.home[r] = block
            for inner in op.blocks:
                self.owner[inner] = op
                self._visit(inner, roots, stores)
            if op.spec.writes is not None:
                stores.append(op)
            # Results of these are of memory that there was, or of none.
            if not (op.blocks or is_view(op) or op.name in ("listpop", "undefined")):
                roots += [r for r in op.results if is_reference(r.type)]

    def is_written(self, v: Value, lists: bool = False) -> bool:
        """Whether array elements of the group of `v` are stored to (with `lists`: or lists changed)."""
        return any(lists or op.name in ARRAY_STORES
                   for op in self.stores.get(self.group(v), ()))

    def enclosing(self, op: Op) -> Iterator[tuple[Op, Block]]:
        """The operations that own the blocks around `op`, inside out, with those blocks."""
        block = self.block_of[op]
        while (owner := self.owner[block]) is not None:
            yield owner, block
            block = self.block_of[owner]

    def is_inside(self, v: Value, block: Block) -> bool:
        """Whether `v` is defined in `block` or in a block nested in it."""
        home: Block | None = self.home.get(v)  # not there: taken from around the function
        while home is not None:
            if home is block:
                return True
            owner = self.owner[home]
            home = None if owner is None else self.block_of[owner]
        return False

    def is_apart(self, v: Value) -> bool:
        """Whether `v` may or may not share memory with another value, and it does not matter which.

        It does not where no store changes either while `v` is read; otherwise such a program is refused.
        """
        if v not in self._apart:
            self._apart[v] = self._is_apart(v)
        return self._apart[v]

    def _is_apart(self, v: Value) -> bool:
        if v.op is None or not is_view(v.op):
            return False
        base = v.op.value(v.op.spec.view or "")
        if is_surely_view(v.op):
            return isinstance(base.type, Array) and self.is_apart(base)
        if self.is_written(v) and self._changes_while_read(v, v.op):
            raise located(UnsupportedSyntaxError, v.op.loc,
                          f"memory is written to while the result of {v.op.name} is read",
                          "whether the result has memory of its own depends on the order of its argument's elements",
                          "copy the array first (np.copy)")
        return True

    def is_alias(self, v: Value) -> bool:
        """Whether the shadow of `v` is part of that of the value that `v` is a view of."""
        return v.op is not None and is_view(v.op) and not self.is_apart(v)

    def may_hold_another(self, load: Op) -> bool:
        """Whether the place that `load` reads from a list may hold something else after it."""
        changing = ("listset", "listpop") if is_natural(load.value("index"), self) else ("listset", "listpop", "append")
        v = load.value("list")
        roots = self.roots.get(self.group(v), ())
        return any(self._may_follow(store, load, roots) for store in self.stores.get(self.group(v), ())
                   if store.name in changing)

    def _changes_while_read(self, v: Value, made: Op, names: Sequence[str] = ()) -> bool:
        """Whether a store to the memory of `v` can run between `made`, which made it, and its last use.

        names: only stores of these names count.
        """
        stores = [op for op in self.stores.get(self.group(v), ()) if not names or op.name in names]
        uses = self._uses(v)
        if uses is None:
            roots = self.roots.get(self.group(v), ())
            return any(self._may_follow(store, made, roots) for store in stores)
        home = self.block_of[made]
        last = max((self._end(use, home) for use in uses), default=-1)
        return any(self.order[made] < self.order[store] <= last for store in stores)

    def is_replaced(self, load: Op) -> bool:
        """Whether what `load` took from a list may be taken out of the list while it is read."""
        return self._changes_while_read(load.result, load, ("listset", "listpop"))

    def _uses(self, v: Value) -> list[Op] | None:
        """The operations that read `v` or a view of it; None where it flows on in another way."""
        names, uses = {v}, []
        yielded = {r for block in self.owner for r in block.results}
        for op in self.order:
            if not any(u in names for u in op.operands()):
                continue
            uses.append(op)
            if is_view(op) and op.value(op.spec.view or "") in names:
                names.add(op.result)
            elif op.blocks or op.name in ("append", "listset", "list", "call", "pycall", "custom"):
                return None
        return None if names & yielded else uses

    def _end(self, op: Op, home: Block) -> int:
        """The place of the last operation of the statement of `home` to which `op` belongs."""
        while self.block_of[op] is not home:
            owner = self.owner[self.block_of[op]]
            assert owner is not None
            op = owner
        return self._last_inside(op)

    def _last_inside(self, op: Op) -> int:
        return max([self.order[op], *(self._last_inside(o) for block in op.blocks for o in block.ops)])

    def may_change(self, v: Value, reader: Op, elsewhere: Callable[[Op], bool] | None = None) -> bool:
        """Whether a store to the memory of `v` may run after `reader` did (and read it).

        elsewhere: whether a store is known to leave what was read alone.
        """
        return any(not (elsewhere is not None and elsewhere(store)) for store in self.changing(v, reader))

    def changing(self, v: Value, reader: Op) -> Iterator[Op]:
        """The stores to the memory of `v` that may run after `reader` did."""
        stores = self.stores.get(self.group(v), [])
        roots = self.roots.get(self.group(v), ())
        if isinstance(v.type, Array):  # what a list holds does not change with the list
            stores = [store for store in stores if store.name in ARRAY_STORES]
        if isinstance(v.type, Array) and not any(self._through_list(store) for store in stores):
            # What lists hold is not stored to; so only arrays matter, which may be new in each iteration.
            roots = [r for r in roots if not isinstance(r.type, List)]
        return (store for store in stores if self._may_follow(store, reader, roots))

    def in_run(self, store: Op, reader: Op) -> bool:
        """Whether `store` may come after `reader` in the same run of the block of `reader`."""
        home = self.block_of[reader]
        within = self.block_of[store] is home or any(self.block_of[owner] is home for owner, _ in self.enclosing(store))
        return within and self.order[store] > self.order[reader]

    def _through_list(self, store: Op) -> bool:
        """Whether the array that `store` changes may have been taken from a list."""
        v = written(store)
        while v is not None and isinstance(v.type, Array):
            if v.op is None:
                return self.owner[self.home[v]] is not None
            if not is_view(v.op):
                return bool(v.op.blocks)
            v = v.op.value(v.op.spec.view or "")
            if isinstance(v.type, List):
                return True
        return False

    def _may_follow(self, store: Op, reader: Op, roots: Sequence[Value]) -> bool:
        if store is reader:
            return True
        around = dict(self.enclosing(reader))
        last: tuple[Op, Block, Block] | None = None
        for owner, block in self.enclosing(store):
            if owner not in around:
                continue
            if last is None:
                last = (owner, block, around[owner])
            # In a later iteration, unless each iteration makes memory of its own.
            if owner.name in LOOPS and not all(self.is_inside(r, block) for r in roots):
                return True
        if last is not None and last[0].name == "if" and last[1] is not last[2]:
            return False
        if store in dict(self.enclosing(reader)) or reader in dict(self.enclosing(store)):
            return True
        return self.order[store] > self.order[reader]
