"""What code that this specialisation leaves out would have read.

Whether a gradient is None or zeros is decided over all branches (architecture.md, 11). A branch that is
never lowered, because a flag or a rank decides it, still counts: what it mentions is connected.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from s2s.errors import S2SError
from s2s.ir.core import Block, Value
from s2s.lower.context import Context, Peel
from s2s.lower.values import Outside


def mention(ctx: Context, nodes: Sequence[gast.AST]) -> None:
    """Record the numbers that `nodes` read by name or attribute."""
    for node in nodes:
        for n in gast.walk(node):
            if isinstance(n, gast.Attribute | gast.Name) and isinstance(n.ctx, gast.Load):
                _record(ctx, n)


def _record(ctx: Context, n: gast.AST) -> None:
    if isinstance(n, gast.Attribute) and not _is_path(n):
        return
    saved = ctx.state.copy()
    try:
        with ctx.b.at(Block()):
            found = ctx.expr(n)
    except (S2SError, Peel):
        return  # the branch is not taken; what is wrong in it does not matter
    finally:
        ctx.state = saved
    if isinstance(found, Value):
        ctx.mentioned_values.add(found)
    elif isinstance(found, Outside):
        ctx.mentioned.add(found.read.path)


def _is_path(n: gast.AST) -> bool:
    while isinstance(n, gast.Attribute):
        n = n.value
    return isinstance(n, gast.Name)
