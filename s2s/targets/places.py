"""Forms of loads and stores: numba takes one index array, of one axis, in an index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from s2s.ir.core import Value
from s2s.ir.memory import is_fresh, shares_memory
from s2s.ir.ops import index_items
from s2s.rules.expr import Expr, fn
from s2s.targets.common import product, reshaped, transposed

Pair: TypeAlias = "tuple[str, list[Expr]]"


def _arrays(items: Sequence[str]) -> list[int]:
    """Positions of the items that are arrays."""
    return [k for k, code in enumerate(items) if code == "a"]


def _is_mask(x: Expr) -> bool:
    return x.dtype == "bool"


def _wrapped(i: Expr, size: Expr) -> Expr:
    """An index that counts from the start."""
    return fn.where(i < 0, i + size, i)


def _joined(a: Expr, pairs: list[tuple[str, list[Expr]]]) -> tuple[Expr, Expr]:
    """`a` with the axes that index arrays (first in the index) pick from joined, and the one index into them."""
    arrays = [parts[0] for _, parts in pairs]
    flat: Expr | None = None
    for k, i in enumerate(arrays):
        at = _wrapped(i, a.size_of(k))
        flat = at if flat is None else flat * a.size_of(k) + at
    assert flat is not None
    rest = a.shape[len(arrays):]
    return reshaped(a, (product(a.shape[:len(arrays)]), *rest)), flat


def _moved(a: Expr, items: Sequence[str], index: Sequence[Expr]) -> tuple[Expr, list[Pair], int] | None:
    """`a` with the axes of index arrays first, where all other items are whole slices; and where they were."""
    pairs = index_items(items, index)
    if "e" in items:
        consumed = sum(code not in ("n", "e") for code in items)
        pairs[items.index("e"):items.index("e") + 1] = [("s000", [])] * (a.ndim - consumed)
    if any(code not in ("a", "s000") for code, _ in pairs):
        return None
    if any(_is_mask(parts[0]) for code, parts in pairs if code == "a"):
        return None
    at = [k for k, (code, _) in enumerate(pairs) if code == "a"]
    # Where other items separate the index arrays, NumPy puts their axes first.
    together = at == list(range(at[0], at[-1] + 1))
    rest = [k for k in range(a.ndim) if k not in at]
    return transposed(a, (*at, *rest)), [pairs[k] for k in at], at[0] if together else 0


def _simpler(a: Expr, items: Sequence[str], index: Sequence[Expr]) -> tuple[Expr, tuple[str, ...], tuple[Expr, ...]]:
    """The same place by index arrays alone: slices and ints are taken first, as a view, and masks are indices."""
    pairs = index_items(items, index)
    chosen = [parts[0] for code, parts in pairs if code == "a"]
    if len(chosen) == 1 and (chosen[0].ndim == 1 or not _is_mask(chosen[0])):
        i = fn.flatnonzero(chosen[0]) if _is_mask(chosen[0]) else chosen[0]
        at = [code for code, _ in pairs].index("a")
        ints = [k for k, (code, _) in enumerate(pairs) if code == "i"]
        near = all(pairs[k][0] in "ia" for k in range(min([at, *ints]), max([at, *ints]) + 1))
        if all(code in ("a", "s000") for code, _ in pairs) or "e" in items or "n" in items or not near:
            return a, tuple(items), tuple(i if code == "a" else x for code, parts in pairs for x in parts)
        view = a[tuple(slice(None) if code == "a" else _item(code, parts) for code, parts in pairs)]
        left = [code for code, _ in pairs if code != "i"]
        return view, tuple("a" if code == "a" else "s000" for code in left), (i,)
    return a, tuple(items), tuple(index)


def _item(code: str, parts: Sequence[Expr]) -> Any:
    if code == "i":
        return parts[0]
    given = iter(parts)
    return slice(*(next(given) if flag == "1" else None for flag in code[1:]))


def _getitem(a: Expr, items: Sequence[str], index: tuple[Expr, ...]) -> Expr | None:
    arrays = _arrays(items)
    if tuple(items) == ("e",) and a.ndim:
        return a[(slice(None),) * a.ndim]
    if not arrays:
        return None
    pairs = index_items(items, index)
    if len(arrays) == 1:
        i = pairs[arrays[0]][1][0]
        if i.ndim == 1 or (not i.is_array and not _is_mask(i)):
            return None
        if _is_mask(i):
            if len(items) == 1 and i.ndim == a.ndim:
                return fn.ravel(a)[fn.ravel(i)]
            raise NotImplementedError("with a mask over several axes beside other indices")
    moved = _moved(a, items, index)
    if moved is None:
        raise NotImplementedError("with index arrays beside ints or slices")
    front, chosen, place = moved
    flat, at = _joined(front, chosen) if len(chosen) > 1 else (front, chosen[0][1][0])
    rows = flat[fn.ravel(at)] if at.ndim != 1 else flat[at]
    shaped = reshaped(rows, (*at.shape, *flat.shape[1:])) if at.ndim != 1 else rows
    order = list(range(at.ndim, at.ndim + place)) + list(range(at.ndim)) \
        + list(range(at.ndim + place, shaped.ndim))
    return transposed(shaped, order)


def _additem(a: Expr, items: Sequence[str], index: tuple[Expr, ...], value: Expr) -> Any:
    arrays = _arrays(items)
    if not arrays:
        return None
    masks = [parts[0] for code, parts in index_items(items, index) if code == "a" and _is_mask(parts[0])]
    if masks and (len(items) > 1 or masks[0].ndim != a.ndim) and masks[0].ndim == 1:
        masks = []
    if masks:
        if len(items) != 1 or masks[0].ndim != a.ndim:
            raise NotImplementedError("with a mask beside other indices")
        if value.is_array:
            return _store("s2s.add_where", a, {"mask": masks[0], "values": value})
        return _add(a, fn.where(masks[0], value, value.lift(0.0).astype(value.dtype)))
    moved = _moved(*_simpler(a, items, index))
    if moved is None:
        raise NotImplementedError("with index arrays beside ints or slices")
    return _each("add", *moved, value)


def _each(verb: str, front: Expr, chosen: list[Pair], place: int, value: Expr) -> tuple[()]:
    """`front[i] = value`, or `+=`, one index after the other; `place`: how many axes were before those of the index."""
    arrays = [parts[0] for _, parts in chosen]
    rank = max(i.ndim for i in arrays)
    lead = [_size(arrays, k) for k in range(-rank, 0)]
    if len(arrays) > 2:
        if getattr(front.type, "layout", "A") != "C":
            raise NotImplementedError("with three index arrays into memory that is not in C order")
        front, at = _joined(front, chosen)
        arrays = [at]
    rest = front.shape[len(arrays):]
    wide = fn.broadcast_to(value, (*rest[:place], *lead, *rest[place:]))
    order = (*range(place, place + rank), *range(place), *range(place + rank, wide.ndim))
    values = transposed(wide, order)
    if len(arrays) == 1:
        return _store(f"s2s.{verb}_at", front, {"index": arrays[0], "values": values})
    first, second = (fn.broadcast_to(i, lead) if len({i.dims for i in arrays}) > 1 else i for i in arrays)
    return _store(f"s2s.{verb}_at_pairs", front, {"first": first, "second": second, "values": values})


def _size(arrays: Sequence[Expr], axis: int) -> Expr:
    """The size of an axis (counted from the end) of arrays that are broadcast together."""
    having = [i for i in arrays if i.ndim >= -axis]
    return next((i for i in having if not i.dims[axis].is_one), having[0]).size_of(axis)


def _add(a: Expr, value: Expr) -> tuple[()]:
    a.b.emit("addto", {"a": a.v, "value": value.v})
    return ()


def _store(name: str, a: Expr, args: dict[str, Expr]) -> tuple[()]:
    values = args["values"]
    if values.is_array and _may_overlap(values.v, a.v):
        args = {**args, "values": fn.copy(values)}  # as NumPy does: the elements are stored one after the other
    a.b.emit(a.lookup(name), {"a": a.v, **{k: x.v for k, x in args.items()}})
    return ()


def _may_overlap(v: Value, a: Value) -> bool:
    """Whether a store into `a` may change `v`: not where that is memory newly made for something else."""
    root, other = _viewed(v), _viewed(a)
    return root is other or root.op is None or not is_fresh(root.op)


def _viewed(v: Value) -> Value:
    """What `v` is a view of."""
    while v.op is not None and shares_memory(v.op):
        v = v.op.value(v.op.spec.view or "")
    return v


def _setitem(a: Expr, items: Sequence[str], index: tuple[Expr, ...], value: Expr) -> Any:
    arrays = _arrays(items)
    if not arrays:
        return None
    pairs = index_items(items, index)
    i = pairs[arrays[0]][1][0]
    if _is_mask(i) and len(items) == 1 and i.ndim == a.ndim:
        if value.is_array and value.ndim == 1 and value.dims[0].is_one and i.ndim > 1:
            value = value[0]
        if value.is_array and i.ndim > 1:
            return _store("s2s.set_where", a, {"mask": i, "values": value})
        if i.ndim == 1 or value.is_array:
            return None
        a.b.emit("setitem", {"a": a.v, "index": (), "value": fn.where(i, value, a).v}, {"items": ("e",)})
        return ()
    if len(arrays) == 1 and not (i.is_array and i.ndim > 1):
        return None
    moved = _moved(*_simpler(a, items, index))
    if moved is None:
        raise NotImplementedError("with index arrays beside ints, slices or masks")
    return _each("set", *moved, value)


def _take(a: Expr, indices: Expr, axis: int | None, mode: str) -> Expr | None:
    if mode != "raise":
        flat = a if axis is not None or a.ndim == 1 else fn.ravel(a)
        size = flat.size_of(axis or 0)
        if mode == "wrap":
            indices = indices.wrap(indices.b.binary("mod", indices.v, size.v))
        else:
            indices = fn.maximum(fn.minimum(indices, size - 1), 0)
        return fn.take(flat, indices, axis=axis)
    if axis is None:
        return fn.ravel(a)[indices] if indices.is_array and a.is_array and a.ndim > 1 else None
    return a[(*[slice(None)] * (axis % a.ndim), indices)]


def _take_along_axis(arr: Expr, indices: Expr, axis: int | None) -> Expr | None:
    if axis is None:
        return fn.ravel(arr)[indices]
    return None


FORMS: dict[str, Any] = {
    "getitem": _getitem, "setitem": _setitem, "additem": _additem, "np.take": _take,
    "np.take_along_axis": _take_along_axis,
}
