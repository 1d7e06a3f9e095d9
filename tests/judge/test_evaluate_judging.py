"""Judging: folds depend on what rows hold, test rows teach nothing, and the razor takes the simplest good
model.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tallystick as ts
from tallystick.judge.compare import Candidate, compare_table
from tallystick.judge.folds import FoldPlan, deal, group_folds, hold_out, time_folds
from tallystick.stats.distributions import corrected

pytestmark = pytest.mark.slow

EXAMPLES = Path(ts.__file__).parent / "examples"


def path(name):
    return str(EXAMPLES / name)


@pytest.fixture(scope="module")
def votes():
    return ts.NaiveBayes()._read(path("votes.csv"), "party")


def content(table, fold):
    """Return the multiset of (row hash, fold)."""
    return sorted(zip(table.row_hashes().tolist(), fold.tolist(), strict=True))


def test_folds_do_not_depend_on_the_order_of_rows(votes):
    order = np.random.default_rng(0).permutation(votes.rows)
    shuffled = votes.take(order)
    assert content(votes, deal(votes, 10).fold) == content(shuffled, deal(shuffled, 10).fold)


def test_classes_are_spread_evenly(votes):
    fold = deal(votes, 10).fold
    for c in (0, 1):
        sizes = np.bincount(fold[votes.classes == c], minlength=10)
        assert sizes.max() - sizes.min() <= 1
    assert np.ptp(np.bincount(fold)) <= 1


def test_another_key_deals_other_folds(votes):
    assert (deal(votes, 5, key=1).fold != deal(votes, 5).fold).any()


def test_groups_stay_together_and_time_is_trained_on_earlier_rows_only():
    groups = np.array(["a", "b", "c", "a", "d", "b", "e", "f"])
    fold = group_folds(groups, None, 3)
    assert all(len(set(fold[groups == g])) == 1 for g in set(groups))
    times = np.array([5, 1, 3, 2, 4, 9, 7, 8, 6, 6])
    plan = FoldPlan(time_folds(times, 3), rising=True)
    for teach, test in plan.parts():
        assert times[teach].max() < times[test].min()


def test_a_share_held_out_is_about_that_share_of_each_class(votes):
    tested = hold_out(votes, 0.25).fold == 0
    for c in (0, 1):
        assert tested[votes.classes == c].mean() == pytest.approx(0.25, abs=0.01)


def test_levels_that_occur_in_test_rows_alone_change_no_byte_of_the_trained_model():
    rows = {"x": ["a", "b", "a", "b", "a", "b"], "y": ["n", "p", "n", "p", "p", "n"]}
    more = {"x": [*rows["x"], "zebra"], "y": [*rows["y"], "p"]}
    teach = np.arange(6)
    plain, wider = (ts.NaiveBayes()._read(data, "y") for data in (rows, more))
    assert (
        ts.NaiveBayes()._fit_table(plain.take(teach)).to_bytes()
        == ts.NaiveBayes()._fit_table(wider.take(teach)).to_bytes()
    )


def test_columns_that_repeat_each_other_and_identifiers_that_are_kept_are_checked():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 200)
    data = {
        "a": [f"v{i}" for i in a],
        "again": [f"w{i}" for i in a],
        "name": [f"n{i}" for i in range(200)],
        "y": np.where(rng.random(200) < 0.3 + 0.2 * (a == 1), "p", "q").tolist(),
    }
    given = {"methods": ["bayes"], "tuned": False, "folds": 3, "columns": ts.Columns(keep=["name"])}
    found = ts.compare(data, "y", **given)
    checks = {c.code: c for c in found.checks}
    assert "'a' and 'again' share" in checks["dependence"].text
    assert checks["identifier"].column == "name"
    few = ts.compare(data, "y", ignore=["identifier"], **given)
    assert "identifier" not in {c.code for c in few.checks}


def test_a_memory_limit_changes_no_byte_of_a_model():
    free, kept = (ts.NaiveBayes(memory=m).fit(path("votes.csv"), "party") for m in (None, "1GB"))
    assert kept.to_bytes() == free.to_bytes()


def test_the_razor_takes_the_simplest_within_one_standard_error_of_the_best(votes):
    def named(name, n):
        class Sized(ts.NaiveBayes):
            def _numbers(self):
                return n

        return Candidate(name, "bayes", (("", Sized()),))

    found = compare_table([named("large", 900), named("small", 7)], votes, folds=5)
    assert found.chosen.name == "small"
    assert "7 numbers to read" in found.why
    assert found["large"].against_best in (None, 1.0)  # the same answers: no difference at all


def test_the_corrected_t_test_is_wider_than_the_plain_one(votes):
    a = ts.cross_validate(ts.NaiveBayes(), path("votes.csv"), "party")
    b = ts.cross_validate(ts.NaiveBayes(alpha=50.0), path("votes.csv"), "party")
    from scipy import stats

    plain = stats.ttest_rel(a.fold_losses(), b.fold_losses()).pvalue
    assert plain < corrected(a.fold_losses() - b.fold_losses(), 1) <= 1


def test_a_scikit_learn_estimator_can_be_compared_beside_ours():
    from sklearn.dummy import DummyClassifier

    found = ts.compare(
        path("votes.csv"),
        "party",
        methods=["bayes"],
        tuned=False,
        folds=3,
        others={"prior": DummyClassifier(strategy="prior")},
    )
    majority, theirs = found["most frequent class"].result, found["prior"].result
    assert np.allclose(majority.shares, theirs.shares, atol=1e-12)
