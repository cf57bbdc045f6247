"""Values: `Variable` (a parameter that is assigned to), `Tensor` (what s2s returns) and `constant`."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from s2s.errors import ShapeError

Array: TypeAlias = "np.ndarray[Any, Any]"


class Tensor(np.ndarray[Any, Any]):
    """A NumPy array whose operators, methods and NumPy functions give Tensors, also where they give one number.

    >>> loss = constant([1.0, 2.0]).sum()
    >>> loss
    Tensor(3.)
    >>> f"{loss:.2f}", loss.numpy()
    ('3.00', np.float64(3.0))
    """

    # Nothing is added to what ndarray stores; without a dictionary a Tensor is made faster.
    __slots__ = ()

    def numpy(self) -> Any:
        """The value: a plain array, or a NumPy scalar where there are no axes."""
        return self.view(np.ndarray)[()]

    # NumPy itself keeps 0-d results of ufuncs Tensors; these are the places where it makes scalars.

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _call(func, args, kwargs)

    def __getitem__(self, index: Any) -> Any:
        return wrapped(super().__getitem__(index if type(index) is int else plain(index)))

    def __pow__(self, other: Any, modulo: None = None) -> Any:
        if self.ndim or np.ndim(other):
            return super().__pow__(other)
        # As NumPy computes it for scalars, of which the last bit can differ.
        return wrapped(self.numpy() ** plain(other))

    def __rpow__(self, other: Any, modulo: None = None) -> Any:
        if self.ndim or np.ndim(other):
            return super().__rpow__(other)
        return wrapped(plain(other) ** self.numpy())

    # A Tensor without axes is a number: `loss += 1` makes a new one, as for a float, and as compiled code does.

    def __iadd__(self, other: Any) -> Any:  # type: ignore[misc]
        return super().__iadd__(other) if self.ndim else self + other

    def __isub__(self, other: Any) -> Any:  # type: ignore[misc]
        return super().__isub__(other) if self.ndim else self - other

    def __imul__(self, other: Any) -> Any:  # type: ignore[misc]
        return super().__imul__(other) if self.ndim else self * other

    def __itruediv__(self, other: Any) -> Any:  # type: ignore[misc]
        return super().__itruediv__(other) if self.ndim else self / other

    def __ifloordiv__(self, other: Any) -> Any:  # type: ignore[misc]
        return super().__ifloordiv__(other) if self.ndim else self // other

    def __imod__(self, other: Any) -> Any:  # type: ignore[misc]
        return super().__imod__(other) if self.ndim else self % other

    def __ipow__(self, other: Any) -> Any:  # type: ignore[misc,override]
        return super().__ipow__(other) if self.ndim else self ** other

    def __round__(self, ndigits: int | None = None) -> Any:
        return wrapped(round(self.numpy(), ndigits)) if not self.ndim else self.round(ndigits or 0)

    def __repr__(self) -> str:
        return f"Tensor({np.array2string(self, separator=', ', prefix='Tensor(')}{_dtype_text(self)})"

    def __reduce__(self) -> Any:
        return tensor, (self.view(np.ndarray),)


def _dtype_text(array: Array) -> str:
    usual = array.dtype in (np.dtype(float), np.dtype(int), np.dtype(bool), np.dtype(complex))
    return "" if usual else f", dtype={array.dtype}"


def _wrapping(name: str) -> Callable[..., Any]:
    """The method `name` of arrays, of which the result is a scalar for some or all arrays."""
    method = getattr(np.ndarray, name)

    def wrapping(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        return wrapped(method(self, *_arrays(args), **_arrays(kwargs)))

    wrapping.__name__, wrapping.__qualname__, wrapping.__doc__ = name, f"Tensor.{name}", method.__doc__
    return wrapping


for _name in ("argmax", "argmin", "dot", "round", "searchsorted", "take", "trace"):
    setattr(Tensor, _name, _wrapping(_name))


def tensor(value: Any) -> Tensor:
    """`value` as a Tensor; the memory of an array is shared.

    >>> tensor(np.float32(2.5))
    Tensor(2.5, dtype=float32)
    """
    return (value if isinstance(value, np.ndarray) else np.asarray(value)).view(Tensor)


def constant(value: Any, dtype: Any = None) -> Tensor:
    """A Tensor with a copy of `value`, and an identity of its own by which a tape can watch it.

    >>> constant(3.0) + 1.0
    Tensor(4.)
    """
    return _numbers("A Tensor", value, dtype).view(Tensor)


def _numbers(what: str, value: Any, dtype: Any = None) -> Array:
    """A fresh array of what a Variable or Tensor is given; TypeError where that is no number."""
    try:
        array = np.array(plain(value), dtype=dtype)
    except ValueError as error:
        if isinstance(value, list | tuple):
            raise ValueError(f"{what} holds numbers in rows of equal length; got {value!r:.60}") from error
        raise
    if array.dtype.kind not in "biufc":
        raise TypeError(f"{what} holds numbers; got {type(value).__name__} {value!r:.60}")
    return array


def plain(value: Any) -> Any:
    """`value` with each Variable and Tensor in it replaced by an array, or a scalar where it has no axes.

    What a Variable holds is not copied: it must not be written to.
    """
    return _replace(value, operator.attrgetter("raw"), Tensor.numpy)


def _arrays(value: Any) -> Any:
    """`value` for a NumPy function that may write: the arrays of Tensors, and read-only ones of Variables."""
    return _replace(value, lambda variable: variable._tensor.view(np.ndarray), lambda tensor: tensor.view(np.ndarray))


def _replace(value: Any, variable: Callable[[Variable], Any], tensor: Callable[[Tensor], Any]) -> Any:
    if isinstance(value, Variable):
        return variable(value)
    if isinstance(value, Tensor):
        return tensor(value)
    if type(value) in (list, tuple):
        return type(value)(_replace(item, variable, tensor) for item in value)
    if type(value) is dict:
        return {key: _replace(item, variable, tensor) for key, item in value.items()}
    return value


def wrapped(value: Any) -> Any:
    """`value` with each array and NumPy number in it as a Tensor."""
    if isinstance(value, np.ndarray):
        return value if isinstance(value, Tensor) or type(value) is not np.ndarray else value.view(Tensor)
    if isinstance(value, np.number | np.bool_):
        return tensor(value)
    if isinstance(value, tuple):
        items = map(wrapped, value)
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return list(map(wrapped, value)) if type(value) is list else value


def _call(func: Any, args: Any, kwargs: Mapping[str, Any]) -> Any:
    """A NumPy function on plain arrays; what goes into `out` comes out as it is."""
    out = kwargs.get("out")
    result = func(*_arrays(args), **_arrays(kwargs))
    return wrapped(result) if out is None else out


def _unary(function: Callable[[Any], Any]) -> Callable[[Variable], Any]:
    def method(self: Variable) -> Any:
        return function(self._tensor)

    return method


def _binary(function: Callable[[Any, Any], Any]) -> Callable[[Variable, Any], Any]:
    def method(self: Variable, other: Any) -> Any:
        return function(self._tensor, other._tensor if isinstance(other, Variable) else other)

    return method


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Variable, Any], Any]:
    def method(self: Variable, other: Any) -> Any:
        return function(other, self._tensor)

    return method


def _in_place(self: Variable, other: Any) -> Any:
    raise RuntimeError(
        "A Variable cannot be changed by an operator such as `v += 1.0`, which would bind the name to something "
        "else.\nUse v.assign_add(1.0), v.assign_sub(1.0) or v.assign(...).")


_counter = itertools.count()


class Variable:
    """A parameter: an array of a shape and a dtype that do not change, with a value that `assign` replaces.

    Python floats become float64, arrays keep their dtype. One with an integer dtype is never trainable.

    >>> w = Variable([1.0, 2.0], name="w")
    >>> w * 3.0
    Tensor([3., 6.])
    >>> w.assign_sub([0.5, 0.5])
    <Variable 'w' shape=(2,) dtype=float64 value=[0.5, 1.5]>
    >>> float(w[1]), len(w), w.numpy()
    (1.5, 2, array([0.5, 1.5]))
    """

    # raw: what compiled code reads: an array, or a NumPy scalar where there are no axes.
    # _value: the array, never written to; `assign` binds a fresh one. _tensor: a read-only view of it.
    # _number: Variables are ordered by creation.
    __slots__ = ("__weakref__", "_name", "_number", "_tensor", "_trainable", "_value", "raw")

    _value: Array
    _tensor: Tensor
    raw: Any

    def __init__(self, initial_value: Any, trainable: bool = True, name: str | None = None, dtype: Any = None) -> None:
        value = _numbers("A Variable", initial_value, dtype)
        self._number = next(_counter)
        self._name = name
        self._trainable = bool(trainable)
        self._set(value)

    def _set(self, value: Array) -> None:
        """Make `value`, an array that nobody else refers to, the value."""
        tensor = value.view(Tensor)
        tensor.flags.writeable = False
        self._value, self._tensor = value, tensor
        self.raw = value if value.ndim else value[()]

    # What it is.

    @property
    def name(self) -> str | None:
        """The name that it was given."""
        return self._name

    @property
    def trainable(self) -> bool:
        """Does it get a gradient? No where it was asked not to, and where the dtype has no derivative."""
        return self._trainable and self._value.dtype.kind in "fc"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, which does not change."""
        shape: tuple[int, ...] = self._value.shape
        return shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype, which does not change."""
        dtype: np.dtype[Any] = self._value.dtype
        return dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._value.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._value.size

    # Reading and assigning.

    def numpy(self) -> Any:
        """The value: a read-only array, or a NumPy scalar where there are no axes."""
        return self._tensor.view(np.ndarray)[()]

    def value(self) -> Tensor:
        """The value as it is now, as a read-only Tensor that later assignments do not change."""
        return self._tensor.view()

    def read_value(self) -> Tensor:
        """The same as `value()`."""
        return self._tensor.view()

    def assign(self, value: Any) -> Variable:
        """Give it the value `value`, of the same shape and a dtype of no wider kind; returns the Variable."""
        new = self._array(value)
        if new.shape != self._value.shape:
            raise ShapeError(
                f"{self._title()} has shape {self.shape}; a value of shape {new.shape} cannot be assigned to it.\n"
                "The shape of a Variable does not change: make a new Variable, or reshape the value.")
        if not np.can_cast(new.dtype, self._value.dtype, "same_kind"):
            raise ValueError(
                f"{self._title()} has dtype {self.dtype}; a value of dtype {new.dtype} cannot be assigned to it.\n"
                f"Convert the value, or make the Variable with dtype={new.dtype}.")
        self._set(np.array(new, dtype=self._value.dtype))
        return self

    def assign_add(self, delta: Any) -> Variable:
        """Add `delta`, of the same shape; returns the Variable."""
        return self.assign(self._changed(operator.add, delta))

    def assign_sub(self, delta: Any) -> Variable:
        """Subtract `delta`, of the same shape; returns the Variable."""
        return self.assign(self._changed(operator.sub, delta))

    def _changed(self, function: Callable[[Any, Any], Any], delta: Any) -> Any:
        delta = self._array(delta)
        if delta.shape != self._value.shape:
            raise ShapeError(f"{self._title()} has shape {self.shape}; a value of shape {delta.shape} cannot be added "
                             "to it.\nGive a value of the same shape: nothing is broadcast.")
        return function(self._value, delta)

    def _array(self, value: Any) -> Array:
        """What is to be assigned or added, as an array of numbers."""
        try:
            array = np.asarray(plain(value))
        except ValueError:
            array = np.asarray(None)
        if array.dtype.kind not in "biufc":
            raise ValueError(f"{self._title()} holds numbers of dtype {self.dtype}; {value!r:.60} cannot be assigned "
                             "to it or added.\nGive a number or an array.")
        return array

    def _title(self) -> str:
        return "Variable" if self._name is None else f"Variable {self._name!r}"

    # As an array.

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        array = self._tensor.view(np.ndarray)
        if dtype is not None and np.dtype(dtype) != array.dtype:
            if copy is False:
                raise ValueError(f"A Variable of dtype {self.dtype} cannot be read as {np.dtype(dtype)} without a copy")
            return array.astype(dtype)
        return array.copy() if copy else array

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.get("out", ())
        if any(isinstance(o, Variable) for o in out):
            _in_place(self, None)
        inputs = tuple(i._tensor if isinstance(i, Variable) else i for i in inputs)
        result = getattr(ufunc, method)(*inputs, **kwargs)
        return result if out else wrapped(result)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _call(func, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        # The other attributes and methods of arrays: `v.T`, `v.sum()`, `v.reshape(-1)`.
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"'Variable' object has no attribute {name!r}")
        return getattr(self._tensor, name)

    def __getitem__(self, index: Any) -> Any:
        return self._tensor[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._tensor)

    def __len__(self) -> int:
        return len(self._value)

    def __contains__(self, item: Any) -> bool:
        return plain(item) in self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __float__(self) -> float:
        return float(self.raw)

    def __int__(self) -> int:
        return int(self.raw)

    def __complex__(self) -> complex:
        return complex(self.raw)

    def __index__(self) -> int:
        return operator.index(self.raw)

    def __round__(self, ndigits: int | None = None) -> Any:
        return round(self._tensor, ndigits)

    def __format__(self, spec: str) -> str:
        return format(self._value, spec)

    def __str__(self) -> str:
        return str(self._value)

    def __repr__(self) -> str:
        name = "" if self._name is None else f" {self._name!r}"
        value = np.array2string(self._value, separator=", ", prefix="  ")
        trainable = "" if self._trainable else " trainable=False"
        return f"<Variable{name} shape={self.shape} dtype={self.dtype}{trainable} value={value}>"

    def __reduce__(self) -> Any:
        return type(self), (self._value, self._trainable, self._name)

    # Two Variables are the same only if they are one, whatever `==` says of their values.
    __hash__ = object.__hash__

    __eq__ = _binary(operator.eq)
    __ne__ = _binary(operator.ne)
    __lt__ = _binary(operator.lt)
    __le__ = _binary(operator.le)
    __gt__ = _binary(operator.gt)
    __ge__ = _binary(operator.ge)
    __neg__ = _unary(operator.neg)
    __pos__ = _unary(operator.pos)
    __abs__ = _unary(operator.abs)
    __invert__ = _unary(operator.invert)
    __add__, __radd__ = _binary(operator.add), _reflected(operator.add)
    __sub__, __rsub__ = _binary(operator.sub), _reflected(operator.sub)
    __mul__, __rmul__ = _binary(operator.mul), _reflected(operator.mul)
    __truediv__, __rtruediv__ = _binary(operator.truediv), _reflected(operator.truediv)
    __floordiv__, __rfloordiv__ = _binary(operator.floordiv), _reflected(operator.floordiv)
    __mod__, __rmod__ = _binary(operator.mod), _reflected(operator.mod)
    __divmod__, __rdivmod__ = _binary(divmod), _reflected(divmod)
    __pow__, __rpow__ = _binary(operator.pow), _reflected(operator.pow)
    __matmul__, __rmatmul__ = _binary(operator.matmul), _reflected(operator.matmul)
    __and__, __rand__ = _binary(operator.and_), _reflected(operator.and_)
    __or__, __ror__ = _binary(operator.or_), _reflected(operator.or_)
    __xor__, __rxor__ = _binary(operator.xor), _reflected(operator.xor)
    __lshift__, __rlshift__ = _binary(operator.lshift), _reflected(operator.lshift)
    __rshift__, __rrshift__ = _binary(operator.rshift), _reflected(operator.rshift)
    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ifloordiv__ = __imod__ = __ipow__ = __imatmul__ = _in_place
    __iand__ = __ior__ = __ixor__ = __ilshift__ = __irshift__ = _in_place
