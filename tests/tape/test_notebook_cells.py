"""`%load_ext s2s`: cells compiled as a whole."""

from __future__ import annotations

import ast

import numpy as np
import pytest

import s2s
from s2s.tape.cells import bound_names, compile_cell, options_in

CELL = """\
for step in range(steps):
    with s2s.GradientTape() as tape:
        loss = np.mean((x @ w - y) ** 2)
    w.assign_sub(0.1 * tape.gradient(loss, w))
total = total + loss
"""


class Shell:
    """What the extension uses of IPython's shell."""

    def __init__(self):
        self.user_ns = {}
        self.magics = {}

    def register_magic_function(self, function, kind, name):
        self.magics[kind, name] = function


def namespace():
    x = np.random.default_rng(0).normal(size=(20, 3))
    return {"np": np, "s2s": s2s, "x": x, "y": x @ [1.0, 2.0, 3.0], "w": s2s.Variable(np.zeros(3)), "steps": 300,
            "loss": 0.0, "total": 1.0, "step": 0}


def test_the_extension():
    shell = Shell()
    s2s.load_ipython_extension(shell)
    shell.user_ns.update(namespace())
    shell.magics["cell", "s2s"]("", CELL)
    np.testing.assert_allclose(shell.user_ns["w"].numpy(), [1.0, 2.0, 3.0], atol=1e-6)
    assert float(shell.user_ns["total"]) == pytest.approx(1.0) and "tape" not in shell.user_ns


def test_in_ipython():
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell.instance()
    shell.user_ns.update(namespace())
    shell.run_cell("%load_ext s2s").raise_error()
    shell.run_cell("%%s2s\n" + CELL).raise_error()
    np.testing.assert_allclose(shell.user_ns["w"].numpy(), [1.0, 2.0, 3.0], atol=1e-6)


def test_names_and_options():
    text = "import math\nwith f() as g:\n    a, (b, *c) = 1, (2, 3)\ndef h(): d = 1\ne = [i for i in range(3)]\nk += 1"
    assert bound_names(ast.parse(text)) == ["a", "b", "c", "e", "k"]
    assert options_in("--target cpu --parallel") == {"target": "cpu", "parallel": True}
    with pytest.raises(ValueError, match="takes options"):
        options_in("cpu")


def test_the_block_runs_once():
    compiled, given = compile_cell(CELL, 0, namespace(), {})
    assert given == ["step", "loss", "total"]
    compiled(0, 0.0, 1.0)
    assert len([line for line in compiled.source.splitlines() if "loss = np.mean" in line and "#" not in line]) == 1


def test_texts_of_several_lines_stay_as_they_are():
    text = 's = """a\nb"""\nx = 2.0\nt = f"""{x}\n  c"""\nu = ("a"\n"b")\nif x > 1.0:\n    v = "\x0c"\n'
    namespace = {}
    exec(text, namespace)
    found = compile_cell(text, 1, {}, {})[0]()
    assert {name: found[name] for name in "stuv"} == {name: namespace[name] for name in "stuv"}
