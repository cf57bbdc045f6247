"""`python -m pytest tests/golden --update-golden` rewrites the adjoints that are kept here."""

from __future__ import annotations

import pytest

collect_ignore_glob = ["adjoints/*"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the files in tests/golden/adjoints")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    # Where pytest is started above this folder, the option does not exist.
    return bool(request.config.getoption("--update-golden", default=False))
