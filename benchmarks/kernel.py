"""What a kernel of the suite is: a function in two forms, and the arguments that it is timed and tested with."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

#: `tiny` for finite differences, `bench` for timing; some kernels have `small` too, for what cannot finish at `bench`.
SIZES = ("tiny", "bench")


@dataclass(frozen=True)
class Kernel:
    name: str
    #: The differentiated parameters.
    wrt: tuple[str, ...]
    #: `make(size)` gives the arguments in float64, by name.
    make: Callable[[str], dict[str, Any]]
    #: The function written with loops over elements, and with array expressions. Both compute the same.
    loops: Callable[..., Any] | None = None
    arrays: Callable[..., Any] | None = None

    @property
    def forms(self) -> dict[str, Callable[..., Any]]:
        """The forms there are, by name."""
        both = {"loops": self.loops, "arrays": self.arrays}
        return {name: function for name, function in both.items() if function is not None}

    def parameters(self) -> list[str]:
        """The names of the parameters, the same in both forms."""
        return list(inspect.signature(next(iter(self.forms.values()))).parameters)

    def arguments(self, size: str, dtype: str = "float64") -> tuple[Any, ...]:
        """The arguments in order, floats and arrays of floats in `dtype`.

        >>> from benchmarks.kernels import KERNELS
        >>> [argument.dtype.name for argument in KERNELS["gemm"].arguments("tiny", "float32")]
        ['float32', 'float32', 'float32', 'float32', 'float32']
        """
        made = self.make(size)
        return tuple(_convert(made[name], dtype) for name in self.parameters())

    def positions(self) -> tuple[int, ...]:
        """Where the differentiated parameters stand."""
        names = self.parameters()
        return tuple(names.index(name) for name in self.wrt)


def _convert(value: Any, dtype: str) -> Any:
    if isinstance(value, np.ndarray):
        return value.astype(dtype)
    if isinstance(value, float) and dtype != "float64":
        return np.dtype(dtype).type(value)
    return value


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)
