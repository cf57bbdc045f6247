"""What a derivative of a function keeps alive: nothing of a function that is gone."""

from __future__ import annotations

import gc
import linecache
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2s

CALLS: list[Callable[[Any], Any]] = [
    lambda f: s2s.jvp(f, (2.0,), (1.0,)),
    lambda f: s2s.vjp(f, 2.0)[1](1.0),
    lambda f: s2s.grad(f)(2.0),
    lambda f: s2s.hessian(f)(2.0),
    lambda f: s2s.hvp(f, (2.0,), (1.0,)),
    lambda f: s2s.jacobian(f)(np.array([1.0, 2.0])),
]


@pytest.mark.usefixtures("small_heap")
@pytest.mark.parametrize("call", CALLS, ids=["jvp", "vjp", "grad", "hessian", "hvp", "jacobian"])
def test_function_that_is_gone_is_not_kept(call: Callable[[Any], Any]) -> None:
    namespace: dict[str, Any] = {}
    # A code object of its own, as a notebook cell that is run again makes one.
    exec(compile("f = lambda x: x * x", "<cell>", "exec"), namespace)
    linecache.cache["<cell>"] = (19, None, ["f = lambda x: x * x\n"], "<cell>")
    f = namespace.pop("f")
    call(f)
    call(f)
    gone = weakref.ref(f.__code__)
    del f
    namespace.clear()
    gc.collect()
    assert gone() is None
