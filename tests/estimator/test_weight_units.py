"""Law 7: whole weights are copies; the unit of other weights changes nothing that a model tells."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import AdaBoostClassifier

import tallystick as ts
from tallystick.errors import DataError, OptionError
from tallystick.methods import VARIANTS

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

RANDOM = np.random.default_rng(3)
ROWS = 120
NUMBERS = RANDOM.normal(size=(ROWS, 3)).round(2)
LEVELS = RANDOM.choice(["u", "v", "w"], ROWS)
TABLE = {"a": NUMBERS[:, 0], "b": NUMBERS[:, 1], "c": NUMBERS[:, 2], "d": LEVELS}
AMOUNT = 2 * NUMBERS[:, 0] + (LEVELS == "u") + RANDOM.normal(size=ROWS)
CLASS = np.where(AMOUNT + RANDOM.normal(size=ROWS) > 0.3, "yes", "no")
WEIGHTS = (RANDOM.random(ROWS) * 3).round(3) + 0.0005  # none is whole, in any of the units below
UNITS = (1 / ROWS, 1e-300, 2.0**-40, 0.3, 7.7, 1e6)


def target(variant):
    return AMOUNT if variant.method.regression else CLASS


def answers(model):
    return model.predict_proba(TABLE) if hasattr(model, "predict_proba") else model.predict(TABLE)


def fitted(variant, weights):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return variant.make({}).fit(TABLE, target(variant), weights)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
@settings(deadline=None, max_examples=4)
@given(unit=st.sampled_from(UNITS), seed=st.integers(0, 2**16))
def test_the_unit_of_weights_that_are_not_whole_changes_no_answer(variant, unit, seed):
    weights = np.random.default_rng(seed).permutation(WEIGHTS)
    one, other = fitted(variant, weights), fitted(variant, weights * unit)
    assert np.abs(answers(one) - answers(other)).max() < 1e-5
    assert one.rows_["count"] / one.rows_["unit"] == pytest.approx(ROWS, rel=1e-8)
    assert [n.code for n in one.notes_].count("weights-relative") == 1
    assert one.notes_ == other.notes_


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
@pytest.mark.parametrize("weight", [0.5, 1 / ROWS, 1e-200])
def test_equal_weights_that_are_not_whole_give_the_model_of_none(variant, weight):
    plain, weighed = (fitted(variant, w) for w in (None, np.full(ROWS, weight)))
    assert answers(plain).tobytes() == answers(weighed).tobytes()
    assert plain.rows_ == weighed.rows_
    assert [n.code for n in weighed.notes_ if n not in plain.notes_] == ["weights-relative"]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
def test_models_of_rows_on_disk_have_the_bytes_of_those_in_memory(variant):
    near = fitted(variant, WEIGHTS).to_bytes()
    assert variant.make({"memory": "1GB"}).fit(TABLE, target(variant), WEIGHTS).to_bytes() == near


@pytest.mark.parametrize("unit", UNITS)
def test_no_error_of_a_linear_regression_depends_on_the_unit_and_all_are_statsmodels(unit):
    import statsmodels.api as sm

    ours = ts.LinearRegression(l2=0).fit(NUMBERS, AMOUNT, WEIGHTS * unit)
    known = sm.WLS(AMOUNT, sm.add_constant(NUMBERS), weights=WEIGHTS).fit()
    assert np.ravel(ours.model_.errors) == pytest.approx(known.bse, rel=1e-6)
    assert ours.summary().f_p == pytest.approx(known.f_pvalue, rel=1e-6)
    low, high = ours.predict_interval(NUMBERS[:5]).T
    wanted = known.get_prediction(sm.add_constant(NUMBERS)[:5]).conf_int(alpha=0.05)
    assert low == pytest.approx(wanted[:, 0], rel=1e-6)
    assert high == pytest.approx(wanted[:, 1], rel=1e-6)
    assert str(ours.summary()) == str(ts.LinearRegression(l2=0).fit(NUMBERS, AMOUNT, WEIGHTS).summary())


@pytest.mark.parametrize("unit", UNITS)
def test_no_error_of_a_logistic_regression_or_a_card_depends_on_the_unit(unit):
    for make in (ts.LogisticRegression, ts.Scorecard):
        one, other = (make().fit(TABLE, CLASS, w) for w in (WEIGHTS, WEIGHTS * unit))
        mine, its = (np.concatenate([np.ravel(e) for e in m.model_.errors]) for m in (one, other))
        assert mine == pytest.approx(its, rel=1e-5)
    one, other = (
        ts.LogisticRegression().fit(TABLE, CLASS, w).inference(TABLE, CLASS, w)
        for w in (WEIGHTS, WEIGHTS * unit)
    )
    assert one.predict_interval(TABLE) == pytest.approx(other.predict_interval(TABLE), rel=1e-5)
    ends = [ts.Scorecard().fit(TABLE, CLASS, w).predict_interval(TABLE) for w in (WEIGHTS, WEIGHTS * unit)]
    assert ends[0] == pytest.approx(ends[1], rel=1e-4)


@pytest.mark.parametrize("name", ["tree", "bayes", "logistic", "card", "linear", "regression"])
def test_no_score_of_a_judge_depends_on_the_unit(name):
    variant = next(v for v in VARIANTS if v.name == name)

    def scores(unit):
        rows = {**TABLE, "y": target(variant), "weight": WEIGHTS * unit}
        found = ts.cross_validate(variant.make({}), rows, "y", sample_weight="weight", folds=3)
        return [(m.value, m.low, m.high) for m in found.measures]

    first = scores(1.0)
    for unit in (0.3, 1 / ROWS):
        for one, other in zip(first, scores(unit), strict=True):
            assert one == pytest.approx(other, rel=1e-5, nan_ok=True)


def test_a_card_is_boosted():
    x, y = load_breast_cancer(return_X_y=True)
    assert AdaBoostClassifier(ts.Scorecard(pairs=0), n_estimators=3).fit(x, y).score(x, y) > 0.95


def test_weights_of_one_row_in_n_collapse_nothing():
    for make in (ts.Scorecard, ts.LogisticRegression, ts.NaiveBayes):
        for x, y in (load_iris(return_X_y=True), load_breast_cancer(return_X_y=True)):
            assert make().fit(x, y, np.full(len(y), 1 / len(y))).score(x, y) == make().fit(x, y).score(x, y)


def test_weights_that_cannot_be_counted_are_refused_with_their_sum():
    with pytest.raises(DataError, match=r"sum to 1\.20e\+302, .*copies of rows: divide all of them"):
        ts.NaiveBayes().fit(TABLE, CLASS, np.full(ROWS, 1e300))


def test_naive_bayes_learns_in_parts_with_the_unit_of_a_row():
    half = {n: v[:60] for n, v in TABLE.items()}, {n: v[60:] for n, v in TABLE.items()}
    parts = ts.NaiveBayes(distributions="gaussian")
    for rows, own, weights in zip(half, (CLASS[:60], CLASS[60:]), (WEIGHTS[:60], WEIGHTS[60:]), strict=True):
        parts.partial_fit(rows, own, ["no", "yes"], weights)
    whole = ts.NaiveBayes(distributions="gaussian").partial_fit(TABLE, CLASS, ["no", "yes"], WEIGHTS)
    assert parts.predict_proba(TABLE) == pytest.approx(whole.predict_proba(TABLE), rel=1e-9)
    assert [n.text for n in parts.notes_ if n.code == "weights-not-whole"] == [
        "some sample weights are not whole: here a weight of 1 is one row."
    ]


def test_rows_that_were_scaled_have_no_unit_in_common_with_others():
    scaled = ts.NaiveBayes(distributions="gaussian").fit(TABLE, CLASS, WEIGHTS)
    for change in (scaled.update, scaled.forget):
        with pytest.raises(OptionError, match="Begin with partial_fit"):
            change(TABLE, CLASS, WEIGHTS)
