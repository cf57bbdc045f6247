"""Binary operators on anything: numbers, arrays, sequences, strings, objects with operators of their own."""

from __future__ import annotations

import operator

import gast
import numpy as np

from s2s.ir.core import Block, Op, Value
from s2s.ir.ops import SPECS, constant
from s2s.ir.types import List, Scalar
from s2s.lower.attributes import get_attribute
from s2s.lower.context import Context
from s2s.lower.describe import describe
from s2s.lower.effects import is_text, text_operator
from s2s.lower.numbers import UNKNOWN, arithmetic, known
from s2s.lower.objects import call_special, class_of
from s2s.lower.outside import outside
from s2s.lower.sequences import make_sequence, make_set, mapping_items
from s2s.lower.sparse import matrix_of, sparse_product
from s2s.lower.truth import demand_static, usable
from s2s.lower.values import Box, Lowered, Outside, Static, Tuple

BINARY = {gast.Add: "add", gast.Sub: "sub", gast.Mult: "mul", gast.Div: "div", gast.FloorDiv: "floordiv",
           gast.Mod: "mod", gast.Pow: "pow", gast.BitAnd: "bitand", gast.BitOr: "bitor", gast.BitXor: "bitxor",
           gast.LShift: "lshift", gast.RShift: "rshift", gast.MatMult: "matmul"}


def binary(ctx: Context, node: gast.AST, name: str, x: Lowered, y: Lowered) -> Lowered:
    """A binary operator on anything: numbers, arrays, sequences, strings."""
    x, y = usable(ctx, node, x), usable(ctx, node, y)
    if name == "matmul" and (matrix_of(x) is not None or matrix_of(y) is not None):
        product = sparse_product(ctx, node, x, y)
        if product is not None:
            return product
    sequence = _sequence_operator(ctx, node, name, x, y)
    if sequence is not None:
        return sequence
    constants = (known(ctx, v) if isinstance(v, Static | Value) else UNKNOWN for v in (x, y))
    left, right = constants
    if left is not UNKNOWN and right is not UNKNOWN and not isinstance(left, np.ufunc) and (
            isinstance(x, Static) or isinstance(y, Static)):
        try:
            return Static(getattr(operator, {"or": "or_", "and": "and_"}.get(dunder(name), dunder(name)))(left, right))
        except Exception as error:
            raise ctx.error(node, f"{type(error).__name__}: {error}", python=type(error)) from None
    if is_text(x) or is_text(y):
        return text_operator(ctx, node, name, x, y)
    special = _operator_method(ctx, node, name, x, y)
    if special is None and all(_is_list(ctx, v) or (isinstance(v, Value) and isinstance(v.type, Scalar) and v.type.weak)
                               for v in (x, y)) and (_is_list(ctx, x) or _is_list(ctx, y)):
        raise ctx.error(node, f"{describe(x)} and {describe(y)} have no such operator", "Python would raise TypeError",
                        "make an array of the list", python=TypeError)
    return arithmetic(ctx, node, name, x, y) if special is None else special


def dunder(name: str) -> str:
    """The name of an operator in Python's special methods: `truediv` for `div`."""
    return {"div": "truediv", "bitor": "or", "bitand": "and", "bitxor": "xor"}.get(name, name)


def _operator_method(ctx: Context, node: gast.AST, name: str, x: Lowered, y: Lowered) -> Lowered | None:
    """`__add__` and its kind of a user's class; the right operand's first, where its class is a subclass."""
    order = [(x, y, f"__{dunder(name)}__"), (y, x, f"__r{dunder(name)}__")]
    left, right = class_of(x), class_of(y)
    if left is not None and right is not None and right is not left and issubclass(right, left):
        order.reverse()
    for receiver, other, attr in order:
        made = call_special(ctx, node, receiver, attr, [other])
        if made is not None and made != Static(NotImplemented):
            return made
    return None


def _items(ctx: Context, x: Lowered) -> tuple[str, list[Lowered]] | None:
    if isinstance(x, Tuple):
        return "tuple", list(x.items)
    if isinstance(x, Box) and x.kind == "list" and isinstance(ctx.state.heap[x], list):
        return "list", list(ctx.state.heap[x])
    if isinstance(x, Outside) and isinstance(x.value, list | tuple):
        kind = "list" if isinstance(x.value, list) else "tuple"
        return kind, [outside(ctx, ctx.binding.read(x.read, "item", k)) for k in range(len(x.value))]
    if isinstance(x, Static) and isinstance(x.value, tuple):
        return "tuple", [Static(v) if not isinstance(v, int | float) else ctx.b.const(v) for v in x.value]
    return None


def _sequence_operator(ctx: Context, node: gast.AST, name: str, x: Lowered, y: Lowered) -> Lowered | None:
    """Concatenation and repetition of lists and tuples."""
    if isinstance(x, Box) and x.kind in ("dict", "set") and name in ("bitor", "bitand", "sub", "bitxor"):
        return _combined(ctx, name, x, y)
    if name not in ("add", "mul"):
        return None
    if any(isinstance(v, Value) and v in ctx.lists for v in (x, y)):
        raise ctx.error(ctx.statement, "a list made of an array is added or repeated",
                        "how many elements it has is not known before the function runs",
                        "use np.concatenate or np.tile on the array")
    if _grows(ctx, x) or _grows(ctx, y):
        return _of_growing(ctx, node, name, x, y)
    left, right = _items(ctx, x), _items(ctx, y)
    if name == "add" and left and right and left[0] == right[0]:
        return make_sequence(ctx, left[0], left[1] + right[1], node)
    if name == "mul":
        for seq, other in ((left, y), (right, x)):
            if seq is not None and isinstance(other, Value) and is_int(other):
                n = constant(other)
                if n is None:
                    return _repeated(ctx, seq, other)
                return make_sequence(ctx, seq[0], seq[1] * n, node)
    return None


def _grows(ctx: Context, x: Lowered) -> bool:
    """Whether something is a list whose length is known at run time only."""
    content = ctx.state.heap.get(x) if isinstance(x, Box) else x
    return isinstance(content, Value) and isinstance(content.type, List)


def _is_list(ctx: Context, x: Lowered) -> bool:
    return _items(ctx, x) is not None or _grows(ctx, x)


def _of_growing(ctx: Context, node: gast.AST, name: str, x: Lowered, y: Lowered) -> Lowered | None:
    """Concatenation of lists, one of which grows in a loop; None where the other is an array."""
    if name == "mul" and any(isinstance(v, Value) and is_int(v) for v in (x, y)):
        raise ctx.error(node, "a list that grows in a loop is repeated", "its length is not known before it runs",
                        "repeat an array with np.tile")
    if name != "add" or not (_is_list(ctx, x) and _is_list(ctx, y)):
        return None
    made = ctx.call(node, Static(list), [x])
    ctx.call(node, get_attribute(ctx, node, made, "extend"), [y])
    return made


def _combined(ctx: Context, name: str, x: Box, y: Lowered) -> Lowered | None:
    """`|` of dicts, and the operators of sets."""
    if x.kind == "dict":
        if name != "bitor" or not isinstance(y, Box | Outside):
            return None
        box = Box("dict", x.cls, "", ctx.depth, 0, x.extra)
        ctx.state.heap[box] = {**ctx.whole(x), **mapping_items(ctx, ctx.statement or gast.Pass(), y)}
        return box
    if not (isinstance(y, Box) and y.kind == "set"):
        return None
    left, right = set(ctx.whole(x)), set(ctx.whole(y))
    return make_set(ctx, {"bitor": left | right, "bitand": left & right, "sub": left - right,
                          "bitxor": left ^ right}[name])


def _repeated(ctx: Context, seq: tuple[str, list[Lowered]], n: Value) -> Lowered | None:
    """`[0.0] * n` with a number of elements known at run time only: a growing list filled in a loop."""
    if len(seq[1]) != 1 or not isinstance(seq[1][0], Value):
        demand_static(ctx, n)
        return None
    element = seq[1][0]
    made = ctx.b.one("list", {"elements": ()}, {"type": List(element.type)})
    block = Block(params=[Value(n.type, "")])
    with ctx.b.at(block):
        ctx.b.emit("append", {"list": made, "value": element})
    op = Op(SPECS["for"], {"start": ctx.b.int(0), "stop": n, "step": ctx.b.int(1), "init": ()}, {"breaks": False},
            blocks=[block], loc=ctx.b.loc)
    ctx.b.block.ops.append(op)
    box = Box("list", None, "", ctx.depth)
    ctx.state.heap[box] = made
    return box


def is_int(v: Value) -> bool:
    """Whether `v` is an int scalar."""
    return isinstance(v.type, Scalar) and np.dtype(v.type.dtype).kind in "iu"
