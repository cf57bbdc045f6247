"""Names that are handed on where nothing is bound to them yet get something to hold.

    for k in range(n):                  last = 0.0
        if k == 1:                      for k in range(n):
            last = x[k]                     if k == 1:
        else:                                   last1 = x[k]
            last1 = last                    else:
                                                last1 = last

A correct program never reads such a name; but what it says under one name the emitted program may say under two, and
then it has to be copied from one to the other.
"""

from __future__ import annotations

from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Op, Value, clone_function, walk
from s2s.ir.memory import reachable
from s2s.ir.types import Array, List, Scalar, Type
from s2s.rules import TABLE


def unbound(fn: Function) -> Function:
    """`fn`, and what it calls, with something in the place of what is not bound, where that is handed on."""
    new = {id(f): _bound(f) for f in reachable(fn)}
    for f in new.values():
        for op in walk(f.block):
            if op.name == "call":
                op.attrs["function"] = new[id(op.attrs["function"])]
    return new[id(fn)]


def _bound(fn: Function) -> Function:
    if not any(op.name == "undefined" for op in walk(fn.block)):
        return clone_function(fn)[0]
    new, _ = clone_function(fn)
    handed = {v for op in walk(new.block) for block in op.blocks for v in block.results}
    handed |= {v for op in walk(new.block) if op.name in ("for", "while") for v in op.values("init")}
    _bind(new.block, handed)
    return new


def _bind(block: Block, handed: set[Value]) -> None:
    ops: list[Op] = []
    for op in block.ops:
        for inner in op.blocks:
            _bind(inner, handed)
        if op.name in ("for", "while"):
            made = Block()
            first = 1 if op.name == "for" else 0
            op.args["init"] = tuple(
                something(made, v.type) if _is_unbound(v) and any(b.params[first + k] in handed for b in op.blocks)
                else v for k, v in enumerate(op.values("init")))
            ops += made.ops
        ops.append(op)
    block.ops = ops


def _is_unbound(v: Value) -> bool:
    return v.op is not None and v.op.name == "undefined" and isinstance(v.type, Scalar | Array | List)


def something(block: Block, t: Type) -> Value:
    """A value of a type that nobody reads, made at the end of `block`."""
    b = Builder(block)
    if isinstance(t, Scalar):
        return b.const(0, t)
    if isinstance(t, List):
        return b.one("list", {"elements": ()}, {"type": t})
    assert isinstance(t, Array)
    empty = TABLE.by_name["np.empty"].spec
    defaults = {p.name: p.default for p in empty.params if p.kind == "static"}
    value = b.one(empty, {"shape": tuple(b.int(0) for _ in t.dims)}, {**defaults, "dtype": t.dtype})
    value.type = t
    return value
