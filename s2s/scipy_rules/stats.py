"""scipy.stats: densities and distribution functions of common distributions, with loc and scale.

Those of one variable are made of what `s2s.scipy_rules.densities` has for z = (x - loc) / scale.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special
import scipy.stats

from s2s.rules.primitives import refuse
from s2s.rules.table import Written
from s2s.scipy_rules import densities
from s2s.scipy_rules.densities import LOG_2PI

# What follows from these, with location, scale and shape parameters -------------------------------------


def logpdf0(log: Any, x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    return log((x - loc) / scale) - np.log(scale)


def logpdf1(log: Any, x: Any, s1: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    return log((x - loc) / scale, s1) - np.log(scale)


def logpdf2(log: Any, x: Any, s1: Any, s2: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    return log((x - loc) / scale, s1, s2) - np.log(scale)


def exponential(log: Any, *args: Any, **kwargs: Any) -> Any:
    """A density of its logarithm."""
    return np.exp(log(*args, **kwargs))


def cdf0(cdf: Any, x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    return cdf((x - loc) / scale)


def cdf1(cdf: Any, x: Any, s1: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    return cdf((x - loc) / scale, s1)


def cdf2(cdf: Any, x: Any, s1: Any, s2: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    return cdf((x - loc) / scale, s1, s2)


def _log(p: Any, q: Any) -> Any:
    """log(p), of which 1 - p is `q`, to full precision."""
    return np.where(p > 0.5, np.log1p(-q), np.log(p))


def log0(cdf: Any, sf: Any, x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    z = (x - loc) / scale
    return _log(cdf(z), sf(z))


def log1(cdf: Any, sf: Any, x: Any, s1: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    z = (x - loc) / scale
    return _log(cdf(z, s1), sf(z, s1))


def log2(cdf: Any, sf: Any, x: Any, s1: Any, s2: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    z = (x - loc) / scale
    return _log(cdf(z, s1, s2), sf(z, s1, s2))


def ppf0(ppf: Any, q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    return loc + scale * ppf(q)


def ppf1(ppf: Any, q: Any, s1: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    return loc + scale * ppf(q, s1)


_LOGPDF, _CDF, _LOG = (logpdf0, logpdf1, logpdf2), (cdf0, cdf1, cdf2), (log0, log1, log2)
_PPF = (ppf0, ppf1)

#: Continuous distributions that are covered.
CONTINUOUS = ("norm", "t", "cauchy", "logistic", "laplace", "gumbel_r", "expon", "gamma", "chi2", "invgamma", "beta",
              "uniform", "lognorm", "weibull_min", "pareto", "halfnorm", "rayleigh")


def _continuous(name: str) -> dict[str, Written]:
    here = vars(densities)
    shapes = (getattr(scipy.stats, name).shapes or "").replace(",", " ").split()
    n = len(shapes)
    names = {given: f"s{k + 1}" for k, given in enumerate(shapes)}
    log, cdf, sf = here[f"{name}_log"], here[f"{name}_cdf"], here[f"{name}_sf"]
    out: dict[str, tuple[Any, ...]] = {
        "logpdf": (_LOGPDF[n], log), "pdf": (exponential, _LOGPDF[n], log), "cdf": (_CDF[n], cdf), "sf": (_CDF[n], sf),
        "logcdf": (_LOG[n], cdf, sf), "logsf": (_LOG[n], sf, cdf)}
    for kind in ("logcdf", "logsf"):
        own = here.get(f"{name}_{kind}")
        if own is not None:
            out[kind] = (_CDF[n], own)
    if f"{name}_ppf" in here:
        out["ppf"] = (_PPF[n], here[f"{name}_ppf"])
    return {kind: Written(function, tuple(first), names) for kind, (function, *first) in out.items()}


# Discrete: by their parameters ---------------------------------------------------------------------------


def poisson_logpmf(k: Any, mu: Any, loc: Any = 0) -> Any:
    n = k - loc
    return scipy.special.xlogy(n, mu) - mu - scipy.special.gammaln(n + 1.0)


def poisson_cdf(k: Any, mu: Any, loc: Any = 0) -> Any:
    return scipy.special.pdtr(np.floor(k - loc), mu)


def binom_logpmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    x = k - loc
    ways = scipy.special.gammaln(n + 1.0) - scipy.special.gammaln(x + 1.0) - scipy.special.gammaln(n - x + 1.0)
    return ways + scipy.special.xlogy(x, p) + scipy.special.xlog1py(n - x, -p)


def bernoulli_logpmf(k: Any, p: Any, loc: Any = 0) -> Any:
    x = k - loc
    return scipy.special.xlogy(x, p) + scipy.special.xlog1py(1 - x, -p)


def geom_logpmf(k: Any, p: Any, loc: Any = 0) -> Any:
    return scipy.special.xlog1py(k - loc - 1, -p) + np.log(p)


def nbinom_logpmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    x = k - loc
    ways = scipy.special.gammaln(n + x) - scipy.special.gammaln(x + 1.0) - scipy.special.gammaln(n)
    return ways + n * np.log(p) + scipy.special.xlog1py(x, -p)


DISCRETE = ("poisson", "binom", "bernoulli", "geom", "nbinom")


def _discrete(name: str) -> dict[str, Written]:
    log = globals()[f"{name}_logpmf"]
    out = {"logpmf": Written(log), "pmf": Written(exponential, (log,))}
    if name == "poisson":
        out["cdf"] = Written(poisson_cdf)
    return out


# Of several variables ------------------------------------------------------------------------------------


def multivariate_normal_logpdf(x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False) -> Any:
    if allow_singular:
        refuse("multivariate_normal with allow_singular=True is not covered")
    d = np.asarray(x) if mean is None else x - np.asarray(mean)
    c = np.asarray(cov)
    if d.ndim == 0:
        refuse("multivariate_normal of a number is not covered: use scipy.stats.norm")
    if c.ndim == 0 and (mean is None or np.ndim(mean) == 0 or np.shape(mean)[0] == 1):
        # Points of one dimension.
        if d.ndim > 1:
            refuse("multivariate_normal of several points of one dimension is covered for a vector of them")
        return np.squeeze(-0.5 * (d * d / c + LOG_2PI + np.log(c)))
    n = d.shape[-1]
    if c.ndim == 0:
        return -0.5 * (np.sum(d * d, axis=-1) / c + n * (LOG_2PI + np.log(c)))
    if c.ndim == 1:
        return -0.5 * (np.sum(d * d / c, axis=-1) + n * LOG_2PI + np.sum(np.log(c)))
    lower = np.linalg.cholesky(c)
    if d.ndim == 1:
        z = np.linalg.solve(lower, d)
        squares = np.sum(z * z)
    else:
        rows = np.linalg.solve(lower, d.reshape((-1, n)).T)
        squares = np.sum(rows * rows, axis=0).reshape(d.shape[:-1])
    return -0.5 * (squares + n * LOG_2PI) - np.sum(np.log(np.diagonal(lower)))


def dirichlet_logpdf(x: Any, alpha: Any) -> Any:
    a = np.asarray(alpha)
    if x.ndim != 1:
        refuse("dirichlet of several points is not covered: loop over them")
    return (np.sum(scipy.special.xlogy(a - 1.0, x)) + scipy.special.gammaln(np.sum(a))
            - np.sum(scipy.special.gammaln(a)))


# Distributions with their parameters given ---------------------------------------------------------------


@dataclass
class Frozen:
    """`scipy.stats.norm(loc, scale)`, made in a program."""

    dist: Any
    args: Any
    kwds: Any

    def logpdf(self, x: Any) -> Any:
        return self.dist.logpdf(x, *self.args, **self.kwds)

    def pdf(self, x: Any) -> Any:
        return self.dist.pdf(x, *self.args, **self.kwds)

    def cdf(self, x: Any) -> Any:
        return self.dist.cdf(x, *self.args, **self.kwds)

    def logcdf(self, x: Any) -> Any:
        return self.dist.logcdf(x, *self.args, **self.kwds)

    def sf(self, x: Any) -> Any:
        return self.dist.sf(x, *self.args, **self.kwds)

    def logsf(self, x: Any) -> Any:
        return self.dist.logsf(x, *self.args, **self.kwds)

    def ppf(self, q: Any) -> Any:
        return self.dist.ppf(q, *self.args, **self.kwds)

    def logpmf(self, k: Any) -> Any:
        return self.dist.logpmf(k, *self.args, **self.kwds)

    def pmf(self, k: Any) -> Any:
        return self.dist.pmf(k, *self.args, **self.kwds)


def freeze(dist: Any, *args: Any, **kwds: Any) -> Any:
    return Frozen(dist, args, kwds)


def _methods() -> dict[str, dict[str, Written]]:
    out = {name: _continuous(name) for name in CONTINUOUS} | {name: _discrete(name) for name in DISCRETE}
    out["multivariate_normal"] = {"logpdf": Written(multivariate_normal_logpdf),
                                  "pdf": Written(exponential, (multivariate_normal_logpdf,))}
    out["dirichlet"] = {"logpdf": Written(dirichlet_logpdf), "pdf": Written(exponential, (dirichlet_logpdf,))}
    return out


METHODS = _methods()
#: Methods by the class of the distribution, and the distributions themselves, which are called to give parameters.
WRITTEN: dict[Any, Callable[..., Any] | Written] = {
    (type(getattr(scipy.stats, name)), method): written for name, known in METHODS.items()
    for method, written in known.items()}
WRITTEN |= {getattr(scipy.stats, name): Written(freeze, (getattr(scipy.stats, name),)) for name in METHODS}
REFUSED = {
    "by their variable a step, and no derivative": "cdf, sf and ppf of discrete distributions but poisson.cdf",
    "computed by SciPy in loops over objects": "fit, expect, entropy, moment, stats, interval, rvs of all",
}
