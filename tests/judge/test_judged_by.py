"""By what methods are judged: the measure asked for, over the same folds, for two rows as for two million."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import tallystick as ts
from tallystick.errors import NoParameter, OptionError
from tallystick.judge import api as judging
from tallystick.judge import folds as large
from tallystick.judge.result import difference
from tallystick.judge.scores import CLASS_SHARES
from tallystick.stats.distributions import corrected, paired_error

pytestmark = pytest.mark.slow

VOTES = str(Path(ts.__file__).parent / "examples" / "votes.csv")
EXERCISE = {  # of a lecture
    "sky": ["sun", "sun", "rain", "rain", "sun"],
    "wind": ["weak", "strong", "weak", "strong", "weak"],
    "play": ["no", "no", "yes", "yes", "yes"],
}


def fraud(rows=1500):
    """Return rows of a rare class that no method answers often, though its odds are known."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=rows)
    return {"x": x, "y": np.where(rng.random(rows) < 1 / (1 + np.exp(3.2 - x)), "Yes", "No")}


@pytest.mark.parametrize("measure", ["log-loss", "auc", "accuracy"])
def test_methods_are_ordered_and_chosen_by_the_measure_asked_for(measure):
    found = ts.compare(fraud(), "y", methods=["bayes", "tree", "logistic"], tuned=False, measure=measure)
    values = [e.result.measure(measure).value for e in found.entries]
    assert values == sorted(values, reverse=measure != "log-loss")
    assert {"log-loss": "log-loss", "auc": "AUC", "accuracy": "accuracy"}[measure] in found.why
    assert {"accuracy", "AUC", "log-loss"} <= set(str(found).split("\n")[2].split())


def test_the_area_under_the_curve_of_a_fold_is_scikit_learns():
    found = ts.cross_validate(ts.NaiveBayes(), fraud(), "y", folds=5)
    for f, area in enumerate(found.fold_means("auc")):
        here = found.fold == f
        assert area == pytest.approx(roc_auc_score(found.truth[here], found.shares[here, 1]), abs=1e-12)


def test_a_misspelt_option_and_an_unknown_measure_are_named_by_the_function_that_was_called():
    with pytest.raises(NoParameter, match=r"^compare has no option 'measur'\. Did you mean 'measure'\?"):
        ts.compare(EXERCISE, "play", measur="auc")
    with pytest.raises(NoParameter, match=r"^learning_curve has no option 'repeat'\. Did you mean 'repeats'"):
        ts.learning_curve(EXERCISE, "play", repeat=3)
    with pytest.raises(OptionError, match=r"measure cannot be 'auk'\. Measures of classes: 'log-loss'"):
        ts.compare(EXERCISE, "play", measure="auk")


def test_the_log_loss_is_held_against_the_class_shares_fold_by_fold():
    found = ts.cross_validate(ts.LogisticRegression(), fraud(), "y")
    loss = found.measure("log-loss")
    assert loss.high > loss.base  # the rows of the rare class move both alike
    assert found.beats_base_by("log-loss")
    share = np.bincount(found.truth) / len(found.truth)
    own = [-np.log(share[found.truth[found.fold == f]]).mean() for f in range(10)]
    np.testing.assert_allclose(found.fold_means(CLASS_SHARES), own, rtol=1e-12)


def test_the_class_shares_lose_the_same_where_memory_does_not_hold_the_answers(tmp_path, monkeypatch):
    pd.DataFrame(fraud(400)).to_csv(tmp_path / "t.csv", index=False)
    plain = ts.cross_validate(ts.NaiveBayes(), tmp_path / "t.csv", "y", folds=4)
    monkeypatch.setattr(large, "ROW_BYTES", 1 << 40)
    found = ts.cross_validate(ts.NaiveBayes(memory="32MB"), tmp_path / "t.csv", "y", folds=4)
    assert found.repeats[0].large
    np.testing.assert_allclose(found.fold_means(CLASS_SHARES), plain.fold_means(CLASS_SHARES), rtol=1e-12)
    assert found.beats_base_by("log-loss") == plain.beats_base_by("log-loss")


@pytest.mark.parametrize("folds", [10, [0.7, 0.3]])
def test_no_method_is_called_about_as_good_whose_difference_is_beyond_chance(folds):
    found = ts.compare(fraud(), "y", tuned=False, folds=folds)
    error, p = difference(found.chosen.result, found.best.result)
    assert found.chosen.result.loss - found.best.result.loss <= error
    for e in found.entries:
        away, own = e.result.loss - found.best.result.loss, difference(e.result, found.best.result)[0]
        assert e.numbers >= found.chosen.numbers or away > own  # no simpler one is as near
    if folds == 10:
        assert found.chosen is found.best or p > 0.3
        assert found.chosen.against_best == (None if found.chosen is found.best else p)


def test_a_difference_that_is_the_same_in_every_fold_is_no_chance():
    away = np.full(10, 0.01) + np.arange(10) * 1e-5
    assert paired_error(away, 1) < 1e-4
    assert corrected(away, 1) < 1e-6
    assert paired_error(np.zeros(10), 1) == 0.0
    assert corrected(np.zeros(10), 1) == 1.0
    assert np.isfinite(paired_error(np.array([0.1, 0.2, 0.4]), 3))  # three times one part held out


def test_of_fewer_rows_than_folds_each_is_left_out_in_turn():
    found = ts.compare(EXERCISE, "play")
    assert "5 rows, each row left out in turn" in str(found)
    assert {len(e.result.repeats[0].sizes(None)) for e in found.entries} == {5}
    alone = ts.cross_validate(ts.NaiveBayes(), EXERCISE, "play")
    own = ts.cross_validate(ts.NaiveBayes(), EXERCISE, "play", folds="leave-one-out")
    np.testing.assert_allclose(alone.shares, own.shares, rtol=1e-12)
    assert "each row left out in turn" in str(alone)


def test_five_rows_have_a_report_that_calls_a_difference_of_chance_what_it_is():
    page = ts.report(EXERCISE, "play", methods=["tree"])
    assert any("clearly better than always answering the most frequent class" in s for s in page.answer)


def test_columns_that_are_left_out_are_told_by_a_comparison():
    data = fraud(300) | {"one": ["a"] * 300, "id": [f"u{i}" for i in range(300)]}
    found = ts.compare(data, "y", methods=["bayes"], tuned=False)
    assert "note: column 'one' is left out" in str(found)
    assert {n["column"] for n in found.to_dict()["notes"]} == {"one", "id"}


def test_a_search_for_an_optimal_tree_has_a_budget_that_is_told_before_the_work(monkeypatch):
    monkeypatch.setattr(judging, "LONG", 1.0)
    rng = np.random.default_rng(0)
    rows = {f"x{i}": rng.integers(0, 2, 2_500) for i in range(10)}
    rows["y"] = np.where(rows["x0"] + rows["x1"] + rng.random(2_500) > 1.5, "a", "b")
    with pytest.warns(
        ts.TallyWarning, match=r"3 fits on 2,500 rows and 10 columns may take minutes.*max_work="
    ):
        found = ts.compare(rows, "y", methods=["optimal:max_depth=2"], tuned=False, folds=2)
    model = next(e.model for e in found.entries if e.family == "optimal")
    assert model.max_work == judging.SEARCH // 3 < ts.OptimalTree().max_work
    with pytest.warns(ts.TallyWarning, match="may take minutes"):
        found = ts.compare(rows, "y", methods=["optimal:max_work=12345"], tuned=False, folds=2)
    assert next(e.model for e in found.entries if e.family == "optimal").max_work == 12345


def test_the_measure_changes_what_decides_and_nothing_else():
    found = ts.cross_validate(ts.NaiveBayes(), fraud(400), "y")
    area = replace(found, decides="auc")
    assert area.loss == 1 - found.measure("auc").value
    assert [m.to_dict() for m in area.measures] == [m.to_dict() for m in found.measures]
