"""scipy.sparse: products with a constant matrix and systems of equations, in both modes and of second order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2s

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")

D = np.array([[2.0, 0.0, 0.5], [0.0, 3.0, 0.0], [1.0, 0.0, 4.0], [0.0, -1.0, 0.0]])
A, S = sparse.csr_matrix(D), sparse.csc_matrix(D[:3])
X = np.array([0.3, -1.2, 0.8])
M = np.array([[0.3, -1.2], [0.8, 0.5], [1.1, -0.7]])

PROGRAMS: dict[str, Any] = {
    "product": lambda x: np.sum((A @ x) ** 3),
    "dot": lambda x: np.sum(A.dot(x) ** 3),
    "transposed": lambda x: np.sum((A.T @ (A @ x)) ** 2) + np.sum(S.T.dot(x) ** 3),
    "from the right": lambda x: np.sum((x @ S) ** 3),
    "array": lambda x: np.sum((sparse_array @ x) ** 3),
    "spsolve": lambda x: np.sum(linalg.spsolve(S, x * x) ** 2),
    "in a loop": lambda x: np.sum(iterate(x) ** 2),
}
sparse_array = sparse.coo_array(D)


def iterate(x: Any) -> Any:
    for _ in range(3):
        x = np.tanh(0.3 * (S @ x))
    return x


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    f = PROGRAMS[name]
    np.testing.assert_allclose(s2s.value_and_grad(f)(X)[0], f(X), rtol=1e-12)
    s2s.check_grads(f, (X,), order=2)


def test_matrices() -> None:
    s2s.check_grads(lambda m: np.sum((A @ m) ** 2) + np.sum((m.T @ S) ** 3), (M,), order=2)


def test_another_matrix_is_taken() -> None:
    f = lambda x: np.sum(matrix @ x)  # noqa: E731
    g, found = s2s.grad(f), []
    for matrix in (A, 2.0 * A, sparse.csr_matrix(D.astype(np.float32))):
        found.append(np.asarray(g(X)))
    np.testing.assert_allclose(found[0], D.sum(axis=0))
    np.testing.assert_allclose(found[1], 2.0 * D.sum(axis=0))
    np.testing.assert_allclose(found[2], D.sum(axis=0))


@pytest.mark.cpu
def test_target_cpu_names_the_function() -> None:
    with pytest.raises(s2s.CompilationError):
        s2s.grad(lambda x: np.sum((A @ x) ** 2), target="cpu")(X)
