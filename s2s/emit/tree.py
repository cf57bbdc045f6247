"""The program as statements: assignments, copies, loops, `break` and `return`, not yet named.

What structured SSA does by yielding values is done here by `Copy`: into what a loop carries, before
it and at the end of its body; into the results of an `if`, at the end of its branches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from s2s.emit.facts import LOOPS, REGIONS, Facts, breaks, carried
from s2s.emit.inline import Inlining
from s2s.ir.core import Block, Op, Value
from s2s.ir.ops import constant


@dataclass(eq=False, slots=True)
class Assign:
    """The results of a plain operation (or of a conditional expression); or an operation without."""

    op: Op
    targets: list[Value | None]


@dataclass(eq=False, slots=True)
class Copy:
    """Parallel assignment: (target, source) pairs, all read before any is written."""

    pairs: list[tuple[Value, Value]]


@dataclass(eq=False, slots=True)
class If:
    cond: Value
    body: list[Node]
    orelse: list[Node] = field(default_factory=list)
    op: Op | None = None


@dataclass(eq=False, slots=True)
class For:
    op: Op
    index: Value
    params: list[Value]
    body: list[Node]


@dataclass(eq=False, slots=True)
class While:
    op: Op
    cond: Value
    params: list[Value]
    test: list[Node]
    body: list[Node]


@dataclass(eq=False, slots=True)
class With:
    op: Op
    body: list[Node]


@dataclass(eq=False, slots=True)
class Break:
    pass


@dataclass(eq=False, slots=True)
class Return:
    values: list[Value]


Node: TypeAlias = Assign | Copy | If | For | While | With | Break | Return
# What to do with the values that a block yields; True and False stand for known stops.
# Conditions whose value is known in the branch that is being written.
Known: TypeAlias = Mapping[Value, bool]
Sink: TypeAlias = Callable[[Sequence[Value], Known], list[Node]]


def build(facts: Facts, inlining: Inlining) -> list[Node]:
    """The statements of a function."""
    return _Builder(facts, inlining).function()


def ends(nodes: Sequence[Node]) -> bool:
    """Whether control never comes to the end of `nodes`."""
    return bool(nodes) and isinstance(nodes[-1], Break | Return)


class _Builder:
    def __init__(self, facts: Facts, inlining: Inlining) -> None:
        self.facts = facts
        self.inlining = inlining

    def function(self) -> list[Node]:
        return self.block(self.facts.fn.block, lambda vs, known: [Return(list(vs))])

    def block(self, block: Block, sink: Sink) -> list[Node]:
        """The statements of a block, with what `sink` makes of its results at the end."""
        pushed = self.facts.pushed.get(block)
        results = [self.facts.resolve(v) for v in block.results]
        nodes: list[Node] = []
        for op in block.ops:
            if op is pushed:
                return nodes + self.push(op, results, sink)
            if op in self.facts.live:
                nodes += self.operation(op)
        return nodes + sink(results, {})

    def push(self, op: Op, results: Sequence[Value], sink: Sink) -> list[Node]:
        """An `if` at the end of a block, with the end of the block moved into its branches."""
        cond = self.facts.resolve(op.value("cond"))
        branches = []
        for branch, holds in zip(op.blocks, (True, False), strict=True):
            place = {r: k for k, r in enumerate(op.results)}

            def inner(ys: Sequence[Value], known: Known, place: dict[Value, int] = place,
                      holds: bool = holds) -> list[Node]:
                return sink([ys[place[v]] if v in place else v for v in results], {**known, cond: holds})
            branches.append(self.block(branch, inner))
        body, orelse = branches
        if ends(body):
            return [If(cond, body, [], op), *orelse]
        if ends(orelse):
            return [If(cond, [], orelse, op), *body]
        return [If(cond, body, orelse, op)]

    def operation(self, op: Op) -> list[Node]:
        """The statements of one operation; none where it is written in its reader."""
        if op.name in ("const", "undefined", "stop_gradient", "custom"):
            return []
        if op.name in REGIONS and op not in self.inlining.conditional:
            return getattr(self, f"_{op.name}")(op)  # type: ignore[no-any-return]
        needed = [r for r in op.results if r in self.facts.needed]
        if needed and all(r in self.inlining.inlined for r in needed):
            return []
        targets: list[Value | None] = [r if r in self.facts.needed else None for r in op.results]
        if op in self.inlining.conditional:
            targets = [needed[0]]
        return [Assign(op, targets)]

    def copy(self, targets: Sequence[Value], sources: Sequence[Value]) -> list[Node]:
        pairs = [(t, s) for t, s in zip(targets, sources, strict=False)
                 if t in self.facts.needed and t is not s and not is_undefined(s)]
        return [Copy(pairs)] if pairs else []

    def _if(self, op: Op) -> list[Node]:
        body, orelse = (self.block(b, lambda vs, known: self.copy(op.results, vs)) for b in op.blocks)
        return [If(self.facts.resolve(op.value("cond")), body, orelse, op)]

    def _with(self, op: Op) -> list[Node]:
        return [With(op, self.block(op.blocks[0], lambda vs, known: self.copy(op.results, vs)))]

    def _end_of_body(self, op: Op) -> Sink:
        def sink(results: Sequence[Value], known: Known) -> list[Node]:
            nodes = self.copy(carried(op), results)
            if breaks(op):
                nodes += _stop(known.get(results[-1], results[-1]))
            return nodes
        return sink

    def _for(self, op: Op) -> list[Node]:
        params = [p for p in carried(op) if p in self.facts.needed]
        body = self.block(op.blocks[0], self._end_of_body(op))
        return [*self.copy(carried(op), self.facts.inits(op)), For(op, op.blocks[0].params[0], params, body)]

    def _while(self, op: Op) -> list[Node]:
        params = [p for p in carried(op) if p in self.facts.needed]
        test = self.block(op.blocks[0], lambda vs, known: [])
        body = self.block(op.blocks[1], self._end_of_body(op))
        cond = self.facts.resolve(op.blocks[0].results[0])
        return [*self.copy(carried(op), self.facts.inits(op)), While(op, cond, params, test, body)]


def is_undefined(v: Value) -> bool:
    return v.op is not None and v.op.name == "undefined"


def _stop(stop: Value | bool) -> list[Node]:
    known = stop if isinstance(stop, bool) else constant(stop)
    if known is not None:
        return [Break()] if known else []
    assert isinstance(stop, Value)
    return [If(stop, [Break()])]


__all__ = ["LOOPS", "Assign", "Break", "Copy", "For", "If", "Node", "Return", "While", "With", "build", "ends"]
