"""Every rule of the table, on every row of samples."""

from __future__ import annotations

from collections import Counter

import pytest

from s2s.rules import TABLE
from s2s.testing.rules import check_rule

from .rows import EXEMPT, Row, rows
from .rows_arrays import ROWS as ARRAY_ROWS

_ROWS = [*rows(), *((r.name, (r.args, r.options)) for r in ARRAY_ROWS)]
# One sample a rule for second derivatives, the last, which is the least ordinary; and those of the array rules.
_SMOOTH = [(n, r) for n, r in dict(rows()).items() if TABLE.by_name[n].differentiable]
_SEEN: Counter[str] = Counter()


def _label(name: str) -> str:
    _SEEN[name] += 1
    return f"{name}-{_SEEN[name]}"


@pytest.mark.parametrize(("name", "sample"), _ROWS, ids=[_label(name) for name, _ in _ROWS])
def test_rule(name: str, sample: Row) -> None:
    args, attrs = sample
    check_rule(TABLE, TABLE.by_name[name], args, attrs)


@pytest.mark.parametrize(("name", "sample"), _SMOOTH, ids=[name for name, _ in _SMOOTH])
def test_second_derivative(name: str, sample: Row) -> None:
    args, attrs = sample
    check_rule(TABLE, TABLE.by_name[name], args, attrs, order=2, rtol=1e-5)


def test_rules_and_rows_cover_each_other() -> None:
    exempt = {name for names in EXEMPT.values() for name in names.split()}
    tested = {name for name, _ in _ROWS}
    own = {name for name in TABLE.by_name if not name.startswith(("scipy.", "numba.", "user."))}
    assert tested | exempt == own
    assert not tested & exempt
