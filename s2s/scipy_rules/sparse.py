"""scipy.sparse: products with a sparse matrix and systems of equations, of which the matrix is a constant.

Lowering (`s2s.lower.sparse`) makes these operations of `A @ x`, `A.dot(x)` and `spsolve(A, b)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import scipy.sparse.linalg

from s2s.ir.core import Op
from s2s.ir.types import Array, Type, fresh_dim
from s2s.rules.common import argument
from s2s.rules.expr import Expr, fn
from s2s.rules.table import Family

FAMILY = Family("scipy.sparse")


def product(A: Any, x: Any, transposed: bool = False, kind: str = "float64") -> Any:
    """`A @ x`, or with its conjugate transpose."""
    return (A.conj().T if transposed else A) @ x


def sparse_solve(A: Any, x: Any, transposed: bool = False, kind: str = "float64") -> Any:
    """The solution of `A @ y = x`, or with the conjugate transpose."""
    return scipy.sparse.linalg.spsolve((A.conj().T if transposed else A).tocsc(), x)


def _result(op: Op) -> Sequence[Type]:
    x = argument(op, "x")
    return [Array(op.attrs["kind"], (fresh_dim(), *x.dims[1:]), "A")]


def _linear(name: str, function: Callable[..., Any]) -> None:
    rule = FAMILY.op(f"scipy.sparse.{name}", "A, x, transposed=False, kind='float64'", _result, callables=(),
                     linear="x", function=function)

    @rule.vjp
    def _(g: Expr, ans: Expr, A: Expr, x: Expr, transposed: bool, kind: str) -> dict[str, Expr]:
        return {"x": getattr(fn, f"scipy.sparse.{name}")(A, g, not transposed, kind)}


_linear("product", product)
_linear("sparse_solve", sparse_solve)
WRITTEN: dict[Any, Any] = {}
NAMES = {"A @ x", "A.dot(x)", "A.T @ x", "linalg.spsolve"}
REFUSED = {"the matrix is a constant": "by its entries; matrices made in a program",
           "use linalg.spsolve": "linalg.cg linalg.gmres linalg.splu linalg.eigsh linalg.svds linalg.expm_multiply"}
