"""The rule table: one file a family, joined here by name."""

from __future__ import annotations

from s2s.rules import (
    constants,
    creation,
    decompositions,
    einsum,
    elementwise,
    fft,
    indexing,
    joining,
    least_squares,
    linalg,
    norms,
    numbers,
    operators,
    padding,
    parts,
    products,
    reductions,
    running,
    shape,
    signal,
    sorting,
    special,
)
from s2s.rules.table import Table

FAMILIES = (
    operators.family,
    elementwise.family,
    reductions.family,
    running.family,
    special.family,
    numbers.family,
    shape.family,
    creation.family,
    joining.family,
    indexing.family,
    products.family,
    einsum.family,
    linalg.family,
    decompositions.family,
    least_squares.family,
    norms.family,
    fft.family,
    padding.family,
    sorting.family,
    parts.family,
    signal.family,
    constants.family,
)

SCIPY = ("special", "linalg", "stats", "optimize", "integrate", "signal", "ndimage", "interpolate", "sparse")

LIBRARIES = {"numba": "s2s.rules.threads", **{f"scipy.{part}": f"s2s.scipy_rules.{part}" for part in SCIPY}}

TABLE = Table(FAMILIES, LIBRARIES)
