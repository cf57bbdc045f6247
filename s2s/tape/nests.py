"""Nests of targets, sources and weights, as `gradient` takes and returns them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from s2s.containers import is_dict, leaves, mapped, part_at, steps_of
from s2s.errors import ShapeError
from s2s.lower.tape_gradient import check_unconnected
from s2s.tape.resolve import pair_expressions
from s2s.variable import Tensor, Variable, plain, tensor


def leaves_of(x: Any) -> list[Any]:
    """The leaves of a nest of containers."""
    if isinstance(x, np.ndarray | Variable):  # what most are
        return [x]
    return list(leaves(x))


def nodes_of(x: Any, node: Any) -> list[Any]:
    """The expressions of the leaves, where they are written out; else None."""
    steps = steps_of(x)
    if steps is None:
        return [node]
    nodes = pair_expressions(x, node) or [None] * len(steps)
    return [leaf for step, n in zip(steps, nodes, strict=True) for leaf in nodes_of(part_at(x, step), n)]


def like(x: Any, others: Iterator[Any]) -> Any:
    """The nest `x` with other leaves."""
    return mapped(lambda _: next(others), x)


def is_inexact(v: Any) -> bool:
    if isinstance(v, np.ndarray | np.generic | Variable):
        return np.dtype(v.dtype).kind in "fc"
    return type(v) in (float, complex)


def sources_of(sources: Any) -> list[Any]:
    found = leaves_of(sources)
    for v in found:
        if not is_inexact(v):
            raise TypeError(f"gradient() is asked for that of {v!r:.60}, which has none: sources are Variables, "
                            "floats, arrays of floats, and lists, tuples, dicts and dataclasses of them.")
    return found


def weights_of(target: Any, given: Any) -> list[Any] | None:
    """The weights of the targets, in their order."""
    if given is None:
        return None
    weights = _paired(target, given)
    for t, w in zip(leaves_of(target), weights, strict=True):
        if w is not None and np.shape(plain(w)) != np.shape(plain(t)):
            raise ShapeError(f"output_gradients has shape {np.shape(plain(w))}; the target has shape "
                             f"{np.shape(plain(t))}\nPass one weight for each element of the target.")
    return weights


def _paired(target: Any, given: Any) -> list[Any]:
    steps = steps_of(target)
    if steps is not None:
        if given is None:
            return [None] * len(leaves_of(target))
        if not _pairs(target, given, len(steps)):
            raise ShapeError(f"output_gradients is {given!r:.60}; the target has {len(steps)} parts\n"
                             "Pass one weight, or None, for each target.")
        return [w for step in steps for w in _paired(part_at(target, step), part_at(given, step))]
    if isinstance(given, list | tuple) and len(given) == 1 and np.ndim(plain(target)) == 0:
        given = given[0]  # as TensorFlow's flattening takes it
    return [given if given is None or isinstance(given, np.ndarray | float | Variable) else np.asarray(given, float)]


def _pairs(target: Any, given: Any, count: int) -> bool:
    """Whether there is a weight for each of the `count` parts of a target."""
    if isinstance(target, list | tuple) or is_dict(target):
        return hasattr(given, "__len__") and getattr(given, "ndim", 1) != 0 and len(given) == count
    return type(given) is type(target)


def unconnected_of(given: Any) -> str:
    given = getattr(given, "value", given)
    check_unconnected(given)
    return str(given)


def shape_of(x: Any, method: str) -> tuple[int, ...]:
    if steps_of(x) is not None:
        raise TypeError(f"{method}() takes one array as the target, not a {type(x).__name__}")
    return np.shape(plain(x))


def stacked(rows: list[Any], shape: tuple[int, ...], unconnected: str, source: Any) -> Any:
    if all(r is None for r in rows):
        return None if unconnected == "none" else tensor(np.zeros(shape, np.asarray(plain(source)).dtype))
    return tensor(np.stack([np.asarray(r) for r in rows]).reshape(shape))


def argument_of(call: Any, position: int, *names: str) -> Any:
    if call is None:
        return None
    if len(call.args) > position:
        return call.args[position]
    return next((k.value for k in call.keywords if k.arg in names), None)


def equal(was: Any, now: Any, target: str) -> bool:
    """Whether two numbers or arrays are the same, to rounding."""
    if type(was) is Tensor and not was.ndim and was.item() == now:
        return True
    a, b = np.asarray(plain(was)), np.asarray(now)
    if a.shape != b.shape or a.dtype.kind not in "biufc":
        return False
    if np.array_equal(a, b):
        return True
    tolerance = 1e-9 if target == "python" else 1e-6
    if np.result_type(a, b).char in "efF" or b.dtype.char in "ef":
        tolerance = 1e-4
    scale = np.max(np.abs(a[np.isfinite(a)]), initial=0.0)
    return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance * scale, equal_nan=True))
