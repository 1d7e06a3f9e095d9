"""Logistic regression keeps its word: references are those it states, pictures hold the whole model, options
may be NumPy's, and what it says of a fit is true of that fit.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.errors import NotFitted, OptionError, TallyError


def crossed(rows=600, seed=1):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(2.0, 1.5, rows),
            "g": rng.choice(list("rst"), rows),
            "h": rng.choice(["k", "l", "m"], rows),
            "b": rng.random(rows) < 0.4,
        }
    )
    slope = frame["g"].map({"r": 0.4, "s": -0.3, "t": 0.9})
    score = slope * frame["a"] - 0.6 + 0.5 * (frame["g"] == "s") * (frame["h"] == "l") - 0.7 * frame["b"]
    return frame, np.where(rng.random(rows) < 1 / (1 + np.exp(-score)), "yes", "no")


# -- references --


@pytest.mark.parametrize(
    ("columns", "formula"),
    [
        (["a", "g"], "C(g, Treatment('r')) * a"),
        (["g", "h"], "C(g, Treatment('r')) * C(h, Treatment('k'))"),
        (["b", "g"], "C(g, Treatment('r')) * b"),
    ],
)
def test_products_are_against_the_stated_levels_as_in_statsmodels(columns, formula):
    smf = pytest.importorskip("statsmodels.formula.api")
    frame, y = crossed()
    model = ts.LogisticRegression(interactions=2, l2=0).fit(frame[columns], y)
    table = frame.assign(y=(y == "yes").astype(int), b=frame["b"].astype(int))
    other = smf.logit(f"y ~ {formula}", table).fit(disp=0, tol=1e-12)
    summary = model.summary()
    ours = sorted((f.estimate, f.error) for f in summary.figures)
    theirs = sorted(zip(other.params, other.bse, strict=True))
    assert np.array(ours) == pytest.approx(np.array(theirs), rel=1e-5, abs=1e-7)
    assert summary.log_likelihood == pytest.approx(other.llf, rel=1e-9)
    assert "Levels are compared with " in str(model)
    assert "g = r" in str(model)
    assert not [n for n in model.notes_ if n.code == "collinear"]


def test_a_column_is_never_said_to_follow_from_its_products():
    frame, y = crossed()
    kept = ~((frame["g"] == "r") & (frame["h"] == "l"))
    model = ts.LogisticRegression(interactions=2, l2=0).fit(frame.loc[kept, ["g", "h"]], y[kept])
    assert {"g = s", "g = t", "h = l", "h = m"} <= set(model.coef_names_)
    assert "g = r, h = k" in str(model)
    (note,) = [n for n in model.notes_ if n.code == "collinear"]
    assert " × " in note.text.split("follow from others: ")[1].split(" follows ")[0]


# -- nomograms --


def test_a_model_with_products_or_text_has_no_nomogram_and_says_why():
    frame, y = crossed(200)
    model = ts.LogisticRegression(polynomial=2).fit(frame[["a"]], y)
    with pytest.raises(TallyError, match=r"there is no nomogram of this model: .*'a × a'.* Use summary"):
        model.nomogram()
    assert "<svg" not in model._repr_html_()
    texts = [{"note": "good film" if v == "yes" else "bad film plot", "a": i} for i, v in enumerate(y)]
    model = ts.LogisticRegression(kinds={"note": "text"}).fit(texts, y)
    with pytest.raises(TallyError, match="'note' is made of words"):
        model.picture()


def test_a_missing_number_has_a_mark_on_its_scale():
    frame, y = crossed(300)
    frame.loc[frame.index[::4], "a"] = np.nan
    model = ts.LogisticRegression(l2=1.0).fit(frame[["a"]], y)
    assert ">missing<" in model.nomogram()
    from tallystick.linear.summary import scales

    ((_, marks),) = scales(model.model_, 1, 0, {"a": (-1.0, 1.0)})
    base = float(np.diff(model.model_.additive.start)[0])  # the average row, which marks are measured from
    share = model.predict_proba(pd.DataFrame({"a": [np.nan]}))[0, 1]
    assert dict(marks)["missing"] + base == pytest.approx(np.log(share / (1 - share)))


def test_a_nomogram_compares_two_classes():
    frame, y = crossed(100)
    model = ts.LogisticRegression().fit(frame[["a"]], y)
    with pytest.raises(OptionError, match="compares two classes, and both are 'no'"):
        model.nomogram("no", "no")


@pytest.mark.slow
def test_the_report_says_why_there_is_no_picture():
    rng = np.random.default_rng(3)
    known = ["plain", "dull", "bright", "slow", "quick", "warm"]
    words = [" ".join(rng.choice(known, 4)) for _ in range(120)]
    rows = [{"note": w, "n": float(i % 7), "y": "ab"["bright" in w]} for i, w in enumerate(words)]
    found = ts.report(rows, "y", methods=("logistic",), kinds={"note": "text"}, folds=3, repeats=1)
    assert "There is no picture of this model" in found.html
    assert "made of words" in found.html
    assert 'id="nomogram"' not in found.html


# -- options --


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "numpys", "plains"),
    [
        (ts.LogisticRegression, {"l2": np.int64(1)}, {"l2": 1}),
        (ts.LogisticRegression, {"l2": np.float32(0.5), "threads": np.int64(1)}, {"l2": 0.5}),
        (ts.LogisticRegression, {"l1": np.int64(1), "standardize": np.True_}, {"l1": 1}),
        (ts.LogisticRegression, {"max_iter": np.int64(50)}, {"max_iter": 50}),
        (ts.LogisticRegression, {"polynomial": np.int8(2), "l2": 1}, {"polynomial": 2, "l2": 1}),
        (ts.LogisticRegression, {"class_weight": {True: np.int64(3)}}, {"class_weight": {True: 3}}),
        (ts.LogisticRegression, {"reference": np.True_}, {"reference": True}),
        (ts.DecisionTree, {"max_depth": np.int64(3)}, {"max_depth": 3}),
        (ts.DecisionTree, {"smoothing": np.float32(1)}, {"smoothing": 1.0}),
        (ts.DecisionTree, {"min_samples_leaf": np.int32(5)}, {"min_samples_leaf": 5}),
        (ts.DecisionTree, {"min_impurity_decrease": np.float32(0.5)}, {"min_impurity_decrease": 0.5}),
        (ts.DecisionTree, {"priors": np.array([0.5, 0.5])}, {"priors": [0.5, 0.5]}),
        (ts.NaiveBayes, {"alpha": np.float32(0.5)}, {"alpha": 0.5}),
        (ts.NaiveBayes, {"min_count": np.int64(2)}, {"min_count": 2}),
        (ts.NaiveBayes, {"calibrate": np.True_}, {"calibrate": True}),
    ],
)
def test_numbers_of_numpy_give_the_file_of_plain_ones(kind, numpys, plains):
    frame, y = crossed(120)
    rows = frame[["a", "g"]]
    assert kind(**numpys).fit(rows, y == "yes").to_bytes() == kind(**plains).fit(rows, y == "yes").to_bytes()


def test_a_search_over_an_array_of_strengths_works():
    search = pytest.importorskip("sklearn.model_selection").GridSearchCV
    frame, y = crossed(120)
    found = search(ts.LogisticRegression(), {"l2": np.array([1, 10])}, cv=3).fit(frame, y)
    assert found.best_params_["l2"] in (1, 10)


@pytest.mark.parametrize(
    "options",
    [
        {"max_iter": 1.5},
        {"max_iter": np.nan},
        {"class_weight": 5},
        {"class_weight": [1, 2]},
        {"l2": np.array([1.0, 2.0])},
        {"l2": np.True_},
        {"interactions": np.array([1, 2])},
        {"interactions": 1.0},
        {"solver": np.array(["newton", "lbfgs"])},
        {"standardize": "no"},
    ],
)
def test_an_option_that_makes_no_sense_is_named(options):
    frame, y = crossed(60)
    (name,) = options
    with pytest.raises(OptionError, match=f"^{name} must be "):
        ts.LogisticRegression(**options).fit(frame, y)


def test_a_row_has_a_whole_number():
    frame, y = crossed(60)
    model = ts.LogisticRegression().fit(frame, y)
    for number in (1.5, -1, "x", True):
        with pytest.raises(OptionError, match="row must be a whole number"):
            model.explain(frame, row=number)
    assert str(model.explain(frame, row=np.int64(2))) == str(model.explain(frame, row=2))


def test_separable_needs_labels():
    frame, _ = crossed(20)
    with pytest.raises(OptionError, match="y is None"):
        ts.separable(frame, None)


def test_what_a_fit_learns_is_not_there_before_it():
    frame, y = crossed(60)
    model = ts.LogisticRegression(l2="cv")
    for name in ("coef_", "intercept_", "coef_names_", "n_iter_", "path_"):
        assert not hasattr(model, name)
        with pytest.raises(NotFitted, match="not fitted yet"):
            getattr(model, name)
    model.fit(frame[["a"]], y)
    loaded = ts.LogisticRegression._from_document(model.to_dict())
    assert loaded.n_iter_ == model.n_iter_ >= 1
    assert model.path_.best > 0
    assert not hasattr(loaded, "path_")
    with pytest.raises(NotFitted, match="model files do not keep it"):
        _ = loaded.path_


# -- what is said --


def reviews(rows=60):
    rng = np.random.default_rng(5)
    known = ["plain", "dull", "bright", "slow", "quick", "warm"]
    texts = [" ".join(rng.choice(known, 4)) for _ in range(rows)]
    return pd.DataFrame({"note": texts}), ["ab"["bright" in t] for t in texts]


def test_separation_under_an_l1_prior_names_that_prior():
    frame = pd.DataFrame({"x": np.arange(40) ** 1.5})
    model = ts.LogisticRegression(l1=1.0).fit(frame, np.arange(40) >= 20)
    (note,) = [n for n in model.notes_ if n.code == "separation"]
    assert "They come from the prior (l1 = 1);" in note.text


def test_the_reason_why_there_are_no_standard_errors_is_the_one_that_holds():
    frame, y = crossed(200)
    text, label = reviews()
    lasso = ts.LogisticRegression(l1=1.0).fit(frame, y)
    words = ts.LogisticRegression(kinds={"note": "text"}).fit(text, label)
    assert "not given: under an L1 prior" in str(lasso)
    assert "not given: the model has words." in str(words) or "withheld" in str(words)
    assert "2,000" not in str(lasso) + str(words)


def test_words_are_told_with_how_they_count_and_only_where_they_speak():
    text, label = reviews()
    sparse = str(ts.LogisticRegression(l1=2.0, kinds={"note": "text"}).fit(text, label))
    assert "Words count by tf-idf" in sparse
    assert "+0," not in sparse
    counts = str(ts.LogisticRegression(words="counts", kinds={"note": "text"}).fit(text, label))
    assert "A word counts as often as it occurs in a row." in counts


def test_weights_are_not_called_rows_and_one_is_one():
    frame, y = crossed(200)
    told = str(ts.LogisticRegression(class_weight={"yes": 3}).fit(frame, y))
    assert "Rows with a total weight of " in told
    assert "200 rows, " in str(ts.LogisticRegression().fit(frame, y))
    thirds = np.resize([1 / 3, 0.77, 1.9], 200)  # they are scaled to sum to the number of rows
    assert "\n200 rows, " in str(ts.LogisticRegression().fit(frame, y, thirds))
    assert "\n200 rows, " in str(ts.LinearRegression().fit(frame, np.arange(200.0), thirds))
    none = str(ts.LogisticRegression(l1=1e6).fit(frame[["a"]], y))
    assert "1 weight, " in none
    with pytest.warns(ts.TallyWarning, match="converge in 1 iteration: "):
        ts.LogisticRegression(max_iter=1).fit(frame, y)


def test_a_reference_of_no_class_lists_the_classes():
    frame, y = crossed(60)
    wanted = r"reference is 'nope', which is not a class.* The classes are 'no', 'yes'"
    with pytest.raises(OptionError, match=wanted):
        ts.LogisticRegression(reference="nope").fit(frame, y)


@pytest.mark.parametrize(("noise", "told"), [(3e-5, "'b' nearly repeats 'a'"), (0.0, "'b' repeats 'a'")])
def test_a_column_with_a_trace_of_its_own_nearly_repeats(noise, told):
    frame, y = crossed(400)
    own = np.random.default_rng(2).normal(0, noise, 400)
    model = ts.LogisticRegression(l2=0).fit(pd.DataFrame({"a": frame["a"], "b": 2 * frame["a"] + own}), y)
    (note,) = [n for n in model.notes_ if n.code == "collinear"]
    assert told in note.text


def test_a_nomogram_of_naive_bayes_compares_two_classes_too():
    frame, y = crossed(60)
    with pytest.raises(OptionError, match="compares two classes"):
        ts.NaiveBayes().fit(frame, y).nomogram("yes", "yes")


SEVEN = [
    {"x": x, "c": c, "y": y}
    for x, c, y in ((1.0, "a", 0), (1.5, "b", 0), (2.0, "a", 1), (3.0, "b", 1), (4.0, "a", 1), (3.1, "a", 0))
] * 2


@pytest.mark.parametrize("solver", ["newton", "lbfgs", "conjugate-gradient", "gradient"])
def test_the_trace_has_the_weights_of_its_steps_and_changes_no_model(solver):
    traced = ts.LogisticRegression(l2=1, solver=solver, trace=True).fit(SEVEN, "y")
    assert traced.to_bytes() == ts.LogisticRegression(l2=1, solver=solver).fit(SEVEN, "y").to_bytes()
    first, last = traced.trace_[0], traced.trace_[-1]
    assert [w[0] for w in first.weights[1:]] == [0.0] * (len(first.weights) - 1)
    constant, *others = (w[0] for w in last.weights)
    assert constant == traced.intercept_[0]
    assert others[:3] == traced.coef_[0].tolist()
    assert all(s.weights for s in traced.trace_[:20])


def test_plain_ascent_takes_the_step_and_the_tolerance_it_is_given(tmp_path):
    way = {"l2": 1, "solver": "gradient", "eta": 0.05, "tolerance": 1e-3}
    model = ts.LogisticRegression(**way, trace=True).fit(SEVEN, "y")
    assert {s.step for s in model.trace_[1:]} == {0.05}
    assert model.trace_[-1].gradient <= 1e-3 * len(SEVEN) < model.trace_[-2].gradient
    model.save(tmp_path / "m.tally.json")
    again = ts.load(tmp_path / "m.tally.json")
    assert (again.eta, again.tolerance) == (0.05, 1e-3)
    assert ts.verify(tmp_path / "m.tally.json", SEVEN)
    closer = ts.LogisticRegression(l2=1, solver="gradient").fit(SEVEN, "y")
    assert closer.coef_ == pytest.approx(ts.LogisticRegression(l2=1).fit(SEVEN, "y").coef_, abs=1e-6)


def test_a_step_that_is_too_long_spends_its_budget_and_says_so():
    with pytest.warns(ts.TallyWarning, match="did not converge in 50 iterations"):
        ts.LogisticRegression(l2=1, solver="gradient", eta=50.0, max_iter=50).fit(SEVEN, "y")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"eta": 0}, "eta must be a number above 0, not 0"),
        ({"tolerance": -1, "solver": "gradient"}, "tolerance must be a number above 0"),
        ({"eta": 0.1}, "eta is for plain gradient ascent. Use it with solver='gradient'"),
    ],
)
def test_a_step_that_makes_no_sense_is_refused(given, words):
    with pytest.raises(ts.TallyError, match=words):
        ts.LogisticRegression(**given).fit(SEVEN, "y")


@pytest.mark.slow
def test_a_picture_of_a_long_trace_is_small():
    way = {"l2": 0.01, "solver": "gradient", "eta": 0.05, "tolerance": 1e-6}
    model = ts.LogisticRegression(**way, trace=True).fit(SEVEN, "y")
    assert len(model.trace_) > 1000
    assert len(model.trace_picture()) < 40_000


def test_the_effect_is_of_the_probability_of_the_class_that_is_named():
    frame, y = crossed(200)
    model = ts.LogisticRegression().fit(frame, y)
    said = f"Effect: by how much P({model.classes_[1]}) changes for one unit more, on average over the rows."
    assert said in str(model)
