"""Functions of NumPy as they are called: values, dtypes and derivatives of what is written out in terms of others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2s
from s2s.variable import plain

from .rows_expand import ROWS, Row


def leaves(x: Any) -> list[Any]:
    if isinstance(x, dict):
        return [leaf for v in x.values() for leaf in leaves(v)]
    if isinstance(x, list | tuple):
        return [leaf for v in x for leaf in leaves(v)]
    return [plain(x)]


def zeros(x: Any) -> Any:
    return [zeros(v) for v in x] if isinstance(x, list) else x * 0


def single(x: Any) -> Any:
    """`x` in single precision."""
    if isinstance(x, list):
        return [single(v) for v in x]
    if isinstance(x, np.ndarray | np.generic) and x.dtype.kind in "fc":
        return x.astype("float32" if x.dtype.kind == "f" else "complex64")
    return x


def check_value(row: Row, args: tuple[Any, ...]) -> None:
    """The value is that of NumPy, with its shape and dtype."""
    f = row.applied
    with np.errstate(all="ignore"):
        wanted = leaves(f(*args))
        found = leaves(s2s.jvp(f, args, tuple(map(zeros, args)))[0])
    assert len(found) == len(wanted)
    for x, y in zip(found, wanted, strict=True):
        tolerance = 2e-5 if np.asarray(y).dtype in ("float32", "complex64") else 1e-9
        assert (np.shape(x), np.asarray(x).dtype) == (np.shape(y), np.asarray(y).dtype)
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_expansion(row: Row) -> None:
    check_value(row, row.args)
    s2s.check_grads(row.applied, row.args, order=row.order, rtol=1e-4, atol=1e-6)
    if row.single:
        args = tuple(map(single, row.args))
        check_value(row, args)
        dy = [single(v) for v in leaves(row.applied(*args))]
        for x, x_bar in zip(args, s2s.gradients_function(row.applied)(*args, dy=row.seed(dy)), strict=True):
            for one, other in zip(leaves(x), [] if x_bar is None else leaves(x_bar), strict=x_bar is not None):
                assert np.asarray(one).dtype == np.asarray(other).dtype


@pytest.mark.parametrize("function", [np.var, np.std, np.nanvar, np.nanstd])
def test_a_dtype_that_is_given(function: Any) -> None:
    f = lambda x: function(x, dtype=np.float32)  # noqa: E731
    x = np.array([0.5, 1.5, -0.25])
    value, gradient = s2s.value_and_grad(f)(x)
    assert plain(value).dtype == f(x).dtype == np.float32
    np.testing.assert_allclose(gradient, s2s.grad(lambda x: function(x))(x), rtol=1e-5)


@pytest.mark.parametrize("function", [
    np.std, np.nanstd, lambda x: np.std(x, mean=np.mean(x, keepdims=True)), lambda x: np.std(x, where=x < 2.0)])
def test_deviation_of_equal_elements(function: Any) -> None:
    np.testing.assert_array_equal(s2s.grad(function)(np.ones(3)), np.zeros(3))


def test_vectors_of_two_components_have_no_cross_product() -> None:
    f = lambda x, y: np.sum(np.cross(x, y))  # noqa: E731
    s2s.check_grads(f, (np.ones(3), np.arange(3.0)))
    with pytest.raises(AssertionError, match="three components"):
        s2s.grad(f)(np.ones(2), np.arange(2.0))
