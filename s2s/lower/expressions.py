"""Expressions: constants, names, operators, comparisons, conditionals, displays, lambdas, comprehensions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from s2s.ir.core import Block, Value
from s2s.ir.ops import constant
from s2s.ir.types import BOOL, Array, List, Scalar, Type, is_numeric, unify
from s2s.lower.attributes import get_attribute
from s2s.lower.comprehensions import lower_comprehension
from s2s.lower.context import Context, Frame
from s2s.lower.control import conditional
from s2s.lower.effects import is_text, text_operator
from s2s.lower.indexing import get_item
from s2s.lower.iterate import describe
from s2s.lower.numbers import arithmetic, compare, value
from s2s.lower.outside import global_name, outside
from s2s.lower.truth import truth, usable
from s2s.lower.values import Box, Closure, Conflict, Lowered, Outside, Slice, Static, Tuple

_BINARY = {gast.Add: "add", gast.Sub: "sub", gast.Mult: "mul", gast.Div: "div", gast.FloorDiv: "floordiv",
           gast.Mod: "mod", gast.Pow: "pow", gast.BitAnd: "bitand", gast.BitOr: "bitor", gast.BitXor: "bitxor",
           gast.LShift: "lshift", gast.RShift: "rshift", gast.MatMult: "matmul"}
_COMPARE = {gast.Eq: "eq", gast.NotEq: "ne", gast.Lt: "lt", gast.LtE: "le", gast.Gt: "gt", gast.GtE: "ge",
            gast.Is: "is", gast.IsNot: "isnot", gast.In: "in", gast.NotIn: "notin"}


def lower_expression(ctx: Context, node: gast.AST) -> Lowered:
    """Lower one expression."""
    handler = _EXPRESSIONS.get(type(node))
    if handler is None:
        raise ctx.error(node, f"{type(node).__name__} is not supported in a differentiated function")
    return handler(ctx, node)


def _constant(ctx: Context, node: gast.Constant) -> Lowered:
    v = node.value
    if isinstance(v, bool | int | float | complex):
        if isinstance(v, int) and not isinstance(v, bool) and abs(v) >= 2**63:
            return Static(v)
        return ctx.b.const(v)
    return Static(v)


def lookup(ctx: Context, frame: Frame, name: str) -> Lowered | None:
    """What a name stands for in `frame` now; None where it is not bound."""
    scope: Frame | None = frame
    while scope is not None:
        if name in scope.local_names and not (scope is frame and name in scope.nonlocal_names):
            found = ctx.state.env.get((scope, name))
            if found is not None or scope is frame:
                return found
        if name in scope.global_names or scope.outer is None:
            break
        scope = scope.outer
    while scope is not None and scope.outer is not None:
        scope = scope.outer
    assert scope is not None
    return _outer_name(ctx, scope, name)


def _outer_name(ctx: Context, scope: Frame, name: str) -> Lowered | None:
    """A closure cell, global or builtin of the function of `scope`."""
    override = ctx.state.env.get((("global", id(scope.source.function.__globals__)), name))
    if override is not None:
        return override
    if scope.read is None:
        return None
    free = scope.source.function.__code__.co_freevars
    if name in free and name not in scope.global_names:
        return outside(ctx, ctx.binding.read(scope.read, "cell", name))
    return global_name(ctx, scope.read, name)


def _name(ctx: Context, node: gast.Name) -> Lowered:
    found = lookup(ctx, ctx.frame, node.id)
    if found is None:
        raise ctx.error(node, f"the name {node.id!r} is not bound here",
                        "Python would raise NameError, unless an earlier iteration of a loop has bound it",
                        "bind it before the loop")
    return found


def binary(ctx: Context, node: gast.AST, name: str, x: Lowered, y: Lowered) -> Lowered:
    """A binary operator on anything: numbers, arrays, sequences, strings."""
    x, y = usable(ctx, node, x), usable(ctx, node, y)
    sequence = _sequence_operator(ctx, name, x, y)
    if sequence is not None:
        return sequence
    if isinstance(x, Static) and isinstance(y, Static) and not isinstance(x.value, np.ufunc):
        try:
            return Static(getattr(operator, {"div": "truediv", "bitor": "or_", "bitand": "and_"}.get(name, name))(
                x.value, y.value))
        except Exception as error:
            raise ctx.error(node, f"{type(error).__name__}: {error}") from None
    if is_text(x) or is_text(y):
        return text_operator(ctx, node, name, x, y)
    special = _operator_method(ctx, node, name, x, y)
    return arithmetic(ctx, node, name, x, y) if special is None else special


def _operator_method(ctx: Context, node: gast.AST, name: str, x: Lowered, y: Lowered) -> Lowered | None:
    """`__add__` and its kind of a user's class."""
    dunder = {"div": "truediv", "bitor": "or", "bitand": "and", "bitxor": "xor"}.get(name, name)
    for receiver, other, attr in ((x, y, f"__{dunder}__"), (y, x, f"__r{dunder}__")):
        cls = None
        if isinstance(receiver, Box | Outside):
            cls = receiver.cls if isinstance(receiver, Box) else type(receiver.value)
        if cls is not None and hasattr(cls, attr) and cls not in (list, dict, tuple, set):
            method = get_attribute(ctx, node, receiver, attr)
            return ctx.call(node, method, [other])
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


def _sequence_operator(ctx: Context, name: str, x: Lowered, y: Lowered) -> Lowered | None:
    """Concatenation and repetition of lists and tuples."""
    if name not in ("add", "mul"):
        return None
    left, right = _items(ctx, x), _items(ctx, y)
    if name == "add" and left and right and left[0] == right[0]:
        return make_sequence(ctx, left[0], left[1] + right[1])
    if name == "mul":
        for seq, other in ((left, y), (right, x)):
            if seq is not None and isinstance(other, Value) and is_int(other):
                n = constant(other)
                if n is None:
                    return _repeated(ctx, seq, other)
                return make_sequence(ctx, seq[0], seq[1] * n)
    return None


def _repeated(ctx: Context, seq: tuple[str, list[Lowered]], n: Value) -> Lowered | None:
    """`[0.0] * n` with a number of elements known at run time only: a growing list filled in a loop."""
    from s2s.ir.core import Op
    from s2s.ir.ops import SPECS
    if len(seq[1]) != 1 or not isinstance(seq[1][0], Value):
        from s2s.lower.truth import demand_static
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


def make_sequence(ctx: Context, kind: str, items: list[Lowered], node: gast.AST | None = None) -> Lowered:
    """A new tuple or list. A list that grows in a run-time loop is a value of the program."""
    if kind == "tuple":
        return Tuple(tuple(items))
    box = Box("list", None, "", ctx.depth, id(node) if node is not None else 0)
    if node is not None and id(node) in ctx.growing:
        element: Type | None = ctx.growing[id(node)]
        values = [value(ctx, node, v) for v in items]
        for v in values:
            element = unify(element, v.type) if element is not None else None
        if element is None:
            raise ctx.error(node, "the elements of this list have different types",
                            "a list that grows in a loop has elements of one type")
        from s2s.lower.merge import cast_to
        values = [cast_to(ctx.b, ctx.b.block, v, element) for v in values]
        ctx.state.heap[box] = ctx.b.one("list", {"elements": tuple(values)}, {"type": List(element)})
    else:
        ctx.state.heap[box] = items
    return box


def _binop(ctx: Context, node: gast.BinOp) -> Lowered:
    x = ctx.expr(node.left)
    y = ctx.expr(node.right)
    return binary(ctx, node, _BINARY[type(node.op)], x, y)


def _unary(ctx: Context, node: gast.UnaryOp) -> Lowered:
    x = usable(ctx, node.operand, ctx.expr(node.operand))
    if isinstance(node.op, gast.Not):
        known = truth(ctx, node.operand, x)
        return ctx.b.const(not known) if isinstance(known, bool) else ctx.b.one("not", {"x": known})
    name = {gast.USub: "neg", gast.UAdd: "pos", gast.Invert: "invert"}[type(node.op)]
    cls = x.cls if isinstance(x, Box) else None
    if cls is not None and hasattr(cls, f"__{name}__"):
        return ctx.call(node, get_attribute(ctx, node, x, f"__{name}__"), [])
    if isinstance(x, Static) and isinstance(x.value, int | float):
        return ctx.b.const(getattr(operator, name)(x.value))
    return ctx.b.one(name, {"x": value(ctx, node.operand, x)})


def _boolop(ctx: Context, node: gast.BoolOp) -> Lowered:
    conjunction = isinstance(node.op, gast.And)
    return _short_circuit(ctx, node, list(node.values), conjunction)


def _short_circuit(ctx: Context, node: gast.AST, parts: list[gast.AST], conjunction: bool) -> Lowered:
    """`and` and `or`: the parts after the first run only where they have to."""
    x = ctx.expr(parts[0])
    if len(parts) == 1:
        return x
    cond = truth(ctx, parts[0], x)
    if isinstance(cond, bool):
        return _short_circuit(ctx, node, parts[1:], conjunction) if cond == conjunction else x
    trial = Block()
    start = ctx.state.copy()
    with ctx.b.at(trial):
        y = _short_circuit(ctx, node, parts[1:], conjunction)
        other = truth(ctx, parts[1], y)
    harmless = all(op.spec.pure and not op.blocks and not op.name.startswith("math.")
                   and op.name not in ("getitem", "listget", "div", "floordiv", "mod", "pow") for op in trial.ops)
    is_bool = isinstance(x, Value) and x.type == BOOL and (isinstance(other, bool) or y is other)
    if is_bool and harmless:
        ctx.b.block.ops += trial.ops
        if isinstance(other, bool):
            other = ctx.b.const(other)
        return ctx.b.one("and" if conjunction else "or", {"x": cond, "y": other})
    ctx.state = start

    def rest() -> Lowered:
        y = _short_circuit(ctx, node, parts[1:], conjunction)
        return y

    def first() -> Lowered:
        return ctx.b.const(not conjunction) if isinstance(x, Value) and x.type == BOOL else x

    return conditional(ctx, node, cond, *((rest, first) if conjunction else (first, rest)))


def _compare(ctx: Context, node: gast.Compare) -> Lowered:
    left = ctx.expr(node.left)
    result: Lowered | None = None
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = ctx.expr(right_node)
        test = compare(ctx, node, _COMPARE[type(op)], left, right)
        if result is None:
            result = test
        else:
            known, other = truth(ctx, node, result), truth(ctx, node, test)
            if isinstance(known, bool):
                result = test if known else result
            elif isinstance(other, bool):
                result = result if other else ctx.b.const(False)
            else:
                result = ctx.b.one("and", {"x": known, "y": other})
        left = right
    assert result is not None
    return result


def _ifexp(ctx: Context, node: gast.IfExp) -> Lowered:
    cond = truth(ctx, node.test, ctx.expr(node.test))
    if isinstance(cond, bool):
        from s2s.lower.mentions import mention
        mention(ctx, [node.orelse if cond else node.body])
        return ctx.expr(node.body if cond else node.orelse)
    return conditional(ctx, node, cond, lambda: ctx.expr(node.body), lambda: ctx.expr(node.orelse))


def elements(ctx: Context, nodes: list[gast.AST]) -> list[Lowered]:
    """The items of a display or of call arguments, with starred parts spread out."""
    from s2s.lower.iterate import items_of
    out: list[Lowered] = []
    for n in nodes:
        if isinstance(n, gast.Starred):
            items = items_of(ctx, n, usable(ctx, n, ctx.expr(n.value)))
            if items.fixed is None:
                raise ctx.error(n, "the number of starred values is not known before the function runs")
            out += [f() for f in items.fixed]
        else:
            out.append(ctx.expr(n))
    return out


def _tuple(ctx: Context, node: gast.Tuple) -> Lowered:
    return Tuple(tuple(elements(ctx, node.elts)))


def _list(ctx: Context, node: gast.List) -> Lowered:
    return make_sequence(ctx, "list", elements(ctx, node.elts), node)


def _dict(ctx: Context, node: gast.Dict) -> Lowered:
    from s2s.lower.truth import static
    content: dict[Any, Lowered] = {}
    for k, v in zip(node.keys, node.values, strict=True):
        if k is None:
            spread = usable(ctx, v, ctx.expr(v))
            content.update(mapping_items(ctx, v, spread))
        else:
            key = static(ctx, k, ctx.expr(k), "the key of a dict")
            content[key] = ctx.expr(v)
    box = Box("dict", None, "", ctx.depth)
    ctx.state.heap[box] = content
    return box


def mapping_items(ctx: Context, node: gast.AST, x: Lowered) -> dict[Any, Lowered]:
    """The items of a dict of known keys."""
    if isinstance(x, Box) and x.kind == "dict":
        return dict(ctx.state.heap[x])
    if isinstance(x, Outside) and isinstance(x.value, dict):
        return {k: outside(ctx, ctx.binding.read(x.read, "item", k)) for k in x.value}
    raise ctx.error(node, f"the keys of {describe(x)} are not known")


def _lambda(ctx: Context, node: gast.Lambda) -> Lowered:
    return closure(ctx, node)


def closure(ctx: Context, node: gast.FunctionDef | gast.Lambda) -> Closure:
    """A nested function; its defaults are evaluated now."""
    defaults = tuple(ctx.expr(d) for d in node.args.defaults)
    kw = {a.id: ctx.expr(d) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if d is not None}
    return Closure(node, ctx.frame.source, ctx.frame, defaults, kw)


def _walrus(ctx: Context, node: gast.NamedExpr) -> Lowered:
    from s2s.lower.assign import assign
    result = ctx.expr(node.value)
    assign(ctx, node.target, result)
    return result


def _attribute(ctx: Context, node: gast.Attribute) -> Lowered:
    name = node.attr
    if name.startswith("__") and not name.endswith("__") and ctx.frame.class_of is not None:
        name = f"_{ctx.frame.class_of.__name__.lstrip('_')}{name}"
    x = ctx.expr(node.value)
    # The receiver of a method is not read by being one.
    return get_attribute(ctx, node, usable(ctx, node.value, x) if isinstance(x, Conflict) else x, name)


def _subscript(ctx: Context, node: gast.Subscript) -> Lowered:
    base = usable(ctx, node.value, ctx.expr(node.value))
    return get_item(ctx, node, base, usable(ctx, node.slice, ctx.expr(node.slice)))


def _slice(ctx: Context, node: gast.Slice) -> Lowered:
    def part(n: gast.AST | None) -> Value | None:
        if n is None:
            return None
        x = usable(ctx, n, ctx.expr(n))
        return None if isinstance(x, Static) and x.value is None else value(ctx, n, x)
    return Slice(part(node.lower), part(node.upper), part(node.step))


def _call(ctx: Context, node: gast.Call) -> Lowered:
    callee = usable(ctx, node.func, ctx.expr(node.func))
    args = elements(ctx, node.args)
    kwargs: dict[str, Lowered] = {}
    for k in node.keywords:
        if k.arg is None:
            kwargs.update(mapping_items(ctx, k.value, usable(ctx, k.value, ctx.expr(k.value))))
        else:
            kwargs[k.arg] = ctx.expr(k.value)
    return ctx.call(node, callee, args, kwargs)


def _fstring(ctx: Context, node: gast.JoinedStr) -> Lowered:
    from s2s.lower.effects import format_string
    return format_string(ctx, node)


def _set(ctx: Context, node: gast.Set) -> Lowered:
    from s2s.lower.truth import static
    return Static(frozenset(static(ctx, n, ctx.expr(n), "an element of a set") for n in node.elts))


def _starred(ctx: Context, node: gast.AST) -> Lowered:
    raise ctx.error(node, "a starred expression is not supported here")


_EXPRESSIONS: dict[type, Callable[[Context, Any], Lowered]] = {
    gast.Constant: _constant, gast.Name: _name, gast.BinOp: _binop, gast.UnaryOp: _unary, gast.BoolOp: _boolop,
    gast.Compare: _compare, gast.IfExp: _ifexp, gast.Tuple: _tuple, gast.List: _list, gast.Dict: _dict,
    gast.Lambda: _lambda, gast.NamedExpr: _walrus, gast.Attribute: _attribute, gast.Subscript: _subscript,
    gast.Slice: _slice, gast.Call: _call, gast.JoinedStr: _fstring, gast.Set: _set, gast.Starred: _starred,
    gast.ListComp: lower_comprehension, gast.GeneratorExp: lower_comprehension, gast.DictComp: lower_comprehension,
    gast.SetComp: lower_comprehension,
}

__all__ = ["Array", "Conflict", "is_numeric", "lower_expression"]
