"""A loop and its reverse as one loop, where each iteration can be reversed as soon as it has run.

    for p in range(n):                       for p in range(n):
        for t in range(m):                       for t in range(m):
            s_saved[p, t] = s                        s_saved[t] = s
            s = f(s)                                 s = f(s)
        total += g(s)                            total += g(s)
    for p in range(n):                           s_bar = total_bar * dg(s)
        s_bar = total_bar * dg(s)                for t in range(m - 1, -1, -1):
        for t in range(m - 1, -1, -1):               s_bar *= df(s_saved[t])
            s_bar *= df(s_saved[p, t])

That is so where the iterations of the reverse may run in any order, and need nothing that only the end of the loop
gives. What is saved is saved for one iteration, not for all; an array that was kept in a list is at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Op, Value, clone_function, free_values, map_arg, walk
from s2s.ir.linear import Linear
from s2s.ir.memory import is_memory, shares_memory
from s2s.ir.types import Array, Scalar
from s2s.simplify.ascending import ADDITIONS, Order, is_store


def fuse(fn: Function, *, disjoint: bool = True) -> Function:
    """`fn`, itself where there is nothing to do, with loops and their reverses in one."""
    skip = 0
    while (found := _candidate(fn, skip, disjoint)) is not None:
        new = _fused(fn, *found, disjoint=disjoint)
        if new is None:
            skip += 1
        else:
            fn = new
    return fn


def _blocks(block: Block) -> Iterator[Block]:
    yield block
    for op in walk(block):
        yield from op.blocks


def _candidate(fn: Function, skip: int, disjoint: bool) -> tuple[int, int, int] | None:
    """The next loop and its reverse: the number of their block, and their places there; the first `skip` left out."""
    order: Order | None = None
    for n, block in enumerate(_blocks(fn.block)):
        loops = [(k, op) for k, op in enumerate(block.ops) if op.name == "for"]
        for k, second in loops:
            if second.origin is None:
                continue
            for j, first in reversed(loops):
                if j >= k or first.origin is not None or not _saves_for(first, second):
                    continue
                order = order or Order(fn, disjoint=disjoint)
                if not (_same_bounds(first, second, order) and order.is_free(second)):
                    continue
                if not skip:
                    return n, j, k
                skip -= 1
    return None


def _saves_for(first: Op, second: Op) -> bool:
    """Whether one loop fills memory, or a list, made before it for this, that the other one reads."""
    filled = {op.value("a") for op in walk(first.blocks[0]) if op.name == "setitem"}
    filled = {v for v in filled if v.op is not None and v.op.name == "np.empty" and v.op.loc is not None}
    filled |= {op.value("list") for op in first.blocks[0].ops if op.name == "append"}
    return not first.attrs.get("breaks") and any(
        op.name in ("getitem", "listget") and op.args.get("a", op.args.get("list")) in filled
        for op in walk(second.blocks[0]))


def _same_bounds(first: Op, second: Op, order: Order) -> bool:
    return all(order.cells.linear(first.value(n)) == order.cells.linear(second.value(n))
               for n in ("start", "stop", "step"))


def _fused(old: Function, number: int, j: int, k: int, *, disjoint: bool) -> Function | None:
    """The function with the two loops in one; None where that would change what it computes."""
    fn, _ = clone_function(old)
    block = list(_blocks(fn.block))[number]
    order = Order(fn, disjoint=disjoint)
    first, second = block.ops[j], block.ops[k]
    between = block.ops[j + 1:k]
    early = _early(first, second, between, order)
    if early is None:
        return None
    late = [m for m, v in enumerate(second.values("init"))
            if v in first.results or (v.op in between and v.op not in early)]
    if any(not isinstance(second.values("init")[m].type, Scalar) for m in late):
        return None
    made = Block()
    ahead = Block()
    with (b := Builder(made, second.loc, second.origin)).at(ahead):
        init = [b.const(0, v.type) if m in late else v for m, v in enumerate(second.values("init"))]
    size = len(first.blocks[0].ops)
    results = _join(first, second, init)
    _hand_on(fn, block, first, size, order)
    mapping: dict[Value, Value] = {}
    for m, (r, total) in enumerate(zip(second.results, results, strict=True)):
        if m in late:
            mapping[r] = b.add(second.values("init")[m], total)
            mapping[r].hint = r.hint
        else:
            mapping[r] = total
    rest = [op for op in between if op not in early]
    block.ops = [*block.ops[:j], *(op for op in between if op in early), *ahead.ops, first, *rest, *made.ops,
                 *block.ops[k + 1:]]
    _replace(fn, mapping, set())
    if not _may_follow_at_once(first, size, Order(fn, disjoint=disjoint)):
        return None
    _contract(fn, block, first, disjoint)
    return fn


def _early(first: Op, second: Op, between: Sequence[Op], order: Order) -> set[Op] | None:
    """What of the operations between two loops the second one needs, and so has to come before both."""
    needed: set[Op] = set()
    work = [second.value(n) for n in ("start", "stop", "step")] + free_values(second.blocks[0])
    maybe = [[v] for v in second.values("init")]
    written = {order.memory.of(v) for op in walk(first.blocks[0]) for v in order.memory.writes(op)}
    if not _collect(work, first, between, written, order, needed):
        return None
    for values in maybe:
        more = set(needed)
        if _collect(values, first, between, written, order, more):
            needed = more
    rest = [op for op in between if op not in needed]
    inside = [o for op in rest for o in (op, *(x for inner in op.blocks for x in walk(inner)))]
    changed = {order.memory.of(v) for op in inside for v in order.memory.writes(op)}
    seen = {order.memory.of(v) for op in inside for v in op.operands() if is_memory(v.type)}
    touched = {order.memory.of(v) for op in walk(second.blocks[0]) for v in op.operands() if is_memory(v.type)}
    stored = {order.memory.of(v) for op in walk(second.blocks[0]) for v in order.memory.writes(op)}
    read = {order.memory.of(v) for op in needed for v in op.operands() if is_memory(v.type)}
    if changed & (touched | read) or seen & stored or any(o.name in ("call", "pycall") for o in inside):
        return None
    return needed


def _collect(values: Sequence[Value], first: Op, between: Sequence[Op], written: set[Value], order: Order,
             needed: set[Op]) -> bool:
    """Add to `needed` what computes `values`; False where that cannot be done before `first`."""
    work = list(values)
    while work:
        v = work.pop()
        if v in first.results:
            return False
        op = v.op
        if op is None or op not in between or op in needed:
            continue
        if not op.spec.pure or op.blocks or op.name in ("call", "list"):
            return False
        if not shares_memory(op) and any(
                is_memory(u.type) and order.memory.of(u) in written for u in op.operands_read()):
            return False
        needed.add(op)
        work += op.operands()
    return True


def _join(first: Op, second: Op, init: Sequence[Value]) -> list[Value]:
    """Append the body of one loop to that of the other; what stands for the results of the second."""
    body, more = first.blocks[0], second.blocks[0]
    mapping = {more.params[0]: body.params[0]}
    body.params += more.params[1:]
    for op in walk(more):
        op.args = {n: map_arg(a, mapping) for n, a in op.args.items()}
        for inner in op.blocks:
            inner.results = [mapping.get(v, v) for v in inner.results]
    body.ops += more.ops
    body.results += [mapping.get(v, v) for v in more.results]
    first.args["init"] = (*first.values("init"), *init)
    results = [Value(r.type, r.hint, first) for r in second.results]
    first.results += results
    return results


def _hand_on(fn: Function, block: Block, loop: Op, size: int, order: Order) -> None:
    """Use what the first part of each iteration appends to a list where the second part takes it from there."""
    body = loop.blocks[0]
    number = Linear.of(body.params[0]).minus(order.cells.linear(loop.value("start")))
    after = {o for op in body.ops[size:] for o in (op, *(x for inner in op.blocks for x in walk(inner)))}
    for append in [op for op in body.ops[:size] if op.name == "append"]:
        made = append.value("list").op
        users = [op for op in walk(fn.block) if append.value("list") in op.operands() and op is not append]
        if made not in block.ops or made is None or made.name != "list" or made.values("elements") or any(
                made.result in b.results for b in _blocks(fn.block)) or any(
                op.name != "listget" or op not in after or order.cells.linear(op.value("index")) != number
                for op in users):
            continue
        _replace(fn, {op.result: append.value("value") for op in users}, {append, *users})


def _may_follow_at_once(loop: Op, size: int, order: Order) -> bool:
    """Whether the second part of each iteration touches nothing that the first part of another one changes, or v.v."""
    body = loop.blocks[0]
    before, after = (order.accesses(Block([], ops, [])) for ops in (body.ops[:size], body.ops[size:]))
    if before is None or after is None:
        return False
    for c in before.keys() & after.keys():
        for x, u in before[c]:
            for y, v in after[c]:
                store, other, w = (x, y, v) if is_store(x, u) else (y, x, u)
                if not is_store(store, u if store is x else v):
                    continue
                if is_store(other, w) and {store.name, other.name} <= ADDITIONS:
                    continue
                if order.cells.may_meet(loop, store, other, None if other.args.get("a") is w else w):
                    return False
    return True


def _contract(fn: Function, block: Block, loop: Op, disjoint: bool) -> None:
    """Keep what an iteration saves for itself for that iteration alone."""
    cells = Order(fn, disjoint=disjoint).cells
    body = loop.blocks[0]
    inside = list(walk(body))
    users: dict[Value, list[Op]] = {}
    for op in walk(fn.block):
        for v in (*op.operands(), *(r for inner in op.blocks for r in inner.results)):
            users.setdefault(v, []).append(op)
    number = Linear.of(body.params[0]).minus(cells.linear(loop.value("start")))
    for made in [op for op in block.ops if op.name == "np.empty"]:
        uses = users.get(made.result, [])
        if not uses or made.result in fn.block.results or any(
                op.name not in ("setitem", "getitem") or op not in inside or op.value("a") is not made.result
                or op.args.get("value") is made.result or set(op.attrs["items"]) != {"i"}
                or cells.linear(op.values("index")[0]) != number for op in uses):
            continue
        if len(made.values("shape")) > 1:
            _drop_axis(made, uses)
        else:
            _forward(fn, body, uses)


def _drop_axis(made: Op, uses: Sequence[Op]) -> None:
    t = made.result.type
    assert isinstance(t, Array)
    made.args["shape"] = made.values("shape")[1:]
    made.result.type = Array(t.dtype, t.dims[1:], t.layout)
    for op in uses:
        op.args["index"] = op.values("index")[1:]
        op.attrs["items"] = tuple(op.attrs["items"][1:])


def _forward(fn: Function, body: Block, uses: Sequence[Op]) -> None:
    """Read a number that is stored once in each iteration instead of the memory that it is stored in."""
    stores = [op for op in uses if op.name == "setitem"]
    if len(stores) != 1 or stores[0] not in body.ops:
        return
    after = {o for op in body.ops[body.ops.index(stores[0]):] for o in (op, *(x for i in op.blocks for x in walk(i)))}
    if any(op not in after for op in uses):
        return
    mapping = {op.result: stores[0].value("value") for op in uses if op.name == "getitem"}
    _replace(fn, mapping, set(uses))


def _replace(fn: Function, mapping: dict[Value, Value], gone: Set[Op]) -> None:
    """Leave out operations, and put other values in the place of their results."""
    for op in walk(fn.block):
        op.args = {n: map_arg(a, mapping) for n, a in op.args.items()}
    for inner in _blocks(fn.block):
        inner.results = [mapping.get(v, v) for v in inner.results]
        inner.ops = [op for op in inner.ops if op not in gone]
