"""The Python beside an exported model: dates, numbers and texts are read as the model reads them."""

from __future__ import annotations

import csv
import datetime
import math

import pytest

from tallystick.export.standalone import Model, days, exp, from_json, gone, harmless, log, low, records

TREE = """{"kind": "decision-tree", "target": "y", "labels": ["no", "yes"], "marks": ["?"],
"number_marks": ["n/a"], "sentinels": [-999], "costs": [],
"columns": [{"name": "age", "kind": "number"}, {"name": "c", "kind": "levels", "levels": ["u", "v"]}],
"nodes": [[0, 30.0, [1, 2], 1, null], [[0.75, 0.25]],
[1, null, [3, 4], 4, null], [[0.5, 0.5]], [[0.0, 1.0]]]}"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1970-01-01", 0.0),
        ("1970-01-02T12:00", 1.5),
        ("1969-12-31", -1.0),
        ("1970-01-01 01:00+01:00", 0.0),
        ("1970-01-01T00:00:00.864", 1e-5),
    ],
)
def test_dates_are_days_since_1970(text, wanted):
    assert days(text) == wanted


@pytest.mark.parametrize("text", ["1970-02-30", "1970-01-01T24:00", "70-01-01", "", "1970-01-01x"])
def test_what_is_not_a_date_is_none(text):
    assert math.isnan(days(text))


def test_logarithms_and_powers_are_those_of_the_model():
    from tallystick import kernels

    for x in (-700.0, -1.0, 0.0, 1e-9, 0.5, 3.0, 700.0):
        assert exp(x) == float(kernels.exp([x])[0])
    for x in (1.0, 2.0, 3.0, 12.0, 1e6):  # counts of words
        assert log(x) == float(kernels.log([x])[0])
    assert (low(None), low(2.0)) == (-math.inf, 2.0)


def test_a_row_is_answered_along_its_way():
    model = from_json(TREE)
    assert isinstance(model, Model)
    assert model.predict({"age": 20, "c": "u"}) == {"label": "no", "probabilities": {"no": 0.75, "yes": 0.25}}
    assert model.predict({"age": "31", "c": "u"})["label"] == "no"  # of equals the first
    assert model.predict({"age": 31.0, "c": "new"})["label"] == "yes"
    for missing in (None, "?", "n/a", math.nan, -999):
        assert model.predict({"age": missing, "c": "u"})["probabilities"]["no"] == 0.75


def test_what_cannot_be_read_names_its_column():
    model = from_json(TREE)
    with pytest.raises(ValueError, match="age"):
        model.predict({"age": "old", "c": "u"})
    with pytest.raises(ValueError, match="c"):
        model.predict({"age": 31})


def test_missing_values_of_python_are_missing():
    assert gone(None)
    assert gone(math.nan)
    assert not gone("")
    assert not gone(datetime.date(2020, 1, 1))


def test_csv_rows_are_dicts_and_labels_are_not_formulas():
    assert list(records(csv.reader(["a,b\n", "1,\n"]))) == [{"a": "1", "b": ""}]
    assert (harmless("=1+1"), harmless("-cmd"), harmless("plain"), harmless(-5)) == (
        "'=1+1",
        "'-cmd",
        "plain",
        -5,
    )
