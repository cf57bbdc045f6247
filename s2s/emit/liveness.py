"""Which named values are alive together, and so cannot share a name.

Sets of values are Python ints used as bit masks. Statements are walked backwards once; around a loop
all is live that its body reads from outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from s2s.emit.inline import Inlining
from s2s.emit.tree import Assign, Break, Copy, For, If, Node, Return, While, With
from s2s.emit.widths import children
from s2s.ir.core import Value


@dataclass
class Interference:
    """values: in order of appearance. clashes[k]: mask of what is alive where value k is defined.

    copies: (loop depth, target, source) for each copy between named values.
    """

    values: list[Value] = field(default_factory=list)
    number: dict[Value, int] = field(default_factory=dict)
    clashes: list[int] = field(default_factory=list)
    copies: list[tuple[int, Value, Value]] = field(default_factory=list)
    # For each value that an operation makes, the mask of what that operation reads.
    made_from: dict[int, int] = field(default_factory=dict)

    def bit(self, v: Value) -> int:
        if v not in self.number:
            self.number[v] = len(self.values)
            self.values.append(v)
            self.clashes.append(0)
        return 1 << self.number[v]

    def define(self, v: Value, alive: int) -> None:
        """`v` is written while `alive` must stay intact."""
        bit = self.bit(v)
        self.clashes[self.number[v]] |= alive & ~bit


class Liveness:
    """Computes `interference`, and drops copies to what is never read."""

    def __init__(self, inlining: Inlining, params: Sequence[Value], nodes: list[Node]) -> None:
        self.inlining = inlining
        self.interference = Interference()
        self._masks: dict[Value, int] = {}
        self._summaries: dict[int, tuple[int, int]] = {}
        entry = 0
        for p in params:
            entry |= self.interference.bit(p)
        alive = self.walk(nodes, 0, 0, 0)
        for p in params:
            self.interference.define(p, alive | entry)

    def reads(self, v: Value) -> int:
        """The named values that evaluating `v` reads."""
        v = self.inlining.facts.resolve(v)
        if v not in self._masks:
            mask = 0
            for leaf in self.inlining.leaves(v):
                if leaf.op is None or leaf.op.name != "undefined":
                    mask |= self.interference.bit(leaf)
            self._masks[v] = mask
        return self._masks[v]

    def _operands(self, node: Assign) -> int:
        mask = 0
        for v in children(self.inlining.facts, node.op):
            mask |= self.reads(v)
        return mask

    def _range(self, node: For) -> int:
        mask = 0
        for v in self.inlining.facts.operands(node.op):
            mask |= self.reads(v)
        return mask

    # ---- what a list of statements reads and defines

    def summary(self, nodes: list[Node]) -> tuple[int, int]:
        """Masks of all that `nodes` read, and of all that they define."""
        if id(nodes) not in self._summaries:
            used = defined = 0
            for node in nodes:
                u, d = self._summarise(node)
                used |= u
                defined |= d
            self._summaries[id(nodes)] = used, defined
        return self._summaries[id(nodes)]

    def _mask(self, values: Sequence[Value | None]) -> int:
        mask = 0
        for v in values:
            if v is not None:
                mask |= self.interference.bit(v)
        return mask

    def _summarise(self, node: Node) -> tuple[int, int]:
        used = defined = 0
        parts: list[list[Node]] = []
        match node:
            case Assign():
                used, defined = self._operands(node), self._mask(node.targets)
            case Copy():
                for t, s in node.pairs:
                    used |= self.reads(s)
                    defined |= self.interference.bit(t)
            case If():
                used, parts = self.reads(node.cond), [node.body, node.orelse]
            case For():
                used, defined, parts = self._range(node), self._mask([node.index]), [node.body]
            case While():
                used, parts = self.reads(node.cond), [node.test, node.body]
            case With():
                parts = [node.body]
            case Return():
                for v in node.values:
                    used |= self.reads(v)
        for part in parts:
            u, d = self.summary(part)
            used |= u
            defined |= d
        return used, defined

    # ---- backwards

    def walk(self, nodes: list[Node], alive: int, at_exit: int, depth: int) -> int:
        """What is alive before `nodes`, given what is after them and after a `break`."""
        for node in reversed(nodes):
            alive = self._before(node, alive, at_exit, depth)
        nodes[:] = [n for n in nodes if not isinstance(n, Copy) or n.pairs]
        return alive

    def _before(self, node: Node, alive: int, at_exit: int, depth: int) -> int:
        match node:
            case Break():
                return at_exit
            case Return():
                return self._all(node.values)
            case Assign():
                targets, operands = self._mask(node.targets), self._operands(node)
                for t in node.targets:
                    if t is not None:
                        self.interference.define(t, alive | targets)
                        self.interference.made_from[self.interference.number[t]] = operands
                return alive & ~targets | operands
            case Copy():
                return self._copy(node, alive, depth)
            case If():
                body = self.walk(node.body, alive, at_exit, depth)
                return body | self.walk(node.orelse, alive, at_exit, depth) | self.reads(node.cond)
            case For():
                return self._for(node, alive, depth)
            case While():
                return self._while(node, alive, depth)
            case With():
                return self.walk(node.body, alive, at_exit, depth)

    def _all(self, values: Sequence[Value]) -> int:
        mask = 0
        for v in values:
            mask |= self.reads(v)
        return mask

    def _copy(self, node: Copy, alive: int, depth: int) -> int:
        node.pairs = [(t, s) for t, s in node.pairs if alive & self.interference.bit(t)]
        targets = self._mask([t for t, _ in node.pairs])
        before = alive & ~targets
        for t, s in node.pairs:
            source = self.inlining.facts.resolve(s)
            clash = alive | targets
            if source not in self.inlining.inlined:
                # After the copy both hold one value; unless the source is overwritten by this very copy.
                bit = self.interference.bit(source)
                if not bit & targets:
                    clash &= ~bit
                self.interference.copies.append((depth, t, source))
            self.interference.define(t, clash)
            before |= self.reads(s)
        return before

    def _for(self, node: For, alive: int, depth: int) -> int:
        index = self.interference.bit(node.index)
        used, defined = self.summary(node.body)
        header = alive | self._mask(node.params) | (used & ~defined & ~index)
        inside = self.walk(node.body, header, alive, depth + 1)
        self.interference.define(node.index, inside)
        return (header | inside) & ~index | self._range(node)

    def _while(self, node: While, alive: int, depth: int) -> int:
        params = self._mask(node.params)
        cond = self.reads(node.cond)
        header = alive | params
        for part in (node.test, node.body):
            used, defined = self.summary(part)
            header |= used & ~defined
        own = self.summary(node.test)[1] | self.summary(node.body)[1]
        header |= cond & ~own
        inside = self.walk(node.body, header, alive, depth + 1)
        self.walk(node.test, inside | alive | cond, alive, depth + 1)
        return header
