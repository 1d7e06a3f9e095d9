"""Worked examples of logistic regression, and published figures of other systems."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

import tallystick as ts

XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def test_exclusive_or_needs_the_product_of_its_columns():
    y = XOR[:, 0] ^ XOR[:, 1]
    plain = ts.LogisticRegression().fit(XOR, y)
    np.testing.assert_allclose(plain.predict_proba(XOR), 0.5, atol=1e-9)
    products = ts.LogisticRegression(interactions=2, l2=0.01).fit(XOR, y)
    assert (products.predict(XOR) == y).all()
    assert "x0 × x1" in products.coef_names_
    assert not ts.separable(XOR, y)


def test_spector_has_the_published_coefficients_and_standard_errors():
    data = sm.datasets.spector.load_pandas()
    summary = ts.LogisticRegression(l2=0).fit(data.exog, np.asarray(data.endog)).summary()
    peer = sm.Logit(data.endog, sm.add_constant(data.exog)).fit(disp=0, tol=1e-14, maxiter=100)
    figures = {f.name: f for f in summary.figures}
    names = ["(constant)", "GPA", "TUCE", "PSI = 1"]
    published = [
        (-13.0213483201, 4.93132462871),
        (2.82611297201, 1.26294114526),
        (0.0951576702557, 0.141554207662),
    ]
    for name, (estimate, error) in zip(names, published, strict=False):
        assert figures[name].estimate == pytest.approx(estimate, rel=1e-6)
        assert figures[name].error == pytest.approx(error, rel=1e-6)
    for i, name in enumerate(names):
        f = figures[name]
        assert f.estimate == pytest.approx(peer.params.iloc[i], abs=1e-6)
        assert f.error == pytest.approx(peer.bse.iloc[i], abs=1e-6)
        assert f.z == pytest.approx(peer.tvalues.iloc[i], abs=1e-6)
        assert f.p == pytest.approx(peer.pvalues.iloc[i], abs=1e-6)
        assert f.interval == pytest.approx(tuple(peer.conf_int().iloc[i]), abs=1e-6)
    effects = [figures[n].effect for n in names[1:]]
    np.testing.assert_allclose(effects, peer.get_margeff().margeff, atol=1e-6)
    assert summary.log_likelihood == pytest.approx(peer.llf, abs=1e-6)
    assert summary.model.fit.null == pytest.approx(peer.llnull, abs=1e-6)
    assert (summary.pseudo_r2, summary.aic, summary.bic) == pytest.approx(
        (peer.prsquared, peer.aic, peer.bic), abs=1e-6
    )


@pytest.mark.slow
def test_anes96_has_the_coefficients_of_the_multinomial_logit():
    data = sm.datasets.anes96.load_pandas()
    ours = ts.LogisticRegression(l2=0, reference=0).fit(data.exog, np.asarray(data.endog))
    peer = sm.MNLogit(data.endog, sm.add_constant(data.exog)).fit(disp=0, method="newton", tol=1e-12)
    figures = ours.summary().figures
    assert len(figures) == peer.params.size
    for j in range(6):
        for i, f in enumerate([f for f in figures if f.of == str(j + 1)]):
            assert f.estimate == pytest.approx(peer.params.iloc[i, j], abs=1e-6)
            assert f.error == pytest.approx(peer.bse.iloc[i, j], abs=1e-6)
    effects = peer.get_margeff().margeff
    for j in range(1, 7):
        own = [f.effect for f in figures if f.of == str(j) and f.name != "(constant)"]
        np.testing.assert_allclose(own, effects[:, j], atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["newton", "lbfgs", "conjugate-gradient", "gradient"])
def test_every_solver_reaches_the_same_optimum(solver):
    data = sm.datasets.spector.load_pandas()
    for l2 in (0, 1.0):
        best = ts.LogisticRegression(l2=l2).fit(data.exog, np.asarray(data.endog))
        other = ts.LogisticRegression(l2=l2, solver=solver, trace=True).fit(data.exog, np.asarray(data.endog))
        np.testing.assert_allclose(other.coef_, best.coef_, atol=1e-6)
        np.testing.assert_allclose(other.intercept_, best.intercept_, rtol=1e-6, atol=1e-6)
        assert other.trace_[-1].gradient <= 1e-8 * len(data.endog)


def test_generative_and_discriminative_meet_where_the_naive_assumption_holds():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 20_000)
    X = rng.normal(size=(20_000, 4)) + 0.8 * y[:, None]
    train, test = slice(0, 15_000), slice(15_000, None)
    bayes = (
        ts.NaiveBayes(distributions="gaussian", share="classes")
        .fit(X[train], y[train])
        .score(X[test], y[test])
    )
    logistic = ts.LogisticRegression().fit(X[train], y[train]).score(X[test], y[test])
    assert abs(bayes - logistic) < 0.005
