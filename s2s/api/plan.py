"""How a specialisation is checked and fed at each call: getters and guards prepared once."""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2s.ir.types import Opaque
from s2s.lower.binding import MISSING, Binding, Read, array_key, fetch, key_of
from s2s.variable import Variable

Guard = Callable[[Any], bool]
EXACT = (float, int, bool, complex, type(None))


def guard(read: Read) -> Guard:
    """A test whether a value can stand where `read` found its own."""
    key = read.key
    if read.pinned:
        one = read.value
        return lambda v: v is one
    if read.by_value:
        cls, expected = type(read.value), read.value
        return lambda v: type(v) is cls and (v == expected or (v != v and expected != expected))
    v = read.value
    if isinstance(v, type):
        return lambda other: other is v
    if any(key is t for t in EXACT):  # not `in`: a dtype equals the type of its numbers
        return lambda v: type(v) is key
    if isinstance(v, Variable):
        trainable, inner = v.trainable, key[2]
        return lambda v: isinstance(v, Variable) and v.trainable == trainable and array_key(v._value) == inner
    if isinstance(v, np.ndarray):
        return lambda v: isinstance(v, np.ndarray) and array_key(v) == key
    if isinstance(key, types.CodeType):
        # Not held: specialisations are kept as long as the code is.
        code = weakref.ref(key)
        return lambda v: key_of(v) is code()
    if v is MISSING:
        return lambda v: v is MISSING
    return lambda v: bool(key_of(v) == key)


def plain_value(v: Any) -> Any:
    """What the core is given for a leaf: a number or a plain array."""
    if isinstance(v, Variable):
        v = v._value
    if isinstance(v, np.ndarray):
        if v.ndim == 0:
            return v[()]
        return v if type(v) is np.ndarray else v.view(np.ndarray)
    return v


class Relations:
    """Which of the values that are read have to be one object, different ones, or of one shape.

    same, shaped, apart: pairs of positions; distinct: the positions of objects of which no two are the same.
    """

    def __init__(self, binding: Binding) -> None:
        self.same = [(r.index, r.same_as.index) for r in binding.reads if r.same_as is not None and r.same_as is not r]
        self.shaped = [(r.index, r.shaped_as.index) for r in binding.reads if r.shaped_as is not None]
        firsts = [r.index for r in binding.reads if r.same_as is r]
        self.distinct = firsts if len(firsts) > 1 else []
        self.apart = [(a.index, b.index) for a, b in binding.apart]

    def hold(self, values: Sequence[Any]) -> bool:
        """Whether the values of a call are related as those of the specialisation."""
        for k, first in self.same:
            if values[k] is not values[first]:
                return False
        for k, first in self.shaped:
            if values[k].shape != values[first].shape:
                return False
        for k, other in self.apart:
            if values[k] is values[other]:
                return False
        return not self.distinct or len({id(values[k]) for k in self.distinct}) == len(self.distinct)


class Plan:
    """The reads of a specialisation: `values` fetches them, or says that it does not fit."""

    def __init__(self, binding: Binding, params: Sequence[Any]) -> None:
        self.steps = [(self._getter(r), guard(r)) for r in binding.reads]
        self.relations = Relations(binding)
        at = {r.leaf: r.index for r in binding.reads if r.leaf is not None}
        self.leaves = [at[p] for p in params]
        self.objects = frozenset(at[p] for p in params if isinstance(p.type, Opaque))
        # Python numbers go in as they are.
        by_index = {r.index: r for r in binding.reads}
        self.simple = all(type(by_index[k].value) in EXACT for k in self.leaves)

    def _getter(self, read: Read) -> Callable[[Any, tuple[Any, ...], dict[str, Any], list[Any]], Any]:
        kind, what = read.step
        if kind == "root":
            if what == "function":
                return lambda f, args, kwargs, values: f
            if what[0] == "arg":
                k = what[2]
                return lambda f, args, kwargs, values: args[k]
            name = what[1]
            return lambda f, args, kwargs, values: kwargs[name]
        if kind == "constant":
            return lambda f, args, kwargs, values: what
        parent, step = read.parent, read.step
        if kind == "global":
            return lambda f, args, kwargs, values: values[parent].__globals__.get(what, MISSING)
        return lambda f, args, kwargs, values: fetch(values[parent], step)

    def values(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any] | None:
        """The values of all reads, in order; None where one does not fit."""
        values: list[Any] = []
        for getter, fits in self.steps:
            v = getter(function, args, kwargs, values)
            if not fits(v):
                return None
            values.append(v)
        return values if self.relations.hold(values) else None

    def core_arguments(self, values: list[Any]) -> list[Any]:
        """What the core is called with."""
        if self.simple:
            return [values[k] for k in self.leaves]
        return [values[k] if k in self.objects else plain_value(values[k]) for k in self.leaves]
