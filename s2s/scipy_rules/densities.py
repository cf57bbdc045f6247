"""Continuous distributions of scipy.stats, of the standard variable: log of the density, and distribution functions.

Outside of the support a density is 0. `NAME_log`, `NAME_cdf`, `NAME_sf`; others where they are better than what
`s2s.scipy_rules.stats` makes of these.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special

LOG_2PI = math.log(2.0 * math.pi)


def norm_log(z: Any) -> Any:
    return -0.5 * z * z - 0.5 * LOG_2PI


def norm_cdf(z: Any) -> Any:
    return scipy.special.ndtr(z)


def norm_logcdf(z: Any) -> Any:
    return scipy.special.log_ndtr(z)


def norm_sf(z: Any) -> Any:
    return scipy.special.ndtr(-z)


def norm_logsf(z: Any) -> Any:
    return scipy.special.log_ndtr(-z)


def norm_ppf(q: Any) -> Any:
    return scipy.special.ndtri(q)


def t_log(z: Any, df: Any) -> Any:
    return -0.5 * (df + 1.0) * np.log1p(z * z / df) - 0.5 * np.log(df) - scipy.special.betaln(0.5 * df, 0.5)


def t_cdf(z: Any, df: Any) -> Any:
    return scipy.special.stdtr(df, z)


def t_sf(z: Any, df: Any) -> Any:
    return scipy.special.stdtr(df, -z)


def cauchy_log(z: Any) -> Any:
    return -np.log1p(z * z) - math.log(math.pi)


def cauchy_cdf(z: Any) -> Any:
    return 0.5 + np.arctan(z) / math.pi


def cauchy_sf(z: Any) -> Any:
    return 0.5 - np.arctan(z) / math.pi


def cauchy_ppf(q: Any) -> Any:
    return np.tan(math.pi * (q - 0.5))


def logistic_log(z: Any) -> Any:
    return -np.abs(z) - 2.0 * np.log1p(np.exp(-np.abs(z)))


def logistic_cdf(z: Any) -> Any:
    return scipy.special.expit(z)


def logistic_logcdf(z: Any) -> Any:
    return scipy.special.log_expit(z)


def logistic_sf(z: Any) -> Any:
    return scipy.special.expit(-z)


def logistic_logsf(z: Any) -> Any:
    return scipy.special.log_expit(-z)


def logistic_ppf(q: Any) -> Any:
    return scipy.special.logit(q)


def laplace_log(z: Any) -> Any:
    return -np.abs(z) - math.log(2.0)


def laplace_cdf(z: Any) -> Any:
    return np.where(z > 0.0, 1.0 - 0.5 * np.exp(-np.abs(z)), 0.5 * np.exp(-np.abs(z)))


def laplace_sf(z: Any) -> Any:
    return laplace_cdf(-z)


def gumbel_r_log(z: Any) -> Any:
    return -z - np.exp(-z)


def gumbel_r_cdf(z: Any) -> Any:
    return np.exp(-np.exp(-z))


def gumbel_r_logcdf(z: Any) -> Any:
    return -np.exp(-z)


def gumbel_r_sf(z: Any) -> Any:
    return -np.expm1(-np.exp(-z))


def gumbel_r_ppf(q: Any) -> Any:
    return -np.log(-np.log(q))


def expon_log(z: Any) -> Any:
    return np.where(z >= 0.0, -z, -np.inf)


def expon_cdf(z: Any) -> Any:
    return np.where(z > 0.0, -np.expm1(-z), 0.0)


def expon_sf(z: Any) -> Any:
    return np.where(z > 0.0, np.exp(-z), 1.0)


def expon_logsf(z: Any) -> Any:
    return np.where(z > 0.0, -z, 0.0)


def expon_ppf(q: Any) -> Any:
    return -np.log1p(-q)


def gamma_log(z: Any, a: Any) -> Any:
    inside = z > 0.0
    u = np.where(inside, z, 1.0)
    return np.where(inside, (a - 1.0) * np.log(u) - u - scipy.special.gammaln(a), -np.inf)


def gamma_cdf(z: Any, a: Any) -> Any:
    return scipy.special.gammainc(a, np.where(z > 0.0, z, 0.0))


def gamma_sf(z: Any, a: Any) -> Any:
    return scipy.special.gammaincc(a, np.where(z > 0.0, z, 0.0))


def chi2_log(z: Any, df: Any) -> Any:
    return gamma_log(0.5 * z, 0.5 * df) - math.log(2.0)


def chi2_cdf(z: Any, df: Any) -> Any:
    return gamma_cdf(0.5 * z, 0.5 * df)


def chi2_sf(z: Any, df: Any) -> Any:
    return gamma_sf(0.5 * z, 0.5 * df)


def invgamma_log(z: Any, a: Any) -> Any:
    inside = z > 0.0
    u = np.where(inside, z, 1.0)
    return np.where(inside, -(a + 1.0) * np.log(u) - 1.0 / u - scipy.special.gammaln(a), -np.inf)


def invgamma_cdf(z: Any, a: Any) -> Any:
    inside = z > 0.0
    return np.where(inside, scipy.special.gammaincc(a, 1.0 / np.where(inside, z, 1.0)), 0.0)


def invgamma_sf(z: Any, a: Any) -> Any:
    inside = z > 0.0
    return np.where(inside, scipy.special.gammainc(a, 1.0 / np.where(inside, z, 1.0)), 1.0)


def beta_log(z: Any, a: Any, b: Any) -> Any:
    inside = (z > 0.0) & (z < 1.0)
    u = np.where(inside, z, 0.5)
    return np.where(inside, (a - 1.0) * np.log(u) + (b - 1.0) * np.log1p(-u) - scipy.special.betaln(a, b), -np.inf)


def beta_cdf(z: Any, a: Any, b: Any) -> Any:
    return scipy.special.betainc(a, b, np.clip(z, 0.0, 1.0))


def beta_sf(z: Any, a: Any, b: Any) -> Any:
    return scipy.special.betainc(b, a, np.clip(1.0 - z, 0.0, 1.0))


def uniform_log(z: Any) -> Any:
    return np.where((z >= 0.0) & (z <= 1.0), 0.0 * z, -np.inf)


def uniform_cdf(z: Any) -> Any:
    return np.clip(z, 0.0, 1.0)


def uniform_sf(z: Any) -> Any:
    return np.clip(1.0 - z, 0.0, 1.0)


def uniform_ppf(q: Any) -> Any:
    return 1.0 * q


def lognorm_log(z: Any, s: Any) -> Any:
    inside = z > 0.0
    u = np.log(np.where(inside, z, 1.0))
    return np.where(inside, -0.5 * (u / s) ** 2 - u - np.log(s) - 0.5 * LOG_2PI, -np.inf)


def lognorm_cdf(z: Any, s: Any) -> Any:
    inside = z > 0.0
    return np.where(inside, scipy.special.ndtr(np.log(np.where(inside, z, 1.0)) / s), 0.0)


def lognorm_sf(z: Any, s: Any) -> Any:
    inside = z > 0.0
    return np.where(inside, scipy.special.ndtr(-np.log(np.where(inside, z, 1.0)) / s), 1.0)


def lognorm_ppf(q: Any, s: Any) -> Any:
    return np.exp(s * scipy.special.ndtri(q))


def weibull_min_log(z: Any, c: Any) -> Any:
    inside = z > 0.0
    u = np.where(inside, z, 1.0)
    return np.where(inside, np.log(c) + (c - 1.0) * np.log(u) - u ** c, -np.inf)


def weibull_min_cdf(z: Any, c: Any) -> Any:
    inside = z > 0.0
    return np.where(inside, -np.expm1(-(np.where(inside, z, 1.0) ** c)), 0.0)


def weibull_min_sf(z: Any, c: Any) -> Any:
    inside = z > 0.0
    return np.where(inside, np.exp(-(np.where(inside, z, 1.0) ** c)), 1.0)


def weibull_min_ppf(q: Any, c: Any) -> Any:
    return (-np.log1p(-q)) ** (1.0 / c)


def pareto_log(z: Any, b: Any) -> Any:
    inside = z >= 1.0
    u = np.where(inside, z, 1.0)
    return np.where(inside, np.log(b) - (b + 1.0) * np.log(u), -np.inf)


def pareto_cdf(z: Any, b: Any) -> Any:
    inside = z >= 1.0
    return np.where(inside, 1.0 - np.where(inside, z, 1.0) ** (-b), 0.0)


def pareto_sf(z: Any, b: Any) -> Any:
    inside = z >= 1.0
    return np.where(inside, np.where(inside, z, 1.0) ** (-b), 1.0)


def halfnorm_log(z: Any) -> Any:
    return np.where(z >= 0.0, -0.5 * z * z + 0.5 * math.log(2.0 / math.pi), -np.inf)


def halfnorm_cdf(z: Any) -> Any:
    return np.where(z > 0.0, scipy.special.erf(z / math.sqrt(2.0)), 0.0)


def halfnorm_sf(z: Any) -> Any:
    return np.where(z > 0.0, scipy.special.erfc(z / math.sqrt(2.0)), 1.0)


def rayleigh_log(z: Any) -> Any:
    inside = z > 0.0
    u = np.where(inside, z, 1.0)
    return np.where(inside, np.log(u) - 0.5 * u * u, -np.inf)


def rayleigh_cdf(z: Any) -> Any:
    return np.where(z > 0.0, -np.expm1(-0.5 * z * z), 0.0)


def rayleigh_sf(z: Any) -> Any:
    return np.where(z > 0.0, np.exp(-0.5 * z * z), 1.0)
