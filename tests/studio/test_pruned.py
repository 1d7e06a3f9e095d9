"""The pruning path as a slider."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.studio.session import is_prunable, path_of, pruned


@pytest.fixture(scope="module")
def tree(tables):
    return ts.DecisionTree().fit(str(tables / "votes.csv"), "party")


@pytest.mark.slow
def test_each_step_is_the_tree_that_a_fit_with_its_parameters_gives(tree, tables):
    path = path_of(tree, 3)
    assert path["leaves"] == sorted(path["leaves"])
    for step, leaves in enumerate(path["leaves"]):
        made = pruned(tree, path, step).fit(str(tables / "votes.csv"), "party")
        assert made.get_n_leaves() == leaves
    assert path["error"] == sorted(path["error"], reverse=True)
    assert all(0 <= e <= 1 for e in path["cv_error"])


def test_only_grown_trees_are_pruned(tree, tables):
    assert is_prunable(tree)
    assert not is_prunable(ts.NaiveBayes())
    assert not is_prunable(ts.DecisionTree(pruning=ts.CostComplexity(0.1)))


@pytest.mark.parametrize("step", [-1, 99, "1", None, True])
def test_a_step_that_is_not_there_is_refused(tree, step):
    with pytest.raises(OptionError, match="no step"):
        pruned(tree, path_of(tree, 2), step)
