"""The text of a module around an emitted function: imports, the helpers that it calls, and itself."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Protocol

from s2s.errors import CompilationError
from s2s.ir.core import Loc
from s2s.runtime import helpers as runtime_helpers


class Emitted(Protocol):
    """What the emitter makes: a function as text, and where its lines came from."""

    @property
    def source(self) -> str:
        """The text of the function."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def lines(self) -> Mapping[int, Loc]:
        """Line number in `source` (from 1) -> the user's statement."""

    @property
    def functions(self) -> Mapping[str, Any]:
        """Objects that it calls, by the names that it has for them."""

    @property
    def helpers(self) -> frozenset[str]:
        """The helpers of `s2s.runtime.helpers` that it calls."""


@dataclass(frozen=True, slots=True)
class Module:
    """The text of a module. lines: its line numbers -> those of the emitted source in it."""

    text: str
    lines: Mapping[int, int]


def module(emitted: Emitted, *, decorator: str = "", helper_decorator: str = "", about: str = "",
           importing: bool = True) -> Module:
    r"""A module that needs nothing of s2s.

    decorator: goes above each emitted function. importing: whether it imports the functions of others that it calls.

    >>> from types import SimpleNamespace
    >>> e = SimpleNamespace(source="def f(x):\n    return np.sin(x)\n",
    ...                     name="f", lines={}, helpers=frozenset(), functions={})
    >>> print(module(e).text)
    import numpy as np
    <BLANKLINE>
    <BLANKLINE>
    def f(x):
        return np.sin(x)
    <BLANKLINE>
    """
    given = [f"from {module} import {name}" + f" as {alias}" * (alias != name)
             for alias, (module, name) in ((k, import_name(f, k)) for k, f in emitted.functions.items() if importing)]
    functions = [f"{helper_decorator}\n{text}" if helper_decorator else text for text in helper_texts(emitted.helpers)]
    head = imports([*functions, emitted.source, decorator.removeprefix("@")])
    if given:
        head = "\n\n".join([head, "\n".join(sorted(given))] if head else ["\n".join(sorted(given))])
    if about:
        head = f'"""{about}"""\n\n{head}'
    text = "".join(part.rstrip("\n") + "\n\n\n" for part in (head, *functions) if part)
    lines: dict[int, int] = {}
    at = text.count("\n")
    body: list[str] = []
    for number, line in enumerate(emitted.source.rstrip("\n").split("\n"), 1):
        if decorator and line.startswith("def "):
            body.append(decorator)
        body.append(line)
        lines[at + len(body)] = number
    return Module(text + "\n".join(body) + "\n", lines)


def import_name(function: Any, called: str) -> tuple[str, str]:
    """Module and name under which a function that emitted code calls can be imported; CompilationError where not."""
    module, name = getattr(function, "__module__", None), getattr(function, "__name__", None)
    if isinstance(module, str) and isinstance(name, str) and getattr(sys.modules.get(module), name, None) is function:
        return module, name
    raise CompilationError(f"{called} cannot be imported by the module that is to be written.\n"
                           "It belongs to this process alone, as a function of a C library does.\n"
                           "Define a function in a module that calls it, and give that the rule.")


def outside_modules(texts: Iterable[str]) -> list[str]:
    """The modules of other libraries that `texts` name.

    >>> outside_modules(["y = scipy.special.gamma(np.linalg.det(x))"])
    ['scipy.special']
    """
    found = set()
    for text in (text for text in texts if "scipy." in text):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Attribute) and ast.unparse(node).startswith("scipy.") \
                    and isinstance(node.value, ast.Attribute):
                found.add(ast.unparse(node.value))
    return sorted(found)


def imports(texts: Collection[str]) -> str:
    """The import statements that `texts` need."""
    used = {node.id for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    standard = [line for name, line in (("math", "import math"), ("Any", "from typing import Any")) if name in used]
    installed = [line for name, line in (("numba", "import numba"), ("np", "import numpy as np")) if name in used]
    installed += [f"import {name}" for name in outside_modules(texts)]
    return "\n\n".join("\n".join(group) for group in (standard, installed) if group)


def helper_texts(names: Iterable[str]) -> list[str]:
    """The source of the helpers and of those that they call, callees first.

    >>> [text.splitlines()[0].partition("(")[0] for text in helper_texts(["unbroadcast"])]
    ['def unbroadcast']
    """
    texts: dict[str, str] = {}

    def visit(name: str) -> None:
        if name in texts:
            return
        text = textwrap.dedent(inspect.getsource(getattr(runtime_helpers, name)))
        texts[name] = ""  # seen
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Name) and isinstance(getattr(runtime_helpers, node.id, None), FunctionType):
                visit(node.id)
        del texts[name]
        texts[name] = text

    for name in sorted(names):
        visit(name)
    return list(texts.values())
