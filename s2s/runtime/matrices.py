"""Helpers on matrices and stacks of them."""

from __future__ import annotations

from typing import Any

import numpy as np


def eig(a: Any) -> Any:
    """Eigenvalues and eigenvectors of a real matrix, complex ones also where all are real.

    >>> eig(np.array([[2.0, 0.0], [0.0, 3.0]]))[0]
    array([2.+0.j, 3.+0.j])
    """
    w, v = np.linalg.eig(a)
    return w + 0j, v + 0j


def eigvals(a: Any) -> Any:
    """Eigenvalues of a real matrix, complex ones also where all are real.

    >>> eigvals(np.array([[2.0, 0.0], [0.0, 3.0]]))
    array([2.+0.j, 3.+0.j])
    """
    return np.linalg.eigvals(a) + 0j


def cofactors(a: Any) -> Any:
    """The derivative of the determinant by each element: det(a) times the inverse, transposed; if singular too.

    >>> cofactors(np.array([[1.0, 0.0], [3.0, 0.0]])) + 0.0
    array([[ 0., -3.],
           [ 0.,  1.]])
    """
    n = a.shape[-1]
    count = 1
    for k in range(a.ndim - 2):
        count *= a.shape[k]
    flat = np.ascontiguousarray(a).reshape((count, n, n))
    out = np.empty_like(flat)
    for k in range(count):
        det = np.linalg.det(flat[k])
        if det != 0:
            out[k] = det * np.linalg.inv(flat[k]).T
        else:
            u, s, vh = np.linalg.svd(flat[k])
            others = np.ones_like(s)
            for i in range(n):
                for j in range(n):
                    if i != j:
                        others[i] *= s[j]
            signs = np.linalg.det(u) * np.linalg.det(vh)
            out[k] = np.conj(signs) * ((np.conj(u) * others) @ np.conj(vh))
    return out.reshape(a.shape)


def is_singular(a: Any) -> bool:
    """Whether no system of equations with this matrix can be solved: LAPACK meets a pivot of zero.

    >>> is_singular(np.ones((2, 2))), is_singular(np.eye(2))
    (True, False)
    """
    try:
        np.linalg.inv(a)
    except Exception:
        return True
    return False


def is_indefinite(a: Any) -> bool:
    """Whether a matrix has no Cholesky factor.

    >>> is_indefinite(-np.eye(2)), is_indefinite(np.eye(2))
    (True, False)
    """
    try:
        np.linalg.cholesky(a)
    except Exception:
        return True
    return False
