"""Whether what a loop carries is only added to: then its iterations may run in any order."""

from __future__ import annotations

from collections.abc import Iterable

from s2s.ir.core import Block, Value, walk


def uses(block: Block, results: Iterable[Value] = ()) -> dict[Value, int]:
    """How often each value is read in `block`, and as one of its `results`."""
    count: dict[Value, int] = {}
    inside = (v for op in walk(block) for v in (*op.operands(), *(r for inner in op.blocks for r in inner.results)))
    for v in (*inside, *results):
        count[v] = count.get(v, 0) + 1
    return count


def adds(value: Value, param: Value, uses: dict[Value, int], branches: int = 1) -> bool:
    """Whether `value` is `param` plus something in which `param` does not occur.

    branches: in how many `param` is read, each time once.
    """
    if uses.get(value, 0) != (branches if value is param else 1):
        return False
    if value is param:
        return True
    op = value.op
    if op is None:
        return False
    if op.name in ("add", "sub"):
        x, y = op.value("x"), op.value("y")
        return adds(x, param, uses, branches) or (op.name == "add" and adds(y, param, uses, branches))
    if op.name == "for" and not op.attrs.get("breaks"):
        k = op.results.index(value)
        inner = op.blocks[0]
        return adds(op.values("init")[k], param, uses, branches) and adds(inner.results[k], inner.params[k + 1], uses)
    if op.name == "if":
        k = op.results.index(value)
        return all(adds(b.results[k], param, uses, len(op.blocks)) for b in op.blocks)
    return False
