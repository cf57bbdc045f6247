"""What the table's test does not reach of the rules over arrays: two precisions, second derivatives, zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2s.differentiate.reverse import reverse
from s2s.errors import NoRuleError
from s2s.ir.types import is_inexact
from s2s.rules import TABLE
from s2s.testing.interpret import run
from s2s.testing.rules import check_derivatives, check_rule, program

from .rows_arrays import M34, MIXED, ROWS, T234, V3, Row, array, einsum, row, spd, well


def adjoints(name: str, args: tuple[Any, ...], attrs: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """The adjoints of a program of one operation, seeded with ones, and what they are of."""
    fn, values = program(TABLE.by_name[name].spec, args, attrs)
    wrt = [k for k, p in enumerate(fn.block.params) if is_inexact(p.type)]
    made = reverse(fn, [fn.block.params[k] for k in wrt], TABLE, keep_values=False, seeds_given=False)
    return run(made.function, values), [values[k] for k in wrt]


def double(x: Any) -> Any:
    if isinstance(x, list):
        return [double(e) for e in x]
    return x.astype("float64") if isinstance(x, np.ndarray | np.float32) else x


@pytest.mark.parametrize("sample", MIXED, ids=lambda sample: sample.name)
def test_adjoints_keep_the_dtype_of_each_argument(sample: Row) -> None:
    name, options = sample.name, sample.options
    found, inputs = adjoints(name, sample.args, options)
    options = {**options, "dtype": None} if "dtype" in options else options
    expected, _ = adjoints(name, tuple(double(x) for x in sample.args), options)
    for x_bar, x, e in zip(found, inputs, expected, strict=True):
        assert np.asarray(x_bar).dtype == np.asarray(x).dtype and np.shape(x_bar) == np.shape(x)
        np.testing.assert_allclose(x_bar, e, rtol=1e-5)


SECOND = [
    row("np.matmul", array(2, 3), M34), row("np.matmul", T234, array(4)), row("np.dot", V3, array(3)),
    row("np.tensordot", T234, array(4, 5, 2), axes=((0, 2), (2, 0))), row("np.linalg.inv", well(3)),
    row("np.linalg.det", well(3)), row("np.linalg.slogdet", well(3)), row("np.linalg.solve", well(3), V3),
    row("np.linalg.solve", well(3, 2), array(2, 3, 2)), row("np.linalg.cholesky", spd(3)), row("np.linalg.norm", V3),
    row("np.linalg.norm", M34, axis=1), row("np.linalg.norm", V3, ord=3), row("np.linalg.eigvalsh", spd(3)),
    row("np.linalg.pinv", M34), row("np.linalg.matrix_power", well(3), n=3), row("np.cross", V3, array(3)),
    row("np.kron", V3, array(2)), row("np.linspace", 0.5, 2.0, 4), row("np.sort", V3), row("np.outer", V3, array(4)),
    row("np.interp", np.array([0.25, 1.5, 2.9, -1.0]), np.array([0.0, 1.0, 2.0, 3.5]), array(4)),
    row("np.trace", M34), row("np.diff", V3), row("np.take", M34, np.array([0, 2, 2]), axis=1),
    row("np.tile", V3, (2,)),
    row("np.diag", M34, 1), row("np.diagonal", T234, offset=1), row("np.sort", M34, axis=0), row("np.sort", M34),
    row("np.concatenate", [M34, M34[:1]]), row("np.repeat", M34, np.array([2, 0, 1]), axis=0),
    einsum("ij,jk->ik", array(2, 3), M34), einsum("ii->i", well(3)),
]


@pytest.mark.parametrize("sample", SECOND, ids=lambda sample: sample.name)
def test_second_derivatives(sample: Row) -> None:
    """The adjoint, as a function of arguments and seeds, is differentiated like any other."""
    fn, values = program(TABLE.by_name[sample.name].spec, sample.args, sample.options)
    wrt = [k for k, p in enumerate(fn.block.params) if is_inexact(p.type)]
    made = reverse(fn, [fn.block.params[k] for k in wrt], TABLE, keep_values=False, seeds_given=True)
    given = [*values, *(array(*np.shape(y)) if np.ndim(y) else 0.7 for y in run(fn, values))]
    numbers = [k for k, p in enumerate(made.function.block.params) if is_inexact(p.type)]
    check_derivatives(TABLE, made.function, given[:len(made.function.block.params)], numbers, 1e-5)


@pytest.mark.parametrize("ord", [None, 2, 1, np.inf, 3])
def test_the_gradient_of_a_norm_at_zero_is_zero(ord: Any) -> None:
    found, _ = adjoints("np.linalg.norm", (np.zeros(3),), {"ord": ord})
    np.testing.assert_array_equal(found[0], np.zeros(3))


REFUSED = [
    row("np.einsum", M34, subscripts="...j->j"), row("np.linalg.norm", M34, ord=2),
    row("np.linalg.eig", array(2, 2)), row("np.linalg.qr", array(2, 2), mode="complete"),
    row("np.reshape", M34, (4, 3), order="F"), row("np.pad", V3, pad_width=1, mode="mean"), row("np.trace", T234),
    row("np.matmul", 1.5, V3), row("np.linspace", V3, 1.0), row("np.swapaxes", M34, axis1=0, axis2=2),
    row("np.interp", V3, V3, V3, left=0.0), row("np.concatenate", [V3, M34]),
    row("np.linalg.eigvalsh", well(3), UPLO="X"),
    row("np.linalg.svd", well(3), hermitian=True),
]


@pytest.mark.parametrize("sample", REFUSED, ids=lambda sample: sample.name)
def test_what_a_rule_does_not_cover_is_refused(sample: Row) -> None:
    with pytest.raises(NoRuleError, match=sample.name):
        check_rule(TABLE, TABLE.by_name[sample.name], sample.args, sample.options)


def test_every_row_is_of_a_rule() -> None:
    assert {r.name for r in ROWS} <= set(TABLE.by_name)
