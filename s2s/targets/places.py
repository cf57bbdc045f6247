"""Forms of loads and stores: numba takes one index array, of one axis, in an index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from s2s.ir.ops import index_operands
from s2s.rules.expr import Expr, fn
from s2s.targets.common import product, reshaped, transposed

Pair: TypeAlias = "tuple[str, list[Expr]]"


def _pairs(items: Sequence[str], index: Sequence[Expr]) -> list[tuple[str, list[Expr]]]:
    found, at = [], 0
    for code, n in zip(items, index_operands(items), strict=True):
        found.append((code, list(index[at:at + n])))
        at += n
    return found


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
    pairs = _pairs(items, index)
    if any(code not in ("a", "s000") for code, _ in pairs):
        return None
    if any(_is_mask(parts[0]) for code, parts in pairs if code == "a"):
        return None
    at = [k for k, (code, _) in enumerate(pairs) if code == "a"]
    if at != list(range(at[0], at[-1] + 1)):
        return None
    rest = [k for k in range(a.ndim) if k not in at]
    return transposed(a, (*at, *rest)), [pairs[k] for k in at], at[0]


def _getitem(a: Expr, items: Sequence[str], index: tuple[Expr, ...]) -> Expr | None:
    arrays = _arrays(items)
    if not arrays:
        return None
    pairs = _pairs(items, index)
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
    masks = [parts[0] for code, parts in _pairs(items, index) if code == "a" and _is_mask(parts[0])]
    if masks:
        if len(items) != 1 or masks[0].ndim != a.ndim:
            raise NotImplementedError("with a mask beside other indices")
        if value.is_array:
            return _store("s2s.add_where", a, {"mask": masks[0], "values": value})
        return _add(a, fn.where(masks[0], value, value.lift(0.0).astype(value.dtype)))
    moved = _moved(a, items, index)
    if moved is None:
        raise NotImplementedError("with index arrays beside ints or slices")
    front, chosen, place = moved
    if len(chosen) > 1:
        if getattr(front.type, "layout", "A") != "C":
            raise NotImplementedError("with several index arrays into memory that is not in C order")
        front, at = _joined(front, chosen)
    else:
        at = chosen[0][1][0]
    lead = at.ndim
    wanted = (*front.shape[1:1 + place], *at.shape, *front.shape[1 + place:])
    wide = fn.broadcast_to(value, wanted)
    order = (*range(place, place + lead), *range(place), *range(place + lead, wide.ndim))
    return _store("s2s.add_at", front, {"index": at, "values": transposed(wide, order)})


def _add(a: Expr, value: Expr) -> tuple[()]:
    a.b.emit("addto", {"a": a.v, "value": value.v})
    return ()


def _store(name: str, a: Expr, args: dict[str, Expr]) -> tuple[()]:
    a.b.emit(a.lookup(name), {"a": a.v, **{k: x.v for k, x in args.items()}})
    return ()


def _setitem(a: Expr, items: Sequence[str], index: tuple[Expr, ...], value: Expr) -> Any:
    arrays = _arrays(items)
    if not arrays:
        return None
    pairs = _pairs(items, index)
    i = pairs[arrays[0]][1][0]
    if _is_mask(i) and len(items) == 1 and i.ndim == a.ndim:
        if i.ndim == 1 or value.is_array:
            return None
        a.b.emit("setitem", {"a": a.v, "index": (), "value": fn.where(i, value, a).v}, {"items": ("e",)})
        return ()
    if len(arrays) > 1:
        moved = _moved(a, items, index)
        if moved is None or getattr(moved[0].type, "layout", "A") != "C" or moved[2]:
            raise NotImplementedError("with several index arrays beside ints or slices")
        flat, at = _joined(moved[0], moved[1])
        if at.ndim != 1:
            raise NotImplementedError("with several index arrays of several axes")
        a.b.emit("setitem", {"a": flat.v, "index": (at.v,), "value": value.v}, {"items": ("a",)})
        return ()
    if i.is_array and i.ndim > 1:
        raise NotImplementedError("with an index array of several axes")
    return None


def _take(a: Expr, indices: Expr, axis: int | None, mode: str) -> Expr | None:
    if mode != "raise":
        raise NotImplementedError(f"with mode={mode!r}")
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
