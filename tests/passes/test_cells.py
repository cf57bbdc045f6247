"""What is said to be out of reach of a store is: compared with all iterations of small loop nests, run one by one."""

from __future__ import annotations

import random

import pytest

from s2s.ir.cells import Cells, Nesting
from s2s.ir.linear import Linear, impossible
from tests.passes.nests import Nest, runs


@pytest.mark.parametrize("seed", range(400))
def test_out_of_reach(seed: int) -> None:
    nest = Nest(seed)
    cells = Cells(Nesting(nest.fn), nest.fn.block)
    order = list(runs(nest.fn.block, {}))
    follows = {(store, reader) for k, (reader, read) in enumerate(order) for store, written in order[k + 1:]
               if store.name == "setitem" and read & written}
    for reader in nest.accesses:
        for store in nest.accesses:
            if store.name == "setitem" and not cells.may_follow(store, reader):
                assert (store, reader) not in follows


def test_what_is_found() -> None:
    """A good part of the pairs that never meet is recognised."""
    found = apart = 0
    for seed in range(600):
        nest = Nest(seed)
        cells = Cells(Nesting(nest.fn), nest.fn.block)
        order = list(runs(nest.fn.block, {}))
        ran = {op for op, _ in order}
        follows = {(store, reader) for k, (reader, read) in enumerate(order) for store, written in order[k + 1:]
                   if read & written}
        for reader in nest.accesses:
            for store in nest.accesses:
                if store.name == "setitem" and {store, reader} <= ran and (store, reader) not in follows:
                    apart += 1
                    found += not cells.may_follow(store, reader)
    assert found > 0.5 * apart > 100, (found, apart)


@pytest.mark.parametrize("seed", range(100))
def test_impossible(seed: int) -> None:
    """No integers in a small range are a solution of what is said to have none."""
    random_ = random.Random(seed)

    def form() -> Linear:
        return Linear({k: c for k in "xyz" if (c := random_.choice([-2, -1, 0, 0, 1, 1]))}, random_.randint(-4, 2))
    zero, natural = [form() for _ in range(random_.randint(0, 2))], [form() for _ in range(random_.randint(1, 5))]

    def at(e: Linear, point: dict[str, int]) -> int:
        return e.constant + sum(c * point[str(k)] for k, c in e.factors.items())
    points = [dict(zip("xyz", p, strict=True)) for p in
              ((x, y, z) for x in range(-5, 6) for y in range(-5, 6) for z in range(-5, 6))]
    if impossible(zero, natural):
        assert not any(all(at(e, p) == 0 for e in zero) and all(at(e, p) >= 0 for e in natural) for p in points)
