"""What a loop carries: names and containers that an iteration leaves to the next, or to what follows the loop.

A name that is not bound before the loop is carried too where an earlier iteration may have bound what is read:

    for k in range(n):
        if x[k] > 0.0:
            last = x[k]
    return last
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from s2s.errors import S2SError
from s2s.ir.core import Block, Value
from s2s.ir.types import BOOL, Dim, Scalar, Type, Undefined, unify
from s2s.lower.context import RETURNED, WHOLE, Context, Key, Loop, Peel, State, copy_content, late_name
from s2s.lower.control import FALSE, TRUE, either, flag
from s2s.lower.merge import Slot, cast_to, flatten, initial, is_flag, replace, slot_hint, widen
from s2s.lower.objects import inherited
from s2s.lower.parts import parts_of, same_parts, with_parts
from s2s.lower.standing import one_of
from s2s.lower.values import Box, Conflict, Lowered, Static, Tuple

MAX_ATTEMPTS = 25


class Carry:
    """Finds what a loop carries: lowers its body until the carried values have stable types."""

    def __init__(self, ctx: Context, loop: Loop, make: Callable[[Block, list[Value]], None],
                 names: frozenset[str]) -> None:
        self.ctx, self.loop, self.make = ctx, loop, make
        self.start = ctx.state
        self.before = flatten(ctx.state)
        self.types: dict[Slot, Type] = {
            slot: carried_type(v.type) for slot, v in self.before.items()
            if isinstance(v, Value) and slot[0] == "env" and slot[1] is ctx.frame and slot[2] in names}
        self.fresh: set[str] = set()
        self.steps: dict[Any, Dim] = {}
        self.conflicts: dict[Slot, Conflict] = {}
        self.late: dict[Key, Lowered] = {}  # names that are not bound before the loop, and read in a later iteration
        self.late_heap: dict[Box, Any] = {}
        self.first: dict[Slot, Any] = {}  # what the slots of such names are before the loop
        self.after: dict[Slot, Any] = {}
        self.stop: Any = FALSE

    def run(self) -> Block:
        ctx = self.ctx
        around, ctx.missed = ctx.missed, set()
        try:
            return self._settled()
        finally:
            ctx.missed |= around

    def _settled(self) -> Block:
        ctx = self.ctx
        for _ in range(MAX_ATTEMPTS):
            block = Block()
            ctx.state = self.start.copy()
            params = {slot: one_of(ctx, Value(t, slot_hint(slot)), self.before.get(slot), self.after.get(slot))
                      for slot, t in self.types.items()}
            self.bind_late(ctx.state)
            for slot, p in params.items():
                replace(ctx.state, slot, p)
            for slot, conflict in self.conflicts.items():
                replace(ctx.state, slot, conflict)
            for key in (self.loop.broke, self.loop.continued, self.loop.done, (ctx.frame, RETURNED)):
                ctx.state.env[key] = FALSE
            ctx.loops.append(self.loop)
            try:
                self.make(block, list(params.values()))
                with ctx.b.at(block):
                    self.stop = either(ctx, flag(ctx, self.loop.done), either(
                        ctx, flag(ctx, self.loop.broke), flag(ctx, (ctx.frame, RETURNED))))
                ctx.state.env[self.loop.continued] = FALSE
            finally:
                ctx.loops.pop()
            self.after = flatten(ctx.state)
            self.end = ctx.state
            self._settle_late()
            if not self._changed(params):
                self.params = params
                return self._complete(block)
        raise ctx.error(self.loop.node, "the types of this loop's variables do not settle",
                        "a variable changes its type from one iteration to the next",
                        "give it one type before the loop")

    def _changed(self, params: dict[Slot, Value]) -> bool:
        """Widen or extend what is carried; True if the body has to be lowered again."""
        again = False
        self.steps = {}
        for slot, new in self.after.items():
            old = self.before.get(slot)
            if slot in params:
                again |= self._widen(slot, params[slot].type, new)
            elif new is old or self._is_flag(slot) or slot in self.conflicts or self.is_late(slot):
                continue
            elif slot in self.before:
                assert old is not None
                again |= self._carry_more(slot, old, new)
            elif slot[0] == "env" and (first := initial(self.ctx, (slot[1], slot[2]))) is not None:
                self.start.env[slot[1], slot[2]] = first
                self.before = flatten(self.start)
                again = True
            elif slot[0] == "env" and (slot[1], slot[2]) in self.ctx.missed:  # an attribute of an object from outside
                raise Peel(self._other_keys(slot[2]))
            elif slot[0] == "heap" and slot[1] in self.start.heap:
                again |= self._added(slot)
        for slot in params:
            if slot not in self.after and slot[0] == "env":
                raise Peel
        again |= self._adopted()
        self._refuse_other_sizes()
        self._check_structure()
        self._refuse_changed()
        return again | self._bring()

    def _adopted(self) -> bool:
        """Carry what containers hold of which a copy was first made in this loop; True if there are any."""
        found = [box for box in self.end.heap if self.ctx.bring(self.start, box)]
        self.before = flatten(self.start) if found else self.before
        return bool(found)

    def _refuse_other_sizes(self) -> None:
        """A container has the items after an iteration that it had before."""
        for slot in self.before:
            if slot not in self.after and slot[0] == "heap" and slot[1] in self.end.heap:
                raise self._other_length()
        for box, content in self.start.heap.items():
            end = self.end.heap.get(box)
            if isinstance(content, list) and isinstance(end, list) and len(end) != len(content):
                raise self._other_length()
            if isinstance(content, dict) and isinstance(end, dict) and (gone := content.keys() - end.keys()):
                raise Peel(self._other_keys(next(iter(gone))))

    def _added(self, slot: Slot) -> bool:
        """An iteration has added a key to a container, and the next one has it; True if the loop can start with it."""
        if len(slot) == 2:  # it is one container or another from now on
            raise Peel
        box, key = slot[1], slot[2]
        asked = {(box, key), (box, WHOLE)} & self.ctx.missed or (id(self.loop.node), WHOLE) in self.ctx.late
        if key in self.start.heap[box] or not asked:
            return False
        saved, self.ctx.state = self.ctx.state, self.start
        first = inherited(self.ctx, box.cls, key) if box.kind == "object" else None
        self.ctx.state = saved
        if first is None:
            raise Peel(self._other_keys(key))
        self.start.heap[box][key] = first
        self.before = flatten(self.start)
        return True

    def _check_structure(self) -> None:
        """What an iteration leaves to the next is of the structure that it was given."""
        for key, x in self.start.env.items():
            if not is_flag(key[1]) and key not in self.late:
                self._compare_structure(x, self.end.env.get(key, x))
        for box, content in self.start.heap.items():
            now = self.end.heap.get(box)
            if isinstance(content, dict) and isinstance(now, dict):
                for k, v in content.items():
                    self._compare_structure(v, now.get(k, v))
            elif isinstance(content, list) and isinstance(now, list):
                for v, w in zip(content, now, strict=True):
                    self._compare_structure(v, w)

    def _compare_structure(self, x: Any, y: Any) -> None:
        px, py = parts_of(x), parts_of(y)
        if x is y or (px is None and py is None):
            return
        if not same_parts(x, y):
            raise self._other_length() if isinstance(x, Tuple) and isinstance(y, Tuple) else Peel
        for v, w in zip(px or (), py or (), strict=True):
            self._compare_structure(v, w)

    def bind_late(self, state: State) -> None:
        """Let `state`, that before an iteration, have the names that an earlier one may have bound."""
        state.env.update(self.late)
        state.heap.update({box: copy_content(content) for box, content in self.late_heap.items()})
        state.unsure.update(key for key in self.late if key not in self.start.env)

    def is_late(self, slot: Slot) -> bool:
        """Whether a slot belongs to a name that an earlier iteration may have bound."""
        return (slot[1], slot[2]) in self.late if slot[0] == "env" else slot[1] in self.late_heap

    def _bring(self) -> bool:
        """Carry the names that were read where only an earlier iteration may have bound them; True if there are any."""
        found = [key for key in self.end.env if key not in self.start.env and key not in self.late and (
            key in self.ctx.unsure or (id(self.loop.node), late_name(key)) in self.ctx.late)]
        for key in found:
            self._add_late(key)
        return bool(found)

    def _add_late(self, key: Key) -> None:
        self.late[key] = self._stand_in(self.end.env[key], {})
        for slot, leaf, _ in self._pairs(key, self.end):
            if isinstance(leaf, Value) and not isinstance(leaf.type, Undefined):
                self.types[slot] = carried_type(leaf.type)

    def _replaced(self, key: Key, old: Box, new: Box) -> bool:
        """Carry what a container holds, where an iteration makes another one like it; whether that can be done."""
        self._add_late(key)
        try:
            for slot, leaf, first in self._pairs(key, self.start):
                if isinstance(leaf, Value):
                    if unify(first.type, leaf.type) is None:
                        raise Peel
                    self.types[slot], self.first[slot] = carried_type(first.type), first
                elif leaf != first:
                    raise Peel
        except Peel:
            del self.late[key]
            return False
        return True

    def _refuse_changed(self) -> None:
        """The containers of the first iteration, for which others stand in, are not changed by other names."""
        for key in self.late:
            if isinstance(old := self.start.env.get(key), Box):
                for slot, v in flatten(State({}, {old: self.start.heap[old]})).items():
                    if self.after.get(slot) is not v and self.after.get(slot) != v:
                        raise Peel(self.ctx.error(
                            self.loop.node, f"{key[1]!r} is another container each time, and the first one is changed",
                            "which of them that is, is not known", "make a copy of it before the loop"))

    def _stand_in(self, x: Any, made: dict[Box, Box]) -> Any:
        """What stands for `x` of an earlier iteration; its containers are of their own, and nothing changes them."""
        if not isinstance(x, Box):
            parts = parts_of(x)
            return x if parts is None else with_parts(x, tuple(self._stand_in(v, made) for v in parts))
        if x not in made:
            made[x] = box = Box(x.kind, x.cls, x.hint, self.ctx.depth)
            content = self.end.heap[x]
            if isinstance(content, list):
                content = [self._stand_in(v, made) for v in content]
            elif isinstance(content, dict):
                content = {k: self._stand_in(v, made) for k, v in content.items()}
            self.late_heap[box] = content
            self.ctx.frozen.add(box)
        return made[x]

    def _settle_late(self) -> None:
        """Let the slots of late names have what these stand for after an iteration."""
        for key in self.late:
            if key not in self.end.env:
                raise Peel(self._unsettled(key))
            for slot, first, last in self._pairs(key, self.end):
                self.after[slot] = last
                if not isinstance(first, Value) and first != last:
                    raise Peel(self._unsettled(key))

    def _pairs(self, key: Key, state: State) -> Iterator[tuple[Slot, Any, Any]]:
        """For each leaf of a late name its slot, what it is before an iteration, and what it is in `state`."""
        work: list[tuple[Slot, Any, Any]] = [(("env", *key), self.late[key], state.env[key])]
        seen: set[Box] = set()
        while work:
            slot, x, y = work.pop()
            if isinstance(x, Box) and isinstance(y, Box) and x.kind == y.kind and x.cls is y.cls:
                if x in seen:
                    continue
                seen.add(x)
                a, b = self.late_heap[x], state.heap[y]
                if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
                    work += [(("heap", x, k), v, w) for k, (v, w) in enumerate(zip(a, b, strict=True))]
                elif isinstance(a, dict) and isinstance(b, dict) and list(a) == list(b):
                    work += [(("heap", x, k), v, b[k]) for k, v in a.items()]
                elif isinstance(a, Value) and isinstance(b, Value):
                    yield ("heap", x), a, b
                else:
                    raise Peel(self._unsettled(key))
            elif same_parts(x, y):
                pairs = zip(parts_of(x) or (), parts_of(y) or (), strict=True)
                work += [((*slot, k), v, w) for k, (v, w) in enumerate(pairs)]
            elif isinstance(x, Value) != isinstance(y, Value) or isinstance(x, Box):
                raise Peel(self._unsettled(key))
            else:
                yield slot, x, y

    def _unsettled(self, key: Key) -> S2SError:
        return self.ctx.error(self.loop.node,
                              f"{key[1]!r} is bound in some iterations of this loop, and read in others",
                              "it is another thing each time, and then of which iteration is not known",
                              "bind it before the loop")

    def _other_length(self) -> Exception:
        return self.ctx.error(self.loop.node, "a list or tuple has another length after an iteration of this loop",
                              "its elements are values of their own, whose number is known before the loop runs",
                              "make it an array, or a list that is only appended to")

    def _other_keys(self, key: Any) -> S2SError:
        return self.ctx.error(self.loop.node, f"{key!r} is put into a container, or taken out of it, in this loop",
                              "a later iteration meets it there, and the first one does not",
                              "put it there before the loop")

    def _is_flag(self, slot: Slot) -> bool:
        return slot[0] == "env" and is_flag(slot[2])

    def _widen(self, slot: Slot, param: Type, new: Lowered) -> bool:
        if not isinstance(new, Value):
            raise Peel
        if isinstance(new.type, Undefined):
            return False
        widened = widen(param, new.type, self.fresh, self.steps)
        if widened is None:
            raise Peel
        changed = widened != param or any(
            getattr(widened, part, None) != getattr(param, part, None) for part in ("dims", "layout"))
        self.types[slot] = widened
        return changed

    def _carry_more(self, slot: Slot, old: Lowered, new: Lowered) -> bool:
        if isinstance(old, Value) and isinstance(new, Value):
            joined = unify(old.type, new.type)
            if joined is None:
                raise Peel
            self.types[slot] = carried_type(old.type)
            return True
        if isinstance(old, Static) and isinstance(new, Static) and old == new:
            return False
        if isinstance(old, Box) and isinstance(new, Box) and slot[0] == "env" and len(slot) == 3 \
                and self._replaced((slot[1], slot[2]), old, new):
            return True
        if isinstance(old, Static) or isinstance(new, Static):
            raise Peel
        self.conflicts[slot] = Conflict("different things from one iteration to the next",
                                        partly=any(isinstance(v, Conflict) and v.partly for v in (old, new)))
        return True

    def _complete(self, block: Block) -> Block:
        """Add what the body defines anew, which is not bound before the loop."""
        for slot, new in self.after.items():
            if slot in self.params or new is self.before.get(slot):
                continue
            if self._is_flag(slot) and new == TRUE:
                # Set in every iteration; but the loop may run zero times.
                with self.ctx.b.at(block):
                    new = self.after[slot] = self.ctx.b.const(True, BOOL)
            elif slot in self.before and not self._is_flag(slot):
                continue
            if isinstance(new, Value) and not isinstance(new.type, Undefined):
                self.params[slot] = Value(carried_type(new.type), slot_hint(slot))
                block.params.append(self.params[slot])
        return block

    def inits(self) -> list[Value]:
        """What the carried values are before the loop."""
        b = self.ctx.b
        out = []
        for slot, p in self.params.items():
            old = self.first.get(slot, self.before.get(slot))
            if self._is_flag(slot):
                out.append(b.const(False, BOOL))
            elif isinstance(old, Value):
                out.append(cast_to(b, b.block, old, p.type))
            else:
                out.append(b.undefined(p.type))
        return out

    def yields(self, block: Block) -> list[Value]:
        """What the carried values are at the end of an iteration."""
        out = []
        for slot, p in self.params.items():
            new = self.after[slot]
            assert isinstance(new, Value)
            out.append(cast_to(self.ctx.b, block, new, p.type))
        return out

    def settle(self, results: list[Value], certain: bool) -> None:
        """Make the state after the loop the current one; `certain`: it runs at least once."""
        state = self.end
        for slot, result in zip(self.params, results, strict=True):
            if not self.is_late(slot):
                one_of(self.ctx, result, self.params[slot], self.after[slot])
                replace(state, slot, result)
        self.bind_late(state)
        for slot, result in zip(self.params, results, strict=True):
            if self.is_late(slot):
                replace(state, slot, result)
        for slot, old in self.before.items():
            if slot in self.after and slot not in self.params and self.after[slot] is not old \
                    and not self._is_flag(slot) and not self.is_late(slot):
                replace(state, slot, self.conflicts.get(slot, old))
        # The loop may run zero times.
        made = {key for key in state.env if key not in self.start.env}
        for key in made & (state.unsure | state.skipped) - set(self.late):
            state.lost[key] = state.lost.get(key, frozenset()) | {id(self.loop.node)}
        if not certain:
            added = {(box, key) for box, held in self.start.heap.items() if isinstance(held, dict)
                     for key in state.heap[box] if key not in held}
            state.lost.update(dict.fromkeys(added, frozenset({id(self.loop.node)})))
            # What was not sure to be there before is not surer after it.
            state.lost.update({key: loops | state.lost.get(key, frozenset()) for key, loops in self.start.lost.items()})
        state.unsure, state.skipped = self.start.unsure | made, set(self.start.skipped)
        self.ctx.state = state


def carried_type(t: Type) -> Type:
    """An int that a loop carries is no longer the size that it was at first."""
    return Scalar(t.dtype, t.weak) if isinstance(t, Scalar) else t
