"""Every rule on target cpu: the value and the adjoint have the numbers of target python, or are refused as listed.

`S2S_ROWS_ON_CPU=100` takes all rows of a rule, and not only the last one.
"""

from __future__ import annotations

import copy
import importlib.util
import os
from typing import Any

import numpy as np
import pytest

from s2s.compile.numba_cpu import compile_cpu
from s2s.compile.python import compile_python
from s2s.differentiate.reverse import reverse
from s2s.emit import emit
from s2s.errors import CompilationError, NoRuleError
from s2s.ir.core import Function
from s2s.ir.types import is_inexact
from s2s.rules import TABLE
from s2s.simplify import simplify
from s2s.targets.numba_forms import legalise
from s2s.testing.rules import program

from .rows import Row
from .test_table import _ROWS

pytestmark = [
    pytest.mark.cpu,
    pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="numba is not installed"),
]

#: Refused, for a reason that the message gives: numba has them for single matrices only.
REFUSED_STACKS = {f"np.linalg.{name}" for name in (
    "slogdet", "cholesky", "eigvalsh", "eigh", "pinv", "svd", "svdvals", "qr", "eig", "eigvals")} | {
        "s2s.eig", "s2s.eigvals"}
#: Refused, since numba has nothing of the kind.
REFUSED = {name: "numba has no FFT" for name in TABLE.by_name if name.startswith("np.fft.")} | {
    f"np.{name}": name
    for name in ("frexp", "array_equiv", "shares_memory", "may_share_memory", "bitwise_count", "lexsort")}
#: What they hold is what the memory held before, is in no order that is said, or has either sign.
NO_NUMBERS = {"np.empty", "np.empty_like", "np.partition", "np.linalg.eigh", "np.linalg.eig", "s2s.eig"}

_BY_RULE: dict[str, list[Row]] = {}
for _name, _sample in _ROWS:
    _BY_RULE.setdefault(_name, []).append(_sample)
# A few rules in every run, by their last row, which is the least ordinary; in the full run the last row of every rule.
_FULL = int(os.environ.get("S2S_ROWS_ON_CPU", "1"))
_SAMPLES = [(name, rows[-1]) for name, rows in _BY_RULE.items()][::10]
_REST = [(name, row) for name, rows in _BY_RULE.items() for row in rows[:-_FULL - 1:-1]
         if not any(row is sample for _, sample in _SAMPLES)]


def adjoint(name: str, sample: Row) -> tuple[Function, list[Any]]:
    """The value and adjoint of one operation, as a program, and its arguments."""
    args, attrs = sample
    fn, values = program(TABLE.by_name[name].spec, args, attrs)
    wrt = [p for p in fn.block.params if is_inexact(p.type)]
    return simplify(reverse(fn, wrt, TABLE, keep_values=True, seeds_given=False).function), values


def check(name: str, sample: Row) -> None:
    try:
        fn, values = adjoint(name, sample)
    except NoRuleError as error:
        pytest.skip(str(error))
    with np.errstate(all="ignore"):
        expected = compile_python(emit(fn))(*copy.deepcopy(values))
    if name in REFUSED_STACKS and any(np.ndim(v) > 2 for v in values):
        with pytest.raises(CompilationError, match=f"numba cannot compile {name} of a stack"):
            legalise(fn)
        return
    if name in REFUSED:
        with pytest.raises(CompilationError, match=REFUSED[name]):
            compile_cpu(emit(legalise(fn), target="cpu"))(*copy.deepcopy(values))
        return
    found = compile_cpu(emit(legalise(fn), target="cpu"))(*copy.deepcopy(values))
    if not isinstance(expected, tuple):
        found, expected = (found,), (expected,)
    for one, other in zip(found, expected, strict=True):
        one, other = np.asarray(one), np.asarray(other)
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if name not in NO_NUMBERS:
            rtol = 1e-5 if other.dtype.name in ("float32", "complex64") else 1e-9
            np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol)


def _ids(samples: list[tuple[str, Row]]) -> list[str]:
    return [f"{name}-{k}" for k, (name, _) in enumerate(samples)]


@pytest.mark.parametrize(("name", "sample"), _SAMPLES, ids=_ids(_SAMPLES))
def test_rule_on_cpu(name: str, sample: Row) -> None:
    check(name, sample)


@pytest.mark.full_cpu
@pytest.mark.parametrize(("name", "sample"), _REST, ids=_ids(_REST))
def test_rule_on_cpu_all_rows(name: str, sample: Row) -> None:
    check(name, sample)
