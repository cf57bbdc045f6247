"""The reverse of loads and stores: what each does to the shadow of the memory."""

from __future__ import annotations

from s2s.analyse.memory import is_view
from s2s.differentiate.adjoints import Adjoints
from s2s.ir.core import Arg, Op, Value
from s2s.ir.ops import constant
from s2s.ir.types import Array, Scalar
from s2s.rules.dims import known_as
from s2s.rules.expr import fn

# Index arrays of these operations say no cell twice; those of the second kind all together.
UNIQUE = frozenset({"np.argsort", "np.flatnonzero"})
UNIQUE_TOGETHER = frozenset({"np.nonzero", "np.tril_indices", "np.triu_indices", "np.diag_indices"})


def getitem(adj: Adjoints, op: Op) -> None:
    """`y = a[index]`: the adjoint of `a` gets that of `y`, at `index`."""
    a, y = op.value("a"), op.result
    if not adj.activity.active(y):
        return
    if is_view(op) and (adj.is_memory(y) or adj.env.get(y) in adj.views):
        adj.take(y)  # its adjoint is part of that of `a`
        return
    g = adj.take(y)
    if g is not None and adj.activity.active(a):
        adj.b.emit("additem", {"a": adj.own(a), "index": op.values("index"), "value": g},
                   {"items": op.attrs["items"]})


def _part(adj: Adjoints, op: Op, shadow: Value) -> Value:
    """The adjoint of what was stored, as a value of its own."""
    part = adj.b.one("getitem", {"a": shadow, "index": op.values("index")}, {"items": op.attrs["items"]})
    return adj.copy(part) if is_view(part.op) else part  # type: ignore[arg-type]


def setitem(adj: Adjoints, op: Op) -> None:
    """`a[index] = v`: the adjoint of `v` is that of the cells, which had another value before."""
    a, v = op.value("a"), op.value("value")
    if not adj.activity.active(a):
        return
    shadow = adj.handle(a)
    part = None
    if adj.activity.active(v):
        part = _part(adj, op, shadow)
        if not _is_unique(adj, op):
            part = _of_last_writes(adj, op, shadow, part)
    assert isinstance(a.type, Array)
    strong = Scalar(a.type.dtype, a.type.dtype in ("float64", "complex128"))
    adj.b.emit("setitem", {"a": shadow, "index": op.values("index"), "value": adj.b.const(0, strong)},
               {"items": op.attrs["items"]})
    if part is not None:
        adj.add(v, adj.fit(part, v))


def _is_unique(adj: Adjoints, op: Op) -> bool:
    """Whether a store writes no cell twice. Only index arrays can say one twice."""
    arrays = [v for v in op.values("index") if isinstance(v.type, Array) and v.type.dtype != "bool"]
    if not arrays:
        return True
    if any(v.op is None or adj.memory.is_written(v) for v in arrays):
        return False
    made = arrays[0].op
    if made is not None and made.name in UNIQUE_TOGETHER and set(arrays) == set(made.results):
        return True
    unique = [v for v in arrays if _counts_up(v)]
    return len(unique) == len(arrays) == 1 or (any(v.type == u.type for u in unique for v in arrays if v is not u) \
        and len(arrays) == 2)


def _counts_up(v: Value) -> bool:
    """Whether the entries of an index array are known to be different, and not negative: -1 is the last cell again."""
    op = v.op
    if op is None or not isinstance(v.type, Array) or v.type.ndim != 1:
        return False
    if op.name == "np.arange":
        start = constant(op.value("start")) if "stop" in op.args else 0
        return isinstance(start, int) and start >= 0 and "step" not in op.args
    return op.name in UNIQUE


def _of_last_writes(adj: Adjoints, op: Op, shadow: Value, part: Value) -> Value:
    """Of several stores to one cell the last one counts: the others get zero."""
    bar, cells = adj.expr(part), adj.expr(shadow)
    number = fn.arange(bar.size)
    if bar.ndim > 1:
        number = fn.reshape(number, bar.shape)
    number = known_as(number, bar)
    writer = fn.empty(cells.shape, dtype="int64")
    index: dict[str, Arg] = {"a": writer.v, "index": op.values("index")}
    adj.b.emit("setitem", {**index, "value": number.v}, {"items": op.attrs["items"]})
    last = adj.expr(adj.b.one("getitem", index, {"items": op.attrs["items"]})) == number
    return fn.where(last, bar, 0.0).v


def additem(adj: Adjoints, op: Op) -> None:
    """`a[index] += v`: the adjoint of `v` gets that of the cells."""
    a, v = op.value("a"), op.value("value")
    if adj.activity.active(a) and adj.activity.active(v):
        adj.add(v, adj.fit(_part(adj, op, adj.handle(a)), v))


def addto(adj: Adjoints, op: Op) -> None:
    """`a += v` in place: the adjoint of `v` gets that of `a`."""
    a, v = op.value("a"), op.value("value")
    if adj.activity.active(a) and adj.activity.active(v):
        shadow = adj.handle(a)
        part = adj.fit(shadow, v)
        adj.add(v, adj.copy(shadow) if part is shadow else part)


def append(adj: Adjoints, op: Op) -> None:
    """`list.append(v)`: the adjoint of `v` is the last of the shadow, which gets shorter."""
    if adj.activity.active(op.value("list")):
        popped = adj.b.one("listpop", {"list": adj.handle(op.value("list"))})
        _pass(adj, op, op.value("value"), popped)


def _pass(adj: Adjoints, op: Op, v: Value, part: Value) -> None:
    """`part` of a list's shadow belongs to the element `v`."""
    if adj.is_memory(v):
        adj.join(v, part, op)
    else:
        adj.add(v, adj.fit(part, v))


def listpop(adj: Adjoints, op: Op) -> None:
    """`y = list.pop()`: the shadow gets longer again, by the adjoint of `y`."""
    shadowed = op.value("list")
    g = adj.take(op.result)
    if adj.activity.active(shadowed):
        shadow = adj.handle(shadowed)
        adj.b.emit("append", {"list": shadow, "value": adj.zeros_like(op.result) if g is None else g})


def listget(adj: Adjoints, op: Op) -> None:
    """`y = list[index]`: that element of the shadow gets the adjoint of `y`."""
    g = adj.take(op.result)
    if g is None or adj.is_memory(op.result) or not adj.activity.active(op.value("list")):
        return
    shadow = adj.handle(op.value("list"))
    index = op.value("index")
    old = adj.b.one("listget", {"list": shadow, "index": index})
    adj.b.emit("listset", {"list": shadow, "index": index, "value": adj.b.add(old, g)})


def listset(adj: Adjoints, op: Op) -> None:
    """`list[index] = v`: the adjoint of `v` is that of the element, which had another value before."""
    if not adj.activity.active(op.value("list")):
        return
    shadow = adj.handle(op.value("list"))
    index = op.value("index")
    part = adj.b.one("listget", {"list": shadow, "index": index})
    adj.b.emit("listset", {"list": shadow, "index": index, "value": adj.zeros_like(part)})
    _pass(adj, op, op.value("value"), part)


def list_made(adj: Adjoints, op: Op) -> None:
    """`[x, y]`: each element's adjoint is that of the shadow."""
    shadow = adj.take(op.result)
    if shadow is None:
        return
    for k, v in enumerate(op.values("elements")):
        if adj.activity.active(v):
            _pass(adj, op, v, adj.b.one("listget", {"list": shadow, "index": adj.b.int(k)}))


REVERSE = {"getitem": getitem, "setitem": setitem, "additem": additem, "addto": addto, "append": append,
           "listpop": listpop, "listget": listget, "listset": listset, "list": list_made}
