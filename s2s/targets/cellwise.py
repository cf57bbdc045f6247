"""Target cpu: one cell of what operations on arrays compute, as operations on numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from s2s.ir.builder import Builder
from s2s.ir.cells import Cells
from s2s.ir.core import Block, Op, Value
from s2s.ir.ops import COMPARE
from s2s.ir.types import INT, Array, Dim, Scalar, kind, promote
from s2s.rules import TABLE
from s2s.targets.access import Access, access

# What numba computes for numbers as it does for arrays.
_SCALAR = frozenset({
    "add", "sub", "mul", "div", "neg", "np.sin", "np.cos", "np.tan", "np.exp", "np.log", "np.sqrt", "np.tanh", "np.abs",
    "np.square", "np.maximum", "np.minimum", "np.sinh", "np.cosh", "np.arctan", "np.log1p", "np.expm1", "abs",
    "np.sign", "np.where"})
_COMPARISONS = frozenset(COMPARE) - {"is", "isnot", "in", "notin"}
# Operations on arrays of bools, with those on bools.
_LOGIC = {"bitand": "bitand", "bitor": "bitor", "bitxor": "bitxor", "invert": "not"}
_NAMES = "ijklmn"


def is_cellwise(op: Op) -> bool:
    """Whether each cell of the result depends on that cell of the arguments alone, and numbers will do for it."""
    t = op.result.type if len(op.results) == 1 else None
    if not isinstance(t, Array) or op.blocks or not all(_is_plain(v.type) for v in (op.result, *op.operands())):
        return False
    if op.name == "np.copy":
        return True
    if not op.spec.elementwise or len(list(op.operands())) != len(op.args):
        return False
    if kind(t) == "b":
        return op.name in _COMPARISONS or (op.name in _LOGIC and all(kind(v.type) == "b" for v in op.operands()))
    if op.name == "pow":
        return kind(t) == "f" and isinstance(op.value("y").type, Scalar)
    return kind(t) == "f" and op.name in _SCALAR


def _is_plain(t: object) -> bool:
    """Whether a number of that dtype is computed with as the cell of an array is."""
    return isinstance(t, Scalar) or (isinstance(t, Array) and t.dtype in ("float64", "float32", "bool", "int64"))


def cell_of(b: Builder, op: Op, args: Mapping[str, Value]) -> Value:
    """The cell of what a cellwise operation computes, from those of its arguments."""
    if op.name == "np.copy":
        return args["a"]
    # numba has no weak numbers: 2.0 beside a float32 would make a float64.
    wide = promote([v.type for v in op.operands() if isinstance(v.type, Array | Scalar)])[0]
    cells = {n: narrowed(b, v, wide) for n, v in args.items()}
    if op.name == "np.where":
        assert isinstance(op.result.type, Array)
        arms = [Block([], [], [cells[n]]) for n in ("x", "y")]
        return b.region("if", {"cond": cells["condition"]}, arms, [Scalar(op.result.type.dtype)],
                        hints=[op.result.hint]).result
    return b.one(_LOGIC.get(op.name, op.spec), cells, op.attrs, op.result.hint)


def narrowed(b: Builder, v: Value, dtype: str) -> Value:
    """A Python number in the dtype that it is computed with."""
    t = v.type
    if isinstance(t, Scalar) and t.weak and dtype != "float64" and kind(t) in "iuf":
        return b.cast(v, Scalar(dtype))
    return v


def load(b: Builder, cells: Cells, v: Value, index: Sequence[Value], dims: Sequence[Dim]) -> Value:
    """A cell of an array that is broadcast to `dims`; a number itself."""
    if not isinstance(v.type, Array):
        return v
    found = wide(access(cells, v), v.type.dims, dims)
    return b.one("getitem", {"a": found.root, "index": cell_index(b, found, index)},
                 {"items": ("i",) * len(found.starts)})


def wide(found: Access, have: Sequence[Dim], dims: Sequence[Dim]) -> Access:
    """The access of an array that is broadcast to `dims`, with an axis for each of them."""
    axes: list[int | None] = [None] * (len(dims) - len(have))
    axes += [None if d.is_one is True and e.is_one is not True else k
             for k, d, e in zip(found.axes, have, dims[len(dims) - len(have):], strict=True)]
    return Access(found.root, found.starts, tuple(axes))


def cell_index(b: Builder, found: Access, index: Sequence[Value]) -> tuple[Value, ...]:
    """Where cell `index` of a view is in its root."""
    out = []
    for k, starts in enumerate(found.starts):
        m = found.along(k)
        parts = [*starts] if m is None else [index[m], *starts]
        total = parts[0] if parts else b.int(0)
        for v in parts[1:]:
            total = b.add(total, v)
        out.append(total)
    return tuple(out)


def empty(b: Builder, v: Value, sizes: Iterable[Value]) -> Value:
    """Memory for an array that is needed as such, too."""
    assert isinstance(v.type, Array)
    return made(b, "np.empty", v.type, sizes, v.hint)


def made(b: Builder, name: str, t: Array, sizes: Iterable[Value], hint: str) -> Value:
    """A new array by `np.empty` or `np.zeros`."""
    spec = TABLE.by_name[name].spec
    new = b.one(spec, {"shape": tuple(sizes)}, {**spec.defaults, "dtype": t.dtype}, hint)
    new.type = Array(t.dtype, t.dims, "C")
    return new


def nest(rank: int, carried: Sequence[Value] = ()) -> tuple[list[Value], list[Block]]:
    """The indices and the bodies of `rank` loops, from the outermost inwards; all carry numbers like `carried`."""
    index = [Value(INT, _NAMES[m % len(_NAMES)]) for m in range(rank)]
    return index, [Block([i, *(Value(v.type, v.hint) for v in carried)]) for i in index]


def close(b: Builder, blocks: Sequence[Block], sizes: Sequence[Value], init: Sequence[Value] = (),
          last: Sequence[Value] = ()) -> list[Value]:
    """Append the loops with the bodies `blocks`. They carry `init`, which is `last` after an innermost iteration.

    Gives what is carried as it is at the end.
    """
    found = list(last)
    for m in range(len(sizes) - 1, -1, -1):
        blocks[m].results = found
        with b.at(blocks[m - 1] if m else b.block):
            start = blocks[m - 1].params[1:] if m else init
            found = b.region("for", {"start": b.int(0), "stop": sizes[m], "step": b.int(1), "init": tuple(start)},
                             [blocks[m]], [v.type for v in init], {"breaks": False}, [v.hint for v in init]).results
    return found
