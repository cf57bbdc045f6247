"""What the functions of this folder iterate over more than once."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any


def pool_of(iterable: Iterable[Any]) -> Any:
    """The items, to be read by index: lowering gives a tuple, an array or a range."""
    return tuple(iterable)


def exact_sum(pool: tuple[float, ...]) -> float:
    """math.fsum of known numbers; lowering knows its derivative."""
    return math.fsum(pool)
