"""Target cpu: memory all of which is written before it is read is not filled with zeros first.

    A_bar = np.zeros_like(A)                      A_bar = np.empty_like(A)
    for i in range(A.shape[0]):                   for i in range(A.shape[0]):
        for j in range(A.shape[1]):                   for j in range(A.shape[1]):
            A_bar[i, j] += x[j] * t                       A_bar[i, j] = x[j] * t

The first addition has to be made once to each cell, by loops that run over all of them, and before anything else looks
at that cell. Only adjoints are treated so: in the function itself 0.0 plus -0.0 is 0.0.
"""

from __future__ import annotations

from s2s.ir.core import Block, Function, Op, Value, clone_function, walk
from s2s.ir.linear import Linear
from s2s.ir.ops import SPECS, constant
from s2s.ir.types import Array
from s2s.rules import TABLE
from s2s.simplify.ascending import Order

EMPTY = {"np.zeros_like": "np.empty_like", "np.zeros": "np.empty"}


def fills(fn: Function) -> Function:
    """`fn` without zeros that nothing needs."""
    if not any(op.name in EMPTY for op in walk(fn.block)) or not any(op.name == "additem" for op in walk(fn.block)):
        return fn
    new, _ = clone_function(fn)
    order = Order(new)
    for op in list(walk(new.block)):
        if op.name in EMPTY:
            first = _first(op, new, order)
            if first is not None:
                op.spec = TABLE.by_name[EMPTY[op.name]].spec
                first.spec = SPECS["setitem"]
    return new


def _first(made: Op, fn: Function, order: Order) -> Op | None:
    """The addition that reaches each cell of what `made` made first; None where there is none."""
    v = made.result
    c = order.memory.of(v)
    if not isinstance(v.type, Array):
        return None
    uses = [op for op in walk(fn.block) if op is not made and any(order.memory.of(u) is c for u in _memory(op))]
    named = [op for op in uses if any(order.memory.of(r) is c for r in op.results if isinstance(r.type, Array))]
    if not uses or named or any(
            order.memory.of(p) is c for op in walk(fn.block) for b in op.blocks for p in (*b.params, *b.results)
            if isinstance(p.type, Array)):
        return None  # by other names, too
    first = min(uses, key=lambda op: order.cells.s.order[op])
    home = order.cells.s.block_of[made]
    if first.name != "additem" or first.origin is None or first.value("a") is not v \
            or not _covers(first, v, home, order):
        return None
    value = first.value("value")
    if value is v or any(order.cells.may_follow(first, op, "a", None if op.args.get("a") is v else v)
                         for op in uses if op is not first):
        return None
    return first


def _memory(op: Op) -> list[Value]:
    return [v for v in op.operands_read() if isinstance(v.type, Array)]


def _covers(op: Op, v: Value, home: Block, order: Order) -> bool:
    """Whether the loops around `op`, in `home`, run once over each cell of `v`, and nothing else decides."""
    cells = order.cells
    loops: dict[Value, Op] = {}
    block = cells.s.block_of[op]
    while block is not home:
        owner = cells.s.owner[block]
        if owner is None or owner.name != "for" or owner.attrs.get("breaks") \
                or constant(owner.value("step")) not in (1, -1):
            return False
        loops[block.params[0]] = owner
        block = cells.s.block_of[owner]
    if set(op.attrs["items"]) != {"i"} or len(loops) != len(op.values("index")):
        return False
    for k, index in enumerate(op.values("index")):
        e = cells.linear(index)
        along = [i for i in loops if e.factors.get(i) == 1]
        if len(along) != 1:
            return False
        loop = loops.pop(along[0])
        shift = e.minus(Linear.of(along[0]))
        start, stop = cells.linear(loop.value("start")), cells.linear(loop.value("stop"))
        if constant(loop.value("step")) == -1:
            start, stop = stop.shifted(1), start.shifted(1)
        if start.plus(shift) != Linear() or stop.plus(shift) != cells.extent(v, k):
            return False
    return True
