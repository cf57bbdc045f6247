"""Helpers that work along the last axis, or on stacks of matrices: loops, which numba compiles for any rank."""

from __future__ import annotations

from typing import Any

import numpy as np


def as_rows(a: Any) -> Any:
    """All axes but the last as one; in memory of its own where it has to be.

    >>> as_rows(np.ones((2, 3, 4))).shape
    (6, 4)
    """
    rows = 1
    for k in range(a.ndim - 1):
        rows *= a.shape[k]
    return np.ascontiguousarray(a).reshape((rows, a.shape[-1]))


def as_matrices(a: Any) -> Any:
    """All axes but the last two as one; in memory of its own where it has to be.

    >>> as_matrices(np.ones((2, 3, 4, 5))).shape
    (6, 4, 5)
    """
    count = 1
    for k in range(a.ndim - 2):
        count *= a.shape[k]
    return np.ascontiguousarray(a).reshape((count, a.shape[-2], a.shape[-1]))


def prod_last(a: Any) -> Any:
    """Products along the last axis.

    >>> prod_last(np.array([[2.0, 3.0], [4.0, 5.0]]))
    array([ 6., 20.])
    """
    flat = as_rows(a)
    out = np.ones(flat.shape[0], flat.dtype)
    for r in range(flat.shape[0]):
        for k in range(flat.shape[1]):
            out[r] *= flat[r, k]
    return out.reshape(a.shape[:-1])


def max_last(a: Any) -> Any:
    """Largest elements along the last axis; NaN where there is one.

    >>> max_last(np.array([[2.0, 3.0], [5.0, 4.0]]))
    array([3., 5.])
    """
    flat = as_rows(a)
    out = np.empty(flat.shape[0], flat.dtype)
    for r in range(flat.shape[0]):
        out[r] = np.max(flat[r])
    return out.reshape(a.shape[:-1])


def min_last(a: Any) -> Any:
    """Smallest elements along the last axis; NaN where there is one.

    >>> min_last(np.array([[2.0, 3.0], [5.0, 4.0]]))
    array([2., 4.])
    """
    flat = as_rows(a)
    out = np.empty(flat.shape[0], flat.dtype)
    for r in range(flat.shape[0]):
        out[r] = np.min(flat[r])
    return out.reshape(a.shape[:-1])


def cumsum_last(a: Any) -> Any:
    """Running sums along the last axis.

    >>> cumsum_last(np.array([[2.0, 3.0], [4.0, 5.0]]))
    array([[2., 5.],
           [4., 9.]])
    """
    out = as_rows(a).copy()
    for r in range(out.shape[0]):
        for k in range(1, out.shape[1]):
            out[r, k] += out[r, k - 1]
    return out.reshape(a.shape)


def recurrence(c: Any, x: Any) -> Any:
    """y[..., k] = x[..., k] + c[..., k] * y[..., k - 1], along the last axis.

    >>> recurrence(np.array([9.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0]))
    array([ 1.,  3., 10.])
    """
    factors = as_rows(c)
    out = as_rows(x).copy()
    for k in range(1, out.shape[1]):
        out[:, k] += factors[:, k] * out[:, k - 1]
    return out.reshape(x.shape)


def sort_last(a: Any) -> Any:
    """Sorted along the last axis.

    >>> sort_last(np.array([[3.0, 2.0], [4.0, 5.0]]))
    array([[2., 3.],
           [4., 5.]])
    """
    out = as_rows(a).copy()
    for r in range(out.shape[0]):
        out[r] = np.sort(out[r])
    return out.reshape(a.shape)


def argsort_last(a: Any) -> Any:
    """The stable order along the last axis.

    >>> argsort_last(np.array([[3.0, 2.0], [4.0, 5.0]]))
    array([[1, 0],
           [0, 1]])
    """
    flat = as_rows(a)
    out = np.empty(flat.shape, np.int64)
    for r in range(flat.shape[0]):
        out[r] = np.argsort(flat[r], kind="mergesort")
    return out.reshape(a.shape)


def diagonal_last(a: Any, offset: int) -> Any:
    """The diagonals of the last two axes, along a new last axis.

    >>> diagonal_last(np.array([[1.0, 2.0], [3.0, 4.0]]), 1)
    array([2.])
    """
    above, below = max(offset, 0), max(-offset, 0)
    n = max(min(a.shape[-2] - below, a.shape[-1] - above), 0)
    flat = as_matrices(a)
    out = np.empty((flat.shape[0], n), a.dtype)
    for r in range(flat.shape[0]):
        for k in range(n):
            out[r, k] = flat[r, k + below, k + above]
    return out.reshape((*a.shape[:-2], n))


def add_at(a: Any, index: Any, values: Any) -> None:
    """`np.add.at(a, index, values)`, where `values` has the shape of `a[index]`.

    >>> a = np.zeros(3)
    >>> add_at(a, np.array([0, 2, 2]), np.ones(3))
    >>> a
    array([1., 0., 2.])
    """
    places = np.ascontiguousarray(index).reshape(index.size)
    rows = np.ascontiguousarray(values).reshape((index.size, *a.shape[1:]))
    for k in range(places.size):
        a[places[k]] += rows[k]


def add_at_pairs(a: Any, first: Any, second: Any, values: Any) -> None:
    """`np.add.at(a, (first, second), values)`, where `values` has the shape of `a[first, second]`.

    >>> a = np.zeros((2, 2))
    >>> add_at_pairs(a, np.array([0, 0]), np.array([1, 1]), np.ones(2))
    >>> a
    array([[0., 2.],
           [0., 0.]])
    """
    i = np.ascontiguousarray(first).reshape(first.size)
    j = np.ascontiguousarray(second).reshape(first.size)
    rows = np.ascontiguousarray(values).reshape((first.size, *a.shape[2:]))
    for k in range(i.size):
        a[i[k], j[k]] += rows[k]


def set_at(a: Any, index: Any, values: Any) -> None:
    """`a[index] = values`, where `values` has the shape of `a[index]`.

    >>> a = np.zeros(3)
    >>> set_at(a, np.array([[0], [2]]), np.ones((2, 1)))
    >>> a
    array([1., 0., 1.])
    """
    places = np.ascontiguousarray(index).reshape(index.size)
    rows = np.ascontiguousarray(values).reshape((index.size, *a.shape[1:]))
    for k in range(places.size):
        a[places[k]] = rows[k]


def set_at_pairs(a: Any, first: Any, second: Any, values: Any) -> None:
    """`a[first, second] = values`, where `values` has the shape of `a[first, second]`.

    >>> a = np.zeros((2, 2))
    >>> set_at_pairs(a, np.array([0, 1]), np.array([1, 1]), np.ones(2))
    >>> a
    array([[0., 1.],
           [0., 1.]])
    """
    i = np.ascontiguousarray(first).reshape(first.size)
    j = np.ascontiguousarray(second).reshape(first.size)
    rows = np.ascontiguousarray(values).reshape((first.size, *a.shape[2:]))
    for k in range(i.size):
        a[i[k], j[k]] = rows[k]


def add_where(a: Any, mask: Any, values: Any) -> None:
    """`a[mask] += values`, where `values` is an array with one element for each True.

    >>> a = np.zeros(3)
    >>> add_where(a, np.array([True, False, True]), np.array([1.0, 2.0]))
    >>> a
    array([1., 0., 2.])
    """
    count = 0
    for place in np.ndindex(mask.shape):
        if mask[place]:
            a[place] += values[count]
            count += 1


def set_where(a: Any, mask: Any, values: Any) -> None:
    """`a[mask] = values`, where `values` is an array with one element for each True.

    >>> a = np.zeros((2, 2))
    >>> set_where(a, np.array([[True, False], [False, True]]), np.array([1.0, 2.0]))
    >>> a
    array([[1., 0.],
           [0., 2.]])
    """
    count = 0
    for place in np.ndindex(mask.shape):
        if mask[place]:
            a[place] = values[count]
            count += 1


def matmul_stack(a: Any, b: Any) -> Any:
    """Products of matrices; the axes before the last two are equal.

    >>> matmul_stack(np.ones((2, 2, 3)), np.ones((2, 3, 1))).shape
    (2, 2, 1)
    """
    x = as_matrices(a)
    y = as_matrices(b)
    out = np.empty((x.shape[0], a.shape[-2], b.shape[-1]), a.dtype)
    for r in range(x.shape[0]):
        out[r] = x[r] @ y[r]
    return out.reshape((*a.shape[:-1], b.shape[-1]))


def inv_stack(a: Any) -> Any:
    """Inverses of matrices.

    >>> inv_stack(2.0 * np.eye(2)[np.newaxis])[0, 0]
    array([0.5, 0. ])
    """
    out = as_matrices(a).copy()
    for r in range(out.shape[0]):
        out[r] = np.linalg.inv(out[r])
    return out.reshape(a.shape)


def det_stack(a: Any) -> Any:
    """Determinants of matrices.

    >>> det_stack(2.0 * np.eye(2)[np.newaxis])
    array([4.])
    """
    flat = as_matrices(a)
    out = np.empty(flat.shape[0], a.dtype)
    for r in range(flat.shape[0]):
        out[r] = np.linalg.det(flat[r])
    return out.reshape(a.shape[:-2])


def solve_stack(a: Any, b: Any) -> Any:
    """Solutions of systems of equations; the axes before the last two are equal.

    >>> solve_stack(2.0 * np.eye(2)[np.newaxis], np.ones((1, 2, 1)))[0, :, 0]
    array([0.5, 0.5])
    """
    x = as_matrices(a)
    out = as_matrices(b).copy()
    for r in range(out.shape[0]):
        out[r] = np.linalg.solve(x[r], out[r])
    return out.reshape(b.shape)
