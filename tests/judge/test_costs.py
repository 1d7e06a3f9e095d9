"""What answers cost: given by name or as rows of numbers, and the method's own before all others."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.judge.run import cost_matrix, judged_by, named, own_costs
from tallystick.schema import Target

TARGET = Target("ill", ("no", "yes"))
LABELS = TARGET.labels


def test_what_is_not_named_costs_1_where_it_is_wrong():
    assert cost_matrix({"yes": {"no": 10}}, TARGET, LABELS).tolist() == [[0, 1], [10, 0]]
    assert cost_matrix([[0, 2], [5, -1]], TARGET, LABELS).tolist() == [[0, 2], [5, -1]]
    assert cost_matrix(None, TARGET, LABELS) is None


def test_a_class_that_was_not_in_training_costs_more_than_any_other():
    found = cost_matrix([[0, 2], [5, 0]], TARGET, (*LABELS, "maybe"))
    assert found.tolist() == [[0, 2, 6], [5, 0, 6], [6, 6, 6]]


@pytest.mark.parametrize("cost", [[[0, 1]], [1, 2], "dear", [[0, float("nan")], [1, 0]]])
def test_costs_of_another_shape_are_refused(cost):
    with pytest.raises(
        OptionError, match=r"cost must be \{class: \{answer: cost\}\}, or 2 rows of 2 numbers"
    ):
        cost_matrix(cost, TARGET, LABELS)


@pytest.mark.parametrize("cost", [{"yse": {"no": 1}}, {"yes": {"yse": 1}}])
def test_a_name_that_is_not_a_class_is_refused_with_the_nearest(cost):
    with pytest.raises(OptionError, match=r"cost names 'yse', which is not a class\. Did you mean 'yes'\?"):
        cost_matrix(cost, TARGET, LABELS)


def test_a_tree_decides_by_its_own_costs_and_is_judged_by_those_given():
    tree = ts.DecisionTree(costs={"yes": {"no": 10}})
    assert own_costs(tree, TARGET, LABELS).tolist() == [[0, 1], [10, 0]]
    assert own_costs(ts.DecisionTree(), TARGET, LABELS) is None
    prices, own = judged_by([[0, 3], [4, 0]], tree, TARGET, LABELS)
    assert (prices.tolist(), own.tolist()) == ([[0, 3], [4, 0]], [[0, 1], [10, 0]])
    prices, own = judged_by(None, tree, TARGET, LABELS)
    assert prices.tolist() == own.tolist()


def test_numbers_per_class_are_told_by_label_for_folds_that_lack_a_class():
    tree = named(ts.DecisionTree(costs=[[0, 1], [10, 0]]), TARGET)
    assert own_costs(tree, TARGET, LABELS).tolist() == [[0, 1], [10, 0]]
    bayes = ts.NaiveBayes()
    assert named(bayes, TARGET) is bayes  # it has none
