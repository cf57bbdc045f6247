"""`GradientTape` inside the program: what a block records, and the derivative that is asked of it.

A tape is a container of the program that holds one thing: its record, which says between which marks of a block
of operations it recorded, and which values it watches. The derivative is one operation of the IR
(`gradient`), which `differentiate.inside` replaces by the reverse sweep.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import gast

from s2s.ir.core import Block, Op, Value, free_values, walk
from s2s.ir.ops import SPECS, constant
from s2s.ir.types import Array, Scalar, is_inexact
from s2s.lower.context import Context, Unroll
from s2s.lower.describe import describe
from s2s.lower.nests import leaves_of
from s2s.lower.truth import static, usable
from s2s.lower.values import Bound, Box, Lowered, Outside, Static, Tuple

_ids = itertools.count()
METHODS = ("watch", "gradient", "jacobian", "batch_jacobian", "stop_recording", "reset", "watched_variables")


@dataclass(frozen=True)
class Record:
    """What a tape has recorded up to a point of the program.

    block: where its marks are; None before it is entered. spans: the numbers of the marks where it began and
    ended to record; the last end is None while it records. watched: values that `watch` was called with.
    used: whether its one gradient was asked for.
    """

    block: Block | None = None
    spans: tuple[tuple[int, int | None], ...] = ()
    watched: frozenset[Value] = frozenset()
    persistent: bool = False
    automatic: bool = True
    used: bool = False

    @property
    def recording(self) -> bool:
        return bool(self.spans) and self.spans[-1][1] is None


class Stop:
    """What `stop_recording()` returns inside the program."""

    __s2s_role__ = "tape_stop"


def is_tape(x: Lowered) -> bool:
    """Whether something is a tape: made in the program, or outside of it."""
    if isinstance(x, Outside):
        return not isinstance(x.value, type) and getattr(x.value, "__s2s_role__", None) == "tape"
    return isinstance(x, Box) and x.kind == "tape"


def make_tape(ctx: Context, node: gast.AST | None, cls: Any, args: list[Lowered],
              kwargs: dict[str, Lowered]) -> Box:
    """`GradientTape(persistent, watch_accessed_variables)` in the program."""
    given = dict(zip(("persistent", "watch_accessed_variables"), args, strict=False)) | kwargs
    flags = {k: bool(static(ctx, node, v, k)) for k, v in given.items() if k in ("persistent",
                                                                               "watch_accessed_variables")}
    return _box(ctx, cls, Record(persistent=flags.get("persistent", False),
                                 automatic=flags.get("watch_accessed_variables", True)))


def _box(ctx: Context, cls: Any, record: Record) -> Box:
    box = Box("tape", cls, "", ctx.depth)
    ctx.state.heap[box] = {"record": Static(record)}
    return box


def tape_box(ctx: Context, x: Lowered) -> Box:
    """The tape of the program that `x` stands for; one made outside has a record of its own here."""
    if isinstance(x, Box):
        return x
    assert isinstance(x, Outside)
    return outside_tape(ctx, x.value)


def outside_tape(ctx: Context, tape: Any) -> Box:
    """The tape of the program for one that exists outside of it."""
    if id(tape) not in ctx.tapes:
        record = Record(persistent=tape.persistent, automatic=tape.watch_accessed_variables)
        ctx.tapes[id(tape)] = _box(ctx, type(tape), record)
    return ctx.tapes[id(tape)]


def record_of(ctx: Context, node: gast.AST | None, box: Box) -> Record:
    """What a tape has recorded up to here."""
    held = usable(ctx, node, ctx.state.heap[box]["record"])
    assert isinstance(held, Static)
    record: Record = held.value
    return record


def keep(ctx: Context, box: Box, record: Record) -> None:
    ctx.state.heap[box] = {"record": Static(record)}


def _mark(ctx: Context) -> int:
    number = next(_ids)
    ctx.b.block.ops.append(Op(SPECS["tape"], {}, {"id": number}, loc=ctx.b.loc))
    return number


# Blocks ---------------------------------------------------------------------------------------------


def lower_tape_block(ctx: Context, node: gast.With, body: Callable[[Lowered], None]) -> bool:
    """A `with` over one tape, or over its `stop_recording()`; False if it is over something else.

    body: lowers the block, given what the name after `as` stands for.
    """
    made = _manager(ctx, node.items[0].context_expr)
    if made is None:
        return False
    if isinstance(made, Bound):
        box = made.args[0]
        assert isinstance(box, Box)
        _require(ctx, node, record_of(ctx, node, box), "stop_recording()")
        end(ctx, node, box)
        with apart(ctx):
            body(Static(None))
        begin(ctx, node, box)
        return True
    box = tape_box(ctx, made)
    if record_of(ctx, node, box).recording:
        raise ValueError(str(ctx.error(node, "this tape is recording already", "", "make another GradientTape")))
    begin(ctx, node, box)
    with apart(ctx):
        body(made)
    if record_of(ctx, node, box).recording:
        end(ctx, node, box)
    return True


@contextlib.contextmanager
def apart(ctx: Context) -> Iterator[None]:
    """Each value of a block is one of its own: it may be asked for."""
    saved, ctx.b.apart = ctx.b.apart, True
    try:
        yield
    finally:
        ctx.b.apart = saved


def _manager(ctx: Context, expression: gast.AST) -> Lowered | None:
    """The tape, or the `stop_recording()`, that a `with` is over."""
    if isinstance(expression, gast.Call):
        callee = usable(ctx, expression.func, ctx.expr(expression.func))
        receiver = getattr(callee, "receiver", None)
        role = getattr(getattr(callee, "value", None), "__s2s_role__", None)
        if role != "tape" and not (receiver is not None and is_tape(receiver)):
            return None
    elif not isinstance(expression, gast.Name | gast.Attribute | gast.Subscript):
        return None
    made = usable(ctx, expression, ctx.expr(expression))
    if isinstance(made, Bound) and isinstance(made.callee, Static) and isinstance(made.callee.value, Stop):
        return made
    return made if is_tape(made) else None


def begin(ctx: Context, node: gast.AST | None, box: Box) -> None:
    """From here on, the tape records."""
    record = record_of(ctx, node, box)
    if record.block is not None and record.spans and record.block is not ctx.b.block:
        raise ctx.error(node, "a tape that recorded elsewhere is entered again in a loop or branch",
                        "what it recorded is not in one sequence of statements", "make another GradientTape")
    keep(ctx, box, replace(record, block=ctx.b.block, spans=(*record.spans, (_mark(ctx), None))))


def end(ctx: Context, node: gast.AST | None, box: Box) -> None:
    """From here on, the tape does not record."""
    record = record_of(ctx, node, box)
    if record.block is not ctx.b.block:
        raise ctx.error(node, "a tape stops to record in a loop or branch that it was not entered in",
                        "what it recorded is not in one sequence of statements", "stop it where it was entered")
    start = record.spans[-1][0]
    keep(ctx, box, replace(record, spans=(*record.spans[:-1], (start, _mark(ctx)))))


def _require(ctx: Context, node: gast.AST | None, record: Record, what: str) -> None:
    if not record.recording:
        raise ValueError(str(ctx.error(node, f"{what} of a tape that is not recording", "",
                                       "call it inside the `with` block of the tape")))


# What is watched ---------------------------------------------------------------------------------


def watched_variables(ctx: Context, record: Record) -> Tuple:
    """The Variables that were read by what was recorded, or given to `watch`."""
    ops = [] if record.block is None else recorded_of(record, record.block.ops)
    read = set(free_values(Block([], ops))) | {r for op in ops for r in op.results}
    found: dict[Any, Value] = {}
    for v, r in ctx.variables.items():
        if v in record.watched or (record.automatic and r.value.trainable and v in read):
            found.setdefault(r.value, v)
    return Tuple(tuple(found[variable] for variable in sorted(found, key=lambda variable: variable._number)))


def watch(ctx: Context, node: gast.AST | None, box: Box, x: Lowered) -> None:
    """`tape.watch(x)`: from here on, what is computed from `x` depends on it."""
    x = usable(ctx, node, x)
    found = [v for v in leaves_of(ctx, x) if isinstance(v.type, Scalar | Array)]
    integer = next((v for v in found if not is_inexact(v.type)), None)
    if integer is not None or not found:
        what = describe(integer if integer is not None else x)
        raise TypeError(str(ctx.error(node, f"watch() is given {what}, which has no gradient", "",
                                      "pass a float, an array of floats, or a Variable")))
    for v in found:
        if not is_held(ctx, v):
            raise ctx.error(node, "watch() of a value that no name stands for", "nothing could be computed from it",
                            "watch the number or array itself: bind it to a name, and watch that")
        record = record_of(ctx, node, box)
        if v in record.watched:
            continue
        if record.block is not None and record.block is not ctx.b.block:
            error = ctx.error(node, "watch() in a loop or branch", "whether it is reached is known only when it runs",
                              "watch the value at the top level of the block")
            loop = ctx.loops[-1] if ctx.loops else None
            raise error if loop is None or not loop.unrollable else Unroll(loop.node, error)
        # Of a constant, what is computed from it would be one too; a Variable may be watched since it was read.
        read = _is_read(ctx, record, v) and not (record.automatic and _is_trainable(ctx, v))
        if record.block is not None and (constant(v) is not None or read):
            v = _apart(ctx, v)
        record = record_of(ctx, node, box)
        keep(ctx, box, replace(record, watched=record.watched | {v}))


def _is_trainable(ctx: Context, v: Value) -> bool:
    return v in ctx.variables and ctx.variables[v].value.trainable


def is_held(ctx: Context, v: Value) -> bool:
    """Whether a value is an input of the program, or something in the program stands for it."""
    def among(x: Any) -> bool:
        return x is v or (isinstance(x, Tuple) and any(map(among, x.items)))

    contents = [c.values() if isinstance(c, dict) else c for c in ctx.state.heap.values() if isinstance(c, dict | list)]
    return v.op is None or any(map(among, ctx.state.env.values())) or any(among(x) for c in contents for x in c)


def watch_leaf(ctx: Context, box: Box, v: Value) -> None:
    """Let a tape watch an input of the program, from its start on."""
    record = record_of(ctx, None, box)
    keep(ctx, box, replace(record, watched=record.watched | {v}))


def _is_read(ctx: Context, record: Record, v: Value) -> bool:
    """Whether an operation that was recorded reads `v`."""
    ops = [] if record.block is None else recorded_of(record, record.block.ops)
    return any(v in op.operands() or any(v in b.results for b in op.blocks)
               for top in ops for op in walk(Block([], [top])))


def recorded_of(record: Record, ops: list[Op]) -> list[Op]:
    """The operations of the record's block that were recorded."""
    marks = {op.attrs["id"]: k for k, op in enumerate(ops) if op.name == "tape"}
    out: list[Op] = []
    for first, last in record.spans:
        out += ops[marks[first]:len(ops) if last is None else marks[last]]
    return out


def _apart(ctx: Context, v: Value) -> Value:
    """A value equal to `v`, and `v` for its derivative, that everything from here on reads in its place."""
    bar = Value(v.type, f"{v.hint or 'value'}_bar")
    stopped = ctx.b.one("stop_gradient", {"x": v}, hint=v.hint)
    args = {"args": (stopped,), "sources": (v,), "captured": ()}
    op = ctx.b.region("custom", args, [Block([bar], [], [bar])], [v.type], hints=[v.hint])
    new = op.results[0]
    ctx.superseded.add(v)
    if v.op is None:
        ctx.state.env[("instead", id(v)), "value"] = new
    if v in ctx.variables:
        ctx.variables[new] = ctx.variables[v]
        key = (("variable", id(ctx.variables[v].value)), "value")
        ctx.state.bind(key, new)
        ctx.initial.setdefault(key, lambda: v)
    ctx.state.env = {key: _instead(held, v, new) for key, held in ctx.state.env.items()}
    for box, content in ctx.state.heap.items():
        if isinstance(content, list):
            ctx.state.heap[box] = [_instead(held, v, new) for held in content]
        elif isinstance(content, dict):
            ctx.state.heap[box] = {k: _instead(held, v, new) for k, held in content.items()}
    return new


def _instead(held: Any, old: Value, new: Value) -> Any:
    if held is old:
        return new
    if isinstance(held, Tuple):
        return Tuple(tuple(_instead(part, old, new) for part in held.items), held.cls)
    return held


def variable_of(ctx: Context, v: Value) -> Any:
    """The Variable whose value `v` is; None for any other value."""
    if v in ctx.variables:
        return ctx.variables[v].value
    for (scope, name), held in ctx.state.env.items():
        if held is v and name == "value" and isinstance(scope, tuple) and scope[0] == "variable":
            return ctx.same[scope[1]].value
    return None
