"""Where a program's outside values come from, and how to fetch them again at the next call.

Lowering reads globals, closure cells, defaults, attributes and container elements; each `Read` names
its parent and one step. The reads, in order, are a plan: at the next call they are made again, and the
specialisation is used if each value still has the key it had. Rebinding is noticed because nothing
that was read is kept.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2s.containers import field_names, is_dict
from s2s.ir.core import Value
from s2s.ir.types import BOOL, COMPLEX, FLOAT, INT, Array, Dim, Scalar, Type, known_dim
from s2s.variable import Variable

Path = tuple[Any, ...]
_NUMBERS: dict[type, Type] = {float: FLOAT, int: INT, bool: BOOL, complex: COMPLEX}


class _Missing:
    """What a read gives where the name or attribute is not there."""

    def __repr__(self) -> str:
        return "<missing>"


MISSING = _Missing()


def array_key(a: np.ndarray[Any, Any]) -> Any:
    """dtype, rank, which axes have size 1, and layout of an array (architecture.md, decision 1)."""
    if a.ndim == 0:
        return a.dtype.type
    flags = a.flags
    layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
    return (a.dtype, layout, *[n == 1 for n in a.shape])


def key_of(v: Any) -> Any:
    """What a specialisation depends on of a value, without its number. Equal keys, equal program."""
    t = type(v)
    if t in _NUMBERS or v is None:
        return t
    if isinstance(v, np.ndarray):
        return array_key(v)
    if isinstance(v, np.generic):
        return v.dtype.type
    if isinstance(v, Variable):
        return ("variable", v.trainable, key_of(v._value))
    if t in (tuple, list):
        return (t, len(v))
    if is_dict(v):
        return (t, tuple(v))
    if t is str:
        return v
    if isinstance(v, types.FunctionType):
        return v.__code__
    if isinstance(v, types.MethodType):
        code = v.__func__.__code__ if isinstance(v.__func__, types.FunctionType) else t
        return ("method", code, key_of(v.__self__))
    if isinstance(v, type | types.ModuleType | types.BuiltinFunctionType | np.ufunc):
        return v
    if isinstance(v, tuple):
        return (t, len(v))
    if isinstance(v, np.dtype):
        return v
    own = getattr(t, "__s2s_key__", None)
    return own(v) if own is not None else t


def deep_key(v: Any) -> Any:
    """The key of an argument: containers by structure, down to the leaves."""
    t = type(v)
    if t in (tuple, list) or (isinstance(v, tuple) and hasattr(t, "_fields")):
        return (t, *map(deep_key, v))
    if is_dict(v):
        return (t, *((k, deep_key(x)) for k, x in v.items()))
    names = field_names(v)
    if names is not None:
        return (t, *(deep_key(getattr(v, name)) for name in names))
    return key_of(v)


def _is_known(dtype: np.dtype[Any]) -> bool:
    """Whether s2s computes in a dtype: all numbers but the long ones, which differ between machines."""
    return dtype.kind in "biufc" and dtype.char not in "gG"


def _is_plain(t: Any) -> bool:
    """Whether arrays of this type compute as ndarray does; masked arrays and np.matrix do not."""
    return t.__mul__ is np.ndarray.__mul__


def number_type(v: Any, name: str) -> Type | None:
    """The IR type of a number or array; None for any other object."""
    t = type(v)
    if t in _NUMBERS:
        return _NUMBERS[t]
    if isinstance(v, Variable):
        return number_type(v._value, name)
    if isinstance(v, np.generic) and _is_known(v.dtype):
        return Scalar(v.dtype.name)
    if isinstance(v, np.ndarray) and _is_known(v.dtype) and _is_plain(t):
        if v.ndim == 0:
            return Scalar(v.dtype.name)
        dims = tuple(known_dim(1) if n == 1 else Dim(f"{name}.{k}", 0, True) for k, n in enumerate(v.shape))
        layout = "C" if v.flags.c_contiguous else "F" if v.flags.f_contiguous else "A"
        return Array(v.dtype.name, dims, layout)
    return None


@dataclass(eq=False, slots=True)
class Read:
    """One step from a parent read (or from a root object) to a value.

    path: the steps from the root, which identifies the read across specialisations. key: of the value
    that was found; by_value: the value itself is the key. leaf: the program's parameter, where the value
    is a number or array.
    """

    parent: int  # index in Binding.reads; -1 for a root
    step: tuple[str, Any]
    path: Path
    index: int
    value: Any
    key: Any
    by_value: bool = False
    leaf: Value | None = None
    pinned: bool = False  # the object itself is the key
    same_as: Read | None = None  # the first read that led to the same Variable or object
    shaped_as: Read | None = None  # the first array with the same shape


def fetch(parent: Any, step: tuple[str, Any]) -> Any:
    """The value that one step from `parent` leads to now, or MISSING."""
    kind, what = step
    try:
        return _FETCH[kind](parent, what)
    except (AttributeError, KeyError, IndexError, NameError, ValueError):
        # Not bound now: for a guard that is a difference like any other.
        return MISSING


def member(cls: type, name: str) -> Any:
    """What a class or one of its bases has under a name, as it is there: no descriptor is called."""
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return MISSING


def _default(function: Any, name: str) -> Any:
    """The default value of a positional parameter."""
    code, values = function.__code__, function.__defaults__
    return values[code.co_varnames.index(name) - code.co_argcount + len(values)]


def _item(parent: Any, key: Any) -> Any:
    """An item of a container, whatever `__getitem__` a subclass may have."""
    get: Any = next((t.__getitem__ for t in (list, tuple, dict) if isinstance(parent, t)), None)
    return parent[key] if get is None else get(parent, key)


_FETCH: dict[str, Callable[[Any, Any], Any]] = {
    "attr": getattr,
    "item": _item,
    "cell": lambda parent, name: parent.__closure__[parent.__code__.co_freevars.index(name)].cell_contents,
    "default": _default,
    "kwdefault": lambda parent, name: parent.__kwdefaults__[name],
    "global": lambda parent, name: parent.__globals__[name],
    "member": member,
    "type_attr": lambda parent, name: getattr(type(parent), name),
    "self": lambda parent, _: parent,
}


@dataclass(eq=False)
class Binding:
    """The reads of one specialisation, in order, and which of them are keyed by value.

    apart: arrays of which one is written to, and which therefore must not be one and the same.
    """

    by_value: frozenset[Path] = frozenset()
    reads: list[Read] = field(default_factory=list)
    known: dict[Path, Read] = field(default_factory=dict)
    apart: list[tuple[Read, Read]] = field(default_factory=list)
    shapes: dict[tuple[int, ...], Read] = field(default_factory=dict)

    def type_of(self, read: Read, name: str) -> Type | None:
        """The IR type of a number or array; arrays of one shape have the same sizes. None for any other object."""
        t = number_type(read.value, name)
        if isinstance(t, Array):
            first = self.shapes.setdefault(read.value.shape, read)
            if first.leaf is not None and isinstance(first.leaf.type, Array):
                read.shaped_as = first
                t = Array(t.dtype, first.leaf.type.dims, t.layout)
        return t

    def root(self, name: Any, value: Any, key: Any = None) -> Read:
        """A value handed over at each call: an argument, or the function itself."""
        return self._add(-1, ("root", name), (name,), value)

    def constant(self, value: Any) -> Read:
        """An object that is the same at every call: a function found on a class."""
        return self._add(-1, ("constant", value), (("constant", id(value)),), value)

    def read(self, parent: Read, kind: str, what: Any) -> Read:
        """The value one step from `parent`; made once for each path."""
        path = (*parent.path, (kind, what))
        if path in self.known:
            return self.known[path]
        return self._add(parent.index, (kind, what), path, self.fetch(path, parent.value, (kind, what)))

    def fetch(self, path: Path, parent: Any, step: tuple[str, Any]) -> Any:
        """The value one step from `parent`."""
        return fetch(parent, step)

    def forget(self) -> None:
        """Keep nothing alive that the first call was made with: each call reads its own."""
        for read in self.reads:
            read.value = None
            if isinstance(read.key, types.CodeType):
                read.key = None  # the guard has it, weakly

    def _add(self, parent: int, step: tuple[str, Any], path: Path, value: Any) -> Read:
        if path in self.known:
            return self.known[path]
        by_value = path in self.by_value
        read = Read(parent, step, path, len(self.reads), value, value if by_value else key_of(value), by_value)
        self.reads.append(read)
        self.known[path] = read
        return read


def is_argument(read: Read) -> bool:
    """Whether a read starts at an argument of the call."""
    root = read.path[0]
    return isinstance(root, tuple) and root[0] in ("arg", "kwarg")


def path_name(path: Path) -> str:
    """A readable name for what a path leads to: `model_layers_0_w`."""
    parts = []
    for step in path[1:]:
        kind, what = step
        if kind != "self":
            parts.append(str(what))
    if not parts or parts[0].isdigit():
        root = path[0]
        parts = [str(root[1] if isinstance(root, tuple) else root), *parts]
    name = "_".join(p for p in parts if p)
    cleaned = "".join(c if c.isalnum() or c == "_" else "_" for c in name).strip("_")
    return cleaned if cleaned and not cleaned[0].isdigit() else f"v{cleaned}"
