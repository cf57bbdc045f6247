"""scipy.linalg: values as SciPy's, and derivatives in both modes, of second order, against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2s

linalg = pytest.importorskip("scipy.linalg")

A = np.array([[3.0, 0.5, -0.4], [0.2, 2.5, 0.6], [-0.3, 0.7, 4.0]])
S = A @ A.T
B = np.array([[1.0, -0.5], [0.3, 2.0], [0.7, 1.1]])
V = np.array([0.3, -1.2, 0.8])
W = np.array([[0.2, 1.3, -0.4], [0.9, 0.1, 0.5], [-1.1, 0.6, 0.3]])

PROGRAMS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "expm": (lambda a: linalg.expm(a), (0.3 * A,)),
    "sqrtm": (lambda a: linalg.sqrtm(a), (S,)),
    "logm": (lambda a: linalg.logm(a), (S,)),
    "solve_sylvester": (lambda a, b, q: linalg.solve_sylvester(a, b, q), (A, B[:2] + np.eye(2), B)),
    "solve": (lambda a, b: linalg.solve(a, b), (A, B)),
    "solve vector": (lambda a, b: linalg.solve(a, b, transposed=True), (A, V)),
    "solve pos": (lambda a, b: linalg.solve(a, b, assume_a="pos"), (S, V)),
    "solve pos lower": (lambda a, b: linalg.solve(a, b, lower=True, assume_a="pos"), (S, B)),
    "solve sym": (lambda a, b: linalg.solve(a, b, assume_a="sym"), (S, B)),
    "solve_triangular": (lambda a, b: linalg.solve_triangular(a, b), (A, B)),
    "solve_triangular lower": (lambda a, b: linalg.solve_triangular(a, b, lower=True), (A, V)),
    "solve_triangular unit": (lambda a, b: linalg.solve_triangular(a, b, trans="T", unit_diagonal=True), (A, V)),
    "cholesky": (lambda a: linalg.cholesky(a), (S,)),
    "cholesky lower": (lambda a: linalg.cholesky(a, lower=True), (S,)),
    "cho_solve": (lambda a, b: linalg.cho_solve(linalg.cho_factor(a), b), (S, B)),
    "cho_solve lower": (lambda a, b: linalg.cho_solve(linalg.cho_factor(a, lower=True), b), (S, V)),
    "inv": (lambda a: linalg.inv(a), (A,)),
    "det": (lambda a: linalg.det(a), (A,)),
    "norm": (lambda a: linalg.norm(a, axis=1), (A,)),
    "norm fro": (lambda a: linalg.norm(a, "fro"), (A,)),
    "pinv": (lambda a: linalg.pinv(a), (B,)),
    "eigvalsh": (lambda a: linalg.eigvalsh(a), (S,)),
    "eigh": (lambda a: linalg.eigh(a)[0] * np.sum(linalg.eigh(a, lower=False)[1] ** 4), (S,)),
    "svd": (lambda a: linalg.svd(a, full_matrices=False)[1], (B,)),
    "svdvals": (lambda a: linalg.svdvals(a), (B,)),
    "qr": (lambda a: linalg.qr(a, mode="economic")[1], (B,)),
    "lu": (lambda a: linalg.lu(a)[1] + 2.0 * linalg.lu(a)[2] @ W, (A[::-1],)),
    "lu permuted": (lambda a: linalg.lu(a, permute_l=True)[0], (A[::-1],)),
    "block_diag": (lambda a, b: linalg.block_diag(a, b, 2.0 * b), (A, B)),
    "toeplitz": (lambda c, r: linalg.toeplitz(c, r) + linalg.toeplitz(c), (V, V * 2.0)),
    "hankel": (lambda c, r: linalg.hankel(c, r), (V, np.array([0.8, 0.3, 1.7]))),
    "circulant": (lambda c: linalg.circulant(c), (V,)),
    "lstsq cut off": (lambda a, b: linalg.lstsq(a, b, cond=0.6)[0] + linalg.pinv(a, rtol=0.6)[:, 0], (B, V)),
    "lstsq": (lambda a, b: linalg.lstsq(a, b)[0], (B, V)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    function, args = PROGRAMS[name]
    value = np.asarray(function(*args))
    weights = np.random.default_rng(3).standard_normal(value.shape)

    def f(*args: Any) -> Any:
        out = function(*args)
        return np.sum(out * weights + out ** 2)

    found, _ = s2s.value_and_grad(f)(*args)
    np.testing.assert_allclose(found, f(*args), rtol=1e-11)
    s2s.check_grads(f, args, order=2)


def test_refusals() -> None:
    with pytest.raises(s2s.NoRuleError, match="qr with pivoting"):
        s2s.grad(lambda a: np.sum(linalg.qr(a, pivoting=True)[1]))(A)
    with pytest.raises(s2s.NoRuleError, match="not covered for this structure"):
        s2s.grad(lambda a: np.sum(linalg.solve(a, V, assume_a="tridiagonal")))(A)
    with pytest.raises(ValueError, match="sqrtm of this real matrix is complex"):
        s2s.grad(lambda a: np.sum(linalg.sqrtm(a)))(-A)
    with pytest.raises(s2s.NoRuleError, match="solve_banded"):
        s2s.grad(lambda a: np.sum(linalg.solve_banded((1, 1), a, V)))(A)


@pytest.mark.cpu
def test_target_cpu_names_the_function() -> None:
    with pytest.raises(s2s.CompilationError, match=r"scipy\.linalg\.expm cannot be compiled"):
        s2s.grad(lambda a: np.sum(linalg.expm(a)), target="cpu")(A)
