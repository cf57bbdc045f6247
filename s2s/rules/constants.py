"""Functions whose result is a constant to s2s: ints, bools, indices, windows."""

from __future__ import annotations

from s2s.ir.core import Op
from s2s.ir.ops import elementwise_type, numeric
from s2s.ir.types import Array, Dim, Scalar, broadcast_dims, fresh_dim, known_dim
from s2s.rules.dims import Result, array_or_scalar, constant_int, fresh_array, numerics
from s2s.rules.table import Family

family = Family("constants")


# Of index arrays alone: what has floats is written out in terms of them.

def _index_type(op: Op) -> Result:
    return [fresh_array(numeric(op, "arr").dtype, (fresh_dim(),))]


family.op("np.delete", "arr, obj", _index_type, nondiff="the indices that are left")
family.op("np.insert", "arr, obj, values", _index_type, nondiff="the indices, with others between them")


# Tests

def _test(op: Op) -> Result:
    t = numeric(op, "x")
    return [Array("bool", t.dims) if isinstance(t, Array) else Scalar("bool")]


for _name in ("isreal", "iscomplex", "isneginf", "isposinf"):
    family.op(f"np.{_name}", "x", _test, nondiff="a test of a number gives a bool")
for _name, _params in (
        ("allclose", "a, b, rtol=1e-05, atol=1e-08, equal_nan=False"), ("array_equal", "a1, a2, equal_nan=False"),
        ("array_equiv", "a1, a2"), ("shares_memory", "a, b"), ("may_share_memory", "a, b")):
    family.op(f"np.{_name}", _params, lambda op: [Scalar("bool", True)], nondiff="a comparison gives a bool")
family.op("np.isin", "element, test_elements, assume_unique=False, invert=False", lambda op: [
    array_or_scalar("bool", numeric(op, "element").dims)], nondiff="a comparison gives a bool")


# Integers

def _of_ints(op: Op) -> Result:
    types = [v.type for v in op.operands()]
    dtype = next((t.dtype for t in types if not t.weak), "int64")  # type: ignore[union-attr]
    return [elementwise_type(types, dtype, False)]  # type: ignore[arg-type]


for _name in ("gcd", "lcm"):
    family.op(f"np.{_name}", "x, y", _of_ints, nondiff="the arguments are ints")
family.op("np.bitwise_count", "x", lambda op: [elementwise_type([numeric(op, "x")], "uint8", False)],
          nondiff="bits have no derivative")


# Indices

family.op("np.lexsort", "keys: values, axis=-1", lambda op: [fresh_array("int64", numerics(op, "keys")[0].dims)],
          nondiff="its result is indices, which do not change with the values")
family.op("np.unravel_index", "indices, shape: ints", lambda op: [
    array_or_scalar("int64", numeric(op, "indices").dims, "A")] * len(op.values("shape")), emits="tuple",
    nondiff="its result is indices")
family.op("np.ravel_multi_index", "multi_index: values, dims: ints", lambda op: [
    array_or_scalar("int64", broadcast_dims([t.dims for t in numerics(op, "multi_index")]))],
    nondiff="its result is indices")



# Windows: functions of a size.

def _window(op: Op) -> Result:
    n = constant_int(op, "M")
    dim: Dim = known_dim(max(n, 0)) if n is not None else getattr(op.value("M").type, "dim", None) or fresh_dim()
    return [fresh_array("float64", (dim,))]


for _name in ("bartlett", "blackman", "hamming", "hanning"):
    family.op(f"np.{_name}", "M", _window, nondiff="a function of a size")


# Without a derivative: refused where a value that is differentiated reaches them.

def _flat(op: Op) -> Result:
    return [fresh_array(numeric(op, "ar").dtype, (fresh_dim(),))]


def _float_like(op: Op) -> Result:
    t = numeric(op, "x")
    return [elementwise_type([t], t.dtype if t.dtype in ("float32", "float64") else "float64", False)]


family.op("np.kaiser", "M, beta", _window, refused="NumPy has no derivative of the Bessel function that it is made of")
family.op("np.i0", "x", _float_like, refused="its derivative is a Bessel function that NumPy has not")
family.op("np.histogram_bin_edges", "a, bins: value = 10, range=None", lambda op: [
    fresh_array("float64", (fresh_dim(),))], refused="its edges follow the data")
