"""Loops that only add multiples of an adjoint are left out on the path where it is 0.

    if near[c]:                               if near[c]:
        s_bar = best_bar                          for k in range(n):
    else:                                             x_bar[c, k] += w[k] * best_bar
        s_bar = 0.0
    for k in range(n):
        x_bar[c, k] += w[k] * s_bar

So paths that pay nothing and cells that are not the largest are not reversed. Only in reverse code: in the function
itself 0.0 times infinity has to stay what it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from s2s.ir.core import Block, Function, Op, Value, clone_function, substitute, walk
from s2s.ir.memory import is_memory
from s2s.ir.ops import SPECS, constant
from s2s.ir.types import Scalar, kind
from s2s.simplify.ascending import ADDITIONS


@dataclass(frozen=True)
class _Path:
    """That the condition `cond` of an `if` is `holds`."""

    cond: Value
    holds: bool


def skips(fn: Function) -> Function:
    """`fn` without loops that add zeros."""
    if not any(op.name == "for" and op.origin is not None for op in walk(fn.block)):
        return fn
    new, _ = clone_function(fn)
    return new if _block(new.block, {}) else fn


def _block(block: Block, nonzero: Mapping[Value, _Path]) -> bool:
    """Rewrite a block, and say whether that changed it. nonzero: the only path on which a value may be other than 0."""
    nonzero = dict(nonzero)
    changed = False
    ops: list[Op] = []
    for op in block.ops:
        skipped = False
        if op.name == "for" and op.origin is not None:
            path = _path(op, nonzero)
            if path is not None:
                results, init = op.results, op.values("init")
                _skip(op, path, ops)
                nonzero.update({r: path for r, v in zip(results, init, strict=True)
                                if constant(v) == 0 or nonzero.get(v) == path})
                skipped = changed = True
        for inner in op.blocks:
            changed |= _block(inner, nonzero)
        if skipped:
            continue
        ops.append(op)
        if op.name == "if" and op.origin is not None:
            for k, r in enumerate(op.results):
                zero = [bool(constant(b.results[k]) == 0) for b in op.blocks]  # of NumPy's numbers, too
                if isinstance(r.type, Scalar) and kind(r.type) in "fc" and any(zero):
                    nonzero[r] = _Path(op.value("cond"), zero[1])
        elif op.origin is not None and not op.blocks:
            for path in dict.fromkeys(nonzero[v] for v in op.operands() if v in nonzero):
                zeros = {v for v, p in nonzero.items() if p == path}
                if op.results and _is_zero(op, zeros):
                    nonzero[op.result] = path
    block.ops = ops
    return changed


def _path(loop: Op, nonzero: Mapping[Value, _Path]) -> _Path | None:
    """The path on which alone `loop` does anything."""
    read = [v for op in walk(loop.blocks[0]) for v in op.operands()]
    for path in dict.fromkeys(nonzero[v] for v in (*loop.operands(), *read) if v in nonzero):
        zeros = {v for v, p in nonzero.items() if p == path}
        if _For(loop, zeros).is_idle():
            return path
    return None


def _skip(loop: Op, path: _Path, ops: list[Op]) -> None:
    """Put `loop` on its path: into the `if` before it where that has the same condition."""
    last = _last(path, ops)
    if last is None:
        last = Op(SPECS["if"], {"cond": path.cond}, {}, blocks=[Block(), Block()], loc=loop.loc, origin=loop.origin)
        ops.append(last)
    arm = last.blocks[not path.holds]
    inside = dict(zip(last.results, arm.results, strict=True))
    other = dict(zip(last.results, last.blocks[path.holds].results, strict=True))
    init = loop.values("init")
    results = loop.results
    loop.results = [Value(r.type, r.hint, loop) for r in results]
    last.blocks[path.holds].results += [other.get(v, v) for v in init]
    substitute(Block(ops=[loop]), inside)
    arm.ops.append(loop)
    arm.results += loop.results
    last.results += results
    for r in results:
        r.op = last


def _last(path: _Path, ops: list[Op]) -> Op | None:
    """The `if` with the condition of `path` that the block ends with; what comes after it is put before it."""
    at = len(ops) - 1
    while at >= 0 and not ops[at].blocks and ops[at].spec.pure:
        at -= 1
    if at < 0 or ops[at].name != "if" or ops[at].value("cond") is not path.cond:
        return None
    last, between = ops[at], ops[at + 1:]
    stores = any(not op.spec.pure for b in last.blocks for op in walk(b))
    if any(v in last.results or (stores and is_memory(v.type) and op.name != "dim")
           for op in between for v in op.operands()):
        return None
    ops[at:] = [*between, last]
    return last


def _is_zero(op: Op, zeros: set[Value]) -> bool:
    """Whether the result of a pure operation is 0 where `zeros` are."""
    def zero(name: str) -> bool:
        v = op.value(name)
        return v in zeros or constant(v) == 0

    if op.name == "mul":
        return zero("x") or zero("y")
    if op.name in ("add", "sub"):
        return zero("x") and zero("y")
    return op.name in ("div", "neg", "pos", "cast") and zero("x")


class _For:
    """What a loop does where `zeros` are 0: `zeros` grows by what is 0 then, `same` has what a value then is."""

    def __init__(self, loop: Op, zeros: set[Value], same: Mapping[Value, Value] | None = None) -> None:
        self.loop = loop
        self.zeros = set(zeros)
        self.same = dict(same or {})

    def is_idle(self) -> bool:
        """Whether it changes neither memory nor what it carries."""
        loop = self.loop
        if loop.attrs.get("breaks"):
            return False
        body = loop.blocks[0]
        init, params = loop.values("init"), body.params[1:]
        start = set(self.zeros)
        carried = {p for p, v in zip(params, init, strict=True) if v in start or constant(v) == 0}
        while True:
            self.zeros = start | carried
            if not self._runs_idle(body):
                return False
            lost = {p for p, v in zip(params, body.results, strict=True) if p in carried and not self._zero(v)}
            if not lost:
                break
            carried -= lost
        for p, v, result, first in zip(params, body.results, loop.results, init, strict=True):
            if p not in carried and self.same.get(v, v) is not p:
                return False
            if p in carried:
                self.zeros.add(result)
            self.same[result] = self.same.get(first, first)
        return all(isinstance(p.type, Scalar) for p in params)

    def _zero(self, v: Value) -> bool:
        return v in self.zeros or constant(v) == 0

    def _runs_idle(self, block: Block) -> bool:
        for op in block.ops:
            if op.name in ADDITIONS:
                if not self._zero(op.value("value")):
                    return False
            elif op.name == "for":
                inner = _For(op, self.zeros, self.same)
                if not inner.is_idle():
                    return False
                self.zeros, self.same = inner.zeros, inner.same
            elif op.name == "if":
                if not all(self._runs_idle(b) for b in op.blocks):
                    return False
                for k, r in enumerate(op.results):
                    arms = [b.results[k] for b in op.blocks]
                    if all(map(self._zero, arms)):
                        self.zeros.add(r)
                    if len({self.same.get(v, v) for v in arms}) == 1:
                        self.same[r] = self.same.get(arms[0], arms[0])
            elif op.blocks or not op.spec.pure:
                return False
            else:
                self._pure(op)
        return True

    def _pure(self, op: Op) -> None:
        if op.results and _is_zero(op, self.zeros):
            self.zeros.add(op.result)
        elif op.name in ("add", "sub"):
            x, y = op.value("x"), op.value("y")
            kept = x if self._zero(y) else y if op.name == "add" and self._zero(x) else None
            if kept is not None and kept.type == op.result.type:
                self.same[op.result] = self.same.get(kept, kept)
