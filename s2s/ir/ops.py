"""The operations of the language itself: constants, operators, indexing, memory and control flow.

NumPy and math functions are in `s2s.rules`; they use the same `OpSpec`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from s2s.ir.core import Op, OpSpec, Param, Value
from s2s.ir.types import (
    BOOL,
    INT,
    Array,
    Dim,
    List,
    Opaque,
    Scalar,
    Type,
    broadcast_dims,
    fresh_dim,
    known_dim,
    promote,
    with_dtype,
)

SPECS: dict[str, OpSpec] = {}
T = TypeVar("T")


def _spec(name: str, params: str, infer: Callable[[Op], Sequence[Type]], **flags: Any) -> OpSpec:
    """`params`: names, with `*` before one that takes several values and `=` before a static one."""
    parsed = []
    for word in params.split():
        kind = {"*": "values", "=": "static"}.get(word[0], "value")
        parsed.append(Param(word.lstrip("*="), kind, ... if kind == "value" else None))
    SPECS[name] = OpSpec(name, tuple(parsed), infer, **flags)
    return SPECS[name]


def numeric(op: Op, name: str) -> Scalar | Array:
    """The type of a numeric argument."""
    t = op.value(name).type
    assert isinstance(t, Scalar | Array), (op.name, name, t)
    return t


def elementwise_type(operands: Sequence[Scalar | Array], dtype: str, weak: bool) -> Type:
    """The type of an elementwise result over `operands`."""
    if any(isinstance(t, Array) for t in operands):
        layouts = {t.layout for t in operands if isinstance(t, Array)}
        layout = layouts.pop() if len(layouts) == 1 else "A"
        return Array(dtype, broadcast_dims([t.dims for t in operands]), layout)
    return Scalar(dtype, weak)


def _int_dim(op: Op, sign: int) -> Dim | None:
    x, y = numeric(op, "x"), numeric(op, "y")
    if not (isinstance(x, Scalar) and isinstance(y, Scalar) and x.dim and y.dim):
        return None
    if y.dim.symbol is None:
        return x.dim.plus(sign * y.dim.offset)
    if sign > 0 and x.dim.symbol is None:
        return y.dim.plus(x.dim.offset)
    if sign < 0 and x.dim.symbol == y.dim.symbol:
        return known_dim(x.dim.offset - y.dim.offset)
    return None


def _arithmetic(name: str) -> Callable[[Op], Sequence[Type]]:
    def infer(op: Op) -> Sequence[Type]:
        x, y = numeric(op, "x"), numeric(op, "y")
        dtype, weak = promote([x, y])
        if weak and dtype == "bool" and name not in ("bitand", "bitor", "bitxor"):
            dtype = "int64"
        if name == "div" and np.dtype(dtype).kind in "biu":
            dtype = "float64"
        if name == "pow" and weak and dtype == "int64" and not _is_natural(op):
            dtype = "float64"
        t = elementwise_type([x, y], dtype, weak)
        if isinstance(t, Scalar) and np.dtype(dtype).kind in "iu" and name in ("add", "sub"):
            t = Scalar(dtype, weak, _int_dim(op, 1 if name == "add" else -1))
        return [t]
    return infer


def _is_natural(op: Op) -> bool:
    """Whether the exponent of an integer power is known not to be negative."""
    y = op.value("y")
    return not (y.op is not None and y.op.name == "const" and y.op.attrs["value"] < 0)


def _comparison(op: Op) -> Sequence[Type]:
    x, y = op.value("x").type, op.value("y").type
    if isinstance(x, Scalar | Array) and isinstance(y, Scalar | Array):
        return [elementwise_type([x, y], "bool", weak=not (isinstance(x, Array) or isinstance(y, Array)))]
    return [BOOL]


def _same(op: Op) -> Sequence[Type]:
    x = numeric(op, "x")
    if isinstance(x, Array) or x.dtype != "bool":
        return [x if isinstance(x, Array) else Scalar(x.dtype, x.weak)]
    return [Scalar("int64", x.weak)]


BINARY = {"add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "pow": "**",
          "bitand": "&", "bitor": "|", "bitxor": "^", "lshift": "<<", "rshift": ">>"}
COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
           "is": "is", "isnot": "is not", "in": "in", "notin": "not in"}
_COST = {"div": 5, "floordiv": 5, "mod": 5, "pow": 20}

for _name, _symbol in BINARY.items():
    _spec(_name, "x y", _arithmetic(_name), emits=_symbol, cost=_COST.get(_name, 1), elementwise=True)
for _name, _symbol in COMPARE.items():
    _spec(_name, "x y", _comparison, emits=_symbol, elementwise=True)
_spec("neg", "x", _same, emits="unary -", elementwise=True)
_spec("pos", "x", _same, emits="unary +", elementwise=True)
_spec("invert", "x", lambda op: [op.value("x").type], emits="unary ~", elementwise=True)
_spec("not", "x", lambda op: [BOOL], emits="unary not")
# Both operands are evaluated; lowering uses `if` where the second may not be.
_spec("and", "x y", lambda op: [BOOL], emits="and")
_spec("or", "x y", lambda op: [BOOL], emits="or")

_spec("const", "=value", lambda op: [op.attrs["type"]], emits="special", cost=0)
# A name that is not bound on this path. Nothing is emitted for it.
_spec("undefined", "", lambda op: [op.attrs["type"]], emits="special", cost=0)


def _cast(op: Op) -> Sequence[Type]:
    t, dtype = numeric(op, "x"), op.attrs["dtype"]
    if isinstance(t, Array):
        return [with_dtype(t, dtype)]
    return [Scalar(dtype, op.attrs.get("weak", False), t.dim if np.dtype(dtype).kind in "iu" else None)]


# Scalars: np.float32(x), or float(x) where weak. Arrays: x.astype(np.float32).
_spec("cast", "x =dtype =weak", _cast, emits="special", elementwise=True)
# The identity, through which no derivative flows.
_spec("stop_gradient", "x", lambda op: [op.value("x").type], emits="special", view="x", cost=0)
# The size of one axis: a.shape[axis].
_spec("dim", "a =axis", lambda op: [Scalar("int64", True, numeric(op, "a").dims[op.attrs["axis"]])],
      emits="special", shape_only=frozenset("a"))
# The number of iterations: `len(range(start, stop, step))`.
_spec("trips", "start stop step", lambda op: [_trips(op)], emits="special", cost=5)


def _trips(op: Op) -> Type:
    start, step = (constant(op.value(n)) for n in ("start", "step"))
    dim = getattr(op.value("stop").type, "dim", None)
    if step == 1 and isinstance(start, int) and dim is not None:
        return Scalar("int64", True, dim.plus(-start))
    return INT


def constant(v: Any) -> Any:
    """The Python constant that `v` is, or None."""
    return v.op.attrs["value"] if v.op is not None and v.op.name == "const" else None


# Indexing. attrs["items"] has one code per index item: "i" an int, "n" np.newaxis, "e" an ellipsis,
# "a" an index array (int or bool), "s" followed by three flags for the parts of a slice that are
# given. `index` has the values in order.


def index_items(items: Sequence[str], values: Sequence[T]) -> list[tuple[str, list[T]]]:
    """Each item with its values."""
    found, at = [], 0
    for code in items:
        n = 0 if code in "ne" else 1 if code in "ia" else code.count("1")
        found.append((code, list(values[at:at + n])))
        at += n
    return found


def axes_taken(code: str, parts: Sequence[Any]) -> int:
    """How many axes of the array one index item consumes."""
    if code in "ne":
        return 0
    if code == "a" and parts[0].type.dtype == "bool":
        return int(parts[0].type.ndim)
    return 1


def along(op: Op, axes: Sequence[T]) -> Iterator[tuple[str, list[Value], T | None]]:
    """The items of the basic index of `op`, each with the axis that it is on; `axes` are those of the array.

    An ellipsis, and what the index leaves out, is an "e" for each axis; "n" is on none.
    """
    items = index_items(op.attrs["items"], op.values("index"))
    rest = iter(axes)
    for code, parts in items:
        if code == "n":
            yield code, parts, None
        elif code == "e":
            yield from (("e", parts, next(rest)) for _ in range(len(axes) - sum(c not in "ne" for c, _ in items)))
        else:
            yield code, parts, next(rest)
    yield from (("e", [], axis) for axis in rest)


def is_basic(items: Sequence[str]) -> bool:
    """Whether indexing with `items` gives an element or a view."""
    return "a" not in items


def _slice_dim(dim: Dim, code: str, parts: list[Any]) -> Dim:
    """The size of a sliced axis, where it follows from constant bounds or symbolic ones."""
    if code == "s000":
        return dim
    given = iter(parts)
    start, stop, step = (next(given) if flag == "1" else None for flag in code[1:])
    if step is not None and constant(step) != 1:
        if constant(step) == -1 and code == "s001":
            return dim
        return fresh_dim()
    lower = 0 if start is None else constant(start)
    upper = None if stop is None else constant(stop)
    if isinstance(lower, int) and lower < 0 and stop is None and dim.symbol is None:
        return known_dim(min(-lower, dim.offset))
    if isinstance(lower, int) and lower >= 0 and dim.symbol is None and (stop is None or isinstance(upper, int)):
        return known_dim(len(range(dim.offset)[lower:upper]))
    if isinstance(lower, int) and lower >= 0:
        # x[a:] and x[a:-b] of an axis n: n - a, n - a - b. NumPy clamps at 0 where the axis is
        # shorter; then every such slice of it is empty, and sizes that the rule calls equal are.
        if stop is None:
            return dim.plus(-lower)
        if isinstance(upper, int) and upper < 0:
            return dim.plus(upper - lower)
        bound = getattr(stop.type, "dim", None)
        if upper is None and bound is not None and bound.symbol == dim.symbol and bound.offset <= dim.offset:
            return bound.plus(-lower)  # type: ignore[no-any-return]
    said = [_bound_text(bound) for bound in (start, stop)]
    return fresh_dim() if None in said else Dim(f"{dim.text}[{said[0]}:{said[1]}]")


def _bound_text(bound: Any) -> str | None:
    """A bound of a slice in the name of the size that it makes: equal for equal bounds, None if it is not known."""
    if bound is None:
        return ""
    dim = getattr(bound.type, "dim", None)
    known = constant(bound)
    return str(known) if isinstance(known, int) else dim.text if dim is not None else None


def index_type(a: Array, items: Sequence[str], index: Sequence[Any]) -> Type:
    """The type of `a[index]`.

    >>> from s2s.ir.types import Array, Dim
    >>> str(index_type(Array("float64", (Dim("n"), Dim("m"))), ("s000", "n"), []))
    'float64[:, :, :]'
    """
    values = list(index)
    consumed = sum(axes_taken(c, v) for c, v in index_items(items, values))
    dims: list[Dim] = []
    advanced: list[tuple[Dim, ...]] = []
    place: int | None = None
    separated = False
    previous_advanced = False
    axis = 0
    for code, parts in index_items(items, values):
        if code in "ia" and (not is_basic(items)):
            if place is None:
                place = len(dims)
            elif not previous_advanced:
                separated = True
            previous_advanced = True
            if code == "a":
                t = parts[0].type
                advanced.append((fresh_dim(),) if t.dtype == "bool" else t.dims)
            axis += axes_taken(code, parts)
            continue
        if code == "i":
            axis += 1
            continue
        previous_advanced = False
        if code == "n":
            dims.append(known_dim(1))
        elif code == "e":
            width = a.ndim - consumed
            dims.extend(a.dims[axis:axis + width])
            axis += width
        else:
            dims.append(_slice_dim(a.dims[axis], code, parts))
            axis += 1
    dims.extend(a.dims[axis:])
    if advanced:
        shape = broadcast_dims(advanced)
        at = 0 if separated else place or 0
        dims[at:at] = shape
    if not dims and is_basic(items) and "e" not in items:
        return Scalar(a.dtype)
    return Array(a.dtype, tuple(dims), _sliced_layout(a, items, values))


def _sliced_layout(a: Array, items: Sequence[str], values: Sequence[Value]) -> str:
    """The layout of `a[items]`: a whole array, or rows of one in C order, lie in memory as `a` does."""
    rest = list(items)
    if rest and rest[0] == "a" and a.layout == "C":  # rows that an index array in C order names
        t = values[0].type
        in_order = isinstance(t, Scalar) or (isinstance(t, Array) and (t.ndim == 1 or t.layout == "C"))
        return "C" if in_order and all(c in ("s000", "e") for c in rest[1:]) else "A"
    while a.layout == "C" and rest and rest[0] == "i":
        rest.pop(0)
    if a.layout == "C" and rest and rest[0][0] == "s" and rest[0][3] == "0":
        rest.pop(0)
    return a.layout if all(c in ("s000", "e") for c in rest) else "A"


def _getitem(op: Op) -> Sequence[Type]:
    a = op.value("a").type
    assert isinstance(a, Array)
    return [index_type(a, op.attrs["items"], op.values("index"))]


_spec("getitem", "a *index =items", _getitem, emits="special", view="a")
_spec("setitem", "a *index value =items", lambda op: [], emits="special", writes="a")
# a[index] += value, where repeated indices add up (np.add.at where index arrays occur).
_spec("additem", "a *index value =items", lambda op: [], emits="special", writes="a")
# a += value, in place; `value` broadcasts to `a`.
_spec("addto", "a value", lambda op: [], emits="special", writes="a")

# Lists that grow. `listget` reads by index; `pack` makes an array of scalars or of equal arrays.
_spec("list", "*elements", lambda op: [op.attrs["type"]], emits="special", fresh=True)
_spec("append", "list value", lambda op: [], emits="special", writes="list")
_spec("listget", "list index", lambda op: [_element(op)], emits="special", view="list")
_spec("listset", "list index value", lambda op: [], emits="special", writes="list")
# Removes the last element and gives it; the reverse of `append`.
_spec("listpop", "list", lambda op: [_element(op)], emits="special", view="list", writes="list")
_spec("listlen", "list", lambda op: [INT], emits="special")
# A list of zeros, or of zero arrays, like the elements of a list; what shadows it.
_spec("listzeros", "list", lambda op: [op.value("list").type], emits="special", fresh=True)


def _element(op: Op) -> Type:
    t = op.value("list").type
    assert isinstance(t, List)
    return t.element


def _pack(op: Op) -> Sequence[Type]:
    elements = [v.type for v in op.values("elements")]
    numbers = [t for t in elements if isinstance(t, Scalar | Array)]
    # A Python number that becomes an element counts in full: np.array([np.float32(1.0), 2.0]) is of float64.
    full = [Scalar(t.dtype) if isinstance(t, Scalar) else t for t in numbers]
    dtype = op.attrs.get("dtype") or (promote(full)[0] if full else "float64")
    inner = broadcast_dims([t.dims for t in numbers])
    return [Array(dtype, (known_dim(len(elements)), *inner), "C")]


# np.array([x, y, z]) of scalars or of arrays of one shape.
_spec("pack", "*elements =dtype", _pack, emits="special", fresh=True)

# Effects: a call that is left in place, and control flow.
# attrs["text"] of these is Python text in which a marker ⟦k⟧ stands for the k-th operand.
_spec("pycall", "*args =text =types =name", lambda op: op.attrs["types"], emits="special", effect=True)
_spec("format", "*args =text", lambda op: [Opaque("text")], emits="special")
_spec("print", "*args =text", lambda op: [], emits="special", effect=True)
_spec("assert", "test *args =text", lambda op: [], emits="special", effect=True)
_spec("raise", "*args =text", lambda op: [], emits="special", effect=True)
_spec("if", "cond", lambda op: [], emits="special")
_spec("for", "start stop step *init =breaks", lambda op: [], emits="special")
_spec("while", "*init =breaks", lambda op: [], emits="special")
_spec("with", "=call", lambda op: [], emits="special")
# A call of a function that has IR of its own (attrs["function"]).
_spec("call", "*args =function", lambda op: [v.type for v in op.attrs["function"].block.results], emits="special")
@dataclass(frozen=True)
class Pairs:
    """The items of a dict of constants."""

    items: tuple[tuple[str, Any], ...]


# A solver of a library that calls a function of the program: runner(function, theta, *values, **options).
_spec("hostcall", "*theta *values =function =runner =options =types", lambda op: list(op.attrs["types"]),
      emits="special", fresh=True, cost=100_000)
# custom_gradient: results are the args; block: pullback (cotangents) yields one adjoint for each of
# `sources`, as many as there are. captured: what the values were computed from beside the sources.
# The block may have the results as further parameters.
_spec("custom", "*args *sources *captured", lambda op: [v.type for v in op.values("args")], emits="special", cost=0)
# A tape begins or ends to record here (attrs["id"]); `gradient` is the derivative of what it recorded, which
# `differentiate.inside` puts in its place: attrs["spans"] are pairs of ids (None: until here), attrs["seeded"] says
# which targets have a weight among `seeds`.
_spec("tape", "=id", lambda op: [], emits="special", effect=True)
_spec("gradient", "*targets *sources *seeds =spans =seeded", lambda op: [v.type for v in op.values("sources")],
      emits="special")
# Target cpu with parallel=True: how many threads there are.
_spec("numba.get_num_threads", "", lambda op: [INT], cost=20)
