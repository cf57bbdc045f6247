"""Copies that stand for what shares memory in Python: fine, as long as nobody writes into the one or the other.

    pairs = []
    for k in range(n):
        pairs.append((x[k], x[k + 1]))      # an array of the two rows
    for a, b in pairs:
        a += b                              # would have to change x

Operations that make such a copy have the attribute `STALE`. A program in which it would be seen is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from s2s.analyse.memory import Memory
from s2s.errors import UnsupportedSyntaxError, located
from s2s.ir.core import Function, Op, Value, walk
from s2s.ir.memory import STALE, reachable
from s2s.ir.types import Array


def refuse_stale(fn: Function) -> None:
    """Raise an error where a copy or what it was made of changes, and the other one does not."""
    for function in reachable(fn):
        made = [op for op in walk(function.block) if op.attrs.get(STALE)]
        if not made:
            continue
        memory = Memory(function)
        for op in made:
            sources = list(_sources(op))
            if sources and (memory.is_written(op.result) or any(memory.may_change(v, op) for v in sources)):
                raise located(UnsupportedSyntaxError, op.loc,
                              "an array is written to, of which this has a copy where Python has the array itself",
                              "the copy would not change with it",
                              "copy the arrays that are kept here (np.copy), or keep them in a list for each")


def _sources(op: Op) -> Iterator[Value]:
    """The arrays that were copied."""
    for v in op.values("elements") if op.name == "pack" else (op.value("a"),):
        if not isinstance(v.type, Array):
            continue
        if v.op is not None and v.op.attrs.get(STALE):
            yield from _sources(v.op)
        yield v
