"""JAX: its own version of each kernel, `jit(grad(...))`, in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.kernel import Kernel


def prepare(kernel: Kernel, form: str) -> Callable[..., Any] | None:
    """The gradient function; None for a kernel without a version (`newton`: its `while` has no reverse mode)."""
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cpu")
    from benchmarks.peers.jax_kernels import KERNELS

    if kernel.name not in KERNELS:
        return None
    function, positions = KERNELS[kernel.name], kernel.positions()
    steps = kernel.parameters().index("steps") if "steps" in kernel.parameters() else ()
    compiled = jax.jit(jax.grad(function, argnums=positions), static_argnums=steps)
    return lambda *args: jax.block_until_ready(compiled(*args))
