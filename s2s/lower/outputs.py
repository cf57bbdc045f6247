"""`out=`, `where=` and `dtype=` of NumPy's functions: a store of what the function gives without them.

    np.divide(a, b, out=c, where=m)      c[...] = np.where(m, a / b, c)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from s2s.ir.core import Value
from s2s.ir.types import Array, Scalar
from s2s.lower.context import Context
from s2s.lower.describe import describe
from s2s.lower.indexing import store
from s2s.lower.numbers import value
from s2s.lower.truth import static, usable
from s2s.lower.values import Lowered, Static, Tuple
from s2s.rules.table import Rule

# Reductions that compute in the dtype they are given.
_ACCUMULATES = frozenset({"np.sum", "np.prod", "np.mean", "np.std", "np.var", "np.cumsum", "np.cumprod"})


@dataclass
class Outputs:
    """What a call says about its result: the array it goes to, the elements that are meant."""

    out: Value | None = None
    where: Lowered | None = None


def ufunc_of(rule: Rule) -> np.ufunc | None:
    """The ufunc that a rule is for."""
    return next((f for f in rule.callables if isinstance(f, np.ufunc)), None)


def take_outputs(ctx: Context, node: gast.AST | None, rule: Rule, args: list[Lowered],
                 named: dict[str, Lowered]) -> Outputs:
    """Remove from the arguments of a call what is about its result."""
    ufunc = ufunc_of(rule)
    own = {p.name for p in rule.spec.params}
    if ufunc is not None and len(args) > ufunc.nin:
        named["out"] = args[ufunc.nin] if len(args) == ufunc.nin + 1 else Tuple(tuple(args[ufunc.nin:]))
        del args[ufunc.nin:]
    found = Outputs()
    if "out" not in own and "out" in named:
        found.out = given_output(ctx, node, named.pop("out"))
    # Without `out`, what a ufunc gives where `where` is False is undefined: such a call is refused.
    if ufunc is not None and found.out is not None and not _is(named.get("where"), True):
        found.where = named.pop("where")
    if "dtype" not in own and not _is(named.get("dtype"), None) and (
            ufunc is not None or rule.spec.name in _ACCUMULATES):
        dtype = np.dtype(static(ctx, node, named.pop("dtype"), "the dtype")).name
        count = len(args) if ufunc is not None else 1
        args[:count] = [ctx.b.cast(value(ctx, node, x), Scalar(dtype)) for x in args[:count]]
    return found


def _is(x: Lowered | None, constant: Any) -> bool:
    """Whether an argument is left out, or is the constant that means so."""
    return x is None or (isinstance(x, Static) and x.value is constant) or (
        isinstance(x, Value) and x.op is not None and x.op.name == "const" and x.op.attrs["value"] is constant)


def given_output(ctx: Context, node: gast.AST | None, out: Lowered) -> Value | None:
    """The array that the result of a call goes to; None where the call makes one."""
    out = usable(ctx, node, out)
    if _is(out, None):
        return None
    if isinstance(out, Tuple) and len(out.items) == 1:
        out = usable(ctx, node, out.items[0])
    if not (isinstance(out, Value) and isinstance(out.type, Array)):
        raise ctx.error(node, f"{describe(out)} as `out`", "the result is stored into it, so it has to be an array",
                        "pass an array, or assign the result")
    return out


def deliver(ctx: Context, node: gast.AST | None, name: str, ufunc: bool, result: Lowered, found: Outputs) -> Lowered:
    """The result of the call of `name`, stored where it belongs."""
    if found.out is None:
        return result
    if not isinstance(result, Value):
        raise ctx.error(node, f"`out` of {name}, which has several results", "",
                        "assign the results: a[...], b[...] = f(x)")
    if found.where is not None:
        result = value(ctx, node, ctx.call(node, Static(np.where), [found.where, result, found.out]))
    if not ufunc and getattr(result.type, "ndim", 0) != getattr(found.out.type, "ndim", 0):
        raise ctx.error(node, f"the result of {name} has other dimensions than `out`",
                        "NumPy would raise ValueError", "make `out` of the shape of the result")
    check_cast(ctx, node, result, found.out)
    store(ctx, node, found.out, ("e",), (), result)
    return found.out


def check_cast(ctx: Context, node: gast.AST | None, new: Value, target: Value) -> None:
    """What NumPy refuses to store in place: floats into ints, complex numbers into floats."""
    t, v = target.type, new.type
    if not (isinstance(t, Array) and isinstance(v, Scalar | Array)):
        return
    if isinstance(v, Scalar) and v.weak and np.dtype(v.dtype).kind in "biu":
        return
    if not np.can_cast(np.dtype(v.dtype), np.dtype(t.dtype), "same_kind"):
        raise ctx.error(node, f"a result of {v.dtype} is stored in place into an array of {t.dtype}",
                        "NumPy would raise UFuncTypeError", "make the array of the wider dtype")
