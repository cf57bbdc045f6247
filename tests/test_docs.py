"""The documentation: its examples run, its tables are up to date, its links lead somewhere."""

from __future__ import annotations

import doctest
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
pages = pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Checker(doctest.OutputChecker):
    """Blank lines at the end of an output do not count: emitted source ends with one when it is printed."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(want.rstrip(), got.rstrip(), optionflags)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pages
def test_examples(page: Path) -> None:
    test = doctest.DocTestParser().get_doctest(page.read_text(encoding="utf-8"), {}, page.name, str(page), 0)
    output: list[str] = []
    failed, _ = doctest.DocTestRunner(Checker(), verbose=False).run(test, out=output.append)
    assert not failed, "".join(output) + "\nIf this is as it should be: python docs/generate.py --outputs"


@pages
def test_python_blocks_are_examples(page: Path) -> None:
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        assert block.startswith(">>> "), block


@pages
def test_tables(page: Path) -> None:
    pytest.importorskip("numba")  # its presence decides some programs of the corpus
    if page.name == "functions.md" and sys.version_info[:2] != (3, 12):
        pytest.skip("the table has the functions that `math` has in Python 3.12")
    text = page.read_text(encoding="utf-8")
    assert text == generator().with_tables(text), "run `python docs/generate.py`"


@pages
def test_links(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_index_has_every_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").as_posix()
        assert name == "index.md" or f"({name})" in index, name


def test_ci_runs_what_the_readme_says() -> None:
    lines = re.findall(r"```bash\n(.*?)\n```", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(lines) == 2 and all(line.startswith("python3 -m venv .venv && ") for line in lines)
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "python -m pytest -n 2" in lines[1]
    assert "-m pytest -n 2" in script
