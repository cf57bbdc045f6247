"""Forward mode of gradients, which is how a Hessian meets a vector: every program of the reverse tests again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from small_python import small
from test_reverse import CASES, copies, floating, ids

from s2s.differentiate.forward import forward
from s2s.differentiate.reverse import reverse
from s2s.rules import TABLE
from s2s.simplify import simplify
from s2s.testing.interpret import run

EPS = 1e-5


@pytest.mark.parametrize("simplified", [False, True])
@pytest.mark.parametrize("case", CASES, ids=ids)
def test_forward_over_reverse(case: Any, simplified: bool) -> None:
    function, types, args = case
    fn = small(function, types)
    wrt = floating(fn)
    made = reverse(fn, [fn.block.params[k] for k in wrt], TABLE, keep_values=False, seeds_given=False)
    gradient = simplify(made.function) if simplified else made.function
    result = forward(gradient, wrt, TABLE)
    rng = np.random.default_rng(0)
    base = copies(args)
    dots = [rng.normal(size=np.shape(base[k])) if np.shape(base[k]) else float(rng.normal()) for k in wrt]

    def at(step: float) -> list[np.ndarray]:
        moved = copies(args)
        for k, dot in zip(wrt, dots, strict=True):
            moved[k] = moved[k] + step * dot
        return [np.asarray(g) for g in run(gradient, moved)]

    seeds = [gradient.defaults[p] for p in gradient.block.params[len(args):]]
    out = run(simplify(result.function) if simplified else result.function, [*copies(args), *seeds, *dots])
    tangents = iter(out[len(gradient.block.results):])
    for connected, up, down in zip(result.connected, at(EPS), at(-EPS), strict=True):
        got = next(tangents) if connected else 0.0
        np.testing.assert_allclose(got, (up - down) / (2 * EPS), rtol=1e-5, atol=1e-6)
