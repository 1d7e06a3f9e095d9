"""tally card: Markdown on the screen, JSON on request, a file by its ending."""

from __future__ import annotations

import json

import pytest
from command import bad, good

pytestmark = pytest.mark.slow  # a process per call


def test_a_card_is_printed_written_and_given_as_json(fitted):
    told = good("card", "votes.tally.json", "--on", "votes.csv", "--folds", "3", "--by", "crime", cwd=fitted)
    assert "## By crime" in told
    assert json.loads(good("card", "votes.tally.json", "--json", cwd=fitted))["data"]["rows"] == 435
    good("card", "votes.tally.json", "-o", "card.json", cwd=fitted)
    assert json.loads((fitted / "card.json").read_text(encoding="utf-8"))["data"]["target"] == "party"
    bad("card", "votes.tally.json", "-o", "votes.tally.json", cwd=fitted)
