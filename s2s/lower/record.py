"""Blocks that ran already, lowered to be run once more for their derivative: `GradientTape` outside of a program.

The block is a program whose inputs are what its names stood for when it was entered. It is not run twice where
that shows: prints, appends and assignments are left out; generators draw from a copy in the state they had; and what
no second call would give (a file read, the time, the next of an iterator) is taken from the names of the run.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

import gast
import numpy as np

from s2s.errors import NoRuleError, S2SError, located
from s2s.ir.core import Block, Op, Value, walk
from s2s.ir.ops import SPECS
from s2s.ir.types import Opaque, is_inexact
from s2s.lower.binding import MISSING
from s2s.lower.context import RETURN, Context, Frame, RunBlock
from s2s.lower.indexing import get_item
from s2s.lower.names import assigned_names
from s2s.lower.nests import leaves_of
from s2s.lower.outside import outside
from s2s.lower.scope import lookup, set_name
from s2s.lower.slicing import changed
from s2s.lower.tapes import Record, apart, begin, end, is_tape, outside_tape
from s2s.lower.values import Box, Lowered, Static, Tuple
from s2s.source.blocks import BlockSource
from s2s.variable import Variable


@dataclass(eq=False)
class Segment:
    """A block that ran, or the part of it that has run.

    source: what has the file's lines (see `s2s.source.blocks`). statements: those that ran. local: names that are
    local to the function around it. entry, exit, reach: as in `RunBlock`. target: what stands after `as`.
    class_of: the class that the function is a method of. owns: whether code is that of a function in the same function.
    """

    source: Any
    statements: list[Any]
    local: frozenset[str]
    namespace: dict[str, Any]
    entry: Callable[[str], Any]
    exit: Callable[[str], Any]
    reach: Callable[[gast.AST], Iterable[Any]]
    names: Sequence[str]
    target: Any = None
    class_of: type | None = None
    owns: Callable[[CodeType], bool] = lambda code: False
    frame: Frame | None = field(default=None, init=False)


def lower_segments(ctx: Context, tape: Any, segments: Sequence[Segment]) -> Box:
    """Lower what ran in the blocks of `tape`, in order; the tape of the program is returned."""
    box = outside_tape(ctx, tape)
    for k, segment in enumerate(segments):
        function = SimpleNamespace(__globals__=segment.namespace)
        source = replace(segment.source, function=function)
        block = RunBlock(k, segment.entry, segment.exit, segment.reach, segment.owns, ctx.b.block)
        frame = Frame(source, segment.local, class_of=segment.class_of, block=block)
        segment.frame = ctx.frame = frame
        ctx.run_frames.append(frame)
        if isinstance(segment.target, gast.Name):
            set_name(ctx, segment.target.id, box)
        elif isinstance(segment.target, gast.Subscript):
            _refuse_use(ctx, segment)
        begin(ctx, None, box)
        with apart(ctx):
            ctx.block(segment.statements)
        held = ctx.state.heap[box]["record"]
        assert isinstance(held, Static) and isinstance(held.value, Record)
        _find_parts(ctx, segment)
        if held.value.recording:
            end(ctx, None, box)
        for _, v, x in list(computed(ctx, segment)):
            _links(ctx, v, x, ctx.links)
        for r in ctx.binding.reads:
            if isinstance(r.value, np.ndarray) and r.leaf is not None and id(r.value) not in ctx.links:
                ctx.links[id(r.value)] = outside(ctx, r)
    _leave_out(ctx.b.block)
    return box


def _refuse_use(ctx: Context, segment: Segment) -> None:
    """Of a container from outside it is known what was in it before the tape was put there."""
    def parts_of(n: gast.Subscript) -> tuple[str, str]:
        return gast.dump(n.value), gast.dump(n.slice)

    for statement in segment.statements:
        for n in gast.walk(statement):
            if isinstance(n, gast.Subscript) and parts_of(n) == parts_of(segment.target):
                raise ctx.error(n, "a tape that was put into a container is read in its own block",
                                "of a container from outside, it is known what it held when the block was entered",
                                "give the tape a name, `with GradientTape() as tape:`, and use that in the block")


def computed(ctx: Context, segment: Segment) -> Iterator[tuple[str, Any, Lowered]]:
    """Name, object and meaning in the program of what the names of a segment stand for at its end."""
    for (scope, name), x in ctx.state.env.items():
        mine = scope is segment.frame or scope == ("global", id(segment.namespace))
        if mine and not name.startswith("#"):
            v = segment.exit(name)
            if v is not MISSING:
                yield name, v, x


def parts(ctx: Context, v: Any, x: Lowered) -> Iterator[tuple[tuple[str, Any], Any, Lowered]]:
    """Step, object and meaning of the parts of an object `v` that is `x` in the program."""
    content = ctx.state.heap.get(x) if isinstance(x, Box) else None
    if isinstance(x, Tuple) and isinstance(v, tuple | list) and len(v) == len(x.items):
        yield from ((("item", k), v[k], item) for k, item in enumerate(x.items))
    elif isinstance(content, list) and isinstance(v, list | tuple) and len(v) == len(content):
        yield from ((("item", k), v[k], item) for k, item in enumerate(content))
    elif isinstance(content, dict) and isinstance(v, dict):
        yield from ((("item", k), v[k], item) for k, item in content.items() if k in v)
    elif isinstance(content, dict) and isinstance(x, Box) and x.kind == "object":
        held = getattr(v, "__dict__", {})
        yield from ((("attr", k), held[k], item) for k, item in content.items() if k in held)


def _find_parts(ctx: Context, segment: Segment) -> None:
    """Elements of lists that grow in a loop are read while the tape records, where they are asked for."""
    for _, v, x in list(computed(ctx, segment)):
        grown = ctx.state.heap.get(x) if isinstance(x, Box) else x
        if isinstance(v, list) and isinstance(grown, Value):
            for k, part in enumerate(v):
                if id(part) in ctx.wanted and id(part) not in ctx.parts:
                    element = get_item(ctx, segment.source.node, grown, ctx.b.int(k))
                    assert isinstance(element, Value)
                    ctx.parts[id(part)] = element


def _links(ctx: Context, v: Any, x: Lowered, found: dict[int, Lowered]) -> None:
    """What the program computes for an object and its parts."""
    if isinstance(x, Value | Box | Tuple) and not isinstance(v, int | str | None):
        found[id(v)] = x
        for _, part, meaning in parts(ctx, v, x):
            _links(ctx, part, meaning, found)


def returned(ctx: Context, segment: Segment) -> Lowered | None:
    """What a `return` in a segment gives."""
    return ctx.state.env.get((segment.frame, RETURN))


def _leave_out(block: Block) -> None:
    """Take out what is not to happen a second time."""
    kept = []
    for op in block.ops:
        for inner in op.blocks:
            _leave_out(inner)
        if op.name in ("print", "assert", "raise"):
            continue
        if op.name == "pycall" and not op.attrs.get("again"):
            if not op.results and "from_run" not in op.attrs:
                continue
            # Dropped where nothing needs it; else an error (see `unreplayable`).
            op.spec = replace(op.spec, effect=False)
        kept.append(op)
    block.ops = kept


def unreplayable(block: Block) -> Op | None:
    """A call whose result the program needs, and that cannot be made again."""
    return next((op for op in walk(block) if op.name == "pycall" and not op.spec.effect), None)


def from_run(ctx: Context, node: gast.AST, target: gast.AST, new: Lowered) -> bool:
    """Bind the names of `target` to what they stood for in the run, where the value `new` cannot be had again.

    False where it can, or where the names need not hold it any more.
    """
    block = ctx.frame.block if ctx.frame is not None else None
    if block is None or ctx.b.block is not block.top or ctx.loops:
        return False
    call = new.op if isinstance(new, Value) else None
    if call is None or call.name != "pycall" or (call.attrs.get("again") and _makes_generator(call)):
        return False
    names = _names(target)
    if names is None or not _hold_still(ctx, node, names):
        return False
    name = call.attrs.get("name") or "a call"
    error = located(NoRuleError, call.loc, f"{name}() is given a value that is differentiated",
                    f"there is no derivative rule for {name}, and s2s cannot look into it",
                    "give it a derivative with s2s.custom_gradient, or pass it s2s.stop_gradient(...)")
    call.attrs["from_run"] = error
    _bind(ctx, block, node, names, error)
    return True


def statement_from_run(ctx: Context, node: gast.AST, error: S2SError) -> bool:
    """Bind the names that a statement binds to what they stood for in the run; it cannot be lowered (`error`)."""
    block = ctx.frame.block
    assert block is not None
    names = sorted(assigned_names(node))
    if any(is_tape(x) for n in gast.walk(node) if isinstance(n, gast.Name)
           for x in (lookup(ctx, ctx.frame, n.id),) if x is not None):
        return False
    leaves = isinstance(node, gast.FunctionDef | gast.ClassDef) or any(
        isinstance(n, gast.Return | gast.Break | gast.Continue | gast.Yield | gast.YieldFrom) for n in gast.walk(node))
    if not names or leaves or not _hold_still(ctx, node, names):
        return False
    if any(_can_change(block.exit(name)) for name in set(changed(node)) - set(names)) or _reads_changed(ctx, node):
        return False
    given = []
    for n in gast.walk(node):
        if isinstance(n, gast.Name) and n.id not in names:
            x = lookup(ctx, ctx.frame, n.id)
            given += [] if x is None else [v for v in leaves_of(ctx, x) if is_inexact(v.type)]
    op = Op(replace(SPECS["pycall"], effect=False), {"args": tuple(given)},
            {"text": "None", "types": [], "name": "", "from_run": error}, loc=ctx.loc(node))
    ctx.b.block.ops.append(op)
    _bind(ctx, block, node, names, error)
    return True


def _bind(ctx: Context, block: RunBlock, node: gast.AST, names: Sequence[str], error: S2SError) -> None:
    for name in names:
        read = ctx.binding.root(("run", name, block.number), block.exit(name))
        ctx.state.env[_scope(ctx, name), name] = outside(ctx, read)
    ctx.lost.update((id(v), error) for v in block.reach(node) if isinstance(v, np.ndarray | Variable))


def _reads_changed(ctx: Context, node: gast.AST) -> bool:
    """Whether a statement can reach an object that the block may have changed before it: the program knows better."""
    block = ctx.frame.block
    assert block is not None and isinstance(ctx.frame.source, BlockSource)
    before = []
    for statement in ctx.frame.source.body:
        if statement is node:
            break
        before.append(statement)
    reached = {id(v): v for v in block.reach(node) if _can_change(v)}
    for statement in before:
        names = set(changed(statement)) - assigned_names(statement)
        roots = [gast.Name(name, gast.Load(), None, None) for name in names if _can_change(block.exit(name))]
        if any(id(v) in reached for root in roots for v in block.reach(root)):
            return True
    return False


def _hold_still(ctx: Context, node: gast.AST, names: Sequence[str]) -> bool:
    """Whether names stand at the end of the block for what the statement `node` bound them to."""
    block = ctx.frame.block
    assert block is not None
    return all(block.exit(name) is not MISSING and (name, block.number) not in ctx.avoided
               and not _bound_later(ctx, node, name) for name in names)


def _can_change(v: Any) -> bool:
    """Whether an object may hold numbers, and can be changed by being passed to a function."""
    if isinstance(v, tuple):
        return any(map(_can_change, v))
    if isinstance(v, np.ndarray | Variable | list | dict | set | deque):
        return True
    # Files, paths, iterators and the like hold no numbers of the program.
    fixed = (FunctionType, BuiltinFunctionType, ModuleType, type, np.ufunc, np.generic)
    of_library = type(v).__module__.partition(".")[0] in sys.stdlib_module_names
    return v is not MISSING and not isinstance(v, fixed) and not of_library and not hasattr(v, "__next__")


def _makes_generator(call: Op) -> bool:
    t = call.results[0].type
    return isinstance(t, Opaque) and t.what in ("default_rng", "RandomState")


def _scope(ctx: Context, name: str) -> Any:
    if name in ctx.frame.local_names:
        return ctx.frame
    return ("global", id(ctx.frame.source.function.__globals__))


def _names(target: gast.AST) -> list[str] | None:
    """The names of a target that consists of names."""
    if isinstance(target, gast.Name):
        return [target.id]
    if isinstance(target, gast.Tuple | gast.List):
        parts = [_names(t.value if isinstance(t, gast.Starred) else t) for t in target.elts]
        if all(p is not None for p in parts):
            return [name for p in parts for name in p or ()]
    return None


def _bound_later(ctx: Context, node: gast.AST, name: str) -> bool:
    """Whether the block binds a name again after the statement `node`, or changes what it stands for."""
    seen = False
    assert isinstance(ctx.frame.source, BlockSource)
    for statement in ctx.frame.source.body:
        if seen and changes(statement, name):
            return True
        seen = seen or statement is node
    return False


_ASSIGNING = ("assign", "assign_add", "assign_sub")


def changes(statement: gast.AST, name: str) -> bool:
    """Whether a statement binds a name, or writes into what it stands for."""
    for n in gast.walk(statement):
        if isinstance(n, gast.Attribute) and n.attr in _ASSIGNING and getattr(n.value, "id", None) == name:
            return True
        if isinstance(n, gast.Name) and n.id == name and isinstance(n.ctx, gast.Store | gast.Del):
            return True
        if isinstance(n, gast.AugAssign | gast.Assign):
            for t in n.targets if isinstance(n, gast.Assign) else [n.target]:
                while isinstance(t, gast.Subscript | gast.Attribute):
                    t = t.value
                    if isinstance(t, gast.Name) and t.id == name:
                        return True
    return False


__all__ = ["Segment", "changes", "computed", "from_run", "lower_segments", "parts", "returned", "unreplayable"]
