"""The rule table: one file a family, joined here by name."""

from __future__ import annotations

from s2s.rules import (
    constants,
    creation,
    einsum,
    elementwise,
    fft,
    indexing,
    joining,
    linalg,
    operators,
    products,
    reductions,
    running,
    shape,
    special,
)
from s2s.rules.table import Table

FAMILIES = (
    operators.family,
    elementwise.family,
    reductions.family,
    running.family,
    special.family,
    shape.family,
    creation.family,
    joining.family,
    indexing.family,
    products.family,
    einsum.family,
    linalg.family,
    fft.family,
    constants.family,
)

TABLE = Table(FAMILIES)
