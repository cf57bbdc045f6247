"""All simplifications, in the order in which each one makes work for the next."""

from __future__ import annotations

from s2s.ir.core import Function
from s2s.simplify.copies import copies
from s2s.simplify.cse import cse
from s2s.simplify.dce import dce
from s2s.simplify.zeros import zeros


def simplify(fn: Function, *, disjoint: bool = True) -> Function:
    """An equivalent function without dead code, copies and repeated work.

    disjoint: whether two array parameters never overlap, where one is written (see `Memory`).
    """
    fn = dce(fn, disjoint=disjoint)  # first: what is dead costs every other pass time
    fn = copies(fn)
    fn = cse(fn, disjoint=disjoint)
    fn = zeros(fn, disjoint=disjoint)
    fn = copies(fn)  # carried values that folding and merging have made invariant
    return dce(fn, disjoint=disjoint)
