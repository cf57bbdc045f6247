"""s2s inside a differentiated function: inner derivatives, `custom_gradient`, `stop_gradient`.

An inner gradient is lowered, differentiated and put in place at once, so that the outer derivative sees
ordinary code. Objects of the API are known by their `__s2s_role__`, not by their class: this folder does
not import the API.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from s2s.ir.core import Block, Function, Value, clone_block, inline
from s2s.ir.types import Array, Scalar, is_inexact
from s2s.lower.binding import Read
from s2s.lower.context import Context
from s2s.lower.guards import raise_if
from s2s.lower.iterate import describe
from s2s.lower.names import parameter_names
from s2s.lower.numbers import not_a_number, sequence, value
from s2s.lower.sequences import mapping_items
from s2s.lower.truth import static, usable
from s2s.lower.values import Bound, Box, Closure, Lowered, Outside, Static, Tuple


@dataclass(frozen=True)
class Inner:
    """A gradient function made inside the program, or described by an outside one."""

    kind: str
    with_value: bool
    params: tuple[int | str, ...] | None
    single: bool
    as_tuple: bool


# What the functions of the API make, by their role.
_FACTORIES = {
    "gradients_function": Inner("gradients", False, None, False, False),
    "value_and_gradients_function": Inner("gradients", True, None, False, False),
    "implicit_gradients": Inner("implicit", False, None, False, False),
    "implicit_value_and_gradients": Inner("implicit", True, None, False, False),
    "grad": Inner("gradients", False, (0,), True, False),
    "value_and_grad": Inner("gradients", True, (0,), True, False),
}


def api_call(ctx: Context, node: gast.AST | None, callee: Static | Outside, args: list[Lowered],
             kwargs: dict[str, Lowered]) -> Lowered | None:
    """A call of something of s2s; None for any other object."""
    f = callee.value
    if isinstance(f, Inner):
        return _gradient(ctx, node, f, args[0], args[1:], dict(kwargs))
    role = getattr(f, "__s2s_role__", None)
    if role is None:
        return None
    if role == "gradient":
        r = f.request
        inner = Inner(r.kind, r.with_value, r.params, r.single, r.as_tuple)
        return _gradient(ctx, node, inner, _function_of(ctx, callee), args, dict(kwargs))
    if role == "custom":
        return _custom(ctx, node, _function_of(ctx, callee), args, kwargs)
    if role == "stop_gradient":
        if len(args) != 1 or kwargs:
            raise ctx.error(node, f"stop_gradient() takes one argument, {len(args) + len(kwargs)} are given",
                            "Python would raise TypeError", "correct the call")
        return stopped(ctx, node, args[0])
    if role in _PRODUCTS:
        product: Lowered = _PRODUCTS[role](ctx, node, *args, **kwargs)
        return product
    if role in _FACTORIES:
        return _make(ctx, node, _FACTORIES[role], args, kwargs)
    if role == "custom_gradient":
        return Bound(Static(_CustomInner()), (args[0],))
    if role == "custom_inner":
        return _custom(ctx, node, args[0], args[1:], kwargs)
    raise ctx.error(node, f"s2s.{role} is not supported inside a differentiated function",
                    fix="call it outside, or use s2s.grad or s2s.jvp")


class _CustomInner:
    """`custom_gradient` applied to a function that the program defines."""

    __s2s_role__ = "custom_inner"


def _function_of(ctx: Context, callee: Static | Outside) -> Lowered:
    if isinstance(callee, Static):
        return Static(callee.value.__wrapped__)
    read = ctx.binding.read(callee.read, "attr", "__wrapped__")
    return Outside(read.value, read)


def _make(ctx: Context, node: gast.AST | None, made: Inner, args: list[Lowered], kwargs: dict[str, Lowered]) -> Lowered:
    """`s2s.grad(f, argnums=1)` inside the program."""
    params = made.params
    given = args[1] if len(args) > 1 else kwargs.get("argnums", kwargs.get("params"))
    as_tuple = False
    if given is not None:
        found = static(ctx, node, given, "which parameters")
        as_tuple = made.single and isinstance(found, tuple | list)
        params = None if found is None else tuple(found) if isinstance(found, tuple | list) else (found,)
    inner = Inner(made.kind, made.with_value, params, made.single, as_tuple)
    return Bound(Static(inner), (args[0] if args else kwargs["f"],))


def leaves_of(ctx: Context, x: Lowered) -> list[Value]:
    """The IR values in a nest of tuples, lists and dicts."""
    if isinstance(x, Value):
        return [x]
    if isinstance(x, Box):
        content = ctx.state.heap[x]
        parts = [content]
        if isinstance(content, dict | list):
            parts = list(content.values()) if isinstance(content, dict) else content
        return [v for p in parts for v in leaves_of(ctx, p)]
    if isinstance(x, Outside) and isinstance(x.value, dict):
        return [v for p in mapping_items(ctx, None, x).values() for v in leaves_of(ctx, p)]
    items = sequence(ctx, x)
    return [v for p in items or [] for v in leaves_of(ctx, p)]


def rebuild(ctx: Context, x: Lowered, leaf: Any) -> Lowered:
    """A nest like `x` with `leaf(v)` for each IR value and None for the rest."""
    if isinstance(x, Value):
        return leaf(x)  # type: ignore[no-any-return]
    if isinstance(x, Tuple):
        return Tuple(tuple(rebuild(ctx, p, leaf) for p in x.items), x.cls)
    if isinstance(x, Box) or (isinstance(x, Outside) and isinstance(x.value, list | dict | tuple)):
        content = ctx.state.heap[x] if isinstance(x, Box) else None
        if isinstance(content, Value):
            return leaf(content)  # type: ignore[no-any-return]
        if isinstance(content, dict) or (isinstance(x, Outside) and isinstance(x.value, dict)):
            box = Box("dict", None, "", ctx.depth)
            items = mapping_items(ctx, None, x)
            ctx.state.heap[box] = {k: rebuild(ctx, v, leaf) for k, v in items.items()}
            return box
        parts = [rebuild(ctx, p, leaf) for p in sequence(ctx, x) or []]
        if isinstance(x, Outside) and isinstance(x.value, tuple):
            return Tuple(tuple(parts))
        box = Box("list", None, "", ctx.depth)
        ctx.state.heap[box] = parts
        return box
    return Static(None)


def stopped(ctx: Context, node: gast.AST | None, x: Lowered) -> Lowered:
    """`stop_gradient(x)`."""
    x = usable(ctx, node, x)
    if isinstance(x, Static | Closure):
        return x
    return rebuild(ctx, x, lambda v: ctx.b.one("stop_gradient", {"x": v}) if is_inexact(v.type) else v)


def _gradient(ctx: Context, node: gast.AST | None, inner: Inner, callee: Lowered, args: list[Lowered],
              kwargs: dict[str, Lowered]) -> Lowered:
    """The call of an inner gradient function."""
    dy = kwargs.pop("dy", None)
    chosen = _chosen(ctx, node, inner, callee, args) if inner.kind == "gradients" else []
    block = Block()
    params: dict[Value, Value] = {}

    def param(v: Value) -> Value:
        if not is_inexact(v.type):
            return v
        params[v] = params.get(v) or Value(v.type, v.hint)
        return params[v]

    rows: list[tuple[Lowered, Lowered]] = []
    inner_args = list(args)
    for k in chosen:
        # Each argument is a parameter of its own, also where one value is passed twice.
        params_before, params = params, {}
        inner_args[k] = rebuild_args(ctx, args[k], param)
        rows.append((args[k], inner_args[k]))
        params = {**params_before, **{_Key(v, k): p for v, p in params.items()}}  # type: ignore[misc]
    saved, touched = ctx.state.copy(), dict(ctx.touched)
    ctx.touched = {}
    with ctx.b.at(block):
        result = ctx.call(node, callee, inner_args, kwargs)
        found = leaves_of(ctx, result)
    variables = [r for r in ctx.touched if r.value.trainable and r.leaf is not None]
    ctx.touched = {**touched, **ctx.touched}
    shape_state, ctx.state = ctx.state, saved
    wrt = list(params.values())
    actual = [key.v if isinstance(key, _Key) else key for key in params]
    if inner.kind == "implicit":
        return _implicit(ctx, node, inner, block, found, variables, result, shape_state, dy)
    fn = Function("inner", Block(wrt, block.ops, found))
    values, grads = _differentiated(ctx, fn, wrt, actual, dy, result, shape_state)
    table = dict(zip(wrt, grads, strict=True))
    out = [rebuild(ctx, arg, lambda v, t=table: t.get(v) or Static(None)) for _, arg in rows]
    gradients: Lowered
    if inner.single and not inner.as_tuple:
        gradients = out[0]
    elif inner.single:
        gradients = Tuple(tuple(out))
    else:
        gradients = _list(ctx, out)
    if not inner.with_value:
        return gradients
    return Tuple((_replaced(ctx, result, shape_state, found, values), gradients))


class _Key:
    """A leaf of the k-th argument."""

    def __init__(self, v: Value, k: int) -> None:
        self.v, self.k = v, k


def rebuild_args(ctx: Context, x: Lowered, param: Any) -> Lowered:
    """An argument with its leaves replaced by parameters; what is no number stays as it is."""
    if isinstance(x, Static | Closure | Bound):
        return x
    if isinstance(x, Outside) and not isinstance(x.value, list | dict | tuple):
        return x
    return rebuild(ctx, x, param)


def _list(ctx: Context, items: list[Lowered]) -> Box:
    box = Box("list", None, "", ctx.depth)
    ctx.state.heap[box] = items
    return box


def _chosen(ctx: Context, node: gast.AST | None, inner: Inner, callee: Lowered, args: list[Lowered]) -> list[int]:
    """Positions of the arguments to differentiate."""
    if inner.params is None:
        return list(range(len(args)))
    names = _parameter_names(callee)
    out = []
    for p in inner.params:
        k = names.index(p) if isinstance(p, str) and p in names else p
        if not isinstance(k, int) or not -len(args) <= k < len(args):
            raise ctx.error(node, f"the inner function is not given the argument {p!r} to differentiate",
                            f"it is called with {len(args)} positional argument{'s' * (len(args) != 1)}",
                            "correct argnums or params")
        out.append(k % len(args))
    return out


def _parameter_names(callee: Lowered) -> list[str]:
    if isinstance(callee, Closure):
        return parameter_names(callee.node)
    if isinstance(callee, Outside | Static):
        import inspect
        try:
            return list(inspect.signature(callee.value).parameters)
        except (TypeError, ValueError):
            return []
    return []


def _differentiated(ctx: Context, fn: Function, wrt: list[Value], actual: list[Value], dy: Lowered | None,
                    result: Lowered, state: Any) -> tuple[list[Value], list[Value | None]]:
    """Put the adjoint of `fn` in place; its values and gradients."""
    made = ctx.services.differentiate(fn, wrt, keep_values=True, seeds_given=dy is not None)
    seeds: list[Value] = []
    seed_params = made.function.block.params[len(fn.block.params):]
    given = [] if dy is None else leaves_of(ctx, dy)
    for k, p in enumerate(seed_params):
        if dy is not None:
            v = given[k]
            seeds.append(ctx.b.cast(v, Scalar(p.type.dtype, getattr(p.type, "weak", False))))
        else:
            assert isinstance(p.type, Scalar)
            seeds.append(ctx.b.const(1.0, p.type))
    results = inline(ctx.b.block, made.function, [*actual, *seeds])
    n = len(fn.block.results)
    grads = iter(results[n:])
    return results[:n], [next(grads) if connected else None for connected in made.connected]


def _implicit(ctx: Context, node: gast.AST | None, inner: Inner, block: Block, found: list[Value],
              variables: list[Read], result: Lowered, state: Any, dy: Lowered | None) -> Lowered:
    variables = sorted(set(variables), key=lambda r: r.value._number)
    seen: dict[int, Read] = {}
    for r in variables:
        seen.setdefault(id(r.value), r)
    if not seen:
        raise ctx.error(node, "no trainable Variable is read by the inner function", "so there is nothing to "
                        "differentiate", "read a Variable in it, or use s2s.gradients_function")
    reads = list(seen.values())
    current = [ctx.state.env.get((("variable", id(r.value)), "value"), r.leaf) for r in reads]
    actual = [v for v in current if isinstance(v, Value)]
    mapping: dict[Value, Value] = {v: Value(v.type, v.hint) for v in actual}
    wrt = [mapping[v] for v in actual]
    closed = clone_block(Block([], block.ops, found), mapping)
    closed.params = wrt
    fn = Function("inner", closed)
    values, grads = _differentiated(ctx, fn, wrt, actual, dy, result, state)
    pairs: list[Lowered] = [
        Tuple((g if g is not None else Static(None), r.leaf))  # type: ignore[arg-type]
        for g, r in zip(grads, reads, strict=True)]
    gradients = _list(ctx, pairs)
    if not inner.with_value:
        return gradients
    return Tuple((_replaced(ctx, result, state, found, values), gradients))


def _replaced(ctx: Context, result: Lowered, state: Any, found: list[Value], values: list[Value]) -> Lowered:
    """The value of the inner function, in terms of what was put in place."""
    mapping = dict(zip(found, values, strict=True))
    saved = ctx.state
    ctx.state = state
    try:
        shape = rebuild(ctx, result, lambda v: mapping.get(v, v))
        boxes = {b: c for b, c in ctx.state.heap.items() if b not in saved.heap}
    finally:
        ctx.state = saved
    ctx.state.heap.update(boxes)
    return shape


def _custom(ctx: Context, node: gast.AST | None, callee: Lowered, args: list[Lowered],
            kwargs: dict[str, Lowered]) -> Lowered:
    """A call of a function under `custom_gradient`: (value, pullback) = f(*args)."""
    result = ctx.call(node, callee, args, kwargs)
    pair = sequence(ctx, result)
    if pair is None or len(pair) != 2:
        raise ctx.error(node, f"a function under s2s.custom_gradient returns {describe(result)}",
                        "it has to return the value and a function that gives its derivative",
                        "end it with `return value, grad`, where grad(dy) gives one gradient for each argument")
    primal, pullback = pair
    if isinstance(pullback, Value | Tuple) or (isinstance(pullback, Static | Outside)
                                               and not callable(pullback.value)):
        raise ctx.error(node, f"a function under s2s.custom_gradient returns {describe(pullback)} after the value",
                        "it has to be a function that gives the derivative",
                        "end it with `return value, grad`, where grad(dy) gives one gradient for each argument")
    outputs = leaves_of(ctx, primal)
    sources = [v for a in args for v in leaves_of(ctx, a) if is_inexact(v.type)]
    block = Block([Value(v.type, f"{v.hint or 'value'}_bar") for v in outputs])
    saved = ctx.state.copy()
    with ctx.b.at(block):
        table = dict(zip(outputs, block.params, strict=True))
        cotangent = rebuild(ctx, primal, lambda v: table[v])
        if isinstance(primal, Tuple):
            given = ctx.call(node, pullback, list(cotangent.items) if isinstance(cotangent, Tuple) else [cotangent])
        else:
            given = ctx.call(node, pullback, [cotangent])
        block.results = _adjoints(ctx, node, given, sources)
    ctx.state = saved
    stopped_values = [ctx.b.one("stop_gradient", {"x": v}) if is_inexact(v.type) else v for v in outputs]
    op = ctx.b.region("custom", {"args": tuple(stopped_values), "sources": tuple(sources)}, [block],
                      [v.type for v in stopped_values])
    values = dict(zip(outputs, op.results, strict=True))
    return rebuild(ctx, primal, lambda v: values[v])


def _adjoints(ctx: Context, node: gast.AST | None, given: Lowered, sources: list[Value]) -> list[Value]:
    """What the pullback gives, one for each source; None is zero."""
    parts = sequence(ctx, given) if not isinstance(given, Value) else [given]
    if parts is None:
        parts = [given]
    if len(parts) != len(sources):
        raise ctx.error(node, f"grad of a function under s2s.custom_gradient returns {len(parts)} "
                              f"gradient{'s' * (len(parts) != 1)}, and has {len(sources)} to return",
                        "each float argument, and each array of floats, has a gradient of its own",
                        "return one for each, in their order")
    out = []
    for part, source in zip(parts, sources, strict=True):
        t = source.type
        assert isinstance(t, Scalar | Array)
        if isinstance(part, Static) and part.value is None:
            out.append(ctx.b.const(0.0, t) if isinstance(t, Scalar)
                       else value(ctx, node, ctx.call(node, Static(np.zeros_like), [source])))
            continue
        v = value(ctx, node, part)
        if not isinstance(v.type, Scalar | Array):
            raise not_a_number(ctx, node, v, "returned as a gradient")
        if v.type.ndim != t.ndim:
            raise ctx.error(node, f"grad of a function under s2s.custom_gradient returns an array of {v.type.ndim} "
                                  f"dimensions for an argument of {t.ndim}",
                            "a gradient has the shape of its argument", "reduce or reshape it in grad")
        for axis, (have, want) in enumerate(zip(v.type.dims, t.dims, strict=True)):
            if have != want:
                differs = ctx.b.binary("ne", ctx.b.dim(v, axis), ctx.b.dim(source, axis))
                raise_if(ctx, differs, "ValueError('grad of a function under s2s.custom_gradient returns an array of "
                                       "another shape than its argument')")
        out.append(ctx.b.cast(v, Scalar(t.dtype, t.weak if isinstance(t, Scalar) else False)))
    return out


# Products with the Jacobian and the Hessian ----------------------------------------------------------


def _jvp(ctx: Context, node: gast.AST | None, f: Lowered, primals: Lowered, tangents: Lowered) -> Lowered:
    """`s2s.jvp(f, primals, tangents)` inside the program: (value, tangent)."""
    args, dots = sequence(ctx, primals), sequence(ctx, tangents)
    if args is None or dots is None or len(args) != len(dots):
        raise ctx.error(node, "jvp takes as many tangents as primals, both as tuples or lists", "",
                        "correct the call")
    params: list[Value] = []
    actual: list[Value] = []
    directions: list[Value] = []
    inner: list[Lowered] = []
    for x, t in zip(args, dots, strict=True):
        if isinstance(t, Static) and t.value is None:
            inner.append(x)
            continue
        leaves = [v for v in leaves_of(ctx, x) if is_inexact(v.type)]
        fresh = {v: Value(v.type, v.hint) for v in leaves}
        inner.append(rebuild_args(ctx, x, lambda v, fresh=fresh: fresh.get(v, v)))
        params += fresh.values()
        actual += fresh
        directions += [ctx.b.cast(d, _scalar_type(v)) for d, v in zip(leaves_of(ctx, t), leaves, strict=True)]
    block = Block()
    saved = ctx.state.copy()
    with ctx.b.at(block):
        result = ctx.call(node, f, inner)
        found = leaves_of(ctx, result)
    state, ctx.state = ctx.state, saved
    made = ctx.services.jvp(Function("inner", Block(params, block.ops, found)), params)
    out = inline(ctx.b.block, made.function, [*actual, *directions])
    tangent_of, rest = {}, iter(out[len(found):])
    for v, connected in zip(found, made.connected, strict=True):
        tangent_of[v] = next(rest) if connected else _zero(ctx, node, v, out[found.index(v)])
    values = out[:len(found)]
    dot = _replaced(ctx, result, state, found, [tangent_of[v] for v in found])
    return Tuple((_replaced(ctx, result, state, found, values), dot))


def _scalar_type(v: Value) -> Scalar:
    assert isinstance(v.type, Scalar | Array)
    return Scalar(v.type.dtype, isinstance(v.type, Scalar) and v.type.weak)


def _zero(ctx: Context, node: gast.AST | None, v: Value, like: Value) -> Value:
    if isinstance(v.type, Scalar):
        return ctx.b.const(0.0, v.type)
    return value(ctx, node, ctx.call(node, Static(np.zeros_like), [like]))


def _vjp(ctx: Context, node: gast.AST | None, f: Lowered, *args: Lowered) -> Lowered:
    """`s2s.vjp(f, *args)`: the value, and a pullback that is an inner gradient weighted by its argument."""
    pullback = Bound(Static(_Pullback()), (f, Tuple(args)))
    return Tuple((ctx.call(node, f, list(args)), pullback))


class _Pullback:
    """What `vjp` returns inside the program."""

    __s2s_role__ = "pullback"


def _pullback(ctx: Context, node: gast.AST | None, f: Lowered, args: Lowered, dy: Lowered) -> Lowered:
    assert isinstance(args, Tuple)
    inner = Inner("gradients", False, None, True, True)
    return _gradient(ctx, node, inner, f, list(args.items), {"dy": dy})


def _hvp(ctx: Context, node: gast.AST | None, f: Lowered, primals: Lowered, tangents: Lowered) -> Lowered:
    """`s2s.hvp(f, primals, tangents)`: the tangent of the gradient."""
    count = len(sequence(ctx, primals) or [])
    gradient = Bound(Static(Inner("gradients", False, tuple(range(count)), True, True)), (f,))
    pair = _jvp(ctx, node, gradient, primals, tangents)
    assert isinstance(pair, Tuple)
    return pair.items[1]


_PRODUCTS: dict[str, Any] = {"jvp": _jvp, "vjp": _vjp, "hvp": _hvp, "pullback": _pullback}
