"""Functions that are written out in terms of others: np.split as slices, np.gradient as differences.

Lowering asks here before it looks for a rule; so views stay slices, of which the engines know the memory, and a
function needs no derivative of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2s.rules.expand import (
    choosing,
    cutting,
    differences,
    fourier,
    matrices,
    padding,
    polynomials,
    products,
    quantiles,
    reducing,
    stacking,
    statistics,
)
from s2s.rules.expand.core import Expansion, Expansions

_FILES: tuple[Expansions, ...] = tuple(module.written for module in (
    choosing, cutting, differences, fourier, matrices, padding, polynomials, products, quantiles, reducing,
    stacking, statistics))

EXPANSIONS: dict[Callable[..., Any], Expansion] = {f: e for file in _FILES for f, e in file.functions.items()}
METHODS: dict[str, Expansion] = {name: e for file in _FILES for name, e in file.methods.items()}
