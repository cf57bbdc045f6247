"""What emitted code asks numba for, where it is differentiated again: imported when a program meets it."""

from __future__ import annotations

from s2s.ir.ops import SPECS
from s2s.rules.table import Family, Rule, resolve

FAMILY = Family("threads")

_THREADS = SPECS["numba.get_num_threads"]
FAMILY.add(Rule(_THREADS, (resolve(_THREADS.name),), nondiff="a number of threads is an int"))
