"""Residuals, leverage and influence are those of statsmodels; Hosmer and Lemeshow's groups those of R."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from loan_tables import as_numbers, loans
from scipy import stats

import tallystick as ts
from tallystick.errors import OptionError


@pytest.fixture(scope="module")
def fitted():
    frame, _ = loans()
    model = ts.LogisticRegression(l2=0).fit(frame, "paid")
    x, y = as_numbers(frame)
    return frame, model, sm.GLM(y, x, family=sm.families.Binomial()).fit(tol=1e-14, maxiter=100)


def test_residuals_leverage_and_cooks_distance_are_statsmodels(fitted):
    frame, model, peer = fitted
    found = model.inference(frame).residuals()
    influence = peer.get_influence()
    np.testing.assert_allclose(found.deviance, peer.resid_deviance, rtol=1e-7)
    np.testing.assert_allclose(found.pearson, peer.resid_pearson, rtol=1e-7)
    np.testing.assert_allclose(found.leverage, influence.hat_matrix_diag, rtol=1e-7)
    np.testing.assert_allclose(found.cooks_distance, influence.cooks_distance[0], rtol=1e-7)
    assert (found.deviance**2).sum() == pytest.approx(-2 * model.summary().log_likelihood, rel=1e-12)
    assert found.leverage.sum() == pytest.approx(6)


def test_the_rows_of_most_influence_are_named(fitted):
    frame, model, peer = fitted
    found = model.inference(frame).residuals()
    top = [row["row"] for row in found.largest(5)]
    assert top == np.argsort(-peer.get_influence().cooks_distance[0])[:5].tolist()
    assert found.largest(1)[0]["class"] == frame.paid[top[0]]
    assert str(found).splitlines()[2].split()[0] == str(top[0])
    assert [r["row"] for r in found.largest(1, by="leverage")] == [int(found.leverage.argmax())]
    with pytest.raises(OptionError, match="by must be one of"):
        found.largest(by="size")


def test_rows_keep_their_place_where_some_have_no_label():
    frame, _ = loans(120)
    gaps = pd.concat([frame.iloc[:3].assign(paid=None), frame], ignore_index=True)
    model = ts.LogisticRegression(l2=0).fit(gaps, "paid")
    found = model.inference(gaps).residuals()
    assert found.row.min() == 3
    assert len(found.row) == 120


def test_copies_are_whole_weights():
    frame, _ = loans(150)
    weights = np.arange(150) % 3 + 1
    copies = frame.loc[frame.index.repeat(weights)]
    model = ts.LogisticRegression(l2=0).fit(frame, "paid", sample_weight=weights)
    one = model.inference(frame, sample_weight=weights, errors="HC1")
    many = ts.LogisticRegression(l2=0).fit(copies, "paid").inference(copies, errors="HC1")
    np.testing.assert_allclose(one.covariance, many.covariance, rtol=1e-9)
    np.testing.assert_allclose(
        np.repeat(one.residuals().leverage, weights), many.residuals().leverage, rtol=1e-9
    )
    assert one.hosmer_lemeshow().statistic == pytest.approx(many.hosmer_lemeshow().statistic, rel=1e-9)


def test_hosmer_and_lemeshow_cut_at_the_quantiles_as_r_does(fitted):
    # R: qq <- unique(quantile(p, seq(0, 1, 1/g))); cut(p, qq, include.lowest=TRUE); xtabs; chisq on g - 2
    frame, model, peer = fitted
    p, y = np.asarray(peer.fittedvalues), np.asarray(peer.model.endog)
    cuts = np.unique(np.quantile(p, np.arange(11) / 10))
    at = pd.cut(p, cuts, include_lowest=True).codes
    n, seen, expected = (np.bincount(at, w) for w in (np.ones(len(p)), y, p))
    wanted = ((seen - expected) ** 2 / expected + (seen - expected) ** 2 / (n - expected)).sum()
    found = model.inference(frame).hosmer_lemeshow()
    assert found.statistic == pytest.approx(wanted, rel=1e-6)
    assert found.p == pytest.approx(stats.chi2.sf(wanted, 8), rel=1e-6)
    assert "depends on the number of groups" in " ".join(str(found).split())
    with pytest.raises(OptionError, match="groups must be a whole number of at least 3"):
        model.inference(frame).hosmer_lemeshow(2)


def test_figures_that_r_printed_for_the_same_rows(fitted):
    # R 4.2.2: glm with epsilon 1e-14; the statistic as above, cooks.distance, confint of MASS
    frame, model, _ = fitted
    found = model.inference(frame)
    assert found.hosmer_lemeshow().statistic == pytest.approx(3.86816774476262, rel=1e-10)
    cooks = [0.001755397921211451, 0.000216098306762275, 0.003017445720279866, 0.000323651148480569]
    np.testing.assert_allclose(found.residuals().cooks_distance[:4], cooks, rtol=1e-9)
    ends = found.profile(["age", "housing = own"])  # R reads them off a spline
    assert ends["age"] == pytest.approx((0.0266374738886956, 0.0673700896035077), rel=1e-4)
    assert ends["housing = own"] == pytest.approx((-1.2149442173088385, -0.0892319123843030), rel=1e-4)
