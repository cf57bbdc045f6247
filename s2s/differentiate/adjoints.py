"""The adjoints of values while a reverse sweep is built: what they are, and how they add up.

The adjoint of a scalar, or of an array whose memory nobody writes to, is an SSA value: a sum of
contributions, nothing at first. Where single elements contribute, it becomes memory that is *owned*
(nobody else refers to it), which is changed in place. An array of a group that is written to, and a
list, have a *handle*: shadow memory that is aliased as the primal memory is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from s2s.analyse.activity import Activity
from s2s.analyse.memory import Memory, is_view
from s2s.differentiate.shared import TwoNames
from s2s.errors import UnsupportedSyntaxError, located
from s2s.ir.builder import Builder
from s2s.ir.core import Block, Op, Value
from s2s.ir.names import adjoint_name
from s2s.ir.types import Array, List, Scalar, Type, is_inexact, kind, same_size
from s2s.rules.expr import Expr, fn
from s2s.rules.table import Table


class Adjoints:
    """`env` maps forward values to adjoints; `owned` are adjoints that may be changed in place.

    outer: owned adjoints that belong to an enclosing region, and so have to be changed in place.
    views: adjoints that are part of that of another array, and so have to be changed in place, too.
    seen: values that are somebody's adjoint already, and so are not owned if passed on.
    places: for loads from lists, the index counted from the start.
    shared: shadows that the forward sweep makes.
    bound: for arrays that are bound on some paths only, whether they are.
    guarded: operations whose adjoint of 0 stays 0, whatever it is multiplied by.
    """

    def __init__(self, b: Builder, table: Table, activity: Activity, memory: Memory) -> None:
        self.b = b
        self.table = table
        self.activity = activity
        self.memory = memory
        self.env: dict[Value, Value] = {}
        self.owned: set[Value] = set()
        self.outer: set[Value] = set()
        self.seen: set[Value] = set()
        self.views: set[Value] = set()
        self.viewed: set[Value] = set()  # adjoints of which parts were handed out
        self.guarded: set[Op] = set()
        self.places: Mapping[Op, Value] = {}
        self.shared: Mapping[Value, Value] = {}
        self.bound: Mapping[Value, Value] = {}

    # Writing operations.

    def lookup(self, name: str) -> Any:
        rule = self.table.by_name.get(name)
        return None if rule is None else rule.spec

    def expr(self, v: Value, flavour: str = "np") -> Expr:
        """`v` as rules see it."""
        return Expr(self.b, v, self.lookup, flavour)

    def zeros_like(self, v: Value) -> Value:
        """Fresh zeros: a number, an array or a list of them."""
        t = v.type
        if isinstance(t, Scalar):
            return self.b.const(0, Scalar(t.dtype, t.weak or t.dtype in ("float64", "complex128")))
        made = self._zeros_where_bound(v, self.bound[v]) if v in self.bound else self._new_zeros(v)
        self.owned.add(made)
        self.name(made, v)
        return made

    def _new_zeros(self, v: Value) -> Value:
        return self.b.one("listzeros", {"list": v}) if isinstance(v.type, List) else fn.zeros_like(self.expr(v)).v

    def _zeros_where_bound(self, v: Value, flag: Value) -> Value:
        """Zeros like `v`, where that is bound; what it is elsewhere does not matter, as nobody reads it."""
        for p in self.memory.all_roots:
            if p.op is None and p.type == v.type and isinstance(p.type, Array):
                return self._new_zeros(p)
        blocks = [Block(), Block()]
        with self.b.at(blocks[0]):
            blocks[0].results = [self._new_zeros(v)]
        with self.b.at(blocks[1]):
            blocks[1].results = [self._nothing(v.type)]
        return self.b.region("if", {"cond": flag}, blocks, [v.type]).result

    def _nothing(self, t: Type) -> Value:
        """An empty array or list."""
        if isinstance(t, List):
            return self.b.one("list", {"elements": ()}, {"type": t})
        assert isinstance(t, Array)
        empty = fn.zeros([self.expr(self.b.int(0))] * t.ndim, dtype=t.dtype).v
        empty.type = t
        return empty

    def copy(self, v: Value) -> Value:
        """A copy of an array; numbers as they are."""
        return fn.copy(self.expr(v)).v if isinstance(v.type, Array) else v

    def name(self, adjoint: Value, v: Value) -> None:
        """Name an adjoint after its primal, if it has no name and is not the primal program's."""
        if adjoint not in self.memory.home and not adjoint.hint and adjoint.op is not None \
                and adjoint.op.name != "const":
            adjoint.hint = adjoint_name(v.hint)

    # Reading.

    def is_memory(self, v: Value) -> bool:
        """Whether the adjoint of `v` is shadow memory from the start."""
        return v in self.shared or isinstance(v.type, List) or (
            isinstance(v.type, Array) and self.memory.is_written(v) and not self.memory.is_apart(v))

    def take(self, v: Value) -> Value | None:
        """The adjoint of `v`, at its definition, where it is complete; None if nothing contributed."""
        if v in self.shared and self.activity.active(v):
            return self.shared[v]
        return self.env.pop(v, None)

    # Accumulating.

    def add(self, v: Value, c: Value, fresh: bool = True) -> None:
        """Add the contribution `c` to the adjoint of `v`; it has the shape and dtype of `v`."""
        if not self.activity.active(v):
            return
        if self.is_memory(v):
            self._add_to(self.handle(v), c)
            return
        old = self.env.get(v)
        if old is None:
            self._first(v, c, fresh)
        elif old in self.outer or old in self.views or old in self.viewed:
            self._add_to(old, c)
        else:
            total = self.b.add(old, c)
            self.seen.add(c)
            self._first(v, total, total is not c and total is not old)

    def _add_to(self, target: Value, c: Value) -> None:
        if isinstance(target.type, List):
            raise located(UnsupportedSyntaxError, self.b.loc, "a list that has two names",
                          "its adjoint would be two lists", "use one name for it")
        self.b.emit("addto", {"a": target, "value": c})

    def _first(self, v: Value, c: Value, fresh: bool) -> None:
        is_new = c not in self.seen and c not in self.memory.home
        if is_new:
            self.name(c, v)
        if c in self.owned and not is_new:
            self.owned.discard(c)
        if fresh and is_new and isinstance(c.type, Array) and c.op is not None \
                and (c.op.spec.fresh or c.op.spec.elementwise) and c.op.spec.view is None:
            self.owned.add(c)
        self.seen.add(c)
        self.env[v] = c

    def own(self, v: Value) -> Value:
        """The adjoint of the array `v` as memory that can be changed in place."""
        if self.is_memory(v):
            return self.handle(v)
        old = self.env.get(v)
        if old is not None and old in self.owned:
            return old
        if self.is_row(v):
            assert v.op is not None
            base = self.own(v.op.value("a"))
            new = self.like_view(v, base)
            self.views.add(new)
            # From here on it changes in place: a sum that is a new array would leave its view behind.
            self.viewed.add(base)
            if old is not None:
                self._add_to(new, old)
        else:
            new = self.zeros_like(v) if old is None else self.copy(old)
        self.name(new, v)
        self.owned.add(new)
        self.seen.add(new)
        self.env[v] = new
        return new

    def is_row(self, v: Value) -> bool:
        """Whether `v` is a slice of an active array, so that its adjoint can be that slice's."""
        return v.op is not None and v.op.name == "getitem" and is_view(v.op) and self.activity.active(v.op.value("a"))

    def like_view(self, v: Value, base: Value) -> Value:
        """The part of `base` that `v` is of its own base."""
        op = v.op
        assert op is not None and op.spec.view is not None
        (view,) = self.b.emit(op.spec, {**op.args, op.spec.view: base}, op.attrs)
        self.name(view, v)
        return view

    def handle(self, v: Value) -> Value:
        """The shadow of an array or list whose memory is written to."""
        if v in self.shared:
            return self.shared[v]
        found = self.env.get(v)
        if found is not None:
            return found
        op = v.op
        if op is not None and op.name == "listget":
            if self.memory.is_replaced(op):
                raise TwoNames(v, located(
                    UnsupportedSyntaxError, op.loc, "an array that is taken from a list, which is written to",
                    "another array takes its place in the list while it is read", "copy it first (np.copy)"))
            index = self.places.get(op, op.value("index"))
            new = self.b.one("listget", {"list": self.handle(op.value("list")), "index": index})
            self.name(new, v)
        elif op is not None and op.name != "listpop" and self.memory.is_alias(v):
            new = self.like_view(v, self.handle(op.value(op.spec.view or "")))
        else:
            new = self.zeros_like(v)
        self.seen.add(new)
        self.owned.add(new)
        self.env[v] = new
        return new

    def is_root(self, v: Value) -> bool:
        """Whether the shadow of `v` is not part of another's."""
        return v.op is None or not (v.op.name == "listpop" or self.memory.is_alias(v))

    def join(self, v: Value, shadow: Value, op: Op) -> None:
        """`shadow` is that of an alias of `v`, which `op` made: it becomes, or is added to, that of `v`."""
        if not self.activity.active(v) or v in self.shared:
            return
        if not self.is_memory(v):
            self.add(v, shadow)
        elif v not in self.env and self.is_root(v):
            self.env[v] = shadow
        elif self.memory.may_change(v, op):
            raise TwoNames(v, located(
                UnsupportedSyntaxError, op.loc, "an array that is reached by two names and written to",
                "which of them a store changes depends on the path", "copy the array first (np.copy)"))
        else:
            self._add_to(self.handle(v), shadow)

    def fit(self, c: Value, v: Value) -> Value:
        """`c` with the shape and dtype of `v`: summed over the axes along which `v` was broadcast."""
        t = v.type
        assert isinstance(t, Scalar | Array)
        x = self.expr(c)
        if x.is_complex and kind(t) != "c":
            x = fn.real(x)
        if isinstance(t, Scalar):
            if x.is_array:
                x = fn.sum(x)
        elif not x.is_array:
            x = fn.broadcast_like(x, self.expr(v))
        else:
            x = self._unbroadcast(x, v, t)
        return self.b.cast(x.v, Scalar(t.dtype, t.weak)) if x.dtype != t.dtype else x.v

    def _unbroadcast(self, x: Expr, v: Value, t: Array) -> Expr:
        extra = x.ndim - t.ndim
        pairs = list(zip(x.dims[max(extra, 0):], t.dims, strict=False))
        ones = [k for k, (dx, dv) in enumerate(pairs) if dv.is_one is True and dx.is_one is not True]
        known = all(same_size(dx, dv) or dv.is_one is True for dx, dv in pairs)
        if extra < 0 or any(dx.is_one is True and dv.is_one is not True for dx, dv in pairs):
            return fn.broadcast_like(x, self.expr(v))
        if not known:
            return fn.unbroadcast(x, self.expr(v))
        if extra:
            axes = tuple(range(extra))
            x = fn.sum(x, axis=axes if extra > 1 else 0)
        if ones:
            x = fn.sum(x, axis=tuple(ones) if len(ones) > 1 else ones[0], keepdims=True)
        return x


def is_floating_number(v: Value) -> bool:
    """Whether `v` is a scalar that can carry a derivative."""
    return isinstance(v.type, Scalar) and is_inexact(v.type)
