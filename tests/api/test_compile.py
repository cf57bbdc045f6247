"""From emitted source to callables: plain Python, numba with and without its disk cache, saved modules."""

from __future__ import annotations

import inspect
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s.compile import folder, numba_cpu
from s2s.compile.folder import import_text
from s2s.compile.module import helper_texts, module
from s2s.compile.numba_cpu import compile_cpu, cpu_module
from s2s.compile.python import compile_python
from s2s.compile.save import module_text, save
from s2s.errors import CompilationError
from s2s.ir.core import Loc

LOC = Loc("user.py", 7, "y = x + s", "    y = x + s", (8, 13), "loss")


@dataclass(frozen=True)
class Program:
    source: str
    name: str = "f"
    lines: Mapping[int, Loc] = field(default_factory=lambda: {2: LOC})
    helpers: frozenset[str] = frozenset()
    functions: Mapping[str, Any] = field(default_factory=dict)


GOOD = Program("def f(x):\n    y = np.sin(x)\n    return y * math.pi\n")
HELPED = Program("def f(x, like):\n    return broadcast_like(x, like)\n", helpers=frozenset(["broadcast_like"]))


def test_python_function_shows_its_source_in_inspect_and_tracebacks() -> None:
    f = compile_python(Program("def f(x):\n    return 1 // x  # emitted\n"))
    assert inspect.getsource(f) == "def f(x):\n    return 1 // x  # emitted\n"
    with pytest.raises(ZeroDivisionError) as caught:
        f(0)
    assert "return 1 // x  # emitted" in "".join(traceback.format_tb(caught.value.__traceback__))


def test_python_function_sees_numpy_math_and_its_helpers_only() -> None:
    np.testing.assert_array_equal(compile_python(HELPED)(2.0, np.zeros(3)), [2.0, 2.0, 2.0])
    f = compile_python(GOOD)
    assert set(f.__globals__) - {"__builtins__", "__name__", "__s2s_lines__"} == {"np", "math", "f"}


def test_two_functions_of_one_name_keep_their_own_lines() -> None:
    f, g = compile_python(Program("def f(x):\n    return 1\n")), compile_python(Program("def f(x):\n    return 2\n"))
    assert "return 1" in inspect.getsource(f)
    assert "return 2" in inspect.getsource(g)


@pytest.mark.parametrize("options", [{}, {"fastmath": True, "boundscheck": True, "parallel": False}])
def test_cpu(options: dict[str, Any]) -> None:
    f = compile_cpu(GOOD, options)
    assert f(0.5) == pytest.approx(np.sin(0.5) * np.pi)
    assert type(f).__name__ == "CPUDispatcher"  # called directly: no Python code in between


def test_cpu_inlines_helpers() -> None:
    np.testing.assert_array_equal(compile_cpu(HELPED)(2.0, np.zeros(3)), [2.0, 2.0, 2.0])


def test_cpu_divides_as_numpy_does() -> None:
    assert compile_cpu(Program("def f(x):\n    return 1.0 / x\n"))(0.0) == np.inf


def test_cpu_raises_what_the_program_raises() -> None:
    f = compile_cpu(Program("def f(x):\n    if x > 0.0:\n        raise ValueError('too large')\n    return x\n"))
    with pytest.raises(ValueError, match="too large"):
        f(1.0)


@pytest.mark.parametrize(("line", "why"), [
    ("y = x + 'a'", "no implementation of function add found for signature"),
    ("y = np.sum(x, axis=0, keepdims=True)", "no implementation of function sum"),
    ("y = np.einsum('i->', x)", "unsupported NumPy function 'numpy.einsum'"),
    ("y = nonesuch", "NameError: name 'nonesuch' is not defined"),
])
def test_cpu_error_names_emitted_line_user_line_reason_and_way_out(line: str, why: str) -> None:
    f = compile_cpu(Program(f"def f(x):\n    {line}\n    return y\n"))
    with pytest.raises(CompilationError) as caught:
        f(np.ones(2))
    text = str(caught.value)
    assert text.startswith(f"numba cannot compile f:\n    {line}\n")
    assert 'File "user.py", line 7, in loss\n    y = x + s\n        ^^^^^' in text
    assert why in text
    assert 'target="python"' in text.splitlines()[-1]
    assert (caught.value.filename, caught.value.lineno) == ("user.py", 7)


def test_error_inside_a_helper_points_to_the_line_that_calls_it() -> None:
    source = "def f(x):\n    y = unbroadcast(1.0, x)\n    return y\n"
    f = compile_cpu(Program(source, helpers=frozenset(["unbroadcast"])))
    with pytest.raises(CompilationError, match=r"y = unbroadcast\(1.0, x\)"):
        f(np.ones(2))


def test_numba_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(CompilationError, match=r'pip install "s2s-ad\[numba\]"'):
        compile_cpu(GOOD)


def test_unknown_option() -> None:
    with pytest.raises(TypeError, match="fast_math"):
        compile_cpu(GOOD, {"fast_math": True})


def test_disk_cache_serves_the_next_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("S2S_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    f = compile_cpu(GOOD, {"cache": True})
    f(0.5)
    (path,) = tmp_path.glob("*.py")
    monkeypatch.delitem(sys.modules, path.stem)  # as in another process
    again = compile_cpu(GOOD, {"cache": True})
    again(0.5)
    assert again is not f
    assert sum(again.stats.cache_hits.values()) == 1  # type: ignore[attr-defined]
    assert not list(tmp_path.glob("*.tmp"))


def test_file_is_not_written_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("S2S_CACHE_DIR", str(tmp_path))
    first = import_text("f", "x = 1\n", ["v"])
    before = Path(str(first.__file__)).stat().st_mtime_ns
    monkeypatch.delitem(sys.modules, first.__name__)
    assert Path(str(import_text("f", "x = 1\n", ["v"]).__file__)).stat().st_mtime_ns == before
    assert import_text("f", "x = 1\n", ["w"]).__file__ != first.__file__


def test_threads_import_one_module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("S2S_CACHE_DIR", str(tmp_path))
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(import_text("f", "x = 2\n", []))) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(found) == 8
    assert len({id(m) for m in found}) == 1


def test_cache_folder_is_where_the_platform_keeps_caches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("S2S_CACHE_DIR", raising=False)
    monkeypatch.setattr(folder, "_user_caches", lambda: tmp_path)
    assert folder.cache_folder() == tmp_path / "s2s"
    assert (tmp_path / "s2s").is_dir()


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_saved_module_stands_alone(target: str, tmp_path: Path) -> None:
    path = tmp_path / "kept.py"
    save(HELPED, path, target)
    text = path.read_text()
    assert "s2s" not in text.replace("s2s-ad", "")
    assert ("numba" in text) == (target == "cpu")
    code = "import kept, numpy; print(kept.f(2.0, numpy.zeros(2)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[2. 2.]"


def test_unknown_target_cannot_be_saved() -> None:
    with pytest.raises(ValueError, match="cuda"):
        module_text(GOOD, "cuda")


CALLS = Program("def g(x):\n    return 2.0 * x\n\n\ndef f(x):\n    y = g(x)\n    return y + 'a'\n", lines={6: LOC})


def test_lines_of_the_module_are_those_of_the_source() -> None:
    for made in (module(HELPED), cpu_module(HELPED, {}), cpu_module(CALLS, {})):
        lines = made.text.splitlines()
        source = (CALLS if "def g" in made.text else HELPED).source.splitlines()
        assert [(lines[n - 1], source[k - 1]) for n, k in made.lines.items() if lines[n - 1] != source[k - 1]] == []
        assert sorted(made.lines.values()) == list(range(1, len(source) + 1))


def test_functions_that_are_called_are_compiled_too() -> None:
    good = Program(CALLS.source.replace("'a'", "1.0"))
    assert compile_cpu(good)(2.0) == compile_python(good)(2.0) == 5.0
    with pytest.raises(CompilationError, match=r"return y [+] 'a'"):
        compile_cpu(CALLS)(2.0)


def test_each_helper_stands_alone() -> None:
    from s2s.runtime import helpers
    names = [n for n, h in vars(helpers).items() if inspect.isfunction(h)]
    namespace: dict[str, Any] = {"np": np, "Any": Any}
    exec("\n".join(helper_texts(names)), namespace)
    assert set(names) <= set(namespace)


def test_reason_without_any_text() -> None:
    assert numba_cpu.reason("") == "numba gives no reason."
