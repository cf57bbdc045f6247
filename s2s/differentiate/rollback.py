"""Memory that the reverse sweep rolls back: it undoes each store before it reverses what came before that.

    for i in range(1, n):                    for i in range(n - 1, 0, -1):
        t = u[i]                                 t = u_saved[i - 1]
        u_saved[i - 1] = t           ─►          u[i] = t
        u[i] = t * u[i - 1]                      u_bar[i - 1] += t * u_bar[i]
                                                 u_bar[i] *= u[i - 1]

So a load is repeated where it is reversed, however often its cell is stored to later: what is saved is a number for
each store, not one for each load. It takes that every store is reversed, and that nobody looks at the array later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from s2s.analyse.memory import LOOPS, Memory, is_reference, is_surely_view, is_view, written
from s2s.ir.builder import Builder
from s2s.ir.cells import Cells
from s2s.ir.core import Block, Function, Op, OpSpec, Value, walk
from s2s.ir.memory import ARRAY_STORES, is_fresh
from s2s.ir.ops import constant
from s2s.ir.types import Array, Scalar, is_inexact
from s2s.rules.expr import Expr, fn

# Operations that may keep an array, or read it when nobody sees.
_OPAQUE = frozenset({"call", "pycall", "hostcall", "custom"})
_SHAPE_ONLY = {"np.zeros_like": "a", "np.ones_like": "a", "np.empty_like": "a", "dim": "a", "listzeros": "list",
               "s2s.unbroadcast": "like", "s2s.broadcast_like": "like"}
# To roll back has to save at most this part of what is saved without.
WORTH = 0.7
_MANY = 4


def reads_shape(op: Op, name: str) -> bool:
    """Whether `op` reads no more of the argument `name` than its shape and dtype."""
    return name in op.spec.shape_only or _SHAPE_ONLY.get(op.name) == name


def candidates(top: Block, memory: Memory, reverse: Block, active: Callable[[Value], bool],
               outlive: Iterable[Value]) -> list[Value]:
    """The arrays that can be rolled back in `reverse`: each is the one that all values of its group are views of.

    outlive: what is read after the reverse sweep, or belongs to somebody else.
    """
    barred = {memory.group(v) for v in outlive} | _misread(reverse, memory)
    members: dict[Value, list[Value]] = {}
    for v in memory.home:
        if is_reference(v.type):
            members.setdefault(memory.group(v), []).append(v)
    for op in memory.order:
        if op.blocks or op.name in _OPAQUE:
            barred.update(memory.group(v) for v in (*op.operands(), *op.results) if is_reference(v.type))
    found = []
    for group, values in members.items():
        roots = [v for v in values if v.op is None or not is_view(v.op)]
        stores = memory.stores.get(group, ())
        if group not in barred and stores and len(roots) == 1 and active(roots[0]) \
                and all(_is_reversed(store, memory) for store in stores) \
                and all(_is_made(v, memory, top) if v in roots else v.op is not None and is_surely_view(v.op)
                        for v in values):
            found += roots
    return found


def _is_made(v: Value, memory: Memory, top: Block) -> bool:
    """Whether `v` is an array that `top` makes, once."""
    return isinstance(v.type, Array) and v.op is not None and is_fresh(v.op) and memory.home[v] is top


def _is_reversed(store: Op, memory: Memory) -> bool:
    """Whether the reverse sweep comes by `store`, as often as it ran."""
    return store.name in ARRAY_STORES and all(
        owner.name in ("if", *LOOPS) and (owner.name == "if" or block is owner.blocks[-1])
        for owner, block in memory.enclosing(store))


def _misread(reverse: Block, memory: Memory) -> set[Value]:
    """Groups of which the reverse of an operation may read what that did not, or later than its own time."""
    bad: set[Value] = set()
    parts: dict[Value, tuple[Value, Op | None]] = {}  # views made in the reverse sweep

    def passed_on(values: Iterable[Value]) -> None:
        bad.update(parts[v][0] if v in parts else memory.group(v) for v in values
                   if v in parts or (v in memory.home and is_reference(v.type)))
    for op in walk(reverse):
        for inner in op.blocks:
            passed_on(inner.results)
        if op.blocks:
            passed_on(op.operands())
            continue
        for name, v in op.named_operands():
            if v in parts:
                group, at = parts[v]
            elif v in memory.home and is_reference(v.type) and not reads_shape(op, name):
                group, at = memory.group(v), op.origin
            else:
                continue
            if at is None or at is not op.origin or (v not in parts and v not in (*at.operands(), *at.results)):
                bad.add(group)
            if is_view(op) and op.value(op.spec.view or "") is v:
                parts[op.result] = group, op.origin
    passed_on(reverse.results)
    return bad


def _reads_result(op: Op) -> bool:
    """Whether the reverse of `op`, which made an array, may read that array."""
    return op.name != "np.copy" and any(is_inexact(v.type) and not reads_shape(op, name)
                                        for name, v in op.named_operands())


class Undo:
    """What has to be known to undo the stores to the memory of `roots`."""

    def __init__(self, memory: Memory, cells: Cells, roots: Sequence[Value]) -> None:
        self.memory = memory
        self.cells = cells
        self.groups = frozenset(memory.group(root) for root in roots)
        readers = [(op, name, v) for op in memory.order for name, v in op.named_operands()
                   if is_reference(v.type) and memory.group(v) in self.groups and written(op) is not v
                   and not reads_shape(op, name) and not is_view(op)]
        readers += [(root.op, "", root) for root in roots if root.op is not None and _reads_result(root.op)]
        self.stores = [store for group in self.groups for store in memory.stores[group]
                       if any(self._changes(store, *reader) for reader in readers)]

    def _changes(self, store: Op, reader: Op, name: str, v: Value) -> bool:
        whole = None if name == "a" and reader.name == "getitem" else v
        return store in self.memory.changing(v, reader) and self.cells.may_follow(store, reader, "a", whole)

    def loaded(self, store: Op) -> Value | None:
        """The number that `store` overwrites, if the statements before it loaded that."""
        block = self.memory.block_of[store]
        if "index" not in store.args:
            return None
        index = [_same(v) for v in store.values("index")]
        for op in block.ops[:block.ops.index(store)]:
            if op.name == "getitem" and isinstance(op.result.type, Scalar) and op.value("a") is store.value("a") \
                    and op.attrs["items"] == store.attrs["items"] \
                    and [_same(v) for v in op.values("index")] == index and not self._between(op, store):
                return op.result
        return None

    def _between(self, load: Op, store: Op) -> bool:
        """Whether the cell may be changed after `load` and before `store`, in one run of their block."""
        return any(self.memory.in_run(other, load) and self.memory.order[other] < self.memory.order[store]
                   and self.cells.may_change_in_run(other, load)
                   for other in self.memory.stores[self.memory.group(store.value("a"))])


def _same(v: Value) -> object:
    c = constant(v)
    return v if c is None else c


def keep_overwritten(function: Function, undo: Undo, lookup: Callable[[str], OpSpec | None]) -> dict[Op, Value]:
    """What each store that has to be undone overwrites, as a value of `function`, which gets what loads it."""
    old = {store: undo.loaded(store) for store in undo.stores}
    kept = {store: v for store, v in old.items() if v is not None}
    _load(function.block, {store for store, v in old.items() if v is None}, kept, lookup)
    return kept


def _load(block: Block, stores: set[Op], kept: dict[Op, Value], lookup: Callable[[str], OpSpec | None]) -> None:
    ops, block.ops = block.ops, []
    for op in ops:
        for inner in op.blocks:
            _load(inner, stores, kept, lookup)
        if op in stores:
            b, a = Builder(block, op.loc), op.value("a")
            whole = op.attrs.get("items", ("e",)) == ("e",)
            v = a if whole else b.one("getitem", {"a": a, "index": op.values("index")}, {"items": op.attrs["items"]})
            if isinstance(v.type, Array) and (v is a or is_view(v.op)):  # type: ignore[arg-type]
                v = fn.copy(Expr(b, v, lookup)).v
            v.hint = v.hint or a.hint
            kept[op] = v
        block.ops.append(op)


def axes_overwritten(store: Op) -> int:
    """How many axes the part of an array has that `store` overwrites."""
    t = store.value("a").type
    assert isinstance(t, Array)
    items: tuple[str, ...] = store.attrs.get("items", ())
    return t.ndim - items.count("i")


def restore(b: Builder, store: Op, old: Value) -> None:
    """Undo `store`, which overwrote `old`."""
    b.emit("setitem", {"a": store.value("a"), "index": store.args.get("index", ()), "value": old},
           {"items": store.attrs.get("items", ("e",))})


def choose(roots: Sequence[Value], cost: Callable[[Sequence[Value]], float]) -> list[Value]:
    """Those of `roots` with which least is saved; `cost` says how much, where these are rolled back."""
    best: list[Value] = []
    least = cost([])
    limit = WORTH * least
    if not least or not roots:
        return []
    together = list(roots) if len(roots) > 1 else []
    for tried in ([root] for root in roots) if len(roots) <= _MANY else ():
        if (c := cost([*best, *tried])) < least:
            best, least = [*best, *tried], c
    if together and len(best) < len(roots) and cost(together) < least:
        best, least = together, cost(together)
    return best if least <= limit else []
