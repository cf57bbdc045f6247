"""Two additions to one cell that belong to one statement are one: `a[i] += u; a[i] += v` is `a[i] += u + v`.

    >>> from s2s.ir.builder import Builder
    >>> from s2s.ir.core import Block, Function, Value
    >>> from s2s.ir.types import FLOAT, INT, Array, Dim
    >>> a, i = Value(Array("float64", (Dim("n"),)), "a"), Value(INT, "i")
    >>> u, v = Value(FLOAT, "u"), Value(FLOAT, "v")
    >>> b = Builder(Block([a, i, u, v]))
    >>> for value in (u, v):
    ...     _ = b.emit("additem", {"a": a, "index": (i,), "value": value}, {"items": ("i",)})
    >>> [op.name for op in additions(Function("f", b.block)).block.ops]
    ['add', 'additem']

Only additions to the same memory may lie between the two, because they commute.
"""

from __future__ import annotations

from typing import Any

from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Op, Value, clone_function, walk
from s2s.ir.memory import Memory, is_memory
from s2s.ir.ops import constant, is_basic
from s2s.ir.types import Array, Scalar, Type, kind


def additions(fn: Function, *, disjoint: bool = True) -> Function:
    """`fn` with additions to the same cell joined."""
    if sum(op.name == "additem" for op in walk(fn.block)) < 2:
        return fn
    new, _ = clone_function(fn)
    _join(new.block, Memory(new, disjoint=disjoint))
    return new


def _join(block: Block, memory: Memory) -> None:
    """Join the additions of one block, and of those inside it."""
    # Class of memory -> cell -> the addition that still waits for another one.
    waiting: dict[Value, dict[Any, Op]] = {}
    joined = Builder(Block())
    dropped: set[Op] = set()
    for op in block.ops:
        for inner in op.blocks:
            _join(inner, memory)
        if op.name == "additem" and isinstance(op.value("value").type, Scalar) and is_basic(op.attrs["items"]):
            cells = waiting.setdefault(memory.of(op.value("a")), {})
            before = cells.get(_cell(op))
            if before is not None:
                dropped.add(before)
                joined.loc, joined.origin = op.loc, op.origin
                op.args = {**op.args, "value": total(joined, before.value("value"), op.value("value"))}
            cells[_cell(op)] = op
        elif waiting:
            for v in touched(op):
                waiting.pop(memory.of(v), None)
            if op.name in ("pycall", "call"):
                waiting.clear()
        joined.block.ops.append(op)
    block.ops = [op for op in joined.block.ops if op not in dropped]


def _cell(op: Op) -> Any:
    statement = (op.origin.loc if op.origin is not None else None) or op.loc
    return (op.value("a"), op.attrs["items"], op.values("index"), op.value("value").type, statement)


def touched(op: Op) -> list[Value]:
    """The memory that `op`, or an operation inside it, may read or write."""
    found = [v for inner in op.blocks for o in walk(inner) for v in o.operands()]
    return [v for v in (*op.operands(), *found) if is_memory(v.type)]


def total(b: Builder, u: Value, v: Value) -> Value:
    """u + v, and -(x + y) where both are negative, so that it can be subtracted."""
    if u is v and kind(u.type) == "f":
        return b.mul(two(b, u.type), u)
    x, y = (_negated(b, w) for w in (u, v))
    if x is not None and y is not None:
        return b.neg(b.add(x, y))
    return b.add(u, v)


def two(b: Builder, t: Type) -> Value:
    """The constant 2 that leaves the dtype of a floating value of type `t` as it is."""
    assert isinstance(t, Scalar | Array)
    return b.const(2.0) if t.dtype == "float64" else b.const(2.0, Scalar(t.dtype))


def _negated(b: Builder, v: Value) -> Value | None:
    """What `v` is the negative of, where it says so."""
    if v.op is None or kind(v.type) != "f":
        return None
    if v.op.name == "neg":
        return v.op.value("x")
    if v.op.name == "mul":
        c = v.op.value("x")
        number = constant(c)
        if isinstance(c.type, Scalar) and number is not None and number < 0:
            return b.mul(b.const(-number, c.type), v.op.value("y"))
    return None
