"""Measure one kernel in one form, in this process: `python -m benchmarks.worker KERNEL FORM [OPTIONS as JSON]`.

Prints one JSON object a line as results come, so that what is done is known if something hangs:
`{"column": ..., "first_s": ..., "peak": ...}` for each system that is there and right, `{"column": ..., "error": ...}`
for one that is not, and at the end `{"times": {...}}`.
"""

from __future__ import annotations

import json
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import s2s
from benchmarks import machine, peers, timing
from benchmarks.checking import check_same, check_tiny
from benchmarks.hand import FIRST_DAY, TUNED
from benchmarks.kernel import Kernel
from benchmarks.kernels import KERNELS

#: Seconds for a system to prepare and to run once.
LIMIT = 60


@contextmanager
def limit(duration: int) -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise TimeoutError(f"not done after {duration} s")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(duration)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def say(**facts: Any) -> None:
    print(json.dumps(facts), flush=True)


class Measuring:
    """One kernel in one form; `calls` has what is to be timed, by column."""

    def __init__(self, kernel: Kernel, form: str) -> None:
        self.kernel = kernel
        self.form = form
        self.function = kernel.forms[form]
        self.calls: dict[str, Callable[[], Any]] = {}
        self.want: dict[str, list[np.ndarray]] = {}

    def add(self, column: str, prepare: Callable[[], Callable[..., Any]], gradient: bool = True,
            size: str = "bench") -> None:
        """Prepare a system, check what it computes at both sizes, and note what the first call cost."""
        try:
            with limit(LIMIT), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                start = time.perf_counter()
                function = prepare()
                args = self.kernel.arguments(size)
                result = function(*args)
                first = time.perf_counter() - start
                if gradient:
                    self._check(column, function, result, size)
        except peers.NotThereError as error:
            say(column=column, absent=str(error))
        except Exception as error:  # any system may fail in any way: the table says so, and goes on
            say(column=column, error=f"{type(error).__name__}: {error}"[:300])
        else:
            self.calls[column] = lambda: function(*args)
            say(column=column, first_s=first, peak=machine.peak_memory(self.calls[column]))

    def _check(self, column: str, function: Callable[..., Any], result: Any, size: str) -> None:
        check_tiny(self.kernel.name, function(*self.kernel.arguments("tiny")))
        want = self.want.setdefault(size, [np.array(one) for one in result])
        check_same(f"{self.kernel.name}, {column}", result, want)


def s2s_gradient(kernel: Kernel, function: Callable[..., Any], target: str) -> Callable[[], Callable[..., Any]]:
    options = {"target": "cpu", "parallel": True} if target == "parallel" else {"target": target}
    return lambda: s2s.gradients_function(function, params=list(kernel.wrt), **options)


def measure(name: str, form: str, options: dict[str, Any]) -> None:
    from numba import njit

    measuring = Measuring(KERNELS[name], form)
    compiled = {"error_model": "numpy"}  # as the adjoints of s2s
    measuring.add("primal", lambda: njit(**compiled)(measuring.function), gradient=False)
    if form == "loops":  # what is written by hand is written in loops
        if name in FIRST_DAY:
            measuring.add("hand", lambda: njit(**compiled)(FIRST_DAY[name]))
        if name in TUNED:
            measuring.add("tuned", lambda: njit(**compiled)(TUNED[name]))
    for target in options["targets"]:
        column = "s2s" if target == "cpu" else f"s2s {target}"
        measuring.add(column, s2s_gradient(measuring.kernel, measuring.function, target))
    for peer in options["peers"]:
        size = "small" if peer == "jax loops" else "bench"
        measuring.add(peer, lambda peer=peer: peers.prepare(peer, measuring.kernel, form), size=size)
    if "jax loops" in measuring.calls:
        measuring.add("s2s small", s2s_gradient(measuring.kernel, measuring.function, "cpu"), size="small")
    say(times=timing.best(measuring.calls, options["repeats"], threads=options["threads"]))


def main() -> None:
    name, form, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    machine.pin(options["threads"])
    measure(name, form, options)


if __name__ == "__main__":
    main()
