"""Building IR: append operations to a block, with constants folded and trivial algebra done."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from s2s.ir.core import Arg, Block, Loc, Op, OpSpec, Value
from s2s.ir.fold import fold
from s2s.ir.ops import SPECS, constant
from s2s.ir.types import BOOL, COMPLEX, FLOAT, INT, Array, Scalar, Type, Undefined, is_inexact, known_dim


def constant_type(value: Any) -> Scalar:
    """The type of a Python or NumPy number."""
    if isinstance(value, np.generic):
        return Scalar(value.dtype.name, dim=_dim(value))
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return Scalar("int64", True, known_dim(value))
    return FLOAT if isinstance(value, float) else COMPLEX


def _dim(value: Any) -> Any:
    return known_dim(int(value)) if isinstance(value, np.integer) else None


class Builder:
    """Appends operations to `block`.

    `loc` and `origin` are given to each operation that is made; `at` inserts elsewhere for a while.
    aliases: whether `x * 1.0` may be the array `x` itself. Only for code that does not write into arrays that
    it was not made to own: not where users' programs are built. opaque: values that are not looked through for
    what they were computed from.
    """

    aliases = False

    def __init__(self, block: Block, loc: Loc | None = None, origin: Op | None = None) -> None:
        self.block = block
        self.loc = loc
        self.origin = origin
        self.opaque: frozenset[Value] = frozenset()
        # Whether each value stays one of its own, which something may be differentiated by: `x * 1.0` is not `x`, and
        # `(x * 2.0) * y` reads `x * 2.0`.
        self.apart = False
        self.around: list[Block] = []  # the blocks that are under construction around `block`

    @contextmanager
    def at(self, block: Block) -> Iterator[Block]:
        """Append to `block` inside the `with`."""
        saved, self.block = self.block, block
        self.around.append(saved)
        try:
            yield block
        finally:
            self.around.pop()
            self.block = saved

    def emit(self, spec: OpSpec | str, args: Mapping[str, Arg], attrs: Mapping[str, Any] | None = None,
             hint: str = "") -> list[Value]:
        """Append the operation (or what it folds to) and return its results."""
        if isinstance(spec, str):
            spec = SPECS[spec]
        op = Op(spec, dict(args), dict(attrs or {}), loc=self.loc, origin=self.origin)
        types = list(spec.infer(op))
        kept = self.apart and any(is_inexact(t) for t in types) and any(
            is_inexact(v.type) and constant(v) is None for v in op.operands())
        folded = None if kept else fold(self, op, types)
        if folded is not None:
            return [folded]
        op.results = [Value(t, hint, op) for t in types]
        self.block.ops.append(op)
        return op.results

    def one(self, spec: OpSpec | str, args: Mapping[str, Arg], attrs: Mapping[str, Any] | None = None,
            hint: str = "") -> Value:
        """`emit` for an operation with one result."""
        (result,) = self.emit(spec, args, attrs, hint)
        return result

    def region(self, name: str, args: Mapping[str, Arg], blocks: Sequence[Block], types: Sequence[Type],
               attrs: Mapping[str, Any] | None = None, hints: Sequence[str] = ()) -> Op:
        """Append an operation that owns blocks."""
        op = Op(SPECS[name], dict(args), dict(attrs or {}), blocks=list(blocks), loc=self.loc, origin=self.origin)
        op.results = [Value(t, hints[i] if i < len(hints) else "", op) for i, t in enumerate(types)]
        self.block.ops.append(op)
        return op

    def const(self, value: Any, type: Type | None = None) -> Value:
        """A constant: a Python or NumPy number, bool or string."""
        if type is None:
            type = constant_type(value)
        elif isinstance(type, Scalar):
            value = cast_constant(value, type)
            type = Scalar(type.dtype, type.weak, constant_type(value).dim)
        op = Op(SPECS["const"], {}, {"value": value, "type": type}, loc=self.loc, origin=self.origin)
        op.results = [Value(type, "", op)]
        self.block.ops.append(op)
        return op.results[0]

    def undefined(self, type: Type | None = None) -> Value:
        """The value of a name that is not bound here."""
        return self.one("undefined", {}, {"type": type or Undefined()})

    def binary(self, name: str, x: Value, y: Value, hint: str = "") -> Value:
        return self.one(name, {"x": x, "y": y}, hint=hint)

    def add(self, x: Value, y: Value) -> Value:
        return self.binary("add", x, y)

    def sub(self, x: Value, y: Value) -> Value:
        return self.binary("sub", x, y)

    def mul(self, x: Value, y: Value) -> Value:
        return self.binary("mul", x, y)

    def neg(self, x: Value) -> Value:
        return self.one("neg", {"x": x})

    def int(self, value: int) -> Value:
        return self.const(value, INT)

    def dim(self, a: Value, axis: builtins.int) -> Value:
        """The size of an axis, as a constant where it is known."""
        assert isinstance(a.type, Array)
        d = a.type.dims[axis]
        if d.symbol is None:
            return self.int(d.offset)
        return self.one("dim", {"a": a}, {"axis": axis})

    def cast(self, x: Value, type: Scalar) -> Value:
        """`x` with the dtype (and weakness) of `type`; `x` itself where it has it."""
        t = x.type
        assert isinstance(t, Scalar | Array)
        if t.dtype == type.dtype and (isinstance(t, Array) or t.weak == type.weak):
            return x
        weak = type.weak and isinstance(t, Scalar)
        return self.one("cast", {"x": x}, {"dtype": type.dtype, "weak": weak}, hint=x.hint)


def cast_constant(value: Any, type: Scalar) -> Any:
    """`value` as the Python (weak) or NumPy number of `type`."""
    if not type.weak:
        return np.dtype(type.dtype).type(value)
    python = {"b": bool, "i": int, "u": int, "f": float, "c": complex}[np.dtype(type.dtype).kind]
    return python(value)
