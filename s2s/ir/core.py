"""The IR: values, operations, blocks and functions.

A program is a tree of blocks of operations in structured SSA form: every value is defined once, by
an operation or as a block parameter, and is visible in the blocks nested inside its own. Control
flow is operations that own blocks:

- `if`     args cond;               blocks then, else; both yield the results
- `for`    args start, stop, step, init*;  block (index, carried*) yields carried* (and `stop`, a bool,
           where attrs["breaks"]); the results are what is carried at the end
- `while`  args init*;              blocks test (carried*) yields a bool; body (carried*) yields carried*
           (and `stop` where attrs["breaks"])
- `with`   attrs call;              block yields the results; runs inside a context manager

Arrays and lists are references to memory: `setitem`, `additem` and `append` change it, in program
order. All other values are immutable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from s2s.ir.types import Type

Arg: TypeAlias = "Value | tuple[Value, ...]"

# An attr of an operation that has left a loop which may run zero times: its result may be unused, and its adjoint 0.
# Times a partial derivative that is infinite that must stay 0, as it was in the loop (see `s2s.analyse.masks`).
SOMETIMES = "sometimes"


@dataclass(frozen=True, slots=True)
class Loc:
    """Where a statement came from: `text` is the statement on one line, `caret` (start, end) columns."""

    file: str
    line: int
    text: str
    source_line: str = ""
    caret: tuple[int, int] = (0, 0)
    function: str = ""


@dataclass(eq=False, slots=True)
class Value:
    """One value; `hint` is the name it would like to have in emitted code."""

    type: Type
    hint: str = ""
    op: Op | None = field(default=None, repr=False)


@dataclass(eq=False, slots=True)
class Block:
    """Operations in order; `results` are what the block yields."""

    params: list[Value] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    results: list[Value] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of an operation.

    kind: "value" (one IR value), "values" (a tuple of them), "ints" (a tuple of int values, such as a
    shape) or "static" (a Python constant, kept in `Op.attrs`).
    """

    name: str
    kind: str = "value"
    default: Any = ...


@dataclass(frozen=True, eq=False, slots=True)
class OpSpec:
    """What every operation of one name has in common.

    infer: types of the results, from the operation with its args and attrs.
    emits: how it is written: "call" (`name(args)`), "method", an operator such as "+", or "special".
    view: the parameter whose memory the result may share. fresh: the result is newly made memory
    that nobody else refers to. effect: must be kept, in order, although nothing reads its result.
    writes: the parameter whose memory it changes. shape_only: parameters of which only the shape and
    dtype are read. cost: of computing a scalar once more (architecture.md: `+` 1, `/` 5, `exp` 20).
    function: what is called, where it is no attribute of a module that emitted code imports; it is known there
    as `written`. refused: why s2s has no derivative of it, although there is one.
    """

    name: str
    params: tuple[Param, ...]
    infer: Callable[[Op], Sequence[Type]]
    emits: str = "call"
    view: str | None = None
    fresh: bool = False
    effect: bool = False
    writes: str | None = None
    shape_only: frozenset[str] = frozenset()
    cost: int = 1
    elementwise: bool = False
    function: Any = None
    written: str = ""
    refused: str = ""

    @property
    def called(self) -> str:
        """The name under which emitted code calls it."""
        return self.written or self.name

    @property
    def pure(self) -> bool:
        return not self.effect and self.writes is None

    @property
    def defaults(self) -> dict[str, Any]:
        """The static parameters that may be left out, with what they are then."""
        return {p.name: p.default for p in self.params if p.kind == "static" and p.default is not ...}


@dataclass(eq=False, slots=True)
class Op:
    """One operation: `args` maps parameter names to values, `attrs` to Python constants."""

    spec: OpSpec
    args: dict[str, Arg] = field(default_factory=dict)
    attrs: dict[str, Any] = field(default_factory=dict)
    results: list[Value] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    loc: Loc | None = None
    # The forward operation that this one belongs to the reverse of; None in a forward sweep.
    origin: Op | None = None

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def result(self) -> Value:
        return self.results[0]

    def operands(self) -> Iterator[Value]:
        """All values read by the operation itself (not by the blocks it owns)."""
        for arg in self.args.values():
            if isinstance(arg, tuple):
                yield from arg
            else:
                yield arg

    def named_operands(self) -> Iterator[tuple[str, Value]]:
        """The same, each with the parameter that it is passed as."""
        for name, arg in self.args.items():
            for v in arg if isinstance(arg, tuple) else (arg,):
                yield name, v

    def operands_read(self) -> Iterator[Value]:
        """Those of which more than the shape and dtype is read."""
        return (v for name, v in self.named_operands() if name not in self.spec.shape_only)

    def value(self, name: str) -> Value:
        """The single value passed as parameter `name`."""
        arg = self.args[name]
        assert isinstance(arg, Value), (self.name, name)
        return arg

    def values(self, name: str) -> tuple[Value, ...]:
        """The tuple of values passed as parameter `name`."""
        arg = self.args[name]
        assert isinstance(arg, tuple), (self.name, name)
        return arg


@dataclass(eq=False, slots=True)
class Function:
    """A program: `block.params` are its parameters, `block.results` what it returns.

    defaults: parameters that may be left out (seeds), with their value.
    """

    name: str
    block: Block
    defaults: dict[Value, Any] = field(default_factory=dict)


def walk(block: Block) -> Iterator[Op]:
    """Every operation of `block` and of the blocks nested in it, in program order."""
    for op in block.ops:
        yield op
        for inner in op.blocks:
            yield from walk(inner)


def free_values(block: Block) -> list[Value]:
    """Values used in `block` (and in blocks nested in it) but defined outside, in order of use."""
    defined: set[Value] = set()
    found: dict[Value, None] = {}

    def visit(b: Block) -> None:
        defined.update(b.params)
        for op in b.ops:
            for v in op.operands():
                if v not in defined:
                    found[v] = None
            for inner in op.blocks:
                visit(inner)
            defined.update(op.results)
        for v in b.results:
            if v not in defined:
                found[v] = None

    visit(block)
    return list(found)


def map_arg(arg: Arg, mapping: Mapping[Value, Value]) -> Arg:
    """`arg` with its values replaced where `mapping` has them."""
    if isinstance(arg, tuple):
        return tuple([mapping.get(v, v) for v in arg])
    return mapping.get(arg, arg)


def substitute(block: Block, mapping: Mapping[Value, Value], start: int = 0) -> None:
    """Read other values in `block`, from its operation number `start` on, and in the blocks nested in it."""
    for op in block.ops[start:]:
        if any(v in mapping for v in op.operands()):
            op.args = {name: map_arg(arg, mapping) for name, arg in op.args.items()}
        for inner in op.blocks:
            substitute(inner, mapping)
    block.results = [mapping.get(v, v) for v in block.results]


def readers(fn: Function) -> dict[Value, list[Op | None]]:
    """The operations that read each value; None for each block that yields it, and for `fn` where it returns it."""
    found: dict[Value, list[Op | None]] = {}
    for op in walk(fn.block):
        for v in op.operands():
            found.setdefault(v, []).append(op)
        for inner in op.blocks:
            for v in inner.results:
                found.setdefault(v, []).append(None)
    for v in fn.block.results:
        found.setdefault(v, []).append(None)
    return found


def clone_op(op: Op, mapping: dict[Value, Value]) -> Op:
    """A deep copy of `op` over `mapping`, which is extended by its results."""
    new = Op(op.spec, {k: map_arg(a, mapping) for k, a in op.args.items()}, dict(op.attrs),
             clone_values(op.results, mapping), [], op.loc, op.origin)
    for r in new.results:
        r.op = new
    new.blocks += [clone_block(b, mapping) for b in op.blocks]
    return new


def clone_block(block: Block, mapping: dict[Value, Value]) -> Block:
    """A deep copy of `block`; values defined outside it are kept unless `mapping` has them."""
    return Block(clone_values(block.params, mapping), [clone_op(op, mapping) for op in block.ops],
                 [mapping.get(v, v) for v in block.results])


def clone_values(values: Sequence[Value], mapping: dict[Value, Value]) -> list[Value]:
    """Copies of values that nothing defines yet; `mapping` is extended by them."""
    new = [Value(v.type, v.hint) for v in values]
    mapping.update(zip(values, new, strict=True))
    return new


def clone_function(fn: Function) -> tuple[Function, dict[Value, Value]]:
    """A deep copy of `fn`, and the map from its values to their copies."""
    mapping: dict[Value, Value] = {}
    block = clone_block(fn.block, mapping)
    return Function(fn.name, block, {mapping[v]: d for v, d in fn.defaults.items()}), mapping


def inline(target: Block, fn: Function, args: Sequence[Value]) -> list[Value]:
    """Append the operations of `fn`, applied to `args`, to `target`; return its results."""
    mapping = dict(zip(fn.block.params, args, strict=True))
    target.ops += [clone_op(op, mapping) for op in fn.block.ops]
    return [mapping.get(v, v) for v in fn.block.results]
