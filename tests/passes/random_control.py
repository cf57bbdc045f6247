"""Random programs that do little but move numbers about: swaps, breaks, names unbound on one path."""

from __future__ import annotations

import random

from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Loc, Value
from s2s.ir.types import BOOL, FLOAT, INT

HINTS = ["", "", "a", "b", "c", "t"]


class RandomControl:
    """One program over three floats; every loop ends."""

    def __init__(self, seed: int, budget: int = 14) -> None:
        self.random = random.Random(seed)
        self.budget = budget
        params = [Value(FLOAT, n) for n in "abc"]
        self.b = Builder(Block(params))

    def build(self) -> Function:
        scope = self.statements(list(self.b.block.params), 0, self.budget)
        self.b.block.results = [self.random.choice(scope[-4:]) for _ in range(self.random.randrange(1, 4))]
        return Function("f", self.b.block)

    def statements(self, scope: list[Value], depth: int, most: int) -> list[Value]:
        for _ in range(self.random.randrange(most + 1)):
            if self.budget <= 0:
                break
            self.budget -= 1
            kinds = ["compute"] * 4 + (["if", "for", "while", "for_break"] * 2 if depth < 3 else [])
            scope = getattr(self, "do_" + self.random.choice(kinds))(scope, depth)
        return scope

    def pick(self, scope: list[Value]) -> Value:
        if self.random.random() < 0.15:
            return self.b.const(self.random.choice([0.0, -1.0, 0.5]))
        return self.random.choice(scope[-5:])

    def condition(self, scope: list[Value]) -> Value:
        return self.b.binary(self.random.choice(["lt", "ge", "eq"]), self.pick(scope), self.pick(scope))

    def do_compute(self, scope: list[Value], depth: int) -> list[Value]:
        v = self.b.binary(self.random.choice(["add", "sub", "mul"]), self.pick(scope), self.pick(scope))
        v = self.b.mul(self.b.const(0.25), v)
        if v.op is not None and v.op.name == "mul":
            v.hint = self.random.choice(HINTS)
        return [*scope, v]

    def results(self, scope: list[Value], count: int) -> list[Value]:
        return [self.pick(scope) for _ in range(count)]

    def branch(self, scope: list[Value], depth: int, count: int) -> Block:
        block = Block()
        with self.b.at(block):
            inner = self.statements(scope, depth + 1, 3)
            block.results = self.results(inner, count)
        return block

    def do_if(self, scope: list[Value], depth: int) -> list[Value]:
        count = self.random.randrange(1, 4)
        cond = self.condition(scope)
        blocks = [self.branch(scope, depth, count) for _ in range(2)]
        hints = [self.random.choice(HINTS) for _ in range(count)]
        if self.random.random() < 0.3:
            self.b.loc = Loc("f.py", 1, self.random.choice(["if a < b:", "c = a if a < b else b"]))
        op = self.b.region("if", {"cond": cond}, blocks, [FLOAT] * count, hints=hints)
        self.b.loc = None
        return [*scope, *op.results]

    def carried(self, scope: list[Value]) -> tuple[list[Value], list[Value]]:
        count = self.random.randrange(1, 4)
        inits = [self.pick(scope) for _ in range(count)]
        return inits, [Value(FLOAT, self.random.choice(HINTS)) for _ in range(count)]

    def do_for(self, scope: list[Value], depth: int) -> list[Value]:
        inits, params = self.carried(scope)
        body = Block([Value(INT, self.random.choice(["i", "", "a"])), *params])
        with self.b.at(body):
            inner = self.statements([*scope, *params], depth + 1, 3)
            body.results = self.results([*inner, *params], len(params))
        bounds = {"start": self.b.int(0), "stop": self.b.int(self.random.randrange(4)), "step": self.b.int(1)}
        unbound = self.random.random() < 0.3
        if unbound:  # what is carried in first is never read, if the loop runs at all
            bounds["stop"] = self.b.int(2)
            if not self.reads(body, params[-1]):
                inits[-1] = self.b.undefined(FLOAT)
        op = self.b.region("for", {**bounds, "init": tuple(inits)}, [body], [FLOAT] * len(params), {"breaks": False},
                           [p.hint for p in params])
        return [*scope, *op.results]

    def reads(self, block: Block, v: Value) -> bool:
        return v in block.results or any(v in op.operands() or any(self.reads(b, v) for b in op.blocks)
                                         for op in block.ops)

    def do_for_break(self, scope: list[Value], depth: int) -> list[Value]:
        inits, params = self.carried(scope)
        index = Value(INT, "i")
        body = Block([index, *params])
        with self.b.at(body):
            inner = self.statements([*scope, *params], depth + 1, 2)
            shape = self.random.choice(["tail", "nested", "flag"])
            if shape == "flag":
                body.results = [*self.results([*inner, *params], len(params)), self.condition(inner)]
            else:
                body.results = self.leave([*inner, *params], depth, len(params), shape == "nested")
        bounds = {"start": self.b.int(0), "stop": self.b.int(4), "step": self.b.int(1)}
        op = self.b.region("for", {**bounds, "init": tuple(inits)}, [body], [FLOAT] * len(params), {"breaks": True},
                           [p.hint for p in params])
        return [*scope, *op.results]

    def leave(self, scope: list[Value], depth: int, count: int, nested: bool) -> list[Value]:
        """Append `if c: ...; break` with the rest of the body in its else; what the body yields."""
        cond = self.condition(scope)
        then, orelse = self.branch(scope, depth, count), Block()
        with self.b.at(then):
            then.results.append(self.b.const(True))
        with self.b.at(orelse):
            inner = self.statements(scope, depth + 1, 2)
            if nested and self.random.random() < 0.7:
                orelse.results = self.leave(inner, depth + 1, count, nested)
            else:
                orelse.results = [*self.results(inner, count), self.random.choice([self.b.const(False), None])
                                  or self.condition(inner)]
        blocks = [then, orelse] if self.random.random() < 0.7 else [orelse, then]
        op = self.b.region("if", {"cond": cond}, blocks, [FLOAT] * count + [BOOL])
        return list(op.results)

    def do_while(self, scope: list[Value], depth: int) -> list[Value]:
        inits, params = self.carried(scope)
        inits, types = [self.b.int(0), *inits], [INT] + [FLOAT] * len(params)
        test = Block([Value(t, p) for t, p in zip(types, ["n", *(p.hint for p in params)], strict=True)])
        body = Block([Value(INT, "n"), *params])
        with self.b.at(test):
            more = self.b.binary("lt", test.params[0], self.b.int(3))
            if self.random.random() < 0.5:
                inner = self.statements([*scope, *test.params[1:]], depth + 1, 2)
                more = self.b.binary("and", more, self.condition(inner))
            test.results = [more]
        with self.b.at(body):
            inner = self.statements([*scope, *params], depth + 1, 3)
            body.results = [self.b.add(body.params[0], self.b.int(1)), *self.results([*inner, *params], len(params))]
        op = self.b.region("while", {"init": tuple(inits)}, [test, body], types, {"breaks": False},
                           ["n", *(p.hint for p in params)])
        return [*scope, *op.results[1:]]
