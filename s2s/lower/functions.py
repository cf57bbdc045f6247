"""Calls of Python functions: arguments bound to parameters, the body inlined, or a function of the IR called."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import gast

from s2s.errors import S2SError
from s2s.ir.core import Block, Loc, Value, walk
from s2s.ir.ops import constant
from s2s.lower.binding import Read
from s2s.lower.containers import general
from s2s.lower.context import RETURN, RETURNED, Context, Frame, Raised, UnknownResult, Unroll
from s2s.lower.control import FALSE, flag, lower_return
from s2s.lower.iterate import new_iterator
from s2s.lower.merge import cast_to
from s2s.lower.names import local_names, own_globals, own_nodes, own_nonlocals
from s2s.lower.outside import constant_object, outside
from s2s.lower.own_functions import (
    OwnFunction,
    call_function,
    check_effects,
    close,
    flatten_value,
    hints_of,
    rebuild_value,
    refuse_changes,
    same_result,
)
from s2s.lower.values import Box, Closure, Conflict, Lowered, Outside, Producer, Static, Tuple
from s2s.source.find import source_of
from s2s.source.text import locate

DEEPEST_INLINE = 60  # activations of one function whose recursion ends by constants
BIG, OFTEN = 120, 3  # a function of so many operations that is called so often gets IR of its own


class _Recursive(Exception):
    """A function calls itself, and when that ends is known at run time only."""

    def __init__(self, code: Any) -> None:
        self.code = code
        super().__init__(code)


def call_python(ctx: Context, node: gast.AST | None, function: FunctionType, read: Read, args: list[Lowered],
                kwargs: dict[str, Lowered], at: Loc | None = None) -> Lowered:
    """A call of a function that exists outside the program.

    at: the place that messages and comments show instead of the function's own lines.
    """
    source = source_of(function)
    tree = source.node
    if at is None and ctx.frame is not None and (function.__module__ or "").startswith(
            ("s2s.lower.library", "s2s.scipy_rules")):
        at = ctx.frame.at
    frame = Frame(source, local_names(tree), own_globals(tree), own_nonlocals(tree), None, read,
                  class_of=_class_of(function, args), at=at)
    count = len(tree.args.defaults)

    positional = [p.id for p in [*tree.args.posonlyargs, *tree.args.args]]

    # What stands for a function of a library: its defaults never change.
    own = (function.__module__ or "").startswith("s2s.")

    def default(k: int) -> Lowered:
        if own:
            return constant_object(ctx, function.__defaults__[k])  # type: ignore[index]
        return outside(ctx, ctx.binding.read(read, "default", positional[len(positional) - count + k]))

    def kw_default(name: str) -> Lowered:
        if own:
            return constant_object(ctx, (function.__kwdefaults__ or {})[name])
        return outside(ctx, ctx.binding.read(read, "kwdefault", name))

    bound = bind(ctx, node, tree, args, kwargs, [lambda k=k: default(k) for k in range(count)], kw_default)  # type: ignore[misc]
    return _activate(ctx, node, frame, tree, bound, function)


def _class_of(function: FunctionType, args: list[Lowered]) -> type | None:
    """The class that a method belongs to, for `__private` names and super()."""
    if "__class__" in function.__code__.co_freevars and function.__closure__ is not None:
        return function.__closure__[function.__code__.co_freevars.index("__class__")].cell_contents  # type: ignore[no-any-return]
    if "." not in function.__qualname__ or not args:
        return None
    first = args[0]
    cls = first.cls if isinstance(first, Box | Tuple) else None
    if isinstance(first, Outside | Static):
        cls = first.value if isinstance(first.value, type) else type(first.value)
    if cls is None:
        return None
    for base in cls.__mro__:
        if base.__name__ == function.__qualname__.split(".")[-2]:
            return base
    return cls


def call_closure(ctx: Context, node: gast.AST | None, callee: Closure, args: list[Lowered],
                 kwargs: dict[str, Lowered]) -> Lowered:
    """A call of a function that the program defined."""
    tree = callee.node
    frame = Frame(callee.source, local_names(tree), own_globals(tree), own_nonlocals(tree), callee.frame,
                  callee.frame.read, callee.frame.class_of, at=callee.frame.at)
    bound = bind(ctx, node, tree, args, kwargs, [lambda v=v: v for v in callee.defaults],  # type: ignore[misc]
                 lambda name: callee.kw_defaults[name])
    return _activate(ctx, node, frame, tree, bound, (id(tree), callee.frame))


def bind(ctx: Context, node: gast.AST | None, tree: gast.FunctionDef | gast.Lambda, args: list[Lowered],
         kwargs: dict[str, Lowered], defaults: list[Callable[[], Lowered]],
         kw_default: Callable[[str], Lowered]) -> dict[str, Lowered]:
    """Parameters to arguments, as Python binds them."""
    name = getattr(tree, "name", "<lambda>")
    a = tree.args
    positional = [p.id for p in [*a.posonlyargs, *a.args]]
    only_positional = {p.id for p in a.posonlyargs}
    kwargs = dict(kwargs)
    bound: dict[str, Lowered] = dict(zip(positional, args, strict=False))
    if len(args) > len(positional):
        if a.vararg is None:
            raise ctx.error(node, f"{name}() takes {len(positional)} positional arguments, {len(args)} are given",
                            "Python would raise TypeError", "correct the call")
        bound[a.vararg.id] = Tuple(tuple(args[len(positional):]))
    elif a.vararg is not None:
        bound[a.vararg.id] = Tuple(())
    for k, p in enumerate(positional):
        if p in kwargs and p not in only_positional:
            if p in bound:
                raise ctx.error(node, f"{name}() gets two values for {p!r}", "Python would raise TypeError",
                                "correct the call")
            bound[p] = kwargs.pop(p)
        elif p not in bound:
            at = k - (len(positional) - len(defaults))
            if at < 0:
                raise ctx.error(node, f"{name}() misses the argument {p!r}", "Python would raise TypeError",
                                "correct the call")
            bound[p] = defaults[at]()
    for p, default in zip(a.kwonlyargs, a.kw_defaults, strict=True):
        if p.id in kwargs:
            bound[p.id] = kwargs.pop(p.id)
        elif default is not None:
            bound[p.id] = kw_default(p.id)
        else:
            raise ctx.error(node, f"{name}() misses the keyword argument {p.id!r}")
    if a.kwarg is not None:
        box = Box("dict", None, a.kwarg.id, ctx.depth)
        ctx.state.heap[box] = kwargs
        bound[a.kwarg.id] = box
    elif kwargs:
        raise ctx.error(node, f"{name}() has no parameter {next(iter(kwargs))!r}", "Python would raise TypeError",
                        "correct the call")
    return bound


def _activate(ctx: Context, node: gast.AST | None, frame: Frame, tree: Any, bound: dict[str, Lowered],
              code: Any) -> Lowered:
    _refuse(ctx, tree, frame)
    if any(isinstance(n, gast.Yield | gast.YieldFrom) for n in own_nodes(tree)):
        return _generator(ctx, node, frame, tree, bound, code)
    if code in ctx.recursive:
        return call_function(ctx, node, ctx.recursive[code], bound)
    key = _key(ctx, bound)
    active = [k for c, k in ctx.stack if c == code]
    if key in active or len(active) > DEEPEST_INLINE:
        raise _Recursive(code)
    if ctx.inlined.get(code, (0, 0))[0] >= OFTEN and ctx.inlined[code][1] >= BIG:
        made = _shared(ctx, node, frame, tree, bound, code)
        if made is not None:
            return made
    saved = (ctx.state.copy(), list(ctx.loops), ctx.frame, ctx.statement, list(ctx.stack))
    before = len(ctx.b.block.ops)
    try:
        result = _inline(ctx, frame, tree, bound, (code, key))
    except _Recursive as request:
        if request.code != code or active:
            raise
        ctx.state, ctx.loops, ctx.frame, ctx.statement, ctx.stack = saved
        del ctx.b.block.ops[before:]
        own = _lower_function(ctx, frame, tree, bound, code, recursive=True)
        return call_function(ctx, node, own, bound)
    except RecursionError:
        deepest, times = Counter(c for c, _ in ctx.stack).most_common(1)[0] if ctx.stack else (None, 0)
        if times > 8 and deepest not in ctx.recursive:
            raise _Recursive(deepest) from None  # constants differ from call to call, and do not end it
        ctx.frame, ctx.statement = frame, tree
        raise ctx.error(tree, "the calls of this function are nested too deeply to be written out",
                        "each call differs from the one around it, in the length of a list for example",
                        "pass arrays and numbers only, or write a loop") from None
    size = sum(1 + sum(1 for b in op.blocks for _ in walk(b)) for op in ctx.b.block.ops[before:])
    ctx.inlined[code] = (ctx.inlined.get(code, (0, 0))[0] + 1, size)
    return result


@contextlib.contextmanager
def _placed(ctx: Context, frame: Frame, tree: Any) -> Iterator[None]:
    """Errors in here are about the function `tree` itself."""
    saved = ctx.frame, ctx.statement
    ctx.frame, ctx.statement = frame, tree
    try:
        yield
    finally:
        ctx.frame, ctx.statement = saved


def _refuse(ctx: Context, tree: Any, frame: Frame) -> None:
    """Coroutines have no value to differentiate."""
    if isinstance(tree, gast.AsyncFunctionDef):
        with _placed(ctx, frame, tree):
            raise ctx.error(tree, "a coroutine has no gradient", "its value is there only when it is awaited",
                            "make it an ordinary function")


def _generator(ctx: Context, node: gast.AST | None, frame: Frame, tree: Any, bound: dict[str, Lowered],
               code: Any) -> Lowered:
    """A call of a function with `yield`: its body runs where its values are taken."""
    key = _key(ctx, bound)
    at = ctx.b.loc

    def run(consume: Callable[[Lowered], None]) -> None:
        active = [k for c, k in ctx.stack if c == code]
        if key in active or len(active) > DEEPEST_INLINE:
            ctx.b.loc = at
            raise ctx.error(None, "a generator that calls itself, as often as is known at run time only",
                            "its body is written out where its values are used", "return a list, or write a loop")
        ctx.yields[frame] = consume
        _inline(ctx, frame, tree, bound, (code, key))

    first = min((n for n in own_nodes(tree) if isinstance(n, gast.Yield | gast.YieldFrom)), key=lambda n: n.lineno)
    place = frame.at or locate(frame.source, first, first)
    names, scope = [], frame.outer
    while scope is not None:
        names += [(scope, n.id) for n in gast.walk(tree) if isinstance(n, gast.Name)]
        scope = scope.outer
    return new_iterator(ctx, Producer(run, getattr(tree, "name", "<lambda>"), place, tuple(names),
                                      tuple(bound.values())))


def _inline(ctx: Context, frame: Frame, tree: Any, bound: dict[str, Lowered], entry: Any) -> Lowered:
    """Lower the body of a function in the current block, with its parameters bound."""
    saved = (ctx.frame, ctx.statement, ctx.b.loc)
    ctx.frame = frame
    ctx.stack.append(entry)
    try:
        for name, v in bound.items():
            ctx.state.env[frame, name] = v
        if isinstance(tree, gast.Lambda):
            ctx.statement = tree.body
            lower_return(ctx, ctx.expr(tree.body))
        else:
            ctx.block(tree.body)
        result = _result(ctx, frame, tree)
        if ctx.catching and ctx.b.block.ops and ctx.b.block.ops[-1].name == "raise":
            raise Raised
        return result
    finally:
        ctx.stack.pop()
        ctx.frame, ctx.statement, ctx.b.loc = saved


def _result(ctx: Context, frame: Frame, tree: Any) -> Lowered:
    """What the function returned; its names are forgotten unless a nested function may need them."""
    returned = flag(ctx, (frame, RETURNED))
    result: Lowered = ctx.state.env.get((frame, RETURN), Static(None))
    if returned == FALSE:
        result = Static(None)
    elif isinstance(returned, Value) and not (isinstance(result, Static) and result.value is None):
        result = Conflict("None where the function ends without `return`, a value elsewhere", returned,
                          result if isinstance(result, Value) else None, none_where=False)
    nested = any(isinstance(n, gast.FunctionDef | gast.Lambda | gast.ListComp | gast.GeneratorExp)
                 for n in gast.walk(tree) if n is not tree)
    for key in [k for k in ctx.state.env if k[0] is frame]:
        if not nested or key[1].startswith("#"):
            del ctx.state.env[key]
    return result


# Functions with IR of their own ---------------------------------------------------------------------


def _key(ctx: Context, bound: dict[str, Lowered]) -> Any:
    """What the lowering of an activation depends on: two activations with one key do the same."""
    def part(v: Any) -> Any:
        if isinstance(v, Value):
            return (str(v.type), getattr(v.type, "weak", None), constant(v))
        if isinstance(v, Tuple):
            return tuple(part(x) for x in v.items)
        if isinstance(v, Box):
            content = ctx.state.heap.get(v)
            if isinstance(content, list):
                return ("list", *(part(x) for x in content))
            if isinstance(content, dict):
                return ("dict", *((k, part(x)) for k, x in content.items()))
            return part(content)
        if isinstance(v, Outside):
            return v.read.path
        if isinstance(v, Static):
            try:
                hash(v.value)
            except TypeError:
                return ("unhashable", repr(v.value))
            return (type(v.value), v.value)
        if isinstance(v, Closure):
            return (id(v.node), id(v.frame))
        return repr(v)
    return tuple((name, part(v)) for name, v in bound.items())


def _lower_function(ctx: Context, frame: Frame, tree: Any, bound: dict[str, Lowered], code: Any,
                    recursive: bool) -> OwnFunction:
    """Lower a function to IR of its own, until its parameter and result types are stable."""
    own = OwnFunction(getattr(tree, "name", "lambda_"))
    leaves: list[Value] = []
    own.shape = {name: flatten_value(ctx, v, leaves) for name, v in bound.items()}
    own.types = [general(v.type) for v in leaves]
    hints = hints_of(own.shape, leaves)
    outer_loops, ctx.loops = ctx.loops, []
    if recursive:
        ctx.recursive[code] = own
    try:
        for _ in range(10):
            block = Block()
            params = [Value(t, h) for t, h in zip(own.types, hints, strict=True)]
            start = ctx.state.copy()
            own.widened = False
            with ctx.b.at(block):
                arguments = {name: rebuild_value(ctx, s, params) for name, s in own.shape.items()}
                given = ctx.state.copy()
                try:
                    result = _inline(ctx, frame, tree, arguments, (code, "function"))
                except UnknownResult as error:
                    if error.args[0] is not own:
                        raise
                    with _placed(ctx, frame, tree):
                        raise ctx.error(tree, "this function calls itself on every path",
                                        "Python would raise RecursionError: no path returns without another call",
                                        "add a case that returns without calling it") from None
            with _placed(ctx, frame, tree):
                refuse_changes(ctx, tree, frame, given)
            found: list[Value] = []
            shape = flatten_value(ctx, result, found)
            ctx.state = start
            settled = not own.widened and same_result(own, shape, found)
            own.result_shape, own.result_types = shape, [general(v.type) for v in found]
            own.result = result
            block.params, block.results = params, [cast_to(ctx.b, block, v, v.type) for v in found]
            if settled:
                break
        else:
            with _placed(ctx, frame, tree):
                raise ctx.error(tree, "the result type of this recursive function does not settle",
                                "each call returns another type than the one around it",
                                "return the same type from every call, or write a loop")
    finally:
        ctx.loops = outer_loops
        ctx.recursive.pop(code, None)
    with _placed(ctx, frame, tree):
        check_effects(ctx, tree, block)
    close(own, block)
    return own


def _is_plain(v: Lowered) -> bool:
    """Whether an argument is all that it is when it is passed: nothing can change it later."""
    return isinstance(v, Value | Static | Outside) or (isinstance(v, Tuple) and all(map(_is_plain, v.items)))


def _around(ctx: Context, frame: Frame, tree: Any) -> frozenset[Any] | None:
    """What a function may read of the state around it; None where that cannot be said."""
    found: dict[Any, Lowered] = {key: v for key, v in ctx.state.env.items() if isinstance(key[0], tuple)}
    pending, seen = [(frame.outer, tree)], set()
    while pending:
        outer, node = pending.pop()
        if outer is None or (outer, node) in seen:
            continue
        seen.add((outer, node))
        for name in {n.id for n in gast.walk(node) if isinstance(n, gast.Name)}:
            v = lookup_around(ctx, outer, name)
            if isinstance(v, Closure):
                pending.append((v.frame, v.node))
            elif v is not None:
                found[outer, name] = v
    return frozenset(found.items()) if all(map(_is_plain, found.values())) else None


def lookup_around(ctx: Context, scope: Frame | None, name: str) -> Lowered | None:
    """What a name of the functions around a nested one stands for now; None where none of them has it."""
    while scope is not None:
        if (scope, name) in ctx.state.env:
            return ctx.get((scope, name))
        scope = scope.outer
    return None


def _shared(ctx: Context, node: gast.AST | None, frame: Frame, tree: Any, bound: dict[str, Lowered],
            code: Any) -> Lowered | None:
    """A call of a large function that is called from many places; None if it has to be inlined."""
    leaves: list[Value] = []
    around = _around(ctx, frame, tree)
    if around is None or not all(map(_is_plain, bound.values())):
        return None
    shape = {name: flatten_value(ctx, v, leaves) for name, v in bound.items()}
    key = ("shared", code, around, repr(shape), *(str(v.type) + str(getattr(v.type, "weak", "")) for v in leaves))
    if key not in ctx.shared:
        saved = ctx.state.copy()
        try:
            made = _lower_function(ctx, frame, tree, bound, code, recursive=False)
        except (S2SError, Unroll, _Recursive):
            # What cannot be shared is inlined, where the same problem has the right place.
            ctx.state = saved
            ctx.shared[key] = None
            return None
        visible = set(ctx.params)
        ctx.shared[key] = made if all(v in visible for v in made.extra) else None
    found = ctx.shared[key]
    return None if found is None else call_function(ctx, node, found, bound)

