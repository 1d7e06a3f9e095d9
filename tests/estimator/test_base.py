"""What all estimators share: fitting, new rows, copies and the model file."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest

import tallystick as ts
from tallystick import parallel as threads
from tallystick.errors import DataError, NotFitted, OptionError
from tallystick.estimator.base import names_outside, rows_of, without_unread

ROWS = {"n": [1.0, 2.0, 3.0, 4.0], "c": ["u", "u", "v", "v"], "y": ["p", "q", "p", "q"]}
KINDS = {"n": "numeric", "c": "levels"}


@pytest.fixture(scope="module")
def model():
    return ts.NaiveBayes(kinds=KINDS).fit(ROWS, "y")


def test_nothing_is_answered_before_the_fit():
    for ask in (
        lambda m: m.predict(ROWS),
        lambda m: m.to_bytes(),
        lambda m: m.explain(ROWS),
        lambda m: m.export("sql"),
    ):
        with pytest.raises(NotFitted, match="this NaiveBayes is not fitted yet"):
            ask(ts.NaiveBayes())
    for other in (ts.DecisionTree(), ts.RegressionTree(), ts.LogisticRegression(), ts.Scorecard()):
        for write in (other.to_bytes, other.to_dict, lambda m=other: m.save("never.tally.json")):
            with pytest.raises(NotFitted, match="is not fitted yet"):
                write()
    assert not hasattr(ts.NaiveBayes(), "transform")


def test_a_fit_that_fails_leaves_what_was_learned(model):
    again = copy.deepcopy(model)
    with pytest.raises(OptionError, match="requires y to be passed"):
        again.fit(ROWS)
    assert again.to_bytes() == model.to_bytes()


def test_copies_and_pickles_are_the_model_file(model):
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert twin.to_bytes() == model.to_bytes()
        assert twin.feature_names_in_.tolist() == ["n", "c"]


def test_a_model_is_not_saved_over_the_rows_it_came_from(tmp_path):
    data = tmp_path / "rows.csv"
    data.write_text("c,y\n" + "u,p\nv,q\n" * 4)
    fitted = ts.NaiveBayes().fit(data, "y")
    with pytest.raises(OptionError, match=r"rows\.csv"):
        fitted.save(data)
    assert data.read_text().startswith("c,y\n")


def test_columns_without_names_are_counted():
    X = np.array([[1.0, 2.0], [3.0, 1.0], [2.0, 2.0], [0.0, 1.0]])
    fitted = ts.NaiveBayes().fit(X, ["p", "q", "p", "q"])
    assert not hasattr(fitted, "feature_names_in_")
    with pytest.raises(DataError, match="X has 3 features, but NaiveBayes is expecting 2 features"):
        fitted.predict(np.zeros((1, 3)))


def test_numbers_outside_the_range_of_the_fit_are_named_row_by_row(model):
    assert model.outside_range({"n": [0.5, 2.0, None], "c": ["u", "u", "u"]}) == [("n",), (), ()]
    table = model._read(ROWS, "y")
    assert names_outside(table.slice(0, 4), model.schema_) == [()] * 4


def test_rows_that_could_not_be_read_have_no_answer():
    shares = np.array([[0.5, 0.5], [0.25, 0.75]])
    assert np.isnan(without_unread(shares, {1: "too short"})[1]).all()
    assert without_unread(np.array([0, 1], np.uint8), {0: "too short"}).tolist() == [-1, 1]
    assert without_unread(shares, {}) is shares


def test_a_row_is_found_over_all_blocks_or_refused(model):
    with pytest.raises(OptionError, match="row 4 is not there: the data has 4 rows, counted from 0"):
        model.explain(ROWS, 4)
    with pytest.raises(OptionError, match="row must be a whole number of at least 0, not -1"):
        model.explain(ROWS, -1)
    assert rows_of(model._read(ROWS, "y"))["count"] == 4


# ---- what a user sees ----

IDS = [{"id": f"r{i}", "one": 1, "x": (i * 7) % 13 / 2, "y": "ab"[i % 3 == 0]} for i in range(60)]
METHODS = [
    ts.DecisionTree,
    ts.NaiveBayes,
    ts.LogisticRegression,
    ts.Scorecard,
    ts.RuleList,
    ts.DensityTree,
    lambda **given: ts.DecisionTree.optimal(max_depth=2, **given),
]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_fit_that_leaves_columns_out_warns_once_and_the_model_shows_its_notes(method):
    target = () if method is ts.DensityTree else ("y",)
    with pytest.warns(ts.TallyWarning, match="column 'id' is left out: it looks like an identifier") as told:
        model = method().fit(IDS, *target)
    left_out = [w for w in told if "is left out" in str(w.message)]
    assert len(left_out) == 1
    assert left_out[0].filename == __file__
    assert (
        "column 'one' is left out: it has one value in 60 rows (columns=ts.Columns(keep=['one']) uses it)."
        in str(left_out[0].message)
    )
    for shown in (str(model), model._repr_html_(), str(pickle.loads(pickle.dumps(model)))):
        assert "notes\n" in shown
        assert "left out" in shown
    assert "&#x27;id&#x27;" in model._repr_html_()
    assert str(method()) == repr(method())


def test_many_columns_left_out_are_counted():
    rows = [row | {f"c{j}": 0 for j in range(9)} for row in IDS]
    with pytest.warns(ts.TallyWarning, match=r"And 6 more columns: see notes_\.") as told:
        ts.NaiveBayes().fit(rows, "y")
    assert sum("left out" in str(w.message) for w in told) == 1


def test_a_fit_that_uses_every_column_warns_of_none_and_prints_no_notes():
    rows = [{"x": row["x"], "y": row["y"]} for row in IDS]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ts.NaiveBayes().fit(rows, "y")
        ts.NaiveBayes(kinds={"id": "out", "one": "out"}).fit(IDS, "y")
    assert ("notes\n" in str(model)) == bool(model.notes_)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "most"),
    [
        (ts.LogisticRegression, 5_000),
        (ts.Scorecard, 2_000),
        (ts.RuleList, 2_000),
        (ts.RuleSet, 2_000),
        (lambda: ts.DecisionTree.optimal(max_depth=2), 2_000),
    ],
)
def test_more_classes_than_a_method_can_be_learnt_for_are_refused_before_the_work(method, most):
    rows = {"x": [i % 7 * 0.5 for i in range(20_000)], "y": [f"c{i % 10_000}" for i in range(20_000)]}
    with pytest.raises(ts.TallyError, match=f"has 10,000 classes, and .* at most {most:,}: the work"):
        method().fit(rows, "y")


def test_weights_that_no_double_holds_are_refused_as_what_they_are():
    with pytest.raises(DataError, match=r"sample_weight holds whole numbers beyond 2\^53"):
        ts.NaiveBayes().fit(ROWS, "y", sample_weight=[2**53 + 1, 1, 1, 1])


@pytest.mark.slow
@pytest.mark.parametrize("memory", [None, "64MB"])
def test_one_thread_is_one_thread(monkeypatch, memory):
    """More rows than a block and than a slice of labels: no step makes a thread where one was asked for."""

    def refuse(count, name=""):
        raise AssertionError(f"{count} threads were made")

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300_000, 2)), rng.integers(0, 2, 300_000)
    monkeypatch.setattr(threads, "_idle", {})
    monkeypatch.setattr(threads, "_pool", refuse)
    fitted = ts.NaiveBayes(threads=1, memory=memory).fit(X, y)
    with pytest.raises(AssertionError, match="2 threads"):
        ts.NaiveBayes(threads=2).fit(X, y)
    assert fitted.predict(X[:3]).shape == (3,)
