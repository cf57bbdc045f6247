"""Forward mode: a function that computes its results and their tangents together.

    def f(x):                      def f_forward(x, x_dot):
        y = x * x         ->           y = x * x
        return y                       y_dot = x * x_dot + x * x_dot
                                       return y, y_dot

The program is copied statement by statement, each followed by its tangent. An array that is written to, or a list, has
shadow memory that is aliased as the primal memory is: views are taken of both, stores are made to both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from s2s.analyse.activity import Activity
from s2s.analyse.masks import guarded
from s2s.analyse.memory import Memory, is_reference, is_view
from s2s.differentiate.pull import refuse_captured
from s2s.differentiate.pushforward import pushforward, pushforward_of_rule
from s2s.differentiate.tangents import Tangents, no_rule, shaped_as
from s2s.errors import UnsupportedSyntaxError, located
from s2s.ir.builder import Builder
from s2s.ir.core import Block, Function, Op, Value, clone_block, map_arg
from s2s.ir.memory import calls_have_effects, is_fresh, writes_arguments
from s2s.ir.names import tangent_name
from s2s.ir.types import Array, Undefined
from s2s.rules.expr import fn as functions
from s2s.rules.table import Table

_STORES = frozenset({"setitem", "additem", "addto", "append", "listset"})
_KEPT = frozenset({"print", "assert", "raise", "const", "undefined", "dim", "trips", "listlen", "listzeros", "hostcall",
                   "stop_gradient"})


@dataclass(frozen=True, slots=True)
class Forward:
    """connected: for each result of the function, whether it has a tangent; those come after the results."""

    function: Function
    connected: tuple[bool, ...]


_Cache = dict[tuple[int, tuple[int, ...]], tuple[Function, Forward]]


def forward(fn: Function, wrt: Sequence[int | Value], table: Table, outside: Sequence[Value] = ()) -> Forward:
    """`fn` with tangents: its parameters are those of `fn`, then a tangent for each of `wrt`.

    wrt: parameters of `fn`, or their places. An array parameter that is written to is copied first, unless it is
    one of `outside`.
    """
    return _forward(fn, [w if isinstance(w, int) else fn.block.params.index(w) for w in wrt], table, {}, outside)


def _forward(fn: Function, wrt: Sequence[int], table: Table, cache: _Cache, outside: Sequence[Value] = ()) -> Forward:
    key = (id(fn), tuple(wrt))
    if key in cache:
        return cache[key][1]
    params = fn.block.params
    memory = Memory(fn)
    activity = Activity(fn, [params[i] for i in wrt], memory, table.rule)
    connected = tuple(activity.active(r) for r in fn.block.results)
    result = Forward(Function(f"{fn.name}_forward", Block()), connected)
    cache[key] = (fn, result)  # before the body is written: it may call itself
    _Writer(result.function, activity, memory, table, cache, outside).function(fn, wrt, connected)
    return result


class _Writer:
    """Writes the new function."""

    def __init__(self, new: Function, activity: Activity, memory: Memory, table: Table, cache: _Cache,
                 outside: Sequence[Value]) -> None:
        self.new = new
        self.outside = outside
        self.activity = activity
        self.memory = memory
        self.table = table
        self.cache = cache
        self.b = Builder(new.block)
        self.b.aliases = True  # see `owned`
        self.guarded: set[Op] = set()
        self.t = Tangents(self.b, table)
        self.mapping: dict[Value, Value] = {}
        self.taken: set[Value] = set()  # tangents
        self.shadows: set[Value] = set()  # tangents that are written to

    def function(self, fn: Function, wrt: Sequence[int], connected: Sequence[bool]) -> None:
        """The whole of `fn`."""
        block = self.new.block
        self.guarded = guarded(fn, self.memory, self.table.rule, forward=True)
        # What the results will be has to be known first: a recursive call asks for it.
        block.results = [Value(v.type) for v in fn.block.results]
        block.results += [Value(v.type) for v, c in zip(fn.block.results, connected, strict=True) if c]
        self.params(fn.block.params, block)
        seeds = [Value(fn.block.params[i].type, tangent_name(fn.block.params[i].hint)) for i in wrt]
        block.params += seeds
        self.new.defaults = {self.mapping[v]: d for v, d in fn.defaults.items()}
        for p in fn.block.params:
            self.mapping[p] = self.kept(p, self.mapping[p])
        for i, seed in zip(wrt, seeds, strict=True):
            self.set_dot(fn.block.params[i], self.kept(fn.block.params[i], seed))
        for p in fn.block.params:
            if self.activity.active(p) and self.mapping[p] not in self.t.dots:
                self.set_dot(p, self.t.zero(self.mapping[p]))
        self.ops(fn.block)
        results = [self.mapping.get(v, v) for v in fn.block.results]
        block.results = results + [self.t.dot(r) for r, c in zip(results, connected, strict=True) if c]

    def kept(self, old: Value, new: Value) -> Value:
        """`new`, or a copy of it where the parameter `old` is written to: the caller's array stays as it is."""
        if not isinstance(old.type, Array) or not self.memory.is_written(old) or old in self.outside:
            return new
        copy = functions.copy(self.t.expr(new)).v
        copy.hint = new.hint
        return copy

    def params(self, params: Sequence[Value], block: Block) -> None:
        for p in params:
            self.mapping[p] = Value(p.type, p.hint)
            block.params.append(self.mapping[p])

    def set_dot(self, old: Value, dot: Value) -> None:
        """`dot` is the tangent of (the copy of) `old`, and gets a name after it."""
        self.t.dots[self.mapping[old]] = dot
        self.taken.add(dot)
        if is_reference(old.type) and self.memory.is_written(old):
            self.shadows.add(dot)
        if old.hint and not dot.hint:
            dot.hint = tangent_name(old.hint)

    def ops(self, block: Block) -> None:
        """The operations of `block`, each with its tangent, appended where the builder is."""
        for op in block.ops:
            self.b.loc = op.loc
            if op.name == "if":
                self.branch(op)
            elif op.name == "with":
                self.with_(op)
            elif op.name in ("for", "while"):
                self.loop(op)
            elif op.name == "call":
                self.call(op)
            elif op.name == "custom":
                self.custom(op)
            else:
                self.plain(op)

    def copy(self, op: Op) -> Op:
        """Append a copy of an operation without blocks."""
        new = Op(op.spec, {k: map_arg(a, self.mapping) for k, a in op.args.items()}, dict(op.attrs), loc=op.loc,
                 origin=op.origin)
        self.results(op, new)
        self.b.block.ops.append(new)
        return new

    def results(self, op: Op, new: Op) -> None:
        new.results = [Value(r.type, r.hint, new) for r in op.results]
        self.mapping.update(zip(op.results, new.results, strict=True))

    def plain(self, op: Op) -> None:
        new = self.copy(op)
        if op.name in _STORES:
            self.store(op, new)
            return
        active = [r for r in op.results if self.activity.active(r)]
        if op.name == "pycall" and (active or self.activity.changed(op)):
            raise no_rule(op)
        if not active:
            if op.name == "listpop":
                self.tangents(op, new)  # a number that nobody reads leaves the list of tangents too
            return
        self.t.guarded = op in self.guarded
        dots = self.tangents(op, new)
        for r, dot in zip(op.results, dots, strict=True):
            if r in active:
                self.set_dot(r, self.owned(r, dot))

    def tangents(self, op: Op, new: Op) -> list[Value | None]:
        if op.name in _KEPT:
            return [None] * len(op.results)
        if op.name == "list":
            elements = tuple(self.t.dot(v) for v in new.values("elements"))
            return [self.b.one("list", {"elements": elements}, op.attrs)]
        if op.name in ("getitem", "listget", "listpop"):
            name = "a" if op.name == "getitem" else "list"
            dot = self.t.dots.get(new.value(name))
            return [None if dot is None else shaped_as(self.b.one(op.spec, {**new.args, name: dot}, op.attrs), new)]
        rule = self.table.rule(new)
        if rule is not None and rule.transposed and any(v in self.t.dots for v in new.operands()):
            return pushforward_of_rule(self.t, new, rule)
        return self.t.of(new)

    def owned(self, old: Value, dot: Value | None) -> Value:
        """The tangent, as memory that is aliased exactly as that of `old` is, where somebody writes to it."""
        new = self.mapping[old]
        if dot is None:
            return self.t.zero(new)
        if not is_reference(old.type) or old.op is None:
            return dot
        if is_view(old.op):
            self.memory.is_apart(old)  # refuses what cannot be said before it runs
            return dot
        if not self.memory.is_written(old):
            return functions.copy(self.t.expr(dot)).v if _base(dot) in self.shadows else dot
        layouts = [getattr(v.type, "layout", "") for v in (new, dot)]
        if dot.op is not None and is_fresh(dot.op) and dot not in self.taken and layouts[0] == layouts[1]:
            return dot
        shadow = self.t.zero(new)
        self.b.emit("addto", {"a": shadow, "value": dot})
        return shadow

    def store(self, op: Op, new: Op) -> None:
        """The same store, into the shadow."""
        target = new.value(op.spec.writes or "")
        shadow = self.t.dots.get(target)
        if shadow is None:
            return
        value = new.value("value")
        dot = self.t.dots.get(value)
        if dot is None and op.name in ("additem", "addto"):
            return
        if dot is None and op.name == "setitem" and isinstance(target.type, Array):
            dot = self.t.expr(self.b.const(0.0)).astype(target.type.dtype).v
        elif dot is None:
            dot = self.t.zero(value)
        assert op.spec.writes is not None
        self.b.emit(op.spec, {**new.args, op.spec.writes: shadow, "value": dot}, op.attrs)

    # Control flow. What is yielded or carried and active has its tangent behind it.

    def active_results(self, op: Op) -> list[int]:
        return [i for i, r in enumerate(op.results) if self.activity.active(r)]

    def finish(self, op: Op, new: Op, active: list[int]) -> None:
        """Append a region with a tangent for each active result."""
        self.results(op, new)
        for i in active:
            r = op.results[i]
            dot = Value(r.type, tangent_name(r.hint) if r.hint else "", new)
            new.results.append(dot)
            self.set_dot(r, dot)
        self.b.block.ops.append(new)

    def yields(self, results: Sequence[Value], active: list[int]) -> list[Value]:
        """The yielded values, then their tangents, computed where the builder is."""
        new = [self.mapping.get(v, v) for v in results]
        return new + [self.yielded_dot(new[i]) for i in active]

    def yielded_dot(self, v: Value) -> Value:
        return self.b.undefined(v.type) if isinstance(v.type, Undefined) else self.t.fit(self.t.dot(v), v.type)

    def inner(self, old: Block, new: Block, active: list[int]) -> None:
        with self.b.at(new):
            self.ops(old)
            new.results = self.yields(old.results, active)

    def region(self, op: Op) -> Op:
        return Op(op.spec, {k: map_arg(a, self.mapping) for k, a in op.args.items()}, dict(op.attrs), loc=op.loc,
                  origin=op.origin)

    def branch(self, op: Op) -> None:
        active, new = self.active_results(op), self.region(op)
        for old in op.blocks:
            new.blocks.append(Block())
            self.inner(old, new.blocks[-1], active)
        self.finish(op, new, active)

    def with_(self, op: Op) -> None:
        self.branch(op)

    def loop(self, op: Op) -> None:
        first = 1 if op.name == "for" else 0
        active = [i for i, r in enumerate(op.results)
                  if any(self.activity.active(v) for v in (r, *(b.params[first + i] for b in op.blocks)))]
        new = self.region(op)
        init = new.values("init")
        new.args["init"] = init + tuple(self.yielded_dot(init[i]) for i in active)
        for old in op.blocks:
            block = Block()
            new.blocks.append(block)
            self.params(old.params, block)
            for i in active:
                p = old.params[first + i]
                dot = Value(p.type, tangent_name(p.hint) if p.hint else "")
                block.params.append(dot)
                self.t.dots[self.mapping[p]] = dot
            self.loop_block(op, old, block, active)
        self.finish(op, new, active)

    def loop_block(self, op: Op, old: Block, new: Block, active: list[int]) -> None:
        if old is not op.blocks[-1]:
            self.inner(old, new, [])
            return
        self.inner(old, new, active)
        if op.attrs.get("breaks"):  # whether to stop stays last
            new.results.append(new.results.pop(len(old.results) - 1))

    # Calls

    def call(self, op: Op) -> None:
        args = tuple(self.mapping.get(v, v) for v in op.values("args"))
        wrt = [i for i, v in enumerate(op.values("args")) if args[i] in self.t.dots]
        active = [r for r in op.results if self.activity.active(r)]
        callee: Function = op.attrs["function"]
        if not wrt or not (active or calls_have_effects(callee)):
            self.copy(op)
            return
        if writes_arguments(callee):
            raise located(UnsupportedSyntaxError, op.loc, f"{callee.name} writes into an array that it is given.",
                          "It is called where a differentiated value reaches it, and is too large to be inlined.",
                          "Return a new array instead.")
        f = _forward(callee, wrt, self.table, self.cache)
        new = Op(op.spec, {"args": args + tuple(self.t.dots[args[i]] for i in wrt)},
                 {**op.attrs, "function": f.function}, loc=op.loc, origin=op.origin)
        self.results(op, new)
        self.b.block.ops.append(new)
        connected = [r for r, c in zip(op.results, f.connected, strict=True) if c]
        for r in connected:
            dot = Value(r.type, "", new)
            new.results.append(dot)
            self.set_dot(r, dot)
        for r in active:
            if r not in connected:
                self.set_dot(r, self.t.zero(self.mapping[r]))

    def custom(self, op: Op) -> None:
        """The tangent of a custom gradient: its pullback is linear, and its transpose is the pushforward."""
        new = Op(op.spec, {k: map_arg(a, self.mapping) for k, a in op.args.items()}, dict(op.attrs), loc=op.loc,
                 origin=op.origin)
        new.blocks = [clone_block(b, self.mapping) for b in op.blocks]
        self.results(op, new)
        self.b.block.ops.append(new)
        if not any(self.activity.active(r) for r in op.results):
            return
        refuse_captured(op, self.activity.varied)
        for r, dot in zip(op.results, pushforward(self.t, new), strict=True):
            if self.activity.active(r):
                self.set_dot(r, self.owned(r, dot))


def _base(dot: Value) -> Value:
    """The array of which `dot` is a view."""
    while dot.op is not None and is_view(dot.op):
        dot = dot.op.value(dot.op.spec.view or "")
    return dot
