"""Functions of scipy.special in the language that s2s differentiates: a call of one is lowered as a call of these.

So they need nothing of SciPy when they run, and target cpu compiles them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

from s2s.rules.primitives import constant, refuse


def _stopped_max(a: Any, axis: Any) -> Any:
    """The largest element along `axis`, as a constant, and finite: it is added and taken away again."""
    largest = np.max(a, axis=axis, keepdims=True)
    return constant(np.where(np.isfinite(largest), largest, 0.0))


def logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: Any = False, return_sign: Any = False) -> Any:
    if return_sign:
        refuse("the sign that logsumexp(return_sign=True) returns is not supported")
    x = np.asarray(a)
    if x.ndim == 0:
        return x if b is None else x + np.log(b)
    shift = _stopped_max(x, axis)
    terms = np.exp(x - shift)
    if b is not None:
        terms = terms * b
    total = np.sum(terms, axis=axis, keepdims=True)
    out = np.log(total) + shift
    return out if keepdims else _squeezed(out, axis)


def _squeezed(x: Any, axis: Any) -> Any:
    if axis is None:
        return np.sum(x)
    return np.squeeze(x, axis=axis)


def softmax(x: Any, axis: Any = None) -> Any:
    a = np.asarray(x)
    e = np.exp(a - _stopped_max(a, axis))
    return e / np.sum(e, axis=axis, keepdims=True)


def log_softmax(x: Any, axis: Any = None) -> Any:
    a = np.asarray(x)
    shifted = a - _stopped_max(a, axis)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


def multigammaln(a: Any, d: Any) -> Any:
    total = d * (d - 1) * 0.25 * math.log(math.pi)
    for j in range(d):
        total = total + scipy.special.gammaln(a - 0.5 * j)
    return total


def comb(N: Any, k: Any, exact: Any = False, repetition: Any = False) -> Any:
    if exact:
        refuse("comb(exact=True) is of ints")
    return scipy.special.binom(N + k - 1 if repetition else N, k)


def factorial(n: Any, exact: Any = False, extend: Any = "zero") -> Any:
    if exact:
        refuse("factorial(exact=True) is of ints")
    return scipy.special.gamma(n + 1.0)


def spherical_jn(n: Any, z: Any, derivative: Any = False) -> Any:
    if derivative:
        return spherical_jn(n - 1, z) - (n + 1) / z * spherical_jn(n, z)
    return np.sqrt(0.5 * math.pi / z) * scipy.special.jv(n + 0.5, z)


def spherical_yn(n: Any, z: Any, derivative: Any = False) -> Any:
    if derivative:
        return spherical_yn(n - 1, z) - (n + 1) / z * spherical_yn(n, z)
    return np.sqrt(0.5 * math.pi / z) * scipy.special.yv(n + 0.5, z)


def spherical_in(n: Any, z: Any, derivative: Any = False) -> Any:
    if derivative:
        return spherical_in(n - 1, z) - (n + 1) / z * spherical_in(n, z)
    return np.sqrt(0.5 * math.pi / z) * scipy.special.iv(n + 0.5, z)


def spherical_kn(n: Any, z: Any, derivative: Any = False) -> Any:
    if derivative:
        return -spherical_kn(n - 1, z) - (n + 1) / z * spherical_kn(n, z)
    return np.sqrt(0.5 * math.pi / z) * scipy.special.kv(n + 0.5, z)


WRITTEN: dict[Any, Callable[..., Any]] = {
    scipy.special.logsumexp: logsumexp, scipy.special.softmax: softmax, scipy.special.log_softmax: log_softmax,
    scipy.special.multigammaln: multigammaln, scipy.special.comb: comb, scipy.special.factorial: factorial,
    scipy.special.spherical_jn: spherical_jn, scipy.special.spherical_yn: spherical_yn,
    scipy.special.spherical_in: spherical_in, scipy.special.spherical_kn: spherical_kn,
}
