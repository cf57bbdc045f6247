"""Loops: over ranges and arrays at run time, unrolled over what has a known structure, and `while`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gast

from s2s.errors import UnsupportedSyntaxError
from s2s.ir.core import Block, Op, Value, walk
from s2s.ir.ops import SPECS, constant
from s2s.ir.types import BOOL, INT, Scalar, fresh_dim
from s2s.lower.carry import Carry
from s2s.lower.context import RETURNED, Context, Loop, Peel, Unroll
from s2s.lower.control import FALSE, TRUE, as_bool, branch, either, flag, left
from s2s.lower.iterate import Items, items_of
from s2s.lower.mentions import mention
from s2s.lower.merge import changed, replace
from s2s.lower.names import assigned_names
from s2s.lower.truth import demand_trips, truth, usable
from s2s.lower.values import Lowered, Static

Body = Callable[[Loop, Lowered], None]
MAX_UNROLL = 4096
MAX_WHILE = 256  # iterations of a `while` loop whose test is known
MAX_RETRY = 32  # iterations of a loop that is unrolled because it cannot be lowered otherwise


def lower_for(ctx: Context, node: gast.For, items: Items, body: Body, orelse: Callable[[], None]) -> None:
    """A `for` loop. `body(loop, item)` lowers one iteration."""
    if items.push is not None:
        _pushed(ctx, node, items.push, body, orelse)
        return
    if items.fixed is not None and not items.fixed:
        mention(ctx, getattr(node, "body", ()))
    if items.fixed is not None and not (items.runtime and id(node) not in ctx.unrolled):
        _unrolled(ctx, node, items.fixed, body, orelse)
        return
    loop = Loop(node, ctx.frame, unrollable=items.fixed is not None)
    saved, loops = ctx.state.copy(), list(ctx.loops)
    try:
        _runtime_for(ctx, loop, items, body)
    except Unroll as request:
        if request.loop is not node or items.fixed is None:
            raise
        ctx.unrolled.add(id(node))
        ctx.state, ctx.loops = saved, loops
        _unrolled(ctx, node, items.fixed, body, orelse)
        return
    except UnsupportedSyntaxError:
        # What one loop cannot do (a name that is another thing each time) its iterations may.
        demand_trips(ctx, loop)
        if items.fixed is None or len(items.fixed) > MAX_RETRY:
            raise
        ctx.state, ctx.loops = saved.copy(), list(loops)
        _unrolled(ctx, node, items.fixed, body, orelse)
        return
    except Peel:
        ctx.state = saved
        _peeled(ctx, node, items, body)
    _else(ctx, loop, orelse)


def _iteration(ctx: Context, loop: Loop, body: Callable[[], None]) -> Static | Value:
    """An iteration that stands apart; whether it leaves the loop, or the function."""
    ctx.state.env[loop.continued] = FALSE
    body()
    ctx.state.env[loop.continued] = FALSE
    ctx.state.rejoin()
    return left(ctx)


def _unless(ctx: Context, gone: Static | Value, rest: Callable[[], None]) -> None:
    """`rest`, where control has not gone."""
    if gone == FALSE:
        rest()
    elif isinstance(gone, Value):
        branch(ctx, ctx.b.one("not", {"x": gone}), rest, lambda: None)


def _pushed(ctx: Context, node: gast.AST, push: Callable[[Callable[[Lowered], None]], None], body: Body,
            orelse: Callable[[], None]) -> None:
    """A loop over a generator: its body is lowered where the generator yields; what leaves it ends the generator."""
    loop = Loop(node, ctx.frame, runtime=False)
    frame, statement, stack = ctx.frame, ctx.statement, list(ctx.stack)
    ctx.state.env[loop.broke] = FALSE

    def consume(item: Lowered) -> None:
        inner = ctx.frame, ctx.statement, ctx.stack, ctx.b.loc
        ctx.frame, ctx.statement, ctx.stack = frame, statement, list(stack)
        ctx.b.loc = ctx.loc(statement) if statement is not None else ctx.b.loc
        ctx.loops.append(loop)
        try:
            gone = _iteration(ctx, loop, lambda: body(loop, item))
        finally:
            ctx.loops.remove(loop)
            ctx.frame, ctx.statement, ctx.stack, ctx.b.loc = inner
        if gone != FALSE:
            key = (ctx.frame, RETURNED)
            ctx.state.env[key] = either(ctx, flag(ctx, key), gone)

    push(consume)
    _else(ctx, loop, orelse)


def _else(ctx: Context, loop: Loop, orelse: Callable[[], None]) -> None:
    """The `else` of a loop: runs where the loop was not left early."""
    early = either(ctx, flag(ctx, loop.broke), flag(ctx, (ctx.frame, RETURNED)))
    ctx.state.env.pop(loop.broke, None)
    ctx.state.env.pop(loop.continued, None)
    ctx.state.env.pop(loop.done, None)
    ctx.state.rejoin()
    _unless(ctx, early, orelse)


def _unrolled(ctx: Context, node: gast.AST, items: Sequence[Callable[[], Lowered]], body: Body,
              orelse: Callable[[], None]) -> None:
    if len(items) > MAX_UNROLL:
        raise ctx.error(node, f"a loop over {len(items)} values of known structure would be unrolled",
                        fix="put the values into an array")
    loop = Loop(node, ctx.frame, runtime=False)
    ctx.loops.append(loop)
    ctx.state.env[loop.broke] = FALSE

    def from_item(k: int) -> None:
        while k < len(items):
            if k > MAX_UNROLL:
                raise ctx.error(node, "a loop over a list that grows in it does not come to an end", "", "leave it")
            gone = _iteration(ctx, loop, lambda k=k: body(loop, items[k]()))  # type: ignore[misc]
            k += 1
            if gone != FALSE:
                if k < len(items):
                    _unless(ctx, gone, lambda k=k: from_item(k))  # type: ignore[misc]
                return

    from_item(0)
    ctx.loops.pop()
    _else(ctx, loop, orelse)


def _runtime_for(ctx: Context, loop: Loop, items: Items, body: Body) -> None:
    start, stop, step = loop.bounds = items.range(ctx)
    hint = items.hint

    def make(block: Block, state_params: list[Value]) -> None:
        # Sizes that follow from the index are told by it: a[:i] and b[:i] of equal axes have equal sizes.
        index = Value(Scalar(INT.dtype, INT.weak, fresh_dim()), hint)
        block.params = [index, *state_params]
        loop.index = index
        with ctx.b.at(block):
            body(loop, items.item(ctx, index))

    carry = Carry(ctx, loop, make, assigned_names(loop.node))
    block = carry.run()
    args = {"start": start, "stop": stop, "step": step, "init": tuple(carry.inits())}
    _finish(ctx, carry, "for", args, [block], first=1, certain=bool(items.fixed))


def lower_while(ctx: Context, node: gast.While, test: Callable[[], Lowered], body: Body,
                orelse: Callable[[], None]) -> None:
    """A `while` loop; `test()` lowers the condition."""
    loop = Loop(node, ctx.frame)
    saved, loops = ctx.state.copy(), list(ctx.loops)
    at = len(ctx.b.block.ops)
    try:
        _runtime_while(ctx, loop, test, body)
    except (UnsupportedSyntaxError, Peel) as error:
        ctx.state, ctx.loops = saved.copy(), list(loops)
        del ctx.b.block.ops[at:]
        if _unrolled_while(ctx, node, test, body):
            _else(ctx, loop, orelse)
            return
        ctx.state, ctx.loops = saved, loops
        del ctx.b.block.ops[at:]
        if not isinstance(error, Peel):
            raise
        cond = truth(ctx, node.test, test())

        def rest() -> None:
            first = Loop(node, ctx.frame, runtime=False)
            ctx.loops.append(first)
            gone = _iteration(ctx, first, lambda: body(first, Static(None)))
            ctx.loops.pop()
            _unless(ctx, gone, lambda: _settled(ctx, node, lambda: _runtime_while(ctx, loop, test, body)))

        if isinstance(cond, Value):
            branch(ctx, cond, rest, lambda: None)
        elif cond:
            rest()
    if isinstance(node.test, gast.Constant) and node.test.value and flag(ctx, loop.broke) == FALSE:
        if flag(ctx, (ctx.frame, RETURNED)) == FALSE:
            ctx.endless.append(ctx.frame)
        ctx.state.env[ctx.frame, RETURNED] = TRUE  # there is no other way out
    _else(ctx, loop, orelse)


def _unrolled_while(ctx: Context, node: gast.While, test: Callable[[], Lowered], body: Body) -> bool:
    """A loop whose test is known each time, as of a stack of known things; False where it is not."""
    loop = Loop(node, ctx.frame, runtime=False)
    ctx.loops.append(loop)
    ctx.state.env[loop.broke] = FALSE

    def from_iteration(k: int) -> bool:
        while True:
            cond = truth(ctx, node.test, test())
            if not isinstance(cond, bool) or k > MAX_WHILE:
                return False
            if not cond:
                return True
            gone = _iteration(ctx, loop, lambda: body(loop, Static(None)))
            k += 1
            if gone != FALSE:
                done: list[bool] = []
                _unless(ctx, gone, lambda k=k, done=done: done.append(from_iteration(k)))  # type: ignore[misc]
                return all(done)

    try:
        return from_iteration(0)
    except (UnsupportedSyntaxError, Peel):
        return False
    finally:
        ctx.loops.remove(loop)


def _runtime_while(ctx: Context, loop: Loop, test: Callable[[], Lowered], body: Body) -> None:
    node = loop.node
    assert isinstance(node, gast.While)
    always = isinstance(node.test, gast.Constant) and bool(node.test.value)
    if always or _changes(ctx, node.test, test):
        _while_true(ctx, loop, test, body)
        return

    def make(block: Block, params: list[Value]) -> None:
        block.params = params
        with ctx.b.at(block):
            body(loop, Static(None))

    carry = Carry(ctx, loop, make, assigned_names(node))
    block = carry.run()
    inits = carry.inits()
    _finish(ctx, carry, "while", {"init": tuple(inits)}, [_test_block(ctx, loop, test, carry), block], first=0)


def _while_true(ctx: Context, loop: Loop, test: Callable[[], Lowered], body: Body) -> None:
    """A `while` whose test changes something (by a walrus or a call): the test is the first statement of the body."""
    def make(block: Block, params: list[Value]) -> None:
        block.params = params
        with ctx.b.at(block):
            cond = truth(ctx, loop.node, test())

            def leave() -> None:
                ctx.state.env[loop.done] = TRUE

            if isinstance(cond, Value):
                branch(ctx, cond, lambda: body(loop, Static(None)), leave)
            elif cond:
                body(loop, Static(None))
            else:
                leave()

    carry = Carry(ctx, loop, make, assigned_names(loop.node))
    block = carry.run()
    inits = carry.inits()
    always = Block(params=[Value(p.type, p.hint) for p in block.params])
    with ctx.b.at(always):
        always.results = [ctx.b.const(True, BOOL)]
    _finish(ctx, carry, "while", {"init": tuple(inits)}, [always, block], first=0)


def _test_block(ctx: Context, loop: Loop, test: Callable[[], Lowered], carry: Carry) -> Block:
    """The condition as a block over the carried values."""
    block = Block(params=[Value(p.type, p.hint) for p in carry.params.values()])
    saved, ctx.state = ctx.state, carry.start.copy()
    carry.bind_late(ctx.state)
    for slot, p in zip(carry.params, block.params, strict=True):
        if slot in carry.before or carry.is_late(slot):
            replace(ctx.state, slot, p)
    with ctx.b.at(block):
        cond = truth(ctx, loop.node, test())
        block.results = [cond if isinstance(cond, Value) else ctx.b.const(cond, BOOL)]
    ctx.state = saved
    return block


def _finish(ctx: Context, carry: Carry, name: str, args: dict[str, Any], blocks: list[Block], first: int,
            certain: bool = False) -> None:
    """Append the loop and put its results into the state."""
    body = blocks[-1]
    stop = carry.stop
    breaks = isinstance(stop, Value) or stop == TRUE
    body.results = carry.yields(body)
    if breaks:
        with ctx.b.at(body):
            body.results.append(as_bool(ctx, stop))
    types = [p.type for p in body.params[first:]]
    op = Op(SPECS[name], args, {"breaks": breaks}, blocks=blocks, loc=ctx.b.loc)
    op.results = [Value(t, p.hint, op) for t, p in zip(types, body.params[first:], strict=True)]
    ctx.b.block.ops.append(op)
    carry.settle(op.results, certain)


def _changes(ctx: Context, node: gast.AST, test: Callable[[], Lowered]) -> bool:
    """Whether evaluating a test changes names, containers or memory, itself or by what it calls."""
    start, trial = ctx.state, Block()
    ctx.state = start.copy()
    try:
        with ctx.b.at(trial):
            truth(ctx, node, test())
        return changed(start, ctx.state) or any(op.spec.writes is not None for op in walk(trial))
    finally:
        ctx.state = start


def _peeled(ctx: Context, node: gast.For, items: Items, body: Body) -> None:
    """The first iteration on its own, where a name is then what it stays for the rest of the loop."""
    start, stop, step = items.range(ctx)
    count = ctx.b.one("trips", {"start": start, "stop": stop, "step": step})
    loop = Loop(node, ctx.frame, runtime=False)

    def run() -> None:
        ctx.loops.append(loop)
        ctx.state.env[loop.broke] = FALSE
        gone = _iteration(ctx, loop, lambda: body(loop, items.item(ctx, start)))
        ctx.loops.pop()
        later = items.after_first(ctx)
        second = Loop(node, ctx.frame)
        _unless(ctx, gone, lambda: _settled(ctx, node, lambda: _runtime_for(ctx, second, later, body)))

    known = constant(count)
    if known is None:
        branch(ctx, ctx.b.binary("gt", count, ctx.b.int(0)), run, lambda: None)
    elif known > 0:
        run()


def _settled(ctx: Context, node: gast.AST, lower: Callable[[], None]) -> None:
    """Lower the rest of a loop whose first iteration stands apart; what still varies is an error."""
    try:
        lower()
    except Peel as request:
        raise request.error or ctx.error(
            node, "a variable changes its type from one iteration to the next",
            "the derivative needs one type for each variable of a loop",
            "give it one type before the loop") from None


def usable_items(ctx: Context, node: gast.AST, x: Lowered, loop: gast.AST) -> Items:
    """What a `for` loop or a comprehension iterates over."""
    return items_of(ctx, node, usable(ctx, node, x), loop)
