"""Notebook cells compiled as a whole: `%load_ext s2s` adds the cell magic `%%s2s`.

    %%s2s --target cpu
    for step in range(1000):
        with GradientTape() as tape:
            loss = np.mean((x @ w - y) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))

The cell becomes a function, compiled by `s2s.function`: its parameters are the names that it binds and that are
bound already, its value the names that it has bound, which the notebook gets back.
"""

from __future__ import annotations

import ast
import io
import linecache
import shlex
from typing import Any

from s2s.api.whole import function

_NOT_GIVEN_BACK = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def bound_names(tree: ast.Module) -> list[str]:
    """The names that a cell binds to what it computes: not those of functions, modules and context managers."""
    managers = {n.id for w in ast.walk(tree) if isinstance(w, ast.With) for item in w.items
                if item.optional_vars is not None for n in ast.walk(item.optional_vars) if isinstance(n, ast.Name)}
    found: dict[str, None] = {}
    stack: list[ast.AST] = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in managers:
            found[node.id] = None
        inner = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
        if not isinstance(node, (*_NOT_GIVEN_BACK, *inner)):
            stack.extend(reversed(list(ast.iter_child_nodes(node))))
    return list(found)


def compile_cell(text: str, number: int, namespace: dict[str, Any], options: dict[str, Any]) -> Any:
    """The cell as a compiled function, and the names of its parameters."""
    tree = ast.parse(text)
    names = bound_names(tree)
    given = [name for name in names if name in namespace]
    lines = [f"def cell({', '.join(given)}):\n", *_indented(text, tree),
             f"    return {{{', '.join(f'{name!r}: {name}' for name in names)}}}\n"]
    filename = f"<s2s cell {number}>"
    linecache.cache[filename] = (len("".join(lines)), None, lines, filename)
    scope: dict[str, Any] = {}
    exec(compile("".join(lines), filename, "exec"), namespace, scope)
    return function(scope["cell"], **options), given


def _indented(text: str, tree: ast.Module) -> list[str]:
    """The lines of the cell, as those of the body of a function."""
    inside = {row for node in ast.walk(tree) if isinstance(node, ast.Constant | ast.JoinedStr)
              for row in range(node.lineno + 1, (node.end_lineno or node.lineno) + 1)}  # there, blanks are of the text
    rows = enumerate(io.StringIO(text, newline=None), 1)  # lines end where they do for the parser
    return [("" if k in inside else "    ") + row.removesuffix("\n") + "\n" for k, row in rows]


def options_in(line: str) -> dict[str, Any]:
    """The options after the magic: `--target cpu`, `--parallel`."""
    words, options = shlex.split(line), {}
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            raise ValueError(f"%%s2s takes options such as --target cpu; got {word!r}")
        value: Any = words.pop(0) if words and not words[0].startswith("--") else True
        options[word[2:]] = value
    return options


def load_ipython_extension(shell: Any) -> None:
    """Add the magic `%%s2s` to an IPython shell: called by `%load_ext s2s`."""
    count = 0

    def s2s(line: str, cell: str) -> None:
        """Compile and run the cell: `%%s2s`, `%%s2s --target cpu`."""
        nonlocal count
        count += 1
        compiled, given = compile_cell(cell, count, shell.user_ns, options_in(line))
        shell.user_ns.update(compiled(**{name: shell.user_ns[name] for name in given}))

    shell.register_magic_function(s2s, "cell", "s2s")


__all__ = ["bound_names", "compile_cell", "load_ipython_extension", "options_in"]
