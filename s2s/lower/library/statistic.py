"""statistics."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable
from typing import Any

from s2s.lower.library.numbers import fsum
from s2s.lower.library.pools import pool_of


def _size(pool: Any, least: int) -> Any:
    n = len(pool)
    if n < least:
        # A StatisticsError is a ValueError, which numba can raise too.
        raise ValueError("more data points are required")
    return n


def mean(data: Iterable[Any]) -> Any:
    pool = pool_of(data)
    return fsum(pool) / _size(pool, 1)


def fmean(data: Iterable[Any], weights: Iterable[Any] | None = None) -> Any:
    pool = pool_of(data)
    if weights is None:
        return fsum(pool) / _size(pool, 1)
    given = pool_of(weights)
    return fsum([x * w for x, w in zip(pool, given, strict=True)]) / fsum(given)


def geometric_mean(data: Iterable[Any]) -> Any:
    pool = pool_of(data)
    return math.exp(fsum([math.log(x) for x in pool]) / _size(pool, 1))


def harmonic_mean(data: Iterable[Any], weights: Iterable[Any] | None = None) -> Any:
    pool = pool_of(data)
    if weights is None:
        return _size(pool, 1) / fsum([1.0 / x for x in pool])
    given = pool_of(weights)
    return fsum(given) / fsum([w / x for x, w in zip(pool, given, strict=True)])


def _deviations(pool: Any, center: Any) -> Any:
    """The sum of squares about a center; the mean of the numbers where it is not given."""
    c = fsum(pool) / len(pool) if center is None else center
    return fsum([(x - c) * (x - c) for x in pool])


def variance(data: Iterable[Any], xbar: Any = None) -> Any:
    pool = pool_of(data)
    return _deviations(pool, xbar) / (_size(pool, 2) - 1)


def pvariance(data: Iterable[Any], mu: Any = None) -> Any:
    pool = pool_of(data)
    return _deviations(pool, mu) / _size(pool, 1)


def stdev(data: Iterable[Any], xbar: Any = None) -> Any:
    return math.sqrt(variance(data, xbar))


def pstdev(data: Iterable[Any], mu: Any = None) -> Any:
    return math.sqrt(pvariance(data, mu))


def median(data: Iterable[Any]) -> Any:
    pool = sorted(pool_of(data))
    n = _size(pool, 1)
    if n % 2 == 1:
        return pool[n // 2]
    return (pool[n // 2 - 1] + pool[n // 2]) / 2


def median_low(data: Iterable[Any]) -> Any:
    pool = sorted(pool_of(data))
    return pool[(_size(pool, 1) - 1) // 2]


def median_high(data: Iterable[Any]) -> Any:
    pool = sorted(pool_of(data))
    return pool[_size(pool, 1) // 2]


def quantiles(data: Iterable[Any], *, n: int = 4, method: str = "exclusive") -> Any:
    pool = sorted(pool_of(data))
    size = _size(pool, 2)
    result = []
    for i in range(1, n):
        if method == "inclusive":
            j, delta = divmod(i * (size - 1), n)
            result.append((pool[j] * (n - delta) + pool[j + 1] * delta) / n)
        else:
            j = min(max(i * (size + 1) // n, 1), size - 1)
            delta = i * (size + 1) - j * n
            result.append((pool[j - 1] * (n - delta) + pool[j] * delta) / n)
    return result


def covariance(x: Iterable[Any], y: Iterable[Any]) -> Any:
    a, b = pool_of(x), pool_of(y)
    n = _size(a, 2)
    xbar, ybar = fsum(a) / n, fsum(b) / n
    return fsum([(u - xbar) * (v - ybar) for u, v in zip(a, b, strict=True)]) / (n - 1)


def correlation(x: Iterable[Any], y: Iterable[Any]) -> Any:
    a, b = pool_of(x), pool_of(y)
    n = _size(a, 2)
    return covariance(a, b) * (n - 1) / math.sqrt(_deviations(a, None) * _deviations(b, None))


def linear_regression(x: Iterable[Any], y: Iterable[Any]) -> Any:
    a, b = pool_of(x), pool_of(y)
    n = _size(a, 2)
    slope = covariance(a, b) * (n - 1) / _deviations(a, None)
    return statistics.LinearRegression(slope=slope, intercept=mean(b) - slope * mean(a))


STAND_INS: dict[Any, Callable[..., Any]] = {
    statistics.mean: mean, statistics.fmean: fmean, statistics.geometric_mean: geometric_mean,
    statistics.harmonic_mean: harmonic_mean, statistics.variance: variance, statistics.pvariance: pvariance,
    statistics.stdev: stdev, statistics.pstdev: pstdev, statistics.median: median,
    statistics.median_low: median_low, statistics.median_high: median_high, statistics.quantiles: quantiles,
    statistics.covariance: covariance, statistics.correlation: correlation,
    statistics.linear_regression: linear_regression,
}
