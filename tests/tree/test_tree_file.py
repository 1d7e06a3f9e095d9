"""The shape of a tree's part of the model file."""

from __future__ import annotations

import pytest
from trees import REGRESSION, SCHEMA

from tallystick.errors import ModelFileError
from tallystick.tree.options import DECISION_FILE, REGRESSION_FILE


def test_the_model_is_three_lists():
    good = {"branches": [], "candidates": [], "nodes": [[1, 2]]}
    DECISION_FILE.model.check(good, "model", {})
    with pytest.raises(ModelFileError, match=r"model\.nodes must be a list, found 7"):
        DECISION_FILE.model.check(good | {"nodes": 7}, "model", {})
    with pytest.raises(ModelFileError, match="model lacks the key 'branches'"):
        DECISION_FILE.model.check({"candidates": [], "nodes": []}, "model", {})


def test_a_tree_of_classes_needs_labels_and_a_regression_has_none():
    DECISION_FILE.check({"kind": "decision-tree"}, SCHEMA)
    REGRESSION_FILE.check({"kind": "regression-tree"}, REGRESSION)
    with pytest.raises(ModelFileError, match="a decision-tree cannot have 0 class labels"):
        DECISION_FILE.check({"kind": "decision-tree"}, REGRESSION)
    with pytest.raises(ModelFileError, match="a regression-tree cannot have 3 class labels"):
        REGRESSION_FILE.check({"kind": "regression-tree"}, SCHEMA)
