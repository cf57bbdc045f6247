"""Random nests of loops with accesses to an array, and what they do when they run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Op, Value
from s2s.ir.ops import constant
from s2s.ir.types import INT, Array, Dim

SIZE = 6


class Nest:
    """A random nest of loops with accesses to a[i] and a[i, j]; `n`, a size, is SIZE."""

    def __init__(self, seed: int, more: tuple[str, ...] = ()) -> None:
        self.random = random.Random(seed)
        self.more = more
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
        kind = self.random.choice(["getitem", "setitem", *self.more])
        slices = 0.0 if self.more and kind == "getitem" else 0.2  # a view reads nothing itself
        for _ in range(self.rank):
            if self.random.random() < slices:
                index += [self.b.int(self.random.choice([0, 1, -2])), self.b.int(self.random.choice([-1, 3]))]
                items.append("s110")
            else:
                index.append(self.integer(indices))
                items.append("i")
        where = {"a": self.a, "index": tuple(index)}
        block = self.b.block
        args = where if kind == "getitem" else {**where, "value": self.b.const(float(len(self.accesses) + 1))}
        self.b.emit(kind, args, {"items": tuple(items)})
        self.accesses.append(block.ops[-1])


def runs(block: Block, env: dict[Value, Any], turned: Op | None = None) -> Iterator[tuple[Op, set[tuple[int, ...]]]]:
    """Each access with the cells that it touches, in the order in which they happen; `turned` runs backwards."""
    for op in block.ops:
        args = [env.get(v, constant(v)) for v in op.operands()]
        if op.name == "dim":
            env[op.result] = SIZE
        elif op.name in ("add", "sub"):
            env[op.result] = args[0] + args[1] if op.name == "add" else args[0] - args[1]
        elif op.name in ("lt", "ge", "eq"):
            env[op.result] = {"lt": args[0] < args[1], "ge": args[0] >= args[1], "eq": args[0] == args[1]}[op.name]
        elif op.name == "for":
            for i in range(*args)[:: -1 if op is turned else 1]:
                env[op.blocks[0].params[0]] = i
                yield from runs(op.blocks[0], env, turned)
            env.pop(op.blocks[0].params[0], None)
        elif op.name == "if":
            cond = args[0]
            yield from runs(op.blocks[0 if cond else 1], env, turned)
        elif op.name in ("getitem", "setitem", "additem"):
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
