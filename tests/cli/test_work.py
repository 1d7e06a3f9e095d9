"""tally work: the worked solution of a small table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import bad, good

import tallystick as ts
from tallystick.cli.teach import asked
from tallystick.errors import OptionError

pytestmark = pytest.mark.slow  # a process per call


def test_work_prints_what_python_gives(folder):
    text = good("work", "play-tennis.csv", "-t", "Play", "--row", "2", cwd=folder)
    assert text == ts.work(folder / "play-tennis.csv", "Play", row=1).text()
    assert "H(5/14, 9/14)" in text


def test_work_writes_by_the_ending(folder):
    said = good("work", "play-tennis.csv", "-t", "Play", "--blank", "-o", "sheet.md", cwd=folder)
    assert said == "saved sheet.md\n"
    sheet = Path(folder / "sheet.md").read_text()
    assert sheet == ts.work(folder / "play-tennis.csv", "Play", blank=True).markdown()


def test_work_as_json_has_numbers_in_full(folder):
    data = json.loads(good("work", "play-tennis.csv", "-t", "Play", "--json", cwd=folder))
    (first,) = [p for p in data["parts"] if "formula" in p][:1]
    assert first["formula"][-1][0]["value"] == pytest.approx(0.9402859586706311, abs=1e-15)


def test_a_row_is_a_number_or_values():
    assert asked(()) is None
    assert asked(("3",)) == 2
    assert asked(("sky=rain", "wind=3")) == {"sky": "rain", "wind": "3"}
    with pytest.raises(OptionError, match="--row 'rain' is neither a number nor NAME=VALUE"):
        asked(("sky=rain", "rain"))
    with pytest.raises(OptionError, match="counts the rows of FILE from 1"):
        asked(("0",))


def test_the_data_is_never_written_over(folder):
    bad("work", "play-tennis.csv", "-t", "Play", "-o", "play-tennis.csv", cwd=folder)
    assert (folder / "play-tennis.csv").read_text().startswith("Outlook")


def test_a_row_that_is_not_there_is_counted_from_one(folder):
    said = bad("work", "play-tennis.csv", "-t", "Play", "--row", "99", cwd=folder)
    assert "--row 99 is not there: play-tennis.csv has 14 rows, counted from 1." in str(said)
