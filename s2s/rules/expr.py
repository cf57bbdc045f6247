"""Expressions in which rules are written.

An `Expr` wraps a value under construction; operators and `fn.<name>(...)` append operations to the
program. `fn.cos(x)` is `math.cos` where the rule belongs to a `math` function, else `np.cos`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from s2s.ir.builder import Builder
from s2s.ir.core import OpSpec, Value
from s2s.ir.ops import SPECS, constant
from s2s.ir.types import INT, Array, Dim, Scalar, Type

Number: TypeAlias = "Expr | int | float | complex"


class Expr:
    """A value of the program that a rule is adding to."""

    __slots__ = ("b", "flavour", "lookup", "v")
    __array_priority__ = 1000

    def __init__(self, b: Builder, v: Value, lookup: Any, flavour: str = "np") -> None:
        self.b = b
        self.v = v
        self.lookup = lookup  # name -> OpSpec
        self.flavour = flavour

    @property
    def type(self) -> Type:
        return self.v.type

    @property
    def ndim(self) -> int:
        return self._numeric().ndim

    @property
    def dims(self) -> tuple[Dim, ...]:
        return self._numeric().dims

    @property
    def dtype(self) -> str:
        return self._numeric().dtype

    @property
    def is_array(self) -> bool:
        return isinstance(self.v.type, Array)

    @property
    def is_complex(self) -> bool:
        return np.dtype(self.dtype).kind == "c"

    def _numeric(self) -> Scalar | Array:
        assert isinstance(self.v.type, Scalar | Array), self.v.type
        return self.v.type

    @property
    def shape(self) -> tuple[Expr, ...]:
        """The sizes of all axes."""
        return tuple(self.size_of(k) for k in range(self.ndim))

    def size_of(self, axis: int) -> Expr:
        """The size of one axis."""
        return self.wrap(self.b.dim(self.v, axis % self.ndim))

    @property
    def size(self) -> Expr:
        """The number of elements."""
        total = self.wrap(self.b.int(1))
        for n in self.shape:
            total = total * n
        return total

    def wrap(self, v: Value) -> Expr:
        return Expr(self.b, v, self.lookup, self.flavour)

    def lift(self, x: Any) -> Expr:
        """`x` as an expression; numbers become (weak) constants."""
        if isinstance(x, Expr):
            return x
        if isinstance(x, Value):
            return self.wrap(x)
        return self.wrap(self.b.const(x))

    def _binary(self, name: str, x: Any, y: Any) -> Expr:
        left, right = self.lift(x), self.lift(y)
        left, right = weak_to_dtype(left, right), weak_to_dtype(right, left)
        if self.flavour == "user" and name in ("div", "floordiv", "mod", "pow") and not constant(right.v):
            left = as_numpy(left)
        return self.wrap(self.b.binary(name, left.v, right.v))

    def __add__(self, other: Any) -> Expr:
        return self._binary("add", self, other)

    def __radd__(self, other: Any) -> Expr:
        return self._binary("add", other, self)

    def __sub__(self, other: Any) -> Expr:
        return self._binary("sub", self, other)

    def __rsub__(self, other: Any) -> Expr:
        return self._binary("sub", other, self)

    def __mul__(self, other: Any) -> Expr:
        return self._binary("mul", self, other)

    def __rmul__(self, other: Any) -> Expr:
        return self._binary("mul", other, self)

    def __truediv__(self, other: Any) -> Expr:
        return self._binary("div", self, other)

    def __rtruediv__(self, other: Any) -> Expr:
        return self._binary("div", other, self)

    def __floordiv__(self, other: Any) -> Expr:
        return self._binary("floordiv", self, other)

    def __pow__(self, other: Any) -> Expr:
        return self._binary("pow", self, other)

    def __matmul__(self, other: Any) -> Expr:
        return fn.matmul(self, other)

    def __neg__(self) -> Expr:
        return self.wrap(self.b.neg(self.v))

    def __eq__(self, other: Any) -> Expr:  # type: ignore[override]
        return self._binary("eq", self, other)

    def __ne__(self, other: Any) -> Expr:  # type: ignore[override]
        return self._binary("ne", self, other)

    def __lt__(self, other: Any) -> Expr:
        return self._binary("lt", self, other)

    def __le__(self, other: Any) -> Expr:
        return self._binary("le", self, other)

    def __gt__(self, other: Any) -> Expr:
        return self._binary("gt", self, other)

    def __ge__(self, other: Any) -> Expr:
        return self._binary("ge", self, other)

    def __and__(self, other: Any) -> Expr:
        return self._binary("bitand", self, other)

    def __or__(self, other: Any) -> Expr:
        return self._binary("bitor", self, other)

    def __invert__(self) -> Expr:
        return fn.logical_not(self)

    def __mod__(self, other: Any) -> Expr:
        return self._binary("mod", self, other)

    def __rpow__(self, other: Any) -> Expr:
        return self._binary("pow", other, self)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise TypeError("an expression is not known when the code is made, and decides a branch of a rule")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        """`np.sin(x)` in a rule of a user."""
        if method != "__call__" or kwargs:
            raise TypeError(f"np.{ufunc.__name__}.{method} with {', '.join(kwargs) or 'an expression'} cannot be used "
                            "in a rule")
        if ufunc.__name__ in _OPERATORS:
            operands = [self.lift(x.item() if isinstance(x, np.float64 | np.int64) else x) for x in args]
            return functools.reduce(lambda x, y: self._binary(_OPERATORS[ufunc.__name__], x, y), operands)
        return apply_exactly(f"np.{ufunc.__name__}", f"scipy.special.{ufunc.__name__}", args, {})

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        """`np.sum(x)` in a rule of a user."""
        if function is np.shape:
            return self.shape
        module = (function.__module__ or "numpy").replace("numpy", "np")
        return apply_exactly(f"{module}.{function.__name__}", f"np.{function.__name__}", args, kwargs)

    @property
    def T(self) -> Expr:
        """All axes reversed."""
        return fn.transpose(self)

    def __getitem__(self, index: Any) -> Expr:
        items, values = encode_index(self, index if isinstance(index, tuple) else (index,))
        return self.wrap(self.b.one("getitem", {"a": self.v, "index": values}, {"items": items}))

    def astype(self, dtype: str) -> Expr:
        """With another dtype; itself where it has it."""
        t = self._numeric()
        if t.dtype == dtype:
            return self
        return self.wrap(self.b.cast(self.v, Scalar(dtype, t.weak)))

    def conj(self) -> Expr:
        """The complex conjugate; itself where it is real."""
        return fn.conj(self) if self.is_complex else self

    @property
    def imag(self) -> Expr:
        """The imaginary part, of a complex one."""
        return fn.imag(self)

    @property
    def real(self) -> Expr:
        """The real part; itself where it is real."""
        return fn.real(self) if self.is_complex else self


def weak_to_dtype(x: Expr, other: Expr) -> Expr:
    """A weak float that meets float32 is cast to it once, because numba has no weak scalars."""
    t, o = x.type, other.type
    if not (isinstance(t, Scalar) and t.weak and isinstance(o, Scalar | Array)) or o.weak:
        return x
    if o.dtype in ("float16", "float32", "complex64"):
        kind = np.dtype(t.dtype).kind
        if kind in "iuf":
            return x.wrap(x.b.cast(x.v, Scalar({"complex64": "float32"}.get(o.dtype, o.dtype))))
        if kind == "c":
            return x.wrap(x.b.cast(x.v, Scalar("complex64")))
    return x


def as_numpy(x: Expr) -> Expr:
    """`x`, where a Python number as a NumPy one.

    Divided by zero, or raised to a negative power at zero, that gives inf where Python raises: a reverse
    statement must not raise where its primal did not.
    """
    t = x.type
    return x.wrap(x.b.cast(x.v, Scalar(t.dtype))) if isinstance(t, Scalar) and t.weak else x


def encode_index(a: Expr, index: Sequence[Any]) -> tuple[tuple[str, ...], tuple[Value, ...]]:
    """Index items (ints, slices, None, ..., Exprs) as the codes and values of `getitem`."""
    items: list[str] = []
    values: list[Value] = []
    for item in index:
        if item is None:
            items.append("n")
        elif item is ...:
            items.append("e")
        elif isinstance(item, slice):
            parts = (item.start, item.stop, item.step)
            items.append("s" + "".join("0" if p is None else "1" for p in parts))
            values += [a.lift(p).v for p in parts if p is not None]
        else:
            v = a.lift(item).v
            items.append("i" if isinstance(v.type, Scalar) and v.type.dtype != "bool" else "a")
            values.append(v)
    return tuple(items), tuple(values)


class _Functions:
    """`fn.name(...)`: the operation of that name, over Exprs and static attributes.

    Names are looked up as in the `math` flavour, then `np.name`, `np.linalg.name`, `np.fft.name`, `s2s.name`, a
    builtin, and the language's own operations. Positional and keyword arguments bind as the
    operation's parameters say; `values` and `ints` take sequences.
    """

    def __getattr__(self, name: str) -> Callable[..., Expr]:
        def call(*args: Any, **kwargs: Any) -> Expr:
            return apply(name, args, kwargs)
        call.__name__ = name
        return call


_OPERATORS = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div",
              "floor_divide": "floordiv", "power": "pow", "equal": "eq", "not_equal": "ne", "less": "lt",
              "less_equal": "le", "greater": "gt", "greater_equal": "ge", "bitwise_and": "bitand", "remainder": "mod"}


def apply_exactly(name: str, other: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Expr:
    """Append the operation `name`, or `other`; TypeError where there is no such rule."""
    template = _first_expr([*args, *kwargs.values()])
    for candidate in (name, other):
        if template.lookup(candidate) is not None:
            return apply(candidate, args, kwargs)
    if name == "np.negative":
        return -template
    raise TypeError(f"{name} has no rule, so that it cannot be used in one")


def apply(name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Expr:
    """Append the operation `name`, which has one result; at least one argument is an Expr."""
    (result,) = several(name, *args, **kwargs)
    return result


def several(name: str, /, *args: Any, **kwargs: Any) -> list[Expr]:
    """Append the operation `name`, and return all of its results; at least one argument is an Expr."""
    template = _first_expr([*args, *kwargs.values()])
    spec = find_spec(template, name)
    bound: dict[str, Any] = {}
    rest = list(args)
    for p in spec.params:
        if rest:
            bound[p.name] = rest.pop(0)
        elif p.name in kwargs:
            bound[p.name] = kwargs[p.name]
        elif p.default is not ...:
            bound[p.name] = p.default
        else:
            raise TypeError(f"{name}: missing {p.name}")
    op_args: dict[str, Any] = {}
    attrs: dict[str, Any] = {}
    for p in spec.params:
        value = bound[p.name]
        if p.kind == "static" or (p.kind == "value" and value is p.default):
            attrs[p.name] = value
        elif p.kind == "value":
            op_args[p.name] = template.lift(value).v
        else:
            sequence = value if isinstance(value, list | tuple) else (value,)
            op_args[p.name] = tuple(template.lift(x).v for x in sequence)
    if spec.elementwise:
        op_args = meet(template, op_args)
    return [template.wrap(v) for v in template.b.emit(spec, op_args, attrs)]


def meet(template: Expr, args: Mapping[str, Value]) -> dict[str, Value]:
    """The arguments of an elementwise operation, with weak floats cast where they meet float32."""
    exprs = {name: template.wrap(v) for name, v in args.items()}
    met: dict[str, Value] = {}
    for name, x in exprs.items():
        for other in exprs.values():
            x = weak_to_dtype(x, other)
        met[name] = x.v
    return met


def find_spec(x: Expr, name: str) -> OpSpec:
    """The operation that `fn.name` means for `x`; a name with a dot is the whole name of one."""
    if "." in name and x.lookup(name) is not None:
        return x.lookup(name)  # type: ignore[no-any-return]
    prefixes = ["np.", "np.linalg.", "np.fft.", "s2s.", "", "scipy.special.", "scipy.linalg."]
    if x.flavour == "math" and not x.is_array:
        prefixes.insert(0, "math.")
    for prefix in prefixes:
        spec = x.lookup(prefix + name)
        if spec is not None:
            return spec  # type: ignore[no-any-return]
    if name in SPECS:
        return SPECS[name]
    raise LookupError(f"no operation is called {name}")


def _first_expr(args: Sequence[Any]) -> Expr:
    for a in args:
        if isinstance(a, Expr):
            return a
        if isinstance(a, list | tuple):
            inner = [x for x in a if isinstance(x, Expr)]
            if inner:
                return inner[0]
    raise TypeError("an operation in a rule needs at least one expression")


fn = _Functions()
INT_TYPE = INT
