"""Costly work that is the same in each iteration is done once, before the loop.

    >>> from s2s.ir.builder import Builder
    >>> from s2s.ir.core import SOMETIMES, Block, Function, Op, Value
    >>> from s2s.ir.types import FLOAT, INT
    >>> from s2s.rules import TABLE
    >>> x, n, i, s = Value(FLOAT, "x"), Value(INT, "n"), Value(INT, "i"), Value(FLOAT, "s")
    >>> b, body = Builder(Block([x, n])), Block([i, s])
    >>> with b.at(body):
    ...     body.results = [b.add(s, b.emit(TABLE.by_name["np.exp"].spec, {"x": x})[0])]
    >>> zero, one = b.const(0, INT), b.const(1, INT)
    >>> loop = Op(SPECS["for"], {"start": zero, "stop": n, "step": one, "init": (b.const(0.0, FLOAT),)},
    ...           {"breaks": False}, [Value(FLOAT, "s")], [body])
    >>> b.block.ops.append(loop)
    >>> b.block.results = list(loop.results)
    >>> [op.name for op in hoist(Function("f", b.block)).block.ops]
    ['const', 'const', 'const', 'np.exp', 'for']

What is hoisted runs also where the loop runs zero times, so it must not be able to raise: the functions of NumPy on
numbers, and arithmetic but for `/`, `//`, `%` and `**` of Python numbers; with numba's error model all of these.
Hand-written code names `exp(-r * dt)` before the loop, and leaves `1 - p` in it: cheap operations go along only where
a costly one needs them. Before a program is differentiated this saves most: what is invariant needs no buffer, and
its adjoint is pulled back once.
"""

from __future__ import annotations

from s2s.ir.core import SOMETIMES, Block, Function, Op, Value, clone_function, walk
from s2s.ir.memory import Memory, is_fresh, is_memory, shares_memory
from s2s.ir.ops import SPECS, constant
from s2s.ir.types import Array, Scalar, kind

_COSTLY = 8
# On Python numbers these raise: division by zero, or a power that overflows.
_RAISING = frozenset({"div", "floordiv", "mod", "pow", "lshift", "rshift"})
_REDUCTIONS = frozenset({"np.sum", "np.mean"})


def hoist(fn: Function, *, disjoint: bool = True, raises: bool = True) -> Function:
    """`fn` with invariant work in front of the loops.

    raises: whether arithmetic on numbers may raise, as it does in Python.
    """
    if not any(op.name in ("for", "while") for op in walk(fn.block)):
        return fn
    fn, _ = clone_function(fn)
    _Hoist(Memory(fn, disjoint=disjoint), raises).block(fn.block)
    return fn


class _Hoist:
    def __init__(self, memory: Memory, raises: bool) -> None:
        self.memory = memory
        self.raises = raises

    def block(self, block: Block) -> None:
        """Inner loops first: what leaves one may leave the next."""
        ops: list[Op] = []
        for op in block.ops:
            for inner in op.blocks:
                self.block(inner)
            if op.name in ("for", "while"):
                ops += self.taken(op)
            ops.append(op)
        block.ops = ops

    def taken(self, loop: Op) -> list[Op]:
        """The operations that need not be in `loop`; they are taken out of it."""
        inside = _Inside(loop, self.memory, self.raises)
        *test, _ = loop.blocks  # the test of a `while` runs in any case
        return [op for block in loop.blocks for op in inside.take(block, surely=block in test or _runs(loop))]


class _Inside:
    """What is known of one loop: what it defines, and the memory that it changes."""

    def __init__(self, loop: Op, memory: Memory, raises: bool) -> None:
        self.memory = memory
        self.raises = raises
        self.defined: set[Value] = set()
        self.changed: set[Value] = set()
        for block in loop.blocks:
            self.defined.update(block.params)
            for op in walk(block):
                self.defined.update(op.results)
                for inner in op.blocks:
                    self.defined.update(inner.params)
                self.changed |= {memory.of(v) for v in memory.writes(op)}
                if op.name == "pycall":
                    self.changed |= memory.outside

    def take(self, block: Block, surely: bool) -> list[Op]:
        """Take out of `block` what is costly and invariant, with what it needs.

        surely: the block runs at least once, and so may what raises, up to the first effect.
        """
        movable: dict[Op, int] = {}
        harmless = not surely
        for op in block.ops:
            if op.blocks or not op.spec.pure:
                harmless = True  # what comes before may leave the loop, or must be seen to happen first
            elif self._invariant(op, movable) and not (harmless and _may_raise(op, self.raises)):
                movable[op] = len(movable)
        wanted: set[Op] = set()
        for op in reversed(movable):
            if op in wanted or _cost(op) >= _COSTLY:
                wanted.add(op)
                wanted.update(v.op for v in op.operands() if v.op in movable)
        taken = [op for op in movable if op in wanted]
        block.ops = [op for op in block.ops if op not in wanted]
        self.defined.difference_update(v for op in taken for v in op.results)
        if not surely:
            for op in taken:
                op.attrs[SOMETIMES] = True
        return taken

    def _invariant(self, op: Op, movable: dict[Op, int]) -> bool:
        if any(v in self.defined and v.op not in movable for v in op.operands()):
            return False
        if shares_memory(op):
            return op.name != "listget"
        memory = self.memory
        if any(is_memory(v.type) and memory.of(v) in self.changed for v in op.operands()):
            return False
        # Each iteration makes an array of its own: one is as good where nobody writes into it or sees it.
        return all(not is_memory(r.type) or (isinstance(r.type, Array) and is_fresh(op)
                                             and memory.of(r) not in memory.written
                                             and memory.of(r) not in memory.outside) for r in op.results)


def _runs(loop: Op) -> bool:
    """Whether a `for` is known to run at least once."""
    if loop.name != "for":
        return False
    start, stop, step = (constant(loop.value(name)) for name in ("start", "stop", "step"))
    return None not in (start, stop, step) and len(range(start, stop, step)) > 0


def _cost(op: Op) -> int:
    """What computing `op` costs; an array is dear whatever is done."""
    return 1000 if isinstance(op.result.type, Array) and not shares_memory(op) else op.spec.cost


def _may_raise(op: Op, raises: bool) -> bool:
    """Whether `op` raises for some operands of its types."""
    types = [v.type for v in op.operands()]
    if op.name in ("const", "dim", "undefined", "stop_gradient", "not", "and", "or"):
        return False
    arrays = [t for t in types if isinstance(t, Array)]
    if not op.results or any(not isinstance(t, Array | Scalar) for t in types):
        return True
    if op.name in _REDUCTIONS:
        return op.attrs.get("axis") is not None
    if op.name == "getitem":
        return any(code != "n" and code != "e" and code[0] != "s" for code in op.attrs["items"])
    if not op.spec.elementwise or any(t.dims != arrays[0].dims for t in arrays):
        return True
    if op.name in ("pow", "np.power") and kind(op.result.type) in ("i", "u"):
        return True  # NumPy refuses a negative exponent
    if op.name in SPECS:
        python = not arrays and all(t.weak for t in types if isinstance(t, Scalar))
        return op.name == "cast" or (raises and python and op.name in _RAISING)
    return raises and not op.name.startswith("np.")
