"""np.unique, the functions of sets and np.trim_zeros: elements of the arrays, which the values choose.

The first of equal elements is taken, as by every other choice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2s.rules.primitives import constant, refuse


def unique(ar: Any, return_index: Any = False, return_inverse: Any = False, return_counts: Any = False,
           axis: Any = None, *, equal_nan: Any = True, sorted: Any = True) -> Any:
    if axis is not None:
        refuse("np.unique is covered for all elements, without an axis")
    a = np.asarray(ar)
    flat = np.ravel(a)
    order = np.argsort(constant(flat), kind="stable")
    ordered = flat[order]
    new = np.ones(order.shape[0], dtype=bool)
    new[1:] = constant(ordered[1:] != ordered[:-1])
    if equal_nan and a.dtype.kind in "fc":
        nan = np.isnan(constant(ordered))
        new[1:] = np.logical_and(new[1:], np.logical_not(np.logical_and(nan[1:], nan[:-1])))
    places = np.flatnonzero(new)
    found = ordered[places]
    if not (return_index or return_inverse or return_counts):
        return found
    inverse = np.zeros(order.shape[0], dtype=int)
    inverse[order] = np.cumsum(new) - 1
    counts = np.diff(np.concatenate((places, np.array([order.shape[0]]))))
    return (found, *((order[places],) if return_index else ()),
            *((inverse.reshape(a.shape),) if return_inverse else ()), *((counts,) if return_counts else ()))


def unique_values(x: Any) -> Any:
    return unique(x, equal_nan=False)


def union1d(ar1: Any, ar2: Any) -> Any:
    return unique(np.concatenate((np.ravel(ar1), np.ravel(ar2))))


def intersect1d(ar1: Any, ar2: Any, assume_unique: Any = False, return_indices: Any = False) -> Any:
    if return_indices:
        refuse("np.intersect1d(return_indices=True) is not covered")
    found = unique(ar1)
    return found[np.flatnonzero(np.isin(constant(found), constant(ar2)))]


def setdiff1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    found = np.ravel(ar1) if assume_unique else unique(ar1)
    return found[np.flatnonzero(np.logical_not(np.isin(constant(found), constant(ar2))))]


def setxor1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    return np.sort(np.concatenate((setdiff1d(unique(ar1), ar2), setdiff1d(unique(ar2), ar1))))


def trim_zeros(filt: Any, trim: Any = "fb", axis: Any = None) -> Any:
    a = np.asarray(filt)
    if a.ndim != 1:
        refuse("np.trim_zeros is covered for one axis")
    places = np.flatnonzero(constant(a))
    if places.shape[0] == 0:
        return a[:0]
    return a[places[0] if "f" in trim.lower() else 0:places[-1] + 1 if "b" in trim.lower() else a.shape[0]]


def reduceat(ufunc: Any, array: Any, indices: Any, axis: Any = 0) -> Any:
    """`ufunc.reduceat`: the parts from each index to the next; one element where the next is not larger."""
    a = np.moveaxis(np.asarray(array), axis, 0)
    starts = np.asarray(indices)
    out = np.zeros((starts.shape[0], *a.shape[1:]), a.dtype)
    for k in range(starts.shape[0]):
        start = starts[k]
        stop = starts[k + 1] if k + 1 < starts.shape[0] else a.shape[0]
        if start < stop:
            out[k] = ufunc.reduce(a[start:stop], axis=0)
        else:
            out[k] = a[start]
    return np.moveaxis(out, 0, axis)


STAND_INS: dict[Any, Callable[..., Any]] = {
    np.unique: unique, np.union1d: union1d, np.intersect1d: intersect1d, np.setdiff1d: setdiff1d,
    np.setxor1d: setxor1d, np.trim_zeros: trim_zeros,
    reduceat: reduceat,  # what the method of a ufunc is called as
}
if hasattr(np, "unique_values"):
    STAND_INS[np.unique_values] = unique_values
