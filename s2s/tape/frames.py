"""What names stand for in a frame, and which of them a block reads."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import CodeType, FrameType
from typing import Any

import gast

from s2s.lower.binding import MISSING

_OPTIMIZED = 1  # CO_OPTIMIZED: the code of a function, whose local names are not in a dictionary
_PROXY = sys.version_info >= (3, 13)


def names_in(statements: Sequence[Any]) -> tuple[str, ...]:
    """Every name in the statements, also in functions that they define."""
    return tuple(dict.fromkeys(n.id for s in statements for n in gast.walk(s) if isinstance(n, gast.Name)))


def local_names(code: CodeType) -> frozenset[str]:
    """The names of a function that are not global; none for module-level code."""
    if not code.co_flags & _OPTIMIZED:
        return frozenset()
    return frozenset((*code.co_varnames, *code.co_cellvars, *code.co_freevars))


def read_names(frame: FrameType, names: Sequence[str]) -> dict[str, Any]:
    """What those of `names` that are bound stand for in `frame` now."""
    held = frame.f_locals
    outer = frame.f_globals
    found = {}
    if held is outer:
        for name in names:
            if name in outer:
                found[name] = outer[name]
        return found
    for name in names:
        v = held.get(name, MISSING)
        if v is MISSING:
            v = outer.get(name, MISSING)
        if v is not MISSING:
            found[name] = v
    if not _PROXY and frame.f_code.co_flags & _OPTIMIZED:
        held.clear()  # the frame would keep alive what it holds
    return found
