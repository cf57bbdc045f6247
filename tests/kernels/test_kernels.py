"""Every kernel of the benchmark suite, both forms: right on each target, in float64 and float32.

Gradients are compared along random directions, all parameters at once: with finite differences of the
plain function, and with forward mode. A float32 gradient is compared with that in float64, relative to its norm.
"""

from __future__ import annotations

import importlib.util
import warnings
from typing import Any

import numpy as np
import pytest

import s2s
from benchmarks import hand
from benchmarks.checking import check_same, check_tiny, inner, magnitude, reference
from benchmarks.kernels import KERNELS

NUMBA = importlib.util.find_spec("numba") is not None
FORMS = [(name, form) for name, kernel in KERNELS.items() for form in kernel.forms]
#: Compiled in every run; the others are with the marker `full_cpu`.
FEW = {("gemm", "loops"), ("lu", "loops"), ("seidel-2d", "loops")}

every_form = pytest.mark.parametrize(("name", "form"), FORMS)


def gradients_of(name: str, form: str, dtype: str, **options: Any) -> list[Any]:
    kernel = KERNELS[name]
    args = kernel.arguments("tiny", dtype)
    before = [np.copy(a) for a in args]
    gradients = s2s.gradients_function(kernel.forms[form], params=list(kernel.wrt), **options)(*args)
    for argument, copy in zip(args, before, strict=True):
        np.testing.assert_array_equal(argument, copy, err_msg="a gradient call changed its argument")
    for position, gradient in zip(kernel.positions(), gradients, strict=True):
        assert np.shape(gradient) == np.shape(args[position])
        assert np.asarray(gradient).dtype == np.asarray(args[position]).dtype
    return gradients


def check_double(name: str, form: str, **options: Any) -> None:
    check_tiny(name, gradients_of(name, form, "float64", **options))


def check_single(name: str, form: str, **options: Any) -> None:
    """In float32 as in float64, but for the rounding."""
    double = gradients_of(name, form, "float64", **options)
    single = gradients_of(name, form, "float32", **options)
    check_same(name, single, double, rtol=2e-5)


@pytest.mark.parametrize("name", [name for name, kernel in KERNELS.items() if len(kernel.forms) == 2])
def test_forms_agree(name: str) -> None:
    kernel = KERNELS[name]
    loops, arrays = (form(*kernel.arguments("tiny")) for form in kernel.forms.values())
    assert loops == pytest.approx(arrays, rel=1e-12)


@every_form
def test_reverse(name: str, form: str) -> None:
    check_double(name, form)


@every_form
def test_forward(name: str, form: str) -> None:
    kernel = KERNELS[name]
    args = kernel.arguments("tiny")
    for direction, want in reference(name):
        tangents: list[Any] = [None] * len(args)
        for position, along in zip(kernel.positions(), direction, strict=True):
            tangents[position] = along if np.ndim(along) else float(along)
        _, tangent = s2s.jvp(kernel.forms[form], args, tuple(tangents))
        gradients = s2s.gradients_function(kernel.forms[form], params=list(kernel.wrt))(*args)
        size = magnitude(gradients, direction)
        assert abs(tangent - want) <= 1e-8 * size
        assert abs(tangent - inner(gradients, direction)) <= 1e-11 * size


@every_form
def test_float32(name: str, form: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        check_single(name, form)


def on_cpu(name: str, form: str) -> Any:
    return pytest.param(name, form, marks=() if (name, form) in FEW else pytest.mark.full_cpu)


@pytest.mark.cpu
@pytest.mark.skipif(not NUMBA, reason="numba is not installed")
@pytest.mark.filterwarnings("ignore:.*contiguous arrays")
@pytest.mark.parametrize(("name", "form"), [on_cpu(*both) for both in FORMS])
def test_cpu(name: str, form: str) -> None:
    check_double(name, form, target="cpu")
    check_single(name, form, target="cpu")


@pytest.mark.parametrize("name", hand.FIRST_DAY)
def test_by_hand(name: str) -> None:
    check_tiny(name, hand.FIRST_DAY[name](*KERNELS[name].arguments("tiny")))


@pytest.mark.parametrize("name", hand.TUNED)
def test_tuned_by_hand(name: str) -> None:
    check_tiny(name, hand.TUNED[name](*KERNELS[name].arguments("tiny")))
