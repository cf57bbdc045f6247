"""The state of a lowering: names and containers, where control is, and what is being inlined."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import gast

from s2s.errors import S2SError, UnsupportedSyntaxError, located
from s2s.ir.builder import Builder
from s2s.ir.core import Block, Loc, Value
from s2s.ir.types import Type
from s2s.lower.binding import Binding, Path, Read
from s2s.lower.values import Box, Lowered, Outside
from s2s.rules.table import Table
from s2s.source.blocks import BlockSource
from s2s.source.find import FunctionSource
from s2s.source.text import locate


class Respecialise(Exception):
    """A value decides the code: lower again with the values at these paths in the key."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self.paths = frozenset(paths)
        super().__init__(self.paths)


class Unroll(Exception):
    """The body of `loop` needs its index as a constant."""

    def __init__(self, loop: gast.AST, error: S2SError) -> None:
        self.loop = loop
        self.error = error
        super().__init__(str(error))


MOST = 256  # items of a list or dict from outside that the program has a copy of: each is a value of its own


class Peel(Exception):
    """A name stands for something else on the first iteration of a loop: lower that one apart.

    error: what to say where that does not help.
    """

    def __init__(self, error: S2SError | None = None) -> None:
        self.error = error
        super().__init__()


class GrowList(Exception):
    """A list of known structure is appended to in a run-time loop: make it one that grows."""

    def __init__(self, site: int, element: Type) -> None:
        self.site = site
        self.element = element
        super().__init__(site)


class Adopt(Exception):
    """A container from outside is read after a call that changes it: let the program have a copy from the start."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(path)


class UnrollAll(Exception):
    """The list made at `site` has to have a known length: unroll the loops that make it."""

    def __init__(self, site: int, loops: frozenset[int]) -> None:
        self.site, self.loops = site, loops
        super().__init__(site)


class Raised(Exception):
    """A function that was called always raises: nothing after it in the statement runs."""


class Late(Exception):
    """What a name holds that is read here may come from an earlier iteration of `loops`: let them carry it."""

    def __init__(self, loops: Iterable[int], name: Any) -> None:
        self.found = frozenset((loop, name) for loop in loops)
        super().__init__(self.found)


class UnknownResult(Exception):
    """A recursive call whose result type is not known yet."""


@dataclass(eq=False, slots=True)
class Frame:
    """One activation of a Python function that is being inlined.

    scope: names that are local to it. outer: the frame in which it was defined (closures), or None.
    read: where the function object came from, when it exists outside the program.
    """

    source: FunctionSource | BlockSource
    local_names: frozenset[str]
    global_names: frozenset[str] = frozenset()
    nonlocal_names: frozenset[str] = frozenset()
    outer: Frame | None = None
    read: Read | None = None
    class_of: type | None = None
    comprehension: bool = False  # its other names belong to the frame around it
    at: Loc | None = None  # of a function of s2s that stands for a library's: the call, for messages and comments
    block: RunBlock | None = None  # where the program is a block that ran: what its names were


@dataclass(eq=False, slots=True)
class RunBlock:
    """A block that ran and is lowered afterwards.

    number: among the blocks of the program. entry: what names stood for when it was entered, exit: when it was left,
    with MISSING for those not bound. reach: the objects that a statement can reach. owns: whether code is
    that of a function defined in the same function, which sees its cells. top: the block of operations that its
    statements are lowered into.
    """

    number: int
    entry: Callable[[str], Any]
    exit: Callable[[str], Any]
    reach: Callable[[gast.AST], Iterable[Any]]
    owns: Callable[[Any], bool]
    top: Block


Key = tuple[Any, str]
RETURN = "#return"
RETURNED = "#returned"
WHOLE = object()  # all keys of a container


@dataclass(eq=False, slots=True)
class State:
    """What names stand for, and what is in the containers that the program made, at one point.

    unsure: names that are bound on some of the paths that lead here only. skipped: the same, where the other paths
    have left (`continue`), until they come back. lost: names that an earlier iteration of these loops may have bound,
    which do not carry them.
    """

    env: dict[Key, Lowered] = field(default_factory=dict)
    heap: dict[Box, Any] = field(default_factory=dict)
    unsure: set[Key] = field(default_factory=set)
    skipped: set[Key] = field(default_factory=set)
    lost: dict[Key, frozenset[int]] = field(default_factory=dict)

    def copy(self) -> State:
        return State(dict(self.env), {b: copy_content(c) for b, c in self.heap.items()}, set(self.unsure),
                     set(self.skipped), dict(self.lost))

    def bind(self, key: Key, new: Lowered) -> None:
        """Let a name stand for something."""
        self.env[key] = new
        self.unsure.discard(key)
        self.lost.pop(key, None)

    def rejoin(self) -> None:
        """Control that had left an iteration is back."""
        self.unsure |= self.skipped
        self.skipped.clear()


def late_name(key: Key) -> Any:
    """A name of the state by which it is known when the program is lowered again."""
    return key if isinstance(key[0], tuple) else key[1]


def copy_content(content: Any) -> Any:
    """A copy of what a container holds: a list, a dict, or the IR value of a growing list."""
    if isinstance(content, list):
        return list(content)
    if isinstance(content, dict):
        return dict(content)
    return content


@dataclass(slots=True)
class Loop:
    """A run-time or unrolled loop around the current statement; its flags are names in the state."""

    node: gast.AST
    frame: Frame
    index: Value | None = None  # of a run-time loop over a constant range, which could be unrolled
    unrollable: bool = False
    bounds: tuple[Value, ...] = ()  # of a run-time loop over a range
    runtime: bool = True

    @property
    def broke(self) -> Key:
        return (self.frame, f"#broke{id(self.node)}")

    @property
    def continued(self) -> Key:
        return (self.frame, f"#continued{id(self.node)}")

    @property
    def done(self) -> Key:
        """Set where the test of a `while` failed (not left early: its `else` runs)."""
        return (self.frame, f"#done{id(self.node)}")


@dataclass(frozen=True)
class Adopted:
    """A list or dict from outside of which the program has a copy. first: what it held when the call began."""

    outside: Outside
    first: Any


@dataclass(eq=False)
class Services:
    """What lowering needs of the rest of the compiler: the table, and derivatives of inner functions."""

    table: Table
    differentiate: Callable[..., Any]
    jvp: Callable[..., Any]
    connections: Callable[..., Any]


@dataclass(eq=False)
class Handlers:
    """The functions of the other files of this folder, so that none has to import another in a circle."""

    expression: Callable[[Context, gast.AST], Lowered]
    statements: Callable[[Context, list[gast.AST]], None]
    call: Callable[..., Lowered]
    stand_in: Callable[..., Lowered]
    zip_generators: Callable[..., Any]
    numbered: Callable[..., Any]
    item: Callable[..., Lowered]
    loop: Callable[..., None]
    collect: Callable[..., Box]
    missing: Callable[..., Lowered | None]
    raised: Callable[..., bool]


class Context:
    """Everything that the functions of this folder share while they lower one program."""

    def __init__(self, binding: Binding, services: Services, handlers: Handlers) -> None:
        self.binding = binding
        self.services = services
        self.handlers = handlers
        self.b = Builder(Block())
        self.state = State()
        self.frame: Frame = None  # type: ignore[assignment]
        self.statement: gast.AST | None = None
        self.returned: Loc | None = None  # the last `return` that was met: what an error about the result shows
        self.loops: list[Loop] = []
        self.params: list[Value] = []
        self.stack: list[Any] = []  # code of the functions being inlined
        self.recursive: dict[Any, Any] = {}
        self.unrolled: set[int] = set()
        self.growing: dict[int, Type] = {}  # list displays that grow at run time: site, element type
        self.one_of: dict[Box, dict[Box, Any]] = {}  # containers that stand for one of two; what those held then
        self.frozen: set[Box] = set()  # containers that stand for one of two: not to be changed
        self.mentioned: set[Path] = set()  # read in code that this specialisation leaves out
        self.mentioned_values: set[Value] = set()
        self.inlined: dict[Any, tuple[int, int]] = {}  # how often, and how many operations
        self.shared: dict[Any, Any] = {}  # large functions that are called from many places
        self.variables: dict[Value, Read] = {}  # the Variable whose value an IR value is
        self.merge = False
        self.one_memory: frozenset[int] = frozenset()  # arrays that are one, by whichever path they are reached
        self.same: dict[int, Read] = {}  # the first read that led to a Variable, by its identity
        self.objects: dict[int, list[Read]] = {}  # the reads that led to an object whose attributes are used
        self.stores_attributes = False
        self.seen: set[int] = set()  # lists and dicts from outside whose items were read
        self.changed: dict[int, str] = {}  # those that a call left in place has changed since, and the call
        self.given: dict[Box, str] = {}  # containers of the program that such a call was given
        self.touched: dict[Read, None] = {}  # Variables read, in order
        self.catching: list[tuple[type[BaseException], ...]] = []  # what the `try` around this catches
        self.marks: dict[Block, list[tuple[int, State]]] = {}  # the states before the statements of a `try`, by block
        self.handling: list[tuple[type[BaseException], ...]] = []  # what the handler around this has caught
        self.replaced: dict[Value, Value] = {}  # results of branches that are known not to be left by an exception
        self.unsure: set[Key] = set()  # names read where they may not be bound
        self.missed: set[tuple[Any, Any]] = set()  # containers, and keys that were asked for and not there
        self.late: set[tuple[int, Any]] = set()  # loops, and names that they carry though they are not bound before
        self.initial: dict[Key, Callable[[], Lowered | None]] = {}  # of what is stored outside: what it held at first
        self.yields: dict[Frame, Callable[[Lowered], None]] = {}  # what takes the values of a running generator
        self.sites: dict[int, frozenset[int]] = {}  # the loops of the comprehension that made a list
        self.taken: dict[Box, dict[Any, Any]] = {}  # generators whose values were all taken at once: what they read
        self.endless: list[Frame] = []  # generators whose loop never ends by itself
        self.lists: dict[Value, Any] = {}  # arrays that stand for a list or tuple, and what is known of that
        self.packed: set[Box] = set()  # lists of which a copy is an item of a list that grows
        self.run_frames: list[Frame] = []  # the blocks that ran
        self.avoided: set[tuple[str, int]] = set()  # names of blocks that are not to be taken from the run
        self.lost: dict[int, S2SError] = {}  # Variables and arrays that went into what was taken from the run
        self.wanted: frozenset[int] = frozenset()  # objects that targets and sources are, by identity
        self.parts: dict[int, Value] = {}  # elements of lists that grow, which are among those objects
        self.superseded: set[Value] = set()  # values that a tape watches in another form from some point on
        self.links: dict[int, Lowered] = {}  # what stands for objects: computed in an earlier block, or adopted
        self.adopting: set[Path] = set()  # those of which a copy is needed before a call changes them
        self.adopted: dict[Box, Adopted] = {}  # the program's copies of containers from outside that it changes
        self.tapes: dict[int, Box] = {}  # what the program records for a tape that exists outside of it

    # Shorthands ---------------------------------------------------------------------------------

    def expr(self, node: gast.AST) -> Lowered:
        """Lower an expression."""
        saved = self.b.loc
        self.b.loc = self.loc(node)
        try:
            found = self.handlers.expression(self, node)
            return (self.linked(found) or found) if isinstance(found, Outside) and self.links else found
        finally:
            self.b.loc = saved

    def block(self, statements: list[gast.AST]) -> None:
        """Lower statements into the current block."""
        self.handlers.statements(self, statements)

    def call(self, node: gast.AST | None, callee: Lowered, args: list[Lowered],
             kwargs: dict[str, Lowered] | None = None) -> Lowered:
        """Lower a call whose arguments have been lowered."""
        return self.handlers.call(self, node, callee, args, kwargs or {})

    def stand_in(self, node: gast.AST | None, name: str, args: list[Lowered], kwargs: dict[str, Lowered]) -> Lowered:
        """Lower a call of a function of s2s.lower.library."""
        return self.handlers.stand_in(self, node, name, args, kwargs)

    @property
    def depth(self) -> int:
        """How many run-time loops are around the current statement."""
        return sum(loop.runtime for loop in self.loops)

    # Errors -------------------------------------------------------------------------------------

    def loc(self, node: gast.AST | None) -> Loc | None:
        """The place of a node, for messages and comments."""
        if node is None or not hasattr(node, "lineno") or self.frame is None:
            return self.b.loc or self.returned
        if self.frame.at is not None:
            return self.frame.at
        return locate(self.frame.source, node, self.statement or node)

    def error(self, node: gast.AST | None, what: str, why: str = "", fix: str = "",
              cls: type[S2SError] = UnsupportedSyntaxError, python: type[BaseException] | None = None) -> S2SError:
        """An error at a node, to be raised. python: what Python itself would raise there, where it is certain."""
        error = located(cls, self.loc(node), what, why, fix)
        error.python = python
        error.block = self.b.block
        return error

    # Outside values -----------------------------------------------------------------------------

    def get(self, key: Key) -> Lowered | None:
        """What the state has for a name that is read now; None where it has nothing."""
        if key in self.state.lost:
            raise Late(self.state.lost[key], late_name(key))
        if key in self.state.unsure:
            self.unsure.add(key)
        return self.state.env.get(key)

    def has(self, box: Box, key: Any) -> bool:
        """Whether a container of the program has a key: what a later iteration of a loop may see otherwise."""
        if (box, key) in self.state.lost:
            raise Late(self.state.lost[box, key], WHOLE)
        found = key in self.state.heap[box]
        if not found:
            self.missed.add((box, key))
        return found

    def whole(self, box: Box) -> Any:
        """What a container of the program holds, where which keys it has counts too."""
        for key, loops in self.state.lost.items():
            if key[0] is box:
                raise Late(loops, WHOLE)
        self.missed.add((box, WHOLE))
        return self.state.heap[box]

    def linked(self, x: Outside) -> Lowered | None:
        """What stands for an object in this program; None where it stands for itself."""
        if isinstance(x.value, list | dict):
            self.object_scope(x)
        found = self.links.get(id(x.value))
        if isinstance(found, Box):
            self.bring(self.state, found)
        return found

    def bring(self, state: State, box: Box) -> bool:
        """Let a state on whose path a container was not adopted have what that held at first; whether it had to."""
        if box not in self.adopted or box in state.heap:
            return False
        state.heap[box] = copy_content(self.adopted[box].first)
        return True

    def object_scope(self, x: Outside) -> tuple[str, int]:
        """Where the state keeps the attributes that are stored in an object, by whichever path it is reached."""
        reads = self.objects.setdefault(id(x.value), [])
        if x.read not in reads:
            reads.append(x.read)
        return ("attr", id(x.value))

    def param(self, type: Type, hint: str) -> Value:
        """A new parameter of the program."""
        v = Value(type, hint)
        self.params.append(v)
        return v
