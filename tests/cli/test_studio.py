"""`tally studio` on the command line: what it says and refuses before it listens."""

from __future__ import annotations

import json

import pytest
from command import bad, good

pytestmark = pytest.mark.slow


def test_check_says_which_tables_the_page_could_open(fitted):
    assert "votes.csv" in good("studio", "--check", cwd=fitted).split()
    assert "votes.csv" in json.loads(good("studio", "votes.csv", "--check", "--json", cwd=fitted))["tables"]


def test_what_makes_no_sense_is_an_error_of_one_line(fitted):
    assert "there is no folder" in bad("studio", "--folder", "nowhere", "--check", cwd=fitted)
    assert "there is no file" in bad("studio", "nothing.csv", "--check", cwd=fitted)
    (fitted / "apart").mkdir(exist_ok=True)
    assert "there is no file" in bad("studio", "votes.csv", "--folder", "apart", "--check", cwd=fitted)
