"""Target cpu with parallel=True: what all iterations of a loop add to is added up for each thread.

    for b in range(n):                        threads = numba.get_num_threads()
        for k in range(m):                    W_bar_parts = np.zeros((threads, m))
            W_bar[k] += X[b, k] * t[b]        for thread in numba.prange(0, threads):
                                                  W_bar_part = W_bar_parts[thread]
                                                  for b in range(n * thread // threads, n * (thread + 1) // threads):
                                                      for k in range(m):
                                                          W_bar_part[k] += X[b, k] * t[b]
                                              for thread in range(threads):
                                                  W_bar += W_bar_parts[thread]

Numbers that a loop sums up are treated alike. Of an array it costs as much memory as there are threads, and a sum over
it: it pays where each iteration adds to all the cells, as the adjoint of what all samples of a batch share does, but
not where each adds to a few.
"""

from __future__ import annotations

from collections.abc import Sequence

from s2s.ir.builder import Builder
from s2s.ir.cells import Cells
from s2s.ir.core import Block, Op, Value, free_values, map_arg, walk
from s2s.ir.ops import constant
from s2s.ir.types import INT, Array, Scalar, fresh_dim, kind
from s2s.simplify.ascending import upwards
from s2s.targets.cellwise import made


def may_be_parts(loop: Op, touched: Sequence[tuple[Op, Value]], cells: Cells) -> bool:
    """Whether all that `loop` does with some memory is to add numbers to one array, and in each iteration to all of it.

    touched: what reads or writes that memory, by which argument.
    """
    v = touched[0][1]
    if not isinstance(v.type, Array) or kind(v.type) != "f" or v not in free_values(loop.blocks[0]):
        return False
    rank = v.type.ndim
    if any(u is not v or op.name != "additem" or op.args["value"] is v or set(op.attrs["items"]) != {"i"}
           or len(op.values("index")) != rank or not isinstance(op.value("value").type, Scalar) for op, u in touched):
        return False
    inner = {op.blocks[0].params[0] for op in walk(loop.blocks[0]) if op.name == "for"}
    return any(_sweeps(op, inner, cells) for op, _ in touched)


def _sweeps(op: Op, inner: set[Value], cells: Cells) -> bool:
    """Whether an addition goes along each axis with a loop of its own."""
    found = [{k for k in cells.linear(v).factors if k in inner} for v in op.values("index")]
    return all(len(along) == 1 for along in found) and len({k for along in found for k in along}) == len(found)


def in_parts(loop: Op, arrays: Sequence[Value], threads: Value) -> tuple[list[Op], Block]:
    """What stands for `loop`, with sums for each of `threads` in place of what is carried and added to `arrays`.

    And the block that each thread runs.
    """
    made = Block()
    b = Builder(made, loop.loc, loop.origin)
    if constant(loop.value("step")) == -1:
        made.ops += upwards(loop)
    body, init, results = loop.blocks[0], loop.values("init"), loop.results
    start = loop.value("start")
    count = b.sub(loop.value("stop"), start)
    parts = [_zeros(b, v, threads) for v in arrays]
    sums = {k: _zeros(b, r, threads) for k, r in enumerate(results) if body.results[k] is not body.params[k + 1]}
    thread = Value(INT, "thread")
    outer = Block([thread])
    with b.at(outer):
        mapping = {v: _part(b, p, thread, f"{v.hint}_part") for v, p in zip(arrays, parts, strict=True)}
        ends = [b.add(start, b.binary("floordiv", b.mul(count, n), threads)) for n in (thread, b.add(thread, b.int(1)))]
        own = [b.const(0, v.type) if k in sums and isinstance(v.type, Scalar) else v for k, v in enumerate(init)]
        loop.args.update(start=ends[0], stop=ends[1], init=tuple(own))
        for op in walk(body):
            if op.name == "additem":
                op.args["a"] = map_arg(op.args["a"], mapping)
        loop.results = [Value(r.type, r.hint, loop) for r in results]
        outer.ops.append(loop)
        for k, p in sums.items():
            b.emit("setitem", {"a": p, "index": (thread,), "value": loop.results[k]}, {"items": ("i",)})
    b.region("for", {"start": b.int(0), "stop": threads, "step": b.int(1), "init": ()}, [outer], [],
             {"breaks": False, "parallel": True, "signed": True})
    each = Block([Value(INT, "thread"), *(Value(r.type, r.hint) for r in results)])
    each.results = each.params[1:]
    with b.at(each):
        for v, p in zip(arrays, parts, strict=True):
            b.emit("addto", {"a": v, "value": _part(b, p, each.params[0])})
        for k, p in sums.items():
            each.results[k] = b.add(each.results[k], _part(b, p, each.params[0]))
    joined = b.region("for", {"start": b.int(0), "stop": threads, "step": b.int(1), "init": tuple(init)}, [each], [],
                      {"breaks": False})
    joined.results = results
    for r in results:
        r.op = joined
    return made.ops, outer


def _zeros(b: Builder, v: Value, threads: Value) -> Value:
    """Zeros of the shape of `v`, for each thread."""
    assert isinstance(v.type, Array | Scalar)
    dims = v.type.dims if isinstance(v.type, Array) else ()
    shape = (threads, *(b.dim(v, k) for k in range(len(dims))))
    return made(b, "np.zeros", Array(v.type.dtype, (fresh_dim(), *dims), "C"), shape, f"{v.hint}_parts")


def _part(b: Builder, parts: Value, thread: Value, hint: str = "") -> Value:
    return b.one("getitem", {"a": parts, "index": (thread,)}, {"items": ("i",)}, hint)
