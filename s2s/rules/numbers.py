"""Functions of `math` that are no elementwise functions of NumPy: the gamma function, exact sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2s.ir.core import Op
from s2s.ir.types import Scalar, Type
from s2s.rules.expr import Expr, fn
from s2s.rules.table import Family

family = Family("numbers")


def _number(op: Op) -> Sequence[Type]:
    return [Scalar("float64", True)]


_polygamma = family.op("s2s.polygamma", "x, n=0", _number, cost=200, elementwise=True, singular=True)


@_polygamma.vjp
def _(g: Expr, ans: Expr, x: Expr, n: int) -> dict[str, Expr]:
    return {"x": g * fn.polygamma(x, n=n + 1)}


@_polygamma.jvp
def _(dots: dict[str, Expr], ans: Expr, x: Expr, n: int) -> Expr:
    return dots["x"] * fn.polygamma(x, n=n + 1)


# Of numbers that are known one by one; lowering gives those of an array to np.sum.
_fsum = family.op("math.fsum", "seq: values", _number, linear="seq", callables=())


@_fsum.vjp
def _(g: Expr, ans: Expr, seq: tuple[Expr, ...]) -> dict[str, Any]:
    return {"seq": [g for _ in seq]}
