"""Functions that read `s2s.Variable`s: globals, attributes, containers, closures, defaults."""

import math

import numpy as np

import s2s

from . import program

w = s2s.Variable(1.5, name="w")
b = s2s.Variable(-0.3, name="b")
vector = s2s.Variable(np.array([0.5, -1.0, 2.0]), name="vector")
matrix = s2s.Variable(np.array([[0.5, 1.0, -0.3], [2.0, -1.0, 0.7]]), name="matrix")
table = {"scale": s2s.Variable(0.8), "shifts": [s2s.Variable(0.1), s2s.Variable(np.array([0.2, 0.4]))]}


class _Layer:
    def __init__(self, rows, columns, phase):
        grid = np.arange(rows * columns, dtype=float).reshape(rows, columns)
        self.kernel = s2s.Variable(0.5 * np.sin(grid + phase))
        self.bias = s2s.Variable(0.1 * np.cos(np.arange(columns) + phase))

    def __call__(self, x):
        return np.tanh(x @ self.kernel + self.bias)


class _Network:
    def __init__(self):
        self.layers = [_Layer(2, 3, 0.0), _Layer(3, 2, 1.0)]
        self.scale = s2s.Variable(1.2)

    def loss(self, x, y):
        h = x
        for layer in self.layers:
            h = layer(h)
        return np.mean((self.scale * h - y) ** 2)


network = _Network()
network_variables = tuple(
    v for layer in network.layers for v in (layer.kernel, layer.bias)
) + (network.scale,)
X = np.array([[0.5, -1.0], [1.5, 0.3], [-0.7, 0.9]])
Y = np.array([[0.1, 0.2], [0.4, -0.3], [-0.5, 0.6]])


@program(args=(2.0, 3.0), wrt=(), variables=(w, b), smoke=True)
def weighted_sum(x1, x2):
    return w * x1 + b * x2


@program(args=(2.0,), wrt=(), variables=(w, b))
def in_loop_and_branch(x):
    r = x
    for _ in range(3):
        if r > 4.0:
            r = r * b
        else:
            r = r * w + b
    return r


@program(args=(np.array([0.3, 0.1]),), wrt=(), variables=(vector, matrix))
def arrays(x):
    return np.sum(np.tanh(x @ matrix) * vector) + vector[1] * matrix[0, 2]


@program(args=(2.0,), wrt=(), variables=(table["scale"], *table["shifts"]))
def in_containers(x):
    s = table["scale"] * x
    for shift in table["shifts"]:
        s = s * s + np.sum(shift)
    return s


@program(args=(X, Y), wrt=(), variables=network_variables, smoke=True)
def in_objects(x, y):
    return network.loss(x, y)


program(args=(X, Y), wrt=(), variables=network_variables, name="bound_method")(network.loss)


def _closure():
    gain = s2s.Variable(0.7)

    def inner(x, default=w):
        return gain * x + default * gain

    return gain, inner


_gain, _inner = _closure()
program(args=(2.0,), wrt=(), variables=(_gain, w), name="in_closure_and_default")(_inner)


def _reads_in_helper(t):
    return math.sin(w * t)


@program(args=(2.0,), wrt=(), variables=(w, b))
def read_by_callee(x):
    return _reads_in_helper(x) * _reads_in_helper(b)


@program(args=(2.0,), wrt=(), variables=(w, vector))
def every_way_to_read(x):
    s = w.numpy() * x + w.value() * w.read_value() + float(w)
    return s * np.sum(np.asarray(vector)) + np.sum(vector.numpy() ** 2) + len(vector)


@program(args=(2.0,), wrt=(), variables=(w, b))
def read_on_one_path_only(x):
    if x > 1.0:
        return w * x
    return b * x


@program(args=(vector, 2.0), wrt=(), variables=(vector, w))
def as_argument(v, x):
    return np.sum(v * v) * x * w
