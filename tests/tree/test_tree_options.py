"""How a tree is grown: options that make no sense are named, units of weights become rules."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.errors import OptionError
from tallystick.schema import Column, Schema, Target
from tallystick.tree.model import ClassWeights
from tallystick.tree.options import PARTS, TreeOptions

GIVEN = {
    "criterion": "entropy",
    "level_splits": "groups",
    "missing_values": "learned",
    "max_depth": None,
    "min_samples_leaf": 2,
    "min_samples_split": 5,
    "max_leaf_nodes": None,
    "min_impurity_decrease": 0.0,
    "min_entropy": 0.0,
    "stop_at_zero_gain": False,
    "cuts": "midpoint",
    "cut_price": 0.0,
    "cut_rows": False,
    "class_weight": None,
    "priors": None,
    "costs": None,
    "max_bins": None,
}
TARGET = Target("y", ("no", "yes"))


def options(**changed):
    return TreeOptions(**GIVEN | changed)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"criterion": "luck"}, "criterion must be one of entropy, gain-ratio, gini, not 'luck'"),
        ({"max_depth": 0}, "max_depth must be a whole number of at least 1 or None, not 0"),
        ({"min_samples_leaf": 1.5}, "at least 1, or a part of the rows between 0 and 1, not 1.5"),
        ({"min_samples_split": True}, "min_samples_split must be a whole number"),
        ({"max_bins": 1}, "max_bins must be a whole number of at least 2"),
        ({"class_weight": "even"}, "class_weight must be one of balanced"),
        ({"cut_price": float("nan")}, "cut_price must be a number from 0 up"),
        ({"min_impurity_decrease": -1}, "min_impurity_decrease must be a number from 0 up"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(given, says):
    with pytest.raises(OptionError, match=says):
        options(**given)


def test_rows_are_counted_in_units_of_the_table():
    rules = options().rules(4, classes=True)
    assert (rules.min_leaf, rules.min_split, rules.unit) == (8, 20, 4)
    rules = options().rules(2**32, classes=True, row_unit=10)  # more weight than one row less has
    assert (rules.min_leaf, rules.min_split, rules.unit) == (11, 41, 10)
    assert options().rules(1, classes=False).criterion == "variance"
    assert options(criterion="gain-ratio").rules(1, classes=True).criterion == "ratio"


def test_costs_weigh_classes_and_a_regression_has_none():
    assert options(costs=[[0, 1], [5, 0]]).weights_of(TARGET) == ClassWeights((1.0, 5.0))
    assert options(class_weight="balanced").weights_of(Target("y", (), "number")) is None
    assert options().weights_of(TARGET) is None


def test_rows_are_shared_out_only_where_values_are_missing_and_weights_are_whole():
    lost = Schema((Column("x", "numeric", missing=3),), TARGET)
    whole = Schema((Column("x", "numeric"), Column("t", "text", missing=3)), TARGET)
    shared = options(missing_values="fractions")
    assert shared.parts(lost, 1) == PARTS
    assert shared.parts(lost, 2**32) == shared.parts(whole, 1) == options().parts(lost, 1) == 1


def test_numbers_of_numpy_are_plain_in_the_file():
    assert type(options(max_depth=np.int64(3)).to_dict()["max_depth"]) is int
