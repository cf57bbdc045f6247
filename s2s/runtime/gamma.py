"""The derivatives of the logarithm of the gamma function, for numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def polygamma(x: Any, n: int = 0) -> Any:
    """The n-th derivative of the digamma function; nan at its poles 0, -1, -2 and so on.

    By recurrence to an argument where the asymptotic series (Abramowitz and Stegun 6.3.18, 6.4.11) has full
    precision.

    >>> round(polygamma(1.0), 12), round(polygamma(1.0, 1), 12)
    (-0.577215664902, 1.644934066848)
    """
    if x <= 0.0 and x == math.floor(x):
        return np.nan
    sign = -1.0 if n % 2 == 0 else 1.0
    factorial = 1.0  # (n - 1)!, and 1 for the first two
    for k in range(2, n):
        factorial *= k
    order = factorial * n if n > 0 else 1.0  # n!
    shifted = 0.0
    z = x
    while z < 16.0 + n:
        shifted += sign * order / z ** (n + 1)
        z += 1.0
    bernoulli = (1.0 / 6.0, -1.0 / 30.0, 1.0 / 42.0, -1.0 / 30.0, 5.0 / 66.0, -691.0 / 2730.0, 7.0 / 6.0,
                 -3617.0 / 510.0)
    if n == 0:
        total = math.log(z) - 0.5 / z
        for k in range(8):
            total -= bernoulli[k] / ((2 * k + 2) * z ** (2 * k + 2))
        return total + shifted
    total = factorial / z**n + 0.5 * order / z ** (n + 1)
    term = order * (n + 1) / 2.0  # (2k + n - 1)! / (2k)!, for k = 1
    for k in range(1, 9):
        total += bernoulli[k - 1] * term / z ** (2 * k + n)
        term *= (2 * k + n) * (2 * k + n + 1) / ((2 * k + 1) * (2 * k + 2))
    return sign * total + shifted
