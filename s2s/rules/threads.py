"""What emitted code asks numba for: imported when a program meets it."""

from __future__ import annotations

from s2s.ir.types import INT
from s2s.rules.table import Family

FAMILY = Family("threads")

FAMILY.op("numba.get_num_threads", "", lambda op: [INT], fresh=False, cost=20,
          nondiff="a number of threads is an int")
