"""Which small arrays can be taken apart, and where that pays.

A value can be if its size is known, if what defines it can be computed by elements, and if the same holds for all that
it flows into or comes from through loops and branches. Memory that is written to is a value only as long as one name of
it is in use: after a store by one name, no other one may be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from s2s.ir.cells import LOOPS, Nesting
from s2s.ir.core import Block, Function, Op, Value, walk
from s2s.ir.memory import ARRAY_STORES, Memory, shares_memory, tied_values
from s2s.ir.ops import along, constant, is_basic
from s2s.ir.types import Array, Type
from s2s.rules.common import normalised
from s2s.targets.cellwise import is_cellwise
from s2s.targets.errors_in_threads import fits

# How many elements an array may have, and the arrays that are taken apart all together in one program.
_SMALL = 9
_MANY = 1500
FILLS = {"np.zeros": 0.0, "np.empty": 0.0, "np.ones": 1.0, "np.full": 0.0, "np.zeros_like": 0.0, "np.empty_like": 0.0,
         "np.ones_like": 1.0, "np.full_like": 0.0}
PRODUCTS = {"np.matmul": ("x", "y"), "np.dot": ("a", "b")}
_FLOWS = frozenset({"if", *LOOPS})
# Programs in which tapes look at values by name are left as they are.
_NOT_HERE = frozenset({"tape", "gradient"})

Shape: TypeAlias = tuple[int, ...]


@dataclass
class Choice:
    """values: arrays that are taken apart. numbers: operations that compute a number from elements. rows: stores of
    such an array into another one. written: for each loop or branch, arrays from outside that are written inside.
    """

    values: set[Value] = field(default_factory=set)
    numbers: set[Op] = field(default_factory=set)
    rows: set[Op] = field(default_factory=set)
    written: dict[Op, list[Value]] = field(default_factory=dict)

    def written_inside(self, op: Op) -> list[Value]:
        return self.written.get(op, [])


def shape_of(t: Type) -> Shape:
    """The sizes of an array, which are known."""
    assert isinstance(t, Array)
    return tuple(d.offset for d in t.dims)


def chosen(fn: Function) -> Choice:
    """What to take apart in `fn`."""
    ops = list(walk(fn.block))
    if any(op.name in _NOT_HERE for op in ops) or not any(op.name in _FLOWS for op in ops):
        return Choice()
    values = [v for op in ops for v in (*op.results, *(p for b in op.blocks for p in b.params))]
    # Beside narrow floats an element of an array and a number of Python come to different dtypes.
    if any(_dtype(v.type) in ("float32", "float16", "complex64", "complex128")
           for v in (*values, *fn.block.params)):
        return Choice()
    if not any(_is_small(v.type) for v in values):
        return Choice()
    return _Chooser(fn, ops, values).choice()


def _is_small(t: Type) -> bool:
    return (isinstance(t, Array) and t.dtype in ("float64", "bool") and 1 <= t.ndim <= 2
            and all(d.symbol is None for d in t.dims) and 1 <= int(np.prod(shape_of(t))) <= _SMALL)


def _dtype(t: Type) -> str:
    """The dtype of a number or an array; "" for the others."""
    return getattr(t, "dtype", "")


class _Chooser:
    def __init__(self, fn: Function, ops: list[Op], values: list[Value]) -> None:
        self.fn = fn
        self.ops = ops
        self.memory = Memory(fn)
        self.nesting = Nesting(fn)
        self.uses: dict[Value, list[Op]] = {}
        self.yields: dict[Value, list[Block]] = {}
        for op in ops:
            for v in op.operands():
                self.uses.setdefault(v, []).append(op)
        for block in self.nesting.owner:
            for v in block.results:
                self.yields.setdefault(v, []).append(block)
        self.ties: dict[Value, list[Value]] = {}
        for op in ops:
            if op.name in _FLOWS:
                for group in tied_values(op):
                    for v in group:
                        self.ties.setdefault(v, []).extend(group)
        self.taken = {v for v in values if _is_small(v.type)}

    def choice(self) -> Choice:
        """What is left when all that cannot be taken apart is left out, with what depends on that."""
        while True:
            gone = {v for v in self.taken if not self._possible(v)}
            gone |= {v for c in self._broken() for v in self.taken if self.memory.of(v) is c}
            if not gone:
                gone = self._not_paying()
            if not gone:
                break
            self.taken -= gone
        if not self.taken or sum(int(np.prod(shape_of(v.type))) for v in self.taken) > _MANY:
            return Choice()
        found = Choice(set(self.taken))
        for op in self.ops:
            if self._is_number(op) or self._is_size(op):
                found.numbers.add(op)
            elif self._is_row(op):
                found.rows.add(op)
            if op.spec.writes == "a" and op.value("a") in self.taken:
                self._note(found, op)
        return found

    def _note(self, found: Choice, store: Op) -> None:
        """The loops and branches that a store is in, and its array is not."""
        a = store.value("a")
        home = self.nesting.home[a]
        block = self.nesting.block_of[store]
        while block is not home:
            owner = self.nesting.owner[block]
            assert owner is not None
            written = found.written.setdefault(owner, [])
            if a not in written:
                written.append(a)
            block = self.nesting.block_of[owner]

    # What can be taken apart.

    def _possible(self, v: Value) -> bool:
        """Whether what defines `v`, and all that it flows into or comes from, can be taken apart as far as is known."""
        if v.op is not None and v in v.op.results and v.op.name not in _FLOWS and not self._computable(v.op):
            return False
        owner = self.nesting.owner[self.nesting.home[v]]
        if v.op is None and (owner is None or owner.name not in _FLOWS):
            return False
        return all(t in self.taken and shape_of(t.type) == shape_of(v.type) for t in self.ties.get(v, ()))

    def _computable(self, op: Op) -> bool:
        """Whether the elements of the result follow from elements and numbers."""
        if op.name == "pack":
            elements = op.values("elements")
            return all(_dtype(v.type) in ("float64", "int64") for v in elements) and (
                not any(isinstance(v.type, Array) for v in elements) or (
                    all(v in self.taken for v in elements) and len({shape_of(v.type) for v in elements}) == 1))
        if op.name in FILLS:
            given = op.args.get("fill_value")
            return _dtype(op.result.type) == "float64" and (
                not isinstance(given, Value) or (_dtype(given.type) == "float64"
                                                 and not isinstance(given.type, Array)))
        if op.name == "np.transpose":
            return op.value("a") in self.taken
        if op.name == "getitem":
            return op.value("a") in self.taken and _is_constant(op)
        if op.name in PRODUCTS:
            return self._is_product(op)
        t = op.result.type
        return is_cellwise(op) and isinstance(t, Array) and all(
            fits(v.type.dims, t.dims) for v in op.operands() if isinstance(v.type, Array))

    def _is_product(self, op: Op) -> bool:
        parts = [op.value(n) for n in PRODUCTS[op.name]]
        if not all(_is_small(v.type) and _dtype(v.type) == "float64" for v in parts):
            return False
        return any(v in self.taken for v in parts) and shape_of(parts[0].type)[-1] == shape_of(parts[1].type)[0]

    def _is_number(self, op: Op) -> bool:
        """Whether an operation gives a number that follows from elements."""
        if len(op.results) != 1 or isinstance(op.result.type, Array):
            return False
        if op.name == "np.sum":
            v = op.value("a")
            rank = len(shape_of(v.type)) if v in self.taken else 0
            return rank > 0 and _dtype(v.type) == "float64" and op.attrs.get("dtype") is None \
                and len(normalised(op.attrs.get("axis"), rank)) == rank
        if op.name in PRODUCTS:
            return self._is_product(op)
        return op.name == "getitem" and op.value("a") in self.taken and _is_constant(op)

    def _is_size(self, op: Op) -> bool:
        return op.name == "dim" and op.value("a") in self.taken

    def _is_row(self, op: Op) -> bool:
        """Whether a taken array is stored where ints and whole axes say."""
        if op.name not in ("setitem", "additem") or op.value("a") in self.taken or op.value("value") not in self.taken:
            return False
        if not is_basic(op.attrs["items"]):
            return False
        a = op.value("a").type
        assert isinstance(a, Array)
        axes = list(along(op, a.dims))
        return all(code in ("i", "e", "s000") for code, _, _ in axes) and not any(
            d is None for _, _, d in axes) and tuple(
            d for code, _, d in axes if code != "i") == getattr(op.value("value").type, "dims", None)

    # What is written to.

    def _broken(self) -> Iterator[Value]:
        """Classes of memory that are written to and are not values."""
        classes: dict[Value, list[Value]] = {}
        for v in self.taken:
            c = self.memory.of(v)
            if c in self.memory.written:
                classes.setdefault(c, []).append(v)
        if not classes:
            return
        everything = [v for op in self.ops for v in (*op.results, *(p for b in op.blocks for p in b.params))]
        everything += self.fn.block.params
        members: dict[Value, list[Value]] = {}
        for v in everything:
            c = self.memory.of(v)
            if c in classes and isinstance(v.type, Array):
                members.setdefault(c, []).append(v)
        for c, taken in classes.items():
            uses = [(op, v) for v in taken for op in self.uses.get(v, ())]
            owners = [self.nesting.owner[b] for v in taken for b in self.yields.get(v, ())]
            if set(members[c]) != set(taken) or not all(self._harmless(op, v) for op, v in uses) \
                    or any(owner is not None and owner.name not in _FLOWS for owner in owners) \
                    or not all(self._last_name(op, members[c]) for op, v in uses
                               if op.spec.writes == "a" and op.value("a") is v):
                yield c

    def _harmless(self, op: Op, v: Value) -> bool:
        """Whether a use of memory that is written makes no other name of it, and writes as it can."""
        if op.name in _FLOWS:
            return True
        if op.spec.writes == "a" and op.value("a") is v:
            return op.name in ARRAY_STORES and (op.name == "addto" or _is_constant(op)) and _fits(op)
        if op.name == "getitem":
            return _is_constant(op) and not isinstance(op.result.type, Array)
        if op.name in ARRAY_STORES:
            return True
        return op.spec.pure and not shares_memory(op) and not op.blocks \
            and op.name not in ("call", "hostcall", "pycall", "list", "custom")

    def _last_name(self, store: Op, members: list[Value]) -> bool:
        """Whether no other name of the memory is read after `store`, and all around it is a loop or a branch."""
        a = store.value("a")
        home = self.nesting.home[a]
        block = self.nesting.block_of[store]
        while block is not home:
            owner = self.nesting.owner[block]
            if owner is None or owner.name not in _FLOWS:
                return False
            if owner.name == "while" and block is owner.blocks[0]:
                return False
            block = self.nesting.block_of[owner]
        loops = self._loops(store)
        for u in members:
            if u is not a and any(self._after(use, store, u, loops) for use in self._places(u)):
                return False
        return True

    def _loops(self, op: Op) -> list[Op]:
        return [owner for owner in self._around(op) if owner.name in LOOPS]

    def _places(self, u: Value) -> Iterator[Op | None]:
        """Where `u` is read: operations, and those that own a block which yields it (None: the function)."""
        yield from self.uses.get(u, ())
        for block in self.yields.get(u, ()):
            yield self.nesting.owner[block]

    def _after(self, use: Op | None, store: Op, u: Value, loops: list[Op]) -> bool:
        """Whether `use`, of another name `u`, may come after `store`."""
        if use is None:
            return True
        order = self.nesting.order
        inside = {*self._around(use), use}
        for loop in loops:
            # In a loop that is around both, `u` of an iteration before is read only if it comes from outside of it.
            if loop in inside and not self._defined_in(u, loop):
                return True
        if use in self._around(store):
            # A block around the store that yields `u`, or a loop that starts with it: the former comes after.
            return any(u in b.results for b in use.blocks)
        return order[use] > order[store]

    def _around(self, op: Op) -> list[Op]:
        """The operations that own the blocks an operation is in, from the innermost outwards."""
        found = []
        owner = self.nesting.owner[self.nesting.block_of[op]]
        while owner is not None:
            found.append(owner)
            owner = self.nesting.owner[self.nesting.block_of[owner]]
        return found

    def _defined_in(self, u: Value, loop: Op) -> bool:
        block: Block | None = self.nesting.home[u]
        while block is not None:
            owner = self.nesting.owner[block]
            if owner is loop:
                return True
            block = self.nesting.block_of[owner] if owner is not None else None
        return False

    # What pays.

    def _not_paying(self) -> set[Value]:
        """Values of which more is needed as an array, in loops, than is computed by elements."""
        parent: dict[Value, Value] = {}

        def root(v: Value) -> Value:
            while v in parent:
                v = parent[v]
            return v

        def join(values: list[Value]) -> None:
            for v in values[1:]:
                x, y = root(values[0]), root(v)
                if x is not y:
                    parent[y] = x

        operations = [[*op.results, *op.operands()] for op in self.ops if op.name not in _FLOWS]
        for group in (*self.ties.values(), *operations):
            join([v for v in group if v in self.taken])
        gain: dict[Value, int] = {}
        for op in self.ops:
            if not self._loops(op):
                continue
            for v in {v for v in op.operands() if v in self.taken}:
                by_elements = self._is_number(op) or self._is_size(op) or self._is_row(op) or op.name in _FLOWS or (
                    len(op.results) == 1 and op.result in self.taken) or (
                    op.spec.writes == "a" and op.value("a") is v)
                gain[root(v)] = gain.get(root(v), 0) + (1 if by_elements else -2)
        return {v for v in self.taken if gain.get(root(v), 0) <= 0}


def places(op: Op) -> Any:
    """The index of a load or store whose parts are constants."""
    t = op.value("a").type
    assert isinstance(t, Array)
    found: list[Any] = []
    for code, parts, _ in along(op, range(t.ndim)):
        given = iter(parts)
        if code == "n":
            found.append(None)
        elif code == "i":
            found.append(constant(parts[0]))
        elif code == "e":
            found.append(slice(None))
        else:
            found.append(slice(*(constant(next(given)) if flag == "1" else None for flag in code[1:])))
    return tuple(found)


def _is_constant(op: Op) -> bool:
    """Whether an index is made of constants, which are inside."""
    if not is_basic(op.attrs["items"]) or any(not isinstance(constant(v), int) for v in op.values("index")):
        return False
    sizes = shape_of(op.value("a").type)
    return all(code != "i" or -n <= constant(parts[0]) < n for code, parts, n in along(op, sizes) if n is not None)


def _fits(op: Op) -> bool:
    """Whether what is stored has a known shape, which is broadcast to the place."""
    t, place = op.value("value").type, op.value("a").type
    if not isinstance(t, Array):
        return True
    if not all(d.symbol is None for d in t.dims):
        return False
    part = shape_of(place)
    if op.name != "addto":
        part = np.zeros(part)[places(op)].shape
    have = shape_of(t)
    return len(have) <= len(part) and all(n in (1, m) for n, m in zip(have[::-1], part[::-1], strict=False))
