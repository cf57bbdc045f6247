"""Functions whose result is a constant to s2s: ints, bools, indices, windows."""

from __future__ import annotations

from s2s.ir.core import Op
from s2s.ir.ops import numeric
from s2s.ir.types import fresh_dim
from s2s.rules.dims import Result, fresh_array
from s2s.rules.table import Family

family = Family("constants")


# Of index arrays alone: what has floats is written out in terms of them.

def _index_type(op: Op) -> Result:
    return [fresh_array(numeric(op, "arr").dtype, (fresh_dim(),))]


family.op("np.delete", "arr, obj", _index_type, nondiff="the indices that are left")
family.op("np.insert", "arr, obj, values", _index_type, nondiff="the indices, with others between them")
