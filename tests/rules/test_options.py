"""Options of rules: what makes no sense is refused by name."""

import numpy as np
import pytest
import small_rules as s

from tallystick.errors import OptionError
from tallystick.rules.model import RuleOptions


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("max_rules", 0, "max_rules must be None or a whole number from 1"),
        ("max_rules", True, "max_rules must be"),
        ("max_conditions", 2.5, "max_conditions must be"),
        ("max_bins", 1, "max_bins must be a whole number from 2"),
        ("max_bins", None, "max_bins must be"),
        ("smoothing", -1, "smoothing must be None or a number from 0 up"),
        ("smoothing", "much", "smoothing must be"),
        ("class_weight", "heavy", "class_weight"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(name, value, said):
    with pytest.raises(OptionError, match=said):
        RuleOptions(**s.OPTIONS | {name: value})


def test_numbers_of_numpy_are_plain():
    options = RuleOptions(**s.OPTIONS | {"max_rules": np.int64(3), "smoothing": np.float32(2)})
    assert options.to_dict()["max_rules"] == 3
    assert type(options.to_dict()["smoothing"]) is float


def test_imagined_rows_are_fewer_the_more_classes_there_are():
    assert RuleOptions(**s.OPTIONS).imagined(2) == 2.0
    assert RuleOptions(**s.OPTIONS | {"smoothing": 5}).imagined(2) == 5.0
