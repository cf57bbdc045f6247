"""Which value of the program an object is that `gradient` is given: a source or a target.

In this order: a Variable by identity; the expression at the call, where the call is in the function of the block;
an object that a name of the block stood for at its end, or a part of one; an object that the block read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import gast
import numpy as np

from s2s.errors import ReplayError, S2SError, UnsupportedSyntaxError, located
from s2s.ir.core import Value
from s2s.lower.binding import MISSING, fetch
from s2s.lower.context import Context
from s2s.lower.nests import leaves_of
from s2s.lower.record import Segment, computed, parts, returned
from s2s.lower.scope import lookup
from s2s.lower.values import Conflict, Lowered
from s2s.variable import Variable


@dataclass(frozen=True)
class Found:
    """Where an object was found, so that the next call can look whether it still is there.

    kind: "read" (the `key`-th read), "name" (a name at the end of the segment `number`, then `steps`), "trust" (by
    its expression: the value is compared), or "none".
    """

    kind: str
    key: Any = None
    number: int = 0
    steps: tuple[tuple[str, Any], ...] = ()


NOTHING = Found("none")
_NUMBERS = (float, complex, np.generic)


class Ambiguous(Exception):
    """A number that is the same object as another one."""


class Resolver:
    """Looks objects up in a lowered program."""

    def __init__(self, ctx: Context, segments: Sequence[Segment]) -> None:
        self.ctx = ctx
        self.segments = segments
        self.names: list[tuple[int, str]] = []
        self.objects: list[tuple[Any, Value]] = []
        self.at_end: dict[int, list[tuple[Found, Value]]] = {}
        for (scope, name), x in list(ctx.state.env.items()):
            if isinstance(scope, tuple) and scope[0] == "attr" and scope[1] in ctx.objects:
                v = getattr(ctx.objects[scope[1]][0].value, "__dict__", {}).get(name, MISSING)
                self._collect(v, x, Found("trust"))
        for k, segment in enumerate(segments):
            for name, v, x in list(computed(ctx, segment)):
                self._collect(v, x, Found("name", name, k))
                self.names.append((k, name))

    def _collect(self, v: Any, x: Lowered | None, found: Found) -> None:
        x = _met(x)
        if isinstance(x, Value):
            self.objects.append((v, x))
            self.at_end.setdefault(id(v), []).append((found, x))
            return
        if len(found.steps) < 4:
            for step, part, meaning in () if x is None else parts(self.ctx, v, x):
                deeper = found if found.kind == "trust" else replace(found, steps=(*found.steps, step))
                self._collect(part, meaning, deeper)

    def find(self, obj: Any, expression: Any, *, target: bool) -> list[tuple[Found, Value]]:
        """Every value of the program that `obj` is; none where it has nothing to do with the program.

        expression: the node that stands for it at the call, if that is in the function of the block.
        """
        if id(obj) in self.ctx.lost and not target:
            raise self.ctx.lost[id(obj)]
        if isinstance(obj, Variable):
            return self._variable(obj)
        named = self._named(obj, expression)
        if named is not None:
            if not target:
                self._refuse_conversion(obj, named[1])
            return [named]
        found = [(Found("read", r.index), r.leaf) for r in self.ctx.binding.reads
                 if r.leaf is not None and r.value is obj and r.leaf not in self.ctx.superseded]
        if not found or isinstance(obj, _NUMBERS):
            found += self.at_end.get(id(obj), ())
        if len(found) > 1 and not isinstance(obj, _NUMBERS):
            # One object, as the block computed it; what else stands for it is what a branch gave.
            found.sort(key=lambda pair: pair[1].op is not None and bool(pair[1].op.blocks))
            found = found[:1]
        if not found and id(obj) in self.ctx.parts:
            found = [(Found("trust"), self.ctx.parts[id(obj)])]
        if not found and target:
            found = self._returned(obj)
            if not found and np.asarray(obj).dtype.kind in "fc":
                self._refuse_unknown(obj)
        if not target:
            for _, x in found:
                self._refuse_conversion(obj, x)
        distinct = {x: f for f, x in reversed(found)}
        if len(distinct) > 1 and isinstance(obj, _NUMBERS):
            raise Ambiguous
        return [(f, x) for x, f in distinct.items()]

    def _refuse_conversion(self, obj: Any, x: Value) -> None:
        """The program does not tell a number from what it was converted to: `float(y)`, `w.value()`."""
        others = [r.value for r in self.ctx.binding.reads if r.leaf is x]
        others += [v for v, y in self.objects if y is x]
        if any(v is not obj for v in others):
            raise located(UnsupportedSyntaxError, self.ctx.loc(self.segments[-1].source.node),
                          f"A source, {obj!r:.40}, is a value of the block under another type.",
                          "The derivative by it and that by the value it was converted from are not told apart.",
                          "Pass what it was converted from: the Variable, array or number itself.")

    def _refuse_unknown(self, obj: Any) -> None:
        """What the block may have computed is not said to depend on nothing because it was not recognised."""
        for segment in self.segments:
            for name in segment.names:
                if holds(segment.exit(name), {id(obj)}) and segment.entry(name) is not obj:
                    raise located(ReplayError, self.ctx.loc(segment.source.node),
                                  f"The target is part of {name!r}, and which value of the block it is is not known.",
                                  "Only names, and elements of containers whose structure is known, are followed.",
                                  "Bind the target to a name in the block.")

    def _variable(self, v: Variable) -> list[tuple[Found, Value]]:
        for r in self.ctx.touched:
            if r.value is v and r.leaf is not None:
                return [(Found("read", r.index), r.leaf)]
        return []

    def _named(self, obj: Any, expression: Any) -> tuple[Found, Value] | None:
        if isinstance(expression, gast.Name):
            for k in reversed(range(len(self.segments))):
                segment = self.segments[k]
                if segment.exit(expression.id) is obj and segment.frame is not None:
                    x = _met(lookup(self.ctx, segment.frame, expression.id))
                    if isinstance(x, Value):
                        return Found("name", expression.id, k), x
            return None
        if not isinstance(expression, gast.Attribute | gast.Subscript):
            return None
        segment = self.segments[-1]
        self.ctx.frame = segment.frame  # type: ignore[assignment]
        if not _is_path(expression):
            return None
        known, before = set(self.ctx.binding.known), len(self.ctx.b.block.ops)
        try:
            x = self.ctx.expr(expression)
        except S2SError:
            return None
        if len(self.ctx.b.block.ops) > before:  # the program does not have it: it would be computed only now
            del self.ctx.b.block.ops[before:]
            return None
        read = next((r for r in self.ctx.binding.reads if r.leaf is not None and r.leaf is x), None)
        if not isinstance(x, Value) or (read is not None and (read.path not in known or read.value is not obj)):
            return None
        return (Found("trust") if read is None else Found("read", read.index)), x

    def _returned(self, obj: Any) -> list[tuple[Found, Value]]:
        """A number that a `return` in the block gave; whether it is this one, its value tells."""
        out = []
        for segment in self.segments:
            x = returned(self.ctx, segment)
            if x is not None:
                out += [(Found("trust"), v) for v in leaves_of(self.ctx, x)
                        if np.ndim(obj) == getattr(v.type, "ndim", -1)]
        return out if len(out) == 1 else []


def _met(x: Lowered | None) -> Lowered | None:
    """What is None on some paths is a number where there is one."""
    return x.value if isinstance(x, Conflict) and x.value is not None else x


def holds(v: Any, wanted: set[int], depth: int = 3) -> bool:
    """Whether an object is one of `wanted`, or has one among its parts."""
    if id(v) in wanted:
        return True
    if depth == 0 or isinstance(v, type | ModuleType):
        return False
    if isinstance(v, dict):
        inner: Any = v.values()
    elif isinstance(v, list | tuple):
        inner = v
    else:
        own = getattr(v, "__dict__", None)
        inner = own.values() if isinstance(own, dict) and not callable(v) else ()
    return any(holds(x, wanted, depth - 1) for x in inner)


def _is_path(n: Any) -> bool:
    """Whether an expression only reads attributes and elements."""
    while isinstance(n, gast.Attribute | gast.Subscript):
        if isinstance(n, gast.Subscript) and not isinstance(n.slice, gast.Constant | gast.Name | gast.UnaryOp):
            return False
        n = n.value
    return isinstance(n, gast.Name)


def still(found: Found, obj: Any, values: Sequence[Any], exits: Sequence[dict[str, Any]],
          computed_names: Sequence[tuple[int, str]]) -> bool:
    """Whether `obj` is where it was found before.

    values: what the program reads; computed_names: what it computes, by number of the block.
    """
    if found.kind == "read":
        return values[found.key] is obj
    if found.kind == "name":
        v = exits[found.number].get(found.key, MISSING)
        for step in found.steps:
            v = MISSING if v is MISSING else fetch(v, step)
        return v is obj
    if found.kind == "trust":
        return True
    return not any(v is obj for v in values) and not any(exits[k].get(name) is obj for k, name in computed_names)


def pair_expressions(obj: Any, node: Any) -> Any:
    """The nodes of the parts of a nest that is written out at the call; `node` itself for one thing."""
    if isinstance(obj, list | tuple) and isinstance(node, gast.List | gast.Tuple) and len(node.elts) == len(obj):
        if any(isinstance(e, gast.Starred) for e in node.elts):
            return None
        return list(node.elts)
    if isinstance(obj, dict) and isinstance(node, gast.Dict) and len(node.keys) == len(obj):
        return list(node.values)
    return None


__all__ = ["NOTHING", "Ambiguous", "Found", "Resolver", "pair_expressions", "still"]
