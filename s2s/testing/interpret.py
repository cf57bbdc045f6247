"""A reference interpreter of the IR: what a program means, as plainly as it can be said.

Tests run a program before and after a pass with it and compare. It is slow and checks little; where it
and the emitted code disagree, one of them is wrong.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2s.ir.core import Block, Function, Op, OpSpec, Value
from s2s.ir.ops import index_items, is_basic
from s2s.rules.table import resolve
from s2s.runtime import helpers


class _UndefinedValue:
    """What `undefined` evaluates to; it may be carried about, and raises when it is computed with."""

    def __repr__(self) -> str:
        return "UNDEFINED"


UNDEFINED = _UndefinedValue()

Environment = dict[Value, Any]


def run(fn: Function, args: Sequence[Any]) -> list[Any]:
    """The results of `fn` applied to `args`; parameters that have a default may be left out at the end.

    Arrays are passed by reference: a program that writes into its argument changes the caller's array.
    """
    params = fn.block.params
    given = [*args, *(fn.defaults[p] for p in params[len(args):])]
    return _block(fn.block, given, {})


def _block(block: Block, args: Sequence[Any], outer: Environment) -> list[Any]:
    """What `block` yields. Blocks share one environment: a value is defined once, and each time anew."""
    outer.update(zip(block.params, args, strict=True))
    for op in block.ops:
        outer.update(zip(op.results, _evaluate(op, outer), strict=True))
    return [outer[v] for v in block.results]


def _evaluate(op: Op, env: Environment) -> Sequence[Any]:
    if op.name in _REGIONS:
        return _REGIONS[op.name](op, env)
    args = {name: tuple(env[v] for v in arg) if isinstance(arg, tuple) else env[arg]
            for name, arg in op.args.items()}
    if op.name in _SIMPLE:
        return [_SIMPLE[op.name](**args)]
    if op.name in _WRITES:
        _WRITES[op.name](op, args)
        return []
    if op.name in _SPECIAL:
        return _SPECIAL[op.name](op, args)
    result = call_spec(op.spec, args, op.attrs)
    return result if len(op.results) > 1 or op.spec.emits == "tuple" else [result]


def call_spec(spec: OpSpec, args: dict[str, Any], attrs: dict[str, Any]) -> Any:
    """Call the Python function that an operation of the rule table stands for."""
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    gap = False
    for p in spec.params:
        value = args[p.name] if p.name in args else attrs.get(p.name, p.default)
        if p.name not in args and p.default is not ... and value is p.default:
            gap = True
        elif p.kind == "values" and p.default == ():
            positional += value
        elif gap or (p.kind == "static" and p.default is not ...):
            keywords[p.name] = value
        else:
            positional.append(value)
    if spec.emits == "method":
        return getattr(positional[0], spec.name.rpartition(".")[2])(*positional[1:], **keywords)
    return _function(spec)(*positional, **keywords)


def _function(spec: OpSpec) -> Callable[..., Any]:
    if spec.function is not None:
        return spec.function  # type: ignore[no-any-return]
    name = spec.name
    return getattr(helpers, name[4:]) if name.startswith("s2s.") else resolve(name)


def build_index(items: Sequence[str], values: Sequence[Any]) -> tuple[Any, ...]:
    """The Python index that `items` (see `s2s.ir.ops`) and `values` encode."""
    index: list[Any] = []
    for code, parts in index_items(items, values):
        given = iter(parts)
        if code in "ne":
            index.append(None if code == "n" else ...)
        elif code in "ia":
            index.append(next(given))
        else:
            index.append(slice(*(next(given) if flag == "1" else None for flag in code[1:])))
    return tuple(index)


# Operations whose value depends on their arguments alone.
_SIMPLE: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": lambda x, y: x / y,
    "floordiv": lambda x, y: x // y, "mod": lambda x, y: x % y, "pow": lambda x, y: x ** y,
    "bitand": lambda x, y: x & y, "bitor": lambda x, y: x | y, "bitxor": lambda x, y: x ^ y,
    "lshift": lambda x, y: x << y, "rshift": lambda x, y: x >> y,
    "eq": lambda x, y: x == y, "ne": lambda x, y: x != y, "lt": lambda x, y: x < y, "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y, "is": lambda x, y: x is y,
    "isnot": lambda x, y: x is not y, "in": lambda x, y: x in y, "notin": lambda x, y: x not in y,
    "neg": lambda x: -x, "pos": lambda x: +x, "invert": lambda x: ~x, "not": lambda x: not x,
    "and": lambda x, y: x and y, "or": lambda x, y: x or y,
    "stop_gradient": lambda x: x,
    "trips": lambda start, stop, step: len(range(start, stop, step)),
    "list": lambda elements: list(elements),  # noqa: PLW0108 - it is called by keyword
    "listget": lambda list, index: list[index],
    "listlen": lambda list: len(list),  # noqa: PLW0108
    "listpop": lambda list: list.pop(),
    "listzeros": lambda list: [_zero(x) for x in list],
}


def _zero(x: Any) -> Any:
    """The zero of the type and shape of `x`."""
    if isinstance(x, list):
        return [_zero(e) for e in x]
    return np.zeros_like(x) if isinstance(x, np.ndarray) else type(x)(0)


# Operations that write.

def _setitem(op: Op, args: dict[str, Any]) -> None:
    args["a"][build_index(op.attrs["items"], args["index"])] = args["value"]


def _additem(op: Op, args: dict[str, Any]) -> None:
    index = build_index(op.attrs["items"], args["index"])
    if is_basic(op.attrs["items"]):
        args["a"][index] += args["value"]
    else:
        np.add.at(args["a"], index, args["value"])


def _addto(op: Op, args: dict[str, Any]) -> None:
    args["a"][...] += args["value"]


def _assert(op: Op, args: dict[str, Any]) -> None:
    if not args["test"]:
        raise AssertionError(*args.get("args", ()))


def _raise(op: Op, args: dict[str, Any]) -> None:
    raise RuntimeError(op.attrs.get("text"), *args.get("args", ()))


_WRITES: dict[str, Callable[[Op, dict[str, Any]], None]] = {
    "setitem": _setitem,
    "additem": _additem,
    "addto": _addto,
    "append": lambda op, args: args["list"].append(args["value"]),
    "listset": lambda op, args: operator.setitem(args["list"], args["index"], args["value"]),
    "print": lambda op, args: print(*args.get("args", ())),  # noqa: T201 - what the operation is for
    "assert": _assert,
    "raise": _raise,
}


# Operations that need their attributes or types.

def _cast(op: Op, args: dict[str, Any]) -> list[Any]:
    x, dtype = args["x"], np.dtype(op.attrs["dtype"])
    if isinstance(x, np.ndarray):
        return [x.astype(dtype)]
    if op.attrs.get("weak"):
        return [{"b": bool, "i": int, "u": int, "f": float, "c": complex}[dtype.kind](x)]
    return [dtype.type(x)]


def _pack(op: Op, args: dict[str, Any]) -> list[Any]:
    return [np.array(list(args["elements"]), dtype=op.attrs.get("dtype") or op.result.type.dtype)]  # type: ignore[union-attr]


def _pycall(op: Op, args: dict[str, Any]) -> Sequence[Any]:
    keywords = dict(zip(op.attrs.get("names") or (), args.get("kwargs", ()), strict=True))
    result = args["callee"](*args.get("args", ()), **keywords)
    return result if len(op.results) > 1 else [result] * len(op.results)


_SPECIAL: dict[str, Callable[[Op, dict[str, Any]], Sequence[Any]]] = {
    "const": lambda op, args: [op.attrs["value"]],
    "undefined": lambda op, args: [UNDEFINED],
    "cast": _cast,
    "dim": lambda op, args: [int(args["a"].shape[op.attrs["axis"]])],
    "getitem": lambda op, args: [args["a"][build_index(op.attrs["items"], args["index"])]],
    "pack": _pack,
    "pycall": _pycall,
    "call": lambda op, args: run(op.attrs["function"], args["args"]),
    "custom": lambda op, args: args["args"],
}


# Control flow.

def _if(op: Op, env: Environment) -> Sequence[Any]:
    return _block(op.blocks[0] if env[op.value("cond")] else op.blocks[1], [], env)


def _for(op: Op, env: Environment) -> Sequence[Any]:
    carried = [env[v] for v in op.args.get("init", ())]  # type: ignore[union-attr]
    start, stop, step = (env[op.value(n)] for n in ("start", "stop", "step"))
    for index in range(start, stop, step):
        carried = _block(op.blocks[0], [index, *carried], env)
        if op.attrs.get("breaks") and carried.pop():
            break
    return carried


def _while(op: Op, env: Environment) -> Sequence[Any]:
    carried = [env[v] for v in op.args.get("init", ())]  # type: ignore[union-attr]
    test, body = op.blocks
    while _block(test, carried, env)[0]:
        carried = _block(body, carried, env)
        if op.attrs.get("breaks") and carried.pop():
            break
    return carried


def _with(op: Op, env: Environment) -> Sequence[Any]:
    call = op.attrs.get("call")
    with call() if callable(call) else contextlib.nullcontext():
        return _block(op.blocks[0], [], env)


_REGIONS: dict[str, Callable[[Op, Environment], Sequence[Any]]] = {
    "if": _if, "for": _for, "while": _while, "with": _with,
}
