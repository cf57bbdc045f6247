"""A kernel with another module in the place of NumPy."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any


def with_numpy(function: Callable[..., Any], numpy: Any) -> Callable[..., Any]:
    """The same code, to which `np` is `numpy`.

    >>> import math
    >>> import numpy as np
    >>> def root(x):
    ...     return np.sqrt(x)
    >>> type(with_numpy(root, math)(4.0)).__name__
    'float'
    """
    names = dict(function.__globals__, np=numpy)
    return types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
