"""Generators, generator expressions and other iterators: each item is handed out once, when it is asked for."""

import itertools

import numpy as np

from . import program

X = np.array([0.8, 1.7, 0.4, 1.1])


def powers(n, x):
    for i in range(n):
        yield x**i


def three(x):
    yield x
    y = x * x
    yield y
    yield x * y


def halved(x):
    while True:
        yield x
        x = x * 0.5


def windows(a, k):
    for i in range(len(a) - k + 1):
        yield a[i : i + k]


class Tree:
    def __init__(self, value, *children):
        self.value = value
        self.children = children

    def __iter__(self):
        yield self.value
        for child in self.children:
            yield from child


@program(args=(0.7,), order=2)
def summed(x):
    return sum(powers(4, x))


@program(args=(0.7,), order=2)
def for_loop(x):
    t = 0.0
    for v in powers(4, x):
        t = t * x + v
    return t


@program(args=(0.7,), order=2)
def loop_left_early(x):
    t = 0.0
    for v in powers(10, x):
        if v < 0.3:
            break
        t += v
    return t


@program(args=(0.7,))
def return_from_the_loop(x):
    for k, v in enumerate(powers(10, x)):
        if v < 0.3:
            return v * k
    return 0.0


@program(args=(0.7,))
def without_end(x):
    t = 0.0
    for v in halved(x):
        if v < 0.01:
            break
        t += v * v
    return t


@program(args=(0.7,))
def listed(x):
    return list(powers(4, x))[2] * max(powers(3, x))


@program(args=(0.7,))
def delegated(x):
    def more(x):
        yield from three(x)
        yield from [x, 2.0]

    return sum(v * v for v in more(x))


@program(args=(0.7,))
def by_next(x):
    items = three(x)
    a = next(items)
    b = next(items)
    return a * b * b


@program(args=(X,))
def sliding_windows(x):
    return sum(w.sum() ** 2 for w in windows(x, 2))


@program(args=(0.7, 0.4))
def tree(a, b):
    return sum(v**2 * k for k, v in enumerate(Tree(a, Tree(b), Tree(a * b, Tree(a))), 1))


@program(args=(0.7,))
def late_binding(x):
    y = x
    items = (v * y for v in [1.0, 2.0])
    y = x * x
    return sum(items)


@program(args=(0.7,))
def exhausted(x):
    items = (v * x for v in [1.0, 2.0, 3.0])
    mapped = map(lambda v: v * x, [1.0, 2.0])
    a = sum(items) * sum(mapped)
    return a + sum(items) + sum(mapped)


@program(args=(0.7,))
def zip_exhausted(x):
    rows = zip([1.0, 2.0], [x, x], strict=True)
    a = sum(u * v for u, v in rows)
    return a + sum(u for u, v in rows)


@program(args=(0.7,))
def rest_of_an_iterator(x):
    items = iter([x, 2.0, x * x])
    a = next(items)
    return a * sum(items)


@program(args=(0.7,))
def in_pairs(x):
    items = iter([x, 2.0, x * x, 3.0])
    return sum(a * b for a, b in zip(items, items, strict=False))


@program(args=(0.7,))
def next_with_default(x):
    items = iter([x])
    next(items)
    return x * next(items, 5.0)


@program(args=(X,))
def first_that_holds(x):
    return next((v for v in x if v > 1.0), 0.0) * x[0]


@program(args=(0.7,))
def zip_with_a_list(x):
    return sum(a * b for a, b in zip(powers(4, x), [1.0, 2.0, 3.0], strict=False))


@program(args=(X,))
def filtered(x):
    return sum(filter(lambda v: v > 0.5, x)) * x[0]


@program(args=(X,))
def mapped_arrays(x):
    return sum(map(lambda a, b: a * b, x, x[1:]))


@program(args=(X,))
def chained(x):
    t = 0.0
    for v in itertools.chain(x, x * 2.0):
        t += v**3
    return t


@program(args=(X,))
def accumulated(x):
    return sum(v * v for v in itertools.accumulate(x))


@program(args=(X,))
def pairwise_differences(x):
    return sum((b - a) ** 2 for a, b in itertools.pairwise(x))


@program(args=(X,))
def any_and_all(x):
    return x[0] * 2.0 if any(v > 1.0 for v in x) and all(v < 2.0 for v in x) else x[1]


@program(args=(0.7,))
def generator_in_generator(x):
    t = 0.0
    for a in powers(3, x):
        for b in powers(3, x):
            t += a * b * b
    return t
