"""Makes `checking`, `corpus` and `random_programs` importable and names the markers used here."""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import checking

# Compilers make many objects that stay: to look through all of them as often as by default takes a third of the time.
gc.set_threshold(100_000, 20, 100)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "cpu: compiles with numba")
    config.addinivalue_line("markers", "full_cpu: all of the corpus on target cpu (minutes)")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """A compiler that loops, or emits a loop without end, fails one test and not the whole run."""
    if "program" not in getattr(item, "fixturenames", ()):
        return (yield)
    with checking.time_limit(300.0 if "cpu" in item.name else 60.0):
        return (yield)
