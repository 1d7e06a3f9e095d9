"""`report` as a job: what it reads, and how often."""

from __future__ import annotations

from pathlib import Path

import pytest

import tallystick as ts

pytestmark = pytest.mark.slow


def test_the_file_is_walked_once_and_its_table_encoded_once(monkeypatch):
    from tallystick.io.csv_file import CsvFile
    from tallystick.table import reader

    met = []
    pieces, read = CsvFile.pieces, reader.read_table
    monkeypatch.setattr(CsvFile, "pieces", lambda self: met.append("walk") or pieces(self))
    monkeypatch.setattr(
        reader, "read_table", lambda *args, **more: met.append("table") or read(*args, **more)
    )
    votes = Path(ts.__file__).parent / "examples" / "votes.csv"
    ts.report(votes, "party", methods=["bayes"], folds=3, repeats=1)
    assert sorted(met) == ["table", "walk"]


def test_repeats_are_a_whole_number():
    for none in (1.5, True, -1, 10**30):
        with pytest.raises(
            ts.TallyError, match=f"repeats must be a whole number from 0 to 10,000, not {none}"
        ):
            ts.report({"x": [1, 2] * 9, "y": ["p", "q"] * 9}, "y", repeats=none)


def test_progress_is_told_to_a_function():
    with pytest.raises(ts.TallyError, match=r"progress must be a function of .*, not 3"):
        ts.report({"x": [1, 2] * 9, "y": ["p", "q"] * 9}, "y", progress=3)
