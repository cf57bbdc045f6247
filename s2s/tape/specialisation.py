"""The compiled derivative of blocks for one kind of values: whether it fits a run, and what it gives for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2s.api.plan import Relations, guard, plain_value
from s2s.errors import ReplayError, located
from s2s.ir.core import Loc, Op, Value
from s2s.ir.types import Opaque, Scalar
from s2s.lower.binding import MISSING, Binding, Path, Read, fetch
from s2s.pipeline import Derivative
from s2s.tape.generators import in_place_of, owner
from s2s.tape.place import Place
from s2s.tape.records import Asked, FoundAll, Shape, Span, entry_path
from s2s.tape.resolve import still
from s2s.tape.shell import write_shell
from s2s.variable import Variable


class Specialisation:
    """The compiled derivative of blocks for one kind of values."""

    def __init__(self, derivative: Derivative, core: Callable[..., Any], spans: Sequence[Span], binding: Binding,
                 written: dict[Value, Op], found: FoundAll, shape: Shape, asked: Asked) -> None:
        self.derivative = derivative
        self.core = core
        self.found, self.shape = found, shape
        fn = derivative.program.function
        at = {r.leaf: r.index for r in binding.reads if r.leaf is not None}
        objects = {r.path[0]: r.step[1] for r in binding.reads if r.step[0] == "constant"}
        self.reads: list[tuple[str, int, Any, int, Any]] = []
        for r in binding.reads:
            self.reads.append((*_origin(r, spans, objects), guard(r)))
        for number, span in enumerate(spans):
            program = [(where, fits) for r, (kind, n, where, _, fits) in zip(binding.reads, self.reads, strict=True)
                       if kind == "entry" and n == number and (r.leaf is None or r.by_value)]
            if not span.place.is_known([span.entry.get(k) for k in range(len(span.place.steps))]):
                span.place.programs.append(program)
        self.relations = Relations(binding)
        self.arguments: list[tuple[int, str, Any]] = []
        for p in fn.block.params:
            if p not in at:
                self.arguments.append((-1, "weight", p.type))
                continue
            kind, number, where, _, _ = self.reads[at[p]]
            mode = "plain"
            if isinstance(p.type, Opaque):
                mode = "generator" if owner(binding.reads[at[p]].value) is not None else "object"
                if mode == "generator" and kind == "entry":
                    spans[number].place.generators[where] = None
                elif mode == "generator":
                    spans[0].place.shared[id(owner(where))] = owner(where)
            elif p in written:
                mode = "written"
                if kind == "entry":
                    spans[number].place.written.add(where)
            self.arguments.append((at[p], mode, written[p].loc if p in written else None))
        self.leaves = [k for k, mode, _ in self.arguments if mode in ("plain", "written")]
        held = [r.value for r in binding.reads]
        self.counts = [self._count(held, obj) if isinstance(obj, np.ndarray) else None for obj in asked.sources]
        # Where there is more to do than to pass values on, runs are checked and fed by `values` and `run`.
        simple = all(mode in ("plain", "object") for _, mode, _ in self.arguments)
        self.shell = write_shell(self, binding, len(spans)) if simple else None
        self.narrow = [np.dtype(v.type.dtype).type if isinstance(v.type, Scalar) else None
                       for v in derivative.function.block.results]

    def values(self, spans: Sequence[Span], asked: Asked) -> list[Any] | None:
        """What the reads gave in the run; None where this specialisation does not fit it."""
        values: list[Any] = []
        for kind, number, where, parent, fits in self.reads:
            if kind == "entry":
                entry = spans[number].entry
                v = entry.values[where] if where < len(entry.values) else entry.get(where)
            elif kind == "run":
                v = spans[number].names.get(where, MISSING) if parent < 0 else fetch(values[parent], where)
            else:
                v = where
            if not fits(v):
                return None
            values.append(v)
        if not self.relations.hold(values):
            return None
        return values if self._finds(values, [s.names for s in spans], asked) else None

    def _finds(self, values: Sequence[Any], exits: Sequence[dict[str, Any]], asked: Asked) -> bool:
        """Whether everything that is asked for is where it was when this was made."""
        watched = [obj for obj, _ in asked.watched]
        for founds, objects in zip(self.found, (asked.targets, asked.sources, watched), strict=True):
            for found, obj in zip(founds, objects, strict=True):
                if not all(still(f, obj, values, exits, self.shape.names) for f in found):
                    return False
        return not any(isinstance(obj, np.ndarray) and self._count(values, obj) != count
                       for obj, count in zip(asked.sources, self.counts, strict=True))

    def _count(self, values: Sequence[Any], obj: Any) -> int:
        """How many of the inputs an array is."""
        return sum(values[k] is obj for k in self.leaves)

    def run(self, spans: Sequence[Span], values: Sequence[Any], weights: Sequence[Any]) -> Sequence[Any]:
        """What the program gives: targets, then gradients."""
        given = iter(weights)
        replicas: dict[int, Any] = {}
        arguments = []
        for k, mode, detail in self.arguments:
            if k < 0:
                arguments.append(next(given))
                continue
            v = values[k]
            kind, number, where, _, _ = self.reads[k]
            if type(v) is Variable:
                v = spans[number].raws.get(id(v), v.raw) if kind == "run" else spans[number].entry.raw(v)
            elif mode == "generator":
                v = in_place_of(v, {id(owner(v)): self._state(spans, owner(v), detail)}, replicas)
            elif mode == "written":
                v = self._as_it_was(spans, kind, number, where, v, detail)
            elif mode == "plain":
                v = plain_value(v)
            arguments.append(v)
        out = self.core(*arguments)
        if len(self.narrow) == 1:
            out = (out,)
        return [x if t is None or isinstance(x, np.generic) else t(x)
                for x, t in zip(out or (), self.narrow, strict=True)]

    @staticmethod
    def _state(spans: Sequence[Span], generator: Any, loc: Loc | None) -> Any:
        for s in spans:
            found = s.entry.state(generator)
            if found is not None:
                return found
        raise located(ReplayError, loc, "A generator of random numbers is drawn from whose state was not kept",
                      "it was not known, when the block was entered, that the block reaches it",
                      "run the block again, or make the generator before it")

    @staticmethod
    def _as_it_was(spans: Sequence[Span], kind: str, number: int, where: Any, v: Any, loc: Loc | None) -> Any:
        found: Any = spans[number].entry.array(where, v) if kind == "entry" else MISSING
        if found is MISSING:
            raise located(ReplayError, loc, "An array is written into that was not copied when the block was entered",
                          "it was not known then that the block writes into it, and what was in it is lost",
                          "run the block again, or copy the array in the block and write into the copy")
        return found.copy(order="K").view(np.ndarray)


def _origin(r: Read, spans: Sequence[Span], objects: dict[Any, Any]) -> tuple[str, int, Any, int]:
    """How a read is made again: kind, number of the block, what, parent. objects: those that are constants."""
    root = r.path[0]
    if root[0] == "run":
        return ("run", root[2], root[1] if r.parent < 0 else r.step, r.parent)
    if root[0] == "constant" and r.parent < 0:
        return ("constant", 0, r.step[1], -1)
    number = root[2] if root[0] == "name" else 0
    place = spans[number].place
    return ("entry", number, _known_step(place, r.path, objects), r.parent)


def _known_step(place: Place, path: Path, objects: dict[Any, Any]) -> int:
    """The position of a read among those of its place; its parents are made known first."""
    known, root = entry_path(path), path[0]
    if len(path) == 1:
        return place.step(known, -1, ("name", root[1]) if root[0] == "name" else ("constant", objects[root]))
    return place.step(known, _known_step(place, path[:-1], objects), path[-1])
