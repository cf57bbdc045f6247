"""Sample arguments for the rules: a row is (arguments, attributes), under the names of the rules it is for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

Row: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]


def row(*args: Any, **attrs: Any) -> Row:
    """One sample: positional arguments, and attributes by name."""
    return args, attrs


def sample(shape: Sequence[int] = (3,), low: float = -2.0, high: float = 2.0, seed: int = 0) -> Any:
    """Numbers between `low` and `high`, apart from each other and from those of another seed; a float for ()."""
    size = int(np.prod(shape))
    even = np.linspace(low, high, size + 2)[1:-1] + 0.0873 + 0.013 * seed
    if shape == ():
        return float(low + 0.6180339 * (high - low) + 0.013 * seed)
    return np.random.default_rng(seed).permutation(even).reshape(shape)


def unary(low: float, high: float, function: str) -> list[Row]:
    """A number, and for NumPy's functions arrays too."""
    rows = [row(sample((), low, high))]
    if function.startswith("math.") or "." not in function:
        return rows
    rows += [row(np.float64(sample((), low, high)))]
    return rows + [row(sample(shape, low, high)) for shape in ((3,), (2, 3), (1, 3), (0,))]


BROADCASTS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((3,), (3,)), ((1, 3), (2, 1)), ((2, 1), (3,)), ((), (3,)), ((2, 3), ()), ((2, 3), (1,)), ((0,), (1,)),
    ((0, 2), ()),
)


def binary(x: tuple[float, float], y: tuple[float, float], function: str) -> list[Row]:
    """Two numbers, and for NumPy's functions arrays that broadcast in every way."""
    rows = [row(sample((), *x), sample((), *y, seed=1))]
    if function.startswith("math.") or function in ("max", "min"):
        return rows
    return rows + [row(sample(p, *x), sample(q, *y, seed=1)) for p, q in BROADCASTS]


A = sample((2, 3))
CUBE = sample((2, 3, 2))
ZERO = np.array([0.5, 0.0, -2.0])
C = sample((3,)) + 1j * sample((3,), seed=1)
C2 = sample((2, 3), seed=2) + 1j * sample((2, 3), seed=3)
TIES = np.array([[1.0, 3.0, 3.0], [3.0, 0.5, 1.0]])

ANY, POSITIVE, UNIT, ABOVE = (-2.0, 2.0), (0.2, 3.0), (-0.9, 0.9), (1.2, 3.0)

UNARY: dict[tuple[float, float], str] = {
    ANY: """np.exp math.exp np.exp2 np.expm1 math.expm1 np.square np.reciprocal np.sin math.sin np.cos math.cos
        np.tan math.tan np.arctan math.atan np.sinh math.sinh np.cosh math.cosh np.tanh math.tanh np.arcsinh math.asinh
        np.sinc np.deg2rad np.radians math.radians np.rad2deg np.degrees math.degrees math.erf math.erfc np.nan_to_num
        np.fabs math.fabs np.sign np.floor np.ceil np.trunc np.rint np.round round np.isnan np.isfinite np.isinf
        np.signbit np.logical_not math.isnan math.isfinite math.isinf math.floor math.ceil math.trunc np.spacing
        math.ulp
        np.abs abs np.conj np.real np.imag np.angle neg pos""",
    POSITIVE: """np.log np.log2 math.log2 np.log10 math.log10 np.log1p math.log1p math.log np.sqrt math.sqrt np.cbrt
        math.gamma math.lgamma""",
    UNIT: "np.arcsin math.asin np.arccos math.acos np.arctanh math.atanh",
    ABOVE: "np.arccosh math.acosh",
}

BINARY: dict[tuple[tuple[float, float], tuple[float, float]], str] = {
    (ANY, ANY): """add sub mul div floordiv mod np.logaddexp np.logaddexp2 np.hypot math.hypot np.arctan2 math.atan2
        np.maximum np.minimum max min np.fmax np.fmin np.fmod math.fmod math.remainder
        math.nextafter np.copysign math.copysign np.heaviside
        np.logical_and np.logical_or np.logical_xor np.isclose math.isclose eq ne lt le gt ge""",
    (POSITIVE, ANY): "pow np.float_power math.pow",
}

# Arguments of other kinds than numbers and arrays of any shape.
SPECIAL: dict[str, list[Row]] = {
    "add": [row(C, A), row(1.5, C), row(np.array([1, 2, 3]), ZERO)],
    "mul": [row(C, A), row(1.5, C), row(2, ZERO)],
    "div": [row(C, A), row(A, C)],
    "pow": [row(A, 2), row(A, 3), row(A, 1), row(ZERO, 0), row(1.5, 2), row(A, 2.0), row(np.abs(A), 0.5), row(A, -1),
            row(2.0, A),
            row(3, A), row(A, np.array([1, 2, 0])), row(C, 2), row(C, 3), row(1.5, np.int64(3))],
    "neg": [row(C)],
    "cast": [row(A, dtype="float64"), row(1.5, dtype="float64", weak=False), row(1.5, dtype="complex128", weak=True),
             row(A, dtype="complex128"),
             row(A, dtype="int64")],
    "pack": [row([1.5, 2.5, np.float64(0.5)]), row([A, A + 0.1]), row([2.5])],
    "math.log": [row(1.5, 2.5), row(1.5, 10)],
    "np.exp": [row(C)], "np.sin": [row(C)], "np.sqrt": [row(C)], "np.square": [row(C)], "np.tanh": [row(C)],
    "np.log": [row(C)],
    "np.sinc": [row(np.array([0.0, 0.4]))],
    "np.where": [row(A > 0, A, A + 0.1), row(A > 0, 1.5, A), row(A[:, :1] > 0, A, sample((3,))), row(A > 0, 0.5, 1.5),
                 row(ZERO > 0, C, ZERO)],
    "np.clip": [row(A, -0.7, 0.9), row(A, sample((3,), -1.0, 0.0), sample((2, 1), 0.2, 0.9)), row(A, -0.5, None),
                row(A, None, 0.5),
                row(1.5, 0.0, 1.0), row(A, 0.6, -0.4)],
    "np.round": [row(A, decimals=1)],
    "round": [row(1.2345, ndigits=2)],
    "np.abs": [row(C)], "np.conj": [row(C), row(C2)], "np.real": [row(C)], "np.imag": [row(C)],
    "s2s.polygamma": [row(1.7), row(0.3, n=1), row(-0.4), row(20.5, n=2)],
    "math.fsum": [row([1.5, 2.5, 0.5])],
    "np.angle": [row(C), row(C, deg=True)],
    "s2s.unbroadcast": [row(A, np.ones((2, 1))), row(A, np.ones((1, 1))), row(A, np.ones(3)), row(A, A),
                        row(np.ones((0, 3)), np.ones((1, 3))), row(C2, np.ones((1, 3)))],
    "s2s.broadcast_like": [row(1.5, A), row(np.float64(1.5), A), row(sample((3,)), A), row(A[:, :1], A), row(A, A),
                           row(1.5, np.ones(0))],
    "s2s.product_of_others": [row(ZERO), row(A), row(np.array([0.0, 0.0, 2.0])), row(np.ones(0)), row(C)],
}

REDUCTIONS = """np.sum np.nansum np.mean np.max np.min np.ptp np.prod np.any np.all np.argmax np.argmin np.count_nonzero
    np.var np.std"""
AXES: tuple[dict[str, Any], ...] = ({}, {"axis": 0}, {"axis": -1}, {"axis": 1, "keepdims": True}, {"keepdims": True})
TUPLES: tuple[dict[str, Any], ...] = ({"axis": (0, 2)}, {"axis": (-1, 0), "keepdims": True}, {"axis": (0, 1, 2)},
                                      {"axis": (2, 1)})


def reductions(name: str) -> list[Row]:
    """All kinds of axes; an index has one axis only."""
    rows = [row(A, **attrs) for attrs in AXES] + [row(sample((4,))), row(CUBE), row(CUBE, axis=1), row(1.5)]
    if name in ("np.argmax", "np.argmin"):
        return rows
    rows += [row(CUBE, **attrs) for attrs in TUPLES]
    if name not in ("np.std", "np.any", "np.all", "np.count_nonzero"):
        rows += [row(CUBE, axis=())]
    if name in ("np.var", "np.std"):
        rows += [row(A, ddof=1), row(A, axis=0, ddof=1)]
    if name == "np.std":
        rows = [r for r in rows if isinstance(r[0][0], np.ndarray)]
    if name in ("np.sum", "np.prod"):
        rows += [row(np.ones((0, 2)), axis=0)]
    if name in ("np.sum", "np.mean", "np.prod"):
        rows += [row(np.ones((0, 2)), axis=1), row(C2, axis=0), row(C2)]
    if name == "np.var":
        rows += [row(C2, axis=0)]
    if name == "np.prod":
        rows += [row(ZERO), row(np.zeros((2, 2)), axis=0), row(A * (A > 1), axis=1)]
    return rows


SPECIAL["np.cumsum"] = [row(sample((4,))), row(A), row(A, axis=0), row(CUBE, axis=-2), row(np.ones(0))]
SPECIAL["np.cumprod"] = [row(sample((4,))), row(ZERO), row(A), row(A, axis=0), row(CUBE, axis=-2), row(CUBE, axis=-1),
                         row(C), row(C2, axis=0), row(np.ones(0)), row(1.5)]
SPECIAL["s2s.recurrence"] = [row(A, A + 0.1), row(CUBE, CUBE + 0.1), row(C, C + 0.5), row(ZERO, ZERO)]
SPECIAL["np.nansum"] = [row(np.array([1.0, 2.0, 3.0]), axis=0)]

# Functions of later versions of Python: 3.11, and 3.13.
LATER = {"math.exp2": [row(0.7)], "math.cbrt": [row(2.7)], "math.fma": [row(1.5, 2.0, 0.3)]}
SPECIAL.update({name: given for name, given in LATER.items() if hasattr(math, name.removeprefix("math."))})

# Rules without a row of their own here, and why.
EXEMPT = {
    "indexing, which the engines reverse themselves": "getitem",
    "of which only the solution has a derivative, and that is tested as it is called": "np.linalg.lstsq",
    "deprecated by NumPy, which warns; the same as np.trunc": "np.fix",
    "an operation of the language, tested where it is lowered":
        "is isnot in notin not and or bitand bitor bitxor lshift rshift invert dim trips listlen stop_gradient",
}


def rows() -> Iterator[tuple[str, Row]]:
    """Every row, with the name of its rule."""
    for domain, names in UNARY.items():
        for name in names.split():
            yield from ((name, r) for r in unary(*domain, name))
    for domains, names in BINARY.items():
        for name in names.split():
            yield from ((name, r) for r in binary(*domains, name))
    for name in REDUCTIONS.split():
        yield from ((name, r) for r in reductions(name))
    for name, given in SPECIAL.items():
        yield from ((name, r) for r in given)
