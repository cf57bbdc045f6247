"""Target cpu with parallel=True: loops whose iterations touch no cell of another one are shared out to threads.

    for i in range(n):                        for i in numba.prange(n):
        for j in range(m):                        for j in range(m):
            A_bar[i, j] += x[j] * t[i]                A_bar[i, j] += x[j] * t[i]

A race is a silently wrong gradient, so a loop is taken only where it is proved that no iteration reads or writes what
another one writes: by the linear forms of the indices, over all loops around (`s2s.ir.cells`). Two additions to one
cell are a race too, but may be done apart (`s2s.targets.partial_sums`). Of a nest the outermost loop is taken that can
be. Every other loop gets the reason why not, for `g.lower(...).loops`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Loc, Op, Value, clone_function, free_values, walk
from s2s.ir.memory import CALLS, is_memory, reachable
from s2s.ir.ops import constant, index_items
from s2s.ir.sums import adds, uses
from s2s.ir.types import Array, Scalar, kind
from s2s.simplify.ascending import Order, is_store, upwards
from s2s.targets.errors_in_threads import may_raise
from s2s.targets.partial_sums import in_parts, may_be_parts
from s2s.targets.scratch import is_scratch, make_inside

# To start the threads takes as long as some thousand additions: a loop with fewer iterations is not worth it.
_FEW = 8
# Accesses of one loop: beyond this many, all pairs are too many.
_MANY = 120
_CALLS = frozenset({"call", "pycall", "hostcall", "custom", "with"})


@dataclass(frozen=True)
class Loop:
    """A loop of the emitted program. loc: the user's statement; reason: why it is serial, "" where it is not."""

    loc: Loc | None
    reverse: bool
    reason: str = ""

    @property
    def parallel(self) -> bool:
        """Whether its iterations are shared out to threads."""
        return not self.reason

    def __str__(self) -> str:
        place = f"{self.loc.file}:{self.loc.line}: {self.loc.text}" if self.loc is not None else "a loop"
        sweep = "reverse" if self.reverse else "forward"
        return f"{place} [{sweep}] " + (f"serial: {self.reason}" if self.reason else "parallel")


@dataclass
class Plan:
    """What is done to a loop. shared: arrays that all iterations add to; own: what makes memory for each iteration."""

    shared: list[Value] = field(default_factory=list)
    own: list[Op] = field(default_factory=list)


def parallel(fn: Function, refused: str = "") -> tuple[Function, list[Loop]]:
    """`fn`, and what it calls, with parallel loops marked; and what was found of each loop, in program order.

    refused: why all of them have to be serial, if so.
    Loops inside a parallel one, and those for the ends of one that was gathered, are left as they are, and not in the
    list.
    """
    found: list[Loop] = []
    new = {id(f): Marker(clone_function(f)[0], f is fn, found, refused).mark() for f in reachable(fn)}
    for f in new.values():
        for op in walk(f.block):
            if op.name in CALLS:
                op.attrs["function"] = new[id(op.attrs["function"])]
    return new[id(fn)], found


def _statement(op: Op) -> str:
    """The user's statement that an operation comes from, quoted."""
    loc = _loc(op)
    return f"`{loc.text}`" if loc is not None else f"a statement ({op.name})"


def _loc(op: Op) -> Loc | None:
    return (op.origin if op.origin is not None else op).loc


class Marker:
    """Marks the loops of one function. disjoint: whether no two of its parameters are the same memory."""

    def __init__(self, fn: Function, disjoint: bool, found: list[Loop], refused: str = "") -> None:
        self.fn = fn
        self.order = Order(fn, disjoint=disjoint)
        self.found = found
        self.refused = refused
        self.threads: Value | None = None
        self.own: list[tuple[Block, Op]] = []

    def mark(self) -> Function:
        self._block(self.fn.block, None)
        for body, made in self.own:
            make_inside(body, made, self.fn)
        if self.threads is not None and self.threads.op is not None:
            self.fn.block.ops.insert(0, self.threads.op)
        return self.fn

    def _block(self, block: Block, around: Op | None) -> None:
        """around: the innermost loop around `block` that runs often."""
        ops: list[Op] = []
        for op in block.ops:
            inside = around
            reason = None
            plan = Plan()
            if op.attrs.get("edge"):
                ops.append(op)  # beside a loop that is looked at
                continue
            if op.name in ("for", "while"):
                reason = self._reason(op, around, plan)
                self.found.append(Loop(_loc(op), op.origin is not None, reason))
                inside = around if _is_short(op) else op
            if reason == "":
                body = op.blocks[0]
                if plan.shared or op.values("init"):
                    new, body = in_parts(op, plan.shared, self._threads())
                else:
                    new = [*_share(op), op]
                self.own += [(body, made) for made in plan.own]
                ops += new
                continue
            for inner in op.blocks:
                self._block(inner, inside)
            ops.append(op)
        block.ops = ops

    def _threads(self) -> Value:
        """How many threads there are."""
        if self.threads is None:
            self.threads = Builder(Block()).one("numba.get_num_threads", {}, hint="threads")
        return self.threads

    def _reason(self, loop: Op, around: Op | None, plan: Plan) -> str:
        """Why a loop is not parallel; "" where it can and should be, and then `plan` says how."""
        if self.refused:
            return self.refused
        if loop.name == "while":
            return "how often it runs depends on what its iterations do"
        if _is_short(loop):
            return f"it runs {_trips(loop)} times only"
        step = constant(loop.value("step"))
        if step not in (1, -1):
            return "its step is not known to be 1 or -1"
        reason = next(self._obstacles(loop), "") or self.memory(loop, plan)
        return reason or _too_little(loop, around, 2 if plan.shared else 1)

    def _obstacles(self, loop: Op) -> Iterator[str]:
        """What is not known to be the same whichever iteration runs first, or at the same time."""
        if loop.attrs.get("breaks"):
            yield "an iteration may be the last one (break)"
        body = loop.blocks[0]
        if any(v.op is not None and v.op.name == "undefined" for v in free_values(body)):
            yield "a name is not bound on every path through it"
        for op in walk(body):
            if op.name == "undefined":
                yield "a name is not bound on every path through it"
            elif op.name in _CALLS:
                yield f"{_statement(op)} calls a function"
            elif op.spec.effect:
                yield f"{_statement(op)} has an effect, which has to come in order"
            elif any(is_memory(v.type) and not isinstance(v.type, Array) for v in (*op.operands(), *op.results)):
                yield f"{_statement(op)} uses a list"
            elif may_raise(op):
                yield f"{_statement(op)} may raise an error ({op.name}), which a thread would lose"
        count = uses(body, body.results)
        for p, r in zip(body.params[1:], body.results, strict=True):
            if r is not p and not (isinstance(p.type, Scalar) and kind(p.type) in "ifc" and adds(r, p, count)):
                yield f"{p.hint or r.hint or 'a value'} is handed on from one iteration to the next" + (
                    f" ({_statement(r.op)})" if r.op is not None and _loc(r.op) not in (None, _loc(loop)) else "")

    def memory(self, loop: Op, plan: Plan) -> str:
        """Which memory keeps a loop serial, and why."""
        accesses = self.order.accesses(loop.blocks[0])
        if accesses is None:
            return "it changes memory in ways that are not followed"
        for touched in accesses.values():
            reason = next(self._races(loop, touched), "")
            if reason and may_be_parts(loop, touched, self.order.cells):
                plan.shared.append(touched[0][1])
            elif reason:
                made = touched[0][1].op
                if made is None or not is_scratch(loop, made, self.fn, self.order.cells):
                    return reason
                plan.own.append(made)
        return ""

    def _races(self, loop: Op, touched: list[tuple[Op, Value]]) -> Iterator[str]:
        stores = [(op, v) for op, v in touched if is_store(op, v)]
        if stores and len(touched) > _MANY:
            yield f"too many statements use {stores[0][1].hint or 'the same memory'}"
            return
        for store, v in stores:
            for other, u in touched:
                if self.order.cells.may_meet(loop, store, other, None if other.args.get("a") is u else u):
                    yield self._race(store, v, other, u)

    def _race(self, store: Op, v: Value, other: Op, u: Value) -> str:
        name = v.hint or u.hint or "an array"
        does = "write" if is_store(other, u) else "read"
        same = _statement(store) == _statement(other)
        if same and does == "write":
            return f"two iterations may write one cell of {name} ({_statement(store)})"
        who = "it" if same else _statement(other)
        return f"{_statement(store)} may write a cell of {name} that {who} {does}s in another iteration"


def _trips(loop: Op) -> int | None:
    """How often a loop runs, where that is a constant."""
    if loop.name != "for":
        return None
    start, stop, step = (constant(loop.value(n)) for n in ("start", "stop", "step"))
    known = isinstance(start, int) and isinstance(stop, int) and isinstance(step, int) and step != 0
    return len(range(start, stop, step)) if known else None


def _is_short(loop: Op) -> bool:
    n = _trips(loop)
    return n is not None and n < _FEW


def _depth(block: Block) -> int:
    """How many loops deep what is done in `block` is; an array counts as one."""
    return max((any(isinstance(r.type, Array) and op.spec.view is None for r in op.results)
                or max((_depth(inner) for inner in op.blocks), default=0)
                + (op.name in ("for", "while") and not _is_short(op)) for op in block.ops), default=0)


def _too_little(loop: Op, around: Op | None, depth: int) -> str:
    """Why it does not pay, if so: threads that are started again and again for loops fewer than `depth` deep."""
    if around is None or _depth(loop.blocks[0]) >= depth:
        return ""
    return f"too little work: it is run anew by each iteration of {_statement(around)}"


def _share(loop: Op) -> list[Op]:
    """Mark a loop as parallel, counting upwards; what is returned has to come before it."""
    before = upwards(loop) if constant(loop.value("step")) == -1 else []
    loop.attrs.update(parallel=True, signed=not _is_sign_free(loop.blocks[0]))
    return before


# numba counts `prange(n)` without a sign: -i, or i - j where j is larger, would be huge. Of `prange(0, n)` it expects
# that it may be negative.


def _is_sign_free(body: Block) -> bool:
    """Whether all that is done with the index is right for numbers without a sign, too."""
    i = body.params[0]
    if any(i in b.results for op in walk(body) for b in op.blocks) or i in body.results:
        return False
    return all(_is_safe(op, i) for op in walk(body) if i in op.operands())


def _is_safe(op: Op, i: Value) -> bool:
    if "items" in op.attrs:
        return i is not op.args.get("value") and all(
            code in "i" for code, parts in index_items(op.attrs["items"], op.values("index")) if i in parts)
    if op.name not in ("add", "sub", "mul"):
        return False
    # With a constant numba computes with a sign, with a float in floats.
    other = op.value("y") if op.value("x") is i else op.value("x")
    return (op.name != "mul" and type(constant(other)) is int) or getattr(other.type, "dtype", "") == "float64"
