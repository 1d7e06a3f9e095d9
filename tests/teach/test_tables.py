"""The R table as bars, and the overfitting curve."""

from __future__ import annotations

from importlib import resources

import pytest
from svg import words

import tallystick as ts

TENNIS = str(resources.files("tallystick.examples") / "play-tennis.csv")


def test_shares_are_told_as_counts_over_rows():
    plain = words(ts.pictures.shares(TENNIS, "Play", model=ts.NaiveBayes(m=0), draw=["Outlook"]))
    assert [w for w in plain if "/" in w] == [
        "0/5 = 0",
        "4/9 = 0.4444",
        "2/5 = 0.4",
        "3/9 = 0.3333",
        "3/5 = 0.6",
        "2/9 = 0.2222",
    ]
    corrected = words(ts.pictures.shares(TENNIS, "Play"))
    assert {"Outlook", "Temperature", "Humidity", "Wind", "1/8 = 0.125", "5/12 = 0.4167"} <= set(corrected)


def test_a_share_of_no_whole_rows_is_a_number():
    told = words(ts.pictures.shares(TENNIS, "Play", model=ts.NaiveBayes(m=0.5), draw=["Wind"]))
    assert f"{(3 + 0.25) / 5.5:.4g}" in told


def test_numbers_alone_have_no_table_of_shares():
    rows = [{"x": i / 7, "y": i % 2} for i in range(30)]
    with pytest.raises(ts.TallyError, match="no column is counted"):
        ts.pictures.shares(rows, "y", model=ts.NaiveBayes(distributions="gaussian"))


def test_the_overfitting_curve_marks_the_size_of_least_cross_validated_error():
    rows = [{"x": i * 37 % 101 / 4, "y": (i * 37 % 101 > 50) ^ (i % 7 == 0)} for i in range(101)]
    path = ts.DecisionTree().fit(rows, "y").pruning_path(folds=5)
    told = words(ts.pictures.overfitting(rows, "y", folds=5))
    assert any(f"least, {path.leaves[path.minimum]:,} lea" in text for text in told)
    assert {"training error", "cross-validated error ± one standard error", "leaves"} <= set(told)
