"""Forward mode: specialisations of tangent functions, and the structure of tangents."""

from __future__ import annotations

import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from s2s.api.dispatch import function_name, positional_names, signature_of
from s2s.api.places import name_line
from s2s.api.plan import Plan
from s2s.api.structure import argument_leaves, build, is_number, numbers_of
from s2s.containers import is_dict, mapped, part_at, steps_of
from s2s.errors import ShapeError
from s2s.ir.types import Array, Scalar, kind
from s2s.lower.binding import Read, deep_key
from s2s.lower.describe import with_article
from s2s.options import Options, Request
from s2s.pipeline import Derivative, compiled, lowered, own_faults, push_forward
from s2s.variable import plain


class _TangentEntry:
    """One specialisation of a tangent function, compiled."""

    def __init__(self, derivative: Derivative, core: Callable[..., Any]) -> None:
        program = derivative.program
        self.derivative, self.core = derivative, core
        self.plan = Plan(program.binding, program.function.block.params)
        self.structure = program.structure
        self.results = len(program.function.block.results)

    def run(self, values: list[Any], dots: list[Any]) -> tuple[Any, Any]:
        out = self.core(*self.plan.core_arguments(values), *dots)
        total = self.results + sum(self.derivative.connected)
        if total == 1:
            out = (out,)
        tangents, k = [], self.results
        for i, connected in enumerate(self.derivative.connected):
            tangents.append(out[k] if connected else np.zeros_like(out[i]))
            k += connected
        return build(self.structure, list(out[:self.results])), build(self.structure, tangents)


class TangentFunction:
    """Forward mode of all functions that share one code; specialised like gradient functions."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.entries: dict[Any, list[_TangentEntry]] = {}
        self.lock = threading.Lock()

    def __call__(self, f: Any, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
        fixed = tuple(t is None for t in tangents)
        key = (fixed, *map(deep_key, primals))
        with self.lock:
            entry, values = self._entry(key, f, primals, fixed)
        dots: list[Any] = []
        for x, t, name in zip(primals, tangents, entry.names, strict=True):  # type: ignore[attr-defined]
            if t is not None:
                _flatten_tangent(x, t, name, dots)
        for dot, read in zip(dots, entry.derivative.wrt, strict=True):
            if np.iscomplexobj(dot) and read.leaf is not None and kind(read.leaf.type) != "c":
                raise TypeError("a tangent is complex, and its argument is real; pass a real tangent")
        dots = [_cast(d, r) for d, r in zip(dots, entry.derivative.wrt, strict=True)]
        try:
            return entry.run(values, dots)
        except Exception as error:
            name_line(error)
            raise

    def _entry(self, key: Any, f: Any, primals: tuple[Any, ...],
               fixed: tuple[bool, ...]) -> tuple[_TangentEntry, list[Any]]:
        for entry in self.entries.get(key, ()):
            values = entry.plan.values(f, primals, {})
            if values is not None:
                return entry, values
        with own_faults(function_name(f)):
            entry = self._make(f, primals, fixed)
        self.entries.setdefault(key, []).append(entry)
        values = entry.plan.values(f, primals, {})
        assert values is not None, "a new specialisation does not fit the call it was made for"
        return entry, values

    def _make(self, f: Any, primals: tuple[Any, ...], fixed: tuple[bool, ...]) -> _TangentEntry:
        names = positional_names(signature_of(f), len(primals))
        program = lowered(f, function_name(f), primals, {}, names)
        wrt: list[Read] = []
        for name, is_fixed, x in zip(names, fixed, primals, strict=True):
            if not is_fixed and type(x) in (int, bool):
                raise TypeError(f"{function_name(f)}: the parameter {name!r} is {with_article(type(x).__name__)}, "
                                f"which has no tangent; pass {float(x)!r}, or None as its tangent")
            if not is_fixed:
                wrt += argument_leaves(program.binding, program.arguments[name])
        derivative = push_forward(program, wrt, options=self.options)
        entry = _TangentEntry(derivative, compiled(derivative, self.options))
        entry.names = names  # type: ignore[attr-defined]
        program.binding.forget()
        return entry


def _flatten_tangent(x: Any, t: Any, name: str, dots: list[Any]) -> None:
    """The tangents of the numbers in an argument, in the order of its leaves."""
    steps = steps_of(x)
    if steps is not None:
        if t is None:
            t = mapped(lambda leaf: None, x)
        _check_nest(x, t, name)
        for step in steps:
            place = f"{name}[{step[1]!r}]" if step[0] == "item" else f"{name}.{step[1]}"
            _flatten_tangent(part_at(x, step), part_at(t, step), place, dots)
    elif is_number(x):
        dot = np.zeros_like(np.asarray(plain(x))) if t is None else numbers_of(plain(t), f"the tangent of {name}")
        if dot.shape != np.shape(plain(x)):
            raise ShapeError(f"the tangent of {name} has shape {dot.shape}; "
                             f"the argument has shape {np.shape(plain(x))}\n"
                             "Pass one of the shape of the argument.")
        dots.append(dot)


def _check_nest(x: Any, t: Any, name: str) -> None:
    """ShapeError where the tangent `t` of a container has another structure than it."""
    if isinstance(x, tuple | list):
        if not isinstance(t, tuple | list) or len(t) != len(x):
            raise ShapeError(f"the tangent of {name} is {t!r:.60}; the argument has {len(x)} elements\n"
                             f"Pass a {type(x).__name__} of {len(x)}.")
    elif is_dict(x):
        if not isinstance(t, dict) or t.keys() != x.keys():
            raise ShapeError(f"the tangent of {name} is {t!r:.60}; the argument is a dict with the keys {list(x)}\n"
                             "Pass a dict with these keys.")
    elif type(t) is not type(x):
        raise ShapeError(f"the tangent of {name} is {t!r:.60}; the argument is {with_article(type(x).__name__)}\n"
                         f"Pass {with_article(type(x).__name__)} of tangents.")


def _cast(dot: np.ndarray[Any, Any], read: Read) -> Any:
    assert read.leaf is not None
    t = read.leaf.type
    assert isinstance(t, Scalar | Array)
    cast = dot.astype(t.dtype)
    return cast.item() if isinstance(t, Scalar) and t.weak else cast[()]


_CODES: weakref.WeakKeyDictionary[Any, dict[Any, TangentFunction]] = weakref.WeakKeyDictionary()
_LOCK = threading.Lock()


def tangent_function(f: Any, options: Options) -> TangentFunction:
    """The tangent function of all functions with the code of `f`."""
    kind: Any = options
    owner = f
    while isinstance(getattr(owner, "request", None), Request):  # a gradient function, or a Jacobian function of one
        kind, owner = (kind, type(owner), owner.request.kind_of_derivative), owner.__wrapped__
    if isinstance(owner, types.FunctionType):
        owner = owner.__code__
    try:
        with _LOCK:
            known = _CODES.setdefault(owner, {})
            if kind not in known:
                known[kind] = TangentFunction(options)
            return known[kind]
    except TypeError:  # no weak references, or no hash: a partial object, a bound method
        return TangentFunction(options)
