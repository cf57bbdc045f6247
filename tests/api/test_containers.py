"""Containers as arguments, local values, results and weights: dataclasses, namedtuples, attrs classes, dicts, lists."""

from __future__ import annotations

import collections
import copy
import dataclasses
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

import s2s

X = np.array([1.0, 2.0])


@dataclass
class Layer:
    """Numbers, arrays, and what is neither."""

    w: Any
    b: Any = 1.0
    name: str = "layer"
    units: int = 3


@dataclass(frozen=True)
class Frozen:
    """Cannot be assigned to."""

    a: Any
    c: Any = 2.0


@dataclass(slots=True)
class Slots:
    """Has no `__dict__`."""

    a: Any
    b: Any


@dataclass
class Model:
    """Of other containers."""

    layer: Layer
    scale: Frozen
    rows: list[Any] = field(default_factory=list)
    table: dict[str, Any] = field(default_factory=dict)


@dataclass
class Spring:
    """Methods, a property, and a field that `__post_init__` sets."""

    k: Any
    twice: Any = field(init=False)

    def __post_init__(self) -> None:
        self.twice = 2.0 * self.k

    def force(self, x: Any) -> Any:
        return self.k * x + self.twice

    @property
    def energy(self) -> Any:
        return self.k ** 2

    @classmethod
    def of(cls, k: Any) -> Spring:
        return cls(k)

    def __add__(self, other: Spring) -> Spring:
        return Spring(self.k + other.k)


class Point(NamedTuple):
    """A namedtuple with a default."""

    a: Any
    b: Any = 3.0


def layer(p: Any) -> Any:
    return np.sum(p.w * p.w) * p.b ** p.units


def frozen(p: Any, x: Any) -> Any:
    return p.a ** 2 * x * np.sum(p.c * p.c)


def slots(p: Any) -> Any:
    p2 = Slots(p.a * np.sum(p.b), p.b)
    return p2.a ** 2


def model(m: Any) -> Any:
    return m.layer.b * m.scale.a ** 2 + np.sum(m.rows[0] ** 3) * m.table["k"][1]


def methods(x: Any) -> Any:
    spring = Spring.of(x) + Spring(2.0)
    return spring.force(x) * spring.energy


def replaced(p: Any, x: Any) -> Any:
    q = dataclasses.replace(p, a=x * p.a)
    r = dataclasses.replace(Frozen(x), c=q.a)
    return q.a * q.c * r.c


def as_dict(p: Any) -> Any:
    inner = dataclasses.asdict(Model(Layer(p.a), p, [p.c * 2.0], {"z": p.a}))
    total = sum(np.sum(v * v) for v in inner["scale"].values())
    return total * inner["table"]["z"] + dataclasses.astuple(p)[0] ** 3 * np.sum(inner["rows"][0])


def by_field(p: Any) -> Any:
    return sum(getattr(p, f.name) ** (k + 1) for k, f in enumerate(dataclasses.fields(p)))


def compared(p: Any) -> Any:
    return p.a * p.c if Frozen(1.0, 2.0) == Frozen(1.0, 2.0) and Frozen(p.a) != Slots(p.a, 1.0) else p.a


def named(p: Any) -> Any:
    q = p._replace(a=p.a ** 2)
    r = Point._make([q.b, q.a])
    a, b = r
    return q.a * q.b + q._asdict()["b"] ** 2 * a * b + len(Point._fields)


def ragged(d: Any) -> Any:
    s = 0.0
    for _, v in d.items():
        for i, r in enumerate(v):
            s = s + (i + 1.0) * np.sum(r) ** 2
    return s


def comprehensions(d: Any) -> Any:
    e = {k: np.sum(v * v) for k, v in d.items()}
    rows = [e[k] * 2.0 for k in e if k != "b"]
    return sum(rows) * sum(e.values()) + sum(x * y for x, y in zip(e.values(), rows + rows[:1], strict=True))


def tree(p: Any) -> Any:
    def mapped(f: Any, t: Any) -> Any:
        if isinstance(t, dict):
            return {k: mapped(f, v) for k, v in t.items()}
        if isinstance(t, (list, tuple)):
            return type(t)(mapped(f, v) for v in t)
        return f(t)

    q = mapped(lambda v: v * v, p)
    return np.sum(q["w"][0]) * q["b"][1] + len(q["b"])


def deques(x: Any) -> Any:
    d = collections.deque([x, x * x], maxlen=3)
    d.append(x ** 3)
    d.append(2.0 * x)
    d.appendleft(d.popleft() * 3.0)
    d.rotate(1)
    return d[0] * d[1] + sum(d) + len(d)


def dicts(x: Any) -> Any:
    d = collections.OrderedDict()
    d["a"] = x
    d["b"] = x * x
    d.move_to_end("a")
    groups = collections.defaultdict(list)
    for k, v in d.items():
        groups[k].append(v * 2.0)
    groups["b"].append(x)
    counts: Any = collections.defaultdict(float)
    counts["n"] += x * x
    last, value = d.popitem()
    both = dict(d) | {"c": value * counts["n"]}
    return sum(both.values()) * sum(groups["b"]) + len(last)


def lists(rows: Any) -> Any:
    m = rows[::-1] + [rows[0]] * 2
    m[1:2] = [5.0 * rows[0], rows[1]]
    m.insert(0, rows[1])
    del m[2:3]
    return sum((i + 1) * z * z for i, z in enumerate(m))


def copies(d: Any) -> Any:
    deep, shallow = copy.deepcopy(d), copy.copy(d)
    deep["a"][0] = deep["a"][0] * 2.0
    shallow["a"] = [deep["a"][0]]
    return deep["a"][0] * d["a"][0] * d["a"][1] + shallow["a"][0]


def namespaces(x: Any) -> Any:
    n = types.SimpleNamespace(a=x, b=x * x)
    n.c = n.a * n.b
    return n.c


def unpacked(t: Any) -> Any:
    (a, [b, *c]), d = t
    return a * b * sum(c) * d["x"] ** 2


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (layer, (Layer(X, 2.0),)), (frozen, (Frozen(2.0, X), 3.0)), (slots, (Slots(2.0, X),)),
    (model, (Model(Layer(X, 3.0), Frozen(2.0), [X, 1.0], {"k": (1.0, 5.0)}),)), (methods, (1.5,)),
    (replaced, (Frozen(2.0), 1.5)), (as_dict, (Frozen(1.5, X),)), (by_field, (Frozen(2.0, 3.0),)),
    (compared, (Frozen(2.0, 3.0),)), (named, (Point(2.0),)),
    (ragged, ({"a": [1.0, X], "b": [np.ones((2, 2))], "c": []},)), (comprehensions, ({"a": X, "b": 2.0, "c": 3.0},)),
    (tree, ({"w": [X, 1.0], "b": (1.0, 2.0)},)), (deques, (1.5,)), (dicts, (1.5,)), (lists, ([1.0, 2.0, 3.0],)),
    (copies, ({"a": [1.0, 2.0]},)), (namespaces, (1.5,)), (unpacked, (((1.0, [2.0, 3.0, 4.0]), {"x": 5.0}),)),
]


def fields(v: Any) -> list[str] | None:
    if dataclasses.is_dataclass(v) and not isinstance(v, type):
        return [f.name for f in dataclasses.fields(v)]
    return [a.name for a in type(v).__attrs_attrs__] if hasattr(type(v), "__attrs_attrs__") else None


def leaves(v: Any) -> Iterator[Any]:
    names = fields(v)
    parts = v.values() if isinstance(v, dict) else v if isinstance(v, (list, tuple)) else \
        None if names is None else [getattr(v, n) for n in names]
    if parts is None:
        yield v
    else:
        for p in parts:
            yield from leaves(p)


def mapped(f: Callable[[Any], Any], v: Any) -> Any:
    if isinstance(v, dict):
        return {k: mapped(f, x) for k, x in v.items()}
    if isinstance(v, (list, tuple)):
        parts = [mapped(f, x) for x in v]
        return type(v)(*parts) if hasattr(v, "_fields") else type(v)(parts)
    names = fields(v)
    if names is None:
        return f(v)
    made = copy.copy(v)
    for n in names:
        object.__setattr__(made, n, mapped(f, getattr(v, n)))
    return made


def is_float(v: Any) -> bool:
    return isinstance(v, (float, np.ndarray))


def moved(args: Any, tangents: Any, h: float) -> Any:
    dots = leaves(tangents)
    return mapped(lambda v: v + h * t if is_float(v) and (t := next(dots)) is not None else v if is_float(v)
                  else (next(dots), v)[1], args)


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_program(f: Any, args: Any) -> None:
    """Both modes against differences and each other, to second order; gradients in the structure of the arguments."""
    rng = np.random.default_rng(1)
    tangents = mapped(lambda v: rng.standard_normal(np.shape(v))[()] if is_float(v) else None, args)

    def along(g: Callable[..., Any], h: float = 1e-4) -> Any:
        return (8 * (g(h) - g(-h)) - (g(2 * h) - g(-2 * h))) / (12 * h)

    gradient = s2s.grad(f, tuple(range(len(args))))

    def product(g: Any) -> float:
        return sum(float(np.sum(np.asarray(x) * t)) for x, t in zip(leaves(g), leaves(tangents), strict=True)
                   if x is not None and t is not None)

    def weighted(at: Any) -> float:
        return product(gradient(*at))

    found = gradient(*args)
    assert [type(g) for g in found if fields(g)] == [type(a) for a in args if fields(a)]
    _, dot = s2s.jvp(f, args, tangents)
    np.testing.assert_allclose(dot, along(lambda h: float(f(*moved(args, tangents, h)))), rtol=1e-7)
    np.testing.assert_allclose(weighted(args), dot, rtol=1e-12)
    got = product(s2s.hvp(f, args, tangents))
    np.testing.assert_allclose(got, along(lambda h: weighted(moved(args, tangents, h))), rtol=1e-6, atol=1e-8)


def test_results_and_weights() -> None:
    def f(x: Any) -> Any:
        return Model(Layer(x * X), Frozen(x), [x, {"a": x ** 2}], collections.OrderedDict(k=x))

    value, gradient = s2s.value_and_grad(f)(3.0)
    assert isinstance(value, Model)
    assert isinstance(value.scale, Frozen)
    assert isinstance(value.table, collections.OrderedDict)
    assert value.layer.w.tolist() == [3.0, 6.0]
    assert value.layer.name == "layer"
    assert float(gradient) == 3.0 + 1.0 + 1.0 + 6.0 + 1.0
    weights = Model(Layer(X, 0.0), Frozen(2.0, 0.0), [0.0, {"a": 10.0}], {"k": 5.0})
    assert [float(g) for g in s2s.gradients_function(f)(3.0, dy=weights)] == [5.0 + 2.0 + 60.0 + 5.0]
    with pytest.raises(s2s.ShapeError, match="the value is a Model"):
        s2s.gradients_function(f)(3.0, dy=1.0)


def test_gradients_inside_have_the_structure_too() -> None:
    def f(p: Any) -> Any:
        g = s2s.grad(lambda q: np.sum(q.w ** 2) * q.b)(p)
        return np.sum(g.w) * g.b

    g = s2s.grad(f)(Layer(X, 2.0))
    assert isinstance(g, Layer)
    np.testing.assert_allclose(g.w, 2 * 2.0 * (np.sum(X ** 2) + 2 * X * np.sum(X)))
    assert g.name is None


def test_variables_inside() -> None:
    v, w = s2s.Variable(2.0), s2s.Variable(X)

    def f(p: Any, q: Any) -> Any:
        return np.sum(p.w) * p.b * q["k"][0] * v

    pairs = s2s.implicit_gradients(f)(Layer(w, 3.0), {"k": [v]})
    assert [(np.asarray(g).tolist(), u is x) for (g, u), x in zip(pairs, (v, w), strict=True)] == [
        (36.0, True), ([12.0, 12.0], True)]
    (g,) = s2s.gradients_function(f, params=["p"])(Layer(w, 3.0), {"k": [v]})
    assert np.asarray(g.w).tolist() == [12.0, 12.0]


def test_a_record_that_contains_itself_is_an_object() -> None:
    @dataclass
    class Node:
        x: Any
        parent: Any = None

    n = Node(2.0)
    n.parent = Node(3.0, n)
    of_node, of_number = s2s.gradients_function(lambda n, y: n.x * n.parent.x * y)(n, 1.0)
    assert of_node is None
    assert float(of_number) == 6.0


def test_errors() -> None:
    def init_false(x: Any) -> Any:
        return dataclasses.replace(Spring(x), twice=x).k

    with pytest.raises(s2s.UnsupportedSyntaxError, match="the field 'twice' is not set by __init__"):
        s2s.grad(init_false)(1.0)
    with pytest.raises(s2s.UnsupportedSyntaxError, match="Point has no field 'z'"):
        s2s.grad(lambda x: Point(x)._replace(z=1.0).a)(1.0)


def test_attrs_classes() -> None:
    attrs = pytest.importorskip("attrs")

    @attrs.frozen
    class Pair:
        x: Any
        _y: Any = attrs.field(default=2.0, converter=lambda v: 2.0 * v)
        rows: list[Any] = attrs.field(factory=list)

    def f(p: Any, z: Any) -> Any:
        q = attrs.evolve(p, x=p.x * z)
        r = Pair(z, y=z * z)
        return q.x * q._y * r._y + attrs.asdict(r)["x"] + np.sum(p.rows[0]) * len(attrs.fields(Pair))

    args = (Pair(3.0, 0.5, [X]), 2.0)
    g, dz = s2s.gradients_function(f)(*args)
    assert isinstance(g, Pair)
    assert float(dz) == pytest.approx(3.0 * 2.0 * 2.0 * 3.0 * 4.0 + 1.0)  # (q.x q._y) r._y = 3 z * 2 * 2 z**2
    assert np.asarray(g.rows[0]).tolist() == [3.0, 3.0]
