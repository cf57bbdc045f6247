"""What all tests share: options, time limits, and the folder of the programs that several of them import."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "programs"))

import checking

collect_ignore_glob = ["golden/adjoints/*"]
# S2S_TESTS=version: what depends on the version of Python or NumPy. The rest is computed alike by all of them.
if os.environ.get("S2S_TESTS") == "version":
    collect_ignore_glob += ["kernels/*", "scipy_rules/*", "passes/*", "rules/test_expand.py", "rules/test_shapes.py",
                            "rules/test_cpu.py", "programs/test_random.py", "programs/test_rollback.py",
                            "tape/test_cost.py"]

# Compilers make many objects that stay: to look through all of them as often as by default takes a third of the time.
gc.set_threshold(100_000, 20, 100)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the files in tests/golden/adjoints")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture
def small_heap() -> Iterator[None]:
    """The collector looks at what the test makes, and not at all that the tests before it have compiled."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """A compiler that loops, or emits a loop without end, fails one test and not the whole run."""
    if "program" not in getattr(item, "fixturenames", ()):
        return (yield)
    with checking.time_limit(300.0 if "cpu" in item.name else 60.0):
        return (yield)
