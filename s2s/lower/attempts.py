"""`try`: where an exception is raised is tested before, so that handlers become branches.

    try:
        y = 1.0 / x                     if x == 0.0:
    except ZeroDivisionError:    ─►         y = 0.0
        y = 0.0                         else:
                                            y = 1.0 / x
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gast

from s2s.errors import S2SError
from s2s.ir.core import Block, Op, Value, walk
from s2s.ir.ops import constant
from s2s.ir.types import Opaque
from s2s.lower.context import RETURN, RETURNED, Context, State
from s2s.lower.control import FALSE, TRUE, left, lower_arms, lower_sequence
from s2s.lower.merge import flatten, replace
from s2s.lower.risks import Classes, Unknown, failure, first_risk, last_risk, may_raise, without_raises
from s2s.lower.truth import static, usable
from s2s.lower.values import Conflict, Lowered

One = Callable[..., bool]


def lower_try(ctx: Context, node: gast.Try, rest: list[gast.AST], one: One) -> bool:
    """A `try` statement; True if `rest`, what follows it, was lowered as part of a branch."""
    if not node.finalbody:
        return _with_handlers(ctx, node, rest, one)
    if node.handlers:
        inner = gast.Try(node.body, node.handlers, node.orelse, [])
        gast.copy_location(inner, node)
        body: list[gast.AST] = [inner]
    else:
        body = [*node.body, *node.orelse]
    lower_finally(ctx, lambda: lower_sequence(ctx, body, one), lambda: lower_sequence(ctx, node.finalbody, one), node)
    return False


def lower_finally(ctx: Context, body: Callable[[], None], final: Callable[[], None], node: gast.AST) -> None:
    """`body`, and then `final`, also where `body` has left the function or a loop."""
    at, block = len(ctx.b.block.ops), ctx.b.block
    body()
    caught = tuple(cls for classes in ctx.catching for cls in classes)
    if caught and any(may_raise(ctx, op, caught) for op in block.ops[at:]):
        _refuse_final(ctx, final, node)
    keys = [(ctx.frame, RETURNED)]
    for loop in ctx.loops:
        if loop.frame is ctx.frame:
            keys += [loop.broke, loop.continued]
    kept = {key: ctx.state.env.pop(key) for key in keys if key in ctx.state.env}
    result = ctx.state.env.get((ctx.frame, RETURN))
    final()
    if left(ctx) != FALSE:
        if kept and any(v != FALSE for v in kept.values()):
            raise ctx.error(node, "`finally` leaves the function or loop that the `try` may have left",
                            "which of the two counts is decided at run time", "leave it after the `try`")
        return
    for key, flag in kept.items():
        ctx.state.env[key] = flag
    if result is not None:
        ctx.state.env[ctx.frame, RETURN] = result


def _refuse_final(ctx: Context, final: Callable[[], None], node: gast.AST) -> None:
    """What `finally` changes on the way of an exception to its handler would have to be there in the handler."""
    saved, trial = ctx.state, Block()
    ctx.state = saved.copy()
    before = flatten(ctx.state)
    with ctx.b.at(trial):
        final()
    after = flatten(ctx.state)
    ctx.state = saved
    if any(op.spec.effect or op.spec.writes for op in walk(trial)) or after.keys() != before.keys() or any(
            after[slot] is not v for slot, v in before.items()):
        raise ctx.error(node, "a `finally` that changes something, on the way of an exception that is caught around it",
                        "it would have to be changed on that way only", "change it after the `try`, or in its handler")


def _with_handlers(ctx: Context, node: gast.Try, rest: list[gast.AST], one: One) -> bool:
    handlers = [_classes(ctx, h) for h in node.handlers]
    caught = tuple(cls for classes in handlers for cls in classes)
    block = Block()
    ctx.state = ctx.state.copy()
    ctx.catching.append(caught)
    try:
        with ctx.b.at(block):
            lower_sequence(ctx, node.body, one)
    finally:
        ctx.catching.pop()
    return _branches(ctx, _Attempt(node, handlers, caught, block, ctx.state), rest, one)


@dataclass(eq=False, slots=True)
class _Attempt:
    """The body of a `try` that has been lowered."""

    node: gast.Try
    handlers: list[Classes]
    caught: Classes
    block: Block
    end: State


def _branches(ctx: Context, a: _Attempt, rest: list[gast.AST], one: One) -> bool:
    ops = a.block.ops
    at = first_risk(ctx, ops, a.caught)
    if at is None:
        _append(ctx, a, ops, 0, len(ops))
        ctx.state = a.end
        if left(ctx) == FALSE and a.node.orelse:
            lower_sequence(ctx, a.node.orelse, one)
        return False
    last = last_risk(ctx, ops, a.caught)
    for op in ops[at:last]:
        _refuse_effect(ctx, a, op)
    _append(ctx, a, ops[:at], 0, at)
    try:
        code = failure(ctx, ops[at:], a.handlers)
    except Unknown as unknown:
        raise _refused(ctx, a, unknown.op) from None
    failed_from = _state_before(ctx, a, at, last)
    known = constant(code)
    if known is not None and known > 0:
        ctx.state = failed_from
        _handler(ctx, a.node.handlers[known - 1], one)
        return False
    kept = without_raises(ctx, ops[at:], a.caught)
    for slot, v in flatten(a.end).items():
        if v in ctx.replaced:
            replace(a.end, slot, _final(ctx, v))

    def ok() -> None:
        ctx.state = a.end
        _append(ctx, a, kept, at, len(ops))
        if left(ctx) == FALSE:
            lower_sequence(ctx, a.node.orelse, one)

    if known == 0:
        ok()
        return False
    return _choose(ctx, a, code, failed_from, ok, rest, one)


def _append(ctx: Context, a: _Attempt, ops: list[Op], first: int, last: int) -> None:
    """Put `ops`, what has become of the body from `first` to `last`, where the `try` stands.

    For a `try` around it, with the states before its statements.
    """
    around = tuple(cls for classes in ctx.catching for cls in classes)
    if len(ops) != last - first and around:
        for op in ops:
            if may_raise(ctx, op, around):
                raise _refused(ctx, a, op)
    shift = len(ctx.b.block.ops) - first
    ctx.marks.setdefault(ctx.b.block, []).extend(
        (n + shift, state) for n, state in ctx.marks.get(a.block, ()) if first <= n <= last)
    ctx.b.block.ops += ops


def _final(ctx: Context, v: Value) -> Value:
    while v in ctx.replaced:
        v = ctx.replaced[v]
    return v


def _choose(ctx: Context, a: _Attempt, code: Value, failed_from: State, ok: Callable[[], None],
            rest: list[gast.AST], one: One) -> bool:
    """The handlers as branches on the number of the one that catches."""
    def handler(k: int) -> Callable[[], None]:
        def lower() -> None:
            ctx.state = failed_from.copy()
            if k == len(a.node.handlers) - 1:
                _handler(ctx, a.node.handlers[k], one)
                return
            this = ctx.b.binary("eq", code, ctx.b.int(k + 1))
            lower_arms(ctx, this, [lambda: _handler(ctx, a.node.handlers[k], one), handler(k + 1)], [], one)
        return lower

    failed = code if len(a.handlers) == 1 else ctx.b.binary("ne", code, ctx.b.int(0))
    return lower_arms(ctx, failed, [handler(0), ok], rest, one)


def _handler(ctx: Context, handler: Any, one: One) -> None:
    name = handler.name
    if name is not None:
        key = (ctx.frame, str(getattr(name, "id", name)))
        ctx.state.env[key] = _exception(ctx, handler)
    ctx.handling.append(_classes(ctx, handler))
    try:
        lower_sequence(ctx, handler.body, one)
    finally:
        ctx.handling.pop()
    if name is not None:
        ctx.state.env.pop(key, None)


def _exception(ctx: Context, handler: Any) -> Lowered:
    """The exception that a handler has a name for: of its class, with a text like Python's."""
    name = str(getattr(handler.name, "id", handler.name))
    used = any(isinstance(n, gast.Name) and n.id == name for part in handler.body for n in gast.walk(part)
               if not isinstance(part, gast.Raise))
    cls = _classes(ctx, handler)[0]
    if not used or getattr(builtins, cls.__name__, None) is not cls:
        return Conflict("the exception that was raised, of which s2s knows the class only")
    text = {"ZeroDivisionError": "division by zero", "IndexError": "index out of range"}.get(
        cls.__name__, "math domain error")
    return ctx.b.emit("pycall", {"args": ()}, {"text": f"{cls.__name__}({text!r})", "types": [Opaque(cls.__name__)],
                                               "name": cls.__name__, "harmless": True})[0]


def _classes(ctx: Context, handler: Any) -> Classes:
    if handler.type is None:
        return (BaseException,)
    found = static(ctx, handler.type, usable(ctx, handler.type, ctx.expr(handler.type)), "the class of an exception")
    return tuple(found) if isinstance(found, tuple | list) else (found,)


def _state_before(ctx: Context, a: _Attempt, first: int, last: int) -> State:
    """What is known where a handler begins: the state before the statement that raised.

    What is another thing before another of the statements that may raise stands for nothing.
    """
    state = _mark(ctx, a.block, first).copy()
    for before in _states(ctx, a, a.block, state, first, last):
        _spoil(ctx, a, state, before)
    return state


def _mark(ctx: Context, block: Block, at: int, default: State | None = None) -> State:
    found = [state for n, state in ctx.marks.get(block, ()) if n <= at]
    assert found or default is not None
    return found[-1] if found else default  # type: ignore[return-value]


def _states(ctx: Context, a: _Attempt, block: Block, around: State, first: int, last: int) -> Iterator[State]:
    """The states before the operations of a block that may raise."""
    for k in range(first, last + 1):
        op = block.ops[k]
        if not may_raise(ctx, op, a.caught):
            continue
        before = _mark(ctx, block, k, around)
        yield before
        for inner in op.blocks:
            yield from _states(ctx, a, inner, before, 0, len(inner.ops) - 1)


def _spoil(ctx: Context, a: _Attempt, state: State, other: State) -> None:
    changed = Conflict("changed in a `try` that was left before or after that")
    for key, v in other.env.items():
        own = key in state.env or key[0] is ctx.frame
        if own and state.env.get(key) is not v and not str(key[1]).startswith("#"):
            state.env[key] = changed
    for box, content in state.heap.items():
        now = other.heap.get(box)
        if isinstance(content, list) and isinstance(now, list) and len(content) == len(now):
            state.heap[box] = [v if v is w else changed for v, w in zip(content, now, strict=True)]
        elif isinstance(content, dict) and isinstance(now, dict) and content.keys() == now.keys():
            state.heap[box] = {k: v if v is now[k] else changed for k, v in content.items()}
        elif content is not now and content != now:
            raise ctx.error(a.node, "a `try` that changes a container before what may raise",
                            "what it holds then is not known before the function runs",
                            "change it before the `try`, or after it")


def _refuse_effect(ctx: Context, a: _Attempt, op: Op) -> None:
    if op.name not in ("raise", "assert") and (op.spec.effect or op.spec.writes):
        raise _refused(ctx, a, op)


def _refused(ctx: Context, a: _Attempt, op: Op) -> S2SError:
    what = f"{op.attrs.get('name') or op.name.removeprefix('math.')}()" if op.name in ("pycall", "call") else op.name
    error = ctx.error(a.node, "try/except around what may raise at a time that is not known before it runs",
                      f"{what} cannot be tested beforehand: which statements ran would have to be recorded",
                      "test for the condition with `if`, or catch the exception around the call")
    return error


def statically_raised(ctx: Context, error: S2SError) -> bool:
    """Turn an error that Python raises too, and a `try` around here catches, into a `raise` of the program."""
    cls = error.python
    if cls is None or not ctx.catching or not any(issubclass(cls, caught) for caught in ctx.catching):
        return False
    if error.block is not ctx.b.block:
        return False
    ctx.b.emit("raise", {"args": ()}, {"text": f"raise {cls.__name__}()", "cls": cls})
    ctx.state.env[ctx.frame, RETURNED] = TRUE
    return True
