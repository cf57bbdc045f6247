"""Make every forward value that the reverse sweep reads available there: rebuild it, or save it.

A value of the function's own block is at hand. One that was defined in the iteration of a loop, or in a
branch, is recomputed in the reverse of that block where this is cheap and what it is made of is to be had;
else the forward sweep saves it (`saving`). What is read from memory is only what it was if no store came
in between: otherwise the number is saved, or the array copied (`snapshot`), or the reverse sweep undoes the
stores (`rollback`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from s2s.analyse.memory import LOOPS, Memory, is_reference, is_surely_view, is_view
from s2s.differentiate.elsewhere import shape_from_elsewhere
from s2s.differentiate.rollback import reads_shape
from s2s.differentiate.saving import Saver, trip_number
from s2s.differentiate.sweep import Mirror
from s2s.ir.builder import Builder
from s2s.ir.cells import Cells
from s2s.ir.core import Block, Op, Value, clone_op, walk
from s2s.ir.ops import SPECS, constant
from s2s.ir.types import Array, Scalar
from s2s.rules.table import Table

# Recomputing is worth it up to this cost (OpSpec.cost), of all operations together.
CHEAP = 8
# The reverse of one needs the other, and compilers compute both at once.
_PAIRED = frozenset({"np.sin", "np.cos", "math.sin", "math.cos"})
# About how often a loop runs, and how long an axis is.
_OFTEN = 16.0


@dataclass
class Frame:
    """A reverse block under construction; `mirror` is None for a block that reverses none."""

    mirror: Mirror | None
    out: list[Op]
    available: dict[Value, Value] = field(default_factory=dict)
    trip: Value | None = None


class Resolver:
    """Makes a reverse program legal to follow the program `top`; walks over it with a stack of frames.

    shadows: arrays of `top` that are meant as they are in the reverse sweep, not as they were. unsure: those that are
    bound on some paths only, so that nothing else takes its shape from them. rolled: groups of memory that the
    reverse sweep rolls back.
    """

    def __init__(self, top: Block, memory: Memory, table: Table, mirrors: Mapping[Block, Mirror],
                 shadows: Iterable[Value] = (), unsure: Iterable[Value] = (), rolled: Iterable[Value] = ()) -> None:
        self.rolled = frozenset(rolled)
        self.shadows = frozenset(shadows)
        self.unsure = frozenset(unsure)
        self.top = top
        self.memory = memory
        self.table = table
        self.mirrors = mirrors
        self.cells = Cells(memory, top)
        self.saver = Saver(memory, table, self.cells)
        self.home = memory.home
        self.original = frozenset(memory.block_of)
        self.frames: list[Frame] = []
        self.saved: set[Value] = set()
        self.planned: dict[Value, bool] = {}
        self.counted: dict[Value, Value] = {}
        self.list_of: dict[Op, Value] = {}
        self.counts = {m.count: m for m in mirrors.values() if m.count is not None}
        self.copies: dict[tuple[Value, Op], Value] = {}
        self.op: Op | None = None
        self.stored: dict[Value, list[Op]] = {}
        for op in memory.order:
            if op.name == "setitem":
                self.stored.setdefault(op.value("value"), []).append(op)
        self.kept: dict[Value, Op | None] = {}

    def run(self, reverse: Block) -> None:
        """Resolve all of the program `reverse`; adds to the forward one what has to be saved."""
        self._shapes(reverse)
        for op in walk(reverse):
            self._snapshots(op)
        self._plan(reverse)
        frame = Frame(None, [])
        self.frames = [frame]
        self._ops(reverse)
        reverse.results = [self._value(v) for v in reverse.results]
        reverse.ops = frame.out
        self.saver.insert.apply(self.top)

    def _shapes(self, reverse: Block) -> None:
        for op in (*walk(self.top), *walk(reverse)):
            shape_from_elsewhere(op, self.memory, self.top, self.unsure)

    def cost(self, reverse: Block, more: Iterable[Value]) -> float:
        """About how many numbers would be saved for `reverse`, and for what reads `more`; nothing is changed."""
        self._shapes(reverse)
        # Copies between the same two stores become one.
        copied = {(v, self.memory.block_of[op.origin], self._version(v, op.origin))
                  for op in walk(reverse) for name, v in op.named_operands()
                  if op.origin is not None and self._is_stale(op, name, v)}
        self._plan(reverse, more)
        return sum(self._weight(v, self.home[v]) for v in self.saved) + sum(
            self._weight(v, block) for v, block, _ in copied)

    def _version(self, v: Value, reader: Op) -> int:
        """How many stores to the memory of `v` are written before `reader`."""
        order = self.memory.order
        return sum(order[store] < order[reader] for store in self.memory.stores[self.memory.group(v)])

    def _weight(self, v: Value, block: Block) -> float:
        small = isinstance(v.type, Array | Scalar) and v.type.dtype == "bool"
        return self.weight(v.type.ndim if isinstance(v.type, Array) else 0, block) / (8 if small else 1)

    def weight(self, ndim: int, block: Block) -> float:
        """How much it is to keep an array of `ndim` axes (0: a number) whenever `block` runs."""
        return _OFTEN ** (ndim + len(self.cells.loops(block)))

    # Memory that changes after it was read.

    def _is_stale(self, op: Op, name: str, v: Value) -> bool:
        """Whether `op` needs the array `v` as it was before stores that came after the origin of `op`."""
        if v not in self.home or not isinstance(v.type, Array) or op.origin is None or reads_shape(op, name):
            return False
        kept = v in self.shadows or op.origin not in self.original or self.memory.group(v) in self.rolled
        return not kept and self._overwritten(v, op.origin)

    def _snapshots(self, op: Op) -> None:
        """Let `op` read copies of the arrays that are stored to after its origin read them."""
        def stable(name: str, v: Value) -> Value:
            if op.origin is None or not self._is_stale(op, name, v):
                return v
            if (v, op.origin) not in self.copies:
                self.copies[v, op.origin] = self.saver.snapshot(v, op.origin)
            return self.copies[v, op.origin]
        for name, arg in op.args.items():
            op.args[name] = tuple(stable(name, v) for v in arg) if isinstance(arg, tuple) else stable(name, arg)

    # What to save, and what to recompute.

    def _plan(self, block: Block, more: Iterable[Value] = ()) -> None:
        """Decide for all that `block` reads; inner blocks first, since rebuilding reads outer values."""
        demands: dict[Block, dict[Value, None]] = {}
        for v in more:
            self._demand(v, demands)
        for op in walk(block):
            for v in (*op.operands(), *(r for inner in op.blocks for r in inner.results)):
                self._demand(v, demands)
        for v in block.results:
            self._demand(v, demands)
        for home in sorted(demands, key=self._depth, reverse=True):
            wanted = sorted(demands[home], key=self._position)
            self._plan_block(home, wanted)
            for v in wanted:
                if not self.planned[v]:
                    for u in self._rebuilding(v, home):
                        if self.home.get(u) is not home:
                            self._demand(u, demands)
        # Blocks that only rebuilding reached.
        for home in sorted(demands, key=self._depth, reverse=True):
            missing = [v for v in demands[home] if v not in self.planned]
            self._plan_block(home, sorted(missing, key=self._position))

    def _demand(self, v: Value, demands: dict[Block, dict[Value, None]]) -> None:
        home = self.home.get(v)
        if home is not None and home is not self.top:
            demands.setdefault(home, {})[v] = None

    def _depth(self, block: Block) -> int:
        depth = 0
        while (owner := self.memory.owner[block]) is not None:
            block, depth = self.memory.block_of[owner], depth + 1
        return depth

    def _position(self, v: Value) -> int:
        return -1 if v.op is None else self.memory.order.get(v.op, 1 << 30)

    def _plan_block(self, home: Block, wanted: list[Value]) -> None:
        rest = []
        for v in wanted:
            if self._is_leaf(v, home):
                self._decide(v, save=not (self._is_index(v, home) or self._is_kept(v)))
            else:
                rest.append(v)
        shared: dict[Value, int] = {}
        for v in rest:
            cost, leaves = self._closure(v, home)
            if cost <= CHEAP and len(leaves) == 1:
                leaf = next(iter(leaves))
                shared[leaf] = shared.get(leaf, 0) + 1
        for leaf, count in shared.items():
            if count > 1:
                self._decide(leaf, save=True)
        for v in rest:
            cost, leaves = self._closure(v, home)
            self._decide(v, save=(cost > CHEAP or bool(leaves)) and not self._is_kept(v))

    def _decide(self, v: Value, save: bool) -> None:
        self.planned[v] = save
        if save:
            self.saved.add(v)

    def _is_kept(self, v: Value) -> bool:
        """Whether memory holds `v` to the end, so that it can be loaded from there."""
        if v not in self.kept:
            stored = next((load for store in self.stored.get(v, ()) if (load := self._load_of(store))), None)
            self.kept[v] = stored or self._from_original(v)
        return self.kept[v] is not None

    def _from_original(self, v: Value) -> Op | None:
        """What loads `v` from the array that its own is a copy of: no store had come to the cell before it was read."""
        op = v.op
        if op is None or op.name != "getitem" or op not in self.original or not isinstance(v.type, Scalar):
            return None
        copied = op.value("a").op
        if copied is None or copied.name != "np.copy" or not set(op.attrs["items"]) <= {"i"}:
            return None
        original, stores = copied.value("a"), self.memory.stores.get(self.memory.group(op.value("a")), ())
        if self.home.get(original) is not self.top or self.memory.may_change(original, copied) \
                or any(self.cells.may_precede(store, op) for store in stores):
            return None
        load = Op(SPECS["getitem"], {**op.args, "a": original}, dict(op.attrs), loc=op.loc)
        load.results = [Value(v.type, v.hint, load)]
        return load

    def _load_of(self, store: Op) -> Op | None:
        """What loads the number that `store` stored; None where it may not be there in the end."""
        v, a = store.value("value"), store.value("a")
        if self.memory.block_of[store] is not self.home.get(v) or not isinstance(a.type, Array) \
                or not isinstance(v.type, Scalar) or v.type.dtype != a.type.dtype \
                or set(store.attrs["items"]) != {"i"} or self.memory.group(a) in self.rolled \
                or self._overwritten(a, store):
            return None
        load = Op(SPECS["getitem"], {"a": a, "index": store.values("index")}, dict(store.attrs), loc=store.loc)
        load.results = [Value(v.type, v.hint, load)]
        return load

    def _is_index(self, v: Value, home: Block) -> bool:
        owner = self.memory.owner[home]
        return owner is not None and owner.name == "for" and v is home.params[0]

    def _is_leaf(self, v: Value, home: Block) -> bool:
        """Whether `v` cannot be recomputed from other values (or should not)."""
        op = v.op
        if op is None:
            return True
        if op.name in ("const", "undefined"):
            return False
        if op not in self.original or op.blocks or not op.spec.pure or op.name in ("listlen", "call", "list"):
            return True
        if is_view(op):
            # A view of the same memory; but where it may be a copy, that has to be as it was.
            if op.name == "listget":
                return self.memory.may_hold_another(op)
            return not is_surely_view(op) and self._changed(op)
        if isinstance(v.type, Array) or not isinstance(v.type, Scalar):
            return True
        return self._cost(op, home) > CHEAP or self._changed(op)

    def _changed(self, op: Op) -> bool:
        """Whether memory that `op` reads may change after it."""
        return any(is_reference(v.type) and not reads_shape(op, name) and self._overwritten(v, op, name)
                   for name, v in op.named_operands())

    def _overwritten(self, v: Value, reader: Op, name: str = "") -> bool:
        """Whether a store may change, after `reader` ran, what it read of `v`, its argument `name`."""
        whole = None if reader.name == "setitem" or (name == "a" and reader.name == "getitem") else v
        if self.memory.group(v) in self.rolled:
            # What comes after the block that it is in has been undone where its reverse begins.
            return any(self.memory.in_run(store, reader) and self.cells.may_change_in_run(store, reader, "a", whole)
                       for store in self.memory.stores[self.memory.group(v)])
        return self.memory.may_change(v, reader, lambda store: not self.cells.may_follow(store, reader, "a", whole))

    def _cost(self, op: Op, home: Block) -> int:
        """The cost of an operation; small if it can be moved out of the loop."""
        if op.name in ("getitem", "dim", "listget") or is_view(op):
            return 1
        if op.name == "pow" and constant(op.value("y")) in (2, 3):
            return 2
        if op.name in _PAIRED:
            return CHEAP // 2
        invariant = all(self.home.get(v) is not home or _constant(v) for v in op.operands())
        return min(op.spec.cost, 1) if invariant and op.spec.cost <= CHEAP else op.spec.cost

    def _closure(self, v: Value, home: Block) -> tuple[int, set[Value]]:
        """What recomputing `v` costs, and what would have to be saved for it that is not saved yet."""
        cost = 0
        leaves: set[Value] = set()
        for u in self._rebuilding(v, home):
            if self.home.get(u) is not home:
                continue
            if self._is_leaf(u, home):
                if self._is_kept(u):
                    cost += 1
                elif not self._is_index(u, home):
                    leaves.add(u)
            elif u.op is not None:
                cost += self._cost(u.op, home)
        return cost, leaves - self.saved

    def _rebuilding(self, v: Value, home: Block) -> Iterator[Value]:
        """`v`, and all that recomputing it touches: operations of its block, leaves, outer values."""
        seen: set[Value] = set()
        work = [v]
        while work:
            u = work.pop()
            if u in seen:
                continue
            seen.add(u)
            yield u
            if self.home.get(u) is home and (u is v or u not in self.saved):
                work += self._operands(u, home)

    def _operands(self, v: Value, home: Block) -> Iterable[Value]:
        """What is read where `v` is recomputed; nothing where it is not."""
        if self.planned.get(v) is False and (load := self.kept.get(v)) is not None:
            return load.operands()
        if v.op is not None and not self._is_leaf(v, home):
            return v.op.operands()
        load = self.kept.get(v) if self._is_kept(v) else None
        return () if load is None else load.operands()

    # Rewriting.

    def _ops(self, block: Block) -> None:
        # How often a loop ran is known once it is known what its reverse reads from lists.
        waiting: list[Op] = []
        for op in block.ops:
            if not op.blocks and any(v in self.counts or (v.op is not None and v.op in waiting) for v in op.operands()):
                waiting.append(op)
                continue
            for inner in op.blocks:
                self.frames.append(Frame(self.mirrors.get(inner), []))
                self._ops(inner)
                self.op = op
                inner.results = [self._value(v) for v in inner.results]
                inner.ops = self.frames.pop().out
            for ready in (*(waiting if op.blocks else ()), op):
                self.op = ready
                for name, arg in ready.args.items():
                    ready.args[name] = tuple(map(self._value, arg)) if isinstance(arg, tuple) else self._value(arg)
                self.frames[-1].out.append(ready)
            if op.blocks:
                waiting = []

    def _value(self, v: Value) -> Value:
        """What to read instead of `v` at this point of the reverse program."""
        home = self.home.get(v)
        if home is self.top:
            return v
        if home is None:
            return self._count(v)
        at = max(k for k, f in enumerate(self.frames) if f.mirror is not None and f.mirror.forward is home)
        frame = self.frames[at]
        if v not in frame.available:
            frame.available[v] = self._make(v, home, at)
        return frame.available[v]

    def _make(self, v: Value, home: Block, at: int) -> Value:
        if self._is_index(v, home):
            return self._index(at)
        save = self.planned.get(v)
        if save is None:
            self._plan_block(home, [v])
            save = self.planned[v]
        if save:
            return self._load(v, at)
        op = self.kept.get(v) or v.op
        assert op is not None
        args = {u: self._value(u) for u in op.operands()}
        new = clone_op(op, args)
        self._place(new, at)
        return new.results[op.results.index(v) if op is v.op else 0]

    def _place(self, op: Op, at: int) -> None:
        if self.op is not None:
            op.origin, op.loc = self.op.origin, self.op.loc
        self.frames[at].out.append(op)

    def _builder(self, at: int) -> tuple[Builder, Block]:
        made = Block()
        return Builder(made, self.op.loc if self.op else None, self.op.origin if self.op else None), made

    def _finish(self, made: Block, at: int) -> None:
        self.frames[at].out += made.ops

    def _index(self, at: int) -> Value:
        """The forward loop's index in its reverse loop."""
        mirror = self.frames[at].mirror
        assert mirror is not None and mirror.owner is not None
        if mirror.index is None:
            assert mirror.trip is not None
            start, step = self._value(mirror.owner.value("start")), self._value(mirror.owner.value("step"))
            b, made = self._builder(at)
            mirror.index = b.add(start, b.mul(step, mirror.trip))
            mirror.index.hint = mirror.forward.params[0].hint
            self._finish(made, at)
        return mirror.index

    def _trip(self, at: int) -> Value:
        """The number of the forward iteration, in its reverse loop."""
        mirror = self.frames[at].mirror
        assert mirror is not None and mirror.owner is not None
        if mirror.trip is None:
            assert mirror.index is not None
            bounds = {name: self._value(mirror.owner.value(name)) for name in ("start", "stop", "step")}
            b, made = self._builder(at)
            stand_in = Op(mirror.owner.spec, dict(bounds))
            mirror.trip = trip_number(b, stand_in, mirror.index)
            self._finish(made, at)
        return mirror.trip

    def _load(self, v: Value, at: int) -> Value:
        """`v`, saved by the forward sweep and read back in frame `at`."""
        levels = [k for k in range(at, -1, -1) if self._is_loop(k)]
        mirror = self.frames[at].mirror
        assert mirror is not None and mirror.owner is not None
        loops = [self._owner(k) for k in levels]
        if loops and (buffer := self.saver.buffer(v, loops)) is not None:
            return self._read(v, buffer, tuple(self._trip(k) for k in reversed(levels)), at)
        if not self._is_loop(at):
            out = self.saver.export(v, mirror.owner, mirror.forward, in_loop=bool(loops))
            self._decide(out, save=True)
            return self._value(out)
        saved, base = self.saver.growing(v, loops)
        if base is None:
            self.list_of[loops[0]] = saved
        where = self._value(saved)
        index = self._trip(at)
        if base is not None:
            self._decide(base, save=True)
            start = self._value(base)
            b, made = self._builder(at)
            index = b.add(start, index)
            self._finish(made, at)
        b, made = self._builder(at)
        value = b.one("listget", {"list": where, "index": index}, hint=v.hint)
        value.type = v.type
        self._finish(made, at)
        return value

    def _is_loop(self, k: int) -> bool:
        mirror = self.frames[k].mirror
        return mirror is not None and mirror.owner is not None and mirror.owner.name in LOOPS

    def _owner(self, k: int) -> Op:
        mirror = self.frames[k].mirror
        assert mirror is not None and mirror.owner is not None
        return mirror.owner

    def _read(self, v: Value, buffer: Value, index: tuple[Value, ...], at: int) -> Value:
        where = self._value(buffer)
        b, made = self._builder(at)
        value = b.one("getitem", {"a": where, "index": index}, {"items": ("i",) * len(index)}, hint=v.hint)
        value.type = v.type
        self._finish(made, at)
        return value

    def _count(self, v: Value) -> Value:
        """The number of iterations of a loop that ends early, if `v` stands for one; else `v`."""
        mirror = self.counts.get(v)
        if mirror is None or mirror.owner is None:
            return v
        if v not in self.counted:
            if mirror.owner in self.list_of:
                b, made = self._builder(-1)
                saved = self._value(self.list_of[mirror.owner])
                self.counted[v] = b.one("listlen", {"list": saved})
                self.frames[-1].out += made.ops
            else:
                total = self.saver.counter(mirror.owner)
                self._decide(total, save=True)
                self.counted[v] = self._value(total)
        return self.counted[v]


def _constant(v: Value) -> bool:
    return v.op is not None and v.op.name == "const"
