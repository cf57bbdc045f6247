"""Assignment: to names, attributes, elements, and nested patterns with a star."""

from __future__ import annotations

import gast

from s2s.ir.core import Value
from s2s.ir.types import Array, List, Scalar
from s2s.lower.adopted import adopt
from s2s.lower.array_attributes import set_array_attribute
from s2s.lower.attributes import get_attribute
from s2s.lower.context import Context
from s2s.lower.describe import describe
from s2s.lower.effects import assign_attribute
from s2s.lower.guards import raise_if
from s2s.lower.indexing import encode, get_item, set_item
from s2s.lower.indexing import store as store_items
from s2s.lower.iterate import demand_length, element, items_of
from s2s.lower.numbers import promoted, value
from s2s.lower.objects import call_special, store
from s2s.lower.operators import binary, dunder
from s2s.lower.outputs import check_cast
from s2s.lower.scope import lookup, mangled, set_name
from s2s.lower.sequences import make_sequence
from s2s.lower.truth import usable
from s2s.lower.values import Box, Lowered, Outside, Slice, Static, Tuple


def assign(ctx: Context, target: gast.AST, new: Lowered) -> None:
    """Bind `target` to `new`."""
    if isinstance(target, gast.Name):
        set_name(ctx, target.id, new)
    elif isinstance(target, gast.Tuple | gast.List):
        _unpack(ctx, target, new)
    elif isinstance(target, gast.Subscript):
        base = usable(ctx, target.value, ctx.expr(target.value))
        set_item(ctx, target, base, usable(ctx, target.slice, ctx.expr(target.slice)), new)
    elif isinstance(target, gast.Attribute):
        set_attribute(ctx, target, usable(ctx, target.value, ctx.expr(target.value)), target.attr, new)
    else:
        raise ctx.error(target, f"an assignment to {type(target).__name__} is not supported")


def _unpack(ctx: Context, target: gast.Tuple | gast.List, new: Lowered) -> None:
    new = usable(ctx, target, new)
    pool = ctx.state.heap.get(new) if isinstance(new, Box) else new
    if isinstance(pool, Value) and isinstance(pool.type, List):
        _unpack_list(ctx, target, new, pool)
        return
    items = _unpackable(ctx, target, new)
    stars = [k for k, t in enumerate(target.elts) if isinstance(t, gast.Starred)]
    n = len(target.elts)
    if (not stars and len(items) != n) or (stars and len(items) < n - 1):
        raise ctx.error(target, f"{len(items)} values are unpacked into {n} targets", "Python raises ValueError here")
    if stars:
        k = stars[0]
        rest = len(items) - (n - 1)
        middle = make_sequence(ctx, "list", items[k:k + rest], target)
        items = [*items[:k], middle, *items[k + rest:]]
    for t, item in zip(target.elts, items, strict=True):
        assign(ctx, t.value if isinstance(t, gast.Starred) else t, item)


def _unpack_list(ctx: Context, target: gast.Tuple | gast.List, new: Lowered, pool: Value) -> None:
    """A list that grew in a loop: how many items it has is seen when it is unpacked."""
    demand_length(ctx, new)
    star = next((k for k, t in enumerate(target.elts) if isinstance(t, gast.Starred)), None)
    n = len(target.elts) - (star is not None)
    wrong = ctx.b.binary("ne" if star is None else "lt", ctx.b.one("listlen", {"list": pool}), ctx.b.int(n))
    raise_if(ctx, wrong, f"ValueError('expected {'' if star is None else 'at least '}{n} values to unpack')")
    indices: list[Lowered] = [ctx.b.int(k) for k in range(n)]
    if star is not None:
        after = star - n
        indices[star:] = [Slice(ctx.b.int(star), ctx.b.int(after) if after else None, None),
                          *(ctx.b.int(k) for k in range(after, 0))]
    for t, index in zip(target.elts, indices, strict=True):
        assign(ctx, t.value if isinstance(t, gast.Starred) else t, get_item(ctx, target, pool, index))


def _unpackable(ctx: Context, target: gast.Tuple | gast.List, new: Lowered) -> list[Lowered]:
    if isinstance(new, Tuple):
        return list(new.items)
    if isinstance(new, Value) and isinstance(new.type, Array) and new.type.ndim > 0:
        dim = new.type.dims[0]
        n = len(target.elts)
        if any(isinstance(t, gast.Starred) for t in target.elts):
            if dim.symbol is not None:
                raise ctx.error(target, "the number of starred values is not known before the function runs")
            n = dim.offset
        elif dim.symbol is not None:
            short = ctx.b.binary("ne", ctx.b.dim(new, 0), ctx.b.int(n))
            raise_if(ctx, short, f"ValueError('expected {n} values to unpack')")
        elif dim.offset != n:
            raise ctx.error(target, f"{dim.offset} values are unpacked into {n} targets")
        return [element(ctx, new, ctx.b.int(k)) for k in range(n)]
    items = items_of(ctx, target, new)
    if items.push is not None and not items.endless:
        box = ctx.handlers.collect(ctx, target, items)
        content = ctx.state.heap[box]
        if isinstance(content, list):
            return list(content)
    if items.fixed is None:
        demand_length(ctx, new)
        raise ctx.error(target, f"{describe(new)} is unpacked, and its length is not known before the function runs",
                        "how many names it fills decides which code is generated",
                        "read its elements by index: a, b = x[0], x[1]")
    return [f() for f in items.fixed]


def set_attribute(ctx: Context, node: gast.AST, x: Lowered, name: str, new: Lowered) -> None:
    """`x.name = new`."""
    name = mangled(ctx, name)
    if store(ctx, node, x, name, new):
        return
    set_plain(ctx, node, x, name, new)


def set_plain(ctx: Context, node: gast.AST, x: Lowered, name: str, new: Lowered) -> None:
    """`x.name = new`, into the object itself."""
    if isinstance(x, Box) and x.kind == "object":
        if x in ctx.frozen:
            raise ctx.error(node, "this object is one of several, by a condition or an iteration, and is changed",
                            "others may have a name for it, and would change with it", "make a new object")
        ctx.state.heap[x][name] = new
        return
    if isinstance(x, Outside):
        if not (isinstance(new, Value) and isinstance(new.type, Array) and _held(ctx, x, name) is new):
            assign_attribute(ctx, node, x, name, new)  # an array that changed in place is there already
        return
    if isinstance(x, Value) and isinstance(x.type, Array) and set_array_attribute(ctx, node, x, name, new):
        return
    raise ctx.error(node, f"an assignment to an attribute of {describe(x)}")


def _held(ctx: Context, x: Outside, name: str) -> Lowered | None:
    """What the attribute of an object from outside is now, as far as the program has read or stored it."""
    read = ctx.binding.known.get((*x.read.path, ("attr", name)))
    stored = ctx.state.env.get((ctx.object_scope(x), name))
    return stored if stored is not None else None if read is None else read.leaf


def augmented(ctx: Context, node: gast.AugAssign, name: str) -> None:
    """`target op= value`: in place on arrays and lists, a new value for everything else."""
    target = node.target
    if isinstance(target, gast.Name):
        old = lookup(ctx, ctx.frame, target.id)
        if old is None:
            raise ctx.error(node, f"the name {target.id!r} is not bound here", "Python would raise UnboundLocalError")
        old = usable(ctx, target, old)
        change = usable(ctx, node.value, ctx.expr(node.value))
        if isinstance(old, Value) and isinstance(old.type, Array):
            in_place(ctx, node, old, ("e",), (), name, change)
            return
        if isinstance(old, Outside) and isinstance(old.value, list | dict):
            old = adopt(ctx, target, old)
        if _is_extended(old, name):
            _extend(ctx, node, old, change)
            return
        set_name(ctx, target.id, _by_operator(ctx, node, name, old, change))
        return
    if isinstance(target, gast.Subscript):
        base = usable(ctx, target.value, ctx.expr(target.value))
        index = usable(ctx, target.slice, ctx.expr(target.slice))
        if isinstance(base, Value) and isinstance(base.type, Array):
            items, values = encode(ctx, target, base.type, index)
            in_place(ctx, node, base, items, values, name, usable(ctx, node.value, ctx.expr(node.value)))
            return
        old = get_item(ctx, target, base, index)
        new = _in_place_or_new(ctx, node, name, old)
        if new is not old:
            set_item(ctx, target, base, index, new)
        return
    assert isinstance(target, gast.Attribute)
    base = usable(ctx, target.value, ctx.expr(target.value))
    old = usable(ctx, target, get_attribute(ctx, target, base, mangled(ctx, target.attr)))
    set_attribute(ctx, target, base, target.attr, _in_place_or_new(ctx, node, name, old))


def _is_extended(old: Lowered, name: str) -> bool:
    """Whether `old op= ...` is list.extend."""
    return isinstance(old, Box) and old.kind == "list" and name == "add"


def _extend(ctx: Context, node: gast.AugAssign, old: Lowered, change: Lowered) -> None:
    ctx.call(node, get_attribute(ctx, node, old, "extend"), [change])


def _in_place_or_new(ctx: Context, node: gast.AugAssign, name: str, old: Lowered) -> Lowered:
    change = usable(ctx, node.value, ctx.expr(node.value))
    if isinstance(old, Value) and isinstance(old.type, Array):
        in_place(ctx, node, old, ("e",), (), name, change)
        return old
    if _is_extended(old, name):
        _extend(ctx, node, old, change)
        return old
    return _by_operator(ctx, node, name, old, change)


def _by_operator(ctx: Context, node: gast.AugAssign, name: str, old: Lowered, change: Lowered) -> Lowered:
    """What `old op= change` binds: by `__iadd__` and its kind, where the class of `old` has it."""
    if isinstance(old, Box) and old.kind in ("dict", "set") and name in SET_METHODS[old.kind]:
        ctx.call(node, get_attribute(ctx, node, old, SET_METHODS[old.kind][name]), [change])
        return old
    made = call_special(ctx, node, old, f"__i{dunder(name)}__", [change])
    return binary(ctx, node, name, old, change) if made is None or made == Static(NotImplemented) else made


SET_METHODS = {"dict": {"bitor": "update"},
               "set": {"bitor": "update", "bitand": "intersection_update", "sub": "difference_update"}}


def in_place(ctx: Context, node: gast.AST, a: Value, items: tuple[str, ...], index: tuple[Value, ...], name: str,
             change: Lowered) -> None:
    """`a[index] op= change`, where index ("e",) is all of `a`."""
    whole = items == ("e",)
    old = a if whole else ctx.b.one("getitem", {"a": a, "index": index}, {"items": items})
    right = value(ctx, node, change)
    assert isinstance(a.type, Array)
    if isinstance(right.type, Scalar | Array):
        right = promoted(ctx, right, a)
    if name == "matmul":
        new = binary(ctx, node, name, old, right)
        assert isinstance(new, Value)
    else:
        new = ctx.b.binary(name, old, right)
        if isinstance(new.type, Array) and isinstance(old.type, Array):
            # What is stored has the shape of what is there: NumPy raises where it would be larger.
            new.type = Array(new.type.dtype, old.type.dims, new.type.layout)
    check_cast(ctx, node, new, a)
    store_items(ctx, node, a, items, index, new)
