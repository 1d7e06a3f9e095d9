"""Rows as text: quoting, formulas made harmless, JSON lines."""

from __future__ import annotations

import csv
import io
import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.errors import DataError
from tallystick.predict.answers import csv_header, csv_lines, json_lines

pytestmark = pytest.mark.slow

TEXT = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=8)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5))
def test_csv_lines_read_back_as_the_same_texts(rows):
    table = pa.table({"a": [a for a, _ in rows], "b": [b for _, b in rows]})
    text = csv_lines(table, raw=True).decode()
    assert [tuple(row) for row in csv.reader(io.StringIO(text, newline=""))] == rows


@pytest.mark.parametrize(
    "text",
    [
        *(
            "=1+1",
            "+cmd",
            "-cmd",
            "@sum",
            "\tx",
            "\rx",
            "\nx",
            "\r7",
            "\t-7",
            "=",
            "-",
            "+1+1",
            " =1+1",
            "\n=1+1",
            "\u00a0@sum",
        ),
        *(
            "\ufeff=1",
            "\u200b-cmd",
            "\x00=1",
            "\uff1d1+1",
            "\uff0bcmd",
            "\uff0dcmd",
            "\uff20sum",
            "\u3000\uff1d1",
        ),
    ],
)
def test_formulas_are_made_harmless_unless_raw(text):
    table = pa.table({"a": [text], "b": ["x"]})
    (cells,) = csv.reader(io.StringIO(csv_lines(table, raw=False).decode(), newline=""))
    assert cells[0] == "'" + text
    (cells,) = csv.reader(io.StringIO(csv_lines(table, raw=True).decode(), newline=""))
    assert cells[0] == text
    assert csv_header([text], raw=False).decode().lstrip('"').startswith("'")


@pytest.mark.parametrize("text", ["-5", "+3.25", "-1e-7", "7", "-.5", "plain", "a=b", "", "x\u3000=1"])
def test_numbers_and_plain_texts_stay_as_they_are(text):
    assert csv_lines(pa.table({"a": [text], "b": [1.5]}), raw=False).decode() == f"{text},1.5\n"


def test_missing_cells_are_empty_and_one_empty_column_keeps_its_rows():
    assert csv_lines(pa.table({"a": [None, "x"], "b": [None, 2.5]}), raw=False) == b",\nx,2.5\n"
    assert csv_lines(pa.table({"a": [None, "x"]}), raw=False) == b'""\nx\n'


def test_json_lines_are_one_object_per_row():
    lines = json_lines(pa.table({"a": ["=1", "ü"], "b": [1.5, None]})).decode().splitlines()
    assert [json.loads(line) for line in lines] == [{"a": "=1", "b": 1.5}, {"a": "ü", "b": None}]


def test_dictionaries_too_large_for_their_codes_together_are_written():
    codes = pa.array(range(100), pa.int8())
    several = [
        pa.DictionaryArray.from_arrays(codes, pa.array([f"{k} {i}" for i in range(100)])) for k in (0, 1)
    ]
    lines = csv_lines(pa.table({"d": pa.chunked_array(several)}), raw=True).decode().split()
    assert len(lines) == 400
    assert lines[-1] == "99"


def test_a_column_without_texts_is_named():
    with pytest.raises(
        DataError, match=r"column 'c' is of type 'list<item: int64>', which CSV has no text for"
    ):
        csv_lines(pa.table({"c": pa.array([[1]])}), raw=False)
