"""One record at a time: the bits that a table gives, and what only a table can read."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from small_models import SCHEMA, logistic, rows

from tallystick.linear.model import Cells, Slope
from tallystick.predict.row import LogisticRow
from tallystick.schema import Schema

RECORDS = [
    ({"x": 1.5, "a": "r"}, (1.5, 0)),
    ({"x": "1.5", "a": " s "}, (1.5, 1)),
    ({"x": 3, "a": None}, (3.0, 2)),
    ({"x": None, "a": "NA"}, (math.nan, 2)),
    ({"x": math.nan, "a": "blue"}, (math.nan, 3)),
]


@pytest.mark.parametrize(("record", "encoded"), RECORDS)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_record_gets_the_bits_that_a_table_gives_it(record, encoded, classes):
    model = replace(logistic(), schema=replace_marks(classes))
    if classes == 3:
        parts = (
            Slope("x", np.array([0.25, 0.5, -1.0]), 2.0, 1.0, np.array([0.1, 0.2, 0.3])),
            Cells("a", np.arange(9.0).reshape(3, 3) / 8, (True, True, True)),
        )
        model = replace(model, constant=np.array([0.5, 0.0, 1.0]), parts=parts)
    x, a = encoded
    found = LogisticRow(model).shares(record)
    assert found.tobytes() == model.shares(rows([x], [a]))[0].tobytes()


def replace_marks(classes):
    target = replace(SCHEMA.target, labels=("no", "yes", "perhaps")[:classes])
    return Schema(SCHEMA.columns, target, ("NA",))


@pytest.mark.parametrize("record", [{"x": 1.0}, {"x": "red", "a": "r"}, {"x": math.inf, "a": "r"}])
def test_what_a_table_must_read_or_refuse_is_not_answered(record):
    assert LogisticRow(logistic()).shares(record) is None


def test_a_number_that_marks_missing_cells_is_for_a_table():
    marked = replace(logistic(), schema=Schema(SCHEMA.columns, SCHEMA.target, ("-999",)))
    assert LogisticRow(marked).shares({"x": 1.0, "a": "r"}) is None
