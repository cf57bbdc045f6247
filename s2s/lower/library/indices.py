"""np.ndindex and np.ndenumerate: loops over the indices of an array."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


def ndindex(*shape: Any) -> Iterator[tuple[int, ...]]:
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
    if len(sizes) == 1:
        for i in range(sizes[0]):
            yield (i,)
    elif len(sizes) == 2:
        for i in range(sizes[0]):
            for j in range(sizes[1]):
                yield i, j
    elif len(sizes) == 3:
        for i in range(sizes[0]):
            for j in range(sizes[1]):
                for k in range(sizes[2]):
                    yield i, j, k
    else:
        yield from itertools.product(*[range(n) for n in sizes])


def ndenumerate(arr: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    for index in ndindex(arr.shape):
        yield index, arr[index]


STAND_INS: dict[Any, Callable[..., Any]] = {np.ndindex: ndindex, np.ndenumerate: ndenumerate}
