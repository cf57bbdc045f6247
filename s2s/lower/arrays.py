"""NumPy functions and array methods whose meaning is known here: they need no rule, or more than one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2s.errors import NoRuleError
from s2s.ir.core import Value
from s2s.ir.ops import constant as known_constant
from s2s.ir.types import Array, Scalar
from s2s.lower.attributes import VARIABLE_METHODS, get_attribute
from s2s.lower.context import Context, GrowList
from s2s.lower.effects import Template, emit_effect, text_of
from s2s.lower.indexing import store
from s2s.lower.iterate import known_items
from s2s.lower.library.arrays import vectorized
from s2s.lower.numbers import compare, pack, scalar, sequence, value
from s2s.lower.outside import opaque
from s2s.lower.rulecalls import call_rule
from s2s.lower.standing import copied, item_type, stand_for
from s2s.lower.truth import static, usable
from s2s.lower.typefunctions import TYPE_FUNCTIONS
from s2s.lower.values import Bound, Box, Lazy, Lowered, Outside, Range, Slice, Static, Tuple
from s2s.variable import constant

Node = Any
Args = list[Lowered]
Kwargs = dict[str, Lowered]


def _numpy_scalar(dtype: str) -> Callable[..., Lowered]:
    def convert(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
        if not args:
            return ctx.b.const(np.dtype(dtype).type(0))
        v = value(ctx, node, args[0])
        return ctx.b.cast(v, Scalar(dtype))
    return convert


def _array(ctx: Context, node: Node, args: Args, kwargs: Kwargs, *, copy: bool = True) -> Lowered:
    """np.array, np.asarray and their kind."""
    if "ndmin" in kwargs:
        rank = static(ctx, node, kwargs["ndmin"], "ndmin")
        made = _array(ctx, node, args, {k: v for k, v in kwargs.items() if k != "ndmin"}, copy=copy)
        return _with_rank(ctx, node, value(ctx, node, made), rank)
    dtype = kwargs.get("dtype", args[1] if len(args) > 1 else Static(None))
    wanted = static(ctx, node, dtype, "the dtype")
    name = None if wanted is None else np.dtype(wanted).name
    other = next((k for k in kwargs if k not in ("dtype", "copy", "object", "a", "order", "subok")), None)
    if other is not None or len(args) > 2:
        what = f"the argument {other!r}" if other else "an argument by place after the dtype"
        raise ctx.error(node, f"{what} of np.array is not supported", "it changes what the array is",
                        "reshape or copy it afterwards", NoRuleError)
    if "copy" in kwargs:
        given = static(ctx, node, kwargs["copy"], "copy")
        copy = given is True or getattr(given, "name", "") == "ALWAYS"  # None, and np._CopyMode: where it is needed
    x = usable(ctx, node, args[0] if args else kwargs.get("object", kwargs.get("a", Static(None))))
    items = None if isinstance(x, Value) else sequence(ctx, x)
    if items is not None and not items:
        return ctx.call(node, Static(np.zeros), [ctx.b.int(0)], {"dtype": Static(np.dtype(name or "float64"))})
    if items is None and not isinstance(x, Value) and isinstance(x, Lazy | Range):
        items = known_items(ctx, node, x)
    v = pack(ctx, node, items) if items is not None else value(ctx, node, x)
    if name is not None and isinstance(v.type, Scalar | Array) and (v.type.dtype != name or v.type.weak):
        v = ctx.b.cast(v, Scalar(name))
        copy = False
    elif isinstance(v.type, Scalar) and v.type.weak:
        v = ctx.b.cast(v, Scalar(v.type.dtype))
    if (copy or v in ctx.lists) and items is None and isinstance(v.type, Array) and not isinstance(x, Box):
        return ctx.call(node, Static(np.copy), [v])
    return v


def _with_rank(ctx: Context, node: Node, v: Value, rank: int) -> Lowered:
    """`v` with axes of size 1 before its own."""
    t = v.type
    assert isinstance(t, Scalar | Array)
    if t.ndim >= rank:
        return v
    if isinstance(t, Scalar):
        return ctx.call(node, Static(np.full), [Tuple((ctx.b.int(1),) * rank), v])
    return ctx.b.one("getitem", {"a": v, "index": ()}, {"items": ("n",) * (rank - t.ndim) + ("e",)})


def _asarray(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    return _array(ctx, node, args, kwargs, copy=False)


def _attribute(name: str) -> Callable[..., Lowered]:
    """np.shape, np.ndim and np.size: attributes of an array."""
    def read(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
        a = value(ctx, node, args[0] if args else kwargs["a"])
        axis = static(ctx, node, args[1] if len(args) > 1 else kwargs.get("axis", Static(None)), "the axis")
        if axis is None:
            return get_attribute(ctx, node, a, name)
        return ctx.b.dim(a, axis % getattr(a.type, "ndim", 1))
    return read


def _where(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    if len(args) == 1:
        return ctx.call(node, Static(np.nonzero), args)
    return call_rule(ctx, node, ctx.services.table.by_callable[np.where], args, kwargs)


def _ascontiguousarray(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    x = usable(ctx, node, args[0])
    if isinstance(x, Value) and isinstance(x.type, Array) and x.type.layout != "C":
        return call_rule(ctx, node, ctx.services.table.by_callable[np.ascontiguousarray], args, kwargs)
    return _asarray(ctx, node, args, kwargs)


_CHANGES_LENGTH = ("append", "pop", "extend")


def _refuse_list_method(ctx: Context, node: Node, x: Value, name: str) -> None:
    """A method of a list that an array stands for: if it can, it becomes a list that grows."""
    assert isinstance(x.type, Array)
    if name in _CHANGES_LENGTH and ctx.lists[x].site and ctx.lists[x].cls is list:
        raise GrowList(ctx.lists[x].site, item_type(x))
    if name in ("index", "count", "remove", "insert", "reverse", "clear", *_CHANGES_LENGTH):
        raise ctx.error(node, f"{name}() of a list made of an array is not supported",
                        "how many elements it has is not known before the function runs", "use the array")


def value_method(ctx: Context, node: Node, x: Value, name: str, args: Args, kwargs: Kwargs) -> Lowered | None:
    """Methods of numbers and arrays that are no rule of the table."""
    if x in ctx.lists:
        if name == "copy":
            return ctx.handlers.item(ctx, node, x, Slice(None, None, None))
        _refuse_list_method(ctx, node, x, name)
    known_number = known_constant(x)
    if isinstance(known_number, int) and name in ("bit_length", "bit_count"):
        return ctx.b.const(getattr(known_number, name)())
    if name in VARIABLE_METHODS and x in ctx.variables:
        return _variable_method(ctx, node, x, name, args)
    if name in ("numpy", "view") and not args and not kwargs:
        return x
    if name in ("conj", "conjugate") and not args and not kwargs and _is_real(x):
        return x  # the array itself, where the function np.conj makes a new one
    if name == "astype":
        dtype = np.dtype(static(ctx, node, args[0] if args else kwargs["dtype"], "the dtype")).name
        assert isinstance(x.type, Scalar | Array)
        if x.type.dtype == dtype and isinstance(x.type, Array):
            if "copy" in kwargs and not static(ctx, node, kwargs["copy"], "copy"):
                return x
            return ctx.call(node, Static(np.copy), [x])
        return ctx.b.cast(x, Scalar(dtype))
    if name == "copy" and isinstance(x.type, Array) and x.type.layout != "C" and not args and not kwargs:
        # The method gives C order and np.copy keeps the order: so what it is cannot be said of the result.
        new = value(ctx, node, ctx.call(node, Static(np.copy), [x]))
        new.type = Array(x.type.dtype, x.type.dims)
        return new
    if name == "item":
        return ctx.b.cast(scalar(ctx, node, _item(ctx, node, x, args)), _weak(x))
    if name == "tolist":
        return ctx.b.cast(x, _weak(x)) if isinstance(x.type, Scalar) else _tolist(ctx, node, x)
    return _other_method(ctx, node, x, name, args)


def _other_method(ctx: Context, node: Node, x: Value, name: str, args: Args) -> Lowered | None:
    if name == "fill" and isinstance(x.type, Array):
        store(ctx, node, x, ("e",), (), value(ctx, node, args[0]))
        return Static(None)
    if name == "is_integer" and isinstance(x.type, Scalar):
        return compare(ctx, node, "eq", x, ctx.call(node, Static(np.floor), [x]))
    if name == "__array__":
        return x
    if name == "copy" and isinstance(x.type, Scalar):
        return x
    return None


def _tolist(ctx: Context, node: Node, x: Value) -> Lowered:
    assert isinstance(x.type, Array)
    if x.type.ndim > 1 and id(node) in ctx.growing:
        return ctx.call(node, Static(list), [copied(ctx, node, x)])
    if x.type.ndim > 1 and x.type.dims[0].symbol is not None:
        return stand_for(ctx, node, x, list, nested=True)
    return ctx.call(node, Static(list), [x])


def _item(ctx: Context, node: Node, x: Value, args: Args) -> Value:
    """The element that `item` is asked for: by one number of all, or by its indices."""
    if not args or not isinstance(x.type, Array):
        return x
    parts = sequence(ctx, usable(ctx, node, args[0])) if len(args) == 1 else args
    index = list(args) if parts is None else parts
    flat = x if len(index) == x.type.ndim else value(ctx, node, ctx.call(node, Static(np.ravel), [x]))
    places = tuple(value(ctx, node, k) for k in index)
    return ctx.b.one("getitem", {"a": flat, "index": places}, {"items": ("i",) * len(places)})


def _is_real(x: Value) -> bool:
    return isinstance(x.type, Scalar | Array) and np.dtype(x.type.dtype).kind == "f"


def _weak(x: Value) -> Scalar:
    assert isinstance(x.type, Scalar | Array)
    return Scalar({"f": "float64", "i": "int64", "u": "int64", "b": "bool", "c": "complex128"}[
        np.dtype(x.type.dtype).kind], True)


def _variable_method(ctx: Context, node: Node, x: Value, name: str, args: Args) -> Lowered:
    if name in ("numpy", "value", "read_value"):
        return x
    read = ctx.variables[x]
    new = value(ctx, node, args[0])
    if name != "assign":
        new = ctx.b.add(x, new) if name == "assign_add" else ctx.b.sub(x, new)
    assert isinstance(x.type, Scalar | Array)
    new = ctx.b.cast(new, Scalar(x.type.dtype))
    holder = ctx.binding.read(read, "self", "variable")
    handle = opaque(ctx, Outside(holder.value, holder))
    template = Template(ctx)
    text = f"{text_of(template.marker(handle))}.assign({text_of(template.marker(new))})"
    emit_effect(ctx, template, text, "assign")
    ctx.variables[new] = read
    key = (("variable", id(read.value)), "value")
    ctx.state.bind(key, new)
    ctx.initial.setdefault(key, lambda: read.leaf)
    return Static(None)


def _vectorize(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    """np.vectorize(f): f, called for each element."""
    if len(args) != 1 or kwargs:
        raise ctx.error(node, "np.vectorize with options is not supported", "its function is called for each element",
                        "give it the function alone", NoRuleError)
    return Bound(Static(vectorized), (args[0],))


ARRAYS: dict[Any, Callable[..., Lowered]] = {
    np.vectorize: _vectorize,
    np.array: _array, constant: _array, np.asarray: _asarray, np.asanyarray: _asarray,
    np.ascontiguousarray: _ascontiguousarray,
    np.where: _where, np.shape: _attribute("shape"), np.ndim: _attribute("ndim"), np.size: _attribute("size"),
    **{getattr(np, name): _numpy_scalar(np.dtype(getattr(np, name)).name) for name in (
        "float64", "float32", "float16", "complex128", "complex64", "bool_", "int64", "int32", "int16", "int8",
        "uint64", "uint32", "uint16", "uint8")},
    **TYPE_FUNCTIONS,
}
