"""Python's own ways with objects: operators, properties, descriptors, `__getattr__`, metaclasses, MRO."""

import functools
import math

from . import program


class Vec2:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vec2(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vec2(self.x - other.x, self.y - other.y)

    def __mul__(self, k):
        return Vec2(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __neg__(self):
        return Vec2(-self.x, -self.y)

    def __truediv__(self, k):
        return Vec2(self.x / k, self.y / k)

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __iadd__(self, other):
        self.x += other.x
        self.y += other.y
        return self

    def __float__(self):
        return self.x

    def __iter__(self):
        yield self.x
        yield self.y

    @property
    def length(self):
        return math.sqrt(self @ self)

    @staticmethod
    def unit(t):
        return Vec2(math.cos(t), math.sin(t))

    @classmethod
    def both(cls, v):
        return cls(v, v)


@program(args=(0.7, 0.4), order=2, smoke=True)
def vector_operators(a, b):
    u = Vec2(a, b)
    v = Vec2.unit(a) + 2.0 * u - u * 0.5
    w = -v / 3.0
    return u @ w + abs(v) + v.length + Vec2.both(a) @ u


@program(args=(0.7, 0.4), order=2)
def vector_oscillator(a, b):
    q, v = Vec2(a, b), Vec2(0.0, 1.0)
    for _ in range(10):
        v = v + q * (-0.1)
        q = q + v * 0.1
    return abs(q)


@program(args=(0.7, 0.4))
def vector_iterated(a, b):
    t = 0.0
    for c in Vec2(a, b):
        t += c * c
    return t + max(Vec2(a, b)) * sum(c * c for c in Vec2(b, a))


@program(args=(0.7, 0.4))
def vector_in_place(a, b):
    v = Vec2(a, b)
    w = v
    v += Vec2(b, b)
    return float(w) * abs(v)


@program(args=(0.7, 0.4))
def vectors_summed(a, b):
    return abs(sum([Vec2(a, b), Vec2(b, a)], Vec2(0.0, 0.0)))


class Base:
    scale = 2.0

    def __init__(self, a):
        self.a = a

    def f(self, x):
        return self.a * x

    def g(self, x):
        return self.f(x) * self.scale

    @property
    def twice(self):
        return 2.0 * self.a

    @twice.setter
    def twice(self, v):
        self.a = v / 2.0


class Middle(Base):
    def f(self, x):
        return super().f(x) ** 2


class Mixin:
    def f(self, x):
        return super().f(x) + x


class Leaf(Mixin, Middle):
    scale = 3.0

    def __init__(self, a, b):
        super().__init__(a)
        self.b = b

    def f(self, x):
        return super().f(x) * self.b


@program(args=(0.7, 0.4), order=2)
def method_resolution(a, b):
    return Leaf(a, b).g(a) + Middle(a).g(b) + Base(a).twice


@program(args=(0.7, 0.4))
def property_setter(a, b):
    o = Base(a)
    o.twice = b * b
    return o.g(a)


@program(args=(0.7, 0.4))
def class_and_instance_attribute(a, b):
    o = Base(a)
    o.scale = b
    return o.g(a) + Base.scale * a


class Doubling(type):
    def __call__(cls, *args):
        made = super().__call__(*args)
        made.k = made.k * 2.0
        return made


class Doubled(metaclass=Doubling):
    def __init__(self, k):
        self.k = k


@program(args=(0.7,))
def metaclass_call(x):
    return Doubled(x).k ** 2


class MadeByNew:
    def __new__(cls, v):
        made = super().__new__(cls)
        made.w = v * 3.0
        return made

    def __init__(self, v):
        self.v = v


@program(args=(0.7,))
def new_and_init(x):
    made = MadeByNew(x)
    return made.v * made.w


class Fallback:
    def __init__(self, v):
        self.v = v

    def __getattr__(self, name):
        return self.v * len(name)


@program(args=(0.7,))
def getattr_fallback(x):
    return Fallback(x).five * Fallback(x).v


class Intercepted:
    def __init__(self, v):
        self.v = v

    def __getattribute__(self, name):
        return object.__getattribute__(self, name) * 5.0

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2.0)


@program(args=(0.7,))
def every_access_intercepted(x):
    return Intercepted(x).v * x


class Scaled:
    def __get__(self, owner, cls):
        return owner.raw * 2.0

    def __set__(self, owner, value):
        owner.raw = value * 3.0


class Described:
    d = Scaled()

    def __init__(self, v):
        self.d = v


@program(args=(0.7,))
def descriptor(x):
    return Described(x).d * x


class Private:
    def __init__(self, v):
        self.__v = v

    def squared(self):
        self.__v *= 2.0
        return self.__v * self.__self()

    def __self(self):
        return self.__v


@program(args=(0.7,))
def private_names(x):
    return Private(x).squared()


class Account:
    total = 0.0

    def add(self, v):
        self.total += v
        return self


@program(args=(0.7,))
def class_default(x):
    a = Account()
    a.add(x).add(x * x)
    return a.total + Account.total


class Expensive:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def square(self):
        return self.x * self.x

    def scaled(self, k):
        return self.x * k

    doubled = functools.partialmethod(scaled, 2.0)


@program(args=(0.7,))
def cached_property_and_partialmethod(x):
    o = Expensive(x)
    first = o.square
    o.x = 0.0
    return first + o.square * x + o.doubled()


class Checked:
    def __init__(self, mean, scale):
        if scale < 0.0:
            raise ValueError("a scale is positive")
        self.mean = mean
        self.scale = scale

    def logpdf(self, x):
        return -0.5 * ((x - self.mean) / self.scale) ** 2 - math.log(self.scale)


@program(args=(0.7, 0.2, 1.3), order=2)
def checked_when_made(x, m, s):
    return Checked(m, s).logpdf(x) * Checked(m * m, 1.0).mean
