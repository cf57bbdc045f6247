"""From a Python function and the values it is called with to IR."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from s2s.containers import class_fields, field_names, steps_of
from s2s.ir.core import Block, Function, Value
from s2s.ir.ops import constant
from s2s.ir.types import Type, is_inexact
from s2s.lower.adopted import write_back
from s2s.lower.attempts import statically_raised
from s2s.lower.binding import Binding, Path, Read
from s2s.lower.calls import lower_call, stand_in
from s2s.lower.context import Adopt, Context, GrowList, Handlers, Late, Respecialise, Services, UnrollAll
from s2s.lower.describe import describe
from s2s.lower.expressions import lower_expression
from s2s.lower.indexing import get_item
from s2s.lower.iterators import collect, numbered, zip_generators
from s2s.lower.loops import lower_for
from s2s.lower.mappings import missing_item
from s2s.lower.nests import unfold
from s2s.lower.numbers import not_a_number
from s2s.lower.outside import opaque, outside
from s2s.lower.statements import lower_statements
from s2s.lower.truth import usable
from s2s.lower.values import Box, Lowered, Outside, Producer, Static, Tuple

HANDLERS = Handlers(lower_expression, lower_statements, lower_call, stand_in, zip_generators, numbered,
                    get_item, lower_for, collect, missing_item,
                    statically_raised)
MAX_RESTARTS = 40


@dataclass(eq=False)
class Program:
    """A lowered function.

    structure: the value's structure, with the position of each leaf among the function's results.
    arguments: for each argument, its structure of reads. touched: the Variables read. given: the parameters
    that are (parts of) arguments; the others are from outside. mentioned: values that code left out by this
    specialisation would have read.
    """

    function: Function
    binding: Binding
    structure: Any
    arguments: dict[str, Any]
    touched: list[Read] = field(default_factory=list)
    given: frozenset[Value] = frozenset()
    mentioned_values: set[Value] = field(default_factory=set)
    mentioned_paths: set[Path] = field(default_factory=set)
    # Variables that the function assigns, by the read that leads to each, with what it holds in the end.
    assigned: list[tuple[Read, Value]] = field(default_factory=list)


@dataclass(frozen=True)
class Leaf:
    """The k-th result of the core, in the structure of the value."""

    index: int


@dataclass(frozen=True)
class Node:
    """A container in the structure of the value: list, tuple, dict, a namedtuple class or one with fields (`keys`)."""

    cls: Any
    parts: tuple[Any, ...]
    keys: tuple[Any, ...] = ()


def lower(function: Any, name: str, args: Sequence[Any], kwargs: dict[str, Any], names: Sequence[str],
          services: Services, merge: bool = False, one_memory: frozenset[int] = frozenset()) -> Program:
    """Lower a call of `function`; `names` are those of its positional arguments.

    merge: a Variable that is passed as an argument is the same as where it is reached otherwise (that is
    what an implicit gradient needs); else it is a parameter of its own. one_memory: arrays (by identity) for which
    the same holds, because they are written to.

    Starts over where a value turns out to decide the code (then its path is keyed by value), or a list
    to grow in a loop.
    """
    return settled(lambda ctx: _lower_once(ctx, function, name, args, kwargs, names), Binding, services, merge,
                   one_memory)


T = TypeVar("T")


def settled(attempt: Callable[[Context], T], bind: Callable[[frozenset[Path]], Binding], services: Services,
            merge: bool, one_memory: frozenset[int] = frozenset()) -> T:
    """What `attempt` lowers, in a context of which it is known what has to be known; `bind` makes its binding."""
    by_value: set[Path] = set()
    growing: dict[int, Type] = {}
    unrolled: set[int] = set()
    late: set[tuple[int, Any]] = set()
    adopting: set[Path] = set()
    for _ in range(MAX_RESTARTS):
        ctx = Context(bind(frozenset(by_value)), services, HANDLERS)
        ctx.growing, ctx.unrolled, ctx.merge, ctx.one_memory = growing, unrolled, merge, one_memory
        ctx.late, ctx.adopting = late, adopting
        try:
            return attempt(ctx)
        except Respecialise as request:
            if request.paths <= by_value:
                raise AssertionError(f"keyed by value already: {request.paths}") from None
            by_value |= request.paths
        except GrowList as request:
            growing[request.site] = request.element
        except Late as request:
            late |= request.found
        except Adopt as request:
            adopting.add(request.path)
        except UnrollAll as request:
            unrolled |= request.loops
            growing.pop(request.site, None)
    raise AssertionError("lowering does not settle")


def _lower_once(ctx: Context, function: Any, name: str, args: Sequence[Any], kwargs: dict[str, Any],
                names: Sequence[str]) -> Program:
    root = ctx.binding.root("function", function)
    arguments: dict[str, Any] = {}
    lowered: list[Lowered] = []
    for k, v in enumerate(args):
        read = ctx.binding.root(("arg", names[k], k), v)
        lowered.append(argument(ctx, read))
        arguments[names[k]] = read
    named: dict[str, Lowered] = {}
    for key, v in kwargs.items():
        read = ctx.binding.root(("kwarg", key), v)
        named[key] = argument(ctx, read)
        arguments[key] = read
    block = ctx.b.block
    given = frozenset(ctx.params)
    result = usable(ctx, None, ctx.call(None, Outside(function, root), lowered, named))
    write_back(ctx)
    if ctx.stores_attributes:
        _tell_apart(ctx)
    results: list[Value] = []
    structure = _structure(ctx, result, results)
    block.params = list(ctx.params)
    block.results = results
    assigned = [(ctx.same[scope[1]], v) for (scope, what), v in ctx.state.env.items()
                if isinstance(scope, tuple) and scope[0] == "variable" and what == "value" and isinstance(v, Value)]
    return Program(Function(name, Block(block.params, block.ops, results)), ctx.binding, structure, arguments,
                   list(ctx.touched), given, ctx.mentioned_values, ctx.mentioned, assigned)


def _tell_apart(ctx: Context) -> None:
    """Where attributes are stored, which of the objects are one and the same belongs to the specialisation."""
    for reads in ctx.objects.values():
        for read in reads:
            read.same_as = reads[0]


def argument(ctx: Context, read: Read) -> Lowered:
    """An argument; containers are looked into, so that each leaf is a parameter of its own."""
    steps = steps_of(read.value)
    if steps is None:
        return outside(ctx, read)
    for kind, what in steps:
        argument(ctx, ctx.binding.read(read, kind, what))
    return Outside(read.value, read)


def _refuse_unknown_result(ctx: Context, x: Value) -> None:
    """What a call gives that s2s does not look into is no value, where numbers of the program went in."""
    if x.op is None or x.op.name != "pycall":
        return
    pending = [x]
    while pending:
        op = pending.pop().op
        if op is None or op.name != "pycall":
            continue
        if op.attrs.get("numbers"):
            ctx.b.loc = x.op.loc
            raise not_a_number(ctx, None, x, "returned")
        for v in op.operands():
            if is_inexact(v.type) and constant(v) is None and not (v.op is not None and v.op.name == "stop_gradient"):
                ctx.b.loc = x.op.loc
                raise not_a_number(ctx, None, x, "returned")
            pending.append(v)


def _refuse_iterator(ctx: Context, x: Box) -> None:
    source = ctx.state.heap[x]["source"]
    if ctx.returned is None and isinstance(source, Producer):
        ctx.b.loc = source.at
    raise ctx.error(None, "the function returns a generator or another iterator",
                    "its values are handed out one at a time, after the function", "return a list or an array of them")


def _structure(ctx: Context, x: Lowered, results: list[Value]) -> Any:
    """The structure of the value, its leaves moved to `results`."""
    x = usable(ctx, None, x)
    if isinstance(x, Value):
        _refuse_unknown_result(ctx, x)
        results.append(x)
        return Leaf(len(results) - 1)
    if isinstance(x, Tuple):
        return Node(x.cls or tuple, tuple(_structure(ctx, v, results) for v in x.items))
    if isinstance(x, Box):
        content = ctx.state.heap[x]
        if isinstance(content, Value):
            return _structure(ctx, content, results)
        if isinstance(content, dict) and x.kind == "dict":
            return Node(x.cls or dict, tuple(_structure(ctx, v, results) for v in content.values()), tuple(content))
        if isinstance(content, list):
            return Node(x.cls or list, tuple(_structure(ctx, v, results) for v in content))
        fields = class_fields(x.cls)
        if fields is not None and isinstance(content, dict) and all(name in content for name in fields):
            assert x.cls is not None
            return Node(x.cls, tuple(_structure(ctx, content[name], results) for name in fields), fields)
    if isinstance(x, Outside):
        unfolded = unfold(ctx, x)
        if unfolded is not None:
            parts = tuple(_structure(ctx, v, results) for v in unfolded[0])
            if isinstance(x.value, list | tuple):
                return Node(type(x.value), parts)
            keys = tuple(x.value) if isinstance(x.value, dict) else field_names(x.value) or ()
            return Node(dict if isinstance(x.value, dict) else type(x.value), parts, keys)
    if isinstance(x, Outside):
        results.append(opaque(ctx, x))
        return Leaf(len(results) - 1)
    if isinstance(x, Static):
        return x
    if isinstance(x, Box) and x.kind == "iterator":
        _refuse_iterator(ctx, x)
    raise ctx.error(None, f"the function returns {describe(x)}", "it has no derivative",
                    "return numbers, arrays, or containers of them")

