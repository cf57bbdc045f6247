"""Target cpu: operations that numba cannot compile, in forms that it can, with equal numbers.

    total = np.sum(x, axis=1, keepdims=True)      total = np.sum(x, axis=1)[:, np.newaxis]
    y = np.tile(x, 2)                             y = np.ascontiguousarray(np.broadcast_to(x, (2, n))).reshape(2 * n)

A form is a function of the operation's arguments: values as `Expr`, the rest as Python constants. It gives
an `Expr` (a tuple of them where there are several results), or None where numba has the operation as it is.
What a form writes may need forms itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from s2s.errors import CompilationError, S2SError, located
from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Op, OpSpec, Value, clone_function, map_arg, walk
from s2s.ir.memory import CALLS, LIST_STORES, Memory, reachable
from s2s.ir.ops import SPECS
from s2s.ir.types import Scalar
from s2s.rules import TABLE
from s2s.rules.expr import Expr
from s2s.targets import factors, joining, places, products, reductions, scalars, shapes
from s2s.targets.helpers import HELPERS

Form: TypeAlias = Callable[..., Any]
FORMS: Mapping[str, Form] = {**scalars.FORMS, **reductions.FORMS, **shapes.FORMS, **joining.FORMS, **products.FORMS,
                             **factors.FORMS,
                             **places.FORMS}
#: Forms of views that copy where the memory is not in C order.
COPYING = {"np.reshape", "np.ravel", "np.diagonal"}


def legalise(fn: Function) -> Function:
    """An equivalent function, and functions that it calls, in what numba compiles."""
    new = {id(f): _legalised(f) for f in reachable(fn)}
    for f in new.values():
        for op in walk(f.block):
            if op.name in CALLS:
                op.attrs["function"] = new[id(op.attrs["function"])]
    return new[id(fn)]


def _legalised(fn: Function) -> Function:
    if not any(op.name in FORMS for op in walk(fn.block)):
        return clone_function(fn)[0]
    copy, _ = clone_function(fn)
    memory = Memory(copy)
    written = {memory.of(v) for op in walk(copy.block) if op.name not in LIST_STORES for v in memory.writes(op)}
    keep = {op for op in walk(copy.block) if op.name in COPYING and memory.of(op.result) in written}
    _Pass(keep).block(copy.block)
    return copy


def lookup(name: str) -> OpSpec | None:
    """The operation `name`: of the target's helpers, the rule table or the language."""
    if name in HELPERS:
        return HELPERS[name]
    rule = TABLE.by_name.get(name)
    return rule.spec if rule is not None else SPECS.get(name)


class _Pass:
    """keep: operations whose results are written through, so that they must stay views."""

    def __init__(self, keep: set[Op]) -> None:
        self.keep = keep
        self.mapping: dict[Value, Value] = {}

    def block(self, block: Block) -> None:
        ops: list[Op] = []
        for op in block.ops:
            op.args = {k: map_arg(a, self.mapping) for k, a in op.args.items()}
            for inner in op.blocks:
                self.block(inner)
            ops += self.op(op)
        block.ops = ops
        block.results = [self.mapping.get(v, v) for v in block.results]

    def op(self, op: Op) -> list[Op]:
        """What stands for `op`; its results are mapped to theirs."""
        if op.name == "if":
            return [op, *self._missing(op)]
        form = FORMS.get(op.name)
        if form is None or op in self.keep:
            return [op]
        made = Block()
        b = Builder(made, op.loc, op.origin)
        try:
            result = form(**_arguments(op, b))
        except S2SError:
            raise
        except NotImplementedError as error:
            raise located(CompilationError, op.loc, f"numba cannot compile {op.name} {error}",
                          'target="python" runs the same code without numba.') from None
        if result is None:
            return [op]
        self._replace(op, result if isinstance(result, tuple) else (result,), b)
        new = []
        for inner in made.ops:
            inner.args = {k: map_arg(a, self.mapping) for k, a in inner.args.items()}
            new += self.op(inner)
        for r in op.results:
            while self.mapping[r] in self.mapping:  # a form of what the form wrote
                self.mapping[r] = self.mapping[self.mapping[r]]
        return new

    def _missing(self, op: Op) -> list[Op]:
        """What is on neither path is not there at all: of it there is nothing to copy."""
        made = Block()
        for k, r in enumerate(op.results):
            yielded = [b.results[k].op for b in op.blocks]
            if all(o is not None and o.name == "undefined" for o in yielded):
                self.mapping[r] = Builder(made, op.loc, op.origin).undefined(r.type)
        return made.ops

    def _replace(self, op: Op, results: tuple[Any, ...], b: Builder) -> None:
        for old, expr in zip(op.results, results, strict=bool(op.results)):
            t = old.type
            v = expr.v
            if getattr(t, "dtype", None) != getattr(v.type, "dtype", None):
                v = b.cast(v, Scalar(t.dtype))  # type: ignore[union-attr]
            if not v.hint and v.op is not None and v.op.name != "const" and v.op in b.block.ops:
                v.hint = old.hint
            self.mapping[old] = v


def _arguments(op: Op, b: Builder) -> dict[str, Any]:
    """The arguments of a form, by the names of the operation's parameters."""
    found: dict[str, Any] = {}
    for p in op.spec.params:
        arg = op.args.get(p.name)
        if arg is None:
            found[p.name] = op.attrs.get(p.name, p.default)
        elif isinstance(arg, tuple):
            found[p.name] = tuple(Expr(b, v, lookup) for v in arg)
        else:
            found[p.name] = Expr(b, arg, lookup)
    return found
