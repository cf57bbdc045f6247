"""Zeros that are only added to: `a[i] = 0; …; a[i] += v` is `a[i] = v`, and zeros plus `v` are `v`.

    >>> from s2s.ir.builder import Builder
    >>> from s2s.ir.core import Block, Function, Value
    >>> from s2s.ir.types import FLOAT, INT, Array, Dim
    >>> a, i, v = Value(Array("float64", (Dim("n"),)), "a"), Value(INT, "i"), Value(FLOAT, "v")
    >>> b = Builder(Block([a, i, v]))
    >>> cell = {"a": a, "index": (i,)}
    >>> _ = b.emit("setitem", {**cell, "value": b.const(0.0)}, {"items": ("i",)})
    >>> _ = b.emit("additem", {**cell, "value": v}, {"items": ("i",)})
    >>> [op.name for op in zeros(Function("f", b.block)).block.ops]
    ['const', 'setitem']

Only additions to the same memory may lie between the two, because they commute.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from s2s.ir.core import Block, Function, Op, Value, clone_function, walk
from s2s.ir.memory import Memory, is_fresh, is_memory
from s2s.ir.ops import SPECS, constant, is_basic
from s2s.ir.sums import uses
from s2s.ir.types import Array, Scalar, same_size

_ZEROS = frozenset({"np.zeros_like", "np.zeros"})


def zeros(fn: Function, *, disjoint: bool = True) -> Function:
    """`fn` with first contributions stored instead of added to zero."""
    if not any(op.name in ("additem", "addto") for op in walk(fn.block)):
        return fn
    new, _ = clone_function(fn)
    _Zeros(new, Memory(new, disjoint=disjoint)).block(new.block)
    return new


@dataclass(slots=True)
class _Open:
    """A zero whose memory has only been added to since: the store (or allocation) and where it stands.

    first: where something was first added to memory that may overlap.
    """

    op: Op
    at: int
    key: Any = None
    first: int | None = None


@dataclass(slots=True)
class _State:
    """Of one block: the zeros that may still be replaced, by class of memory; and what is replaced."""

    stores: dict[Value, list[_Open]] = field(default_factory=dict)
    fresh: dict[Value, _Open] = field(default_factory=dict)
    position: dict[Op, int] = field(default_factory=dict)
    # What becomes of the block: operations left out, replaced, and put behind another one.
    dropped: set[Op] = field(default_factory=set)
    instead: dict[Op, Op] = field(default_factory=dict)
    after: dict[Op, list[Op]] = field(default_factory=dict)


class _Zeros:
    def __init__(self, fn: Function, memory: Memory) -> None:
        self.memory = memory
        self.uses = uses(fn.block, fn.block.results)

    def block(self, block: Block) -> None:
        """Rewrite one block, inner blocks first."""
        state = _State()
        for at, op in enumerate(block.ops):
            state.position[op] = at
            for inner in op.blocks:
                self.block(inner)
            if op.name == "additem":
                self._additem(op, at, state)
            elif op.name == "addto":
                self._addto(op, state)
            else:
                self._touch(op, state)
            self._open(op, at, state)
        ops: list[Op] = []
        for op in block.ops:
            if op not in state.dropped:
                ops.append(state.instead.get(op, op))
            ops += state.after.get(op, ())
        block.ops = ops

    def _open(self, op: Op, at: int, state: _State) -> None:
        if op.name == "setitem" and _is_zero(op.value("value")) and is_basic(op.attrs["items"]):
            opened = _Open(op, at, _cell(op))
            state.stores.setdefault(self.memory.of(op.value("a")), []).append(opened)
        elif op.name in _ZEROS:
            state.fresh[op.result] = _Open(op, at)

    def _touch(self, op: Op, state: _State) -> None:
        """Forget the zeros that `op` may read or overwrite."""
        if not state.stores and not state.fresh:
            return
        touched = set(_memory_operands(op))
        for v in op.operands():
            state.fresh.pop(v, None)  # also where only the shape is read
        for inner in op.blocks:
            touched.update(v for o in walk(inner) for v in o.operands() if is_memory(v.type))
            yielded = [*inner.results, *(v for o in walk(inner) for nested in o.blocks for v in nested.results)]
            touched.update(v for v in yielded if is_memory(v.type))
        if op.name in ("pycall", "call"):
            state.stores.clear()
        for v in touched:
            state.stores.pop(self.memory.of(v), None)
            state.fresh.pop(v, None)

    def _additem(self, op: Op, at: int, state: _State) -> None:
        a, value = op.value("a"), op.value("value")
        if is_memory(value.type):
            state.stores.pop(self.memory.of(value), None)
            state.fresh.pop(value, None)
        state.fresh.pop(a, None)
        same_memory = state.stores.get(self.memory.of(a), [])
        for opened in same_memory:
            if opened.key == _cell(op) and self._replace(op, opened, state):
                same_memory.remove(opened)
                break
        for opened in same_memory:
            opened.first = at if opened.first is None else opened.first

    def _replace(self, op: Op, opened: _Open, state: _State) -> bool:
        """Store what `op` adds instead of the zero, at a place where it is known and nothing has been added yet."""
        value = op.value("value")
        store = Op(SPECS["setitem"], dict(op.args), dict(op.attrs), loc=op.loc, origin=op.origin)
        if opened.first is None:
            state.instead[op] = store
            state.dropped.add(opened.op)
            return True
        if not isinstance(value.type, Scalar):
            return False
        made = -1 if value.op is None else state.position.get(value.op, -1)
        if made >= opened.first:
            return False
        state.dropped.add(op)
        if value.op is not None and made > opened.at:
            state.dropped.add(opened.op)
            state.after.setdefault(value.op, []).append(store)
        else:
            state.instead[opened.op] = store
        return True

    def _addto(self, op: Op, state: _State) -> None:
        """`z = np.zeros_like(a); z += v` as `z = v`, where `v` was computed for this alone."""
        a, value = op.value("a"), op.value("value")
        opened = state.fresh.pop(a, None)
        self._touch(op, state)
        if opened is None or value.op not in state.position or not _same_array(a, value):
            return
        if not is_fresh(value.op) or self.uses[value] != 1 or value.op.blocks:
            return
        value.op.results = [a]
        a.op = value.op
        state.dropped.update((op, opened.op))


def _is_zero(v: Value) -> bool:
    return bool(constant(v) == 0) and isinstance(v.type, Scalar)


def _cell(op: Op) -> Any:
    return (op.value("a"), op.attrs["items"], op.values("index"))


def _memory_operands(op: Op) -> list[Value]:
    return [v for v in op.operands_read() if is_memory(v.type)]


def _same_array(a: Value, value: Value) -> bool:
    """Whether `value` has the shape and dtype of the zeros `a`."""
    t, u = a.type, value.type
    return (isinstance(t, Array) and isinstance(u, Array) and t.dtype == u.dtype and t.ndim == u.ndim
            and all(x == y or (same_size(x, y)) for x, y in zip(t.dims, u.dims, strict=True)))
