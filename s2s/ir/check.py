"""What must hold of IR after each stage; run by the tests."""

from __future__ import annotations

from collections.abc import Sequence

from s2s.ir.core import Block, Function, Op, Value
from s2s.ir.types import Array, List, Opaque, Scalar, Type, Undefined, unify


class IRError(AssertionError):
    """A stage made a program that is not one."""


def check(fn: Function) -> None:
    """Raise `IRError` unless every value is defined once, before its uses and where they can see it, no
    operation or block occurs twice, and types agree with the operations and with what blocks yield.
    """
    _Checker(fn).function()


class _Checker:
    def __init__(self, fn: Function, seen: set[int] | None = None) -> None:
        self.fn = fn
        self.visible: set[Value] = set()
        self.defined: set[Value] = set()
        self.ops: set[Op] = set()
        self.blocks: set[Block] = set()
        self.functions = seen if seen is not None else set()

    def fail(self, what: str, op: Op | None = None) -> None:
        where = "" if op is None else f" at {op.name}"
        line = f" ({op.loc.text!r})" if op is not None and op.loc is not None else ""
        raise IRError(f"{self.fn.name}: {what}{where}{line}")

    def function(self) -> None:
        self.functions.add(id(self.fn))
        for v in self.fn.defaults:
            if v not in self.fn.block.params:
                self.fail(f"a default for {v}, which is no parameter")
        self.block(self.fn.block, None)

    def define(self, v: Value, op: Op | None) -> None:
        if v in self.defined:
            self.fail(f"{v} is defined twice", op)
        self.defined.add(v)
        self.visible.add(v)

    def use(self, v: object, op: Op | None) -> None:
        if not isinstance(v, Value):
            self.fail(f"{v!r} stands where a value should", op)
        elif v not in self.visible:
            self.fail(f"{v} is {'not visible' if v in self.defined else 'not defined yet'}", op)

    def block(self, block: Block, owner: Op | None) -> None:
        """Check a block; what it defines is forgotten at its end."""
        if block in self.blocks:
            self.fail("a block occurs twice", owner)
        self.blocks.add(block)
        outside = set(self.visible)
        for p in block.params:
            self.define(p, owner)
        for op in block.ops:
            self.op(op)
        for v in block.results:
            self.use(v, owner)
        self.visible = outside

    def op(self, op: Op) -> None:
        if op in self.ops:
            self.fail("an operation occurs twice", op)
        self.ops.add(op)
        for v in op.operands():
            self.use(v, op)
        for inner in op.blocks:
            self.block(inner, op)
        self.arguments(op)
        if op.name in _REGIONS:
            getattr(self, f"_{op.name}")(op)
        elif op.name == "call":
            self.call(op)
        else:
            self.types(op.results, op.spec.infer(op), op)
        for r in op.results:
            if r.op is not op:
                self.fail(f"{r} does not know its operation", op)
            self.define(r, op)

    def arguments(self, op: Op) -> None:
        """Arguments are those that the operation has, tuples where it takes several."""
        kinds = {p.name: p.kind for p in op.spec.params}
        for name, arg in op.args.items():
            if kinds.get(name, "static") == "static":
                self.fail(f"{name} is no argument", op)
            if isinstance(arg, tuple) != (kinds.get(name) in ("values", "ints")):
                self.fail(f"{name} is a {type(arg).__name__}", op)
        for p in op.spec.params:
            if p.default is ... and p.name not in op.args and p.name not in op.attrs:
                self.fail(f"{p.name} is missing", op)

    def types(self, values: Sequence[Value], types: Sequence[Type], op: Op) -> None:
        if len(values) != len(types):
            self.fail(f"{len(values)} results, not {len(types)}", op)
        for v, t in zip(values, types, strict=True):
            if not _same(v.type, t):
                self.fail(f"a result is {v.type}, not {t}", op)

    def flow(self, sources: Sequence[Value], targets: Sequence[Value], op: Op) -> None:
        """Values are yielded, or carried, into others."""
        if len(sources) != len(targets):
            self.fail(f"{len(sources)} values go into {len(targets)}", op)
        for s, t in zip(sources, targets, strict=True):
            if not _flows(s.type, t.type):
                self.fail(f"{s.type} ({s.hint}) goes into {t.type} ({t.hint})", op)

    # ---- operations that own blocks

    def call(self, op: Op) -> None:
        callee = op.attrs["function"]
        self.flow(op.values("args"), callee.block.params[:len(op.values("args"))], op)
        missing = [p for p in callee.block.params[len(op.values("args")):] if p not in callee.defaults]
        if missing:
            self.fail(f"no argument for {missing[0].hint}", op)
        self.flow(callee.block.results, op.results, op)
        if id(callee) not in self.functions:
            _Checker(callee, self.functions).function()

    def condition(self, v: Value, op: Op) -> None:
        if not (isinstance(v.type, Scalar) and v.type.dtype == "bool"):
            self.fail(f"a condition is {v.type}", op)

    def _if(self, op: Op) -> None:
        self.condition(op.value("cond"), op)
        if len(op.blocks) != 2:
            self.fail("an if has two blocks", op)
        for block in op.blocks:
            self.flow(block.results, op.results, op)

    def _with(self, op: Op) -> None:
        self.flow(op.blocks[0].results, op.results, op)

    def _for(self, op: Op) -> None:
        for name in ("start", "stop", "step"):
            t = op.value(name).type
            if not (isinstance(t, Scalar) and t.dtype.lstrip("u").startswith("int")):
                self.fail(f"{name} is {t}", op)
        if not op.blocks[0].params:
            self.fail("a for has no index", op)
        self._loop(op, op.blocks[0].params[1:])

    def _while(self, op: Op) -> None:
        test, body = op.blocks
        if len(test.results) != 1:
            self.fail("the test of a while yields one value", op)
        self.condition(test.results[0], op)
        self.flow(test.params, body.params, op)
        self._loop(op, test.params)

    def _loop(self, op: Op, params: Sequence[Value]) -> None:
        yields = op.blocks[-1].results
        if op.attrs.get("breaks"):
            if not yields:
                self.fail("the body does not say whether to stop", op)
            self.condition(yields[-1], op)
            yields = yields[:-1]
        self.flow(op.args.get("init", ()), params, op)  # type: ignore[arg-type]
        self.flow(yields, params, op)
        self.flow(params, op.results, op)


_REGIONS = ("if", "for", "while", "with")


def _same(a: Type, b: Type) -> bool:
    """Whether two types agree in dtype and rank (sizes, layout and weakness may be known less well)."""
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return a.dtype == b.dtype
    if isinstance(a, Array) and isinstance(b, Array):
        return a.dtype == b.dtype and a.ndim == b.ndim
    if isinstance(a, List) and isinstance(b, List):
        return _same(a.element, b.element)
    return type(a) is type(b) if isinstance(a, Opaque) else a == b


def _flows(source: Type, target: Type) -> bool:
    """Whether a value may be yielded into another: their common type is the target's."""
    if isinstance(source, Undefined):
        return True
    common = unify(source, target)
    if common is None:
        return False
    if isinstance(common, Scalar) and isinstance(target, Scalar):
        return common.dtype == target.dtype
    return _same(common, target)
