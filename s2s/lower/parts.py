"""What a name can stand for that has parts, each a value of its own: tuples, ranges, slices, bound arguments."""

from __future__ import annotations

from typing import Any

from s2s.lower.values import Bound, Lazy, Range, Slice, Tuple


def parts_of(value: Any) -> tuple[Any, ...] | None:
    """What a composite stands for, part by part; None for a leaf."""
    if isinstance(value, Tuple):
        return value.items
    if isinstance(value, Range):
        return (value.start, value.stop, value.step)
    if isinstance(value, Lazy):
        return value.parts
    if isinstance(value, Slice):
        return (value.start, value.stop, value.step)
    if isinstance(value, Bound):
        return (value.callee, *value.args, *(v for _, v in value.kwargs))
    return None


def with_parts(value: Any, parts: tuple[Any, ...]) -> Any:
    """A composite like `value`, of other parts."""
    if isinstance(value, Tuple):
        return Tuple(parts, value.cls)
    if isinstance(value, Range):
        return Range(*parts)
    if isinstance(value, Lazy):
        return Lazy(value.kind, parts)
    if isinstance(value, Slice):
        return Slice(*parts)
    n = len(value.args)
    names = [name for name, _ in value.kwargs]
    return Bound(parts[0], parts[1:1 + n], tuple(zip(names, parts[1 + n:], strict=True)))


def same_parts(x: Any, y: Any) -> bool:
    """Whether two composites differ in their leaves only."""
    px, py = parts_of(x), parts_of(y)
    if px is None or py is None or type(x) is not type(y) or len(px) != len(py):
        return False
    if isinstance(x, Tuple):
        return bool(x.cls is y.cls)
    if isinstance(x, Lazy):
        return bool(x.kind == y.kind)
    if isinstance(x, Bound):
        return [n for n, _ in x.kwargs] == [n for n, _ in y.kwargs]
    return True
