"""Classify irises with a network of two layers, written as classes that hold Variables.

The gradient function is made from a bound method; the Variables are found through `self.layers`.
"""

from __future__ import annotations

import argparse
from itertools import pairwise

import numpy as np
from sklearn.datasets import load_iris

import s2s


class Dense:
    def __init__(self, inputs: int, outputs: int, rng: np.random.Generator) -> None:
        self.w = s2s.Variable(rng.normal(size=(inputs, outputs)) / np.sqrt(inputs))
        self.b = s2s.Variable(np.zeros(outputs))

    def __call__(self, x):
        return x @ self.w + self.b


class Network:
    def __init__(self, sizes: tuple[int, ...]) -> None:
        rng = np.random.default_rng(0)
        self.layers = [Dense(m, n, rng) for m, n in pairwise(sizes)]

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = np.tanh(layer(x))
        return self.layers[-1](x)

    def loss(self, x, labels):
        """Cross entropy; `labels` has a one in the column of each row's class."""
        scores = self(x)
        scores = scores - np.max(scores, axis=1, keepdims=True)
        log_norm = np.log(np.sum(np.exp(scores), axis=1))
        return np.mean(log_norm - np.sum(scores * labels, axis=1))


def main(target: str = "python") -> list[float]:
    x, classes = load_iris(return_X_y=True)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    labels = np.eye(3)[classes]
    network = Network((4, 8, 3))
    value_and_gradients = s2s.implicit_value_and_gradients(network.loss, target=target)
    losses = []
    for step in range(200):
        value, gradients = value_and_gradients(x, labels)
        for gradient, variable in gradients:
            variable.assign_sub(0.5 * gradient)
        losses.append(float(value))
        if step % 40 == 0:
            print(f"step {step:3d}   loss {value:.5f}")
    accuracy = np.mean(np.argmax(network(x), axis=1) == classes)
    print(f"accuracy {accuracy:.3f}")
    assert losses[-1] < 0.1
    assert accuracy > 0.95
    return losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="python", choices=["python", "cpu"])
    main(parser.parse_args().target)
