"""Forms of reductions: numba has few that take an axis, and none with `keepdims` or several axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2s.rules.common import Axis, count, normalised
from s2s.rules.expr import Expr, fn
from s2s.targets.common import (
    at_least_1d,
    axes_last,
    inverse,
    move_axis,
    transposed,
    with_ones,
)


def _whole(a: Expr, axis: Axis) -> bool:
    """Whether all axes are reduced."""
    return len(normalised(axis, a.ndim)) == a.ndim


def _finished(result: Expr, a: Expr, axis: Axis, keepdims: bool) -> Expr:
    return with_ones(result, normalised(axis, a.ndim), a.ndim) if keepdims and a.ndim else result


def _summed(a: Expr, axis: Axis) -> Expr:
    """Sums over some axes, the last axis first so that the others keep their numbers."""
    if _whole(a, axis):
        return fn.sum(a) if a.is_array else a
    if not normalised(axis, a.ndim):
        return fn.copy(a)
    for k in sorted(normalised(axis, a.ndim), reverse=True):
        a = fn.sum(a, axis=k)
    return a


def _is_plain(a: Expr, axis: Axis, keepdims: bool) -> bool:
    """Whether numba takes a sum as it is."""
    return a.is_array and not keepdims and (axis is None or (isinstance(axis, int) and axis >= 0 and a.ndim > 1))


def _sum(a: Expr, axis: Axis, dtype: Any, keepdims: bool) -> Expr | None:
    if dtype is not None:
        a = a.astype(dtype if isinstance(dtype, str) else str(dtype))
    elif _is_plain(a, axis, keepdims):
        return None
    return _finished(_summed(a, axis), a, axis, keepdims)


def _nansum(a: Expr, axis: Axis, dtype: Any, keepdims: bool) -> Expr:
    return fn.sum(fn.where(fn.isnan(a), 0.0, a), axis=axis, dtype=dtype, keepdims=keepdims)


def _mean(a: Expr, axis: Axis, dtype: Any, keepdims: bool) -> Expr | None:
    if dtype is None and axis is None and not keepdims and a.is_array and a.dtype not in ("bool", "float16"):
        return None
    if not a.is_array:
        return a * 1.0
    wanted = dtype if dtype is not None else a.dtype if a.dtype[:5] in ("float", "compl") else "float64"
    total = fn.sum(a.astype(str(wanted)), axis=axis, keepdims=keepdims)
    return total / count(a, axis)


def _var(a: Expr, axis: Axis, dtype: Any, ddof: int, keepdims: bool) -> Expr | None:
    if axis is None and not keepdims and ddof == 0 and dtype is None and a.is_array and not a.is_complex:
        return None
    if not a.is_array:
        return (a - a).real
    centred = a - fn.mean(a, axis=axis, dtype=dtype, keepdims=a.ndim > len(normalised(axis, a.ndim)))
    square = (centred * centred.conj()).real
    return fn.sum(square, axis=axis, keepdims=keepdims) / (count(a, axis) - ddof)


def _std(a: Expr, axis: Axis, dtype: Any, ddof: int, keepdims: bool) -> Expr | None:
    if axis is None and not keepdims and ddof == 0 and dtype is None and a.is_array and not a.is_complex:
        return None
    return fn.sqrt(fn.var(a, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims))


def _along(name: str, helper: str) -> Callable[..., Expr | None]:
    """A reduction that numba has without an axis, and `helper` along the last one."""
    def form(a: Expr, axis: Axis, keepdims: bool, dtype: Any = None) -> Expr | None:
        if dtype is not None:
            a = a.astype(str(dtype))
        if not a.is_array:
            return a
        if not normalised(axis, a.ndim):
            return fn.copy(a)
        if _whole(a, axis):
            if axis is None and not keepdims and dtype is None:
                return None
            return _finished(getattr(fn, name)(a), a, axis, keepdims)
        moved, _ = axes_last(a, axis)
        return _finished(getattr(fn, helper)(moved), a, axis, keepdims)
    return form


def _prod(a: Expr, axis: Axis, dtype: Any, keepdims: bool) -> Expr | None:
    if dtype is None and a.dtype in ("bool", "int8", "int16", "int32"):
        dtype = "int64"
    return _along("prod", "prod_last")(a, axis, keepdims, dtype)


def _ptp(a: Expr, axis: Axis, keepdims: bool) -> Expr | None:
    if not a.is_array:
        return a - a
    if axis is None and not keepdims:
        return None
    return fn.max(a, axis=axis, keepdims=keepdims) - fn.min(a, axis=axis, keepdims=keepdims)


def _any(a: Expr, axis: Axis, keepdims: bool) -> Expr | None:
    if axis is None and not keepdims and a.is_array:
        return None
    return fn.sum(at_least_1d(a) != 0, axis=axis if a.is_array else None, keepdims=keepdims and a.is_array) > 0


def _all(a: Expr, axis: Axis, keepdims: bool) -> Expr | None:
    if axis is None and not keepdims and a.is_array:
        return None
    return fn.sum(at_least_1d(a) == 0, axis=axis if a.is_array else None, keepdims=keepdims and a.is_array) == 0


def _count_nonzero(a: Expr, axis: Axis, keepdims: bool) -> Expr | None:
    if axis is None and not keepdims and a.is_array:
        return None
    return fn.sum(at_least_1d(a) != 0, axis=axis if a.is_array else None, keepdims=keepdims and a.is_array)


def _arg(name: str) -> Callable[..., Expr | None]:
    def form(a: Expr, axis: int | None, keepdims: bool) -> Expr | None:
        if not a.is_array:
            return a.lift(0)
        if not keepdims and (axis is None or (axis >= 0 and a.ndim > 1)):
            return None
        whole = axis is None or a.ndim == 1
        found = getattr(fn, name)(a) if whole else getattr(fn, name)(a, axis=normalised(axis, a.ndim)[0])
        return _finished(found, a, axis, keepdims)
    return form


def _cumsum(a: Expr, axis: int | None, dtype: Any) -> Expr | None:
    if dtype is not None:
        a = a.astype(str(dtype))
    if not a.is_array:
        a = at_least_1d(a)
    if a.ndim == 1:
        return None if axis is None and dtype is None else fn.cumsum(a)
    if axis is None:
        return fn.cumsum(fn.ravel(a))
    order = move_axis(a.ndim, axis, -1)
    return transposed(fn.cumsum_last(transposed(a, order)), inverse(order))


def _sort(helper: str, name: str) -> Callable[..., Expr | None]:
    def form(a: Expr, axis: int | None, kind: Any = None) -> Expr | None:
        if axis is None:
            return getattr(fn, name)(fn.ravel(a))  # type: ignore[no-any-return]
        if a.ndim == 1 and helper == "sort_last":
            return None if axis == -1 else fn.sort(a)
        order = move_axis(a.ndim, axis, -1)
        return transposed(getattr(fn, helper)(transposed(a, order)), inverse(order))
    return form


def _partition(a: Expr, kth: Any, axis: int | None) -> Expr:
    """Sorted, it is partitioned at every place."""
    return fn.sort(a, axis=axis)


FORMS: dict[str, Any] = {
    "np.partition": _partition,
    "np.sum": _sum, "np.nansum": _nansum, "np.mean": _mean, "np.var": _var, "np.std": _std, "np.ptp": _ptp,
    "np.max": _along("max", "max_last"), "np.min": _along("min", "min_last"), "np.prod": _prod,
    "np.any": _any, "np.all": _all, "np.count_nonzero": _count_nonzero,
    "np.argmax": _arg("argmax"), "np.argmin": _arg("argmin"), "np.cumsum": _cumsum,
    "np.sort": _sort("sort_last", "sort"), "np.argsort": _sort("argsort_last", "argsort"),
}
