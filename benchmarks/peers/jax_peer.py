"""JAX: its own version of each kernel, and the loops of some kept as loops: `jit(grad(...))`, in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.kernel import Kernel


def prepare(kernel: Kernel, form: str) -> Callable[..., Any] | None:
    """The gradient function; None for a kernel without a version (`newton`: its `while` has no reverse mode)."""
    from benchmarks.peers.jax_kernels import KERNELS

    return gradient(kernel, KERNELS)


def prepare_loops(kernel: Kernel, form: str) -> Callable[..., Any] | None:
    """The gradient function of the loop nest as it is; None where nobody has written it down, and for arrays."""
    from benchmarks.peers.jax_loops import KERNELS

    return gradient(kernel, KERNELS if form == "loops" else {})


def gradient(kernel: Kernel, versions: dict[str, Callable[..., Any]]) -> Callable[..., Any] | None:
    """The compiled gradient function of the version of a kernel."""
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cpu")
    if kernel.name not in versions:
        return None
    function, positions = versions[kernel.name], kernel.positions()
    steps = kernel.parameters().index("steps") if "steps" in kernel.parameters() else ()
    compiled = jax.jit(jax.grad(function, argnums=positions), static_argnums=steps)
    return lambda *args: jax.block_until_ready(compiled(*args))
