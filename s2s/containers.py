"""What is a container: tuples, lists, dicts, and instances of dataclasses and attrs classes.

A container is a list of steps to its parts, each `("item", key)` or `("attr", name)`, and can be made again
with other parts.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Step = tuple[str, Any]


def is_dict(v: Any) -> bool:
    """Whether a value is a dict that finds its items as dicts do; OrderedDict and defaultdict are such."""
    return isinstance(v, dict) and type(v).__getitem__ is dict.__getitem__


def class_fields(cls: Any) -> tuple[str, ...] | None:
    """The fields of a dataclass or attrs class, in order; None for any other class."""
    if hasattr(cls, "__dataclass_fields__"):
        return tuple(f.name for f in dataclasses.fields(cls))
    attributes = getattr(cls, "__attrs_attrs__", None)
    return None if attributes is None else tuple(a.name for a in attributes)


def field_names(v: Any) -> tuple[str, ...] | None:
    """The fields of an instance of a dataclass or attrs class; None for any other object.

    One that contains itself (a node that knows its parent) is no container: it has no leaves to list.

    >>> from dataclasses import make_dataclass
    >>> field_names(make_dataclass("Point", ["x", "y"])(1.0, 2.0)), field_names(3.0)
    (('x', 'y'), None)
    """
    names = None if isinstance(v, type) else class_fields(type(v))
    if names is None or not all(hasattr(v, name) for name in names) or _contains_itself(v, names, ()):
        return None
    return names


def _contains_itself(v: Any, names: Sequence[str], above: tuple[int, ...]) -> bool:
    if id(v) in above:
        return True
    for name in names:
        part = getattr(v, name)
        parts = part if isinstance(part, list | tuple) else part.values() if isinstance(part, dict) else (part,)
        for x in parts:
            inner = None if isinstance(x, type) else class_fields(type(x))
            if inner is not None and all(hasattr(x, n) for n in inner) and _contains_itself(x, inner, (*above, id(v))):
                return True
    return False


def steps_of(v: Any) -> list[Step] | None:
    """The steps to the parts of a container; None for what is none.

    >>> steps_of({"a": 1, "b": 2}), steps_of((5, 6)), steps_of("text")
    ([('item', 'a'), ('item', 'b')], [('item', 0), ('item', 1)], None)
    """
    if isinstance(v, tuple | list):
        return [("item", k) for k in range(len(v))]
    if is_dict(v):
        return [("item", key) for key in v]
    names = field_names(v)
    return None if names is None else [("attr", name) for name in names]


def part_at(v: Any, step: Step) -> Any:
    """The part of `v` that a step leads to."""
    return v[step[1]] if step[0] == "item" else getattr(v, step[1])


def rebuilt(v: Any, parts: Sequence[Any]) -> Any:
    """A container of the type of `v`, and with its keys, of other parts."""
    if isinstance(v, tuple | list):
        return type(v)(*parts) if hasattr(v, "_fields") else type(v)(parts)
    if is_dict(v):
        return dict_like(v, dict(zip(v, parts, strict=True)))
    names = class_fields(type(v))
    assert names is not None
    return with_fields(type(v), dict(zip(names, parts, strict=True)))


def dict_like(v: dict[Any, Any], items: dict[Any, Any]) -> dict[Any, Any]:
    """`items` in a dict of the type of `v`, made as Python copies it: a defaultdict keeps its factory."""
    if type(v) is dict:
        return items
    out = copy.copy(v)
    out.clear()
    out.update(items)
    return out


def with_fields(cls: type, items: dict[str, Any]) -> Any:
    """An instance of `cls` with these fields; made without its `__init__`, so that frozen classes work too."""
    made: Any = object.__new__(cls)
    for name, item in items.items():
        object.__setattr__(made, name, item)
    return made


def leaves(v: Any) -> Iterator[Any]:
    """The parts of the parts of a container, down to what is none."""
    steps = steps_of(v)
    if steps is None:
        yield v
    else:
        for step in steps:
            yield from leaves(part_at(v, step))


def mapped(function: Callable[[Any], Any], v: Any) -> Any:
    """The same nest with `function(leaf)` for each leaf.

    >>> mapped(lambda x: 2 * x, {"a": (1, [2])})
    {'a': (2, [4])}
    """
    steps = steps_of(v)
    return function(v) if steps is None else rebuilt(v, [mapped(function, part_at(v, step)) for step in steps])
