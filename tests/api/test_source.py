"""Finding the source of a function, and refusing what is not its source."""

from __future__ import annotations

import functools
import importlib.util
import linecache
import os
import runpy
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from s2s.errors import SourceError
from s2s.source.find import source_of, source_of_code
from s2s.source.text import locate


def module(path: Path, text: str, name: str = "made_module") -> ModuleType:
    """The module that `text`, written to a file, is."""
    path.write_text(textwrap.dedent(text))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def body_text(function: Callable[..., Any]) -> str:
    """The text of the first statement (of a lambda: of its value)."""
    source = source_of(function)
    body = source.node.body
    return locate(source, body[0] if isinstance(body, list) else body).text


def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any) -> Any:
        return function(*args)

    return wrapper


PAIR = (lambda x: x * x * 2.0, lambda x: x * x * 3.0)
TWINS = (lambda x: x + 1.0, lambda x: x + 1.0)
LONG = (lambda x:  # noqa: E731 - a lambda over two lines
        x * 4.0)


@decorated
@decorated
def twice_decorated(x: float, *, power: int = 2, **other: int) -> float:
    """Doc."""
    return x**power


class Owner:
    def __init__(self) -> None:
        self.__k = 2.0

    def mangled(self, x: float) -> float:
        return self.__k * x

    def inner(self, k: float) -> Callable[[float], float]:
        def times(x: float) -> float:
            __private = k
            return __private * x

        return times

    def parent(self) -> str:
        return super().__repr__()

    def recursive(self) -> Callable[[int], int]:
        def fact(n: int) -> int:
            return n * fact(n - 1) if n else 1

        return fact

    plain = staticmethod(lambda y: y - 1.0)


@pytest.mark.parametrize(("function", "text"), [
    (PAIR[0], "x * x * 2.0"), (PAIR[1], "x * x * 3.0"), (TWINS[1], "x + 1.0"), (LONG, "x * 4.0"),
    (twice_decorated, "return function(*args)"), (Owner.mangled, "return self.__k * x"),
    (Owner().inner(2.0), "__private = k"), (Owner.parent, "return super().__repr__()"),
    (Owner().recursive(), "return n * fact(n - 1) if n else 1"), (Owner.plain, "y - 1.0")])
def test_found(function: Callable[..., Any], text: str) -> None:
    assert body_text(function) == text


def test_below_decorators() -> None:
    inner = twice_decorated.__wrapped__.__wrapped__  # type: ignore[attr-defined]
    source = source_of(inner)
    assert source.node.name == "twice_decorated"
    assert source.lines[source.first_line - 1] == "@decorated\n"
    assert source.name == "twice_decorated" and source.filename == __file__


def test_columns_tell_twins_apart() -> None:
    if sys.version_info >= (3, 11):
        assert source_of(TWINS[0]).node.col_offset < source_of(TWINS[1]).node.col_offset


def test_lambdas_over_a_comprehension() -> None:
    functions = [lambda x: x * i for i in range(3)]
    assert {body_text(f) for f in functions} == {"x * i"}


def test_assertions_are_rewritten_by_pytest() -> None:
    def checked(x: float, y: float = 1.0) -> float:
        assert x > 0.0, "positive"
        assert (x >
                y)
        return x

    assert any(name.startswith("@py") for name in checked.__code__.co_varnames)
    assert body_text(checked) == 'assert x > 0.0, "positive"'


def test_generators_and_coroutines_are_found_as_nodes() -> None:
    def generator(x: float) -> Any:
        yield x

    async def coroutine(x: float) -> Any:
        return [y async for y in other(x)]

    other: Any = None
    assert type(source_of(generator).node).__name__ == "FunctionDef"
    assert type(source_of(coroutine).node).__name__ == "AsyncFunctionDef"


def test_future_flags(tmp_path: Path) -> None:
    made = module(tmp_path / "flags.py", """
        from __future__ import annotations
        import math
        def outer(x):
            def inner(y: unknown) -> other:
                return math.sin(y)
            return inner(x)
        """)
    assert body_text(made.outer).startswith("def inner(")


def test_exec_has_no_source() -> None:
    namespace: dict[str, Any] = {}
    # A name of its own: under pytest-xdist, Python 3.13 knows a text for "<string>".
    exec(compile("def no_source(x):\n    return x * x\n", "<made>", "exec"), namespace)
    with pytest.raises(SourceError) as caught:
        source_of(namespace["no_source"])
    assert str(caught.value) == textwrap.dedent("""\
        The source of 'no_source' cannot be found.
          File "<made>", line 1, in no_source
        There is no source text at that place: the function was made by exec or eval, typed where the text is not \
kept, or its file is gone.
        Define it in a file or a notebook cell; or, if it is made by a program, put its text into linecache.cache \
under a file name of its own.""")
    assert caught.value.lineno == 1 and caught.value.filename == "<made>"


def test_exec_under_a_borrowed_file_name() -> None:
    namespace: dict[str, Any] = {}
    exec(compile("def decorated(function):\n    return 3.0\n", __file__, "exec"), namespace)
    with pytest.raises(SourceError, match="source"):
        source_of(namespace["decorated"])


def test_linecache_is_where_programs_put_their_text() -> None:
    text = "def made(x):\n    return x * 5.0\n"
    namespace: dict[str, Any] = {}
    linecache.cache["<made 1>"] = (len(text), None, text.splitlines(keepends=True), "<made 1>")
    exec(compile(text, "<made 1>", "exec"), namespace)
    assert body_text(namespace["made"]) == "return x * 5.0"


def test_edited_file(tmp_path: Path) -> None:
    path = tmp_path / "edited.py"
    made = module(path, "def f(x):\n    return x * 2.0\n\n\ndef g(x):\n    return x * 3.0\n")
    path.write_text("def f(x):\n    return x * 4.0\n\n\ndef g(x):\n    return x * 3.0\n\n\n")
    with pytest.raises(SourceError) as caught:
        source_of(made.f)
    assert str(caught.value) == textwrap.dedent(f"""\
        The source found for 'f' is not that of the function that runs.
          File "{path}", line 1, in f
            def f(x):
        Compiling this source does not give the code that runs: the file was edited after it was imported, the code \
was rewritten by a tool, or it was made by exec under the name of this file.
        Import the module again, or define the function where its text stays as it is.""")
    assert body_text(made.g) == "return x * 3.0"


@pytest.mark.parametrize("edit", [
    "return 1", "return x * 1", "return x * -2.0", "return y * 2.0", "return x / 2.0", "pass", "return (", "yield x"])
def test_every_edit_is_noticed(tmp_path: Path, edit: str) -> None:
    path = tmp_path / "edited.py"
    made = module(path, "def f(x):\n    return x * 2.0\n")
    path.write_text(f"def f(x):\n    {edit}\n\n")
    with pytest.raises(SourceError, match="source found for"):
        source_of(made.f)


def test_what_was_found_stays_right_when_the_file_changes(tmp_path: Path) -> None:
    path = tmp_path / "edited_later.py"
    made = module(path, "def f(x):\n    return x * 7.0\n")
    before = source_of(made.f).node
    path.write_text("\n\n")
    assert source_of(made.f).node is before


def test_stripped_source(tmp_path: Path) -> None:
    path = tmp_path / "gone.py"
    made = module(path, "def f(x):\n    return x * 2.0\n")
    os.remove(path)
    with pytest.raises(SourceError, match="source of 'f' cannot be found"):
        source_of(made.f)


@pytest.mark.parametrize("thing", [len, str, 3, functools.partial(len)])
def test_no_python_source(thing: Any) -> None:
    with pytest.raises(SourceError, match="has no Python source"):
        source_of(thing)


def test_runpy(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text("k = 2.0\ndef f(x):\n    return k * x\n")
    assert body_text(runpy.run_path(str(path))["f"]) == "return k * x"


def test_doctest() -> None:
    """
    >>> def in_doctest(x):
    ...     return x * 6.0
    >>> body_text(in_doctest)
    'return x * 6.0'
    """
    import doctest

    found = doctest.DocTestFinder().find(test_doctest, globs=globals())
    assert sum(doctest.DocTestRunner().run(test).failed for test in found) == 0


def run(*arguments: str, stdin: str = "", cwd: Path | None = None) -> str:
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, *arguments], input=stdin, text=True, capture_output=True, cwd=cwd,
                          env={**os.environ, "PYTHONPATH": str(root)}, check=False)
    return done.stdout + done.stderr


SHOW = "import s2s.source.find as find\ndef f(x): return x * 2.0\n\nprint(type(find.source_of(f).node).__name__)\n"


def test_command_line() -> None:
    out = run("-c", SHOW)
    assert "FunctionDef" in out if sys.version_info >= (3, 13) else "SourceError" in out


def test_prompt_says_that_there_is_no_source() -> None:
    out = run("-i", "-q", stdin=SHOW)
    assert "FunctionDef" in out or "SourceError: The source of 'f' cannot be found" in out


def test_script_by_a_relative_path(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("import os\nos.chdir('/')\n" + SHOW)
    assert run("script.py", cwd=tmp_path).strip() == "FunctionDef"


@pytest.mark.parametrize("flag", ["-O", "-OO"])
def test_optimised(tmp_path: Path, flag: str) -> None:
    (tmp_path / "script.py").write_text(SHOW.replace("def f(x): ", "def f(x):\n    'Doc.'\n    assert x\n    "))
    assert run(flag, "script.py", cwd=tmp_path).strip() == "FunctionDef"


def test_module_level_code(tmp_path: Path) -> None:
    (tmp_path / "frame.py").write_text("import sys\nframe = sys._getframe()\nx = 1\n")
    made = runpy.run_path(str(tmp_path / "frame.py"))
    node, lines = source_of_code(made["frame"].f_code, made)
    assert type(node).__name__ == "Module" and lines[2] == "x = 1\n"


def test_code_of_one_prompt(tmp_path: Path) -> None:
    text = "k = 1\nwith open(k) as f:\n    pass\n"
    linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(keepends=True), "<cell 1>")
    import ast

    part = ast.Interactive([ast.parse(text).body[1]])
    node, _ = source_of_code(compile(part, "<cell 1>", "single"), {})
    assert type(node.body[0]).__name__ == "With"


# Places.


def test_locate() -> None:
    def function(x: Any) -> Any:
        total = (x +  # not this
                 function(x))
        while (total <
               3.0):
            total = "ü" + repr(x)  # nor this
        return total

    source = source_of(function)
    first, loop, last = source.node.body
    assert locate(source, first).text == "total = (x + function(x))"
    assert locate(source, loop).text == "while (total < 3.0):"
    call = locate(source, loop.body[0].value.right, loop.body[0])
    assert call.text == 'total = "ü" + repr(x)'
    assert call.source_line == '            total = "ü" + repr(x)  # nor this'
    assert call.source_line[slice(*call.caret)] == "repr(x)"
    assert (call.file, call.function) == (__file__, "function")
    assert source.lines[call.line - 1].rstrip() == call.source_line
    inner = locate(source, first.value.right, first)
    assert inner.line == locate(source, first).line + 1
    assert inner.source_line[slice(*inner.caret)] == "function(x)"
    spread = locate(source, first.value, first)
    assert spread.source_line[slice(*spread.caret)].startswith("x +")
    assert locate(source, last).text == "return total"
