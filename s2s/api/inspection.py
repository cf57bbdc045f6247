"""Looking at an adjoint without running it: its source, its stages, a file of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from s2s.compile.save import save
from s2s.ir.printer import to_text
from s2s.options import Options
from s2s.pipeline import Derivative, Loop, compiled, compiler_options
from s2s.variable import Variable


class Lowered:
    """What `g.lower(...)` gives: the adjoint for one kind of call, to look at, save or compile."""

    def __init__(self, entry: Derivative, options: Options) -> None:
        self._derivative = entry
        self._options = options

    @property
    def source(self) -> str:
        """The source of the adjoint."""
        return self._derivative.emitted.source

    @property
    def primal(self) -> str:
        """The source of the function itself, as s2s sees it."""
        from s2s.emit import emit
        from s2s.simplify import simplify
        return emit(simplify(self._derivative.program.function)).source

    @property
    def stages(self) -> dict[str, str]:
        """The program between the stages of the compiler: lowered, differentiated, simplified, source."""
        return {**{name: to_text(fn) for name, fn in self._derivative.stages.items()}, "source": self.source}

    @property
    def loops(self) -> list[Loop]:
        """Which loops of the adjoint run in parallel, and why the others do not (target cpu with `parallel=True`).

        In program order, without those inside a parallel one. Each has `loc` (the user's statement), `reverse`,
        `parallel` and `reason`, and prints as one line. Empty for other targets and without the option.
        """
        return list(self._derivative.loops)

    @property
    def signature(self) -> str:
        """The parameters of the adjoint with their types."""
        return ", ".join(f"{p.hint}: {p.type}" for p in self._derivative.function.block.params)

    @property
    def variables(self) -> list[Variable]:
        """The Variables that the function reads."""
        return variables_of(self._derivative)

    def compile(self) -> Callable[..., Any]:
        """The adjoint as a function of its parameters."""
        return compiled(self._derivative, self._options)

    def save(self, path: str | Path) -> None:
        """Write the adjoint as a module of its own, which needs NumPy (and numba) but not s2s."""
        save(self._derivative.emitted, path, self._options.target, compiler_options(self._options))

def variables_of(derivative: Derivative) -> list[Variable]:
    """The Variables that a function reads, in order of creation."""
    found = {id(r.value): r.value for r in derivative.program.touched}
    return sorted(found.values(), key=lambda v: v._number)
