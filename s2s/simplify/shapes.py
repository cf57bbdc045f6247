"""Copies of arrays of which no more than the shape is read: the array itself has that.

    >>> from s2s.ir.builder import Builder
    >>> from s2s.ir.core import Block, Function, Op, OpSpec, Param, Value
    >>> from s2s.ir.types import Array, Dim
    >>> a = Value(Array("float64", (Dim("n"),), "C"), "a")
    >>> b = Builder(Block([a]))
    >>> copy = OpSpec("np.copy", (Param("a"),), lambda op: [a.type], fresh=True)
    >>> b.block.results = [b.dim(b.one(copy, {"a": a}), 0)]
    >>> shapes(Function("f", b.block)).block.ops[-1].value("a").hint
    'a'
"""

from __future__ import annotations

from s2s.ir.core import Function, Op, Value, clone_function, map_arg, walk
from s2s.ir.types import Array


def shapes(fn: Function) -> Function:
    """`fn`, itself where there is nothing to do, without uses of copies that serve for their shape alone."""
    read: set[Value] = {v for op in walk(fn.block) for v in op.operands_read()}
    read.update(v for op in walk(fn.block) for block in op.blocks for v in block.results)
    read.update(fn.block.results)
    copies = {op.result: op.value("a") for op in walk(fn.block) if _is_copy(op) and op.result not in read}
    if not copies:
        return fn
    new, mapping = clone_function(fn)
    sources: dict[Value, Value] = {}
    for copy, a in copies.items():
        while a in copies:
            a = copies[a]
        sources[mapping[copy]] = mapping.get(a, a)
    for op in walk(new.block):
        op.args = {name: map_arg(arg, sources) for name, arg in op.args.items()}
    return new


def _is_copy(op: Op) -> bool:
    """Whether `op` copies an array in its own order, which arrays that are made like it take over."""
    if op.name != "np.copy" or not isinstance(op.result.type, Array):
        return False
    a = op.value("a").type
    return a == op.result.type and isinstance(a, Array) and a.layout == op.result.type.layout
