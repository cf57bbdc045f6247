"""Every example runs and converges, on both targets with the same numbers."""

from __future__ import annotations

import functools
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
NUMBA = importlib.util.find_spec("numba") is not None


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@functools.cache
def losses(name: str, target: str) -> list[float]:
    for needed in ("scipy", "sklearn"):
        pytest.importorskip(needed)
    return example(name).main(target)


@pytest.mark.parametrize("name", NAMES)
def test_converges(name: str) -> None:
    values = losses(name, "python")
    assert values[-1] < values[0]


@pytest.mark.skipif(not NUMBA, reason="numba is not installed")
@pytest.mark.parametrize("name", NAMES)
def test_same_numbers_on_cpu(name: str) -> None:
    plain, compiled = losses(name, "python"), losses(name, "cpu")
    steps = min(len(plain), len(compiled), 100)
    np.testing.assert_allclose(compiled[:steps], plain[:steps], rtol=1e-6, atol=1e-9)


def test_train_draws_a_picture_and_prints_the_adjoint(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "training.png"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / "train.py"), "--output", str(picture)],
        capture_output=True, text=True, check=True, cwd=tmp_path, env=environment, timeout=300,
    )  # fmt: skip
    assert "step    0   loss" in run.stdout
    assert "def " in run.stdout and "_bar" in run.stdout
    assert picture.stat().st_size > 5000
