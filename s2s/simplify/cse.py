"""Common subexpressions, loads from memory included; operations are folded again on the way.

    >>> from s2s.ir.builder import Builder
    >>> from s2s.ir.core import Block, Function, Value
    >>> from s2s.ir.types import FLOAT
    >>> x = Value(FLOAT, "x")
    >>> b = Builder(Block([x]))
    >>> b.block.results = [b.binary("div", b.mul(x, x), b.mul(x, x))]
    >>> [op.name for op in cse(Function("f", b.block)).block.ops]
    ['mul', 'div']

A load is only reused while no store may have changed what it read: each class of memory that may alias has a
version, which every store to it renews, and the version is part of what makes two loads equal.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from s2s.ir.builder import Builder
from s2s.ir.core import Arg, Block, Function, Op, OpSpec, Value, map_arg, walk
from s2s.ir.fold import fold, shaped
from s2s.ir.memory import Memory, is_fresh, is_memory, shares_memory
from s2s.ir.ops import SPECS
from s2s.ir.types import Array, List, Type, kind
from s2s.simplify.additions import two

_REGIONS = frozenset({"if", "for", "while", "with", "custom", "call", "hostcall"})


def cse(fn: Function, *, disjoint: bool = True) -> Function:
    """`fn` with common subexpressions computed once."""
    memory = Memory(fn, disjoint=disjoint)
    mapping: dict[Value, Value] = {}
    rewriter = _Cse(memory, mapping)
    block = rewriter.copy(fn.block)
    return Function(fn.name, block, {mapping[v]: d for v, d in fn.defaults.items()})


class _Cse(Builder):
    """Copies a function operation by operation, reusing results that are still good.

    table: what is available: a key made of the operation and its operands -> the result.
    """

    aliases = True  # where arrays are folded at all, nobody writes into one

    def __init__(self, memory: Memory, mapping: dict[Value, Value]) -> None:
        super().__init__(Block())
        self.memory = memory
        self.mapping = mapping
        self.table: dict[Any, Value] = {}
        self.added: list[list[Any]] = [[]]
        self.version: dict[Value, int] = {}
        self.old: dict[Value, Value] = {}  # new value -> the old one, in whose terms memory is known
        self.fresh_version = itertools.count(1)

    def copy(self, block: Block) -> Block:
        """A copy of `block`; what it computes is available inside it only."""
        new = Block()
        self.added.append([])
        for p in block.params:
            new.params.append(Value(p.type, p.hint))
            self._map(p, new.params[-1])
        with self.at(new):
            for op in block.ops:
                self._copy_op(op)
        new.results = [self.mapping.get(v, v) for v in block.results]
        for key in self.added.pop():
            del self.table[key]
        return new

    def _map(self, old: Value, new: Value) -> None:
        self.mapping[old] = new
        self.old.setdefault(new, old)

    def _copy_op(self, op: Op) -> None:
        self.loc, self.origin = op.loc, op.origin
        args = {k: map_arg(a, self.mapping) for k, a in op.args.items()}
        if op.name == "dim":
            self._map(op.result, self._size(op, args))
            return
        if op.name == "add" and args["x"] is args["y"] and kind(op.result.type) == "f":
            args = {"x": two(self, op.result.type), "y": args["y"]}
            op = Op(SPECS["mul"], op.args, {}, op.results, loc=op.loc, origin=op.origin)
        if op.name in _REGIONS or not op.spec.pure:
            self._keep(op, args)
            return
        results = self._reuse_or_append(op.spec, args, op.attrs, [r.type for r in op.results],
                                        [r.hint for r in op.results], op)
        for old, new in zip(op.results, results, strict=True):
            self._map(old, new)

    def _size(self, op: Op, args: dict[str, Arg]) -> Value:
        """The size of an axis, read off the operand that it came from."""
        a = args["a"]
        assert isinstance(a, Value)
        a, axis = size_source(a, op.attrs["axis"])
        return self._reuse_or_append(op.spec, {"a": a}, {"axis": axis}, [op.result.type], [op.result.hint], op)[0]

    def emit(self, spec: OpSpec | str, args: Mapping[str, Arg], attrs: Mapping[str, Any] | None = None,
             hint: str = "") -> list[Value]:
        """As in `Builder`, for what folding builds."""
        if isinstance(spec, str):
            spec = SPECS[spec]
        types = list(spec.infer(Op(spec, dict(args), dict(attrs or {}))))
        return self._reuse_or_append(spec, dict(args), attrs or {}, types, [hint] * len(types), None)

    def const(self, value: Any, type: Type | None = None) -> Value:
        """A constant, once in each scope."""
        v = super().const(value, type)
        known = self._known(_const_key(v.op), v)
        if known is not v:
            self.block.ops.pop()
        return known

    def _reuse_or_append(self, spec: OpSpec, args: dict[str, Arg], attrs: Mapping[str, Any], types: Sequence[Type],
                         hints: Sequence[str], source: Op | None) -> list[Value]:
        op = Op(spec, args, dict(attrs), loc=self.loc, origin=self.origin)
        op.results = [Value(t, h, op) for t, h in zip(types, hints, strict=True)]
        if len(types) == 1 and (source is None or not is_memory(types[0]) or self._mergeable(op, source)):
            # Folding looks through operands, which is wrong for arrays that were stored to since.
            scalar = not any(is_memory(v.type) for v in op.operands())
            folded = fold(self, op, list(types)) if scalar or not self.memory.written else shaped(self, op)
            if folded is not None:
                return [self._named(folded, hints[0])]
            known = self._known(self._key(op), op.result)
            if known is not op.result:
                return [self._named(known, hints[0])]
        self.block.ops.append(op)
        return op.results

    def _named(self, v: Value, hint: str) -> Value:
        if not v.hint and v.op is not None and v.op.name != "const":
            v.hint = hint
        return v

    def _known(self, key: Any, v: Value) -> Value:
        """The value that is available under `key`; `v` from now on where there is none."""
        if key not in self.table:
            self.table[key] = v
            self.added[-1].append(key)
        return self.table[key]

    def _key(self, op: Op) -> Any:
        """What two operations that give the same result have in common."""
        if op.name == "const":
            return _const_key(op)
        reads = not shares_memory(op) or op.name == "listget"
        parts: list[Any] = [op.name, op.results[0].type if op.name in ("cast", "undefined") else None]
        for name, arg in op.args.items():
            parts.append(name)
            for v in arg if isinstance(arg, tuple) else (arg,):
                parts.append(id(v))
                if reads and is_memory(v.type) and name not in op.spec.shape_only:
                    parts.append(self.version.get(self._class(v), 0))
        for name, attr in op.attrs.items():
            if name != "type":
                parts += (name, _hashable(attr))
        return tuple(parts)

    def _mergeable(self, op: Op, source: Op) -> bool:
        """Whether two arrays of equal content may be one object: nobody writes to it or sees it."""
        if shares_memory(op):
            return True
        if isinstance(op.result.type, List) or not is_fresh(op):
            return False
        c = self.memory.of(source.result)
        return c not in self.memory.written and c not in self.memory.outside

    def _class(self, v: Value) -> Value:
        return self.memory.of(self.old.get(v, v))

    def _keep(self, op: Op, args: dict[str, Arg]) -> None:
        """Copy an operation that writes, has an effect or owns blocks."""
        new = Op(op.spec, args, dict(op.attrs), loc=op.loc, origin=op.origin)
        changed = {self.memory.of(v) for inner in op.blocks for o in walk(inner) for v in self.memory.writes(o)}
        changed |= {self.memory.of(v) for v in self.memory.writes(op)}
        everything = any(o.name == "pycall" for inner in op.blocks for o in walk(inner)) or op.name == "pycall"
        if op.name in ("for", "while"):
            self._renew(changed, everything)  # an iteration sees what the one before it stored
        for inner in op.blocks:
            with self._undone():
                new.blocks.append(self.copy(inner))
        self._renew(changed, everything)
        new.results = [Value(r.type, r.hint, new) for r in op.results]
        for old, result in zip(op.results, new.results, strict=True):
            self._map(old, result)
        self.block.ops.append(new)

    @contextmanager
    def _undone(self) -> Iterator[None]:
        """A branch starts with the versions of memory before the `if`."""
        saved = dict(self.version) if self.version else {}
        yield
        self.version = saved

    def _renew(self, changed: set[Value], everything: bool) -> None:
        if everything:
            changed = changed | self.memory.outside
        for c in changed:
            self.version[c] = next(self.fresh_version)


def size_source(a: Value, axis: int) -> tuple[Value, int]:
    """Where a temporary got the size of its axis `axis` from: an array with a name, as far as can be.

    The temporary need not be kept for its shape then.
    """
    while a.op is not None and not a.hint and not a.op.blocks and isinstance(a.type, Array):
        size = a.type.dims[axis]
        for v in a.op.operands():
            if isinstance(v.type, Array) and size in v.type.dims:
                a, axis = v, v.type.dims.index(size)
                break
        else:
            break
    return a, axis


def _const_key(op: Op | None) -> Any:
    assert op is not None
    value = op.attrs["value"]
    return ("const", type(value), repr(value), str(op.results[0].type))


def _hashable(attr: Any) -> Any:
    try:
        hash(attr)
    except TypeError:
        return repr(attr)
    return (type(attr), attr) if isinstance(attr, bool | int | float) else attr
