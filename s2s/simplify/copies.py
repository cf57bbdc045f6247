"""Copies: values that are always another one, branches that are always taken, loops that never run.

    >>> from s2s.ir.builder import Builder
    >>> from s2s.ir.core import Block, Function, Value
    >>> from s2s.ir.types import FLOAT
    >>> x = Value(FLOAT, "x")
    >>> b = Builder(Block([x]))
    >>> yes = b.const(True)
    >>> op = b.region("if", {"cond": yes}, [Block(results=[x]), Block(results=[b.const(0.0)])], [FLOAT])
    >>> b.block.results = [op.result]
    >>> new = copies(Function("f", b.block))
    >>> new.block.results == new.block.params
    True

The same is done where both branches yield the same value, and where a loop carries a value that no iteration changes.
"""

from __future__ import annotations

from s2s.ir.core import Block, Function, Op, Value, clone_function, substitute, walk
from s2s.ir.ops import constant
from s2s.ir.types import INT, Undefined


def copies(fn: Function) -> Function:
    """`fn` without copies."""
    new, _ = clone_function(fn)
    rewriter = _Copies()
    rewriter.block(new.block)
    rewriter.substitute(new.block)
    return new


def _is_undefined(v: Value) -> bool:
    """Whether nothing is bound to `v`: it is never read, so anything may stand for it."""
    return isinstance(v.type, Undefined) or (v.op is not None and v.op.name == "undefined")


class _Copies:
    """Rewrites a function that nobody else holds, in place; `replaced` maps each copy to its original."""

    def __init__(self) -> None:
        self.replaced: dict[Value, Value] = {}

    def find(self, v: Value) -> Value:
        """What `v` is a copy of, at the end of the chain."""
        root = v
        while (up := self.replaced.get(root)) is not None:
            root = up
        while v is not root:
            self.replaced[v], v = root, self.replaced[v]
        return root

    def copy_of(self, v: Value, original: Value) -> None:
        """Replace `v` by `original` everywhere, and hand on the name."""
        original = self.find(original)
        if not original.hint and constant(original) is None:
            original.hint = v.hint
        self.replaced[v] = original

    def block(self, block: Block) -> None:
        """Simplify the operations of `block`, inner blocks first."""
        ops: list[Op] = []
        for op in block.ops:
            for inner in op.blocks:
                self.block(inner)
            if op.name == "if":
                ops += self._if(op)
            elif op.name in ("for", "while"):
                ops += self._loop(op)
            else:
                ops.append(op)
        block.ops = ops

    def _if(self, op: Op) -> list[Op]:
        test = constant(self.find(op.value("cond")))
        if test is not None:
            chosen = op.blocks[0 if test else 1]
            for r, v in zip(op.results, chosen.results, strict=True):
                self.copy_of(r, v)
            return chosen.ops
        before: list[Op] = []
        changed = [i for i, r in enumerate(op.results) if not self._same_yields(op, i, r, before)]
        if len(changed) < len(op.results):
            op.results = [op.results[i] for i in changed]
            for inner in op.blocks:
                inner.results = [inner.results[i] for i in changed]
        return [*before, op]

    def _same_yields(self, op: Op, i: int, result: Value, before: list[Op]) -> bool:
        """Whether the branches agree on result `i`, which is then a copy."""
        x, y = (self.find(b.results[i]) for b in op.blocks)
        if _is_undefined(x) and not _defined_in(y, op.blocks[1]):
            x = y
        elif _is_undefined(y) and not _defined_in(x, op.blocks[0]):
            y = x
        if x is y:
            self.copy_of(result, x)
            return True
        a, b = constant(x), constant(y)
        if a is None or type(a) is not type(b) or repr(a) != repr(b) or x.type != y.type:
            return False
        assert x.op is not None
        shared = Op(x.op.spec, {}, dict(x.op.attrs), loc=x.op.loc, origin=x.op.origin)
        shared.results = [Value(x.type, "", shared)]
        before.append(shared)
        self.copy_of(result, shared.result)
        return True

    def _loop(self, op: Op) -> list[Op]:
        first = 1 if op.name == "for" else 0
        init = op.values("init")
        if self._never_runs(op):
            for r, v in zip(op.results, init, strict=True):
                self.copy_of(r, v)
            return []
        body = op.blocks[-1]
        kept = []
        for i, result in enumerate(op.results):
            param, yielded = body.params[first + i], self.find(body.results[i])
            if yielded is param or yielded is self.find(init[i]):
                self.copy_of(result, init[i])
                for b in op.blocks:
                    self.copy_of(b.params[first + i], init[i])
            else:
                kept.append(i)
        if len(kept) < len(op.results):
            op.args["init"] = tuple(init[i] for i in kept)
            for b in op.blocks:
                b.params = [*b.params[:first], *(b.params[first + i] for i in kept)]
            body.results = [*(body.results[i] for i in kept), *body.results[len(op.results):]]
            op.results = [op.results[i] for i in kept]
        return self._once(op) if op.name == "for" else [op]

    def _never_runs(self, op: Op) -> bool:
        if op.name == "for":
            return self._trips(op) == 0
        test = op.blocks[0]
        return constant(self.find(test.results[0])) is False and not any(
            o.spec.effect or o.spec.writes or o.name == "call" for o in walk(test))

    def _trips(self, op: Op) -> int | None:
        bounds = [constant(self.find(op.value(n))) for n in ("start", "stop", "step")]
        if not all(isinstance(c, int) for c in bounds) or bounds[2] == 0:
            return None
        return len(range(*bounds))

    def _once(self, op: Op) -> list[Op]:
        """A loop of one iteration is its body."""
        body = op.blocks[0]
        if op.attrs.get("breaks") or self._trips(op) != 1 or op.value("start").type != INT:
            return [op]
        self.copy_of(body.params[0], op.value("start"))
        for p, v in zip(body.params[1:], op.values("init"), strict=True):
            self.copy_of(p, v)
        for r, v in zip(op.results, body.results, strict=True):
            self.copy_of(r, v)
        return body.ops

    def substitute(self, block: Block) -> None:
        """Put the originals in place of the copies."""
        if not self.replaced:
            return
        found = {v: self.find(v) for v in list(self.replaced)}
        substitute(block, found)




def _defined_in(v: Value, block: Block) -> bool:
    """Whether `v` is made by an operation of `block` itself."""
    return v.op is not None and any(op is v.op for op in block.ops)
