"""`check_rule`: a rule's types, reverse and forward derivative, checked on sample arguments.

The rule is applied in a program of one operation, which goes through the same engines as any other. Types are
compared with what NumPy gives; the two modes with each other and with central differences; and both in float32,
where nothing may be computed in float64.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from s2s.differentiate.forward import forward
from s2s.differentiate.reverse import reverse
from s2s.ir.builder import Builder, constant_type
from s2s.ir.core import Arg, Block, Function, Op, OpSpec, Param, Value, walk
from s2s.ir.types import Array, Dim, Scalar, Type, is_inexact, known_dim
from s2s.rules.expr import Expr, meet
from s2s.rules.table import Rule, Table
from s2s.testing.interpret import run

_STEP = 1e-6


def check_rule(table: Table, rule: Rule, args: Sequence[Any], attrs: Mapping[str, Any] | None = None,
               rtol: float = 1e-6, order: int = 1) -> None:
    """Check `rule` at `args`, which bind to its parameters in order; `attrs` are the others, by name.

    order: 2 checks the derivatives of the adjoint, by the arguments and the seed, instead.
    """
    fn, values = program(rule.spec, args, attrs or {})
    check_types(fn, values)
    for layout in "FA":
        check_types(*program(rule.spec, laid_out(args, layout), attrs or {}))
    if rule.nondiff is not None or rule.spec.refused:
        return
    wrt = [k for k, p in enumerate(fn.block.params) if is_inexact(p.type)]
    if not any(is_inexact(r.type) for r in fn.block.results):
        return
    if order == 2:
        check_second(table, fn, values, wrt, rtol)
        return
    for chosen in [wrt, *([k] for k in wrt)] if len(wrt) > 1 else [wrt]:
        if chosen:
            check_derivatives(table, fn, values, chosen, rtol)
    if wrt and not rule.spec.name.startswith("math."):
        check_float32(table, rule.spec, args, attrs or {})


# A program of one operation.

def program(spec: OpSpec, args: Sequence[Any], attrs: Mapping[str, Any]) -> tuple[Function, list[Any]]:
    """A function that applies `spec`, and the values of its parameters.

    Arrays and floats become parameters; ints stay constants, so that sizes are known.
    """
    block = Block()
    b = Builder(block)
    values: list[Any] = []

    def operand(x: Any, hint: str) -> Value:
        if isinstance(x, str | int) and not isinstance(x, np.generic):
            return b.const(x)
        values.append(x)
        block.params.append(Value(type_of(x, f"{hint}{len(values)}"), f"{hint}{len(values)}"))
        return block.params[-1]

    op_args: dict[str, Arg] = {}
    op_attrs: dict[str, Any] = {}
    for p, given in _bind(spec, args, attrs):
        if p.kind == "static" or (p.kind == "value" and given is None):
            op_attrs[p.name] = given
        elif p.kind == "value":
            op_args[p.name] = operand(given, p.name)
        else:
            sequence = given if isinstance(given, list | tuple) else (given,)
            op_args[p.name] = tuple(operand(x, p.name) for x in sequence)
    if spec.elementwise and op_args:
        numbers = {k: v for k, v in op_args.items() if isinstance(v, Value)}
        op_args.update(meet(Expr(b, next(iter(numbers.values())), None), numbers))
    op_attrs.update({k: v for k, v in attrs.items() if k not in op_attrs and k not in op_args})
    block.results = b.emit(spec, op_args, op_attrs, hint="value")
    return Function("f", block), values


def _bind(spec: OpSpec, args: Sequence[Any], attrs: Mapping[str, Any]) -> list[tuple[Param, Any]]:
    rest = list(args)
    bound: list[tuple[Param, Any]] = []
    for p in spec.params:
        if p.kind == "values" and p.default == ():
            bound.append((p, tuple(rest)))
            rest = []
        elif p.name in attrs:
            bound.append((p, attrs[p.name]))
        elif rest:
            bound.append((p, rest.pop(0)))
        else:
            assert p.default is not ..., f"{spec.name}: no value for {p.name}"
            bound.append((p, p.default))
    assert not rest, f"{spec.name}: too many arguments"
    return bound


def type_of(x: Any, name: str = "n") -> Type:
    """The type of a value, with sizes as symbols except where they are 1, as in a specialisation."""
    if not isinstance(x, np.ndarray):
        return constant_type(x) if not isinstance(x, int) else Scalar(constant_type(x).dtype, True)
    dims = tuple(known_dim(1) if n == 1 else Dim(f"{name}_{k}", not_one=True) for k, n in enumerate(x.shape))
    return Array(x.dtype.name, dims, "C" if x.flags.c_contiguous else "F" if x.flags.f_contiguous else "A")


def laid_out(args: Any, layout: str) -> Any:
    """`args` with its arrays in Fortran order ("F"), or in none ("A")."""
    if isinstance(args, list | tuple):
        return type(args)(laid_out(x, layout) for x in args)
    if not isinstance(args, np.ndarray) or args.ndim < 2:
        return args
    if layout == "F":
        return np.asfortranarray(args)
    axes = [0, *range(args.ndim - 1, 0, -1)]
    doubled = np.repeat(args.transpose(axes), 2, axis=0)
    return doubled[::2].transpose(axes)


# Types.

def check_types(fn: Function, values: Sequence[Any]) -> None:
    """Compare the types of the results with what they are."""
    sizes: dict[str, int] = {}
    for p, x in zip(fn.block.params, values, strict=True):
        if isinstance(p.type, Array):
            sizes.update({d.symbol: n for d, n in zip(p.type.dims, x.shape, strict=True) if d.symbol})
    with np.errstate(all="ignore"):
        results = run(fn, _copies(values))
    for r, x in zip(fn.block.results, results, strict=True):
        check_type(r.type, x, sizes)


def check_type(t: Type, x: Any, sizes: Mapping[str, int]) -> None:
    """Whether `x` is of type `t`, where the symbolic sizes are `sizes`."""
    assert isinstance(t, Scalar | Array), t
    actual = constant_type(x).dtype if isinstance(x, bool | int | float | complex) else np.asarray(x).dtype.name
    assert actual == t.dtype, f"dtype {actual}, but the rule says {t}"
    assert np.ndim(x) == t.ndim, f"rank {np.ndim(x)}, but the rule says {t}"
    if isinstance(t, Array) and t.layout != "A" and isinstance(x, np.ndarray):
        flag = "c_contiguous" if t.layout == "C" else "f_contiguous"
        assert getattr(x.flags, flag), f"strides {x.strides} of shape {x.shape}, but the rule says {t.layout}"
    if isinstance(t, Scalar):
        assert t.weak <= (not isinstance(x, np.generic)), f"{type(x)}, but the rule says {t}"
    for d, n in zip(t.dims, np.shape(x), strict=True):
        if d.symbol is None or d.symbol in sizes:
            said = sizes.get(d.symbol or "", 0) + d.offset
            assert max(said, 0) == n, f"size {n}, but the rule says {said}"
        if d.not_one:
            assert n != 1, "a size is 1, but the rule says that it is not"


# Derivatives.

def check_derivatives(table: Table, fn: Function, values: Sequence[Any], wrt: Sequence[int], rtol: float) -> None:
    """Compare forward mode with central differences, and reverse mode with forward mode."""
    rng = np.random.default_rng(1)
    dots = [_random_like(values[k], rng) for k in wrt]
    with np.errstate(all="ignore"):
        tangents = _tangents(table, fn, values, wrt, dots)
        differences = _differences(fn, values, wrt, dots)
        inexact = [k for k, r in enumerate(fn.block.results) if is_inexact(r.type)]
        seeds = [_random_like(differences[k], rng) for k in inexact]
        adjoints = _adjoints(table, fn, values, wrt, seeds)
    for k in inexact:
        np.testing.assert_allclose(tangents[k], differences[k], rtol=rtol, atol=rtol * 0.1,
                                   err_msg="forward mode against differences")
    for k, x_bar in zip(wrt, adjoints, strict=True):
        _check_like(x_bar, values[k], "adjoint")
    moved = sum(_inner(seed, tangents[k]) for seed, k in zip(seeds, inexact, strict=True))
    pulled = sum(_inner(x_bar, dot) for x_bar, dot in zip(adjoints, dots, strict=True))
    np.testing.assert_allclose(pulled, moved, rtol=1e-9, atol=1e-11, err_msg="reverse mode against forward mode")


def check_second(table: Table, fn: Function, values: Sequence[Any], wrt: Sequence[int], rtol: float) -> None:
    """Check the derivatives of the adjoint of `fn`, which is a program like any other."""
    made = reverse(fn, [fn.block.params[k] for k in wrt], table, keep_values=False, seeds_given=True).function
    if not made.block.results:
        return
    rng = np.random.default_rng(2)
    results = [x for x, r in zip(run(fn, _copies(values)), fn.block.results, strict=True) if is_inexact(r.type)]
    given = [*values, *(_random_like(x, rng) for x in results)]
    inner = [k for k, p in enumerate(made.block.params) if is_inexact(p.type)]
    check_derivatives(table, made, given, inner, rtol)


def _tangents(table: Table, fn: Function, values: Sequence[Any], wrt: Sequence[int], dots: Sequence[Any]) -> list[Any]:
    """The tangents of all results; zeros where they are not connected."""
    made = forward(fn, wrt, table)
    out = run(made.function, [*_copies(values), *dots])
    count = len(fn.block.results)
    found = iter(out[count:])
    tangents = []
    for k, connected in enumerate(made.connected):
        tangents.append(next(found) if connected else np.zeros_like(out[k]))
        if connected:
            _check_like(tangents[-1], out[k], "tangent")
    return tangents


def _adjoints(table: Table, fn: Function, values: Sequence[Any], wrt: Sequence[int], seeds: Sequence[Any]) -> list[Any]:
    """The adjoints of the parameters in `wrt`; zeros where they are not connected."""
    made = reverse(fn, [fn.block.params[k] for k in wrt], table, keep_values=False, seeds_given=True)
    found = iter(run(made.function, [*_copies(values), *seeds]))
    return [next(found) if connected else np.zeros_like(values[k])
            for k, connected in zip(wrt, made.connected, strict=True)]


def _differences(fn: Function, values: Sequence[Any], wrt: Sequence[int], dots: Sequence[Any]) -> list[Any]:
    """Central differences of the results along `dots`."""
    def at(step: float) -> list[Any]:
        moved = _copies(values)
        for k, dot in zip(wrt, dots, strict=True):
            moved[k] = moved[k] + step * dot
        return [np.asarray(x) for x in run(fn, moved)]
    return [(right - left) / (2.0 * _STEP) if right.dtype.kind in "fc" else np.zeros(right.shape)
            for right, left in zip(at(_STEP), at(-_STEP), strict=True)]


def _check_like(x: Any, like: Any, what: str) -> None:
    assert np.shape(x) == np.shape(like), f"{what} has shape {np.shape(x)}, not {np.shape(like)}"
    dtype, wanted = np.asarray(x).dtype, np.asarray(like).dtype
    assert dtype == wanted, f"{what} is {dtype}, not {wanted}"


def _inner(x: Any, y: Any) -> float:
    """The real inner product, for which complex numbers are pairs."""
    return float(np.sum(np.real(np.conj(x) * y)))


# float32.

def check_float32(table: Table, spec: OpSpec, args: Sequence[Any], attrs: Mapping[str, Any]) -> None:
    """In float32, adjoints and tangents are float32, and nothing is computed in float64."""
    fn, values = program(spec, [_single(x) for x in args], {k: _single(x) for k, x in attrs.items()})
    if any(np.asarray(x).dtype.name in ("float64", "complex128") and not isinstance(x, float | complex)
           for x in values) or all(isinstance(x, float | complex) for x in values):
        return
    check_types(fn, values)
    wrt = [k for k, p in enumerate(fn.block.params) if is_inexact(p.type)]
    with np.errstate(all="ignore"):
        made = reverse(fn, [fn.block.params[k] for k in wrt], table, keep_values=False, seeds_given=True)
        seeds = [_random_like(x, np.random.default_rng(0)) for x in run(fn, _copies(values))
                 if np.asarray(x).dtype.kind in "fc"]
        found = iter(run(made.function, [*_copies(values), *seeds]))
    for k, connected in zip(wrt, made.connected, strict=True):
        if connected:
            _check_like(next(found), values[k], "adjoint")
    if all(is_inexact(r.type) and "64" not in _precision(r.type) for r in fn.block.results):
        for op in walk(made.function.block):
            check_single(op)


def check_single(op: Op) -> None:
    """Whether an operation of a float32 program stays in float32, in numba too, where no number is weak."""
    for r in op.results:
        strong = isinstance(r.type, Scalar | Array) and not r.type.weak
        assert not (strong and _precision(r.type) == "float64"), f"{op.name} computes in float64"
    if op.spec.elementwise:
        precisions = {_precision(v.type) for v in op.operands()} - {""}
        assert len(precisions) < 2 or op.name == "cast", f"{op.name} mixes {precisions}"


def _precision(t: Type) -> str:
    """float32 or float64, the real dtype of an inexact type; "" for the others."""
    if not isinstance(t, Scalar | Array) or not is_inexact(t):
        return ""
    return {"complex64": "float32", "complex128": "float64"}.get(t.dtype, t.dtype)


def _single(x: Any) -> Any:
    """Arrays and NumPy numbers of `x` in single precision."""
    if isinstance(x, list | tuple):
        return type(x)(_single(e) for e in x)
    if not isinstance(x, np.ndarray | np.generic) or x.dtype.kind not in "fc":
        return x
    return x.astype("float32" if x.dtype.kind == "f" else "complex64")


# Values.

def _copies(values: Sequence[Any]) -> list[Any]:
    return [x.copy(order="K") if isinstance(x, np.ndarray) else x for x in values]


def _random_like(x: Any, rng: np.random.Generator) -> Any:
    """Random numbers of the shape and dtype of `x`; a Python number for one."""
    a = np.asarray(x)
    made = rng.standard_normal(a.shape)
    whole: Any = made + 1j * rng.standard_normal(a.shape) if a.dtype.kind == "c" else made
    if isinstance(x, float | complex) and not isinstance(x, np.generic):
        return whole.item() if isinstance(whole, np.ndarray) else whole
    return np.asarray(whole).astype(a.dtype) if a.ndim else a.dtype.type(whole)
