"""Linear forms over integers, and whether inequalities between them can hold together.

Indices of arrays are nearly always linear in the indices of loops: whether two accesses can meet in a cell is then
a question about a handful of inequalities, answered by Fourier and Motzkin's elimination of one unknown after the
other (G. Dantzig and B. Eaves, "Fourier-Motzkin elimination and its dual", 1973), with bounds rounded to integers.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field

# Beyond this many inequalities the question is left open.
_MANY = 120


@dataclass(frozen=True)
class Linear:
    """`constant` plus each unknown times its factor.

    >>> i = Linear.of("i")
    >>> (i.times(2).plus(Linear({}, 1))).minus(i)
    Linear(factors={'i': 1}, constant=1)
    """

    factors: Mapping[Hashable, int] = field(default_factory=dict)
    constant: int = 0

    @staticmethod
    def of(unknown: Hashable) -> Linear:
        return Linear({unknown: 1})

    def plus(self, other: Linear, sign: int = 1) -> Linear:
        found = dict(self.factors)
        for k, c in other.factors.items():
            found[k] = found.get(k, 0) + sign * c
        return Linear({k: c for k, c in found.items() if c}, self.constant + sign * other.constant)

    def minus(self, other: Linear) -> Linear:
        return self.plus(other, -1)

    def shifted(self, by: int) -> Linear:
        return Linear(self.factors, self.constant + by)

    def times(self, c: int) -> Linear:
        return Linear({k: c * f for k, f in self.factors.items()} if c else {}, c * self.constant)


def impossible(zero: Iterable[Linear], natural: Iterable[Linear]) -> bool:
    """Whether for certain no integers make all of `zero` 0 and all of `natural` at least 0.

    >>> i, j = Linear.of("i"), Linear.of("j")
    >>> impossible([i.minus(j)], [j.minus(i).shifted(-1)])  # i == j and i < j
    True
    >>> impossible([], [j.minus(i).shifted(-1)])
    False
    """
    equations = list(zero)
    bounds = list(natural)
    while equations:
        e = equations.pop()
        divisor = math.gcd(*e.factors.values()) if e.factors else 0
        if divisor == 0:
            if e.constant:
                return True
            continue
        if e.constant % divisor:
            return True
        unknown = next((k for k, c in e.factors.items() if abs(c) == divisor), None)
        if unknown is None:
            bounds += [e, e.times(-1)]
            continue
        e = Linear({k: c // divisor for k, c in e.factors.items()}, e.constant // divisor)
        equations = [_without(x, unknown, e) for x in equations]
        bounds = [_without(x, unknown, e) for x in bounds]
    return _eliminated(bounds)


def _without(x: Linear, unknown: Hashable, e: Linear) -> Linear:
    """`x` with `unknown`, whose factor in the equation `e` is 1 or -1, replaced."""
    c = x.factors.get(unknown, 0)
    return x.minus(e.times(c * e.factors[unknown])) if c else x


def _eliminated(bounds: Iterable[Linear]) -> bool:
    """Whether the unknowns, eliminated one by one, leave a contradiction."""
    found = _tightest(bounds)
    while found is not None:
        uses: dict[Hashable, list[int]] = {}
        for b in found:
            for k, c in b.factors.items():
                uses.setdefault(k, [0, 0])[c < 0] += 1
        if not uses:
            return False
        unknown = min(uses, key=lambda k: uses[k][0] * uses[k][1] - sum(uses[k]))
        above = [b for b in found if b.factors.get(unknown, 0) > 0]
        below = [b for b in found if b.factors.get(unknown, 0) < 0]
        if len(above) * len(below) > _MANY:
            return False
        rest = [b for b in found if unknown not in b.factors]
        rest += [x.times(-y.factors[unknown]).plus(y.times(x.factors[unknown])) for x in above for y in below]
        found = _tightest(rest)
        if found is not None and len(found) > _MANY:
            return False
    return True


def _tightest(bounds: Iterable[Linear]) -> list[Linear] | None:
    """The strictest of those that differ in their constant alone; None where one of them cannot hold."""
    found: dict[frozenset[tuple[Hashable, int]], int] = {}
    for b in bounds:
        if not b.factors:
            if b.constant < 0:
                return None
            continue
        divisor = math.gcd(*b.factors.values())
        key = frozenset((k, c // divisor) for k, c in b.factors.items())
        constant = b.constant // divisor
        found[key] = min(found.get(key, constant), constant)
    return [Linear(dict(key), constant) for key, constant in found.items()]
