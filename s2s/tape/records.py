"""What is known of a run, and what is asked of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import gast
import numpy as np

from s2s.lower.binding import MISSING, Path
from s2s.lower.record import Segment
from s2s.tape.frames import names_in
from s2s.tape.graph import Graph
from s2s.tape.place import Entry, Place, code_key
from s2s.tape.resolve import Found

# Where the targets, the sources and what is watched were found.
FoundAll = list[list[list[Found]]]


FIXED = (FunctionType, BuiltinFunctionType, ModuleType, type, np.ufunc, np.generic, int, float, complex, str, bytes,
         type(None))


@dataclass(eq=False, slots=True)
class Span:
    """A block that ran: what was kept on entry, and the names at its end (or now, where it still runs).

    statements: those that have run. raws: what the Variables among the names hold at the end.
    """

    place: Place
    entry: Entry
    namespace: dict[str, Any]
    statements: list[Any]
    names: dict[str, Any] = field(default_factory=dict)
    raws: dict[int, Any] = field(default_factory=dict)

    def segment(self, statements: list[Any]) -> Segment:
        """What is lowered of it."""
        return Segment(self.place.source, statements, self.place.local, self.namespace,
                       lambda name: at_entry(self, name), lambda name: self.names.get(name, MISSING),
                       self._reach, self.place.names, self.place.target,
                       self.place.class_of(at_entry(self, self.place.receiver)),
                       lambda code: code_key(code) in self.place.inner)

    def fixed(self) -> frozenset[str]:
        """Names that stood, and stand, for what no call changes."""
        def is_fixed(v: Any) -> bool:
            return isinstance(v, FIXED)
        return frozenset(name for name, v in self.entry.names.items()
                         if is_fixed(v) and is_fixed(self.names.get(name, v)))

    def seen_by_functions(self) -> set[str]:
        """Names of the block that functions called in it may read."""
        graph = self.entry.graph or Graph(self.entry.names, self.statements)
        return {name for name in self.place.visible if name in graph.mentioned}

    def _reach(self, statement: gast.AST) -> list[Any]:
        """The objects that a statement can reach."""
        held = {name: self.entry.names[name] for name in names_in([statement]) if name in self.entry.names}
        return Graph(held, [statement]).reached()

    def key(self) -> Any:
        """Which statements of which block they are."""
        return (self.place.number, id(self.statements))


def at_entry(s: Span, name: str) -> Any:
    """What a name stood for when the block was entered."""
    k = s.place.index.get((("name", name),))
    return s.entry.named(name) if k is None else s.entry.get(k)


@dataclass(eq=False, slots=True)
class Asked:
    """Numbers that a call of `gradient` names: the objects, and the expressions that stand for them there."""

    targets: list[Any]
    sources: list[Any]
    target_nodes: list[Any]
    source_nodes: list[Any]
    watched: list[tuple[Any, Any]]
    weights: list[Any] | None = None


@dataclass(frozen=True)
class Shape:
    """Where in the results what was asked for is: the place of each target, the places of each source's parts.

    names: those that the program computes, with the numbers of their blocks. checked: where the values of sources
    are that were found by their expression only, and which sources these are.
    """

    targets: list[int | None]
    gradients: list[list[int]]
    names: list[tuple[int, str]]
    checked: list[tuple[int, int]]


def entry_path(path: Path) -> Path:
    """A path without the number of the block."""
    root = path[0]
    return (root[:2], *path[1:]) if root[0] == "name" else path
