"""How gradient functions are pickled: by name where they can be imported, else with the function and its source."""

from __future__ import annotations

import hashlib
import importlib
import linecache
import operator
import sys
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any


def reduced(gradient: Any, restore: Callable[..., Any]) -> Any:
    """What `__reduce__` of a gradient function gives; `restore(request)` makes another one."""
    name = import_name(gradient)
    if name is not None:
        return imported, name
    function = plain_function(gradient.request.function)
    # Some picklers give functions of the main program by value too.
    if type(function) is FunctionType and (import_name(function) is None or function.__module__ == "__main__"):
        return _with_source, (restore, gradient.request, _file_text(function))
    return restore, (gradient.request,)


def imported(module: str, name: str) -> Any:
    """What `name` is in `module`."""
    return operator.attrgetter(name)(importlib.import_module(module))


def import_name(value: Any) -> tuple[str, str] | None:
    """Module and name under which `value` itself can be imported.

    >>> import_name(import_name)
    ('s2s.api.pickling', 'import_name')
    """
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module not in sys.modules:
        return None
    found: Any = sys.modules[module]
    for part in name.split("."):
        found = getattr(found, part, None)
    return (module, name) if found is value else None


def _file_text(function: FunctionType) -> str:
    return "".join(linecache.getlines(function.__code__.co_filename, function.__globals__))


def plain_function(function: Any) -> Any:
    """The function of a bound method."""
    return function.__func__ if isinstance(function, MethodType) else function


def _with_source(restore: Callable[..., Any], request: Any, text: str) -> Any:
    """A gradient function of a function that was pickled by value, which loses where its source is.

    Functions that came with it have lost it too. They are given the same file; where one is from another,
    its code is not that of the text there, which is found out when it is differentiated.
    """
    function = plain_function(request.function)
    lost = function.__code__.co_filename
    if text and not linecache.getlines(lost):
        filename = f"<s2s pickled {hashlib.sha256(text.encode()).hexdigest()[:12]}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        for f in (function, *function.__globals__.values()):
            if type(f) is FunctionType and f.__code__.co_filename == lost:
                f.__code__ = f.__code__.replace(co_filename=filename)
    return restore(request)
