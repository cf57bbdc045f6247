# ruff: noqa: ISC004 - one text over several lines, in a table
"""Calls that cannot mean anything: the full text of their errors, and that they change nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2s

WEIGHT = s2s.Variable(2.0, name="weight")
COUNT = s2s.Variable(3, name="count")
FROZEN = s2s.Variable(1.0, trainable=False, name="frozen")
ROWS = s2s.Variable([1.0, 2.0], name="rows")
ARRAY = np.array([1.0, 2.0, 3.0])
INTS = np.array([1, 2, 3])
NEST = {"a": [1.0, 2.0]}


class Thing:
    def __repr__(self) -> str:
        return "<Thing>"


def product(x: Any, y: Any = 2.0) -> Any:
    return x * y


def square(x: Any) -> Any:
    return x * x


def pair(x: Any) -> Any:
    return x * x, x


def named(x: Any) -> Any:
    return {"a": x * x, "b": x}


def nothing(x: Any) -> None:
    x * x


def text(x: Any) -> str:
    return "text"


def several(*xs: Any) -> Any:
    return xs[0] * xs[1]


def item(x: Any) -> Any:
    return x["a"][0] * x["a"][1]


def counted(x: Any) -> Any:
    return x * COUNT


def frozen(x: Any) -> Any:
    return x * FROZEN


@s2s.custom_gradient
def no_gradient(x: Any) -> Any:
    return x * x


g = s2s.gradients_function
FIT = "\nPass one weight for each element of the value."
ONLY = "which has no gradient; pass a float or an array of floats"
CALLS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    # What is no function.
    "None": (lambda: s2s.jacobian(None), TypeError, "s2s differentiates a function; it was given None"),  # type: ignore
    "number": (lambda: s2s.grad(1.0), TypeError,  # type: ignore[arg-type]
               "s2s differentiates a function; it was given a float: 1.0"),
    "string": (lambda: s2s.implicit_gradients("f"), TypeError,  # type: ignore[arg-type]
               "s2s differentiates a function; it was given a str: 'f'"),
    "Variable": (lambda: s2s.implicit_gradients(FROZEN), TypeError,
                 "s2s differentiates a function; it was given a Variable: "
                 "<Variable 'frozen' shape=() dtype=float64 trainable=False va"),
    "jvp of a number": (lambda: s2s.jvp(3, (1.0,), (1.0,)), TypeError,  # type: ignore[arg-type]
                        "s2s differentiates a function; it was given 3"),
    "custom_gradient of None": (lambda: s2s.custom_gradient(None), TypeError,  # type: ignore[arg-type]
                                "s2s.custom_gradient decorates a function; it was given None"),
    "custom_gradient without grad": (
        lambda: no_gradient(2.0), TypeError,
        "no_gradient: a function under s2s.custom_gradient has to return its value and a function that gives the "
        "derivative; it returned 4.0. End it with `return value, grad`"),
    # Parameters.
    "unknown name": (lambda: g(product, params=["z"])(1.0, 2.0), ValueError,
                     "product has no argument 'z' in this call; params may name: x, y"),
    "unknown position": (lambda: g(product, params=[5])(1.0, 2.0), ValueError,
                         "product is called with 2 positional arguments; the gradient of number 5 is asked for "
                         "(they are counted from 0)"),
    "argnums too large": (lambda: s2s.grad(square, argnums=1)(1.0), ValueError,
                          "square is called with 1 positional argument; the gradient of number 1 is asked for "
                          "(they are counted from 0)"),
    "argnums float": (lambda: s2s.grad(product, argnums=1.0)(1.0, 2.0), TypeError,  # type: ignore[arg-type]
                      "argnums is a name or position of a parameter, or several in a list; got 1.0"),
    "params float": (lambda: g(product, params=[1.5])(1.0, 2.0), TypeError,  # type: ignore[list-item]
                     "params and argnums are names or positions of parameters; got 1.5"),
    "no params": (lambda: g(product, params=[])(1.0, 2.0), TypeError,
                  "params and argnums name the parameters to differentiate; none is named"),
    "unknown option": (lambda: s2s.grad(square, fast=True), TypeError,
                       "there is no option 'fast'; the options are target, parallel, fastmath, cache, boundscheck"),
    "unknown target": (lambda: s2s.grad(square, target="gpu"), ValueError,
                       "target='gpu' is none of 'python', 'cpu', 'cuda'"),
    # Arguments.
    "too few": (lambda: g(product)(), TypeError, "product: missing a required argument: 'x'"),
    "too many": (lambda: g(product)(1.0, 2.0, 3.0), TypeError, "product: too many positional arguments"),
    "unknown keyword": (lambda: g(product)(1.0, z=3.0), TypeError, "product: got an unexpected keyword argument 'z'"),
    "none at all": (lambda: g(several)(), TypeError,
                    "several is called without an argument that can be differentiated; for the gradients of Variables "
                    "use s2s.implicit_gradients"),
    "int": (lambda: g(square)(3), TypeError, "square: the parameter 'x' is an int, which has no gradient; pass 3.0"),
    "int named": (lambda: g(product, params=["x"])(3, 2.0), TypeError,
                  "product: the parameter 'x' is an int, which has no gradient; pass 3.0"),
    "bool": (lambda: g(square)(True), TypeError,
             "square: the parameter 'x' is a bool, which has no gradient; pass 1.0"),
    "int array": (lambda: g(square)(INTS), TypeError,
                  "square: the parameter 'x' is an array of dtype int64, which has no gradient; pass floats: "
                  "x.astype(float)"),
    "int Variable": (lambda: g(square)(COUNT), TypeError,
                     "square: the parameter 'x' is a Variable of dtype int64, which has no gradient; make the "
                     "Variable from floats"),
    "string argument": (lambda: g(square)("abc"), TypeError, f"square: the parameter 'x' is a str, {ONLY}"),
    "None argument": (lambda: g(square)(None), TypeError, f"square: the parameter 'x' is None, {ONLY}"),
    "object": (lambda: g(square)(Thing()), TypeError, f"square: the parameter 'x' is a Thing, {ONLY}"),
    "object array": (lambda: g(square)(np.array([1.0, None])), TypeError,
                     f"square: the parameter 'x' is an array of dtype object, {ONLY}"),
    # Values.
    "returns None": (lambda: g(nothing)(1.0), ValueError, "nothing returns None; did you forget to return a value?"),
    "returns text": (lambda: g(text)(1.0), TypeError,
                     "text returns text, which has no gradient; return a number or an array"),
    "complex": (lambda: g(square)(1.0 + 2.0j), TypeError,
                "square returns a complex value, and a gradient is that of a real one; return its abs, real or imag "
                "part, or pass weights as dy"),
    # Variables.
    "no Variable": (lambda: s2s.implicit_gradients(square)(1.0), ValueError,
                    "no trainable Variable is read by square or by what it calls; a value computed from a Variable "
                    "before the call is a constant"),
    "integer Variable": (lambda: s2s.implicit_gradients(counted)(1.0), ValueError,
                         "no trainable Variable is read by counted: count has the integer dtype int64; create it from "
                         "floats"),
    "frozen Variable": (lambda: s2s.implicit_gradients(frozen)(1.0), ValueError,
                        "no trainable Variable is read by frozen: frozen was made with trainable=False"),
    "Variable of text": (lambda: s2s.Variable("abc"), TypeError, "A Variable holds numbers; got str 'abc'"),
    "Variable of None": (lambda: s2s.Variable(None), TypeError, "A Variable holds numbers; got NoneType None"),
    "Variable of ragged rows": (lambda: s2s.Variable([[1.0], [1.0, 2.0]]), ValueError,
                                "A Variable holds numbers in rows of equal length; got [[1.0], [1.0, 2.0]]"),
    "constant of None": (lambda: s2s.constant(None), TypeError, "A Tensor holds numbers; got NoneType None"),
    "assign another shape": (lambda: WEIGHT.assign(ARRAY), s2s.ShapeError,
                             "Variable 'weight' has shape (); a value of shape (3,) cannot be assigned to it.\n"
                             "The shape of a Variable does not change: make a new Variable, or reshape the value."),
    "add another shape": (lambda: ROWS.assign_add(1.0), s2s.ShapeError,
                          "Variable 'rows' has shape (2,); a value of shape () cannot be added to it.\n"
                          "Give a value of the same shape: nothing is broadcast."),
    "assign a complex": (lambda: WEIGHT.assign(1j), ValueError,
                         "Variable 'weight' has dtype float64; a value of dtype complex128 cannot be assigned to it.\n"
                         "Convert the value, or make the Variable with dtype=complex128."),
    "assign text": (lambda: WEIGHT.assign("x"), ValueError,
                    "Variable 'weight' holds numbers of dtype float64; 'x' cannot be assigned to it or added.\n"
                    "Give a number or an array."),
    "subtract None": (lambda: WEIGHT.assign_sub(None), ValueError,
                      "Variable 'weight' holds numbers of dtype float64; None cannot be assigned to it or added.\n"
                      "Give a number or an array."),
    # Weights.
    "dy of another shape": (lambda: g(square)(ARRAY, dy=np.ones(2)), s2s.ShapeError,
                            "dy has shape (2,), which is not that of the value: operands could not be broadcast "
                            f"together with shapes (3,) (2,){FIT}"),
    "dy for a number": (lambda: g(square)(1.0, dy=[1.0, 2.0]), s2s.ShapeError,
                        f"dy has shape (2,); the value has 0 dimensions{FIT}"),
    "dy complex": (lambda: g(square)(1.0, dy=1j), s2s.ShapeError,
                   "dy is complex; the value is float64\nPass real weights."),
    "dy text": (lambda: g(square)(1.0, dy="abc"), TypeError, "dy is 'abc', which is no number and no array of numbers"),
    "dy of another structure": (lambda: g(pair)(1.0, dy=1.0), s2s.ShapeError,
                                "dy is 1.0; the value is a tuple of 2\nPass a tuple of 2 as dy."),
    "dy with None": (lambda: g(pair)(1.0, dy=(1.0, None)), TypeError,
                     "dy is None, which is no number and no array of numbers"),
    "dy without a key": (lambda: g(named)(1.0, dy={"a": 1.0}), s2s.ShapeError,
                         "dy is {'a': 1.0}; the value is a dict with the keys ['a', 'b']\n"
                         "Pass a dict with these keys as dy."),
    "vjp weights": (lambda: s2s.vjp(pair, 1.0)[1]((1.0,)), s2s.ShapeError,
                    "dy is (1.0,); the value is a tuple of 2\nPass a tuple of 2 as dy."),
    # Tangents.
    "tangent of another shape": (lambda: s2s.jvp(square, (ARRAY,), (np.ones(2),)), s2s.ShapeError,
                                 "the tangent of x has shape (2,); the argument has shape (3,)\n"
                                 "Pass one of the shape of the argument."),
    "too many tangents": (lambda: s2s.jvp(square, (1.0,), (1.0, 1.0)), s2s.ShapeError,
                          "jvp: 1 primals and 2 tangents; pass one tangent for each primal (None holds it fixed)"),
    "primals no tuple": (lambda: s2s.jvp(square, 1.0, 1.0), TypeError,  # type: ignore[arg-type]
                         "jvp: primals is 1.0; pass a tuple with one entry for each argument of square"),
    "tangent text": (lambda: s2s.jvp(square, (1.0,), ("a",)), TypeError,
                     "the tangent of x is 'a', which is no number and no array of numbers"),
    "tangent complex": (lambda: s2s.jvp(square, (1.0,), (1j,)), TypeError,
                        "a tangent is complex, and its argument is real; pass a real tangent"),
    "tangent of an int": (lambda: s2s.jvp(square, (3,), (1.0,)), TypeError,
                          "square: the parameter 'x' is an int, which has no tangent; pass 3.0, or None as its "
                          "tangent"),
    "tangent without a key": (lambda: s2s.jvp(item, (NEST,), ({"b": 1.0},)), s2s.ShapeError,
                              "the tangent of x is {'b': 1.0}; the argument is a dict with the keys ['a']\n"
                              "Pass a dict with these keys."),
    "tangent too short": (lambda: s2s.jvp(item, (NEST,), ({"a": [1.0]},)), s2s.ShapeError,
                          "the tangent of x['a'] is [1.0]; the argument has 2 elements\nPass a list of 2."),
    "hvp of an int": (lambda: s2s.hvp(square, 3, (1.0,)), TypeError,  # type: ignore[arg-type]
                      "hvp: primals is 3; pass a tuple with one entry for each argument of square"),
    "Jacobian of an int": (lambda: s2s.jacobian(square)(3), TypeError,
                           "square: argument 0 is an int, which has no Jacobian; pass 3.0"),
    "Jacobian out of range": (lambda: s2s.jacobian(square, argnums=3)(1.0), ValueError,
                              "square is called with 1 positional argument; the Jacobian of number 3 is asked for "
                              "(they are counted from 0)"),
    "check_grads of an int": (lambda: s2s.check_grads(square, (3,)), TypeError,
                              "square is given no float and no array of floats to check; pass floats, such as 3.0 "
                              "for 3"),
    "check_grads without a tuple": (lambda: s2s.check_grads(square, 3.0), TypeError,  # type: ignore[arg-type]
                                    "check_grads: args is 3.0; pass a tuple with one entry for each argument of "
                                    "square"),
    "check_grads mode": (lambda: s2s.check_grads(square, (3.0,), modes=("both",)), ValueError,
                         "check_grads: order is 1 or more, and modes are among 'fwd' and 'rev'; got order=1, "
                         "modes=('both',)"),
}


def state() -> list[Any]:
    """What a bad call could change."""
    return [np.array(v) for v in (WEIGHT, COUNT, FROZEN, ROWS, ARRAY, INTS)] + [repr(NEST)]


@pytest.mark.parametrize("name", CALLS)
def test_text_and_nothing_changed(name: str) -> None:
    call, error, expected = CALLS[name]
    before = state()
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error
    assert str(caught.value) == expected
    for old, new in zip(before, state(), strict=True):
        np.testing.assert_array_equal(old, new)


def stores(x: Any, y: Any) -> Any:
    x[0] = y
    return x * ARRAY


@pytest.mark.parametrize("call", [
    lambda x: g(stores)(x, 2.0, dy=np.ones(2)),
    lambda x: g(stores)(x, "abc"),
    lambda x: g(stores, params=["y"])(x, 2),
    lambda x: s2s.value_and_gradients_function(stores)(x, np.ones(5)),
    lambda x: s2s.jvp(stores, (x, 2.0), (np.ones(2), 1.0)),
], ids=["dy", "text", "int", "shape", "tangent"])
def test_bad_call_of_a_function_that_stores(call: Callable[[Any], Any]) -> None:
    x = np.array([1.0, 2.0, 3.0])
    with pytest.raises((TypeError, ValueError, s2s.S2SError)):
        call(x)
    assert x.tolist() == [1.0, 2.0, 3.0]


def assigns(x: Any) -> Any:
    WEIGHT.assign(x)
    return WEIGHT * x


@pytest.mark.parametrize("call", [
    lambda: s2s.implicit_gradients(assigns)("abc"),
    lambda: s2s.implicit_gradients(assigns)(1.0, 2.0),
    lambda: s2s.implicit_gradients(assigns)(1.0, dy="abc"),
    lambda: s2s.gradients_function(assigns)(3),
], ids=["text", "arguments", "dy", "int"])
def test_bad_call_of_a_function_that_assigns(call: Callable[[], Any]) -> None:
    with pytest.raises((TypeError, ValueError, s2s.S2SError)):
        call()
    assert float(WEIGHT) == 2.0
