"""Target cpu: a small array whose size is known, and which is used by its elements, is its elements.

    y = np.array([1.0, 0.0])                  y_0 = 1.0
    for _ in range(steps):                    y_1 = 0.0
        y = y + h * np.array([y[1], -y[0]])   for _ in range(steps):
                                                  t = y_0 + h * y_1
                                                  y_1 = y_1 + h * -y_0
                                                  y_0 = t

Each array of a few numbers costs an allocation, and another one for its adjoint; numbers stay in registers. This is
done before the function is differentiated. What needs the array as such (`np.linalg.norm(y)`, `history.append(y)`) gets
one made of the elements. Where an array is written to, its elements get new values; that is only so if no other name of
the same memory is read later.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Op, Value, clone_op, map_arg
from s2s.ir.ops import along
from s2s.ir.types import FLOAT, INT, Array, Scalar
from s2s.simplify.dce import dce
from s2s.targets.cellwise import cell_of
from s2s.targets.small_values import FILLS, PRODUCTS, Choice, chosen, places, shape_of

_LOOPS = ("for", "while")


def small(fn: Function) -> Function:
    """`fn` with numbers in place of small arrays."""
    choice = chosen(fn)
    return dce(_Writer(choice).function(fn)) if choice.values else fn


class _Writer:
    """Copies a program. elements: of each array that is taken apart, its elements as they are now."""

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        self.mapping: dict[Value, Value] = {}
        self.elements: dict[Value, list[Value]] = {}
        self.b = Builder(Block())

    def function(self, fn: Function) -> Function:
        block = Block([self._copied(p) for p in fn.block.params])
        self._fill(block, fn.block, spread=False)
        return Function(fn.name, block, {self.mapping[v]: d for v, d in fn.defaults.items()})

    def _copied(self, v: Value) -> Value:
        self.mapping[v] = Value(v.type, v.hint)
        return self.mapping[v]

    def _fill(self, new: Block, old: Block, *, spread: bool = True) -> None:
        """Copy what a block does, and what it yields: elements, or arrays as such."""
        with self.b.at(new):
            for op in old.ops:
                self.b.loc, self.b.origin = op.loc, op.origin
                self._op(op)
            new.results = self._spread(old.results) if spread else [self._whole(v) for v in old.results]

    def _spread(self, values: Sequence[Value]) -> list[Value]:
        """What is yielded, or carried: elements, where there are such."""
        return [x for v in values for x in (self.elements[v] if v in self.elements else [self._whole(v)])]

    def _whole(self, v: Value) -> Value:
        """A value as such: an array made of the elements."""
        if v not in self.elements:
            return self.mapping.get(v, v)
        t = v.type
        assert isinstance(t, Array)
        row = self.elements[v]
        for n in shape_of(t)[:0:-1]:
            row = [self.b.one("pack", {"elements": tuple(row[k:k + n])}, {"dtype": t.dtype})
                   for k in range(0, len(row), n)]
        return self.b.one("pack", {"elements": tuple(row)}, {"dtype": t.dtype}, v.hint)

    def _op(self, op: Op) -> None:
        if op.name in ("if", *_LOOPS):
            self._region(op)
        elif len(op.results) == 1 and op.result in self.choice.values:
            self.elements[op.result] = self._named(op.result, self._computed(op))
        elif op.spec.writes == "a" and op.value("a") in self.choice.values:
            self._store(op)
        elif op.name in ("np.sum", *PRODUCTS) and op in self.choice.numbers:
            self.mapping[op.result] = self._computed(op)[0]
        elif op.name == "dim" and op in self.choice.numbers:
            self.mapping[op.result] = self.b.int(shape_of(op.value("a").type)[op.attrs["axis"]])
        elif op in self.choice.numbers:  # an element
            self.mapping[op.result] = self._part(op)[0]
        elif op in self.choice.rows:
            self._store_row(op)
        else:
            self._clone(op)

    def _clone(self, op: Op) -> None:
        """An operation as it is, on arrays as such."""
        mapping = {v: self._whole(v) for v in op.operands()}
        if not op.blocks:
            new = clone_op(op, mapping)
        else:
            new = Op(op.spec, {k: map_arg(a, mapping) for k, a in op.args.items()}, dict(op.attrs), [], [], op.loc,
                     op.origin)
            new.results = [Value(r.type, r.hint, new) for r in op.results]
            for block in op.blocks:
                new.blocks.append(Block([self._copied(p) for p in block.params]))
                self._fill(new.blocks[-1], block, spread=False)
        self.mapping.update(zip(op.results, new.results, strict=True))
        self.b.block.ops.append(new)

    def _named(self, v: Value, elements: list[Value]) -> list[Value]:
        for k, e in enumerate(elements):
            if v.hint and e.op is not None and e.hint in ("", v.hint):
                e.hint = f"{v.hint}_{k}"
        return elements

    # What arrays are made of.

    def _at(self, v: Value, place: tuple[int, ...], shape: tuple[int, ...]) -> Value:
        """The element of `v`, broadcast to `shape`, that is at `place`."""
        if not isinstance(v.type, Array):
            return self.mapping.get(v, v)
        own = shape_of(v.type)
        at = [0 if n == 1 else k for k, n in zip(place[len(shape) - len(own):], own, strict=True)]
        if v in self.elements:
            return self.elements[v][int(np.ravel_multi_index(at, own))]
        index = tuple(self.b.int(k) for k in at)
        return self.b.one("getitem", {"a": self.mapping.get(v, v), "index": index}, {"items": ("i",) * len(index)})

    def _computed(self, op: Op) -> list[Value]:
        """The elements of what an operation computes."""
        b = self.b
        if op.name == "pack":
            elements = [x for v in op.values("elements") for x in (self.elements.get(v) or [self._whole(v)])]
            return [b.cast(x, FLOAT) if x.type == INT else x for x in elements]
        if op.name in ("np.sum", *PRODUCTS):
            return self._sums(op)
        t = op.result.type
        assert isinstance(t, Array)
        shape = shape_of(t)
        if op.name in FILLS:
            given = op.args.get("fill_value")
            x = self._whole(given) if isinstance(given, Value) else b.const(FILLS[op.name], Scalar(t.dtype))
            return [x] * int(np.prod(shape))
        if op.name == "getitem":
            return self._part(op)
        if op.name == "np.transpose":
            own = shape_of(op.value("a").type)
            numbers = np.arange(int(np.prod(own))).reshape(own).transpose(op.attrs.get("axes"))
            return [self.elements[op.value("a")][k] for k in numbers.ravel()]
        return [cell_of(b, op, {n: self._at(a, place, shape) for n, a in op.args.items() if isinstance(a, Value)})
                for place in np.ndindex(shape)]

    def _part(self, op: Op) -> list[Value]:
        """A view of some elements."""
        own = shape_of(op.value("a").type)
        numbers = np.arange(int(np.prod(own))).reshape(own)
        return [self.elements[op.value("a")][k] for k in np.ravel(numbers[places(op)])]

    def _sums(self, op: Op) -> list[Value]:
        """Sums of elements, or of products of elements."""
        if op.name == "np.sum":
            v = op.value("a")
            shape = shape_of(v.type)
            return [self._total([self._at(v, place, shape) for place in np.ndindex(shape)])]
        x, y = (op.value(n) for n in PRODUCTS[op.name])
        left, right = shape_of(x.type), shape_of(y.type)
        return [self._total([self.b.mul(self._at(x, (*row, k), left), self._at(y, (k, *column), right))
                             for k in range(left[-1])])
                for row in np.ndindex(left[:-1]) for column in np.ndindex(right[1:])]

    def _total(self, terms: Sequence[Value]) -> Value:
        total = terms[0]
        for x in terms[1:]:
            total = self.b.add(total, x)
        return total

    # What changes them.

    def _store(self, op: Op) -> None:
        a, value = op.value("a"), op.value("value")
        shape = shape_of(a.type)
        numbers = np.arange(int(np.prod(shape))).reshape(shape)
        part = numbers if op.name == "addto" else np.asarray(numbers[places(op)])
        now = list(self.elements[a])
        for place in np.ndindex(part.shape):
            k = int(part[place])
            x = self._at(value, place, part.shape)
            now[k] = x if op.name == "setitem" else self.b.add(now[k], x)
        self.elements[a] = self._named(a, now)

    def _store_row(self, op: Op) -> None:
        """Elements into memory that is an array."""
        value = op.value("value")
        shape = shape_of(value.type)
        a = op.value("a")
        assert isinstance(a.type, Array)
        for place in np.ndindex(shape):
            rest = iter(place)
            index = tuple(self.mapping.get(parts[0], parts[0]) if code == "i" else self.b.int(next(rest))
                          for code, parts, _ in along(op, range(a.type.ndim)))
            self.b.emit(op.spec, {"a": self._whole(a), "index": index, "value": self._at(value, place, shape)},
                        {"items": ("i",) * len(index)})

    # Control flow.

    def _region(self, op: Op) -> None:
        """Elements are carried, and so are those of arrays from outside that are written inside."""
        outside = self.choice.written_inside(op)
        args = {k: map_arg(a, self.mapping) for k, a in op.args.items() if k != "init"}
        if op.name in _LOOPS:
            args["init"] = (*self._spread(op.values("init")), *self._spread(outside))
        new = Op(op.spec, args, dict(op.attrs), [], [], op.loc, op.origin)
        before = dict(self.elements)
        for block in op.blocks:
            made = Block()
            new.blocks.append(made)
            made.params = [p for v in block.params for p in self._parameters(v)]
            if op.name in _LOOPS:
                for v in outside:
                    made.params += self._parameters(v)
            self._fill(made, block)
            if block is op.blocks[-1] or op.name == "if":
                at = len(made.results) - bool(op.attrs.get("breaks"))
                made.results[at:at] = self._spread(outside)
            self.elements = dict(before)
        for v in (*op.results, *outside):
            found = self._parameters(v)
            for r in found:
                r.op = new
            new.results += found
        self.b.block.ops.append(new)

    def _parameters(self, v: Value) -> list[Value]:
        """New values for `v` where it is defined: one, or one for each element."""
        if v not in self.choice.values:
            return [self._copied(v)]
        t = v.type
        assert isinstance(t, Array)
        n = int(np.prod(shape_of(t)))
        self.elements[v] = [Value(Scalar(t.dtype), f"{v.hint}_{k}" if v.hint else "") for k in range(n)]
        return self.elements[v]
