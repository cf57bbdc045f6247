"""The rule table: one file a family, joined here by name."""

from __future__ import annotations

from s2s.rules import elementwise, operators, reductions, special
from s2s.rules.table import Table

FAMILIES = (
    operators.family,
    elementwise.family,
    reductions.family,
    special.family,
)

TABLE = Table(FAMILIES)
