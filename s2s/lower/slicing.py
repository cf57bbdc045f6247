"""Which statements of a block have to be lowered: those that what is asked for may depend on.

    y = x * x
    log.append(y)          left out
    print(f"{y:.3f}")      left out
    z = y * y              z is the target

By names alone: a statement matters if it binds a name that matters, or may change what such a name stands for.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import gast

_TAPE = frozenset({"watch", "reset"})
# Methods of containers that keep what they are given, and change only whose they are.
_KEEPING = frozenset({"append", "extend", "add", "insert", "update", "setdefault"})
_PURE = frozenset(n for n in vars(builtins) if n not in ("setattr", "delattr", "exec", "eval", "next", "map", "filter"))


def needed(statements: Sequence[Any], names: Iterable[str]) -> list[Any]:
    """The statements that `names` may depend on, in order; tapes are told everything that concerns them."""
    wanted = set(names)
    kept: list[Any] = []
    for s in reversed(statements):
        if _concerns_tape(s) or not wanted.isdisjoint(changed(s)):
            kept.append(s)
            wanted.update(n.id for n in gast.walk(s) if isinstance(n, gast.Name))
    return kept[::-1]


def _concerns_tape(s: Any) -> bool:
    """Whether a statement may tell a tape something, or leaves the block."""
    return any((isinstance(n, gast.Attribute) and n.attr in _TAPE)
               or isinstance(n, gast.Return | gast.Break | gast.Continue | gast.Global | gast.Nonlocal)
               for n in gast.walk(s))


def changed(s: Any) -> Iterator[str]:
    """Names that a statement binds, or whose objects it may change."""
    for n in gast.walk(s):
        if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store | gast.Del):
            yield n.id
        elif isinstance(n, gast.FunctionDef | gast.ClassDef):
            yield n.name
        elif isinstance(n, gast.Import | gast.ImportFrom):
            yield from ((a.asname or a.name).split(".")[0] for a in n.names)
        elif isinstance(n, gast.Attribute | gast.Subscript) and isinstance(n.ctx, gast.Store | gast.Del):
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
    if isinstance(call.func, gast.Attribute):
        yield from _root(call.func)
        if call.func.attr in _KEEPING:
            return
    for a in (*call.args, *(k.value for k in call.keywords)):
        yield from (n.id for n in gast.walk(a) if isinstance(n, gast.Name))
