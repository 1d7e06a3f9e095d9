"""The options of a card: what makes no sense is one line that names it."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from small_models import CARD

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.scorecard.options import ScorecardOptions

BAD = [
    ({"points_to_double": 0}, "points_to_double must be a whole number from 1 to 1,000,000, not 0"),
    ({"points_to_double": 2.5}, "points_to_double must be a whole number"),
    ({"points_to_double": True}, "points_to_double must be a whole number"),
    ({"points_to_double": 10**7}, "points_to_double must be a whole number"),
    ({"ranges": 1}, "ranges must be a whole number from 2 to 1,000, not 1"),
    ({"ranges": "many"}, "ranges must be a whole number"),
    ({"min_letters": 0}, "min_letters must be a whole number from 1"),
    ({"pairs": -1}, "pairs must be a whole number from 0"),
    ({"pairs": math.nan}, "pairs must be a whole number"),
    ({"max_lines": 0}, "max_lines must be a whole number from 1"),
    ({"max_columns": 0}, "max_columns must be a whole number from 1 to 1,000,000, not 0"),
    ({"l2": 0}, "l2 must be a number above 0, 'auto' or 'cv', not 0"),
    ({"l2": -1.0}, "l2 must be a number above 0"),
    ({"l2": math.nan}, "l2 must be a number above 0"),
    ({"l2": math.inf}, "l2 must be a number above 0"),
    ({"l2": "best"}, "l2 must be a number above 0, 'auto' or 'cv', not 'best'"),
    ({"class_weight": "even"}, "class_weight"),
    ({"cuts": [1, 2]}, "cuts must be numbers by column"),
    ({"cuts": {"age": 5}}, "cuts of column 'age' must be numbers, not 5"),
    ({"cuts": {"age": "25"}}, "cuts of column 'age' must be numbers, not '25'"),
    ({"cuts": {"age": [1, math.nan]}}, "cuts of column 'age' must be numbers"),
    ({"cuts": {"age": [1, math.inf]}}, "cuts of column 'age' must be numbers"),
    ({"cuts": {"age": [1, "2"]}}, "cuts of column 'age' must be numbers"),
    ({"cuts": {"age": [40, 25]}}, "cuts of column 'age' must rise"),
    ({"cuts": {"age": [25, 25]}}, "cuts of column 'age' must rise"),
    ({"cuts": {"age": list(range(1_000))}}, "cuts of column 'age': 1,000 of at most 999"),
    ({"cuts": {"age": [1, 2, 3]}, "max_lines": 2}, "cuts of column 'age' make 4 lines, and max_lines is 2"),
    ({"monotone": "rising"}, "monotone must say 'rising' or 'falling' by column"),
    ({"monotone": {"age": "up"}}, "monotone of column 'age' must be 'rising' or 'falling', not 'up'"),
    ({"monotone": {"age": "risin"}}, "Did you mean 'rising'"),
    ({"monotone": {"age": 1}}, "monotone of column 'age' must be 'rising' or 'falling', not 1"),
    ({"population": 0.5}, "population must be a share between 0 and 1 for each class"),
    ({"population": {"a": 1.0, "b": 0.0}}, "population must be a share between 0 and 1"),
    ({"population": {"a": 0.5, "b": 0.2}}, "population must sum to 1, not to 0.7"),
    ({"population": {"a": "0.5", "b": 0.5}}, "population must be a share"),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_an_option_that_makes_no_sense_is_one_line_that_names_it(number):
    changed, says = BAD[number]
    with pytest.raises(OptionError) as caught:
        ScorecardOptions(**CARD | changed)
    assert says in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("number", range(len(BAD)))
def test_it_is_said_before_any_row_is_read(number):
    with pytest.raises(OptionError):
        ts.Scorecard(**BAD[number][0]).fit("no such file.csv", "y")


def test_options_are_plain_data_that_make_them_again():
    given = {
        "cuts": {"age": (25, np.float64(40))},
        "monotone": {"age": "rising", "pay": {"a": "falling"}},
        "class_weight": {"a": 2, "b": 1},
        "population": {"a": 0.25, "b": 0.75},
        "l2": 3,
    }
    options = ScorecardOptions(**CARD | given)
    plain = json.loads(json.dumps(options.to_dict()))
    assert plain["cuts"] == {"age": [25.0, 40.0]}
    assert ScorecardOptions(**plain).to_dict() == plain


def test_labels_of_an_estimator_become_text():
    model = ts.Scorecard(class_weight={True: 2.0, False: 1.0}, population={1: 0.5, 2: 0.5})
    options = ScorecardOptions.of(model)
    assert options.class_weight == {"true": 2.0, "false": 1.0}
    assert options.population == {"1": 0.5, "2": 0.5}
