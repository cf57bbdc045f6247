"""Time s2s beside adjoints written by hand, as ratios within one process.

    python benchmarks/run.py [KERNEL ...] [--json PATH] [--repeats N] [--check]

For each kernel: the primal under numba, the adjoint written by hand under numba, and
`s2s.gradients_function(kernel, target="cpu")`. Gradients are compared before anything is timed, the
hand-written ones with finite differences, s2s's with the hand-written ones. The three are timed in
turn, so that what else the machine does falls on all alike, and medians are divided.

    s2s/hand     how far from the adjoint an expert writes (1.0 is as good)
    s2s/primal   what a gradient costs, in runs of the function
    overhead     microseconds of a call that are spent outside the compiled adjoint, by difference
    first        seconds for the first call: transform and compile
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import adjoints
from kernels import KERNELS, Kernel

ROUND_SECONDS = 0.02


def finite_differences(kernel: Kernel, args: tuple[Any, ...]) -> list[np.ndarray]:
    names = kernel.function.__code__.co_varnames[: kernel.function.__code__.co_argcount]
    gradients = []
    for name in kernel.params:
        k = names.index(name)
        base = np.asarray(args[k], dtype=float)
        gradient = np.empty(base.shape)
        for index in np.ndindex(base.shape):

            def moved(h: float, k=k, base=base, index=index) -> float:
                array = base.copy()
                array[index] += h
                return kernel.function(*args[:k], array[()] if array.ndim == 0 else array, *args[k + 1 :])

            wide, narrow = ((moved(h) - moved(-h)) / (2.0 * h) for h in (1e-4, 5e-5))
            gradient[index] = (4.0 * narrow - wide) / 3.0
        gradients.append(gradient)
    return gradients


def check_hand(name: str) -> None:
    """The adjoint written by hand, in plain Python, against finite differences."""
    kernel = KERNELS[name]
    args = kernel.make(True)
    got = getattr(adjoints, name)(*args)
    for one, other in zip(got, finite_differences(kernel, args), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-8)


def seconds(call: Callable[[], Any], count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def medians(calls: list[Callable[[], Any]], repeats: int) -> list[float]:
    """The median time of each call, timed in turn."""
    counts = [max(1, int(ROUND_SECONDS / max(seconds(call, 1), 1e-7))) for call in calls]
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(repeats):
        for call, count, into in zip(calls, counts, times, strict=True):
            into.append(seconds(call, count))
    return [statistics.median(t) for t in times]


def measure(name: str, repeats: int) -> dict[str, Any]:
    from numba import njit

    import s2s

    kernel = KERNELS[name]
    args = kernel.make(False)
    primal, hand = njit(kernel.function), njit(getattr(adjoints, name))
    primal(*args)
    want = hand(*args)
    gradient = s2s.gradients_function(kernel.function, params=list(kernel.params), target="cpu")
    start = time.perf_counter()
    got = gradient(*args)
    first = time.perf_counter() - start
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(np.asarray(one), other, rtol=1e-8, atol=1e-12)
    calls = [lambda: primal(*args), lambda: hand(*args), lambda: gradient(*args)]
    primal_time, hand_time, s2s_time = medians(calls, repeats)
    return {
        "kernel": name,
        "primal_us": 1e6 * primal_time,
        "hand_us": 1e6 * hand_time,
        "s2s_us": 1e6 * s2s_time,
        "s2s_over_hand": s2s_time / hand_time,
        "s2s_over_primal": s2s_time / primal_time,
        "overhead_us": 1e6 * (s2s_time - hand_time),
        "first_s": first,
    }


def table(rows: list[dict[str, Any]]) -> str:
    columns = ("primal", "by hand", "s2s", "s2s/hand", "s2s/primal", "overhead", "first")
    lines = [f"{'kernel':<14}" + "".join(f"{column:>12}" for column in columns)]
    for row in rows:
        cells = [f"{row[name]:.2f} us" for name in ("primal_us", "hand_us", "s2s_us")]
        cells += [f"{row[name]:.2f}" for name in ("s2s_over_hand", "s2s_over_primal")]
        cells += [f"{row['overhead_us']:.1f} us", f"{row['first_s']:.2f} s"]
        lines.append(f"{row['kernel']:<14}" + "".join(f"{cell:>12}" for cell in cells))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernels", nargs="*", default=list(KERNELS), metavar="KERNEL")
    parser.add_argument("--json", type=Path, help="write the measurements there too")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--check", action="store_true", help="only check the adjoints written by hand")
    options = parser.parse_args()
    for name in options.kernels:
        check_hand(name)
    if options.check:
        print(f"adjoints written by hand agree with finite differences: {', '.join(options.kernels)}")
        return
    rows = [measure(name, options.repeats) for name in options.kernels]
    print(table(rows))
    report = {"python": platform.python_version(), "numpy": np.__version__, "rows": rows}
    print(json.dumps(report))
    if options.json is not None:
        options.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
