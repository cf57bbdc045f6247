"""The pipeline: from a call to the adjoint that serves it and all later calls of its kind.

    source ─► lower ─► differentiate ─► simplify ─► emit ─► compile
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from s2s.analyse.stale import refuse_stale
from s2s.compile.numba_cpu import OPTIONS, compile_cpu
from s2s.compile.python import compile_python
from s2s.differentiate.forward import Forward, forward
from s2s.differentiate.inside import connections, expand
from s2s.differentiate.reverse import Reverse, reverse
from s2s.emit import Emitted, emit
from s2s.errors import CompilationError, ReplayError, S2SError, located
from s2s.ir.core import Block, Function, Op, Value, walk
from s2s.ir.memory import Memory
from s2s.ir.names import adjoint_name
from s2s.ir.sums import uses
from s2s.ir.types import Array, Opaque, is_inexact
from s2s.lower.binding import Read
from s2s.lower.context import Services
from s2s.lower.lower import Program, lower
from s2s.lower.record import unreplayable
from s2s.lower.written import check_independent, check_stores, keep_apart, one_memory, stores_of
from s2s.options import DEFAULT, Options
from s2s.rules import TABLE
from s2s.simplify import simplify
from s2s.simplify.dce import dce
from s2s.targets.expressions import expressions
from s2s.targets.fills import fills
from s2s.targets.gather import gather
from s2s.targets.loops import loops
from s2s.targets.numba_forms import legalise
from s2s.targets.parallel import Loop, parallel
from s2s.targets.reciprocals import reciprocals
from s2s.targets.registers import registers
from s2s.targets.scratch import scratch
from s2s.targets.small import small
from s2s.targets.unbound import unbound


def _simpler(fn: Function, merge: bool) -> Function:
    return simplify(fn) if merge else dce(fn)


def _inner(fn: Function, wrt: Sequence[Value], *, keep_values: bool, seeds_given: bool) -> Reverse:
    fn, wrt = _simplified(expand(fn, TABLE, _simpler), wrt)
    made = reverse(fn, wrt, TABLE, keep_values=keep_values, seeds_given=seeds_given)
    return Reverse(simplify(made.function), made.connected)


def _inner_forward(fn: Function, wrt: Sequence[Value]) -> Forward:
    fn, wrt = _simplified(expand(fn, TABLE, _simpler), wrt)
    made = forward(fn, wrt, TABLE)
    return Forward(simplify(made.function), made.connected)


def _simplified(fn: Function, wrt: Sequence[Value]) -> tuple[Function, list[Value]]:
    """The function as it is differentiated at the top: what is left out needs no adjoint, and no memory."""
    simple = simplify(fn)
    return simple, [simple.block.params[fn.block.params.index(v)] for v in wrt]


def _connections(ops: Sequence[Op], at: int, spans: Sequence[Any], targets: Sequence[Value], sources: Sequence[Value],
                 watched: Callable[[Value], bool]) -> tuple[list[bool], list[bool]]:
    return connections(ops, at, spans, targets, sources, watched, TABLE, _simpler)


SERVICES = Services(TABLE, _inner, _inner_forward, _connections)


@dataclass(eq=False)
class Derivative:
    """One specialisation of a gradient function, up to its source.

    wrt: the reads that are differentiated; connected: which of them the value depends on. seeds: how
    many seed parameters the core has. written: places of the parameters that the function writes to. zeros:
    inputs that only code left out here would connect. stages: the program between any two stages. loops: where the
    option `parallel` is on, the loops of the emitted program.
    """

    program: Program
    wrt: list[Read]
    connected: list[bool]
    function: Function
    emitted: Emitted
    seeds: int
    keep_values: bool
    written: tuple[int, ...]
    zeros: list[bool] = field(default_factory=list)
    stages: dict[str, Function] = field(default_factory=dict)
    loops: list[Loop] = field(default_factory=list)


def lowered(function: Any, name: str, args: Sequence[Any], kwargs: dict[str, Any], names: Sequence[str],
            merge: bool = False) -> Program:
    """Source to IR, specialised for a call. An array that is written to is one, by whichever paths it is reached."""
    program = lower(function, name, args, kwargs, names, SERVICES, merge)
    stores = stores_of(program)
    if same := one_memory(program, stores):
        program = lower(function, name, args, kwargs, names, SERVICES, merge, same)
        stores = stores_of(program)
    check_stores(program, stores)
    keep_apart(program, stores)
    refuse_stale(program.function)
    expand(program.function, TABLE, _simpler)
    return program


def differentiate(program: Program, wrt: Sequence[Read], *, keep_values: bool, seeds_given: bool,
                  options: Options = DEFAULT) -> Derivative:
    """The adjoint of a lowered function with respect to the reads `wrt`."""
    name = f"{program.function.name}_{'value_and_gradients' if keep_values else 'gradients'}"
    return _derivative(
        program, wrt, name, options, "reverse", keep_values,
        lambda fn, inputs, outside: reverse(fn, inputs, TABLE, keep_values=keep_values, seeds_given=seeds_given,
                                            outside=outside))


def evaluation(program: Program, *, options: Options = DEFAULT) -> Derivative:
    """A lowered function as it is, with the derivatives that it asks for in it."""
    if options.target == "cpu":
        _assign_after(program)
    stores = stores_of(program)
    written = tuple(k for k, p in enumerate(program.function.block.params) if p in stores)
    return _as_it_is(program, program.function, simplify(program.function), written, options)


def _as_it_is(program: Program, fn: Function, simple: Function, written: tuple[int, ...],
              options: Options) -> Derivative:
    """What has its derivatives in it already, and becomes no adjoint."""
    simple.name = fn.name
    emitted, found = _emitted(simple, options)
    return Derivative(program, [], [], simple, emitted, 0, True, written,
                      stages={"lowered": fn, "simplified": simple}, loops=found)


def _drop_draws(fn: Function) -> None:
    """Leave out draws, where the program needs none of them: it takes them from the run."""
    live = simplify(fn)
    read = uses(live.block, live.block.results)
    calls = [op for op in walk(live.block) if op.name == "pycall" and op.spec.effect]
    if not any(not op.results or any(r in read for r in op.results) for op in calls):
        _drop(fn.block, lambda op: op.name == "pycall" and op.spec.effect)
        _drop_unused_objects(fn)


def _drop_unused_objects(fn: Function) -> None:
    used = uses(fn.block, fn.block.results)
    fn.block.params = [p for p in fn.block.params if p in used or not isinstance(p.type, Opaque)]


def _assign_after(program: Program) -> None:
    """Return what Variables are assigned, for the shell to assign: numba cannot."""
    fn = program.function
    _drop(fn.block, lambda op: op.name == "pycall" and op.attrs.get("name") == "assign")
    fn.block.results += [v for _, v in program.assigned]
    _drop_unused_objects(fn)


def _drop(block: Block, gone: Callable[[Op], bool]) -> None:
    block.ops = [op for op in block.ops if not gone(op)]
    for op in block.ops:
        for inner in op.blocks:
            _drop(inner, gone)


def push_forward(program: Program, wrt: Sequence[Read], *, options: Options = DEFAULT) -> Derivative:
    """The tangent of a lowered function along the reads `wrt`."""
    return _derivative(program, wrt, f"{program.function.name}_jvp", options, "forward", True,
                       lambda fn, inputs, outside: forward(fn, inputs, TABLE, outside))


def _derivative(program: Program, wrt: Sequence[Read], name: str, options: Options, mode: str, keep_values: bool,
                transform: Callable[[Function, list[Value], list[Value]], Reverse | Forward]) -> Derivative:
    raises = options.target == "python"
    fn = simplify(program.function, raises=raises)
    if options.target == "cpu":
        fn = _small(fn)
        fn = scratch(fn) if options.parallel else fn
    at = {leaf: k for k, leaf in enumerate(program.function.block.params)}
    inputs = [fn.block.params[at[r.leaf]] for r in wrt if r.leaf is not None]
    stores = stores_of(program)
    check_independent(wrt, stores)
    made = transform(fn, inputs, [fn.block.params[at[p]] for p in stores if p not in program.given])
    simple = simplify(made.function, raises=raises)
    simple.name = name
    zeros = [] if mode == "forward" else [
        not c and _mentioned(program, r) for c, r in zip(made.connected, wrt, strict=True)]
    stages = {"lowered": program.function, "differentiated": made.function, "simplified": simple}
    seeds = len(simple.block.params) - len(fn.block.params)
    emitted, found = _emitted(simple, options)
    return Derivative(program, list(wrt), list(made.connected), simple, emitted, seeds, keep_values,
                      tuple(at[p] for p in stores), zeros, stages, found)


def _small(fn: Function) -> Function:
    apart = small(fn)
    return fn if apart is fn else simplify(apart, raises=False)


def _emitted(fn: Function, options: Options) -> tuple[Emitted, list[Loop]]:
    """The program as text, in operations that the target's compiler has; and what is known of its loops."""
    fn = unbound(fn)
    found: list[Loop] = []
    if options.target == "cpu":
        fn = expressions(loops(legalise(reciprocals(fn))))
        fn = fills(registers(gather(fn, threads=options.parallel)))
        if options.parallel:
            fn, found = parallel(fn, "boundscheck=True: a thread would lose the error" if options.boundscheck else "")
    return emit(fn, target=options.target), found


def compiled(derivative: Derivative, options: Options) -> Callable[..., Any]:
    """The adjoint as something to call."""
    if options.target == "python":
        return compile_python(derivative.emitted)
    if options.target == "cpu":
        refuse_effects(derivative.function)
        return compile_cpu(derivative.emitted, compiler_options(options))
    raise CompilationError("target='cuda' is not available yet: use target='cpu' or target='python'")


def compiler_options(options: Options) -> dict[str, bool]:
    """What is passed on to the compiler: where indices are checked no threads, which lose errors."""
    return {k: True for k in OPTIONS if getattr(options, k) and not (k == "parallel" and options.boundscheck)}


@contextlib.contextmanager
def own_faults(name: str) -> Iterator[None]:
    """What must not happen in here is reported as a fault of s2s, not as a KeyError that looks like the user's."""
    try:
        yield
    except (AssertionError, LookupError, AttributeError, NameError, RecursionError) as error:
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        inside = trace is not None and trace.tb_frame.f_code.co_filename.startswith(_FOLDER)
        if not (inside or isinstance(error, RecursionError)):
            raise
        raise S2SError(f"{name} cannot be differentiated: {type(error).__name__}: {error!s:.200}\n"
                       "This is a fault of s2s, not of your function.\n"
                       "Please report it with the function; other statements for the same thing may work.") from error


_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep


def refuse_effects(fn: Function) -> None:
    """Target cpu: what numba cannot do exactly as Python does is refused, with its line."""
    for op in walk(fn.block):
        what = _beyond_numba(op)
        if what is not None:
            raise located(CompilationError, op.loc, f"{what} cannot be compiled for target='cpu'",
                          "numba cannot run it exactly as Python does",
                          "take it out of the function, or use target='python'")
    for p in fn.block.params:
        if isinstance(p.type, Opaque):
            raise CompilationError(f"the program uses the Python object {p.hint!r}, which numba cannot handle: "
                                   "use target='python'")


def _beyond_numba(op: Op) -> str | None:
    if op.name.startswith("scipy."):
        return op.name
    if op.name == "hostcall":
        return f"scipy's {op.attrs['runner'].__name__.removeprefix('run_')}"
    if op.name == "pycall":
        name = op.attrs.get("name") or "a Python function"
        if name.startswith("setattr "):
            return f"the assignment to the attribute {name.removeprefix('setattr ')!r}"
        return f"the call of {name}"
    if op.name in ("print", "assert", "raise") and (op.values("args") or "{" in op.attrs["text"]):
        if op.name == "print" and "f'" not in op.attrs["text"] and "=" not in op.attrs["text"]:
            return None
        return f"{op.name} with a computed text"
    if op.name == "with":
        return "a context manager"
    return None


def written_parameters(program: Program, stores: Mapping[Value, Op]) -> dict[Value, Op]:
    """Parameters whose memory the program changes, or lets a call change, with one place where it does."""
    fn, found = program.function, dict(stores)
    memory = Memory(fn)
    for op in walk(fn.block):
        if op.name == "pycall":
            groups = {memory.of(v) for v in op.operands() if isinstance(v.type, Array)}
            for p in fn.block.params:
                if isinstance(p.type, Array) and memory.of(p) in groups:
                    found.setdefault(p, op)
    return found


def replayed(program: Program, options: Options = DEFAULT) -> Derivative:
    """A block that ran, lowered to be run again: the derivatives that it asks for, and no effect."""
    fn = expand(program.function, TABLE, _simpler, replayed=True)
    _drop_draws(fn)
    simple = simplify(fn)
    lost = unreplayable(simple.block)
    if lost is not None:
        name = lost.attrs.get("name") or "a call"
        raise located(ReplayError, lost.loc, f"{name}() cannot be called again to differentiate the block",
                      "its result is needed, and another call may give another one",
                      "bind its result to a name of its own at the top level of the block, or call it before the block")
    return _as_it_is(program, fn, simple, (), options)


def _mentioned(program: Program, read: Read) -> bool:
    """Whether code that this specialisation left out reads a value that depends on `read`."""
    if read.path in program.mentioned_paths:
        return True
    seen: set[Value] = set()
    stack = list(program.mentioned_values)
    while stack:
        v = stack.pop()
        if v is read.leaf:
            return True
        if v in seen or v.op is None:
            continue
        seen.add(v)
        stack += [x for x in v.op.operands() if is_inexact(x.type)]
        for block in v.op.blocks:
            stack += block.results
    return False


__all__ = [
    "SERVICES",
    "Derivative",
    "Loop",
    "adjoint_name",
    "compiled",
    "compiler_options",
    "differentiate",
    "evaluation",
    "lowered",
    "push_forward",
    "replayed",
    "written_parameters",
]
