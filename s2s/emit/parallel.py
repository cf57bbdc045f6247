"""Parallel assignments, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import TypeVar

T = TypeVar("T")


def in_order(pairs: Sequence[tuple[str, AbstractSet[str], T]]) -> list[list[T]]:
    """Groups that can be assigned one after the other: (name written, names read, what to write).

    What reads a name comes before what writes it; only a cycle needs a group of several.

    >>> in_order([("a", {"b"}, 1), ("b", {"c"}, 2)]), in_order([("a", {"b"}, 1), ("b", {"a"}, 2)])
    ([[1], [2]], [[1, 2]])
    """
    rest = list(pairs)
    groups: list[list[T]] = []
    while rest:
        for k, (name, _, item) in enumerate(rest):
            if not any(name in read for j, (_, read, _) in enumerate(rest) if j != k):
                groups.append([item])
                del rest[k]
                break
        else:
            groups.append([item for _, _, item in rest])
            return groups
    return groups
