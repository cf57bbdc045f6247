"""Jacobians and Hessians as functions: one product with the Jacobian for each element of a basis."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from s2s.api.dispatch import GradientFunction, function_name
from s2s.api.pickling import reduced
from s2s.api.structure import is_number
from s2s.api.tangents import tangent_function
from s2s.containers import leaves, mapped
from s2s.lower.describe import with_article
from s2s.options import Request
from s2s.variable import plain, tensor


class JacobianFunction:
    """What `jacobian` and `hessian` return. Call it with the arguments of the function.

    request: its `params` are positions of arguments. As a part of a differentiated function it is put in
    place there (`s2s.lower.products`), by its role and `argnums`.
    """

    __s2s_role__ = "jacobian_function"

    def __init__(self, request: Request) -> None:
        if not callable(request.function):
            raise TypeError(f"s2s differentiates a function; it was given {request.function!r:.60}")
        functools.update_wrapper(self, request.function)
        self.__dict__.pop("__s2s_role__", None)  # that of a gradient function
        self.request = request
        self.__wrapped__ = request.function
        params = request.params or ()
        self.argnums: Any = params if request.as_tuple else params[0]
        self.transposed = request.kind == "hessian"

    def __call__(self, *args: Any) -> Any:
        if not self.request.as_tuple:
            return self._jacobian(args, self.argnums)
        found = tuple(self._jacobian(args, k) for k in self.argnums)
        # Of a Hessian, the first index is the argument of the first derivative.
        return tuple(zip(*found, strict=True)) if self.transposed else found

    def _jacobian(self, args: tuple[Any, ...], k: int) -> Any:
        f = self.__wrapped__
        if not isinstance(k, int) or not -len(args) <= k < len(args):
            raise ValueError(f"{function_name(f)} is called with {len(args)} positional argument"
                             f"{'s' * (len(args) != 1)}; the Jacobian of number {k} is asked for (they are counted "
                             "from 0)")
        k %= len(args)
        x = args[k]
        numbers = [np.asarray(plain(v)) for v in leaves(x) if is_number(v)]
        if not numbers:
            t = type(x).__name__
            fix = f"pass {float(x)!r}" if type(x) in (int, bool) else "pass a float or an array of floats"
            raise TypeError(f"{function_name(f)}: argument {k} is {with_article(t)}, which has no Jacobian; {fix}")
        value, _ = self._push(args, k, [None] * len(numbers))
        size = sum(v.size for v in numbers)
        if _by_rows(value) and sum(np.size(v) for v in _results(value)) < size and _by_rows(x):
            return self._rows(args, k, value)
        columns: list[list[Any]] = []
        for i, number in enumerate(numbers):
            columns.append([])
            for direction in _basis(number):
                dots = [direction if j == i else None for j in range(len(numbers))]
                columns[-1].append(list(_results(self._push(args, k, dots)[1])))
        return self._nest(value, x, [[np.stack([plain(c[r]) for c in column], axis=-1) if column else None
                                      for column in columns] for r, _ in enumerate(_results(value))])

    def _push(self, args: tuple[Any, ...], k: int, dots: Sequence[Any]) -> tuple[Any, Any]:
        """Value and tangent, for a tangent (None: zero) of each number in the k-th argument."""
        given = iter(dots)

        def tangent(v: Any) -> Any:
            if not is_number(v):
                return None
            dot = next(given)
            return np.zeros_like(np.asarray(plain(v))) if dot is None else dot

        tangents = tuple(mapped(tangent, a) if i == k else None for i, a in enumerate(args))
        f = self.__wrapped__
        return tangent_function(f, self.request.options)(f, args, tangents)

    def _rows(self, args: tuple[Any, ...], k: int, value: Any) -> Any:
        """Reverse mode: one gradient for each element of the value."""
        g = GradientFunction(Request("gradients", self.__wrapped__, params=(k,), options=self.request.options))
        count = sum(is_number(v) for v in leaves(args[k]))
        found = []
        for r, number in enumerate(_results(value)):
            gradients = []
            for direction in _basis(number):
                got = g(*args, dy=_weights(value, r, direction))[0]
                gradients.append([np.zeros_like(plain(x)) if v is None else plain(v) for v, x in zip(
                    leaves(got) if got is not None else [None] * len(list(leaves(args[k]))), leaves(args[k]),
                    strict=True) if is_number(x)])
            found.append([np.stack([row[i] for row in gradients]) if gradients else None for i in range(count)])
        return self._nest(value, args[k], found)

    def _nest(self, value: Any, x: Any, parts: list[list[Any]]) -> Any:
        """A nest like the value, of nests like the argument; parts: for each result, for each number."""
        rows = iter(parts)

        def of_result(v: Any) -> Any:
            if not _is_result(v):
                return None
            found = iter(next(rows))

            def of_number(a: Any) -> Any:
                if not is_number(a):
                    return None
                part = next(found)
                shape = (*np.shape(v), *np.shape(plain(a)))
                return tensor(np.zeros(shape, plain(v).dtype) if part is None else part.reshape(shape))

            return mapped(of_number, x)

        return mapped(of_result, value)

    def __s2s_key__(self) -> Any:
        """What a program that calls this depends on: which derivative it is; the function is looked at apart."""
        return (JacobianFunction, self.request.kind_of_derivative)

    def __repr__(self) -> str:
        return f"<s2s {self.request.kind} function of {function_name(self.request.function)}>"

    def __reduce__(self) -> Any:
        return reduced(self, JacobianFunction)


def _is_result(v: Any) -> bool:
    """Whether a leaf of a value can be differentiated."""
    return isinstance(v, np.ndarray) and v.dtype.kind in "fc"


def _results(value: Any) -> Iterator[Any]:
    return (v for v in leaves(value) if _is_result(v))


def _weights(value: Any, r: int, direction: Any) -> Any:
    """A nest like the value: `direction` for its r-th result, zeros for the others."""
    count = itertools.count()

    def weight(v: Any) -> Any:
        if not _is_result(v):
            return v
        return direction if next(count) == r else np.zeros_like(plain(v))

    return mapped(weight, value)


def _by_rows(v: Any) -> bool:
    """Whether reverse mode gives the rows: of complex numbers it gives conjugates."""
    return not any(np.iscomplexobj(plain(x)) for x in leaves(v))


def _basis(x: Any) -> Iterator[Any]:
    """Arrays (or a number) like `x` with a single 1."""
    x = np.asarray(plain(x))
    flat = np.zeros(x.size, x.dtype)
    for i in range(flat.size):
        flat[i] = 1
        yield flat.reshape(x.shape).copy()[()]
        flat[i] = 0
