"""Target cpu: the adjoint of `x / 9.0` is multiplied by 1 / 9, which takes a third of the time of a division.

    >>> from s2s.ir.builder import Builder
    >>> from s2s.ir.core import Block, Function, Value
    >>> from s2s.ir.types import FLOAT
    >>> g = Value(FLOAT, "g")
    >>> b = Builder(Block([g]))
    >>> b.block.results = [b.binary("div", g, b.const(8.0))]
    >>> b.block.ops[-1].origin = b.block.ops[-1]  # as in the reverse of something
    >>> [op.name for op in reciprocals(Function("f", b.block)).block.ops]
    ['const', 'const', 'mul']

Where iterations wait for each other (a sweep in place) that is most of their time. It may be off by one rounding, so
that only adjoints are treated so, and never the function itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Op, Value, clone_function, walk
from s2s.ir.ops import SPECS, constant
from s2s.ir.types import Scalar, kind


def reciprocals(fn: Function) -> Function:
    """`fn` with divisions of adjoints by constants as multiplications."""
    if not any(_by_constant(op) for op in walk(fn.block)):
        return fn
    new, _ = clone_function(fn)
    _block(new.block, _deciding(new))
    return new


def _by_constant(op: Op) -> bool:
    """Whether an adjoint is divided by a number whose reciprocal is one."""
    if op.name != "div" or op.origin is None or kind(op.result.type) != "f":
        return False
    c, t = constant(op.value("y")), op.value("y").type
    return isinstance(c, float) and 1e-300 < abs(c) < 1e300 and isinstance(t, Scalar) and t.dtype == "float64"


def _deciding(fn: Function) -> set[Value]:
    """Values on which a test or a place may depend: in the reverse sweep they have to be what they were before."""
    found: set[Value] = set()
    work = [v for op in walk(fn.block) for v in _decides(op)]
    params = {p: (op, k) for op in walk(fn.block) for b in op.blocks for k, p in enumerate(b.params)}
    while work:
        v = work.pop()
        if v in found:
            continue
        found.add(v)
        op = v.op
        if op is None and v in params:
            op = params[v][0]
        if op is not None:
            work += op.operands()
            for b in op.blocks:
                work += b.results
    return found


def _decides(op: Op) -> Iterator[Value]:
    """The floats that `op` makes a test, a whole number or something else than a float of."""
    if op.blocks or any(kind(r.type) not in "fc" for r in op.results):
        yield from (v for v in op.operands() if kind(v.type) in ("f", "c") and not op.blocks)
    elif not op.results and op.spec.writes is None:
        yield from op.operands()


def _block(block: Block, deciding: set[Value]) -> None:
    ops: list[Op] = []
    for op in block.ops:
        for inner in op.blocks:
            _block(inner, deciding)
        if _by_constant(op) and op.result not in deciding:
            made = Block()
            y = op.value("y")
            assert isinstance(y.type, Scalar)
            one = Builder(made, op.loc, op.origin).const(1.0 / constant(y), y.type)
            op.spec, op.args = SPECS["mul"], {"x": one, "y": op.value("x")}
            ops += made.ops
        ops.append(op)
    block.ops = ops
