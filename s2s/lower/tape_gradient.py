"""The derivative that a tape is asked for inside the program: one operation of the IR, put where it stands."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast

from s2s.errors import UnsupportedSyntaxError, located
from s2s.ir.core import Arg, Block, Op, Value, free_values, walk
from s2s.ir.ops import SPECS
from s2s.ir.types import Array, Scalar, is_inexact
from s2s.lower.context import Context
from s2s.lower.describe import describe
from s2s.lower.guards import raise_if
from s2s.lower.nests import leaves_of, rebuild, settled, zero_like
from s2s.lower.numbers import sequence, value
from s2s.lower.sequences import mapping_items
from s2s.lower.tapes import (
    Record,
    Stop,
    begin,
    end,
    is_held,
    keep,
    record_of,
    recorded_of,
    tape_box,
    variable_of,
    watch,
    watched_variables,
)
from s2s.lower.truth import static, usable
from s2s.lower.values import Bound, Box, Lowered, Outside, Static


def tape_method(ctx: Context, node: gast.AST | None, x: Lowered, name: str, args: list[Lowered],
                kwargs: dict[str, Lowered]) -> Lowered:
    """A call of a method of a tape."""
    box = tape_box(ctx, x)
    if name == "watch":
        watch(ctx, node, box, *args, **kwargs)
        return Static(None)
    if name == "stop_recording":
        return Bound(Static(Stop()), (box,))
    if name == "reset":
        record = record_of(ctx, node, box)
        keep(ctx, box, replace(record, spans=(), watched=frozenset(), used=False))
        if record.recording:
            if record.block is not ctx.b.block:
                raise ctx.error(node, "reset() in a loop or branch that the tape was not entered in",
                                fix="call it at the top level of the block")
            begin(ctx, node, box)
        return Static(None)
    if name == "watched_variables":
        return watched_variables(ctx, record_of(ctx, node, box))
    if name == "gradient":
        return _gradient(ctx, node, box, *args, **kwargs)
    raise ctx.error(node, f"{name}() of a tape is not supported inside a differentiated function",
                    "it runs the reverse sweep once for each element of the target",
                    "call it outside, or use gradient() with output_gradients")


def _gradient(ctx: Context, node: gast.AST | None, box: Box, target: Lowered, sources: Lowered,
              output_gradients: Lowered = Static(None),  # noqa: B008 - it is frozen
              unconnected_gradients: Lowered = Static("none")) -> Lowered:  # noqa: B008
    """`tape.gradient(...)` where it stands."""
    unconnected = static(ctx, node, unconnected_gradients, "unconnected_gradients")
    target = settled(ctx, node, target)
    seeds = _weights(ctx, node, target, usable(ctx, node, output_gradients))
    return derivative(ctx, node, box, target, settled(ctx, node, sources), seeds,
                      getattr(unconnected, "value", unconnected))


def derivative(ctx: Context, node: gast.AST | None, box: Box, target: Lowered, sources: Lowered,
               seeds: dict[int, Value], unconnected: str = "none") -> Lowered:
    """The gradient of what a tape recorded, in the structure of `sources`.

    seeds: weights of the targets, by their position among the leaves of `target`.
    """
    check_unconnected(unconnected)
    record = record_of(ctx, node, box)
    if record.block is None and box in ctx.tapes.values():
        raise ctx.error(node, "a gradient of a tape whose block is not part of this program",
                        "what that tape recorded is not known here, so the gradient would count as a constant",
                        "put its block in here too; or pass the gradient s2s.stop_gradient(...) outside")
    if record.used and not record.persistent:
        raise RuntimeError(str(ctx.error(node, "a second gradient of a tape that is not persistent", "",
                                         "make it with GradientTape(persistent=True)")))
    if record.recording and not record.persistent:
        end(ctx, node, box)
        record = record_of(ctx, node, box)
    keep(ctx, box, replace(record, used=True))
    leaves = leaves_of(ctx, target)
    targets = [v for v in leaves if is_inexact(v.type)]
    weights = [seeds.get(k) for k, v in enumerate(leaves) if is_inexact(v.type)]
    wanted = dict.fromkeys(source_leaves(ctx, node, sources))
    if not all(is_held(ctx, v) for v in wanted):
        raise ctx.error(node, "a source that is computed at the call", "the block does not depend on it",
                        "pass the number or array itself, by its name")
    found = _emit(ctx, node, record, targets, weights, list(wanted)) if record.spans and targets else {}
    return rebuild(ctx, sources, lambda v: found.get(v) or _unconnected(ctx, node, v, unconnected))


def check_unconnected(given: object) -> None:
    """ValueError unless it says what stands for no connection."""
    if given not in ("none", "zero"):
        raise ValueError(f"Unknown value for unconnected_gradients: {given!r}; it is 'none' or 'zero'")


def source_leaves(ctx: Context, node: gast.AST | None, sources: Lowered) -> list[Value]:
    """The numbers to differentiate by."""
    leaves = leaves_of(ctx, sources)
    other = next((v for v in leaves if not is_inexact(v.type)), None)
    if other is not None or not leaves:
        what = describe(other if other is not None else sources)
        raise TypeError(str(ctx.error(node, f"gradient() is asked for that of {what}, which has none", "",
                                      "pass floats, arrays of floats, or Variables")))
    return leaves


def _unconnected(ctx: Context, node: gast.AST | None, v: Value, unconnected: str) -> Lowered:
    if unconnected == "none":
        return Static(None)
    return zero_like(ctx, node, v)


def _emit(ctx: Context, node: gast.AST | None, record: Record, targets: list[Value], weights: list[Value | None],
          sources: list[Value]) -> dict[Value, Value]:
    """Emit the operation; the gradients of those sources that the targets depend on."""
    assert record.block is not None
    ops = record.block.ops
    at = _position(ctx, node, record, any(w is not None for w in weights))
    versions = {s: _version(ctx, node, record, s) for s in sources}
    by = [versions[s] for s in sources]
    _refuse_nested(ctx, node, ops[:at], by)

    def watched(v: Value) -> bool:
        variable = variable_of(ctx, v)
        return v in record.watched or (record.automatic and variable is not None and bool(variable.trainable))

    seen, connected = ctx.services.connections(ops, at, record.spans, targets, by, watched)
    chosen = [s for s, a, c in zip(sources, seen, connected, strict=True) if a and c]
    if not chosen:
        return {}
    args: dict[str, Arg] = {"targets": tuple(targets), "sources": tuple(versions[s] for s in chosen),
            "seeds": tuple(w for w in weights if w is not None)}
    op = Op(SPECS["gradient"], args, {"spans": record.spans, "seeded": tuple(w is not None for w in weights)},
            loc=ctx.loc(node))
    op.results = [Value(_gradient_type(s), "", op) for s in chosen]
    ops.insert(at, op)
    return dict(zip(chosen, op.results, strict=True))


def _gradient_type(source: Value) -> Scalar | Array:
    t = source.type
    assert isinstance(t, Scalar | Array)
    return Array(t.dtype, t.dims) if isinstance(t, Array) else Scalar(t.dtype, t.weak)


def _position(ctx: Context, node: gast.AST | None, record: Record, weighted: bool) -> int:
    """Where in the block of the record the derivative is to be computed."""
    assert record.block is not None
    if ctx.b.block is record.block:
        return len(record.block.ops)
    if record.recording:
        raise ctx.error(node, "gradient() inside its own block, in a loop or branch there",
                        "what the tape has recorded by then depends on the way that was taken",
                        "call it at the top level of the block, or after it")
    if not any(b is record.block for b in ctx.b.around):
        raise ctx.error(node, "gradient() of a tape whose block is in a loop or branch that is over",
                        "which iteration or branch it was is not known before the function runs",
                        "call it next to the block")
    if weighted:
        raise ctx.error(node, "output_gradients in a loop or branch after the block",
                        "the derivative is computed where the block ends, before the weights are known",
                        "call gradient() next to the block")
    last = record.spans[-1][1]
    at = next(k for k, op in enumerate(record.block.ops) if op.name == "tape" and op.attrs["id"] == last) + 1
    while at < len(record.block.ops) and record.block.ops[at].name == "gradient":
        at += 1
    return at


def _version(ctx: Context, node: gast.AST | None, record: Record, s: Value) -> Value:
    """What the record read of the Variable whose value now is `s`; `s` itself where it is no Variable's."""
    variable = variable_of(ctx, s)
    if variable is None:
        return s
    assert record.block is not None
    ops = recorded_of(record, record.block.ops)
    used = set(free_values(Block([], ops))) | {r for op in ops for r in op.results}
    found = [v for v in {**dict.fromkeys(ctx.variables), s: None} if v in used and variable_of(ctx, v) is variable]
    if len(found) > 1:
        raise ctx.error(node, f"the Variable {variable.name or ''} is assigned in the block and is a source".replace(
            "  ", " "), "which of its values is meant is not clear", "assign it after the block")
    return found[0] if found else s


def _refuse_nested(ctx: Context, node: gast.AST | None, ops: list[Op], sources: list[Value]) -> None:
    """A source that a loop or branch gives: what else that loop or branch does with it would not count."""
    for op in ops:
        for k, r in enumerate(op.results):
            if op.blocks and op.name != "custom" and r in sources and not _only_given(op, k):
                raise located(UnsupportedSyntaxError, op.loc,
                              f"the source {r.hint or 'of gradient()'!r} is computed in a loop or branch that uses it",
                              "the derivative by it would leave out what is done with it there",
                              "compute it at the top level of the block")


def _only_given(op: Op, k: int) -> bool:
    """Whether the k-th result of a loop or branch is used by nothing inside it."""
    first = 1 if op.name == "for" else 0
    values = [b.results[k] for b in op.blocks if k < len(b.results)]
    if op.name in ("for", "while"):
        values += [b.params[k + first] for b in op.blocks]
        values += [op.values("init")[k]]
    inner = [x for b in op.blocks for x in walk(b)]
    made = {r for x in inner for r in x.results} | {p for b in op.blocks for p in b.params}
    return all(not any(v in x.operands() or any(v in b.results for b in x.blocks) for x in inner)
               and (v in made or op.name in ("for", "while")) for v in values)


def _weights(ctx: Context, node: gast.AST | None, target: Lowered, given: Lowered) -> dict[int, Value]:
    """The weights of the leaves of the target, by position; what is None has none."""
    out: dict[int, Value] = {}
    count = 0

    def pair(t: Lowered, g: Lowered) -> None:
        nonlocal count
        if isinstance(t, Value):
            if not (isinstance(g, Static) and g.value is None):
                out[count] = as_weight(ctx, node, value(ctx, node, g), t)
            count += 1
            return
        parts = _parts(ctx, t)
        if parts is None:
            return
        weights = None if isinstance(g, Static) and g.value is None else _parts(ctx, g)
        if (weights is None and not (isinstance(g, Static) and g.value is None)) or (
                weights is not None and list(weights) != list(parts)):
            raise ctx.error(node, f"output_gradients is {describe(g)}, the target {describe(t)} of {len(parts)}", "",
                            "pass one weight for each target")
        for key, part in parts.items():
            pair(usable(ctx, node, part), Static(None) if weights is None else usable(ctx, node, weights[key]))

    pair(target, given)
    return out


def _parts(ctx: Context, x: Lowered) -> dict[Any, Lowered] | None:
    """The items of a list, tuple or dict of known structure by position or key."""
    if (isinstance(x, Box) and x.kind == "dict") or (isinstance(x, Outside) and isinstance(x.value, dict)):
        return mapping_items(ctx, None, x)
    items = sequence(ctx, x)
    return None if items is None else dict(enumerate(items))


def as_weight(ctx: Context, node: gast.AST | None, v: Value, target: Value) -> Value:
    """`v` with the dtype of `target`; ValueError when the program runs and the shapes differ."""
    t = target.type
    assert isinstance(t, Scalar | Array) and isinstance(v.type, Scalar | Array)
    if v.type.ndim != t.ndim:
        raise ctx.error(node, f"output_gradients has {v.type.ndim} dimensions, the target has {t.ndim}", "",
                        "pass one weight for each element of the target")
    for axis, (have, want) in enumerate(zip(v.type.dims, t.dims, strict=True)):
        if have != want:
            differs = ctx.b.binary("ne", ctx.b.dim(v, axis), ctx.b.dim(target, axis))
            raise_if(ctx, differs, "ValueError('output_gradients has another shape than the target')")
    return ctx.b.cast(v, Scalar(t.dtype, t.weak if isinstance(t, Scalar) else False))
