"""All simplifications, in the order in which each one makes work for the next."""

from __future__ import annotations

from s2s.ir.core import Function, walk
from s2s.ir.memory import CALLS, reachable
from s2s.simplify.accumulate import accumulate
from s2s.simplify.additions import additions
from s2s.simplify.ascending import ascending
from s2s.simplify.copies import copies
from s2s.simplify.cse import cse
from s2s.simplify.dce import dce
from s2s.simplify.fuse import fuse
from s2s.simplify.hoist import hoist
from s2s.simplify.shapes import shapes
from s2s.simplify.skips import skips
from s2s.simplify.stores import stores
from s2s.simplify.zeros import zeros


def simplify(fn: Function, *, disjoint: bool = True, raises: bool = True) -> Function:
    """An equivalent function without dead code, copies and repeated work; so are the functions that it calls.

    disjoint: whether two array parameters never overlap, where one is written (see `Memory`). Of functions
    that are called that is not known. raises: whether arithmetic on numbers may raise, as it does in Python.
    """
    functions = list(reachable(fn))
    called = {id(op.attrs["function"]) for f in functions for op in walk(f.block) if op.name in CALLS}
    new = {id(f): simplify_one(f, disjoint=disjoint and id(f) not in called, raises=raises)
           for f in functions}
    for f in new.values():
        for op in walk(f.block):
            if op.name in CALLS:
                op.attrs["function"] = new[id(op.attrs["function"])]
    return new[id(fn)]


def simplify_one(fn: Function, *, disjoint: bool = True, raises: bool = True) -> Function:
    """`fn`, calling what it calls now."""
    fn = dce(fn, disjoint=disjoint)  # first: what is dead costs every other pass time
    fn = copies(fn)
    fn = cse(fn, disjoint=disjoint)
    fn = accumulate(fn, disjoint=disjoint)
    fn = additions(fn, disjoint=disjoint)
    fn = stores(fn, disjoint=disjoint)
    fn = zeros(fn, disjoint=disjoint)
    fn = hoist(fn, disjoint=disjoint, raises=raises)
    fn = copies(fn)  # carried values that folding and merging have made invariant
    fn = dce(fn, disjoint=disjoint)
    fn = ascending(_slim(fn, disjoint), disjoint=disjoint)
    joined = fuse(fn, disjoint=disjoint)
    if joined is not fn:
        fn = _slim(dce(cse(joined, disjoint=disjoint), disjoint=disjoint), disjoint)
    skipped = skips(fn)
    return fn if skipped is fn else dce(skipped, disjoint=disjoint)


def _slim(fn: Function, disjoint: bool) -> Function:
    """`fn` without arrays of which it needs the shape only."""
    slim = shapes(fn)
    return fn if slim is fn else dce(slim, disjoint=disjoint)
