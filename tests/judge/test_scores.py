"""Scores: equal to scikit-learn's, blind to order, weights are copies, intervals cover what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.judge.scores import score
from tallystick.model.decision import decide
from tallystick.stats import distributions as intervals

pytestmark = pytest.mark.slow

NAMES = ("accuracy", "balanced accuracy", "log-loss", "brier", "auc", "average precision")


def drawn(rows: int, slope: float, rng: np.random.Generator):
    x = rng.normal(size=rows)
    p = 1 / (1 + np.exp(0.8 - slope * x))
    return (rng.random(rows) < p).astype(np.int64), np.c_[1 - p, p]


def test_measures_equal_scikit_learns_on_two_classes():
    y, p = drawn(2_000, 1.5, np.random.default_rng(0))
    found = score(y, p, ("no", "yes"))
    assert found["accuracy"].value == pytest.approx(metrics.accuracy_score(y, p.argmax(1)), abs=1e-12)
    assert found["balanced accuracy"].value == pytest.approx(
        metrics.balanced_accuracy_score(y, p.argmax(1)), abs=1e-12
    )
    assert found["log-loss"].value == pytest.approx(metrics.log_loss(y, p), abs=1e-9)
    assert found["brier"].value == pytest.approx(metrics.brier_score_loss(y, p[:, 1]), abs=1e-12)
    assert found["auc"].value == pytest.approx(metrics.roc_auc_score(y, p[:, 1]), abs=1e-12)
    assert found["average precision"].value == pytest.approx(
        metrics.average_precision_score(y, p[:, 1]), abs=1e-12
    )
    f1 = [row["f1"] for row in found.per_class]
    assert f1 == pytest.approx(metrics.f1_score(y, p.argmax(1), average=None), abs=1e-12)
    assert found.confusion.tolist() == metrics.confusion_matrix(y, p.argmax(1)).tolist()


def test_area_of_several_classes_is_the_mean_of_each_against_the_rest():
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(4), 800)
    y = np.array([rng.choice(4, p=row) for row in p])
    found = score(y, p, ("a", "b", "c", "d"))
    expected = metrics.roc_auc_score(y, p, multi_class="ovr", average="macro")
    assert found["auc"].value == pytest.approx(expected, abs=1e-12)


def test_area_over_folds_is_the_share_of_pairs_of_one_fold_in_which_the_positive_is_higher():
    rng = np.random.default_rng(5)
    y, p = drawn(90, 1.0, rng)
    p, fold, weight = p.round(1), rng.integers(0, 7, 90), rng.integers(1, 4, 90)
    y[fold == 3] = 1  # a fold without a pair
    won = pairs = 0.0
    for i in np.flatnonzero(y == 1):
        for j in np.flatnonzero((y == 0) & (fold == fold[i])):
            both = weight[i] * weight[j]
            won += both * (0.5 if p[i, 1] == p[j, 1] else p[i, 1] > p[j, 1])
            pairs += both
    found = score(y, p, ("no", "yes"), weight.astype(float), fold=fold)["auc"]
    assert found.value == pytest.approx(won / pairs, abs=1e-12)
    assert found.low < found.value < found.high


def test_there_is_no_area_where_no_fold_has_rows_of_two_classes():
    y, p = drawn(30, 1.0, np.random.default_rng(6))
    found = score(y, p, ("no", "yes"), fold=np.arange(30))
    assert [m.name for m in found.measures] == [name for name in NAMES if name != "auc"]
    frame = {"x": p[:, 1].round(1), "y": y}
    judged = ts.cross_validate(ts.NaiveBayes(), frame, "y", folds="leave-one-out")
    assert "auc" not in str(judged)
    with pytest.raises(OptionError, match="there is no measure 'auc' of these answers"):
        judged.measure("auc")


@pytest.mark.parametrize("folds", [1, 6])
def test_a_weight_is_that_many_copies_and_order_means_nothing(folds):
    rng = np.random.default_rng(2)
    y, p = drawn(150, 1.0, rng)
    p = p.round(2)  # ties
    weight, fold = rng.integers(1, 4, 150), rng.integers(0, folds, 150)
    once = score(y, p, ("a", "b"), weight.astype(float), fold=fold).to_dict()
    order = rng.permutation(int(weight.sum()))
    truth, shares, part = (np.repeat(each, weight, axis=0)[order] for each in (y, p, fold))
    copies = score(truth, shares, ("a", "b"), fold=part).to_dict()
    for a, b in zip(once["measures"], copies["measures"], strict=True):
        assert [a[k] for k in ("value", "low", "high", "base")] == pytest.approx(
            [b[k] for k in ("value", "low", "high", "base")], abs=1e-9
        )
    assert once["confusion"] == copies["confusion"]
    assert once["curves"]["top_tenth"]["share"] == pytest.approx(
        copies["curves"]["top_tenth"]["share"], abs=1e-12
    )


@pytest.mark.parametrize("slope", [0.7, 1.5])
def test_intervals_cover_the_truth_in_93_to_97_of_100_simulations(slope):
    rng = np.random.default_rng(11)
    truth = score(*drawn(2_000_000, slope, np.random.default_rng(99)), ("a", "b"))
    covered = dict.fromkeys(NAMES, 0)
    for _ in range(1_000):
        found = score(*drawn(300, slope, rng), ("a", "b"))
        for name in NAMES:
            covered[name] += found[name].low <= truth[name].value <= found[name].high
    for name in ("accuracy", "auc", "log-loss"):
        # three standard errors of such a count are 2 points: the seed is fixed
        assert 930 <= covered[name] <= 970, (name, covered[name])


def test_the_cheapest_answer_is_given_where_errors_cost_differently():
    p = np.array([[0.7, 0.3], [0.95, 0.05]])
    cost = np.array([[0.0, 1.0], [10.0, 0.0]])  # missing a positive costs ten false alarms
    assert decide(p).tolist() == [0, 0]
    assert decide(p, cost).tolist() == [1, 0]
    found = score(np.array([1, 0]), p, ("no", "yes"), cost=cost)
    assert found["cost"].value == 0.0
    assert found["cost"].base == pytest.approx(0.5)  # always yes


def test_students_tail_and_wilson_equal_known_values():
    from scipy import stats

    for t, freedom in ((0.5, 3), (2.0, 9), (4.0, 30)):
        assert intervals.student_tail(t, freedom) == pytest.approx(stats.t.sf(t, freedom), abs=1e-12)
    assert intervals.student_975(9) == pytest.approx(stats.t.ppf(0.975, 9), abs=1e-9)
    expected = stats.binomtest(45, 50).proportion_ci(method="wilson")
    assert intervals.wilson(45, 50) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_calibration_of_a_rare_class_shows_the_rows_that_are_given_it():
    """Tenths of the rows would join 60 rows near 0.95 with thousands near 0."""
    value = np.r_[np.linspace(0.0, 0.01, 9_940), np.full(60, 0.95)]
    hit = np.r_[np.zeros(9_940, bool), np.ones(57, bool), np.zeros(3, bool)]

    def calibration(value):
        shares = np.stack([1 - value, value], axis=1)
        return score(hit.astype(np.int64), shares, ("no", "yes"), positive=1).curves["calibration"]

    bins = calibration(value)
    assert sum(b["rows"] for b in bins) == 10_000
    assert bins[-1]["rows"] == 63  # the 60, and 3 that are too few for a bin of their own
    assert bins[-1]["predicted"] == pytest.approx(bins[-1]["observed"], abs=0.01)
    assert [b["rows"] for b in bins[:9]] == [1_000] * 9
    even = calibration(np.linspace(0.0, 1.0, 10_000))
    assert [round(b["rows"]) for b in even] == [1_000] * 10
