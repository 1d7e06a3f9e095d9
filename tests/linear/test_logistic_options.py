"""Options of a logistic regression: plain, in the file, and refused by name."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from small_models import LOGISTIC

from tallystick.errors import OptionError
from tallystick.linear.options import LogisticOptions
from tallystick.text import label_text


def options(**changed):
    return LogisticOptions(**LOGISTIC | changed)


def test_numbers_of_numpy_are_plain_and_short_words_are_written_where_they_say_something():
    found = options(l2=np.float32(0.5)).to_dict()
    assert type(found["l2"]) is float
    assert "min_letters" not in found
    assert options(min_letters=2).to_dict()["min_letters"] == 2
    assert options(l2="auto").to_dict()["l2"] == "auto"


def test_labels_become_text_whatever_type_they_have():
    assert [label_text(v) for v in (True, 2.0, 2.5, np.int64(3), "x")] == ["true", "2", "2.5", "3", "x"]
    given = LOGISTIC | {"reference": 1, "class_weight": {1.0: 2, False: 3}, "eta": None, "tolerance": None}
    holder = SimpleNamespace(**given | {"base_levels": {"b": 2}})
    holder.l2 = 0
    found = LogisticOptions.of(holder)
    assert found.reference == "1"
    assert found.to_dict()["base_levels"] == {"b": "2"}
    assert found.to_dict()["class_weight"] == {"1": 2.0, "false": 3.0}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"l2": -1}, "l2 must be a number of at least 0"),
        ({"l2": "much"}, "'auto' or 'cv', not 'much'"),
        ({"l1": float("inf")}, "l1 must be a number of at least 0"),
        ({"solver": "newtn"}, "solver must be one of .*newton"),
        ({"interactions": 3}, "interactions must be 1, 2 or pairs of columns, not 3"),
        ({"interactions": [("a", 1)]}, r"pairs of columns such as \[\('age', 'region'\)\]"),
        ({"interactions": ["ab"]}, "interactions must be 1, 2 or pairs of columns"),
        ({"fit_intercept": 1}, "fit_intercept must be True or False"),
        ({"firth": "yes"}, "firth must be True or False"),
        ({"offset": 3}, "offset must be the name of a numeric column"),
        ({"base_levels": "rent"}, "base_levels must be levels by column"),
        ({"polynomial": True}, "polynomial must be 1 or 2"),
        ({"standardize": 1}, "standardize must be True or False"),
        ({"class_weight": {"yes": 0}}, "class_weight of 'yes' must be above 0"),
        ({"class_weight": [1, 2]}, "class_weight must be None, 'balanced' or weights by class"),
        ({"min_letters": 0}, "min_letters must be a whole number of at least 1"),
        ({"max_iter": 1.5}, "max_iter must be a whole number"),
        ({"l1": 1.0, "solver": "gradient"}, "cannot hold weights at 0"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(given, says):
    with pytest.raises(OptionError, match=says):
        options(**given)
