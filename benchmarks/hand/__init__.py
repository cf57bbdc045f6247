"""Adjoints written by hand for numba.

`FIRST_DAY` are straightforward: the statements of the function reversed one by one, values saved where the
function destroys them. `TUNED` are the limit: loops changed until they were fast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

FIRST_DAY: dict[str, Callable[..., Any]] = {}
TUNED: dict[str, Callable[..., Any]] = {}
