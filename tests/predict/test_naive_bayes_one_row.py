"""One record at a time: the bits that a table gives, and what only a table can read."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from small_models import SCHEMA, bayes, rows

from tallystick.model.additive import Calibration
from tallystick.predict.row import BayesRow
from tallystick.schema import Schema

RECORDS = [
    ({"x": 1.5, "a": "r"}, (1.5, 0)),
    ({"x": "-0.0", "a": " s "}, (0.0, 1)),
    ({"x": 3, "a": None}, (3.0, 2)),
    ({"x": math.nan, "a": "blue"}, (math.nan, 3)),
    ({"x": "n/a", "a": ""}, (math.nan, 2)),
]


@pytest.mark.parametrize(("record", "encoded"), RECORDS)
@pytest.mark.parametrize("calibration", [None, Calibration(0.5, (0.0, 1.0))])
def test_a_record_gets_the_bits_that_a_table_gives_it(record, encoded, calibration):
    model = replace(bayes(), calibration=calibration)
    x, a = encoded
    assert BayesRow(model).shares(record).tobytes() == model.shares(rows([x], [a]))[0].tobytes()


@pytest.mark.parametrize("record", [{"x": 1.0}, {"x": "red", "a": "r"}, {"x": math.inf, "a": "r"}])
def test_what_a_table_must_read_or_refuse_is_not_answered(record):
    assert BayesRow(bayes()).shares(record) is None


def test_columns_and_marks_that_need_a_table_are_left_to_it():
    marked = replace(bayes(), schema=Schema(SCHEMA.columns, SCHEMA.target, ("-999",)))
    assert BayesRow(marked).shares({"x": 1.0, "a": "r"}) is None
    counts = replace(bayes().parts[0], distribution="poisson")
    assert not BayesRow(replace(bayes(), parts=(counts,))).able
