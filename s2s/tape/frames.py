"""What names stand for in a frame, and which of them a block reads."""

from __future__ import annotations

import itertools
import sys
import weakref
from collections.abc import Sequence
from types import CodeType, FrameType
from typing import Any

import gast

from s2s.lower.binding import MISSING

_OPTIMIZED = 1  # CO_OPTIMIZED: the code of a function, whose local names are not in a dictionary
_PROXY = sys.version_info >= (3, 13)


class Held(weakref.ref[Any]):
    """What a name stood for, referred to weakly; a weak reference of the user's is a value like any other."""

    __slots__ = ()


def names_in(statements: Sequence[Any]) -> tuple[str, ...]:
    """Every name in the statements, also in functions that they define."""
    return tuple(dict.fromkeys(n.id for s in statements for n in gast.walk(s) if isinstance(n, gast.Name)))


def local_names(code: CodeType) -> frozenset[str]:
    """The names of a function that are not global; none for module-level code."""
    if not code.co_flags & _OPTIMIZED:
        return frozenset()
    return frozenset((*code.co_varnames, *code.co_cellvars, *code.co_freevars))


def column_of(frame: FrameType) -> int | None:
    """The column of the instruction that a frame runs, where code knows it (from Python 3.11 on)."""
    code = frame.f_code
    if not hasattr(code, "co_positions"):
        return None
    at = frame.f_lasti // 2
    return next(itertools.islice(code.co_positions(), at, None))[2]


def read_names(frame: FrameType, names: Sequence[str], tape: type) -> dict[str, Any]:
    """What those of `names` that are bound stand for in `frame` now.

    A tape (an instance of `tape`) is `Held`: else the tape of each iteration would keep that of the iteration
    before.
    """
    held, outer = frame.f_locals, frame.f_globals
    found: dict[str, Any] = {}
    for name in names:
        v = held.get(name, MISSING)
        if v is MISSING:
            v = outer.get(name, MISSING)
            if v is MISSING:
                continue
        found[name] = v if type(v) is not tape else Held(v)
    if not _PROXY and frame.f_code.co_flags & _OPTIMIZED:
        held.clear()  # the frame would keep alive what it holds
    return found
