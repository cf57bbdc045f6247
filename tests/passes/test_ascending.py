"""Loops that are said to run in any order give the same backwards."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from s2s.ir.core import Block, Op, walk
from s2s.simplify.ascending import Order
from tests.passes.nests import Nest, runs


def effects(block: Block, turned: Op | None) -> tuple[dict[Any, float], dict[Op, list[Any]]]:
    """What memory holds in the end, and what each load saw, in any order."""
    memory: dict[Any, float] = defaultdict(float)
    seen: dict[Op, list[Any]] = defaultdict(list)
    env: dict[Any, Any] = {}
    for op, cells in runs(block, env, turned):
        if op.name == "getitem":
            seen[op].append(sorted((c, memory[c]) for c in cells))
            continue
        value = op.value("value").op.attrs["value"] * (1 + sum(i for v, i in env.items() if v.op is None))
        for c in cells:
            memory[c] = value if op.name == "setitem" else memory[c] + value
    return memory, {op: sorted(values) for op, values in seen.items()}


@pytest.mark.parametrize("seed", range(300))
def test_any_order(seed: int) -> None:
    fn = Nest(seed, ("additem", "additem")).fn
    order = Order(fn)
    for loop in walk(fn.block):
        if loop.name == "for" and order.is_free(loop):
            assert effects(fn.block, None) == effects(fn.block, loop)


def test_what_is_found() -> None:
    """Of the loops that give the same backwards, a good part is recognised."""
    same = found = 0
    for seed in range(300):
        fn = Nest(seed, ("additem", "additem")).fn
        order = Order(fn)
        for loop in walk(fn.block):
            if loop.name == "for" and len(effects(fn.block, None)[0]) > 2 \
                    and effects(fn.block, None) == effects(fn.block, loop):
                same += 1
                found += order.is_free(loop)
    assert found > 0.4 * same > 40, (found, same)
