"""The derivative of blocks that ran: lowered once for each kind of values, then run on what was kept of the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from s2s.api.plan import guard, plain_value
from s2s.errors import ReplayError, located
from s2s.ir.core import Block, Function, Loc, Op, Value
from s2s.ir.types import Array, Opaque, Scalar
from s2s.lower.binding import MISSING, Binding, Path, Read, fetch, number_type
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
from s2s.pipeline import SERVICES, Derivative, compiled, own_faults, replayed, written_parameters
from s2s.tape.generators import in_place_of, owner
from s2s.tape.graph import Graph
from s2s.tape.place import Entry, Place
from s2s.tape.resolve import NOTHING, Ambiguous, Found, Resolver, holds, still
from s2s.variable import Variable

# Where the targets, the sources and what is watched were found.
FoundAll = list[list[list[Found]]]


@dataclass(eq=False)
class Span:
    """A block that ran: what was kept on entry, and the names at its end (or now, where it still runs).

    statements: those that have run. raws: what the Variables among the names hold at the end.
    """

    place: Place
    entry: Entry
    namespace: dict[str, Any]
    statements: list[Any]
    names: dict[str, Any] = field(default_factory=dict)
    raws: dict[int, Any] = field(default_factory=dict)

    def segment(self, statements: list[Any]) -> Segment:
        """What is lowered of it."""
        return Segment(self.place.source, statements, self.place.local, self.namespace,
                       lambda name: _at_entry(self, name), lambda name: self.names.get(name, MISSING),
                       self._reach, self.place.names, self.place.target)

    def _reach(self, statement: gast.AST) -> list[Any]:
        """The objects that a statement can reach."""
        names = {n.id for n in gast.walk(statement) if isinstance(n, gast.Name)}
        held = {name: v for name in names for v in (self.entry.names.get(name, MISSING),) if v is not MISSING}
        return Graph(held, [statement]).reached()

    def key(self) -> Any:
        return (id(self.place), len(self.statements), id(self.statements[-1]) if self.statements else 0)


@dataclass(frozen=True)
class Asked:
    """Numbers that a call of `gradient` names: the objects, and the expressions that stand for them there."""

    targets: list[Any]
    sources: list[Any]
    target_nodes: list[Any]
    source_nodes: list[Any]
    watched: list[tuple[Any, Any]]
    weights: list[Any] | None = None


class EntryBinding(Binding):
    """Reads what blocks read when they were entered, rather than what is there now."""

    def __init__(self, by_value: frozenset[Path], spans: Sequence[Span]) -> None:
        super().__init__(by_value)
        self.spans = spans
        self.read_before: dict[Path, Any] = {}

    def fetch(self, path: Path, parent: Any, step: tuple[str, Any]) -> Any:
        """The value one step from `parent`, as it was."""
        root = path[0]
        if root[0] == "run":
            return fetch(parent, step)
        entry = self.spans[root[2] if root[0] == "name" else 0].entry
        k = entry.place.index.get(_entry_path(path))
        if k is not None:
            return entry.get(k)
        return fetch(parent, step) if entry.graph is None else entry.graph.fetch(parent, step)


def _entry_path(path: Path) -> Path:
    """A path without the number of the block."""
    root = path[0]
    return (root[:2], *path[1:]) if root[0] == "name" else path


class Specialisation:
    """The compiled derivative of blocks for one kind of values."""

    def __init__(self, derivative: Derivative, core: Callable[..., Any], spans: Sequence[Span], binding: Binding,
                 written: dict[Value, Op], found: FoundAll, shape: Shape, asked: Asked) -> None:
        self.derivative = derivative
        self.core = core
        self.found, self.shape = found, shape
        self.count = len(spans)
        fn = derivative.program.function
        at = {r.leaf: r.index for r in binding.reads if r.leaf is not None}
        objects = {r.path[0]: r.step[1] for r in binding.reads if r.step[0] == "constant"}
        self.reads: list[tuple[str, int, Any, int, Any]] = []
        for r in binding.reads:
            self.reads.append((*_origin(r, spans, objects), guard(r)))
        self.same = [(r.index, r.same_as.index) for r in binding.reads if r.same_as not in (None, r)]
        self.shaped = [(r.index, r.shaped_as.index) for r in binding.reads if r.shaped_as is not None]
        self.apart = [(a.index, b.index) for a, b in binding.apart]
        firsts = [r.index for r in binding.reads if r.same_as is r]
        self.distinct = firsts if len(firsts) > 1 else []
        self.arguments: list[tuple[int, str, Any]] = []
        for p in fn.block.params:
            if p not in at:
                self.arguments.append((-1, "weight", p.type))
                continue
            kind, number, where, _, _ = self.reads[at[p]]
            mode = "plain"
            if isinstance(p.type, Opaque):
                mode = "generator" if owner(binding.reads[at[p]].value) is not None else "object"
                if mode == "generator" and kind == "entry":
                    spans[number].place.generators[where] = None
                elif mode == "generator":
                    spans[0].place.shared[id(owner(where))] = owner(where)
            elif p in written:
                mode = "written"
                if kind == "entry":
                    spans[number].place.written.add(where)
            self.arguments.append((at[p], mode, written[p].loc if p in written else None))
        self.leaves = [k for k, mode, _ in self.arguments if mode in ("plain", "written")]
        held = [r.value for r in binding.reads]
        self.counts = [self._count(held, obj) for obj in asked.sources]
        self.narrow = [np.dtype(v.type.dtype).type if isinstance(v.type, Scalar) else None
                       for v in derivative.function.block.results]

    def values(self, spans: Sequence[Span], asked: Asked) -> list[Any] | None:
        """What the reads gave in the run; None where this specialisation does not fit it."""
        values: list[Any] = []
        for kind, number, where, parent, fits in self.reads:
            if kind == "entry":
                entry = spans[number].entry
                v = entry.values[where] if where < len(entry.values) else entry.get(where)
            elif kind == "run":
                v = spans[number].names.get(where, MISSING) if parent < 0 else fetch(values[parent], where)
            else:
                v = where
            if not fits(v):
                return None
            values.append(v)
        for k, first in self.same:
            if values[k] is not values[first]:
                return None
        if any(values[k].shape != values[first].shape for k, first in self.shaped):
            return None
        if any(values[k] is values[other] for k, other in self.apart):
            return None
        if self.distinct and len({id(values[k]) for k in self.distinct}) != len(self.distinct):
            return None
        return values if self._finds(values, [s.names for s in spans], asked) else None

    def _finds(self, values: Sequence[Any], exits: Sequence[dict[str, Any]], asked: Asked) -> bool:
        """Whether everything that is asked for is where it was when this was made."""
        watched = [obj for obj, _ in asked.watched]
        for founds, objects in zip(self.found, (asked.targets, asked.sources, watched), strict=True):
            for found, obj in zip(founds, objects, strict=True):
                if not all(still(f, obj, values, exits, self.shape.names) for f in found):
                    return False
        return not any(isinstance(obj, np.ndarray) and self._count(values, obj) != count
                       for obj, count in zip(asked.sources, self.counts, strict=True))

    def _count(self, values: Sequence[Any], obj: Any) -> int:
        """How many of the inputs an array is."""
        return sum(values[k] is obj for k in self.leaves)

    def run(self, spans: Sequence[Span], values: Sequence[Any], weights: Sequence[Any]) -> Sequence[Any]:
        """What the program gives: targets, then gradients."""
        given = iter(weights)
        replicas: dict[int, Any] = {}
        arguments = []
        for k, mode, detail in self.arguments:
            if k < 0:
                arguments.append(next(given))
                continue
            v = values[k]
            kind, number, where, _, _ = self.reads[k]
            if type(v) is Variable:
                v = spans[number].raws.get(id(v), v.raw) if kind == "run" else spans[number].entry.raw(v)
            elif mode == "generator":
                v = in_place_of(v, {id(owner(v)): self._state(spans, owner(v), detail)}, replicas)
            elif mode == "written":
                v = self._as_it_was(spans, kind, number, where, v, detail)
            elif mode == "plain":
                v = plain_value(v)
            arguments.append(v)
        out = self.core(*arguments)
        if len(self.narrow) == 1:
            out = (out,)
        return [x if t is None or isinstance(x, np.generic) else t(x)
                for x, t in zip(out or (), self.narrow, strict=True)]

    @staticmethod
    def _state(spans: Sequence[Span], generator: Any, loc: Loc | None) -> Any:
        for s in spans:
            found = s.entry.state(generator)
            if found is not None:
                return found
        raise located(ReplayError, loc, "A generator of random numbers is drawn from whose state was not kept",
                      "it was not known, when the block was entered, that the block reaches it",
                      "run the block again, or make the generator before it")

    @staticmethod
    def _as_it_was(spans: Sequence[Span], kind: str, number: int, where: Any, v: Any, loc: Loc | None) -> Any:
        found: Any = spans[number].entry.array(where, v) if kind == "entry" else MISSING
        if found is MISSING:
            raise located(ReplayError, loc, "An array is written into that was not copied when the block was entered",
                          "it was not known then that the block writes into it, and what was in it is lost",
                          "run the block again, or copy the array in the block and write into the copy")
        return found.copy(order="K").view(np.ndarray)


def _origin(r: Read, spans: Sequence[Span], objects: dict[Any, Any]) -> tuple[str, int, Any, int]:
    """How a read is made again: kind, number of the block, what, parent. objects: those that are constants."""
    root = r.path[0]
    if root[0] == "run":
        return ("run", root[2], root[1] if r.parent < 0 else r.step, r.parent)
    if root[0] == "constant" and r.parent < 0:
        return ("constant", 0, r.step[1], -1)
    number = root[2] if root[0] == "name" else 0
    place = spans[number].place
    return ("entry", number, _known_step(place, r.path, objects), r.parent)


def _known_step(place: Place, path: Path, objects: dict[Any, Any]) -> int:
    """The position of a read among those of its place; its parents are made known first."""
    known, root = _entry_path(path), path[0]
    if len(path) == 1:
        return place.step(known, -1, ("name", root[1]) if root[0] == "name" else ("constant", objects[root]))
    return place.step(known, _known_step(place, path[:-1], objects), path[-1])


@dataclass(frozen=True)
class Shape:
    """Where in the results what was asked for is: the place of each target, the places of each source's parts.

    names: those that the program computes, with the numbers of their blocks.
    """

    targets: list[int | None]
    gradients: list[list[int]]
    names: list[tuple[int, str]]


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
        keep_apart(program, stores_of(program))
        written = written_parameters(program)
        again = {(r.path[0][1], r.path[0][2]) for r in program.binding.reads if r.path[0][0] == "run"
                 and r.leaf in written}
        if again:
            return again
        derivative = replayed(program, options.target)
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
        segments = [s.segment([x for x in s.statements if not isinstance(x, gast.Assert)]) for s in spans]
        box = lower_segments(ctx, tape, segments)
        record = record_of(ctx, None, box)
        found = {variable_of(ctx, v) for v in tape_variables(ctx, record).items if isinstance(v, Value)}
        return sorted(found | {v for v, _ in watched if isinstance(v, Variable)}, key=lambda v: v._number)

    with own_faults("the block"):
        return settled(attempt, lambda paths: EntryBinding(paths, spans), SERVICES, True)


def _at_entry(s: Span, name: str) -> Any:
    v = s.entry.names.get(name, MISSING)
    k = s.place.index.get((("name", name),))
    if k is not None:
        return s.entry.get(k)
    return v if s.entry.graph is None else s.entry.graph.frozen(v)


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
        roots |= {name for name, v in s.names.items() if id(v) in carried}
        kept.append(needed(s.statements, roots))
        roots |= {n.id for x in kept[-1] for n in gast.walk(x) if isinstance(n, gast.Name)}
        carried |= {id(v) for name, v in s.entry.names.items() if name in roots}
    return kept[::-1]


def _roots(asked: Asked, spans: Sequence[Span]) -> set[str]:
    """The names that may lead to what is asked for."""
    roots: set[str] = set()
    for node in (*asked.target_nodes, *asked.source_nodes):
        if node is not None:
            roots |= {n.id for n in gast.walk(node) if isinstance(n, gast.Name)}
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
    positions = iter(range(len(targets)))
    shape = Shape([None if v is None else next(positions) for v in chosen],
                  [[places[v] for _, v in f if v in places] for f in found_sources], resolver.names)
    block.params, block.results = list(ctx.params), results
    fn = Function(name, Block(block.params, block.ops, results))
    program = Program(fn, ctx.binding, Static(None), {}, list(ctx.touched))
    where = [[[f for f, _ in found] or [NOTHING] for found in all_of]
             for all_of in (found_targets, found_sources, found_watched)]
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


__all__ = ["Asked", "Span", "Specialisation", "specialise", "watched_variables"]
