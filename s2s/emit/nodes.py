"""Short constructors for the gast nodes that emitted code is made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import gast
import numpy as np

from s2s.ir.ops import Pairs

Expression: TypeAlias = Any

BINARY = {"+": gast.Add, "-": gast.Sub, "*": gast.Mult, "/": gast.Div, "//": gast.FloorDiv, "%": gast.Mod,
          "**": gast.Pow, "&": gast.BitAnd, "|": gast.BitOr, "^": gast.BitXor, "<<": gast.LShift,
          ">>": gast.RShift, "@": gast.MatMult}
COMPARE = {"==": gast.Eq, "!=": gast.NotEq, "<": gast.Lt, "<=": gast.LtE, ">": gast.Gt, ">=": gast.GtE,
           "is": gast.Is, "is not": gast.IsNot, "in": gast.In, "not in": gast.NotIn}
UNARY = {"-": gast.USub, "+": gast.UAdd, "~": gast.Invert, "not": gast.Not}
_OPPOSITE = {gast.Eq: gast.NotEq, gast.NotEq: gast.Eq, gast.Is: gast.IsNot, gast.IsNot: gast.Is,
             gast.In: gast.NotIn, gast.NotIn: gast.In}


def name(text: str) -> Expression:
    """A name, or an attribute of one: `np.linalg.inv`."""
    first, *rest = text.split(".")
    node: Expression = gast.Name(first, gast.Load(), None, None)
    for part in rest:
        node = gast.Attribute(node, part, gast.Load())
    return node


def name_like(text: str) -> Expression:
    """Text that is printed as it is: the user's own, and whole like a name."""
    return gast.Name(text, gast.Load(), None, None)


def binary(symbol: str, x: Expression, y: Expression) -> Expression:
    return gast.BinOp(x, BINARY[symbol](), y)


def unary(symbol: str, x: Expression) -> Expression:
    return gast.UnaryOp(UNARY[symbol](), x)


def compare(symbol: str, x: Expression, y: Expression) -> Expression:
    return gast.Compare(x, [COMPARE[symbol]()], [y])


def boolean(symbol: str, x: Expression, y: Expression) -> Expression:
    """`x and y`, with what is an `and` itself joined to it."""
    op = gast.And if symbol == "and" else gast.Or
    values = [w for v in (x, y) for w in (v.values if isinstance(v, gast.BoolOp) and isinstance(v.op, op) else [v])]
    return gast.BoolOp(op(), values)


def negation(x: Expression) -> Expression:
    """`not x`, in the shortest form that is right for NaN too."""
    if isinstance(x, gast.UnaryOp) and isinstance(x.op, gast.Not):
        return x.operand
    if isinstance(x, gast.Compare) and type(x.ops[0]) in _OPPOSITE:
        return gast.Compare(x.left, [_OPPOSITE[type(x.ops[0])]()], x.comparators)
    return unary("not", x)


def call(function: Expression | str, args: Sequence[Expression], **keywords: Expression) -> Expression:
    if isinstance(function, str):
        function = name(function)
    return gast.Call(function, list(args), [gast.keyword(k, v) for k, v in keywords.items()])


def attribute(x: Expression, text: str) -> Expression:
    return gast.Attribute(x, text, gast.Load())


def slice_of(lower: Expression | None, upper: Expression | None, step: Expression | None) -> Expression:
    """`lower:upper:step`, inside brackets."""
    return gast.Slice(lower, upper, step)


def method(x: Expression, attribute: str, *args: Expression) -> Expression:
    return call(gast.Attribute(x, attribute, gast.Load()), args)


def subscript(x: Expression, index: Expression) -> Expression:
    return gast.Subscript(x, index, gast.Load())


def tuple_of(items: Sequence[Expression]) -> Expression:
    return gast.Tuple(list(items), gast.Load())


def list_of(items: Sequence[Expression]) -> Expression:
    return gast.List(list(items), gast.Load())


def each(element: Expression, variable: str, iterable: Expression) -> Expression:
    """`[element for variable in iterable]`"""
    return gast.ListComp(element, [gast.comprehension(name(variable), iterable, [], 0)])


def shape(x: Expression, axis: int) -> Expression:
    """`x.shape[axis]`"""
    return subscript(gast.Attribute(x, "shape", gast.Load()), literal(axis))


def dtype_name(dtype: str) -> str:
    """How a dtype is written: `np.float32`."""
    return f"np.{'bool_' if dtype == 'bool' else dtype}"


def literal(value: Any) -> Expression:
    """A Python constant, or a tuple, list or slice of them."""
    if isinstance(value, np.generic):
        return call(dtype_name(value.dtype.name), [literal(value.item())])
    if isinstance(value, tuple):
        return tuple_of([literal(v) for v in value])
    if isinstance(value, list):
        return list_of([literal(v) for v in value])
    if isinstance(value, Pairs):
        return call("dict", [], **{k: literal(v) for k, v in value.items})
    if isinstance(value, slice):
        return call("slice", [literal(v) for v in (value.start, value.stop, value.step)])
    if isinstance(value, complex):
        return _complex(value)
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            return name("np.nan")
        return name("np.inf") if value > 0 else unary("-", name("np.inf"))
    if isinstance(value, int | float) and not isinstance(value, bool) and math.copysign(1.0, value) < 0:
        return unary("-", gast.Constant(-value, None))
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return name(dtype_name(np.dtype(value).name))
    return gast.Constant(value, None)


def _complex(value: complex) -> Expression:
    if not (math.isfinite(value.real) and math.isfinite(value.imag)):
        return call("complex", [literal(value.real), literal(value.imag)])
    imaginary = gast.Constant(complex(0.0, abs(value.imag)), None)
    if value.real == 0:
        return unary("-", imaginary) if value.imag < 0 else imaginary
    return binary("-" if value.imag < 0 else "+", literal(value.real), imaginary)


def assign(targets: Sequence[Expression], value: Expression) -> Any:
    """`a, b = value`"""
    target = targets[0] if len(targets) == 1 else tuple_of(targets)
    return gast.Assign([target], value, None)


def augment(target: Expression, symbol: str, value: Expression) -> Any:
    """`target += value`"""
    return gast.AugAssign(target, BINARY[symbol](), value)


def evaluate(value: Expression) -> Any:
    return gast.Expr(value)


def returns(value: Expression) -> Any:
    return gast.Return(value)


def if_header(test: Expression) -> Any:
    return gast.If(test, [], [])


def while_header(test: Expression) -> Any:
    return gast.While(test, [], [])


def for_header(target: Expression, iterable: Expression) -> Any:
    return gast.For(target, iterable, [], [], None)


def def_header(function: str, params: Sequence[str], defaults: Sequence[Expression]) -> Any:
    args = [gast.Name(p, gast.Param(), None, None) for p in params]
    arguments = gast.arguments(args, [], None, [], [], None, list(defaults))
    return gast.FunctionDef(function, arguments, [], [], None, None, [])


def conditional(test: Expression, body: Expression, orelse: Expression) -> Expression:
    return gast.IfExp(test, body, orelse)
