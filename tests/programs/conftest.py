"""Makes `checking`, `corpus` and `random_programs` importable and names the markers used here."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "cpu: compiles with numba")
    config.addinivalue_line("markers", "full_cpu: all of the corpus on target cpu (minutes)")
