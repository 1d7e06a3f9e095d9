"""What a row of each class counts: by label, in order, and refused by name."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.errors import OptionError
from tallystick.schema import Target
from tallystick.tree.model import ClassWeights, by_label, class_weights, criterion_weights

TARGET = Target("y", ("no", "yes"))


def test_weights_come_by_label_and_classes_not_named_weigh_1():
    assert class_weights({"yes": 3}, None, TARGET) == ClassWeights((1.0, 3.0))
    assert class_weights(np.array([2, 1]), None, TARGET) == ClassWeights((2.0, 1.0))
    assert class_weights(None, None, TARGET) is None


def test_balanced_classes_and_priors_share_the_weight_of_a_class_among_its_rows():
    counts = np.array([90, 10])
    balanced = class_weights("balanced", None, TARGET).of(counts)
    assert (balanced * counts).tolist() == [1.0, 1.0]
    priors = class_weights(None, {"no": 0.2, "yes": 0.8}, TARGET).of(np.array([90, 0]))
    assert priors.tolist() == [0.2 / 90, 0.0]  # a class without rows weighs nothing


def test_a_class_is_worth_what_its_errors_cost():
    costs = ((0.0, 1.0), (5.0, 0.0))
    assert criterion_weights(None, costs) == ClassWeights((1.0, 5.0))
    assert criterion_weights(ClassWeights((2.0, 2.0)), costs) == ClassWeights((2.0, 10.0))
    assert criterion_weights(None, ()) is None


@pytest.mark.parametrize("given", [{"yes": -1}, {"yes": "much"}, [1, 2, 3], [0, 0], {"yes": float("inf")}])
def test_weights_that_make_no_sense_are_refused_by_name(given):
    with pytest.raises(OptionError, match="class_weight must"):
        by_label("class_weight", given, TARGET)
