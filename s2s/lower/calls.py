"""Calls, in this order: an intrinsic, a rule, a method, a function with source, a class, left in place."""

from __future__ import annotations

import functools
import sysconfig
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gast
import numpy as np

from s2s.errors import NoRuleError, S2SError
from s2s.ir.core import Value
from s2s.ir.types import Array, List, Opaque, Scalar
from s2s.lower.api_calls import api_call
from s2s.lower.arrays import value_method
from s2s.lower.attributes import get_attribute
from s2s.lower.binding import MISSING, Read
from s2s.lower.classes import construct
from s2s.lower.context import Context
from s2s.lower.describe import describe
from s2s.lower.draws import draw
from s2s.lower.effects import leave_in_place, public_name
from s2s.lower.functions import call_closure, call_python
from s2s.lower.grids import GRIDS
from s2s.lower.intrinsics import INTRINSICS
from s2s.lower.library import NAMED, STAND_INS, arrays
from s2s.lower.mappings import call_method
from s2s.lower.outside import outside
from s2s.lower.records import record_handler
from s2s.lower.rulecalls import call_rule, expand
from s2s.lower.sparse import matrix_of, sparse_call, sparse_product
from s2s.lower.tape_gradient import tape_method
from s2s.lower.tapes import is_tape
from s2s.lower.tools import FOLDED, GETTERS, call_getter
from s2s.lower.truth import usable
from s2s.lower.ufuncs import ufunc_method
from s2s.lower.values import Bound, Box, Closure, Lowered, Method, Outside, Static, Tuple
from s2s.lower.writers import WRITERS, WRITING_METHODS
from s2s.rules.expand import EXPANSIONS, METHODS
from s2s.rules.table import Rule, Written, callable_key
from s2s.source.find import no_python

_WRITTEN_OUT = {**WRITERS, **GRIDS}


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
        return lower_call(ctx, node, get_attribute(ctx, node, callee, "__call__"), args, kwargs)
    raise ctx.error(node, f"{describe(callee)} is called, and is not a function",
                    fix="call a function, or leave out the parentheses")


def _object(ctx: Context, node: gast.AST | None, callee: Static | Outside, args: list[Lowered],
            kwargs: dict[str, Lowered]) -> Lowered:
    known = _known_function(ctx, node, callee, args, kwargs)
    if known is not None:
        return known
    if isinstance(callee.value, functools.partial) and isinstance(callee, Outside):
        step, read = ctx.binding.read, callee.read
        first = [outside(ctx, step(step(read, "attr", "args"), "item", k)) for k in range(len(callee.value.args))]
        kept = {k: outside(ctx, step(step(read, "attr", "keywords"), "item", k)) for k in callee.value.keywords}
        return lower_call(ctx, node, outside(ctx, step(read, "attr", "func")), [*first, *args], {**kept, **kwargs})
    f = callee.value
    _refuse_names(ctx, node, f, args)
    special = api_call(ctx, node, callee, args, kwargs)
    if special is not None:
        return special
    if _is_left_alone(f) and node is not None:
        return draw(ctx, node, f, None, args, kwargs) or leave_in_place(ctx, node, callee, args, kwargs)
    if isinstance(f, type):
        return construct(ctx, node, callee, args, kwargs)
    read = callee.read if isinstance(callee, Outside) else ctx.binding.constant(f)
    found = _python(ctx, f, read)
    if found is not None:
        function, function_read, first, named = found

        def look_into() -> Lowered:
            return call_python(ctx, node, function, function_read, [*first, *args], {**named, **kwargs})

        if node is None or not is_library(function):
            return look_into()
        return _library_call(ctx, node, look_into, callee, args, kwargs)
    if node is None:
        raise no_python(f)
    drawn = draw(ctx, node, f, None, args, kwargs)
    if drawn is not None:
        return drawn
    return leave_in_place(ctx, node, callee, args, kwargs)


def _known_function(ctx: Context, node: gast.AST | None, callee: Static | Outside, args: list[Lowered],
                    kwargs: dict[str, Lowered]) -> Lowered | None:
    """A call of a function of which s2s knows what it means; None where it does not."""
    handler = record_handler(callee.value)
    made = (sparse_call(ctx, node, callee.value, args, kwargs) if handler is None
            else handler(ctx, node, args, kwargs))
    if made is not None:
        if isinstance(callee, Outside) and not isinstance(callee.value, types.MethodType):
            callee.pinned()
        return made
    if isinstance(callee, Outside) and isinstance(callee.value, np.vectorize):
        return _vectorized(ctx, node, callee, args, kwargs)
    if isinstance(callee.value, GETTERS):
        return call_getter(ctx, node, callee, args, kwargs)
    table = ctx.services.table
    table.meet(callee.value)
    f, rule = callable_key(callee.value), table.of_callable(callee.value)
    written = callee.value if isinstance(callee.value, Written) else table.stands_for(callee.value)
    if written is not None:
        if isinstance(callee, Outside) and not isinstance(callee.value, types.MethodType):
            callee.pinned()
        named = {written.names.get(name, name): v for name, v in kwargs.items()}
        return stand_in(ctx, node, written.function, [*map(Static, written.first), *args], named)
    called = table.method_of(callee.value, "__call__") if isinstance(callee, Outside) else None
    if called is not None:
        return stand_in(ctx, node, called.function, [callee, *args], kwargs)
    method = ufunc_method(ctx, node, callee.value, args, kwargs)
    known = any(f in names for names in (INTRINSICS, _WRITTEN_OUT, STAND_INS, FOLDED, EXPANSIONS))
    if method is not None or not (known or rule is not None):
        return method
    if isinstance(callee, Outside):
        callee.pinned()  # another function is another program, and those written in C have no code to tell them by
    if f in INTRINSICS:
        return INTRINSICS[f](ctx, node, args, kwargs)
    if f in FOLDED:
        return FOLDED[f](ctx, node, args, kwargs)
    if f in STAND_INS:
        return stand_in(ctx, node, STAND_INS[f], args, kwargs)
    if f in _WRITTEN_OUT:
        return _WRITTEN_OUT[f](ctx, node, args, kwargs)
    expanded = expand(ctx, node, EXPANSIONS[f], public_name(callee), args, kwargs) if f in EXPANSIONS else None
    return call_rule(ctx, node, rule, args, kwargs) if expanded is None and rule is not None else expanded


def _vectorized(ctx: Context, node: gast.AST | None, callee: Outside, args: list[Lowered],
                kwargs: dict[str, Lowered]) -> Lowered:
    """A call of what np.vectorize made outside: of its function, one element after the other."""
    v = callee.value
    if v.signature is not None or v.excluded or kwargs or v.otypes is not None:
        raise ctx.error(node, "np.vectorize with options is not supported", "its function is called for each element",
                        "give it the function alone, and the arguments by place", NoRuleError)
    function = outside(ctx, ctx.binding.read(callee.read, "attr", "pyfunc"))
    return stand_in(ctx, node, arrays.vectorized, [function, *args], {})


def stand_in(ctx: Context, node: gast.AST | None, function: Callable[..., Any] | str, args: list[Lowered],
             kwargs: dict[str, Lowered]) -> Lowered:
    """A call of a function of the standard library, by what s2s.lower.library has for it (or calls `function`)."""
    found = NAMED[function] if isinstance(function, str) else function
    at = ctx.frame.at if ctx.frame is not None and ctx.frame.at is not None else ctx.b.loc
    assert isinstance(found, types.FunctionType)
    return call_python(ctx, node, found, ctx.binding.constant(found), args, kwargs, at)


def _library_call(ctx: Context, node: gast.AST, look_into: Callable[[], Lowered], callee: Static | Outside,
                  args: list[Lowered], kwargs: dict[str, Lowered]) -> Lowered:
    """A function of an installed package: through its source if that works, else it runs as it is."""
    saved, loops, at = ctx.state.copy(), list(ctx.loops), len(ctx.b.block.ops)
    try:
        return look_into()
    except S2SError as error:
        # What is wrong is deep in somebody else's code; the place to name is the user's call.
        ctx.state, ctx.loops = saved, loops
        del ctx.b.block.ops[at:]
        return leave_in_place(ctx, node, callee, args, kwargs, why=str(error).splitlines()[0])


_LIBRARIES = tuple(str(Path(sysconfig.get_path(name)).resolve())
                   for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def is_library(function: types.FunctionType) -> bool:
    """Whether a function belongs to an installed package or the standard library."""
    return function.__code__.co_filename.startswith(_LIBRARIES)


# Modules of the standard library whose Python code is no numerics: their functions run as they are.
_LEFT_ALONE = frozenset({"logging", "warnings", "os", "sys", "io", "json", "time", "threading", "random", "datetime",
                         "pathlib", "pprint", "gc", "traceback", "contextlib", "collections", "copy", "tracemalloc"})


# Functions that look at the names of the function that calls them.
_SEES_THE_CALLER = (locals, globals, vars, dir)


def _refuse_names(ctx: Context, node: gast.AST | None, f: Any, args: list[Lowered]) -> None:
    """Functions that would see the names of the generated function."""
    if not args and any(f is g for g in _SEES_THE_CALLER):
        raise ctx.error(node, f"{f.__name__}() is not supported in a differentiated function",
                        "the generated function has names of its own", "use the names themselves")
    if f is eval or f is exec:
        raise ctx.error(node, f"{f.__name__}() is not supported in a differentiated function",
                        "the code that it runs is text, not part of the function's source", "write the code out")


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
    if name == "dot" and len(args) == 1 and matrix_of(x) is not None:
        product = sparse_product(ctx, node, x, args[0])
        if product is not None:
            return product
    if is_tape(x):
        return tape_method(ctx, node, x, name, args, kwargs)
    if isinstance(x, Value) and isinstance(x.type, Scalar | Array):
        special = value_method(ctx, node, x, name, args, kwargs)
        if special is not None:
            return special
        if name in WRITING_METHODS and isinstance(x.type, Array):
            return WRITING_METHODS[name](ctx, node, [x, *args], kwargs)
        rule = ctx.services.table.by_method.get(name)
        expansion = METHODS.get(name) or next((EXPANSIONS[f] for f in rule.callables if f in EXPANSIONS)
                                              if rule is not None else iter(()), None)
        if expansion is not None:
            expanded = expand(ctx, node, expansion, name, [x, *_spread(rule, args)], kwargs)
            if expanded is not None:
                return expanded
        if rule is None:
            raise ctx.error(node, f"{name}() of {describe(x)} has no derivative rule",
                            "s2s knows the derivatives of the methods that docs/functions.md lists",
                            "write it with those, or give it a derivative with s2s.custom_gradient", NoRuleError)
        return call_rule(ctx, node, rule, [x, *_spread(rule, args)], kwargs)
    if isinstance(x, Value) and isinstance(x.type, List):
        raise ctx.error(node, f"{name}() of {describe(x)} is not supported",
                        fix="use append, pop and indexing, or fill an array")
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
    raise ctx.error(node, f"{name}() of {describe(x)} is not supported", fix="write it with other statements")


def _spread(rule: Rule | None, args: list[Lowered]) -> list[Lowered]:
    """x.reshape(2, 3) and x.transpose(1, 0): a shape or axes given one by one."""
    if rule is None:
        return args
    rest = rule.spec.params[1:]
    if len(args) > 1 and rest and (rest[0].kind == "ints" or rule.spec.name == "np.transpose"):
        return [Tuple(tuple(args))]
    return args


