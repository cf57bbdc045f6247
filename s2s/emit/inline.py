"""Which values become part of the expression that reads them, and which are named.

A value that is read once goes into its reader, unless a write comes between, the reader is in
another block (a loop would repeat it), the user gave it a name that is worth keeping, or the line
would grow too long. Constants, sizes and `i + 1` go into every reader.
"""

from __future__ import annotations

from s2s.emit.facts import REGIONS, TEMPORARY, Facts, Use, carried, is_effect, may_alias, written_as_if
from s2s.emit.widths import atom_width, children, full_widths, is_constant, op_width
from s2s.ir.core import Block, Op, Value
from s2s.ir.ops import constant, is_basic
from s2s.ir.types import Scalar

MAX_WIDTH = 96  # of an expression
SHORT = 24  # an adjoint whose expression is shorter than this is not worth a name
MAX_CONDITIONAL = 72
_INT_OPS = ("add", "sub", "neg", "dim")


class Inlining:
    """`inlined`: the values that are written where they are read.

    `conditional`: the `if`s that are written as expressions.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.inlined: set[Value] = set()
        self._spread: set[Value] = set()  # of these, the ones that are written in several places
        self.conditional: set[Op] = set()
        self._full = full_widths(facts)
        live = [(b, o) for b, o in facts.blocks if o is None or o in facts.live]
        for block, _ in reversed(live):
            for op in block.ops:
                if op.name == "if" and op in facts.live and self._is_conditional(op):
                    self.conditional.add(op)
        for block, owner in live:
            self._decide(block, owner in self.conditional)
        self._widths: dict[Value, int] = {}
        for op in facts.fn.block.ops:
            self._fit(op)
        self._name_stops()

    # ---- decisions

    def _decide(self, block: Block, inside_expression: bool) -> None:
        """Decide for the values of `block`, last first, so that the place of each reader is known."""
        root = list(range(len(block.ops) + 1))  # where each operation is evaluated in the end
        written = [self.facts.writes(op) for op in block.ops]
        for index in reversed(range(len(block.ops))):
            op = block.ops[index]
            v = next((r for r in op.results if r in self.facts.needed), None)
            if v is None or op not in self.facts.live or v in self.facts.alias:
                continue
            if op.name in ("const", "undefined") or inside_expression or self.is_trivial(v):
                self.inlined.add(v)
                uses = self.facts.uses.get(v, [])
                if len(uses) == 1 and uses[0].block is block:
                    root[index] = root[uses[0].index]
                elif not inside_expression:
                    self._spread.add(v)
                continue
            if op not in self.conditional and (len(op.results) != 1 or op.name in REGIONS):
                continue
            use = self._only_use(v, block)
            if use is None or is_effect(op) or self._keeps_name(op, v, use):
                continue
            reads = self._reads(op)
            between = range(index + 1, root[use.index])
            if reads and any(may_alias(reads, written[k]) for k in between):
                continue
            self.inlined.add(v)
            root[index] = root[use.index]

    def _only_use(self, v: Value, block: Block) -> Use | None:
        """The one read of `v`, if that is by an expression of the same block."""
        uses = self.facts.uses.get(v, [])
        if len(uses) != 1 or uses[0].block is not block or uses[0].kind not in ("operand", "return", "stop"):
            return None
        (use,) = uses
        if use.op is not None and any(r in self._spread for r in use.op.results):
            return None
        # What is written to stays a name, or a place: A[i] += v.
        target = use.op.spec.writes if use.op is not None else None
        if target is not None and use.op is not None and self.facts.resolve(use.op.value(target)) is v:
            place = v.op is not None and v.op.name in ("getitem", "listget") and is_basic(v.op.attrs.get("items", ()))
            return use if place else None
        return use

    def _reads(self, op: Op) -> frozenset[Value | None]:
        if op.name != "if":
            return self.facts.reads(op)
        found: frozenset[Value | None] = frozenset()
        for block in op.blocks:
            for inner in block.ops:
                found |= self._reads(inner)
        return found

    def is_trivial(self, v: Value) -> bool:
        """Whether `v` is an int such as `i + 1` or `x.shape[0]`, to be written wherever it is read."""
        op = v.op
        if op is None or op.name not in _INT_OPS or not isinstance(v.type, Scalar) or v.type.dtype != "int64" \
                or not v.type.weak or self._full.get(v, 99) > 16:
            return False
        uses = self.facts.uses.get(v, [])
        copied = any(u.kind in ("yield", "init", "return") for u in uses)
        if self.facts.hint(v) not in TEMPORARY and (copied or len(uses) > 1):
            return False
        return op.name == "dim" or not any(u.kind in ("yield", "stop") for u in uses)

    def _keeps_name(self, op: Op, v: Value, use: Use) -> bool:
        hint = self.facts.hint(v)
        if hint in TEMPORARY:
            return False
        if op.origin is None or use.kind in ("return", "stop"):
            return True
        reader = use.op
        if reader is not None and reader.name in ("add", "sub") and self.facts.resolve(reader.value("x")) is v \
                and self.facts.hint(reader.result) == hint:
            return True  # a sum that goes on: one statement for each term
        return self._full.get(v, 0) > SHORT

    # ---- conditional expressions

    def _is_conditional(self, op: Op) -> bool:
        """Whether an `if` can be written as `a if c else b`, `a and b` or `a or b`."""
        results = [r for r in op.results if r in self.facts.needed]
        if len(results) != 1 or op in self.facts.pushed.values():
            return False
        k = op.results.index(results[0])
        if not all(self._is_expression(b, b.results[k]) for b in op.blocks):
            return False
        if self.logical(op) is not None:
            return True
        if written_as_if(op) or self.facts.hint(results[0]) not in TEMPORARY:
            return False
        uses = self.facts.uses.get(results[0], [])
        short = self._full.get(results[0], 0) <= MAX_CONDITIONAL
        return short and all(u.kind in ("operand", "return") for u in uses)

    def logical(self, op: Op) -> str | None:
        """Whether the `if` says "and" or "or": one branch is a constant, and all are bools."""
        (k,) = [k for k, r in enumerate(op.results) if r in self.facts.needed]
        types = [op.results[k].type, op.value("cond").type, *(b.results[k].type for b in op.blocks)]
        if any(not isinstance(t, Scalar) or t.dtype != "bool" for t in types):
            return None
        if constant(self.facts.resolve(op.blocks[1].results[k])) is False:
            return "and"
        return "or" if constant(self.facts.resolve(op.blocks[0].results[k])) is True else None

    def _is_expression(self, block: Block, result: Value) -> bool:
        """Whether everything in `block` is read once, inside it, and has no effect."""
        for op in block.ops:
            if op not in self.facts.live or op.name == "const":
                continue
            needed = [r for r in op.results if r in self.facts.needed]
            if op.name in REGIONS and op not in self.conditional:
                return False
            if op.name == "undefined" or is_effect(op) or len(needed) != 1:
                return False
            if len(op.results) != 1 and op.name not in REGIONS:
                return False  # it takes a statement to unpack them
            uses = self.facts.uses.get(needed[0], [])
            if len(uses) != 1 and not self.is_trivial(needed[0]):
                return False
            if any(u.block is not block for u in uses) and not self.is_trivial(needed[0]):
                return False
        value = self.facts.resolve(result)
        return value.op is None or value.op.name != "undefined"

    # ---- width

    def _read_width(self, o: Value) -> int:
        if o not in self.inlined or is_constant(o):
            return atom_width(self.facts, o)
        return self._widths.get(o, 8)

    def _fit(self, op: Op) -> None:
        """Name operands of `op`, widest first, until it is short enough."""
        for block in op.blocks if op.name in REGIONS else ():
            for inner in block.ops:
                self._fit(inner)
        if op not in self.facts.live or op.name in ("for", "while", "with", "const", "undefined"):
            return
        limit = MAX_WIDTH
        if op.origin is None and op.loc is not None:
            limit = max(limit, int(1.3 * len(op.loc.text)))  # the user wrote it so
        while (width := op_width(self.facts, op, self._read_width)) > limit:
            parts = [(self._read_width(o), -k, o) for k, o in enumerate(children(self.facts, op))
                     if o in self.inlined and self._has_place(o)]
            if not parts or max(parts)[0] <= SHORT // 2:
                break
            self.inlined.discard(max(parts, key=lambda p: p[:2])[2])
        for r in op.results:
            self._widths[r] = width

    def _has_place(self, v: Value) -> bool:
        """Whether `v` can be a statement of its own."""
        where = self.facts.definition.get(v)
        return where is not None and where.op.name != "const" and self.facts.parent[where.op] not in self.conditional

    # ---- leaves

    def leaves(self, v: Value) -> dict[Value, None]:
        """The named values that are read when `v` is evaluated, in order: names are given in the order they are met."""
        v = self.facts.resolve(v)
        if v not in self.inlined:
            return {v: None}
        assert v.op is not None
        found: dict[Value, None] = {}
        for o in children(self.facts, v.op):
            found |= self.leaves(o)
        return found

    def _name_stops(self) -> None:
        """`stop` is read after the carried values have moved on; name it if it reads their old values."""
        for stop, loop in self.facts.stops:
            body = loop.blocks[-1]
            moved = {p for p, y in zip(carried(loop), body.results, strict=False) if self.facts.resolve(y) is not p}
            if stop in self.inlined and self.leaves(stop).keys() & moved:
                self.inlined.discard(stop)
