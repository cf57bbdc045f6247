"""Functions that are already under `numba.njit`, as callee and at the top."""

import math

import numpy as np

try:
    from numba import njit
except ImportError:  # the corpus also runs where only NumPy is installed
    njit = None

from . import program

if njit is not None:

    @njit
    def _smooth_step(x):
        if x < 0.0:
            return 0.0 * x
        return x * x * (3.0 - 2.0 * x)

    @njit
    def _weighted(v, w):
        s = 0.0
        for i in range(v.shape[0]):
            s += w[i] * v[i] ** 2
        return s

    @program(args=(0.4,))
    def jitted_callee(x):
        return _smooth_step(x) * math.exp(x)

    @program(args=(np.array([0.4, 1.5]), np.array([2.0, -1.0])), smoke=True)
    def jitted_callee_with_loop(v, w):
        return _weighted(v, w) * _weighted(w, v)

    @program(args=(0.4, 0.7))
    @njit
    def jitted_itself(x, y):
        return _smooth_step(x) + x * y
