"""`a[i] = a[i] + v` as `a[i] += v`, and no store of what the cell holds already.

    >>> from s2s.ir.builder import Builder
    >>> from s2s.ir.core import Block, Function, Value
    >>> from s2s.ir.types import INT, Array, Dim, Scalar
    >>> a, i, v = Value(Array("float64", (Dim("n"),)), "a"), Value(INT, "i"), Value(Scalar("float64"), "v")
    >>> b = Builder(Block([a, i, v]))
    >>> cell = {"a": a, "index": (i,)}
    >>> old = b.one("getitem", cell, {"items": ("i",)})
    >>> _ = b.emit("setitem", {**cell, "value": b.add(old, v)}, {"items": ("i",)})
    >>> [op.name for op in accumulate(Function("f", b.block)).block.ops]
    ['getitem', 'add', 'additem']

The sum that nothing reads any more is left to `dce`. The reverse of an addition reads the adjoint of the cell, and
leaves it as it is. What is added to a part of an array is a number or an array of its own: numba adds
`a[1:] += a[:-1]` up as it goes along.
"""

from __future__ import annotations

from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Op, Value, clone_function, walk
from s2s.ir.memory import Memory, is_memory
from s2s.ir.ops import SPECS, is_basic
from s2s.ir.sums import uses
from s2s.ir.types import Array, Scalar, kind


def accumulate(fn: Function, *, disjoint: bool = True) -> Function:
    """`fn` with additions to cells written as such."""
    if not any(op.name == "setitem" for op in walk(fn.block)):
        return fn
    new, _ = clone_function(fn)
    _block(new.block, Memory(new, disjoint=disjoint), uses(new.block))
    return new


def _block(block: Block, memory: Memory, count: dict[Value, int]) -> None:
    made = Builder(Block())
    ops = made.block.ops
    # Loads of numbers and views whose cells nothing has changed since, by the class of memory.
    loads: dict[Value, set[Op]] = {}
    # Of views, the sums that were made since.
    sums: dict[Value, set[Op]] = {}
    for op in block.ops:
        for inner in op.blocks:
            _block(inner, memory, count)
        if op.name == "setitem" and is_basic(op.attrs["items"]):
            waiting = loads.get(memory.of(op.value("a")), set()) | sums.get(memory.of(op.value("a")), set())
            value = op.value("value")
            if value.op in waiting and _same_cell(value.op, op):
                continue  # it holds that already
            made.loc, made.origin = op.loc, op.origin
            added = _added(op, waiting, count, memory, made)
            if added is not None:
                op = Op(SPECS["additem"], {**op.args, "value": added}, dict(op.attrs), loc=op.loc, origin=op.origin)
        if op.name in ("call", "pycall"):
            loads.clear()
            sums.clear()
        written = [v for o in (op, *(o for inner in op.blocks for o in walk(inner))) for v in memory.writes(o)]
        for v in written:
            loads.pop(memory.of(v), None)
            sums.pop(memory.of(v), None)
        if any(o.name == "pycall" for inner in op.blocks for o in walk(inner)):
            loads.clear()
            sums.clear()
        if op.name == "getitem" and is_basic(op.attrs["items"]):
            loads.setdefault(memory.of(op.value("a")), set()).add(op)
        elif op.name in ("add", "sub"):
            for v in op.operands():
                if is_memory(v.type):
                    sums.setdefault(memory.of(v), set()).add(op)
        ops.append(op)
    block.ops = ops


def _same_cell(load: Op | None, store: Op) -> bool:
    return load is not None and load.name == "getitem" and load.value("a") is store.value("a") \
        and load.values("index") == store.values("index") and load.attrs["items"] == store.attrs["items"]


def _added(store: Op, known: set[Op], count: dict[Value, int], memory: Memory, b: Builder) -> Value | None:
    """What `store` adds to what its cells hold; None where it does something else.

    known: loads of cells, and sums of views, since which nothing was written.
    """
    total = store.value("value")
    a = store.value("a").type
    if total.op is None or total.op.name not in ("add", "sub") or count.get(total, 0) != 1 \
            or not isinstance(a, Array) or kind(a) not in "fc":
        return None
    x, y = total.op.value("x"), total.op.value("y")
    for old, v in ((x, y), (y, x))[: 2 if total.op.name == "add" else 1]:
        if not (_same_cell(old.op, store) and _fits(v, a)) or memory.of(v) is memory.of(store.value("a")):
            continue
        # A view shows what the cells hold when it is added to, a number what they held when it was loaded.
        if total.op in known if is_memory(old.type) else old.op in known and count.get(old, 0) == 1:
            return v if total.op.name == "add" else b.neg(v)
    return None


def _fits(v: Value, a: Array) -> bool:
    """Whether adding `v` to a cell computes in the dtype of the array."""
    t = v.type
    return isinstance(t, Scalar | Array) and (t.dtype == a.dtype or (t.weak and kind(t) in "if"))
