"""What emission has to know of a program: what is needed, where it is read, what may alias.

Values that are one thing in the emitted code are one here: `resolve` takes the result of a loop to
what it carries, and an identity to its operand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from s2s.ir.core import Block, Function, Op, Value, walk
from s2s.ir.ops import is_basic
from s2s.ir.types import Array, List, Opaque

LOOPS = ("for", "while")
REGIONS = ("if", "for", "while", "with")
# Wishes for a name that say no more than that the value is a temporary.
TEMPORARY = ("", "t_bar", "t_dot")


@dataclass(frozen=True, slots=True)
class Use:
    """One read of a value, just before `block.ops[index]`.

    kind: "operand" (of `op`, or the test of a `while`), "init" and "yield" (a copy into a carried
    value or a result), "stop" (says whether a loop ends) or "return".
    """

    kind: str
    block: Block
    index: int
    op: Op | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """Where a value comes from: result or carried value `k` of `op`; a loop's index has k = -1."""

    op: Op
    k: int


def carried(op: Op) -> list[Value]:
    """What a loop carries: the parameters of its first block, without the index."""
    params = op.blocks[0].params
    return params[1:] if op.name == "for" else params


def breaks(op: Op) -> bool:
    """Whether the body of a loop ends by saying whether to stop."""
    return bool(op.attrs.get("breaks"))


def is_effect(op: Op) -> bool:
    """Whether an operation must be kept, in order, even if nobody reads its results."""
    if op.name == "call":
        return _impure(op.attrs["function"], set())
    return op.spec.effect or op.spec.writes is not None


def written_as_if(op: Op) -> bool:
    """Whether the user wrote an `if` statement for this `if`, and not an expression."""
    return op.loc is not None and op.loc.text.startswith(("if ", "if(", "elif "))


def _impure(fn: Function, seen: set[int]) -> bool:
    if id(fn) in seen:
        return False
    seen.add(id(fn))
    return any(op.spec.effect or op.spec.writes is not None
               or (op.name == "call" and _impure(op.attrs["function"], seen)) for op in walk(fn.block))


class Facts:
    """Facts about `fn`, gathered once."""

    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.alias: dict[Value, Value] = {}
        self.hints: dict[Value, list[str]] = {}
        self.definition: dict[Value, Definition] = {}
        self.parent: dict[Op, Op | None] = {}
        self.blocks: list[tuple[Block, Op | None]] = []
        self._scan(fn.block, None)
        self.raw_uses = self._count()
        self.needed: set[Value] = set()
        self.live: set[Op] = set()
        self._find_needed()
        self.pushed: dict[Block, Op] = {}
        self.returning: set[Block] = set()  # blocks whose results are returned, there
        self.stops: list[tuple[Value, Op]] = []  # what is tested at the end of a body, and its loop
        self._find_pushed()
        self.uses: dict[Value, list[Use]] = {}
        self._find_uses()
        self._roots: dict[Value, frozenset[Value | None]] = {}

    # ---- structure

    def _scan(self, block: Block, owner: Op | None) -> None:
        self.blocks.append((block, owner))
        for op in block.ops:
            self.parent[op] = owner
            for k, r in enumerate(op.results):
                self.definition[r] = Definition(op, k)
            if op.name in LOOPS:
                self._scan_loop(op)
            elif op.name == "stop_gradient":
                self._identify(op.result, op.value("x"))
            elif op.name == "custom":
                for r, a in zip(op.results, op.values("args"), strict=True):
                    self._identify(r, a)
                continue  # its block is the pullback, which does not run here
            for inner in op.blocks:
                self._scan(inner, op)

    def _scan_loop(self, op: Op) -> None:
        for k, p in enumerate(carried(op)):
            self.definition[p] = Definition(op, k)
            self._identify(op.results[k], p)
            if op.name == "while":
                self._identify(op.blocks[1].params[k], p)
        if op.name == "for":
            self.definition[op.blocks[0].params[0]] = Definition(op, -1)

    def _identify(self, v: Value, same: Value) -> None:
        self.alias[v] = same
        self.hints.setdefault(self.resolve(same), []).append(v.hint)

    def resolve(self, v: Value) -> Value:
        """The value that stands for `v`."""
        while v in self.alias:
            v = self.alias[v]
        return v

    def hint(self, v: Value) -> str:
        """The wished-for name of `v`: that of any value it stands for, a telling one first."""
        wishes = [v.hint, *self.hints.get(v, ())]
        return next((h for h in wishes if h not in TEMPORARY), next((h for h in wishes if h), ""))

    def operands(self, op: Op) -> Iterator[Value]:
        """What a plain operation reads, or the control of one that owns blocks."""
        if op.name == "if":
            yield self.resolve(op.value("cond"))
        elif op.name == "for":
            for name in ("start", "stop", "step"):
                yield self.resolve(op.value(name))
        elif op.name not in REGIONS:
            for v in op.operands():
                yield self.resolve(v)

    def inits(self, op: Op) -> list[Value]:
        return [self.resolve(v) for v in op.values("init")] if "init" in op.args else []

    def _count(self) -> Counter[Value]:
        count: Counter[Value] = Counter()
        for block, _ in self.blocks:
            for op in block.ops:
                count.update(self.resolve(v) for v in op.operands())
            count.update(self.resolve(v) for v in block.results)
        return count

    # ---- what is needed

    def _find_needed(self) -> None:
        work: list[Value] = []

        def need(v: Value) -> None:
            v = self.resolve(v)
            if v not in self.needed:
                self.needed.add(v)
                work.append(v)

        def keep(op: Op | None) -> None:
            while op is not None and op not in self.live:
                self.live.add(op)
                for v in [*self.operands(op), *_inner_control(op)]:
                    need(v)
                op = self.parent[op]

        for v in self.fn.block.results:
            need(v)
        for block, _ in self.blocks:
            for op in block.ops:
                if is_effect(op):
                    keep(op)
        while work:
            where = self.definition.get(work.pop())
            if where is not None:
                keep(where.op)
                for v in self._sources(where):
                    need(v)

    def _sources(self, where: Definition) -> list[Value]:
        """What flows into the carried value, or the result of a branch, that is defined at `where`."""
        op, k = where.op, where.k
        if op.name in LOOPS and k >= 0:
            return [op.values("init")[k], op.blocks[-1].results[k]]
        return [b.results[k] for b in op.blocks] if op.name in ("if", "with") else []

    # ---- `if`s at the end of a body, into which the end of the body moves

    def _find_pushed(self) -> None:
        for block, owner in self.blocks:
            if owner is not None and owner in self.live and owner.name in LOOPS and breaks(owner) \
                    and block is owner.blocks[-1]:
                self._push_stop(block, block.results[-1], owner)
        results = [self.resolve(v) for v in self.fn.block.results]
        self._push_return(self.fn.block, results)

    def _tail_if(self, block: Block) -> Op | None:
        """The `if` that ends `block`, if its results are read only by what the block yields."""
        tail = next((op for op in reversed(block.ops) if op in self.live and op.name != "const"), None)
        if tail is None or tail.name != "if":
            return None
        yielded = Counter(self.resolve(v) for v in block.results)
        return tail if all(self.raw_uses[r] == yielded[r] for r in tail.results) else None

    def _push_stop(self, block: Block, stop: Value, loop: Op) -> None:
        tail = self._tail_if(block)
        stop = self.resolve(stop)
        if tail is not None and stop is self.resolve(tail.value("cond")):
            self.pushed[block] = tail
        elif tail is not None and stop in tail.results:
            self.pushed[block] = tail
            k = tail.results.index(stop)
            for branch in tail.blocks:
                self._push_stop(branch, branch.results[k], loop)
        else:
            self.stops.append((stop, loop))

    def _push_return(self, block: Block, results: list[Value]) -> None:
        tail = self._tail_if(block)
        if tail is None or not results or any(r not in tail.results or r.hint for r in results):
            return
        if not written_as_if(tail) and not any(self._has_statements(b) for b in tail.blocks):
            return  # a conditional expression
        self.pushed[block] = tail
        for branch in tail.blocks:
            self.returning.add(branch)
            self._push_return(branch, [self.resolve(branch.results[tail.results.index(r)]) for r in results])

    def _has_statements(self, block: Block) -> bool:
        return any(op in self.live and (is_effect(op) or op.name in REGIONS) for op in block.ops)

    # ---- uses

    def _find_uses(self) -> None:
        for block, owner in self.blocks:
            if owner is not None and owner not in self.live:
                continue
            for index, op in enumerate(block.ops):
                if op not in self.live or op.name in ("stop_gradient", "custom"):
                    continue
                for v in self.operands(op):
                    self._use(v, Use("operand", block, index, op))
                if op.name in LOOPS:
                    for v, p in zip(self.inits(op), carried(op), strict=True):
                        if p in self.needed:
                            self._use(v, Use("init", block, index, op))
            self._use_results(block, owner)

    def _use(self, v: Value, use: Use) -> None:
        self.uses.setdefault(self.resolve(v), []).append(use)

    def _use_results(self, block: Block, owner: Op | None) -> None:
        at = len(block.ops)
        pushed = self.pushed.get(block)
        if owner is None:
            targets: list[Value | None] = [None] * len(block.results)
        elif owner.name == "while" and block is owner.blocks[0]:
            self._use(block.results[0], Use("operand", block, at, None))
            return
        else:
            targets = [*(carried(owner) if owner.name in LOOPS else owner.results)]
            if len(block.results) > len(targets):
                stop = self.resolve(block.results[-1])
                if pushed is None or stop is not self.resolve(pushed.value("cond")):
                    self._use(stop, Use("stop", block, at))
        for v, target in zip(block.results, targets, strict=False):
            if target is None or target in self.needed:
                kind = self._kind(block, owner, target)
                # Where the `if` that ends the block asks the same, each of its branches knows the answer.
                if kind != "stop" or pushed is None or self.resolve(v) is not self.resolve(pushed.value("cond")):
                    self._use(v, Use(kind, block, at))

    def _kind(self, block: Block, owner: Op | None, target: Value | None) -> str:
        if owner is None or block in self.returning:
            return "return"
        return "stop" if self._is_stop(owner, target) else "yield"

    def _is_stop(self, owner: Op, target: Value | None) -> bool:
        """Whether `target` is a result, of an `if` that was moved into, that says whether to stop."""
        uses = self.uses.get(target, ()) if target is not None and owner.name == "if" else ()
        return bool(uses) and all(u.kind == "stop" for u in uses)

    # ---- memory

    def roots(self, v: Value) -> frozenset[Value | None]:
        """The memory that `v` may refer to: values that made it, or None for unknown memory.

        All parameters count as one piece of memory (the first parameter): callers may pass views.
        """
        known = self._roots.get(v)
        if known is None:
            found: set[Value | None] = set()
            seen: set[Value] = set()
            work = [v]
            while work:
                u = self.resolve(work.pop())
                if u in seen or not isinstance(u.type, Array | List | Opaque):
                    continue
                seen.add(u)
                work.extend(self._same_memory(u, found))
            known = self._roots[v] = frozenset(found)
        return known

    def _same_memory(self, v: Value, found: set[Value | None]) -> list[Value]:
        """What `v` may share its memory with; its root is added to `found` if it has one."""
        where = self.definition.get(v)
        if where is None:
            found.add(self.fn.block.params[0] if v in self.fn.block.params else v)
            return []
        op = where.op
        if op.name in REGIONS:
            return self._sources(where)
        if op.name in ("listget", "pycall", "call") or isinstance(v.type, Opaque):
            found.add(None)
            return []
        found.add(v)
        if op.spec.view is not None and not (op.name == "getitem" and not is_basic(op.attrs["items"])):
            return [op.value(op.spec.view)]
        return []

    def reads(self, op: Op) -> frozenset[Value | None]:
        """The memory that a plain operation reads when it is evaluated."""
        if op.name in ("dim", "const") or (op.name == "getitem" and isinstance(op.result.type, Array)
                                           and is_basic(op.attrs["items"])):
            return frozenset()
        found: set[Value | None] = set()
        for v in op.operands_read():
            found |= self.roots(self.resolve(v))
        return frozenset(found)

    def writes(self, op: Op) -> frozenset[Value | None]:
        """The memory that an operation, or a block that it owns, may write."""
        if op.name == "custom":
            return frozenset()
        if op.spec.writes is not None:
            return self.roots(self.resolve(op.value(op.spec.writes)))
        found: set[Value | None] = set()
        if op.name == "pycall" or (op.name == "call" and is_effect(op)):
            found.add(None)
        for block in op.blocks:
            for inner in block.ops:
                found |= self.writes(inner)
        return frozenset(found)


def _inner_control(op: Op) -> list[Value]:
    """What the blocks of a loop yield to say whether it goes on."""
    tests = [op.blocks[0].results[0]] if op.name == "while" else []
    return [*tests, op.blocks[-1].results[-1]] if op.name in LOOPS and breaks(op) else tests


def may_alias(a: frozenset[Value | None], b: frozenset[Value | None]) -> bool:
    """Whether two sets of roots can be the same memory."""
    return bool(a and b) and (None in a or None in b or bool(a & b))
