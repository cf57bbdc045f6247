"""`GradientTape`: derivatives of what ran in a `with` block, found in its source."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import Any

import numpy as np

from s2s.api.shell import MISS
from s2s.api.structure import zeros_of
from s2s.errors import ReplayError, ShapeError
from s2s.options import Options, options_of
from s2s.source.blocks import call_at
from s2s.tape.frames import read_names
from s2s.tape.nests import (
    argument_of,
    equal,
    is_inexact,
    leaves_of,
    like,
    nodes_of,
    shape_of,
    sources_of,
    stacked,
    unconnected_of,
    weights_of,
)
from s2s.tape.place import Place, code_key, enter, place_of
from s2s.tape.records import Asked, Span
from s2s.tape.replay import specialise, watched_variables
from s2s.tape.specialisation import Specialisation
from s2s.variable import Variable, plain, tensor

DEFAULTS = Options()


class GradientTape:
    """Derivatives of what is computed in its `with` block.

    persistent: whether more than one gradient may be asked for. watch_accessed_variables: whether the trainable
    Variables that the block reads are watched without being named. options: those of every gradient function
    (`target="cpu"`).

    The block runs as it is. When a gradient is asked for, its source is differentiated like a function, and run
    on the values that the block read; `docs/quickstart.md` says what that means.

    Raises SourceError on entry where the `with` statement has no source.

    >>> import s2s
    >>> w = s2s.Variable(3.0)
    >>> with s2s.GradientTape() as tape:
    ...     loss = w * w
    >>> tape.gradient(loss, w)
    Tensor(6.)
    >>> print(tape.source)
    def loss_gradients(w):
        loss = w * w
        # loss = w * w
        w_bar = 2.0 * w
        return loss, w_bar
    <BLANKLINE>
    """

    __s2s_role__ = "tape"

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True, **options: Any) -> None:
        self.persistent = bool(persistent)
        self.watch_accessed_variables = bool(watch_accessed_variables)
        self._options = options_of(options) if options else DEFAULTS
        self._spans: list[Span] = []
        self._watched: list[tuple[Any, Any]] = []
        self._recording = False
        self._frame = 0  # the id of the frame that runs the block, while it does
        self._closed = True  # the record is complete: the block is over, or has been asked for the one gradient
        self._used = False
        self._last: Specialisation | None = None

    # The block.

    def __enter__(self) -> GradientTape:
        if not self._closed:
            raise ValueError("This tape is recording already: make another GradientTape for a block inside its block.")
        frame = sys._getframe(1)
        place = place_of(frame)
        self._spans.append(Span(place, enter(place, frame, GradientTape), frame.f_globals, place.source.body))
        self._frame = id(frame)
        self._recording, self._closed = True, False
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if not self._closed:
            frame = sys._getframe(1)
            span = self._spans[-1]
            if trace is not None:
                span.statements = span.place.until(trace.tb_lineno, None)
            self._keep(span, frame)
        self._recording = False
        self._closed = True
        self._frame = 0

    @staticmethod
    def _keep(span: Span, frame: FrameType) -> None:
        """Keep what the names of the block stand for now."""
        span.names = read_names(frame, span.place.names, GradientTape)
        span.raws = {id(v): v.raw for v in span.names.values() if type(v) is Variable}

    def _so_far(self, caller: FrameType) -> list[Span]:
        """What was recorded: all of it, or, inside the block, what comes before the statement that runs."""
        if not self._spans:
            raise RuntimeError("This tape has recorded nothing: use it in a `with` statement first.")
        if self._closed:
            return self._spans
        frame: FrameType | None = caller
        while frame is not None and id(frame) != self._frame:
            frame = frame.f_back
        if frame is None:
            raise RuntimeError("This tape is recording in another thread or a generator: ask it there, or after its "
                               "block.")
        last = self._spans[-1]
        now = Span(last.place, last.entry, last.namespace, last.place.so_far(frame))
        self._keep(now, frame)
        if not self.persistent:
            self._spans[-1] = now
            self._recording = False
            self._closed = True
        return [*self._spans[:-1], now]

    def watch(self, x: Any) -> None:
        """From here on, what is computed from `x` depends on it: a Variable, an array, a float, or a nest of them."""
        caller = sys._getframe(1)
        leaves = leaves_of(x)
        for v in leaves:
            if not is_inexact(v):
                raise TypeError(f"watch() is given {v!r:.60}, which has no gradient: it takes Variables, floats, "
                                "arrays of floats, and lists, tuples, dicts and dataclasses of them.")
        if self._closed:
            node = self._call(caller, "watch")
            given = node.args[0] if node is not None and node.args else None
            self._watched += zip(leaves, nodes_of(x, given), strict=True)

    def stop_recording(self) -> _Stopped:
        """A context manager: what runs in it is constant for this tape. ValueError where the tape does not record."""
        if not self._recording:
            raise ValueError("This tape is not recording: stop_recording() is for use inside its block.")
        return _Stopped(self)

    def reset(self) -> None:
        """Forget what was recorded and watched; inside the block, the record goes on from here."""
        self._watched.clear()
        self._used = False
        if self._closed:
            self._spans.clear()

    def watched_variables(self) -> tuple[Variable, ...]:
        """The Variables that are watched: those given to `watch`, and the trainable ones that the block has read."""
        if not self._spans:
            return tuple(v for v, _ in self._watched if isinstance(v, Variable))
        spans = self._so_far_without_end(sys._getframe(1))
        return tuple(watched_variables(spans, self, self._watched))

    def _so_far_without_end(self, caller: FrameType) -> list[Span]:
        persistent, self.persistent = self.persistent, True
        try:
            return self._so_far(caller)
        finally:
            self.persistent = persistent

    # Derivatives.

    def gradient(self, target: Any, sources: Any, output_gradients: Any = None,
                 unconnected_gradients: str = "none") -> Any:
        """The gradient of `target` with respect to `sources`, in the structure of `sources`.

        target: what the block computed, or a nest of it, of which all elements are summed with the weights
        `output_gradients` (of the same structure; None counts as ones). sources: watched values, or
        values computed from them in the block; Variables, arrays, floats, or nests of them. A source that the
        target does not depend on has the gradient None, or zeros with `unconnected_gradients="zero"`.

        Raises RuntimeError at the second call if the tape is not persistent, ReplayError where the block cannot be
        run again faithfully, ShapeError for weights of another shape, and the errors of `s2s.errors`.
        """
        caller = sys._getframe(1)
        unconnected = unconnected_of(unconnected_gradients)
        weights = None if output_gradients is None else weights_of(target, output_gradients)
        spans = self._use(caller)
        sought = leaves_of(sources)
        gradients = self._gradients(caller, "gradient", spans, target, sources, sought, weights)
        if unconnected == "zero":
            gradients = [zeros_of(plain(s)) if g is None else g for g, s in zip(gradients, sought, strict=True)]
        return gradients[0] if sought and sources is sought[0] else like(sources, iter(gradients))

    def jacobian(self, target: Any, sources: Any, unconnected_gradients: str = "none") -> Any:
        """The derivative of each element of `target` by each element of `sources`.

        target: one array. Each Jacobian has the shape of the target, then that of the source.
        """
        caller = sys._getframe(1)
        unconnected = unconnected_of(unconnected_gradients)
        sought = sources_of(sources)
        shape = shape_of(target, "jacobian")
        spans = self._use(caller)
        rows = []
        for k in range(int(np.prod(shape))):
            weight = np.zeros(shape)
            weight.flat[k] = 1.0
            rows.append(self._gradients(caller, "jacobian", spans, target, sources, sought, [weight]))
        full = [stacked([r[k] for r in rows], (*shape, *np.shape(plain(s))), unconnected, s)
                for k, s in enumerate(sought)]
        return like(sources, iter(full))

    def batch_jacobian(self, target: Any, source: Any, unconnected_gradients: str = "none") -> Any:
        """The Jacobian for each row of a batch: `target` (b, ...) by `source` (b, ...), where rows do not mix."""
        caller = sys._getframe(1)
        unconnected = unconnected_of(unconnected_gradients)
        shape, inner = shape_of(target, "batch_jacobian"), shape_of(source, "batch_jacobian")
        if not shape or not inner or shape[0] != inner[0]:
            raise ShapeError(f"Need first dimension of target shape {shape} and source shape {inner} to match.")
        spans = self._use(caller)
        columns = []
        for k in range(int(np.prod(shape[1:]))):
            weight = np.zeros((shape[0], int(np.prod(shape[1:]))))
            weight[:, k] = 1.0
            columns += self._gradients(caller, "batch_jacobian", spans, target, source, [source],
                                       [weight.reshape(shape)])
        if any(c is None for c in columns) or not columns:
            return stacked([], (*shape, *inner[1:]), unconnected, source)
        full = np.stack([np.asarray(c) for c in columns], axis=1)
        return tensor(full.reshape((*shape, *inner[1:])))

    @property
    def source(self) -> str:
        """The source of the last derivative."""
        if self._last is None:
            raise AttributeError("source: no gradient was asked for yet, so there is none")
        return self._last.derivative.emitted.source

    def _use(self, caller: FrameType) -> list[Span]:
        if self._used and not self.persistent:
            raise RuntimeError("A tape that is not persistent gives one gradient (or Jacobian): make it with "
                               "GradientTape(persistent=True) to ask for more.")
        spans = self._so_far(caller)
        self._used = True
        return spans

    def _call(self, caller: FrameType, method: str) -> Any:
        """The node of the call that the caller makes."""
        code = caller.f_code
        return call_at(code, caller.f_lasti, caller.f_lineno, method, caller.f_globals)

    def _gradients(self, caller: FrameType, method: str, spans: list[Span], target: Any, sources: Any,
                   sought: list[Any], weights: list[Any] | None) -> list[Any]:
        """A gradient, or None, for each source."""
        targets = leaves_of(target)
        place, where = spans[0].place, code_key(caller.f_code)
        weighted = None if weights is None else tuple(
            None if w is None else (np.ndim(w), np.asarray(plain(w)).dtype) for w in weights)
        key = (where, caller.f_lasti, self.persistent, self.watch_accessed_variables, self._options, weighted,
               len(targets), len(sought), len(self._watched), *(s.key() for s in spans))
        known = place.specialisations.setdefault(key, [])
        watched = [obj for obj, _ in self._watched]
        if weights is None:
            for made in known:
                found = MISS if made.shell is None else made.shell(spans, targets, sought, watched)
                if found is not MISS:
                    self._last = made
                    self._compare(spans[-1].place, made, found[0], targets, sought)
                    return found[1]  # type: ignore[no-any-return]
        sources_of(sources)
        asked = Asked(targets, sought, [None] * len(targets), [None] * len(sought), list(self._watched), weights)
        for made in known:
            values = made.values(spans, asked)
            if values is not None:
                break
        else:
            if where == place.code:
                node = self._call(caller, method)
                asked.target_nodes = nodes_of(target, argument_of(node, 0, "target"))
                asked.source_nodes = nodes_of(sources, argument_of(node, 1, "sources", "source"))
            made, values = specialise(spans, self, asked, self._options)
            known.append(made)
        self._last = made
        results = made.run(spans, values, [] if weights is None else [plain(w) for w in weights if w is not None])
        self._compare(spans[-1].place, made, results, targets, sought)
        out: list[Any] = []
        for positions in made.shape.gradients:
            parts = [results[k] for k in positions]
            out.append(None if not parts else tensor(sum(parts[1:], parts[0])))
        return out

    def _compare(self, place: Place, made: Specialisation, results: Sequence[Any], targets: Sequence[Any],
                 sources: Sequence[Any]) -> None:
        """ReplayError where the block did not compute in the run what it computes now."""
        shape = made.shape
        for k, obj in zip(shape.targets, targets, strict=True):
            if k is not None and not equal(obj, results[k], self._options.target):
                raise place.error(
                    ReplayError,
                    f"Run again to be differentiated, the block gives {results[k]!s:.60} where it gave {obj!s:.60}.",
                    "Something that it reads has changed since it was entered, or it does not give the same twice.",
                    "Change nothing that the block reads before gradient() is called; or use s2s.function, or "
                    "implicit_value_and_gradients, which evaluate once.")
        for k, source in shape.checked:
            if not equal(sources[source], results[k], self._options.target):
                raise place.error(
                    ReplayError, f"A source is {sources[source]!s:.60}; the block computed {results[k]!s:.60} there.",
                    "What stands for it at the call has been bound to something else since.",
                    "Give the value that the block computed a name of its own, and pass that.")


class _Stopped:
    """What `stop_recording` returns."""

    def __init__(self, tape: GradientTape) -> None:
        self.tape = tape

    def __enter__(self) -> None:
        self.tape._recording = False

    def __exit__(self, *error: object) -> None:
        self.tape._recording = not self.tape._closed
