"""Which values may share memory: one class for all arrays and lists that may alias.

The analysis does not look at the order of the program. A list and the arrays that it holds are one class.
Parameters of a function are taken as disjoint unless `disjoint=False` (a function that is called by another
one of the program may get the same array twice).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from s2s.ir.core import Block, Function, Op, Value, walk
from s2s.ir.ops import is_basic
from s2s.ir.types import Scalar, Type, Undefined

#: Operations whose attribute `function` is IR.
CALLS = ("call", "hostcall")

#: Operations of the language that change elements of an array.
ARRAY_STORES = frozenset({"setitem", "additem", "addto"})

#: Operations that change what a list holds, and no array.
LIST_STORES = ("append", "listset", "listpop")


#: Attribute of an operation that copies what in Python would share memory (`s2s.analyse.stale`).
STALE = "stale"


def is_memory(t: Type) -> bool:
    """Whether a value of type `t` refers to memory that can be written."""
    return not isinstance(t, Scalar | Undefined)


class Memory:
    """The alias classes of `fn`: `memory.of(v)` is the representative of the class of `v`.

    outside: classes that the caller of the function, or a call that is left in place, can also see.
    """

    def __init__(self, fn: Function, *, disjoint: bool = True) -> None:
        self._fn = fn
        self._parent: dict[Value, Value] = {}
        self._effects: dict[int, tuple[Function, bool]] = {}
        seen: list[Value] = []
        if not disjoint:
            self._join([p for p in fn.block.params if is_memory(p.type)])
        self._block(fn.block, seen)
        seen += fn.block.params
        seen += fn.block.results
        self.outside = {self.of(v) for v in seen if is_memory(v.type)}
        self._wrote: set[Value] | None = None

    @property
    def written(self) -> set[Value]:
        """Classes that are stored to somewhere in the function."""
        if self._wrote is None:  # on demand: it asks the functions that are called, which may include this one
            self._wrote = {self.of(v) for op in walk(self._fn.block) for v in self.writes(op)}
        return self._wrote

    def of(self, v: Value) -> Value:
        """The representative of the class of `v`."""
        root = v
        while (up := self._parent.get(root)) is not None:
            root = up
        while v is not root:
            self._parent[v], v = root, self._parent[v]
        return root

    def join(self, a: Value, b: Value) -> None:
        """Make one class of two."""
        x, y = self.of(a), self.of(b)
        if x is not y:
            self._parent[x] = y

    def _join(self, values: list[Value]) -> None:
        memory = [v for v in values if is_memory(v.type)]
        for v in memory[1:]:
            self.join(memory[0], v)

    def _block(self, block: Block, seen: list[Value]) -> None:
        for op in block.ops:
            for inner in op.blocks:
                self._block(inner, seen)
            self._op(op, seen)

    def _op(self, op: Op, seen: list[Value]) -> None:
        if op.name == "pycall":
            seen += op.operands()
            seen += op.results
            # What is reached through an opaque object may be anything that was handed out before.
            self._join([*op.operands(), *op.results])
        elif op.name == "call":
            self._join([*op.operands(), *op.results])
        elif op.name in ("if", "for", "while", "with", "custom"):
            for group in tied_values(op):
                self._join(group)
        elif op.name in ("append", "listset"):
            self._join([op.value("list"), op.value("value")])
        elif op.name == "listpop":
            self._join([op.value("list"), op.result])
        elif op.name == "list":
            self._join([op.result, *op.values("elements")])
        elif shares_memory(op):
            assert op.spec.view is not None
            arg = op.args.get(op.spec.view)
            if arg is not None:
                self._join([op.result, *(arg if isinstance(arg, tuple) else (arg,))])

    def writes(self, op: Op) -> Iterator[Value]:
        """The values whose memory `op` itself (not the blocks it owns) may change."""
        if op.spec.writes is not None:
            yield op.value(op.spec.writes)
        elif op.name == "pycall" or (op.name == "call" and self.has_effect(op)):
            yield from (v for v in op.operands() if is_memory(v.type))

    def has_effect(self, op: Op) -> bool:
        """Whether `op` must be kept although nothing reads its results; stores are asked for apart."""
        if op.name != "call":
            return op.spec.effect
        function: Function = op.attrs["function"]
        if id(function) not in self._effects:
            self._effects[id(function)] = (function, calls_have_effects(function))
        return self._effects[id(function)][1]


def shares_memory(op: Op) -> bool:
    """Whether the result of `op` may share memory with the argument `spec.view`."""
    if op.spec.view is None or not op.results or not is_memory(op.result.type):
        return False
    return op.name != "getitem" or is_basic(op.attrs["items"])


def tied_values(op: Op) -> list[list[Value]]:
    """For an operation with blocks: the values that become each result, with it and its loop parameter."""
    if op.name == "custom":
        own = op.blocks[0].params[len(op.results):]  # the results, as the pullback sees them
        return [[r, a, *own[k:k + 1]] for k, (r, a) in enumerate(zip(op.results, op.values("args"), strict=True))]
    if op.name in ("if", "with"):
        return [[r, *(b.results[i] for b in op.blocks)] for i, r in enumerate(op.results)]
    first = 1 if op.name == "for" else 0
    groups = []
    for i, (result, init) in enumerate(zip(op.results, op.values("init"), strict=True)):
        group = [result, init, *(b.params[first + i] for b in op.blocks)]
        groups.append([*group, op.blocks[-1].results[i]])
    return groups


def reachable(fn: Function) -> Iterator[Function]:
    """`fn`, and every function that it calls, directly or not; each once."""
    found: dict[int, Function] = {id(fn): fn}
    work = [fn]
    while work:
        current = work.pop()
        yield current
        for op in walk(current.block):
            callee: Any = op.attrs.get("function") if op.name in CALLS else None
            if callee is not None and id(callee) not in found:
                found[id(callee)] = callee
                work.append(callee)


def calls_have_effects(fn: Function) -> bool:
    """Whether `fn`, or a function that it calls, has an effect or writes into memory it was given."""
    return writes_arguments(fn) or any(op.spec.effect for f in reachable(fn) for op in walk(f.block))


def writes_arguments(fn: Function) -> bool:
    """Whether `fn`, or a function that it calls, stores into memory that it was given."""
    for f in reachable(fn):
        stores = [op.value(op.spec.writes) for op in walk(f.block) if op.spec.writes is not None]
        if not stores:
            continue
        classes = Memory(f, disjoint=False)
        given = {classes.of(p) for p in f.block.params}
        if any(classes.of(v) in given for v in stores):
            return True
    return False


def is_fresh(op: Op) -> bool:
    """Whether the results of `op` are memory that nobody else refers to."""
    return (op.spec.fresh or op.spec.elementwise) and op.spec.view is None
