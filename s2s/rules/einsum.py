"""np.einsum with subscripts that are constants, explicit or implicit.

The adjoint of an operand is an einsum of the result's adjoint with the other operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2s.ir.core import Op
from s2s.ir.types import Dim, broadcast_dims, known_dim
from s2s.rules.dims import Adjoints, Result, array_or_scalar, numerics, promoted, reduce_to, refusal, zeros_like
from s2s.rules.expr import Expr, fn
from s2s.rules.table import Family

family = Family("einsum")


def parse(subscripts: str) -> tuple[list[str], str]:
    """The subscripts of the operands and of the result.

    >>> parse("ij,jk"), parse("i i -> i")
    ((['ij', 'jk'], 'ik'), (['ii'], 'i'))
    """
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    if not arrow:
        right = "".join(sorted(c for c in set(left) - {","} if left.count(c) == 1))
    return left.split(","), right


def _einsum_type(op: Op) -> Result:
    types = numerics(op, "operands")
    if "." in op.attrs["subscripts"]:
        raise refusal(op, "The subscripts have an ellipsis.", "Name every axis.")
    inputs, output = parse(op.attrs["subscripts"])
    if [len(s) for s in inputs] != [t.ndim for t in types]:
        raise refusal(op, "The subscripts do not fit the operands.")
    sizes = letter_dims(inputs, [t.dims for t in types])
    # Of one operand that is not summed, NumPy returns a view; of several, often the transpose of a product.
    return [array_or_scalar(promoted(*types), [sizes[c] for c in output], "A")]


def letter_dims(inputs: Sequence[str], shapes: Sequence[tuple[Dim, ...]]) -> dict[str, Dim]:
    """The size that each letter stands for; an operand in which it is 1 is stretched."""
    found: dict[str, list[tuple[Dim, ...]]] = {}
    for letters, dims in zip(inputs, shapes, strict=True):
        for c, d in zip(letters, dims, strict=True):
            found.setdefault(c, []).append((d,))
    return {c: broadcast_dims(dims)[0] for c, dims in found.items()}


_einsum = family.op("np.einsum", "subscripts: static, *operands", _einsum_type, fresh=False)


@_einsum.vjp
def _(g: Expr, ans: Expr, subscripts: str, operands: tuple[Expr, ...]) -> Adjoints:
    inputs, output = parse(subscripts)
    return {"operands": [_adjoint(g, output, inputs, operands, k) for k in range(len(operands))]}


def _adjoint(g: Expr, output: str, inputs: list[str], operands: tuple[Expr, ...], k: int) -> Expr:
    """The adjoint of operand `k`."""
    x, wanted = operands[k], inputs[k]
    terms = [(output, g)] + [(s, y.conj()) for j, (s, y) in enumerate(zip(inputs, operands, strict=True)) if j != k]
    target = ""
    for axis, c in enumerate(wanted):
        if c in target:
            # A repeated letter reads a diagonal: an identity puts the adjoint back on it.
            new = _unused("".join(inputs) + output + target)
            terms.append((c + new, fn.eye(x.size_of(axis), dtype=x.dtype)))
            target += new
            continue
        target += c
        if not any(_full(s, y, c, x.dims[axis]) for s, y in terms):
            # Nothing else has this axis (or only with size 1): the operand is summed over it.
            terms.append((c, fn.ones(x.size_of(axis), dtype=x.dtype)))
    if len(terms) == 1 and terms[0][0] == target:
        return reduce_to(g, x)
    spec = ",".join(s for s, _ in terms) + "->" + target
    return reduce_to(fn.einsum(spec, [y for _, y in terms]), x)


def _full(letters: str, y: Expr, c: str, size: Dim) -> bool:
    """Whether `y` has axis `c`, and not with size 1 where it is longer in the operand."""
    if c not in letters:
        return False
    d = y.dims[letters.index(c)]
    return not d.is_one or size == known_dim(1)


def _unused(letters: str) -> str:
    return next(c for c in "zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA" if c not in letters)


@_einsum.jvp
def _(dots: Any, ans: Expr, subscripts: str, operands: tuple[Expr, ...]) -> Expr:
    """Linear in each operand."""
    total: Expr | None = None
    for k, dot in enumerate(dots["operands"]):
        if dot is not None:
            term = fn.einsum(subscripts, [*operands[:k], dot, *operands[k + 1:]])
            total = term if total is None else total + term
    return zeros_like(ans) if total is None else total
