"""Arrays put together: concatenate, stack, append, tile, repeat, diff.

The adjoint of joining is cutting: each argument's adjoint is a piece of the result's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from s2s.ir.core import Op
from s2s.ir.ops import numeric
from s2s.ir.types import Array, Dim, Scalar, fresh_dim, known_dim
from s2s.rules.dims import (
    Adjoints,
    Result,
    axis_of,
    best_dim,
    fit,
    fresh_array,
    known_as,
    numerics,
    promoted,
    refusal,
    reshaped,
    size_dim,
    sum_dim,
    write,
    zeros_like,
)
from s2s.rules.expr import Expr, encode_index, fn
from s2s.rules.shape import at_least
from s2s.rules.table import Family

family = Family("joining")

# Where the axes of an argument are in the joined array: an axis of its own, or None where one of size
# 1 is inserted.
Place: TypeAlias = tuple[int | None, ...]
# Places of the arguments and the axis along which they are joined.
Plan: TypeAlias = Callable[[Op | None, Sequence[int], Any], tuple[list[Place], int]]

# How each function that joins arrays places them.
PLANS: dict[str, Plan] = {}


def _concatenate_plan(op: Op | None, ranks: Sequence[int], axis: Any) -> tuple[list[Place], int]:
    return [tuple(range(n)) for n in ranks], axis % ranks[0]


def _stack_plan(op: Op | None, ranks: Sequence[int], axis: Any) -> tuple[list[Place], int]:
    at = axis % (ranks[0] + 1)
    return [(*range(at), None, *range(at, n)) for n in ranks], at


def _hstack_plan(op: Op | None, ranks: Sequence[int], axis: Any) -> tuple[list[Place], int]:
    places = [at_least(n, 1) for n in ranks]
    return places, 0 if len(places[0]) == 1 else 1


def _column_plan(op: Op | None, ranks: Sequence[int], axis: Any) -> tuple[list[Place], int]:
    return [(0, None) if n == 1 else at_least(n, 2) for n in ranks], 1


def _rank_plan(rank: int, axis: int) -> Plan:
    return lambda op, ranks, _: ([at_least(n, rank) for n in ranks], axis)


def joined_type(op: Op, types: Sequence[Scalar | Array], places: Sequence[Place], axis: int) -> Array:
    """The type of arrays joined along `axis`."""
    if len({len(p) for p in places}) != 1:
        raise refusal(op, "The arrays have different numbers of axes.")
    placed = [[known_dim(1) if k is None else t.dims[k] for k in p] for t, p in zip(types, places, strict=True)]
    dims = [sum_dim(sizes) if k == axis else best_dim(sizes)
            for k, sizes in enumerate(zip(*placed, strict=True))]
    return fresh_array(promoted(*types), dims)


def pieces(g: Expr, arrays: Sequence[Expr], places: Sequence[Place], axis: int) -> list[Expr]:
    """What each of the arrays joined along `axis` gets of `g`: `g[:n]`, `g[n:]`, or `g[0]`."""
    start = g.lift(0)
    first = True
    found: list[Expr] = []
    for x, place in zip(arrays, places, strict=True):
        own = place[axis]
        end = start + (1 if own is None else x.size_of(own))
        index: list[Any] = [0 if k is None else slice(None) for k in place]
        index[axis] = start if own is None else slice(
            None if first else start, None if len(found) == len(arrays) - 1 else end)
        while index and _is_whole(index[-1]):
            index.pop()
        piece = g[tuple(index)] if index else g
        found.append(fit(known_as(piece, x), x))
        start, first = end, False
    return found


def join_rows(name: str, a: Expr, axis: Any = 0) -> Expr | None:
    """What `name`, a function of PLANS, makes of one array, whose rows are joined; None where it cannot."""
    plan = PLANS[name]
    if axis is None or a.ndim < (2 if plan is _concatenate_plan else 1):
        return None
    places, at = plan(None, [a.ndim - 1], axis)
    own = [None if k is None else slice(None) for k in places[0]]
    rows = fn.copy(fn.moveaxis(a[(slice(None), *own)], 0, at))
    sizes = [rows.size_of(k) for k in range(rows.ndim)]
    return fn.reshape(rows, (*sizes[:at], sizes[at] * sizes[at + 1], *sizes[at + 2:]))


def _is_whole(item: Any) -> bool:
    return isinstance(item, slice) and item.start is None and item.stop is None


def _joining(name: str, plan: Plan, params: str = "arrays: values", axis: Any = None) -> None:
    """Declare a function that joins arrays."""
    def infer(op: Op) -> Result:
        types = numerics(op, "arrays")
        if not types:
            raise refusal(op, "There is nothing to join.")
        if plan in (_concatenate_plan, _stack_plan):
            axis_of(op, op.attrs["axis"], types[0].ndim + (plan is _stack_plan))
        places, at = plan(op, [t.ndim for t in types], op.attrs.get("axis"))
        return [joined_type(op, types, places, at)]

    def vjp(g: Expr, ans: Expr, arrays: tuple[Expr, ...], axis: Any = None) -> Adjoints:
        places, at = plan(None, [x.ndim for x in arrays], axis)
        return {"arrays": pieces(g, arrays, places, at)}

    def jvp(dots: Any, ans: Expr, arrays: tuple[Expr, ...], axis: Any = None) -> Any:
        given = [zeros_like(x) if dot is None else dot for x, dot in zip(arrays, dots["arrays"], strict=True)]
        options = {"axis": axis} if "axis" in params else {}
        return getattr(fn, name.removeprefix("np."))(given, **options)

    rule = family.op(name, params, infer)
    rule.vjp(vjp)
    rule.jvp(jvp)
    PLANS[name] = plan


_joining("np.concatenate", _concatenate_plan, "arrays: values, axis=0")
_joining("np.stack", _stack_plan, "arrays: values, axis=0")
_joining("np.hstack", _hstack_plan)
_joining("np.vstack", _rank_plan(2, 0))
_joining("np.dstack", _rank_plan(3, 2))
_joining("np.column_stack", _column_plan)


# append

def _append_type(op: Op) -> Result:
    types = [numeric(op, "arr"), numeric(op, "values")]
    if op.attrs["axis"] is None:
        dims: tuple[Dim, ...] = (sum_dim([size_dim(t.dims) for t in types]),)
        return [fresh_array(promoted(*types), dims)]
    axis = axis_of(op, op.attrs["axis"], types[0].ndim)
    return [joined_type(op, types, [tuple(range(t.ndim)) for t in types], axis)]


_append = family.op("np.append", "arr, values, axis=None", _append_type)


@_append.vjp
def _(g: Expr, ans: Expr, arr: Expr, values: Expr, axis: int | None) -> Adjoints:
    if axis is not None:
        places, at = _concatenate_plan(None, [arr.ndim, values.ndim], axis)
        first, second = pieces(g, [arr, values], places, at)
        return {"arr": first, "values": second}
    n = arr.size
    head = g[:n] if arr.ndim else g[0]
    tail = g[n:] if values.ndim else g[n]
    return {"arr": _piece(head, arr), "values": _piece(tail, values)}


def _piece(part: Expr, x: Expr) -> Expr:
    """A run of elements with the shape of `x`."""
    return fit(reshaped(known_as(part, x) if x.ndim == 1 else part, x), x)


@_append.jvp
def _(dots: Any, ans: Expr, arr: Expr, values: Expr, axis: int | None) -> Any:
    first, second = (zeros_like(x) if dots.get(n) is None else dots[n] for n, x in (("arr", arr), ("values", values)))
    return fn.append(first, second, axis=axis)


# tile and repeat

def _times(n: Dim, by: Dim) -> Dim:
    return size_dim((n, by))


def _tile_type(op: Op) -> Result:
    t = numeric(op, "A")
    reps = [getattr(r, "dim", None) or fresh_dim() for r in numerics(op, "reps")]
    rank = max(t.ndim, len(reps))
    dims = (known_dim(1),) * (rank - t.ndim) + t.dims
    reps = [known_dim(1)] * (rank - len(reps)) + reps
    return [fresh_array(t.dtype, [_times(n, r) for n, r in zip(dims, reps, strict=True)])]


# `reps` is an int or a tuple of ints.
_tile = family.op("np.tile", "A, reps: ints", _tile_type, linear="A")


@_tile.vjp
def _(g: Expr, ans: Expr, A: Expr, reps: tuple[Expr, ...]) -> Adjoints:
    """Each axis is cut in two, (copies, elements), and summed over the copies."""
    counts = (*(g.lift(1) for _ in range(ans.ndim - len(reps))), *reps)
    missing = ans.ndim - A.ndim
    sizes: list[Expr] = []
    summed: list[int] = []
    for k, count in enumerate(counts):
        if k < missing or getattr(count.type, "dim", None) != known_dim(1):
            summed.append(len(sizes))
            sizes.append(count)
        if k >= missing:
            sizes.append(A.size_of(k - missing))
    if not summed:
        return {"A": g}
    g = fn.reshape(g, sizes) if len(sizes) > ans.ndim else g
    for axis in reversed(summed):
        g = fn.sum(g, axis=axis)
    return {"A": known_as(g, A)}


def _repeat_type(op: Op) -> Result:
    t, repeats, axis = numeric(op, "a"), numeric(op, "repeats"), op.attrs["axis"]
    count = (repeats.dim if isinstance(repeats, Scalar) else None) or fresh_dim()
    if axis is None:
        return [fresh_array(t.dtype, (_times(size_dim(t.dims), count),))]
    at = axis_of(op, axis, t.ndim)
    return [fresh_array(t.dtype, (*t.dims[:at], _times(t.dims[at], count), *t.dims[at + 1:]))]


_repeat = family.op("np.repeat", "a, repeats, axis=None", _repeat_type, methods="repeat", linear="a")


@_repeat.vjp
def _(g: Expr, ans: Expr, a: Expr, repeats: Expr, axis: int | None) -> Adjoints:
    if not a.is_array:
        return {"a": fn.sum(g)}
    if repeats.is_array:
        return {"a": _gathered(g, a, repeats, axis)}
    if axis is None:
        return {"a": known_as(fn.sum(fn.reshape(g, (*a.shape, repeats)), axis=a.ndim), a)}
    at = axis % a.ndim
    split = fn.reshape(g, (*a.shape[:at + 1], repeats, *a.shape[at + 1:]))
    return {"a": known_as(fn.sum(split, axis=at + 1), a)}


def _gathered(g: Expr, a: Expr, repeats: Expr, axis: int | None) -> Expr:
    """The adjoint where each element has a count of its own."""
    if axis is None and a.ndim > 1:
        flat = fn.zeros(a.size, dtype=a.dtype)
        write("additem", flat, encode_index(flat, [fn.repeat(fn.arange(a.size), repeats)]), g)
        return reshaped(flat, a)
    at = 0 if axis is None else axis % a.ndim
    a_bar = zeros_like(a)
    rows = fn.repeat(fn.arange(a.size_of(at)), repeats)
    write("additem", a_bar, encode_index(a_bar, [*[slice(None)] * at, rows]), g)
    return a_bar


# diff

def _diff_type(op: Op) -> Result:
    t, n = numeric(op, "a"), op.attrs["n"]
    at = axis_of(op, op.attrs["axis"], t.ndim)
    size = t.dims[at].plus(-n)
    if size.symbol is None:
        size = known_dim(max(0, size.offset))
    return [fresh_array(t.dtype, (*t.dims[:at], size, *t.dims[at + 1:]))]


_diff = family.op("np.diff", "a, n=1, axis=-1", _diff_type, linear="a")


@_diff.vjp
def _(g: Expr, ans: Expr, a: Expr, n: int, axis: int) -> Adjoints:
    """Each difference is added to its upper and taken from its lower neighbour; n times."""
    at = axis % a.ndim
    lead: tuple[Any, ...] = (slice(None),) * at
    for step in reversed(range(n)):
        shape = (*a.shape[:at], a.size_of(at) - step, *a.shape[at + 1:])
        wider = fn.zeros(shape, dtype=a.dtype) if step else zeros_like(a)
        write("additem", wider, encode_index(wider, (*lead, slice(1, None))), g)
        write("additem", wider, encode_index(wider, (*lead, slice(None, -1))), -g)
        g = wider
    return {"a": g}


