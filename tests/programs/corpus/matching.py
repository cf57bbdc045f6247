"""`match` statements: values, sequences, mappings, classes, captures, guards, alternatives."""

import enum
import math
from dataclasses import dataclass

from . import program


@dataclass
class Point:
    x: float
    y: float


class Color(enum.Enum):
    RED = 1
    BLUE = 2


@program(args=(0.7, "square"), wrt=(0,), order=2)
def text(x, mode):
    match mode:
        case "square":
            return x * x
        case "cube" | "third":
            return x**3
        case _:
            return x


@program(args=(0.7, 2), wrt=(0,))
def number(x, n):
    match n:
        case 0:
            return 1.0
        case 1 | 2:
            return x * x
        case k if k > 5:
            return x * k
        case k:
            return x**k


@program(args=((0.7, 0.4),), order=2)
def sequence(pair):
    match pair:
        case (x,):
            return x
        case (x, y):
            return x * y * y
        case (x, *rest):
            return x + len(rest)


@program(args=([0.7, 0.4, 1.2],))
def star(items):
    match items:
        case []:
            return 0.0
        case [first, *rest]:
            return first * sum(rest)


@program(args=({"kind": 0.7, "r": 0.4, "z": 2.0},))
def mapping(d):
    match d:
        case {"missing": _}:
            return 0.0
        case {"kind": k, "r": r, **rest}:
            return k * r * r + rest["z"]


@program(args=(0.7, 0.4))
def class_patterns(a, b):
    p = Point(a, b)
    match p:
        case Point(x=0.0):
            return b
        case Point(x, y) if x > y:
            return x * y * x
        case Point(x=x, y=y):
            return x + y


@program(args=(0.7, 0.4))
def kinds_of_numbers(a, b):
    match a:
        case int():
            return b
        case float() as f:
            return f * f * b


@program(args=(0.7, 0.4))
def instructions(a, b):
    r = a
    for instruction in [("add", b), ("mul", b), ("neg",)]:
        match instruction:
            case ("add", v):
                r = r + v
            case ("mul", v):
                r = r * v
            case ("neg",):
                r = -r
    return r


@program(args=(0.7,))
def guards_at_run_time(x):
    match x:
        case v if v < 0.5:
            r = v
        case v if v < 1.0:
            r = v * v * v
        case _:
            r = 0.0
    return r


@program(args=(0.7,))
def values_at_run_time(x):
    k = int(x * 10.0 + 0.5)
    match k:
        case 0:
            r = x
        case 6 | 7:
            r = x * x
        case _:
            r = -x
    return r


@program(args=(0.7, Color.BLUE), wrt=(0,))
def members(x, color):
    match color:
        case Color.RED:
            return x
        case Color.BLUE:
            return x * x


@program(args=(None, 0.7), wrt=(1,))
def nothing(a, x):
    match a:
        case None:
            return x * x
        case _:
            return x


def evaluated(e, x):
    match e:
        case ("x",):
            return x
        case ("constant", v):
            return v
        case ("add", left, right):
            return evaluated(left, x) + evaluated(right, x)
        case ("mul", left, right):
            return evaluated(left, x) * evaluated(right, x)
        case ("sin", inner):
            return math.sin(evaluated(inner, x))


@program(args=(0.7,), order=2)
def expression_tree(x):
    tree = ("mul", ("add", ("x",), ("constant", 2.0)), ("sin", ("x",)))
    return evaluated(tree, x)
