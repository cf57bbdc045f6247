"""Rules on random shapes: ranks, sizes of 0 and 1, broadcasting, axes, stacks of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from s2s.rules import TABLE
from s2s.testing.rules import check_rule

from .rows import BINARY, UNARY, sample

few = settings(max_examples=6, deadline=None, derandomize=True, database=None,
               suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
shapes = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=3)


def names(table: dict[Any, str], skip: str = "") -> list[tuple[str, Any]]:
    return [(name, domain) for domain, text in table.items() for name in text.split()
            if name.startswith("np.") and TABLE.by_name[name].differentiable and name not in skip.split()]


def check(name: str, args: tuple[Any, ...], order: int = 1, **options: Any) -> None:
    """The rule at the arguments; second derivatives too."""
    check_rule(TABLE, TABLE.by_name[name], args, options, rtol=1e-5)
    if order > 1:
        check_rule(TABLE, TABLE.by_name[name], args, options, order=2, rtol=1e-4)


@pytest.mark.parametrize(("name", "domain"), names(UNARY), ids=[n for n, _ in names(UNARY)])
@few
@given(shape=hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3))
def test_elementwise(name: str, domain: Any, shape: tuple[int, ...]) -> None:
    check(name, (sample(shape, *domain),))


@pytest.mark.parametrize(("name", "domains"), names(BINARY), ids=[n for n, _ in names(BINARY)])
@few
@given(data=st.data())
def test_broadcasting(name: str, domains: Any, data: st.DataObject) -> None:
    pair = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, min_dims=0, max_dims=3, max_side=3)).input_shapes
    check(name, tuple(sample(s, *d, seed=k) for k, (s, d) in enumerate(zip(pair, domains, strict=True))))


REDUCTIONS = ("np.sum", "np.mean", "np.prod", "np.max", "np.min", "np.var", "np.ptp", "np.nansum")


@pytest.mark.parametrize("name", REDUCTIONS)
@few
@given(data=st.data())
def test_reductions(name: str, data: st.DataObject) -> None:
    shape = data.draw(shapes)
    axis = data.draw(st.one_of(st.none(), hnp.valid_tuple_axes(len(shape), min_size=1)))
    check(name, (sample(shape),), order=2, axis=axis, keepdims=data.draw(st.booleans()))


ALONG = ("np.cumsum", "np.cumprod", "np.sort", "np.fft.fft", "np.fft.rfft", "np.fft.ifft", "np.diff", "np.unwrap")


@pytest.mark.parametrize("name", ALONG)
@few
@given(data=st.data())
def test_along_an_axis(name: str, data: st.DataObject) -> None:
    shape = data.draw(shapes)
    check(name, (sample(shape),), order=2, axis=data.draw(st.integers(-len(shape), len(shape) - 1)))


@few
@given(pair=hnp.mutually_broadcastable_shapes(signature="(m?,n),(n,p?)->(m?,p?)", max_dims=2, max_side=3))
def test_matmul(pair: Any) -> None:
    x, y = pair.input_shapes
    check("np.matmul", (sample(x), sample(y, seed=1)), order=2)


@pytest.mark.parametrize("name", ["np.linalg.inv", "np.linalg.det", "np.linalg.slogdet", "np.linalg.svdvals",
                                  "np.linalg.eigvalsh", "np.linalg.cholesky", "s2s.eigvals"])
@few
@given(lead=hnp.array_shapes(min_dims=0, max_dims=2, max_side=2), n=st.integers(1, 3))
def test_stacks_of_matrices(name: str, lead: tuple[int, ...], n: int) -> None:
    a = sample((*lead, n, n), -0.3, 0.3)
    check(name, (a + np.swapaxes(a, -1, -2) + np.diag(np.arange(2.0, 2.0 + n)),), order=2)


@pytest.mark.parametrize("name", ["np.linalg.qr", "np.linalg.pinv", "np.linalg.svd"])
@few
@given(lead=hnp.array_shapes(min_dims=0, max_dims=1, max_side=2), m=st.integers(1, 3), n=st.integers(1, 3))
def test_stacks_of_rectangles(name: str, lead: tuple[int, ...], m: int, n: int) -> None:
    a = sample((*lead, m, n), -0.3, 0.3) + np.eye(m, n) * np.arange(2.0, 2.0 + n)
    check(name, (a,), **({"full_matrices": False} if name.endswith("svd") else {}))


@few
@given(pair=hnp.mutually_broadcastable_shapes(signature="(n,n),(n,p)->(n,p)", max_dims=2, max_side=3))
def test_solve(pair: Any) -> None:
    a, b = pair.input_shapes
    check("np.linalg.solve", (sample(a, -0.3, 0.3) + 2.0 * np.eye(a[-1]), sample(b, seed=1)), order=2)


@few
@given(data=st.data())
def test_transpose(data: st.DataObject) -> None:
    shape = data.draw(shapes)
    check("np.transpose", (sample(shape),), axes=tuple(data.draw(st.permutations(range(len(shape))))))


@few
@given(data=st.data())
def test_pad(data: st.DataObject) -> None:
    shape = data.draw(shapes)
    width = tuple(data.draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=len(shape),
                                     max_size=len(shape))))
    mode = data.draw(st.sampled_from(["constant", "edge", "reflect", "symmetric", "wrap"]))
    check("np.pad", (sample(shape),), pad_width=width, mode=mode)


@few
@given(a=st.integers(1, 4), v=st.integers(1, 4), mode=st.sampled_from(["full", "same", "valid"]))
@pytest.mark.parametrize("name", ["np.convolve", "np.correlate"])
def test_convolution(name: str, a: int, v: int, mode: str) -> None:
    check(name, (sample((a,)), sample((v,), seed=1)), order=2, mode=mode)


@few
@given(i=st.integers(1, 3), j=st.integers(1, 3), k=st.integers(1, 3),
       spec=st.sampled_from(["ij,jk->ik", "ij,jk", "ij,jk->", "ij,jk->ijk", "ij,jk->j"]))
def test_einsum(i: int, j: int, k: int, spec: str) -> None:
    check("np.einsum", (sample((i, j)), sample((j, k), seed=1)), order=2, subscripts=spec)


@few
@given(data=st.data())
def test_concatenate(data: st.DataObject) -> None:
    shape = data.draw(shapes)
    axis = data.draw(st.integers(0, len(shape) - 1))
    sizes = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=3))
    parts = [sample((*shape[:axis], n, *shape[axis + 1:]), seed=k) for k, n in enumerate(sizes)]
    check("np.concatenate", (parts,), axis=axis)
