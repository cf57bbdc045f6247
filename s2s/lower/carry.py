"""What a loop carries: names and containers that an iteration leaves to the next, or to what follows the loop.

A name that is not bound before the loop is carried too where an earlier iteration may have bound what is read:

    for k in range(n):
        if x[k] > 0.0:
            last = x[k]
    return last
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2s.ir.core import Block, Value
from s2s.ir.types import BOOL, Scalar, Type, Undefined, unify
from s2s.lower.context import RETURNED, Context, Key, Loop, Peel, State, late_name
from s2s.lower.control import FALSE, TRUE, either, flag
from s2s.lower.merge import Slot, cast_to, flatten, initial, is_flag, replace, slot_hint, widen
from s2s.lower.values import Box, Conflict, Lowered, Static

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
        self.conflicts: dict[Slot, Conflict] = {}
        self.late: dict[Key, Lowered] = {}  # names that are not bound before the loop, and read in a later iteration
        self.stop: Any = FALSE

    def run(self) -> Block:
        ctx = self.ctx
        for _ in range(MAX_ATTEMPTS):
            block = Block()
            ctx.state = self.start.copy()
            params = {slot: Value(t, slot_hint(slot)) for slot, t in self.types.items()}
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
            if not self._changed(params):
                self.params = params
                return self._complete(block)
        raise ctx.error(self.loop.node, "the types of this loop's variables do not settle",
                        "a variable changes its type from one iteration to the next",
                        "give it one type before the loop")

    def _changed(self, params: dict[Slot, Value]) -> bool:
        """Widen or extend what is carried; True if the body has to be lowered again."""
        again = False
        for slot, new in self.after.items():
            old = self.before.get(slot)
            if slot in params:
                again |= self._widen(slot, params[slot].type, new)
            elif new is old or self._is_flag(slot) or slot in self.conflicts:
                continue
            elif slot in self.before:
                assert old is not None
                again |= self._carry_more(slot, old, new)
            elif slot[0] == "env" and (first := initial(self.ctx, (slot[1], slot[2]))) is not None:
                self.start.env[slot[1], slot[2]] = first
                self.before = flatten(self.start)
                again = True
        for slot in params:
            if slot not in self.after and slot[0] == "env":
                raise Peel
        for slot in self.before:
            if slot not in self.after and slot[0] == "heap" and slot[1] in self.end.heap:
                raise self._other_length()
        for box, content in self.start.heap.items():
            if isinstance(content, list) and isinstance(self.end.heap.get(box), list) \
                    and len(self.end.heap[box]) != len(content):
                raise self._other_length()
        return again | self._bring()

    def bind_late(self, state: State) -> None:
        """Let `state`, that before an iteration, have the names that an earlier one may have bound."""
        state.env.update(self.late)
        state.unsure.update(self.late)

    def is_late(self, slot: Slot) -> bool:
        """Whether a slot belongs to a name that an earlier iteration may have bound."""
        return slot[0] == "env" and (slot[1], slot[2]) in self.late

    def _bring(self) -> bool:
        """Carry the names that were read where only an earlier iteration may have bound them; True if there are any."""
        found = [key for key in self.end.env if key not in self.start.env and (
            key in self.ctx.unsure or (id(self.loop.node), late_name(key)) in self.ctx.late)]
        again = False
        for key in found:
            if key in self.late:
                continue
            again = True
            self.late[key] = self.end.env[key]
            for slot, leaf in self._late_leaves(key, self.late[key]).items():
                if isinstance(leaf, Value) and not isinstance(leaf.type, Undefined):
                    self.types[slot] = carried_type(leaf.type)
        for key, first in self.late.items():
            last = self._late_leaves(key, self.end.env[key])
            for slot, leaf in self._late_leaves(key, first).items():
                if isinstance(leaf, Box) or (not isinstance(leaf, Value) and last.get(slot) != leaf):
                    raise Peel(self.ctx.error(
                        self.loop.node, f"{key[1]!r} is bound in some iterations of this loop, and read in others",
                        "it is a container, or another thing each time, and then of which iteration is not known",
                        "bind it before the loop"))
        return again

    def _late_leaves(self, key: Key, value: Lowered) -> dict[Slot, Any]:
        return flatten(State({key: value}))

    def _other_length(self) -> Exception:
        return self.ctx.error(self.loop.node, "a list has another length after an iteration of this loop",
                              "its elements are values of their own, whose number is known before the loop runs",
                              "make it an array, or a list that is only appended to")

    def _is_flag(self, slot: Slot) -> bool:
        return slot[0] == "env" and is_flag(slot[2])

    def _widen(self, slot: Slot, param: Type, new: Lowered) -> bool:
        if not isinstance(new, Value):
            raise Peel
        if isinstance(new.type, Undefined):
            return False
        widened = widen(param, new.type, self.fresh)
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
        if isinstance(old, Static) and old.value is None:
            raise Peel
        if isinstance(old, Static) or isinstance(new, Static):
            raise Peel
        self.conflicts[slot] = Conflict("different things from one iteration to the next")
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
            old = self.before.get(slot)
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

    def settle(self, results: list[Value]) -> None:
        """Make the state after the loop the current one."""
        state = self.end
        for slot, result in zip(self.params, results, strict=True):
            replace(state, slot, result)
        for slot, old in self.before.items():
            if slot in self.after and slot not in self.params and self.after[slot] is not old \
                    and not self._is_flag(slot):
                replace(state, slot, self.conflicts.get(slot, old))
        # The loop may run zero times.
        made = {key for key in state.env if key not in self.start.env}
        for key in made & (state.unsure | state.skipped) - set(self.late):
            state.lost[key] = state.lost.get(key, frozenset()) | {id(self.loop.node)}
        state.unsure, state.skipped = self.start.unsure | made, set(self.start.skipped)
        self.ctx.state = state


def carried_type(t: Type) -> Type:
    """An int that a loop carries is no longer the size that it was at first."""
    return Scalar(t.dtype, t.weak) if isinstance(t, Scalar) else t
