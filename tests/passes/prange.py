"""What is checked of `numba.prange` in emitted source, where that runs as plain Python.

In place of `numba.prange`: `backwards` and `shuffled`, which give another order, and `watched`, which looks for cells
that two iterations change.
"""

from __future__ import annotations

import ast
import random
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from s2s.compile.python import compile_python


def backwards(*bounds: int) -> Iterator[int]:
    return reversed(range(*bounds))


def shuffled(*bounds: int) -> list[int]:
    order = list(range(*bounds))
    random.Random(3).shuffle(order)
    return order


def watched(*bounds: int) -> Iterator[int]:
    """The range; AssertionError where two iterations change one cell of an array that was there before the loop."""
    found = {}
    for v in sys._getframe(1).f_locals.values():
        if isinstance(v, np.ndarray):
            while isinstance(v.base, np.ndarray):
                v = v.base
            found[id(v)] = v
    arrays = list(found.values())

    def iterations() -> Iterator[int]:
        changed = [np.zeros(a.shape, bool) for a in arrays]
        for i in range(*bounds):
            before = [a.copy() for a in arrays]
            yield i
            for a, b, seen in zip(arrays, before, changed, strict=True):
                new = ~((a == b) | ((a != a) & (b != b)))
                assert not (new & seen).any(), f"iteration {i} changes what another one has changed"
                seen |= new
    return iterations()


def empty(shape: Any, dtype: Any = float) -> np.ndarray:
    """Memory that holds nothing of use."""
    return np.full(shape, np.nan if np.dtype(dtype).kind in "fc" else 77, dtype)


def empty_like(a: np.ndarray, dtype: Any = None) -> np.ndarray:
    return empty(a.shape, dtype or a.dtype)


def run(emitted: Any, args: Any, prange: Callable[..., Any]) -> Any:
    f = compile_python(emitted)
    f.__globals__["np"] = SimpleNamespace(**vars(np))
    f.__globals__["np"].empty, f.__globals__["np"].empty_like = empty, empty_like
    f.__globals__["numba"] = SimpleNamespace(prange=prange, get_num_threads=lambda: 3)
    results = f(*args)
    return results if isinstance(results, tuple) else (results,)


def carried(loop: ast.For) -> set[str]:
    """The names that an iteration reads before it assigns them, and assigns."""
    stored = {n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    found: set[str] = set()

    def reads(node: ast.AST, known: set[str]) -> None:
        found.update(n.id for n in ast.walk(node)
                     if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in stored - known)

    def body(statements: list[ast.stmt], known: set[str]) -> set[str]:
        for s in statements:
            if isinstance(s, ast.For | ast.While | ast.If):
                reads(s.iter if isinstance(s, ast.For) else s.test, known)
                inside = known | ({s.target.id} if isinstance(s, ast.For) else set())
                ends = [body(s.body, set(inside)), body(s.orelse, set(known))]
                known |= ends[0] & ends[1] if isinstance(s, ast.If) else set()
                continue
            reads(s, known)
            if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name):
                found.update({s.target.id} - known)
            known |= {n.id for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        return known

    body(loop.body, {loop.target.id})
    return found


def check_carried(source: str) -> None:
    """No name is handed on from one iteration to the next: numba takes such for a sum, wherever it comes from."""
    for loop in ast.walk(ast.parse(source)):
        if isinstance(loop, ast.For) and "numba.prange" in ast.unparse(loop.iter):
            assert not carried(loop), source
