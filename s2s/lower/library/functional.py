"""Builtins and functools that take a function or any iterable."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from s2s.lower.library.pools import pool_of


def reduce(function: Callable[[Any, Any], Any], iterable: Iterable[Any], *initial: Any) -> Any:
    pool = pool_of(iterable)
    if initial:
        total = initial[0]
        for item in pool:
            total = function(total, item)
        return total
    total = pool[0]
    for item in pool[1:]:
        total = function(total, item)
    return total


def any_(iterable: Iterable[Any]) -> bool:
    for item in iterable:  # noqa: SIM110 - any() is what this stands for
        if item:
            return True
    return False


def all_(iterable: Iterable[Any]) -> bool:
    for item in iterable:  # noqa: SIM110
        if not item:
            return False
    return True


def next_(iterator: Iterator[Any], *default: Any) -> Any:
    for item in iterator:
        return item
    if default:
        return default[0]
    raise StopIteration


def filter_(function: Callable[[Any], Any] | None, iterable: Iterable[Any]) -> Iterator[Any]:
    for item in iterable:
        if item if function is None else function(item):
            yield item


def min_by(pool: Any, key: Callable[[Any], Any] | None, *default: Any) -> Any:
    if default and len(pool) == 0:
        return default[0]
    best = pool[0]
    least = best if key is None else key(best)
    for k in range(1, len(pool)):
        item = pool[k]
        rank = item if key is None else key(item)
        if rank < least:
            best = item
            least = rank
    return best


def max_by(pool: Any, key: Callable[[Any], Any] | None, *default: Any) -> Any:
    if default and len(pool) == 0:
        return default[0]
    best = pool[0]
    most = best if key is None else key(best)
    for k in range(1, len(pool)):
        item = pool[k]
        rank = item if key is None else key(item)
        if rank > most:
            best = item
            most = rank
    return best


def get_items(keys: Any, obj: Any) -> Any:
    if len(keys) == 1:
        return obj[keys[0]]
    return tuple([obj[key] for key in keys])


def get_attribute(path: str, obj: Any) -> Any:
    found = obj
    for name in path.split("."):
        found = getattr(found, name)
    return found


def get_attributes(paths: Any, obj: Any) -> Any:
    if len(paths) == 1:
        return get_attribute(paths[0], obj)
    return tuple([get_attribute(path, obj) for path in paths])


def call_method(name: str, args: Any, kwargs: Any, obj: Any) -> Any:
    return getattr(obj, name)(*args, **kwargs)


def first_items(ordered: Any, n: Any) -> Any:
    return ordered[:n]


def cache(user_function: Any) -> Any:
    return user_function


def lru_cache(maxsize: Any = 128, typed: bool = False) -> Any:
    return maxsize if callable(maxsize) else cache


def wraps(wrapped: Any, *args: Any, **kwargs: Any) -> Any:
    return cache


def update_wrapper(wrapper: Any, wrapped: Any, *args: Any, **kwargs: Any) -> Any:
    return wrapper


STAND_INS: dict[Any, Callable[..., Any]] = {
    functools.reduce: reduce, filter: filter_, functools.cache: cache, functools.lru_cache: lru_cache,
    functools.wraps: wraps, functools.update_wrapper: update_wrapper}
