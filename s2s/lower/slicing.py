"""Which statements of a block have to be lowered: those that what is asked for may depend on.

    y = x * x
    log.append(y)          left out
    print(f"{y:.3f}")      left out
    z = y * y              z is the target

By names alone: a statement matters if it binds a name that matters, or may change what such a name stands for; and
names that may stand for one object, or for parts of it, count as one.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import gast

from s2s.lower.names import assigned_names

_TAPE = frozenset({"watch", "reset"})
_ASKING = frozenset({"gradient", "jacobian", "batch_jacobian", "watched_variables"})
# Methods of containers that keep what they are given, and change only whose they are.
_KEEPING = frozenset({"append", "extend", "add", "insert", "update", "setdefault"})
_PURE = frozenset(n for n in vars(builtins) if n not in ("setattr", "delattr", "exec", "eval", "next", "map", "filter"))


def needed(statements: Sequence[Any], names: Iterable[str], fixed: frozenset[str] = frozenset()) -> list[Any]:
    """The statements that `names` may depend on, in order; tapes are told everything that concerns them.

    fixed: names that stand for what no call changes: functions, modules, classes, numbers, text.
    """
    same = _Aliases(statements, fixed)
    wanted = {same.of(name) for name in names}
    bound = set(names)
    kept: list[Any] = []
    for s in reversed(statements):
        binds, changes = assigned_names(s), set(_mutated(s)) - fixed
        if _concerns_tape(s) or not bound.isdisjoint(binds) or any(same.of(n) in wanted for n in changes):
            kept.append(s)
            read = {n.id for n in gast.walk(s) if isinstance(n, gast.Name)}
            bound |= read
            wanted |= {same.of(n) for n in read}
    return kept[::-1]


class _Aliases:
    """Names that may stand for one object, or one for a part of the other, under one name."""

    def __init__(self, statements: Sequence[Any], fixed: frozenset[str]) -> None:
        self._parent: dict[str, str] = {}
        self._fixed = fixed
        for n in (n for s in statements for n in gast.walk(s)):
            if isinstance(n, gast.Assign | gast.AnnAssign | gast.NamedExpr | gast.AugAssign):
                targets = n.targets if isinstance(n, gast.Assign) else [n.target]
                self._join(targets, n.value)
            elif isinstance(n, gast.For | gast.comprehension):
                self._join([n.target], n.iter)
            elif isinstance(n, gast.With):
                for item in n.items:
                    self._join([item.optional_vars], item.context_expr)

    def of(self, name: str) -> str:
        while name in self._parent:
            name = self._parent[name]
        return name

    def _join(self, targets: Sequence[Any], value: Any) -> None:
        names = [n.id for t in targets if t is not None for n in gast.walk(t) if isinstance(n, gast.Name)]
        for name in (*names, *_shared(value)):
            if name in self._fixed:
                continue
            first, other = self.of(names[0]) if names else self.of(name), self.of(name)
            if first != other:
                self._parent[other] = first


def _shared(value: Any) -> Iterator[str]:
    """Names of which an expression may give the object, or a part of it; what is computed is new."""
    if isinstance(value, gast.Name):
        yield value.id
    elif isinstance(value, gast.Attribute | gast.Subscript | gast.Starred):
        yield from _shared(value.value)
    elif isinstance(value, gast.Call):
        if not (isinstance(value.func, gast.Name) and value.func.id in _PURE) and not _asks_tape(value):
            yield from _shared(value.func)
            for a in (*value.args, *(k.value for k in value.keywords)):
                yield from _shared(a)
    elif isinstance(value, gast.List | gast.Tuple | gast.Set | gast.Dict | gast.IfExp | gast.BoolOp | gast.NamedExpr
                    | gast.ListComp | gast.GeneratorExp | gast.SetComp | gast.DictComp):
        for part in gast.iter_child_nodes(value):
            yield from _shared(part)
    elif isinstance(value, gast.comprehension):
        yield from _shared(value.iter)


def _asks_tape(call: Any) -> bool:
    """Whether a call asks a tape for something, which changes nothing."""
    return isinstance(call.func, gast.Attribute) and call.func.attr in _ASKING


def _concerns_tape(s: Any) -> bool:
    """Whether a statement may tell a tape something, or leaves the block."""
    return any((isinstance(n, gast.Attribute) and n.attr in _TAPE)
               or isinstance(n, gast.Return | gast.Break | gast.Continue | gast.Global | gast.Nonlocal)
               for n in gast.walk(s))


def changed(s: Any) -> Iterator[str]:
    """Names that a statement binds, or whose objects it may change."""
    yield from assigned_names(s)
    yield from _mutated(s)


def _mutated(s: Any) -> Iterator[str]:
    """Names whose objects a statement may change."""
    for n in gast.walk(s):
        if isinstance(n, gast.Attribute | gast.Subscript) and isinstance(n.ctx, gast.Store | gast.Del):
            yield from _root(n)
        elif isinstance(n, gast.AugAssign):
            yield from _root(n.target)
        elif isinstance(n, gast.Call):
            yield from _given(n)


def _root(n: Any) -> Iterator[str]:
    while isinstance(n, gast.Attribute | gast.Subscript):
        n = n.value
    if isinstance(n, gast.Name):
        yield n.id


def _given(call: Any) -> Iterator[str]:
    """Names whose objects a call may change: what it is given, and whose method it is."""
    if isinstance(call.func, gast.Name) and call.func.id in _PURE:
        return
    if _asks_tape(call):
        return
    yield from _root(call.func)
    if isinstance(call.func, gast.Attribute) and call.func.attr in _KEEPING:
        return
    for a in (*call.args, *(k.value for k in call.keywords)):
        yield from (n.id for n in gast.walk(a) if isinstance(n, gast.Name))
