"""The shell of a specialisation: one Python function, written for it, that checks, unpacks, calls and rebuilds.

What is done at every call is decided once, and written as code: for `f(a, b)` with two floats

    def shell(function, args, kwargs):
        v1 = args[0]
        if type(v1) is not float:
            return MISS
        v2 = args[1]
        if type(v2) is not float:
            return MISS
        out = core(v1, v2)
        return [asarray(out[0]).view(Tensor), asarray(out[1]).view(Tensor)]

Whatever is not common (guards of odd values, gradients in a container) is a call of the function that
does it in general.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from s2s.api.plan import EXACT, Plan, plain_value
from s2s.api.structure import build, like_argument, zeros_of
from s2s.errors import UnsupportedSyntaxError
from s2s.ir.types import Array, Scalar
from s2s.lower.binding import MISSING, Binding, Read
from s2s.lower.lower import Leaf
from s2s.options import Request
from s2s.variable import Tensor, Variable

if TYPE_CHECKING:
    from s2s.api.entry import Entry

#: What a shell returns for a call that its specialisation does not fit.
MISS: Any = object()


class Shell:
    """The text of a shell, and the names it uses; `v<k>` is the value of the k-th read, `out` what the core returns."""

    parameters = "function, args, kwargs"

    def __init__(self, plan: Plan, reads: Sequence[Read]) -> None:
        self.plan = plan
        self.reads = reads
        self.names: dict[str, Any] = {
            "MISS": MISS, "MISSING": MISSING, "Tensor": Tensor, "Variable": Variable, "asarray": np.asarray,
            "ndarray": np.ndarray, "plain": plain_value, "zeros_of": zeros_of, "build": build,
            "FunctionType": FunctionType, "MethodType": MethodType}
        self.lines: list[str] = []
        self.after: list[str] = []  # statements after the call of the core

    def given(self, name: str, value: Any) -> str:
        """`name`, bound to `value` in the shell."""
        self.names[name] = value
        return name

    def write(self, core: Callable[..., Any], before: Sequence[str], result: str, single: bool) -> Callable[..., Any]:
        """The shell; `before`: statements between the checks and the call of the core."""
        for read in self.reads:
            self._read(read)
        self._relations()
        self.lines += before
        self.given("core", core)
        arguments = ", ".join(map(self.argument, self.plan.leaves))
        self.lines.append(f"out = {f'(core({arguments}),)' if single else f'core({arguments})'}")
        self.lines += self.after
        self.lines.append(f"return {result}")
        body = "".join(f"    {line}\n" for line in self.lines)
        exec(f"def shell({self.parameters}):\n{body}", self.names)
        return self.names["shell"]  # type: ignore[no-any-return]

    def require(self, condition: str) -> None:
        """Go on where `condition` holds."""
        self.lines += [f"if not ({condition}):", "    return MISS"]

    def _read(self, read: Read) -> None:
        k = read.index
        self.lines.append(f"v{k} = {self._fetch(read)}")
        condition = self._fits(read)
        if condition:
            self.require(condition)

    def _relations(self) -> None:
        """Go on where the values are related as those of the specialisation."""
        relations = self.plan.relations
        for k, first in relations.same:
            self.require(f"v{k} is v{first}")
        for k, first in relations.shaped:
            self.require(f"v{k}.shape == v{first}.shape")
        for a, b in (*itertools.combinations(relations.distinct, 2), *relations.apart):
            self.require(f"v{a} is not v{b}")

    def _fetch(self, read: Read) -> str:
        kind, what = read.step
        if kind == "root":
            if what == "function":
                return "function"
            return f"args[{what[2]}]" if what[0] == "arg" else f"kwargs[{what[1]!r}]"
        if kind == "global":
            return f"v{read.parent}.__globals__.get({what!r}, MISSING)"
        getter = self.given(f"get{read.index}", self.plan.steps[read.index][0])
        # A getter looks at the value of its parent alone.
        values = f"{{{read.parent}: v{read.parent}}}" if read.parent >= 0 else "()"
        return f"{getter}(function, args, kwargs, {values})"

    def _fits(self, read: Read) -> str:
        """The condition under which the value fits, "" where it always does."""
        k, key = read.index, read.key
        v = f"v{k}"
        if read.by_value or read.pinned:
            return self._general(read)
        if isinstance(read.value, type | ModuleType | np.ufunc):
            return f"{v} is {self.given(f'one{k}', read.value)}"
        if key is type(None):
            return f"{v} is None"
        if any(key is t for t in EXACT):  # not `in`: a dtype equals the type of its numbers
            return f"type({v}) is {key.__name__}"
        if isinstance(read.value, Variable):
            inner = array_condition(f"{v}._value", key[2], self.given(f"dtype{k}", read.value._value.dtype))
            flag = f"{v}._trainable is {read.value.trainable} and " if read.value._value.dtype.kind in "fc" else ""
            return f"type({v}) is Variable and {flag}{inner}"
        if type(read.value) in (np.ndarray, Tensor):
            return f"isinstance({v}, ndarray) and " + array_condition(v, key, self.given(f"dtype{k}", read.value.dtype))
        if isinstance(read.value, np.generic):
            return self._general(read)
        if read.value is MISSING:
            return f"{v} is MISSING"
        if type(read.value) is FunctionType:
            return f"type({v}) is FunctionType and {v}.__code__ is {self.given(f'code{k}', weakref.ref(key))}()"
        if type(read.value) is MethodType and isinstance(key[1], CodeType):
            code = self.given(f"code{k}", weakref.ref(key[1]))
            return f"type({v}) is MethodType and getattr({v}.__func__, '__code__', None) is {code}()"
        if isinstance(read.value, tuple | list) and type(read.value) in (tuple, list):
            return f"type({v}) is {type(read.value).__name__} and len({v}) == {len(read.value)}"
        return self._general(read)

    def _general(self, read: Read) -> str:
        return f"{self.given(f'fits{read.index}', self.plan.steps[read.index][1])}(v{read.index})"

    def argument(self, k: int) -> str:
        """What the core is given for the k-th read."""
        read, v = self.reads[k], f"v{k}"
        if k in self.plan.objects or type(read.value) in EXACT or isinstance(read.value, np.generic):
            return v
        if isinstance(read.value, Variable):
            return f"{v}.raw"
        if isinstance(read.value, np.ndarray) and read.value.ndim:
            return f"{v} if type({v}) is ndarray else plain({v})"
        return f"plain({v})"


def array_condition(a: str, key: Any, dtype: str) -> str:
    """That `array_key(a) == key`, term by term, the cheapest first."""
    if not isinstance(key, tuple):
        return f"{a}.ndim == 0 and {a}.dtype == {dtype}"
    layout, ones = key[1], key[2:]
    terms = [f"{a}.ndim == {len(ones)}", f"{a}.dtype == {dtype}"]
    terms += [f"{a}.shape[{axis}] {'==' if one else '!='} 1" for axis, one in enumerate(ones)]
    c, f = f"{a}.flags.c_contiguous", f"{a}.flags.f_contiguous"
    terms += {"C": [c], "F": [f"not {c}", f], "A": [f"not {c}", f"not {f}"]}[layout]
    return " and ".join(terms)


def result_tensor(k: int, t: Any) -> str:
    """The k-th result of the core as a Tensor."""
    if isinstance(t, Array) and t.ndim:
        return f"out[{k}].view(Tensor)"
    if isinstance(t, Scalar | Array):
        # numba returns numbers of any dtype as Python's.
        dtype = "" if t.dtype in ("float64", "int64", "bool", "complex128") else f", {t.dtype!r}"
        return f"asarray(out[{k}]{dtype}).view(Tensor)"
    return f"out[{k}]"


def write_shell(entry: Entry, names: Sequence[str] | None, request: Request, count: int,
                keywords: tuple[str, ...]) -> Callable[..., Any]:
    """The shell of `entry`, for calls with `count` positional arguments and these keywords.

    names: the arguments whose gradients are returned, None for those of Variables.
    """
    derivative = entry.derivative
    shell = Shell(entry.plan, entry.binding.reads)
    called = f"tuple(kwargs) == {keywords!r}" if keywords else "not kwargs"
    shell.require(f"len(args) == {count} and {called}")
    types = [r.type for r in derivative.function.block.results]
    gradients: dict[int, str] = {}
    zeros = derivative.zeros or itertools.repeat(False)
    for read, at, zero in zip(derivative.wrt, entry.positions, zeros, strict=False):
        if zero:
            gradients[read.index] = f"zeros_of(v{read.index})"
        elif at is not None:
            gradients[read.index] = result_tensor(at, types[at])
    if names is None:
        pairs = [f"({gradients.get(r.index)}, v{r.index})" for r in derivative.wrt]
        result = f"[{', '.join(pairs)}]"
    else:
        parts = [_argument_gradient(shell, entry, name, gradients) for name in names]
        result = f"[{', '.join(parts)}]"
        if request.single:
            result = f"({', '.join(parts)},)" if request.as_tuple else parts[0]
    if request.with_value:
        result = f"{_value(shell, entry.structure, types[:entry.values])}, {result}"
    return shell.write(entry.core, _before(shell, entry), result, entry.outputs == 1)


def _before(shell: Shell, entry: Entry) -> list[str]:
    """Arrays that are written to share no memory with others."""
    written = entry.derivative.written
    if not written:
        return []
    shell.given("refuse", refuse_overlap)
    return [f"refuse([{', '.join(shell.argument(k) for k in entry.plan.leaves)}], {written})"]


def write_value_shell(entry: Entry, count: int, keywords: tuple[str, ...],
                      assigned: Sequence[Read]) -> Callable[..., Any]:
    """The shell of a function that is compiled as a whole; the last results are those of the Variables `assigned`."""
    derivative = entry.derivative
    shell = Shell(entry.plan, entry.binding.reads)
    shell.require(f"len(args) == {count} and {f'tuple(kwargs) == {keywords!r}' if keywords else 'not kwargs'}")
    types = [r.type for r in derivative.function.block.results]
    values = len(types) - len(assigned)
    shell.after = [f"v{r.index}.assign(out[{values + k}])" for k, r in enumerate(assigned)]
    result = _value(shell, entry.structure, types[:values])
    return shell.write(entry.core, _before(shell, entry), result, len(types) == 1)


def _argument_gradient(shell: Shell, entry: Entry, name: str, gradients: dict[int, str]) -> str:
    read = entry.derivative.program.arguments[name]
    leaves = [r.index for r in entry.leaves[name]]
    if not any(k in gradients for k in leaves):
        return "None"
    if leaves == [read.index]:
        return gradients[read.index]
    like = shell.given(f"like{read.index}", partial(_like, read, entry.binding))
    return f"{like}(v{read.index}, {{{', '.join(f'{k}: {gradients[k]}' for k in leaves if k in gradients)}}})"


def _like(read: Read, binding: Binding, v: Any, gradients: dict[int, Any]) -> Any:
    return like_argument(v, read, binding, gradients)


def _value(shell: Shell, structure: Any, types: Sequence[Any]) -> str:
    """The value of the function, from the results of the core."""
    if isinstance(structure, Leaf):
        return result_tensor(structure.index, types[structure.index])
    leaves = f"list(out[:{len(types)}])" if types else "[]"
    return f"build({shell.given('structure', structure)}, {leaves})"


def refuse_overlap(arguments: Sequence[Any], written: Sequence[int]) -> None:
    """Raise if an array that the function writes to (`written`: their places) shares memory with another."""
    for k in written:
        for other, b in enumerate(arguments):
            if other != k and isinstance(b, np.ndarray) and np.shares_memory(arguments[k], b):
                raise UnsupportedSyntaxError(
                    "two arguments share memory, and the function writes into one of them\n"
                    "what it writes would show in the other; pass a copy")
