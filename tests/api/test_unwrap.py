"""From what is called to the function that runs; and whose a name is."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import gast
import numpy as np
import pytest

from s2s.source.scope import MISSING, Scope, cells, getter, kind_of, outside_value, scope_of
from s2s.source.unwrap import unwrap


def plain(a: Any, b: Any = 1.0, *, c: Any = 2.0) -> Any:
    return a, b, c


@functools.wraps(plain)
def wrapper(*args: Any) -> Any:
    return plain(*args)


class Model:
    def method(self, x: Any) -> Any:
        return x

    @classmethod
    def of_class(cls, x: Any) -> Any:
        return x

    @staticmethod
    def static(x: Any) -> Any:
        return x

    @functools.lru_cache  # noqa: B019 - what is tested
    def cached(self, x: Any) -> Any:
        return x

    half = functools.partialmethod(method, 0.5)

    def __call__(self, x: Any) -> Any:
        return x


class Child(Model):
    pass


class CalledByPartial:
    __call__ = functools.partialmethod(plain, 3.0)


MODEL, CHILD = Model(), Child()
BY_PARTIAL = CalledByPartial()


@pytest.mark.parametrize(("call", "function", "args", "keywords", "path"), [
    (plain, plain, (), {}, ()),
    (wrapper, wrapper, (), {}, ()),
    (functools.partial(functools.partial(plain, 1, c=3), 2, c=4), plain, (1, 2), {"c": 4}, ("partial",)),
    (functools.partial(MODEL.method, 2), Model.method, (MODEL, 2), {}, ("partial", "method")),
    (MODEL.method, Model.method, (MODEL,), {}, ("method",)),
    (Child.of_class, vars(Model)["of_class"].__func__, (Child,), {}, ("method",)),
    (CHILD.static, Model.static, (), {}, ()),
    (vars(Model)["static"], Model.static, (), {}, ("static",)),
    (CHILD, Model.__call__, (CHILD,), {}, ("call",)),
    (MODEL.half, Model.method, (MODEL, 0.5), {}, ("partial", "method")),
    (MODEL.cached, Model.cached.__wrapped__, (MODEL,), {}, ("method", "lru_cache")),
    (BY_PARTIAL, plain, (BY_PARTIAL, 3.0), {}, ("call", "partial", "method")),
])
def test_unwrap(call: Any, function: Any, args: Any, keywords: dict[str, Any], path: tuple[str, ...]) -> None:
    found = unwrap(call)
    assert found is not None
    assert found.function is function
    assert (found.args, found.keywords, found.path) == (args, keywords, path)


@pytest.mark.parametrize("call", [len, np.sin, np.sum, Model, 3, None, "".join, np.vectorize(plain), print])
def test_no_python_function(call: Any) -> None:
    assert unwrap(call) is None


def test_an_object_that_calls_itself_ends() -> None:
    class Self:
        def __get__(self, *_: Any) -> Any:
            return self

    setattr(Self, "__call__", Self())  # noqa: B010 - mypy does not let it be assigned
    assert unwrap(Self()) is None


def test_numba() -> None:
    numba = pytest.importorskip("numba")
    found = unwrap(functools.partial(numba.njit(plain), 1.0))
    assert found is not None
    assert (found.function, found.args, found.path) == (plain, (1.0,), ("partial", "numba"))
    assert unwrap(numba.vectorize(plain)) is None


# Names.


def scope(text: str) -> Scope:
    return scope_of(gast.parse(text).body[0])


def test_order_of_parameters() -> None:
    assert scope("def f(a, /, b, *c, d, **e): pass").params == ("a", "b", "c", "d", "e")


@pytest.mark.parametrize(("body", "bound", "free"), [
    ("y = a", "y", "a"),
    ("y += a", "y", "a"),
    ("y: int = a", "y", "a int"),
    ("global g; g = a", "", "a g"),
    ("for i, (j, *k) in a: pass", "i j k", "a"),
    ("with a as b: pass", "b", "a"),
    ("import p.q, r as s\n from t import u", "p s u", ""),
    ("try: pass\n except a as e: pass", "e", "a"),
    ("z = [i * a for i in b for j in i]", "z", "a b"),
    ("z = [(last := i) for i in b]", "z last", "b"),
    ("z = {k: v for k, v in b}", "z", "b"),
    ("z = [lambda: i + w for i in b]", "z", "b w"),
    ("z = lambda q=d: q + a", "z", "a d"),
    ("class C(a):\n  m = b\n  def n(self): return m + c", "C", "a b c m"),
    ("match a:\n  case {'k': v, **r}: pass\n  case [h, *t]: pass", "v r h t", "a"),
    ("del x", "", ""),
    ("def g(p=d): return p + x + a", "g", "a d"),
    ("def g():\n  global w\n  w = 1", "g", "w"),
    ("def g():\n  def h(): return a + y\n  y = 1", "g", "a"),
])
def test_names(body: str, bound: str, free: str) -> None:
    found = scope(f"def f(x):\n {body}")
    assert found.bound == {"x", *bound.split()}
    assert found.free == set(free.split())


def test_captured_and_rebound() -> None:
    found = scope("def f(x):\n a = b = 0\n def g():\n  def h():\n   nonlocal a\n   a = x\n  b = 1\n return g")
    assert found.captured == {"a", "x"} and found.rebound == {"a"}
    node, inner = found.nested[0]
    assert node.name == "g" and inner.free == {"a", "x"} and inner.nested[0][1].nonlocals == {"a"}


LEVEL = 1.0


def closure() -> tuple[Callable[[], Any], Callable[[float], None]]:
    k = 2.0

    def read() -> Any:
        return k, later, LEVEL, len, nowhere  # type: ignore[name-defined] # noqa: F821

    def write(value: float) -> None:
        nonlocal k
        k = value

    if k < 0:
        later = 1
    return read, write


def test_values_from_outside() -> None:
    read, write = closure()
    function: Any = read
    assert [kind_of(function, n) for n in ("k", "LEVEL", "len", "nowhere")] == ["cell", "global", "builtin", "missing"]
    assert outside_value(function, "LEVEL") == 1.0 and outside_value(function, "len") is len
    assert outside_value(function, "later") is MISSING and outside_value(function, "nowhere") is MISSING
    k = getter(function, "k")
    assert k() == 2.0
    write(5.0)
    assert k() == 5.0 and cells(function)["k"].cell_contents == 5.0
