"""Calls of library functions: which arguments are written, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from s2s.emit import nodes
from s2s.emit.nodes import Expression
from s2s.ir.core import Op, Param
from s2s.ir.types import Array, Scalar

if TYPE_CHECKING:
    from s2s.emit.expressions import Expressions


class Calls:
    """Writes operations that are calls of functions.

    helpers: those of s2s.runtime that were used; functions: those that users have given rules.
    """

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self.helpers: set[str] = set()
        self.functions: dict[str, Any] = {}

    def call(self, op: Op) -> Expression:
        """`np.sum(x, axis=0)`, or the operator or attribute that a person would write."""
        node = self._whole(op)
        if op.spec.emits == "tuple" and len(op.results) == 1:
            return nodes.subscript(node, nodes.literal(0))
        return node

    def _whole(self, op: Op) -> Expression:
        """All results of a call: a tuple where it has several."""
        name = op.spec.called
        if op.spec.function is not None:
            self.functions[name] = op.spec.function
        args, keywords = self._arguments(op)
        if name in ("np.matmul", "matmul") and len(args) == 2 and not keywords:
            return nodes.binary("@", *args)
        if name == "np.transpose" and len(args) == 1 and not keywords:
            return nodes.attribute(args[0], "T")
        if name == "s2s.broadcast_like" and _fills(op):
            return nodes.call("np.full_like", [args[1], args[0]])
        if name.startswith("s2s."):
            name = name.removeprefix("s2s.")
            self.helpers.add(name)
        if op.spec.emits == "method":
            receiver, *args = args
            return nodes.call(nodes.attribute(receiver, name.rpartition(".")[2]), args, **keywords)
        return nodes.call(name, args, **keywords)

    def _arguments(self, op: Op) -> tuple[list[Expression], dict[str, Expression]]:
        """Positional and keyword arguments; what has its default is left out, and what follows is named."""
        args: list[Expression] = []
        keywords: dict[str, Expression] = {}
        positional = True
        for p in op.spec.params:
            if p.kind == "values" and p.default == ():
                args += [self.expressions.of(v) for v in op.args.get(p.name, ())]  # type: ignore[union-attr]
                continue
            value = self._argument(op, p)
            if value is None:
                positional = False
            elif positional and (p.kind != "static" or p.default is ...):
                args.append(value)
            else:
                keywords[p.name] = value
                positional = False
        return args, keywords

    def _argument(self, op: Op, p: Param) -> Expression | None:
        """The expression of one argument; None where it is left out."""
        if p.name in op.args:
            arg = op.args[p.name]
            if not isinstance(arg, tuple):
                return self.expressions.of(arg)
            parts = [self.expressions.of(v) for v in arg]
            return parts[0] if p.kind == "ints" and len(parts) == 1 else nodes.tuple_of(parts)
        value = op.attrs.get(p.name, p.default)
        if value is ... or (p.default is not ... and _same(value, p.default)):
            return None
        if p.name == "dtype" and isinstance(value, str):
            return nodes.name(nodes.dtype_name(value))
        return nodes.literal(value)


def _fills(op: Op) -> bool:
    """Whether an array like another one, in the same order, is filled with a number of its dtype."""
    x, like = op.value("x").type, op.value("like").type
    return isinstance(x, Scalar) and isinstance(like, Array) and like.layout == "C" and x.dtype == like.dtype


def _same(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and bool(a == b))
