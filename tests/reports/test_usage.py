"""Of the page, how to use it: commands that can be typed, exports, and how numbers were made."""

from __future__ import annotations

import hashlib
import shlex

import pytest

from tallystick.reports.context import _quoted, column_flags, use_section
from tallystick.schema import Columns


def test_the_command_fits_the_model_that_is_shown(given):
    found = use_section(given("tree"))
    typed = shlex.split(found["fit"])
    assert typed[:7] == ["tally", "fit", "days.csv", "--target", "play", "--model", "tree"]
    assert "<b>=levels" in typed
    assert found["sha256"] == hashlib.sha256(given("tree").chosen.model.to_bytes()).hexdigest()
    assert found["verify"] == "tally verify model.tally.json days.csv"


def test_a_model_file_is_told_of_without_its_bytes_at_once(given, monkeypatch):
    shown = given("tree")
    size = len(shown.chosen.model.to_bytes())
    monkeypatch.setattr(type(shown.chosen.model), "to_bytes", lambda *_: pytest.fail("all at once"))
    assert use_section(shown)["bytes"] == f"{size:,}"


def test_exports_stand_there_or_the_reason_why_not(given):
    for export in use_section(given("bayes"))["exports"]:
        assert bool(export["text"]) != bool(export["why"])
        assert "tally export model.tally.json --to" in export["command"]


def test_what_is_known_of_columns_is_told_in_flags():
    known = Columns(kinds={"zip code": "levels"}, levels={"size": ["S", "M"]}, missing=["?"], keep=["id"])
    assert column_flags(known) == [
        "--keep id",
        "--kind 'zip code=levels'",
        "--levels size=S,M",
        "--missing '?'",
    ]
    assert _quoted("a\x1b b") == "'a\\x1b b'"


def test_every_definition_names_the_folds_that_were_dealt(given):
    how = dict(use_section(given("tree"))["how"])
    assert "dealt into 3 folds" in how["Cross-validated"]
    assert all(text and "{" not in text for text in how.values())
