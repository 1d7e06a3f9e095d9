"""Thresholds between two classes: what they find, miss and cost is what the answers by them do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.errors import OptionError
from tallystick.judge.groups import thresholds_between as between
from tallystick.judge.scores import score
from tallystick.model.decision import decide, decision_of
from tallystick.schema import Target

LABELS = ("bad", "good")
TARGET = Target("loan", LABELS)
COSTS = {"bad": {"good": 5}}


def made(seed: int, rows: int = 300, weights: bool = False):
    """Scores of rows whose probabilities have ties, 0.5 among them."""
    rng = np.random.default_rng(seed)
    share = np.round(rng.beta(1.5, 3, rows), 2)
    truth = (rng.random(rows) > share).astype(np.int64)
    weight = rng.integers(1, 4, rows).astype(float) if weights else None
    shares = np.stack([share, 1 - share], axis=1)
    return truth, shares, weight, score(truth, shares, LABELS, weight)


def counted(truth, shares, weight, threshold, of):
    """The slow twin: decide every row."""
    answer = decide(shares, decision_of(TARGET, threshold=threshold, of=of).table)
    own, each = LABELS.index(of), np.ones(len(truth)) if weight is None else weight
    return [
        float(each[(truth == own) == t][(answer == own)[(truth == own) == t] == a].sum())
        for t, a in ((True, True), (True, False), (False, True), (False, False))
    ]


@pytest.mark.slow
@given(seed=st.integers(0, 30), of=st.sampled_from(LABELS), weights=st.booleans())
def test_every_threshold_counts_what_a_model_that_decides_by_it_answers(seed, of, weights):
    truth, shares, weight, scores = made(seed, weights=weights)
    found = scores.thresholds(COSTS, of=of)
    for p in (*found.points, found.best, found.half):
        assert [p.found, p.missed, p.alarms, p.cleared] == counted(truth, shares, weight, p.threshold, of)
    answer = decide(shares)
    own = LABELS.index(of)
    each = np.ones(len(truth)) if weight is None else weight
    assert found.half.found == each[(truth == own) & (answer == own)].sum()


@pytest.mark.slow
@given(seed=st.integers(0, 30), of=st.sampled_from(LABELS))
def test_no_threshold_is_cheaper_than_the_cheapest(seed, of):
    truth, shares, weight, scores = made(seed)
    found = scores.thresholds(COSTS, of=of)
    prices = np.array(found.costs)
    assert prices.tolist() == [[0, 5], [1, 0]]
    own = LABELS.index(of)
    for t in np.linspace(0.005, 0.995, 199):
        _, missed, alarms, _ = counted(truth, shares, weight, float(t), of)
        assert missed * prices[own, 1 - own] + alarms * prices[1 - own, own] >= found.best.cost - 1e-9
    assert found.best.saving == found.half.cost - found.best.cost >= 0


def test_both_classes_tell_of_the_same_answers():
    *_, scores = made(3)
    bad, good = (scores.thresholds(COSTS, of=of, at=[0.5]) for of in LABELS)
    assert bad.half.cost == good.half.cost
    assert bad.best.cost == good.best.cost
    assert (bad.half.found, bad.half.missed) == (good.half.cleared, good.half.alarms)


def test_gain_and_lift_are_of_the_most_probable_rows():
    truth, shares = np.array([0, 0, 1, 0, 1, 1, 1, 1]), np.array([0.9, 0.8, 0.7, 0.4, 0.3, 0.2, 0.1, 0.05])
    scores = score(truth, np.stack([shares, 1 - shares], axis=1), LABELS)
    found = scores.thresholds()
    assert found.of == "bad"  # the rarer
    taken = {round(a, 3): (g, lift) for a, g, lift in found.gains}
    assert taken[0.25] == (pytest.approx(2 / 3), pytest.approx(2 / 3 / 0.25))
    assert taken[0.5] == (1.0, 2.0)
    assert taken[1.0] == (1.0, 1.0)
    assert found.gains[0][:2] == (0.0, 0.0)
    at = scores.thresholds(at=[0.6]).points[0]
    assert (at.found, at.missed, at.alarms, at.cleared) == (2, 1, 1, 4)
    assert (at.gain, at.precision, at.answered) == (2 / 3, 2 / 3, 3 / 8)
    assert at.lift == pytest.approx(2 / 3 / (3 / 8))


def test_the_table_marks_the_cheapest_and_says_what_it_saves():
    *_, scores = made(1)
    found = scores.thresholds(COSTS)
    told = str(found)
    assert f"▸ {found.best.threshold:.6g}" in told
    assert told.count("▸") == 1
    assert "bad is answered where its probability is above the threshold, else good" in told
    assert "bad answered good costs 5, good answered bad costs 1" in " ".join(told.split())
    assert "a little hopeful" in " ".join(told.split())
    assert max(map(len, told.splitlines())) <= 80
    assert found.to_dict()["best"]["cost"] == found.best.cost


def test_where_nothing_is_cheaper_than_0_5_this_is_said():
    truth, shares = np.array([0, 1]), np.array([[0.9, 0.1], [0.1, 0.9]])
    found = score(truth, shares, LABELS).thresholds()
    assert (found.best.threshold, found.best.cost, found.best.saving) == (0.5, 0, 0)
    assert "no other threshold is cheaper" in str(found)


def test_thresholds_are_drawn():
    *_, scores = made(2)
    found = scores.thresholds(COSTS)
    for kind in ("cost", "gain", "lift"):
        assert found.picture(kind).startswith("<svg")
    with pytest.raises(OptionError, match=r"no picture 'roc' of thresholds\. Use cost, gain or lift"):
        found.picture("roc")


def test_more_classes_have_no_threshold_and_names_are_checked():
    three = score(np.array([0, 1, 2]), np.eye(3), ("a", "b", "c"))
    with pytest.raises(OptionError, match="a threshold is for two classes, and here are 3"):
        three.thresholds()
    *_, scores = made(1)
    with pytest.raises(OptionError, match=r"of='bda' is not a class. Did you mean 'bad'\?"):
        scores.thresholds(of="bda")
    with pytest.raises(OptionError, match="costs name 'x'"):
        scores.thresholds({"x": {"good": 2}})


def test_a_number_between_two_probabilities_has_few_digits():
    assert between(0.1, 0.3) == 0.2
    assert between(0.161, 0.165) == 0.163
    assert 0.12345678 < between(0.12345678, 0.1234568) < 0.1234568
