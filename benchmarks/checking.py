"""Gradients against finite differences, along random directions in all parameters at once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.kernel import Kernel
from benchmarks.kernels import KERNELS

DIRECTIONS = 2


def moved(args: Sequence[Any], positions: Sequence[int], direction: Sequence[Any], step: float) -> tuple[Any, ...]:
    """The arguments, those at `positions` moved along `direction`."""
    changed = list(args)
    for position, along in zip(positions, direction, strict=True):
        changed[position] = args[position] + step * along
    return tuple(changed)


def slope(f: Callable[[float], float]) -> float:
    """The derivative at 0 by central differences, extrapolated twice: the error is of sixth order.

    >>> round(slope(lambda h: (2.0 + h) ** 3), 9)
    12.0
    """
    wide, middle, narrow = ((f(h) - f(-h)) / (2.0 * h) for h in (1e-3, 5e-4, 2.5e-4))
    return ((16.0 * (4.0 * narrow - middle) - (4.0 * middle - wide)) / 3.0) / 15.0


def random_directions(kernel: Kernel, args: Sequence[Any]) -> list[list[Any]]:
    """Directions in the differentiated parameters, each scaled like its parameter."""
    r = np.random.default_rng(5)
    return [
        [r.normal(size=np.shape(args[p]))[()] * max(1e-3, np.max(np.abs(args[p]))) for p in kernel.positions()]
        for _ in range(DIRECTIONS)
    ]


@functools.cache
def reference(name: str) -> tuple[tuple[list[Any], float], ...]:
    """Directions at the tiny size, and the slopes of the plain function along them."""
    kernel = KERNELS[name]
    function = next(iter(kernel.forms.values()))
    args, positions = kernel.arguments("tiny"), kernel.positions()
    return tuple(
        (direction, slope(lambda h, d=direction: function(*moved(args, positions, d, h))))
        for direction in random_directions(kernel, args)
    )


def inner(gradients: Sequence[Any], direction: Sequence[Any]) -> float:
    """The slope that the gradients claim."""
    return float(sum(np.sum(np.asarray(g, float) * d) for g, d in zip(gradients, direction, strict=True)))


def magnitude(gradients: Sequence[Any], direction: Sequence[Any]) -> float:
    """The sum of the sizes of what `inner` adds up: errors are relative to that."""
    return float(sum(np.sum(np.abs(np.asarray(g, float) * d)) for g, d in zip(gradients, direction, strict=True)))


def check_tiny(name: str, gradients: Sequence[Any], rtol: float = 1e-8) -> None:
    """Gradients at the tiny size against finite differences; `AssertionError` where they differ."""
    for direction, want in reference(name):
        got, size = inner(gradients, direction), magnitude(gradients, direction)
        assert abs(got - want) <= rtol * size, f"{name}: slope {got}, by finite differences {want}"


def check_same(name: str, got: Sequence[Any], want: Sequence[Any], rtol: float = 1e-8) -> None:
    """Gradients against others, relative to the norm of each; `AssertionError` where they differ."""
    for number, (one, other) in enumerate(zip(got, want, strict=True)):
        one, other = np.ravel(np.asarray(one, float)), np.ravel(np.asarray(other, float))
        assert one.shape == other.shape, f"{name}, gradient {number}: shapes {one.shape} and {other.shape}"
        distance = np.linalg.norm(one - other)
        assert distance <= rtol * max(1.0, np.linalg.norm(other)), f"{name}, gradient {number}: off by {distance}"
