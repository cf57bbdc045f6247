"""The text of a module around an emitted function: imports, the helpers that it calls, and itself."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Protocol

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
    def helpers(self) -> frozenset[str]:
        """The helpers of `s2s.runtime.helpers` that it calls."""


@dataclass(frozen=True, slots=True)
class Module:
    """The text of a module. lines: its line numbers -> those of the emitted source in it."""

    text: str
    lines: Mapping[int, int]


def module(emitted: Emitted, *, decorator: str = "", helper_decorator: str = "", about: str = "") -> Module:
    r"""A module that needs nothing of s2s.

    decorator: goes above each emitted function.

    >>> from types import SimpleNamespace
    >>> e = SimpleNamespace(source="def f(x):\n    return np.sin(x)\n", name="f", lines={}, helpers=frozenset())
    >>> print(module(e).text)
    import numpy as np
    <BLANKLINE>
    <BLANKLINE>
    def f(x):
        return np.sin(x)
    <BLANKLINE>
    """
    functions = [f"{helper_decorator}\n{text}" if helper_decorator else text for text in helper_texts(emitted.helpers)]
    head = imports([*functions, emitted.source, decorator.removeprefix("@")])
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


def imports(texts: Iterable[str]) -> str:
    """The import statements that `texts` need."""
    used = {node.id for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    standard = [line for name, line in (("math", "import math"), ("Any", "from typing import Any")) if name in used]
    installed = [line for name, line in (("numba", "import numba"), ("np", "import numpy as np")) if name in used]
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
