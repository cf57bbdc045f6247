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
from s2s.lower.binding import Binding, Read, fetch
from s2s.tape.resolve import Found, still
from s2s.variable import Variable

if TYPE_CHECKING:
    from s2s.tape.specialisation import Specialisation


class TapeShell(Shell):
    """A shell that takes values from what was kept of a run of `count` blocks."""

    parameters = "spans, targets, sources, watched"

    def __init__(self, made: Specialisation, binding: Binding, count: int) -> None:
        super().__init__(Plan(binding, made.derivative.program.function.block.params), binding.reads)
        self.made = made
        self.given("fetch", fetch)
        self.given("still", still)
        for n in range(count):
            least = max((where + 1 for kind, k, where, *_ in made.reads if kind == "entry" and k == n), default=0)
            self.lines += [f"s{n} = spans[{n}]", f"x{n} = s{n}.names", f"e{n} = s{n}.entry.values",
                           f"r{n} = s{n}.entry.raws"]
            self.require(f"len(e{n}) >= {least} and s{n}.entry.graph is None")

    def _fetch(self, read: Read) -> str:
        kind, number, where, parent, _ = self.made.reads[read.index]
        if kind == "entry":
            return f"e{number}[{where}]"
        if kind == "constant":
            return self.given(f"c{read.index}", where)
        if parent < 0:
            return f"x{number}.get({where!r}, MISSING)"
        return f"fetch(v{parent}, {self.given(f'step{read.index}', where)})"

    def _relations(self) -> None:
        """Go on where, also, what is asked for is where it was found."""
        super()._relations()
        for name, founds in zip(("targets", "sources", "watched"), self.made.found, strict=True):
            for k, found in enumerate(founds):
                self._require_found(found, f"{name}[{k}]")
        for k, count in enumerate(self.made.counts):
            if count is not None:
                self._require_count(f"sources[{k}]", count)

    def argument(self, k: int) -> str:
        """What the core is given for the k-th read."""
        if not isinstance(self.reads[k].value, Variable):
            return super().argument(k)
        kind, number, *_ = self.made.reads[k]
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
                others += [f"x{n}.get({name!r}, MISSING)" for n, name in self.made.shape.names]
                self.require(" and ".join(f"{v} is not {obj}" for v in others) or "True")
            elif f.kind == "name":
                name = self.given(f"found{len(self.names)}", f)
                self.require(f"still({name}, {obj}, (), [s.names for s in spans], ())")

    def _require_count(self, obj: str, count: int) -> None:
        """Go on where an array is as many of the inputs as it was."""
        arrays = [k for k in self.made.leaves if isinstance(self.reads[k].value, np.ndarray)]
        if len(arrays) > 1 or (arrays and not count):
            self.require(f"{' + '.join(f'(v{k} is {obj})' for k in arrays)} == {count}")


def write_shell(made: Specialisation, binding: Binding, count: int) -> Callable[..., Any]:
    """The function for runs of `count` blocks; it gives what the core returns, and the gradients."""
    types = [r.type for r in made.derivative.function.block.results]
    parts = [" + ".join(result_tensor(k, types[k]) for k in places) or "None" for places in made.shape.gradients]
    return TapeShell(made, binding, count).write(made.core, (), f"out, [{', '.join(parts)}]", len(types) == 1)
