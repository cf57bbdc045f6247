"""Whether an operation may raise an error when numba runs it: in a thread that would be lost, and with it the result.

numba checks the shapes of arrays; here they have to be known to fit. Numbers raise nothing: math.log(-1.0) is nan, and
indices are not checked.
"""

from __future__ import annotations

from collections.abc import Sequence

from s2s.ir.core import Op
from s2s.ir.ops import SPECS, is_basic
from s2s.ir.types import Array, Dim

_SAFE = frozenset({"dim", "np.zeros", "np.empty", "np.ones", "np.full", "np.eye", "np.arange", "np.zeros_like",
                   "np.empty_like", "np.ones_like", "np.full_like", "np.copy", "np.transpose", "np.sum", "np.mean",
                   "np.prod", "np.any", "np.all"})
_PRODUCTS = frozenset({"matmul", "np.dot", "np.matmul"})


def may_raise(op: Op) -> bool:
    """Whether `op` may raise an error, other than for want of memory."""
    arrays = [v.type for v in (*op.operands(), *op.results) if isinstance(v.type, Array)]
    if not arrays or op.blocks or op.name in _SAFE:
        return False
    if op.name in ("getitem", "setitem", "additem"):
        if not is_basic(op.attrs["items"]):
            return True
        value = op.args.get("value")
        t = getattr(value, "type", None)
        if not isinstance(t, Array):
            return False
        part = SPECS["getitem"].infer(Op(SPECS["getitem"], {k: op.args[k] for k in ("a", "index")}, dict(op.attrs)))[0]
        return not isinstance(part, Array) or not fits(t.dims, part.dims)
    if op.name == "addto":
        return arrays[0].dims != arrays[1].dims
    if op.spec.elementwise and isinstance(op.result.type, Array):
        return not all(fits(t.dims, op.result.type.dims) for t in arrays)
    if op.name in _PRODUCTS and len(arrays) >= 2:
        return arrays[0].dims[-1] != arrays[1].dims[max(0, len(arrays[1].dims) - 2)]
    return True


def fits(have: Sequence[Dim], dims: Sequence[Dim]) -> bool:
    """Whether an array of one shape is for certain broadcast to another one."""
    return len(have) <= len(dims) and all(
        d == e or d.is_one is True for d, e in zip(have[::-1], dims[::-1], strict=False))
