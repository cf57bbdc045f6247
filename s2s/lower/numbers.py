"""Numbers and arrays: anything lowered as an IR value, arithmetic with NumPy's promotion, comparison."""

from __future__ import annotations

import enum
import operator
import types
from collections.abc import Sequence
from typing import Any

import gast
import numpy as np

from s2s.containers import class_fields
from s2s.errors import NoRuleError, S2SError
from s2s.ir.core import Block, Op, Value
from s2s.ir.memory import STALE
from s2s.ir.ops import SPECS, constant
from s2s.ir.types import INT, Array, List, Opaque, Scalar, Undefined
from s2s.lower.context import Context
from s2s.lower.describe import describe
from s2s.lower.objects import call_special
from s2s.lower.outside import outside
from s2s.lower.truth import demand_static, is_none, truth, usable
from s2s.lower.values import Box, Conflict, Lowered, Outside, Range, Static, Tuple


def value(ctx: Context, node: gast.AST | None, x: Lowered) -> Value:
    """`x` as a number or an array: nested lists of numbers become arrays, as NumPy does."""
    x = usable(ctx, node, x)
    if isinstance(x, Value):
        if isinstance(x.type, Undefined):
            raise ctx.error(node, "this name may not be bound here")
        if isinstance(x.type, List):
            return list_to_array(ctx, x)
        return x
    if isinstance(x, Static) and isinstance(x.value, bool | int | float | complex | np.generic):
        return ctx.b.const(x.value)
    if isinstance(x, Outside) and isinstance(x.value, enum.Enum) and isinstance(x.value, int | float):
        return ctx.b.const(x.pinned().value)
    items = sequence(ctx, x)
    if items is not None:
        return pack(ctx, node, items)
    if isinstance(x, Box) and isinstance(ctx.state.heap[x], Value):
        return list_to_array(ctx, ctx.state.heap[x])
    raise ctx.error(node, f"{describe(x)} is used as a number", "only numbers and arrays have derivatives",
                    "use a number or an array here")


def held(ctx: Context, node: gast.AST | None, x: Lowered) -> Value:
    """`x` as an item of a list that grows, of which it stays a part: of a tuple or list, an array of its items."""
    v = value(ctx, node, x)
    if not isinstance(x, Value):
        _mark(ctx, x, v)
    return v


def _mark(ctx: Context, x: Lowered, v: Value) -> None:
    """Note that `v` is a copy of what `x` holds."""
    if isinstance(x, Box):
        ctx.packed.add(x)
    parts = None if isinstance(x, Value) else sequence(ctx, x)
    if parts is not None and v.op is not None and v.op.name == "pack":
        v.op.attrs[STALE] = True
        for part, element in zip(parts, v.op.values("elements"), strict=True):
            _mark(ctx, part, element)


def sequence(ctx: Context, x: Lowered) -> list[Lowered] | None:
    """The items of a list or tuple of known length; None for anything else."""
    if isinstance(x, Tuple):
        return list(x.items)
    if isinstance(x, Box) and x.kind == "list" and isinstance(ctx.state.heap[x], list):
        return list(ctx.state.heap[x])
    if isinstance(x, Outside) and isinstance(x.value, list | tuple):
        return [outside(ctx, ctx.binding.read(x.read, "item", k)) for k in range(len(x.value))]
    if isinstance(x, Static) and isinstance(x.value, list | tuple):
        return [Static(v) for v in x.value]
    if isinstance(x, Range):
        values = [constant(v) for v in (x.start, x.stop, x.step)]
        if all(isinstance(v, int) for v in values):
            return [ctx.b.int(k) for k in range(*values)]
    return None


def pack(ctx: Context, node: gast.AST | None, items: Sequence[Lowered], dtype: str | None = None) -> Value:
    """An array of scalars or of arrays of one shape."""
    values = [value(ctx, node, v) for v in items]
    for v in values:
        if not isinstance(v.type, Scalar | Array):
            raise ctx.error(node, f"{describe(v)} is an element of an array")
    ranks = {v.type.ndim for v in values if isinstance(v.type, Scalar | Array)}
    if len(ranks) > 1:
        raise ctx.error(node, "the rows of this array have different ranks")
    return ctx.b.one("pack", {"elements": tuple(values)}, {"dtype": dtype})


def scalar(ctx: Context, node: gast.AST | None, x: Lowered) -> Value:
    """A number, also out of an array of one element."""
    v = value(ctx, node, x)
    if isinstance(v.type, Array):
        if all(d.is_one for d in v.type.dims):
            index = tuple(ctx.b.int(0) for _ in v.type.dims)
            return ctx.b.one("getitem", {"a": v, "index": index}, {"items": ("i",) * v.type.ndim})
        raise ctx.error(node, f"{describe(v)} is converted to a number", "only an array of one element can be")
    return v


def list_to_array(ctx: Context, x: Value) -> Value:
    """np.array(list) for a list that grew: an array filled in a loop, which every stage knows."""
    assert isinstance(x.type, List)
    t = x.type.element
    assert isinstance(t, Scalar | Array)
    b = ctx.b
    n = b.one("listlen", {"list": x})
    shape: list[Value] = [n]
    if isinstance(t, Array):
        first = b.one("listget", {"list": x, "index": b.int(0)})
        shape += [b.dim(first, k) for k in range(t.ndim)]
    spec = ctx.services.table.by_name["np.empty"].spec
    attrs = {p.name: p.default for p in spec.params if p.kind == "static"} | {"dtype": t.dtype}
    out = b.one(spec, {"shape": tuple(shape)}, attrs)
    block = Block(params=[Value(INT, "")])
    with b.at(block):
        k = block.params[0]
        element = b.one("listget", {"list": x, "index": k})
        b.emit("setitem", {"a": out, "index": (k,), "value": element}, {"items": ("i",)})
    loop = Op(SPECS["for"], {"start": b.int(0), "stop": n, "step": b.int(1), "init": ()}, {"breaks": False},
              blocks=[block], loc=b.loc)
    b.block.ops.append(loop)
    return out


def promoted(ctx: Context, x: Value, other: Value) -> Value:
    """A weak float that meets float32 is cast to it: numba has no weak scalars."""
    t, o = x.type, other.type
    if not (isinstance(t, Scalar) and t.weak and isinstance(o, Scalar | Array)) or o.weak:
        return x
    if o.dtype in ("float32", "float16", "complex64") and np.dtype(t.dtype).kind in "iuf":
        if constant(x) is not None and np.dtype(t.dtype).kind in "iu":
            return x
        return ctx.b.cast(x, Scalar({"complex64": "float32"}.get(o.dtype, o.dtype)))
    return x


def arithmetic(ctx: Context, node: gast.AST, name: str, x: Lowered, y: Lowered) -> Value:
    """A binary operator on numbers and arrays."""
    left, right = value(ctx, node, x), value(ctx, node, y)
    for v in (left, right):
        if isinstance(v.type, Opaque):
            raise not_a_number(ctx, node, v)
    if name == "matmul":
        spec = ctx.services.table.by_name["np.matmul"].spec
        first, second = [p.name for p in spec.params[:2]]
        return ctx.b.one(spec, {first: left, second: right},
                         {p.name: p.default for p in spec.params[2:] if p.kind == "static"})
    left, right = promoted(ctx, left, right), promoted(ctx, right, left)
    return ctx.b.binary(name, left, right)


_COMPARISON = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt,
               "ge": operator.ge}


def compare(ctx: Context, node: gast.AST, name: str, x: Lowered, y: Lowered) -> Lowered:
    """One comparison: of numbers at run time, of everything else now."""
    if name in ("is", "isnot") and isinstance(x, Conflict) and x.value is not None and y == Static(None):
        found = is_none(ctx, x)
        return found if name == "is" else ctx.b.one("not", {"x": found})
    x, y = usable(ctx, node, x), usable(ctx, node, y)
    if name in ("is", "isnot"):
        return ctx.b.const(_is(x, y) == (name == "is"))
    if name in ("in", "notin"):
        return _contains(ctx, node, name, x, y)
    if isinstance(x, Value) and isinstance(y, Value):
        return _compare_values(ctx, name, x, y)
    fields = _compared_fields(ctx, name, x, y)
    if fields is not None:
        return compare(ctx, node, name, *fields) if fields else ctx.b.const(name == "ne")
    own = _own_comparison(x, name)
    if own is not None:
        return ctx.call(node, own, [x, y])
    left, right = known(ctx, x), known(ctx, y)
    if left is not UNKNOWN and right is not UNKNOWN:
        return ctx.b.const(bool(_COMPARISON[name](left, right)))
    a, b = sequence(ctx, x), sequence(ctx, y)
    if a is not None and b is not None and name in ("eq", "ne"):
        return _compare_sequences(ctx, node, name, a, b)
    if (isinstance(x, Static) or isinstance(y, Static)) and name in ("eq", "ne") and any(
            k is None or isinstance(k, str) for k in (known(ctx, x), known(ctx, y))):
        return ctx.b.const(name == "ne")
    return _compare_values(ctx, name, value(ctx, node, x), value(ctx, node, y))


def _compared_fields(ctx: Context, name: str, x: Lowered, y: Lowered) -> tuple[Lowered, ...] | None:
    """Two dataclasses whose comparison is generated, as tuples of their fields; () where they are of two classes."""
    classes = [v.cls if isinstance(v, Box) else type(v.value) if isinstance(v, Outside) else None for v in (x, y)]
    own = getattr(classes[0], f"__{name if name != 'ne' else 'eq'}__", None)
    names = class_fields(classes[0])
    if names is None or not isinstance(own, types.FunctionType) or not own.__code__.co_filename.startswith(
            ("<string>", "<attrs generated")):
        return None
    if classes[0] is not classes[1]:
        return () if name in ("eq", "ne") else None
    found = getattr(classes[0], "__dataclass_fields__", None)
    names = tuple(n for n in names if found is None or found[n].compare)
    return tuple(Tuple(tuple(_field(ctx, v, n) for n in names)) for v in (x, y))


def _field(ctx: Context, x: Lowered, name: str) -> Lowered:
    if isinstance(x, Box):
        return ctx.state.heap[x][name]  # type: ignore[no-any-return]
    assert isinstance(x, Outside)
    changed = ctx.get((ctx.object_scope(x), name))
    return changed if changed is not None else outside(ctx, ctx.binding.read(x.read, "attr", name))


def _own_comparison(x: Lowered, name: str) -> Lowered | None:
    """`__eq__` and its kind, where the class of an object defines it in Python."""
    cls = x.cls if isinstance(x, Box) else type(x.value) if isinstance(x, Outside) else None
    own = getattr(cls, f"__{name}__", None)
    return Static(own) if isinstance(own, types.FunctionType) else None


def _compare_values(ctx: Context, name: str, x: Value, y: Value) -> Value:
    dx, dy = getattr(x.type, "dim", None), getattr(y.type, "dim", None)
    if dx is not None and dy is not None and dx.symbol == dy.symbol:
        return ctx.b.const(bool(_COMPARISON[name](dx.offset, dy.offset)))
    return ctx.b.binary(name, x, y)


def _compare_sequences(ctx: Context, node: gast.AST, name: str, a: list[Lowered], b: list[Lowered]) -> Lowered:
    if len(a) != len(b):
        return ctx.b.const(name == "ne")
    result: Value | None = None
    for p, q in zip(a, b, strict=True):
        test = truth(ctx, node, compare(ctx, node, "eq", p, q))
        if test is False:
            return ctx.b.const(name == "ne")
        if isinstance(test, Value):
            result = test if result is None else ctx.b.one("and", {"x": result, "y": test})
    if result is None:
        return ctx.b.const(name == "eq")
    return result if name == "eq" else ctx.b.one("not", {"x": result})


class _Unknown:
    """The answer where a value is not known before the run."""


UNKNOWN = _Unknown()


def known(ctx: Context, x: Lowered) -> Any:
    """The Python object that `x` is, or UNKNOWN."""
    if isinstance(x, Static):
        return x.value
    if isinstance(x, Outside) and not isinstance(x.value, list | dict | tuple):
        return x.pinned()
    if isinstance(x, Value) and constant(x) is not None:
        return constant(x)
    if isinstance(x, Tuple):
        items = [known(ctx, v) for v in x.items]
        return UNKNOWN if any(v is UNKNOWN for v in items) else tuple(items)
    return UNKNOWN


def _is(x: Lowered, y: Lowered) -> bool:
    """Whether two things are the same object, as far as it can be told: `x is None`, above all."""
    if any(isinstance(v, Static) and v.value is None for v in (x, y)):
        return getattr(x, "value", x) is getattr(y, "value", y)
    if isinstance(x, Static | Outside) and isinstance(y, Static | Outside):
        one, other = (v.pinned() if isinstance(v, Outside) else v.value for v in (x, y))
        return one is other
    if isinstance(x, Value) and isinstance(y, Value):
        if constant(x) is not None and constant(y) is not None:
            return constant(x) is constant(y)
        return x is y
    return x is y


def _contains(ctx: Context, node: gast.AST, name: str, x: Lowered, y: Lowered) -> Lowered:
    key = known(ctx, x)
    own = call_special(ctx, node, y, "__contains__", [x])
    if own is not None:
        found = truth(ctx, node, own)
        return ctx.b.const(found == (name == "in")) if isinstance(found, bool) else (
            found if name == "in" else ctx.b.one("not", {"x": found}))
    if isinstance(y, Box) and y.kind in ("dict", "set") and key is not UNKNOWN:
        return ctx.b.const(ctx.has(y, key) == (name == "in"))
    if isinstance(y, Outside) and isinstance(y.value, dict) and key is not UNKNOWN:
        return ctx.b.const((key in y.value) == (name == "in"))
    if isinstance(y, Static) and key is not UNKNOWN:
        return ctx.b.const((key in y.value) == (name == "in"))
    items = sequence(ctx, y)
    if items is None and isinstance(x, Value):
        demand_static(ctx, x)
    if items is None:
        raise ctx.error(node, f"`in` on {describe(y)} is not supported")
    result: Value | None = None
    for item in items:
        test = truth(ctx, node, compare(ctx, node, "eq", x, item))
        if test is True:
            return ctx.b.const(name == "in")
        if isinstance(test, Value):
            result = test if result is None else ctx.b.one("or", {"x": result, "y": test})
    if result is None:
        return ctx.b.const(name == "notin")
    return result if name == "in" else ctx.b.one("not", {"x": result})


def not_a_number(ctx: Context, node: gast.AST | None, v: Value, how: str = "used as a number") -> S2SError:
    """The error for a result that s2s knows nothing about and that is used as a number."""
    attrs = v.op.attrs if v.op is not None and v.op.name == "pycall" else {}
    name, why = attrs.get("name"), attrs.get("why")
    if name is None:
        return ctx.error(node, f"{describe(v)} is {how}")
    return ctx.error(node, f"the result of {name} is {how}",
                     f"there is no derivative rule for {name}, and s2s cannot look into it"
                     + (f" ({why})" if why else ""),
                     "compute it before the function and pass it in as an argument, or give it a derivative "
                     "with s2s.custom_gradient", NoRuleError)
