"""Fit a line with two Variables and gradient descent.

`implicit_value_and_gradients` finds `w` and `b` in the source of `loss`.
"""

from __future__ import annotations

import argparse

import numpy as np

import s2s

w = s2s.Variable(5.0, name="w")
b = s2s.Variable(10.0, name="b")


def predict(x):
    return w * x + b


def loss(x, y):
    error = predict(x) - y
    return np.mean(error * error)


def main(target: str = "python") -> list[float]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    y = 3.0 * x + 2.0 + 0.1 * rng.normal(size=200)
    w.assign(5.0)
    b.assign(10.0)
    value_and_gradients = s2s.implicit_value_and_gradients(loss, target=target)
    losses = []
    for step in range(100):
        value, gradients = value_and_gradients(x, y)
        for gradient, variable in gradients:
            variable.assign_sub(0.1 * gradient)
        losses.append(float(value))
        if step % 20 == 0:
            print(f"step {step:3d}   loss {value:.5f}   w {float(w):.4f}   b {float(b):.4f}")
    assert losses[-1] < 0.02
    assert abs(float(w) - 3.0) < 0.05
    assert abs(float(b) - 2.0) < 0.05
    return losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="python", choices=["python", "cpu"])
    main(parser.parse_args().target)
