"""A gradient function: picks the specialisation for a call, makes it where there is none, runs it."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import threading
import types
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from s2s.api.entry import Entry
from s2s.api.inspection import Lowered
from s2s.api.pickling import reduced
from s2s.api.places import name_line
from s2s.api.shell import MISS, write_shell
from s2s.api.structure import argument_leaves, build, is_number, like_argument
from s2s.containers import leaves
from s2s.ir.types import kind
from s2s.lower.binding import Read, deep_key
from s2s.lower.lower import Program
from s2s.lower.values import Static
from s2s.options import Request
from s2s.pipeline import Derivative, compiled, differentiate, lowered, own_faults
from s2s.variable import Variable


class GradientFunction:
    """What the API functions return. Call it with the arguments of the function.

    Attributes: `source`, `signatures`, `variables`, `__wrapped__`, and `lower(...)`.
    """

    __s2s_role__ = "gradient"

    def __init__(self, request: Request) -> None:
        if not callable(request.function) or isinstance(request.function, Variable):
            raise TypeError(f"s2s differentiates a function; it was given {_article(type(request.function).__name__)} "
                            f"{type(request.function).__name__}: {request.function!r:.60}")
        for p in request.params or ():
            if not isinstance(p, int | str):
                raise TypeError(f"params and argnums are names or positions of parameters; got {p!r:.60}")
        if request.params == ():
            raise TypeError("params and argnums name the parameters to differentiate; none is named")
        functools.update_wrapper(self, request.function)
        self.request = request
        self.__wrapped__ = request.function
        self._entries, self._lock = _shared(request)
        self._last: Entry | None = None
        self._shell: Callable[..., Any] | None = None  # that of the entry used last
        self._signature = signature_of(request.function)
        parameters = self._signature.parameters if self._signature is not None else {}
        self._takes_dy = "dy" in parameters
        # A parameter that is to be differentiated and left at its default is passed like any other.
        self._named_defaults = {p.name: (k, p.default) for k, p in enumerate(parameters.values())
                                if p.name in (request.params or ()) and p.default is not p.empty}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            if self._shell is not None:
                result = self._shell(self.__wrapped__, args, kwargs)
                if result is not MISS:
                    return result
            return self.call(self.__wrapped__, args, kwargs)
        except Exception as error:
            name_line(error)
            raise

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result for a call of `function`: that of the request, or the same method of an instance."""
        dy = None if self._takes_dy else kwargs.pop("dy", None)
        for name, (k, default) in self._named_defaults.items():
            if k >= len(args) and name not in kwargs:
                kwargs[name] = default
        return self._run(function, args, kwargs, dy)

    def with_dy(self, dy: Any) -> Callable[..., Any]:
        """The gradient function with weights for the value, where the function has a parameter `dy`."""
        return functools.partial(self.weighted, dy)

    def weighted(self, dy: Any, /, *args: Any, **kwargs: Any) -> Any:
        """The result for a call of the function, with the weights `dy` for its value."""
        return self._run(self.__wrapped__, args, kwargs, dy)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """As a method: the gradient of the bound method."""
        if instance is None:
            return self
        return BoundGradient(self, instance)

    def _run(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], dy: Any) -> Any:
        try:
            if dy is None and self._shell is not None:
                result = self._shell(function, args, kwargs)
                if result is not MISS:
                    return result
            entry, values = self._entry(function, args, kwargs, dy is not None)
            self._last = entry
            self._shell = entry.shell
            return self._finish(entry, values, args, kwargs, dy)
        except Exception as error:
            name_line(error)
            raise

    def _entry(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
               with_dy: bool) -> tuple[Entry, list[Any]]:
        key = (with_dy, *map(deep_key, args), *((k, deep_key(v)) for k, v in kwargs.items()))
        found = self._fitting(key, function, args, kwargs)
        if found is None:
            with self._lock:
                found = self._fitting(key, function, args, kwargs)
                if found is None:
                    entry = self._make(function, args, kwargs, with_dy)
                    self._entries.setdefault(key, []).append(entry)
                    found = self._fitting(key, function, args, kwargs)
        assert found is not None, "a new specialisation does not fit the call it was made for"
        return found

    def _fitting(self, key: Any, function: Any, args: tuple[Any, ...],
                 kwargs: dict[str, Any]) -> tuple[Entry, list[Any]] | None:
        """The specialisation made already that fits a call, and the values it reads."""
        for entry in self._entries.get(key, ()):
            values = entry.plan.values(function, args, kwargs)
            if values is not None:
                return entry, values
        return None

    def _make(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], with_dy: bool) -> Entry:
        with own_faults(function_name(function)):
            derivative = self._derivative(function, args, kwargs, with_dy)
            entry = Entry(derivative, compiled(derivative, self.request.options), with_dy)
        if not with_dy:
            entry.shell = self._write_shell(entry, args, kwargs)
        entry.forget()
        return entry

    def _write_shell(self, entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any]:
        names = None
        if self.request.kind != "implicit":
            names = self._chosen(positional_names(self._signature, len(args)), kwargs)
        return write_shell(entry, names, self.request, len(args), tuple(kwargs))

    def _derivative(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], with_dy: bool) -> Derivative:
        request = self.request
        names = positional_names(self._signature, len(args))
        self._check_arguments(args, kwargs)
        if request.kind != "implicit":
            given = {**dict(zip(names, args, strict=True)), **kwargs}
            self._check_chosen(self._chosen(names, kwargs), given)
        program = lowered(function, function_name(function), args, kwargs, names,
                          merge=request.kind == "implicit")
        if isinstance(program.structure, Static) and program.structure.value is None:
            raise ValueError(f"{function_name(request.function)} returns None; did you forget to return a value?")
        if isinstance(program.structure, Static) and isinstance(program.structure.value, str | bytes):
            raise TypeError(f"{function_name(request.function)} returns text, which has no gradient; return a number "
                            "or an array")
        self._check_real(program, with_dy)
        if request.kind == "implicit":
            wrt = self._implicit(program.touched)
        else:
            chosen = self._chosen(names, kwargs)
            wrt = [leaf for name in chosen for leaf in argument_leaves(program.binding, program.arguments[name])]
        keep = request.with_value or with_dy
        return differentiate(program, wrt, keep_values=keep, seeds_given=with_dy, options=request.options)

    def _check_arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if self._signature is not None:
            try:
                self._signature.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{function_name(self.request.function)}: {error}") from None

    def _check_real(self, program: Program, with_dy: bool) -> None:
        """A complex value has no gradient by itself: it is no loss (TensorFlow's convention is for real ones)."""
        if not with_dy and any(kind(v.type) == "c" for v in program.function.block.results):
            raise TypeError(f"{function_name(self.request.function)} returns a complex value, and a gradient is that "
                            "of a real one; return its abs, real or imag part, or pass weights as dy")

    def _chosen(self, names: list[str], keywords: Iterable[str]) -> list[str]:
        """Names of the arguments to differentiate; those passed by keyword where `params` names them."""
        params = self.request.params
        if params is None:
            return names
        out = []
        for p in params:
            if isinstance(p, str):
                if p not in names and p not in keywords:
                    have = ", ".join([*names, *keywords]) or "none"
                    raise ValueError(f"{function_name(self.request.function)} has no argument {p!r} in this call; "
                                     f"params may name: {have}")
                out.append(p)
            else:
                if not -len(names) <= p < len(names):
                    raise ValueError(f"{function_name(self.request.function)} is called with {len(names)} positional "
                                     f"argument{'s' * (len(names) != 1)}; the gradient of number {p} is asked for "
                                     "(they are counted from 0)")
                out.append(names[p])
        return out

    def _check_chosen(self, chosen: list[str], arguments: dict[str, Any]) -> None:
        """A gradient that is asked for by name, or the only one, is not to be None because of the argument's type."""
        nothing = not any(_has_number(arguments[name]) for name in chosen)
        for name in chosen:
            v = arguments[name]
            if (self.request.params is not None or nothing) and not _has_number(v):
                raise TypeError(f"{function_name(self.request.function)}: the parameter {name!r} is "
                                f"{_without_gradient(v)}")
        if nothing:
            raise TypeError(f"{function_name(self.request.function)} is called without an argument that can be "
                            "differentiated; for the gradients of Variables use s2s.implicit_gradients")

    def _implicit(self, touched: list[Read]) -> list[Read]:
        found: dict[int, Read] = {}
        for r in touched:
            found.setdefault(id(r.value), r)
        trainable = [r for r in found.values() if r.value.trainable]
        if not trainable:
            name = function_name(self.request.function)
            ints = [r.value for r in found.values() if np.dtype(r.value.dtype).kind in "biu"]
            if ints:
                raise ValueError(f"no trainable Variable is read by {name}: {ints[0].name or 'the Variable'} has the "
                                 f"integer dtype {ints[0].dtype}; create it from floats")
            held = [r.value for r in found.values()]
            if held:
                raise ValueError(f"no trainable Variable is read by {name}: {held[0].name or 'the Variable'} was made "
                                 "with trainable=False")
            raise ValueError(f"no trainable Variable is read by {name} or by what it calls; a value computed from a "
                             "Variable before the call is a constant")
        return sorted(trainable, key=lambda r: r.value._number)

    def _finish(self, entry: Entry, values: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any], dy: Any) -> Any:
        results, gradients = entry.run(values, dy)
        wrt = entry.derivative.wrt
        if self.request.kind == "implicit":
            shaped: Any = [(g, values[r.index]) for g, r in zip(gradients, wrt, strict=True)]
        else:
            by_read = {r.index: g for r, g in zip(wrt, gradients, strict=True) if g is not None}
            connected = {r.index: g is not None for r, g in zip(wrt, gradients, strict=True)}
            names = self._chosen(positional_names(self._signature, len(args)), kwargs)
            shaped = [self._argument_gradient(entry, name, values, by_read, connected) for name in names]
            if self.request.single:
                shaped = tuple(shaped) if self.request.as_tuple else shaped[0]
        if not self.request.with_value:
            return shaped
        return build(entry.structure, results), shaped

    def _argument_gradient(self, entry: Entry, name: str, values: list[Any], by_read: dict[int, Any],
                           connected: dict[int, bool]) -> Any:
        read = entry.derivative.program.arguments[name]
        if not any(connected.get(r.index) for r in entry.leaves[name]):
            return None
        return like_argument(values[read.index], read, entry.binding, by_read)

    # Inspection -----------------------------------------------------------------------------------

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """The adjoint for a call with these arguments, without running it."""
        return self.lower_for(self.__wrapped__, args, kwargs)

    def lower_for(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Lowered:
        """The same for a call of `function`, as in `call`."""
        dy = None if self._takes_dy else kwargs.pop("dy", None)
        with own_faults(function_name(function)):
            return Lowered(self._derivative(function, args, kwargs, dy is not None), self.request.options)

    @property
    def source(self) -> str:
        """The adjoint for the argument types seen last, or those of the annotations and defaults."""
        if self._last is not None:
            return self._last.derivative.emitted.source
        return self.lower(*_sample_arguments(self._signature, function_name(self.request.function))).source

    @property
    def signatures(self) -> list[str]:
        """The parameters of each adjoint made so far, with their types."""
        entries = [e for known in self._entries.values() for e in known]
        return [Lowered(e.derivative, self.request.options).signature for e in entries]

    @property
    def variables(self) -> list[Variable]:
        """The Variables that the function reads, as seen by the last call."""
        if self._last is None:
            arguments = _sample_arguments(self._signature, function_name(self.request.function))
            return self.lower(*arguments).variables
        return [v for v in (ref() for ref in self._last.variables) if v is not None]

    def __s2s_key__(self) -> Any:
        """What a program that calls this depends on: which derivative it is; the function is looked at apart."""
        return (GradientFunction, self.request.kind_of_derivative)

    def __repr__(self) -> str:
        return f"<s2s {self.request.kind} function of {function_name(self.request.function)}>"

    def __reduce__(self) -> Any:
        return reduced(self, GradientFunction)


class BoundGradient:
    """A gradient function in a class, taken from an instance: differentiates the bound method."""

    __s2s_role__ = "gradient"

    def __init__(self, gradient: GradientFunction, instance: Any) -> None:
        self._gradient = gradient
        self._instance = instance
        self.__wrapped__ = gradient.request.function.__get__(instance)
        self.request = dataclasses.replace(gradient.request, function=self.__wrapped__)
        known = gradient.__dict__.setdefault("_bound", {})
        if type(instance) not in known:
            shared = GradientFunction(self.request)
            # Shared by all instances, of which it is to keep none alive: it is given the bound method at each call.
            shared.request, shared.__wrapped__ = gradient.request, gradient.request.function
            known.setdefault(type(instance), shared)
        self._function: GradientFunction = known[type(instance)]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function.call(self.__wrapped__, args, kwargs)

    def with_dy(self, dy: Any) -> Callable[..., Any]:
        """As of a gradient function."""
        return functools.partial(self.weighted, dy)

    def weighted(self, dy: Any, /, *args: Any, **kwargs: Any) -> Any:
        """As of a gradient function."""
        return self._function._run(self.__wrapped__, args, kwargs, dy)

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """As of a gradient function."""
        return self._function.lower_for(self.__wrapped__, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "_function":
            raise AttributeError(name)
        return getattr(self._function, name)

    def __reduce__(self) -> Any:
        return BoundGradient, (self._gradient, self._instance)


# Specialisations by code: a lambda that is made anew in a loop is not compiled anew.
_Specialisations = tuple[dict[Any, list[Entry]], threading.Lock]
_MADE: weakref.WeakKeyDictionary[types.CodeType, dict[Any, _Specialisations]] = weakref.WeakKeyDictionary()
_MADE_LOCK = threading.Lock()


def _shared(request: Request) -> _Specialisations:
    """The specialisations of all gradient functions of one kind whose functions share their code."""
    if not isinstance(request.function, types.FunctionType):
        return {}, threading.Lock()
    with _MADE_LOCK:
        known = _MADE.setdefault(request.function.__code__, {})
        return known.setdefault(request.kind_of_derivative, ({}, threading.Lock()))


def _has_number(v: Any) -> bool:
    return any(map(is_number, leaves(v)))


def _without_gradient(v: Any) -> str:
    """What an argument is that has no gradient, and what to pass instead."""
    t = type(v).__name__
    if isinstance(v, np.ndarray) and v.dtype.kind in "fc" and t in ("MaskedArray", "matrix"):
        return f"{_article(t)} {t}, which computes otherwise than an array; pass a plain array: np.asarray(x)"
    if isinstance(v, np.ndarray):
        what = f"an array of dtype {v.dtype}"
    elif isinstance(v, Variable):
        what = f"a Variable of dtype {v.dtype}"
    elif v is None:
        what = "None"
    else:
        what = f"{_article(t)} {t}"
    if type(v) in (int, bool) or isinstance(v, np.integer | np.bool_):
        fix = f"pass {float(v)!r}"
    elif isinstance(v, np.ndarray | Variable) and np.dtype(v.dtype).kind in "biu":
        fix = "pass floats: x.astype(float)" if isinstance(v, np.ndarray) else "make the Variable from floats"
    else:
        fix = "pass a float or an array of floats"
    return f"{what}, which has no gradient; {fix}"


def _article(word: str) -> str:
    return "an" if word[0].lower() in "aeio" else "a"


def function_name(function: Any) -> str:
    """The name of a function, for messages and for the adjoint."""
    name = getattr(function, "__name__", None)
    if name is None and isinstance(function, functools.partial):
        return function_name(function.func)
    name = name or type(function).__name__
    return name if name.isidentifier() else "lambda_"


def signature_of(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function, follow_wrapped=False)
    except (TypeError, ValueError):
        return None


def positional_names(signature: inspect.Signature | None, count: int) -> list[str]:
    """Names of the positional arguments of a call."""
    names: list[str] = []
    for p in signature.parameters.values() if signature is not None else ():
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            names.append(p.name)
        elif p.kind == p.VAR_POSITIONAL:
            names += [f"{p.name}{k}" for k in range(count - len(names))]
    return (names + [f"arg{k}" for k in range(count)])[:count]


def _sample_arguments(signature: inspect.Signature | None, name: str) -> list[Any]:
    """Arguments of the types that annotations and defaults say."""
    out: list[Any] = []
    for p in signature.parameters.values() if signature is not None else ():
        if p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            continue
        if p.default is not p.empty:
            out.append(p.default)
        elif p.annotation in (float, "float"):
            out.append(1.0)
        elif p.annotation in (int, "int"):
            out.append(1)
        else:
            raise TypeError(f"the types of the arguments of {name} are not known before a call: "
                            "use lower(...) with example arguments")
    return out


__all__ = ["BoundGradient", "GradientFunction", "Lowered"]
