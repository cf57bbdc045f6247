"""Methods and parts of lists that grow at run time, by what such a list can do: append, pop, read and store an item."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from s2s.rules.primitives import refuse


def list_part(pool: Any, start: int | None, stop: int | None, step: int) -> list[Any]:
    """`pool[start:stop:step]`"""
    n = len(pool)
    if step > 0:
        first = 0 if start is None else max(start + n, 0) if start < 0 else min(start, n)
        last = n if stop is None else max(stop + n, 0) if stop < 0 else min(stop, n)
    else:
        first = n - 1 if start is None else max(start + n, -1) if start < 0 else min(start, n - 1)
        last = -1 if stop is None else max(stop + n, -1) if stop < 0 else min(stop, n - 1)
    return [pool[k] for k in range(first, last, step)]


def list_of_copies(pool: Any) -> list[Any]:
    """copy.deepcopy(pool)"""
    return [copy.deepcopy(pool[k]) for k in range(len(pool))]


def list_last_to(pool: Any, index: int) -> None:
    """Put the last item before the one at `index`: an insertion, after an append."""
    last = len(pool) - 1
    at = max(index + last, 0) if index < 0 else min(index, last)
    item = pool[last]
    for k in range(last, at, -1):
        pool[k] = pool[k - 1]
    pool[at] = item


def list_pop(pool: Any, index: int) -> Any:
    n = len(pool)
    if not -n <= index < n:
        raise IndexError("pop index out of range")
    at = index + n if index < 0 else index
    item = pool[at]
    for k in range(at, n - 1):
        pool[k] = pool[k + 1]
    pool.pop()
    return item


def list_limit(pool: Any, most: int, first: bool) -> None:
    """Drop the first item, or the last one, of more than `most`."""
    if len(pool) > most:
        if first:
            list_pop(pool, 0)
        else:
            pool.pop()


def list_reverse(pool: Any) -> None:
    n = len(pool)
    for k in range(n // 2):
        item = pool[k]
        pool[k] = pool[n - 1 - k]
        pool[n - 1 - k] = item


def list_clear(pool: Any) -> None:
    for _ in range(len(pool)):
        pool.pop()


def list_index(pool: Any, item: Any) -> int:
    for k in range(len(pool)):
        if pool[k] == item:
            return k
    raise ValueError("the item is not in the list")


def list_count(pool: Any, item: Any) -> int:
    total = 0
    for k in range(len(pool)):
        if pool[k] == item:
            total += 1
    return total


def list_remove(pool: Any, item: Any) -> None:
    list_pop(pool, list_index(pool, item))


def sorted_by(pool: Any, key: Callable[[Any], Any] | None, reverse: bool) -> list[Any]:
    """The items in the order of their keys; equal ones stay as they are."""
    keys = np.array([pool[k] if key is None else key(pool[k]) for k in range(len(pool))])
    if keys.ndim != 1:
        refuse("the order of items that are no numbers, in a list of a length that is not known before it runs")
    order = np.argsort(-keys if reverse else keys, kind="stable")
    return [pool[k] for k in order]


def list_sort(pool: Any, key: Callable[[Any], Any] | None, reverse: bool) -> None:
    items = sorted_by(pool, key, reverse)
    for k in range(len(pool)):
        pool[k] = items[k]


def list_concatenate(pool: Any) -> Any:
    """np.concatenate(pool), along the first axis."""
    total = 0
    for k in range(len(pool)):
        total += len(pool[k])
    joined = np.empty((total, *pool[0].shape[1:]), pool[0].dtype)
    at = 0
    for k in range(len(pool)):
        joined[at:at + len(pool[k])] = pool[k]
        at += len(pool[k])
    return joined
