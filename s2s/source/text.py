"""The user's own text: the line of a statement, as comments and messages quote it."""

from __future__ import annotations

import tokenize
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from s2s.ir.core import Loc
from s2s.source.blocks import BlockSource
from s2s.source.find import FunctionSource, Lines

_SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
_OPENING, _CLOSING = {"(", "[", "{"}, {")", "]", "}"}


def locate(source: FunctionSource | BlockSource, node: Any, statement: Any = None) -> Loc:
    """The place of `node`: its line and columns, and the text of `statement` (`node`, if None).

    Both are nodes of `source.node`. A node without a place of its own gets that of the statement.
    """
    statement = node if statement is None else statement
    where = node if hasattr(node, "lineno") else statement
    line = source.lines[where.lineno - 1]
    start = _column(line, where.col_offset)
    one_line = where.end_lineno == where.lineno
    end = _column(line, where.end_col_offset) if one_line else len(line.rstrip())
    key = id(statement)
    if key not in source.texts:
        source.texts[key] = statement_text(source.lines, statement)
    return Loc(source.filename, where.lineno, source.texts[key], line.rstrip("\r\n"), (start, end), source.name)


def statement_text(lines: Lines, node: Any) -> str:
    r"""The text of `node` on one line, without comments; of a compound statement the header.

    >>> import ast
    >>> text = "while (x and  # not yet\n       y):\n    x = f(\n        x)\n"
    >>> loop = ast.parse(text).body[0]
    >>> lines = tuple(text.splitlines(keepends=True))
    >>> statement_text(lines, loop), statement_text(lines, loop.body[0])
    ('while (x and y):', 'x = f(x)')
    """
    segment = source_segment(lines, node)
    compound = isinstance(getattr(node, "body", getattr(node, "cases", None)), list)
    if not compound and len(segment.splitlines()) == 1:
        return segment
    pieces: list[str] = []
    with suppress(tokenize.TokenError, SyntaxError):  # a fragment that is no program of its own
        pieces.extend(_pieces(segment, compound))
    return "".join(pieces) or " ".join(segment.split())


def source_segment(lines: Lines, node: Any) -> str:
    """The text from the start to the end of `node`, as it is in the file."""
    first, last = node.lineno - 1, node.end_lineno - 1
    start = _column(lines[first], node.col_offset)
    end = _column(lines[last], node.end_col_offset)
    return _between(lines, (first + 1, start), (last + 1, end))


def _column(line: str, offset: int) -> int:
    """Syntax trees count bytes; people and strings count characters."""
    return offset if line.isascii() else len(line.encode()[:offset].decode(errors="replace"))


def _pieces(segment: str, header: bool) -> Iterator[str]:
    """The text of the tokens of a statement and of the spaces between them; up to the colon of a header."""
    lines = segment.splitlines(keepends=True)
    depth = lambdas = 0
    before: tokenize.TokenInfo | None = None
    for token in tokenize.generate_tokens(iter(lines).__next__):
        if token.type in _SKIPPED:
            continue
        if before is not None:
            yield _gap(lines, before, token)
        # What is between the two places, not `token.string`, which for parts of f-strings differs from it.
        yield "\\n".join(_between(lines, token.start, token.end).splitlines())
        before = token
        depth += (token.string in _OPENING) - (token.string in _CLOSING)
        if header and not depth:
            if token.string == ":" and not lambdas:
                return
            lambdas += (token.string == "lambda") - (token.string == ":")


def _gap(lines: list[str], before: tokenize.TokenInfo, token: tokenize.TokenInfo) -> str:
    """The space between two tokens, where a line end counts as one."""
    if before.end[0] == token.start[0]:
        return _between(lines, before.end, token.start)
    return "" if before.string in _OPENING | {"."} or token.string in _CLOSING | {"."} else " "


def _between(lines: Sequence[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    first, last = start[0] - 1, end[0] - 1
    if first == last:
        return lines[first][start[1]:end[1]]
    return "".join([lines[first][start[1]:], *lines[first + 1:last], lines[last][:end[1]]])
