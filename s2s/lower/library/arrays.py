"""Functions of NumPy that take a function (piecewise, apply_along_axis, fromfunction, vectorize)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    at = np.asarray(x)
    conditions = list(condlist) if isinstance(condlist, list | tuple) else [condlist]
    if len(funclist) == len(conditions) + 1:
        other = np.logical_not(conditions[0])
        for c in conditions[1:]:
            other = np.logical_and(other, np.logical_not(c))
        conditions = [*conditions, other]
    y = np.zeros_like(at)
    for c, function in zip(conditions, funclist, strict=True):
        if callable(function):
            if at.ndim:
                y[c] = function(at[c], *args, **kw)
            else:
                y = np.where(c, function(at, *args, **kw), y)
        else:
            y = np.where(c, function, y)
    return y


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    at = axis % arr.ndim
    if arr.ndim == 1:
        return np.asarray(func1d(arr, *args, **kwargs))
    moved = np.moveaxis(arr, at, -1)
    rows = moved.reshape((-1, moved.shape[-1]))
    results = []
    for k in range(rows.shape[0]):
        results.append(func1d(rows[k], *args, **kwargs))  # noqa: PERF401 - as it is read by s2s
    joined = np.array(results)
    whole = joined.reshape(moved.shape[:-1] + joined.shape[1:])
    if whole.ndim == arr.ndim - 1:
        return whole
    source = tuple(range(arr.ndim - 1, whole.ndim))
    return np.moveaxis(whole, source, tuple(k - (arr.ndim - 1) + at for k in source))


def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    result = a
    for axis in axes if isinstance(axes, list | tuple) else (axes,):
        at = axis % a.ndim
        found = func(result, at)
        result = found if found.ndim == result.ndim else np.expand_dims(found, at)
    return result


def fromfunction(function: Callable[..., Any], shape: Any, *, dtype: Any = float, **kwargs: Any) -> Any:
    grid = np.indices(shape).astype(dtype)
    if len(shape) == 1:
        return function(grid[0], **kwargs)
    if len(shape) == 2:
        return function(grid[0], grid[1], **kwargs)
    return function(grid[0], grid[1], grid[2], **kwargs)


def vectorized(pyfunc: Callable[..., Any], *args: Any) -> Any:
    if len(args) == 1:
        flat = np.ravel(args[0])
        found = [pyfunc(v) for v in flat]
        return np.array(found).reshape(np.shape(args[0]))
    arrays = np.broadcast_arrays(*args)
    shape = arrays[0].shape
    flats = [np.ravel(a) for a in arrays]
    results = []
    for k in range(flats[0].shape[0]):
        results.append(pyfunc(*[v[k] for v in flats]))  # noqa: PERF401
    return np.array(results).reshape(shape)


STAND_INS: dict[Any, Callable[..., Any]] = {
    np.piecewise: piecewise, np.apply_along_axis: apply_along_axis,
    np.apply_over_axes: apply_over_axes, np.fromfunction: fromfunction,
    vectorized: vectorized,  # what np.vectorize(f) is called as
}
