"""Target cpu: loops that add to neighbouring cells, so that each iteration adds to one.

    for i in range(n):                   if n > 0:
        x_bar[i] += u(i)                     x_bar[0] += u(0)
        x_bar[i + 1] += v(i)                 for i in range(n - 1):
                                                 x_bar[i + 1] += u(i + 1) + v(i)
                                             x_bar[n] += v(n - 1)

No iteration waits for what the one before it stored, and the loop is vectorised. What an iteration adds to the
cell at i + k is added by the iteration that adds to that cell anyway. Only where the iterations may run in any order.

A single loop, and one for threads, computes what is added again where it is cheap, and has its ends peeled off
(J. Hückelheim, N. Kukreja, S. Narayanan, F. Luporini, G. Gorman, P. Hovland: "Automatic Differentiation for Adjoint
Stencil Loops", ICPP 2019): `peeled`. A nest of loops keeps what it adds until its cell is reached: `delayed`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from s2s.ir.core import Block, Function, Op, Value, clone_function, walk
from s2s.ir.linear import Linear
from s2s.ir.memory import is_memory
from s2s.ir.ops import constant
from s2s.ir.types import Array, Scalar
from s2s.rules import TABLE
from s2s.simplify.ascending import Order
from s2s.targets.delayed import delayed
from s2s.targets.fills import EMPTY
from s2s.targets.peeled import Peeled
from s2s.targets.stencil import Addition, computing

# What may be computed more than once: each operation, and all together.
_COSTLY = 6
_TOTAL = 60
# How far apart the cells of one iteration may be.
_FAR = 4
# What bounds of inner loops are computed with.
_BOUNDS = frozenset({"const", "dim", "add", "sub"})


def gather(fn: Function, *, threads: bool = False) -> Function:
    """`fn` with additions to neighbouring cells gathered; `threads`: so that iterations stay apart from each other."""
    if sum(op.name == "additem" for op in walk(fn.block)) < 2:
        return fn
    new, _ = clone_function(fn)
    _block(new.block, Order(new), threads)
    return new


def _block(block: Block, order: Order, threads: bool) -> None:
    ops: list[Op] = []
    for op in block.ops:
        made = _gathered(op, ops, order, threads)
        if made is None:
            for inner in op.blocks:
                _block(inner, order, threads)
            ops.append(op)
        else:
            ops += made
    block.ops = ops


def _gathered(op: Op, before: Sequence[Op], order: Order, threads: bool) -> list[Op] | None:
    """What a nest of loops becomes; None where gathering does not pay or is not known to be right."""
    plan = _plan(op, order)
    if plan is None:
        return None
    nest, additions = plan
    made = None if threads else delayed(nest, additions, order)
    body = nest[-1].blocks[0]
    if made is not None or not _is_cheap(body, additions) or not _is_apart(body, order):
        return made
    zeros = _zeros(before, op, additions, order)
    if zeros is not None:
        zeros.spec = TABLE.by_name[EMPTY[zeros.name]].spec
    return Peeled(nest, additions, fills=zeros is not None).write()


def _zeros(before: Sequence[Op], loop: Op, additions: Sequence[Addition], order: Order) -> Op | None:
    """What makes the zeros to whose cells `loop`, and nothing before it, adds: to each one, without exception."""
    a = additions[0].op.value("a")
    made = a.op
    if len({x.cell for x in additions}) > 1 or len(additions[0].shifts) > 1 or made not in before \
            or made is None or made.name not in EMPTY or not isinstance(a.type, Array) or a.type.ndim > 1:
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


def _plan(op: Op, order: Order) -> tuple[list[Op], list[Addition]] | None:
    """A nest of loops and its additions, where they may be done in another order; None where they may not."""
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
        additions += [Addition(o, tuple(x - y for x, y in zip(ahead, nearest, strict=True)), cell)
                      for o, ahead in members]
    far = max((s for a in additions for s in a.shifts), default=0)
    if not 0 < far <= _FAR:
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


def _is_cheap(body: Block, additions: Sequence[Addition]) -> bool:
    shifts = {a.shifts for a in additions}
    costs = {op: op.spec.cost for a in additions for op in computing(body.ops, [a.op.value("value")])}
    return max(costs.values(), default=0) <= _COSTLY and sum(costs.values()) * (len(shifts) - 1) <= _TOTAL


def _is_apart(body: Block, order: Order) -> bool:
    """Whether all additions can come first: nothing else touches what they change, and no store what they read."""
    memory = order.memory
    adding = [op for op in body.ops if op.name == "additem"]
    added = {memory.of(op.value("a")) for op in adding}
    stored: set[Value] = set()
    sources = set(computing(body.ops, [v for op in adding for v in op.operands()]))
    for op in body.ops:
        if op.name == "additem":
            continue
        touched = {memory.of(v) for v in op.operands() if is_memory(v.type)}
        if touched & added or (op in sources and touched & stored):
            return False
        if op.name == "setitem":
            stored.add(memory.of(op.value("a")))
    return True
