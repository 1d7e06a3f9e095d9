"""`tally serve` on the command line: what it refuses before it listens."""

from __future__ import annotations

import json

import pytest
from command import bad, good

pytestmark = pytest.mark.slow


def test_check_says_what_would_be_served(fitted):
    assert good("serve", "votes.tally.json", "--check", cwd=fitted).startswith("votes  ")
    (model,) = json.loads(good("serve", "v=votes.tally.json", "--check", "--json", cwd=fitted))["models"]
    assert model["name"] == "v"
    assert model["target"] == {"name": "party", "labels": ["democrat", "republican"]}


def test_what_makes_no_sense_is_an_error_of_one_line(fitted):
    assert "cannot read the model file" in bad("serve", "nothing.json", cwd=fitted)
    assert "does not begin like a Tallystick model" in bad("serve", "votes.csv", cwd=fitted)
    assert "--allow-host" in bad("serve", "votes.tally.json", "--host", "0.0.0.0", "--check", cwd=fitted)
    (fitted / "short").write_text("abc")
    assert "16 printable" in bad("serve", "votes.tally.json", "--token-file", "short", "--check", cwd=fitted)
    assert "cannot be read" in bad("serve", "votes.tally.json", "--token-file", "none", "--check", cwd=fitted)
    assert "cannot listen" in bad("serve", "votes.tally.json", "--host", "203.0.113.7", cwd=fitted)
