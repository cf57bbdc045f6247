"""scipy.special: each rule against differences, in both modes and of second order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2s
from s2s.rules import TABLE
from s2s.testing.rules import check_rule

special = pytest.importorskip("scipy.special")
TABLE.meet(special.gammaln)

X = np.array([0.3, 1.2, 2.4])
UNIT = np.array([0.2, 0.45, 0.8])
ANY = np.array([-1.3, 0.4, 1.7])
A = np.array([0.7, 1.9, 3.2])
B = np.array([1.4, 0.6, 2.5])

ROWS: dict[str, list[tuple[Any, ...]]] = {
    "gamma gammaln loggamma psi digamma rgamma": [(X,), (1.3,)],
    "polygamma": [(1, X), (2, 1.3)],
    "poch beta betaln binom": [(A, B), (1.3, B)],
    "gammainc gammaincc chdtr chdtrc": [(A, X), (1.3, 0.8)],
    "gammaincinv gammainccinv": [(A, UNIT)],
    "betainc betaincc betaincinv": [(A, B, UNIT)],
    "erf erfc erfi erfcx dawsn ndtr log_ndtr expit log_expit softplus exp10 exp2 expm1 cosm1 sindg cosdg tandg "
    "j0 j1 i0 i1 i0e i1e": [(ANY,), (0.7,)],
    "erfinv logit ndtri ellipkm1": [(UNIT,), (0.3,)], "ellipk ellipe": [(UNIT,), (0.0,), (-0.3,)],
    "exprel": [(ANY,), (0.0,), (0.003,)], "wrightomega": [(ANY,)], "erfcinv": [(UNIT,)], "ndtri_exp": [(-X,)],
    "entr log1p cbrt cotdg y0 y1 k0 k1 k0e k1e exp1 expi": [(X,), (0.7,)],
    "spence": [(X,), (1.0,)],
    "xlogy rel_entr kl_div": [(A, B), (A, 0.7)], "xlog1py": [(A, B)],
    "boxcox boxcox1p": [(X, np.array([0.5, -1.0, 2.0])), (0.7, 0.0)], "inv_boxcox inv_boxcox1p": [(UNIT, 0.5)],
    "huber pseudo_huber": [(np.array([1.0, 0.7, 0.9]), np.array([0.3, -1.9, 2.0])), (1.0, 0.4)],
    "jv jve yv iv ive kv kve": [(1.5, X), (2, X)], "yn kn": [(2, X)],
    "hankel1 hankel2": [(1.5, X + 0.5j)],
    "eval_legendre eval_chebyt eval_chebyu eval_hermite eval_hermitenorm eval_laguerre": [(3, UNIT)],
    "eval_genlaguerre": [(3, 0.5, X)],
    "expn": [(2, X)], "lambertw": [(X,), (X + 0.3j,)], "wofz": [(X + 0.2j,)],
    "ellipkinc ellipeinc": [(UNIT, 0.3)], "hyp0f1": [(1.5, X)], "hyp1f1": [(0.7, 1.5, X)],
    "hyp2f1": [(0.7, 1.1, 1.9, UNIT)], "stdtr": [(3.0, ANY)], "pdtr pdtrc": [(2.0, X)],
    "gammasgn round": [(ANY,)],
}
# Whose second argument is no derivative by the order; those by which there is none.
FIXED = {"polygamma": "n", "gammainc": "a", "gammaincc": "a", "gammaincinv": "a", "gammainccinv": "a",
         "betainc": "a b", "betaincc": "a b", "betaincinv": "a b", "inv_boxcox": "lam", "inv_boxcox1p": "lam",
         "jv": "v", "jve": "v", "yv": "v", "yn": "n", "iv": "v", "ive": "v", "kv": "v", "kve": "v", "kn": "n",
         "hankel1": "v", "hankel2": "v", "eval_legendre": "n", "eval_chebyt": "n", "eval_chebyu": "n",
         "eval_hermite": "n", "eval_hermitenorm": "n", "eval_laguerre": "n", "eval_genlaguerre": "n a", "expn": "n",
         "ellipkinc": "m", "ellipeinc": "m", "hyp0f1": "v", "hyp1f1": "a b", "hyp2f1": "a b c", "stdtr": "df",
         "pdtr": "k", "pdtrc": "k", "chdtr": "v", "chdtrc": "v"}
#: Is differentiated to second order too: the last row of each.
LAST = {name: rows[-1] for names, rows in ROWS.items() for name in names.split()}
CASES = [(name, args) for names, rows in ROWS.items() for name in names.split() for args in rows
         if f"scipy.special.{name}" in TABLE.by_name]


@pytest.mark.parametrize(("name", "args"), CASES, ids=[f"{n}-{k}" for k, (n, _) in enumerate(CASES)])
def test_rule(name: str, args: Any) -> None:
    rule = TABLE.by_name[f"scipy.special.{name}"]
    fixed = FIXED.get(name, "").split()
    if not fixed:
        check_rule(TABLE, rule, args)
        if args is LAST[name]:
            check_rule(TABLE, rule, args, order=2, rtol=1e-4)
        return
    function = getattr(special, name)
    names = [p.name for p in rule.spec.params]
    constants = {k: args[k] for k, n in enumerate(names[:len(args)]) if n in fixed}
    given = [x for k, x in enumerate(args) if k not in constants]

    def f(*values: Any) -> Any:
        it = iter(values)
        out = function(*[constants[k] if k in constants else next(it) for k in range(len(args))])
        return np.sum(np.real(out) + 2.0 * np.imag(out))

    s2s.check_grads(f, tuple(given), order=2 if args is LAST[name] else 1)


def test_rules_and_rows_cover_each_other() -> None:
    tested = {name for name, _ in CASES}
    assert tested == {n.removeprefix("scipy.special.") for n in TABLE.by_name if n.startswith("scipy.special.")}


def test_no_derivative_by_an_order_is_an_error() -> None:
    with pytest.raises(s2s.NoRuleError, match=r"special\.jv gets a value that is differentiated as its argument 'v'"):
        s2s.grad(lambda v: special.jv(v, 1.0))(1.5)


M = np.array([[0.3, -1.2, 2.0], [1.5, 0.2, -0.4]])
WEIGHTS = np.array([[0.5, 1.0, 2.0], [1.5, 0.7, 0.9]])
PROGRAMS = {
    "logsumexp": (lambda x: special.logsumexp(x), (M,)),
    "logsumexp axis": (lambda x: np.sum(special.logsumexp(x, axis=1) ** 2), (M,)),
    "logsumexp b keepdims": (lambda x, b: np.sum(special.logsumexp(x, axis=0, b=b, keepdims=True) ** 2), (M, WEIGHTS)),
    "softmax": (lambda x: np.sum(special.softmax(x, axis=1) ** 3), (M,)),
    "softmax all": (lambda x: np.sum(special.softmax(x) ** 3), (M,)),
    "log_softmax": (lambda x: np.sum(special.log_softmax(x, axis=-1) ** 2), (M,)),
    "multigammaln": (lambda a: special.multigammaln(a, 3), (2.5,)),
    "comb": (lambda n, k: special.comb(n, k), (5.5, 2.25)),
    "factorial": (lambda n: special.factorial(n), (3.5,)),
    "spherical_jn": (lambda z: special.spherical_jn(2, z) * special.spherical_yn(1, z), (1.7,)),
    "spherical_in": (lambda z: special.spherical_in(2, z) * special.spherical_kn(1, z), (1.7,)),
    "spherical derivative": (lambda z: special.spherical_jn(2, z, derivative=True), (1.7,)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_written(name: str) -> None:
    f, args = PROGRAMS[name]
    g = s2s.value_and_grad(f)(*args)
    np.testing.assert_allclose(g[0], f(*args), rtol=1e-12)
    s2s.check_grads(f, args, order=2)


def test_logsumexp_of_infinities() -> None:
    x = np.array([-np.inf, 1.0, 2.0])
    np.testing.assert_allclose(s2s.grad(lambda x: special.logsumexp(x))(x), special.softmax(x))


@pytest.mark.full_cpu
def test_what_is_written_compiles() -> None:
    f = lambda x: special.logsumexp(x) + np.sum(special.softmax(x, axis=1) ** 2)  # noqa: E731
    np.testing.assert_allclose(s2s.grad(f, target="cpu")(M), s2s.grad(f)(M), rtol=1e-12)


@pytest.mark.cpu
def test_target_cpu_names_the_function() -> None:
    with pytest.raises(s2s.CompilationError, match=r"scipy\.special\.\w+ cannot be compiled"):
        s2s.grad(lambda x: special.gammainc(2.0, x), target="cpu")(1.5)
