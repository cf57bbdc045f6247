"""Assignments to attributes of arrays: `a.shape = ...`, `a.flat = ...`, `a.real = ...`, `a.imag = ...`."""

from __future__ import annotations

import gast
import numpy as np

from s2s.ir.core import Value
from s2s.ir.types import Array
from s2s.lower.context import Context
from s2s.lower.indexing import store
from s2s.lower.numbers import sequence, value
from s2s.lower.values import Box, Lowered, Static, Tuple


def set_array_attribute(ctx: Context, node: gast.AST, a: Value, name: str, new: Lowered) -> bool:
    """`a.name = new`; False where an array has no such attribute that can be assigned."""
    assert isinstance(a.type, Array)
    is_complex = np.dtype(a.type.dtype).kind == "c"
    if name == "shape":
        _set_shape(ctx, node, a, new)
    elif name == "flat":
        v = value(ctx, node, new)
        if isinstance(v.type, Array) and (v.type.ndim, a.type.ndim) != (1, 1):
            shape = Tuple(tuple(ctx.b.dim(a, k) for k in range(a.type.ndim)))
            v = value(ctx, node, ctx.call(node, Static(np.reshape), [v, shape]))
        store(ctx, node, a, ("e",), (), v)
    elif name == "real" and not is_complex:
        store(ctx, node, a, ("e",), (), value(ctx, node, new))
    elif name in ("real", "imag") and is_complex:
        part = value(ctx, node, ctx.call(node, Static(getattr(np, name)), [a]))
        store(ctx, node, part, ("e",), (), value(ctx, node, new))
    else:
        return False
    return True


def _set_shape(ctx: Context, node: gast.AST, a: Value, new: Lowered) -> None:
    """The array is another one for the program, so all that stands for it is bound to that one."""
    assert isinstance(a.type, Array)
    if a.type.layout != "C" and a.type.ndim > 1:
        raise ctx.error(node, "the shape of an array of which the order in memory is not known is assigned",
                        "NumPy raises where the array would have to be copied", "use a = a.reshape(...)")
    if a.op is None:
        raise ctx.error(node, "the shape of an array that the function was given is assigned",
                        "its caller's array would have another shape", "use a = a.reshape(...)")
    shape = new if sequence(ctx, new) is not None else Tuple((value(ctx, node, new),))
    reshaped = value(ctx, node, ctx.call(node, Static(np.reshape), [a, shape]))
    reshaped.hint = reshaped.hint or a.hint
    env = ctx.state.env
    for key in [k for k, v in env.items() if v is a]:
        env[key] = reshaped
    for box, content in list(ctx.state.heap.items()):
        if isinstance(box, Box) and isinstance(content, list):
            ctx.state.heap[box] = [reshaped if v is a else v for v in content]
        elif isinstance(box, Box) and isinstance(content, dict):
            ctx.state.heap[box] = {k: reshaped if v is a else v for k, v in content.items()}
