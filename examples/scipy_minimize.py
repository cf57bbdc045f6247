"""Minimise Rosenbrock's function with SciPy, which gets value and gradient from one call."""

from __future__ import annotations

import argparse

import numpy as np
from scipy.optimize import minimize

import s2s


def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def main(target: str = "python") -> list[float]:
    start = np.linspace(-1.0, 1.5, 8)
    trace = [float(rosenbrock(start))]
    result = minimize(
        s2s.value_and_grad(rosenbrock, target=target),
        start,
        jac=True,
        method="L-BFGS-B",
        callback=lambda x: trace.append(float(rosenbrock(x))),
        options={"maxiter": 500, "gtol": 1e-10, "ftol": 1e-15},
    )
    print(f"{result.nit} iterations, {result.nfev} calls, value {result.fun:.2e}")
    print("x =", np.array2string(result.x, precision=6))
    assert result.fun < 1e-10
    np.testing.assert_allclose(result.x, np.ones(8), atol=1e-4)
    return trace


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="python", choices=["python", "cpu"])
    main(parser.parse_args().target)
