"""Gradients and values in the structure of arguments and results."""

from __future__ import annotations

import collections
from collections.abc import Iterator
from typing import Any

import numpy as np

from s2s.containers import class_fields, dict_like, field_names, is_dict, rebuilt, steps_of, with_fields
from s2s.errors import ShapeError
from s2s.ir.types import is_inexact
from s2s.lower.binding import Binding, Read, number_type
from s2s.lower.lower import Leaf, Node
from s2s.lower.values import Static
from s2s.variable import tensor


def argument_leaves(binding: Binding, read: Read) -> Iterator[Read]:
    """The reads of all numbers in an argument that can be differentiated."""
    steps = steps_of(read.value)
    if steps is not None:
        for kind, what in steps:
            yield from argument_leaves(binding, binding.read(read, kind, what))
    elif read.leaf is not None and is_inexact(read.leaf.type):
        yield read


def is_number(v: Any) -> bool:
    """Whether an argument is a float or complex number, or an array of them."""
    t = number_type(v, "")
    return t is not None and is_inexact(t)


def like_argument(v: Any, read: Read, binding: Binding, gradients: dict[int, Any]) -> Any:
    """The gradient of an argument: its structure, with a gradient for each number.

    Zeros stand for numbers that nothing depends on, None for what has no gradient.
    """
    if isinstance(v, tuple | list):
        # The function may have appended to it: the gradient is for what was passed.
        before = v if read.by_value else v[:read.key[1]]
        return rebuilt(v, [like_argument(x, binding.read(read, "item", k), binding, gradients)
                           for k, x in enumerate(before)])
    if is_dict(v):
        items = {k: like_argument(v.get(k), binding.read(read, "item", k), binding, gradients)
                 for k in (v if read.by_value else read.key[1])}
        return dict_like(v, items)
    names = field_names(v)
    if names is not None:
        return rebuilt(v, [like_argument(getattr(v, name), binding.read(read, "attr", name), binding, gradients)
                           for name in names])
    if read.index in gradients:
        return gradients[read.index]
    return zeros_of(v) if is_number(v) else None


def zeros_of(v: Any) -> Any:
    """Zeros of the shape and dtype of a number or array."""
    return tensor(np.zeros_like(np.asarray(v)))


def numbers_of(x: Any, what: str) -> np.ndarray[Any, Any]:
    """`x` as an array of numbers; TypeError where it is none."""
    try:
        array = np.asarray(x)
    except ValueError:
        array = np.asarray(None)
    if array.dtype.kind not in "biufc":
        raise TypeError(f"{what} is {x!r:.60}, which is no number and no array of numbers")
    return array


def build(structure: Any, leaves: list[Any]) -> Any:
    """A value from its structure and the results of the core."""
    if isinstance(structure, Leaf):
        x = leaves[structure.index]
        return tensor(x) if isinstance(x, np.ndarray | np.generic | float | int | complex) else x
    if isinstance(structure, Node):
        parts = [build(p, leaves) for p in structure.parts]
        if issubclass(structure.cls, dict):
            return _new_dict(structure.cls, dict(zip(structure.keys, parts, strict=True)))
        if class_fields(structure.cls) is not None:
            return with_fields(structure.cls, dict(zip(structure.keys, parts, strict=True)))
        return structure.cls(*parts) if hasattr(structure.cls, "_fields") else structure.cls(parts)
    assert isinstance(structure, Static)
    return structure.value


def _new_dict(cls: Any, items: dict[Any, Any]) -> Any:
    """A dict of the type that the function returned; a defaultdict without what made its items."""
    if cls is dict:
        return items
    return collections.defaultdict(None, items) if issubclass(cls, collections.defaultdict) else cls(items)


def flatten_seed(structure: Any, dy: Any, where: str = "dy") -> dict[int, Any]:
    """The leaves of `dy` by the position of the result that they weight."""
    if isinstance(structure, Leaf):
        return {structure.index: dy}
    if not isinstance(structure, Node):
        return {}
    if issubclass(structure.cls, dict):
        if not isinstance(dy, dict) or dy.keys() != set(structure.keys):
            raise ShapeError(f"{where} is {dy!r:.60}; the value is a dict with the keys {list(structure.keys)}\n"
                             f"Pass a dict with these keys as {where}.")
        parts = [dy[k] for k in structure.keys]
    elif class_fields(structure.cls) is not None:
        if type(dy) is not structure.cls:
            raise ShapeError(f"{where} is {dy!r:.60}; the value is a {structure.cls.__name__}\n"
                             f"Pass a {structure.cls.__name__} as {where}.")
        parts = [getattr(dy, k) for k in structure.keys]
    else:
        if not isinstance(dy, tuple | list) or len(dy) != len(structure.parts):
            count = len(structure.parts)
            raise ShapeError(f"{where} is {dy!r:.60}; the value is a {structure.cls.__name__} of {count}\n"
                             f"Pass a {structure.cls.__name__} of {count} as {where}.")
        parts = list(dy)
    out: dict[int, Any] = {}
    for k, (p, v) in enumerate(zip(structure.parts, parts, strict=True)):
        out.update(flatten_seed(p, v, f"{where}[{k}]"))
    return out
