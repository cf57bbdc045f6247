"""Where in a list an array is: `hist[-1]` is another place once something has been appended."""

from __future__ import annotations

from s2s.analyse.memory import Memory, is_natural
from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Op, Value, walk
from s2s.ir.ops import constant
from s2s.ir.types import Array


def count_from_start(fn: Function) -> dict[Op, Value]:
    """For loads of arrays from lists, the index counted from the start; `fn` gets what computes it."""
    memory = Memory(fn)
    found: dict[Op, Value] = {}
    if any(op.name == "append" for op in walk(fn.block)):
        _block(fn.block, memory, found)
    return found


def _block(block: Block, memory: Memory, found: dict[Op, Value]) -> None:
    ops: list[Op] = []
    for op in block.ops:
        for inner in op.blocks:
            _block(inner, memory, found)
        if op.name == "listget" and isinstance(op.result.type, Array) and memory.is_written(op.result) \
                and not is_natural(op.value("index"), memory):
            made = Block()
            found[op] = _place(Builder(made, op.loc), op)
            ops += made.ops
        ops.append(op)
    block.ops = ops


def _place(b: Builder, op: Op) -> Value:
    size, index = b.one("listlen", {"list": op.value("list")}), op.value("index")
    return b.add(size, index) if (constant(index) or 0) < 0 else b.binary("mod", index, size)
