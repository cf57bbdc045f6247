"""The entry: a function of the IR as source text.

    schedule   operations in the order in which they are written best
    facts      what is needed, where it is read, what may alias
    inline     which values are named, which are written where they are read
    tree       statements: assignments, copies, loops, break, return
    liveness   which named values are alive together
    coalesce   names

and then text, by statements, expressions, calls, nodes, printing.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from s2s.emit import nodes, printing
from s2s.emit.coalesce import Coalescing
from s2s.emit.expressions import Expressions
from s2s.emit.facts import Facts
from s2s.emit.inline import Inlining
from s2s.emit.liveness import Liveness
from s2s.emit.schedule import schedule
from s2s.emit.statements import Line, Statements
from s2s.emit.tree import build
from s2s.ir.builder import constant_type
from s2s.ir.core import Function, Loc, walk
from s2s.ir.memory import CALLS
from s2s.ir.names import RESERVED, Names


@dataclass(frozen=True)
class Emitted:
    """Source text of a function (after the functions that it calls).

    lines: the user's statement that each line comes from. helpers: names of s2s.runtime that the text
    uses. imports: modules that it uses ("np", "math", "numba"). functions: objects that it calls, by the names that it
    has for them.
    """

    source: str
    name: str
    params: list[str]
    lines: dict[int, Loc]
    helpers: frozenset[str]
    imports: frozenset[str]
    functions: Mapping[str, Any] = field(default_factory=dict)


def emit(fn: Function, *, target: str = "python") -> Emitted:
    """The source of `fn`. `target` is accepted for all targets: what differs is done in the IR before.

    >>> from s2s.ir.builder import Builder
    >>> from s2s.ir.core import Block, Value
    >>> from s2s.ir.types import FLOAT
    >>> x = Value(FLOAT, "x")
    >>> block = Block([x])
    >>> b = Builder(block)
    >>> block.results = [b.mul(b.add(x, b.const(1.0)), x)]
    >>> print(emit(Function("f", block)).source, end="")
    def f(x):
        return (x + 1.0) * x
    """
    functions = _called(fn)
    names = Names()
    named = {id(f): names.fresh(_identifier(f.name)) for f in reversed(functions)}
    lines: list[Line] = []
    helpers: set[str] = set()
    outside: dict[str, Any] = {}
    params: list[str] = []
    for f in functions:
        if lines:
            lines += [Line(0, ""), Line(0, "")]
        body, params = _function(f, named, helpers, outside)
        lines += body
    source = "".join(f"{printing.INDENT * line.depth}{line.text}".rstrip() + "\n" for line in lines)
    locations = {k: line.loc for k, line in enumerate(lines, 1) if line.loc is not None}
    code = "\n".join(line.text for line in lines if not line.text.startswith("#"))
    imports = frozenset(m for m in ("np", "math", "numba") if re.search(rf"(?<![\w.]){m}\.", code))
    return Emitted(source, named[id(fn)], params, locations, frozenset(helpers), imports, outside)


def _identifier(text: str) -> str:
    """A function's name as one that `def` takes: `<lambda>` becomes `lambda_`."""
    name = re.sub(r"\W+", "_", re.sub("[<>]", "", text)) or "f"
    return f"f{name}" if name[0].isdigit() else f"{name}_" if keyword.iskeyword(name) else name


def _called(fn: Function) -> list[Function]:
    """`fn` and all functions that it calls, those that are called first."""
    found: list[Function] = []
    seen: set[int] = set()

    def visit(f: Function) -> None:
        if id(f) in seen:
            return
        seen.add(id(f))
        for op in walk(f.block):
            if op.name in CALLS:
                visit(op.attrs["function"])
        found.append(f)

    visit(fn)
    return found


def _taken(fn: Function) -> set[str]:
    """Names that the text of `fn` uses for something else than its variables."""
    used = set(RESERVED)
    for op in walk(fn.block):
        if op.name.startswith("s2s."):
            used.add(op.name.removeprefix("s2s."))
        elif op.name == "hostcall":
            used.add(op.attrs["runner"].__name__)
        elif op.spec.emits == "call":
            used.add(op.spec.called.partition(".")[0])
    return used


def _function(fn: Function, named: Mapping[int, str], helpers: set[str],
              outside: dict[str, Any]) -> tuple[list[Line], list[str]]:
    """The lines of one `def`, and the names of its parameters."""
    fn, identity = schedule(fn), id(fn)
    facts = Facts(fn)
    inlining = Inlining(facts)
    tree = build(facts, inlining)
    liveness = Liveness(inlining, fn.block.params, tree)
    coalescing = Coalescing(facts, liveness.interference, _taken(fn) | set(named.values()))
    expressions = Expressions(facts, inlining, coalescing.names, coalescing.fresh, named)
    body = Statements(expressions).write(tree, 1)
    helpers |= expressions.calls.helpers
    outside |= expressions.calls.functions
    params = [coalescing.names[p] for p in fn.block.params]
    defaults = [expressions.literal(fn.defaults[p], constant_type(fn.defaults[p]))
                for p in fn.block.params if p in fn.defaults]
    header = printing.statement(nodes.def_header(named[identity], params, defaults))
    return [Line(0, header), *body], params
