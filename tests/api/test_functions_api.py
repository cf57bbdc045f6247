"""The four function APIs, `custom_gradient` and `stop_gradient`: what each returns, and for what.

The values are those that TensorFlow's functions of the same names give.
"""

from __future__ import annotations

import copy
import functools
import math
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import s2s

w1 = s2s.Variable(2.0, name="w1")
w2 = s2s.Variable(3.0, name="w2")


def weighted_sum(x1, x2):
    return w1 * x1 + w2 * x2


def explicit_sum(w1, w2, x1, x2):
    return w1 * x1 + w2 * x2


def polynomial(x, y):
    return x * x * y


polynomial_gradients = s2s.gradients_function(polynomial)
weighted_sum_gradients = s2s.implicit_gradients(weighted_sum)


def number(value):
    """A gradient or value as a plain number, after checking that it is a Tensor with `.numpy()`."""
    assert isinstance(value, s2s.Tensor)
    assert not isinstance(value.numpy(), s2s.Tensor)
    return float(value.numpy())


# gradients_function -------------------------------------------------------------------------------


def test_gradients_for_all_positional_arguments():
    gradients = s2s.gradients_function(polynomial)(3.0, 4.0)
    assert isinstance(gradients, list)
    assert [number(g) for g in gradients] == [24.0, 9.0]


def test_params_by_name():
    gradients = s2s.gradients_function(explicit_sum, params=["w1", "w2"])(2.0, 3.0, 5.0, 7.0)
    assert [number(g) for g in gradients] == [5.0, 7.0]


def test_params_by_number():
    gradients = s2s.gradients_function(explicit_sum, params=[0, 3])(2.0, 3.0, 5.0, 7.0)
    assert [number(g) for g in gradients] == [5.0, 3.0]


def test_params_in_the_order_asked_for():
    gradients = s2s.gradients_function(explicit_sum, params=["w2", 0])(2.0, 3.0, 5.0, 7.0)
    assert [number(g) for g in gradients] == [7.0, 5.0]


def test_params_given_as_keywords():
    gradients = s2s.gradients_function(explicit_sum, params=["w1", "x2"])(2.0, 3.0, x1=5.0, x2=7.0)
    assert [number(g) for g in gradients] == [5.0, 3.0]


def test_value_and_gradients():
    value, gradients = s2s.value_and_gradients_function(polynomial)(3.0, 4.0)
    assert number(value) == 36.0
    assert [number(g) for g in gradients] == [24.0, 9.0]


def test_value_and_gradients_with_params():
    value, gradients = s2s.value_and_gradients_function(polynomial, params=["y"])(3.0, 4.0)
    assert number(value) == 36.0
    assert [number(g) for g in gradients] == [9.0]


def test_second_order_by_nesting():
    def cube(x):
        return x * x * x

    first = s2s.gradients_function(cube)
    second = s2s.gradients_function(lambda x: first(x)[0])
    third = s2s.gradients_function(lambda x: second(x)[0])
    assert number(first(2.0)[0]) == 12.0
    assert number(second(2.0)[0]) == 12.0
    assert number(third(2.0)[0]) == 6.0


def test_mixed_second_derivative():
    by_y = s2s.gradients_function(polynomial, params=["y"])

    def gradient_by_y(x, y):
        return by_y(x, y)[0]

    by_x, by_y_again = s2s.gradients_function(gradient_by_y)(3.0, 4.0)
    assert number(by_x) == 6.0
    assert by_y_again is None or number(by_y_again) == 0.0


def test_gradient_inside_a_larger_function():
    slope = s2s.gradients_function(lambda x: math.sin(x))

    def penalised(x):
        return x * x + 0.5 * slope(x)[0] ** 2

    (gradient,) = s2s.gradients_function(penalised)(0.7)
    assert number(gradient) == pytest.approx(1.4 - math.cos(0.7) * math.sin(0.7), rel=1e-12)


# dy -----------------------------------------------------------------------------------------------


def test_dy_weights_a_scalar_result():
    gradients = s2s.gradients_function(polynomial)(3.0, 4.0, dy=0.5)
    assert [number(g) for g in gradients] == [12.0, 4.5]


def test_array_result_is_summed_and_dy_weights_it():
    def scaled(x, v):
        return x * v * v

    v = np.array([1.0, 2.0, 3.0])
    plain = s2s.gradients_function(scaled)(2.0, v)
    assert number(plain[0]) == 14.0
    np.testing.assert_array_equal(plain[1].numpy(), [4.0, 8.0, 12.0])
    weighted = s2s.gradients_function(scaled)(2.0, v, dy=np.array([1.0, 0.0, -1.0]))
    assert number(weighted[0]) == -8.0
    np.testing.assert_array_equal(weighted[1].numpy(), [4.0, 0.0, -12.0])


def test_several_results_are_summed_and_dy_has_their_structure():
    def two(x):
        return x * x, {"triple": 3.0 * x}

    assert number(s2s.gradients_function(two)(2.0)[0]) == 7.0
    assert number(s2s.gradients_function(two)(2.0, dy=(10.0, {"triple": 100.0}))[0]) == 340.0


def test_dy_of_wrong_shape():
    with pytest.raises(s2s.ShapeError):
        s2s.gradients_function(lambda v: v * v)(np.ones(3), dy=np.ones(2))


def test_dy_for_value_and_gradients():
    value, gradients = s2s.value_and_gradients_function(polynomial)(3.0, 4.0, dy=2.0)
    assert number(value) == 36.0
    assert [number(g) for g in gradients] == [48.0, 18.0]


def test_with_dy_where_the_function_has_a_parameter_called_dy():
    def step(x, dy):
        return x * dy * dy

    g = s2s.gradients_function(step)
    assert [number(v) for v in g(2.0, 3.0)] == [9.0, 12.0]
    assert number(g(2.0, dy=3.0)[0]) == 9.0
    assert [number(v) for v in g.with_dy(10.0)(2.0, 3.0)] == [90.0, 120.0]


# None, zeros and errors -----------------------------------------------------------------------------


def test_arguments_without_derivative_get_none():
    def power(x, n, name, flag, nothing):
        return x**n if flag else x

    gradients = s2s.gradients_function(power)(3.0, 2, "square", True, None)
    assert number(gradients[0]) == 6.0
    assert gradients[1:] == [None, None, None, None]


def test_integer_array_gets_none():
    gradients = s2s.gradients_function(lambda x, k: np.sum(x * k))(2.0, np.array([1, 2]))
    assert number(gradients[0]) == 3.0
    assert gradients[1] is None


@pytest.mark.parametrize("value", [3, True, np.int64(3), np.array([1, 2])])
def test_integer_alone_is_an_error_that_names_it(value):
    def square(base):
        return base * base

    with pytest.raises(TypeError, match="base"):
        s2s.gradients_function(square)(value)


def test_integer_in_params_is_an_error_with_the_fix():
    with pytest.raises(TypeError) as caught:
        s2s.gradients_function(polynomial, params=["y"])(2.0, 3)
    text = str(caught.value)
    assert "y" in text and "int" in text and "3.0" in text


def test_unknown_parameter():
    with pytest.raises((TypeError, ValueError), match="z"):
        s2s.gradients_function(polynomial, params=["z"])(2.0, 3.0)


@pytest.mark.parametrize(
    "api",
    [
        s2s.gradients_function,
        s2s.value_and_gradients_function,
        s2s.implicit_gradients,
        s2s.implicit_value_and_gradients,
    ],
)
def test_function_that_returns_none(api):
    def forgot_to_return(x):
        x * w1

    with pytest.raises(ValueError, match="forgot_to_return"):
        api(forgot_to_return)(2.0)


def test_no_variable_found():
    with pytest.raises(ValueError, match=r"[Vv]ariable"):
        s2s.implicit_gradients(lambda x: x * x)(2.0)


def test_variable_used_before_the_call_is_not_read():
    shifted = w1 + 1.0

    def loss():
        return 2.0 * shifted

    with pytest.raises(ValueError, match=r"[Vv]ariable"):
        s2s.implicit_gradients(loss)()


def test_integer_variable_is_not_trainable_and_the_error_says_so():
    count = s2s.Variable(3)
    assert not count.trainable
    with pytest.raises(ValueError, match="int"):
        s2s.implicit_gradients(lambda: count * count)()


def test_variable_without_influence_is_none_and_branch_not_taken_is_zeros():
    a, b, c = (s2s.Variable(v) for v in (2.0, 3.0, 5.0))

    def loss(x):
        unused = c * x  # noqa: F841
        if x > 0.0:
            return a * x
        return b * x

    pairs = s2s.implicit_gradients(loss)(4.0)
    assert [id(v) for _, v in pairs] == [id(a), id(b), id(c)]
    assert number(pairs[0][0]) == 4.0
    assert number(pairs[1][0]) == 0.0
    assert pairs[2][0] is None
    again = s2s.implicit_gradients(loss)(-4.0)
    assert [number(g) for g, _ in again[:2]] == [0.0, -4.0]
    assert again[2][0] is None


# implicit_gradients ---------------------------------------------------------------------------------


def test_weighted_sum_of_two_variables():
    pairs = s2s.implicit_gradients(weighted_sum)(5.0, 7.0)
    assert isinstance(pairs, list)
    assert [number(g) for g, _ in pairs] == [5.0, 7.0]
    assert pairs[0][1] is w1 and pairs[1][1] is w2


def test_implicit_value_and_gradients():
    value, pairs = s2s.implicit_value_and_gradients(weighted_sum)(5.0, 7.0)
    assert number(value) == 31.0
    assert [number(g) for g, _ in pairs] == [5.0, 7.0]


def test_non_trainable_variable_is_left_out():
    frozen = s2s.Variable(4.0, trainable=False)
    value, pairs = s2s.implicit_value_and_gradients(lambda x: w1 * x * frozen)(5.0)
    assert number(value) == 40.0
    assert len(pairs) == 1 and pairs[0][1] is w1
    assert number(pairs[0][0]) == 20.0


def test_pairs_come_in_order_of_creation():
    first, second, third = (s2s.Variable(v) for v in (1.0, 2.0, 3.0))
    pairs = s2s.implicit_gradients(lambda: third * first * second)()
    assert [id(v) for _, v in pairs] == [id(first), id(second), id(third)]
    assert [number(g) for g, _ in pairs] == [6.0, 3.0, 2.0]


def test_each_variable_once_however_it_is_reached():
    shared = s2s.Variable(3.0)
    holder = {"a": shared, "b": [shared]}

    def loss(v):
        return shared * holder["a"] * holder["b"][0] * v

    pairs = s2s.implicit_gradients(loss)(shared)
    assert len(pairs) == 1 and pairs[0][1] is shared
    assert number(pairs[0][0]) == 4 * 27.0


def test_variables_passed_as_arguments():
    a, b = s2s.Variable(2.0), s2s.Variable(np.array([1.0, 3.0]))
    pairs = s2s.implicit_gradients(lambda p, q: np.sum(p * q * q))(a, b)
    assert number(pairs[0][0]) == 10.0
    np.testing.assert_array_equal(pairs[1][0].numpy(), [4.0, 12.0])


def test_update_is_seen_at_the_next_call():
    w = s2s.Variable(2.0)
    g = s2s.implicit_value_and_gradients(lambda x: w * w * x)
    assert number(g(1.0)[0]) == 4.0
    w.assign_sub(0.5)
    value, pairs = g(1.0)
    assert number(value) == 2.25
    assert number(pairs[0][0]) == 3.0


rebound = s2s.Variable(2.0)


def reads_rebound(x):
    return rebound * rebound * x


def test_rebinding_a_global_between_calls_is_noticed():
    global rebound
    g = s2s.implicit_gradients(reads_rebound)
    old = rebound
    assert number(g(1.0)[0][0]) == 4.0
    try:
        rebound = s2s.Variable(5.0)
        pairs = g(1.0)
        assert pairs[0][1] is rebound
        assert number(pairs[0][0]) == 10.0
        rebound = 7.0
        with pytest.raises(ValueError, match=r"[Vv]ariable"):
            g(1.0)
    finally:
        rebound = old
    assert g(1.0)[0][1] is old


class Layer:
    def __init__(self, w, b):
        self.w, self.b = s2s.Variable(w), s2s.Variable(b)

    def __call__(self, x):
        return self.w * x + self.b


class Model:
    def __init__(self):
        self.layers = [Layer(2.0, 0.5)]

    def loss(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def test_appended_layer_is_noticed():
    model = Model()
    g = s2s.implicit_gradients(model.loss)
    assert [number(v) for v, _ in g(3.0)] == [3.0, 1.0]
    model.layers.append(Layer(4.0, -1.0))
    pairs = g(3.0)
    expected = [model.layers[0].w, model.layers[0].b, model.layers[1].w, model.layers[1].b]
    assert [id(v) for _, v in pairs] == [id(v) for v in expected]
    assert [number(v) for v, _ in pairs] == [12.0, 4.0, 6.5, 1.0]


def test_two_models_of_one_class_do_not_mix():
    first, second = Model(), Model()
    g = s2s.implicit_gradients(lambda m, x: m.loss(x))
    assert g(first, 1.0)[0][1] is first.layers[0].w
    assert g(second, 1.0)[0][1] is second.layers[0].w


def test_variables_in_callees_closures_and_defaults():
    inner = s2s.Variable(3.0)

    def helper(x):
        return inner * x

    def loss(x, scale=w2):
        return helper(x) * scale

    pairs = s2s.implicit_gradients(loss)(2.0)
    assert [id(v) for _, v in pairs] == [id(w2), id(inner)]
    assert [number(g) for g, _ in pairs] == [6.0, 6.0]


def test_methods_that_read_a_variable_differentiate_through():
    v = s2s.Variable(2.0)

    def loss(x):
        return v.numpy() * v.value() * v.read_value() * float(v) * np.asarray(v) * x

    ((gradient, _),) = s2s.implicit_gradients(loss)(1.0)
    assert number(gradient) == 5 * 16.0


def test_second_order_through_variables():
    v = s2s.Variable(2.0)
    first = s2s.implicit_gradients(lambda: v * v * v)
    ((gradient, variable),) = s2s.implicit_gradients(lambda: first()[0][0])()
    assert variable is v
    assert number(gradient) == 12.0


def test_array_variable():
    kernel = s2s.Variable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    x = np.array([0.5, -1.0])
    ((gradient, _),) = s2s.implicit_gradients(lambda x: np.sum(x @ kernel))(x)
    np.testing.assert_array_equal(gradient.numpy(), [[0.5, 0.5], [-1.0, -1.0]])
    assert type(gradient.numpy()) is np.ndarray


# Forms ----------------------------------------------------------------------------------------------


def test_bare_decorator():
    @s2s.gradients_function
    def square(x):
        return x * x

    assert number(square(3.0)[0]) == 6.0
    assert square.__name__ == "square"
    assert square.__wrapped__(3.0) == 9.0


def test_decorator_with_options():
    @s2s.gradients_function(params=["y"])
    def product(x, y):
        return x * y

    @s2s.implicit_value_and_gradients(target="python")
    def loss(x):
        return w1 * x

    assert [number(g) for g in product(3.0, 4.0)] == [3.0]
    assert number(loss(3.0)[0]) == 6.0


@pytest.mark.parametrize(
    ("api", "expected"),
    [
        (s2s.gradients_function, [2.0]),
        (s2s.value_and_gradients_function, (10.0, [2.0])),
        (s2s.implicit_gradients, [5.0]),
        (s2s.implicit_value_and_gradients, (10.0, [5.0])),
    ],
)
def test_all_forms_of_each_api_agree(api, expected):
    def linear(x):
        return w1 * x

    def flat(result):
        value, gradients = result if isinstance(result, tuple) else (None, result)
        numbers = [number(g[0] if isinstance(g, tuple) else g) for g in gradients]
        return numbers if value is None else (number(value), numbers)

    for g in (api(linear), api()(linear), api(target="python")(linear)):
        assert flat(g(5.0)) == expected


def test_short_names():
    assert number(s2s.grad(polynomial)(3.0, 4.0)) == 24.0
    assert number(s2s.grad(polynomial, argnums=1)(3.0, 4.0)) == 9.0
    assert [number(g) for g in s2s.grad(polynomial, argnums=(1, 0))(3.0, 4.0)] == [9.0, 24.0]
    value, gradient = s2s.value_and_grad(polynomial)(3.0, 4.0)
    assert (number(value), number(gradient)) == (36.0, 24.0)


@pytest.mark.parametrize("kind", ["lambda", "partial", "method", "object", "decorated", "nested"])
def test_every_kind_of_callable(kind):
    class Affine:
        def __init__(self, slope):
            self.slope = slope

        def __call__(self, x):
            return self.slope * x * x

        def method(self, x):
            return self.slope * x * x

    def scaled(slope, x):
        return slope * x * x

    def doubled(f):
        @functools.wraps(f)
        def wrapper(x):
            return 2.0 * f(x)

        return wrapper

    @doubled
    def decorated(x):
        return 1.5 * x * x

    def nested(x):
        return Affine(3.0).method(x)

    functions = {
        "lambda": lambda x: 3.0 * x * x,
        "partial": functools.partial(scaled, 3.0),
        "method": Affine(3.0).method,
        "object": Affine(3.0),
        "decorated": decorated,
        "nested": nested,
    }
    assert number(s2s.gradients_function(functions[kind])(2.0)[0]) == 12.0


# Values ---------------------------------------------------------------------------------------------


def test_containers_as_arguments():
    def loss(params, x):
        return np.sum(params["w"] * x) + params["b"][0] * params["b"][1]

    params = {"w": np.array([1.0, 2.0]), "b": (3.0, 4.0)}
    gradients = s2s.gradients_function(loss)(params, np.array([5.0, 6.0]))
    assert list(gradients[0]) == ["w", "b"]
    np.testing.assert_array_equal(gradients[0]["w"].numpy(), [5.0, 6.0])
    assert isinstance(gradients[0]["b"], tuple)
    assert [number(g) for g in gradients[0]["b"]] == [4.0, 3.0]


def test_nested_list_of_numbers():
    (gradient,) = s2s.gradients_function(lambda m: m[0][0] * m[1][1])([[2.0, 1.0], [1.0, 3.0]])
    assert np.asarray(gradient).tolist() == [[3.0, 0.0], [0.0, 2.0]]


@pytest.mark.parametrize(
    "argument",
    [
        2.0,
        np.float64(2.0),
        np.float32(2.0),
        np.array(2.0),
        np.array([2.0, 1.0]),
        np.array([[2.0, 1.0]], np.float32),
        np.zeros((0, 3)),
    ],
)
def test_gradient_has_shape_and_dtype_of_its_argument(argument):
    (gradient,) = s2s.gradients_function(lambda x: np.sum(x * x * 1.5))(argument)
    assert gradient.shape == np.shape(argument)
    assert gradient.dtype == np.asarray(argument).dtype
    np.testing.assert_allclose(gradient.numpy(), 3.0 * np.asarray(argument))


def test_variables_and_tensors_as_arguments_of_explicit_functions():
    v = s2s.Variable(np.array([1.0, 2.0]))
    t = s2s.constant(np.array([3.0, 4.0]))
    gradients = s2s.gradients_function(lambda a, b: np.sum(a * b))(v, t)
    np.testing.assert_array_equal(gradients[0].numpy(), [3.0, 4.0])
    np.testing.assert_array_equal(gradients[1].numpy(), [1.0, 2.0])


def test_same_object_for_two_parameters_is_two_parameters():
    x = np.array([1.0, 2.0])
    gradients = s2s.gradients_function(lambda a, b: np.sum(a * a * b))(x, x)
    np.testing.assert_array_equal(gradients[0].numpy(), 2.0 * x * x)
    np.testing.assert_array_equal(gradients[1].numpy(), x * x)


def test_arguments_are_never_changed():
    def loss(params, x):
        y = x.copy()
        y[0] = params["w"][1] * x[1]
        params = {"w": y}
        return np.sum(params["w"] ** 2)

    params, x = {"w": np.array([1.0, 2.0])}, np.array([3.0, 4.0])
    before = copy.deepcopy((params, x))
    s2s.value_and_gradients_function(loss)(params, x)
    np.testing.assert_array_equal(params["w"], before[0]["w"])
    np.testing.assert_array_equal(x, before[1])


def test_results_do_not_share_memory_with_arguments():
    x = np.array([1.0, 2.0])
    value, (gradient,) = s2s.value_and_gradients_function(lambda v: v)(x)
    np.testing.assert_array_equal(gradient.numpy(), [1.0, 1.0])
    np.asarray(gradient)[...] = 9.0
    np.testing.assert_array_equal(x, [1.0, 2.0])
    np.testing.assert_array_equal(value.numpy(), [1.0, 2.0])


def test_tensor_prints_and_formats_like_a_number():
    value, _ = s2s.value_and_gradients_function(polynomial)(3.0, 4.0)
    assert f"{value:.3f}" == "36.000"
    assert float(value) == 36.0
    assert (value + 1.0).numpy() == 37.0


def test_side_effects_happen_once_and_in_order():
    log = []

    def chatty(x):
        log.append("before")
        y = x * x
        log.append("after")
        return y

    assert number(s2s.gradients_function(chatty)(3.0)[0]) == 6.0
    assert log == ["before", "after"]


def test_exception_of_the_function_comes_through():
    def guarded(x):
        if x < 0.0:
            raise KeyError("negative")
        return math.sqrt(x)

    g = s2s.gradients_function(guarded)
    assert number(g(4.0)[0]) == 0.25
    with pytest.raises(KeyError, match="negative"):
        g(-1.0)
    assert number(g(4.0)[0]) == 0.25


def test_wrong_number_of_arguments_is_a_type_error():
    g = s2s.gradients_function(polynomial)
    with pytest.raises(TypeError):
        g(1.0)
    with pytest.raises(TypeError):
        g(1.0, 2.0, 3.0)


# custom_gradient and stop_gradient -----------------------------------------------------------------


@s2s.custom_gradient
def log1pexp(x):
    e = np.exp(x)

    def grad(dy):
        return dy * (1.0 - 1.0 / (1.0 + e))

    return np.log(1.0 + e), grad


@s2s.custom_gradient
def marked_product(x, y):
    def grad(dy):
        return 100.0 * dy * y, 1000.0 * dy * x

    return x * y, grad


def test_custom_gradient_is_used():
    assert number(s2s.gradients_function(lambda x: log1pexp(x))(0.0)[0]) == 0.5
    ((one,), (two,)) = (
        s2s.gradients_function(lambda x: marked_product(x, 2.0) * 3.0)(5.0),
        s2s.gradients_function(lambda y: marked_product(5.0, y) * 3.0)(2.0),
    )
    assert (number(one), number(two)) == (600.0, 15000.0)


def test_custom_gradient_called_plainly_gives_the_value():
    assert float(log1pexp(0.0)) == pytest.approx(math.log(2.0))


def test_custom_gradient_in_a_loop_and_with_variables():
    def loss(x):
        for _ in range(2):
            x = marked_product(x, w2)
        return x

    assert number(s2s.gradients_function(loss)(1.0)[0]) == 90000.0
    ((gradient, variable),) = s2s.implicit_gradients(loss)(1.0)
    assert variable is w2
    assert number(gradient) == 1000.0 * 3.0 + 100.0 * 3.0 * 1000.0


def test_second_order_through_custom_gradient():
    @s2s.custom_gradient
    def cube(x):
        def grad(dy):
            return 3.0 * x * x * dy

        return x * x * x, grad

    first = s2s.gradients_function(lambda x: cube(x))
    assert number(s2s.gradients_function(lambda x: first(x)[0])(2.0)[0]) == 12.0


def test_stop_gradient():
    def loss(x):
        return x * s2s.stop_gradient(x * x) + s2s.stop_gradient(x)

    value, (gradient,) = s2s.value_and_gradients_function(loss)(3.0)
    assert number(value) == 30.0
    assert number(gradient) == 9.0


def test_stop_gradient_of_everything_is_none_or_zeros():
    (gradient,) = s2s.gradients_function(lambda x: s2s.stop_gradient(x * x))(3.0)
    assert gradient is None or number(gradient) == 0.0


def test_stop_gradient_of_a_variable_and_an_array():
    def loss(x):
        return np.sum(s2s.stop_gradient(x) * x) * s2s.stop_gradient(w1) + w2

    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(s2s.gradients_function(loss)(x)[0].numpy(), 2.0 * x)
    found = {id(v): g for g, v in s2s.implicit_gradients(loss)(x)}
    assert found.get(id(w1)) is None
    assert number(found[id(w2)]) == 1.0


def test_stop_gradient_in_plain_python_is_the_identity():
    assert s2s.stop_gradient(3.0) == 3.0
    np.testing.assert_array_equal(s2s.stop_gradient(np.array([1.0, 2.0])), [1.0, 2.0])


# Pickling, threads -----------------------------------------------------------------------------------


@pytest.mark.parametrize("called_before", [False, True])
def test_gradient_function_of_a_module_pickles(called_before):
    if called_before:
        polynomial_gradients(3.0, 4.0)
        weighted_sum_gradients(1.0, 2.0)
    again = pickle.loads(pickle.dumps(polynomial_gradients))
    assert [number(g) for g in again(3.0, 4.0)] == [24.0, 9.0]
    pairs = pickle.loads(pickle.dumps(weighted_sum_gradients))(5.0, 7.0)
    assert [number(g) for g, _ in pairs] == [5.0, 7.0]
    assert pairs[0][1] is w1


def test_options_survive_pickling():
    g = s2s.gradients_function(polynomial, params=["y"])
    assert [number(v) for v in pickle.loads(pickle.dumps(g))(3.0, 4.0)] == [9.0]


def test_cloudpickle_of_a_lambda():
    cloudpickle = pytest.importorskip("cloudpickle")
    factor = 3.0
    g = s2s.gradients_function(lambda x: factor * x * x)
    assert number(g(2.0)[0]) == 12.0
    try:
        again = pickle.loads(cloudpickle.dumps(g))
    except s2s.SourceError:
        pytest.skip("source not found after cloudpickle")
    assert number(again(2.0)[0]) == 12.0


def test_variable_pickles_and_copies():
    v = s2s.Variable(np.array([1.0, 2.0], np.float32), trainable=False, name="v")
    for other in (pickle.loads(pickle.dumps(v)), copy.deepcopy(v), copy.copy(v)):
        np.testing.assert_array_equal(other.numpy(), v.numpy())
        assert (other.name, other.trainable, other.dtype) == ("v", False, v.dtype)
        assert other is not v and hash(other) != hash(v)


def test_many_threads_specialise_and_call_at_once():
    g = s2s.value_and_gradients_function(lambda x, n: np.sum(x**n))
    arguments = [(np.full(k % 3 + 2, 1.0 + k), 2 + k % 2) for k in range(24)]
    arguments += [(float(k), 2) for k in range(1, 9)]
    barrier = threading.Barrier(4)

    def work(start):
        barrier.wait(timeout=60)
        return [(i, g(*arguments[i])) for i in range(start, len(arguments), 4)]

    with ThreadPoolExecutor(4) as pool:
        for results in pool.map(work, range(4)):
            for i, (value, gradients) in results:
                x, n = arguments[i]
                assert number(value) == pytest.approx(np.sum(x**n))
                np.testing.assert_allclose(np.asarray(gradients[0]), n * x ** (n - 1))
