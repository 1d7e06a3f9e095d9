"""tally separable: what Python says, printed."""

from __future__ import annotations

import json

import pytest
from command import call

import tallystick as ts

pytestmark = pytest.mark.slow


def test_separable_prints_and_tells_as_json_what_python_says(inside, capfd):
    known = ts.separable("play-tennis.csv", "Play")
    assert call("tally separable play-tennis.csv -t Play") == 0
    assert capfd.readouterr().out.split() == str(known).split()  # long lines are broken
    assert call("tally separable play-tennis.csv -t Play --kind Outlook=out --json") == 0
    other = ts.separable("play-tennis.csv", "Play", kinds={"Outlook": "out"})
    found = json.loads(capfd.readouterr().out)
    assert (found["kind"], found["margin"]) == (other.kind, other.margin)
