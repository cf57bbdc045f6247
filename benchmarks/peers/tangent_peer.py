"""tangent: the form as it is. It refuses or gets wrong a good part; what it gets wrong is not timed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.kernel import Kernel


def prepare(kernel: Kernel, form: str) -> Callable[..., Any]:
    import tangent

    gradient = tangent.grad(kernel.forms[form], wrt=kernel.positions(), verbose=0)

    def gradients(*args: Any) -> tuple[Any, ...]:
        result = gradient(*args)
        return result if isinstance(result, tuple) else (result,)

    return gradients
