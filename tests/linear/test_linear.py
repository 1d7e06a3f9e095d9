"""Linear regression: numbers of the field's packages, one model whatever the way in, and what it says."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

import tallystick as ts
from tallystick.errors import DataError, NotFitted, OptionError, TallyWarning
from tallystick.judge.folds import deal, without_names


def plain(rows=300, seed=0):
    r = np.random.default_rng(seed)
    X = r.normal(size=(rows, 4)) * [1, 10, 100, 0.1] + [5, 0, 1000, 3]
    return X, X @ [1, 2, -0.3, 4] + 3 * r.normal(size=rows) + 7


def mixed(rows=400, seed=1):
    r = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "temp": np.round(r.normal(15, 8, rows), 1),
            "day": r.choice(["mon", "sat", "tue"], rows),
            "holiday": r.random(rows) < 0.2,
            "n": r.poisson(3, rows).astype(float),
        }
    )
    noise = r.normal(0, 3, rows)
    frame["orders"] = 50 + 2 * frame.temp + 20 * (frame.day == "sat") - 9 * frame.holiday + frame.n + noise
    return frame


def with_gaps(rows=400):
    frame = mixed(rows)
    frame.loc[::7, "temp"] = np.nan
    frame.loc[::11, "day"] = None
    return frame


# -- the same numbers as others --


def test_least_squares_are_those_of_statsmodels():
    X, y = plain()
    peer = sm.OLS(y, sm.add_constant(X)).fit()
    model = ts.LinearRegression(l2=0).fit(X, y)
    found = model.summary()
    np.testing.assert_allclose([model.intercept_, *model.coef_], peer.params, rtol=1e-11)
    np.testing.assert_allclose([f.error for f in found.figures], peer.bse, rtol=1e-11)
    np.testing.assert_allclose([f.t for f in found.figures], peer.tvalues, rtol=1e-10)
    np.testing.assert_allclose([f.p for f in found.figures], peer.pvalues, rtol=1e-8, atol=1e-60)
    np.testing.assert_allclose([f.interval for f in found.figures], peer.conf_int(), rtol=1e-9)
    told = [found.r2, found.adjusted_r2, found.f, found.f_p, found.log_likelihood, found.aic, found.bic]
    others = [peer.rsquared, peer.rsquared_adj, peer.fvalue, peer.f_pvalue, peer.llf, peer.aic, peer.bic]
    np.testing.assert_allclose(told, others, rtol=1e-10, atol=1e-100)
    assert found.noise**2 == pytest.approx(peer.mse_resid, rel=1e-12)


def test_intervals_of_the_mean_and_of_a_row_are_those_of_statsmodels():
    X, y = plain()
    peer = sm.OLS(y, sm.add_constant(X)).fit().get_prediction(sm.add_constant(X[:20]))
    model = ts.LinearRegression(l2=0).fit(X, y)
    for level in (0.95, 0.8):
        frame = peer.summary_frame(alpha=1 - level)
        mean = frame[["mean_ci_lower", "mean_ci_upper"]]
        np.testing.assert_allclose(model.predict_interval(X[:20], level=level), mean, rtol=1e-9)
        row = frame[["obs_ci_lower", "obs_ci_upper"]]
        np.testing.assert_allclose(model.predict_interval(X[:20], of="row", level=level), row, rtol=1e-9)


def test_levels_booleans_products_and_weights_are_those_of_statsmodels():
    frame = mixed()
    weights = np.random.default_rng(3).integers(1, 4, len(frame))
    peer = smf.wls("orders ~ temp * C(day) + holiday + n", frame, weights=weights).fit()
    model = ts.LinearRegression(l2=0, interactions=[("temp", "day")]).fit(
        frame, "orders", sample_weight=weights
    )
    assert model.coef_names_ == [
        *("temp", "day = sat", "day = tue", "holiday = true", "n", "temp × day = sat", "temp × day = tue"),
    ]
    names = ["Intercept", "temp", "C(day)[T.sat]", "C(day)[T.tue]", "holiday[T.True]", "n"]
    names += ["temp:C(day)[T.sat]", "temp:C(day)[T.tue]"]
    np.testing.assert_allclose([model.intercept_, *model.coef_], peer.params[names], rtol=1e-9)
    formula = ts.LinearRegression.from_formula("orders ~ temp * day + holiday + n", frame, weights, l2=0)
    np.testing.assert_array_equal(sorted(formula.coef_), sorted(model.coef_))


def test_without_a_constant_and_with_a_chosen_base():
    frame = mixed()
    peer = smf.ols("orders ~ temp + n - 1", frame).fit()
    model = ts.LinearRegression(l2=0, fit_intercept=False).fit(frame[["temp", "n", "orders"]], "orders")
    np.testing.assert_allclose(model.coef_, peer.params, rtol=1e-10)
    assert model.intercept_ == 0
    found = model.summary()
    assert found.r2 == pytest.approx(peer.rsquared, rel=1e-10)
    assert [f.error for f in found.figures] == pytest.approx(peer.bse.tolist(), rel=1e-9)
    based = ts.LinearRegression(l2=0, base_levels={"day": "tue"}).fit(frame[["day", "orders"]], "orders")
    assert based.coef_names_ == ["day = mon", "day = sat"]


@pytest.mark.parametrize("alpha", [0.01, 1.0, 50.0])
def test_ridge_is_that_of_scikit_learn(alpha):
    X, y = plain()
    Z = StandardScaler().fit_transform(X)
    peer = Ridge(alpha=alpha, solver="svd").fit(Z, y)
    model = ts.LinearRegression(l2=alpha).fit(X, y)
    np.testing.assert_allclose(model.predict(X), peer.predict(Z), rtol=1e-11)
    raw = Ridge(alpha=alpha, solver="svd").fit(X, y)
    model = ts.LinearRegression(l2=alpha, standardize=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, raw.coef_, rtol=1e-9)


def test_columns_that_nearly_repeat_each_other_keep_their_digits():
    longley = sm.datasets.longley.load_pandas()
    certified = {  # by the National Institute of Standards and Technology
        "GNPDEFL": 15.0618722713733,
        "GNP": -0.358191792925910e-01,
        "UNEMP": -2.02022980381683,
        "ARMED": -1.03322686717359,
        "POP": -0.511041056535807e-01,
        "YEAR": 1829.15146461355,
    }
    model = ts.LinearRegression(l2=0, kinds=dict.fromkeys(certified, "numeric")).fit(
        longley.exog, longley.endog
    )
    found = dict(zip(model.coef_names_, model.coef_.tolist(), strict=True))
    for name, value in certified.items():
        assert found[name] == pytest.approx(value, rel=1e-8), name
    assert model.intercept_ == pytest.approx(-3482258.63459582, rel=1e-8)


def test_a_fit_without_error_gives_the_line():
    x = np.arange(50.0) / 8
    model = ts.LinearRegression(l2=0).fit(x[:, None], 3 * x - 7)
    assert model.coef_[0] == pytest.approx(3, rel=1e-13)
    auto = ts.LinearRegression().fit(x[:, None], 3 * x - 7)
    assert auto.coef_[0] == pytest.approx(3, rel=1e-6)


# -- the penalty --


def test_the_evidence_holds_noise_and_lets_signal_go():
    r = np.random.default_rng(5)
    X = r.normal(size=(60, 20))
    loud = ts.LinearRegression().fit(X, X @ r.normal(size=20) * 5 + r.normal(size=60))
    quiet = ts.LinearRegression().fit(X, r.normal(size=60))
    assert loud.model_.fit.l2 < 0.1 < 1 < quiet.model_.fit.l2
    assert np.abs(quiet.coef_).max() < np.abs(ts.LinearRegression(l2=0).fit(X, r.normal(size=60)).coef_).max()


def test_the_penalty_by_cross_validation_is_the_one_of_the_lowest_error():
    X, y = plain(120)
    model = ts.LinearRegression(l2="cv").fit(X, y)
    path = model.path_
    assert path.best == model.model_.fit.l2 == path.strengths[int(np.argmin(path.losses))]
    assert "in 5-fold cross-validation" in str(model)
    at = path.strengths.index(100.0)
    table, Z = model._read(X, y), StandardScaler().fit_transform(X)
    folds, wrong = deal(without_names(table), 5).fold, 0.0
    for fold in np.unique(folds):
        here = folds == fold
        peer = Ridge(alpha=100.0, solver="svd").fit(Z[~here], y[~here])
        wrong += ((y[here] - peer.predict(Z[here])) ** 2).sum()
    assert path.losses[at] == pytest.approx(wrong / len(y), rel=1e-8)
    with pytest.raises(NotFitted, match="only a fit with l2='cv' has one"):
        _ = ts.LinearRegression(l2=1.0).fit(X, y).path_


# -- one model, whatever the way in --


@pytest.mark.slow
@pytest.mark.parametrize("l2", [0, "auto", "cv"])
def test_the_model_does_not_depend_on_the_way_in(tmp_path, l2):
    frame = with_gaps()
    frame.to_csv(tmp_path / "t.csv", index=False)
    known = ts.LinearRegression(l2=l2).fit(frame, "orders").to_bytes()
    mixed_up = frame.sample(frac=1.0, random_state=1)
    assert ts.LinearRegression(l2=l2, threads=3).fit(mixed_up, "orders").to_bytes() == known
    assert ts.LinearRegression(l2=l2).fit(str(tmp_path / "t.csv"), "orders").to_bytes() == known
    assert (
        ts.LinearRegression(l2=l2, memory="1 GB").fit(str(tmp_path / "t.csv"), "orders").to_bytes() == known
    )


def test_more_weights_than_a_matrix_may_have_are_found_step_by_step(monkeypatch):
    frame = with_gaps()
    known = ts.LinearRegression(l2=2.0).fit(frame, "orders")
    monkeypatch.setattr("tallystick.linear.least_squares.MATRIX", 5)
    found = ts.LinearRegression(l2=2.0).fit(frame, "orders")
    np.testing.assert_allclose(found.predict(frame), known.predict(frame), rtol=1e-8)
    assert not found.model_.errors
    assert found.model_.fit.error == pytest.approx(known.model_.fit.error, rel=1e-10)
    with pytest.raises(OptionError, match="no interval of an answer: it has too many weights"):
        found.predict_interval(frame)


# -- what it does with cells --


def test_missing_numbers_and_new_levels_are_answered_as_documented():
    frame = with_gaps()
    model = ts.LinearRegression(l2=1.0).fit(frame, "orders")
    part = {p.name: p for p in model.model_.parts}
    row = {"temp": None, "day": "sat", "holiday": False, "n": 3}
    at_mean = row | {"temp": part["temp"].centre}
    assert model.predict_one(row) == pytest.approx(
        model.predict_one(at_mean) + float(part["temp"].missing[0]), rel=1e-12
    )
    gone = row | {"day": "sun"}
    with pytest.warns(TallyWarning, match="no cell of column 'day' is a level of the model"):
        new = model.predict([gone] * 60)[0]
    assert new == pytest.approx(model.predict_one(row) - float(part["day"].weights[1, 0]), rel=1e-12)


def test_text_is_not_read_and_said_so():
    rows = [{"x": float(i % 9), "said": f"some words {i} of a text", "y": 2.0 * (i % 9)} for i in range(40)]
    model = ts.LinearRegression(kinds={"said": "text"}).fit(rows, "y")
    assert "column 'said' holds text, which a linear regression does not read" in str(model)
    assert model.predict([{"x": 2.0, "said": "anything"}])[0] == pytest.approx(4, abs=0.01)
    with pytest.raises(DataError, match="needs columns of numbers or levels"):
        ts.LinearRegression(kinds={"said": "text"}).fit([{k: r[k] for k in ("said", "y")} for r in rows], "y")


def test_columns_that_follow_from_others_are_named():
    r = np.random.default_rng(2)
    frame = pd.DataFrame({"a": r.normal(size=50), "b": r.normal(size=50)})
    frame["c"] = frame.a + frame.b
    frame["y"] = frame.a + r.normal(size=50)
    model = ts.LinearRegression(l2=0).fit(frame, "y")
    assert "'c' follows from a, b" in str(model).replace("'a'", "a").replace("'b'", "b")
    assert model.predict(frame) == pytest.approx(smf.ols("y ~ a + b", frame).fit().fittedvalues.tolist())


def test_few_rows_have_an_answer_and_no_errors():
    one = ts.LinearRegression(l2=0).fit(np.array([[1.0], [2.0]]), np.array([3.0, 5.0]))
    assert one.predict([[3.0]])[0] == pytest.approx(7)
    assert "Standard errors are not given" in str(one)
    same = ts.LinearRegression().fit(np.array([[1.0], [2.0], [4.0]]), np.array([5.0, 5.0, 5.0]))
    assert same.predict([[9.0]])[0] == 5.0


def test_wrong_wishes_are_refused_in_one_line():
    X, y = plain(20)
    for given, says in (
        ({"l2": -1}, "l2 must be a number of at least 0, 'auto' or 'cv', not -1"),
        ({"l2": "best"}, "not 'best'"),
        ({"polynomial": 3}, "polynomial must be 1 or 2"),
        ({"fit_intercept": 1}, "fit_intercept must be True or False"),
        ({"base_levels": 3, "l2": 0}, "base_levels must be levels by column"),
    ):
        with pytest.raises(OptionError, match=says):
            ts.LinearRegression(**given).fit(X, y)
    model = ts.LinearRegression().fit(X, y)
    with pytest.raises(OptionError, match="of must be 'mean' or 'row'"):
        model.predict_interval(X, of="all")
    with pytest.raises(OptionError, match="level must be a number between 0 and 1"):
        model.predict_interval(X, level=2)


# -- saying why --


@pytest.mark.slow
def test_the_parts_of_an_explanation_add_up_to_the_answer():
    frame = with_gaps()
    model = ts.LinearRegression().fit(frame, "orders")
    for row in (0, 7, 11):
        why = model.explain(frame, row)
        assert why.answer == model.predict(frame.iloc[[row]])[0]
        assert why.base + sum(r.part for r in why.reasons) == pytest.approx(why.answer, rel=1e-12)
        low, high = why.interval
        assert low < why.answer < high
    mean = np.mean([model.explain(frame, i).answer for i in range(len(frame))])
    assert why.base == pytest.approx(mean, rel=1e-9)
    said = str(why)
    assert "average row" in said
    assert why.to_dict()["reasons"][0]["column"] == "temp"
    assert "<svg" in why.picture()


def test_the_summary_tells_the_penalty_and_the_coding():
    frame = with_gaps()
    said = str(ts.LinearRegression(l2=0).fit(frame, "orders").summary())
    assert "No penalty: least squares. Levels are compared with day = mon." in " ".join(said.split())
    assert "temp is missing" in said
    held = " ".join(str(ts.LinearRegression(l2=3.0).fit(frame, "orders")).split())
    assert "Ridge: l2 = 3, on standardised numbers and booleans and on levels as they are" in held
    assert "under the penalty as a prior" in held
    assert ts.LinearRegression(l2=0).fit(frame, "orders").summary().to_dict()["coefficients"][0]["t"] > 0


def test_two_models_are_told_apart(tmp_path):
    frame = mixed()
    for name, rows in (("a", frame), ("b", frame[:-40])):
        ts.LinearRegression(l2=0).fit(rows, "orders").save(tmp_path / f"{name}.tally.json")
    said = str(ts.diff(tmp_path / "a.tally.json", tmp_path / "b.tally.json"))
    assert "column 'day', level 'sat': adds " in said
    assert "class" not in said
