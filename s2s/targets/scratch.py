"""Target cpu with parallel=True: memory that each iteration of a loop fills for itself is made in the iteration.

    p_saved = np.empty(m)                     for b in numba.prange(n):
    for b in range(n):                            p_saved = np.empty(m)
        for d in range(m):                        for d in range(m):
            p_saved[d] = p                            p_saved[d] = p
            p *= X[b, d]                              p *= X[b, d]
        for d in range(m - 1, -1, -1):            for d in range(m - 1, -1, -1):
            X_bar[b, d] = p_saved[d] * …              X_bar[b, d] = p_saved[d] * …

So it is where nothing outside of the loop uses it, and no iteration reads a cell that it has not stored to before.
Done before the function is differentiated, its adjoint is memory of the iteration, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from s2s.ir.cells import Cells, Nesting
from s2s.ir.core import Block, Function, Op, Value, clone_function, walk
from s2s.ir.linear import Linear
from s2s.ir.memory import shares_memory
from s2s.ir.ops import constant

_MADE = frozenset({"np.empty", "np.empty_like", "np.zeros", "np.zeros_like"})
_ITEMS = ("getitem", "setitem", "additem")
# The items of an index that are a whole axis.
_WHOLE = frozenset({"e", "s000"})


def scratch(fn: Function) -> Function:
    """`fn`, with memory that each iteration of a loop fills for itself made there, as far out as that holds."""
    if not any(op.name == "for" for op in walk(fn.block)):
        return fn
    new, _ = clone_function(fn)
    cells = Cells(Nesting(new), new.block)
    for made in [op for op in walk(new.block) if op.name in _MADE]:
        uses = [op for op in walk(new.block) if made.result in op.operands()]
        around = cells.loops(cells.s.block_of[uses[0]])[len(cells.loops(cells.s.block_of[made])):] if uses else ()
        for body in around:
            loop = cells.s.owner[body]
            if loop is not None and loop.name == "for" and is_scratch(loop, made, new, cells):
                make_inside(body, made, new)
                break
    return new


def is_scratch(loop: Op, made: Op, fn: Function, cells: Cells) -> bool:
    """Whether the memory that `made` makes before `loop` may be made anew in each iteration."""
    v = made.result
    inside = set(walk(loop.blocks[0]))
    if made.name not in _MADE or made in inside or v in fn.block.results or any(
            v in b.results for op in walk(fn.block) for b in op.blocks):
        return False
    uses = [op for op in walk(fn.block) if v in op.operands_read()]
    if not all(op in inside and _is_plain(op, v) for op in uses):
        return False
    stores = [op for op in uses if op.name == "setitem"]
    return all(any(_fills(s, r, loop, cells) for s in stores) for r in uses if r.name != "setitem")


def _is_plain(op: Op, v: Value) -> bool:
    """Whether `op` reads `v`, or stores into it, and hands it on to nobody."""
    if op.name in ("setitem", "additem"):
        return op.value("a") is v and op.args["value"] is not v
    return op.spec.pure and not op.blocks and op.name != "call" and not shares_memory(op)


def _fills(store: Op, load: Op, loop: Op, cells: Cells) -> bool:
    """Whether `store` has stored into the cell of `load`, in the same iteration of `loop`, before `load` runs."""
    first, second = list(_chain(store, loop, cells)), list(_chain(load, loop, cells))
    while first and second and first[-1] == second[-1]:
        first.pop()
        second.pop()
    # Now the outermost of each are two operations of one block, or of two branches of one operation.
    if not first or not second or first[-1][1] is not second[-1][1] \
            or cells.s.order[first[-1][0]] > cells.s.order[second[-1][0]]:
        return False
    loops: dict[Value, Op] = {}
    for op, _ in first[1:]:
        if op.name != "for" or op.attrs.get("breaks") or constant(op.value("step")) not in (1, -1):
            return False
        loops[op.blocks[0].params[0]] = op
    if store.attrs["items"] and set(store.attrs["items"]) <= _WHOLE:
        return True
    if load.name not in _ITEMS or {*load.attrs["items"], *store.attrs["items"]} != {"i"}:
        return False
    return all(_within(cells.linear(x), cells.linear(y), loops, load, cells)
               for x, y in zip(store.values("index"), load.values("index"), strict=True))


def _chain(op: Op, loop: Op, cells: Cells) -> Iterator[tuple[Op, Block]]:
    """`op` and what is around it, each with its block, up to the body of `loop`."""
    while True:
        block = cells.s.block_of[op]
        yield op, block
        owner = cells.s.owner[block]
        if owner is loop or owner is None:
            return
        op = owner


def _within(store: Linear, load: Linear, loops: dict[Value, Op], at: Op, cells: Cells) -> bool:
    """Whether an index of a load is one that the loops around the store run through; each is used for one axis."""
    along = [i for i in loops if i in store.factors]
    if not along:
        return load == store
    i = along[0]
    if len(along) > 1 or store.factors[i] != 1:
        return False
    loop = loops.pop(i)
    shift = store.minus(Linear.of(i))
    low, high = cells.linear(loop.value("start")), cells.linear(loop.value("stop"))
    if constant(loop.value("step")) == -1:
        low, high = high.shifted(1), low.shifted(1)
    # What the inner loops of the store define is not what it was when the load runs.
    if any(k in loops for e in (low, high, shift) for k in e.factors):
        return False
    return cells.is_natural(load.minus(low.plus(shift)), at) and \
        cells.is_natural(high.plus(shift).minus(load).shifted(-1), at)


def make_inside(body: Block, made: Op, fn: Function) -> None:
    """Make memory at the beginning of `body`."""
    _remove(fn.block, made)
    body.ops.insert(0, made)


def _remove(block: Block, gone: Op) -> None:
    block.ops = [op for op in block.ops if op is not gone]
    for op in block.ops:
        for inner in op.blocks:
            _remove(inner, gone)
