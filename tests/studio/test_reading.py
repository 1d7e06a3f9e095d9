"""The table of a session, and its columns for the page."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.studio.session import TableWishes, columns_part, read


@pytest.fixture
def days(tables):
    return TableWishes("days.csv", tables / "days.csv")


def test_columns_have_their_kind_why_and_distribution_before_there_is_a_target(days):
    part = columns_part(read(days))
    rows = {row["name"]: row for row in part["rows"]}
    assert set(rows) == {"sky", "wind", "play"} == set(part["names"])
    assert rows["wind"]["kind"] == "numeric"
    assert "<svg" in rows["sky"]["bars"]


def test_a_warning_stands_beside_its_column_with_what_to_do(days):
    part = columns_part(read(TableWishes(days.name, days.path, "play")))
    beside = next(row for row in part["rows"] if row["name"] == "wind")["notes"]
    note = next(n for n in beside if "-999" in n["text"])
    cured = TableWishes(days.name, days.path, "play").with_cure(part["cures"][note["number"]])
    found = read(cured).description["wind"]
    assert found.missing == 20
    assert not [n for n in columns_part(read(cured))["rows"][0]["notes"] if "-999" in n["text"]]


def test_what_is_read_is_what_fit_reads(days):
    asked = TableWishes(days.name, days.path, "play").with_kind("wind", "levels")
    own = ts.NaiveBayes(**asked.shared)._fit_table(read(asked).table).to_bytes(profile=False)
    again = ts.NaiveBayes(columns=ts.Columns(kinds={"wind": "levels"})).fit(str(days.path), "play")
    assert own == again.to_bytes(profile=False)


def test_a_row_is_found_by_its_number_in_the_file(days):
    reading = read(TableWishes(days.name, days.path, "play"))
    assert reading.row_in_file(1) == {"sky": "rain", "wind": "0", "play": "yes"}
    assert reading.row_in_file(200)["sky"] == "sun"
    for number in (0, 201):
        with pytest.raises(OptionError, match="rows 1 to 200"):
            reading.row_in_file(number)
