"""Where paths meet: what a name stands for after an `if`, and what a loop carries.

A *slot* is a place in the state that holds one leaf: a name, an element of a tuple that a name stands
for, or an element of a container.
"""

from __future__ import annotations

from typing import Any

from s2s.ir.builder import Builder
from s2s.ir.core import Block, Value
from s2s.ir.types import BOOL, Array, Dim, Scalar, Type, Undefined, fresh_dim, unify
from s2s.lower.context import RETURN, Context, GrowList, State, copy_content
from s2s.lower.describe import describe
from s2s.lower.objects import inherited
from s2s.lower.parts import parts_of, same_parts, with_parts
from s2s.lower.standing import one_of
from s2s.lower.values import Box, Conflict, Lowered, Static

Slot = tuple[Any, ...]


class Absent:
    """The name is not bound on this path."""

    def __repr__(self) -> str:
        return "<absent>"


ABSENT = Absent()


def flatten(state: State) -> dict[Slot, Any]:
    """Every leaf of the state by its slot."""
    found: dict[Slot, Any] = {}
    for key, value in state.env.items():
        _leaves(("env", *key), value, found)
    for box, content in state.heap.items():
        if isinstance(content, list):
            for k, item in enumerate(content):
                _leaves(("heap", box, k), item, found)
        elif isinstance(content, dict):
            for k, item in content.items():
                _leaves(("heap", box, k), item, found)
        else:
            found[("heap", box)] = content
    return found


def _leaves(slot: Slot, value: Any, found: dict[Slot, Any]) -> None:
    parts = parts_of(value)
    if parts is None:
        found[slot] = value
    else:
        for k, part in enumerate(parts):
            _leaves((*slot, k), part, found)


def changed(start: State, end: State) -> bool:
    """Whether what was there at `start` stands for something else at `end`, or there is more of it."""
    before, after = flatten(start), flatten(end)
    scopes = {*(scope for scope, _ in start.env), *start.heap}
    return {slot for slot in after if slot[1] in scopes} != before.keys() or any(
        after[slot] is not v and after[slot] != v for slot, v in before.items())


def replace(state: State, slot: Slot, leaf: Any) -> None:
    """Put `leaf` into a slot that exists."""
    if slot[0] == "env":
        key = (slot[1], slot[2])
        state.env[key] = _replaced(state.env[key], slot[3:], leaf)
    elif len(slot) == 2:
        state.heap[slot[1]] = leaf
    else:
        content = state.heap[slot[1]]
        content[slot[2]] = _replaced(content[slot[2]], slot[3:], leaf)


def _replaced(value: Any, path: tuple[Any, ...], leaf: Any) -> Any:
    if not path:
        return leaf
    parts = parts_of(value)
    assert parts is not None
    k = path[0]
    return with_parts(value, (*parts[:k], _replaced(parts[k], path[1:], leaf), *parts[k + 1:]))


def is_flag(name: str) -> bool:
    """Whether a name of the state is a control flag, which is False where it was never set."""
    return name.startswith("#") and name != RETURN and not name.startswith("#value")


def slot_hint(slot: Slot) -> str:
    """The name that a slot's value would like to have."""
    name = str(slot[2]) if slot[0] == "env" else slot[1].hint
    return "" if name.startswith("#") else name


def cast_to(b: Builder, block: Block, v: Value, type: Type) -> Value:
    """`v` with the dtype of `type`, converted at the end of `block`.

    A Python float among float64 numbers stays what it is, as it does in Python.
    """
    if isinstance(v.type, Undefined):
        with b.at(block):
            return b.undefined(type)
    if isinstance(type, Scalar | Array) and isinstance(v.type, Scalar | Array) and v.type.dtype != type.dtype:
        with b.at(block):
            return b.cast(v, Scalar(type.dtype, type.weak))
    return v


class Joiner:
    """Joins two states into results of an `if` that is being built."""

    def __init__(self, ctx: Context, cond: Value, then: Block, orelse: Block) -> None:
        self.ctx, self.cond = ctx, cond
        self.then, self.orelse = then, orelse
        self.rows: dict[tuple[Any, Any], Value] = {}
        # Containers that stand for one of two: these, what is in them, and which two they are.
        self.frozen: list[Box] = []
        self.extra: dict[Box, Any] = {}
        self.sources: dict[Box, tuple[Box, Box]] = {}

    def join(self, x: Any, y: Any, hint: str) -> Any:
        """What stands for `x` where the condition holds and for `y` where it does not."""
        if x is y:
            return x
        if _flag(x) and _flag(y):
            return self._join_flags(x, y)
        if isinstance(x, Value | Absent) and isinstance(y, Value | Absent):
            return self._join_values(x, y, hint)
        if same_parts(x, y):
            px, py = parts_of(x), parts_of(y)
            assert px is not None and py is not None
            return with_parts(x, tuple(self.join(a, b, hint) for a, b in zip(px, py, strict=True)))
        if x is ABSENT or y is ABSENT:
            present = y if x is ABSENT else x
            parts = parts_of(present)
            if parts is None:
                return present
            return with_parts(present, tuple(
                self.join(ABSENT, p, hint) if x is ABSENT else self.join(p, ABSENT, hint) for p in parts))
        if type(x) is type(y) and not isinstance(x, Box | Conflict) and x == y:
            return x
        if isinstance(x, Box) and isinstance(y, Box):
            return self._join_boxes(x, y, hint)
        why = f"{_described(x)} on one path and {_described(y)} on the other"
        partly = any(isinstance(v, Conflict) and v.partly for v in (x, y))
        for v in (x, y):
            if isinstance(v, Conflict) and v.condition is None:
                return Conflict(v.why, self.cond, partly=partly)
        if isinstance(x, Static) and x.value is None and isinstance(y, Value):
            return Conflict(why, self.cond, self._join_values(ABSENT, y, hint), True)
        if isinstance(y, Static) and y.value is None and isinstance(x, Value):
            return Conflict(why, self.cond, self._join_values(x, ABSENT, hint), False)
        return Conflict(why, self.cond, partly=partly)

    def _join_flags(self, x: Static | Value, y: Static | Value) -> Any:
        if isinstance(x, Static) and isinstance(y, Static):
            if x.value == y.value:
                return x
            b = self.ctx.b
            return self.cond if x.value else b.one("not", {"x": self.cond})
        return self._join_values(self._as_value(x, self.then), self._as_value(y, self.orelse), "")

    def _as_value(self, flag: Static | Value, block: Block) -> Value:
        if isinstance(flag, Value):
            return flag
        with self.ctx.b.at(block):
            return self.ctx.b.const(bool(flag.value), BOOL)

    def _join_values(self, x: Any, y: Any, hint: str) -> Any:
        if (x, y) in self.rows:
            return self.rows[x, y]
        tx = Undefined() if x is ABSENT else x.type
        ty = Undefined() if y is ABSENT else y.type
        type = unify(tx, ty)
        if type is None or isinstance(type, Undefined):
            return Conflict(f"{_described(x)} on one path and {_described(y)} on the other", self.cond)
        self.rows[x, y] = one_of(self.ctx, Value(type, hint), x, y)
        return self.rows[x, y]

    def _join_boxes(self, x: Box, y: Box, hint: str) -> Any:
        state_x, state_y = self.states
        cx, cy = state_x.heap.get(x), state_y.heap.get(y)
        if x.kind != y.kind or x.cls is not y.cls:
            return Conflict("different containers", self.cond)
        joined = self._join_contents(cx, cy, x, hint)
        if isinstance(joined, Conflict):
            return joined
        box = Box(x.kind, x.cls, hint, self.ctx.depth)
        # Which of the two it is, is not known: a change to it could not be seen through the other name.
        self.frozen.append(box)
        self.extra[box] = joined
        self.sources[box] = (x, y)
        return box

    def _join_contents(self, cx: Any, cy: Any, box: Box, hint: str) -> Any:
        if isinstance(cx, list) and isinstance(cy, list) and len(cx) == len(cy):
            return [self.join(a, b, hint) for a, b in zip(cx, cy, strict=True)]
        if isinstance(cx, dict) and isinstance(cy, dict) and (box.kind == "object" or cx.keys() == cy.keys()):
            return {k: self._join_items(cx, cy, k, box, hint) for k in [*cx, *(k for k in cy if k not in cx)]}
        if isinstance(cx, Value) and isinstance(cy, Value):
            return self.join(cx, cy, hint)
        return Conflict("a container of another length, or with other keys, on each path", self.cond)

    def _join_items(self, cx: dict[Any, Any], cy: dict[Any, Any], k: Any, box: Box, hint: str) -> Any:
        if k in cx and k in cy:
            return self.join(cx[k], cy[k], hint)
        places = [(("attr", id(base)), k) for base in type.mro(box.cls or object)]  # where the program may store it
        stored = any(place in state.env for state in self.states for place in places)
        first = None if stored else inherited(self.ctx, box.cls, k)
        if first is None:
            return Conflict(f"the attribute {k!r}, which is set on one path only", self.cond, partly=True)
        return self.join(cx.get(k, first), cy.get(k, first), hint)

    def states_joined(self, a: State, b: State) -> State:
        """The state after the `if`."""
        self.states = (a, b)
        out = State(unsure=a.unsure | b.unsure, skipped=a.skipped | b.skipped)
        out.lost = {k: a.lost.get(k, frozenset()) | b.lost.get(k, frozenset()) for k in [*a.lost, *b.lost]}
        gone = (_has_left(a), _has_left(b))
        for key in [*a.env, *(k for k in b.env if k not in a.env)]:
            x, y = a.env.get(key, ABSENT), b.env.get(key, ABSENT)
            name = key[1]
            if is_flag(name):
                x = Static(False) if x is ABSENT else x
                y = Static(False) if y is ABSENT else y
            elif x is ABSENT or y is ABSENT:
                first = initial(self.ctx, key)
                x, y = (first if v is ABSENT and first is not None else v for v in (x, y))
                if x is ABSENT or y is ABSENT:
                    (out.skipped if gone[y is ABSENT] else out.unsure).add(key)
            out.env[key] = self.join(x, y, "" if name.startswith("#") else name)
        for box in [*a.heap, *(k for k in b.heap if k not in a.heap)]:
            out.heap[box] = self._box_content(box, a, b)
        out.heap.update(self.extra)
        for box in self.frozen:
            self.ctx.frozen.add(box)
            self.ctx.one_of[box] = {x: copy_content(out.heap[x]) for x in self.sources[box]}
        return out

    def _grow(self, box: Box, x: Any, y: Any) -> None:
        """A list of numbers that is longer on one path than on the other is one that grows at run time."""
        if not (box.site and isinstance(x, list) and isinstance(y, list) and len(x) != len(y)):
            return
        element: Type | None = Undefined()
        for v in (*x, *y):
            element = unify(element, v.type) if element is not None and isinstance(v, Value) else None
        if element is not None and not isinstance(element, Undefined):
            raise GrowList(box.site, element)

    def _box_content(self, box: Box, a: State, b: State) -> Any:
        for state in (a, b):
            self.ctx.bring(state, box)
        in_a, in_b = box in a.heap, box in b.heap
        if in_a and in_b:
            self._grow(box, a.heap[box], b.heap[box])
            return self._join_contents(a.heap[box], b.heap[box], box, box.hint)
        content = a.heap[box] if in_a else b.heap[box]

        def one(v: Any) -> Any:
            return self.join(v, ABSENT, box.hint) if in_a else self.join(ABSENT, v, box.hint)

        if isinstance(content, list):
            return [one(v) for v in content]
        if isinstance(content, dict):
            return {k: one(v) for k, v in content.items()}
        return one(content) if isinstance(content, Value) else content

    def finish(self) -> None:
        """Append the `if` with its results."""
        b = self.ctx.b
        types, hints = [], []
        for (x, y), result in self.rows.items():
            for v, block in ((x, self.then), (y, self.orelse)):
                if v is ABSENT:
                    with b.at(block):
                        v = b.undefined(result.type)
                block.results.append(cast_to(b, block, v, result.type))
            types.append(result.type)
            hints.append(result.hint)
        op = b.region("if", {"cond": self.cond}, [self.then, self.orelse], types, hints=hints)
        op.results = list(self.rows.values())
        for r in op.results:
            r.op = op


def initial(ctx: Context, key: tuple[Any, str]) -> Lowered | None:
    """What an attribute or global from outside, which the program stores to, held when the call began."""
    return ctx.initial[key]() if key in ctx.initial else None


def _has_left(state: State) -> bool:
    """Whether control has left the sequence of statements at whose end this is the state."""
    return any(v == Static(True) and is_flag(name) for (_, name), v in state.env.items())


def _flag(x: Any) -> bool:
    return (isinstance(x, Static) and isinstance(x.value, bool)) or (
        isinstance(x, Value) and x.type == BOOL)


def _described(x: Lowered | Absent) -> str:
    return "not bound" if isinstance(x, Absent) else describe(x)


def always_raises(block: Block) -> bool:
    """Whether control never comes to the end of a block."""
    return any(op.name == "raise" or (op.name == "if" and all(map(always_raises, op.blocks))) for op in block.ops)


def _unreached(stays: State, raises: State) -> State:
    """What a branch that raises says of what follows it: nothing. All is as in the other branch."""
    known, state = flatten(raises), stays.copy()
    for slot, leaf in flatten(stays).items():
        if isinstance(leaf, Value) and known.get(slot) is not leaf:
            replace(state, slot, ABSENT)
    return state


def merge(ctx: Context, cond: Value, then: tuple[State, Block], orelse: tuple[State, Block]) -> None:
    """Append the `if` over two lowered branches and make its state the current one."""
    joiner = Joiner(ctx, cond, then[1], orelse[1])
    ends = always_raises(then[1]), always_raises(orelse[1])
    if ends == (True, False):
        then = (_unreached(orelse[0], then[0]), then[1])
    elif ends == (False, True):
        orelse = (_unreached(then[0], orelse[0]), orelse[1])
    state = joiner.states_joined(then[0], orelse[0])
    if joiner.rows or then[1].ops or orelse[1].ops:
        joiner.finish()
    ctx.state = state


def widen(param: Type, after: Type, fresh: set[str], steps: dict[Any, Dim]) -> Type | None:
    """The type of a carried value that starts as `param` and is `after` at the end of the body.

    fresh: symbols of axes already known to vary from one iteration to the next. steps: what sizes become in an
    iteration; those that begin and go on alike stay one symbol.
    """
    if isinstance(param, Scalar) and param == after:
        return Scalar(param.dtype, param.weak)
    if isinstance(param, Array) and isinstance(after, Array) and param.dtype == after.dtype \
            and param.ndim == after.ndim:
        joined = unify(param, after)
        assert isinstance(joined, Array)
        layout = param.layout if param.layout == after.layout else "A"
        return Array(param.dtype, tuple(_varying(x, y, z, fresh, steps) for x, y, z in zip(
            param.dims, after.dims, joined.dims, strict=True)), layout)
    return unify(param, after)


def _varying(before: Dim, after: Dim, joined: Dim, fresh: set[str], steps: dict[Any, Dim]) -> Dim:
    """The size of an axis that is `before` at first, and `after` an iteration: `joined` where it is not known yet."""
    if before.symbol in fresh:
        if steps.setdefault(before.symbol, after) == after:
            return before
    elif before == after:
        return before
    if (before, after) not in steps:
        made = steps[before, after] = joined if before != after else fresh_dim(not_one=before.is_one is False)
        assert made.symbol is not None
        fresh.add(made.symbol)
    return steps[before, after]
