"""Every rule of the table, on every row of samples."""

from __future__ import annotations

from collections import Counter

import pytest

from s2s.rules import TABLE
from s2s.testing.rules import check_rule

from .rows import EXEMPT, Row, rows

_ROWS = list(rows())
_SEEN: Counter[str] = Counter()


def _label(name: str) -> str:
    _SEEN[name] += 1
    return f"{name}-{_SEEN[name]}"


@pytest.mark.parametrize(("name", "sample"), _ROWS, ids=[_label(name) for name, _ in _ROWS])
def test_rule(name: str, sample: Row) -> None:
    args, attrs = sample
    check_rule(TABLE, TABLE.by_name[name], args, attrs)


def test_rules_and_rows_cover_each_other() -> None:
    exempt = {name for names in EXEMPT.values() for name in names.split()}
    tested = {name for name, _ in _ROWS}
    assert tested | exempt == set(TABLE.by_name)
    assert not tested & exempt
