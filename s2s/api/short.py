"""Short names: Jacobian products in both directions, Jacobians, Hessians."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from s2s.api.dispatch import GradientFunction, function_name
from s2s.api.functions import Argnums, grad
from s2s.api.jacobians import JacobianFunction
from s2s.api.tangents import tangent_function
from s2s.errors import ShapeError
from s2s.options import Request, options_of


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], **options: Any) -> tuple[Any, Any]:
    """The value of `f` at `primals` and its derivative along `tangents`: `(value, tangent)`.

    tangents: one for each primal, of its shape and structure; None holds that argument fixed. The tangent
    has the structure of the value. Forward mode: the cost is a small multiple of that of `f`, whatever
    the number of arguments. Raises ShapeError where a tangent has another shape than its primal.

    >>> import s2s
    >>> value, tangent = s2s.jvp(lambda x, y: x * y, (3.0, 2.0), (1.0, None))
    >>> float(value), float(tangent)
    (6.0, 2.0)
    """
    _check_function(f)
    for what, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple | list):
            raise TypeError(f"jvp: {what} is {given!r:.60}; pass a tuple with one entry for each argument of "
                            f"{function_name(f)}")
    if len(primals) != len(tangents):
        raise ShapeError(f"jvp: {len(primals)} primals and {len(tangents)} tangents; pass one tangent for each primal "
                         "(None holds it fixed)")
    return tangent_function(f, options_of(options))(f, tuple(primals), tuple(tangents))


def vjp(f: Callable[..., Any], *args: Any, **options: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of `f` and its pullback: `pullback(dy)` gives the gradients of the arguments as a tuple.

    `dy` has the structure of the value. Each call of the pullback runs `f` again.

    >>> import s2s
    >>> value, pullback = s2s.vjp(lambda x: x * x, 3.0)
    >>> float(value), float(pullback(10.0)[0])
    (9.0, 60.0)
    """
    g = GradientFunction(_request(f, True, options))
    value, _ = g(*args)

    def pullback(dy: Any) -> tuple[Any, ...]:
        return tuple(g(*args, dy=dy)[1])

    return value, pullback


def _check_function(f: Any) -> None:
    if not callable(f):
        raise TypeError(f"s2s differentiates a function; it was given {f!r:.60}")


def _request(f: Callable[..., Any], with_value: bool, options: dict[str, Any]) -> Any:
    return Request("gradients", f, with_value, None, options=options_of(options))


def linearize(f: Callable[..., Any], *args: Any, **options: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of `f` and its pushforward: `pushforward(*tangents)` gives the tangent of the value.

    tangents: one for each argument, of its shape and structure; None holds it fixed. Each call of the
    pushforward runs `f` again: nothing but the arguments is kept.

    >>> import s2s
    >>> value, pushforward = s2s.linearize(lambda x, y: x * y, 3.0, 2.0)
    >>> float(value), float(pushforward(1.0, None)), float(pushforward(0.0, 1.0))
    (6.0, 2.0, 3.0)
    """
    value, _ = jvp(f, args, (None,) * len(args), **options)

    def pushforward(*tangents: Any) -> Any:
        return jvp(f, args, tangents, **options)[1]

    return value, pushforward


def jacobian(f: Callable[..., Any], argnums: Argnums = 0, **options: Any) -> JacobianFunction:
    """A function that returns the Jacobian of `f`: shape of the value, then shape of the argument.

    Forward mode where the argument has no more elements than the value, else reverse mode. For a value that is
    a nest, a nest of Jacobians; for an argument that is a nest, each of them is a nest like the argument (None
    for what is no number); for several `argnums`, a tuple. Of complex arguments it is the derivative along the
    real axis, which for an analytic function is the complex derivative.

    Raises TypeError where an argument holds no floats, ValueError where there is no such argument.

    >>> import numpy as np, s2s
    >>> s2s.jacobian(lambda x: x * x)(np.array([1.0, 2.0])).tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    >>> s2s.jacobian(lambda p: {"area": p["a"] * p["b"]})({"a": 2.0, "b": 3.0})
    {'area': {'a': Tensor(3.), 'b': Tensor(2.)}}
    """
    return JacobianFunction(_several("jacobian", f, argnums, options))


def hessian(f: Callable[..., Any], argnums: Argnums = 0, **options: Any) -> JacobianFunction:
    """A function that returns the second derivatives of `f` with respect to one argument, or several.

    Forward over reverse: one gradient with tangents for each element of the argument. For several `argnums`,
    a tuple of tuples: `[i][j]` is the derivative by argument i and by argument j.

    >>> import numpy as np, s2s
    >>> s2s.hessian(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 2.0])).tolist()
    [[4.0, 2.0], [2.0, 0.0]]
    """
    return JacobianFunction(_several("hessian", grad(f, argnums), argnums, options))


def _several(kind: str, f: Callable[..., Any], argnums: Argnums, options: dict[str, Any]) -> Request:
    """The request for derivatives by one argument, or by several, as a tuple."""
    single = isinstance(argnums, int)
    if not single and (not isinstance(argnums, Sequence) or not argnums):
        raise TypeError(f"argnums is a position of a parameter, or several; got {argnums!r:.60}")
    params = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    return Request(kind, f, params=params, single=single, as_tuple=not single, options=options_of(options))


def hvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], **options: Any) -> tuple[Any, ...]:
    """The product of the Hessian of `f` with a vector, one entry for each of `primals`.

    Forward over reverse: the Hessian is not formed.

    >>> import numpy as np, s2s
    >>> (product,) = s2s.hvp(lambda x: (x ** 3).sum(), (np.array([1.0, 2.0]),), (np.array([1.0, 0.0]),))
    >>> product.tolist()
    [6.0, 0.0]
    """
    _check_function(f)
    if not isinstance(primals, tuple | list):
        raise TypeError(f"hvp: primals is {primals!r:.60}; pass a tuple with one entry for each argument of "
                        f"{function_name(f)}")
    gradient = grad(f, tuple(range(len(primals))))
    return tuple(jvp(gradient, primals, tangents, **options)[1])


def checkpoint(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` itself. The name is reserved: a later version will save nothing of a call of `checkpoint(f)`.

    Already now s2s recomputes what is cheap and saves what is not; see docs/design/recompute-or-save.md.

    >>> import math, s2s
    >>> float(s2s.grad(lambda x: s2s.checkpoint(math.sin)(x))(0.0))
    1.0
    """
    return f


for _function in (jvp, vjp, hvp, hessian, jacobian, linearize):
    setattr(_function, "__s2s_role__", _function.__name__)  # noqa: B010 - mypy knows no attributes of functions

__all__ = ["checkpoint", "hessian", "hvp", "jacobian", "jvp", "linearize", "vjp"]
