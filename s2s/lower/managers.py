"""`with` around differentiated code: managers written in Python, `@contextmanager` functions, suppress, nullcontext."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable
from typing import Any

import gast

from s2s.ir.core import Value
from s2s.ir.ops import constant
from s2s.lower.attempts import lower_finally
from s2s.lower.context import Context
from s2s.lower.control import lower_sequence
from s2s.lower.iterate import items_of
from s2s.lower.objects import call_special, class_of, python_method
from s2s.lower.truth import usable
from s2s.lower.values import Bound, Lowered, Outside, Static

Body = Callable[[Lowered], None]
NONE = Static(None)
# What `@contextmanager` makes of every function.
_HELPER = contextlib.contextmanager(lambda: iter(())).__code__


def lower_manager(ctx: Context, node: gast.With, body: Body, one: Any) -> bool:
    """A `with` of one manager that s2s looks into; False where it is none of these."""
    expr = node.items[0].context_expr
    if isinstance(expr, gast.Call):
        callee = usable(ctx, expr.func, ctx.expr(expr.func))
        known = getattr(callee, "value", None)
        if known is contextlib.suppress:
            _suppress(ctx, node, expr, one)
            return True
        if known is contextlib.nullcontext:
            body(ctx.expr(expr.args[0]) if expr.args else NONE)
            return True
        generator = _generator_function(ctx, callee)
        if generator is not None:
            _run(ctx, node, _call(ctx, expr, generator), body)
            return True
        if not _has_python_ends(known if isinstance(known, type) else None):
            return False
        _enter_and_exit(ctx, node, ctx.expr(expr), body)
        return True
    manager = usable(ctx, expr, ctx.expr(expr))
    if not _has_python_ends(class_of(manager)):
        return False
    _enter_and_exit(ctx, node, manager, body)
    return True


def _has_python_ends(cls: type | None) -> bool:
    return python_method(cls, "__enter__") is not None and python_method(cls, "__exit__") is not None


def _suppress(ctx: Context, node: gast.With, expr: gast.Call, one: Any) -> None:
    """`with suppress(E): ...` is `try: ... except E: pass`."""
    classes = gast.Tuple(expr.args, gast.Load())
    handler = gast.ExceptHandler(classes, None, [gast.Pass()])
    attempt = gast.Try(node.body, [handler], [], [])
    for part in (classes, handler, handler.body[0], attempt):
        gast.copy_location(part, node)
    lower_sequence(ctx, [attempt], one)


def _call(ctx: Context, expr: gast.Call, callee: Lowered) -> Lowered:
    args = [ctx.expr(a) for a in expr.args]
    return ctx.call(expr, callee, args, {k.arg: ctx.expr(k.value) for k in expr.keywords})


def _generator_function(ctx: Context, callee: Lowered) -> Lowered | None:
    """The generator that `@contextmanager` has made a function of."""
    first: tuple[Lowered, ...] = ()
    if isinstance(callee, Bound):
        first = callee.args
        callee = callee.callee
    f: Any = getattr(callee, "value", None)
    if not (isinstance(f, types.FunctionType) and f.__code__ is _HELPER) or not isinstance(callee, Outside | Static):
        return None
    read = callee.read if isinstance(callee, Outside) else ctx.binding.constant(f)
    inner = ctx.binding.read(read, "attr", "__wrapped__")
    return Bound(Outside(inner.value, inner), first)


def _run(ctx: Context, node: gast.With, generator: Lowered, body: Body) -> None:
    """The generator, with the block where it yields."""
    expr = node.items[0].context_expr
    push = items_of(ctx, expr, usable(ctx, expr, generator)).push
    if push is None:
        raise ctx.error(expr, "a context manager whose function is no generator", "Python would raise an error",
                        "let it yield once", python=TypeError)
    frame, statement, stack = ctx.frame, ctx.statement, list(ctx.stack)
    count = 0

    def consume(item: Lowered) -> None:
        nonlocal count
        count += 1
        if count > 1:
            raise ctx.error(expr, "a context manager that yields twice", "Python would raise RuntimeError, unless the "
                            "two are on different paths", "let it yield once")
        inner = ctx.frame, ctx.statement, ctx.stack, ctx.b.loc
        ctx.frame, ctx.statement, ctx.stack = frame, statement, list(stack)
        try:
            body(item)
        finally:
            ctx.frame, ctx.statement, ctx.stack, ctx.b.loc = inner

    push(consume)


def _enter_and_exit(ctx: Context, node: gast.With, manager: Lowered, body: Body) -> None:
    """`__enter__`, the block, and `__exit__` as after a block that ended well."""
    expr = node.items[0].context_expr
    manager = usable(ctx, expr, manager)
    entered = call_special(ctx, expr, manager, "__enter__", [])
    assert entered is not None

    def leave() -> None:
        swallows = call_special(ctx, expr, manager, "__exit__", [NONE, NONE, NONE])
        if swallows != NONE and not (isinstance(swallows, Value) and constant(swallows) is False):
            raise ctx.error(expr, "a context manager that takes exceptions away",
                            "which statements of its block ran would have to be recorded",
                            "test for the condition with `if`")

    lower_finally(ctx, lambda: body(entered), leave, node)
