"""scipy.special, element by element. Formulas: NIST Digital Library of Mathematical Functions, dlmf.nist.gov."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

from s2s.rules.common import as_numpy
from s2s.rules.expr import Expr
from s2s.rules.expr import fn as functions
from s2s.rules.table import Family
from s2s.scipy_rules import written

family = Family("scipy.special")
#: All that are declared, also where this version of SciPy has them not.
NAMES: set[str] = set()
ROOT_PI = math.sqrt(math.pi)
ROOT_2PI = math.sqrt(2.0 * math.pi)


class _Functions:
    """`fn.psi` is that of SciPy, `fn.exp` that of NumPy."""

    def __getattr__(self, name: str) -> Any:
        full = f"scipy.special.{name}"
        return getattr(functions, full if (full in family.rules and not hasattr(np, name)) or name == "i0" else name)


fn = _Functions()


def one(names: str, *partials: Any, **options: Any) -> None:
    """Declare functions of scipy.special; those that this version of SciPy has not are left out."""
    NAMES.update(names.split())
    known = [name for name in names.split() if hasattr(scipy.special, name)]
    if known:
        options.setdefault("cost", 100)
        family.elementwise(" ".join(f"scipy.special.{name}" for name in known), *partials, **options)


def near_zero(x: Expr, radius: float, series: tuple[float, ...], other: Callable[[Expr], Any]) -> Any:
    """A power series for small `x`, where the formula `other` cancels; both are differentiable again and again."""
    small = fn.abs(x) < radius
    total: Any = series[-1]
    for c in reversed(series[:-1]):
        total = c + x * total
    return fn.where(small, total, other(as_numpy(fn.where(small, radius, x))))


def exprel_slope(u: Expr) -> Any:
    """d/du (exp(u) - 1) / u."""
    return near_zero(u, 1e-2, tuple((k + 1) / math.factorial(k + 2) for k in range(7)),
                     lambda v: (fn.exp(v) - fn.exprel(v)) / v)


# Gamma and beta functions (DLMF 5, 8).
one("gamma", lambda y, x: y * fn.psi(x))
one("gammaln loggamma", lambda y, x: fn.psi(x))
one("psi digamma", lambda y, x: fn.polygamma(1, x))
one("polygamma", None, lambda y, n, x: fn.polygamma(n + 1, x), params="n, x")
one("rgamma", lambda y, x: -y * fn.psi(x), singular=True)
one("gammasgn", zero=True)
one("poch", lambda y, x, m: y * (fn.psi(x + m) - fn.psi(x)), lambda y, x, m: y * fn.psi(x + m), params="x, m")
one("beta", lambda y, a, b: y * (fn.psi(a) - fn.psi(a + b)), lambda y, a, b: y * (fn.psi(b) - fn.psi(a + b)),
    params="a, b")
one("betaln", lambda y, a, b: fn.psi(a) - fn.psi(a + b), lambda y, a, b: fn.psi(b) - fn.psi(a + b), params="a, b")
one("binom", lambda y, n, k: y * (fn.psi(n + 1.0) - fn.psi(n - k + 1.0)),
    lambda y, n, k: y * (fn.psi(n - k + 1.0) - fn.psi(k + 1.0)), params="n, k")


def gamma_density(a: Expr, x: Expr) -> Any:
    return fn.exp(fn.xlogy(a - 1.0, x) - x - fn.gammaln(a))


def beta_density(a: Expr, b: Expr, x: Expr) -> Any:
    return fn.exp(fn.xlogy(a - 1.0, x) + fn.xlog1py(b - 1.0, -x) - fn.betaln(a, b))


one("gammainc", None, lambda y, a, x: gamma_density(a, x), params="a, x")
one("gammaincc", None, lambda y, a, x: -gamma_density(a, x), params="a, x")
one("gammaincinv", None, lambda x, a, y: 1.0 / gamma_density(a, x), params="a, y", singular=True)
one("gammainccinv", None, lambda x, a, y: -1.0 / gamma_density(a, x), params="a, y", singular=True)
one("betainc", None, None, lambda y, a, b, x: beta_density(a, b, x), params="a, b, x")
one("betaincc", None, None, lambda y, a, b, x: -beta_density(a, b, x), params="a, b, x")
one("betaincinv", None, None, lambda x, a, b, y: 1.0 / beta_density(a, b, x), params="a, b, y", singular=True)

# Error functions (DLMF 7).
one("erf", lambda y, x: 2.0 / ROOT_PI * fn.exp(-x * x))
one("erfc", lambda y, x: -2.0 / ROOT_PI * fn.exp(-x * x))
one("erfi", lambda y, x: 2.0 / ROOT_PI * fn.exp(x * x))
one("erfcx", lambda y, x: 2.0 * x * y - 2.0 / ROOT_PI)
one("wofz", lambda y, x: 2j / ROOT_PI - 2.0 * x * y)
one("dawsn", lambda y, x: 1.0 - 2.0 * x * y)
one("erfinv", lambda y, x: 0.5 * ROOT_PI * fn.exp(y * y))
one("erfcinv", lambda y, x: -0.5 * ROOT_PI * fn.exp(y * y))
one("ndtr", lambda y, x: fn.exp(-0.5 * x * x) / ROOT_2PI)
one("log_ndtr", lambda y, x: fn.exp(-0.5 * x * x - y) / ROOT_2PI)
one("ndtri", lambda y, x: ROOT_2PI * fn.exp(0.5 * y * y))
one("ndtri_exp", lambda y, x: ROOT_2PI * fn.exp(0.5 * y * y + x))

# The logistic function, logarithms, entropies.
one("expit", lambda y, x: y * (1.0 - y))
one("logit", lambda y, x: 1.0 / as_numpy(x * (1.0 - x)), singular=True)
one("log_expit", lambda y, x: fn.expit(-x))
one("softplus", lambda y, x: fn.expit(x))
one("xlogy", lambda z, x, y: fn.log(y), lambda z, x, y: x / as_numpy(y + (x == 0) * (y == 0)), singular=True)
one("xlog1py", lambda z, x, y: fn.log1p(y), lambda z, x, y: x / as_numpy(1.0 + y), singular=True)
one("entr", lambda y, x: -fn.log(x) - 1.0, singular=True)
one("rel_entr", lambda z, x, y: fn.log(x / as_numpy(y)) + 1.0, lambda z, x, y: -x / as_numpy(y), singular=True)
one("kl_div", lambda z, x, y: fn.log(x / as_numpy(y)), lambda z, x, y: 1.0 - x / as_numpy(y), singular=True)
one("exprel", lambda y, x: exprel_slope(x))
one("exp10", lambda y, x: math.log(10.0) * y)
one("exp2", lambda y, x: math.log(2.0) * y)
one("log1p", lambda y, x: 1.0 / as_numpy(1.0 + x), singular=True)
one("expm1", lambda y, x: y + 1.0)
one("cosm1", lambda y, x: -fn.sin(x))
one("cbrt", lambda y, x: 1.0 / (3.0 * y * y), singular=True)
one("round", zero=True)
one("sindg", lambda y, x: math.pi / 180.0 * fn.cosdg(x))
one("cosdg", lambda y, x: -math.pi / 180.0 * fn.sindg(x))
one("tandg", lambda y, x: math.pi / 180.0 * (1.0 + y * y))
one("cotdg", lambda y, x: -math.pi / 180.0 * (1.0 + y * y))
one("boxcox", lambda y, x, lam: x ** (lam - 1.0),
    lambda y, x, lam: fn.log(x) ** 2 * exprel_slope(lam * fn.log(x)), params="x, lam", singular=True)
one("boxcox1p", lambda y, x, lam: (1.0 + x) ** (lam - 1.0),
    lambda y, x, lam: fn.log1p(x) ** 2 * exprel_slope(lam * fn.log1p(x)), params="x, lam", singular=True)
one("inv_boxcox", lambda x, y, lam: x ** (1.0 - lam), None, params="y, lam")
one("inv_boxcox1p", lambda x, y, lam: (1.0 + x) ** (1.0 - lam), None, params="y, lam")
one("huber", lambda y, delta, r: fn.where(fn.abs(r) > delta, fn.abs(r) - delta, 0.0),
    lambda y, delta, r: fn.minimum(fn.maximum(r, -delta), delta), params="delta, r")
one("pseudo_huber",
    lambda y, delta, r: (2.0 * delta + r * r / delta) / fn.sqrt(1.0 + (r / delta) ** 2) - 2.0 * delta,
    lambda y, delta, r: r / fn.sqrt(1.0 + (r / delta) ** 2), params="delta, r")

# Bessel functions (DLMF 10.6, 10.29). The order is a constant of the derivative.
half = 0.5
one("j0", lambda y, x: -fn.j1(x))
one("j1", lambda y, x: half * (fn.j0(x) - fn.jv(2, x)))
one("y0", lambda y, x: -fn.y1(x))
one("y1", lambda y, x: half * (fn.y0(x) - fn.yv(2, x)))
one("i0", lambda y, x: fn.i1(x))
one("i1", lambda y, x: half * (fn.i0(x) + fn.iv(2, x)))
one("i0e", lambda y, x: fn.i1e(x) - fn.sign(x) * y)
one("i1e", lambda y, x: half * (fn.i0e(x) + fn.ive(2, x)) - fn.sign(x) * y)
one("k0", lambda y, x: -fn.k1(x))
one("k1", lambda y, x: -half * (fn.k0(x) + fn.kv(2, x)))
one("k0e", lambda y, x: y - fn.k1e(x))
one("k1e", lambda y, x: y - half * (fn.k0e(x) + fn.kve(2, x)))
one("jv", None, lambda y, v, z: half * (fn.jv(v - 1, z) - fn.jv(v + 1, z)), params="v, z")
one("jve", None, lambda y, v, z: half * (fn.jve(v - 1, z) - fn.jve(v + 1, z)), params="v, z")
one("yn", None, lambda y, n, x: half * (fn.yn(n - 1, x) - fn.yn(n + 1, x)), params="n, x")
one("yv", None, lambda y, v, z: half * (fn.yv(v - 1, z) - fn.yv(v + 1, z)), params="v, z")
one("iv", None, lambda y, v, z: half * (fn.iv(v - 1, z) + fn.iv(v + 1, z)), params="v, z")
one("ive", None, lambda y, v, z: half * (fn.ive(v - 1, z) + fn.ive(v + 1, z)) - fn.sign(z) * y, params="v, z")
one("kn", None, lambda y, n, x: -half * (fn.kv(n - 1, x) + fn.kv(n + 1, x)), params="n, x")
one("kv", None, lambda y, v, z: -half * (fn.kv(v - 1, z) + fn.kv(v + 1, z)), params="v, z")
one("kve", None, lambda y, v, z: y - half * (fn.kve(v - 1, z) + fn.kve(v + 1, z)), params="v, z")
one("hankel1", None, lambda y, v, z: half * (fn.hankel1(v - 1, z) - fn.hankel1(v + 1, z)), params="v, z")
one("hankel2", None, lambda y, v, z: half * (fn.hankel2(v - 1, z) - fn.hankel2(v + 1, z)), params="v, z")

# Orthogonal polynomials (DLMF 18.9); the degree is a constant.
one("eval_legendre", None, lambda y, n, x: n * (fn.eval_legendre(n - 1, x) - x * y) / as_numpy(1.0 - x * x),
    params="n, x", singular=True)
one("eval_chebyt", None, lambda y, n, x: n * fn.eval_chebyu(n - 1, x), params="n, x")
one("eval_chebyu", None, lambda y, n, x: ((n + 1) * fn.eval_chebyt(n + 1, x) - x * y) / as_numpy(x * x - 1.0),
    params="n, x", singular=True)
one("eval_hermite", None, lambda y, n, x: 2.0 * n * fn.eval_hermite(n - 1, x), params="n, x")
one("eval_hermitenorm", None, lambda y, n, x: n * fn.eval_hermitenorm(n - 1, x), params="n, x")
one("eval_laguerre", None, lambda y, n, x: -fn.eval_genlaguerre(n - 1, 1.0, x), params="n, x")
one("eval_genlaguerre", None, None, lambda y, n, a, x: -fn.eval_genlaguerre(n - 1, a + 1.0, x), params="n, a, x")

# Integrals (DLMF 6, 19, 25), Lambert's W (4.13), hypergeometric functions (13, 15, 16).
one("exp1", lambda y, x: -fn.exp(-x) / as_numpy(x), singular=True)
one("expi", lambda y, x: fn.exp(x) / as_numpy(x), singular=True)
one("expn", None, lambda y, n, x: -fn.expn(n - 1, x), params="n, x")
one("spence", lambda y, x: near_zero(x - 1.0, 1e-2, tuple(-((-1.0) ** k) / (k + 1) for k in range(9)),
                                     lambda h: -fn.log1p(h) / h), singular=True)
#: Squares of the coefficients of the central binomial series, DLMF 19.5.1.
CENTRAL = tuple((math.comb(2 * k, k) / 4.0 ** k) ** 2 for k in range(9))
one("ellipk", lambda y, m: near_zero(
    m, 1e-3, tuple(0.5 * math.pi * k * CENTRAL[k] for k in range(1, 8)),
    lambda m: (fn.ellipe(m) - (1.0 - m) * fn.ellipk(m)) / (2.0 * m * (1.0 - m))), params="m", singular=True)
one("ellipe", lambda y, m: near_zero(
    m, 1e-3, tuple(-0.5 * math.pi * k * CENTRAL[k] / (2 * k - 1) for k in range(1, 8)),
    lambda m: (fn.ellipe(m) - fn.ellipk(m)) / (2.0 * m)), params="m", singular=True)
one("ellipkm1", lambda y, p: ((p * y - fn.ellipe(1.0 - p)) / as_numpy(2.0 * p * (1.0 - p))), params="p", singular=True)
one("ellipkinc", lambda y, phi, m: 1.0 / fn.sqrt(1.0 - m * fn.sin(phi) ** 2), None, params="phi, m")
one("ellipeinc", lambda y, phi, m: fn.sqrt(1.0 - m * fn.sin(phi) ** 2), None, params="phi, m")
one("wrightomega", lambda y, z: y / (1.0 + y), params="z")
one("lambertw", lambda w, z: fn.exp(-w) / (1.0 + w), params="z, k=0, tol=1e-8")
one("hyp0f1", None, lambda y, v, z: fn.hyp0f1(v + 1.0, z) / v, params="v, z")
one("hyp1f1", None, None, lambda y, a, b, x: a / b * fn.hyp1f1(a + 1.0, b + 1.0, x), params="a, b, x")
one("hyp2f1", None, None, None, lambda y, a, b, c, z: a * b / c * fn.hyp2f1(a + 1.0, b + 1.0, c + 1.0, z),
    params="a, b, c, z")

# Distribution functions by their variable.
one("stdtr", None, lambda y, df, t: fn.exp(-0.5 * (df + 1.0) * fn.log1p(t * t / df) - fn.betaln(0.5 * df, 0.5))
    / fn.sqrt(as_numpy(1.0 * df)), params="df, t")
one("chdtr", None, lambda y, v, x: 0.5 * gamma_density(0.5 * v, 0.5 * x), params="v, x")
one("chdtrc", None, lambda y, v, x: -0.5 * gamma_density(0.5 * v, 0.5 * x), params="v, x")
one("pdtr", None, lambda y, k, m: -fn.exp(fn.xlogy(fn.floor(k), m) - m - fn.gammaln(fn.floor(k) + 1.0)), params="k, m")
one("pdtrc", None, lambda y, k, m: fn.exp(fn.xlogy(fn.floor(k), m) - m - fn.gammaln(fn.floor(k) + 1.0)), params="k, m")

FAMILY = family
WRITTEN = written.WRITTEN
REFUSED = {
    "several results, of which SciPy gives no derivatives": "airy airye itairy ellipj fresnel sici shichi modfresnelm "
    "modfresnelp kelvin jnyn_zeros it2i0k0 it2j0y0 iti0k0 itj0y0 mathieu_cem mathieu_sem",
    "no derivative in closed form by its argument": "zetac agm gdtr gdtrc fdtr fdtrc btdtr bdtr nbdtr nctdtr owens_t",
}
