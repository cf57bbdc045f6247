"""What a name can stand for while a program is lowered.

Numbers, arrays and growing lists are IR values. Everything else is known here and gone in the IR:
constants, containers of known structure, functions, objects whose attributes are read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import gast

from s2s.ir.core import Loc, Value
from s2s.lower.binding import Read
from s2s.source.blocks import BlockSource
from s2s.source.find import FunctionSource


@dataclass(frozen=True, slots=True)
class Static:
    """A Python object known when the program is compiled: None, a string, a module, a function."""

    value: Any


@dataclass(frozen=True, slots=True)
class Outside:
    """A Python object that exists outside the program; its parts are read through `read`."""

    value: Any
    read: Read

    def pinned(self) -> Any:
        """The object, which from here on decides the code: the specialisation is for this one only."""
        self.read.pinned = True
        return self.value


@dataclass(frozen=True, slots=True)
class Tuple:
    """A tuple of known length. `cls` is the class of a namedtuple."""

    items: tuple[Lowered, ...]
    cls: type | None = None


@dataclass(eq=False, slots=True)
class Box:
    """The identity of a mutable container made in the program; the state holds what is in it.

    kind: "list", "dict", "set", "iterator" or "object" (then `cls` is its class). extra: of a defaultdict, what
    makes a missing item; of a deque, its largest length.
    """

    kind: str
    cls: type | None = None
    hint: str = ""
    depth: int = 0  # how many run-time loops were around when it was made
    site: int = 0  # the id of the node that made it
    extra: Any = None  # of a deque its greatest length, of a defaultdict what makes a missing item


@dataclass(frozen=True, slots=True)
class Range:
    """range(start, stop, step)."""

    start: Value
    stop: Value
    step: Value


@dataclass(frozen=True, slots=True)
class Lazy:
    """What enumerate, zip, reversed and map iterate over, and dict views."""

    kind: str
    parts: tuple[Lowered, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Producer:
    """A generator that has not begun. `run(consume)` lowers its body, with `consume(item)` where it yields."""

    run: Callable[[Callable[[Lowered], None]], None]
    what: str
    at: Loc | None = None  # where it yields
    names: tuple[tuple[Any, str], ...] = ()  # names around it that it may read
    given: tuple[Lowered, ...] = ()  # its arguments


@dataclass(frozen=True, slots=True)
class Slice:
    """A slice object; parts are None where they are left out."""

    start: Value | None
    stop: Value | None
    step: Value | None


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A function or lambda defined in the program. `frame` is the one it was defined in."""

    node: gast.FunctionDef | gast.Lambda
    source: FunctionSource | BlockSource
    frame: Any
    defaults: tuple[Lowered, ...] = ()
    kw_defaults: dict[str, Lowered] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bound:
    """A callable with arguments already given: a bound method, or functools.partial."""

    callee: Lowered
    args: tuple[Lowered, ...]
    kwargs: tuple[tuple[str, Lowered], ...] = ()


@dataclass(frozen=True, slots=True)
class Method:
    """`receiver.name` where the receiver is a value, a container or a string."""

    receiver: Lowered
    name: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """What a name stands for where the paths that lead here disagree; an error when it is used.

    value: what it is where it is not None, if that is all that they disagree about; it is None where
    `condition` is `none_where`. partly: it is an attribute that is not there on one of the paths.
    """

    why: str
    condition: Value | None = None
    value: Value | None = None
    none_where: bool = True
    partly: bool = False


Lowered: TypeAlias = (
    Value | Static | Outside | Tuple | Box | Range | Lazy | Producer | Slice | Closure | Bound | Method | Conflict
)
