"""Adjoints written by hand for numba, of the kernels in loop form.

`FIRST_DAY` are straightforward: the statements of the function reversed one by one, values saved where the
function destroys them. `TUNED` are the limit: loops changed until they were fast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.hand import models, polybench, stencils, tuned

FIRST_DAY: dict[str, Callable[..., Any]] = models.ADJOINTS | polybench.ADJOINTS | stencils.ADJOINTS
TUNED: dict[str, Callable[..., Any]] = tuned.ADJOINTS
