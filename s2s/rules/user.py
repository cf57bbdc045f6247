"""Rules that users give to functions of other libraries."""

from __future__ import annotations

import inspect
import keyword
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2s.ir.core import Op, OpSpec, Param
from s2s.ir.ops import elementwise_type
from s2s.ir.types import Array, Scalar, Type, fresh_dim
from s2s.rules import TABLE
from s2s.rules.common import argument
from s2s.rules.expr import Expr, apply
from s2s.rules.table import Rule, elementwise_infer, numeric_dtype, parse_params


class RuledFunction:
    """What `rule` returns: the function itself, which can also be called on the expressions of a rule."""

    def __init__(self, function: Callable[..., Any], spec: OpSpec) -> None:
        self.__wrapped__ = function
        self.__name__ = spec.called
        self._name = spec.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if any(isinstance(x, Expr) for x in (*args, *kwargs.values())):
            return apply(self._name, args, kwargs)
        return self.__wrapped__(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<{self.__name__}, with a rule of s2s>"


def rule(function: Callable[..., Any], *partials: Callable[..., Any] | None, vjp: Callable[..., Any] | None = None,
         jvp: Callable[..., Any] | None = None, result: str | Callable[..., Any] | None = None,
         params: str | None = None, nondiff: str | None = None, cost: int = 100) -> RuledFunction:
    """Give `function`, which s2s cannot look into, a derivative; from then on programs can call it.

    partials: for a function that works element by element, one for each argument: `lambda y, x: dy/dx`, of the
    result `y` and the arguments; None for an argument by which it cannot be differentiated (an order, say).
    vjp: for any other function, `vjp(g, y, *args)` returns the adjoint of each argument (a tuple, or a single
    one; None is zero), given that of the result. jvp: its forward mode, `jvp(dots, y, *args)` with the tangents
    of the arguments (None: zero), returning that of the result; without it, forward mode comes from `vjp`.
    result: the type of the result where it is not element by element: the name of an argument whose shape it
    has, or a type such as `"float64"` or `"float64[:, :]"`. params: names of the parameters, with defaults for
    those that are constants (`"x, n=1"`), where the function itself does not say. nondiff: why it has no
    derivative at all; its result is then a constant.

    In these functions arguments stand for numbers and arrays of the program: operators, indexing, NumPy's
    functions and functions with rules can be applied to them, while branches on them cannot. What they compute is
    differentiated in its turn. The function must not change its arguments or depend on anything else. Returns a
    function that does the same as `function`, to be used in other rules. Give rules before the first gradient of
    a function that calls it.

    Raises TypeError where neither partials, `vjp` nor `nondiff` are given, or `result` is missing.

    >>> import ctypes, ctypes.util, s2s
    >>> libm = ctypes.CDLL(ctypes.util.find_library("m"))
    >>> libm.lgamma.restype, libm.lgamma.argtypes = ctypes.c_double, [ctypes.c_double]
    >>> libm.cbrt.restype, libm.cbrt.argtypes = ctypes.c_double, [ctypes.c_double]
    >>> cbrt = s2s.rule(libm.cbrt, lambda y, x: 1.0 / (3.0 * y * y))
    >>> round(float(s2s.grad(lambda x: libm.cbrt(x) * x)(8.0)), 12)
    2.666666666667
    """
    if not callable(function):
        raise TypeError(f"s2s.rule is for a function; it was given {function!r:.60}")
    if sum((bool(partials), vjp is not None, nondiff is not None)) != 1:
        raise TypeError("s2s.rule needs either partial derivatives, one for each argument, or vjp, or nondiff"
                        + (": jvp alone does not do" if jvp is not None else ""))
    if vjp is not None and result is None:
        raise TypeError("s2s.rule with vjp needs the type of the result: the name of an argument that it is like, or "
                        "a type such as 'float64[:]'")
    written = _written(function)
    parsed = _parameters(function, params, max(len(partials), 1))
    name = f"user.{written}"
    spec = OpSpec(name, parsed, _infer(name, function, parsed, result), fresh=True, cost=cost,
                  elementwise=result is None, function=function, written=written)
    made = Rule(spec, nondiff=nondiff)
    values = [p.name for p in parsed if p.kind == "value"]
    if partials:
        if len(partials) > len(values):
            raise TypeError(f"s2s.rule: {written} has {len(values)} arguments to differentiate by, "
                            f"{len(partials)} partial derivatives are given")
        made.partials = {n: _partial(f) for n, f in zip(values, partials, strict=False) if f is not None}
    if vjp is not None:
        made.vjp_function = _vjp(vjp, parsed, written)
    if jvp is not None:
        made.jvp_function = _jvp(jvp, parsed)
    ruled = RuledFunction(function, spec)
    made.callables = (function, ruled)
    TABLE.join([made])
    return ruled


def _written(function: Any) -> str:
    """A name for the function that no other one has in emitted code."""
    name = re.sub(r"\W+", "_", getattr(function, "__name__", None) or type(function).__name__).strip("_")
    name = "function" if not name or keyword.iskeyword(name) else f"f{name}" if name[0].isdigit() else name
    before = TABLE.of_callable(function)
    if before is not None and before.spec.function is function:
        return before.spec.written
    candidate, k = name, 1
    while f"user.{candidate}" in TABLE.by_name:
        k += 1
        candidate = f"{name}_{k}"
    return candidate


def _parameters(function: Callable[..., Any], params: str | None, count: int) -> tuple[Param, ...]:
    if params is not None:
        return parse_params(params)
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        found = []
    if not found or any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in found):
        return tuple(Param(name) for name in ("x", "y", "z", "u", "v", "w")[:count])
    return tuple(Param(p.name) if p.default is p.empty else Param(p.name, "static", p.default) for p in found)


_TYPE = re.compile(r"(\w+)(\[:(?:, :)*\])?$")


def _infer(name: str, function: Callable[..., Any], params: Sequence[Param],
           result: str | Callable[..., Any] | None) -> Callable[[Op], Sequence[Type]]:
    """What gives the types of the results."""
    values = [p.name for p in params if p.kind == "value"]
    if result is None:
        return elementwise_infer(name, function=function) if isinstance(function, np.ufunc) else _elementwise(values)
    if callable(result):
        return lambda op: [result(*(argument(op, n) for n in values))]
    if result in values:
        like: str = result
        return lambda op: [_floating(argument(op, like))]
    match = _TYPE.match(result)
    if match is None or not hasattr(np, match[1]) or np.dtype(match[1]).kind not in "biufc":
        raise TypeError(f"s2s.rule: result={result!r} is neither an argument ({', '.join(values)}) nor a type such as "
                        "'float64[:]'")
    dtype, rank = np.dtype(match[1]).name, (match[2] or "").count(":")
    if not rank:
        return lambda op: [Scalar(dtype, dtype == "float64")]
    return lambda op: [Array(dtype, tuple(fresh_dim() for _ in range(rank)), "A")]


def _floating(t: Scalar | Array) -> Type:
    if np.dtype(t.dtype).kind in "fc":
        return Array(t.dtype, t.dims, "A") if isinstance(t, Array) else t
    return Array("float64", t.dims, "A") if isinstance(t, Array) else Scalar("float64", True)


def _elementwise(values: Sequence[str]) -> Callable[[Op], Sequence[Type]]:
    """Of numbers a Python float, as functions of C libraries give; of arrays their common dtype."""
    def infer(op: Op) -> Sequence[Type]:
        types = [argument(op, n) for n in values if n in op.args]
        dtype = numeric_dtype(*types)
        dtype = dtype if np.dtype(dtype).kind in "fc" else "float64"
        if not any(isinstance(t, Array) for t in types):
            return [Scalar("complex128" if np.dtype(dtype).kind == "c" else "float64", True)]
        return [elementwise_type(types, dtype, False)]
    return infer


def _partial(partial: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: partial(*map(_numpy, given))


def _numpy(x: Any) -> Any:
    """Expressions that divide numbers as NumPy does: by zero without raising."""
    if isinstance(x, tuple):
        return tuple(map(_numpy, x))
    return Expr(x.b, x.v, x.lookup, "user") if isinstance(x, Expr) else x


def _vjp(vjp: Callable[..., Any], params: Sequence[Param], name: str) -> Callable[..., Any]:
    """The vjp of a user in the form of the table."""
    def adjoints(g: Any, ans: Any, **arguments: Any) -> dict[str, Any]:
        found = vjp(_numpy(g), _numpy(ans), *map(_numpy, arguments.values()))
        parts = found if isinstance(found, tuple | list) else (found,)
        values = [p.name for p in params if p.kind == "value"]
        if len(parts) != len(values):
            raise TypeError(f"the vjp of {name} returned {len(parts)} adjoints, and has {len(values)} to return: one "
                            f"for each of {', '.join(values)} (None is zero)")
        return {n: part for n, part in zip(values, parts, strict=True) if part is not None}
    return adjoints


def _jvp(jvp: Callable[..., Any], params: Sequence[Param]) -> Callable[..., Any]:
    def tangent(dots: dict[str, Any], ans: Any, **arguments: Any) -> Any:
        given = tuple(_numpy(dots.get(p.name)) for p in params if p.kind == "value")
        return jvp(given, _numpy(ans), *map(_numpy, arguments.values()))
    return tangent


rule.__s2s_role__ = "rule"  # type: ignore[attr-defined]
