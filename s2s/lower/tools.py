"""Functions of itertools and operator that need more than Python: known items, how many there are, callables."""

from __future__ import annotations

import bisect
import heapq
import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from s2s.lower.context import Context
from s2s.lower.iterate import items_of, known_items, new_iterator
from s2s.lower.iterators import pool_of
from s2s.lower.library import functional
from s2s.lower.library.pools import exact_sum
from s2s.lower.numbers import UNKNOWN, known, value
from s2s.lower.rulecalls import call_rule
from s2s.lower.truth import static, usable
from s2s.lower.values import Bound, Box, Lazy, Lowered, Outside, Static, Tuple

Node = Any
Args = list[Lowered]
Kwargs = dict[str, Lowered]
MANY = 256  # combinations that are written out one by one


def _hypot(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    if len(args) == 2:
        return call_rule(ctx, node, ctx.services.table.by_callable[math.hypot], args, kwargs)
    return ctx.stand_in(node, "hypot", args, kwargs)


def _exact_sum(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    return call_rule(ctx, node, ctx.services.table.by_name["math.fsum"], args, kwargs)


def _pools(ctx: Context, node: Node, args: Args) -> list[Lowered]:
    return [pool_of(ctx, node, [a], {}) for a in args]


def _product(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    times = static(ctx, node, kwargs["repeat"], "repeat") if "repeat" in kwargs else 1
    pools = _pools(ctx, node, args) * times
    if all(isinstance(p, Tuple) for p in pools):
        rows = itertools.product(*(p.items for p in pools if isinstance(p, Tuple)))
        if math.prod(len(p.items) for p in pools if isinstance(p, Tuple)) <= MANY:
            return new_iterator(ctx, Tuple(tuple(Tuple(row) for row in rows)))
    return ctx.stand_in(node, "product", pools, {})


def _chosen(name: str, count: Callable[[int, int], int]) -> Callable[..., Lowered]:
    """combinations and their kind; `count`: how many there are."""
    def choose(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
        pool = pool_of(ctx, node, args[:1], {})
        given = args[1] if len(args) > 1 else kwargs.get("r", Static(None))
        r = static(ctx, node, given, "how many are chosen")
        if isinstance(pool, Tuple):
            n = len(pool.items)
            r = n if r is None else r
            if count(n, r) <= MANY:
                rows = getattr(itertools, name)(pool.items, r)
                return new_iterator(ctx, Tuple(tuple(Tuple(row) for row in rows)))
        if r is None:
            raise ctx.error(node, f"{name}() of all items of an array", "how many there are is not known",
                            "give their number")
        return ctx.stand_in(node, name, [pool, ctx.b.int(r)], {})
    return choose


def _islice(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    x, bounds = args[0], args[1:]
    start, stop, step = (ctx.b.int(0), bounds[0], ctx.b.int(1)) if len(bounds) == 1 else (
        bounds[0], bounds[1], bounds[2] if len(bounds) > 2 else ctx.b.int(1))
    start = ctx.b.int(0) if start == Static(None) else start
    step = ctx.b.int(1) if step == Static(None) else step
    inner = usable(ctx, node, x)
    if _is_pushed(ctx, inner):
        return ctx.stand_in(node, "islice", [inner, start, stop, step], {})
    return new_iterator(ctx, Lazy("islice", (inner, start, stop, step)))


def _is_pushed(ctx: Context, x: Lowered) -> bool:
    """Whether the items come from a generator: trying costs nothing, as what it lowers is not kept."""
    saved = ctx.state.copy()
    at = len(ctx.b.block.ops)
    try:
        return items_of(ctx, None, x).push is not None
    finally:
        ctx.state = saved
        del ctx.b.block.ops[at:]


def _repeat(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    times = args[1] if len(args) > 1 else kwargs.get("times")
    item = args[0] if args else kwargs["object"]
    if times is None:
        return new_iterator(ctx, Lazy("repeat", (item,)))
    n = known(ctx, times)
    if isinstance(n, int):
        return new_iterator(ctx, Tuple((item,) * max(n, 0)))
    return ctx.stand_in(node, "repeat_times", [item, times], {})


def _count(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    start = args[0] if args else kwargs.get("start", ctx.b.int(0))
    step = args[1] if len(args) > 1 else kwargs.get("step", ctx.b.int(1))
    return new_iterator(ctx, Lazy("count", (value(ctx, node, start), value(ctx, node, step))))


def _cycle(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    return new_iterator(ctx, Lazy("cycle", (pool_of(ctx, node, args, {}),)))


def _zip_longest(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    fill = kwargs.get("fillvalue", Static(None))
    rows = itertools.zip_longest(*(known_items(ctx, node, a) for a in args), fillvalue=fill)
    return new_iterator(ctx, Tuple(tuple(Tuple(row) for row in rows)))


def _tee(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    n = static(ctx, node, args[1] if len(args) > 1 else kwargs.get("n", Static(2)), "the number of iterators")
    pool = pool_of(ctx, node, args[:1], {})
    return Tuple(tuple(new_iterator(ctx, pool) for _ in range(n)))


def _groupby(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    key = args[1] if len(args) > 1 else kwargs.get("key", Static(None))
    groups: list[tuple[Any, list[Lowered], Lowered]] = []
    for item in known_items(ctx, node, args[0]):
        found = item if key == Static(None) else ctx.call(node, key, [item])
        k = static(ctx, node, found, "the key of a group")
        if groups and groups[-1][0] == k:
            groups[-1][1].append(item)
        else:
            groups.append((k, [item], found))
    return new_iterator(ctx, Tuple(tuple(
        Tuple((found, new_iterator(ctx, Tuple(tuple(items))))) for _, items, found in groups)))


def _batched(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    n = static(ctx, node, args[1] if len(args) > 1 else kwargs["n"], "the size of a batch")
    items = known_items(ctx, node, args[0])
    return new_iterator(ctx, Tuple(tuple(Tuple(tuple(items[k:k + n])) for k in range(0, len(items), n))))


def _getter(name: str) -> Callable[..., Lowered]:
    """itemgetter and attrgetter: a function that waits for the object."""
    def make(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
        return Bound(Static(getattr(functional, name)), (Tuple(tuple(args)),))
    return make


def _methodcaller(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
    box = Box("dict", None, "", ctx.depth)
    ctx.state.heap[box] = kwargs
    return Bound(Static(functional.call_method), (args[0], Tuple(tuple(args[1:])), box))


GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)


def call_getter(ctx: Context, node: Node, callee: Static | Outside, args: Args, kwargs: Kwargs) -> Lowered:
    """A call of an itemgetter, attrgetter or methodcaller that was made before."""
    f = callee.pinned() if isinstance(callee, Outside) else callee.value
    made, given = f.__reduce__()[:2]
    if made not in GETTERS:  # a partial of methodcaller, which has keywords
        raise ctx.error(node, "a methodcaller with keywords from outside of the function", "", "make it inside")
    return ctx.call(node, TOOLS[made](ctx, node, [Static(v) for v in given], {}), args, kwargs)


def _bisect(name: str) -> Callable[..., Lowered]:
    """bisect_left and bisect_right of a sorted list or array."""
    def search(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
        given = [known(ctx, a) for a in args]
        if kwargs or len(args) != 2:
            raise ctx.error(node, f"{name}() with bounds or a key is not supported", "", "give it a part of the list")
        pool = pool_of(ctx, node, args[:1], {})
        found = [known(ctx, v) for v in pool.items] if isinstance(pool, Tuple) else [UNKNOWN]
        if given[1] is not UNKNOWN and not any(v is UNKNOWN for v in found):
            return ctx.b.int(getattr(bisect, name)(found, given[1]))
        side = Static("left" if name == "bisect_left" else "right")
        at = ctx.call(node, Static(np.searchsorted), [value(ctx, node, pool), args[1]], {"side": side})
        return ctx.call(node, Static(int), [at])
    return search


def _several(name: str) -> Callable[..., Lowered]:
    """heapq.nlargest and nsmallest."""
    def choose(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered:
        key = args[2] if len(args) > 2 else kwargs.get("key", Static(None))
        ordered = ctx.call(node, Static(sorted), [args[1]], {"key": key, "reverse": Static(name == "nlargest")})
        return ctx.stand_in(node, "first_items", [ordered, args[0]], {})
    return choose


def _folded(f: Callable[..., Any]) -> Callable[..., Lowered] | None:
    """A function that is computed now where its arguments are known."""
    def fold(ctx: Context, node: Node, args: Args, kwargs: Kwargs) -> Lowered | None:
        given = [known(ctx, usable(ctx, node, a)) for a in args]
        named = {k: known(ctx, usable(ctx, node, v)) for k, v in kwargs.items()}
        if any(v is UNKNOWN for v in [*given, *named.values()]):
            return None
        try:
            found = f(*given, **named)
        except Exception as error:
            raise ctx.error(node, f"{type(error).__name__}: {error}", "Python would raise it too",
                            python=type(error)) from None
        return ctx.b.const(found) if isinstance(found, bool | int | float) and abs(found) < 2**63 else Static(found)
    return fold  # type: ignore[return-value]


# Computed now where the arguments are known; else they are calls like any other.
FOLDED: dict[Any, Callable[..., Lowered | None]] = {f: _folded(f) for f in (  # type: ignore[misc]
    ord, chr, bin, hex, oct, ascii, format, operator.index, math.comb, math.perm, math.factorial, math.gcd, math.lcm,
    math.isqrt, float.fromhex)}

TOOLS: dict[Any, Callable[..., Lowered]] = {
    math.hypot: _hypot, exact_sum: _exact_sum, itertools.product: _product,
    itertools.islice: _islice, itertools.repeat: _repeat,
    itertools.count: _count, itertools.cycle: _cycle, itertools.zip_longest: _zip_longest, itertools.tee: _tee,
    itertools.groupby: _groupby,
    itertools.combinations: _chosen("combinations", math.comb),
    itertools.permutations: _chosen("permutations", math.perm),
    itertools.combinations_with_replacement: _chosen("combinations_with_replacement",
                                                     lambda n, r: math.comb(n + r - 1, r) if n else 0),
    operator.itemgetter: _getter("get_items"), operator.attrgetter: _getter("get_attributes"),
    operator.methodcaller: _methodcaller,
    bisect.bisect_left: _bisect("bisect_left"), bisect.bisect_right: _bisect("bisect_right"),
    heapq.nlargest: _several("nlargest"), heapq.nsmallest: _several("nsmallest"),
}
if hasattr(itertools, "batched"):  # 3.12
    TOOLS[itertools.batched] = _batched
