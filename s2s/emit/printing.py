"""gast nodes → text, by astor: minimal parentheses, one line a statement."""

from __future__ import annotations

import warnings
from typing import Any

import gast

with warnings.catch_warnings():
    # astor 0.8.1 names node classes that Python deprecates.
    warnings.simplefilter("ignore", DeprecationWarning)
    from astor.code_gen import SourceGenerator
    from astor.op_util import Precedence

INDENT = "    "


class _Generator(SourceGenerator):  # type: ignore[misc]
    """astor's printer, with constants written as Python writes them (and without deprecated names)."""

    def visit_Constant(self, node: Any) -> None:
        self.write("..." if node.value is ... else repr(node.value))


def statement(node: Any) -> str:
    """The text of a statement, or of the header of one that owns a block (given with an empty body)."""
    generator = _Generator(INDENT)
    generator.visit(gast.gast_to_ast(node))
    return "".join(generator.result).strip()


def expression(node: Any) -> str:
    """The text of an expression that stands alone."""
    tree = gast.gast_to_ast(node)
    tree._pp = Precedence.Comma
    generator = _Generator(INDENT)
    generator.visit(tree)
    return "".join(generator.result)


def atom(node: Any) -> str:
    """The text of an expression that may stand next to an operator or a dot."""
    text = expression(node)
    simple = isinstance(node, gast.Name | gast.Call | gast.Attribute | gast.Subscript | gast.List | gast.Constant)
    return text if simple else f"({text})"
