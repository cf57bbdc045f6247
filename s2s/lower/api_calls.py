"""s2s inside a differentiated function: gradients, products with derivatives, `custom_gradient`, `stop_gradient`.

Objects of the API are known by their `__s2s_role__`, not by their class: this folder does not import the API.
"""

from __future__ import annotations

import gast

from s2s.errors import NoRuleError
from s2s.lower.context import Context
from s2s.lower.custom import CustomInner, custom
from s2s.lower.gradients import Inner, gradient
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
    if role == "gradient":
        r = f.request
        inner = Inner(r.kind, r.with_value, r.params, r.single, r.as_tuple)
        return gradient(ctx, node, inner, _function_of(ctx, callee), args, dict(kwargs))
    if role == "refuse":
        raise ctx.error(node, str(static(ctx, node, args[0], "the text")), "its derivative is not known for that",
                        "write it with other functions, or give it a derivative with s2s.custom_gradient", NoRuleError)
    if role == "jacobian_function":
        return jacobian(ctx, node, InnerJacobian(f.argnums), _function_of(ctx, callee), args)
    if role == "inner_jacobian":
        return jacobian(ctx, node, f, args[0], args[1:])
    if role == "custom":
        return custom(ctx, node, _function_of(ctx, callee), args, kwargs)
    if role == "stop_gradient":
        if len(args) != 1 or kwargs:
            raise ctx.error(node, f"stop_gradient() takes one argument, {len(args) + len(kwargs)} are given",
                            "Python would raise TypeError", "correct the call")
        return stopped(ctx, node, args[0])
    if role in PRODUCTS:
        product: Lowered = PRODUCTS[role](ctx, node, *args, **kwargs)
        return product
    if role in _FACTORIES:
        return _make(ctx, node, _FACTORIES[role], args, kwargs)
    if role == "custom_gradient":
        return Bound(Static(CustomInner()), (args[0],))
    if role == "custom_inner":
        return custom(ctx, node, args[0], args[1:], kwargs)
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
