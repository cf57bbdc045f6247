"""About how many characters an expression takes: what decides between one line and two."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from s2s.emit.facts import REGIONS, TEMPORARY, Facts
from s2s.ir.core import Op, Value
from s2s.ir.ops import constant

_FORM = {"getitem": 2, "dim": 9, "cast": 12, "neg": 1, "not": 4, "if": 10, "trips": 12, "listget": 2}


def children(facts: Facts, op: Op) -> Iterator[Value]:
    """What the expression of `op` reads; for a conditional expression, what its branches yield too."""
    yield from facts.operands(op)
    if op.name == "if":
        for block in op.blocks:
            for v, r in zip(block.results, op.results, strict=True):
                if r in facts.needed:
                    yield facts.resolve(v)


def is_constant(v: Value) -> bool:
    return v.op is not None and v.op.name == "const"


def op_width(facts: Facts, op: Op, part: Callable[[Value], int]) -> int:
    """The width of `op` where `part` gives that of each operand."""
    operator = op.spec.elementwise and op.spec.emits != "call"
    form = _FORM.get(op.name, 0 if operator else len(op.name) + 2)
    between = 3 if operator else 2
    parts = [part(o) for o in children(facts, op)]
    return form + sum(parts) + between * max(len(parts) - 1, 0)


def atom_width(facts: Facts, v: Value) -> int:
    """The width of a name or a constant."""
    return len(str(constant(v))) if is_constant(v) else len(facts.hint(v)) or 2


def full_widths(facts: Facts) -> dict[Value, int]:
    """The width of each value if all that is read once, and has no name, were written out in it."""
    full: dict[Value, int] = {}

    def part(o: Value) -> int:
        once = len(facts.uses.get(o, ())) <= 1 and facts.hint(o) in TEMPORARY
        return full[o] if once and o in full else atom_width(facts, o)

    def visit(op: Op) -> None:
        for block in op.blocks if op.name in REGIONS else ():
            for inner in block.ops:
                visit(inner)
        if op in facts.live and op.name not in ("for", "while", "with", "const", "undefined"):
            width = op_width(facts, op, part)
            for r in op.results:
                full[r] = width

    for op in facts.fn.block.ops:
        visit(op)
    return full
