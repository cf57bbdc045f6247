"""Conditions that a lowered program relies on."""

from __future__ import annotations

from s2s.ir.core import Block, Value
from s2s.lower.context import Context


def raise_if(ctx: Context, cond: Value, text: str) -> None:
    """Raise where a condition holds that the lowered program relies on not to."""
    fail = Block()
    with ctx.b.at(fail):
        ctx.b.emit("raise", {"args": ()}, {"text": f"raise {text}"})
    ctx.b.region("if", {"cond": cond}, [fail, Block()], [])
