"""Arrays that stand for lists and tuples: `list(a)`, `a.tolist()`, `sorted(a)` where the length is not known before.

What such a list holds are numbers, or the rows of an array, which share its memory: then the array stands for it as
it is. That goes well until an item of the list is replaced, which changes no array: the program starts over
(`GrowList`) with a list that holds the rows one by one.
"""

from __future__ import annotations

from typing import NamedTuple

import gast
import numpy as np

from s2s.ir.core import Value
from s2s.ir.types import Array, Scalar, Type
from s2s.lower.context import Context, GrowList
from s2s.lower.values import Box, Lowered, Slice, Static


class Stand(NamedTuple):
    """What an array stands for. site: the node that made it, if it can be made in another way."""

    site: int
    cls: type
    nested: bool = False  # its rows are lists as well


def stand_for(ctx: Context, node: gast.AST, x: Value, cls: type, *, nested: bool = False) -> Value:
    """The list or tuple of the items of the array `x`, or, nested, of lists of numbers."""
    made = copied(ctx, node, x) if nested or _of_numbers(x) else \
        ctx.b.one("getitem", {"a": x, "index": ()}, {"items": ("e",)})
    ctx.lists[made] = Stand(id(node), cls, nested or (x in ctx.lists and ctx.lists[x].nested))
    return made


def _of_numbers(x: Value) -> bool:
    assert isinstance(x.type, Array)
    return x.type.ndim == 1


def copied(ctx: Context, node: gast.AST | None, x: Value) -> Value:
    """`x` as an array of its own."""
    made = ctx.call(node, Static(np.copy), [x])
    assert isinstance(made, Value)
    return made


def item_of_list(ctx: Context, node: gast.AST, x: Value, index: Lowered, part: Value) -> Value:
    """What `part`, a part of the array `x` that stands for a list, is of the list: a slice is a new list."""
    stand = ctx.lists[x]
    if isinstance(index, Slice):
        new = copied(ctx, node, part) if _of_numbers(x) else part
        ctx.lists[new] = stand
        return new
    return row_of_list(ctx, x, part)


def row_of_list(ctx: Context, x: Value, row: Value) -> Value:
    """`row`, an item of the array `x`, which may stand for a list of lists."""
    if x in ctx.lists and ctx.lists[x].nested and isinstance(row.type, Array):
        ctx.lists[row] = Stand(0, list, row.type.ndim > 1)
    return row


def one_of(ctx: Context, new: Value, *values: Lowered | None) -> Value:
    """`new`, which is one of `values` and stands for a list where they do; it cannot be made in another way."""
    stands = [ctx.lists[v] for v in values if isinstance(v, Value) and v in ctx.lists]
    if stands and isinstance(new.type, Array):
        cls = list if any(s.cls is list for s in stands) else tuple
        ctx.lists[new] = Stand(0, cls, any(s.nested for s in stands))
    return new


def check_replaced(ctx: Context, node: gast.AST, x: Value, index: Lowered) -> None:
    """Before an item of the list that `x` stands for is replaced: only a number can be, in place."""
    stand = ctx.lists[x]
    if stand.cls is tuple:
        raise ctx.error(node, "an item of a tuple is assigned", "Python would raise TypeError", "make a list",
                        python=TypeError)
    if _of_numbers(x) and not isinstance(index, Slice):
        return
    if not stand.site:
        raise ctx.error(node, "an item of a list made of an array is replaced",
                        "other names of it would change with it, or not", "use the array")
    raise GrowList(stand.site, item_type(x))


def check_changed(ctx: Context, node: gast.AST, x: Box) -> None:
    """Before a list or dict is changed."""
    if x in ctx.frozen:
        raise ctx.error(node, "this container is one of two, depending on a condition, and is changed")
    if x in ctx.packed:
        raise ctx.error(node, "this list is an item of a list that grows, and is changed",
                        "what that holds is a copy, which would not change with it",
                        "change it before, or change the item")


def item_type(x: Value) -> Type:
    """The type of the items of the list that `x` stands for."""
    t = x.type
    assert isinstance(t, Array)
    return Scalar(t.dtype) if t.ndim == 1 else Array(t.dtype, t.dims[1:])
