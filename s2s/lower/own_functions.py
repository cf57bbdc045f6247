"""Functions with IR of their own: recursive ones, and large ones that are called from many places.

Such a function takes the numbers and arrays among its arguments, and what it uses from around it.
"""

from __future__ import annotations

from typing import Any

import gast

from s2s.ir.core import Block, Function, Value, clone_block, free_values, walk
from s2s.ir.types import Type, unify
from s2s.lower.containers import general
from s2s.lower.context import Context, Frame, State, UnknownResult
from s2s.lower.describe import describe
from s2s.lower.merge import cast_to
from s2s.lower.values import Box, Lowered, Tuple


class OwnFunction:
    """A function that is lowered to IR of its own: its parameters and what is known of its result."""

    def __init__(self, name: str) -> None:
        self.function = Function(name, Block())
        self.types: list[Type] = []
        self.shape: Any = None  # the arguments with leaves replaced by their positions
        self.result: Lowered | None = None
        self.result_shape: Any = None
        self.result_types: list[Type] = []
        self.extra: list[Value] = []  # what it takes from around it
        self.widened = False


def flatten_value(ctx: Context, v: Any, leaves: list[Value]) -> Any:
    """`v` with its IR values moved to `leaves` and positions in their place."""
    if isinstance(v, Value):
        leaves.append(v)
        return len(leaves) - 1
    if isinstance(v, Tuple):
        return Tuple(tuple(flatten_value(ctx, x, leaves) for x in v.items), v.cls)
    if isinstance(v, Box) and isinstance(ctx.state.heap.get(v), list):
        return ("list", [flatten_value(ctx, x, leaves) for x in ctx.state.heap[v]])
    if isinstance(v, Box):
        raise ctx.error(ctx.statement, "a recursive function with a dict or object as an argument is not supported",
                        "each call would have to carry what it holds", "pass its numbers and arrays one by one")
    return v


def rebuild_value(ctx: Context, shape: Any, leaves: list[Value]) -> Any:
    if isinstance(shape, int) and not isinstance(shape, bool):
        return leaves[shape]
    if isinstance(shape, Tuple):
        return Tuple(tuple(rebuild_value(ctx, x, leaves) for x in shape.items), shape.cls)
    if isinstance(shape, tuple) and shape and shape[0] == "list":
        box = Box("list", None, "", ctx.depth)
        ctx.state.heap[box] = [rebuild_value(ctx, x, leaves) for x in shape[1]]
        return box
    return shape


def hints_of(shape: Any, leaves: list[Value]) -> list[str]:
    hints = [v.hint for v in leaves]
    for name, s in shape.items():
        if isinstance(s, int) and not isinstance(s, bool):
            hints[s] = name
    return hints


def same_result(own: OwnFunction, shape: Any, found: list[Value]) -> bool:
    if own.result is None:
        return False
    return bool(own.result_shape == shape
                and all(a == general(v.type) or str(a) == str(v.type)
                        for a, v in zip(own.result_types, found, strict=True)))


def refuse_changes(ctx: Context, tree: Any, frame: Frame, before: State) -> None:
    """A function with IR of its own gives back its result only: what it changes around it would be lost."""
    around = {scope for scope, _ in before.env}
    outer = frame.outer
    while outer is not None:
        around.add(outer)
        outer = outer.outer
    changed = [str(name) for (scope, name), v in ctx.state.env.items()
               if (scope in around or isinstance(scope, tuple)) and before.env.get((scope, name)) is not v]
    changed += [box.hint or f"a {box.kind}" for box, content in before.heap.items()
                if ctx.state.heap.get(box) != content]
    if changed:
        raise ctx.error(tree, f"a recursive function that changes {changed[0]!r}, which belongs to what is around it",
                        _TWICE, "let it return what it computes")


_TWICE = "the gradient evaluates it again, and that would happen twice"


def check_effects(ctx: Context, tree: Any, block: Block) -> None:
    inside = {v for op in walk(block) for v in op.results}
    for op in walk(block):
        if op.spec.effect and op.name not in ("raise", "assert"):
            raise ctx.error(tree, "a recursive function that prints or calls what s2s does not look into",
                            _TWICE, "take the effect out of the recursion")
        if op.spec.writes and op.value(op.spec.writes) not in inside:
            raise ctx.error(tree, "a recursive function that writes into memory from outside it",
                            _TWICE, "let it return what it computes")


def close(own: OwnFunction, block: Block) -> None:
    """Make what the function takes from around it parameters, in its own calls too."""
    fn = own.function
    own.extra = list(free_values(block))
    mapping: dict[Value, Value] = {v: Value(general(v.type), v.hint) for v in own.extra}
    fresh = dict(mapping)
    closed = clone_block(block, mapping)
    closed.params += [fresh[v] for v in own.extra]
    for op in walk(closed):
        if op.name == "call" and op.attrs["function"] is fn:
            op.args["args"] = (*op.values("args"), *(fresh[v] for v in own.extra))
    fn.block = closed


def call_function(ctx: Context, node: gast.AST | None, own: OwnFunction, bound: dict[str, Lowered]) -> Lowered:
    leaves: list[Value] = []
    shape = {name: flatten_value(ctx, v, leaves) for name, v in bound.items()}
    if shape != own.shape:
        raise ctx.error(node, "a recursive call whose arguments have another structure than those of the first call",
                        "one function is generated for all of the calls", "pass arguments of one kind, or write a loop")
    for k, v in enumerate(leaves):
        joined = unify(own.types[k], v.type)
        if joined is None:
            raise ctx.error(node, f"a recursive call passes {describe(v)} where the first call passed "
                                  f"{describe(Value(own.types[k]))}",
                            "one function is generated for all of the calls", "pass the same types in every call")
        if str(joined) != str(own.types[k]):
            own.types[k] = general(joined)
            own.widened = True
    if own.result is None:
        raise UnknownResult(own)
    args = [cast_to(ctx.b, ctx.b.block, v, t) for v, t in zip(leaves, own.types, strict=True)]
    op = ctx.b.region("call", {"args": (*args, *own.extra)}, [], own.result_types,
                      {"function": own.function})
    return rebuild_value(ctx, own.result_shape, op.results)  # type: ignore[no-any-return]
