"""autograd (HIPS): the array form as it is, with autograd's NumPy; it cannot differentiate stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.kernel import Kernel
from benchmarks.peers.rewired import with_numpy


def prepare(kernel: Kernel, form: str) -> Callable[..., Any] | None:
    import autograd
    from autograd import numpy

    if kernel.arrays is None:
        return None
    return autograd.grad(with_numpy(kernel.arrays, numpy), kernel.positions())
