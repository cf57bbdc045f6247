"""What a block can reach when it is entered, before it is known what it reads.

The first time a block is entered, its source has not been lowered (what some calls give is known only when it has
run), so whatever the names and attributes in it, and in the functions that it calls, may lead to is kept: copies
of containers and of dictionaries of attributes, values of Variables, states of generators; and copies of arrays if
anything in this code may write into one. Later entries keep what was read (see `place`).
"""

from __future__ import annotations

import dis
import types
from collections.abc import Iterable, Iterator
from typing import Any

import gast
import numpy as np

from s2s.containers import is_dict
from s2s.lower.binding import MISSING, fetch
from s2s.lower.calls import is_library
from s2s.tape.generators import GENERATORS, LEGACY, PYTHON, state_of
from s2s.variable import Variable

_ATOMS = (int, float, complex, str, bytes, bool, type(None), np.generic, np.dtype, np.ufunc,
          types.BuiltinFunctionType, range, slice)
_WRITING = frozenset({"fill", "sort", "put", "partition", "resize", "itemset", "setfield", "setflags", "copyto",
                      "place", "putmask", "fill_diagonal", "put_along_axis", "shuffle", "at", "out", "setattr"})
_LIBRARY_ROOTS = ("numpy", "scipy", "builtins", "s2s", "sys", "os", "math", "random", "time", "logging", "threading",
                  "unittest", "pytest", "_pytest", "IPython", "matplotlib", "pandas")


class Graph:
    """Copies of what can be reached. `fetch` reads a part of an object as it was."""

    def __init__(self, names: dict[str, Any], statements: Iterable[Any]) -> None:
        self.containers: dict[int, Any] = {}
        self.attributes: dict[int, dict[str, Any]] = {}
        self.globals: dict[int, dict[str, Any]] = {}
        self.cells: dict[int, dict[str, Any]] = {}
        self.arrays: dict[int, Any] = {}
        self.raws: dict[int, Any] = {}
        self.states: dict[int, tuple[Any, Any]] = {}
        self.kept: list[Any] = []  # so that no id is used again
        self.mentioned: set[str] = set()
        self._writes = False
        self._seen: set[int] = set()
        self._pending: list[Any] = list(names.values())
        self._found_arrays: list[Any] = []
        self._code(statements)
        for generator in (LEGACY, PYTHON):
            self.states[id(generator)] = (generator, state_of(generator))
        self._visit_all()
        if self._writes:
            for a in self._found_arrays:
                self.arrays[id(a)] = a.copy(order="K")

    # Reading.

    def fetch(self, parent: Any, step: tuple[str, Any]) -> Any:
        """What one step from `parent` led to."""
        kind, what = step
        held = {"attr": self.attributes, "cell": self.cells}.get(kind, {}).get(id(parent), {})
        if kind == "global":
            held = self.globals.get(id(getattr(parent, "__globals__", None)), {})
        v = held[what] if what in held else fetch(parent, step)
        return self.frozen(v)

    def frozen(self, v: Any) -> Any:
        """A container as it was; everything else is what it is."""
        return self.containers.get(id(v), v)

    def reached(self) -> list[Any]:
        """What can be reached: Variables, arrays, containers and other objects."""
        return list(self.kept)

    # Collecting.

    def _visit_all(self) -> None:
        objects: list[Any] = []
        known = -1
        while self._pending or known != len(self.mentioned):
            if not self._pending:
                known = len(self.mentioned)
                for v in objects:
                    self._mentioned_parts(v)
                continue
            v = self._pending.pop()
            if isinstance(v, _ATOMS) or id(v) in self._seen:
                continue
            self._seen.add(id(v))
            self.kept.append(v)
            if self._visit(v):
                objects.append(v)
                self._mentioned_parts(v)

    def _visit(self, v: Any) -> bool:
        """Keep `v`; whether it has attributes to look at."""
        if isinstance(v, Variable):
            self.raws[id(v)] = v.raw
        elif isinstance(v, np.ndarray):
            self._found_arrays.append(v)
        elif isinstance(v, list | tuple | set | frozenset) or is_dict(v):
            if not isinstance(v, tuple | frozenset):
                self.containers[id(v)] = v.copy()
            self._pending += v.values() if isinstance(v, dict) else v
        elif isinstance(v, GENERATORS):
            self.states[id(v)] = (v, state_of(v))
        elif isinstance(v, types.FunctionType):
            self._function(v)
        elif isinstance(v, types.MethodType):
            self._pending += [v.__self__, v.__func__]
        elif isinstance(v, types.ModuleType):
            return not _is_library_name(v.__name__)
        else:
            return self._object(v)
        return False

    def _object(self, v: Any) -> bool:
        """A class, or an instance of one."""
        if isinstance(v, type):
            found = [] if _is_library_name(v.__module__) else list(vars(v).values())
            self._pending += [f for f in found if isinstance(f, types.FunctionType)]
            self._pending += [f.fget for f in found if isinstance(f, property)]
            self._pending += [f.__func__ for f in found if isinstance(f, staticmethod | classmethod)]
            return not _is_library_name(v.__module__)
        # What is behind a partial, a jitted function, a decorated one.
        names = {"partial": ("func", "args", "keywords"), "CPUDispatcher": ("py_func",)}.get(type(v).__name__, ())
        self._pending += [getattr(v, name) for name in names]
        self._pending += [part for name, part in getattr(v, "__dict__", {}).items() if name == "__wrapped__"]
        if _is_library_name(type(v).__module__):
            return False
        self._pending += type(v).__mro__
        return True

    def _mentioned_parts(self, v: Any) -> None:
        """Keep the attributes of `v` that some code names."""
        held = self.attributes.get(id(v))
        if held is None:
            own = getattr(v, "__dict__", {})
            held = self.attributes[id(v)] = dict(own) if not isinstance(v, type | types.ModuleType) else {}
        for name in self.mentioned:
            part = held.get(name, MISSING)
            if part is MISSING:
                part = _plain_attribute(v, name)
                if part is MISSING:
                    continue
                held[name] = part
            if id(part) not in self._seen:
                self._pending.append(part)

    def _function(self, f: types.FunctionType) -> None:
        if is_library(f):
            return
        names = {name for code in codes_in(f.__code__) for name in (*code.co_names, *code.co_freevars)}
        self.mentioned |= names
        self._writes = self._writes or any(map(_may_write, codes_in(f.__code__)))
        cells = {}
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            try:
                cells[name] = cell.cell_contents
            except ValueError:
                continue
        self.cells[id(f)] = cells
        known = self.globals.setdefault(id(f.__globals__), {})
        for name in names:
            if name in f.__globals__:
                known.setdefault(name, f.__globals__[name])
                self._pending.append(known[name])
        self._pending += [*cells.values(), *(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()]

    def _code(self, statements: Iterable[Any]) -> None:
        for n in (n for s in statements for n in gast.walk(s)):
            if isinstance(n, gast.Attribute):
                self.mentioned.add(n.attr)
            self._writes = self._writes or _writes(n)


def _writes(n: Any) -> bool:
    """Whether a node of a block may write into an array."""
    if isinstance(n, gast.Attribute):
        return n.attr in _WRITING
    if isinstance(n, gast.Subscript):
        return isinstance(n.ctx, gast.Store)
    return isinstance(n, gast.AugAssign) or (isinstance(n, gast.keyword) and n.arg == "out")


def codes_in(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code, and those of the functions in it."""
    yield code
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            yield from codes_in(c)


def _may_write(code: types.CodeType) -> bool:
    """Whether a function has an instruction that could write into an array."""
    if not _WRITING.isdisjoint(code.co_names) or any("out" in c for c in code.co_consts if isinstance(c, tuple)):
        return True
    return any(i.opname in ("STORE_SUBSCR", "STORE_SLICE") or i.opname.startswith("INPLACE_")
               or (i.opname == "BINARY_OP" and i.argrepr.endswith("=")) for i in dis.get_instructions(code))


def _is_library_name(module: Any) -> bool:
    return isinstance(module, str) and module.partition(".")[0] in _LIBRARY_ROOTS


def _plain_attribute(v: Any, name: str) -> Any:
    """An attribute that is stored somewhere, not computed; MISSING where there is none."""
    if isinstance(v, types.ModuleType):
        return vars(v).get(name, MISSING)
    for cls in (v if isinstance(v, type) else type(v)).__mro__:
        if name in vars(cls):
            found = vars(cls)[name]
            if isinstance(found, types.MemberDescriptorType) and not isinstance(v, type):
                return getattr(v, name, MISSING)  # a slot
            computed = isinstance(found, property | staticmethod | classmethod | types.FunctionType) or hasattr(
                type(found), "__get__")
            return MISSING if computed else found
    return MISSING
