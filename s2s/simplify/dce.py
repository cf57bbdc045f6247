"""Dead code: drop what neither the results nor an effect needs.

    >>> from s2s.ir.builder import Builder
    >>> from s2s.ir.core import Block, Function, Value
    >>> from s2s.ir.types import FLOAT
    >>> x = Value(FLOAT, "x")
    >>> b = Builder(Block([x]))
    >>> unused, used = b.mul(x, x), b.add(x, x)
    >>> b.block.results = [used]
    >>> [op.name for op in b.block.ops], [op.name for op in dce(Function("f", b.block)).block.ops]
    (['mul', 'add'], ['add'])

A carried value that only serves to compute itself is dead, and so is a store into memory that was made here, is
never read, and is not seen from outside. Exceptions that arithmetic or indexing could raise go with it.
"""

from __future__ import annotations

from s2s.ir.core import Block, Function, Op, Value, map_arg
from s2s.ir.memory import Memory, is_memory, shares_memory


def dce(fn: Function, *, disjoint: bool = True) -> Function:
    """`fn` without dead code."""
    live = _Live(fn, Memory(fn, disjoint=disjoint))
    live.mark()
    mapping: dict[Value, Value] = {}
    block = _rebuild(fn.block, live, mapping, range(len(fn.block.params)), range(len(fn.block.results)))
    return Function(fn.name, block, {mapping[v]: d for v, d in fn.defaults.items()})


class _Live:
    """Marks live values and operations, from the results and effects backwards."""

    def __init__(self, fn: Function, memory: Memory) -> None:
        self.fn = fn
        self.memory = memory
        self.values: set[Value] = set()
        self.ops: set[Op] = set()
        self.classes: set[Value] = set()
        self.work: list[Value] = []
        self.parent: dict[Op, Op] = {}
        self.of_param: dict[Value, tuple[Op, int]] = {}
        self.stores: dict[Value, list[Op]] = {}
        self.roots: list[Op] = []
        self._collect(fn.block, None)

    def _collect(self, block: Block, parent: Op | None) -> None:
        for op in block.ops:
            if parent is not None:
                self.parent[op] = parent
            if self.memory.has_effect(op):
                self.roots.append(op)
            elif op.spec.writes is not None:
                self.stores.setdefault(self.memory.of(op.value(op.spec.writes)), []).append(op)
            for inner in op.blocks:
                for i, p in enumerate(inner.params):
                    self.of_param[p] = (op, i)
                self._collect(inner, op)

    def mark(self) -> None:
        """Find everything that is live."""
        for c in self.memory.outside:
            self.read(c)
        for op in self.roots:
            self.use(op)
        self.need(*self.fn.block.results)
        while self.work:
            v = self.work.pop()
            if v.op is not None:
                self._result(v.op, v)
            elif v in self.of_param:
                op, i = self.of_param[v]
                self._carried(op, i - (op.name == "for"))

    def need(self, *values: Value) -> None:
        """Mark values as live."""
        for v in values:
            if v not in self.values:
                self.values.add(v)
                self.work.append(v)

    def read(self, c: Value) -> None:
        """Mark what a class of memory holds as live, and thereby the stores to it."""
        if c not in self.classes:
            self.classes.add(c)
            for store in self.stores.get(c, ()):
                self.use(store)

    def use(self, op: Op) -> None:
        """Mark an operation as live, with what it reads and the control flow that it is under."""
        if op in self.ops:
            return
        self.ops.add(op)
        if op in self.parent:
            self.use(self.parent[op])
        if op.name in ("if", "with"):
            self.need(*op.operands())
        elif op.name in ("for", "while"):
            self._loop(op)
        else:
            self.need(*op.operands())
            self._reads(op)
            for inner in op.blocks:  # the pullback of a custom gradient is called with what it returns
                self.need(*inner.results)
                for v in inner.results:
                    if is_memory(v.type):
                        self.read(self.memory.of(v))

    def _loop(self, op: Op) -> None:
        if op.name == "for":
            self.need(op.value("start"), op.value("stop"), op.value("step"))
        else:
            self.need(*op.blocks[0].results)
        if op.attrs.get("breaks"):
            self.need(op.blocks[-1].results[-1])

    def _reads(self, op: Op) -> None:
        """Mark the memory that a live operation looks into."""
        if shares_memory(op) and op.spec.writes is None and op.name != "listget":
            return  # only whoever uses the view reads
        for name, v in op.named_operands():
            if is_memory(v.type) and name not in op.spec.shape_only and (name != op.spec.writes or op.results):
                self.read(self.memory.of(v))

    def _result(self, op: Op, v: Value) -> None:
        self.use(op)
        if op.name in ("if", "with"):
            i = op.results.index(v)
            self.need(*(b.results[i] for b in op.blocks))
        elif op.name in ("for", "while"):
            self._carried(op, op.results.index(v))

    def _carried(self, op: Op, i: int) -> None:
        """A carried value is live as a whole: where it starts, what it is in an iteration, what it becomes."""
        if op.name not in ("for", "while") or i < 0:
            return
        first = op.name == "for"
        self.need(op.values("init")[i], op.blocks[-1].results[i], op.results[i],
                  *(b.params[first + i] for b in op.blocks))


def _rebuild(block: Block, live: _Live, mapping: dict[Value, Value], params: range | list[int],
             results: range | list[int]) -> Block:
    new = Block()
    for i in params:
        p = block.params[i]
        mapping[p] = Value(p.type, p.hint)
        new.params.append(mapping[p])
    for op in block.ops:
        if op in live.ops:
            new.ops.append(_copy(op, live, mapping))
    new.results = [mapping.get(block.results[i], block.results[i]) for i in results]
    return new


def _copy(op: Op, live: _Live, mapping: dict[Value, Value]) -> Op:
    args = {k: map_arg(a, mapping) for k, a in op.args.items()}
    new = Op(op.spec, args, dict(op.attrs), loc=op.loc, origin=op.origin)
    kept = list(range(len(op.results)))
    if op.name in ("if", "for", "while", "with"):
        kept = [i for i in kept if op.results[i] in live.values]
    if op.name in ("for", "while"):
        init = op.values("init")
        new.args["init"] = tuple(mapping.get(init[i], init[i]) for i in kept)
    for inner in op.blocks:
        new.blocks.append(_inner(op, inner, kept, live, mapping))
    for i in kept:
        r = op.results[i]
        mapping[r] = Value(r.type, r.hint, new)
        new.results.append(mapping[r])
    return new


def _inner(op: Op, inner: Block, kept: list[int], live: _Live, mapping: dict[Value, Value]) -> Block:
    """A block of `op`, with the parameters and results that belong to its kept results."""
    params: range | list[int] = range(len(inner.params))
    results: range | list[int] = range(len(inner.results))
    if op.name in ("if", "with"):
        results = kept
    elif op.name in ("for", "while"):
        index = [0] if op.name == "for" else []
        params = [*index, *(len(index) + i for i in kept)]
        if inner is op.blocks[-1]:
            stop = [len(inner.results) - 1] if op.attrs.get("breaks") else []
            results = [*kept, *stop]
    return _rebuild(inner, live, mapping, params, results)
