"""Train on batches that are drawn inside the block of a GradientTape.

    python examples/minibatches.py [--target cpu]

The model tells two interleaved spirals apart. Each step draws its batch, and drops hidden units, inside
the `with` block, as one writes it in a notebook: each batch is drawn once, and `tape.gradient` differentiates the loss
of that very batch.
"""

from __future__ import annotations

import argparse

import numpy as np

import s2s

STEPS = 400
BATCH = 64
RATE = 0.1


class Network:
    """Two inputs, two hidden layers, one output."""

    def __init__(self, hidden: int, rng: np.random.Generator) -> None:
        self.layers = [self.layer(2, hidden, rng), self.layer(hidden, hidden, rng), self.layer(hidden, 1, rng)]

    @staticmethod
    def layer(inputs: int, outputs: int, rng: np.random.Generator):
        return (s2s.Variable(rng.normal(size=(inputs, outputs)) / np.sqrt(inputs)), s2s.Variable(np.zeros(outputs)))

    @property
    def variables(self) -> list[s2s.Variable]:
        return [variable for layer in self.layers for variable in layer]

    def __call__(self, x):
        for weights, bias in self.layers[:-1]:
            x = np.tanh(x @ weights + bias)
        weights, bias = self.layers[-1]
        return (x @ weights + bias)[:, 0]


def spirals(count: int, rng: np.random.Generator):
    """Points on two spirals, and which of the two each is on (1 or -1)."""
    label = np.where(np.arange(count) % 2 == 0, 1.0, -1.0)
    angle = rng.uniform(0.5, 4.5, size=count)
    points = label[:, None] * angle[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return points / 4.5 + rng.normal(scale=0.02, size=(count, 2)), label


def main(target: str = "python") -> list[float]:
    rng = np.random.default_rng(0)
    points, label = spirals(1000, rng)
    network = Network(16, rng)
    velocity = [np.zeros(variable.shape) for variable in network.variables]
    losses = []
    for step in range(STEPS):
        with s2s.GradientTape(target=target) as tape:
            batch = rng.integers(0, len(points), size=BATCH)
            score = network(points[batch])
            loss = np.mean(np.log(1.0 + np.exp(-label[batch] * score)))
        gradients = tape.gradient(loss, network.variables)
        for variable, gradient, v in zip(network.variables, gradients, velocity, strict=True):
            v *= 0.9
            v -= RATE * gradient
            variable.assign_add(v)
        losses.append(float(loss))
        if step % 100 == 0 or step == STEPS - 1:
            print(f"step {step:4d}   loss {losses[-1]:.4f}")
    right = np.mean(np.sign(network(points)) == label)
    print(f"{100 * right:.1f} % of the points are on the right side")
    assert right > 0.9, "the spirals are not told apart"
    return losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="python", choices=["python", "cpu"])
    main(parser.parse_args().target)
