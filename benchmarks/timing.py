"""Times of calls that take turns, so that what else the machine does falls on all alike."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

#: How long a round of one call takes at least.
ROUND_SECONDS = 0.02
#: Calls that take longer are timed once.
ONCE_SECONDS = 1.0


def seconds(call: Callable[[], Any], count: int = 1) -> float:
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def best(calls: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """The time of each call in seconds, in the best of its rounds: what else the machine does can only add to it.

    >>> sorted(best({"quick": lambda: None, "slow": lambda: time.sleep(0.001)}, repeats=2))
    ['quick', 'slow']
    """
    times = {name: [seconds(call)] for name, call in calls.items()}
    counts = {name: max(1, min(5000, int(ROUND_SECONDS / max(first[0], 1e-7)))) for name, first in times.items()}
    often = [name for name in calls if times[name][0] < ONCE_SECONDS]
    for name in often:
        times[name].clear()
    for _ in range(repeats):
        for name in often:
            calls[name]()  # what ran between has filled the caches
            times[name].append(seconds(calls[name], counts[name]))
    return {name: min(found) for name, found in times.items()}
