"""Emitted source to a plain Python function, whose lines tracebacks, debuggers and `inspect` can show."""

from __future__ import annotations

import hashlib
import importlib
import linecache
import math
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any

import numpy as np

from s2s.compile.module import Emitted, imports, outside_modules
from s2s.runtime import helpers as runtime_helpers


def compile_python(emitted: Emitted) -> Callable[..., Any]:
    r"""The emitted function; it sees `np`, `math`, and the modules, functions and helpers that it calls.

    Where it was made for numba, `numba.prange` is `range`.

    >>> import inspect
    >>> from types import SimpleNamespace
    >>> e = SimpleNamespace(source="def f(x):\n    return np.abs(x)\n",
    ...                     name="f", lines={}, helpers=frozenset(), functions={})
    >>> f = compile_python(e)
    >>> int(f(-2)), inspect.getsource(f) == e.source
    (2, True)
    """
    namespace: dict[str, Any] = {"__name__": f"s2s_emitted_{emitted.name}", "np": np, "math": math}
    if "import numba" in imports([emitted.source]):
        namespace["numba"] = importlib.import_module("numba")
    for module in outside_modules([emitted.source]):
        importlib.import_module(module)
        root = module.partition(".")[0]
        namespace[root] = sys.modules[root]
    namespace.update(emitted.functions)
    namespace["__s2s_lines__"] = emitted.lines  # what s2s.api.places shows of an exception's traceback
    for name in emitted.helpers:
        namespace[name] = getattr(runtime_helpers, name)
    exec(registered_code(emitted.name, emitted.source), namespace)
    return namespace[emitted.name]  # type: ignore[no-any-return]


def registered_code(name: str, text: str) -> CodeType:
    """`text`, compiled under a file name of its own, with its lines put where Python looks for them.

    The name follows from the text: the same text is registered once.
    """
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    filename = f"<s2s {name} {digest}>"
    # No modification time: linecache then keeps the entry, although there is no such file.
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    return compile(text, filename, "exec")
