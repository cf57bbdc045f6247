"""The rule table's machinery: what a rule is, and how a family of rules is written.

A family file creates `family = Family("name")` and declares operations on it:

    family.elementwise("np.sin math.sin", lambda y, x: fn.cos(x), cost=8)

    _sum = family.op("np.sum", "a, axis=None, dtype=None, keepdims=False", reduced,
                     methods="sum", linear="a")

    @_sum.vjp
    def _(g, ans, a, axis, dtype, keepdims):
        return {"a": spread(g, a, axis, keepdims)}

`s2s.rules.TABLE` joins the families.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import math
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from s2s.ir.core import Op, OpSpec, Param
from s2s.ir.ops import elementwise_type
from s2s.ir.types import Array, Scalar, Type, promote

Partial = Callable[..., Any]


@dataclass(eq=False)
class Rule:
    """An operation, where it comes from in Python, and its derivative.

    partials: for an elementwise operation, one function for each argument that has a derivative:
    `partial(result, *arguments)` gives d result / d argument as an expression, or a number.
    pulls: the same, already multiplied: `pull(g, result, *arguments)`; used where that is shorter.
    vjp: `vjp(g, ans, **arguments)` gives {parameter: adjoint}; entries may be missing or None.
    jvp: `jvp(dots, ans, **arguments)` gives the tangent of the result; dots is {parameter: tangent}.
    linear: parameters in which the operation is linear (each alone: `matmul` is in both), from which
    jvp follows. nondiff: why there is no derivative (the result is a constant to s2s). zero: the
    derivative exists and is 0 almost everywhere (sign, floor): the result depends on the argument, and
    its gradient is zeros, not None. singular: a partial can be infinite or NaN.
    """

    spec: OpSpec
    callables: tuple[Callable[..., Any], ...] = ()
    methods: tuple[str, ...] = ()
    partials: dict[str, Partial] = field(default_factory=dict)
    pulls: dict[str, Partial] = field(default_factory=dict)
    vjp_function: Callable[..., Any] | None = None
    jvp_function: Callable[..., Any] | None = None
    linear: tuple[str, ...] = ()
    nondiff: str | None = None
    zero: bool = False
    singular: bool = False

    def vjp(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorator: the reverse rule."""
        self.vjp_function = function
        return function

    def jvp(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorator: the forward rule, where `linear` does not give it."""
        self.jvp_function = function
        return function

    @property
    def transposed(self) -> bool:
        """Whether its tangent is to be had from its adjoint alone."""
        return self.vjp_function is not None and not (self.jvp_function or self.linear)

    @property
    def differentiable(self) -> bool:
        return bool(self.partials or self.pulls or self.vjp_function)


def parse_params(text: str) -> tuple[Param, ...]:
    """Parameters from a signature: `"a, axis=None, v: value = None, shape: ints, arrays: values"`.

    Without annotation a parameter that has a default is static, and one without is a value.
    `*arrays` takes the remaining positional arguments as `values`.
    """
    params = []
    for star, name, kind, default in _PARAM.findall(text):
        value = () if star else _default(default) if default else ...
        kind = kind or ("values" if star else "value" if value is ... else "static")
        params.append(Param(name, kind, value))
    return tuple(params)


# One parameter: a star, its name, its annotation, its default (a literal).
_PARAM = re.compile(r"(\*?)([A-Za-z_]\w*)(?:\s*:\s*(\w+))?(?:\s*=\s*(\([^)]*\)|'[^']*'|\"[^\"]*\"|[^,\s]+))?")
_COMMON = {"None": None, "True": True, "False": False, "()": (), "0": 0, "1": 1, "-1": -1}


def _default(text: str) -> Any:
    """The value of a literal. Most are looked up: parsing them all would take most of the time of an import."""
    return _COMMON[text] if text in _COMMON else ast.literal_eval(text)


def resolve(name: str) -> Callable[..., Any]:
    """The Python object that a dotted rule name stands for: `np.linalg.inv`, `math.sin`, `abs`.

    >>> resolve("np.linalg.inv") is np.linalg.inv
    True
    """
    first, *rest = name.split(".")
    if not rest:
        return getattr(builtins, first)  # type: ignore[no-any-return]
    known: dict[str, Any] = {"np": np, "math": math}
    value: Any = known[first] if first in known else importlib.import_module(name.rpartition(".")[0])
    for part in rest if first in known else rest[-1:]:
        value = getattr(value, part)
    return value  # type: ignore[no-any-return]


def elementwise_infer(name: str, dtype: str | None = None,
                      function: Callable[..., Any] | None = None) -> Callable[[Op], Sequence[Type]]:
    """Result types of an elementwise function, by asking it on one element of each dtype."""
    function = function or resolve(name)
    weak = name.startswith("math.") or "." not in name

    def infer(op: Op) -> Sequence[Type]:
        operands = [v.type for v in op.operands()]
        numbers = [t for t in operands if not hasattr(t, "element")]
        if dtype is not None:
            return [elementwise_type(numbers, dtype, weak)]  # type: ignore[arg-type]
        if weak and name.startswith("math."):
            return [Scalar("float64", True)]
        with np.errstate(all="ignore"):
            samples = [_sample(t) for t in numbers]
            result = np.asarray(function(*samples))
        all_weak = all(getattr(t, "weak", False) for t in numbers)
        return [elementwise_type(numbers, result.dtype.name, weak and all_weak)]  # type: ignore[arg-type]
    return infer


def _sample(t: Any) -> Any:
    """One element of type `t`; a Python number where it is weak."""
    if t.weak:
        return {"b": True, "i": 1, "u": 1, "f": 0.5, "c": 0.5j}[np.dtype(t.dtype).kind]
    return np.dtype(t.dtype).type(1)


def _order_kept(infer: Callable[[Op], Sequence[Type]]) -> Callable[[Op], Sequence[Type]]:
    """`infer`, for what may lay its result out in memory as its operands are: in C order only where they are."""
    def types(op: Op) -> Sequence[Type]:
        made = infer(op)
        if all(v.type.layout == "C" for v in op.operands() if isinstance(v.type, Array) and v.type.ndim > 1):
            return made
        return [replace(t, layout="A") if isinstance(t, Array) and t.ndim > 1 and t.layout == "C" else t for t in made]
    return types


# Functions that older versions of Python do not have: 3.11, and 3.13.
_LATER = ("math.exp2", "math.cbrt", "math.fma")


class Family:
    """The rules of one file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.rules: dict[str, Rule] = {}

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules.values())

    def add(self, rule: Rule) -> Rule:
        if rule.spec.name in self.rules:
            raise ValueError(f"{rule.spec.name} is in {self.name} already")
        self.rules[rule.spec.name] = rule
        return rule

    def op(self, name: str, params: str, infer: Callable[[Op], Sequence[Type]], *, methods: str = "",
           linear: str = "", view: str | None = None, fresh: bool = True, cost: int = 1000,
           emits: str = "call", shape_only: str = "", nondiff: str | None = None,
           callables: Sequence[Callable[..., Any]] | None = None, singular: bool = False,
           elementwise: bool = False, function: Callable[..., Any] | None = None,
           refused: str = "") -> Rule:
        """Declare an operation that Python knows as `name`; `methods`: its names as an ndarray method.

        function: what emitted code calls instead. refused: why it has no derivative here; it may be called with what is
        not differentiated.
        """
        fresh = fresh and view is None
        if fresh:
            infer = _order_kept(infer)
        spec = OpSpec(name, parse_params(params), infer, emits=emits, view=view, fresh=fresh,
                      shape_only=frozenset(shape_only.split()), cost=cost, elementwise=elementwise, function=function,
                      written=name.rpartition(".")[2] if function is not None else "", refused=refused)
        found = (resolve(name),) if callables is None and not name.startswith("s2s.") else tuple(callables or ())
        return self.add(Rule(spec, found, tuple(methods.split()), linear=tuple(linear.split()),
                             nondiff=nondiff, singular=singular))

    def elementwise(self, names: str, *partials: Partial | None, pulls: Sequence[Partial | None] = (),
                    params: str = "", cost: int = 20, methods: str = "", dtype: str | None = None,
                    zero: bool = False, singular: bool = False, nondiff: str | None = None,
                    infer: Callable[[Op], Sequence[Type]] | None = None) -> None:
        """Declare elementwise functions: each of `names` with one rule.

        partials: one for each parameter, `lambda ans, *args: d ans / d arg`. pulls: the same, times `g`:
        `lambda g, ans, *args: g * d ans / d arg`, where that is the better code (`g / x`).
        """
        given = list(pulls or partials)
        for name in names.split():
            if name in _LATER and not hasattr(math, name.removeprefix("math.")):
                continue
            parsed = parse_params(params or ", ".join("xyzuvw"[:max(1, len(given))]))
            spec = OpSpec(name, parsed, infer or elementwise_infer(name, dtype), cost=cost, elementwise=True,
                          fresh=True)
            values = [p.name for p in parsed if p.kind == "value"]
            table = {n: f for n, f in zip(values, given, strict=False) if f is not None}
            self.add(Rule(spec, (resolve(name),), tuple(methods.split()) if name.startswith("np.") else (),
                          {} if pulls else table, table if pulls else {},
                          zero=zero, singular=singular, nondiff=nondiff))

    def core(self, spec: OpSpec, *partials: Partial | None, pulls: Sequence[Partial | None] = (),
             linear: str = "", zero: bool = False, nondiff: str | None = None, singular: bool = False,
             callables: Sequence[Callable[..., Any]] = ()) -> Rule:
        """The rule of an operation of the language itself (`s2s.ir.ops`).

        callables: functions that mean the same, such as `np.add` for `+`.
        """
        values = [p.name for p in spec.params if p.kind == "value"]
        given = list(pulls or partials)
        table = {n: f for n, f in zip(values, given, strict=False) if f is not None}
        return self.add(Rule(spec, tuple(callables), (), {} if pulls else table, table if pulls else {},
                             linear=tuple(linear.split()), zero=zero, nondiff=nondiff, singular=singular))


@dataclass(frozen=True)
class Written:
    """A function that stands for one of a library, with its first arguments given.

    names: what the library calls parameters that have other names here.
    """

    function: Callable[..., Any]
    first: tuple[Any, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)


def _may_be_lazy(function: Any) -> bool:
    if isinstance(function, np.ufunc):
        return True
    module = getattr(function, "__module__", None) or type(function).__module__
    return isinstance(module, str) and module.partition(".")[0] in ("scipy", "numba")


def callable_key(function: Any) -> Any:
    """What a function is looked up by; one that cannot be hashed, as those of ctypes, is itself alone."""
    try:
        hash(function)
    except TypeError:
        return ("object", id(function))
    return function


class Table:
    """All rules: by operation name, by Python callable, and by ndarray method.

    written: functions that are written in the language that s2s differentiates, to stand for those of a library.
    lazy: for modules of libraries, the modules of s2s that have their rules, imported when a program meets them.
    """

    def __init__(self, families: Sequence[Family], lazy: Mapping[str, str] | None = None) -> None:
        self.by_name: dict[str, Rule] = {}
        self.by_callable: dict[Any, Rule] = {}
        self.by_method: dict[str, Rule] = {}
        self.written: dict[Any, Written] = {}
        self.lazy = dict(lazy or {})
        for family in families:
            self.join(family)

    def join(self, family: Iterable[Rule]) -> None:
        """Add the rules of a family; a later rule for a function takes the place of an earlier one."""
        for rule in family:
            self.by_name[rule.spec.name] = rule
            for function in rule.callables:
                self.by_callable[callable_key(function)] = rule
            for method in rule.methods:
                self.by_method[method] = rule

    def meet(self, function: Any) -> None:
        """Join the rules for libraries that the program has imported, where `function` may be of one of them."""
        if not self.lazy or callable_key(function) in self.by_callable or not _may_be_lazy(function):
            return
        for library in [name for name in self.lazy if name in sys.modules]:
            made = importlib.import_module(self.lazy.pop(library))
            self.join(getattr(made, "FAMILY", ()))
            for f, w in getattr(made, "WRITTEN", {}).items():
                self.written[callable_key(f)] = w if isinstance(w, Written) else Written(w)

    def stands_for(self, function: Any) -> Written | None:
        """What is written for a function; of a bound method, for the class that it belongs to."""
        found = self.written.get(callable_key(function))
        if found is None and isinstance(function, types.MethodType):
            found = self.written.get((type(function.__self__), function.__name__))
        return found

    def method_of(self, owner: Any, name: str) -> Written | None:
        """What is written for a method of an object of a library."""
        self.meet(owner)
        if not self.written or not _may_be_lazy(owner):
            return None
        return next((self.written[cls, name] for cls in type(owner).__mro__ if (cls, name) in self.written), None)

    def of_callable(self, function: Any) -> Rule | None:
        """The rule of a Python function."""
        return self.by_callable.get(callable_key(function))

    def rule(self, op: Op) -> Rule | None:
        """The rule of an operation."""
        return self.by_name.get(op.name)


def numeric_dtype(*types: Scalar | Any) -> str:
    """The dtype to which `types` promote."""
    return promote(types)[0]
