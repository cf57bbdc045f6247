"""math and operator: what is written in terms of other functions."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from s2s.lower.library.pools import exact_sum, pool_of


def matmul(a: Any, b: Any) -> Any:
    return a @ b


def call(obj: Any, /, *args: Any, **kwargs: Any) -> Any:
    return obj(*args, **kwargs)


def hypot(*coordinates: Any) -> Any:
    if len(coordinates) == 0:
        return 0.0
    if len(coordinates) == 1:
        return math.fabs(coordinates[0])
    total = coordinates[0]
    for x in coordinates[1:]:
        total = math.hypot(total, x)
    return total


def dist(p: Iterable[Any], q: Iterable[Any]) -> Any:
    a, b = pool_of(p), pool_of(q)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return float(np.linalg.norm(np.asarray(a) - np.asarray(b)))
    return hypot(*[x - y for x, y in zip(a, b, strict=True)])


def fsum(iterable: Iterable[Any]) -> Any:
    pool = pool_of(iterable)
    if isinstance(pool, tuple):
        return 0.0 if len(pool) == 0 else exact_sum(pool)
    if isinstance(pool, np.ndarray):
        return float(np.sum(pool))
    return float(sum(pool))


def prod(iterable: Iterable[Any], *, start: Any = 1) -> Any:
    total = start
    for x in iterable:
        total = total * x
    return total


def sumprod(p: Iterable[Any], q: Iterable[Any]) -> Any:
    a, b = pool_of(p), pool_of(q)
    return fsum([x * y for x, y in zip(a, b, strict=True)])


def modf(x: Any) -> Any:
    fraction = math.fmod(x, 1.0)
    return (fraction, x - fraction)


def ldexp(x: Any, i: Any) -> Any:
    return x * 2.0**i


def concat(a: Any, b: Any) -> Any:
    return a + b


def contains(a: Any, b: Any) -> Any:
    return b in a


def count_of(a: Any, b: Any) -> Any:
    n = 0
    for x in a:
        if x == b:
            n += 1
    return n


def index_of(a: Any, b: Any) -> Any:
    for k, x in enumerate(a):
        if x == b:
            return k
    raise ValueError("sequence.index(x): x not in sequence")


def getitem(a: Any, b: Any) -> Any:
    return a[b]


def setitem(a: Any, b: Any, c: Any) -> None:
    a[b] = c


def delitem(a: Any, b: Any) -> None:
    del a[b]


def truth(a: Any) -> Any:
    return bool(a)


def not_(a: Any) -> Any:
    return not a


def is_(a: Any, b: Any) -> Any:
    return a is b


def is_not(a: Any, b: Any) -> Any:
    return a is not b


def iadd(a: Any, b: Any) -> Any:
    a += b
    return a


def isub(a: Any, b: Any) -> Any:
    a -= b
    return a


def imul(a: Any, b: Any) -> Any:
    a *= b
    return a


def itruediv(a: Any, b: Any) -> Any:
    a /= b
    return a


STAND_INS: dict[Any, Callable[..., Any]] = {
    math.fsum: fsum, math.dist: dist, math.prod: prod, math.modf: modf, math.ldexp: ldexp,
    operator.matmul: matmul, operator.concat: concat, operator.contains: contains, operator.countOf: count_of,
    operator.indexOf: index_of,
    operator.getitem: getitem, operator.setitem: setitem, operator.delitem: delitem, operator.truth: truth,
    operator.not_: not_, operator.is_: is_, operator.is_not: is_not, operator.iadd: iadd, operator.isub: isub,
    operator.imul: imul, operator.itruediv: itruediv,
}
if hasattr(operator, "call"):  # 3.11
    STAND_INS[operator.call] = call
if hasattr(math, "sumprod"):  # 3.12
    STAND_INS[math.sumprod] = sumprod
