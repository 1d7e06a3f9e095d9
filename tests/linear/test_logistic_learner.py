"""Logistic regression fitted: separation, missing and unseen values, products, the prior."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logistic_tables import made
from shared_tables import needs_data, shared

import tallystick as ts
from tallystick import kernels
from tallystick.errors import OptionError, TallyError
from tallystick.kernels.linear import DenseColumns
from tallystick.linear.learner import LIMITS

pytestmark = pytest.mark.slow


def separated(kind, classes, columns, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 4))
    cuts = [0.0] if classes == 2 else [-0.5, 0.5]
    score = X[:, 0] if columns == 1 else X[:, 0] + X[:, 1]
    y = np.digitize(score, cuts)
    if kind == "complete":
        apart = np.min([abs(score - c) for c in cuts], axis=0) > 0.05
        X, y = X[apart], y[apart]
    elif kind == "quasi-complete":
        touch = rng.normal(size=(40, 4))
        if columns == 1:
            touch[:, 0] = cuts[0]
        else:
            touch[:, 0] = np.round(touch[:, 0] * 8) / 8
            touch[:, 1] = cuts[0] - touch[:, 0]
        X, y = np.vstack([X, touch]), np.append(y, np.arange(40) % 2)
    else:
        y = np.where(rng.random(len(y)) < 0.3, rng.integers(0, classes, len(y)), y)
    return pd.DataFrame(X, columns=list("abcd")), y


KINDS = ("complete", "quasi-complete", "none")
CASES = list(itertools.product(KINDS, (2, 3), (1, 2), range(4)))


@pytest.mark.parametrize("l2", [0, 1.0], ids=["no prior", "prior"])
@pytest.mark.parametrize(("kind", "classes", "columns", "seed"), CASES)
def test_separated_classes_are_found_and_their_columns_named(kind, classes, columns, seed, l2):
    X, y = separated(kind, classes, columns, seed)
    model = ts.LogisticRegression(l2=l2).fit(X, y)
    notes = [n for n in model.notes_ if n.code == "separation"]
    assert (model.model_.fit.separation or "none") == kind
    assert len(notes) == (kind != "none")
    if notes:
        assert "'a'" in notes[0].text
        assert ("'b'" in notes[0].text) == (columns == 2)
        assert "'c'" not in notes[0].text
        assert "prior" in notes[0].text
        assert model.model_.errors == ()
        assert np.abs(model.coef_).max() < 50
    assert ts.separable(X, y).kind == kind


def test_a_level_with_one_class_only_is_quasi_complete_separation():
    frame = pd.DataFrame({"x": list("aabbcc") * 10, "z": np.random.default_rng(0).normal(size=60)})
    y = np.where(frame["x"] == "a", 1, np.arange(60) % 2)
    model = ts.LogisticRegression(l2=0).fit(frame, y)
    assert model.model_.fit.separation == "quasi-complete"
    assert "'x'" in next(n.text for n in model.notes_ if n.code == "separation")


def test_a_budget_that_ends_early_is_a_warning_a_note_and_a_model_without_errors():
    X, y = made(1)
    model = ts.LogisticRegression(solver="gradient", max_iter=3)
    with pytest.warns(ts.TallyWarning, match=r"did not converge in 3 iterations.*max_iter"):
        model.fit(X, y)
    assert [note.code for note in model.notes_] == ["not-converged"]
    assert model.n_iter_.tolist() == [3]
    assert model.model_.errors == ()
    enough = ts.LogisticRegression(max_iter=100).fit(X, y)
    assert ts.LogisticRegression(max_iter=10**30).fit(X, y).coef_.tolist() == enough.coef_.tolist()
    assert enough.notes_ == ()
    assert enough.model_.errors


def test_the_solvers_own_limit_is_an_error_and_leaves_no_model(monkeypatch):
    X, y = made(1)
    monkeypatch.setitem(LIMITS, "gradient", 3)
    model = ts.LogisticRegression(solver="gradient")
    with pytest.raises(TallyError, match=r"did not converge in 3 iterations.*max_iter"):
        model.fit(X, y)
    assert not hasattr(model, "model_")


def test_missing_numbers_count_as_the_mean_plus_a_weight_and_unseen_levels_as_0():
    X, y = made(3, rows=400)
    model = ts.LogisticRegression().fit(X, y)
    mean = X["d"].mean()
    row = {"a": 1.0, "b": "u", "c": True, "d": mean}
    here, gone = model.explain(row), model.explain(row | {"d": None})
    at = [r.column for r in here.reasons].index("d")
    weight = model.coef_[0, model.coef_names_.index("d is missing")]
    assert gone.reasons[at].parts[1] - here.reasons[at].parts[1] == pytest.approx(weight, abs=1e-9)
    strange = model.explain(row | {"b": "never seen"})
    usual = model.model_.additive.averages[1]  # a reason is less what the average row has
    assert np.array_equal(np.array(strange.reasons[1].parts), -usual)


def test_contributions_add_up_to_the_log_odds_that_predict_uses():
    X, y = made(4, rows=300, classes=3)
    model = ts.LogisticRegression(interactions=2).fit(X, y)
    why = model.explain(X, 7)
    np.testing.assert_allclose(why.shares, model.predict_proba(X)[7], atol=1e-12)
    total = np.add.accumulate([why.base, *(r.parts for r in why.reasons)])[-1]
    np.testing.assert_array_equal(total, why.scores)


@pytest.mark.parametrize("classes", [2, 3])
def test_one_row_as_a_dict_gets_the_bits_that_a_table_gives_it(classes):
    X, y = made(8, rows=300, classes=classes)
    X.loc[X.index % 7 == 0, "b"] = None
    model = ts.LogisticRegression().fit(X, y)
    whole = model.predict_proba(X)
    for i in range(40):
        row = X.iloc[i].to_dict()
        np.testing.assert_array_equal(model.predict_proba_one(row), whole[i])
        assert model.predict_one(row) == model.predict(X)[i]
    strange = {"a": "2.5", "b": "never seen", "c": "TRUE", "d": None}
    np.testing.assert_array_equal(model.predict_proba_one(strange), model.predict_proba([strange])[0])
    with pytest.raises(TallyError, match="the row lacks 1 column that the model needs: 'c'"):
        model.predict_proba_one({"a": 1.0, "b": "u", "d": 1.0})
    with pytest.raises(TallyError, match=r"column 'a' was numeric .* holds 'inf'"):
        model.predict_proba_one(strange | {"a": np.inf})


@pytest.mark.parametrize("classes", [2, 4])
def test_plain_matrices_are_answered_as_if_they_were_read(classes):
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(1_003, 9))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, :classes]).argmax(1)
    model = ts.LogisticRegression().fit(X, y)
    records = pd.DataFrame(X, columns=[f"x{j}" for j in range(9)]).to_dict("records")
    shares = model.predict_proba(records)
    for way in (X, np.asfortranarray(X), pd.DataFrame(records), X.astype("float64")[:, ::1]):
        np.testing.assert_array_equal(model.predict_proba(way), shares)
        np.testing.assert_array_equal(model.predict(way), model.classes_[shares.argmax(1)])
    bad = X.copy()
    bad[7, 2] = np.inf
    with pytest.raises(TallyError, match="x2"):
        model.predict(bad)


@given(seed=st.integers(0, 10_000), columns=st.integers(4, 13), far=st.sampled_from([0.0, 1e3, 1e9]))
@settings(max_examples=60, deadline=None)
def test_the_quick_look_for_the_best_class_is_what_the_shares_say(seed, columns, far):
    """Among rows whose score is 0 but for rounding, rows with missing and infinite cells, and plain ones."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 300))
    X = rng.normal(size=(rows, columns + 2)) + far
    theta = rng.normal(size=(columns + 1, 1))
    scaling = np.stack([np.full(columns, far), np.exp(rng.normal(size=columns))])
    slope = theta[1:, 0] * scaling[1]
    tied = rng.random(rows) < rng.choice([0.0, 0.02, 1.0])
    rest = theta[0, 0] + (X[:, 1:columns] - far) @ slope[1:]
    X[tied, 0] = (far - rest / slope[0])[tied]
    if seed % 3 == 0:
        X[rng.integers(rows), rng.integers(columns)] = rng.choice([np.nan, np.inf, -np.inf])
    held = DenseColumns([X[:, j] for j in range(columns)], [], [])
    best, finite = kernels.linear_answers(held, rows, scaling, theta, kernels.Answer.BEST)
    shares, as_well = kernels.linear_answers(held, rows, scaling, theta, kernels.Answer.SHARES)
    assert finite == as_well == (not np.isinf(X).any())
    if finite:
        assert best.tolist() == shares.argmax(axis=1).tolist()


def test_pictures_name_columns_ratios_and_shares_and_escape_them():
    X, y = made(9, rows=300)
    X = X.rename(columns={"a": "<b>"})
    model = ts.LogisticRegression(l2=0).fit(X, y)
    figure = next(f for f in model.summary().figures if f.name == "<b>")
    low, high = figure.odds_interval
    forest, nomogram = model.forest().svg, model.nomogram().svg
    assert f"{figure.odds_ratio:.3g} ({low:.3g} to {high:.3g})" in forest
    for picture in (forest, nomogram):
        assert "&lt;b&gt;" in picture
        assert "<b>" not in picture
    assert "share" in nomogram


def test_weights_of_classes_and_rows_do_what_copies_do():
    X, y = made(5, rows=200)
    double = pd.concat([X, X[y == 1]])
    copies = ts.LogisticRegression().fit(double, np.append(y, y[y == 1]))
    by_class = ts.LogisticRegression(class_weight={1: 2.0}).fit(X, y)
    by_row = ts.LogisticRegression().fit(X, y, sample_weight=np.where(y == 1, 2.0, 1.0))
    assert by_row.to_bytes() == copies.to_bytes()
    # class weights do not enter means and scales as copies do, so compare without standardising
    for given_ in ({"standardize": False},):
        a = ts.LogisticRegression(class_weight={1: 2.0}, **given_).fit(X[["a", "b"]], y)
        b = ts.LogisticRegression(**given_).fit(double[["a", "b"]], np.append(y, y[y == 1]))
        np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-6)
    assert by_class.model_.fit.rows == pytest.approx(200 + (y == 1).sum())


def test_the_strength_of_the_prior_is_chosen_and_said():
    X, y = made(6, rows=200)
    model = ts.LogisticRegression(l2="cv").fit(X, y)
    assert model.path_.best == model.model_.fit.l2
    assert any(n.code == "prior-chosen" for n in model.notes_)
    assert "chosen by cross-validation" in str(model)


@pytest.mark.night
@needs_data
def test_20_newsgroups_by_date_with_the_prior_chosen_by_cross_validation():
    parts = [
        pd.read_csv(shared(f"20newsgroups/20news-bydate-{part}"), keep_default_na=False)
        for part in ("train", "test")
    ]
    model = ts.LogisticRegression(l2="cv", kinds={"text": "text"})
    model.fit(parts[0][["text"]], parts[0]["newsgroup"])
    assert model.score(parts[1][["text"]], parts[1]["newsgroup"]) >= 0.84


def test_an_l1_prior_sets_weights_to_0_and_meets_its_conditions():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    y = (X[:, 0] - X[:, 1] + rng.logistic(size=300) > 0).astype(int)
    for solver in ("newton", "lbfgs"):
        model = ts.LogisticRegression(l2=0, l1=20.0, solver=solver, standardize=False).fit(X, y)
        w = model.coef_[0]
        assert 1 <= np.count_nonzero(w) < 8
        slope = X.T @ (y - model.predict_proba(X)[:, 1])
        np.testing.assert_allclose(slope[w != 0], 20.0 * np.sign(w[w != 0]), atol=1e-4)
        assert (np.abs(slope[w == 0]) <= 20.0 + 1e-4).all()


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"l2": -1}, "l2 must be"),
        ({"solver": "newtn"}, "Did you mean 'newton'"),
        ({"interactions": 3}, "interactions"),
        ({"class_weight": {"9": 1.0}}, "which is not a class"),
        ({"reference": "nobody"}, "which is not a class"),
        ({"l1": float("nan")}, "l1 must"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(given_, words):
    X, y = made(7)
    with pytest.raises(OptionError, match=words):
        ts.LogisticRegression(**given_).fit(X, y)
