"""Every public function of the installed NumPy is in a table: with a derivative, or with the reason for none."""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np

import s2s
from s2s.lower import coverage


def test_every_function_is_known() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        unknown = [name for name, short, f in coverage.namespaces() if coverage.function_kind(short, f) is None]
    assert not unknown


def test_every_array_method_is_known() -> None:
    assert not [name for name in coverage.methods() if coverage.method_kind(name) is None]


def test_a_name_has_one_reason() -> None:
    tables = ([n for names in coverage.WITHOUT.values() for n in names.split()]
              + [n for names in coverage.REFUSED for n in names.split()])
    assert not [name for name, count in Counter(tables).items() if count > 1]


def test_what_is_refused_has_no_rule() -> None:
    for name in (n for names in coverage.REFUSED for n in names.split()):
        function = getattr(np, name, None)
        assert function is None or coverage.function_kind(name, function)[0] == "refused"  # type: ignore[index]


def test_functions_of_types_decide_the_code() -> None:
    def f(x):  # type: ignore[no-untyped-def]
        if np.issubdtype(x.dtype, np.floating) and np.result_type(x, np.float32) == np.float64 and not np.isscalar(x):
            return np.sum(x) * float(np.finfo(x.dtype).nexp)
        return np.sum(x * x)

    np.testing.assert_array_equal(s2s.grad(f)(np.ones(2)), np.full(2, 11.0))
    np.testing.assert_array_equal(s2s.grad(f)(np.ones(2, np.float32)), np.full(2, 2.0))
