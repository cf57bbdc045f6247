"""Sample arguments for the rules over arrays: ROWS, and MIXED, which mix float32 and float64.

`ints` parameters take a tuple of ints, `values` a list. Ints are constants of the program; floats and arrays
are its parameters.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

_random = np.random.default_rng(7)


def array(*shape: int, dtype: str = "float64") -> Any:
    """Random numbers, none near 0 and no two equal."""
    x = _random.uniform(0.3, 1.7, shape) * _random.choice([-1.0, 1.0], shape)
    if dtype.startswith("complex"):
        x = x + 1j * _random.uniform(0.3, 1.7, shape)
    return np.asarray(x, dtype=dtype)


def spd(n: int, *batch: int) -> Any:
    """A symmetric positive definite matrix."""
    a = _random.normal(size=(*batch, n, n))
    return a @ np.swapaxes(a, -1, -2) + n * np.eye(n)


def well(n: int, *batch: int) -> Any:
    """A matrix far from singular."""
    return _random.normal(size=(*batch, n, n)) + n * np.eye(n)


def complex_well(n: int) -> Any:
    return well(n) + 1j * _random.normal(size=(n, n))


@dataclass(frozen=True)
class Row:
    """A rule's name, arguments that bind to its parameters in order, and its static ones."""

    name: str
    args: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)


def row(name: str, *args: Any, **options: Any) -> Row:
    return Row(name, args, options)


C = "complex128"
V3, V4, M23, M32, M34, T234 = array(3), array(4), array(2, 3), array(3, 2), array(3, 4), array(2, 3, 4)
INDEX = np.array([2, 0, 2, 1])

SHAPE = [
    row("np.reshape", M34, (2, 6)), row("np.reshape", M34, (-1,)), row("np.reshape", M34, (3, -1, 2)),
    row("np.reshape", V4, (2, 2)), row("np.reshape", array(1), ()), row("np.reshape", 1.5, (1, 1)),
    row("np.ravel", M34), row("np.ravel", M34.T), row("np.ravel", V3), row("np.ravel", 0.5), row("flatten", T234),
    row("flatten", V3),
    row("np.transpose", M34), row("np.transpose", V3), row("np.transpose", T234),
    row("np.transpose", T234, axes=(1, 2, 0)), row("np.transpose", M34, axes=(0, 1)),
    row("np.transpose", M34, axes=(-1, 0)), row("np.swapaxes", T234, axis1=0, axis2=-1),
    row("np.moveaxis", T234, source=0, destination=-1), row("np.moveaxis", T234, source=(0, 1), destination=(1, 2)),
    row("np.rollaxis", T234, axis=2), row("np.rollaxis", T234, axis=0, start=2),
    row("np.expand_dims", M34, axis=1), row("np.expand_dims", V3, axis=(0, 2)), row("np.expand_dims", 2.5, axis=0),
    row("np.squeeze", array(3, 1)), row("np.squeeze", array(1, 3, 1), axis=0), row("np.squeeze", array(1)),
    row("np.squeeze", array(1, 3, 1), axis=(0, 2)), row("np.squeeze", M34),
    row("np.atleast_1d", 1.5), row("np.atleast_1d", V3), row("np.atleast_2d", V3), row("np.atleast_2d", M34),
    row("np.atleast_3d", V3), row("np.atleast_3d", M34), row("np.atleast_3d", 2.0),
    row("np.broadcast_to", V3, (2, 3)), row("np.broadcast_to", array(3, 1), (3, 4)),
    row("np.broadcast_to", 1.5, (2, 2)),
    row("np.broadcast_to", array(1, 3, 1), (5, 2, 3, 4)),
    row("np.flip", V3), row("np.flip", M34), row("np.flip", M34, axis=0), row("np.flip", T234, axis=(0, -1)),
    row("np.fliplr", M34), row("np.flipud", M34), row("np.rot90", M34), row("np.rot90", M34, k=2),
    row("np.rot90", T234, k=3, axes=(1, 2)),
    row("np.roll", V4, (1,)), row("np.roll", M34, (-2,), axis=1), row("np.roll", M34, (1, 2), axis=(0, 1)),
    row("np.roll", M34, (5,)),
]

CREATION = [
    row("np.full", (2, 3), 1.5), row("np.full", (4,), 2.5), row("np.full", (2, 3), V3),
    row("np.full_like", M34, 1.5), row("np.full_like", M34, V4),
    row("np.arange", 0.5, 3.7, 0.5), row("np.arange", 0.5, 4.2), row("np.arange", 4), row("np.arange", 1, 5),
    row("np.arange", 1, 9, 2), row("np.arange", 4.5), row("np.arange", 4, dtype="float32"),
    row("np.linspace", 0.5, 2.5, 5), row("np.linspace", 0.5, 2.5), row("np.linspace", 0.5, 2.5, 1),
    row("np.linspace", 0.5, 2.5, 4, endpoint=False),
    row("np.copy", M34), row("np.array", M34), row("np.array", 1.5), row("np.asarray", M34), row("np.asarray", 1.5),
    row("np.ascontiguousarray", M34.T), row("np.ascontiguousarray", 1.5),
    row("np.asfortranarray", M34),
    row("np.meshgrid", V3, V4), row("np.meshgrid", V3, V4, indexing="ij"), row("np.meshgrid", V3),
    row("np.meshgrid", array(2), V3, V4),
    row("np.zeros", (2, 3)), row("np.ones", (2,), dtype="float32"), row("np.empty", (3,)), row("np.zeros_like", M34),
    row("np.ones_like", M34.T), row("np.zeros_like", 1.5), row("np.empty_like", M34, dtype="float32"),
    row("np.eye", 3), row("np.eye", 2, 3), row("np.eye", 3, 3, 1), row("np.identity", 3), row("np.tri", 3),
]

JOINING = [
    row("np.concatenate", [V3, V4]), row("np.concatenate", [M23, array(4, 3)]), row("np.concatenate", [V3]),
    row("np.concatenate", [M34, M32, array(3, 1)], axis=1), row("np.concatenate", [M34, M32], axis=-1),
    row("np.stack", [V3, array(3)]), row("np.stack", [V3, array(3), array(3)], axis=1), row("np.stack", [0.5, 1.5]),
    row("np.stack", [M34, array(3, 4)], axis=-1),
    row("np.hstack", [V3, V4]), row("np.hstack", [M34, M32]), row("np.hstack", [1.5, V3]),
    row("np.vstack", [V3, array(3)]), row("np.vstack", [M23, V3]), row("np.dstack", [V3, array(3)]),
    row("np.dstack", [M34, array(3, 4)]), row("np.dstack", [T234, array(2, 3, 1)]),
    row("np.column_stack", [V3, array(3)]), row("np.column_stack", [V3, M32]),
    row("np.append", V3, V4), row("np.append", V3, 1.5), row("np.append", M34, M23), row("np.append", 1.5, V3),
    row("np.append", M34, array(2, 4), axis=0),
    row("np.tile", V3, (2,)), row("np.tile", M23, (2, 3)), row("np.tile", V3, (2, 1)), row("np.tile", M23, (2,)),
    row("np.tile", 1.5, (3,)),
    row("np.repeat", V3, 2), row("np.repeat", M23, 2), row("np.repeat", M23, 3, axis=1), row("np.repeat", 1.5, 3),
    row("np.repeat", V3, np.array([2, 0, 1])), row("np.repeat", M23, np.array([2, 0, 1]), axis=1),
    row("np.repeat", M23, np.array([2, 0, 1, 1, 1, 3])),
    row("np.pad", V3, pad_width=2), row("np.pad", M23, pad_width=((0, 1), (2, 0))),
    row("np.pad", M23, pad_width=(1, 2)),
    row("np.diff", V4), row("np.diff", M34), row("np.diff", M34, axis=0), row("np.diff", array(6), n=3),
    row("np.diff", array(4, 2), n=2, axis=0),
]

INDEXING = [
    row("np.take", V3, INDEX), row("np.take", V3, 1), row("np.take", M34, INDEX), row("np.take", M34, INDEX, axis=0),
    row("np.take", M34, INDEX, axis=1), row("np.take", M34, 1, axis=1),
    row("np.take", V3, np.array([4, -1, 7]), mode="wrap"), row("np.take", V3, np.array([4, -1, 1]), mode="clip"),
    row("np.take", M34, np.array([[0, 1], [2, 2]]), axis=1),
    row("np.take_along_axis", V3, INDEX, axis=0),
    row("np.take_along_axis", M34, np.array([[0, 3], [1, 1], [2, 0]]), axis=1),
    row("np.take_along_axis", M34, np.array([[0, 1, 2, 2]]), axis=0),
    row("np.take_along_axis", M34, INDEX, axis=None),
    row("np.sort", array(5)), row("np.sort", M34), row("np.sort", M34, axis=0), row("np.sort", M34, axis=None),
    row("np.diag", V3), row("np.diag", V3, 1), row("np.diag", array(3, 3)), row("np.diag", M34, -1),
    row("np.diag", M34, 2),
    row("np.diagflat", M23), row("np.diagflat", V3, -1),
    row("np.diagonal", array(3, 3)), row("np.diagonal", M34, offset=1), row("np.diagonal", M34, axis1=1, axis2=0),
    row("np.diagonal", T234), row("np.diagonal", T234, offset=-1, axis1=2, axis2=1),
    row("np.tril", array(3, 3)), row("np.triu", M34, 1), row("np.tril", T234, -1), row("np.triu", V3),
    row("np.interp", np.array([0.25, 1.5, 2.9, -1.0, 4.5]), np.array([0.0, 1.0, 2.0, 3.5]), V4),
    row("np.interp", 0.7, np.array([0.0, 1.0, 2.0]), V3),
    row("np.argsort", V4), row("np.argpartition", V4, 2), row("np.searchsorted", np.sort(V4), V3),
    row("np.searchsorted", np.sort(V4), 0.1), row("np.digitize", V4, np.sort(V3)), row("np.nonzero", M34),
    row("np.nonzero", V3), row("np.flatnonzero", V3), row("np.argwhere", M34), row("np.tril_indices", 3),
    row("np.triu_indices", 3, 1), row("np.diag_indices", 3), row("np.bincount", INDEX),
    row("np.bincount", INDEX, V4), row("np.bincount", INDEX, V4, 6),
    row("np.partition", array(5), (2,)), row("np.partition", M34, (1, 2), axis=0),
    row("np.partition", M34, (3,), axis=None),
    row("np.convolve", V4, V3), row("np.convolve", V3, V4, mode="same"), row("np.correlate", V4, V3, mode="full"),
    row("np.correlate", V3, array(3)), row("np.unwrap", 3.0 * V4), row("np.unwrap", 3.0 * M34, axis=0),
    row("np.pad", M23, pad_width=((0, 1), (2, 0)), mode="edge"), row("np.pad", V4, pad_width=2, mode="reflect"),
    row("np.linalg.matrix_rank", M34), row("np.delete", INDEX, np.array([0, 2])),
    row("np.insert", INDEX, np.array([0, 2]), np.array([7, 8])),
]

PRODUCTS = [
    row("np.matmul", V3, array(3)), row("np.matmul", M34, V4), row("np.matmul", V3, M34), row("np.matmul", M23, M34),
    row("np.matmul", T234, V4), row("np.matmul", V3, T234), row("np.matmul", T234, array(4, 5)),
    row("np.matmul", array(5, 2), array(3, 2, 4)), row("np.matmul", array(2, 1, 3, 4), array(5, 4, 2)),
    row("np.matmul", array(2, 3, dtype=C), array(3, 4, dtype=C)), row("np.matmul", M23, array(3, dtype=C)),
    row("np.matmul", array(3, dtype=C), array(3, dtype=C)),
    row("np.matmul", array(1, 3), array(3, 1)),
    row("np.dot", V3, array(3)), row("np.dot", M34, V4), row("np.dot", M23, M34), row("np.dot", 1.5, M34),
    row("np.dot", V3, 0.5), row("np.dot", 0.5, 1.5), row("np.dot", T234, array(4, 2)),
    row("np.dot", T234, array(5, 4, 2)),
    row("np.dot", V3, array(5, 3, 2)), row("np.dot", T234, V4),
    row("np.inner", V3, array(3)), row("np.inner", M34, array(2, 4)), row("np.inner", M34, V4),
    row("np.inner", T234, array(5, 4)),
    row("np.inner", 1.5, V3), row("np.vdot", V3, array(3)), row("np.vdot", M23, array(6)),
    row("np.vdot", array(3, dtype=C), array(3, dtype=C)), row("np.vdot", M23, array(3, 2)),
    row("np.outer", V3, V4), row("np.outer", M23, V4), row("np.outer", V3, array(2, dtype=C)),
    row("np.outer", 1.5, V3),
    row("np.tensordot", T234, array(3, 4, 5)), row("np.tensordot", V3, V4, axes=0),
    row("np.tensordot", M34, V4, axes=1),
    row("np.tensordot", T234, array(4, 5, 2), axes=((0, 2), (2, 0))), row("np.tensordot", V3, array(3), axes=1),
    row("np.tensordot", M23, array(3, 5, dtype=C), axes=(1, 0)),
    row("np.tensordot", array(2, 3, dtype=C), M34, axes=(-1, 0)),
    row("np.kron", V3, V4), row("np.kron", M23, M32), row("np.cross", V3, array(3)), row("np.cross", array(4, 3), V3),
    row("np.trace", array(3, 3)), row("np.trace", M34), row("np.trace", M34, 1),
    row("np.trace", array(3, 3, dtype=C)),
]


PARTS = [
    row("np.modf", 1.5), row("np.modf", M23), row("np.frexp", 1.5), row("np.frexp", M23),
    row("np.nextafter", M23, V3),
    row("np.ldexp", M23, np.array([1, 0, 2])), row("np.ldexp", 1.5, 2),
]
CONSTANTS = [
    *(row(f"np.{name}", M23) for name in ("isreal", "iscomplex", "isneginf", "isposinf", "i0")),
    *(row(f"np.{name}", M23, M23) for name in ("allclose", "array_equal", "array_equiv", "shares_memory",
        "may_share_memory")),
    row("np.isin", INDEX, np.array([1, 2])), row("np.gcd", INDEX, 2), row("np.lcm", INDEX, np.array([3])),
    row("np.bitwise_count", INDEX), row("np.lexsort", [V3, array(3)]),
    row("np.unravel_index", INDEX, (2, 3)), row("np.ravel_multi_index", [INDEX, INDEX], (3, 4)),
    *(row(f"np.{name}", 5) for name in ("bartlett", "blackman", "hamming", "hanning")), row("np.kaiser", 5, 2.5),
    row("np.histogram_bin_edges", V4),
]


def einsum(subscripts: str, *operands: Any) -> Row:
    return row("np.einsum", *operands, subscripts=subscripts)


EINSUM = [
    einsum("ij,jk->ik", M23, M34), einsum("ij,jk", M23, M34), einsum("i,i->", V3, array(3)),
    einsum("ii->i", array(3, 3)),
    einsum("ii", array(3, 3)), einsum("ij->ji", M34), einsum("ij->", M34), einsum("ij->j", M34),
    einsum("i,j->ij", V3, V4),
    einsum("bij,bjk,k->bi", T234, array(2, 4, 5), array(5)), einsum("ij,jk->ik", array(2, 1), M34),
    einsum("ij,jk->ik", M23, array(1, 4)), einsum("iij,j->i", array(3, 3, 4), V4), einsum("i->i", V3),
    einsum("ij,ij->i", array(2, 3, dtype=C), M23), einsum("ij , jk -> ik", M23, M34),
    einsum("iii->i", array(3, 3, 3)),
]

LINALG = [
    row("np.linalg.norm", V3), row("np.linalg.norm", V3, ord=2), row("np.linalg.norm", V3, ord=1),
    row("np.linalg.norm", V3, ord=np.inf), row("np.linalg.norm", V3, ord=3), row("np.linalg.norm", M34),
    row("np.linalg.norm", M34, ord="fro"), row("np.linalg.norm", M34, axis=1),
    row("np.linalg.norm", M34, ord=1, axis=0),
    row("np.linalg.norm", M34, axis=1, keepdims=True), row("np.linalg.norm", T234, axis=(0, 2)),
    row("np.linalg.norm", T234, axis=(0, 2), keepdims=True), row("np.linalg.norm", M34, keepdims=True),
    row("np.linalg.norm", array(3, dtype=C)), row("np.linalg.norm", M34, ord=3, axis=-1),
    row("np.linalg.norm", np.zeros(3) + np.array([0, 0, 1.0])),
    row("np.linalg.inv", well(3)), row("np.linalg.inv", well(3, 2)), row("np.linalg.inv", complex_well(2)),
    row("np.linalg.det", well(3)), row("np.linalg.det", well(3, 2)), row("np.linalg.det", complex_well(2)),
    row("s2s.is_singular", np.eye(3)), row("s2s.is_singular", np.ones((2, 2))), row("s2s.is_indefinite", -np.eye(2)),
    row("s2s.cofactors", well(3)), row("s2s.cofactors", well(3, 2)), row("s2s.cofactors", complex_well(2)),
    row("np.linalg.slogdet", well(3)), row("np.linalg.slogdet", -well(3)), row("np.linalg.slogdet", well(3, 2)),
    row("np.linalg.solve", well(3), V3), row("np.linalg.solve", well(3), M34), row("np.linalg.solve", well(3, 2), V3),
    row("np.linalg.solve", well(3, 2), array(2, 3, 4)), row("np.linalg.solve", well(3, 2), array(3, 4)),
    row("np.linalg.solve", well(3), array(2, 3, 1)), row("np.linalg.solve", complex_well(3), array(3, dtype=C)),
    row("np.linalg.solve", well(3), array(3, dtype=C)),
    row("np.linalg.cholesky", spd(3)), row("np.linalg.cholesky", spd(3, 2)),
    row("np.linalg.eigvalsh", spd(3)), row("np.linalg.eigvalsh", spd(3, 2)), row("np.linalg.eigh", spd(3)),
    row("np.linalg.eigh", spd(3, 2)),
    row("np.linalg.pinv", M34), row("np.linalg.pinv", array(4, 2)), row("np.linalg.pinv", well(3)),
    row("np.linalg.pinv", array(4, 2, dtype=C)),
    row("np.linalg.slogdet", complex_well(3)), row("np.linalg.pinv", array(2, 3, 4)),
    row("np.linalg.eigh", spd(3), UPLO="U"), row("np.linalg.eigvalsh", spd(3), UPLO="U"),
    row("np.linalg.svdvals", M34), row("np.linalg.svdvals", array(2, 4, 3)),
    row("np.linalg.svdvals", complex_well(3)),
    row("np.linalg.svd", M34, full_matrices=False), row("np.linalg.svd", array(2, 4, 3), full_matrices=False),
    row("np.linalg.svd", well(3)),
    row("np.linalg.qr", array(4, 3)), row("np.linalg.qr", M34), row("np.linalg.qr", well(3, 2)),
    row("np.linalg.qr", M34, mode="r"), row("np.linalg.qr", complex_well(3)),
    row("np.linalg.qr", array(4, 2, dtype=C)),
    row("s2s.eig", well(3)), row("s2s.eigvals", well(3)), row("s2s.eigvals", well(2, 2)), row("s2s.eig", well(3, 2)),
    row("np.linalg.eig", complex_well(3)), row("np.linalg.eig", np.stack([complex_well(2), complex_well(2)])),
    row("np.linalg.eigvals", complex_well(3)), row("np.linalg.eigvals", np.stack([complex_well(2), complex_well(2)])),
    row("np.linalg.matrix_power", well(3), n=3), row("np.linalg.matrix_power", well(3), n=0),
    row("np.linalg.matrix_power", well(3), n=1), row("np.linalg.matrix_power", well(3, 2), n=-2),
]

Z4, Z34, Z234 = array(4, dtype=C), array(3, 4, dtype=C), array(2, 3, 4, dtype=C)
FFT = [
    *(row(f"np.fft.{name}", x, **options) for name in ("fft", "ifft") for x, options in (
        (V4, {}), (Z34, {"axis": 0}), (M34, {"n": 3}), (Z4, {"n": 6}), (V3, {"norm": "ortho"}),
        (Z4, {"norm": "forward"}))),
    *(row("np.fft.rfft", x, **options) for x, options in (
        (V4, {}), (V3, {}), (M34, {"axis": 0}), (V4, {"n": 3}), (V4, {"n": 7, "norm": "ortho"}),
        (M34, {"norm": "forward"}))),
    *(row("np.fft.irfft", x, **options) for x, options in (
        (Z4, {}), (Z34, {"axis": 0}), (Z4, {"n": 5}), (Z4, {"n": 4, "norm": "ortho"}), (V4, {}),
        (Z4, {"n": 9, "norm": "forward"}))),
    *(row(f"np.fft.{name}", x, **options) for name in ("fftn", "ifftn") for x, options in (
        (M34, {}), (Z234, {"axes": (0, 2)}), (Z34, {"s": (2, 6), "axes": (0, 1)}), (M34, {"norm": "ortho"}))),
    *(row("np.fft.rfftn", x, **options) for x, options in (
        (M34, {}), (T234, {"axes": (2, 1)}), (M34, {"s": (4, 3), "axes": (0, 1)}), (M34, {"norm": "forward"}))),
    *(row("np.fft.irfftn", x, **options) for x, options in (
        (Z34, {}), (Z234, {"axes": (0, 1)}), (Z34, {"s": (4, 3), "axes": (0, 1)}), (Z34, {"norm": "ortho"}))),
    row("np.fft.fftfreq", 5), row("np.fft.rfftfreq", 6),
]

MIXED = [
    row("np.full", (4,), 2.5, dtype="float32"),
    row("np.linspace", np.float32(0.5), np.float32(2.0), 4),
    row("np.array", M34, dtype="float32"),
    row("np.concatenate", [V3.astype("float32"), V4]),
    row("np.matmul", M23.astype("float32"), V3),
    row("np.linalg.norm", V3.astype("float32")),
]

ROWS = SHAPE + CREATION + JOINING + INDEXING + PRODUCTS + EINSUM + LINALG + FFT + PARTS + CONSTANTS
