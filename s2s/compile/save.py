"""Emitted source to a module that a person can keep: it needs NumPy, and numba where it was made for it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from s2s.compile.folder import write_atomically
from s2s.compile.module import Emitted, module
from s2s.compile.numba_cpu import cpu_module


def module_text(emitted: Emitted, target: str = "python", options: Mapping[str, Any] | None = None) -> str:
    r"""The module as text.

    >>> from types import SimpleNamespace
    >>> e = SimpleNamespace(source="def f(x):\n    return 2.0 * x\n",
    ...                     name="f", lines={}, helpers=frozenset(), functions={})
    >>> print(module_text(e))
    def f(x):
        return 2.0 * x
    <BLANKLINE>
    """
    if target == "python":
        return module(emitted).text
    if target == "cpu":
        return cpu_module(emitted, options or {}).text
    raise ValueError(f"a module for target {target!r} cannot be saved; known are 'python' and 'cpu'")


def save(emitted: Emitted, path: str | Path, target: str = "python", options: Mapping[str, Any] | None = None) -> None:
    """Write the module to `path`."""
    write_atomically(Path(path), module_text(emitted, target, options))
