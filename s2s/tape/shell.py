"""The shell of a specialisation: one Python function, written for it, that checks, unpacks and calls.

As for the functions of the API (`api.shell`), what is the same at every call is decided once. For

    with GradientTape() as tape:
        loss = w * x
    tape.gradient(loss, w)

it is

    def shell(spans, targets, sources, watched):
        e0 = spans[0].entry.values
        ...
        v0 = e0[0]
        if not (type(v0) is Variable and ...):
            return MISS
        v1 = e0[1]
        ...
        if not (x0.get('loss', MISSING) is targets[0]):
            return MISS
        out = core(r0[id(v0)], v1)
        return out, [asarray(out[1]).view(Tensor)]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from s2s.api.plan import Plan
from s2s.api.shell import Shell, result_tensor
from s2s.lower.binding import Read, fetch
from s2s.tape.resolve import Found, still
from s2s.variable import Variable

if TYPE_CHECKING:
    from s2s.tape.specialisation import Specialisation


class TapeShell(Shell):
    """A shell that takes values from what was kept of the run.

    origins: for each read, kind, number of the block, what, parent, as `Specialisation.reads` has them.
    """

    parameters = "spans, targets, sources, watched"

    def __init__(self, plan: Plan, reads: Sequence[Read], origins: Sequence[tuple[Any, ...]], count: int) -> None:
        super().__init__(plan, reads)
        self.origins = origins
        self.asked: list[tuple[str, Sequence[Found]]] = []  # objects that are asked for, and where they have to be
        self.computed: Sequence[tuple[int, str]] = ()
        self.counts: Sequence[tuple[str, int]] = ()  # sources, and how many of the inputs each is
        self.leaves: Sequence[int] = ()
        self.given("fetch", fetch)
        self.given("still", still)
        for n in range(count):
            least = max((where + 1 for kind, k, where, *_ in origins if kind == "entry" and k == n), default=0)
            self.lines += [f"s{n} = spans[{n}]", f"x{n} = s{n}.names", f"e{n} = s{n}.entry.values",
                           f"r{n} = s{n}.entry.raws"]
            self.require(f"len(e{n}) >= {least} and s{n}.entry.graph is None")

    def _fetch(self, read: Read) -> str:
        kind, number, where, parent, _ = self.origins[read.index]
        if kind == "entry":
            return f"e{number}[{where}]"
        if kind == "constant":
            return self.given(f"c{read.index}", where)
        if parent < 0:
            return f"x{number}.get({where!r}, MISSING)"
        return f"fetch(v{parent}, {self.given(f'step{read.index}', where)})"

    def write(self, core: Callable[..., Any], before: Sequence[str], result: str, single: bool) -> Callable[..., Any]:
        """The function."""
        lines, self.lines = self.lines, []
        for obj, found in self.asked:
            self._require_found(found, obj)
        for obj, count in self.counts:
            self._require_count(obj, count)
        asked, self.lines = self.lines, lines
        return super().write(core, asked, result, single)

    def argument(self, k: int) -> str:
        """What the core is given for the k-th read."""
        if not isinstance(self.reads[k].value, Variable):
            return super().argument(k)
        kind, number, *_ = self.origins[k]
        held = f"s{number}.raws" if kind == "run" else f"r{number}"
        return f"{held}[id(v{k})]"

    def _require_found(self, found: Sequence[Found], obj: str) -> None:
        """Go on where `obj` is where it was found."""
        for f in found:
            if f.kind == "read":
                self.require(f"v{f.key} is {obj}")
            elif f.kind == "name" and not f.steps:
                self.require(f"x{f.number}.get({f.key!r}, MISSING) is {obj}")
            elif f.kind == "none":
                others = [f"v{r.index}" for r in self.reads if r.leaf is not None]
                others += [f"x{n}.get({name!r}, MISSING)" for n, name in self.computed]
                self.require(" and ".join(f"{v} is not {obj}" for v in others) or "True")
            elif f.kind == "name":
                name = self.given(f"found{len(self.names)}", f)
                self.require(f"still({name}, {obj}, (), [s.names for s in spans], ())")

    def _require_count(self, obj: str, count: int) -> None:
        """Go on where an array is as many of the inputs as it was."""
        arrays = [k for k in self.leaves if isinstance(self.reads[k].value, np.ndarray)]
        if len(arrays) > 1 or (arrays and not count):
            self.require(f"{' + '.join(f'(v{k} is {obj})' for k in arrays)} == {count}")


def write_shell(shell: TapeShell, made: Specialisation) -> Callable[..., Any]:
    """The function; it gives what the core returns, and the gradients."""
    targets, sources, watched = made.found
    for name, found in (("targets", targets), ("sources", sources), ("watched", watched)):
        for k, f in enumerate(found):
            shell.asked.append((f"{name}[{k}]", f))
    shell.computed = made.shape.names
    shell.counts = [(f"sources[{k}]", n) for k, n in enumerate(made.counts) if n is not None]
    shell.leaves = made.leaves
    types = [r.type for r in made.derivative.function.block.results]
    parts = [" + ".join(result_tensor(k, types[k]) for k in places) or "None" for places in made.shape.gradients]
    return shell.write(made.core, (), f"out, [{', '.join(parts)}]", len(types) == 1)
