"""The derivative of blocks that ran: lowered once for each kind of values, then run on what was kept of the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gast
import numpy as np

from s2s.errors import ReplayError
from s2s.ir.core import Block, Function, Value
from s2s.ir.types import Array, Scalar
from s2s.lower.binding import Binding, Path, fetch, number_type
from s2s.lower.context import Context
from s2s.lower.lower import Program, settled
from s2s.lower.record import Segment, lower_segments
from s2s.lower.slicing import needed
from s2s.lower.tape_gradient import derivative
from s2s.lower.tapes import record_of, variable_of, watch_leaf
from s2s.lower.tapes import watched_variables as tape_variables
from s2s.lower.values import Box, Lowered, Static, Tuple
from s2s.lower.written import keep_apart, stores_of
from s2s.options import Options
from s2s.pipeline import SERVICES, compiled, own_faults, replayed, written_parameters
from s2s.tape.frames import names_in
from s2s.tape.records import Asked, FoundAll, Shape, Span, entry_path
from s2s.tape.resolve import NOTHING, Ambiguous, Found, Resolver, holds
from s2s.tape.specialisation import Specialisation
from s2s.variable import Variable


class EntryBinding(Binding):
    """Reads what blocks read when they were entered, rather than what is there now."""

    def __init__(self, by_value: frozenset[Path], spans: Sequence[Span]) -> None:
        super().__init__(by_value)
        self.spans = spans

    def fetch(self, path: Path, parent: Any, step: tuple[str, Any]) -> Any:
        """The value one step from `parent`, as it was."""
        root = path[0]
        if root[0] == "run":
            return fetch(parent, step)
        entry = self.spans[root[2] if root[0] == "name" else 0].entry
        k = entry.place.index.get(entry_path(path))
        if k is not None:
            return entry.get(k)
        return fetch(parent, step) if entry.graph is None else entry.graph.fetch(parent, step)


def specialise(spans: Sequence[Span], tape: Any, asked: Asked, options: Options) -> tuple[Specialisation, list[Any]]:
    """Lower and compile the derivative that is asked for; and the values of its reads."""
    avoided: set[tuple[str, int]] = set()
    while True:
        made = _attempt(spans, tape, asked, options, avoided)
        if isinstance(made, Specialisation):
            values = made.values(spans, asked)
            assert values is not None, "a new specialisation does not fit the run it was made for"
            return made, values
        avoided |= made


def _attempt(spans: Sequence[Span], tape: Any, asked: Asked, options: Options,
             avoided: set[tuple[str, int]]) -> Specialisation | set[tuple[str, int]]:
    name = f"{_name(asked, spans)}_gradients"
    statements = _needed(asked, spans)

    def attempt(ctx: Context) -> tuple[Program, FoundAll, Shape]:
        ctx.avoided = avoided
        ctx.wanted = frozenset(id(x) for x in (*asked.targets, *asked.sources))
        segments = [s.segment(kept) for s, kept in zip(spans, statements, strict=True)]
        box = lower_segments(ctx, tape, segments)
        return _asked(ctx, box, segments, asked, name)

    with own_faults("the block"):
        def bind(paths: frozenset[Path]) -> Binding:
            return EntryBinding(paths, spans)

        program, found, shape = settled(attempt, bind, SERVICES, True)
        if same := _aliases(program):
            program, found, shape = settled(attempt, bind, SERVICES, True, same)
        stores = stores_of(program)
        keep_apart(program, stores)
        written = written_parameters(program, stores)
        again = {(r.path[0][1], r.path[0][2]) for r in program.binding.reads if r.path[0][0] == "run"
                 and r.leaf in written}
        if again:
            return again
        derivative = replayed(program, options)
        core = compiled(derivative, options)
        for s in spans:
            s.place.lock.acquire()
        try:
            made = Specialisation(derivative, core, spans, program.binding, written, found, shape, asked)
        finally:
            for s in spans:
                s.place.lock.release()
        program.binding.forget()
        return made


def watched_variables(spans: Sequence[Span], tape: Any, watched: Sequence[tuple[Any, Any]]) -> list[Variable]:
    """The Variables that a tape watches: those that it was given, and those that what ran reads."""
    def attempt(ctx: Context) -> list[Variable]:
        segments = [s.segment([x for x in s.statements if not _is_beside(x)]) for s in spans]
        box = lower_segments(ctx, tape, segments)
        record = record_of(ctx, None, box)
        found = {variable_of(ctx, v) for v in tape_variables(ctx, record).items if isinstance(v, Value)}
        return sorted(found | {v for v, _ in watched if isinstance(v, Variable)}, key=lambda v: v._number)

    with own_faults("the block"):
        return settled(attempt, lambda paths: EntryBinding(paths, spans), SERVICES, True)


def _is_beside(statement: Any) -> bool:
    """Whether a statement checks, or asks for a Jacobian, which reads no Variable that was not read before."""
    return isinstance(statement, gast.Assert) or any(
        isinstance(n, gast.Attribute) and n.attr in ("jacobian", "batch_jacobian") for n in gast.walk(statement))


def _aliases(program: Program) -> frozenset[int]:
    """Arrays, by identity, that the program reaches by several paths: they are one source."""
    leaves: dict[int, set[Value]] = {}
    for r in program.binding.reads:
        if r.leaf is not None and isinstance(r.value, np.ndarray):
            leaves.setdefault(id(r.value), set()).add(r.leaf)
    return frozenset(k for k, found in leaves.items() if len(found) > 1)


def _name(asked: Asked, spans: Sequence[Span]) -> str:
    """What to call the program: after the target, where a name stands for it."""
    for s in spans:
        for name, v in s.names.items():
            if len(asked.targets) == 1 and v is asked.targets[0] and name.isidentifier():
                return name
    return "block"


def _needed(asked: Asked, spans: Sequence[Span]) -> list[list[Any]]:
    """The statements of each block that what is asked for may depend on."""
    roots = _roots(asked, spans)
    kept: list[list[Any]] = []
    carried: set[int] = set()  # what later blocks start with
    for s in reversed(spans):
        roots |= {name for name, v in s.names.items() if id(v) in carried} | s.seen_by_functions()
        kept.append(needed(s.statements, roots, s.fixed()))
        roots.update(names_in(kept[-1]))
        carried |= {id(v) for name, v in s.entry.names.items() if name in roots}
    return kept[::-1]


def _roots(asked: Asked, spans: Sequence[Span]) -> set[str]:
    """The names that may lead to what is asked for."""
    roots = set(names_in([node for node in (*asked.target_nodes, *asked.source_nodes) if node is not None]))
    wanted = {id(x) for x in (*asked.targets, *asked.sources)}
    for s in spans:
        for name, v in s.names.items():
            if holds(v, wanted):
                roots.add(name)
    return roots


def _asked(ctx: Context, box: Box, segments: Sequence[Segment], asked: Asked,
           name: str) -> tuple[Program, FoundAll, Shape]:
    """Emit the derivative of the targets, and make the program that gives both."""
    block = ctx.b.block
    resolver = Resolver(ctx, segments)
    found_watched = [_find(resolver, obj, node, False, "number to watch") for obj, node in asked.watched]
    for found in found_watched:
        for _, v in found:
            watch_leaf(ctx, box, v)
    found_targets = [_find(resolver, t, n, True, "target")
                     for t, n in zip(asked.targets, asked.target_nodes, strict=True)]
    found_sources = [_find(resolver, s, n, False, "source")
                     for s, n in zip(asked.sources, asked.source_nodes, strict=True)]
    chosen = [f[0][1] if f else None for f in found_targets]
    seeds: dict[int, Value] = {}
    if asked.weights is not None:
        seeds = _weights(ctx, asked, chosen)
    targets = [v for v in chosen if v is not None]
    by = list(dict.fromkeys(v for f in found_sources for _, v in f))
    results: list[Value] = list(targets)
    places: dict[Value, int] = {}
    if targets and by:
        given: Lowered = derivative(ctx, None, box, Tuple(tuple(targets)), Tuple(tuple(by)), seeds)
        assert isinstance(given, Tuple)
        for s, g in zip(by, given.items, strict=True):
            if isinstance(g, Value):
                places[s] = len(results)
                results.append(g)
    checked = []
    for k, found in enumerate(found_sources):
        for f, v in found:
            if f.kind == "trust":
                checked.append((len(results), k))
                results.append(v)
    positions = iter(range(len(targets)))
    shape = Shape([None if v is None else next(positions) for v in chosen],
                  [[places[v] for _, v in f if v in places] for f in found_sources], resolver.names, checked)
    block.params, block.results = list(ctx.params), results
    fn = Function(name, Block(block.params, block.ops, results))
    program = Program(fn, ctx.binding, Static(None), {}, list(ctx.touched))
    where = [[[f for f, _ in found] or [NOTHING] for found in all_of]
             for all_of in (found_targets, found_sources, found_watched)]
    for k, t in enumerate(asked.targets):
        if np.asarray(t).dtype.kind not in "fc":  # it has no derivative, wherever it comes from
            where[0][k] = [Found("trust")]
    return program, where, shape


def _weights(ctx: Context, asked: Asked, chosen: Sequence[Value | None]) -> dict[int, Value]:
    seeds: dict[int, Value] = {}
    position = 0
    assert asked.weights is not None
    for v, w in zip(chosen, asked.weights, strict=True):
        if w is not None:
            t = number_type(w, "dy")
            assert isinstance(t, Scalar | Array)
            p = ctx.param(t, "dy")
            if v is not None:
                assert isinstance(v.type, Scalar | Array)
                seeds[position] = ctx.b.cast(p, Scalar(v.type.dtype, getattr(v.type, "weak", False)))
        position += v is not None
    return seeds


def _find(resolver: Resolver, obj: Any, node: Any, target: bool, what: str) -> list[tuple[Found, Value]]:
    try:
        return resolver.find(obj, node, target=target)
    except Ambiguous:
        raise ReplayError(
            f"The {what} {obj!r:.40} is the same number as another one of the block, and which of the two is meant "
            "cannot be told from the value.\nA number has no identity of its own.\n"
            "Name it at the call, as in tape.gradient(y, [x1, x2]), or make it with s2s.constant.") from None


__all__ = ["specialise", "watched_variables"]
