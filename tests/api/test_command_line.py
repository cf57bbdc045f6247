"""`python -m s2s show file.py:function`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from s2s.__main__ import main

FILE = '''\
import numpy as np
import s2s

w = s2s.Variable(2.0)
SIZE = 3


def power(x: float, n: int = 3):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


def scaled(x: float):
    return w * x


def total(x):
    return np.sum(x * x)


@s2s.grad(argnums=1, target="python")
def product(x: float, y: float):
    return x * y


def text(x: float):
    return float(repr(x))


class Model:
    def __init__(self):
        self.w = s2s.Variable(1.5)

    def loss(self, x):
        return self.w * x * x


model = Model()
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "shown.py"
    path.write_text(FILE)
    return path


def show(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["show", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.parametrize(("name", "options", "expected"), [
    ("scaled", (), "def scaled_gradients(x, w, value_bar=1.0):\n    # return w * x\n    w_bar = x * value_bar\n"),
    ("scaled", ("--api", "gradients_function"), "    x_bar = w * value_bar\n"),
    ("scaled", ("--api", "implicit_value_and_gradients"), "def scaled_value_and_gradients(x, w, value_bar=1.0):\n"),
    ("product", (), "    y_bar = x * value_bar\n    return y_bar\n"),
    ("product", ("--target", "cpu"), "    y_bar = x * value_bar\n    return y_bar\n"),
    ("total", ("--args", "np.ones(SIZE)"), "    x_bar = 2.0 * value_bar * x\n"),
    ("total", ("--args", "np.ones(3)", "--stage", "lowered"), "total(x: float64[:]):\n"),
    ("total", ("--args", "np.ones(3)", "--stage", "differentiated"), "total"),
    ("total", ("--args", "np.ones(3)", "--stage", "simplified"), "total_gradients"),
    ("model.loss", ("--args", "2.0"), "def loss_gradients("),
])
def test_show(capsys: pytest.CaptureFixture[str], file: Path, name: str, options: tuple[str, ...],
              expected: str) -> None:
    status, out, err = show(capsys, f"{file}:{name}", *options)
    assert (status, err) == (0, "")
    assert expected in out


def test_defaults_tell_types(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    status, out, _ = show(capsys, f"{file}:power")
    assert status == 0
    assert out.startswith("def power_gradients(x, n, value_bar=1.0):\n")
    assert "# y = y * x" in out


@pytest.mark.parametrize(("place", "options", "expected"), [
    ("{file}:nothing", (), "error: {file} has no 'nothing'\n"),
    ("{file}:SIZE", (), "error: 'SIZE' in {file} is no function but 3\n"),
    ("{file}", (), "error: '{file}' is no FILE:FUNCTION\n"),
    ("missing.py:f", (), "error: there is no file missing.py\n"),
    ("{file}:total", (), ("error: the types of the arguments of total are not known: pass --args, such as "
                         "--args '1.0, np.ones(3)'\n")),
    ("{file}:total", ("--args", "np.ones(3"), "error: --args 'np.ones(3': SyntaxError: "),
    ("{file}:total", ("--args", "nothing"), "error: --args 'nothing': NameError: name 'nothing' is not defined\n"),
    ("{file}:total", ("--args", "3"), ("error: TypeError: total: the parameter 'x' is an int, which has no gradient; "
                                      "pass 3.0\n")),
    ("{file}:product", ("--api", "gradients_function"), ("error: <s2s gradients function of product> is a gradient "
                                                        "function already: --api is for plain functions\n")),
    ("{file}:text", (), "error: UnsupportedSyntaxError: "),
])
def test_errors(capsys: pytest.CaptureFixture[str], file: Path, place: str, options: tuple[str, ...],
                expected: str) -> None:
    status, out, err = show(capsys, place.format(file=file), *options)
    assert (status, out) == (1, "")
    assert err.startswith(expected.format(file=file))
    assert "Traceback" not in err


def test_file_that_raises(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("1 / 0\n")
    assert show(capsys, f"{path}:f") == (1, "", f"error: importing {path} raises ZeroDivisionError: division by zero\n")


@pytest.mark.parametrize("arguments", [[], ["show"], ["show", "f.py:f", "--stage", "tree"], ["draw"]])
def test_usage(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: python -m s2s" in capsys.readouterr().err


def test_as_a_command(file: Path) -> None:
    run = subprocess.run([sys.executable, "-m", "s2s", "show", f"{file}:scaled"],
                         capture_output=True, text=True, check=True)  # fmt: skip
    assert run.stdout.endswith("    w_bar = x * value_bar\n    return w_bar\n")
