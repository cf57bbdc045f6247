"""Times of calls that take turns, so that what else the machine does falls on all alike."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

#: How long one sample of a call takes at least, and how long all that are taken in one turn.
SAMPLE_SECONDS = 0.001
TURN_SECONDS = 0.02
#: Calls that take longer are timed once.
ONCE_SECONDS = 1.0


def best(calls: dict[str, Callable[[], Any]], repeats: int, *, threads: int = 1) -> dict[str, float]:
    """The time of each call in seconds, in the best of its samples: what else the machine does can only add to it.

    With one thread it is the time that the processor spent on this process, so that waiting for a core does not count.

    >>> sorted(best({"quick": lambda: None, "slow": lambda: time.sleep(0.001)}, repeats=2))
    ['quick', 'slow']
    """
    clock = time.process_time if threads == 1 else time.perf_counter

    def seconds(call: Callable[[], Any], count: int = 1) -> float:
        start = clock()
        for _ in range(count):
            call()
        return (clock() - start) / count

    found = {name: seconds(call) for name, call in calls.items()}
    often = [name for name in calls if found[name] < ONCE_SECONDS]
    counts = {name: max(1, int(SAMPLE_SECONDS / max(found[name], 1e-7))) for name in often}
    for _ in range(repeats):
        for name in often:
            calls[name]()  # what ran between has filled the caches
            samples = max(1, int(TURN_SECONDS / max(SAMPLE_SECONDS, found[name])))
            found[name] = min(found[name], *(seconds(calls[name], counts[name]) for _ in range(samples)))
    return found
