"""One specialisation of a gradient function: how its core is fed, and what becomes of what it returns."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2s.api.inspection import variables_of
from s2s.api.plan import Plan
from s2s.api.shell import refuse_overlap
from s2s.api.structure import argument_leaves, flatten_seed, numbers_of, zeros_of
from s2s.errors import ShapeError
from s2s.ir.types import Array, Scalar, is_inexact
from s2s.pipeline import Derivative
from s2s.variable import plain, tensor


class Entry:
    """One specialisation of a gradient function, compiled."""

    def __init__(self, derivative: Derivative, core: Callable[..., Any], with_dy: bool) -> None:
        self.derivative = derivative
        self.core = core
        self.with_dy = with_dy
        program = derivative.program
        self.binding = program.binding
        fn = program.function
        self.plan = Plan(program.binding, fn.block.params)
        self.structure = program.structure
        self.values = len(fn.block.results) if derivative.keep_values else 0
        self.seeded = [k for k, v in enumerate(fn.block.results) if is_inexact(v.type)]
        self.results = [v.type for v in fn.block.results]
        positions, k = [], self.values
        for connected in derivative.connected:
            positions.append(k if connected else None)
            k += connected
        self.positions = positions
        self.outputs = k
        self.leaves = {name: list(argument_leaves(self.binding, read)) for name, read in program.arguments.items()}
        self.variables = [weakref.ref(v) for v in variables_of(derivative)]
        # numba returns numbers of any dtype as Python's.
        self.narrow = {k: np.dtype(v.type.dtype).type for k, v in enumerate(derivative.function.block.results)
                       if isinstance(v.type, Scalar) and v.type.dtype not in ("float64", "int64", "bool", "complex128")}
        self.shell: Callable[..., Any] | None = None  # where there is no dy

    def forget(self) -> None:
        """Keep nothing alive that the first call was made with; each call reads its own."""
        self.binding.forget()

    def run(self, values: list[Any], dy: Any) -> tuple[list[Any], list[Any]]:
        """The values of the function and a gradient (or None) for each differentiated read."""
        arguments = self.plan.core_arguments(values)
        if self.derivative.written:
            refuse_overlap(arguments, self.derivative.written)
        if self.with_dy:
            arguments += self._seeds(dy)
        out = self._weighted(arguments, dy) if self.with_dy else self.core(*arguments)
        if self.outputs < 2:
            out = (out,) if self.outputs else ()
        if self.narrow:
            out = [self.narrow[k](x) if k in self.narrow else x for k, x in enumerate(out)]
        if self.with_dy:
            self._check_seeds(out, dy)
        gradients = [None if at is None else tensor(out[at]) for at in self.positions]
        for k, zero in enumerate(self.derivative.zeros):
            if zero:
                gradients[k] = zeros_of(values[self.derivative.wrt[k].index])
        return list(out[:self.values]), gradients

    def _weighted(self, arguments: list[Any], dy: Any) -> Any:
        try:
            return self.core(*arguments)
        except ValueError as error:
            shapes = {np.shape(plain(v)) for v in flatten_seed(self.structure, dy).values()}
            if shapes == {()}:
                raise
            # The shape of the value is known after the forward sweep only; the reverse sweep met it first.
            given = " and ".join(map(str, sorted(shapes)))
            said = str(error).strip()
            raise ShapeError(f"dy has shape {given}, which is not that of the value: {said}\n{_FIT}") from error

    def _seeds(self, dy: Any) -> list[Any]:
        given = flatten_seed(self.structure, dy)
        seeds = []
        for k in self.seeded:
            t = self.results[k]
            assert isinstance(t, Scalar | Array)
            seed = given[k] if isinstance(given[k], int | float | complex) else plain(given[k])
            seed = numbers_of(seed, "dy")
            if seed.ndim != t.ndim:
                raise ShapeError(f"dy has shape {seed.shape}; the value has {t.ndim} dimensions\n{_FIT}")
            if np.iscomplexobj(seed) and np.dtype(t.dtype).kind != "c":
                raise ShapeError(f"dy is complex; the value is {t.dtype}\nPass real weights.")
            seed = seed.astype(t.dtype)
            seeds.append(seed.item() if isinstance(t, Scalar) and t.weak else seed[()])
        return seeds

    def _check_seeds(self, out: Sequence[Any], dy: Any) -> None:
        given = flatten_seed(self.structure, dy)
        for k in self.seeded:
            expected, got = np.shape(out[k]), np.shape(plain(given[k]))
            if expected != got:
                raise ShapeError(f"dy has shape {got}; the value has shape {expected}\n{_FIT}")



_FIT = "Pass one weight for each element of the value."
