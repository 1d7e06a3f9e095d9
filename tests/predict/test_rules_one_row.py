"""One record through the rules finds the rule that it finds in a table."""

import itertools

import numpy as np
import pytest
import small_rules as s

import tallystick as ts
from tallystick.predict.row import RuleRow

NAN = float("nan")


def test_a_record_finds_the_rule_that_its_row_finds_in_a_table():
    model = s.rules()
    codes = {"p": 0, "q": 1, "r": 2, None: 3, "?": 3, "new": 4}
    for x, a in itertools.product((1.0, 3, "2", None, 6.0, NAN), codes):
        row = s.block([NAN if x is None else float(x)], [codes[a]])
        assert np.array_equal(model.record({"x": x, "a": a}), model.shares(row)[0])


@pytest.mark.parametrize("row", [{"x": 1.0}, {"x": "much", "a": "p"}, {"x": float("inf"), "a": "p"}])
def test_what_only_a_table_can_read_or_refuse_is_left_to_it(row):
    assert s.rules().record(row) is None


def test_a_mark_that_is_a_number_goes_the_long_way():
    rows = [{"x": i % 10, "y": i % 10 > 4} for i in range(60)]
    model = ts.RuleList(columns=ts.Columns(missing=["-999"])).fit(rows, "y")
    assert model.model_.record({"x": -999}) is None
    assert model.predict_proba_one({"x": -999}).shape == (2,)


def test_without_rules_every_row_is_otherwise():
    assert RuleRow(s.SCHEMA, ()).first({"x": 1, "a": "p"}) == 0
