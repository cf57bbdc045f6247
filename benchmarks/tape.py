"""What a GradientTape costs: a training step by a tape, beside `implicit_value_and_gradients` of the same loss.

    python benchmarks/tape.py [--iterations 10000] [--cpu]

Prints the time of an iteration, the ratio, and by how much memory has grown between the first and the last tenth.
"""

from __future__ import annotations

import argparse
import gc
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

import s2s

BATCH, INPUTS, HIDDEN = 64, 10, 32


class Network:
    """One hidden layer."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.w1 = s2s.Variable(rng.normal(size=(INPUTS, HIDDEN)))
        self.b1 = s2s.Variable(np.zeros(HIDDEN))
        self.w2 = s2s.Variable(rng.normal(size=HIDDEN))
        self.b2 = s2s.Variable(0.0)

    def __call__(self, x):
        return np.tanh(x @ self.w1 + self.b1) @ self.w2 + self.b2


def steps(target: str) -> dict[str, Callable[[], float]]:
    """A training step by each API."""
    rng = np.random.default_rng(0)
    network = Network(rng)
    variables = [network.w1, network.b1, network.w2, network.b2]
    x, y = rng.normal(size=(BATCH, INPUTS)), rng.normal(size=BATCH)

    @s2s.implicit_value_and_gradients(target=target)
    def loss_of(x, y):
        return np.mean((network(x) - y) ** 2)

    def implicit() -> float:
        loss, gradients = loss_of(x, y)
        for gradient, variable in gradients:
            variable.assign_sub(1e-6 * gradient)
        return loss

    def tape() -> float:
        with s2s.GradientTape(target=target) as tape:
            loss = np.mean((network(x) - y) ** 2)
        for gradient, variable in zip(tape.gradient(loss, variables), variables, strict=True):
            variable.assign_sub(1e-6 * gradient)
        return loss

    @s2s.function(target=target)
    def compiled(x, y):
        with s2s.GradientTape() as tape:
            loss = np.mean((network(x) - y) ** 2)
        for gradient, variable in zip(tape.gradient(loss, variables), variables, strict=True):
            variable.assign_sub(1e-6 * gradient)
        return loss

    return {"implicit_value_and_gradients": implicit, "GradientTape": tape, "s2s.function": lambda: compiled(x, y)}


def measure(step: Callable[[], float], iterations: int) -> tuple[float, int]:
    """Seconds for an iteration, and by how many bytes memory has grown over most of them."""
    for _ in range(20):
        step()
    gc.collect()
    start = time.perf_counter()
    for _ in range(iterations):
        step()
    seconds = (time.perf_counter() - start) / iterations
    tracemalloc.start()
    for _ in range(iterations // 10):
        step()
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(iterations // 2):
        step()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return seconds, grown


def entry(iterations: int) -> float:
    """Seconds for entering and leaving a block that was seen before."""
    w = s2s.Variable(1.0)

    def run(flag: bool) -> None:
        with s2s.GradientTape() as tape:
            y = w * w if flag else None
        if flag:
            tape.gradient(y, w)

    run(True)
    run(True)
    start = time.perf_counter()
    for _ in range(iterations):
        run(False)
    return (time.perf_counter() - start) / iterations


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=10_000)
    parser.add_argument("--cpu", action="store_true", help="target cpu too")
    options = parser.parse_args()
    print(f"entering and leaving a block: {1e6 * entry(options.iterations):.1f} µs")
    for target in ("python", "cpu") if options.cpu else ("python",):
        found = {name: measure(step, options.iterations) for name, step in steps(target).items()}
        reference = found["implicit_value_and_gradients"][0]
        for name, (seconds, grown) in found.items():
            print(f"{target:6s} {name:30s} {1e6 * seconds:8.1f} µs   {seconds / reference:5.2f}   "
                  f"{grown / 1024:+.1f} KiB")


if __name__ == "__main__":
    main()
