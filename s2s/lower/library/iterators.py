"""itertools."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from s2s.lower.library.pools import pool_of


def accumulate(iterable: Iterable[Any], func: Callable[[Any, Any], Any] = operator.add, *,
               initial: Any = None) -> Iterator[Any]:
    pool = pool_of(iterable)
    if initial is not None:
        total = initial
        yield total
        for item in pool:
            total = func(total, item)
            yield total
    elif len(pool) > 0:
        total = pool[0]
        yield total
        for item in pool[1:]:
            total = func(total, item)
            yield total


def chain(*iterables: Iterable[Any]) -> Iterator[Any]:
    for iterable in iterables:
        yield from iterable


def chain_from_iterable(iterables: Iterable[Iterable[Any]]) -> Iterator[Any]:
    for iterable in iterables:
        yield from iterable


def pairwise(iterable: Iterable[Any]) -> Iterator[Any]:
    pool = pool_of(iterable)
    return zip(pool, pool[1:])  # noqa: B905, RUF007 - pairwise is what this stands for


def starmap(function: Callable[..., Any], iterable: Iterable[Any]) -> Iterator[Any]:
    for item in iterable:
        yield function(*item)


def compress(data: Iterable[Any], selectors: Iterable[Any]) -> Iterator[Any]:
    for item, selected in zip(data, selectors):  # noqa: B905
        if selected:
            yield item


def takewhile(predicate: Callable[[Any], Any], iterable: Iterable[Any]) -> Iterator[Any]:
    for item in iterable:
        if not predicate(item):
            break
        yield item


def dropwhile(predicate: Callable[[Any], Any], iterable: Iterable[Any]) -> Iterator[Any]:
    started = False
    for item in iterable:
        if not started and not predicate(item):
            started = True
        if started:
            yield item


def filterfalse(predicate: Callable[[Any], Any] | None, iterable: Iterable[Any]) -> Iterator[Any]:
    for item in iterable:
        if not (item if predicate is None else predicate(item)):
            yield item


def islice(iterable: Iterable[Any], start: int, stop: int | None, step: int) -> Iterator[Any]:
    k = 0
    following = start
    if stop is None or stop > 0:
        for item in iterable:
            if k == following:
                yield item
                following += step
            k += 1
            if stop is not None and k >= stop:
                break


def count(start: Any = 0, step: Any = 1) -> Iterator[Any]:
    while True:
        yield start
        start = start + step


def cycle(iterable: Iterable[Any]) -> Iterator[Any]:
    pool = pool_of(iterable)
    while True:
        yield from pool


def repeat_forever(item: Any) -> Iterator[Any]:
    while True:
        yield item


def repeat_times(item: Any, times: int) -> Iterator[Any]:
    for _ in range(times):
        yield item


def product(*pools: Any) -> Iterator[Any]:
    if len(pools) == 0:
        yield ()
    else:
        for item in pools[0]:
            for rest in product(*pools[1:]):
                yield (item, *rest)


def combinations(pool: Any, r: int, start: Any = 0) -> Iterator[Any]:
    if r == 0:
        yield ()
    else:
        for i in range(start, len(pool)):
            for rest in combinations(pool, r - 1, i + 1):
                yield (pool[i], *rest)


def combinations_with_replacement(pool: Any, r: int, start: Any = 0) -> Iterator[Any]:
    if r == 0:
        yield ()
    else:
        for i in range(start, len(pool)):
            for rest in combinations_with_replacement(pool, r - 1, i):
                yield (pool[i], *rest)


def permutations(pool: Any, r: int, taken: Any = ()) -> Iterator[Any]:
    if r == 0:
        yield ()
    else:
        for i in range(len(pool)):
            free = True
            for k in taken:
                free = free and k != i
            if free:
                for rest in permutations(pool, r - 1, (*taken, i)):
                    yield (pool[i], *rest)


STAND_INS: dict[Any, Callable[..., Any]] = {
    itertools.accumulate: accumulate, itertools.chain: chain, itertools.chain.from_iterable: chain_from_iterable,
    itertools.pairwise: pairwise, itertools.starmap: starmap, itertools.compress: compress,
    itertools.takewhile: takewhile, itertools.dropwhile: dropwhile, itertools.filterfalse: filterfalse,
}
