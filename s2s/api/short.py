"""Short names: Jacobian products in both directions, Jacobians, Hessians."""

from __future__ import annotations

import threading
import types
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from s2s.api.dispatch import GradientFunction, function_name, positional_names, signature_of
from s2s.api.functions import Argnums, grad, gradients_function
from s2s.api.plan import Plan
from s2s.api.structure import argument_leaves, build, is_number, numbers_of
from s2s.errors import ShapeError
from s2s.ir.types import Array, Scalar, kind
from s2s.lower.binding import Read, deep_key, is_dict
from s2s.lower.iterate import with_article
from s2s.options import Options, options_of
from s2s.pipeline import Derivative, compiled, lowered, own_faults, push_forward
from s2s.variable import plain, tensor


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], **options: Any) -> tuple[Any, Any]:
    """The value of `f` at `primals` and its derivative along `tangents`: `(value, tangent)`.

    tangents: one for each primal, of its shape and structure; None holds that argument fixed. The tangent
    has the structure of the value. Forward mode: the cost is a small multiple of that of `f`, whatever
    the number of arguments. Raises ShapeError where a tangent has another shape than its primal.

    >>> import s2s
    >>> value, tangent = s2s.jvp(lambda x, y: x * y, (3.0, 2.0), (1.0, None))
    >>> float(value), float(tangent)
    (6.0, 2.0)
    """
    _check_function(f)
    for what, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple | list):
            raise TypeError(f"jvp: {what} is {given!r:.60}; pass a tuple with one entry for each argument of "
                            f"{function_name(f)}")
    if len(primals) != len(tangents):
        raise ShapeError(f"jvp: {len(primals)} primals and {len(tangents)} tangents; pass one tangent for each primal "
                         "(None holds it fixed)")
    return _tangent_function(f, options_of(options))(f, tuple(primals), tuple(tangents))


def vjp(f: Callable[..., Any], *args: Any, **options: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of `f` and its pullback: `pullback(dy)` gives the gradients of the arguments as a tuple.

    `dy` has the structure of the value. Each call of the pullback runs `f` again.

    >>> import s2s
    >>> value, pullback = s2s.vjp(lambda x: x * x, 3.0)
    >>> float(value), float(pullback(10.0)[0])
    (9.0, 60.0)
    """
    g = GradientFunction(_request(f, True, options))
    value, _ = g(*args)

    def pullback(dy: Any) -> tuple[Any, ...]:
        return tuple(g(*args, dy=dy)[1])

    return value, pullback


def _check_function(f: Any) -> None:
    if not callable(f):
        raise TypeError(f"s2s differentiates a function; it was given {f!r:.60}")


def _request(f: Callable[..., Any], with_value: bool, options: dict[str, Any]) -> Any:
    from s2s.options import Request
    return Request("gradients", f, with_value, None, options=options_of(options))


def jacobian(f: Callable[..., Any], argnums: Argnums = 0, **options: Any) -> Callable[..., Any]:
    """A function that returns the Jacobian of `f`: shape of the value, then shape of the argument.

    Forward mode where the argument has fewer elements than the value, else reverse mode. For a value that
    is a nest, a nest of Jacobians; for several `argnums`, a tuple.

    >>> import numpy as np, s2s
    >>> s2s.jacobian(lambda x: x * x)(np.array([1.0, 2.0])).tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    _check_function(f)

    def function(*args: Any) -> Any:
        if not isinstance(argnums, int):
            return tuple(_jacobian(f, args, k, options) for k in argnums)
        return _jacobian(f, args, argnums, options)
    function.__s2s_role__ = "jacobian"  # type: ignore[attr-defined]
    return function


def _jacobian(f: Callable[..., Any], args: tuple[Any, ...], k: int, options: dict[str, Any]) -> Any:
    if not -len(args) <= k < len(args):
        raise ValueError(f"{function_name(f)} is called with {len(args)} positional argument{'s' * (len(args) != 1)}; "
                         f"the Jacobian of number {k} is asked for (they are counted from 0)")
    k %= len(args)
    if not is_number(args[k]):
        t = type(args[k]).__name__
        fix = f"pass {float(args[k])!r}" if type(args[k]) in (int, bool) else "pass a float or an array of floats"
        raise TypeError(f"{function_name(f)}: argument {k} is {with_article(t)}, which has no Jacobian; {fix}")
    x = np.asarray(plain(args[k]))
    zero = tuple(None if i != k else np.zeros_like(x) for i in range(len(args)))
    value, _ = jvp(f, args, zero, **options)
    leaf = isinstance(value, np.ndarray)
    if leaf and value.size < x.size and not np.iscomplexobj(value):
        return _by_rows(f, args, k, value, x, options)
    columns = []
    for direction in _basis(x):
        tangents = tuple(None if i != k else direction for i in range(len(args)))
        columns.append(jvp(f, args, tangents, **options)[1])
    return _stacked(value, columns, x.shape)


def _by_rows(f: Callable[..., Any], args: tuple[Any, ...], k: int, value: Any, x: np.ndarray[Any, Any],
             options: dict[str, Any]) -> Any:
    g = gradients_function(f, params=[k], **options)
    rows = [g(*args, dy=direction)[0] for direction in _basis(plain(value))]
    rows = [np.zeros_like(x) if r is None else plain(r) for r in rows]
    shape = (*np.shape(value), *x.shape)
    return tensor(np.stack(rows).reshape(shape) if rows else np.zeros(shape))


def _stacked(value: Any, columns: list[Any], shape: tuple[int, ...]) -> Any:
    if isinstance(value, dict):
        return {key: _stacked(v, [c[key] for c in columns], shape) for key, v in value.items()}
    if isinstance(value, list | tuple):
        parts = [_stacked(v, [c[i] for c in columns], shape) for i, v in enumerate(value)]
        return type(value)(parts)
    full = (*np.shape(value), *shape)
    if not columns:
        return tensor(np.zeros(full))
    return tensor(np.stack([plain(c) for c in columns], axis=-1).reshape(full))


def _basis(x: Any) -> Iterator[Any]:
    flat = np.zeros(np.size(x), np.asarray(x).dtype)
    for i in range(flat.size):
        flat[i] = 1
        yield flat.reshape(np.shape(x)).copy()[()]
        flat[i] = 0


def hessian(f: Callable[..., Any], argnum: int = 0, **options: Any) -> Callable[..., Any]:
    """A function that returns the matrix of second derivatives of `f` with respect to one argument.

    Forward over reverse: one gradient with tangents for each element of the argument.

    >>> import numpy as np, s2s
    >>> s2s.hessian(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 2.0])).tolist()
    [[4.0, 2.0], [2.0, 0.0]]
    """
    return jacobian(grad(f, argnum), argnum, **options)


def hvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], **options: Any) -> tuple[Any, ...]:
    """The product of the Hessian of `f` with a vector, one entry for each of `primals`.

    Forward over reverse: the Hessian is not formed.

    >>> import numpy as np, s2s
    >>> (product,) = s2s.hvp(lambda x: (x ** 3).sum(), (np.array([1.0, 2.0]),), (np.array([1.0, 0.0]),))
    >>> product.tolist()
    [6.0, 0.0]
    """
    _check_function(f)
    if not isinstance(primals, tuple | list):
        raise TypeError(f"hvp: primals is {primals!r:.60}; pass a tuple with one entry for each argument of "
                        f"{function_name(f)}")
    gradient = grad(f, tuple(range(len(primals))))
    return tuple(jvp(gradient, primals, tangents, **options)[1])


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
        return entry.run(values, dots)

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
        derivative = push_forward(program, wrt, target=self.options.target)
        entry = _TangentEntry(derivative, compiled(derivative, self.options))
        entry.names = names  # type: ignore[attr-defined]
        program.binding.forget()
        return entry


def _flatten_tangent(x: Any, t: Any, name: str, dots: list[Any]) -> None:
    """The tangents of the numbers in an argument, in the order of its leaves."""
    if isinstance(x, tuple | list):
        if not isinstance(t, tuple | list) or len(t) != len(x):
            raise ShapeError(f"the tangent of {name} is {t!r:.60}; the argument has {len(x)} elements\n"
                             f"Pass a {type(x).__name__} of {len(x)}.")
        for k, (a, b) in enumerate(zip(x, t, strict=True)):
            _flatten_tangent(a, b, f"{name}[{k}]", dots)
    elif is_dict(x):
        if not isinstance(t, dict) or t.keys() != x.keys():
            raise ShapeError(f"the tangent of {name} is {t!r:.60}; the argument is a dict with the keys {list(x)}\n"
                             "Pass a dict with these keys.")
        for key, a in x.items():
            _flatten_tangent(a, t[key], f"{name}[{key!r}]", dots)
    elif is_number(x):
        dot = np.zeros_like(np.asarray(plain(x))) if t is None else numbers_of(plain(t), f"the tangent of {name}")
        if dot.shape != np.shape(plain(x)):
            raise ShapeError(f"the tangent of {name} has shape {dot.shape}; "
                             f"the argument has shape {np.shape(plain(x))}\n"
                             "Pass one of the shape of the argument.")
        dots.append(dot)


def _cast(dot: np.ndarray[Any, Any], read: Read) -> Any:
    assert read.leaf is not None
    t = read.leaf.type
    assert isinstance(t, Scalar | Array)
    cast = dot.astype(t.dtype)
    return cast.item() if isinstance(t, Scalar) and t.weak else cast[()]


_CODES: weakref.WeakKeyDictionary[Any, dict[Any, TangentFunction]] = weakref.WeakKeyDictionary()
_LOCK = threading.Lock()


def _tangent_function(f: Any, options: Options) -> TangentFunction:
    """The tangent function of all functions with the code of `f`."""
    kind: Any = options
    owner = f
    if isinstance(f, GradientFunction):
        kind, owner = (options, f.request.kind_of_derivative), f.__wrapped__
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


for _function in (jvp, vjp, hvp, hessian, jacobian):
    setattr(_function, "__s2s_role__", _function.__name__)  # noqa: B010 - mypy knows no attributes of functions

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vjp"]
