"""Find the `with` block that a frame enters, and the call that it makes, in its source.

Code has no positions on Python 3.10, and pytest and others change the instructions. But the instructions that
enter a block come in the order in which the compiler meets the blocks: the source is compiled again with a line of
its own for each block, and the n-th such instruction of the one code is the n-th of the other.
"""

from __future__ import annotations

import ast
import dis
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import gast

from s2s.errors import SourceError
from s2s.source.find import Lines, source_of_code
from s2s.source.match import compile_alone

_ENTERS = ("SETUP_WITH", "BEFORE_WITH")
_SCOPES = tuple(getattr(module, name) for module in (ast, gast)
                for name in ("FunctionDef", "AsyncFunctionDef", "Lambda", "ClassDef"))


@dataclass(eq=False)
class BlockSource:
    """A `with` statement and where it stands.

    node: the gast With; item: which of its items is entered. body: the statements that run inside that item.
    """

    node: Any
    item: int
    body: list[Any]
    filename: str
    lines: Lines
    name: str
    function: Any = None
    texts: dict[int, str] = field(default_factory=dict, repr=False)


def block_of(code: CodeType, at: int, namespace: Mapping[str, Any]) -> BlockSource | None:
    """The block that `code` enters with the instruction `at`; None if that instruction enters none.

    Raises SourceError where there is no source, or it is not that of `code`.
    """
    enters = [i.offset for i in dis.get_instructions(code) if i.opname in _ENTERS]
    # A frame of Python 3.10 is at the prefix of an instruction whose argument is large.
    at = next((i.offset for i in dis.get_instructions(code) if i.offset >= at and i.opname != "EXTENDED_ARG"), at)
    if at not in enters:
        return None
    root, lines = source_of_code(code, namespace)
    withs = [(node, k) for node in _own(root) if isinstance(node, gast.With) for k in range(len(node.items))]
    order = _entered(root, code)
    if len(order) != len(enters):
        raise SourceError(f"The source of {code.co_name!r} has {len(order)} `with` blocks, the code that runs has "
                          f"{len(enters)}.\n  File \"{code.co_filename}\", line {code.co_firstlineno}\n"
                          "Import the module again, or take out the tool that rewrites its code.")
    node, item = withs[order[enters.index(at)]]
    body = node.body
    if item + 1 < len(node.items):
        body = [gast.copy_location(gast.With(node.items[item + 1:], node.body, None), node)]
    return BlockSource(node, item, body, code.co_filename, lines, code.co_name)


def _own(root: Any) -> Iterator[Any]:
    """The nodes of a module or function, of gast or ast, without those of the functions and classes in it."""
    body = getattr(root, "body", [])
    stack = list(reversed(body if isinstance(body, list) else [body]))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _SCOPES):
            stack.extend(reversed(list(ast.iter_child_nodes(node))))


def _entered(root: Any, code: CodeType) -> list[int]:
    """For each instruction that enters a block, in order, which item of a `with` of `root` it is."""
    tree = gast.gast_to_ast(root)
    count = 0
    for node in list(_own(tree)):
        if isinstance(node, ast.With):
            count = _number(node, count)
    again = compile_alone(tree, code)
    if again is None:
        return []
    found: list[int] = []
    line = 0
    for i in dis.get_instructions(again):
        line = _line(i, line)
        if i.opname in _ENTERS:
            found.append(line // _STRIDE - 1)
    return found


_STRIDE = 4


def _number(node: ast.With, count: int) -> int:
    """Split a `with` into one for each item, and put the item number `n` on line `(n + 1) * _STRIDE`."""
    inner: list[ast.stmt] = node.body
    for k in reversed(range(len(node.items))):
        at = (count + k + 1) * _STRIDE
        for part in ast.walk(node.items[k]):
            if hasattr(part, "lineno"):
                part.lineno = part.end_lineno = at  # type: ignore[attr-defined]
        made = ast.With([node.items[k]], inner)
        made.lineno = made.end_lineno = at
        made.col_offset = made.end_col_offset = 0
        inner = [made]
    total = count + len(node.items)
    first = inner[0]
    assert isinstance(first, ast.With)
    node.items, node.body = first.items, first.body
    node.lineno = node.end_lineno = first.lineno
    return total


def _line(i: Any, line: int) -> int:
    """The line of an instruction; `line` is that of the one before."""
    positions = getattr(i, "positions", None)
    if positions is not None and positions.lineno is not None:
        return int(positions.lineno)
    return int(i.starts_line) if i.starts_line is not None and not isinstance(i.starts_line, bool) else line


def call_at(code: CodeType, at: int, line: int, method: str, namespace: Mapping[str, Any]) -> Any:
    """The call of `.method(...)` that `code` makes by the instruction `at`, on `line`; None where it is not clear."""
    try:
        root, _ = source_of_code(code, namespace)
    except SourceError:
        return None
    calls = [n for n in gast.walk(root) if isinstance(n, gast.Call) and isinstance(n.func, gast.Attribute)
             and n.func.attr == method]
    if hasattr(code, "co_positions"):
        positions = list(code.co_positions())
        start, end, column, end_column = positions[at // 2] if at // 2 < len(positions) else (None,) * 4
        exact = [n for n in calls if (n.lineno, n.end_lineno, n.end_col_offset) == (start, end, end_column)
                 and n.col_offset <= (column if column is not None else -1)]
        exact += [] if exact else [n for n in calls if (n.end_lineno, n.end_col_offset) == (end, end_column)]
        if len(exact) == 1:
            return exact[0]
    near = [n for n in calls if n.lineno <= line <= (n.end_lineno or n.lineno)]
    return near[0] if len(near) == 1 else None
