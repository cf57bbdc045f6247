"""Find the source of a function, and make sure that it is the source of that very function.

What a file says need not be what runs: the file was edited, two lambdas share a line, a decorator
returned something else. So each piece of source that may be the one is compiled again and compared
with the code that runs; a gradient is never that of another function.
"""

from __future__ import annotations

import ast
import functools
import linecache
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any, TypeAlias

import gast

from s2s.errors import SourceError
from s2s.source.match import Candidate, candidates, imported, matching, matching_module

Lines: TypeAlias = "tuple[str, ...]"


@dataclass(frozen=True)
class FunctionSource:
    """A function and its syntax tree.

    node: gast FunctionDef, AsyncFunctionDef or Lambda, with line numbers of the file. It is shared: do
    not change it. Defaults are to be taken from `function`, not from here.
    lines: all lines of the file, cell or example. first_line: the line of the first decorator, if any.
    """

    function: FunctionType
    node: Any
    filename: str
    lines: Lines
    first_line: int
    # Texts of statements, kept by `s2s.source.text`.
    texts: dict[int, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The name as tracebacks show it."""
        return self.function.__code__.co_name


def source_of(function: Callable[..., Any]) -> FunctionSource:
    """The source of `function`; raises SourceError if it cannot be had, or is not that of `function`.

    >>> def square(x):
    ...     return x * x
    >>> source_of(square).node.name
    'square'
    """
    if not isinstance(function, FunctionType):
        raise no_python(function)
    code = function.__code__
    node, lines = source_of_code(code, function.__globals__)
    return FunctionSource(function, node, code.co_filename, lines, code.co_firstlineno)


def source_of_code(code: CodeType, namespace: Mapping[str, Any]) -> tuple[Any, Lines]:
    """The gast node that `code` was compiled from, and the lines of its file.

    `code` is that of a function or, as a frame may have, of a module (the node is a Module: a whole file,
    or the part that a prompt compiled). namespace: the globals, which know the loader of a module.
    """
    known = _found.setdefault(code, {})
    found = known.get(code.co_filename)
    if found is None:
        lines = _read(code, namespace)
        found = known[code.co_filename] = gast.ast_to_gast(_match(code, lines)), lines
    return found


# What was found once stays right, also when the file changes afterwards. Equal code may come from two files.
_found: weakref.WeakKeyDictionary[CodeType, dict[str, tuple[Any, Lines]]] = weakref.WeakKeyDictionary()


def _read(code: CodeType, namespace: Mapping[str, Any]) -> Lines:
    """The lines of the file, cell or example; `linecache` is where notebooks and doctest put theirs."""
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, dict(namespace))
    if not lines and hasattr(linecache, "_getlines_from_code"):  # the prompt of Python 3.13, and `python -c`
        lines = linecache._getlines_from_code(code)
    if not lines:
        raise _no_text(code)
    return tuple(lines)


def _match(code: CodeType, lines: Lines) -> ast.AST:
    """The syntax tree of `code`."""
    try:
        tree, functions, imports = _parse(code.co_filename, "".join(lines))
    except (SyntaxError, ValueError):
        raise _no_match(code, lines) from None
    if code.co_name == "<module>":
        module = matching_module(code, tree)
        if module is None:
            raise _no_match(code, lines)
        return module
    candidate = matching(code, functions.get(code.co_firstlineno, []), imports)
    if candidate is None:
        raise _no_match(code, lines)
    return candidate.node


@functools.lru_cache(maxsize=64)
def _parse(filename: str, text: str) -> tuple[ast.Module, dict[int, list[Candidate]], frozenset[str]]:
    """The tree of a file, its functions by the line on which they start, and the names that it imports."""
    tree = ast.parse(text, filename)
    functions: dict[int, list[Candidate]] = {}
    for line, candidate in candidates(tree):
        functions.setdefault(line, []).append(candidate)
    return tree, functions, imported(tree)


def _error(code: CodeType, *text: str) -> SourceError:
    error = SourceError("\n".join(text))
    error.filename, error.lineno = code.co_filename, code.co_firstlineno
    return error


def _place(code: CodeType) -> str:
    return f'  File "{code.co_filename}", line {code.co_firstlineno}, in {code.co_name}'


def no_python(thing: object) -> SourceError:
    """The error for a callable that is not written in Python."""
    name = getattr(thing, "__name__", None) or type(thing).__name__
    return SourceError(
        f"{name!r} has no Python source: it is a {type(thing).__name__}, not a Python function.\n"
        "s2s differentiates source code, and has no derivative rule for it.\n"
        "Wrap it in a Python function whose derivative s2s.custom_gradient gives.")


def _no_text(code: CodeType) -> SourceError:
    return _error(
        code, f"The source of {code.co_name!r} cannot be found.", _place(code),
        "There is no source text at that place: the function was made by exec or eval, typed where the text is "
        "not kept, or its file is gone.",
        "Define it in a file or a notebook cell; or, if it is made by a program, put its text into "
        "linecache.cache under a file name of its own.")


def _no_match(code: CodeType, lines: Lines) -> SourceError:
    if code.co_filename == "<string>":
        # The name that exec and `python -c` share; from 3.13 on the text of the latter is there.
        return _no_text(code)
    number = code.co_firstlineno
    shown = [f"    {lines[number - 1].strip()}"] if 0 < number <= len(lines) and lines[number - 1].strip() else []
    kind = "lambda" if code.co_name == "<lambda>" else "function"
    return _error(
        code, f"The source found for {code.co_name!r} is not that of the {kind} that runs.", _place(code), *shown,
        "Compiling this source does not give the code that runs: the file was edited after it was imported, the "
        "code was rewritten by a tool, or it was made by exec under the name of this file.",
        f"Import the module again, or define the {kind} where its text stays as it is.")
