"""Other systems, each behind a function `prepare(kernel, form)` that returns a gradient function of NumPy arrays.

Each imports its system when it is called; None stands for a kernel that cannot be written for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.kernel import Kernel
from benchmarks.peers import autograd_peer, jax_peer, tangent_peer, torch_peer


class NotThereError(Exception):
    """The system is not installed, or the kernel cannot be written for it."""


PEERS: dict[str, Callable[[Kernel, str], Callable[..., Any] | None]] = {
    "jax": jax_peer.prepare,
    "jax loops": jax_peer.prepare_loops,
    "torch": torch_peer.prepare,
    "autograd": autograd_peer.prepare,
    "tangent": tangent_peer.prepare,
}


def prepare(peer: str, kernel: Kernel, form: str) -> Callable[..., Any]:
    """The gradient function of a peer, or `NotThereError`."""
    try:
        function = PEERS[peer](kernel, form)
    except ModuleNotFoundError as error:
        raise NotThereError(f"{error.name} is not installed") from error
    if function is None:
        raise NotThereError(f"{peer} has no version of {kernel.name}")
    return function
