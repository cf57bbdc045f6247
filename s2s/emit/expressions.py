"""Values of the program as Python expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from s2s.emit import nodes, printing
from s2s.emit.calls import Calls
from s2s.emit.facts import Facts
from s2s.emit.inline import Inlining
from s2s.emit.nodes import Expression
from s2s.ir.builder import cast_constant
from s2s.ir.core import Op, Value
from s2s.ir.ops import constant, index_items, is_basic
from s2s.ir.types import Array, List, Scalar, Type, promote

# dtypes beside which a NumPy number of another dtype must say what it is.
_NARROW = {"float16", "float32", "complex64", "int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64"}
_FLOATS = ("float32", "float64")
_PLAIN = ("float64", "int64", "complex128", "bool")


class Expressions:
    """Expressions over the names that were chosen."""

    def __init__(self, facts: Facts, inlining: Inlining, names: Mapping[Value, str],
                 fresh: Callable[[str], str], functions: Mapping[int, str]) -> None:
        self.facts = facts
        self.inlining = inlining
        self.names = names
        self.fresh = fresh
        self.functions = functions
        self.calls = Calls(self)
        self.narrow = any(getattr(v.type, "dtype", None) in _NARROW for v in _all_values(facts))

    def of(self, v: Value) -> Expression:
        """The expression that reads `v`."""
        v = self.facts.resolve(v)
        if v not in self.inlining.inlined:
            return nodes.name(self.names[v])
        assert v.op is not None
        return self.operation(v.op)

    def name_of(self, v: Value) -> str | None:
        """The name of `v`; None where it is an expression."""
        v = self.facts.resolve(v)
        return None if v in self.inlining.inlined else self.names[v]

    def inlined_op(self, v: Value) -> Op | None:
        """The operation that is written where `v` is read."""
        v = self.facts.resolve(v)
        return v.op if v in self.inlining.inlined else None

    def operation(self, op: Op) -> Expression:
        """The expression that computes `op`."""
        special: Callable[[Op], Expression] | None = getattr(self, f"_{op.name}", None)
        if special is not None:
            return special(op)
        emits = op.spec.emits
        if emits in nodes.BINARY:
            return self._binary(op, emits)
        if emits in nodes.COMPARE:
            return nodes.compare(emits, self.of(op.value("x")), self.of(op.value("y")))
        if emits in ("and", "or"):
            return nodes.boolean(emits, self.of(op.value("x")), self.of(op.value("y")))
        if emits.startswith("unary "):
            x = self.of(op.value("x"))
            return nodes.negation(x) if op.name == "not" else nodes.unary(emits.removeprefix("unary "), x)
        return self.calls.call(op)

    def _binary(self, op: Op, symbol: str) -> Expression:
        first, second = (p.name for p in op.spec.params[:2])
        x, y = op.value(first), op.value(second)
        if symbol == "+":
            opposite = self.opposite(y)
            if opposite is not None:
                return nodes.binary("-", self.of(x), opposite)
        if symbol == "*" and op.origin is not None and constant(self.facts.resolve(x)) is not None:
            return self._scaled(self.of(x), y)
        return nodes.binary(symbol, self.of(x), self.of(y))

    def _scaled(self, factor: Expression, v: Value) -> Expression:
        """`c * x * y`, for what the reverse sweep builds as `c * (x * y)`."""
        op = self.inlined_op(v)
        if op is None or op.name not in ("mul", "div") or getattr(v.type, "dtype", "") not in _FLOATS:
            return nodes.binary("*", factor, self.of(v))
        return nodes.binary(op.spec.emits, self._scaled(factor, op.value("x")), self.of(op.value("y")))

    def opposite(self, v: Value) -> Expression | None:
        """The expression of -v, where `v` is written with a minus in front."""
        op = self.inlined_op(v)
        if op is None or getattr(v.type, "dtype", "bool") == "bool":
            return None
        if op.name == "neg":
            return self.of(op.value("x"))
        if op.name == "const":
            c = constant(op.result)
            return self.literal(-c, v.type) if isinstance(c, int | float | np.number) and c < 0 else None
        if op.name in ("mul", "div"):
            x = self.opposite(op.value("x"))
            return None if x is None else nodes.binary(op.spec.emits, x, self.of(op.value("y")))
        return None

    # ---- constants and numbers

    def literal(self, value: Any, type: Type) -> Expression:
        """A constant of `type`; with its dtype where that is narrow, or could be taken for narrow."""
        if isinstance(type, Scalar) and isinstance(value, bool | int | float | complex | np.generic):
            value = cast_constant(value, type)
            if isinstance(value, np.generic) and type.dtype in _PLAIN and not self.narrow:
                value = value.item()
        return nodes.literal(value)

    def _const(self, op: Op) -> Expression:
        return self.literal(op.attrs["value"], op.result.type)

    def _undefined(self, op: Op) -> Expression:
        return nodes.literal(None)  # never read at run time

    def _cast(self, op: Op) -> Expression:
        x, dtype = self.of(op.value("x")), op.attrs["dtype"]
        if isinstance(op.result.type, Array):
            return nodes.method(x, "astype", nodes.name(nodes.dtype_name(dtype)))
        if op.attrs.get("weak"):
            python = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}[np.dtype(dtype).kind]
            return nodes.call(python, [x])
        return nodes.call(nodes.dtype_name(dtype), [x])

    def _dim(self, op: Op) -> Expression:
        return nodes.shape(self.of(op.value("a")), op.attrs["axis"])

    # ---- ranges

    def range_of(self, op: Op) -> Expression:
        """`range(start, stop, step)` in its shortest form; `numba.prange` where iterations are shared out."""
        name = "numba.prange" if op.attrs.get("parallel") else "range"
        start, stop, step = (op.value(n) for n in ("start", "stop", "step"))
        one = constant(self.facts.resolve(step)) == 1
        if one and constant(self.facts.resolve(start)) == 0 and not op.attrs.get("signed"):
            return nodes.call(name, [self.of(stop)])
        return nodes.call(name, [self.of(v) for v in ((start, stop) if one else (start, stop, step))])

    def _trips(self, op: Op) -> Expression:
        start, stop, step = (self.facts.resolve(op.value(n)) for n in ("start", "stop", "step"))
        size = stop.op is not None and stop.op.name in ("dim", "listlen")
        if size and constant(start) == 0 and constant(step) == 1:
            return self.of(stop)  # is not negative
        return nodes.call("len", [self.range_of(op)])

    # ---- indexing and lists

    def index(self, op: Op, *, as_value: bool = False) -> Expression:
        """What stands in the brackets; `as_value`: as a value to pass on, with `slice(a, b)`."""
        parts = [_item(code, [self.of(v) for v in values], as_value)
                 for code, values in index_items(op.attrs["items"], op.values("index"))]
        return parts[0] if len(parts) == 1 else nodes.tuple_of(parts)

    def place(self, op: Op) -> Expression:
        """`a[index]`, of a load or of a store."""
        return nodes.subscript(self.of(op.value("a")), self.index(op))

    def _getitem(self, op: Op) -> Expression:
        return self.place(op)

    def _listget(self, op: Op) -> Expression:
        return nodes.subscript(self.of(op.value("list")), self.of(op.value("index")))

    def _listlen(self, op: Op) -> Expression:
        return nodes.call("len", [self.of(op.value("list"))])

    def _list(self, op: Op) -> Expression:
        return nodes.list_of([self.of(v) for v in op.values("elements")])

    def _listzeros(self, op: Op) -> Expression:
        t = op.result.type
        assert isinstance(t, List)
        return self._zeros_like_list(self.of(op.value("list")), t.element)

    def _zeros_like_list(self, source: Expression, element: Type) -> Expression:
        if isinstance(element, Scalar):
            zeros = nodes.list_of([self.literal(0, element)])
            return nodes.binary("*", zeros, nodes.call("len", [source]))
        variable = self.fresh("v")
        if isinstance(element, List):
            return nodes.each(self._zeros_like_list(nodes.name(variable), element.element), variable, source)
        return nodes.each(nodes.call("np.zeros_like", [nodes.name(variable)]), variable, source)

    def _pack(self, op: Op) -> Expression:
        t = op.result.type
        assert isinstance(t, Array)
        elements = op.values("elements")
        if any(isinstance(v.type, Array) for v in elements):
            return nodes.call("np.stack", [nodes.tuple_of([self.of(v) for v in elements])])
        numbers = [v.type for v in elements if isinstance(v.type, Scalar)]
        same = bool(numbers) and promote(numbers)[0] == t.dtype
        dtype = {} if same or t.dtype == "float64" else {"dtype": nodes.name(nodes.dtype_name(t.dtype))}
        return nodes.call("np.array", [nodes.list_of([self.of(v) for v in elements])], **dtype)

    # ---- control flow in an expression, and calls

    def _if(self, op: Op) -> Expression:
        (k,) = [k for k, r in enumerate(op.results) if r in self.facts.needed]
        cond = self.of(op.value("cond"))
        body, orelse = (self.of(b.results[k]) for b in op.blocks)
        logical = self.inlining.logical(op)
        if logical is not None:
            return nodes.boolean(logical, cond, body if logical == "and" else orelse)
        return nodes.conditional(cond, body, orelse)

    def _call(self, op: Op) -> Expression:
        return nodes.call(self.functions[id(op.attrs["function"])], [self.of(v) for v in op.values("args")])

    def _hostcall(self, op: Op) -> Expression:
        runner = op.attrs["runner"]
        self.calls.functions[runner.__name__] = runner
        return nodes.call(runner.__name__, [
            nodes.name(self.functions[id(op.attrs["function"])]),
            nodes.tuple_of([self.of(v) for v in op.values("theta")]), *(self.of(v) for v in op.values("values"))],
            **{k: nodes.literal(v) for k, v in op.attrs["options"]})

    def template(self, op: Op) -> str:
        """The user's text, with what is computed put in for ⟦0⟧, ⟦1⟧, …"""
        text: str = op.attrs["text"]
        for k, v in enumerate(op.operands()):
            marker = f"⟦{k}⟧"
            if marker in text:
                text = text.replace(marker, printing.atom(self.of(v)))
        return text

    def _pycall(self, op: Op) -> Expression:
        return nodes.name_like(self.template(op))

    def _format(self, op: Op) -> Expression:
        return nodes.name_like(self.template(op))

    def _listpop(self, op: Op) -> Expression:
        return nodes.method(self.of(op.value("list")), "pop")

    def _listarray(self, op: Op) -> Expression:
        return nodes.call("np.array", [self.of(op.value("list"))])

    def place_is_basic(self, op: Op) -> bool:
        """Whether a store is to an element, to a view or to a boolean mask: `a[index] += v` adds up."""
        items = op.attrs["items"]
        if is_basic(items):
            return True
        masks = [v for v in op.values("index") if getattr(v.type, "dtype", "") == "bool"]
        return len(items) == 1 and len(masks) == 1


def _item(code: str, given: list[Expression], as_value: bool) -> Expression:
    """One item of an index."""
    if code in "ia":
        return given[0]
    if code == "n":
        return nodes.name("np.newaxis")
    if code == "e":
        return nodes.literal(...)
    rest = iter(given)
    parts = [next(rest) if flag == "1" else None for flag in code[1:]]
    if as_value:
        return nodes.call("slice", [nodes.literal(None) if p is None else p for p in parts])
    return nodes.slice_of(*parts)


def _all_values(facts: Facts) -> list[Value]:
    found = []
    for block, _ in facts.blocks:
        found += block.params
        for op in block.ops:
            found += op.results
    return found
