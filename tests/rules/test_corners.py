"""Derivatives at ties, kinks, zeros and ends of domains: what s2s gives there, written down once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import s2s
from s2s.differentiate.reverse import reverse
from s2s.ir.types import is_inexact
from s2s.rules import TABLE
from s2s.testing.interpret import run
from s2s.testing.rules import program

INF = math.inf
NAN = math.nan
EQUAL = np.array([1.0, 3.0, 3.0])
ZEROS = np.array([0.0, 2.0, 0.0])

# Rule, arguments, attributes, and the adjoint of each inexact argument for an adjoint of 1.
CORNERS: list[tuple[str, tuple[Any, ...], dict[str, Any], list[Any]]] = [
    # The first argument gets it at a tie.
    ("np.maximum", (1.5, 1.5), {}, [1.0, 0.0]),
    ("np.minimum", (1.5, 1.5), {}, [1.0, 0.0]),
    ("max", (1.5, 1.5), {}, [1.0, 0.0]),
    ("min", (1.5, 1.5), {}, [1.0, 0.0]),
    ("np.fmax", (1.5, 1.5), {}, [1.0, 0.0]),
    ("np.fmax", (NAN, 1.5), {}, [0.0, 1.0]),
    ("np.fmin", (1.5, NAN), {}, [1.0, 0.0]),
    ("np.clip", (np.array([0.0, 0.5, 1.0]), 0.0, 1.0), {}, [[1.0, 1.0, 1.0], 0.0, 0.0]),
    # The first of equal elements gets it.
    ("np.max", (EQUAL,), {}, [[0.0, 1.0, 0.0]]),
    ("np.min", (-EQUAL,), {"axis": 0}, [[0.0, 1.0, 0.0]]),
    ("np.max", (np.ones((2, 2, 2)),), {"axis": (0, 2)}, [[[[1.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]]),
    ("np.max", (np.ones((2, 2)),), {}, [[[1.0, 0.0], [0.0, 0.0]]]),
    # Kinks.
    ("abs", (0.0,), {}, [0.0]),
    ("np.abs", (np.array([0.0, -0.0]),), {}, [[0.0, 0.0]]),
    ("np.abs", (np.array([0j]),), {}, [[0j]]),
    ("math.fabs", (0.0,), {}, [0.0]),
    ("np.sign", (0.0,), {}, [0.0]),
    # Powers of zero.
    ("pow", (0.0, 0), {}, [0.0]),
    ("pow", (0.0, 1), {}, [1.0]),
    ("pow", (0.0, 2), {}, [0.0]),
    ("pow", (0.0, 0.0), {}, [0.0, 0.0]),
    ("pow", (0.0, 2.0), {}, [0.0, 0.0]),
    ("pow", (0.0, 0.5), {}, [INF, 0.0]),
    ("pow", (ZEROS, 0), {}, [[0.0, 0.0, 0.0]]),
    ("pow", (ZEROS, np.array([0.0, 0.0, 1.0])), {}, [[0.0, 0.0, 1.0], [0.0, math.log(2.0), 0.0]]),
    ("pow", (0, np.array([0.0, 2.0])), {}, [[0.0, 0.0]]),
    ("pow", (-2.0, 3.0), {}, [12.0, NAN]),
    ("math.pow", (0.0, 0.0), {}, [0.0, 0.0]),
    ("math.pow", (0.0, 0.5), {}, [INF, 0.0]),
    ("math.pow", (-2.0, 3.0), {}, [12.0, NAN]),
    ("np.prod", (np.array([0.0, 2.0, 3.0]),), {}, [[6.0, 0.0, 0.0]]),
    ("np.prod", (ZEROS,), {}, [[0.0, 0.0, 0.0]]),
    ("np.sinc", (0.0,), {}, [0.0]),
    ("np.std", (np.ones(3),), {}, [[0.0, 0.0, 0.0]]),
    ("np.cumprod", (ZEROS,), {}, [[3.0, 0.0, 0.0]]),
    ("np.partition", (np.array([3.0, 1.0, 1.0]), (1,)), {}, [[1.0, 1.0, 1.0]]),
    ("np.linalg.svdvals", (np.zeros((2, 2)),), {}, [[[1.0, 0.0], [0.0, 1.0]]]),
    # A singular matrix has a determinant, and so a derivative of it.
    ("np.linalg.det", (np.array([[1.0, 0.0], [3.0, 0.0]]),), {}, [[[0.0, -3.0], [0.0, 1.0]]]),
    ("np.linalg.det", (np.zeros((3, 3)),), {}, [np.zeros((3, 3))]),
    # Ends of domains, where Python's own division would raise.
    ("math.sqrt", (0.0,), {}, [INF]),
    ("np.sqrt", (ZEROS,), {}, [[INF, 0.5 / math.sqrt(2.0), INF]]),
    ("math.asin", (1.0,), {}, [INF]),
    ("math.acos", (-1.0,), {}, [-INF]),
    ("math.acosh", (1.0,), {}, [INF]),
    ("math.atan2", (0.0, 0.0), {}, [NAN, NAN]),
    ("math.hypot", (0.0, 0.0), {}, [0.0, 0.0]),
    ("np.hypot", (ZEROS, ZEROS), {}, [[0.0, math.sqrt(0.5), 0.0], [0.0, math.sqrt(0.5), 0.0]]),
    ("np.nan_to_num", (np.array([NAN, INF, 1.0]),), {}, [[0.0, 0.0, 1.0]]),
    ("np.nansum", (np.array([NAN, 1.0]),), {}, [[0.0, 1.0]]),
    ("np.where", (np.array([True, False]), 1.5, np.array([INF, NAN])), {}, [1.0, [0.0, 1.0]]),
]


@pytest.mark.parametrize(("name", "args", "attrs", "expected"), CORNERS,
                         ids=[f"{c[0]}-{k}" for k, c in enumerate(CORNERS)])
def test_corner(name: str, args: tuple[Any, ...], attrs: dict[str, Any], expected: list[Any]) -> None:
    fn, values = program(TABLE.by_name[name].spec, args, attrs)
    wrt = [p for p in fn.block.params if is_inexact(p.type)]
    made = reverse(fn, wrt, TABLE, keep_values=False, seeds_given=False)
    with np.errstate(all="ignore"):
        found = iter(run(made.function, values))
    adjoints = [next(found) if connected else 0.0 for connected in made.connected]
    for x_bar, wanted in zip(adjoints, expected, strict=True):
        np.testing.assert_array_almost_equal(x_bar, wanted, decimal=14)


@pytest.mark.parametrize("f", [
    lambda x: np.linalg.vector_norm(x), lambda x: np.linalg.vector_norm(x, axis=(0, 1, 2)),
    lambda x: np.linalg.vector_norm(x, ord=3), lambda x: np.linalg.norm(x[0, 0], 3)])
def test_norm_of_zeros(f):
    assert not s2s.grad(f)(np.zeros((2, 3, 2))).numpy().any()
