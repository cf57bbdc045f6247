"""What is said to be out of reach of a store is: compared with all iterations of small loop nests, run one by one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from s2s.ir.builder import Builder
from s2s.ir.cells import Cells, Nesting
from s2s.ir.core import Block, Function, Op, Value
from s2s.ir.linear import Linear, impossible
from s2s.ir.ops import constant
from s2s.ir.types import INT, Array, Dim

SIZE = 6


class Nest:
    """A random nest of loops with accesses to a[i] and a[i, j]; `n`, a size, is SIZE."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.rank = self.random.choice([1, 2])
        self.a = Value(Array("float64", (Dim("n"), Dim("m"))[: self.rank], "C"), "a")
        self.b = Builder(Block([self.a]))
        self.n = self.b.dim(self.a, 0)
        self.accesses: list[Op] = []
        self.fill([], 3)
        self.fn = Function("f", self.b.block)

    def fill(self, indices: list[Value], depth: int) -> None:
        for _ in range(self.random.choice([1, 2])):
            kind = self.random.random()
            if depth and kind < 0.55:
                self.loop(indices, depth - 1)
            elif depth and kind < 0.65 and indices:
                self.branch(indices, depth - 1)
            else:
                self.access(indices)

    def loop(self, indices: list[Value], depth: int) -> None:
        body = Block([Value(INT, f"i{len(indices)}")])
        bounds = [self.integer(indices), self.integer(indices), self.b.int(self.random.choice([1, 1, 2, -1]))]
        with self.b.at(body):
            self.fill([*indices, body.params[0]], depth)
        self.b.region("for", {"start": bounds[0], "stop": bounds[1], "step": bounds[2], "init": ()}, [body], [],
                      {"breaks": False})

    def branch(self, indices: list[Value], depth: int) -> None:
        test = self.b.binary(self.random.choice(["lt", "ge", "eq"]), self.integer(indices), self.integer(indices))
        arms = [Block(), Block()]
        for arm in arms:
            with self.b.at(arm):
                self.fill(indices, depth)
        self.b.region("if", {"cond": test}, arms, [])

    def integer(self, indices: list[Value]) -> Value:
        base = self.random.choice([*indices, *indices, self.n, self.b.int(0)])
        return self.b.add(base, self.b.int(self.random.choice([-2, -1, 0, 0, 1, 2])))

    def access(self, indices: list[Value]) -> None:
        items, index = [], []
        for _ in range(self.rank):
            if self.random.random() < 0.2:
                index += [self.b.int(self.random.choice([0, 1, -2])), self.b.int(self.random.choice([-1, 3]))]
                items.append("s110")
            else:
                index.append(self.integer(indices))
                items.append("i")
        where = {"a": self.a, "index": tuple(index)}
        block = self.b.block
        if self.random.random() < 0.5:
            self.b.emit("getitem", where, {"items": tuple(items)})
        else:
            self.b.emit("setitem", {**where, "value": self.b.const(1.0)}, {"items": tuple(items)})
        self.accesses.append(block.ops[-1])


def runs(block: Block, env: dict[Value, Any]) -> Iterator[tuple[Op, set[tuple[int, ...]]]]:
    """Each access with the cells that it touches, in the order in which they happen."""
    for op in block.ops:
        args = [env.get(v, constant(v)) for v in op.operands()]
        if op.name == "dim":
            env[op.result] = SIZE
        elif op.name in ("add", "sub"):
            env[op.result] = args[0] + args[1] if op.name == "add" else args[0] - args[1]
        elif op.name in ("lt", "ge", "eq"):
            env[op.result] = {"lt": args[0] < args[1], "ge": args[0] >= args[1], "eq": args[0] == args[1]}[op.name]
        elif op.name == "for":
            for i in range(*args):
                env[op.blocks[0].params[0]] = i
                yield from runs(op.blocks[0], env)
        elif op.name == "if":
            cond = args[0]
            yield from runs(op.blocks[0 if cond else 1], env)
        elif op.name in ("getitem", "setitem"):
            cells = touched(op, [env.get(v, constant(v)) for v in op.values("index")])
            if cells is not None:
                yield op, cells


def touched(op: Op, index: list[int]) -> set[tuple[int, ...]] | None:
    """The cells of an access; None where it would raise."""
    values = iter(index)
    axes: list[Any] = []
    for code in op.attrs["items"]:
        if code == "i":
            k = next(values)
            if not -SIZE <= k < SIZE:
                return None
            axes.append([k % SIZE])
        else:
            axes.append(list(range(SIZE))[next(values):next(values)])
    return {(x,) for x in axes[0]} if len(axes) == 1 else {(x, y) for x in axes[0] for y in axes[1]}


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
