"""Sparse matrices of SciPy from outside of the program: products with them, and systems of equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from s2s.ir.core import Value
from s2s.ir.types import Array
from s2s.lower.context import Context
from s2s.lower.describe import describe
from s2s.lower.numbers import value
from s2s.lower.outside import opaque
from s2s.lower.values import Lowered, Outside, Static


@dataclass(frozen=True)
class Transposed:
    """`A.T` of a sparse matrix."""

    matrix: Outside


def is_sparse(v: Any) -> bool:
    """Whether an object is a sparse matrix or array of SciPy."""
    return type(v).__module__.startswith("scipy.sparse") and hasattr(v, "tocsr") and hasattr(v, "dtype")


def matrix_of(x: Lowered) -> tuple[Outside, bool] | None:
    """A sparse matrix, and whether it is transposed; None for anything else."""
    if isinstance(x, Outside) and is_sparse(x.value):
        return x, False
    return (x.value.matrix, True) if isinstance(x, Static) and isinstance(x.value, Transposed) else None


def sparse_product(ctx: Context, node: gast.AST | None, x: Lowered, y: Lowered) -> Lowered | None:
    """`x @ y`, one of which is sparse."""
    left, right = matrix_of(x), matrix_of(y)
    if left is not None and right is None:
        return _apply(ctx, node, "product", left, value(ctx, node, y))
    if right is not None and left is None:
        v = value(ctx, node, x)
        flipped = right[0], not right[1]
        if not (isinstance(v.type, Array) and v.type.ndim == 2):
            return _apply(ctx, node, "product", flipped, v)
        rows = _apply(ctx, node, "product", flipped, value(ctx, node, ctx.call(node, Static(np.transpose), [v])))
        return ctx.call(node, Static(np.transpose), [rows])
    return None


def sparse_call(ctx: Context, node: gast.AST | None, f: Any, args: list[Lowered],
                kwargs: dict[str, Lowered]) -> Lowered | None:
    """`scipy.sparse.linalg.spsolve(A, b)`; None for any other call."""
    module = getattr(f, "__module__", None)
    if not (isinstance(module, str) and module.startswith("scipy.sparse.linalg")
            and getattr(f, "__name__", "") == "spsolve" and len(args) == 2 and not kwargs):
        return None
    matrix = matrix_of(args[0])
    return None if matrix is None else _apply(ctx, node, "sparse_solve", matrix, value(ctx, node, args[1]))


def _apply(ctx: Context, node: gast.AST | None, name: str, matrix: tuple[Outside, bool], x: Value) -> Value:
    outside, transposed = matrix
    ctx.services.table.meet(outside.value)
    if not isinstance(x.type, Array) or x.type.ndim > 2:
        raise ctx.error(node, f"a sparse matrix times {describe(x)}", "it is for vectors and matrices",
                        "write the product out")
    # What the matrix holds decides the type of the result: it belongs to the specialisation.
    held = ctx.binding.read(outside.read, "attr", "dtype").value
    if np.dtype(held).kind == "c":
        raise ctx.error(node, "a sparse matrix of complex numbers", "its derivative is not covered",
                        "use its real and imaginary parts")
    dtype = np.result_type(held, np.dtype(x.type.dtype), np.float32).name
    spec = ctx.services.table.by_name[f"scipy.sparse.{name}"].spec
    return ctx.b.one(spec, {"A": opaque(ctx, outside), "x": x}, {"transposed": transposed, "kind": dtype})
