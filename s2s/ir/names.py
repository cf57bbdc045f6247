"""Every name that s2s makes up, in one place: readable, deterministic, never one of the user's."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable


def adjoint_name(hint: str) -> str:
    """The name of an adjoint: `x_bar`."""
    return f"{hint or 't'}_bar"


def tangent_name(hint: str) -> str:
    """The name of a tangent: `x_dot`."""
    return f"{hint or 't'}_dot"


def saved_name(hint: str) -> str:
    """The name of a buffer of saved values: `x_saved`."""
    return f"{hint or 't'}_saved"


RESERVED = frozenset(keyword.kwlist) | frozenset(dir(builtins)) | {"np", "math", "numba"}


class Names:
    """Hands out names: the wish itself if free, else with `1`, `2`, … appended."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = set(taken) | RESERVED
        self._counts: dict[str, int] = {}  # for each wish, the number appended last

    def fresh(self, wish: str) -> str:
        """A name that was not handed out before, as close to `wish` as can be.

        >>> names = Names(["x_bar"])
        >>> names.fresh("x_bar"), names.fresh("t")
        ('x_bar1', 't')
        """
        name = wish
        if name in self.taken:
            count = self._counts.get(wish, 0)
            while name in self.taken:
                count += 1
                name = f"{wish}{count}"
            self._counts[wish] = count
        self.taken.add(name)
        return name
