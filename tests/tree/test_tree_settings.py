"""Numbers per class and other settings of a tree: a wrong value is an error that names it."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.errors import OptionError
from tallystick.schema import Target
from tallystick.tree.options import check_classes, check_price, check_whole, plain_value

TARGET = Target("y", ("no", "yes"))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"class_weight": {"yse": 2}}, "class_weight names 'yse'"),
        ({"costs": {"yes": {"noo": 1}}}, "costs names 'noo'"),
        ({"priors": {"no": 1.0}}, "priors must give a share to every class; 'yes' has none"),
        ({"priors": {"no": 0.5, "yes": 0.6}}, r"priors must sum to 1, but they sum to 1\.1"),
    ],
)
def test_numbers_per_class_that_make_no_sense_are_refused(given, says):
    everything = {"class_weight": None, "priors": None, "costs": None} | given
    with pytest.raises(OptionError, match=says):
        check_classes(**everything, target=TARGET)


def test_numbers_per_class_that_make_sense_pass():
    check_classes({"yes": 2}, None, {"yes": {"no": 10}}, TARGET)
    check_classes(None, {"no": 0.25, "yes": 0.75}, None, TARGET)
    check_classes("balanced", None, None, TARGET)


def test_prices_and_whole_numbers_are_checked():
    check_price("alpha", 0)
    check_whole("folds", 2, 2)
    with pytest.raises(OptionError, match="alpha must be a number from 0 up, not inf"):
        check_price("alpha", float("inf"))
    with pytest.raises(OptionError, match="folds must be a whole number of at least 2, not 1"):
        check_whole("folds", 1, 2)
    with pytest.raises(OptionError, match="not True"):
        check_whole("folds", True, 0)


def test_a_parameter_is_plain_data_in_the_file():
    assert plain_value("class_weight", {1: np.float64(2.5)}) == {"1": 2.5}
    assert plain_value("costs", ((0, 1), (2, 0))) == [[0, 1], [2, 0]]
    assert type(plain_value("alpha", np.float64(0.5))) is float
    with pytest.raises(OptionError, match="class_weight must give numbers by class"):
        plain_value("class_weight", {"yes": "much"})
