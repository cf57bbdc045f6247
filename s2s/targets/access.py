"""How an array that is a part of another one is reached from that: which axis runs along which, and where it starts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from s2s.ir.cells import Cells
from s2s.ir.core import Op, Value
from s2s.ir.linear import Linear
from s2s.ir.ops import along, constant, is_basic
from s2s.ir.types import Array


@dataclass(frozen=True)
class Access:
    """Cell `p` of the view is `root[starts[k] + p[m] for each axis k]`, where axis `m` of the view runs along `k`.

    starts: for each axis of `root` the numbers that add up to its start. axes: for each axis of the view one of
    `root`; None where it is a new one.
    """

    root: Value
    starts: tuple[tuple[Value, ...], ...]
    axes: tuple[int | None, ...]

    def along(self, k: int) -> int | None:
        """The axis of the view that runs along axis `k` of the root."""
        return self.axes.index(k) if k in self.axes else None


def whole(v: Value) -> Access:
    """All of an array."""
    assert isinstance(v.type, Array)
    return Access(v, ((),) * v.type.ndim, tuple(range(v.type.ndim)))


def access(cells: Cells, v: Value) -> Access:
    """`v` as part of the array that it is a view of, as far as that is known."""
    op = v.op
    if op is None or op.spec.view is None:
        return whole(v)
    if op.name == "getitem":
        return indexed(cells, access(cells, op.value("a")), op) or whole(v)
    if op.name == "np.transpose":
        base = access(cells, op.value("a"))
        order = op.attrs.get("axes") or range(len(base.axes) - 1, -1, -1)
        return replace(base, axes=tuple(base.axes[k] for k in order))
    return whole(v)


def indexed(cells: Cells, base: Access, op: Op) -> Access | None:
    """The part of `base` that the index of `op` selects; None where it does not start at a known place."""
    if not is_basic(op.attrs["items"]):
        return None
    starts = list(base.starts)
    axes: list[int | None] = []
    for code, parts, k in along(op, base.axes):
        if code in "ne":
            axes.append(k)
            continue
        if k is None or (code[0] == "s" and code[3] == "1" and constant(parts[-1]) != 1):
            return None
        start = parts[0] if code == "i" or code[1] == "1" else None
        if start is not None and constant(start) != 0:
            if not cells.is_natural(cells.linear(start), op) and not (code == "i" and not starts[k]):
                return None
            starts[k] = (*starts[k], start)
        if code != "i":
            axes.append(k)
    return Access(base.root, tuple(starts), tuple(axes))


def start(cells: Cells, found: Access, k: int) -> Linear:
    """Where the view starts along axis `k` of its root."""
    total = Linear()
    for v in found.starts[k]:
        total = total.plus(cells.linear(v))
    return total


def steps_back(cells: Cells, first: Access, second: Access) -> bool:
    """Whether cell `q` of one view and cell `p` of another may be the same for a `p` after `q`.

    Then a loop over all cells, that touches `first` before `second` in each iteration, does not do the same as
    touching all of `first` before all of `second`.
    """
    if first.root is not second.root or len(first.axes) != len(second.axes):
        return True
    ahead: list[int | None] = [None] * len(first.axes)
    for k in range(len(first.starts)):
        m = first.along(k)
        if m != second.along(k):
            return True
        gap = start(cells, first, k).minus(start(cells, second, k))
        if m is None:
            if not gap.factors and gap.constant and _same_sign(cells, first, second, k):
                return False  # never the same
            if gap.factors or gap.constant:
                return True
        elif gap.factors:
            return True
        else:
            ahead[m] = gap.constant
    for distance in ahead:
        if distance is None:
            return True
        if distance:
            return distance < 0
    return False


def _same_sign(cells: Cells, first: Access, second: Access, k: int) -> bool:
    """Whether two indices count from the same end."""
    ends = [start(cells, found, k) for found in (first, second)]
    return all(e.factors or e.constant >= 0 for e in ends)
