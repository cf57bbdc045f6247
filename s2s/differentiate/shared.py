"""Shadows that are made in the forward sweep, beside the arrays they belong to.

Where the path decides which array a name stands for, and that array is written to, the reverse sweep cannot tell from
the program what to change. So each array of such a group gets its shadow when it is made, and the shadow goes where
the array goes:

    b = a if c else d          b = a if c else d; b_bar = a_bar if c else d_bar
    b[0] = v                   b[0] = v
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from s2s.analyse.memory import LOOPS, Memory, is_view
from s2s.errors import S2SError, UnsupportedSyntaxError
from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Op, OpSpec, Value, walk
from s2s.ir.names import adjoint_name
from s2s.ir.types import Array, List, Type, Undefined
from s2s.rules.expr import Expr, fn


class TwoNames(Exception):
    """The path decides which array a value is; `error` is what to raise if there is no way around it."""

    def __init__(self, value: Value, error: UnsupportedSyntaxError) -> None:
        super().__init__(str(error))
        self.value = value
        self.error = error


def all_values(function: Function) -> list[Value]:
    """All values of a function, in an order that does not depend on the copy of it."""
    found = list(function.block.params)
    for op in walk(function.block):
        for block in op.blocks:
            found += block.params
        found += op.results
    return found


def can_share(function: Function, memory: Memory, groups: set[Value]) -> bool:
    """Whether shadows of the arrays of `groups` can be made beside them."""
    for op in walk(function.block):
        if op.name == "listarray" and memory.group(op.value("list")) in groups:
            return False
        results = [r for r in op.results if memory.group(r) in groups]
        if not results:
            continue
        if not all(_is_array(r.type) for r in results) or op.name in ("with", "custom", "pycall"):
            return False
        if op.name == "call" and any(memory.group(v) in groups for v in op.operands()):
            return False
        with suppress(S2SError):
            if not any(memory.is_apart(r) for r in results):
                continue
        return False
    return not any(memory.group(p) in groups for p in function.block.params)


def _is_array(t: Type) -> bool:
    return isinstance(t, Array | Undefined) or (isinstance(t, List) and _is_array(t.element))


def share(function: Function, memory: Memory, groups: set[Value],
          lookup: Callable[[str], OpSpec | None]) -> dict[Value, Value]:
    """Give `function` shadows for the arrays of `groups`; the map from each array to its shadow."""
    writer = _Writer(memory, groups, lookup)
    writer.block(function.block)
    return writer.shadows


class _Writer:
    def __init__(self, memory: Memory, groups: set[Value], lookup: Callable[[str], OpSpec | None]) -> None:
        self.memory = memory
        self.groups = groups
        self.lookup = lookup
        self.shadows: dict[Value, Value] = {}

    def block(self, block: Block) -> None:
        """Add shadows to what `block` makes."""
        ops, block.ops = block.ops, []
        b = Builder(block)
        for op in ops:
            b.loc = op.loc
            places = [k for k, r in enumerate(op.results) if self.memory.group(r) in self.groups]
            if op.name in LOOPS and places:
                self.enter(op, places)
            for inner in op.blocks:
                self.block(inner)
            if op.blocks:
                self.leave(op, places)
            block.ops.append(op)
            if op.name in ("append", "listset") and op.value("list") in self.shadows:
                b.emit(op.spec, {**op.args, "list": self.shadows[op.value("list")],
                                 "value": self.shadows[op.value("value")]})
            if not op.blocks:
                for k in places:
                    self.shadows[op.results[k]] = self.made(b, op, op.results[k])

    def made(self, b: Builder, op: Op, v: Value) -> Value:
        """The shadow of what an operation without blocks made."""
        if op.name == "undefined":
            new = b.undefined(v.type)
        elif op.name == "list":
            new = b.one("list", {"elements": tuple(self.shadows[e] for e in op.values("elements"))}, op.attrs)
        elif isinstance(v.type, List) and not is_view(op):
            new = b.one("listzeros", {"list": v})
        elif is_view(op):
            view = op.spec.view or ""
            new = b.one(op.spec, {**op.args, view: self.shadows[op.value(view)]}, op.attrs)
        else:
            new = fn.zeros_like(Expr(b, v, self.lookup)).v
        new.hint = new.hint or (adjoint_name(v.hint) if v.hint else "")
        return new

    def like(self, v: Value, op: Op | None) -> Value:
        self.shadows[v] = Value(v.type, adjoint_name(v.hint) if v.hint else "", op)
        return self.shadows[v]

    def enter(self, op: Op, places: Sequence[int]) -> None:
        first = 1 if op.name == "for" else 0
        init = op.values("init")
        op.args["init"] = (*init, *(self.shadows[init[k]] for k in places))
        for block in op.blocks:
            block.params += [self.like(block.params[first + k], None) for k in places]

    def leave(self, op: Op, places: Sequence[int]) -> None:
        for block in op.blocks if op.name == "if" else op.blocks[-1:]:
            new = [self.shadows[block.results[k]] for k in places]
            at = len(block.results) - (1 if op.attrs.get("breaks") else 0)
            block.results[at:at] = new
        op.results += [self.like(op.results[k], op) for k in places]
