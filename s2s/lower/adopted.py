"""Lists and dicts from outside whose items the function changes.

The program has a copy of its own, made of what they hold when the call begins, and works on that. What it holds at the
end of the call is written back: once, and after all other effects.
"""

from __future__ import annotations

import ast
import collections

import gast

from s2s.errors import UnsupportedSyntaxError, located
from s2s.lower.context import MOST, Adopted, Context
from s2s.lower.describe import describe
from s2s.lower.effects import Template, emit_effect, text_of
from s2s.lower.outside import opaque, outside
from s2s.lower.truth import usable
from s2s.lower.values import Box, Lowered, Outside, Static

_KINDS: dict[type, str] = {list: "list", dict: "dict", collections.defaultdict: "dict",
                           collections.OrderedDict: "dict", collections.Counter: "dict"}


def can_adopt(ctx: Context, x: Outside) -> bool:
    """Whether the program may have a copy of a container: not in the block of a tape, which ran already."""
    return type(x.value) in _KINDS and len(x.value) <= MOST and not ctx.run_frames and id(x.value) not in ctx.changed


def adopt(ctx: Context, node: gast.AST, x: Outside) -> Box:
    """The program's copy of a container, which stands for it from here on, by whichever path it is reached."""
    known = ctx.linked(x)
    if isinstance(known, Box):
        return known
    if not can_adopt(ctx, x):
        raise located(UnsupportedSyntaxError, ctx.loc(node),
                      f"a store into {describe(x)}, which exists outside the function",
                      "each of its items would be a value of the program" if len(x.value) > MOST else
                      "what it holds then is not known before the function runs",
                      "use an array, or work on a copy and return what is to be differentiated")
    v = x.value
    cls = type(v) if type(v) not in (list, dict) else None
    box = Box(_KINDS[type(v)], cls, "", 0, 0, _default_of(ctx, x))
    steps = range(len(v)) if isinstance(v, list) else v
    parts = [outside(ctx, ctx.binding.read(x.read, "item", k)) for k in steps]
    ctx.adopted[box] = Adopted(x, parts if isinstance(v, list) else dict(zip(v, parts, strict=True)))
    ctx.links[id(v)] = box
    ctx.stores_attributes = True  # which of the containers are one and the same decides what is read
    ctx.bring(ctx.state, box)
    return box


def _default_of(ctx: Context, x: Outside) -> Lowered | None:
    """What makes a missing item of a defaultdict."""
    if not isinstance(x.value, collections.defaultdict) or x.value.default_factory is None:
        return None
    return outside(ctx, ctx.binding.read(x.read, "attr", "default_factory"))


def write_back(ctx: Context) -> None:
    """Let the containers hold what the program's copies of them hold."""
    for box, adopted in ctx.adopted.items():
        x, old = adopted.outside, adopted.first
        ctx.bring(ctx.state, box)
        usable(ctx, None, box)
        new = ctx.whole(box)
        if isinstance(old, list):
            if len(old) != len(new):
                _store(ctx, x, None, box)
                continue
            old, new = dict(enumerate(old)), dict(enumerate(new))
        for key in old:
            if key not in new:
                _store(ctx, x, Static(key), None)
        for key, v in new.items():
            if key not in old or (v is not old[key] and v != old[key]):
                _store(ctx, x, Static(key), v)


def _store(ctx: Context, x: Outside, key: Static | None, new: Lowered | None) -> None:
    """`x[key] = new`, without a key `x[:] = new`, and without `new` `del x[key]`; left in place."""
    template = Template(ctx)
    place = ast.Subscript(template.marker(opaque(ctx, x)),
                          ast.Slice() if key is None else template.of(ctx.statement, key), ast.Store())
    statement: ast.stmt = ast.Delete([place])
    if new is not None:
        statement = ast.Assign([place], template.of(ctx.statement, new))
    emit_effect(ctx, template, text_of(statement), "a store")
