"""Which operations reach the results only through a choice of elements, so that some of them are not used.

The adjoint of an element that was not chosen is 0, and 0 times a partial derivative that is infinite or NaN is NaN. So
where such a partial may occur, the adjoint that is 0 has to stay 0: `guarded` says for which operations.

    np.where(x >= 0, x, np.sqrt(-x))        sqrt is guarded
    np.sum(np.sqrt(d)[d > 0])               sqrt is guarded
    np.nansum(x * c)                        the product is: c may be NaN
    np.sqrt(np.where(d > 0, d, 1.0))        nothing is
"""

from __future__ import annotations

from collections.abc import Callable

from s2s.analyse.activity import REGIONS, carried, dependencies
from s2s.analyse.memory import LOOPS, Memory, is_reference, is_view
from s2s.ir.core import SOMETIMES, Block, Function, Op, Value, walk
from s2s.ir.ops import constant, is_basic
from s2s.ir.types import Array, Scalar
from s2s.rules.table import Rule

# Operations that pass on some elements of these arguments only.
CHOICES = {
    "np.where": ("x", "y"), "np.select": ("choicelist", "default"), "np.choose": ("choices",), "np.clip": ("a",),
    "np.maximum": ("x", "y"), "np.minimum": ("x", "y"), "np.fmax": ("x", "y"), "np.fmin": ("x", "y"), "max": ("x", "y"),
    "min": ("x", "y"), "np.nan_to_num": ("x",), "np.tril": ("m",), "np.triu": ("m",), "np.compress": ("a",),
    "np.extract": ("arr",), "np.take": ("a",), "np.nansum": ("a",),
}
# A program that asks for NaN has arguments that are: there any partial derivative may be.
_OF_NAN = frozenset({"np.isnan", "np.isfinite", "np.nan_to_num", "np.nansum", "np.fmax", "np.fmin", "math.isnan",
                     "math.isfinite"})
# Finite arguments can give infinity, by which the partial is a multiple.
OVERFLOWS = frozenset({"np.exp", "np.exp2", "np.expm1", "np.sinh", "np.cosh"})
# The partial derivative reads neither the arguments nor the result.
_CONSTANT_PARTIAL = frozenset({"add", "sub", "neg", "pos", "cast", "np.real", "np.imag", "np.conj", *CHOICES})


def guarded(fn: Function, memory: Memory, rule: Callable[[Op], Rule | None], *, forward: bool = False) -> set[Op]:
    """The operations of `fn` in whose reverse an adjoint of 0 must stay 0.

    forward: those whose tangents of 0 must, too: some of what they read may have been replaced by a constant.
    """
    ops = list(walk(fn.block))
    suspects = {op for op in ops if _is_suspect(op, rule(op))}
    if any(op.name in _OF_NAN for op in ops):
        suspects |= {op for op in ops if _has_partial(op, rule(op))}
    # What was computed before a loop that runs zero times is not used; its tangent is not either.
    found = set() if forward else _left_loops(fn, memory, suspects, rule)
    if not suspects or not any(_chooses(op) or op.spec.writes is not None for op in ops):
        return found
    exposed = _Exposed(fn, memory, rule)
    if not all(exposed.has(op.result) for op in suspects):
        spoilt = _reached(fn, memory, suspects)
        found |= {op for op in ops if op.results and not op.blocks and not exposed.has(op.result)
                 and (op in suspects or _reads_spoilt(op, spoilt, rule(op)))}
    if forward:
        chosen = _reached(fn, memory, {op for op in ops if _chooses(op) or _overwrites(op)})
        found |= {op for op in suspects if any(v in chosen for v in op.operands())}
    return found


def _left_loops(fn: Function, memory: Memory, suspects: set[Op], rule: Callable[[Op], Rule | None]) -> set[Op]:
    """The suspects that `simplify.hoist` has taken out of loops, and what it took out with them."""
    suspects = {op for op in suspects if SOMETIMES in op.attrs}
    spoilt = _reached(fn, memory, suspects) if suspects else set()
    return suspects | {op for op in walk(fn.block) if SOMETIMES in op.attrs and _reads_spoilt(op, spoilt, rule(op))}


def _is_suspect(op: Op, rule: Rule | None) -> bool:
    """Whether the partial derivative of an operation may be infinite or NaN though its arguments are finite."""
    if rule is None or not rule.spec.elementwise or not (rule.singular or op.name in OVERFLOWS):
        return False
    y = op.args.get("y")
    if op.name == "div" and isinstance(y, Value):
        # If one number divides all, none is chosen for it.
        return constant(y) is None and not (isinstance(y.type, Scalar) and isinstance(op.result.type, Array))
    c = constant(y) if op.name == "pow" and isinstance(y, Value) else None
    return not (isinstance(c, int | float) and (c == 0 or c >= 1))


def _reads_spoilt(op: Op, spoilt: set[Value], rule: Rule | None) -> bool:
    return _has_partial(op, rule) and any(v in spoilt for v in (*op.operands(), *op.results))


def _has_partial(op: Op, rule: Rule | None) -> bool:
    """Whether it is elementwise, with a partial derivative that is no constant."""
    return rule is not None and rule.spec.elementwise and bool(op.results) and op.name not in _CONSTANT_PARTIAL


def _chooses(op: Op) -> bool:
    return op.name in CHOICES or (op.name == "getitem" and not is_basic(op.attrs["items"]))


def _chosen_from(op: Op) -> set[Value]:
    """The arguments of which `op` passes on some elements only."""
    if op.name == "getitem":
        return set() if is_basic(op.attrs["items"]) else {op.value("a")}
    found: set[Value] = set()
    for name in CHOICES.get(op.name, ()):
        arg = op.args.get(name, ())
        found.update(arg if isinstance(arg, tuple) else (arg,))
    return found


def _overwrites(op: Op) -> bool:
    """Whether a store replaces elements, and does not only add to them."""
    if op.name != "setitem":
        return False
    new = op.value("value").op
    if new is None or new.name not in ("add", "sub"):
        return True
    old = [v.op for v in new.operands() if v.op is not None and v.op.name == "getitem"]
    return not any(load.value("a") is op.value("a") and load.values("index") == op.values("index") for load in old)


class _Exposed:
    """The values of which every element may reach a result."""

    def __init__(self, fn: Function, memory: Memory, rule: Callable[[Op], Rule | None]) -> None:
        self.memory = memory
        self.rule = rule
        self.marked: set[Value] = set()
        # What is in memory may be overwritten before it is read; but then the memory as a whole says nothing.
        self.overwritten = {memory.group(op.value("a")) for op in walk(fn.block) if _overwrites(op)}
        self.mark(fn.block.results)
        size = -1
        while size != len(self.marked):
            size = len(self.marked)
            self.block(fn.block)

    def key(self, v: Value) -> Value:
        return self.memory.group(v) if is_reference(v.type) and self.memory.is_written(v, lists=True) else v

    def has(self, v: Value) -> bool:
        """Whether `v` is exposed."""
        key = self.key(v)
        return key in self.marked and not (v.op is not None and not is_view(v.op) and key in self.overwritten)

    def mark(self, values: object) -> None:
        self.marked.update(self.key(v) for v in values)  # type: ignore[attr-defined]

    def block(self, block: Block) -> None:
        for op in reversed(block.ops):
            if op.name in ("for", "while"):
                for init, params, last, result in carried(op):
                    if self.key(result) in self.marked or any(self.key(p) in self.marked for p in params):
                        self.mark([init, last])
            elif op.name in ("if", "with"):
                for k, r in enumerate(op.results):
                    if self.key(r) in self.marked:
                        self.mark(b.results[k] for b in op.blocks)
            for inner in op.blocks:
                if op.name in REGIONS:
                    self.block(inner)
            if op.spec.writes is not None:
                if "value" in op.args and self.key(op.value(op.spec.writes)) in self.marked:
                    self.mark([op.value("value")])
                if op.results and self.key(op.result) in self.marked:
                    self.mark([op.value(op.spec.writes)])
            elif op.name not in REGIONS and any(self.key(r) in self.marked for r in op.results):
                some = _chosen_from(op)
                self.mark(v for v in dependencies(op, self.rule(op)) if v not in some)


def _reached(fn: Function, memory: Memory, sources: set[Op]) -> set[Value]:
    """The values that are made of what one of `sources` made (or stored)."""
    reached = _Reached(memory, sources)
    size = -1
    while size != len(reached.values) + len(reached.groups):
        size = len(reached.values) + len(reached.groups)
        reached.block(fn.block)
    return {v for op in walk(fn.block) for v in op.operands() if reached.has(v)} | reached.values


class _Reached:
    def __init__(self, memory: Memory, sources: set[Op]) -> None:
        self.memory = memory
        self.sources = sources
        self.values: set[Value] = set()
        self.groups: set[Value] = set()

    def has(self, v: Value) -> bool:
        return v in self.values or (is_reference(v.type) and self.memory.group(v) in self.groups)

    def add(self, *values: Value) -> None:
        self.values.update(values)
        self.groups.update(self.memory.group(v) for v in values
                           if is_reference(v.type) and self.memory.is_written(v, lists=True))

    def block(self, block: Block) -> None:
        """One visit of all operations, in order."""
        for op in block.ops:
            if op.blocks:
                self.region(op)
                continue
            if op in self.sources or any(self.has(v) for v in op.operands()):
                self.add(*op.results, *([] if op.spec.writes is None else [op.value(op.spec.writes)]))

    def region(self, op: Op) -> None:
        if op.name in LOOPS:
            for init, params, last, result in carried(op):
                if self.has(init) or self.has(last):
                    self.add(*params, result)
        for inner in op.blocks:
            self.block(inner)
            for y, r in zip(inner.results, op.results, strict=False):
                if self.has(y):
                    self.add(r)
