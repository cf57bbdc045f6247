"""Which values depend on the inputs and influence the results, through derivatives.

A value is *varied* if it depends on one of the inputs, *useful* if one of the results depends on it, and
*active* if both; only floating values can be. Memory is handled as a whole: if one value of a group that
is stored to is varied, all of the group are.

    >>> from s2s.ir.builder import Builder
    >>> from s2s.ir.types import FLOAT
    >>> x, c = Value(FLOAT), Value(FLOAT)
    >>> b = Builder(Block([x, c]))
    >>> unused = b.add(c, c)
    >>> b.block.results = [b.add(x, c)]
    >>> f = Function("f", b.block)
    >>> a = Activity(f, [x], Memory(f), lambda op: None)
    >>> a.active(x), a.active(c), a.useful(c), a.active(unused)
    (True, False, True, False)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from s2s.analyse.memory import Memory, is_reference
from s2s.ir.core import Block, Function, Op, Value
from s2s.ir.types import is_inexact
from s2s.rules.table import Rule

CUTS = frozenset({"stop_gradient", "hostcall", "dim", "trips", "listlen", "listzeros", "const", "undefined", "print",
                  "assert", "raise"})
REGIONS = frozenset({"if", "for", "while", "with"})


def dependencies(op: Op, rule: Rule | None) -> Iterator[Value]:
    """The arguments of a plain operation on which its results depend differentiably."""
    if op.name in CUTS or (rule is not None and rule.nondiff is not None):
        return
    if op.name == "custom":
        # By what is captured there is no derivative: that it is asked for is found out where it would be formed.
        yield from (v for v in (*op.values("sources"), *op.values("captured")) if is_inexact(v.type))
        return
    yield from (v for v in op.operands_read() if is_inexact(v.type) or op.name == "pycall")


def carried(op: Op) -> list[tuple[Value, list[Value], Value, Value]]:
    """For each value that a loop carries: initial value, block parameters, yielded value, result."""
    offset = 1 if op.name == "for" else 0
    return [(init, [b.params[k + offset] for b in op.blocks], op.blocks[-1].results[k], op.results[k])
            for k, init in enumerate(op.values("init"))]


class Activity:
    """The sets of varied and of useful values of a function."""

    def __init__(self, fn: Function, wrt: Sequence[Value], memory: Memory,
                 rule: Callable[[Op], Rule | None]) -> None:
        self.memory = memory
        self._rule = rule
        self._varied: set[Value] = set()
        self._useful: set[Value] = set()
        for mark, start in ((self._varied, wrt), (self._useful, fn.block.results)):
            self._mark(mark, [v for v in start if is_inexact(v.type)])
            visit = self._forward if mark is self._varied else self._backward
            size = -1
            while size != len(mark):
                size = len(mark)
                visit(fn.block)

    def varied(self, v: Value) -> bool:
        """Whether `v` depends on the inputs."""
        return self._key(v) in self._varied

    def useful(self, v: Value) -> bool:
        """Whether the results depend on `v`."""
        return self._key(v) in self._useful

    def active(self, v: Value) -> bool:
        """Whether `v` has an adjoint."""
        return is_inexact(v.type) and self.varied(v) and self.useful(v)

    def changed(self, call: Op) -> bool:
        """Whether a call that nobody looked into may change an array through which the results depend on the inputs.

        Numbers are safe with anybody. An array of the function's own may be filled with what else the call is given.
        """
        if call.attrs.get("harmless"):
            return False
        arrays = [v for v in call.operands() if is_reference(v.type) and is_inexact(v.type)]
        filled = any(self.varied(v) for v in call.operands()) and any(
            v.op is not None and v.op.name != "pycall" and self.useful(v) for v in arrays)
        return filled or any(self.active(v) for v in arrays)

    def _key(self, v: Value) -> Value:
        if is_reference(v.type) and self.memory.is_written(v, lists=True):
            return self.memory.group(v)
        return v

    def _mark(self, mark: set[Value], values: Iterable[Value]) -> None:
        mark.update(self._key(v) for v in values)

    def _copy(self, mark: set[Value], sources: Iterable[Value], targets: Iterable[Value]) -> None:
        """Mark `targets` if one of `sources` is marked."""
        if any(self._key(v) in mark for v in sources):
            self._mark(mark, targets)

    def _forward(self, block: Block) -> None:
        mark = self._varied
        for op in block.ops:
            if op.name in ("for", "while"):
                for init, params, _, _ in carried(op):
                    self._copy(mark, [init], params)
            for inner in op.blocks:
                if op.name in REGIONS:
                    self._forward(inner)
            if op.name in ("for", "while"):
                for init, params, last, result in carried(op):
                    self._copy(mark, [init, last], [*params, result])
            elif op.name in REGIONS:
                for inner in op.blocks:
                    for y, r in zip(inner.results, op.results, strict=True):
                        self._copy(mark, [y], [r])
            elif op.spec.writes is not None:
                self._copy(mark, self._stored(op), [op.value(op.spec.writes)])
                self._copy(mark, [op.value(op.spec.writes)], op.results)
            else:
                self._copy(mark, dependencies(op, self._rule(op)), self._floating(op))

    def _backward(self, block: Block) -> None:
        mark = self._useful
        for op in reversed(block.ops):
            if op.name in ("for", "while"):
                for _, params, last, result in carried(op):
                    self._copy(mark, [result, *params], [last])
            elif op.name in REGIONS:
                for inner in op.blocks:
                    for y, r in zip(inner.results, op.results, strict=True):
                        self._copy(mark, [r], [y])
            for inner in op.blocks:
                if op.name in REGIONS:
                    self._backward(inner)
            if op.name in ("for", "while"):
                for init, params, _, result in carried(op):
                    self._copy(mark, [result, *params], [init])
            elif op.spec.writes is not None:
                self._copy(mark, [op.value(op.spec.writes), *op.results], [*self._stored(op), op.value(op.spec.writes)]
                           if op.results else self._stored(op))
            elif op.name not in REGIONS:
                self._copy(mark, self._floating(op), dependencies(op, self._rule(op)))

    @staticmethod
    def _stored(op: Op) -> list[Value]:
        return [op.value("value")] if "value" in op.args and is_inexact(op.value("value").type) else []

    @staticmethod
    def _floating(op: Op) -> list[Value]:
        return [r for r in op.results if is_inexact(r.type) or op.name == "pycall"]
