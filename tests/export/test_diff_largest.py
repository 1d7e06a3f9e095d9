"""The largest changes come first, with both figures, for every method that has shares, points or odds."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.export.diff import SHOWN, none_largest, sentences

ROWS = [{"x": i % 7 + 0.5, "s": "uvw"[i % 3], "y": "ab"[(i % 7 > 3) ^ (i % 5 == 0)]} for i in range(90)]
OTHER = [r | {"y": "ab"[(i % 7 > 4) ^ (i % 4 == 0)]} for i, r in enumerate(ROWS)]


def largest(make, **options):
    return ts.diff(make(**options).fit(ROWS, "y"), make(**options).fit(OTHER, "y")).largest


def test_the_largest_come_first_and_few_of_them():
    assert sentences([(0.1, "b"), (0.5, "a"), (0.1, "c")]) == ("a", "b", "c")
    assert len(sentences([(float(i), str(i)) for i in range(50)])) == SHOWN
    assert list(none_largest({}, {})) == []


def test_naive_bayes_tells_shares_of_levels_in_classes():
    found = largest(ts.NaiveBayes, distributions="gaussian")
    assert found
    assert all("points)" in text and "%, now" in text for text in found)


def test_a_tree_tells_other_tests_before_shares():
    found = largest(ts.DecisionTree, average=False, max_depth=2)
    assert found[0].startswith("test ")
    assert any("share of" in text for text in found)


def test_a_card_tells_points():
    assert all(" points" in text for text in largest(ts.Scorecard))


def test_logistic_regression_tells_factors_of_the_odds():
    assert all("odds × " in text for text in largest(ts.LogisticRegression))


def test_rules_tell_what_came_and_went():
    assert any("is new" in text or "is gone" in text or "share of" in text for text in largest(ts.RuleList))


@pytest.mark.parametrize("make", [ts.NaiveBayes, ts.DecisionTree, ts.Scorecard])
def test_the_same_model_has_no_largest_change(make):
    model = make().fit(ROWS, "y")
    assert ts.diff(model, model).largest == ()
