"""Cross-validation: how rows are dealt and judged, and what cannot be asked for."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.io.open import open_source
from tallystick.judge.crossval import FoldOptions
from tallystick.judge.folds import one_out

EXAMPLES = Path(ts.__file__).parent / "examples"


def path(name):
    return str(EXAMPLES / name)


@pytest.fixture(scope="module")
def votes():
    return ts.NaiveBayes()._read(path("votes.csv"), "party")


@pytest.mark.slow
def test_results_say_how_they_were_made_and_print_their_intervals(votes):
    found = ts.cross_validate(ts.NaiveBayes(), path("votes.csv"), "party", folds=5, repeats=2, by="crime")
    text = str(found)
    assert "5 stratified folds, 87 rows each, 2 times" in text
    assert "95 % interval" in text
    assert "(missing)" in text
    assert found.to_dict()["fold_sizes"] == [np.bincount(r.fold).tolist() for r in found.repeats]
    assert sum(found.to_dict()["fold_sizes"][0]) == 435


@pytest.mark.slow
def test_naive_bayes_on_votes_reaches_the_published_accuracy():
    assert ts.cross_validate(ts.NaiveBayes(), path("votes.csv"), "party").accuracy >= 0.895


@pytest.mark.slow
def test_the_tree_on_votes_reaches_the_published_accuracy():
    assert ts.cross_validate(ts.DecisionTree(), path("votes.csv"), "party").accuracy >= 0.94


@pytest.mark.slow
def test_an_unknown_positive_class_or_check_is_named():
    with pytest.raises(OptionError, match="positive='x' is not a class"):
        ts.cross_validate(ts.NaiveBayes(), path("votes.csv"), "party", positive="x")
    with pytest.raises(OptionError, match=r"there is no check 'giveway'\. Did you mean 'giveaway'"):
        ts.compare(path("votes.csv"), "party", ignore=["giveway"])


@pytest.mark.slow
def test_rows_held_out_are_judged_by_a_model_that_never_saw_them(tmp_path):
    from tallystick.judge.crossval import judge_on

    lines = Path(path("votes.csv")).read_text(encoding="utf-8").splitlines()
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    train.write_text("\n".join(lines[:300]))
    test.write_text("\n".join([lines[0], *lines[300:]]))
    found = judge_on(ts.NaiveBayes(), str(train), "party", str(test))
    model = ts.NaiveBayes().fit(str(train), "party")
    assert found.accuracy == pytest.approx(model.score(str(test), "party"))
    assert len(found.truth) == 136
    assert open_source(str(test)).name == "test.csv"


@pytest.mark.slow
def test_a_cross_validation_does_not_depend_on_the_order_of_rows():
    import json

    rng = np.random.default_rng(3)
    x = rng.normal(size=(150, 3))
    y = (x[:, 0] + rng.normal(size=150) > 0).astype(int)
    order = rng.permutation(150)
    model = ts.NaiveBayes(distributions="gaussian")
    one = ts.cross_validate(model, x, y, folds=3).to_dict()
    other = ts.cross_validate(model, x[order], y[order], folds=3).to_dict()
    assert json.dumps(one) == json.dumps(other)


@pytest.mark.slow
@pytest.mark.parametrize("model", [ts.DecisionTree, ts.LogisticRegression, ts.Scorecard])
def test_a_fold_may_lack_a_class_that_has_a_weight(model):
    rows = {"x": np.arange(60.0) % 7, "y": ["a"] * 30 + ["b"] * 29 + ["c"]}
    weighted = model(class_weight={"a": 1, "b": 2, "c": 5})
    assert ts.cross_validate(weighted, rows, "y", folds=5)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((10, "a", "b"), "pass groups or time, not both"),
        (((0.5, 0.2, 0.2, 0.1), None, None), "shares of rows are two"),
        (((0.5, 0.0), None, None), "numbers above 0"),
        (((0.7, 0.3), "town", None), "without groups= or time="),
        ((True, None, None), "folds must be a number"),
        ((2.5, None, None), "folds must be a number"),
        (("leave-one-out", "town", None), "folds must be a number"),
    ],
)
def test_ways_to_deal_rows_that_make_no_sense_are_refused(given, says):
    with pytest.raises(OptionError, match=says):
        FoldOptions.of(*given)


def test_leaving_out_each_row_is_refused_where_rows_stay_far():
    far = SimpleNamespace(rows=5_000_000, ranker=object)
    with pytest.raises(OptionError, match=r"these 5,000,000 rows stay with Spark\. Use folds=10") as caught:
        one_out(far)
    assert "\n" not in str(caught.value)


def test_the_way_rows_were_dealt_is_said_in_words():
    rows = {"x": [1.5, 2.5] * 6, "town": ["a", "b", "c"] * 4, "y": ["p", "q"] * 6}
    table = ts.NaiveBayes()._read(rows, "y")

    def said(*given):
        return FoldOptions.of(*given).words(table)

    assert said(5, None, None) == "5 stratified folds"
    assert said(3, "town", None) == "3 folds that keep each town together"
    assert said("leave-one-out", None, None) == "each row left out in turn"
    assert said((3, 1), None, None) == "75% train, 25% test"
    assert FoldOptions.of(3, "town", None).aside == ["town"]


def test_a_column_set_aside_is_gone_and_the_rows_stay():
    rows = {"x": ["u", "v"] * 6, "town": ["a", "b", "c"] * 4, "y": ["p", "q"] * 6}
    table = ts.NaiveBayes()._read(rows, "y")
    less = FoldOptions.of(3, "town", None).lean(table)
    assert [c.name for c in less.schema.used] == ["x"]
    assert (less.rows, less.classes.tolist()) == (12, table.classes.tolist())
    assert [c.name for c in table.schema.used] == ["x", "town"]
    assert FoldOptions.of(3, None, None).lean(table) is table


def test_a_moment_that_is_missing_is_named_with_its_row():
    rows = {"day": [1.0, None, *range(2, 12)], "x": ["u", "v"] * 6, "y": ["p", "q"] * 6}
    with pytest.raises(OptionError, match=r"column 'day' gives no time for 1 row \(first: row 2\)"):
        ts.cross_validate(ts.NaiveBayes(), rows, "y", folds=2, time="day")
