"""Names: values that may share one do, so that copies vanish and `x = x * 2.0` is written as it was."""

from __future__ import annotations

import keyword
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from s2s.emit.facts import TEMPORARY, Facts
from s2s.emit.liveness import Interference
from s2s.ir.core import Value
from s2s.ir.names import Names
from s2s.ir.types import Array, List, Opaque, Scalar, Type


def storage(t: Type) -> object:
    """Values of equal storage can share a variable: numba types each variable once."""
    if isinstance(t, Scalar):
        return t.dtype
    if isinstance(t, Array):
        return t.dtype, t.ndim
    if isinstance(t, List):
        return "list", storage(t.element)
    return t.what if isinstance(t, Opaque) else None


@dataclass(slots=True)
class Wishes:
    """What the members of a class want to be called; the first member decides, parameters before others.

    telling, hint: the first wish that is telling, and that is any, behind the place of who has it.
    """

    telling: tuple[tuple[bool, int], str] | None
    hint: tuple[tuple[bool, int], str] | None
    index: bool
    needed: bool

    def joined(self, other: Wishes) -> Wishes:
        """Those of two classes that become one."""
        return Wishes(_first(self.telling, other.telling), _first(self.hint, other.hint), self.index or other.index,
                      self.needed or other.needed)


def _first(a: tuple[tuple[bool, int], str] | None, b: tuple[tuple[bool, int], str] | None) -> Any:
    return a if b is None or (a is not None and a < b) else b


class Coalescing:
    """Classes of values that share a name (union-find), and the names."""

    def __init__(self, facts: Facts, interference: Interference, taken: Iterable[str]) -> None:
        self.facts = facts
        self.graph = interference
        count = len(interference.values)
        self.leader = list(range(count))
        self.members = [1 << k for k in range(count)]
        self.clashes = list(interference.clashes)
        self.made_from = [interference.made_from.get(k, 0) for k in range(count)]
        self.indices = {v for v, d in facts.definition.items() if d.k == -1}
        self.params = [interference.number[p] for p in facts.fn.block.params]
        order = {v: k for k, v in enumerate(facts.definition)}
        self.wishes = [self._own(k) for k in range(count)]
        self.born = [order.get(v, -1) for v in interference.values]  # of a class, the place of its first member
        self._share_copies()
        self._share_hints()
        self._names = Names(taken)
        self.fresh = self._names.fresh
        self.names = self._name(self._names)

    def find(self, k: int) -> int:
        while self.leader[k] != k:
            self.leader[k] = self.leader[self.leader[k]]
            k = self.leader[k]
        return k

    def _hint(self, k: int) -> str:
        return self.facts.hint(self.graph.values[k])

    def _can_merge(self, a: int, b: int) -> bool:
        u, v = self.graph.values[a], self.graph.values[b]
        if storage(u.type) != storage(v.type) or storage(u.type) is None:
            return False
        return not (self.clashes[a] & self.members[b] or self.clashes[b] & self.members[a])

    def _merge(self, a: int, b: int) -> None:
        self.leader[b] = a
        self.members[a] |= self.members[b]
        self.clashes[a] |= self.clashes[b]
        self.made_from[a] |= self.made_from[b]
        self.wishes[a] = self.wishes[a].joined(self.wishes[b])
        self.born[a] = min(self.born[a], self.born[b])

    def _own(self, k: int) -> Wishes:
        """The wishes of a value alone."""
        v, hint = self.graph.values[k], self._hint(k)
        wish = ((k not in self.params, k), hint)
        return Wishes(wish if hint not in TEMPORARY else None, wish if hint else None, v in self.indices,
                      v in self.facts.needed)

    def _telling(self, leader: int) -> str:
        """The hint that decides the name of a class; "" if none of its members has a telling one."""
        telling = self.wishes[leader].telling
        return telling[1] if telling is not None else ""

    def _share_copies(self) -> None:
        """Make copies vanish, those in inner loops first. A copy between two of the user's names stays."""
        for _, target, source in sorted(self.graph.copies, key=lambda c: -c[0]):
            a, b = self.find(self.graph.number[target]), self.find(self.graph.number[source])
            if a == b or not self._can_merge(a, b):
                continue
            wish_a, wish_b = self._telling(a), self._telling(b)
            if not wish_a or not wish_b or wish_a == wish_b:
                self._merge(*((b, a) if b in self.params else (a, b)))

    def _share_hints(self) -> None:
        """One name for values that want the same one and are not alive together."""
        groups: dict[tuple[str, object], list[int]] = {}
        for k in [*self.params, *range(len(self.leader))]:
            leader = self.find(k)
            wish = self._wish(leader)
            group = groups.setdefault((wish, storage(self.graph.values[leader].type)), [])
            if leader in group:
                continue
            for other in group:
                if self.find(other) == other and self._can_merge(other, leader) \
                        and not (wish == "t" and self._follows(leader, other)):
                    self._merge(other, leader)
                    break
            else:
                group.append(leader)

    def _follows(self, leader: int, other: int) -> bool:
        """Whether one is computed from the other: two temporaries, which `t *= x` would make look like one."""
        return bool(self.made_from[leader] & self.members[other] or self.made_from[other] & self.members[leader])

    def _wish(self, leader: int) -> str:
        telling = self._telling(leader)
        if telling:
            return telling
        wishes = self.wishes[leader]
        if wishes.index and wishes.hint is None:
            return "k" if wishes.needed else "_"
        return wishes.hint[1] if wishes.hint is not None else "t"

    def _name(self, names: Names) -> dict[Value, str]:
        """A name for each class: parameters exactly, then telling wishes, then temporaries."""
        chosen: dict[int, str] = {}
        for k in self.params:
            hint = self.graph.values[k].hint
            name = hint if hint.isidentifier() and not keyword.iskeyword(hint) and hint not in chosen.values() \
                else names.fresh(hint or "x")
            names.taken.add(name)
            chosen[self.find(k)] = name
        rest = [k for k in range(len(self.leader)) if self.find(k) == k and k not in chosen]
        wishes = {k: self._wish(k) for k in rest}
        rest.sort(key=lambda k: (not self._telling(k), self.born[k]))
        # A wish that is nobody else's beats a number that is appended to make a name unique.
        later: list[int] = []
        for k in rest:
            if wishes[k] in names.taken:
                later.append(k)
            else:
                chosen[k] = names.fresh(wishes[k])
        for k in later:
            chosen[k] = _index_name(names) if wishes[k] == "k" else names.fresh(wishes[k])
        return {v: chosen[self.find(k)] for k, v in enumerate(self.graph.values)}


def _index_name(names: Names) -> str:
    """k is taken: l would look like 1, so m, n, …"""
    for wish in "mpqrs":
        if wish not in names.taken:
            return names.fresh(wish)
    return names.fresh("k")
