"""Statements: one handler for each kind."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import gast

from s2s.errors import S2SError
from s2s.ir.core import Block, Op, Value
from s2s.ir.ops import SPECS
from s2s.lower.assign import assign, augmented
from s2s.lower.attempts import lower_try
from s2s.lower.context import RETURNED, Context, Loop
from s2s.lower.control import TRUE, lower_if, lower_return, lower_sequence
from s2s.lower.effects import lower_assert, lower_raise
from s2s.lower.expressions import closure, condition
from s2s.lower.grids import grid_parts
from s2s.lower.indexing import delete_item
from s2s.lower.iterators import left_early
from s2s.lower.loops import lower_for, lower_while, usable_items
from s2s.lower.managers import lower_manager
from s2s.lower.matching import Cases, Taken, lower_cases, lower_match, lower_taken
from s2s.lower.merge import flatten, replace, slot_hint
from s2s.lower.operators import BINARY
from s2s.lower.outside import constant_object
from s2s.lower.record import from_run, statement_from_run
from s2s.lower.scope import set_name
from s2s.lower.tapes import lower_tape_block
from s2s.lower.truth import static, usable
from s2s.lower.values import Lazy, Lowered, Range, Static


def lower_statements(ctx: Context, statements: list[gast.AST]) -> None:
    """Lower a sequence of statements into the current block."""
    lower_sequence(ctx, statements, one)


def one(ctx: Context, node: gast.AST, rest: list[gast.AST]) -> bool:
    """Lower one statement; True if what follows it was lowered with it."""
    if ctx.frame.block is None or ctx.b.block is not ctx.frame.block.top or ctx.loops:
        return _one(ctx, node, rest)
    saved, loops, at = ctx.state.copy(), list(ctx.loops), len(ctx.b.block.ops)
    try:
        return _one(ctx, node, rest)
    except S2SError as error:
        # The statement has run: if its names still hold what it gave, that is all there is to know.
        ctx.state, ctx.loops = saved, loops
        del ctx.b.block.ops[at:]
        if not statement_from_run(ctx, node, error):
            raise
        return False


def _one(ctx: Context, node: gast.AST, rest: list[gast.AST]) -> bool:
    if isinstance(node, gast.If):
        return lower_if(ctx, node, condition(ctx, node.test), node.body, node.orelse, rest, one)
    if isinstance(node, gast.Match):
        return lower_match(ctx, node, rest, one)
    if isinstance(node, Cases):
        return lower_cases(ctx, node, rest, one)
    if isinstance(node, Taken):
        return lower_taken(ctx, node, rest, one)
    if isinstance(node, gast.Try):
        return lower_try(ctx, node, rest, one)
    handler = _STATEMENTS.get(type(node))
    if handler is None:
        what, fix = _REFUSED.get(type(node), (f"the statement `{type(node).__name__.lower()}`", ""))
        raise ctx.error(node, f"{what} is not supported in a differentiated function", "", fix)
    handler(ctx, node)
    return False


# What has no handler: its name, and what to do.
_REFUSED: dict[type, tuple[str, str]] = {
    gast.ClassDef: ("a class that is defined here", "define the class outside of the function"),
    gast.AsyncFunctionDef: ("`async def`", "make it an ordinary function"),
    gast.AsyncFor: ("`async for`", "make it an ordinary loop"),
    gast.AsyncWith: ("`async with`", "use it around the call"),
}


def _assign(ctx: Context, node: gast.Assign) -> None:
    unpacked = len(node.targets) == 1 and isinstance(node.targets[0], gast.Tuple | gast.List)
    new = (grid_parts(ctx, node.value) if unpacked else None) or ctx.expr(node.value)
    for target in node.targets:
        if not from_run(ctx, node, target, new):
            assign(ctx, target, new)


def _ann_assign(ctx: Context, node: gast.AnnAssign) -> None:
    if node.value is not None:
        new = ctx.expr(node.value)
        if not from_run(ctx, node, node.target, new):
            assign(ctx, node.target, new)


def _aug_assign(ctx: Context, node: gast.AugAssign) -> None:
    augmented(ctx, node, BINARY[type(node.op)])


def _expr(ctx: Context, node: gast.Expr) -> None:
    if isinstance(node.value, gast.Constant):
        return
    ctx.expr(node.value)


def _return(ctx: Context, node: gast.Return) -> None:
    ctx.returned = ctx.loc(node)
    lower_return(ctx, Static(None) if node.value is None else ctx.expr(node.value))


def _break(ctx: Context, node: gast.Break) -> None:
    loop = _innermost(ctx)
    ctx.state.env[(ctx.frame, RETURNED) if loop is None else loop.broke] = TRUE


def _continue(ctx: Context, node: gast.Continue) -> None:
    loop = _innermost(ctx)
    ctx.state.env[(ctx.frame, RETURNED) if loop is None else loop.continued] = TRUE


def _innermost(ctx: Context) -> Loop | None:
    """The loop around a `break` or `continue`; None where it is around the block that the program is."""
    return next((loop for loop in reversed(ctx.loops) if loop.frame is ctx.frame), None)


def _for(ctx: Context, node: gast.For) -> None:
    iterable = ctx.expr(node.iter)
    items = usable_items(ctx, node.iter, iterable, node)
    items.hint = index_hint(iterable, node.target)

    def body(loop: Loop, item: Lowered) -> None:
        assign(ctx, node.target, item)
        lower_statements(ctx, node.body)

    lower_for(ctx, node, items, body, lambda: lower_statements(ctx, node.orelse))
    if any(isinstance(n, gast.Break | gast.Return) for n in gast.walk(node)):
        left_early(ctx, iterable)


def index_hint(iterable: Lowered, target: gast.AST) -> str:
    """The name of a loop's index: that of the target where it is the index, as in a range."""
    if isinstance(iterable, Range) and isinstance(target, gast.Name):
        return "" if target.id == "_" else str(target.id)
    if isinstance(iterable, Lazy) and iterable.kind == "enumerate" and isinstance(target, gast.Tuple):
        first = target.elts[0]
        return str(first.id) if isinstance(first, gast.Name) else ""
    return ""


def _while(ctx: Context, node: gast.While) -> None:
    lower_while(ctx, node, lambda: condition(ctx, node.test), lambda loop, _: lower_statements(ctx, node.body),
                lambda: lower_statements(ctx, node.orelse))


def _function_def(ctx: Context, node: gast.FunctionDef) -> None:
    made: Lowered = closure(ctx, node)
    for decorator in reversed(node.decorator_list):
        made = ctx.call(decorator, usable(ctx, decorator, ctx.expr(decorator)), [made])
    set_name(ctx, node.name, made)


def _pass(ctx: Context, node: gast.AST) -> None:
    pass


def _delete(ctx: Context, node: gast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, gast.Name):
            ctx.state.env.pop((ctx.frame, target.id), None)
        elif isinstance(target, gast.Subscript):
            delete_item(ctx, target, usable(ctx, target.value, ctx.expr(target.value)), ctx.expr(target.slice))
        else:
            raise ctx.error(target, "del of an attribute is not supported")


def _module(ctx: Context, node: gast.AST, name: str, package: str | None = None) -> Any:
    try:
        return importlib.import_module(name, package)
    except ImportError as error:
        raise ctx.error(node, f"{type(error).__name__}: {error}", "Python would raise it too",
                        python=type(error)) from None


def _import(ctx: Context, node: gast.Import) -> None:
    for alias in node.names:
        module = _module(ctx, node, alias.name)
        if alias.asname is None and "." in alias.name:
            module = _module(ctx, node, alias.name.split(".")[0])
        set_name(ctx, alias.asname or alias.name.split(".")[0], Static(module))


def _import_from(ctx: Context, node: gast.ImportFrom) -> None:
    package = ctx.frame.source.function.__globals__.get("__package__")
    module = _module(ctx, node, "." * (node.level or 0) + (node.module or ""), package)
    for alias in node.names:
        found = getattr(module, alias.name, None)
        if found is None and not hasattr(module, "__path__"):
            raise ctx.error(node, f"cannot import name {alias.name!r} from {module.__name__!r}",
                            "Python would raise ImportError", "correct its spelling", python=ImportError)
        if found is None:
            found = _module(ctx, node, f"{module.__name__}.{alias.name}")
        set_name(ctx, alias.asname or alias.name, constant_object(ctx, found))


def _with(ctx: Context, node: gast.With) -> None:
    """Tapes; context managers that only set how NumPy or warnings behave are kept around their block."""
    outer = _single(node)

    def body(entered: Lowered) -> None:
        if outer.items[0].optional_vars is not None:
            assign(ctx, outer.items[0].optional_vars, entered)
        lower_statements(ctx, outer.body)

    if lower_tape_block(ctx, outer, body):
        return
    if not all(_known_name(ctx, item) for item in node.items):
        if lower_manager(ctx, outer, body, one):
            return
        node = outer
    texts = [_manager(ctx, item) for item in node.items]
    start = ctx.state
    block = Block()
    ctx.state = start.copy()
    with ctx.b.at(block):
        lower_statements(ctx, node.body)
    before, after = flatten(start), flatten(ctx.state)
    changed = {slot: v for slot, v in after.items() if v is not before.get(slot) and isinstance(v, Value)}
    block.results = list(changed.values())
    op = Op(SPECS["with"], {}, {"call": ", ".join(texts)}, blocks=[block], loc=ctx.b.loc)
    op.results = [Value(v.type, v.hint or slot_hint(slot), op) for slot, v in changed.items()]
    ctx.b.block.ops.append(op)
    for slot, result in zip(changed, op.results, strict=True):
        replace(ctx.state, slot, result)


def _single(node: gast.With) -> gast.With:
    """`with a, b:` as `with a: with b:`."""
    if len(node.items) == 1:
        return node
    inner = gast.copy_location(gast.With(node.items[1:], node.body, node.type_comment), node)
    return gast.copy_location(gast.With(node.items[:1], [inner], node.type_comment), node)


_MANAGERS = {"numpy.errstate": "np.errstate", "numpy.printoptions": "np.printoptions"}


def _known_name(ctx: Context, item: Any) -> str | None:
    """The name of a context manager that can be kept around its block."""
    call = item.context_expr
    if not isinstance(call, gast.Call) or item.optional_vars is not None:
        return None
    f = getattr(usable(ctx, call.func, ctx.expr(call.func)), "value", None)
    return _MANAGERS.get(f"{getattr(f, '__module__', '')}.{getattr(f, '__name__', '')}")


def _manager(ctx: Context, item: Any) -> str:
    call = item.context_expr
    name = _known_name(ctx, item)
    if name is not None:
        args = [repr(static(ctx, a, ctx.expr(a), "an option")) for a in call.args]
        args += [f"{k.arg}={static(ctx, k.value, ctx.expr(k.value), 'an option')!r}" for k in call.keywords]
        return f"{name}({', '.join(args)})"
    raise ctx.error(call, "this context manager is not supported in a differentiated function",
                    "s2s does not know what it does on entry and exit", "use it around the call")


def _scope_declaration(ctx: Context, node: gast.AST) -> None:
    """`global` and `nonlocal`: known from the frame."""


_STATEMENTS: dict[type, Callable[[Context, Any], None]] = {
    gast.Assign: _assign, gast.AnnAssign: _ann_assign, gast.AugAssign: _aug_assign, gast.Expr: _expr,
    gast.Return: _return, gast.Break: _break, gast.Continue: _continue, gast.For: _for, gast.While: _while,
    gast.FunctionDef: _function_def, gast.Pass: _pass, gast.Delete: _delete, gast.Import: _import,
    gast.ImportFrom: _import_from, gast.With: _with, gast.Assert: lower_assert, gast.Raise: lower_raise,
    gast.Global: _scope_declaration, gast.Nonlocal: _scope_declaration,
}
