"""The standard library: math, cmath, operator, functools, itertools, statistics, collections, bisect."""

import bisect
import cmath
import collections
import functools
import heapq
import itertools
import math
import operator
import statistics

import numpy as np

from . import program

X = np.array([0.8, 1.7, 0.4, 1.1])
L = [0.7, 0.4, 1.2]


@program(args=(1.2, 0.5, 0.7), order=2)
def norms(a, b, c):
    return math.hypot(a, b, c) ** 2 * math.hypot(a) + math.dist([a, b], [b * 2.0, 1.0])


@program(args=(X,))
def distance_of_arrays(x):
    return math.dist(x, x * x)


@program(args=(1.2, 0.5), order=2)
def products_and_sums(a, b):
    return math.prod([a, b, a * b], start=b) + math.fsum([a * a, b, a * b]) + math.fsum(v * a for v in (a, b))


@program(args=(2.7,), order=2)
def gamma_function(x):
    return math.gamma(x) + math.lgamma(x) * x


@program(args=(7.3, 2.1), order=2)
def remainders(x, y):
    fraction, whole = math.modf(x * x)
    return math.remainder(x, y) * x + math.fmod(x, y) * y + fraction * whole + math.ldexp(x, 3)


@program(args=(7.3,))
def close_with_tolerance(x):
    return x * x if math.isclose(x, 7.4, rel_tol=0.1) and not math.isclose(x, 7.4) else x


@program(args=(0.3,))
def bernstein(x):
    return sum(math.comb(5, k) * x**k * (1.0 - x) ** (5 - k) * k for k in (1, 2, 3, 4, 5))


@program(args=(0.7, 0.4), order=2)
def complex_functions(a, b):
    z = complex(a, b)
    w = cmath.sqrt(z) + cmath.log(z) * cmath.exp(1j * cmath.pi * z) + cmath.cos(z) * cmath.tan(z)
    r, phi = cmath.polar(w)
    return r * phi + cmath.rect(a, b).imag + cmath.phase(z)


@program(args=(0.7, 2.4))
def complex_roots(b, c):
    r = (-b + cmath.sqrt(b * b - 4.0 * c)) / 2.0
    return r.real + r.imag * 2.0


@program(args=(0.7, 0.4))
def operators(a, b):
    table = {"+": operator.add, "*": operator.mul, "/": operator.truediv, "abs": operator.abs}
    return table["+"](a, b) * table["*"](a, b) - table["/"](a, b) + table["abs"](-a)


class Named:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def norm(self, p=2):
        return (self.x**p + self.y**p) ** (1 / p)


second = operator.itemgetter(1)


@program(args=(0.7, 0.4))
def getters(a, b):
    n = Named(a, b)
    x, y = operator.attrgetter("x", "y")(n)
    return second((x, y)) * operator.methodcaller("norm", p=3)(n) + operator.itemgetter("k")({"k": a * a})


@program(args=(0.7, 0.4))
def reduced(a, b):
    return functools.reduce(lambda x, y: x * y + x, [a, b, a * b, 2.0]) + functools.reduce(operator.mul, [a, b], b)


@program(args=(X,))
def reduced_array(x):
    return functools.reduce(lambda s, v: s * 0.5 + v * v, x, 0.0) * functools.reduce(lambda s, v: s * v, x)


@program(args=(L, [1.0, 2.0]))
def combinatorics(u, v):
    t = sum(a * b * a for a, b in itertools.product(u, v)) + sum(a * b * b for a, b in itertools.combinations(u, 2))
    return t * sum(a * b * b for a, b in itertools.permutations(u, 2))


@program(args=(X,))
def pairs_of_an_array(x):
    t = 0.0
    for i, j in itertools.combinations(range(len(x)), 2):
        t += (x[i] - x[j]) ** 2
    for i, j in itertools.product(range(len(x)), repeat=2):
        t += x[i] * x[j] * x[j]
    return t


@program(args=(L,))
def endless_beside_finite(u):
    t = sum(a * k for k, a in zip(itertools.count(1), u, strict=False))
    cycled = sum(a * s for a, s in zip(u, itertools.cycle([1.0, -2.0]), strict=False))
    return t + cycled * sum(itertools.repeat(u[0], 3))


@program(args=(X,))
def endless_beside_an_array(x):
    t = 0.0
    for k, v in zip(itertools.count(), x, strict=False):
        t += k * v * v
    for s, v in zip(itertools.cycle((1.0, -2.0)), x, strict=False):
        t += s * v * v
    return t


@program(args=(X,))
def slices_of_iterators(x):
    items = iter([x[0], x[1], x[2] * x[3]])
    head = list(itertools.islice(items, 2))
    t = head[0] * head[1] + sum(items)
    for a, b in zip(x, itertools.islice(x, 1, None), strict=False):
        t += a * b
    return t


@program(args=(L, [1.0, 2.0]))
def longest(u, v):
    return sum(a * b for a, b in itertools.zip_longest(u, v, fillvalue=1.5)) + list(itertools.accumulate(u))[-1]


@program(args=(L,))
def moments(u):
    weighted = statistics.fmean(u) * 2.0
    return statistics.mean(u) * weighted + statistics.variance(u) + statistics.pstdev(u)


@program(args=(L,))
def middles(u):
    return statistics.median(u) + statistics.geometric_mean(u) * statistics.harmonic_mean(u)


@program(args=(X,))
def moments_of_an_array(x):
    return statistics.mean(x) + statistics.stdev(x) * statistics.median(x)


@program(args=(L, [1.0, 0.2, 3.0]))
def regression(u, v):
    line = statistics.linear_regression(u, v)
    return line.slope * 2.0 + line.intercept + statistics.correlation(u, v)


@program(args=(0.7,))
def queue(x):
    q = collections.deque([x, x * x, 3.0])
    q.appendleft(2.0 * x)
    t = 0.0
    while q:
        t = t * 0.3 + q.popleft()
    return t


@program(args=(0.7,))
def default_dicts(x):
    sums, lists = collections.defaultdict(float), collections.defaultdict(list)
    for k in (0, 1, 2):
        sums[k % 2] += x**k
        lists[k % 2].append(x * k)
    counts = collections.Counter("aab")
    return sums[0] * sums[1] + sum(lists[0]) ** counts["a"]


@program(args=(0.7, 1.7))
def table_by_bisection(x, y):
    xs = [0.0, 1.0, 2.0]
    ys = [y, y * y, 3.0]
    k = bisect.bisect_right(xs, x) - 1
    return ys[k] + (ys[k + 1] - ys[k]) * (x - xs[k])


@program(args=(L,))
def largest(u):
    return sum(heapq.nlargest(2, u)) * heapq.nsmallest(1, u)[0]
