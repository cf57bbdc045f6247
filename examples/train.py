"""Train a small model on real data, look at its adjoint, draw what happened.

    python examples/train.py [--target cpu] [--output training.png]

The model predicts how diabetes progresses in a year from ten measurements of a patient (442 patients;
the data comes with scikit-learn). Its parameters are `Variable`s: `implicit_value_and_gradients` finds
them in the source of `loss` and of what `loss` calls.
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.datasets import load_diabetes

import s2s

HIDDEN = 8
STEPS = 400
RATE = 0.1


class Model:
    """A linear model with a small hidden layer beside it."""

    def __init__(self, inputs: int) -> None:
        rng = np.random.default_rng(0)
        self.linear = s2s.Variable(np.zeros(inputs), name="linear")
        self.hidden = s2s.Variable(rng.normal(size=(inputs, HIDDEN)) / np.sqrt(inputs), name="hidden")
        self.bias = s2s.Variable(np.zeros(HIDDEN), name="bias")
        self.out = s2s.Variable(rng.normal(size=HIDDEN) / HIDDEN, name="out")
        self.offset = s2s.Variable(0.0, name="offset")

    def predict(self, x):
        h = np.tanh(x @ self.hidden + self.bias)
        return x @ self.linear + h @ self.out + self.offset


def load():
    """Measurements and progression, each with mean 0 and variance 1."""
    x, y = load_diabetes(return_X_y=True)
    return (x - x.mean(axis=0)) / x.std(axis=0), (y - y.mean()) / y.std()


def train(target: str = "python"):
    """Gradient descent; returns the model, the loss before each step and the gradient function."""
    x, y = load()
    model = Model(x.shape[1])

    @s2s.implicit_value_and_gradients(target=target)
    def loss(x, y):
        error = model.predict(x) - y
        return np.mean(error * error)

    losses = []
    for step in range(STEPS):
        value, gradients = loss(x, y)
        for gradient, variable in gradients:
            variable.assign_sub(RATE * gradient)
        losses.append(float(value))
        if step % 50 == 0 or step == STEPS - 1:
            print(f"step {step:4d}   loss {value:.4f}")
    return model, losses, loss


def draw(model: Model, losses: list[float], path: str) -> None:
    """The loss curve, and predictions beside measurements."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    x, y = load()
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    left.semilogy(losses)
    left.set(xlabel="step", ylabel="mean squared error", title="loss")
    right.scatter(y, model.predict(x), s=8)
    right.plot([y.min(), y.max()], [y.min(), y.max()], color="black", linewidth=1)
    right.set(xlabel="measured", ylabel="predicted", title="fit")
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


def main(target: str = "python", output: str | None = None) -> list[float]:
    model, losses, gradient = train(target)
    print("\nThe adjoint of the loss:\n")
    print(gradient.source)
    assert losses[-1] < 0.5 * losses[0], "the loss has not halved"
    assert losses[-1] < 0.48, "worse than a linear model"
    if output is not None:
        draw(model, losses, output)
        print(f"Drawn: {output}")
    return losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="python", choices=["python", "cpu"])
    parser.add_argument("--output", default="training.png")
    options = parser.parse_args()
    main(options.target, options.output)
