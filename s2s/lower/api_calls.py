"""s2s inside a differentiated function: gradients, products with derivatives, `custom_gradient`, `stop_gradient`.

Objects of the API are known by their `__s2s_role__`, not by their class: this folder does not import the API.
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from s2s.errors import NoRuleError
from s2s.lower.context import Context
from s2s.lower.custom import CustomInner, custom
from s2s.lower.gradients import Inner, gradient
from s2s.lower.hosts import HOSTS, call_lifted
from s2s.lower.nests import stopped
from s2s.lower.products import PRODUCTS, InnerJacobian, jacobian
from s2s.lower.truth import static
from s2s.lower.values import Bound, Lowered, Outside, Static

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
        return gradient(ctx, node, f, args[0], args[1:], dict(kwargs))
    role = getattr(f, "__s2s_role__", None)
    if role is None or role == "tape":
        return None
    if role in _OBJECTS:
        return _OBJECTS[role](ctx, node, callee, args, kwargs)
    if role in _FUNCTIONS:
        made: Lowered = _FUNCTIONS[role](ctx, node, *args, **kwargs)
        return made
    if role in _FACTORIES:
        return _make(ctx, node, _FACTORIES[role], args, kwargs)
    raise ctx.error(node, f"s2s.{role} is not supported inside a differentiated function",
                    fix="call it outside, or use s2s.grad or s2s.jvp")


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


def _gradient_function(ctx: Context, node: gast.AST | None, callee: Static | Outside, args: list[Lowered],
                       kwargs: dict[str, Lowered]) -> Lowered:
    r = callee.value.request
    inner = Inner(r.kind, r.with_value, r.params, r.single, r.as_tuple)
    return gradient(ctx, node, inner, _function_of(ctx, callee), args, dict(kwargs))


def _stop(ctx: Context, node: gast.AST | None, callee: Static | Outside, args: list[Lowered],
          kwargs: dict[str, Lowered]) -> Lowered:
    if len(args) != 1 or kwargs:
        raise ctx.error(node, f"stop_gradient() takes one argument, {len(args) + len(kwargs)} are given",
                        "Python would raise TypeError", "correct the call")
    return stopped(ctx, node, args[0])


def _refuse(ctx: Context, node: gast.AST | None, what: Lowered) -> Lowered:
    raise ctx.error(node, str(static(ctx, node, what, "the text")), "its derivative is not known for that",
                    "write it with other functions, or give it a derivative with s2s.custom_gradient", NoRuleError)


# Calls of objects of the API, which are looked into; and of its functions.
_OBJECTS: dict[str, Callable[..., Lowered]] = {
    "gradient": _gradient_function,
    "jacobian_function": lambda ctx, node, callee, args, kwargs: jacobian(
        ctx, node, InnerJacobian(callee.value.argnums), _function_of(ctx, callee), args),
    "inner_jacobian": lambda ctx, node, callee, args, kwargs: jacobian(ctx, node, callee.value, args[0], args[1:]),
    "custom": lambda ctx, node, callee, args, kwargs: custom(ctx, node, _function_of(ctx, callee), args, kwargs),
    "custom_inner": lambda ctx, node, callee, args, kwargs: custom(ctx, node, args[0], args[1:], kwargs),
    "custom_gradient": lambda ctx, node, callee, args, kwargs: Bound(Static(CustomInner()), (args[0],)),
    "stop_gradient": _stop,
    "lifted": lambda ctx, node, callee, args, kwargs: call_lifted(ctx, node, callee.value, args),
}
_FUNCTIONS: dict[str, Callable[..., Lowered]] = {**PRODUCTS, **HOSTS, "refuse": _refuse}
