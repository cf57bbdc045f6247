"""Random programs in the IR: nested loops and branches, views, stores, lists. All of them run."""

from __future__ import annotations

import random

from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Value
from s2s.ir.types import FLOAT, INT, Array, List, Scalar, known_dim

SIZE = 4
VECTOR = Array("float64", (known_dim(SIZE),), "C")
STRONG = Scalar("float64")


class RandomProgram:
    """Builds one program over two floats and two vectors of SIZE elements.

    smooth: leave out comparisons of floats and everything else that is not differentiable.
    """

    def __init__(self, seed: int, statements: int = 12, *, smooth: bool = False) -> None:
        self.random = random.Random(seed)
        self.budget = statements
        self.smooth = smooth
        params = [Value(FLOAT, "x"), Value(FLOAT, "y"), Value(VECTOR, "a"), Value(VECTOR, "c")]
        self.b = Builder(Block(params))
        self.scalars: list[Value] = params[:2]
        self.arrays: list[Value] = params[2:]
        self.lists: list[Value] = []
        self.indices: list[Value] = []

    def build(self) -> Function:
        """The program; its results are some scalars and arrays."""
        while self.budget > 0:
            self.statement(0)
        results = self.random.sample(self.scalars, 2) + self.random.sample(self.arrays, 1)
        self.b.block.results = results
        return Function("f", self.b.block)

    def statement(self, depth: int) -> None:
        """Append one random statement."""
        self.budget -= 1
        kinds = ["scalar"] * 5 + ["load"] * 3 + ["store"] * 3 + ["array"] * 2 + ["fresh", "view", "list"]
        if depth < 2:
            kinds += ["if", "for", "for", "while"]
        getattr(self, "do_" + self.random.choice(kinds))(depth)

    def scalar(self) -> Value:
        if self.random.random() < 0.2:
            return self.b.const(self.random.choice([0.0, 1.0, -1.0, 0.5, 2.0]))
        return self.random.choice(self.scalars[-6:])

    def array(self) -> Value:
        return self.random.choice(self.arrays[-4:])

    def index(self) -> Value:
        if self.indices and self.random.random() < 0.7:
            return self.random.choice(self.indices)
        return self.b.int(self.random.randrange(2))

    def bounded(self, v: Value) -> Value:
        """A number that cannot grow beyond bounds in a loop."""
        return self.b.mul(self.b.const(0.25), v)

    def do_scalar(self, depth: int) -> None:
        op = self.random.choice(["add", "sub", "mul"])
        v = self.b.binary(op, self.scalar(), self.scalar())
        self.scalars.append(self.bounded(v))

    def do_load(self, depth: int) -> None:
        cell = self.b.one("getitem", {"a": self.array(), "index": (self.index(),)}, {"items": ("i",)})
        self.scalars.append(cell)

    def do_store(self, depth: int) -> None:
        kind = self.random.choice(["setitem", "setitem", "additem", "addto"])
        value = self.bounded(self.scalar())
        args = {"a": self.array(), "value": value}
        if kind == "addto":
            self.b.emit(kind, args)
        else:
            self.b.emit(kind, {"a": args["a"], "index": (self.index(),), "value": value}, {"items": ("i",)})

    def do_array(self, depth: int) -> None:
        op = self.random.choice(["add", "sub", "mul"])
        other = self.random.choice([self.array(), self.scalar()])
        v = self.b.binary(op, self.array(), other)
        # Not folded to the array itself: what is made here may be written.
        self.arrays.append(self.b.binary("mul", v, self.b.const(0.25)))

    def do_fresh(self, depth: int) -> None:
        # An array of zeros without the rule table: a sum of nothing.
        cells = tuple(self.b.const(0.0) for _ in range(SIZE))
        self.arrays.append(self.b.one("pack", {"elements": cells}, {"dtype": "float64"}))

    def do_view(self, depth: int) -> None:
        self.arrays.append(self.b.one("getitem", {"a": self.array(), "index": ()}, {"items": ("s000",)}))

    def do_list(self, depth: int) -> None:
        if not self.lists or depth == 0:
            elements = (self.scalar(),)
            self.lists.append(self.b.one("list", {"elements": elements}, {"type": List(FLOAT)}))
        self.b.emit("append", {"list": self.lists[-1], "value": self.scalar()})
        self.scalars.append(self.b.one("listget", {"list": self.lists[-1], "index": self.b.int(0)}))

    def inside(self, block: Block, depth: int) -> None:
        """Fill `block` with a few statements."""
        with self.b.at(block):
            for _ in range(self.random.randrange(4)):
                self.statement(depth + 1)

    def scope(self) -> tuple[list[Value], ...]:
        return list(self.scalars), list(self.arrays), list(self.lists), list(self.indices)

    def restore(self, scope: tuple[list[Value], ...]) -> None:
        self.scalars, self.arrays, self.lists, self.indices = (list(s) for s in scope)

    def condition(self) -> Value:
        if self.smooth or self.random.random() < 0.2:
            i = self.index()
            return self.b.binary("lt", i, self.b.int(1))
        return self.b.binary("lt", self.scalar(), self.scalar())

    def do_if(self, depth: int) -> None:
        cond, scope, blocks = self.condition(), self.scope(), []
        yielded = []
        for _ in range(2):
            self.restore(scope)
            block = Block()
            self.inside(block, depth)
            yielded.append((self.random.choice(self.scalars[-3:]), self.random.choice(self.arrays[-2:])))
            block.results = list(yielded[-1])
            blocks.append(block)
        self.restore(scope)
        op = self.b.region("if", {"cond": cond}, blocks, [FLOAT, VECTOR])
        self.scalars.append(op.results[0])
        self.arrays.append(op.results[1])

    def loop_body(self, params: list[Value], depth: int) -> Block:
        scope, body = self.scope(), Block(params)
        self.scalars += params[-3:-1]
        self.arrays.append(params[-1])
        self.inside(body, depth)
        body.results = [self.random.choice(self.scalars[-3:]), self.random.choice(self.scalars[-3:]),
                        self.random.choice(self.arrays[-3:])]
        self.restore(scope)
        return body

    def do_for(self, depth: int) -> None:
        init = (self.scalar(), self.scalar(), self.array())
        index = Value(INT, "i")
        params = [index, Value(FLOAT, "s"), Value(FLOAT, "t"), Value(VECTOR, "v")]
        bounds = {"start": self.b.int(self.random.randrange(2)), "stop": self.b.int(self.random.randrange(4)),
                  "step": self.b.int(1)}
        self.indices.append(index)
        body = self.loop_body(params, depth)
        self.indices.remove(index)
        breaks = self.random.random() < 0.3
        if breaks:
            with self.b.at(body):
                body.results.append(self.b.binary("eq", index, self.b.int(1)))
        op = self.b.region("for", {**bounds, "init": init}, [body], [FLOAT, FLOAT, VECTOR], {"breaks": breaks})
        self.after(op.results)

    def do_while(self, depth: int) -> None:
        init = (self.b.int(0), self.scalar(), self.scalar(), self.array())
        types = [INT, FLOAT, FLOAT, VECTOR]
        params = [Value(t) for t in types]
        test = Block([Value(t) for t in types])
        with self.b.at(test):
            test.results = [self.b.binary("lt", test.params[0], self.b.int(self.random.randrange(4)))]
        body = self.loop_body(params, depth)
        with self.b.at(body):
            body.results.insert(0, self.b.add(params[0], self.b.int(1)))
        op = self.b.region("while", {"init": init}, [test, body], types)
        self.after(op.results[1:])

    def after(self, results: list[Value]) -> None:
        self.scalars += results[:2]
        self.arrays.append(results[2])
