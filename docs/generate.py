"""Writes what the documentation takes from the code: tables, and what the examples in it print.

    python docs/generate.py            # the tables
    python docs/generate.py --outputs  # and the output of each example, as it is now: look at the difference

A table stands between `<!-- table: NAME -->` and `<!-- end -->`. `tests/test_docs.py` fails where one is out of date.
"""

from __future__ import annotations

import argparse
import contextlib
import doctest
import io
import re
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MARKED = re.compile(r"(<!-- table: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def constructs() -> str:
    """Kinds of construct in the corpus, and the programs of each that target cpu refuses."""
    sys.path.insert(0, str(ROOT / "tests" / "programs"))
    import corpus

    kinds: dict[str, list[corpus.Program]] = {}
    for program in corpus.load().values():
        kinds.setdefault(program.name.partition(".")[0], []).append(program)
    lines = ["| constructs | python | cpu |", "| --- | --- | --- |"]
    for kind, programs in sorted(kinds.items()):
        refused: dict[str, list[str]] = {}
        for p in programs:
            if isinstance(p.cpu, str):
                refused.setdefault(p.cpu, []).append(p.name.partition(".")[2].replace("_", " "))
        cpu = "; ".join(f"{', '.join(names)}: refused, {why}" for why, names in refused.items()) or "all"
        lines.append(f"| {kind.replace('_', ' ')} | all | {cpu} |")
    return "\n".join(lines)


def rules() -> str:
    """Functions that have a rule, by family; and those known to have no derivative."""
    from s2s.rules import FAMILIES

    lines = ["| family | differentiable | derivative 0 | constants to s2s |", "| --- | --- | --- | --- |"]
    for family in FAMILIES:
        known = [r for r in family if not r.spec.name.startswith("s2s.") and r.callables]
        groups = [[r.spec.name for r in known if r.differentiable and not r.zero],
                  [r.spec.name for r in known if r.zero],
                  [r.spec.name for r in known if r.nondiff and not r.differentiable and not r.zero]]
        if any(groups):
            lines.append(f"| {family.name} | " + " | ".join(
                ", ".join(f"`{name}`" for name in sorted(group)) for group in groups) + " |")
    return "\n".join(lines)


def numpy_functions() -> str:
    """NumPy's public interface: what has a derivative, what has none and why, what is refused and why."""
    from s2s.lower import coverage

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = {name: coverage.function_kind(short, f) for name, short, f in coverage.namespaces()}
    known.update({f"a.{name}": coverage.method_kind(name) for name in coverage.methods()})
    titles = {"derivative": "differentiable", "zero": "derivative 0", "constant": "constants", "none": "no derivative",
              "refused": "refused"}
    groups: dict[tuple[str, str], list[str]] = {}
    for name, found in known.items():
        assert found is not None, name
        groups.setdefault(found, []).append(name)
    lines = ["| | functions and methods | because |", "| --- | --- | --- |"]
    for kind, title in titles.items():
        for (own, reason), names in sorted(groups.items(), key=lambda item: item[0]):
            if own == kind:
                lines.append(f"| {title} | " + ", ".join(f"`{n.removeprefix('np.')}`" for n in sorted(names))
                             + f" | {reason} |")
    return "\n".join(lines)


def scipy() -> str:
    """What is covered of SciPy, and what is refused with the reason, by its parts."""
    import importlib

    from s2s.rules import SCIPY

    lines = ["| scipy. | rules | written | refused |", "| --- | --- | --- | --- |"]
    for part in SCIPY:
        made = importlib.import_module(f"s2s.scipy_rules.{part}")
        library = importlib.import_module(f"scipy.{part}")
        ours = getattr(made, "NAMES", None) or {
            name for r in getattr(made, "FAMILY", ()) if hasattr(library, name := r.spec.name.rpartition(".")[2])}
        if part == "stats":
            standing = {f"{name}.{method}" for name, methods in made.METHODS.items() for method in methods}
            written = "; ".join(f"`{name}`: {', '.join(methods)}" for name, methods in made.METHODS.items())
        else:
            standing = {f.__name__ for f in made.WRITTEN if hasattr(f, "__name__")}
            written = ", ".join(f"`{name}`" for name in sorted(standing))
        refused = "; ".join(f"{why}: {names if ',' in names else ', '.join(names.split())}"
                            for why, names in made.REFUSED.items())
        called = ", ".join(f"`{name}`" for name in sorted(ours - standing))
        lines.append(f"| {part} | {called} | {written} | {refused} |")
    return "\n".join(lines)


TABLES: dict[str, Callable[[], str]] = {"constructs": constructs, "rules": rules, "scipy": scipy,
                                        "numpy": numpy_functions}


# Of NumPy's functions, those of the newest NumPy are listed.
NEWEST = (2, 5)


def with_tables(text: str) -> str:
    """`text` with its tables as they are to be."""
    def table(m: re.Match[str]) -> str:
        if m[2] == "numpy" and tuple(map(int, np.__version__.split(".")[:2])) < NEWEST:
            return m[0]
        return f"{m[1]}{TABLES[m[2]]()}\n{m[3]}"
    return MARKED.sub(table, text)


def shortened(printed: str) -> str:
    """What an example prints, of a traceback the exception alone, without blank lines at the end."""
    head = "Traceback (most recent call last):\n"
    if head in printed:
        after = printed.rpartition(head)[2].splitlines(keepends=True)
        message = next(k for k, line in enumerate(after) if not line.startswith(" "))
        printed = f"{head}    ...\n{''.join(after[message:])}"
    return printed.rstrip()


def with_outputs(text: str, name: str) -> str:
    """`text` with what each example prints."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    lines = text.splitlines(keepends=True)
    printed: list[str] = []

    class Recorder(doctest.DocTestRunner):
        """Runs examples as doctest does, and keeps what they print."""

        def report_success(self, out: object, test: object, example: object, got: str) -> None:
            printed.append(got)

        report_failure = report_success

        def report_unexpected_exception(self, out: object, test: object, example: object, exc_info: object) -> None:
            printed.append("".join(traceback.format_exception(*exc_info)))  # type: ignore[misc]

    with contextlib.redirect_stdout(io.StringIO()):
        Recorder(verbose=False).run(test)
    for example, got in reversed(list(zip(test.examples, printed, strict=True))):
        # What is expected with an ellipsis stays.
        if example.exc_msg is None and "..." in example.want:
            continue
        start = example.lineno + example.source.count("\n")
        indent = " " * example.indent
        shown = [f"{indent}{line if line.strip() else '<BLANKLINE>'}\n" for line in shortened(got).splitlines()]
        lines[start:start + example.want.count("\n")] = shown
    return "".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--outputs", action="store_true", help="rewrite what the examples print too")
    options = parser.parse_args()
    for page in PAGES:
        old = page.read_text(encoding="utf-8")
        new = with_tables(old)
        if options.outputs:
            new = with_outputs(new, page.name)
        if new != old:
            page.write_text(new, encoding="utf-8")
            print(f"rewritten: {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
