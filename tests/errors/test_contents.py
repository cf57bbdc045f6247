"""What a container holds, or which one it is, is not known before the function runs: refused, and never guessed."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2s


def deleted(x: Any, v: Any) -> Any:
    a, b = [x, 2 * x], [3 * x, 4 * x]
    c = a if x > 1.0 else b
    del c[0]
    return a[0]


def sorted_in_place(x: Any, v: Any) -> Any:
    a, b = [2 * x, x], [3 * x, 4 * x]
    c = a if x > 1.0 else b
    c.sort()
    return a[0]


def grown_tuple(x: Any, v: Any) -> Any:
    t: tuple[Any, ...] = ()
    for k in range(len(v)):
        t = (*t, x * k)
    return sum(t)


def length_after(x: Any, v: Any) -> Any:
    d = {}
    for k in range(len(v)):
        d["a"] = x * k
    return x * len(d)


def key_after(x: Any, v: Any) -> Any:
    d = {}
    for k in range(len(v)):
        d["a"] = x * k
    return x if "a" in d else 2.0 * x


def drawn_in_turns(x: Any, v: Any) -> Any:
    it = iter([x, 2 * x, 3 * x, 4 * x])
    return sum(a * b for a, b in zip(map(lambda v: 2 * v, it), it, strict=False))


class Part:
    """An object without attributes."""


def attribute_on_one_path(x: Any, v: Any) -> Any:
    part = Part()
    if x > 2.0:
        part.b = x  # type: ignore[attr-defined]
    return x if hasattr(part, "b") else 2.0 * x


def attribute_on_one_of_three_paths(x: Any, v: Any) -> Any:
    part = Part()
    if x > 1.0:
        if x > 2.0:
            part.b = x  # type: ignore[attr-defined]
    else:
        part.b = 3.0 * x  # type: ignore[attr-defined]
    return x if hasattr(part, "b") else 2.0 * x


class Doubled(collections.namedtuple("Doubled", "a b")):
    def __new__(cls, a: Any, b: Any = 1.0) -> Any:
        return super().__new__(cls, 2 * a, b)


def made_otherwise(x: Any, v: Any) -> Any:
    return Doubled(x).a


def pairs_of_rows_written(x: Any, v: Any) -> Any:
    a = v * x
    pairs = []
    for k in range(len(v) - 1):
        pairs.append((a[k:k + 2], a[k:k + 2][::-1]))
    for p, q in pairs:
        p[0] = q[0] * x
    return np.sum(a)


def rows_written_after_they_were_kept(x: Any, v: Any) -> Any:
    a = v * x
    kept = [list(pair) for pair in zip(np.outer(a, a), np.outer(v, a), strict=True)]
    state, other = v * x, v * x
    for _ in range(len(v)):
        state *= x
        kept.append([state, other])
    return sum(np.sum(p * q) for p, q in kept)


def list_filled_after_it_was_appended(x: Any, v: Any) -> Any:
    rows = []
    for k in range(len(v)):
        row = [x, 2.0 * x]
        rows.append(row)
        row[0] = v[k]
    return sum(row[0] * row[1] for row in rows)


def windows_of_what_changes(x: Any, v: Any) -> Any:
    a = v * x
    windows = np.lib.stride_tricks.sliding_window_view(a, 2)
    a[0] = x * x
    return np.sum(windows)


def diagonal_by_einsum(x: Any, v: Any) -> Any:
    a = np.outer(v, v) * x
    np.einsum("ii->i", a)[:] = x * x
    return np.sum(a)


def row_replaced_in_one_of_two_lists(x: Any, v: Any) -> Any:
    a = np.outer(v, v) * x
    rows = list(a) if x > 1.0 else list(a.T)
    rows[0] = v * x
    return np.sum(a)


@pytest.mark.parametrize(("function", "text"), [
    (row_replaced_in_one_of_two_lists, "an item of a list made of an array is replaced"),
    (pairs_of_rows_written, "of which this has a copy where Python has the array itself"),
    (rows_written_after_they_were_kept, "of which this has a copy where Python has the array itself"),
    (list_filled_after_it_was_appended, "this list is an item of a list that grows, and is changed"),
    (windows_of_what_changes, "of which this has a copy where Python has the array itself"),
    (diagonal_by_einsum, "memory is written to while the result of np.diagonal is read"),
    (deleted, "is one of two, depending on a condition, and is changed"),
    (sorted_in_place, "is one of two, depending on a condition, and is changed"),
    (grown_tuple, "a list or tuple has another length after an iteration"),
    (length_after, "a container of another length, or with other keys, on each path"),
    (key_after, "a container of another length, or with other keys, on each path"),
    (drawn_in_turns, r"zip\(\) of one iterator twice"),
    (attribute_on_one_path, "the attribute 'b', which is set on one path only"),
    (attribute_on_one_of_three_paths, "on one path and a float on the other"),
    (made_otherwise, "a namedtuple with a __new__ of its own"),
])
def test_refused(function: Callable[..., Any], text: str) -> None:
    with pytest.raises(s2s.UnsupportedSyntaxError, match=text):
        s2s.grad(function, argnums=0)(1.5, np.ones(3))


def test_lists_are_no_arrays() -> None:
    """Python raises TypeError for these, so the program is not one with arrays in their place."""
    def difference(x: Any, v: Any) -> Any:
        return ([x, 2 * x] - [x, x])[0]  # type: ignore[operator]

    def scaled(x: Any, v: Any) -> Any:
        values = []
        for k in range(len(v)):
            values.append(x * k)
        return (values * 2.0)[0]  # type: ignore[operator]

    for function in (difference, scaled):
        with pytest.raises(s2s.UnsupportedSyntaxError, match="have no such operator"):
            s2s.grad(function, argnums=0)(1.5, np.ones(3))
