"""Calls, in this order: an intrinsic, a rule, a method, a function with source, a class, left in place."""

from __future__ import annotations

import functools
import types
from typing import Any

import gast
import numpy as np

from s2s.errors import NoRuleError
from s2s.ir.core import Value
from s2s.ir.types import Array, List, Opaque, Scalar
from s2s.lower.binding import MISSING, Read
from s2s.lower.classes import construct
from s2s.lower.containers import call_method
from s2s.lower.context import Context
from s2s.lower.draws import draw
from s2s.lower.effects import leave_in_place
from s2s.lower.functions import call_closure, call_python
from s2s.lower.gradients import api_call
from s2s.lower.intrinsics import INTRINSICS, value_method
from s2s.lower.iterate import describe
from s2s.lower.numbers import UNKNOWN, known, not_a_number, promoted, sequence, value
from s2s.lower.outside import outside
from s2s.lower.truth import static, usable
from s2s.lower.values import Bound, Box, Closure, Lowered, Method, Outside, Static, Tuple
from s2s.rules.expand import EXPANSIONS
from s2s.rules.expr import Expr
from s2s.rules.table import Rule


def lower_call(ctx: Context, node: gast.AST | None, callee: Lowered, args: list[Lowered],
               kwargs: dict[str, Lowered]) -> Lowered:
    """A call whose callee and arguments have been lowered."""
    callee = usable(ctx, node, callee)
    if isinstance(callee, Bound):
        return lower_call(ctx, node, callee.callee, [*callee.args, *args], {**dict(callee.kwargs), **kwargs})
    if isinstance(callee, Closure):
        return call_closure(ctx, node, callee, args, kwargs)
    if isinstance(callee, Method):
        return _method(ctx, node, callee, args, kwargs)
    if isinstance(callee, Static | Outside):
        return _object(ctx, node, callee, args, kwargs)
    if isinstance(callee, Box) and callee.kind == "object":
        from s2s.lower.attributes import get_attribute
        return lower_call(ctx, node, get_attribute(ctx, node, callee, "__call__"), args, kwargs)
    raise ctx.error(node, f"{describe(callee)} is called")


def _object(ctx: Context, node: gast.AST | None, callee: Static | Outside, args: list[Lowered],
            kwargs: dict[str, Lowered]) -> Lowered:
    f = callee.value
    try:
        hash(f)
    except TypeError:
        f = None
    if f is not None and f in INTRINSICS:
        return INTRINSICS[f](ctx, node, args, kwargs)
    if f is not None and f in EXPANSIONS:
        expanded = _expand(ctx, node, EXPANSIONS[f], args, kwargs)
        if expanded is not None:
            return expanded
    if f is not None and f in ctx.services.table.by_callable:
        return call_rule(ctx, node, ctx.services.table.by_callable[f], args, kwargs)
    f = callee.value
    special = api_call(ctx, node, callee, args, kwargs)
    if special is not None:
        return special
    if _is_left_alone(f):
        return draw(ctx, node, f, None, args, kwargs) or leave_in_place(ctx, node, callee, args, kwargs)
    if isinstance(f, type):
        return construct(ctx, node, callee, args, kwargs)
    read = callee.read if isinstance(callee, Outside) else ctx.binding.constant(f)
    found = _python(ctx, f, read)
    if found is not None:
        function, function_read, first, named = found
        return call_python(ctx, node, function, function_read, [*first, *args], {**named, **kwargs})
    drawn = draw(ctx, node, f, None, args, kwargs)
    if drawn is not None:
        return drawn
    return leave_in_place(ctx, node, callee, args, kwargs)


# Modules of the standard library whose Python code is no numerics: their functions run as they are.
_LEFT_ALONE = frozenset({"logging", "warnings", "os", "sys", "io", "json", "time", "threading", "random", "datetime",
                         "pathlib", "pprint", "gc", "traceback", "contextlib", "collections", "copy", "tracemalloc"})


def _is_left_alone(f: Any) -> bool:
    module = getattr(f, "__module__", None)
    return isinstance(module, str) and module.split(".")[0] in _LEFT_ALONE and not isinstance(f, type)


def _python(ctx: Context, f: Any,
            read: Read) -> tuple[types.FunctionType, Read, list[Lowered], dict[str, Lowered]] | None:
    """The Python function that a callable runs, where to read it from, and what it already has."""
    first: list[Lowered] = []
    named: dict[str, Lowered] = {}
    for _ in range(50):
        if isinstance(f, types.FunctionType):
            return f, read, first, named
        step = ctx.binding.read
        if isinstance(f, types.MethodType):
            own = step(read, "attr", "__self__")
            first = [outside(ctx, own), *first]
            read = step(read, "attr", "__func__")
        elif isinstance(f, functools.partial):
            given = step(read, "attr", "args")
            first = [*(outside(ctx, step(given, "item", k)) for k in range(len(f.args))), *first]
            keywords = step(read, "attr", "keywords")
            named = {**{k: outside(ctx, step(keywords, "item", k)) for k in f.keywords}, **named}
            read = step(read, "attr", "func")
        elif isinstance(getattr(f, "py_func", None), types.FunctionType):
            read = step(read, "attr", "py_func")
        elif hasattr(f, "cache_info") and hasattr(f, "__wrapped__"):
            read = step(read, "attr", "__wrapped__")
        else:
            call = step(read, "type_attr", "__call__")
            if not isinstance(call.value, types.FunctionType):
                return None
            first = [Outside(f, read), *first]
            read = call
        if read.value is MISSING:
            return None
        f = read.value
    return None


def _method(ctx: Context, node: gast.AST | None, callee: Method, args: list[Lowered],
            kwargs: dict[str, Lowered]) -> Lowered:
    x, name = callee.receiver, callee.name
    if isinstance(x, Value) and isinstance(x.type, Scalar | Array):
        special = value_method(ctx, node, x, name, args, kwargs)
        if special is not None:
            return special
        rule = ctx.services.table.by_method.get(name)
        if rule is None:
            raise ctx.error(node, f"the method {name!r} of {describe(x)} has no derivative rule", "", "", NoRuleError)
        return call_rule(ctx, node, rule, [x, *_spread(rule, args)], kwargs)
    if isinstance(x, Value) and isinstance(x.type, List):
        raise ctx.error(node, f"the method {name!r} of {describe(x)} is not supported")
    if isinstance(x, Value) and isinstance(x.type, Opaque):
        drawn = draw(ctx, node, x, name, args, kwargs)
        return leave_in_place(ctx, node, x, args, kwargs, None, name) if drawn is None else drawn
    assert node is not None
    found = call_method(ctx, node, x, name, args, kwargs)
    if found is not None:
        return found
    if isinstance(x, Outside):
        drawn = draw(ctx, node, x, name, args, kwargs)
        return leave_in_place(ctx, node, x, args, kwargs, None, name) if drawn is None else drawn
    raise ctx.error(node, f"the method {name!r} of {describe(x)} is not supported")


def _spread(rule: Rule, args: list[Lowered]) -> list[Lowered]:
    """x.reshape(2, 3) and x.transpose(1, 0): a shape or axes given one by one."""
    rest = rule.spec.params[1:]
    if len(args) > 1 and rest and (rest[0].kind == "ints" or rule.spec.name == "np.transpose"):
        return [Tuple(tuple(args))]
    return args


def _expand(ctx: Context, node: gast.AST | None, expansion: Any, args: list[Lowered],
            kwargs: dict[str, Lowered]) -> Lowered | None:
    """A function that is written out in terms of others; None where its own rule is to be used."""
    table = ctx.services.table

    def lookup(name: str) -> Any:
        rule = table.by_name.get(name)
        return None if rule is None else rule.spec

    def given(x: Lowered) -> Any:
        found = known(ctx, usable(ctx, node, x))
        if found is not UNKNOWN:
            return found
        parts = None if isinstance(x, Value) else sequence(ctx, x)
        if parts is not None and all(known(ctx, v) is not UNKNOWN for v in parts):
            return [known(ctx, v) for v in parts]
        return Expr(ctx.b, _number(ctx, node, x, "the function"), lookup)

    operands = [given(x) for x in args]
    if not operands or not isinstance(operands[0], Expr):
        return None
    try:
        made = expansion(*operands, **{k: given(v) for k, v in kwargs.items()})
    except NoRuleError as error:
        raise ctx.error(node, str(error), "", "", NoRuleError) from None
    if made is None:
        return None
    if isinstance(made, tuple):
        box = Box("list", None, "", ctx.depth)
        ctx.state.heap[box] = [e.v for e in made]
        return box
    return made.v  # type: ignore[no-any-return]


def call_rule(ctx: Context, node: gast.AST | None, rule: Rule, args: list[Lowered],
              kwargs: dict[str, Lowered]) -> Lowered:
    """A call of a function in the rule table."""
    spec = rule.spec
    stacked = _stacked_list(ctx, node, rule, args, kwargs)
    if stacked is not None:
        return stacked
    bound: dict[str, Any] = {}
    rest, named = list(args), dict(kwargs)
    for p in spec.params:
        if p.kind == "values" and p.default == () and rest:
            bound[p.name] = Tuple(tuple(rest))
            rest = []
        elif rest:
            bound[p.name] = rest.pop(0)
        elif p.name in named:
            bound[p.name] = named.pop(p.name)
        elif p.default is not ...:
            bound[p.name] = p
        else:
            bound[p.name] = _renamed(ctx, node, spec.name, p.name, named)
    if named.get("dtype") == Static(None):
        named.pop("dtype")
    for name in ("out", "where", "casting", "order", "subok"):
        given = named.get(name)
        if isinstance(given, Static) and given.value in (None, "K", "C", "same_kind", True):
            named.pop(name)
    if rest or named:
        what = f"the argument {next(iter(named))!r}" if named else f"argument {len(args)}"
        raise ctx.error(node, f"{what} of {spec.name} is not supported", "the rule has no derivative for it",
                        "write it with other functions", NoRuleError)
    return _emit_rule(ctx, node, rule, bound)


_ALIASES = {"a": ("x", "arr", "ary", "object", "m", "array"), "x": ("a", "arr", "x1", "ary"), "y": ("x2",),
            "shape": ("newshape",), "m": ("a", "x"), "v": ("a", "x"), "arr": ("a", "x"), "ary": ("a", "x")}


def _renamed(ctx: Context, node: gast.AST | None, function: str, name: str, named: dict[str, Lowered]) -> Lowered:
    """The array itself passed by keyword, under NumPy's name for it."""
    for alias in _ALIASES.get(name, ()):
        if alias in named:
            return named.pop(alias)
    raise ctx.error(node, f"{function} misses the argument {name!r}")


def _emit_rule(ctx: Context, node: gast.AST | None, rule: Rule, bound: dict[str, Any]) -> Lowered:
    spec = rule.spec
    op_args: dict[str, Any] = {}
    attrs: dict[str, Any] = {}
    for p in spec.params:
        given = bound[p.name]
        if given is p:  # left out
            if p.kind in ("value", "static"):
                attrs[p.name] = p.default
            else:
                op_args[p.name] = tuple(ctx.b.const(v) for v in (p.default or ()))
        elif p.kind == "value":
            if isinstance(given, Static) and given.value is None:
                attrs[p.name] = None
            else:
                op_args[p.name] = _number(ctx, node, given, spec.name)
        elif p.kind == "values":
            op_args[p.name] = tuple(_number(ctx, node, v, spec.name) for v in _several(ctx, node, given, spec.name))
        elif p.kind == "ints":
            parts = sequence(ctx, given)
            op_args[p.name] = tuple(value(ctx, node, v) for v in ([given] if parts is None else parts))
        else:
            attrs[p.name] = _static(ctx, node, given, p.name)
    if spec.elementwise:
        op_args = _promote(ctx, op_args)
    results = ctx.b.emit(spec, op_args, attrs)
    if len(results) == 1 and spec.name not in _SEVERAL and spec.emits != "tuple":
        return results[0]
    if spec.name in _SEVERAL:
        box = Box("list", None, "", ctx.depth)
        ctx.state.heap[box] = list(results)
        return box
    return Tuple(tuple(results))


_SEVERAL = {"np.split", "np.array_split", "np.hsplit", "np.vsplit", "np.dsplit", "np.meshgrid", "np.broadcast_arrays"}


def _number(ctx: Context, node: gast.AST | None, x: Lowered, name: str) -> Value:
    v = value(ctx, node, x)
    if isinstance(v.type, Opaque):
        raise not_a_number(ctx, node, v)
    return v


def _stacked_list(ctx: Context, node: gast.AST | None, rule: Rule, args: list[Lowered],
                  kwargs: dict[str, Lowered]) -> Value | None:
    """np.stack(list), np.vstack(list) and np.hstack(list) of a list that grew in a loop."""
    if len(args) != 1 or kwargs or rule.spec.name not in ("np.stack", "np.vstack", "np.hstack"):
        return None
    x = args[0]
    content = ctx.state.heap.get(x) if isinstance(x, Box) else x
    if not (isinstance(content, Value) and isinstance(content.type, List)):
        return None
    rank = getattr(content.type.element, "ndim", None)
    if rank == {"np.stack": rank, "np.vstack": 1, "np.hstack": 0}[rule.spec.name]:
        return value(ctx, node, content)
    return None


def _several(ctx: Context, node: gast.AST | None, x: Lowered, name: str) -> list[Lowered]:
    parts = sequence(ctx, usable(ctx, node, x))
    if parts is not None:
        return parts
    from s2s.lower.iterate import items_of
    assert node is not None
    items = items_of(ctx, node, x)
    if items.fixed is None:
        raise ctx.error(node, f"how many arrays {name} joins is not known before the function runs",
                        "the list grows in a loop", "np.array(list) stacks a list of any length")
    return [f() for f in items.fixed]


def _static(ctx: Context, node: gast.AST | None, x: Lowered, name: str) -> Any:
    v = static(ctx, node, x, f"the argument {name!r}")
    if isinstance(v, np.integer):
        v = int(v)
    if name == "dtype" and v is not None:
        return np.dtype(v).name
    return tuple(v) if isinstance(v, list) else v


def _promote(ctx: Context, op_args: dict[str, Any]) -> dict[str, Any]:
    """Cast weak floats to the dtype of the strong ones they meet."""
    values = [v for v in op_args.values() if isinstance(v, Value)]
    if len(values) < 2:
        return op_args
    out = dict(op_args)
    for name, v in op_args.items():
        for other in values:
            if isinstance(v, Value) and other is not v:
                v = promoted(ctx, v, other)
        out[name] = v
    return out
