"""Groups in a terminal: every rate with its interval, and one sentence on what differs."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.draw.svg import plain
from tallystick.errors import OptionError
from tallystick.judge.groups import group_lines

ROWS = [
    {"x": i % 9, "sex": "fm"[i % 3 > 0], "y": "abc"[(i % 9 > 4) + (i % 11 == 0)], "z": i % 9 + 0.5 * (i % 5)}
    for i in range(180)
]
TWO = [{"x": row["x"], "sex": row["sex"], "y": "no" if row["y"] == "a" else "yes"} for row in ROWS]


def test_two_classes_are_told_by_answers_misses_false_alarms_and_calibration():
    found = ts.cross_validate(ts.NaiveBayes(), TWO, "y", folds=3, by="sex")
    text = plain(group_lines(found, "sex", 80))
    assert "of yes  answered" in text
    rate = found.by("sex")[0]["misses"][1]
    assert f"{rate['share']:.1%} ({100 * rate['low']:.0f}-{100 * rate['high']:.0f})" in text
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "Holm's correction" in " ".join(text.split())


def test_more_classes_are_told_by_the_share_of_each_answer():
    text = plain(group_lines(ts.cross_validate(ts.NaiveBayes(), ROWS, "y", folds=3, by="sex"), "sex", 80))
    assert "answered (is so)" in text


@pytest.mark.slow
def test_a_comparison_tells_groups_of_the_chosen_method():
    found = ts.compare(TWO, "y", methods=["bayes"], tuned=False, folds=3, by="x: 3, 6")
    assert "3 to below 6" in str(found)
    told = found.to_dict()["groups"][0]
    assert (told["column"], len(told["groups"])) == ("x", 3)
    assert told["said"] == found.chosen.result.said_by("x")
    numbers = ts.compare(ROWS, "z", regression=True, tuned=False, folds=3, by=["sex"])
    assert "answer - truth" in str(numbers)
    assert "groups" not in ts.compare(TWO, "y", methods=["bayes"], tuned=False, folds=3).to_dict()
    with pytest.raises(OptionError, match="by= counts the rows of folds"):
        ts.compare(TWO, "y", methods=["bayes"], folds=3, held_out=TWO, by="sex")
