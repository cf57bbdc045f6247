"""Keyword, default, `*args`, `**kwargs`, keyword-only and positional-only parameters."""

import numpy as np

from . import program


@program(args=(1.5,), kwargs={"scale": 2.0}, wrt=(0, "scale"))
def by_keyword(x, scale):
    return x * x * scale


@program(args=(1.5,), wrt=(0,))
def default_used(x, scale=2.0):
    return x * x * scale


@program(args=(1.5, 3.0))
def default_overridden(x, scale=2.0):
    return x * x * scale


@program(args=(np.array([1.0, 2.0]),))
def default_array(x, weights=np.array([0.5, -2.0])):
    return np.sum(weights * x * x)


@program(args=(1.5,), kwargs={"power": 3, "scale": 0.5}, wrt=(0, "scale"))
def keyword_only(x, *, power, scale=2.0):
    return scale * x**power


@program(args=(1.5, 0.5))
def positional_only(x, y, /):
    return x * y + y


@program(args=(1.5, 0.5, 2.0))
def star_args(x, *rest):
    r = x
    for v in rest:
        r = r * v + x
    return r


@program(args=(1.5,))
def star_args_empty(x, *rest):
    r = x * x
    for v in rest:
        r = r * v
    return r * (len(rest) + 1)


@program(args=(1.5, np.array([1.0, 2.0]), 0.5))
def star_args_of_mixed_kinds(*parts):
    return parts[0] * np.sum(parts[1] ** 2) * parts[-1]


@program(args=(1.5,), kwargs={"a": 2.0, "b": 0.5}, wrt=(0,))
def star_star_kwargs(x, **options):
    return x * options["a"] + x * x * options.get("b", 3.0) + x * options.get("c", 4.0)


def _collect(x, *args, offset=0.0, **kwargs):
    r = x + offset
    for a in args:
        r = r * a
    return r + kwargs.get("extra", 0.0)


@program(args=(1.5, 0.5), smoke=True)
def forwarded_arguments(x, y):
    args = (y, x * y)
    kwargs = {"offset": y, "extra": x}
    return _collect(x, *args, **kwargs) + _collect(y, x, extra=y)


@program(args=(1.5, 0.5), wrt=(1,))
def one_of_two_differentiated(x, y):
    return x * y * y


@program(args=(1.5, 0.5), wrt=(1, 0))
def differentiated_in_other_order(x, y):
    return x * y * y


@program(args=(1.5, 3, "sum", None, True), wrt=(0,))
def arguments_of_every_kind(x, n, mode, nothing, flag):
    r = x
    for _ in range(n):
        r = r * x if flag else r
    if mode == "sum" and nothing is None:
        r = r + x
    return r
