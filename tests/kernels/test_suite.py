"""`python -m benchmarks` measures, writes and draws."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NUMBA = importlib.util.find_spec("numba") is not None


@pytest.mark.cpu
@pytest.mark.skipif(not NUMBA, reason="numba is not installed")
def test_a_kernel_is_measured(tmp_path: Path) -> None:
    found, drawn = tmp_path / "found.json", tmp_path / "drawn.svg"
    command = [sys.executable, "-m", "benchmarks", "four-scalars", "--repeats", "1", "--peers",
               "--json", str(found), "--chart", str(drawn)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    (row,) = json.loads(found.read_text())["rows"]
    assert row["errors"] == {}
    assert set(row["columns"]) == {"primal", "hand", "s2s", "s2s python"}
    assert {"gradient/primal", "s2s/hand", "first/hand", "s2s python/s2s"} <= set(row["ratios"])
    assert "1 thread each" in done.stdout
    assert "four-scalars" in done.stdout
    assert "<svg" in drawn.read_text()


def test_a_wrong_gradient_is_not_timed() -> None:
    from benchmarks.kernels import KERNELS
    from benchmarks.worker import Measuring

    measuring = Measuring(KERNELS["rosenbrock"], "loops")
    measuring.add("wrong", lambda: lambda x: (2.0 * x,))
    assert measuring.calls == {}
