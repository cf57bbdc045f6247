"""Functions of the standard library, written in the language that s2s differentiates.

A call of `itertools.accumulate` is lowered as a call of the function of that name here. Errors and comments
in emitted code show the user's own line. `pool_of` is known to lowering: a tuple where the items are known,
an array, or a range.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2s.lower.library import (
    arrays,
    complexes,
    functional,
    growing,
    indices,
    iterators,
    numbers,
    polynomials,
    sets,
    statistic,
)

STAND_INS: dict[Any, Callable[..., Any]] = {
    **arrays.STAND_INS, **complexes.STAND_INS, **functional.STAND_INS, **indices.STAND_INS,
    **iterators.STAND_INS, **numbers.STAND_INS, **polynomials.STAND_INS, **sets.STAND_INS,
    **statistic.STAND_INS,
}

# Those that lowering asks for by name.
NAMED: dict[str, Callable[..., Any]] = {
    name: f for part in (functional, growing, iterators, numbers) for name, f in vars(part).items()
    if getattr(f, "__module__", "") == part.__name__
}
