"""Random draws and other calls left in place whose result type is known from their arguments.

A draw is a constant of the differentiation; it happens once, in order, as in the primal.
"""

from __future__ import annotations

import math
import random
import time
from typing import Any

import gast
import numpy as np

from s2s.ir.core import Value
from s2s.ir.types import FLOAT, INT, Array, Opaque, Scalar, Type, fresh_dim
from s2s.lower.context import Context
from s2s.lower.effects import leave_in_place
from s2s.lower.located import located_draw
from s2s.lower.numbers import sequence, value
from s2s.lower.values import Lowered, Outside, Static

# Draws by method name: position of `size`, dtype, and positions of parameters that may be arrays.
_DRAWS: dict[str, tuple[int, str]] = {
    "standard_normal": (0, "float64"), "random": (0, "float64"), "random_sample": (0, "float64"),
    "standard_exponential": (0, "float64"), "normal": (2, "float64"), "uniform": (2, "float64"),
    "exponential": (1, "float64"), "gamma": (2, "float64"), "beta": (2, "float64"), "lognormal": (2, "float64"),
    "laplace": (2, "float64"), "poisson": (1, "int64"), "binomial": (2, "int64"), "integers": (2, "int64"),
    "randint": (2, "int64"), "standard_t": (1, "float64"), "chisquare": (1, "float64"),
    "standard_gamma": (1, "float64"), "gumbel": (2, "float64"), "logistic": (2, "float64"), "rayleigh": (1, "float64"),
    "weibull": (1, "float64"), "triangular": (3, "float64"), "vonmises": (2, "float64"), "pareto": (1, "float64"),
    "power": (1, "float64"), "f": (2, "float64"), "geometric": (1, "int64"), "standard_cauchy": (0, "float64"),
}
_GENERATORS = (np.random.Generator, np.random.RandomState)
_CLOCKS = {time.time, time.perf_counter, time.monotonic, time.time_ns, time.perf_counter_ns}
# Make the same generator each time, where they are given a seed.
_MAKERS = {np.random.default_rng, np.random.RandomState}
_FLOATS = {random.random, random.uniform, random.gauss, random.normalvariate, time.time, time.perf_counter,
           time.monotonic}
_INTS = {math.factorial, math.comb, math.perm, math.gcd, math.lcm, math.isqrt, random.randint, random.randrange,
         time.time_ns, time.perf_counter_ns}


def draw(ctx: Context, node: gast.AST | None, callee: Any, method: str | None, args: list[Lowered],
         kwargs: dict[str, Lowered]) -> Lowered | None:
    """The call with the type of its result; None where the callee is not one of these."""
    assert node is not None
    if method is None:
        return _function(ctx, node, callee, args, kwargs)
    is_generator = (isinstance(callee, Outside) and isinstance(callee.value, _GENERATORS)) or (
        isinstance(callee, Value) and isinstance(callee.type, Opaque)
        and callee.type.what in ("default_rng", "RandomState", "Generator"))
    if not is_generator:
        return None

    def standard(method: str, args: list[Lowered], kwargs: dict[str, Lowered]) -> Lowered:
        types = [_array("float64", args)] if method in ("rand", "randn") else _types(ctx, method, args, kwargs)
        return leave_in_place(ctx, node, callee, args, kwargs, types, method, again=True)

    located = located_draw(ctx, node, method, args, kwargs, standard)
    return standard(method, args, kwargs) if located is None else located


def _function(ctx: Context, node: gast.AST, f: Any, args: list[Lowered], kwargs: dict[str, Lowered]) -> Lowered | None:
    try:
        is_float, is_int, makes = f in _FLOATS, f in _INTS, f in _MAKERS
    except TypeError:
        return None
    types: list[Type] | None = None
    again = f not in _CLOCKS
    if is_float or is_int:
        types = [FLOAT if is_float else INT]
    elif isinstance(getattr(f, "__self__", None), np.random.RandomState):
        def standard(method: str, args: list[Lowered], kwargs: dict[str, Lowered]) -> Lowered:
            types = [_array("float64", args)] if method in ("rand", "randn") else _types(ctx, method, args, kwargs)
            drawn = getattr(f.__self__, method)
            return leave_in_place(ctx, node, Outside(drawn, ctx.binding.constant(drawn)), args, kwargs, types,
                                  again=again)

        located = located_draw(ctx, node, f.__name__, args, kwargs, standard)
        return standard(f.__name__, args, kwargs) if located is None else located
    elif makes:
        again = bool(args or kwargs)
    else:
        return None
    read = ctx.binding.constant(f)
    return leave_in_place(ctx, node, Outside(f, read), args, kwargs, types, again=again)


def _types(ctx: Context, method: str, args: list[Lowered], kwargs: dict[str, Lowered]) -> list[Type] | None:
    if method in ("shuffle", "seed"):
        return []
    if method == "permutation" and args:
        v = args[0]
        if isinstance(v, Value) and isinstance(v.type, Array):
            return [Array(v.type.dtype, v.type.dims)]
        return [Array("int64", (fresh_dim(),))]
    if method == "choice" and args:
        return _choice(ctx, args, kwargs)
    if method not in _DRAWS:
        return None
    at, dtype = _DRAWS[method]
    size = kwargs.get("size", args[at] if len(args) > at else None)
    if size is not None and size != Static(None):
        parts = sequence(ctx, size)
        return [_array(dtype, [size] if parts is None else parts)]
    shaped = [v for v in args if isinstance(v, Value) and isinstance(v.type, Array)]
    if shaped:
        t = shaped[0].type
        assert isinstance(t, Array)
        return [Array(dtype, t.dims, "C")]
    return [Scalar(dtype, True)]


def _choice(ctx: Context, args: list[Lowered], kwargs: dict[str, Lowered]) -> list[Type]:
    source = args[0]
    dtype = "int64"
    if not (isinstance(source, Value) and isinstance(source.type, Scalar)):
        t = value(ctx, None, source).type
        assert isinstance(t, Array)
        dtype = t.dtype
    size = kwargs.get("size", args[1] if len(args) > 1 else None)
    if size is None or size == Static(None):
        return [Scalar(dtype)]
    parts = sequence(ctx, size)
    return [_array(dtype, [size] if parts is None else parts)]


def _array(dtype: str, sizes: list[Lowered]) -> Type:
    if not sizes:
        return Scalar(dtype, True)
    dims = tuple(getattr(n.type, "dim", None) or fresh_dim() if isinstance(n, Value) else fresh_dim() for n in sizes)
    return Array(dtype, dims, "C")
