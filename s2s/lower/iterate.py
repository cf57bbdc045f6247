"""What can be iterated over: how many items it has, and how to get the k-th."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gast

from s2s.ir.core import Value
from s2s.ir.ops import constant
from s2s.ir.types import Array, Dim, List, Scalar, known_dim
from s2s.lower.context import Context, UnrollAll
from s2s.lower.describe import describe
from s2s.lower.guards import raise_if
from s2s.lower.objects import call_special
from s2s.lower.outside import outside
from s2s.lower.standing import row_of_list
from s2s.lower.truth import usable
from s2s.lower.values import (
    Box,
    Lazy,
    Lowered,
    Outside,
    Producer,
    Range,
    Static,
    Tuple,
)

Thunk = Callable[[], Lowered]


@dataclass(slots=True)
class Items:
    """A sequence of items.

    fixed: one function for each item, where their number is known. runtime: whether it can be iterated
    by a run-time loop as well, over `bounds` with `at(k)` as the item. push: of a generator, which hands its
    items to the function that it is given; then there is nothing else, unless
    it is endless: of that the k-th item is known.
    """

    fixed: Sequence[Thunk] | None
    runtime: bool
    bounds: tuple[Value, Value, Value] | None = None
    at: Callable[[Value], Lowered] | None = None
    count: Value | None = None
    hint: str = ""
    endless: bool = False
    push: Callable[[Callable[[Lowered], None]], None] | None = None

    def range(self, ctx: Context) -> tuple[Value, Value, Value]:
        """start, stop and step of the run-time loop."""
        if self.bounds is not None:
            return self.bounds
        assert self.count is not None
        return ctx.b.int(0), self.count, ctx.b.int(1)

    def item(self, ctx: Context, index: Value) -> Lowered:
        """The item at a value of the loop's index."""
        assert self.at is not None
        return self.at(index)

    def kth(self, ctx: Context, k: Value) -> Lowered:
        """The k-th item, counted from 0."""
        if self.bounds is None:
            return self.item(ctx, k)
        start, _, step = self.bounds
        return self.item(ctx, ctx.b.add(start, ctx.b.mul(k, step)))

    def length(self, ctx: Context) -> Value:
        """The number of items."""
        if self.count is not None:
            return self.count
        if self.fixed is not None:
            return ctx.b.int(len(self.fixed))
        start, stop, step = self.range(ctx)
        return ctx.b.one("trips", {"start": start, "stop": stop, "step": step})

    def after_first(self, ctx: Context) -> Items:
        """The items without the first."""
        start, stop, step = self.range(ctx)
        fixed = None if self.fixed is None else self.fixed[1:]
        return Items(fixed, self.runtime, (ctx.b.add(start, step), stop, step), self.at, None, self.hint)


def items_of(ctx: Context, node: gast.AST, x: Lowered, loop: gast.AST | None = None) -> Items:
    """The items of `x`, or an error at `node`."""
    x = usable(ctx, node, x)
    if isinstance(x, Tuple):
        return _known(ctx, list(x.items))
    if isinstance(x, Range):
        return _range(ctx, x)
    if isinstance(x, Lazy):
        return _LAZY[x.kind](ctx, node, x)  # type: ignore[no-any-return]
    if isinstance(x, Producer):
        return Items(None, False, push=x.run)
    if isinstance(x, Box | Outside):
        return _container(ctx, node, x)
    if isinstance(x, Static) and isinstance(x.value, str | bytes | tuple | list | dict | range | set | frozenset):
        return _known(ctx, [_key(ctx, v) for v in x.value])
    if isinstance(x, Value) and isinstance(x.type, Array) and x.type.ndim > 0:
        n = ctx.b.dim(x, 0)
        return Items(_fixed(ctx, x, x.type.dims[0]), True, None, lambda k: element(ctx, x, k), n, "")
    if isinstance(x, Value) and isinstance(x.type, List):
        n = ctx.b.one("listlen", {"list": x})
        return Items(None, True, None, lambda k: ctx.b.one("listget", {"list": x, "index": k}), n, "")
    raise ctx.error(node, f"s2s cannot iterate over {describe(x)}", "the items are not known before the function runs",
                    "loop over a range, an array, a list or a tuple",
                    python=TypeError if isinstance(x, Value) and isinstance(x.type, Scalar) else None)


def _container(ctx: Context, node: gast.AST, x: Box | Outside) -> Items:
    """The items of a container, or of an object by its `__iter__`."""
    if isinstance(x, Box) and x.kind == "iterator":
        return _taken(ctx, node, x)
    own = call_special(ctx, node, x, "__iter__", [])
    if own is not None and own is x:
        raise ctx.error(node, f"an iterator of a class of its own, {describe(x)}, is iterated over",
                        "its `__next__` ends the loop with an exception", "write `__iter__` as a generator")
    if own is not None:
        return items_of(ctx, node, usable(ctx, node, own))
    if isinstance(x, Outside):
        return _outside(ctx, node, x)
    content = ctx.whole(x)
    if isinstance(content, Value):
        return items_of(ctx, node, content)
    if x.kind == "object":
        raise ctx.error(node, f"s2s cannot iterate over {describe(x)}", "its class has no `__iter__`",
                        "give it one, or loop over its attributes", python=TypeError)
    if x.kind == "set":
        return _known(ctx, [_key(ctx, k) for k in set(content)])
    if isinstance(content, list) and len(content) <= 32:
        return Items(_Live(ctx, x), False, count=ctx.b.int(len(content)))
    return _known(ctx, list(content) if isinstance(content, list) else [_key(ctx, k) for k in content])


class _Live(Sequence[Thunk]):
    """The items of a list as they are when they are asked for: a loop may change the list that it is over."""

    def __init__(self, ctx: Context, box: Box) -> None:
        self.ctx, self.box = ctx, box

    def _content(self) -> list[Lowered]:
        content = self.ctx.state.heap[self.box]
        assert isinstance(content, list)
        return content

    def __len__(self) -> int:
        return len(self._content())

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return [self[i] for i in range(*k.indices(len(self)))]
        if not -len(self) <= k < len(self):
            raise IndexError(k)
        return lambda: self._content()[k]


def new_iterator(ctx: Context, source: Lowered) -> Box:
    """An iterator over `source`, at its beginning."""
    box = Box("iterator", None, "", ctx.depth)
    ctx.state.heap[box] = {"source": source, "position": ctx.b.int(0)}
    return box


def demand_length(ctx: Context, x: Lowered) -> None:
    """Start over with the list `x` of known length, if it was made by loops that can be unrolled."""
    loops = ctx.sites.get(x.site) if isinstance(x, Box) else None
    if isinstance(x, Box) and loops is not None and not loops <= ctx.unrolled:
        raise UnrollAll(x.site, loops)


def _taken(ctx: Context, node: gast.AST, x: Box) -> Items:
    """What an iterator has still to hand out; after this it has nothing."""
    content = ctx.state.heap[x]
    source, position = usable(ctx, node, content["source"]), content["position"]
    ctx.state.heap[x] = {"source": Tuple(()), "position": ctx.b.int(0)}
    items = items_of(ctx, node, source)
    k = constant(position)
    if k == 0:
        return items
    if items.fixed is not None and k is not None:
        rest = list(items.fixed)[k:]
        return Items(rest, False, count=ctx.b.int(len(rest)))
    if not items.runtime:
        raise ctx.error(node, "an iterator is used whose position is not known before the function runs",
                        "its items are of different kinds", "loop over its source")
    return Items(None, True, None, lambda j: items.kth(ctx, ctx.b.add(position, j)),
                 ctx.b.sub(items.length(ctx), position))


def _fixed(ctx: Context, x: Value, dim: Dim) -> list[Thunk] | None:
    if dim.symbol is not None or dim.offset > 64:
        return None
    return [lambda k=k: element(ctx, x, ctx.b.int(k)) for k in range(dim.offset)]  # type: ignore[misc]


def element(ctx: Context, x: Value, k: Value) -> Value:
    """x[k] for an array."""
    return row_of_list(ctx, x, ctx.b.one("getitem", {"a": x, "index": (k,)}, {"items": ("i",)}))


def _key(ctx: Context, v: Any) -> Lowered:
    """A constant of Python as something lowered."""
    if isinstance(v, bool | int | float | complex):
        return ctx.b.const(v)
    if isinstance(v, tuple):
        return Tuple(tuple(_key(ctx, x) for x in v))
    return Static(v)


def _known(ctx: Context, items: list[Lowered]) -> Items:
    """Items of known structure: unrolled, or, where they are many equal numbers, put into an array."""
    thunks: list[Thunk] = [lambda v=v: v for v in items]  # type: ignore[misc]
    if len(items) > 32 and all(isinstance(v, Value) and isinstance(v.type, Scalar) for v in items):
        packed = ctx.b.one("pack", {"elements": tuple(v for v in items if isinstance(v, Value))}, {"dtype": None})
        return Items(thunks, True, None, lambda k: element(ctx, packed, k), ctx.b.int(len(items)))
    return Items(thunks, False, count=ctx.b.int(len(items)))


def _range(ctx: Context, x: Range) -> Items:
    values = [constant(v) for v in (x.start, x.stop, x.step)]
    fixed: list[Thunk] | None = None
    if all(isinstance(v, int) for v in values) and values[2] != 0:
        known = range(*values)
        if len(known) <= 4096:
            fixed = [lambda k=k: ctx.b.int(k) for k in known]  # type: ignore[misc]
    return Items(fixed, True, (x.start, x.stop, x.step), lambda k: k)


def _outside(ctx: Context, node: gast.AST, x: Outside) -> Items:
    v = x.value
    if isinstance(v, tuple | list):
        return _known(ctx, [outside(ctx, ctx.binding.read(x.read, "item", k)) for k in range(len(v))])
    if isinstance(v, dict):
        return _known(ctx, [_key(ctx, k) for k in v])
    raise ctx.error(node, f"s2s cannot iterate over a {type(v).__name__}", "its items are not known before the run",
                    "loop over a range, an array, a list or a tuple")


def _enumerate(ctx: Context, node: gast.AST, x: Lazy) -> Items:
    inner = items_of(ctx, node, x.parts[0])
    start = x.parts[1]
    assert isinstance(start, Value)
    if inner.push is not None:
        return ctx.handlers.numbered(ctx, inner, start)  # type: ignore[no-any-return]
    fixed = None if inner.fixed is None else [
        lambda k=k, f=f: Tuple((ctx.b.add(start, ctx.b.int(k)), f()))
        for k, f in enumerate(inner.fixed)]
    return Items(fixed, inner.runtime, None,
                 lambda k: Tuple((ctx.b.add(start, k), inner.kth(ctx, k))), inner.length(ctx), "")


def _zip(ctx: Context, node: gast.AST, x: Lazy) -> Items:
    drawn = [_iterators(ctx, p) for p in x.parts]
    if any(a & b for k, a in enumerate(drawn) for b in drawn[:k]):
        return _chunks(ctx, node, x)
    inner = [items_of(ctx, node, p) for p in x.parts]
    finite = [i for i in inner if not i.endless]
    if finite and len(finite) < len(inner) and all(i.push is None for i in finite):
        return _zip_endless(ctx, inner, finite)
    if any(i.push is not None for i in inner):
        return ctx.handlers.zip_generators(ctx, node, inner)  # type: ignore[no-any-return]
    if all(i.fixed is not None for i in inner):
        rows = list(zip(*(i.fixed for i in inner if i.fixed is not None), strict=False))
        fixed = [lambda row=row: Tuple(tuple(f() for f in row)) for row in rows]
    else:
        fixed = None
    if not all(i.runtime for i in inner):
        if fixed is None:
            return _guarded_zip(ctx, node, inner)
        return Items(fixed, False, count=ctx.b.int(len(fixed)))
    lengths = [i.length(ctx) for i in inner]
    count = lengths[0]
    for n in lengths[1:]:
        if _dim(n) is None or _dim(n) != _dim(count):
            count = _minimum(ctx, count, n)
    return Items(fixed, True, None, lambda k: Tuple(tuple(i.kth(ctx, k) for i in inner)), count, "")


def _iterators(ctx: Context, x: Lowered) -> set[Box]:
    """The iterators that iterating over something takes items from."""
    if isinstance(x, Lazy):
        return {box for part in x.parts for box in _iterators(ctx, part)}
    if not (isinstance(x, Box) and x.kind == "iterator"):
        return set()
    return {x} | _iterators(ctx, ctx.state.heap[x]["source"])


def _chunks(ctx: Context, node: gast.AST, x: Lazy) -> Items:
    """zip(iterator, iterator): each row takes the next items of the one iterator."""
    if any(p is not x.parts[0] for p in x.parts):
        raise ctx.error(node, "zip() of one iterator twice, and of another", "items are taken from it in turns",
                        "make a list of it first")
    n = len(x.parts)
    items = known_items(ctx, node, x.parts[0])
    rows: list[Lowered] = [Tuple(tuple(items[k:k + n])) for k in range(0, len(items) - n + 1, n)]
    return _known(ctx, rows)


def _zip_endless(ctx: Context, inner: list[Items], finite: list[Items]) -> Items:
    """zip() of some that never end, such as itertools.count(): as many as the others have."""
    def kth(i: Items, k: int) -> Thunk:
        return (lambda: i.item(ctx, ctx.b.int(k))) if i.fixed is None else i.fixed[k]

    fixed: list[Thunk] | None = None
    if all(i.fixed is not None for i in finite):
        n = min(len(i.fixed) for i in finite if i.fixed is not None)
        rows = [[kth(i, k) for i in inner] for k in range(n)]
        fixed = [lambda row=row: Tuple(tuple(f() for f in row)) for row in rows]  # type: ignore[misc]
    if not all(i.runtime for i in finite):
        return Items(fixed, False, count=None if fixed is None else ctx.b.int(len(fixed)))
    count = finite[0].length(ctx)
    for i in finite[1:]:
        count = _minimum(ctx, count, i.length(ctx))
    return Items(fixed, True, None, lambda k: Tuple(tuple(
        i.item(ctx, k) if i.endless else i.kth(ctx, k) for i in inner)), count)


def _repeat(ctx: Context, node: gast.AST, x: Lazy) -> Items:
    return Items(None, True, None, lambda k: x.parts[0], endless=True, push=_forever(ctx, node, "repeat_forever", x))


def _count(ctx: Context, node: gast.AST, x: Lazy) -> Items:
    start, step = x.parts
    assert isinstance(start, Value) and isinstance(step, Value)
    return Items(None, True, None, lambda k: ctx.b.add(start, ctx.b.mul(step, k)), endless=True,
                 push=_forever(ctx, node, "count", x))


def _cycle(ctx: Context, node: gast.AST, x: Lazy) -> Items:
    pool = items_of(ctx, node, x.parts[0])
    n = pool.length(ctx)

    def at(k: Value) -> Lowered:
        known, size = constant(k), constant(n)
        if known is not None and size and pool.fixed is not None:
            return pool.fixed[known % size]()  # type: ignore[no-any-return]
        if not pool.runtime:
            return ctx.handlers.item(ctx, node, x.parts[0], ctx.b.binary("mod", k, n))
        return pool.kth(ctx, ctx.b.binary("mod", k, n))

    return Items(None, True, None, at, endless=True, push=_forever(ctx, node, "cycle", x))


def _forever(ctx: Context, node: gast.AST, name: str, x: Lazy) -> Callable[[Callable[[Lowered], None]], None]:
    """The same as a generator, for a loop that is left by `break`."""
    def run(consume: Callable[[Lowered], None]) -> None:
        made = ctx.stand_in(node, name, list(x.parts), {})
        inner = items_of(ctx, node, made).push
        assert inner is not None
        inner(consume)
    return run


def _islice(ctx: Context, node: gast.AST, x: Lazy) -> Items:
    source, start, stop, step = x.parts
    box = source if isinstance(source, Box) and source.kind == "iterator" else None
    before = dict(ctx.state.heap[box]) if box is not None else None
    items = items_of(ctx, node, source)
    first, by = (_static_int(ctx, node, v) for v in (start, step))
    last = None if isinstance(stop, Static) and stop.value is None else constant(stop) if isinstance(stop, Value) \
        else _static_int(ctx, node, stop)
    if box is not None and before is not None and last is not None:
        rest = last if items.fixed is None else min(last, len(items.fixed))
        ctx.state.heap[box] = {**before, "position": ctx.b.add(before["position"], ctx.b.int(rest))}
    if items.fixed is not None and not (isinstance(stop, Value) and last is None):
        chosen = list(items.fixed)[first:last:by]
        return Items(chosen, False, count=ctx.b.int(len(chosen)))
    count = None if items.endless else items.length(ctx)
    if isinstance(stop, Value):
        count = stop if count is None else _minimum(ctx, count, stop)
    if count is None:
        raise ctx.error(node, "islice() of an iterator that never ends, without an end", "", "give it a stop")
    return Items(None, True, (ctx.b.int(first), count, ctx.b.int(by)), lambda k: items.kth(ctx, k))


def _static_int(ctx: Context, node: gast.AST, x: Lowered) -> int:
    found = constant(x) if isinstance(x, Value) else getattr(x, "value", None)
    if not isinstance(found, int):
        raise ctx.error(node, "where a slice of an iterator begins is not known before the function runs",
                        "", "write it as a loop")
    return found


def _dim(n: Value) -> Dim | None:
    known = constant(n)
    return known_dim(known) if known is not None else getattr(n.type, "dim", None)


def _minimum(ctx: Context, x: Value, y: Value) -> Value:
    spec = ctx.services.table.by_name["min"].spec
    return ctx.b.one(spec, dict(zip([p.name for p in spec.params], (x, y), strict=False)), {})


def _guarded_zip(ctx: Context, node: gast.AST, inner: list[Items]) -> Items:
    """A container of known length zipped with an array: as many as the container has."""
    known = [len(i.fixed) for i in inner if i.fixed is not None]
    n = min(known)
    for i in inner:
        if i.fixed is None:
            short = ctx.b.binary("lt", i.length(ctx), ctx.b.int(n))
            raise_if(ctx, short, "ValueError('zip of a container and an array that is shorter')")
    rows = [[(lambda i=i, k=k: i.fixed[k]() if i.fixed is not None else i.kth(ctx, ctx.b.int(k)))
             for i in inner] for k in range(n)]
    fixed: list[Thunk] = [lambda row=row: Tuple(tuple(f() for f in row)) for row in rows]  # type: ignore[misc]
    return Items(fixed, False, count=ctx.b.int(n))


def _reversed(ctx: Context, node: gast.AST, x: Lazy) -> Items:
    inner = items_of(ctx, node, x.parts[0])
    if inner.push is not None:
        raise ctx.error(node, "reversed() of a generator", "Python would raise TypeError", "make a list of it first",
                        python=TypeError)
    fixed = None if inner.fixed is None else list(reversed(inner.fixed))
    if inner.bounds is not None and constant(inner.bounds[2]) in (1, -1):
        start, stop, step = inner.bounds
        return Items(fixed, True, (ctx.b.sub(stop, step), ctx.b.sub(start, step), ctx.b.neg(step)), inner.at)
    n = inner.length(ctx)
    last = ctx.b.sub(n, ctx.b.int(1))
    return Items(fixed, inner.runtime, (last, ctx.b.int(-1), ctx.b.int(-1)), lambda k: inner.kth(ctx, k))


def _dict_view(ctx: Context, node: gast.AST, x: Lazy) -> Items:
    source = x.parts[0]
    if isinstance(source, Box):
        content = ctx.whole(source)
        pairs = [(_key(ctx, k), v) for k, v in content.items()]
    else:
        assert isinstance(source, Outside)
        pairs = [(_key(ctx, k), outside(ctx, ctx.binding.read(source.read, "item", k))) for k in source.value]
    if x.kind == "keys":
        return _known(ctx, [k for k, _ in pairs])
    if x.kind == "values":
        return _known(ctx, [v for _, v in pairs])
    return _known(ctx, [Tuple((k, v)) for k, v in pairs])


def _map(ctx: Context, node: gast.AST, x: Lazy) -> Items:
    function, *sources = x.parts
    rows = items_of(ctx, node, sources[0]) if len(sources) == 1 else _zip(ctx, node, Lazy("zip", tuple(sources)))

    def apply(item: Lowered) -> Lowered:
        args = list(item.items) if len(sources) > 1 and isinstance(item, Tuple) else [item]
        return ctx.call(node, function, args)

    if rows.push is not None:
        push = rows.push
        return Items(None, False, push=lambda consume: push(lambda item: consume(apply(item))))
    fixed = None if rows.fixed is None else [lambda f=f: apply(f()) for f in rows.fixed]
    return Items(fixed, rows.runtime, None, lambda k: apply(rows.kth(ctx, k)), rows.length(ctx))


_LAZY: dict[str, Any] = {
    "enumerate": _enumerate, "zip": _zip, "reversed": _reversed, "items": _dict_view, "keys": _dict_view,
    "values": _dict_view, "map": _map, "repeat": _repeat, "count": _count, "cycle": _cycle, "islice": _islice,
}


def known_items(ctx: Context, node: gast.AST, x: Lowered) -> list[Lowered]:
    items = items_of(ctx, node, usable(ctx, node, x))
    if items.push is not None and not items.endless:
        box = ctx.handlers.collect(ctx, node, items)  # it may put another state in place
        content = ctx.state.heap[box]
        if isinstance(content, list):
            return list(content)
    if items.fixed is None:
        demand_length(ctx, x)
        raise ctx.error(node, f"the number of items of {describe(x)} is not known before the function runs")
    return [f() for f in items.fixed]
