"""scipy.stats: values as SciPy's, and derivatives in both modes, of second order, against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2s

stats = pytest.importorskip("scipy.stats")

X = np.array([0.3, 0.55, 0.8])
SHAPES: dict[str, tuple[float, ...]] = {"t": (3.5,), "gamma": (2.5,), "chi2": (3.0,), "invgamma": (2.5,),
                                        "beta": (2.5, 1.7), "lognorm": (0.7,), "weibull_min": (1.8,), "pareto": (2.2,)}
#: Distribution functions that have no derivative by the shape.
FIXED = {"t", "gamma", "chi2", "invgamma", "beta"}
CONTINUOUS = ["norm", "t", "cauchy", "logistic", "laplace", "gumbel_r", "expon", "gamma", "chi2", "invgamma", "beta",
              "uniform", "lognorm", "weibull_min", "pareto", "halfnorm", "rayleigh"]
METHODS = ["logpdf", "pdf", "cdf", "sf", "logcdf", "logsf"]


#: The other functions are made of these in one way; that is tested of a few.
FEW = ["norm", "gamma", "beta", "lognorm"]
CASES = [(name, method) for name in CONTINUOUS for method in METHODS
         if name in FEW or method in ("logpdf", "cdf", "sf")]


@pytest.mark.parametrize(("name", "method"), CASES)
def test_continuous(name: str, method: str) -> None:
    """Inside of the support, by all parameters; second order for the densities."""
    dist, shapes = getattr(stats, name), SHAPES.get(name, ())
    x = X + 1.9 if name == "pareto" else X
    loc, scale = 0.03, 1.2

    def by_all(x: Any, *given: Any) -> Any:
        return np.sum(getattr(dist, method)(x, *given) ** 2)

    def by_some(x: Any, loc: Any, scale: Any) -> Any:
        return np.sum(getattr(dist, method)(x, *shapes, loc=loc, scale=scale) ** 2)

    if name in FIXED and method in METHODS[2:]:
        f, args = by_some, (x, loc, scale)
    else:
        f, args = by_all, (x, *shapes, loc, scale)
    value, _ = s2s.value_and_grad(f)(*args)
    np.testing.assert_allclose(value, f(*args), rtol=1e-12)
    s2s.check_grads(f, args, order=2 if method == "logpdf" and (name in FEW or name == "t") else 1)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_outside_of_the_support(name: str) -> None:
    dist, shapes = getattr(stats, name), SHAPES.get(name, ())
    x = np.array([-3.0, 0.0, 1.0, 7.0])
    for method in METHODS:
        f = lambda x: getattr(dist, method)(x, *shapes)  # noqa: E731
        with np.errstate(all="ignore"):
            value, _ = s2s.jvp(f, (x,), (np.ones(4),))
            gradient = s2s.grad(lambda x: np.sum(f(x)))(x)
            np.testing.assert_allclose(value, f(x), rtol=1e-12, err_msg=method)
        if name in ("gamma", "beta", "lognorm", "weibull_min", "pareto") and method in ("pdf", "cdf", "sf"):
            assert float(gradient[0]) == 0.0, method


PROGRAMS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "ppf": (lambda q, loc, s: stats.norm.ppf(q, loc, s) + stats.logistic.ppf(q, loc=loc) + stats.lognorm.ppf(q, s),
            (X, 0.3, 0.8)),
    "other ppf": (lambda q, c: stats.weibull_min.ppf(q, c) + stats.expon.ppf(q, scale=c) + stats.uniform.ppf(q, c)
                  + stats.gumbel_r.ppf(q) + stats.cauchy.ppf(q), (X, 0.8)),
    "shape by name": (lambda x, a: stats.gamma.logpdf(x, a=a, scale=2.0) + stats.beta.pdf(x, b=a, a=2.0), (X, 1.5)),
    "poisson": (lambda mu: stats.poisson.logpmf(np.array([0, 2, 5]), mu) + stats.poisson.pmf(3, mu)
                + stats.poisson.cdf(2, mu), (1.7,)),
    "binom": (lambda p: stats.binom.logpmf(np.array([0, 2, 5]), 5, p) + stats.bernoulli.pmf(1, p), (0.4,)),
    "geom": (lambda p, n: stats.geom.logpmf(np.array([1, 3]), p) + stats.nbinom.logpmf(2, n, p), (0.4, 2.5)),
    "multivariate_normal": (lambda x, m, c: stats.multivariate_normal.logpdf(x, m, c @ c.T), (
        np.array([[0.3, 0.1], [1.0, -0.5]]), np.array([0.2, 0.4]), np.array([[1.0, 0.0], [0.4, 0.8]]))),
    "multivariate_normal vector": (lambda x, c: stats.multivariate_normal.pdf(x, cov=c @ c.T), (
        np.array([0.3, 0.1]), np.array([[1.0, 0.2], [0.4, 0.8]]))),
    "multivariate_normal of one": (lambda x, m, c: stats.multivariate_normal.logpdf(x, cov=c)
                                   + stats.multivariate_normal.logpdf(x, m, c), (
        np.array([0.3, -0.7, 1.1]), 0.4, 2.0)),
    "multivariate_normal diagonal": (lambda x, c: stats.multivariate_normal.logpdf(x, np.zeros(2), c), (
        np.array([0.3, 0.1]), np.array([1.5, 0.7]))),
    "dirichlet": (lambda a: stats.dirichlet.logpdf(np.array([0.2, 0.5, 0.3]), a), (np.array([1.5, 0.8, 2.0]),)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    function, args = PROGRAMS[name]

    def f(*args: Any) -> Any:
        return np.sum(function(*args) ** 2)

    np.testing.assert_allclose(s2s.value_and_grad(f)(*args)[0], f(*args), rtol=1e-12)
    s2s.check_grads(f, args, order=2)


def test_frozen() -> None:
    def made(x: Any, loc: Any, scale: Any) -> Any:
        d = stats.norm(loc, scale=scale)
        return np.sum(d.logpdf(x) + d.cdf(x))

    s2s.check_grads(made, (X, 0.3, 2.0), order=2)
    outside = stats.norm(0.3, 2.0)
    np.testing.assert_allclose(s2s.grad(lambda x: np.sum(outside.logpdf(x)))(X), -(X - 0.3) / 4.0)


def test_another_distribution_is_another_program() -> None:
    def f(x: Any) -> Any:
        return dist.logpdf(x)

    g, found = s2s.grad(f), []
    for name in ("norm", "logistic", "norm"):
        dist = getattr(stats, name)
        found.append(float(g(0.5)))
    assert found == [-0.5, pytest.approx(-np.tanh(0.25)), -0.5]


@pytest.mark.full_cpu
def test_densities_compile() -> None:
    f = lambda x, s: np.sum(stats.norm.logpdf(x, 0.5, s) + stats.lognorm.pdf(x, s) + stats.cauchy.logpdf(x))  # noqa: E731
    np.testing.assert_allclose(s2s.grad(f, target="cpu")(X, 0.7), s2s.grad(f)(X, 0.7), rtol=1e-12)


def test_methods_of_two_distributions_are_two_functions() -> None:
    """They share the code of the method; what tells them apart is the object."""
    def of(method: Any) -> Any:
        return lambda x: np.sum(method(x, 1.5, 1.2))

    x = np.array([0.2, 0.3])
    for distribution in (stats.beta, stats.norm, stats.cauchy):
        f = of(distribution.logpdf)
        moved = [(f(x + d) - f(x - d)) / 2e-6 for d in 1e-6 * np.eye(2)]
        np.testing.assert_allclose(s2s.grad(f)(x), moved, rtol=1e-6)
