"""The reverse sweep: for each forward operation, last first, the operations that pull adjoints through it.

What is built reads forward values as if all of them were at hand, also those of an iteration that is
over; `resolve` makes that true. `Mirror` says which forward block a reverse block belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from s2s.analyse.activity import REGIONS, Activity, carried, dependencies
from s2s.analyse.memory import LOOPS, Memory, is_reference, written
from s2s.differentiate import memory as memory_rules
from s2s.differentiate.adjoints import Adjoints, is_floating_number
from s2s.differentiate.order import is_sum
from s2s.differentiate.pull import no_rule, pull, refuse_captured
from s2s.differentiate.rollback import restore
from s2s.ir.builder import Builder
from s2s.ir.core import Block, Op, Value, clone_op, free_values, walk
from s2s.ir.names import adjoint_name
from s2s.ir.ops import constant
from s2s.ir.types import INT, Array, Scalar, Type, unify
from s2s.rules.table import Table


@dataclass(eq=False)
class Mirror:
    """A reverse block and its forward block.

    index: what the forward loop's index is in the reverse block. trip: the number of the iteration,
    counted from 0. One of the two may have to be computed from the other, when it is needed. count: stands
    for the number of iterations of a loop that ends early, until `resolve` knows.
    """

    owner: Op | None
    forward: Block
    reverse: Block
    index: Value | None = None
    trip: Value | None = None
    count: Value | None = None


@dataclass(eq=False)
class Slot:
    """What a reverse loop carries: first value, block parameter, yielded value; `v` is whose adjoint it is."""

    v: Value
    first: Value
    param: Value
    last: Value | None = None
    memory: bool = False
    target: Value | None = None
    result: Value | None = field(default=None)


CallReverse = Callable[["Sweep", Op], None]


class Sweep(Adjoints):
    """Adjoints, and the walk over the program that makes them."""

    def __init__(self, b: Builder, table: Table, activity: Activity, memory: Memory, call: CallReverse) -> None:
        super().__init__(b, table, activity, memory)
        self.mirrors: dict[Block, Mirror] = {}
        self.overwritten: Mapping[Op, Value] = {}  # by stores that are undone
        self._call = call

    def block(self, block: Block) -> None:
        """The reverse of all operations of `block`."""
        for op in reversed(block.ops):
            self.b.origin, self.b.loc = op, op.loc
            self._op(op)

    def _op(self, op: Op) -> None:
        if "list" in op.args and op.args["list"] in self.shared:
            return  # the shadow, too, is in a list
        if op.name == "list" and op.result in self.shared:
            return
        if op in self.overwritten:
            restore(self.b, op, self.overwritten[op])
        if op.name in memory_rules.REVERSE:
            memory_rules.REVERSE[op.name](self, op)
        elif op.name == "if" or op.name == "with":
            self._branches(op)
        elif op.name in LOOPS:
            self._loop(op)
        elif op.name == "custom":
            self._custom(op)
        elif op.name == "call":
            self._call(self, op)
        elif op.name == "pycall":
            used = any(self.take(r) is not None and self.activity.varied(r) for r in op.results)
            if used or self.activity.changed(op):
                raise no_rule(op)
        else:
            pull(self, op)

    # Which outer values get contributions in a region.

    def _receivers(self, blocks: list[Block]) -> dict[Value, bool]:
        """Active values from outside `blocks` to whose adjoints they add; True: single elements of it."""
        found: dict[Value, bool] = {}
        for block in blocks:
            outside = set(free_values(block))
            for v, element in self._receiving(block):
                if v in outside and self.activity.active(v):
                    found[v] = found.get(v, False) or element
        return found

    def _receiving(self, block: Block) -> Iterator[tuple[Value, bool]]:
        for v in block.results:
            yield v, False
        for op in walk(block):
            if op.name in REGIONS:
                for inner in op.blocks:
                    yield from ((v, False) for v in inner.results)
                if op.name in LOOPS:
                    yield from ((v, False) for v in op.values("init"))
            elif op.spec.writes is not None:
                if "value" in op.args and self.activity.active(op.value(op.spec.writes)):
                    yield op.value("value"), False
            elif any(self.activity.active(r) for r in op.results):
                rule = self.table.rule(op)
                if rule is None or not rule.zero:
                    yield from ((v, op.name == "getitem") for v in dependencies(op, rule))

    def _stores(self, op: Op) -> bool:
        """Whether active memory is written to in the region `op`."""
        return any(inner.spec.writes is not None and self.activity.active(inner.value(inner.spec.writes))
                   for block in op.blocks for inner in walk(block))

    def _prepare(self, op: Op, receivers: dict[Value, bool]) -> None:
        """Make the memory, outside the region, to which the region will add in place."""
        for v, element in receivers.items():
            if isinstance(v.type, Array) and not self.is_memory(v) and (element or op.name in LOOPS):
                self.own(v)
        for block in op.blocks:
            touched = {v for v, _ in self._receiving(block)}
            touched.update(target for inner in walk(block) if (target := written(inner)) is not None)
            for v in free_values(block):
                if v in touched and is_reference(v.type) and self.is_memory(v) and self.activity.active(v):
                    self.handle(v)

    def _enter(self, env: dict[Value, Value]) -> set[Value]:
        """Start a region with adjoints `env`; gives what `outer` was."""
        before = self.outer
        self.env = dict(env)
        self.outer = before | {a for a in env.values() if a in self.owned}
        return before

    # Branches and `with`.

    def _branches(self, op: Op) -> None:
        gs = [self.take(r) for r in op.results]
        if all(g is None for g in gs) and not self._stores(op):
            return
        self._prepare(op, self._receivers(op.blocks))
        before = self.env
        reverse, after = [], []
        for block in op.blocks:
            new = Block()
            self.mirrors[new] = Mirror(op, block, new)
            outer = self._enter(before)
            with self.b.at(new):
                for y, g in zip(block.results, gs, strict=True):
                    if g is not None:
                        self.join(y, g, op)
                self.block(block)
            reverse.append(new)
            after.append(self.env)
            self.outer = outer
        self.b.origin, self.b.loc = op, op.loc
        self.env = before
        self._merge(op, reverse, after)

    def _merge(self, op: Op, reverse: list[Block], after: list[dict[Value, Value]]) -> None:
        """Let the reverse branches yield the adjoints that they changed."""
        inside = list(op.blocks)
        changed: dict[Value, None] = {}
        for env in after:
            for v, a in env.items():
                if self.env.get(v) is not a and not any(self.memory.is_inside(v, b) for b in inside):
                    changed[v] = None
        types: list[Type] = []
        for v in changed:
            ends = []
            for new, env in zip(reverse, after, strict=True):
                with self.b.at(new):
                    ends.append(env[v] if v in env else self.zeros_like(v))
                new.results.append(ends[-1])
            merged = unify(ends[0].type, ends[-1].type)
            types.append(merged if merged is not None else v.type)
        if not changed and all(not b.ops for b in reverse):
            return
        hints = [adjoint_name(v.hint) if v.hint else "" for v in changed]
        new_op = self.b.region(op.name, op.args, reverse, types, dict(op.attrs), hints)
        for v, r in zip(changed, new_op.results, strict=True):
            self.env[v] = r
            self.seen.add(r)

    # Loops.

    def _loop(self, op: Op) -> None:
        slots = self._slots(op)
        body = op.blocks[-1]
        if not slots and not self._stores(op) and not any(r in self.shared for r in op.results):
            return
        receivers = self._receivers([body])
        self._prepare(op, receivers)
        counts = len(slots)
        slots += [self._carry(v, self.env.get(v)) for v in receivers if is_floating_number(v)]
        reverse = Block()
        mirror = self._mirror(op, body, reverse)
        before = self.env
        outer = self._enter(before)
        with self.b.at(reverse):
            self._body(op, body, slots, counts)
        self.env, self.outer = before, outer
        self.b.origin, self.b.loc = op, op.loc
        self._close(op, mirror, slots, counts)

    def _slots(self, op: Op) -> list[Slot]:
        """Adjoints that flow from iteration to iteration because their primals do."""
        slots = []
        for init, params, y, r in carried(op):
            if r in self.shared:
                continue
            g = self.take(r)
            # Where the loop does not run, the result is the initial value.
            if g is not None or self.activity.active(params[-1]):
                slots.append((init, params[-1], y, r, g))
        if all(g is None for *_, g in slots) and not self._stores(op):
            return []
        made = []
        for init, param, y, r, g in slots:
            slot = self._carry(r, g)
            slot.v, slot.target, slot.memory = param, init, self.is_memory(y)
            slot.last = y
            slot.param.type = _sized(slot.param.type, y.type)
            made.append(slot)
        return made

    def _carry(self, v: Value, first: Value | None) -> Slot:
        """A slot for the adjoint of `v`, which is `first`, or zero."""
        if first is None:
            first = self.zeros_like(v)
        t = first.type
        if isinstance(t, Scalar):
            assert isinstance(v.type, Scalar)
            t = Scalar(v.type.dtype, v.type.weak and t.weak)
        param = Value(t, adjoint_name(v.hint) if v.hint else "")
        self.seen.add(param)
        return Slot(v, first, param)

    def _body(self, op: Op, body: Block, slots: list[Slot], counts: int) -> None:
        """The reverse of one iteration, into the builder's block."""
        for slot in slots[counts:]:
            self.env[slot.v] = slot.param
        for slot in slots[:counts]:
            y = slot.last
            assert y is not None
            if slot.memory and y not in self.env and self.is_root(y) and self.memory.is_inside(y, body):
                self.env[y] = slot.param
            else:
                self.join(y, slot.param, op)
        self.block(body)
        for slot in slots:
            slot.last = self.env[slot.v] if slot.v in self.env else self.zeros_like(slot.v)

    def _mirror(self, op: Op, body: Block, reverse: Block) -> Mirror:
        mirror = Mirror(op, body, reverse)
        if op.name == "for" and not op.attrs.get("breaks") and constant(op.value("step")) in (1, -1):
            index = Value(body.params[0].type, body.params[0].hint)
            mirror.index = index
        else:
            index = Value(INT, "k")
            mirror.trip = index
            if op.name == "while" or op.attrs.get("breaks"):
                mirror.count = Value(INT, "count")
        reverse.params = [index]
        self.mirrors[reverse] = mirror
        return mirror

    def _close(self, op: Op, mirror: Mirror, slots: list[Slot], counts: int) -> None:
        """Write the loop itself, and pass on what it carried out."""
        reverse = mirror.reverse
        kept: list[Slot] = []
        for slot in slots:
            if slot.last is slot.param:
                slot.result = slot.first
                replace(reverse, slot.param, slot.first, [s for s in slots if s is not slot])
            else:
                kept.append(slot)
        reverse.params += [s.param for s in kept]
        reverse.results = [s.last for s in kept if s.last is not None]
        sums = all(s.target is None for s in kept) and not self._reads_shared(reverse) \
            and is_sum(reverse, [(s.param, s.last) for s in kept])
        if reverse.ops or kept:
            start, stop, step = self._range(op, mirror, ascending=sums)
            new = self.b.region("for", {"start": start, "stop": stop, "step": step,
                                        "init": tuple(s.first for s in kept)},
                                [reverse], [_sized(s.param.type, s.target.type) if s.target else s.param.type
                                            for s in kept], {"breaks": False},
                                [s.param.hint for s in kept])
            for s, r in zip(kept, new.results, strict=True):
                s.result = r
                self.seen.add(r)
        for slot in slots[counts:]:
            assert slot.result is not None
            self.env[slot.v] = slot.result
        for slot in slots[:counts]:
            assert slot.result is not None and slot.target is not None
            self.join(slot.target, slot.result, op)

    def _reads_shared(self, reverse: Block) -> bool:
        """Whether `reverse` uses shadows of which one may be another one of a later iteration."""
        shadows = set(self.shared.values())
        return bool(shadows) and any(v in shadows for op in walk(reverse) for v in op.operands())

    def _range(self, op: Op, mirror: Mirror, ascending: bool) -> tuple[Value, Value, Value]:
        """start, stop and step of the reverse of a loop."""
        b = self.b
        if mirror.index is not None:
            start, stop, step = op.value("start"), op.value("stop"), op.value("step")
            if ascending:
                return start, stop, step
            sign = constant(step)
            return b.sub(stop, b.int(sign)), b.sub(start, b.int(sign)), b.int(-sign)
        count = mirror.count
        if count is None:
            count = b.one("trips", {name: op.value(name) for name in ("start", "stop", "step")})
        if ascending:
            return b.int(0), count, b.int(1)
        return b.sub(count, b.int(1)), b.int(-1), b.int(-1)

    # custom_gradient.

    def _custom(self, op: Op) -> None:
        gs = [self.take(r) for r in op.results]
        if all(g is None for g in gs):
            return
        refuse_captured(op, self.activity.varied)
        if not any(self.activity.active(v) for v in op.values("sources")):
            return
        pullback = op.blocks[0]
        mapping: dict[Value, Value] = {}
        for p, g, r in zip(pullback.params, gs, op.results, strict=False):
            mapping[p] = self.zeros_like(r) if g is None else g
        mapping.update(zip(pullback.params[len(gs):], op.results, strict=False))
        self.b.block.ops += [clone_op(inner, mapping) for inner in pullback.ops]
        for source, c in zip(op.values("sources"), pullback.results, strict=True):
            if self.activity.active(source):
                self.add(source, self.fit(mapping.get(c, c), source), fresh=False)


def _sized(t: Type, like: Type) -> Type:
    """The type of an adjoint that has the sizes of `like`: what a loop carries may shrink or grow in it."""
    if isinstance(t, Array) and isinstance(like, Array) and t.ndim == like.ndim:
        return Array(t.dtype, like.dims, t.layout)
    return t


def replace(block: Block, old: Value, new: Value, slots: list[Slot]) -> None:
    """Read `new` instead of `old` everywhere in `block`, and in what `slots` yield."""
    for op in walk(block):
        op.args = {name: tuple(new if v is old else v for v in arg) if isinstance(arg, tuple)
                   else new if arg is old else arg for name, arg in op.args.items()}
        for inner in op.blocks:
            inner.results = [new if v is old else v for v in inner.results]
    for s in slots:
        if s.last is old:
            s.last = new


