"""One record at a time: the bits that a table gives, and what only a table can read."""

from __future__ import annotations

import datetime
import decimal
import math
from dataclasses import replace

import numpy as np
import pytest
from small_models import SCHEMA, card, card_of_three, rows, whole

import tallystick as ts
from tallystick.predict.row import CardRow
from tallystick.schema import Column, Schema
from tallystick.scorecard.model import LevelAxis, LinePoints

RECORDS = [
    ({"x": 1.5, "a": "r"}, (1.5, 0)),
    ({"x": "1.5", "a": " s "}, (1.5, 1)),
    ({"x": " 3e0 ", "a": "s"}, (3.0, 1)),
    ({"x": 3, "a": None}, (3.0, 2)),
    ({"x": np.float32(2.0), "a": ""}, (2.0, 2)),
    ({"x": decimal.Decimal("2.5"), "a": "s"}, (2.5, 1)),
    ({"x": None, "a": "NA"}, (math.nan, 2)),
    ({"x": "NA", "a": "s"}, (math.nan, 1)),
    ({"x": "", "a": math.nan}, (math.nan, 2)),
    ({"x": math.nan, "a": "blue"}, (math.nan, 3)),
    ({"x": -1e300, "a": "R"}, (-1e300, 3)),
    ({"x": 1.0, "a": "s", "more": object()}, (1.0, 1)),
]


@pytest.mark.parametrize(("record", "encoded"), RECORDS)
@pytest.mark.parametrize("make", [card, card_of_three])
def test_a_record_gets_the_bits_that_a_table_gives_it(make, record, encoded):
    model = make()
    model = replace(model, schema=Schema(SCHEMA.columns, model.schema.target, ("NA",)))
    x, a = encoded
    one = CardRow(model)
    for _ in range(2):  # cells that came before are remembered
        assert one.shares(record).tobytes() == model.shares(rows([x], [a]))[0].tobytes()


@pytest.mark.parametrize(
    "record",
    [
        {"x": 1.0},
        {"a": "r"},
        {},
        {"x": "red", "a": "r"},
        {"x": True, "a": "r"},
        {"x": "1_000", "a": "r"},
        {"x": math.inf, "a": "r"},
        {"x": "-inf", "a": "r"},
        {"x": 10**400, "a": "r"},
        {"x": [1.0], "a": "r"},
        {"x": 1.0, "a": {"r": 1}},
    ],
)
def test_what_a_table_must_read_or_refuse_is_not_answered(record):
    assert CardRow(card()).shares(record) is None


def test_a_number_that_marks_missing_cells_is_for_a_table():
    marked = replace(card(), schema=Schema(SCHEMA.columns, SCHEMA.target, ("-999",)))
    assert CardRow(marked).shares({"x": 1.0, "a": "r"}) is None


def test_a_column_without_points_need_not_be_there():
    row = CardRow(card(parts=card().parts[:1]))
    assert row.shares({"x": 1.0}) is not None
    assert row.shares({"x": 1.0, "a": "r"}) is not None
    assert row.shares({"x": 1.0, "a": object()}) is None  # for a table, which says what is wrong


@pytest.mark.parametrize(
    ("cell", "code"), [(True, 1), ("TRUE", 1), ("no", 0), (0, 0), ("1", 1), (None, 2), ("x", 3)]
)
def test_booleans_are_read_as_a_table_reads_them(cell, code):
    schema = Schema((Column("f", "boolean", ("false", "true")),), SCHEMA.target)
    part = LinePoints(LevelAxis("f", (0, 1)), whole([-5], [5], [1], [0]), whole(*[[1, 1]] * 4))
    model = replace(card(parts=(part,)), schema=schema)
    want = model.shares(type(rows([0.0], [0]))(1, {"f": np.array([code], np.uint8)}))[0]
    found = CardRow(model).shares({"f": cell})
    assert found.tobytes() == want.tobytes()


# ---- cards that were learnt: every kind of column, through the front door ----

DAYS = [datetime.date(2026, 1 + i % 12, 1 + i % 28) for i in range(80)]
TABLE = [
    {
        "n": None if i % 9 == 8 else (i * 7 % 23) / 4,
        "whole": i % 5,
        "sky": [None, "sun", "rain", "fog"][i % 4],
        "wet": i % 3 == 0,
        "day": DAYS[i],
        "size": ["S", "M", "L"][i * 5 % 3],
        "y": ["no", "yes"][(i * 7 % 23 > 11) ^ (i % 5 == 3)],
    }
    for i in range(80)
]
CELLS = {
    "n": [1.25, "1.25", None, "", math.nan, 7, "3e1", -1e300],
    "whole": [3, "3", 3.0, "03", None, 99],
    "sky": ["sun", " rain ", "hail", None, "", "SUN", 3, 2.0, True],
    "wet": [True, "true", "no", 1, 0.0, None, "perhaps"],
    "day": [DAYS[3], "2026-03-05", datetime.datetime(2026, 4, 1, 12), None, "2030-01-01"],
    "size": ["S", "XL", None, "l"],
}


@pytest.fixture(scope="module", params=[2, 3])
def learnt(request):
    columns = ts.Columns({"size": "ordered"}, {"size": ["S", "M", "L"]})
    table = TABLE if request.param == 2 else [r | {"y": "abc"[r["whole"] % 3]} for r in TABLE]
    return ts.Scorecard(columns=columns).fit(table, "y")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "cell"), [(n, c) for n, cells in CELLS.items() for c in cells])
def test_a_learnt_card_answers_one_record_with_the_bits_of_a_table(learnt, name, cell):
    row = {k: v for k, v in TABLE[5].items() if k != "y"} | {name: cell}
    try:
        want = learnt.predict_proba([row, TABLE[0]])[0]
    except ts.errors.TallyError:
        want = None
    found = learnt.model_.record(row)
    if want is None:
        assert found is None
    elif found is not None:
        assert found.tobytes() == want.tobytes()
    if want is not None:
        assert learnt.predict_proba([row])[0].tobytes() == want.tobytes()
