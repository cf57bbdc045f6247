"""Reverse mode: from a function to the function that computes its derivative.

    value = w * x                    value = w * x
    return value            ─►       w_bar = value_bar * x
                                     return value, w_bar

The function is copied, and the reverse of its operations appended, last first (`sweep`); then every
value that this reads from an iteration or branch that is over is rebuilt or saved (`resolve`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from s2s.analyse.activity import Activity
from s2s.analyse.masks import guarded
from s2s.analyse.memory import Memory, is_reference, written
from s2s.differentiate.bound import bound_flags
from s2s.differentiate.lists import count_from_start
from s2s.differentiate.resolve import Resolver
from s2s.differentiate.rollback import Undo, axes_overwritten, candidates, choose, keep_overwritten
from s2s.differentiate.shared import TwoNames, all_values, can_share, share
from s2s.differentiate.sweep import Sweep
from s2s.errors import UnsupportedSyntaxError, located
from s2s.ir.builder import Builder
from s2s.ir.cells import Cells
from s2s.ir.core import Block, Function, Op, OpSpec, Value, clone_function, substitute, walk
from s2s.ir.names import adjoint_name
from s2s.ir.ops import SPECS
from s2s.ir.types import Array, List, Scalar, is_inexact
from s2s.rules.expr import Expr
from s2s.rules.expr import fn as functions
from s2s.rules.table import Table


@dataclass
class Reverse:
    """The function with derivatives; `connected[i]` says whether the results depend on the i-th input."""

    function: Function
    connected: list[bool]


@dataclass
class _Job:
    """One differentiation with the adjoints of the functions it calls."""

    table: Table
    outside: Sequence[Value] = ()
    callees: dict[tuple[Function, tuple[bool, ...]], Function] = field(default_factory=dict)


def reverse(fn: Function, wrt: Sequence[Value], table: Table, *, keep_values: bool, seeds_given: bool,
            outside: Sequence[Value] = ()) -> Reverse:
    """The adjoint of `fn` with respect to its parameters `wrt`; `fn` stays as it is.

    Parameters are those of `fn`, then seeds; results those of `fn` (if `keep_values`), then one adjoint for
    each connected entry of `wrt`. The seed of a number is a parameter with default 1.0; that of an array is
    ones, or a parameter where `seeds_given`. outside: array parameters that are left as `fn` leaves them; the
    others are the caller's, and stay as they are.
    """
    return _build(_Job(table, outside), fn, wrt, keep_values=keep_values, seeds_given=seeds_given)


def _build(job: _Job, original: Function, wrt: Sequence[Value], *, keep_values: bool, seeds_given: bool,
           into: Function | None = None) -> Reverse:
    made: Reverse | _Choices = _Choices()
    while isinstance(made, _Choices):
        made = _attempt(job, original, wrt, made, keep_values=keep_values, seeds_given=seeds_given, into=into)
    return made


@dataclass(frozen=True)
class _Choices:
    """Numbers of values (see `all_values`) that are handled in another way.

    shared: their shadows are made in the forward sweep. rolled: arrays that the reverse sweep rolls back; None: not
    known yet.
    """

    shared: frozenset[int] = frozenset()
    rolled: frozenset[int] | None = None


def _attempt(job: _Job, original: Function, wrt: Sequence[Value], choices: _Choices, *, keep_values: bool,
             seeds_given: bool, into: Function | None) -> Reverse | _Choices:
    """The adjoint; or choices that have to be made in its place."""
    fn, mapping = clone_function(original)
    wrt = [mapping[v] for v in wrt]
    results = list(fn.block.results)
    leave = _copy_written(fn, job.table, [mapping[v] for v in job.outside if v in mapping])
    places, flags = count_from_start(fn), bound_flags(fn)
    memory, values = Memory(fn), all_values(fn)
    groups = {memory.group(values[k]) for k in choices.shared}
    shadows = share(fn, memory, groups, lambda n: table_spec(job.table, n)) if groups else {}
    memory = Memory(fn) if groups else memory
    rolled = [values[k] for k in choices.rolled or ()]
    overwritten = keep_overwritten(fn, Undo(memory, Cells(memory, fn.block), rolled),
                                   lambda n: table_spec(job.table, n)) if rolled else {}
    memory = Memory(fn) if rolled else memory
    activity = Activity(fn, wrt, memory, job.table.rule)
    connected = [is_inexact(v.type) and activity.useful(v) for v in wrt]
    swept = Block()
    b = Builder(swept)
    b.aliases = True  # `Adjoints` writes only into what it made or owns
    sweep = Sweep(b, job.table, activity, memory, lambda s, op: _call(job, s, op))
    sweep.places, sweep.shared, sweep.bound, sweep.overwritten = places, shadows, flags, overwritten
    sweep.guarded = guarded(fn, memory, job.table.rule)
    results = list(fn.block.results)
    narrow = any(getattr(v.type, "dtype", "") in ("float16", "float32") for v in values)
    seeds = _seed(sweep, results, seeds_given, narrow)
    try:
        sweep.block(fn.block)
    except TwoNames as e:
        if (groups_of(memory, [e.value]) & groups_of(memory, shadows)
                or e.value not in values  # of the function around an inner one
                or not can_share(fn, memory, {memory.group(e.value)})):
            raise e.error from None
        return replace(choices, shared=choices.shared | {values.index(e.value)})
    b.origin = b.loc = None
    swept.results = _adjoints(sweep, [v for v, c in zip(wrt, connected, strict=True) if c],
                              [s for s, _ in seeds])

    def resolver(arrays: Sequence[Value]) -> Resolver:
        return Resolver(fn.block, memory, job.table, sweep.mirrors, shadows.values(), flags,
                        groups_of(memory, arrays))
    if choices.rolled is None:
        outlive = [*shadows, *(v for v in results if keep_values and is_reference(v.type))]
        chosen = choose(candidates(fn.block, memory, swept, activity.active, outlive),
                        lambda arrays: _saved(resolver(arrays), memory, arrays, swept))
        if chosen:
            return replace(choices, rolled=frozenset(map(values.index, chosen)))
    resolver(rolled).run(swept)
    out = into or Function(f"{fn.name}_gradients", Block())
    out.block.params = [*fn.block.params, *(s for s, _ in seeds)]
    out.block.ops = [*fn.block.ops, *leave, *swept.ops]
    out.block.results = [*(results if keep_values else ()), *swept.results]
    out.defaults = {**fn.defaults, **{s: default for s, default in seeds if default is not None}}
    return Reverse(out, connected)


def _saved(resolver: Resolver, memory: Memory, rolled: Sequence[Value], swept: Block) -> float:
    """About how many numbers are saved where the arrays `rolled` are rolled back."""
    undo = Undo(memory, resolver.cells, rolled)
    old = {store: undo.loaded(store) for store in undo.stores}
    return resolver.cost(swept, [v for v in old.values() if v is not None]) + sum(
        resolver.weight(axes_overwritten(store), memory.block_of[store]) for store, v in old.items() if v is None)


def groups_of(memory: Memory, values: Iterable[Value]) -> set[Value]:
    """The groups of memory of `values`."""
    return {memory.group(v) for v in values}


def table_spec(table: Table, name: str) -> OpSpec | None:
    """The operation that the rule table has under `name`."""
    return table.by_name[name].spec if name in table.by_name else None


def _copy_written(fn: Function, table: Table, outside: Sequence[Value]) -> list[Op]:
    """Let a function that writes into an array parameter write into a copy.

    What is written is lost, but for parameters `outside`: gives the operations that write it into these, which
    are to run between the forward and the reverse sweep.
    """
    memory = Memory(fn)
    copies: dict[Value, Value] = {}
    made = Block()
    for p in fn.block.params:
        if isinstance(p.type, Array) and memory.is_written(p):
            loc = next(op.loc for op in walk(fn.block) if (a := written(op)) is not None
                       and memory.group(a) is memory.group(p))
            copies[p] = functions.copy(Expr(Builder(made, loc), p, lambda n: table_spec(table, n))).v
            copies[p].hint = p.hint
        elif isinstance(p.type, List) and memory.is_written(p, lists=True):
            raise located(UnsupportedSyntaxError, None, f"the list {p.hint} is changed by the function",
                          "it belongs to the caller", "make a list in the function")
    if copies:
        substitute(fn.block, copies)
        fn.block.ops[:0] = made.ops
    leave = Block()
    b = Builder(leave)
    for p in [p for p in outside if p in copies]:  # others may be stored to in the program as it was written alone
        b.loc = made.ops[list(copies).index(p)].loc
        b.emit("setitem", {"a": p, "index": (), "value": copies[p]}, {"items": ("e",)})
    return leave.ops


def _seed(sweep: Sweep, results: Sequence[Value], given: bool, narrow: bool) -> list[tuple[Value, Any]]:
    """Give the results their adjoints; returns the new parameters with their defaults.

    narrow: the function computes in float32 too, to which a Python 1.0 would give way.
    """
    inexact = [r for r in results if is_inexact(r.type)]
    seeds: list[tuple[Value, Any]] = []
    for k, r in enumerate(inexact):
        name = "value_bar" if len(inexact) == 1 else f"value_bar{k}"
        if isinstance(r.type, Scalar) or given:
            seed = Value(r.type, name)
            sweep.seen.add(seed)
            default = None
            if isinstance(r.type, Scalar):
                one = np.dtype(r.type.dtype).type(1)
                default = one.item() if r.type.weak or (r.type.dtype == "float64" and not narrow) else one
            seeds.append((seed, default))
        elif isinstance(r.type, Array):
            if not sweep.activity.active(r):
                continue
            seed = functions.ones_like(sweep.expr(r)).v
        else:
            continue
        sweep.add(r, seed)
    return seeds


def _adjoints(sweep: Sweep, wrt: Sequence[Value], seeds: Sequence[Value]) -> list[Value]:
    """The adjoints to return: zeros where nothing contributed, and no array twice."""
    out: list[Value] = []
    for v in wrt:
        a = sweep.env.get(v)
        if a is None:
            a = sweep.zeros_like(v)
        elif isinstance(a.type, Array) and (a in out or a in seeds or a in sweep.memory.home):
            a = sweep.copy(a)
        out.append(a)
    return out


def _call(job: _Job, sweep: Sweep, op: Op) -> None:
    """The reverse of a call: a call of the adjoint, which runs the function's forward sweep itself."""
    gs = [sweep.take(r) for r in op.results]
    args = op.values("args")
    mask = tuple(sweep.activity.active(v) for v in args)
    if all(g is None for g in gs) or not any(mask):
        return
    callee: Function = op.attrs["function"]
    adjoint = _callee(job, callee, mask, op)
    seeds = [sweep.zeros_like(r) if g is None else g
             for r, g in zip(op.results, gs, strict=True) if is_inexact(r.type)]
    new = Op(SPECS["call"], {"args": (*args, *seeds)}, {"function": adjoint}, loc=op.loc, origin=op)
    active = [v for v, m in zip(args, mask, strict=True) if m]
    new.results = [Value(v.type, adjoint_name(v.hint), new) for v in active]
    sweep.b.block.ops.append(new)
    for v, r in zip(active, new.results, strict=True):
        sweep.add(v, r, fresh=False)


def _callee(job: _Job, callee: Function, mask: tuple[bool, ...], op: Op) -> Function:
    """The adjoint of a called function, made once; of a recursive one it calls itself."""
    key = (callee, mask)
    if key not in job.callees:
        if any(op.spec.writes is not None for op in _stores_to_params(callee)):
            raise located(UnsupportedSyntaxError, op.loc, f"{callee.name} writes into its argument",
                          "its caller would see that", "return a new array")
        job.callees[key] = Function(f"{callee.name}_gradients", Block())
        wrt = [p for p, m in zip(callee.block.params, mask, strict=True) if m]
        made = _build(job, callee, wrt, keep_values=False, seeds_given=True, into=job.callees[key])
        params = job.callees[key].block.params
        _fill(made, [p for p, m in zip(params, mask, strict=False) if m], job.table)
    return job.callees[key]


def _fill(made: Reverse, wrt: Sequence[Value], table: Table) -> None:
    """Return zeros for the inputs on which a called function does not depend."""
    block = made.function.block
    found = iter(block.results)
    b = Builder(block)
    out = []
    for v, c in zip(wrt, made.connected, strict=True):
        if c:
            out.append(next(found))
        elif isinstance(v.type, Scalar):
            out.append(b.const(0, v.type))
        else:
            out.append(functions.zeros_like(Expr(b, v, lambda n: table_spec(table, n))).v)
    block.results = out


def _stores_to_params(fn: Function) -> Iterator[Op]:
    """Stores of `fn` into memory of its parameters."""
    memory = Memory(fn)
    groups = {memory.group(p) for p in fn.block.params}
    for op in walk(fn.block):
        target = written(op)
        if target is not None and memory.group(target) in groups:
            yield op


