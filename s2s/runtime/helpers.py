"""The helpers that emitted code may call: plain functions, which numba compiles as they are.

`like` is an array: where it is a scalar, `np.sum(x)` and `x` itself do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2s.runtime.gamma import polygamma
from s2s.runtime.matrices import cofactors, eig, eigvals, is_indefinite, is_singular
from s2s.runtime.rows import (
    add_at,
    add_at_pairs,
    add_where,
    argsort_last,
    as_matrices,
    as_rows,
    cumsum_last,
    det_stack,
    diagonal_last,
    inv_stack,
    matmul_stack,
    max_last,
    min_last,
    prod_last,
    recurrence,
    set_at,
    set_at_pairs,
    set_where,
    solve_stack,
    sort_last,
)

__all__ = [
    "add_at", "add_at_pairs", "add_where", "argsort_last", "as_matrices", "as_rows", "broadcast_like", "cofactors",
    "cumsum_last", "det_stack", "diagonal_last", "eig", "eigvals", "inv_stack", "is_indefinite", "is_singular",
    "matmul_stack", "max_last", "min_last", "polygamma", "prod_last", "product_of_others", "recurrence", "set_at",
    "set_at_pairs", "set_where", "solve_stack", "sort_last", "unbroadcast", "unbroadcast_cells",
]


def unbroadcast(x: Any, like: Any) -> Any:
    """`x`, whose shape is one that `like` broadcasts to, summed to the shape of `like`.

    >>> unbroadcast(np.ones((2, 3)), np.ones((2, 1)))
    array([[3.],
           [3.]])
    """
    # numba, which compiles this for an array without axes only, knows no `keepdims`, and a rank that depends on a
    # run-time size types nowhere; so each axis is summed as the middle one of three.
    total = x.flatten()
    missing = x.ndim - like.ndim
    after = 1
    for axis in range(x.ndim - 1, -1, -1):
        n = x.shape[axis]
        if axis < missing or like.shape[axis - missing] != n:
            before = 1
            for k in range(axis):
                before *= x.shape[k]
            total = total.reshape((before, n, after)).sum(axis=1).flatten()
        else:
            after *= n
    return total.reshape(like.shape)


def unbroadcast_cells(x: Any, like: Any) -> Any:
    """`unbroadcast(x, like)` cell by cell, for arrays with axes: what numba compiles fast.

    >>> unbroadcast_cells(np.ones((2, 3)), np.ones((2, 1)))
    array([[3.],
           [3.]])
    """
    total = np.zeros(like.shape, x.dtype)
    missing = x.ndim - like.ndim
    alike = x.size == like.size
    for k, value in enumerate(x.flat):
        place = 0
        if alike:
            place = k
        else:
            stride = 1
            for axis in range(x.ndim - 1, missing - 1, -1):
                size = like.shape[axis - missing]
                if size > 1:
                    place += k % size * stride
                k //= x.shape[axis]
                stride *= size
        total.flat[place] += value
    return total


def broadcast_like(x: Any, like: Any) -> Any:
    """A new array with the shape of `like`, filled with `x`.

    >>> broadcast_like(2.0, np.ones(3))
    array([2., 2., 2.])
    """
    return np.broadcast_to(x, like.shape).copy()


def product_of_others(a: Any) -> Any:
    """For each element, the product of the others along the last axis.

    >>> product_of_others(np.array([2.0, 0.0, 5.0]))
    array([ 0., 10.,  0.])
    """
    n = a.shape[-1]
    rows = 1
    for k in range(a.ndim - 1):
        rows *= a.shape[k]
    flat = a.flatten().reshape((rows, n))
    out = np.ones_like(flat)
    if n > 1:
        for r in range(rows):
            out[r, 1:] = np.cumprod(flat[r])[:-1]
            out[r, :-1] *= np.cumprod(flat[r, ::-1])[::-1][1:]
    return out.reshape(a.shape)
