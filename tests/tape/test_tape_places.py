"""Where a block may stand: in a file, a function, a method, a loop, a cell; and what is said where it has no source."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest

import s2s
from s2s import GradientTape, Variable

W = Variable(3.0)
with GradientTape() as MODULE_TAPE:
    SQUARE = W * W
with GradientTape() as FIRST, GradientTape() as SECOND: CUBE = W * W * W  # noqa: E701


def test_module_level():
    assert float(MODULE_TAPE.gradient(SQUARE, W)) == 6.0
    assert float(FIRST.gradient(CUBE, W)) == 27.0 and float(SECOND.gradient(CUBE, W)) == 27.0


class Trainer:
    def __init__(self):
        self.w = Variable(2.0)
        self.__rate = 3.0
        self.tape = GradientTape(persistent=True)

    def step(self):
        with GradientTape() as tape:
            loss = self.w * self.__rate
        return tape.gradient(loss, self.w)

    def stored(self):
        with self.tape:
            loss = self.w * self.w
        return self.tape.gradient(loss, self.w)


def test_methods():
    assert float(Trainer().step()) == 3.0
    assert float(Trainer().stored()) == 4.0


def test_nested_functions_and_several_on_a_line():
    def outer(c):
        def inner(x):
            with GradientTape() as a: y = x * W * c; z = y * W  # noqa: E701, E702
            with GradientTape() as b, GradientTape(persistent=True) as d: u = W * c; v = u * W  # noqa: E701, E702
            return a.gradient(z, W), b.gradient(v, W), d.gradient(u, W)
        return inner

    for c in (1.0, 2.0):
        assert [float(g) for g in outer(c)(2.0)] == [12.0 * c, 6.0 * c, c]


def test_finally_and_with_of_others(tmp_path):
    try:
        with open(tmp_path / "log", "w") as log, GradientTape() as t:
            y = W * 2.0
            log.write("once")
    finally:
        with np.errstate(all="ignore"), GradientTape() as u:
            z = W * y
    assert float(t.gradient(y, W)) == 2.0 and float(u.gradient(z, W)) == 6.0
    assert (tmp_path / "log").read_text() == "once"


def test_generators_and_coroutines():
    def generator():
        with GradientTape() as t:
            y = W * W
            yield y
            z = y * W
        yield t.gradient(z, W)

    async def coroutine():
        with GradientTape() as t:
            y = W * W
        return t.gradient(y, W)

    assert float(list(generator())[1]) == 27.0
    assert float(asyncio.run(coroutine())) == 6.0


def test_a_function_with_many_names():
    # So many that instructions need prefixes for their arguments.
    names = "\n".join(f"    a{k} = {k}.0" for k in range(300))
    block = "    with s2s.GradientTape() as t:\n        y = w * a299\n    return t.gradient(y, w)\n"
    source = f"def f(w):\n{names}\n{block}"
    import linecache
    linecache.cache["<many>"] = (len(source), None, source.splitlines(True), "<many>")
    scope = {"s2s": s2s}
    exec(compile(source, "<many>", "exec"), scope)
    assert float(scope["f"](W)) == 299.0


def test_no_source():
    scope = {"GradientTape": GradientTape, "w": W}
    with pytest.raises(s2s.SourceError, match="linecache"):
        exec("with GradientTape() as t:\n    y = w * w", scope)


def test_entered_without_with():
    with pytest.raises(s2s.SourceError, match="not by a `with` statement"):
        GradientTape().__enter__()


SCRIPT = textwrap.dedent("""
    import numpy as np
    import s2s
    rng = np.random.default_rng(0)
    w = s2s.Variable(np.zeros(3))
    for step in range(20):
        with s2s.GradientTape() as tape:
            x = rng.normal(size=(8, 3))
            loss = np.mean((x @ w - x @ np.array([1.0, 2.0, 3.0])) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
    print(repr(float(loss)))
""")


def outside(*command, cwd, text=None):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(s2s.__file__).parent.parent), *sys.path])}
    run = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment, timeout=120, input=text)
    assert run.returncode == 0, run.stderr
    return run.stdout


def expected():
    rng = np.random.default_rng(0)
    w = Variable(np.zeros(3))
    for step in range(20):
        with GradientTape() as tape:
            x = rng.normal(size=(8, 3))
            loss = np.mean((x @ w - x @ np.array([1.0, 2.0, 3.0])) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
    return repr(float(loss))


def test_scripts_give_the_same_numbers(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    here = expected()
    assert outside(sys.executable, "script.py", cwd=tmp_path).strip() == here
    assert outside(sys.executable, "-c", "import runpy; runpy.run_path('script.py')", cwd=tmp_path).strip() == here


@pytest.mark.skipif(sys.version_info < (3, 13), reason="the prompt keeps its text from Python 3.13 on")
def test_the_prompt(tmp_path):
    text = SCRIPT.replace("print(", "\nprint(")
    assert expected() in outside(sys.executable, "-i", cwd=tmp_path, text=text)


def test_cells():
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell.instance()
    shell.run_cell(SCRIPT.replace("print(repr(float(loss)))", "")).raise_error()
    result = shell.run_cell("repr(float(loss))")
    result.raise_error()
    assert result.result == expected()
    shell.run_cell("v = s2s.Variable(3.0)\nwith s2s.GradientTape() as t:\n    y = v * v").raise_error()
    result = shell.run_cell("float(t.gradient(y, v))")
    assert result.result == 6.0


def test_notebooks(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("nbconvert")
    pytest.importorskip("ipykernel")
    first, second = SCRIPT.split("for step", 1)
    cells = [nbformat.v4.new_code_cell(first), nbformat.v4.new_code_cell("for step" + second)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "book.ipynb")
    out = outside(sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--stdout", "book.ipynb",
                  cwd=tmp_path)
    assert expected() in out


def test_threads():
    found = {}

    def work(k):
        v = Variable(float(k))
        for _ in range(20):
            with GradientTape() as t:
                y = v * v
            found.setdefault(k, []).append(float(t.gradient(y, v)))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {k: [2.0 * k] * 20 for k in range(4)}
