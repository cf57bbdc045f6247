"""Which exceptions an operation can raise, and when: what a `try` statement tests instead of trying."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2s.ir.core import Block, Op, Value, clone_op, walk
from s2s.ir.ops import along, constant, is_basic
from s2s.ir.types import BOOL, INT, Array, List, Scalar
from s2s.lower.context import Context
from s2s.rules import TABLE

Classes = tuple[type[BaseException], ...]
Test = Callable[[Context, Op], Value]  # whether the operation will raise, computed before it


class Unknown(Exception):
    """An operation may raise what is caught, and when is not known before it runs."""

    def __init__(self, op: Op) -> None:
        self.op = op
        super().__init__(op.name)


def _compare(name: str, bound: float, argument: str = "x") -> Test:
    def test(ctx: Context, op: Op) -> Value:
        return ctx.b.binary(name, op.value(argument), ctx.b.const(bound))
    return test


def _not(test: Test) -> Test:
    """So that nan, for which no comparison holds, counts too."""
    return lambda ctx, op: ctx.b.one("not", {"x": test(ctx, op)})


def _outside(low: float, high: float) -> Test:
    def test(ctx: Context, op: Op) -> Value:
        x = op.value("x")
        return ctx.b.one("or", {"x": ctx.b.binary("lt", x, ctx.b.const(low)),
                                "y": ctx.b.binary("gt", x, ctx.b.const(high))})
    return test


def _not_finite(ctx: Context, op: Op) -> Value:
    x = op.value("x")
    difference = ctx.b.binary("sub", x, x)  # nan for both
    return ctx.b.binary("ne", difference, difference)


def _power(ctx: Context, op: Op) -> Value:
    zero = ctx.b.binary("eq", op.value("x"), ctx.b.const(0.0))
    return ctx.b.one("and", {"x": zero, "y": ctx.b.binary("lt", op.value("y"), ctx.b.const(0.0))})


def _index(ctx: Context, op: Op) -> Value | None:
    """Whether one of the ints of an index is out of bounds; None where the index has arrays."""
    a = op.value("a")
    assert isinstance(a.type, Array)
    if not is_basic(op.attrs["items"]):
        return None
    found: Value | None = None
    for code, parts, axis in along(op, range(a.type.ndim)):
        if code == "i" and axis is not None:
            found = _or(ctx, found, _beyond(ctx, parts[0], ctx.b.dim(a, axis)))
    return ctx.b.const(False) if found is None else found


def _beyond(ctx: Context, index: Value, size: Value) -> Value:
    k, n = constant(index), constant(size)
    if isinstance(k, int) and isinstance(n, int):
        return ctx.b.const(not -n <= k < n)
    over = None if isinstance(k, int) and k < 0 else ctx.b.binary("ge", index, size)
    under = None if isinstance(k, int) and k >= 0 else ctx.b.binary("lt", index, ctx.b.neg(size))
    if over is None or under is None:
        return over if over is not None else under  # type: ignore[return-value]
    return ctx.b.one("or", {"x": over, "y": under})


def _or(ctx: Context, x: Value | None, y: Value) -> Value:
    return y if x is None else ctx.b.one("or", {"x": x, "y": y})


def _list_index(ctx: Context, op: Op) -> Value:
    return _beyond(ctx, op.value("index"), ctx.b.one("listlen", {"list": op.value("list")}))


def _empty(ctx: Context, op: Op) -> Value:
    return ctx.b.binary("eq", ctx.b.one("listlen", {"list": op.value("list")}), ctx.b.int(0))


def _matrix(test: str) -> Test:
    return lambda ctx, op: ctx.b.one(TABLE.by_name[test].spec, {"a": op.value("a")})


_EXP = float(np.log(sys.float_info.max))
_ZERO = (ZeroDivisionError, _compare("eq", 0.0, "y"))
# Of Python numbers: NumPy's give inf or nan.
_OF_NUMBERS: dict[str, list[tuple[type[BaseException], Test | None]]] = {
    "div": [_ZERO], "floordiv": [_ZERO], "mod": [_ZERO],
    "pow": [(ZeroDivisionError, _power), (OverflowError, None)],
    "math.sqrt": [(ValueError, _compare("lt", 0.0))],
    "math.log1p": [(ValueError, _compare("le", -1.0))],
    **{f"math.{name}": [(ValueError, _compare("le", 0.0))] for name in ("log", "log2", "log10")},
    **{f"math.{name}": [(ValueError, _outside(-1.0, 1.0))] for name in ("asin", "acos")},
    "math.acosh": [(ValueError, _compare("lt", 1.0))],
    "math.atanh": [(ValueError, _not(_compare("lt", 1.0))), (ValueError, _compare("le", -1.0))],
    **{f"math.{name}": [(OverflowError, _compare("gt", _EXP))] for name in ("exp", "expm1")},
    **{f"math.{name}": [(OverflowError, None)] for name in ("sinh", "cosh", "exp2", "ldexp")},
    "math.pow": [(ValueError, None), (OverflowError, None)],
    "math.gamma": [(ValueError, None), (OverflowError, None)],
    "math.lgamma": [(ValueError, None)],
    "math.fmod": [(ValueError, _compare("eq", 0.0, "y"))], "math.remainder": [(ValueError, _compare("eq", 0.0, "y"))],
    **{f"math.{name}": [(ValueError, _not_finite), (OverflowError, _not_finite)]
       for name in ("floor", "ceil", "trunc")},
}
_OF_MATRICES = {"np.linalg.cholesky": _matrix("s2s.is_indefinite"), "np.linalg.inv": _matrix("s2s.is_singular"),
                "np.linalg.solve": _matrix("s2s.is_singular")}
_SAFE = frozenset("""
    abs add and append bitand bitor bitxor const custom dim eq for format ge gt if in invert is isnot le list
    listlen listzeros lshift lt math.asinh math.atan math.atan2 math.cbrt math.copysign math.cos math.degrees
    math.erf math.erfc math.fabs math.fma math.fsum math.hypot math.isclose math.isfinite math.isinf math.isnan
    math.nextafter math.radians math.sin math.tan math.tanh math.ulp max min mul ne neg not notin or pos print
    round rshift stop_gradient sub trips undefined while with
""".split())  # noqa: SIM905 - a list of names


def risks(ctx: Context, op: Op, caught: Classes) -> list[tuple[type[BaseException], Test | None]]:
    """What an operation can raise of what is caught, with the test for it; None where there is none."""
    found = [(cls, test) for cls, test in _possible(op) if issubclass(cls, caught)]
    if FloatingPointError in caught and any(isinstance(v.type, Scalar | Array) and not v.type.weak for v in op.results):
        found.append((FloatingPointError, None))  # as np.errstate(all="raise") asks for
    return found


def _possible(op: Op) -> Sequence[tuple[type[BaseException], Test | None]]:
    name = op.name
    if name == "raise":
        return [(raised_class(op) or BaseException, lambda ctx, op: ctx.b.const(True))]
    if name == "assert":
        return [(AssertionError, lambda ctx, op: ctx.b.one("not", {"x": op.value("test")}))]
    if name in ("pycall", "call"):
        return [] if op.attrs.get("harmless") else [(BaseException, None)]
    if name in ("getitem", "setitem", "additem"):
        arrays = "a" in op.attrs["items"]
        shapes: list[tuple[type[BaseException], Test | None]] = []
        if name != "getitem" and isinstance(op.value("value").type, Array):
            shapes = [(ValueError, None)]
        return [(IndexError, None if arrays else _index), *shapes]  # type: ignore[list-item]
    if name in ("listget", "listset"):
        return [(IndexError, _list_index)]
    if name == "listpop":
        return [(IndexError, _empty)]
    if name == "cast":
        t = op.value("x").type
        to_int = np.dtype(op.attrs["dtype"]).kind in "iu" and isinstance(t, Scalar) and t.weak
        return [(ValueError, _not_finite), (OverflowError, _not_finite)] if to_int and _is_float(t) else []
    if name in _OF_NUMBERS:
        weak = all(isinstance(v.type, Scalar) and (v.type.weak or name.startswith("math.")) for v in op.operands())
        return _OF_NUMBERS[name] if weak else _of_arrays(op)
    if name in _SAFE or (op.spec.elementwise and name.startswith("np.")):
        return _of_arrays(op)
    if name.startswith(("np.linalg.", "scipy.linalg.")):
        return [(np.linalg.LinAlgError, _OF_MATRICES.get(name))]
    return [] if not any(isinstance(v.type, Array | List) for v in op.operands()) else [(ValueError, None)]


def _is_float(t: Any) -> bool:
    return isinstance(t, Scalar) and np.dtype(t.dtype).kind == "f"


def _of_arrays(op: Op) -> list[tuple[type[BaseException], Test | None]]:
    """Arrays that may not have one shape."""
    shapes = {t.dims for v in op.operands() if isinstance(t := v.type, Array)}
    return [(ValueError, None)] if len(shapes) > 1 and op.spec.elementwise else []


def raised_class(op: Op) -> type[BaseException] | None:
    """The class that a `raise` raises; None where that is not known."""
    cls = op.attrs.get("cls")
    if cls is None:
        tree = ast.parse(op.attrs["text"].replace("⟦", "S2S_").replace("⟧", "_E")).body[0]
        exc = tree.exc if isinstance(tree, ast.Raise) else None
        callee = exc.func if isinstance(exc, ast.Call) else exc
        cls = getattr(builtins, callee.id, None) if isinstance(callee, ast.Name) else None
    return cls if isinstance(cls, type) and issubclass(cls, BaseException) else None


def first_risk(ctx: Context, ops: Sequence[Op], caught: Classes) -> int | None:
    """The number of the first operation that may raise what is caught; None where there is none."""
    return next((k for k, op in enumerate(ops) if may_raise(ctx, op, caught)), None)


def last_risk(ctx: Context, ops: Sequence[Op], caught: Classes) -> int:
    """The number of the last such operation."""
    return max(k for k, op in enumerate(ops) if may_raise(ctx, op, caught))


def may_raise(ctx: Context, op: Op, caught: Classes) -> bool:
    """Whether an operation, or one in its blocks, may raise what is caught."""
    if op.blocks and op.name != "custom":
        return any(risks(ctx, inner, caught) for block in op.blocks for inner in walk(block))
    return bool(risks(ctx, op, caught))


def failure(ctx: Context, ops: Sequence[Op], handlers: Sequence[Classes]) -> Value:
    """0 where none of `ops` raises what a handler catches, else the number of the handler, from 1.

    With one handler, whether it catches. It is computed without running what raises. Raises `Unknown`.
    """
    found = _failure(ctx, list(ops), handlers, {})
    return _number(ctx, 0, handlers) if found is None else found


def _number(ctx: Context, k: int, handlers: Sequence[Classes]) -> Value:
    return ctx.b.int(k) if len(handlers) > 1 else ctx.b.const(bool(k), BOOL)


def _failure(ctx: Context, ops: list[Op], handlers: Sequence[Classes], mapping: dict[Value, Value]) -> Value | None:
    caught = tuple(cls for classes in handlers for cls in classes)
    at = first_risk(ctx, ops, caught)
    if at is None:
        return None
    for op in ops[:at]:
        if op.spec.effect or op.spec.writes:
            raise Unknown(op)
        ctx.b.block.ops.append(clone_op(op, mapping))
    op, rest = ops[at], ops[at + 1:]
    if op.name == "if":
        return _of_branch(ctx, op, rest, handlers, mapping)
    if op.blocks:
        raise Unknown(op)
    tests: list[tuple[Value, int]] = []
    here = clone_op(op, dict(mapping))
    for cls, test in risks(ctx, op, caught):
        found = None if test is None else test(ctx, here)
        if found is None:
            raise Unknown(op)
        number = next(k for k, classes in enumerate(handlers, 1) if issubclass(cls, classes))
        tests.append((found, number))

    def after() -> Value:
        if op.name == "raise" or (op.spec.effect and rest):
            return _number(ctx, 0, handlers)
        ctx.b.block.ops.append(clone_op(op, mapping))
        found = _failure(ctx, rest, handlers, mapping)
        return _number(ctx, 0, handlers) if found is None else found

    more = first_risk(ctx, rest, caught) is not None
    return _chain(ctx, [(c, _number(ctx, k, handlers)) for c, k in tests],
                  after if more else lambda: _number(ctx, 0, handlers))


def _chain(ctx: Context, tests: list[tuple[Value, Value]], after: Callable[[], Value]) -> Value:
    """The number of the first test that holds; else what `after` says."""
    if not tests:
        return after()
    (cond, number), *others = tests
    known = constant(cond)
    if known is not None:
        return number if known else _chain(ctx, others, after)
    return _choose(ctx, cond, lambda: number, lambda: _chain(ctx, others, after))


def _choose(ctx: Context, cond: Value, then: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
    blocks = []
    for lower in (then, orelse):
        block = Block()
        with ctx.b.at(block):
            block.results = [lower()]
        blocks.append(block)
    ends = [constant(b.results[0]) for b in blocks]
    if ends == [True, False]:
        return cond
    if ends[0] is not None and ends[0] == ends[1] and not any(b.ops for b in blocks):
        return blocks[0].results[0]
    t = BOOL if blocks[0].results[0].type == BOOL else INT
    return ctx.b.region("if", {"cond": cond}, blocks, [t], hints=["failed"]).result


def _of_branch(ctx: Context, op: Op, rest: list[Op], handlers: Sequence[Classes],
               mapping: dict[Value, Value]) -> Value:
    """Of an `if` that may raise in one of its branches, and of what follows it."""
    def inside(block: Block) -> Callable[[], Value]:
        def lower() -> Value:
            found = _failure(ctx, block.ops, handlers, dict(mapping))
            return _number(ctx, 0, handlers) if found is None else found
        return lower

    cond = op.value("cond")
    code = _choose(ctx, mapping.get(cond, cond), *(inside(b) for b in op.blocks))
    if first_risk(ctx, rest, tuple(cls for classes in handlers for cls in classes)) is None:
        return code

    def after() -> Value:
        ctx.b.block.ops.append(clone_op(op, mapping))
        found = _failure(ctx, rest, handlers, mapping)
        return _number(ctx, 0, handlers) if found is None else found

    failed = code if code.type == BOOL else ctx.b.binary("ne", code, ctx.b.int(0))
    return _choose(ctx, failed, lambda: code, after)


def without_raises(ctx: Context, ops: list[Op], caught: Classes) -> list[Op]:
    """The operations where it is known that nothing raises: branches that do nothing else are gone."""
    out: list[Op] = []
    mapping: dict[Value, Value] = {}
    for op in ops:
        ends = [any(o.name == "raise" and risks(ctx, o, caught) for o in b.ops) for b in op.blocks]
        if op.name == "if" and any(ends) and not all(ends):
            stays = op.blocks[ends.index(False)]
            out += without_raises(ctx, stays.ops, caught)
            mapping.update(zip(op.results, stays.results, strict=True))
        else:
            out.append(op)
    for op in out:
        _substitute(op, mapping)
    ctx.replaced.update(mapping)
    return out


def _substitute(op: Op, mapping: dict[Value, Value]) -> None:
    def of(v: Value) -> Value:
        while v in mapping:
            v = mapping[v]
        return v

    for inner in [op, *(o for b in op.blocks for o in walk(b))]:
        inner.args = {n: tuple(of(v) for v in a) if isinstance(a, tuple) else of(a) for n, a in inner.args.items()}
        for b in inner.blocks:
            b.results = [of(v) for v in b.results]
