"""The reference that programs are tested against: finite differences, in float64.

Nothing here looks into s2s. A *leaf* is a number or an array in an argument or a result; what stands
around it (tuples, lists, dicts, named tuples) is structure.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import s2s

STEP = 1e-3


class UnstableError(ArithmeticError):
    """Finite differences with two step sizes disagree: the example is no reference."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeoutError` in a block that takes longer (where the system can: not on Windows)."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: Any) -> None:
        raise TimeoutError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def leaves(value: Any) -> list[Any]:
    """The leaves of a value, left to right; dicts in their own order."""
    if isinstance(value, Mapping):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def map_leaves(function: Callable[[Any], Any], value: Any) -> Any:
    """The same structure with another value for each leaf."""
    if isinstance(value, Mapping):
        return {key: map_leaves(function, item) for key, item in value.items()}
    if isinstance(value, tuple):
        parts = [map_leaves(function, item) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, list):
        return [map_leaves(function, item) for item in value]
    return function(value)


def plain(leaf: Any) -> np.ndarray:
    """A leaf (Variable, Tensor, number, array) as a plain array."""
    return np.asarray(leaf.numpy() if hasattr(leaf, "numpy") else leaf)


def is_inexact(leaf: Any) -> bool:
    """Whether a leaf can be differentiated: a float or complex number or array."""
    if leaf is None or isinstance(leaf, (bool, int, str)):
        return False
    dtype = getattr(leaf, "dtype", None)
    if dtype is None:
        return isinstance(leaf, (float, complex))
    return np.issubdtype(dtype, np.inexact)


def total(value: Any) -> float:
    """What is differentiated: the real part of the sum of all elements of a result."""
    return float(sum(np.real(np.sum(plain(leaf))) for leaf in leaves(value) if is_inexact(leaf)))


def in_double(leaf: Any) -> Any:
    """A leaf in double precision; a Python number stays one."""
    if not is_inexact(leaf) or type(leaf) in (float, complex):
        return leaf
    array = plain(leaf)
    return array.astype(np.complex128 if np.iscomplexobj(array) else np.float64)


def difference(f: Callable[[float], float], step: float) -> float:
    """Central difference at 0, extrapolated twice: the error is of sixth order in `step`."""
    wide, middle, narrow = ((f(h) - f(-h)) / (2.0 * h) for h in (step, 0.5 * step, 0.25 * step))
    return ((16.0 * (4.0 * narrow - middle) - (4.0 * middle - wide)) / 3.0) / 15.0


def stable_difference(f: Callable[[float], float], scale: float, tolerance: float) -> float:
    """A difference that two step sizes agree on, else `UnstableError`."""
    step = STEP * max(1.0, scale) if scale > 0.1 or scale == 0.0 else 0.01 * scale
    first = difference(f, step)
    second = difference(f, 0.4 * step)
    if not abs(first - second) <= tolerance * max(1.0, abs(first)):
        raise UnstableError(f"{first} with step {step}, {second} with step {0.4 * step}")
    return second


def leaf_gradient(f: Callable[[Any], float], leaf: Any, tolerance: float = 1e-7) -> np.ndarray:
    """The gradient of `f(leaf)`; for a complex leaf dL/d re + i dL/d im, as in TensorFlow."""
    base = plain(leaf)
    gradient = np.zeros(base.shape, np.complex128 if np.iscomplexobj(base) else np.float64)

    def moved(index: tuple[int, ...], direction: complex) -> Callable[[float], float]:
        def along(distance: float) -> float:
            if isinstance(leaf, (float, complex)) and not isinstance(leaf, np.generic):
                return f(leaf + distance * direction)
            array = base.copy()
            array[index] += distance * direction
            return f(array[()] if isinstance(leaf, np.generic) else array)

        return along

    for index in np.ndindex(base.shape):
        scale = float(abs(base[index]))
        gradient[index] = stable_difference(moved(index, 1.0), scale, tolerance)
        if np.iscomplexobj(base):
            gradient[index] += 1j * stable_difference(moved(index, 1j), scale, tolerance)
    return gradient


def argument_gradient(
    f: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    which: int | str,
    scalarise: Callable[[Any], float] = total,
) -> Any:
    """The gradient for one argument, in the argument's structure; None for leaves that have none."""
    position = which
    if isinstance(which, str) and which not in kwargs:
        position = list(inspect.signature(f).parameters).index(which)
    args, kwargs = map_leaves(in_double, tuple(args)), map_leaves(in_double, dict(kwargs))
    argument = kwargs[position] if isinstance(position, str) else args[position]
    count = len(leaves(argument))

    def value_with(number: int, replacement: Any) -> float:
        numbers = iter(range(count))
        changed = map_leaves(lambda leaf: replacement if next(numbers) == number else leaf, argument)
        moved_args, moved_kwargs = list(args), dict(kwargs)
        if isinstance(position, str):
            moved_kwargs[position] = changed
        else:
            moved_args[position] = changed
        return scalarise(f(*copy.deepcopy(moved_args), **copy.deepcopy(moved_kwargs)))

    numbers = iter(range(count))

    def gradient_of(leaf: Any) -> Any:
        number = next(numbers)
        if not is_inexact(leaf):
            return None
        return leaf_gradient(lambda replacement: value_with(number, replacement), leaf)

    return map_leaves(gradient_of, argument)


def variable_gradient(f: Callable[[], float], variable: Any, tolerance: float = 1e-7) -> np.ndarray:
    """The gradient of `f()` with respect to a Variable, which has its own value again afterwards."""
    before = np.array(variable.numpy())

    def value_with(replacement: Any) -> float:
        variable.assign(replacement)
        return f()

    try:
        return leaf_gradient(value_with, before, tolerance)
    finally:
        variable.assign(before)


def assert_gradient(got: Any, want: Any, rtol: float, what: str = "") -> None:
    """A gradient in the structure of its argument against the reference, relative to the norm.

    None stands for zero: it is what a gradient is when the result does not depend on the argument.
    """
    want_leaves = leaves(want)
    got_leaves = leaves(got)
    if got is None:
        got_leaves = [None] * len(want_leaves)
    assert len(got_leaves) == len(want_leaves), f"{what}: structure of {got} is not that of {want}"
    for one, reference in zip(got_leaves, want_leaves, strict=True):
        if reference is None:
            assert one is None, f"{what}: {one!r} for an argument that has no gradient"
            continue
        if one is None:
            one = np.zeros_like(reference)
        array = plain(one)
        assert array.shape == reference.shape, f"{what}: shape {array.shape}, not {reference.shape}"
        norm = float(np.linalg.norm(reference.ravel())) if reference.size else 0.0
        np.testing.assert_allclose(array, reference, rtol=rtol, atol=rtol * max(norm, 0.1), err_msg=what)


def assert_same(got: Any, want: Any, rtol: float, what: str = "") -> None:
    """Two values of one structure agree; leaves that are no numbers are equal."""
    got_leaves, want_leaves = leaves(got), leaves(want)
    assert len(got_leaves) == len(want_leaves), what
    for one, other in zip(got_leaves, want_leaves, strict=True):
        if other is None or isinstance(other, str):
            assert one == other, what
        else:
            np.testing.assert_allclose(plain(one), plain(other), rtol=rtol, atol=rtol, err_msg=what)


def assert_unchanged(now: Any, before: Any) -> None:
    """No leaf of the arguments has changed by a single bit."""
    for one, other in zip(leaves(now), leaves(before), strict=True):
        if isinstance(other, np.ndarray):
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype
        elif isinstance(other, (int, float, complex, str, np.generic)):
            assert one == other


def tangent_like(leaf: Any, rng: np.random.Generator) -> Any:
    """A random direction of a leaf's own shape and dtype; None for what has no derivative."""
    if not is_inexact(leaf):
        return None
    array = plain(leaf)
    direction = rng.standard_normal(array.shape)
    if np.iscomplexobj(array):
        direction = direction + 1j * rng.standard_normal(array.shape)
    direction = np.asarray(direction).astype(array.dtype)
    return direction if isinstance(leaf, np.ndarray) else direction[()].item() \
        if type(leaf) in (float, complex) else direction[()]


def inner_product(gradient: Any, tangent: Any) -> float:
    """The real part of <gradient, tangent>; None is zero."""
    if gradient is None or tangent is None:
        return 0.0
    return float(
        sum(
            np.real(np.sum(np.conj(plain(g)) * plain(t)))
            for g, t in zip(leaves(gradient), leaves(tangent), strict=True)
            if g is not None and t is not None
        )
    )


def assert_modes_agree(
    f: Callable[..., Any], args: Sequence[Any], gradients: Mapping[int, Any], rtol: float
) -> None:
    """Forward mode along a random direction gives what the reverse gradients say it should."""
    rng = np.random.default_rng(20240229)
    tangents = [
        map_leaves(lambda leaf: tangent_like(leaf, rng), arg) if k in gradients else None
        for k, arg in enumerate(args)
    ]
    value, tangent = s2s.jvp(f, tuple(copy.deepcopy(args)), tuple(tangents))
    assert_same(value, f(*copy.deepcopy(args)), max(rtol, 1e-12), "value in forward mode")
    forward = 0.0 if tangent is None else total(
        map_leaves(lambda leaf: 0.0 if leaf is None else leaf, tangent)
    )
    reverse = sum(inner_product(gradients[k], tangents[k]) for k in gradients)
    scale = sum(
        float(np.sum(np.abs(plain(g)))) for k in gradients for g in leaves(gradients[k]) if g is not None
    )
    assert abs(forward - reverse) <= rtol * max(scale, abs(forward), 1e-3), (
        f"forward mode {forward!r}, reverse mode {reverse!r}"
    )
