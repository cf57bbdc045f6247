"""Derivatives of what a tape recorded, inside a program: the reverse sweep is put where it is asked for.

    y = x * x                         y = x * x
    y_bar = gradient([y], [x])  ─►    x_bar = 2.0 * x

What was recorded runs once: its operations, the code that saves what the sweep needs, and the sweep take the
place of the operations and of the `gradient`. A source that the recorded operations compute is given a parameter
of its own, which is added nowhere but has a derivative: what is reached by way of it counts, whatever else
its value depends on. What ran while the tape did not record is constant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from s2s.analyse.activity import Activity
from s2s.analyse.memory import Memory
from s2s.differentiate.reverse import reverse, table_spec
from s2s.errors import UnsupportedSyntaxError, located
from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Op, Value, clone_op, free_values, inline, substitute, walk
from s2s.ir.memory import reachable
from s2s.ir.ops import SPECS
from s2s.ir.types import Array, Scalar, is_inexact, kind
from s2s.rules.expr import Expr
from s2s.rules.expr import fn as functions
from s2s.rules.table import Table

# Simplifies a function; or, where values must not be merged (False), only drops what nobody needs.
Simplify = Callable[[Function, bool], Function]


@dataclass
class Region:
    """Recorded operations as a function; `copies` maps the values of the program to those of the function.

    outside: the values of the program that are its parameters, of which the last ones stand for `sources`
    that the region itself computes. wrt: the parameter of each source.
    """

    function: Function
    outside: list[Value]
    wrt: list[Value]
    copies: dict[Value, Value]


def expand(fn: Function, table: Table, simplify: Simplify, *, replayed: bool = False, merge: bool = True) -> Function:
    """Put the derivatives that `fn` asks for in place; `fn` is changed.

    replayed: `fn` runs a second time what ran already, and nobody sees what it writes. merge: whether equal values
    may become one. Where there is another derivative to come, they may not: it may be by one of them, or one may
    be recorded and the other not.
    """
    for f in list(reachable(fn)):
        count = sum(op.name == "gradient" for op in walk(f.block))
        if count or any(op.name == "tape" for op in walk(f.block)):
            _expand_block(f.block, _Job(table, simplify, replayed, merge and count == 1))
            _remove_marks(f.block)
    return fn


@dataclass
class _Job:
    table: Table
    simplify: Simplify
    replayed: bool
    merge: bool


def _remove_marks(block: Block) -> None:
    block.ops = [op for op in block.ops if op.name != "tape"]
    for op in block.ops:
        for inner in op.blocks:
            _remove_marks(inner)


def _expand_block(block: Block, job: _Job) -> None:
    k = 0
    while k < len(block.ops):
        op = block.ops[k]
        for inner in op.blocks:
            _expand_block(inner, job)
        k = _put_in_place(block, k, job) if op.name == "gradient" else k + 1


def _put_in_place(block: Block, at: int, job: _Job) -> int:
    """Replace the operation `at`, and what was recorded before it; returns the position after it."""
    op = block.ops[at]
    recorded, start = _recorded(block.ops, at, op.attrs["spans"])
    targets, sources = op.values("targets"), op.values("sources")
    region = region_of(block.ops[start:at], recorded, targets, sources, job.table)
    _refuse_stores(region, job, op)
    seeded = all(op.attrs["seeded"]) and all(w in region.outside for w in op.values("seeds"))
    if not seeded:
        _weigh(region, op, job.table)
    live = _live_after(block, start, at, op)
    b = Builder(region.function.block)
    kept = [_stopped(b, region.copies[v]) for v in live]
    region.function.block.results += kept
    fn = job.simplify(region.function, job.merge)
    wrt = [fn.block.params[region.function.block.params.index(p)] for p in region.wrt]
    made = reverse(fn, wrt, job.table, keep_values=True, seeds_given=seeded)
    new = Block()
    b = Builder(new, op.loc)
    seeds = _seeds(b, made.function.block.params[len(fn.block.params):], op if seeded else None)
    results = inline(new, made.function, [*region.outside, *seeds])
    gradients = iter(results[len(fn.block.results):])
    mapping = {v: _started(v, r) for v, r in zip(live, results[len(targets):len(fn.block.results)], strict=True)}
    for source, result, connected in zip(sources, op.results, made.connected, strict=True):
        mapping[result] = next(gradients) if connected else _zeros(b, source, job.table)
        if not mapping[result].hint:
            mapping[result].hint = result.hint
    block.ops[start:at + 1] = new.ops
    after = start + len(new.ops)
    substitute(block, mapping, after)
    return after


def region_of(ops: Sequence[Op], recorded: Sequence[bool], targets: Sequence[Value], sources: Sequence[Value],
              table: Table) -> Region:
    """`ops` as a function from what they read to `targets`, with a parameter to differentiate for each of `sources`.

    recorded: whether each of `ops` was.
    """
    around = Block([], list(ops), list(targets))
    defined = {r for op in ops for r in op.results}
    outside = [v for v in free_values(around) if v not in defined]
    outside += [s for s in dict.fromkeys(sources) if s not in defined and s not in outside]
    copies: dict[Value, Value] = {v: Value(v.type, v.hint) for v in outside}
    block = Block([copies[v] for v in outside])
    computed: dict[Value, Value] = {s: Value(s.type, s.hint) for s in sources if s in defined}
    b = Builder(block)
    for op, was in zip(ops, recorded, strict=True):
        new = clone_op(op, copies)
        block.ops.append(new)
        for r in op.results:
            if not was and _varies(op) and is_inexact(r.type):
                copies[r] = _stopped(b, copies[r])
            if r in computed:
                copies[r] = _tapped(b, copies[r], computed[r])
    block.params += computed.values()
    block.results = [copies[v] for v in targets]
    wrt = [computed[s] if s in computed else copies[s] for s in sources]
    return Region(Function("recorded", block), [*outside, *computed], wrt, copies)


def _varies(op: Op) -> bool:
    """Whether what an operation gives may depend on numbers."""
    inner = any(is_inexact(v.type) for block in op.blocks for v in free_values(block))
    return inner or any(is_inexact(v.type) for v in op.operands())


def _stopped(b: Builder, v: Value) -> Value:
    return b.one("stop_gradient", {"x": v}, hint=v.hint) if is_inexact(v.type) else v


def _started(v: Value, result: Value) -> Value:
    """What `_stopped` was given for `v`: it had no derivative as a result of the region, and has one after it."""
    stops = v.op is not None and v.op.name == "stop_gradient"
    return result.op.value("x") if result.op is not None and result.op.name == "stop_gradient" and not stops else result


def _tapped(b: Builder, v: Value, parameter: Value) -> Value:
    """`v`, whose adjoint is that of `parameter` too."""
    bar = Value(v.type, f"{v.hint or 'value'}_bar")
    constant = b.one("stop_gradient", {"x": v}, hint=v.hint)
    args = {"args": (constant,), "sources": (v, parameter), "captured": ()}
    op = b.region("custom", args, [Block([bar], [], [bar, bar])], [v.type], hints=[v.hint])
    return op.results[0]


def connections(ops: Sequence[Op], at: int, spans: Sequence[Any], targets: Sequence[Value], sources: Sequence[Value],
                watched: Callable[[Value], bool], table: Table, simplify: Simplify) -> tuple[list[bool], list[bool]]:
    """For each source, whether the tape watches it, and whether the targets depend on it.

    watched: whether a value is watched itself. What is computed from such a value is, too.
    """
    recorded, start = _recorded(ops, at, spans)
    ops = ops[start:at]
    recorded_values = {v: None for op in ops for v in (*op.operands(), *op.results, *free_values(Block([], [op])))}
    roots = [v for v in {**recorded_values, **dict.fromkeys(sources)} if watched(v)]
    again = region_of(ops, recorded, sources, roots, table)
    expand(again.function, table, simplify, replayed=True, merge=False)
    memory = Memory(again.function)
    activity = Activity(again.function, again.wrt, memory, table.rule)
    seen = [watched(s) or activity.varied(v) for s, v in zip(sources, again.function.block.results, strict=True)]
    region = region_of(ops, recorded, targets, sources, table)
    _refuse_lost(region, table)
    expand(region.function, table, simplify, replayed=True, merge=False)
    activity = Activity(region.function, region.wrt, Memory(region.function), table.rule)
    return seen, [activity.useful(p) for p in region.wrt]


def _refuse_lost(region: Region, table: Table) -> None:
    """What was taken from the run is a constant; nothing that is differentiated must have gone into it."""
    taken = [op for op in walk(region.function.block) if op.attrs.get("from_run")]
    activity = Activity(region.function, region.wrt, Memory(region.function), table.rule) if taken else None
    for op in taken:
        if activity is not None and any(activity.varied(v) for v in op.operands()):
            raise op.attrs["from_run"]


def _recorded(ops: Sequence[Op], at: int, spans: Sequence[tuple[int, int | None]]) -> tuple[list[bool], int]:
    """Which operations before the one `at` were recorded, from the first of them on; and where that is."""
    marks = {op.attrs["id"]: k for k, op in enumerate(ops[:at]) if op.name == "tape"}
    places = [(marks[first], at if last is None else marks[last]) for first, last in spans]
    start = min((first for first, _ in places), default=at)
    flags = [any(first <= k < last for first, last in places) for k in range(start, at)]
    return flags, start


def _live_after(block: Block, start: int, at: int, gradient: Op) -> list[Value]:
    """The values of the operations from `start` to `at` that are read afterwards."""
    defined = {r for op in block.ops[start:at] for r in op.results}
    rest = Block([], block.ops[at + 1:], list(block.results))
    used = dict.fromkeys([*gradient.values("seeds"), *gradient.values("sources"), *free_values(rest)])
    return [v for v in used if v in defined]


def _weigh(region: Region, op: Op, table: Table) -> None:
    """Make the targets of a region sums of what they are times their weights, where these are computed in it.

    So the weights need not be parameters of the adjoint, which would have to be known before it is called.
    """
    b = Builder(region.function.block, op.loc)
    given = iter(op.values("seeds"))
    results = region.function.block.results
    for k, weighted in enumerate(op.attrs["seeded"]):
        if not weighted:
            continue
        weight = next(given)
        if kind(results[k].type) == "c":
            raise located(UnsupportedSyntaxError, op.loc, "weights of a complex target that the program computes",
                          "a gradient is that of a real number", "take the abs, real or imag part in the block")
        w = _stopped(b, region.copies.get(weight, weight))
        product = _expr(b, results[k], table) * _expr(b, w, table)
        results[k] = functions.sum(product).v if isinstance(results[k].type, Array) else product.v


def _seeds(b: Builder, params: Sequence[Value], op: Op | None) -> list[Value]:
    """The adjoints of the results: the weights of the targets where `op` gives them, else 1.

    Nothing reads those of results that are not targets: any number will do.
    """
    weights = [] if op is None else list(op.values("seeds"))
    return [weights[k] if k < len(weights) else b.const(1.0, p.type) if isinstance(p.type, Scalar) else b.const(1.0)
            for k, p in enumerate(params)]


def _expr(b: Builder, v: Value, table: Table) -> Expr:
    return Expr(b, v, lambda n: table_spec(table, n))


def _zeros(b: Builder, source: Value, table: Table) -> Value:
    if isinstance(source.type, Scalar):
        return b.const(0, source.type)
    return functions.zeros_like(_expr(b, source, table)).v




def _refuse_stores(region: Region, job: _Job, op: Op) -> None:
    """What the region writes into has to be its own: its derivative is that of a copy."""
    if job.replayed:
        return
    memory = Memory(region.function)
    for p in region.function.block.params:
        if isinstance(p.type, Array) and memory.is_written(p):
            raise located(UnsupportedSyntaxError, op.loc,
                          f"the derivative of a block that writes into {p.hint or 'an array'!r}, made before the block",
                          "what it holds before and after the block would have to be kept apart",
                          "make the array in the block, or write to a copy")


__all__ = ["SPECS", "connections", "expand", "region_of"]
