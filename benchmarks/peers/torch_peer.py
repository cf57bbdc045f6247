"""PyTorch: the array form as it is, with tensors for arrays and torch's functions for NumPy's; eager.

Stores work on a clone, as long as nothing that was overwritten is needed for the gradient: else PyTorch refuses.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.kernel import Kernel
from benchmarks.peers.rewired import with_numpy


def prepare(kernel: Kernel, form: str) -> Callable[..., Any] | None:
    import torch

    torch.set_num_threads(1)
    if kernel.arrays is None:
        return None
    function, positions = with_numpy(kernel.arrays, numpy_of_torch()), kernel.positions()

    def gradients(*args: Any) -> list[np.ndarray]:
        passed = [_tensor(value, position in positions) for position, value in enumerate(args)]
        leaves = [passed[position] for position in positions]
        found = torch.autograd.grad(function(*passed), leaves)
        return [one.detach().as_subclass(torch.Tensor).numpy() for one in found]

    return gradients


@functools.cache
def _array_type() -> type:
    import torch

    class Array(torch.Tensor):
        """A tensor with the methods of arrays that kernels call."""

        def copy(self) -> Any:
            return self.clone()

    return Array


def _tensor(value: Any, differentiated: bool) -> Any:
    import torch

    if isinstance(value, int):
        return value
    tensor = torch.tensor(np.asarray(value), dtype=torch.float64).as_subclass(_array_type())
    return tensor.requires_grad_(differentiated)


@functools.cache
def numpy_of_torch() -> Any:
    """The functions of NumPy that the kernels call, of torch."""
    import torch

    def array(values: list[Any]) -> Any:
        return torch.stack([torch.as_tensor(v, dtype=torch.float64) for v in values])

    def full(size: int, value: Any) -> Any:
        if isinstance(value, bool):
            return torch.full((size,), value)
        return torch.as_tensor(value, dtype=torch.float64) * torch.ones(size, dtype=torch.float64)

    def root(value: Any) -> Any:
        return torch.sqrt(torch.as_tensor(value, dtype=torch.float64))

    return types.SimpleNamespace(
        sum=lambda a, axis=None: torch.sum(a) if axis is None else torch.sum(a, dim=axis),
        zeros=lambda shape, dtype: torch.zeros(shape, dtype=dtype).as_subclass(_array_type()),
        flip=lambda a: torch.flip(a, (0,)),
        array=array,
        full=full,
        sqrt=root,
        where=lambda test, a, b: torch.where(test, a, torch.as_tensor(b, dtype=torch.float64)),
        exp=lambda a: torch.exp(torch.as_tensor(a, dtype=torch.float64)),
        **{name: getattr(torch, name) for name in ("outer", "zeros_like", "tanh", "log")},
    )
