"""Other systems, each behind a function `prepare(kernel, form)` that returns a gradient function of NumPy arrays.

One that is not installed raises `NotThere`; one that cannot do the kernel raises whatever it raises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.kernel import Kernel


class NotThere(Exception):
    """The system is not installed, or the kernel is not written for it."""


PEERS: dict[str, Callable[[Kernel, str], Callable[..., Any]]] = {}
