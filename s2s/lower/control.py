"""Control flow: sequences of statements, `if`, `return`, `break`, `continue`, and exits from anywhere.

An exit sets a flag in the state. Where a flag is known, what follows is dropped or kept; where it
depends on the run, what follows is lowered under `if not flag`. Where one branch of an `if` leaves and
the other does not, what follows the `if` belongs to the branch that stays.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gast

from s2s.errors import S2SError
from s2s.ir.core import Block, Value
from s2s.ir.ops import constant
from s2s.ir.types import BOOL
from s2s.lower.context import RETURN, RETURNED, Context, Raised, UnknownResult
from s2s.lower.mentions import mention
from s2s.lower.merge import merge
from s2s.lower.truth import demand_static, truth
from s2s.lower.values import Lowered, Static

TRUE, FALSE = Static(True), Static(False)


def flag(ctx: Context, key: Any) -> Static | Value:
    """A control flag in the current state."""
    value = ctx.state.env.get(key, FALSE)
    assert isinstance(value, Static | Value)
    if isinstance(value, Value) and constant(value) is not None:
        return TRUE if constant(value) else FALSE
    return value


def either(ctx: Context, x: Static | Value, y: Static | Value) -> Static | Value:
    """Whether one of two flags is set."""
    if isinstance(x, Static):
        return TRUE if x.value else y
    if isinstance(y, Static):
        return TRUE if y.value else x
    return ctx.b.one("or", {"x": x, "y": y})


def left(ctx: Context) -> Static | Value:
    """Whether control has left the current sequence of statements."""
    out = flag(ctx, (ctx.frame, RETURNED))
    for loop in ctx.loops:
        if loop.frame is ctx.frame:
            out = either(ctx, out, either(ctx, flag(ctx, loop.broke), flag(ctx, loop.continued)))
    return out


def lower_sequence(ctx: Context, statements: Sequence[gast.AST], one: Any) -> None:
    """Lower statements in order; `one(ctx, statement, rest)` lowers one and says if it took the rest."""
    for k, statement in enumerate(statements):
        if ctx.catching:
            ctx.marks.setdefault(ctx.b.block, []).append((len(ctx.b.block.ops), ctx.state.copy()))
        rest = list(statements[k + 1:])
        saved, ctx.statement = ctx.statement, statement
        saved_loc, ctx.b.loc = ctx.b.loc, ctx.loc(statement)
        try:
            took_rest = one(ctx, statement, rest)
        except Raised:
            ctx.state.env[ctx.frame, RETURNED] = TRUE
            took_rest = False
        except S2SError as error:
            if not ctx.handlers.raised(ctx, error):
                raise
            took_rest = False
        finally:
            ctx.statement, ctx.b.loc = saved, saved_loc
        if took_rest:
            return
        gone = left(ctx)
        if gone == TRUE:
            return
        if isinstance(gone, Value) and rest:
            stay = ctx.b.one("not", {"x": gone})
            branch(ctx, stay, lambda rest=rest: lower_sequence(ctx, rest, one), lambda: _gone(ctx))
            return


def _gone(ctx: Context) -> None:
    """Where control has left, and one flag only can say so, that flag is set."""
    keys = [(ctx.frame, RETURNED)]
    for loop in ctx.loops:
        if loop.frame is ctx.frame:
            keys += [loop.broke, loop.continued]
    set_ = [key for key in keys if isinstance(flag(ctx, key), Value)]
    if len(set_) == 1:
        ctx.state.env[set_[0]] = TRUE


@contextlib.contextmanager
def _arm(ctx: Context, cond: Value, block: Block) -> Iterator[None]:
    """Lower an arm of an `if` into `block`. What is not possible in it matters only where it is the one taken."""
    with ctx.b.at(block):
        try:
            yield
        except S2SError:
            demand_static(ctx, cond, loops=False)
            raise


def branch(ctx: Context, cond: Value, then: Any, orelse: Any) -> None:
    """Append an `if` over two functions that lower its branches."""
    start = ctx.state
    branches = []
    for lower in (then, orelse):
        block = Block()
        ctx.state = start.copy()
        with _arm(ctx, cond, block):
            try:
                lower()
            except Raised:
                ctx.state.env[ctx.frame, RETURNED] = TRUE
        branches.append((ctx.state, block))
    merge(ctx, cond, *branches)


def lower_if(ctx: Context, node: gast.AST, test: Lowered, body: Sequence[gast.AST], orelse: Sequence[gast.AST],
             rest: Sequence[gast.AST], one: Any) -> bool:
    """Lower an `if` statement; True if `rest`, what follows it, was lowered as part of a branch."""
    cond = truth(ctx, node, test)
    if isinstance(cond, bool):
        mention(ctx, orelse if cond else body)
        lower_sequence(ctx, body if cond else orelse, one)
        if left(ctx) == TRUE:
            mention(ctx, rest)
        return False
    return lower_arms(ctx, cond, [lambda: lower_sequence(ctx, body, one), lambda: lower_sequence(ctx, orelse, one)],
                      rest, one)


def lower_arms(ctx: Context, cond: Value, arms: Sequence[Callable[[], None]], rest: Sequence[gast.AST],
               one: Any) -> bool:
    """An `if` over two functions that lower its branches; True if `rest` was lowered as part of one of them."""
    start = ctx.state
    branches: list[tuple[Any, Block]] = []
    exits: list[Static | Value] = []
    unknown: UnknownResult | None = None
    for lower in arms:
        block = Block()
        ctx.state = start.copy()
        with _arm(ctx, cond, block):
            try:
                lower()
            except UnknownResult as error:
                # The result type of a recursive call is not known yet: the other branch gives it.
                unknown = error
                ctx.state.env[ctx.frame, RETURNED] = TRUE
        branches.append((ctx.state, block))
        with ctx.b.at(Block()):  # only whether it is known counts here
            exits.append(left(ctx))
    took_rest = False
    staying = [k for k in (0, 1) if exits[k] == FALSE]
    if len(staying) == 1 and exits[1 - staying[0]] == TRUE:
        k = staying[0]
        ctx.state = branches[k][0]
        with _arm(ctx, cond, branches[k][1]):
            try:
                lower_sequence(ctx, rest, one)
            except UnknownResult:
                if unknown is not None:
                    raise
                ctx.state.env[ctx.frame, RETURNED] = TRUE
        branches[k] = (ctx.state, branches[k][1])
        took_rest = True
    elif unknown is not None and not any(key[1] == RETURN for state, _ in branches for key in state.env):
        raise unknown
    merge(ctx, cond, *branches)
    return took_rest


def lower_return(ctx: Context, value: Lowered) -> None:
    """`return value`, from anywhere in the function."""
    ctx.state.env[ctx.frame, RETURN] = value
    ctx.state.env[ctx.frame, RETURNED] = TRUE


def conditional(ctx: Context, node: gast.AST, cond: Value, then: Any, orelse: Any) -> Lowered:
    """The value of `then() if cond else orelse()`, where only one of the two is evaluated."""
    key = (ctx.frame, f"#value{id(node)}")

    unknown: list[UnknownResult] = []

    def store(lower: Any) -> Any:
        def run() -> None:
            try:
                ctx.state.env[key] = lower()
            except UnknownResult as error:
                # The result type of a recursive call is not known yet: the other arm gives it.
                unknown.append(error)
        return run

    branch(ctx, cond, store(then), store(orelse))
    if len(unknown) == 2:
        raise unknown[0]
    return ctx.state.env.pop(key)


def as_bool(ctx: Context, x: Static | Value) -> Value:
    """A flag as an IR value."""
    return ctx.b.const(bool(x.value), BOOL) if isinstance(x, Static) else x
