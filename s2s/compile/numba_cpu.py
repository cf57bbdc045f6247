"""Emitted source to machine code, by numba. The only module that imports numba, and only when it is called."""

from __future__ import annotations

import ast
import importlib
import itertools
import re
import sys
import warnings
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from s2s.compile.folder import import_text
from s2s.compile.module import Emitted, Module, module
from s2s.compile.python import registered_code
from s2s.errors import CompilationError, located

_numbers = itertools.count()
OPTIONS = ("parallel", "fastmath", "cache", "boundscheck")
# numba sees neither that two names are one memory when it joins loops, nor that `a[1:] = a[:-1]` reads what it writes.
PARALLEL = {"fusion": False, "inplace_binop": False, "setitem": False}
FIX = 'target="python" runs the same code without numba.'


def compile_cpu(emitted: Emitted, options: Mapping[str, Any] | None = None) -> Callable[..., Any]:
    """The emitted function as a numba dispatcher, which compiles when it is first called.

    options: those in OPTIONS, passed on to numba where they are set.
    """
    numba = load_numba()
    options = {k: v for k, v in (options or {}).items() if v}
    unknown = set(options) - set(OPTIONS)
    if unknown:
        raise TypeError(f"unknown option of target \"cpu\": {', '.join(sorted(unknown))}")
    cached = bool(options.get("cache"))
    # Kept in this process alone, it is given the functions that it calls; a file has to import them.
    text = cpu_module(emitted, options, importing=cached)
    if cached:
        versions = [f"numba {numba.__version__}", f"numpy {np.__version__}"]
        dispatcher = getattr(import_text(emitted.name, text.text, versions), emitted.name)
    else:
        # No file is needed; the lines are still shown in tracebacks.
        namespace = _namespace(emitted)
        namespace.update(emitted.functions)
        exec(registered_code(emitted.name, text.text), namespace)
        dispatcher = namespace[emitted.name]
    explain_errors(dispatcher, emitted, text, numba)
    return dispatcher  # type: ignore[no-any-return]


def _namespace(emitted: Emitted) -> dict[str, Any]:
    """Where the module of `emitted` is executed."""
    if not calls_itself(emitted.source):
        return {"__name__": f"s2s_emitted_{emitted.name}"}
    # A function that calls itself is found by its symbol, which numba makes of its module, if there is one.
    made = ModuleType(f"s2s_emitted_{emitted.name}_{next(_numbers)}")
    sys.modules[made.__name__] = made
    return made.__dict__


def cpu_module(emitted: Emitted, options: Mapping[str, Any], *, importing: bool = True) -> Module:
    r"""The module that numba compiles, helpers included.

    >>> from types import SimpleNamespace
    >>> e = SimpleNamespace(source="def f(x):\n    return np.sin(x)\n",
    ...                     name="f", lines={}, helpers=frozenset(), functions={})
    >>> print(cpu_module(e, {"fastmath": True}).text)
    import numba
    import numpy as np
    <BLANKLINE>
    <BLANKLINE>
    @numba.njit(error_model="numpy", fastmath=True)
    def f(x):
        return np.sin(x)
    <BLANKLINE>
    """
    said = {**options, "parallel": PARALLEL} if options.get("parallel") else options
    given = ['error_model="numpy"', *(f"{k}={said[k]!r}" for k in OPTIONS if said.get(k))]
    shared = [text for text in given if not text.startswith(("cache", "parallel"))]
    return module(emitted, decorator=f"@numba.njit({', '.join(given)})",
                  helper_decorator=f"@numba.njit({', '.join(shared)})", importing=importing)


def calls_itself(source: str) -> bool:
    """Whether a function of `source` calls itself, also by way of others.

    >>> calls_itself("def f(x): return g(x)"), calls_itself("def f(x): return f(x)")
    (False, True)
    """
    functions = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    calls = {name: {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} & set(functions)
             for name, node in functions.items()}
    for name in calls:
        reached: set[str] = set()
        work = [name]
        while work:
            for other in calls[work.pop()] - reached:
                reached.add(other)
                work.append(other)
        if name in reached:
            return True
    return False


def load_numba() -> Any:
    """numba, or an error that says how to install it."""
    try:
        return importlib.import_module("numba")
    except ImportError as error:
        raise CompilationError('target="cpu" needs numba, which cannot be imported here.\n'
                               'Install it with: pip install "s2s-ad[numba]"\n' + FIX) from error


def explain_errors(dispatcher: Any, emitted: Emitted, text: Module, numba: Any) -> None:
    """Make `dispatcher` raise CompilationError where it cannot compile.

    numba looks up `_compile_for_args` on the dispatcher for types that it has not compiled yet, and only
    then; so calls that are compiled already pay nothing.
    """
    original = getattr(dispatcher, "_compile_for_args", None)
    if original is None:  # NUMBA_DISABLE_JIT: it is a plain function
        return

    def compile_for_args(*args: Any, **kwargs: Any) -> Any:
        try:
            with warnings.catch_warnings():
                # Advice on layouts is for the author of a loop, and nobody is the author of this one.
                warnings.simplefilter("ignore", numba.NumbaPerformanceWarning)
                return original(*args, **kwargs)
        except CompilationError:
            raise
        except Exception as error:
            raise explained(error, emitted, text, args) from error

    dispatcher._compile_for_args = compile_for_args


def explained(error: Exception, emitted: Emitted, text: Module, args: tuple[Any, ...] = ()) -> CompilationError:
    """The CompilationError for what numba raised: which line of which function, why, and the way out."""
    line = error_line(error, text)
    loc = None
    quoted = ""
    if line is not None:
        quoted = f":\n    {emitted.source.splitlines()[line - 1].strip()}"
        before = [n for n in emitted.lines if n <= line]
        loc = emitted.lines[max(before)] if before else None
    what = f"numba cannot compile {emitted.name}{quoted}"
    return located(CompilationError, loc, what, reason(str(error)), FIX)


def error_line(error: Exception, text: Module) -> int | None:
    """The line of the emitted source that `error` is about, counted from 1."""
    numbers = [int(n) for n in re.findall(r'File "[^"\n]*", line (\d+)', plain(str(error)))]
    loc = getattr(error, "loc", None)
    if loc is not None and getattr(loc, "line", None) is not None:
        numbers.append(loc.line)
    return next((text.lines[n] for n in reversed(numbers) if n in text.lines), None)


_NOISE = ("Failed in ", "Traceback", "File ", "Caused By", "During:", "Overload", "- Resolution", "- argument", "[")


def reason(message: str) -> str:
    """The line of numba's message that says most.

    >>> reason('''Failed in nopython mode pipeline (step: nopython frontend)
    ... No implementation of function Function(<built-in function add>) found for signature:
    ...
    ...  >>> add(float64, unicode_type)
    ... ''')
    'numba: no implementation of function add found for signature: add(float64, unicode_type)'
    """
    lines = [line.strip() for line in plain(message).splitlines()]
    said = [line for line in lines if line and not line.startswith(_NOISE)]
    if not said:
        return "numba gives no reason."
    first = said[0]
    if first.endswith(":") and len(said) > 1:
        first = f"{first} {said[1].removeprefix('>>>').strip()}"
    first = re.sub(r"Function\(<(?:built-in )?function (\w+)(?: at 0x[0-9a-f]+)?>\)", r"\1", first)
    first = re.sub(r"\.* Raised from None$", ".", first)
    word = first.split()[0]
    return f"numba: {first[0].lower()}{first[1:]}" if word.istitle() else f"numba: {first}"


def plain(message: str) -> str:
    """`message` without colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", message)
