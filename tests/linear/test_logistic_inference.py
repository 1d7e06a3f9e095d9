"""The inference of a logistic regression is that of statsmodels, to 1e-6 relative and mostly far nearer."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm
from loan_tables import as_numbers, loans
from scipy import optimize, stats

import tallystick as ts
from tallystick.errors import OptionError

NEAR = 1e-7


def both(**options):
    frame, branch = loans()
    model = ts.LogisticRegression(l2=0, **options).fit(frame, "paid")
    x, y = as_numbers(frame)
    return model, frame, branch, sm.GLM(y, x, family=sm.families.Binomial()), x


def test_without_options_it_is_the_summary():
    model, frame, *_ = both()
    found = model.inference(frame)
    for ours, own in zip(found.figures, model.summary().figures, strict=True):
        assert (ours.name, ours.estimate) == (own.name, own.estimate)
        assert ours.error == pytest.approx(own.error, rel=1e-10)
    assert "Standard errors are from the curvature of the likelihood." in str(found)
    assert found.to_dict()["names"] == found.names


@pytest.mark.parametrize("errors", ["curvature", "HC0", "HC1"])
def test_covariance_is_that_of_statsmodels(errors):
    model, frame, _, glm, x = both()
    found = model.inference(frame, errors=errors)
    peer = glm.fit(tol=1e-14, maxiter=100, cov_type="nonrobust" if errors == "curvature" else "HC0")
    more = (
        len(frame) / (len(frame) - 6) if errors == "HC1" else 1.0
    )  # R's sandwich; statsmodels has none here
    wanted = np.asarray(peer.cov_params().loc[found.names, found.names]) * more
    np.testing.assert_allclose(found.covariance, wanted, rtol=1e-7, atol=1e-10)
    assert list(x.columns) == found.names


@pytest.mark.parametrize("given", ["column", "array"])
def test_clustered_errors_are_those_of_statsmodels(given):
    frame, branch = loans()
    model = ts.LogisticRegression(l2=0, kinds={"branch": "out"}).fit(frame.assign(branch=branch), "paid")
    groups = "branch" if given == "column" else branch
    found = model.inference(frame.assign(branch=branch), groups=groups)
    x, y = as_numbers(frame)
    peer = sm.GLM(y, x, family=sm.families.Binomial()).fit(
        tol=1e-14, maxiter=100, cov_type="cluster", cov_kwds={"groups": branch}
    )
    np.testing.assert_allclose(found.covariance, np.asarray(peer.cov_params()), rtol=1e-7, atol=1e-10)
    assert "clustered: 400 rows in 25 groups" in str(found)


def test_columns_are_tested_whole_as_statsmodels_and_nested_fits_do():
    model, frame, _, glm, x = both()
    found = model.inference(frame).tests()
    peer = glm.fit(tol=1e-14, maxiter=100)
    columns = {
        "age": ["age"],
        "income": ["income"],
        "housing": ["housing = own", "housing = rent"],
        "foreign": ["foreign = true"],
    }
    for name, own in columns.items():
        test = found[name]
        picked = np.array([[float(c == o) for c in x.columns] for o in own])
        wald = peer.wald_test(picked, scalar=True)
        assert (test.freedom, test.wald) == (len(own), pytest.approx(float(wald.statistic), rel=NEAR))
        assert test.wald_p == pytest.approx(float(wald.pvalue), rel=1e-6)
        less = sm.GLM(glm.endog, x.drop(columns=own), family=sm.families.Binomial()).fit(
            tol=1e-14, maxiter=100
        )
        assert test.likelihood_ratio == pytest.approx(2 * (peer.llf - less.llf), rel=NEAR)
        assert test.p == pytest.approx(stats.chi2.sf(2 * (peer.llf - less.llf), len(own)), rel=1e-6)
    with pytest.raises(KeyError, match=r"there is no test of 'hosing'\. Did you mean 'housing'"):
        found["hosing"]


def test_a_column_is_tested_with_its_products():
    frame, _ = loans()
    kept = frame[["age", "housing", "paid"]]
    model = ts.LogisticRegression(l2=0, interactions=2).fit(kept, "paid")
    found = model.inference(kept).tests()
    assert {t.name: t.freedom for t in found.tests} == {"age": 3, "housing": 4, "age × housing": 2}
    full = model.summary().log_likelihood
    alone = ts.LogisticRegression(l2=0).fit(kept[["housing", "paid"]], "paid").summary().log_likelihood
    beside = ts.LogisticRegression(l2=0).fit(kept, "paid").summary().log_likelihood
    assert found["age"].likelihood_ratio == pytest.approx(2 * (full - alone), rel=1e-8)
    assert found["age × housing"].likelihood_ratio == pytest.approx(2 * (full - beside), rel=1e-8)


def test_several_classes_have_tests_and_robust_errors():
    frame, _ = loans(classes=3)
    model = ts.LogisticRegression(l2=0, reference="no").fit(frame, "paid")
    found = model.inference(frame)
    x, _ = as_numbers(frame)
    codes = frame.paid.map({"no": 0, "late": 1, "yes": 2})
    peer = sm.MNLogit(codes, x).fit(disp=0, method="newton", tol=1e-13, maxiter=100)
    np.testing.assert_allclose(found.covariance, np.asarray(peer.cov_params()), rtol=1e-6, atol=1e-9)
    less = sm.MNLogit(codes, x.drop(columns="age")).fit(disp=0, method="newton", tol=1e-13, maxiter=100)
    assert found.tests()["age"].likelihood_ratio == pytest.approx(2 * (peer.llf - less.llf), rel=1e-6)
    assert found.tests()["age"].freedom == 2
    robust = sm.MNLogit(codes, x).fit(disp=0, method="newton", tol=1e-13, maxiter=100, cov_type="HC0")
    ours = model.inference(frame, errors="HC0").covariance
    np.testing.assert_allclose(np.sqrt(np.diag(ours)), np.asarray(robust.bse).T.ravel(), rtol=1e-6)
    with pytest.raises(OptionError, match="residuals are for two classes, and 'paid' has 3"):
        found.residuals()


@pytest.mark.slow
def test_profile_ends_are_where_the_likelihood_says():
    model, frame, _, glm, x = both(reference="yes")  # signs turned over
    found = model.inference(frame, level=0.9).profile()
    peer = glm.fit(tol=1e-14, maxiter=100)

    def short(name, value):
        rest = x.drop(columns=name)
        held = sm.GLM(glm.endog, rest, family=sm.families.Binomial(), offset=value * x[name])
        return 2 * (peer.llf - held.fit(tol=1e-14, maxiter=100).llf) - stats.chi2.ppf(0.9, 1)

    assert set(found) == set(x.columns) - {"(constant)"}
    for name in ("age", "housing = own", "foreign = true"):
        at, far = peer.params[name], 5 * peer.bse[name]
        low = optimize.brentq(lambda v, name=name: short(name, v), at - far, at, xtol=1e-13)
        high = optimize.brentq(lambda v, name=name: short(name, v), at, at + far, xtol=1e-13)
        assert found[name] == pytest.approx((-high, -low), rel=1e-6)
    with pytest.raises(OptionError, match=r"no profile of 'agee'\. Did you mean 'age'"):
        model.inference(frame).profile(["agee"])


def test_pseudo_r2_by_five_definitions():
    model, frame, _, glm, _ = both()
    peer = glm.fit(tol=1e-14, maxiter=100)
    found = model.inference(frame).pseudo_r2
    n, full, null = len(frame), peer.llf, peer.llnull
    share, y = peer.fittedvalues, glm.endog
    assert found["McFadden"] == pytest.approx(peer.pseudo_rsquared("mcf"), rel=NEAR)
    assert found["Cox and Snell"] == pytest.approx(peer.pseudo_rsquared("cs"), rel=NEAR)
    assert found["McFadden, adjusted"] == pytest.approx(1 - (full - 6) / null, rel=NEAR)
    wanted = peer.pseudo_rsquared("cs") / (1 - math.exp(2 * null / n))
    assert found["Nagelkerke"] == pytest.approx(wanted, rel=NEAR)
    assert found["Tjur"] == pytest.approx(share[y == 1].mean() - share[y == 0].mean(), rel=NEAR)


def test_a_prior_has_wald_tests_but_no_maxima_to_compare():
    frame, _ = loans()
    model = ts.LogisticRegression(l2=2.0).fit(frame, "paid")
    found = model.inference(frame)
    own = [f.error for f in model.summary().figures]
    np.testing.assert_allclose([f.error for f in found.figures], own, rtol=1e-9)
    assert found.tests(likelihood_ratio=False)["housing"].freedom == 2
    with pytest.raises(OptionError, match=r"a prior holds these weights\. Use tests"):
        found.tests()
    with pytest.raises(OptionError, match=r"a prior holds these weights\. Fit with l2=0"):
        found.profile()


def test_the_level_is_in_the_table():
    model, frame, *_ = both()
    found = model.inference(frame, level=0.9)
    assert "90 % interval" in str(found)
    low, high = found.figures[1].interval
    assert high - low == pytest.approx(2 * stats.norm.ppf(0.95) * found.figures[1].error)
