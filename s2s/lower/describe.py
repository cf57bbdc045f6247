"""What a value is, in words, for messages."""

from __future__ import annotations

import types

import numpy as np

from s2s.ir.core import Value
from s2s.ir.types import Array, List, Opaque, Scalar
from s2s.lower.values import (
    Bound,
    Box,
    Closure,
    Conflict,
    Lazy,
    Lowered,
    Method,
    Outside,
    Producer,
    Range,
    Slice,
    Static,
    Tuple,
)


def describe(x: Lowered) -> str:
    """What a value is, for messages."""
    if isinstance(x, Value):
        return _described_type(x)
    if isinstance(x, Static):
        name = getattr(x.value, "__name__", None)
        if isinstance(x.value, types.ModuleType):
            return f"the module {name}"
        if isinstance(x.value, type):
            return f"the class {name}"
        return str(name) if callable(x.value) and name else f"{x.value!r:.60}"
    if isinstance(x, Outside):
        return with_article(type(x.value).__name__)
    if isinstance(x, Box):
        return with_article(x.cls.__name__ if x.cls is not None else x.kind)
    return _DESCRIBED[type(x)]


_DESCRIBED = {Tuple: "a tuple", Range: "a range", Lazy: "an iterator", Producer: "a generator", Slice: "a slice",
              Closure: "a function",
              Bound: "a method", Method: "a method", Conflict: "a value of several kinds"}
_NUMBERS = {"f": "float", "c": "complex number", "i": "int", "u": "int", "b": "bool"}


def _described_type(x: Value) -> str:
    t = x.type
    if isinstance(t, Scalar):
        return with_article(_NUMBERS[np.dtype(t.dtype).kind] if t.weak else t.dtype)
    if isinstance(t, Array):
        return f"an array of {t.dtype}"
    if isinstance(t, List):
        return "a list that grows in a loop"
    if isinstance(t, Opaque) and x.op is not None:
        return "text" if x.op.name == "format" else f"the result of {x.op.attrs.get('name') or t.what}()"
    return with_article(str(t))


def with_article(word: str) -> str:
    """`word` after "a" or "an".

    >>> with_article("int"), with_article("float")
    ('an int', 'a float')
    """
    return f"{'an' if word[0].lower() in 'aeio' else 'a'} {word}"
