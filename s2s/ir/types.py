"""Types of IR values: scalars, arrays with symbolic shapes, lists and opaque objects.

A type says all that the compiler knows of a value before it runs: NumPy dtype, rank, and for each
axis a symbolic size. Sizes are `symbol + offset`; two axes with equal `Dim` have equal size, and
nothing has to be emitted to reconcile them. Python numbers are *weak* (NEP 50): they do not promote
the dtype of what they meet.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

_fresh = itertools.count()


@dataclass(frozen=True, slots=True)
class Dim:
    """The size of one axis: `offset` if `symbol` is None, else `symbol + offset`.

    >>> Dim("n", -1) == Dim("n", -1), Dim("n") == Dim("m")
    (True, False)
    """

    symbol: str | None
    offset: int = 0
    not_one: bool = field(default=False, compare=False)

    @property
    def is_one(self) -> bool | None:
        """Whether the size is 1; None where that is not known."""
        if self.symbol is None:
            return self.offset == 1
        return False if self.not_one else None

    @property
    def text(self) -> str:
        """Part of the symbol of a size that follows from this one.

        >>> Dim("n", -1).text, known_dim(3).text
        ('n-1', '3')
        """
        if self.symbol is None:
            return str(self.offset)
        return f"{self.symbol}{self.offset:+d}" if self.offset else self.symbol

    def plus(self, offset: int) -> Dim:
        """The size that is `offset` larger."""
        if offset == 0:
            return self
        return Dim(self.symbol, self.offset + offset)


def known_dim(size: int) -> Dim:
    """A size that is known."""
    return Dim(None, size)


def fresh_dim(*, not_one: bool = False) -> Dim:
    """A size about which nothing is known, equal to itself alone."""
    return Dim(f"?{next(_fresh)}", 0, not_one)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number. `weak` marks a Python number; `dim` is what is known of an int as a size."""

    dtype: str
    weak: bool = False
    dim: Dim | None = field(default=None, compare=False)

    @property
    def ndim(self) -> int:
        return 0

    @property
    def dims(self) -> tuple[Dim, ...]:
        return ()

    def __str__(self) -> str:
        return f"{'weak ' if self.weak else ''}{self.dtype}"


@dataclass(frozen=True, slots=True)
class Array:
    """An ndarray of known rank; `layout` is "C", "F" or "A" (anything)."""

    dtype: str
    dims: tuple[Dim, ...]
    layout: str = field(default="A", compare=False)
    weak = False

    @property
    def ndim(self) -> int:
        return len(self.dims)

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(':' for _ in self.dims)}]"


@dataclass(frozen=True, slots=True)
class List:
    """A Python list that grows while the program runs, with elements of one type."""

    element: Type

    def __str__(self) -> str:
        return f"list of {self.element}"


@dataclass(frozen=True, slots=True)
class Opaque:
    """A Python object that the compiler carries but does not look into."""

    what: str = "object"

    def __str__(self) -> str:
        return self.what


@dataclass(frozen=True, slots=True)
class Undefined:
    """The type of a name that is not bound on this path."""

    def __str__(self) -> str:
        return "undefined"


Type: TypeAlias = Scalar | Array | List | Opaque | Undefined
Numeric: TypeAlias = Scalar | Array

BOOL = Scalar("bool", weak=True)
INT = Scalar("int64", weak=True)
FLOAT = Scalar("float64", weak=True)
COMPLEX = Scalar("complex128", weak=True)


def is_numeric(t: Type) -> bool:
    """Whether values of type `t` are numbers or arrays of numbers."""
    return isinstance(t, Scalar | Array)


def kind(t: Type) -> str:
    """NumPy's kind letter of a numeric type: b, i, u, f, c; "" for the others."""
    return np.dtype(t.dtype).kind if isinstance(t, Scalar | Array) else ""


def is_inexact(t: Type) -> bool:
    """Whether values of type `t` can carry a derivative."""
    if isinstance(t, List):
        return is_inexact(t.element)
    return kind(t) in ("f", "c")


def with_dtype(t: Numeric, dtype: str) -> Numeric:
    """The strong type of the same shape with another dtype."""
    if isinstance(t, Array):
        return Array(dtype, t.dims, t.layout)
    return Scalar(dtype)


def promote(operands: Iterable[Numeric]) -> tuple[str, bool]:
    """The dtype that NumPy 2 gives a combination of `operands`, and whether it is weak (NEP 50).

    >>> promote([Scalar("float32"), FLOAT]), promote([INT, FLOAT])
    (('float32', False), ('float64', True))
    """
    strong: list[np.dtype] = []
    weak: list[str] = []
    for t in operands:
        if t.weak:
            weak.append(np.dtype(t.dtype).kind)
        else:
            strong.append(np.dtype(t.dtype))
    rank = "biufc"
    if not strong:
        top = max(weak, key=rank.index)
        return {"b": "bool", "i": "int64", "u": "int64", "f": "float64", "c": "complex128"}[top], True
    python = {"b": False, "i": 0, "u": 0, "f": 0.0, "c": 0j}
    return np.result_type(*strong, *(python[w] for w in weak)).name, False


def broadcast_dims(shapes: Iterable[tuple[Dim, ...]]) -> tuple[Dim, ...]:
    """The symbolic shape to which `shapes` broadcast."""
    shapes = list(shapes)
    rank = max((len(s) for s in shapes), default=0)
    out: list[Dim] = []
    for axis in range(-rank, 0):
        dims = [s[axis] for s in shapes if len(s) >= -axis]
        wide = [d for d in dims if d.is_one is not True]
        if not wide:
            out.append(dims[0])
        elif all(d == wide[0] for d in wide):
            out.append(next((d for d in wide if d.not_one), wide[0]))
        elif known := [d for d in wide if d.symbol is None]:
            out.append(known[0])
        elif proven := [d for d in wide if d.is_one is False]:
            out.append(proven[0])
        else:
            out.append(fresh_dim())
    return tuple(out)


def same_size(a: Dim, b: Dim) -> bool:
    """Whether two axes of arrays that were broadcast together must have the same size.

    Where neither is 1, NumPy raises unless they are equal; so they are.
    """
    return a == b or (a.is_one is False and b.is_one is False)


def unify(a: Type, b: Type) -> Type | None:
    """The type of a name that has type `a` on one path and `b` on the other; None if there is none."""
    if isinstance(a, Undefined):
        return b
    if isinstance(b, Undefined) or a == b:
        return _merge_equal(a, b)
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        dtype, weak = promote([a, b])
        if a.weak != b.weak and not weak:
            # A Python number that becomes a NumPy one: both are stored with NumPy's dtype.
            return Scalar(dtype)
        return Scalar(dtype, weak)
    if isinstance(a, Array) and isinstance(b, Array) and a.dtype == b.dtype and a.ndim == b.ndim:
        dims = tuple(x if x == y else fresh_dim(not_one=x.is_one is False and y.is_one is False)
                     for x, y in zip(a.dims, b.dims, strict=True))
        return Array(a.dtype, dims, a.layout if a.layout == b.layout else "A")
    if isinstance(a, List) and isinstance(b, List):
        element = unify(a.element, b.element)
        return None if element is None else List(element)
    return None


def _merge_equal(a: Type, b: Type) -> Type:
    if isinstance(a, Scalar) and isinstance(b, Scalar) and a.dim != b.dim:
        return Scalar(a.dtype, a.weak)
    if isinstance(a, Array) and isinstance(b, Array) and a.layout != b.layout:
        return Array(a.dtype, a.dims)
    return a
