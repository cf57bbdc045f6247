"""The IR as text, to look at between two stages."""

from __future__ import annotations

from collections.abc import Iterator

from s2s.ir.core import Arg, Block, Function, Op, Value
from s2s.ir.names import Names


def to_text(fn: Function) -> str:
    """One operation a line, with types; values are named after their hints,
    and constants stand where they are used.

    >>> from s2s.ir.builder import Builder
    >>> from s2s.ir.types import FLOAT
    >>> x = Value(FLOAT, "x")
    >>> block = Block([x])
    >>> block.results = [Builder(block).mul(x, x)]
    >>> print(to_text(Function("square", block)))
    square(x: weak float64):
        t: weak float64 = mul(x=x, y=x)
        yield t
    """
    printer = _Printer()
    defaults = {v: f" = {d!r}" for v, d in fn.defaults.items()}
    params = ", ".join(f"{printer.declare(p)}{defaults.get(p, '')}" for p in fn.block.params)
    return "\n".join([f"{fn.name}({params}):", *printer.block(fn.block, 1)])


class _Printer:
    def __init__(self) -> None:
        self.names: dict[Value, str] = {}
        self.fresh = Names()

    def name(self, v: Value) -> str:
        if v.op is not None and v.op.name == "const":
            return repr(v.op.attrs["value"])
        if v not in self.names:
            self.names[v] = self.fresh.fresh(v.hint or "t")
        return self.names[v]

    def declare(self, v: Value) -> str:
        return f"{self.name(v)}: {v.type}"

    def arg(self, arg: Arg) -> str:
        if isinstance(arg, tuple):
            return f"({', '.join(self.name(v) for v in arg)})"
        return self.name(arg)

    def block(self, block: Block, depth: int) -> Iterator[str]:
        for op in block.ops:
            if op.name != "const":
                yield from self.op(op, depth)
        yield "    " * depth + " ".join(["yield", ", ".join(self.name(v) for v in block.results)]).rstrip()

    def op(self, op: Op, depth: int) -> Iterator[str]:
        parts = [f"{k}={self.arg(a)}" for k, a in op.args.items()]
        parts += [f"{k}: {_attribute(v)}" for k, v in op.attrs.items()]
        text = f"{op.name}({', '.join(parts)})"
        if op.results:
            text = f"{', '.join(self.declare(r) for r in op.results)} = {text}"
        if op.origin is not None and op.origin.loc is not None:
            text += f"  # reverse of {op.origin.loc.text}"
        yield "    " * depth + text
        for k, inner in enumerate(op.blocks):
            title = {"if": ("then", "else"), "while": ("test", "body")}.get(op.name, ("body",) * (k + 1))[k]
            params = f" ({', '.join(self.declare(p) for p in inner.params)})" if inner.params else ""
            yield "    " * (depth + 1) + f"{title}{params}:"
            yield from self.block(inner, depth + 2)


def _attribute(value: object) -> str:
    return value.name if isinstance(value, Function) else repr(value)
