"""What an operation simplifies to when it is built: constants, identities, signs, integer offsets.

Only rewrites that keep the value (to rounding, where two constants are multiplied together) and the
type are made here; none needs to know who uses the result.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from s2s.ir.core import Op, Value
from s2s.ir.ops import constant
from s2s.ir.types import Array, Scalar, Type, same_size

if TYPE_CHECKING:
    from s2s.ir.builder import Builder

_EVALUATE: dict[str, Any] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "floordiv": operator.floordiv, "mod": operator.mod, "neg": operator.neg, "pos": operator.pos,
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt,
    "ge": operator.ge, "not": operator.not_, "pow": operator.pow,
}

# How many operations to look at to see that an array was not written since it was made.
_LOOK_BACK = 50


def fold(b: Builder, op: Op, types: list[Type]) -> Value | None:
    """The value that `op` simplifies to, or None. `types` are those of its results.

    An array that is there already is given only where `b.aliases` allows it: `x * 1.0` is a new array, and
    a program that writes into it, or into `x` later, must not see `x` itself.
    """
    made = len(b.block.ops)
    if op.name in _EVALUATE:
        value = _constants(b, op, types[0])
        if value is not None:
            return value
    rewrite = _REWRITES.get(op.name)
    result: Value | None = rewrite(b, op, types[0]) if rewrite is not None else None
    if result is None and op.spec.shape_only:
        result = shaped(b, op)
    if result is None and op.spec.elementwise and isinstance(types[0], Array):
        result = _narrow(b, op, types[0])
    if result is None:
        return None
    # An identity must not change the type: 1.0 * x makes a float of an int.
    if result.type != types[0] or (isinstance(result.type, Array) and not b.aliases and not _is_new(b, result, made)):
        return None
    return result


def _is_new(b: Builder, v: Value, made: int) -> bool:
    """Whether `v` was made by one of the operations that the block has had since it had `made`."""
    return any(v in op.results for op in b.block.ops[made:])


def _constants(b: Builder, op: Op, type: Type) -> Value | None:
    operands = list(op.operands())
    if not isinstance(type, Scalar) or any(constant(v) is None for v in operands):
        return None
    values = [constant(v) for v in operands]
    if any(isinstance(v, str) for v in values):
        return None
    try:
        with np.errstate(all="ignore"):
            result = _EVALUATE[op.name](*values)
    except (ZeroDivisionError, OverflowError, ValueError, TypeError):
        return None  # raises when it runs, as the program says
    if isinstance(result, int) and not isinstance(result, bool) and abs(result) >= 2**63:
        return None
    if isinstance(result, complex) and np.dtype(type.dtype).kind != "c":
        return None
    if isinstance(result, float) and not np.isfinite(result):
        return None
    return b.const(result, type)


def _operation(b: Builder, v: Value, name: str) -> Op | None:
    """The operation that made `v`, if it is `name` and would give the same value once more."""
    if v.op is None or v.op.name != name or v in b.opaque:
        return None
    return v.op if not isinstance(v.type, Array) or _unwritten_since(b, v.op) else None


def _unwritten_since(b: Builder, op: Op) -> bool:
    """Whether no memory can have changed after `op`, as far as a short look back tells."""
    for later in reversed(b.block.ops[-_LOOK_BACK:]):
        if later is op:
            return True
        if not later.spec.pure or later.blocks or later.name == "call":
            return False
    return False


def _narrow(b: Builder, op: Op, t: Type) -> Value | None:
    """An operand that was broadcast for nothing: the operation broadcasts it, or can come first."""
    for name, arg in op.args.items():
        wide = _operation(b, arg, "s2s.broadcast_like") if isinstance(arg, Value) else None
        if wide is None:
            continue
        narrow = {**op.args, name: wide.value("x")}
        if _same_shape(op.spec.infer(Op(op.spec, narrow, op.attrs))[0], t):
            return b.one(op.spec, narrow, op.attrs)
        others = [v.type for n, v in op.args.items() if n != name and isinstance(v, Value)]
        if all(isinstance(o, Scalar) for o in others):
            return b.one(wide.spec, {"x": b.one(op.spec, narrow, op.attrs), "like": wide.value("like")})
    return None


def _same_shape(x: Type, y: Type) -> bool:
    return isinstance(x, Array) and isinstance(y, Array) and x.ndim == y.ndim \
        and all(same_size(m, n) for m, n in zip(x.dims, y.dims, strict=True))


def shaped(b: Builder, op: Op) -> Value | None:
    """The operation on an operand of what was computed for its shape alone: x for (x * y).shape[0]."""
    for name in op.spec.shape_only:
        v = op.args.get(name)
        source = _source(v) if isinstance(v, Value) else None
        if source is not None:
            return b.one(op.spec, {**op.args, name: source}, op.attrs)
    return None


def _source(v: Value) -> Value | None:
    """An operand of an elementwise operation that has the type of the result."""
    if v.op is None or not v.op.spec.elementwise or not isinstance(v.type, Array):
        return None
    for x in v.op.operands():
        if x.type == v.type and isinstance(x.type, Array) and x.type.layout == v.type.layout:
            return x
    return None


def _add(b: Builder, op: Op, t: Type) -> Value | None:
    x, y = op.value("x"), op.value("y")
    if constant(x) == 0 and isinstance(x.type, Scalar):
        return y
    if constant(y) == 0 and isinstance(y.type, Scalar):
        return x
    if negated := _operation(b, y, "neg"):
        return b.sub(x, negated.value("x"))
    if negated := _operation(b, x, "neg"):
        return b.sub(y, negated.value("x"))
    c = constant(y)
    if isinstance(c, int) and c < 0 and x.type == t:
        return b.sub(x, b.int(-c))
    return _offset(b, x, c, t) or _offset(b, y, constant(x), t)


def _sub(b: Builder, op: Op, t: Type) -> Value | None:
    x, y = op.value("x"), op.value("y")
    if constant(y) == 0 and isinstance(y.type, Scalar):
        return x
    if constant(x) == 0 and isinstance(x.type, Scalar):
        return b.neg(y)
    if negated := _operation(b, y, "neg"):
        return b.add(x, negated.value("x"))
    c = constant(y)
    if not isinstance(c, int) or isinstance(c, bool):
        return None
    return b.add(x, b.int(-c)) if c < 0 and x.type == t else _offset(b, x, -c, t)


def _offset(b: Builder, x: Value, c: Any, t: Type) -> Value | None:
    """(n - 1) - 1 as n - 2, for Python ints."""
    if not (isinstance(c, int) and not isinstance(c, bool) and isinstance(t, Scalar) and t.dtype == "int64"):
        return None
    for name, sign in (("add", 1), ("sub", -1)):
        inner = _operation(b, x, name)
        if inner is None:
            continue
        k = constant(inner.value("y"))
        if isinstance(k, int) and not isinstance(k, bool) and inner.value("x").type == t:
            total = sign * k + c
            base = inner.value("x")
            if total == 0:
                return base
            return b.add(base, b.int(total)) if total > 0 else b.sub(base, b.int(-total))
    return None


def _mul(b: Builder, op: Op, t: Type) -> Value | None:
    x, y = op.value("x"), op.value("y")
    for one, other in ((x, y), (y, x)):
        c = constant(one)
        if c is None or not isinstance(one.type, Scalar):
            continue
        if c == 1:
            return other
        if c == -1:
            return b.neg(other)
        if not _is_float(t):
            continue
        if (inner := _operation(b, other, "mul")) and (k := constant(inner.value("x"))) is not None \
                and isinstance(inner.value("x").type, Scalar) and _same_numbers(one, inner.value("x")):
            return b.mul(b.const(k * c, one.type), inner.value("y"))
        if inner:
            for r, a in ((inner.value("x"), inner.value("y")), (inner.value("y"), inner.value("x"))):
                if isinstance(r.type, Scalar) and isinstance(a.type, Array):
                    return b.mul(b.mul(one, r), a)  # one pass over the array
        if negated := _operation(b, other, "neg"):
            return b.mul(b.const(-c, one.type), negated.value("x"))
        if one is y:
            return b.mul(y, x)  # constants first
    if negated := _operation(b, x, "neg"):
        return b.neg(b.mul(negated.value("x"), y))
    if negated := _operation(b, y, "neg"):
        return b.neg(b.mul(x, negated.value("x")))
    return _lift_constant(b, x, y) if _is_float(t) else None


def _lift_constant(b: Builder, x: Value, y: Value) -> Value | None:
    """x * (c * y) as c * (x * y), so that constants meet; c is a scalar and x is no constant."""
    for one, other in ((x, y), (y, x)):
        inner = _operation(b, one, "mul")
        if inner is not None and constant(inner.value("x")) is not None and isinstance(inner.value("x").type, Scalar) \
                and constant(other) is None:
            rest = inner.value("y")
            if isinstance(rest.type, Scalar) and isinstance(other.type, Array):
                return None
            if isinstance(rest.type, Array) and isinstance(other.type, Scalar):
                return b.mul(b.mul(inner.value("x"), other), rest)  # one pass over the array
            product = b.mul(rest, other) if one is x else b.mul(other, rest)
            return b.mul(inner.value("x"), product)
    return None


def _same_numbers(x: Value, y: Value) -> bool:
    return isinstance(x.type, Scalar) and isinstance(y.type, Scalar) and x.type == y.type


def _is_float(t: Type) -> bool:
    return isinstance(t, Scalar | Array) and np.dtype(t.dtype).kind == "f"


def _div(b: Builder, op: Op, t: Type) -> Value | None:
    x, y = op.value("x"), op.value("y")
    if constant(y) == 1 and isinstance(y.type, Scalar):
        return x
    if negated := _operation(b, x, "neg"):
        return b.neg(b.binary("div", negated.value("x"), y))
    return None


def _neg(b: Builder, op: Op, t: Type) -> Value | None:
    x = op.value("x")
    if inner := _operation(b, x, "neg"):
        return inner.value("x")
    if inner := _operation(b, x, "sub"):
        return b.sub(inner.value("y"), inner.value("x")) if _is_float(t) else None
    if (inner := _operation(b, x, "mul")) and constant(inner.value("x")) is not None and _is_float(t):
        c = inner.value("x")
        return b.mul(b.const(-constant(c), c.type), inner.value("y"))
    return None


def _pow(b: Builder, op: Op, t: Type) -> Value | None:
    c = constant(op.value("y"))
    if c is None or not isinstance(op.value("y").type, Scalar):
        return None
    if c == 1:
        return op.value("x")
    if c == 0 and isinstance(t, Scalar):
        return b.const(1, t)
    return None


def _cast(b: Builder, op: Op, t: Type) -> Value | None:
    x = op.value("x")
    c = constant(x)
    if c is None or not isinstance(t, Scalar) or isinstance(c, str):
        return None
    if isinstance(c, complex) and np.dtype(t.dtype).kind != "c":
        return None
    if isinstance(c, float) and np.dtype(t.dtype).kind in "biu":
        return None
    return b.const(c, t)


def _trips(b: Builder, op: Op, t: Type) -> Value | None:
    start, stop, step = op.value("start"), op.value("stop"), op.value("step")
    values = [constant(v) for v in (start, stop, step)]
    if all(isinstance(v, int) for v in values) and values[2] != 0:
        return b.int(len(range(*values)))
    return None


def _against_constant(b: Builder, op: Op, t: Type) -> Value | None:
    x, y = op.value("x"), op.value("y")
    dim = getattr(x.type, "dim", None)
    if constant(y) == 1 and dim is not None and dim.is_one is False:
        return b.const(op.name == "ne")  # a size that the key says is not 1
    negated = _operation(b, x, "neg")
    if negated is not None and constant(y) == 0 and _is_float(x.type):
        return b.binary(op.name, negated.value("x"), y)
    return None


def _neg_condition(b: Builder, op: Op, t: Type) -> Value | None:
    inner = _operation(b, op.value("x"), "not")
    return inner.value("x") if inner is not None else None


def _and(b: Builder, op: Op, t: Type) -> Value | None:
    for one, other in ((op.value("x"), op.value("y")), (op.value("y"), op.value("x"))):
        if constant(one) is not None:
            return other if constant(one) else one
    return None


def _or(b: Builder, op: Op, t: Type) -> Value | None:
    for one, other in ((op.value("x"), op.value("y")), (op.value("y"), op.value("x"))):
        if constant(one) is not None:
            return one if constant(one) else other
    return None


_REWRITES: dict[str, Any] = {
    "and": _and, "or": _or,
    "add": _add, "sub": _sub, "mul": _mul, "div": _div, "neg": _neg, "pow": _pow, "cast": _cast,
    "trips": _trips, "not": _neg_condition, "eq": _against_constant, "ne": _against_constant,
}
