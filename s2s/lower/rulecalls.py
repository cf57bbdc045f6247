"""Calls of functions in the rule table: arguments bound to the parameters of an operation."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from s2s.errors import NoRuleError
from s2s.ir.core import Value
from s2s.ir.types import Array, List, Opaque, Scalar
from s2s.lower.context import Context
from s2s.lower.iterate import items_of
from s2s.lower.numbers import UNKNOWN, known, not_a_number, promoted, sequence, value
from s2s.lower.outputs import Outputs, deliver, given_output, take_outputs, ufunc_of
from s2s.lower.standing import copied
from s2s.lower.truth import demand_static, static, usable
from s2s.lower.values import Box, Lowered, Static, Tuple
from s2s.rules.expand.core import Expansion
from s2s.rules.expr import Expr
from s2s.rules.joining import PLANS, join_rows
from s2s.rules.table import Rule


def expand(ctx: Context, node: gast.AST | None, expansion: Expansion, name: str, args: list[Lowered],
           kwargs: dict[str, Lowered]) -> Lowered | None:
    """A function that is written out in terms of others; None where its own rule is to be used."""
    given = {k: v for k, v in kwargs.items()
             if k in expansion.signature.parameters or not _changes_nothing(k, known(ctx, v))}
    try:
        bound = expansion.bind(args, given)
    except TypeError as error:
        raise ctx.error(node, f"this call of {name} is not supported: {error}",
                        "its derivative is not known for that", "leave the argument out, or write it with other "
                        "functions", NoRuleError) from None
    out = bound.arguments.pop("out", None)
    for p, x in bound.arguments.items():
        read = _reader(ctx, node, expansion.kind(p), p, name)
        bound.arguments[p] = tuple(map(read, x)) if p == expansion.star else read(x)
    try:
        made = expansion.function(*bound.args, **bound.kwargs)
    except NoRuleError as error:
        if error.args and "\n" in str(error):
            raise
        raise ctx.error(node, str(error), "", "", NoRuleError) from None
    if made is None:
        return None
    outputs = Outputs(None if out is None else given_output(ctx, node, out))
    return deliver(ctx, node, name, False, _made(ctx, made), outputs)


def _made(ctx: Context, made: Any) -> Lowered:
    """What an expansion gave: an expression, a number, or a tuple or list of them."""
    if isinstance(made, Expr):
        return made.v
    if isinstance(made, list):
        box = Box("list", None, "", ctx.depth)
        ctx.state.heap[box] = [_made(ctx, e) for e in made]
        return box
    if isinstance(made, tuple):
        cls = type(made) if hasattr(made, "_fields") else None
        return Tuple(tuple(_made(ctx, e) for e in made), cls)
    return ctx.b.const(made)


def _expression(ctx: Context, v: Value) -> Expr:
    table = ctx.services.table

    def lookup(name: str) -> Any:
        rule = table.by_name.get(name)
        return None if rule is None else rule.spec

    return Expr(ctx.b, v, lookup)


def _reader(ctx: Context, node: gast.AST | None, kind: str, parameter: str, name: str) -> Callable[[Lowered], Any]:
    """How an argument of an expansion is given to it."""
    def expression(x: Lowered) -> Expr:
        return _expression(ctx, _number(ctx, node, x, name))

    def value_of(x: Lowered) -> Expr | None:
        x = usable(ctx, node, x)
        return None if isinstance(x, Static) and x.value is None else expression(x)

    def values_of(x: Lowered) -> Any:
        parts = None if isinstance(x, Value) else sequence(ctx, usable(ctx, node, x))
        if parts is not None:
            return [values_of(v) for v in parts]
        array = expression(x)
        return array

    def static_of(x: Lowered) -> Any:
        return _static(ctx, node, x, parameter)

    def any_of(x: Lowered) -> Any:
        found = known(ctx, usable(ctx, node, x))
        if found is not UNKNOWN:
            return found
        parts = None if isinstance(x, Value) else sequence(ctx, x)
        if parts is not None and all(known(ctx, v) is not UNKNOWN for v in parts):
            return [known(ctx, v) for v in parts]
        return expression(x)

    def parts_of(x: Lowered) -> Any:
        x = usable(ctx, node, x)
        if isinstance(x, Value) and isinstance(x.type, Scalar) and known(ctx, x) is UNKNOWN:
            demand_static(ctx, x)
            return expression(x)
        parts = None if isinstance(x, Value) else sequence(ctx, x)
        return any_of(x) if parts is None else [parts_of(v) for v in parts]

    return {"value": value_of, "values": values_of, "static": static_of, "any": any_of, "parts": parts_of}[kind]


def call_rule(ctx: Context, node: gast.AST | None, rule: Rule, args: list[Lowered],
              kwargs: dict[str, Lowered]) -> Lowered:
    """A call of a function in the rule table."""
    spec = rule.spec
    stacked = _stacked_list(ctx, node, rule, args, kwargs) or _joined_rows(ctx, node, rule, args, kwargs)
    if stacked is not None:
        return stacked
    args, kwargs = _placed(rule, args, kwargs)
    outputs = take_outputs(ctx, node, rule, args, kwargs)
    bound, rest, named = _bound(ctx, node, rule, args, kwargs)
    for name in list(named):
        if name in _UNSEEN.get(spec.name, ()) or _changes_nothing(name, known(ctx, named[name])):
            named.pop(name)
    if rest or named:
        what = f"the argument {next(iter(named))!r}" if named else f"argument {len(args)}"
        raise ctx.error(node, f"{what} of {_called(rule)} is not supported", "its derivative is not known for that",
                        _INSTEAD.get(next(iter(named), ""), "leave it out, or write it with other functions"),
                        NoRuleError)
    result = _emit_rule(ctx, node, rule, bound)
    return deliver(ctx, node, spec.name, ufunc_of(rule) is not None, result, outputs)


def _bound(ctx: Context, node: gast.AST | None, rule: Rule, rest: list[Lowered],
           named: dict[str, Lowered]) -> tuple[dict[str, Any], list[Lowered], dict[str, Lowered]]:
    """The arguments of a rule's parameters (those left out: the parameter), and what remains."""
    bound: dict[str, Any] = {}
    for p in rule.spec.params:
        names = [n for n in (p.name, *_ALIASES.get(p.name, ())) if n in named]
        if p.kind == "values" and p.default == () and rest:
            bound[p.name], rest = Tuple(tuple(rest)), []
        elif rest:
            bound[p.name] = rest.pop(0)
        elif names:
            bound[p.name] = named.pop(names[0])
        elif p.default is not ...:
            bound[p.name] = p
        elif rule.spec.name == "np.clip":
            bound[p.name] = Static(None)  # the other bound is given
        else:
            raise ctx.error(node, f"{rule.spec.name} misses the argument {p.name!r}", "NumPy would raise TypeError",
                            "correct the call")
    return bound, rest, named


_INSTEAD = {"out": "assign the result instead: a[...] = f(x)", "where": "choose with np.where(condition, f(x), y)"}


def _called(rule: Rule) -> str:
    """The name of a rule's function as a user knows it: np.multiply, not `mul`."""
    name = rule.spec.name
    if "." in name:
        return name
    return next((f"np.{f.__name__}" for f in rule.callables if isinstance(f, np.ufunc)), name)


# Arguments that the rules have not: values that change nothing, and those that decide only how a result is computed.
_NEUTRAL: dict[str, tuple[Any, ...]] = {"dtype": (None,), "out": (None,), "where": (True,), "casting": ("same_kind",),
                                         "order": (None, "C", "K"), "subok": (True, False)}
_UNSEEN = {"np.sort": ("kind",), "np.argsort": ("kind", "stable"), "np.einsum": ("optimize",)}


def _changes_nothing(name: str, given: Any) -> bool:
    """Whether an argument that the rule has not is given as it is without it."""
    return any(given is v or (isinstance(given, str) and given == v) for v in _NEUTRAL.get(name, ()))


def _placed(rule: Rule, args: list[Lowered], kwargs: dict[str, Lowered]) -> tuple[list[Lowered], dict[str, Lowered]]:
    """Arguments by place and by name: by name are those after a parameter that NumPy has and the rule has not."""
    ours = {p.name for p in rule.spec.params}
    # Of a function that a user gave a rule, the parameters are those of the rule.
    theirs = _parameters(rule.callables[0]) if rule.callables and rule.spec.function is None else ()
    first = next((k for k, name in enumerate(theirs[:len(args)]) if k and name not in ours), len(args))
    return list(args[:first]), dict(zip(theirs[first:], args[first:], strict=False)) | kwargs


@functools.cache
def _parameters(function: Any) -> tuple[str, ...]:
    """The names of what a function of NumPy takes by place; none where it takes any number, or cannot say."""
    if isinstance(function, np.ufunc):
        return ()
    try:
        found = inspect.signature(function).parameters.values()
    except ValueError:
        return ()
    if any(p.kind is p.VAR_POSITIONAL for p in found):
        return ()
    return tuple(p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))


_ALIASES = {"a": ("x", "arr", "ary", "object", "m", "array"), "x": ("a", "arr", "x1", "ary"), "y": ("x2",),
            "shape": ("newshape",), "a_min": ("min",), "a_max": ("max",), "m": ("a", "x"),
            "v": ("a", "x"), "arr": ("a", "x"), "ary": ("a", "x")}


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
    if spec.view is not None and op_args.get(spec.view) in ctx.lists:
        op_args[spec.view] = copied(ctx, node, op_args[spec.view])
    if spec.elementwise:
        op_args = _promote(ctx, op_args)
    results = ctx.b.emit(spec, op_args, attrs)
    if len(results) == 1 and spec.name not in _SEVERAL and spec.emits != "tuple":
        return results[0]
    if spec.name in _SEVERAL:
        box = Box("list", None, "", ctx.depth)
        ctx.state.heap[box] = list(results)
        return box
    return Tuple(tuple(results), _named(spec.name) if len(results) > 1 else None)


@functools.cache
def _named(name: str) -> type | None:
    """The class of the result of a function of np.linalg: a tuple whose items have names."""
    function = name.rpartition(".")[2]
    if function not in ("eigh", "eig", "qr", "slogdet", "svd") or not name.startswith("np.linalg."):
        return None
    return type(getattr(np.linalg, function)(np.eye(1)))


_SEVERAL = {"np.split", "np.array_split", "np.hsplit", "np.vsplit", "np.dsplit", "np.meshgrid", "np.broadcast_arrays"}


def _number(ctx: Context, node: gast.AST | None, x: Lowered, name: str) -> Value:
    v = value(ctx, node, x)
    if isinstance(v.type, Opaque):
        raise not_a_number(ctx, node, v)
    return v


_FIRST_AXIS = ("np.concatenate", "np.stack", "np.vstack", "np.hstack")


def _stacked_list(ctx: Context, node: gast.AST | None, rule: Rule, args: list[Lowered],
                  kwargs: dict[str, Lowered]) -> Value | None:
    """np.concatenate(list), np.stack(list) and their kind, by the first axis, of a list that grew in a loop."""
    if len(args) != 1 or kwargs or rule.spec.name not in _FIRST_AXIS:
        return None
    x = args[0]
    content = ctx.state.heap.get(x) if isinstance(x, Box) else x
    if not (isinstance(content, Value) and isinstance(content.type, List)):
        return None
    rank = getattr(content.type.element, "ndim", None)
    if rank is not None and rank == {"np.stack": rank, "np.vstack": 1, "np.hstack": 0}.get(rule.spec.name):
        return value(ctx, node, content)
    if rank and (rank == 1 or rule.spec.name != "np.hstack"):
        return value(ctx, node, ctx.stand_in(node, "list_concatenate", [content], {}))
    return None


def _joined_rows(ctx: Context, node: gast.AST | None, rule: Rule, args: list[Lowered],
                 kwargs: dict[str, Lowered]) -> Value | None:
    """np.concatenate(array), np.vstack(array) and their kind: of the rows of the array."""
    name, a = rule.spec.name, args[0] if args else None
    if name not in PLANS or not isinstance(a, Value) or not isinstance(a.type, Array) or len(args) > 2 \
            or not set(kwargs) <= {"axis"}:
        return None
    axis = _static(ctx, node, next(iter([*args[1:], *kwargs.values()]), Static(0)), "axis")
    joined = join_rows(name, _expression(ctx, a), axis)
    return None if joined is None else joined.v


def _several(ctx: Context, node: gast.AST | None, x: Lowered, name: str) -> list[Lowered]:
    parts = sequence(ctx, usable(ctx, node, x))
    if parts is not None:
        return parts
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
