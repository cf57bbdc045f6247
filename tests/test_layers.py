"""Imports between the folders of s2s point one way, and few places know the outside packages."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent / "s2s"

# What each folder (or file beside them) may import of s2s, in the order of the layers.
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "options": set(),
    "containers": set(),
    "ir": {"errors"},
    "variable": {"errors"},
    "runtime": set(),
    "source": {"ir", "errors"},
    "rules": {"ir", "errors"},
    "scipy_rules": {"ir", "rules", "errors"},
    "simplify": {"ir"},
    "analyse": {"ir", "rules", "errors"},
    "lower": {"ir", "source", "rules", "variable", "containers", "errors"},
    "differentiate": {"ir", "rules", "analyse", "errors"},
    "targets": {"ir", "rules", "simplify", "errors"},
    "emit": {"ir"},
    "compile": {"ir", "runtime", "errors"},
    "pipeline": {"ir", "rules", "lower", "analyse", "differentiate", "simplify", "targets", "emit", "compile",
                 "options", "errors"},
    # Of the stages, the interface uses the records that lowering makes, and prints the primal.
    "api": {"pipeline", "ir", "source", "lower", "simplify", "emit", "compile", "variable", "containers", "options",
            "errors"},
    # What ran in a block is lowered like a function, and its derivative is compiled by the same pipeline.
    "tape": {"api", "pipeline", "ir", "source", "lower", "variable", "containers", "options", "errors"},
    "testing": {"api", "ir", "rules", "differentiate", "runtime", "variable", "errors"},
    "__init__": {"api", "rules", "tape", "testing", "variable", "errors"},
    "__main__": {"api", "options", "errors"},
}

# Outside packages -> the folders that may import them. NumPy is everywhere.
OUTSIDE = {
    "astor": {"emit"},
    "gast": {"source", "lower", "emit", "tape"},
    "numba": {"compile"},
    "scipy": {"scipy_rules"},
}


def files() -> Iterator[tuple[str, Path]]:
    """Each file of the package with the folder it belongs to (its own name, for one beside the folders)."""
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).parts
        yield parts[0] if len(parts) > 1 else path.stem, path


@functools.cache
def imports(path: Path) -> list[tuple[str, int, bool]]:
    """Dotted name, line and whether it runs on import, of each import in a file; not those for types alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {id(node) for test in ast.walk(tree) if isinstance(test, ast.If)
                 and ast.unparse(test.test) == "TYPE_CHECKING" for node in ast.walk(test)}
    found: list[tuple[str, int, bool]] = []
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno, node.col_offset == 0) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            found += [(f"{node.module}.{alias.name}", node.lineno, node.col_offset == 0) for alias in node.names]
    return found


def test_imports_point_one_way() -> None:
    wrong = []
    for folder, path in files():
        for name, line, _ in imports(path):
            package, _, rest = name.partition(".")
            other = rest.partition(".")[0]
            if package == "s2s" and other != folder and other not in ALLOWED.get(folder, set()):
                wrong.append(f"{path.relative_to(ROOT)}:{line}: {folder} imports {other}")
    assert not wrong, "\n".join(wrong)


def test_every_folder_has_its_place() -> None:
    assert {folder for folder, _ in files()} == set(ALLOWED)


def test_the_order_has_no_cycle() -> None:
    order = list(TopologicalSorter(ALLOWED).static_order())
    assert order.index("ir") < order.index("lower") < order.index("pipeline") < order.index("api")
    written = list(ALLOWED)
    for folder, others in ALLOWED.items():
        assert all(written.index(other) < written.index(folder) for other in others), folder


@pytest.mark.parametrize("package", OUTSIDE)
def test_outside_packages(package: str) -> None:
    wrong = [f"{path.relative_to(ROOT)}:{line}" for folder, path in files() for name, line, _ in imports(path)
             if name.partition(".")[0] == package and folder not in OUTSIDE[package]]
    assert not wrong, wrong


def test_scipy_is_imported_by_those_who_use_it() -> None:
    """Nobody imports the rules for SciPy by name; importing s2s imports neither them nor SciPy."""
    assert not [path for folder, path in files() for name, _, _ in imports(path)
                if name.startswith("s2s.scipy_rules") and folder != "scipy_rules"]


def test_what_is_optional_is_imported_where_it_is_used() -> None:
    wrong = [f"{path.relative_to(ROOT)}:{line}" for _, path in files() for name, line, at_import in imports(path)
             if name.partition(".")[0] in ("numba", "scipy") and at_import and path.parent.name != "scipy_rules"]
    assert not wrong, wrong
