"""One `with` statement: where it is, what has been found out about it, and what is kept when it is entered."""

from __future__ import annotations

import inspect
import itertools
import threading
import weakref
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Any

import gast
import numpy as np

from s2s.errors import ErrorT, SourceError, UnsupportedSyntaxError, located
from s2s.lower.binding import MISSING, Path, fetch
from s2s.source.blocks import BlockSource, block_of
from s2s.source.text import locate
from s2s.tape.frames import Held, column_of, local_names, names_in, read_names
from s2s.tape.generators import owner, state_of
from s2s.tape.graph import Graph, codes_in
from s2s.variable import Variable

_numbers = itertools.count()


def code_key(code: CodeType) -> tuple[str, str, int]:
    """Which function of which file a code is that of."""
    return (code.co_filename, code.co_name, code.co_firstlineno)


class Place:
    """A block of a program.

    names: those in the block. steps: what the specialisations made so far read when it is entered, each one step
    from another (by position) or, where that is -1, a name or an object. written: which of these are arrays that the
    block writes into; generators: which are drawn from.
    """

    def __init__(self, source: BlockSource, code: CodeType) -> None:
        self.source = source
        self.number = next(_numbers)
        self.names = names_in(source.body)
        self.local = local_names(code)
        self.code = code_key(code)
        # What functions around the block can see of its names, and the functions that see its cells.
        hidden = set(code.co_varnames) - set(code.co_cellvars) if self.local else set()
        self.visible = frozenset(self.names) - hidden
        self.inner = frozenset(map(code_key, codes_in(code)))
        self.receiver = code.co_varnames[0] if code.co_argcount else ""
        self._until: dict[Any, list[Any]] = {}
        self._so_far: dict[int, list[Any]] = {}  # by instruction
        target = source.node.items[source.item].optional_vars
        self.target = target
        self.steps: list[tuple[int, tuple[str, Any]]] = []
        self.index: dict[Any, int] = {}
        self.written: set[int] = set()
        self.generators: dict[int, None] = {}
        self.shared: dict[int, Any] = {}  # generators of modules that are drawn from
        # What has to be where for a program that is known: functions, flags, kinds of objects.
        self.programs: list[list[tuple[int, Callable[[Any], bool]]]] = []
        self.specialisations: dict[Any, list[Any]] = {}
        self.lock = threading.RLock()

    def step(self, path: Path, parent: int, step: tuple[str, Any]) -> int:
        """The position of a read that a specialisation makes."""
        if path not in self.index:
            self.index[path] = len(self.steps)
            self.steps.append((parent, step))
        return self.index[path]

    def is_known(self, values: Sequence[Any]) -> bool:
        """Whether a block that starts with these values is a program that was lowered before."""
        return any(all(fits(values[k]) for k, fits in program) for program in self.programs)

    def class_of(self, v: Any) -> type | None:
        """The class whose method the block is in, where `v` is the method's first argument."""
        for cls in (v if isinstance(v, type) else type(v)).__mro__:
            found = vars(cls).get(self.code[1])
            found = getattr(found, "__func__", found)
            code = getattr(inspect.unwrap(found) if callable(found) else None, "__code__", None)
            if code is not None and code_key(code) == self.code:
                return cls
        return None

    def until(self, line: int, column: int | None) -> list[Any]:
        """The statements of the block before the one that is at a line (and column)."""
        if (line, column) not in self._until:
            self._until[line, column] = self._before(self.source.body, line, column)
        return self._until[line, column]

    def so_far(self, frame: FrameType) -> list[Any]:
        """The statements of the block before the one that a frame runs, which is that of the block."""
        known = self._so_far.get(frame.f_lasti)
        if known is None:  # where an instruction stands is looked up once: the table of it is as long as the code
            known = self._so_far[frame.f_lasti] = self.until(frame.f_lineno, column_of(frame))
        return known

    def _before(self, statements: list[Any], line: int, column: int | None) -> list[Any]:
        k = statement_at(statements, line, column)
        if k is None:
            return statements
        at = statements[k]
        before = list(statements[:k])
        if isinstance(at, gast.With) and line >= at.body[0].lineno:
            part = gast.copy_location(gast.With(at.items, self._before(at.body, line, column), None), at)
            return [*before, part] if part.body else before
        if hasattr(at, "body") and isinstance(at.body, list) and not isinstance(at, gast.FunctionDef) and (
                line >= at.body[0].lineno):
            raise self.error(UnsupportedSyntaxError, "A tape is asked inside its own block, in a loop or branch there.",
                             "What it has recorded by then depends on the way that was taken.",
                             "Ask it at the top level of the block, or after the block.", at)
        return before

    def error(self, cls: type[ErrorT], what: str, why: str, fix: str, node: Any = None) -> ErrorT:
        """An error about the block, or a statement in it."""
        return located(cls, locate(self.source, self.source.node if node is None else node), what, why, fix)


class Entry:
    """What a block read, as it was when it was entered."""

    __slots__ = ("copies", "graph", "names", "place", "raws", "states", "values")

    def __init__(self, place: Place, names: dict[str, Any]) -> None:
        self.place = place
        self.names = names
        self.values: list[Any] = []
        self.raws: dict[int, Any] = {}
        self.copies: dict[int, Any] = {}
        self.states: dict[int, tuple[Any, Any]] = {}
        self.graph: Graph | None = None

    def get(self, k: int) -> Any:
        """The value of the k-th read of the place."""
        while len(self.values) <= k:
            # It was not known to be read when the block was entered.
            parent, step = self.place.steps[len(self.values)]
            self.values.append(self._read(parent, step))
        return self.values[k]

    def _read(self, parent: int, step: tuple[str, Any]) -> Any:
        if parent < 0:
            return self.named(step[1]) if step[0] == "name" else self._frozen(step[1])
        held = self.values[parent]
        if held is MISSING:
            return MISSING
        return read_step(held, step) if self.graph is None else self.graph.fetch(held, step)

    def named(self, name: str) -> Any:
        """What a name stood for; MISSING where it stood for nothing, or for what is no more."""
        v = self.names.get(name, MISSING)
        if type(v) is Held:
            v = v()
            return MISSING if v is None else v
        return self._frozen(v)

    def _frozen(self, v: Any) -> Any:
        return v if self.graph is None else self.graph.frozen(v)

    def raw(self, variable: Variable) -> Any:
        """What a Variable held."""
        found = self.raws.get(id(variable), MISSING)
        if found is MISSING and self.graph is not None:
            found = self.graph.raws.get(id(variable), MISSING)
        return variable.raw if found is MISSING else found

    def array(self, k: int, v: Any) -> Any:
        """The array that the k-th read gave, with what was in it; MISSING where that was not kept."""
        found = self.copies.get(k, MISSING)
        if found is MISSING and self.graph is not None:
            found = self.graph.arrays.get(id(v), MISSING)
        return found

    def state(self, generator: Any) -> Any:
        """The generator and its state as `in_place_of` takes them; None where it was not kept."""
        found = self.states.get(id(generator))
        if found is None and self.graph is not None:
            found = self.graph.states.get(id(generator))
        return found


def read_step(held: Any, step: tuple[str, Any]) -> Any:
    """What one step from an object leads to; MISSING where it leads nowhere.

    The steps are those of all programs that the block has been: another kind of object than the one that has
    this part may stand here, and may raise anything.
    """
    try:
        return fetch(held, step)
    except Exception:
        return MISSING


def enter(place: Place, frame: FrameType, tape: type) -> Entry:
    """Keep what the block is about to read; `tape` is the class of tapes."""
    entry = Entry(place, read_names(frame, place.names, tape))
    if not place.steps:
        entry.graph = Graph(entry.names, place.source.body)
        return entry
    values, raws = entry.values, entry.raws
    names = entry.names
    for parent, step in place.steps:
        if parent < 0:
            v = names.get(step[1], MISSING) if step[0] == "name" else step[1]
            if type(v) is Held:
                v = v()
        else:
            held = values[parent]
            v = MISSING if held is MISSING else read_step(held, step)
        kind = type(v)
        if kind is Variable:
            raws[id(v)] = v.raw
        elif kind is list or kind is dict:
            v = v.copy()
        values.append(v)
    if not place.is_known(values):
        entry.graph = Graph(entry.names, place.source.body)
    for k in place.written:
        if isinstance(values[k], np.ndarray):
            entry.copies[k] = values[k].copy(order="K")
    for k in place.generators:
        generator = owner(values[k])
        if generator is not None and id(generator) not in entry.states:
            entry.states[id(generator)] = (generator, state_of(generator))
    for key, generator in place.shared.items():
        entry.states[key] = (generator, state_of(generator))
    return entry


_PLACES: weakref.WeakKeyDictionary[CodeType, dict[Any, Place]] = weakref.WeakKeyDictionary()


def place_of(frame: FrameType) -> Place:
    """The block that a frame is about to enter."""
    code, at = frame.f_code, frame.f_lasti
    known = _PLACES.get(code)
    if known is None:
        known = _PLACES.setdefault(code, {})
    place = known.get((at, code.co_filename))
    if place is None:
        found = block_of(code, at, frame.f_globals)
        if found is None:
            raise SourceError(
                "GradientTape is entered, but not by a `with` statement.\n"
                f'  File "{code.co_filename}", line {frame.f_lineno}, in {code.co_name}\n'
                "The source of the `with` block is the record of the tape; without the statement there is none.\n"
                "Write `with GradientTape() as tape:`.")
        place = known.setdefault((at, code.co_filename), Place(found, code))
    return place


def statement_at(statements: Sequence[Any], line: int, column: int | None) -> int | None:
    """Which of the statements is at a line (and column)."""
    found = [k for k, s in enumerate(statements) if s.lineno <= line <= (s.end_lineno or s.lineno)]
    if len(found) > 1 and column is not None:
        before = [k for k in found if (statements[k].lineno, statements[k].col_offset) <= (line, column)]
        found = before[-1:] or found
    return found[0] if found else None
