"""One value has one text, wherever it comes from and whoever asks."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tallystick as ts
from tallystick.errors import DataError
from tallystick.io.open import open_source
from tallystick.schema import ColumnOptions, Target
from tallystick.table.reader import read_table
from tallystick.text import (
    cell_text,
    label_form,
    label_number,
    label_text,
    moment_text,
    number_text,
    quantity,
)

NOON = dt.datetime(2024, 2, 29, 12, 30)
BERLIN = dt.timezone(dt.timedelta(hours=1))

ONE = {
    "1": [
        1,
        1.0,
        "1",
        Decimal("1.00"),
        np.int8(1),
        np.uint64(1),
        np.float32(1),
        pa.scalar(1),
        pa.scalar(1.0),
    ],
    "0": [0, 0.0, -0.0, np.float64(-0.0), Decimal("-0.0")],
    "1.0": ["1.0", np.str_("1.0")],
    "true": [True, np.True_, pa.scalar(True)],
    "False": ["False"],
    "10000000000000000": [1e16, 10**16, np.float64(1e16), Decimal("1E+16")],
    "9007199254740994": [9007199254740994.0, 9007199254740994, np.int64(9007199254740994)],
    "9007199254740993": [9007199254740993, Decimal(9007199254740993)],
    "1e+20": [1e20, np.float64(1e20)],
    "0.1": [0.1, np.float64(0.1), Decimal("0.1")],
    "90.5": [
        dt.timedelta(minutes=1, seconds=30.5),
        pd.Timedelta("90.5s"),
        np.timedelta64(90_500, "ms"),
        pa.scalar(dt.timedelta(seconds=90.5)),
        Fraction(181, 2),
    ],
    "08:30:00": [dt.time(8, 30), pa.scalar(dt.time(8, 30))],
    "00000000-0000-0000-0000-000000000007": [UUID(int=7)],
    "(0, 1]": [pd.Interval(0, 1)],
    "0.10000000149011612": [np.float32(0.1)],
    "1e-07": [1e-7],
    "inf": [math.inf, np.float32(np.inf), Decimal("Infinity")],
    "2024-02-29": [
        dt.date(2024, 2, 29),
        dt.datetime(2024, 2, 29),
        pd.Timestamp("2024-02-29"),
        np.datetime64("2024-02-29"),
        pd.Period("2024-02-29", "D"),
        np.datetime64("2024-02-29T00:00:00.000000000"),
        pa.scalar(dt.date(2024, 2, 29)),
        pa.scalar(dt.datetime(2024, 2, 29), pa.timestamp("ns")),
    ],
    "2024-02-29 12:30:00": [NOON, pd.Timestamp(NOON), np.datetime64(NOON), np.datetime64(NOON, "ns")],
    "2024-02-29 12:30:00.25": [NOON.replace(microsecond=250_000)],
    "2024-02-29 12:30:00Z": [
        NOON.replace(tzinfo=dt.UTC),
        NOON.replace(hour=13, tzinfo=BERLIN),
        pd.Timestamp("2024-02-29 13:30", tz="Europe/Berlin"),
    ],
    "12:30:00": [dt.time(12, 30)],
}


@pytest.mark.parametrize(
    ("text", "value"), [(t, v) for t, values in ONE.items() for v in values], ids=lambda v: type(v).__name__
)
def test_a_value_has_one_text(text, value):
    assert cell_text(value, "x") == text
    assert label_text(value) == text


@pytest.mark.parametrize(
    "value",
    [
        *(None, math.nan, np.float32("nan"), Decimal("NaN"), pd.NA, pd.NaT),
        *(np.datetime64("NaT"), np.timedelta64("NaT")),
    ],
    ids=lambda v: type(v).__name__,
)
def test_missing_has_no_text(value):
    assert cell_text(value, "x") is None


@pytest.mark.parametrize(
    "value",
    [b"a", np.bytes_(b"a"), 1j, [1], object()],
    ids=lambda v: type(v).__name__,
)
def test_what_is_not_a_cell_is_an_error_and_a_label_as_it_prints(value):
    with pytest.raises(DataError, match="not cells"):
        cell_text(value, "x")
    assert label_text(value) == str(value)


def test_the_text_of_a_number_reads_back():
    for value in (0.1, 1e16, 9007199254740994.0, 2.0**64, -(2.0**64), 5e-324, 1.7976931348623157e308):
        assert float(number_text(value)) == value
    assert number_text(2.0**64 - 2048) == "18446744073709549568"
    assert number_text(2.0**64) == "1.8446744073709552e+19"


def test_a_moment_of_any_year_has_a_text():
    assert moment_text(0) == "1970-01-01"
    assert moment_text(0, zoned=True) == "1970-01-01 00:00:00Z"
    assert moment_text(1) == "1970-01-01 00:00:00.000001"
    assert moment_text(100_000 * 366 * 86_400_000_000)[:6].isdigit()


def test_labels_that_are_numbers_are_written_as_numbers_are():
    for text, value in (
        ("1", 1.0),
        ("1.0", 1.0),
        ("1e16", 1e16),
        ("-0.0", -0.0),
        ("0.50", 0.5),
        ("1e20", 1e20),
    ):
        assert label_number(text) == label_form(text, value, "number") == number_text(value)
    assert label_form("9007199254740993", 9007199254740992.0, "integer") == "9007199254740993"
    assert label_form("1,5", 1.5, "number") == "1.5"
    assert [label_form("TRUE", math.nan, "boolean"), label_form("1.0", 1.0, "text")] == ["true", "1.0"]
    assert [label_number(t) for t in ("1_0", "inf", "nan", "x", "٣", "")] == [None] * 6


def test_a_user_may_name_a_label_by_its_value():
    moments = Target("y", ("2024-02-29", "2024-02-29 12:30:00"))
    assert moments.label_of(pd.Timestamp(NOON)) == "2024-02-29 12:30:00"
    assert moments.label_of(dt.date(2024, 2, 29)) == "2024-02-29"
    words = Target("y", ("1", "1.5", "2.0", "True"))
    assert [words.label_of(v) for v in (1, 1.0, np.float64(1.5), 2.0, True)] == [
        "1",
        "1",
        "1.5",
        "2.0",
        "True",
    ]
    assert Target("y", ("false", "true"), "boolean").label_of(np.float64(1)) == "true"
    assert Target("y", ("1", "2"), "integer").label_of(b"1") == "b'1'"


MOMENTS = [dt.datetime(2024, 1, 1 + i % 3, 12 * (i % 2)) for i in range(12)]
CONTAINERS = {
    "ns": lambda: pd.DataFrame({"x": np.array(MOMENTS, "M8[ns]")}),
    "s": lambda: pd.DataFrame({"x": np.array(MOMENTS, "M8[s]")}),
    "objects": lambda: pd.DataFrame({"x": pd.Series(MOMENTS, dtype=object)}),
    "arrow": lambda: pa.table({"x": pa.array(MOMENTS, pa.timestamp("ms"))}),
    "texts": lambda: {"x": [cell_text(m, "x") for m in MOMENTS]},
    "dicts": lambda: [{"x": m} for m in MOMENTS],
}
LABELS = ["ab"[i % 2] for i in range(12)]


@pytest.mark.parametrize("name", CONTAINERS)
def test_moments_are_the_same_levels_and_labels_in_any_container(name):
    source = open_source(CONTAINERS[name]())
    levels = read_table(source, ColumnOptions({"x": "levels"}), LABELS).schema["x"].levels
    assert levels == tuple(sorted({cell_text(m, "x") for m in MOMENTS}))
    target = read_table(open_source({"a": LABELS}), None, _y(name))
    assert target.schema.target.labels == levels


def _y(name):
    data = CONTAINERS[name]()
    return [row["x"] for row in data] if isinstance(data, list) else data["x"]


@pytest.mark.parametrize("method", [ts.DecisionTree, ts.NaiveBayes, ts.LogisticRegression, ts.Scorecard])
def test_one_row_with_a_moment_is_answered_as_a_table_is(method, tmp_path):
    frame = CONTAINERS["ns"]()
    model = method(kinds={"x": "levels"}).fit(frame, LABELS)
    want = model.predict_proba(frame)
    for moment, shares in zip(MOMENTS, want, strict=True):
        assert list(model.predict_proba_one({"x": moment})) == pytest.approx(list(shares))


def test_a_weight_may_be_given_for_a_class_of_numbers():
    y = [1e20, 2.5] * 10
    model = ts.LogisticRegression(class_weight={1e20: 2.0, 2.5: 1.0}).fit(
        {"a": [i / 3 for i in range(20)]}, y
    )
    assert model.model_.options.class_weight == {"1e+20": 2.0, "2.5": 1.0}


def test_a_number_of_a_column_is_told_in_its_unit():
    assert quantity(18_400.5, "") == "18400.5"
    assert quantity(1 / 3, "", 4) == "0.3333"
    assert quantity(18_400.5, "date") == quantity(18_400.5, "date", 6) == "2020-05-18 12:00:00"
    assert quantity(18_400, "date", 2) == "2020-05-18"
    assert quantity(18_400 + 1 / 7, "date") == "2020-05-18 03:25:42.857143"
    assert quantity(18_400 + 1 / 7, "date", 6) == "2020-05-18 03:25:43"
    assert quantity(1e300, "date") == "1e+300"  # no calendar goes so far
    assert quantity(float("-inf"), "date", 6) == "-inf"


def test_a_label_of_more_digits_than_python_writes_out_is_named():
    with pytest.raises(DataError, match="column 'target' holds a whole number of 4,983 digits"):
        label_text(10**5_000)
