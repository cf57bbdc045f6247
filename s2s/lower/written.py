"""Arrays that a program writes to and that its caller knows: arguments, and arrays from outside.

An argument stays as it was, an array from outside is left as the function leaves it. Where one array is reached by
several paths, a store by one of them is seen by the others: so it is one parameter of the program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from s2s.errors import UnsupportedSyntaxError, located
from s2s.ir.core import Op, Value, walk
from s2s.ir.memory import Memory
from s2s.ir.types import Array
from s2s.lower.binding import Read, is_argument, path_name
from s2s.lower.lower import Program


def stores_of(program: Program) -> dict[Value, Op]:
    """Parameters whose memory a store may change, and one such store."""
    fn = program.function
    memory = Memory(fn)
    stores: dict[Value, Op] = {}
    for op in walk(fn.block):
        if op.spec.writes is not None:
            stores.setdefault(memory.of(op.value(op.spec.writes)), op)
    return {p: stores[memory.of(p)] for p in fn.block.params if isinstance(p.type, Array) and memory.of(p) in stores}


def one_memory(program: Program, stores: Mapping[Value, Op]) -> frozenset[int]:
    """Arrays, by identity, that are written to and that the program reaches by several paths."""
    reads: dict[int, list[Read]] = {}
    for r in program.binding.reads:
        if r.leaf is not None and isinstance(r.leaf.type, Array):
            reads.setdefault(id(r.value), []).append(r)
    return frozenset(k for k, found in reads.items() if len(found) > 1 and any(r.leaf in stores for r in found))


def keep_apart(program: Program, stores: Mapping[Value, Op]) -> None:
    """Arrays that are written to belong to the specialisation as being none of the others."""
    first: dict[Value, Read] = {}
    for r in program.binding.reads:
        if r.leaf is not None and isinstance(r.leaf.type, Array):
            first.setdefault(r.leaf, r)
    program.binding.apart = [(first[p], r) for p in stores if p in first
                             for q, r in first.items() if q is not p and (q not in stores or r.index > first[p].index)]


def check_independent(wrt: Sequence[Read], stores: Mapping[Value, Op]) -> None:
    """Refuse to differentiate one array, which is written to, as two parameters."""
    seen: dict[Value, Read] = {}
    for r in wrt:
        if r.leaf is None:
            continue
        other = seen.setdefault(r.leaf, r)
        if other is not r and r.leaf in stores:
            one, two = path_name(other.path), path_name(r.path)
            raise located(UnsupportedSyntaxError, stores[r.leaf].loc,
                          f"a store into {one!r}, which is also the argument {two!r}, and both are differentiated",
                          "they are one array, so a change of one is a change of the other",
                          f"pass a copy, or differentiate {one!r} alone")


def check_stores(program: Program, stores: Mapping[Value, Op]) -> None:
    """Refuse stores into what is an argument and an array from outside at once, or no array of the user's."""
    variables = {r.leaf for r in program.touched}
    for r in program.binding.reads:
        if r.leaf is None or r.leaf not in stores:
            continue
        op = stores[r.leaf]
        if r.leaf in variables:
            raise located(UnsupportedSyntaxError, op.loc, f"a store into the Variable {r.leaf.hint!r}",
                          "a Variable is changed as a whole", "use assign, assign_add or assign_sub")
        if r.leaf in program.given and not is_argument(r):
            raise located(UnsupportedSyntaxError, op.loc,
                          f"a store into {r.leaf.hint!r}, which is an argument and an array from outside the function",
                          "an argument is left as it was, and an array from outside is left changed",
                          "pass a copy as the argument")
