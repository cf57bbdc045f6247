"""Sample calls of functions of NumPy: the arguments before the first that is no float are moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .rows_arrays import M23, M34, T234, V3, V4, array


@dataclass(frozen=True)
class Row:
    """A call: `args` are differentiated, `rest` follows them. order: how many derivatives are checked."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    rest: tuple[Any, ...]
    options: dict[str, Any]
    order: int = 2
    single: bool = True

    @property
    def applied(self) -> Callable[..., Any]:
        """The function of the differentiated arguments."""
        function, rest, options = self.function, self.rest, self.options

        def applied(*args: Any) -> Any:
            return function(*args, *rest, **options)
        return applied

    def seed(self, parts: list[Any]) -> Any:
        """Weights of the value: a tuple or list of them where it is one."""
        value = self.applied(*self.args)
        return type(value)(parts) if type(value) in (list, tuple) else parts[0] if len(parts) == 1 else \
            type(value)(*parts)


def _is_float(x: Any) -> bool:
    if isinstance(x, list):
        return bool(x) and all(map(_is_float, x))
    return isinstance(x, float | complex) or (isinstance(x, np.ndarray) and x.dtype.kind in "fc")


def row(function: Callable[..., Any], *args: Any, order: int = 2, single: bool = True, name: str = "",
        **options: Any) -> Row:
    count = next((k for k, x in enumerate(args) if not _is_float(x)), len(args))
    return Row(name or getattr(function, "__name__", "function"), function, args[:count], args[count:], options, order,
               single)


T = getattr(np, "trapezoid", None)
V6 = array(6)

CUTTING = [
    row(np.split, V6, 3), row(np.split, V6, [1, 4]), row(np.split, M34, 2, axis=-1), row(np.split, V6, 1),
    row(np.array_split, V4, 3), row(np.array_split, V4, 1), row(np.array_split, M34, 3, axis=1),
    row(np.hsplit, M34, 2), row(np.hsplit, V6, 2), row(np.vsplit, M34, [1]), row(np.dsplit, T234, 2),
    row(np.diag, M34), row(np.diag, M34, 1),
    row(np.delete, V6, 2), row(np.delete, V6, -1), row(np.delete, M34, 0, 1), row(np.delete, M34, [0, 2], axis=1),
    row(np.delete, M34, [0, 2]), row(np.delete, V3, np.array([True, False, True])),
    row(np.insert, V6, 2, 0.5), row(np.insert, V6, 0, [1.0, 2.0]), row(np.insert, M34, 1, 7.0, axis=0),
    row(lambda x, v: np.insert(x, 1, v, axis=0), M34, V4, name="insert row"),
    row(lambda x, v: np.insert(x, 1, v, axis=1), M34, V3, name="insert column"),
    row(lambda x, v: np.insert(x, [1, 3, 3], v), V6, V3, name="insert several"),
    row(lambda x, v: np.insert(x, 2, v), M34, V3, name="insert flat"),
    row(np.resize, V3, (2, 4)), row(np.resize, M34, 5), row(np.resize, M23, (4, 3)),
]
DIFFERENCES = [
    row(np.gradient, V6), row(np.gradient, V6, 0.5), row(np.gradient, M34, axis=1), row(np.gradient, M34),
    row(np.gradient, M34, 2.0, 0.5), row(np.gradient, V6, edge_order=2), row(np.gradient, M34, axis=(0, 1)),
    row(lambda f, x: np.gradient(f, np.cumsum(np.abs(x))), V6, array(6), name="gradient at coordinates"),
    row(lambda f, x: np.gradient(f, np.cumsum(np.abs(x)), edge_order=2, axis=0), array(6, 2), array(6),
        name="gradient at coordinates 2"),
    row(np.diff, V6, prepend=0.5), row(np.diff, M34, n=2, append=1.0), row(np.diff, M34, axis=0, prepend=array(2, 4)),
    row(np.ediff1d, M34), row(np.ediff1d, V6, to_end=[1.0, 2.0], to_begin=0.5),
    row(T, V6), row(T, M34, dx=0.5, axis=0), row(T, M34, np.arange(4.0) ** 2), row(T, M34, np.arange(3.0) ** 2, axis=0),
]

ROWS = CUTTING + DIFFERENCES
