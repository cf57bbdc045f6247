"""What names stand for in a frame, and which of them a block reads."""

from __future__ import annotations

import sys
import weakref
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


def read_names(frame: FrameType, names: Sequence[str], tape: type) -> dict[str, Any]:
    """What those of `names` that are bound stand for in `frame` now.

    A tape (an instance of `tape`) is referred to weakly: else the tape of each iteration would keep that of the
    iteration before.
    """
    held, outer = frame.f_locals, frame.f_globals
    found: dict[str, Any] = {}
    for name in names:
        v = held.get(name, MISSING)
        if v is MISSING:
            v = outer.get(name, MISSING)
            if v is MISSING:
                continue
        found[name] = v if type(v) is not tape else weakref.ref(v)
    if not _PROXY and frame.f_code.co_flags & _OPTIMIZED:
        held.clear()  # the frame would keep alive what it holds
    return found
