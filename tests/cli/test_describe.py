"""tally describe: what the columns of a file are taken for."""

from __future__ import annotations

import json
import re

import pytest
from command import good

pytestmark = pytest.mark.slow  # a process per call


ESCAPE = "\x1b"


def test_describe_prints_kinds_gains_and_missing(folder):
    text = good("describe", "votes.csv", "--target", "party", cwd=folder)
    assert "435 rows, 17 columns, target party" in text
    assert re.search(r"democrat +267 +61\.4%", text)
    assert re.search(r"^physician-fee-freeze +levels +11 .* 0\.7400 +0\.7400", text, re.MULTILINE)
    assert text.index("physician-fee-freeze") < text.index("water-project-cost-sharing")
    assert ESCAPE not in text


def test_describe_without_target_keeps_the_order_of_the_file(folder):
    text = good("describe", "play-tennis.csv", cwd=folder)
    assert text.index("Outlook") < text.index("Temperature") < text.index("Play")


def test_describe_fits_eighty_columns(folder):
    assert max(map(len, good("describe", "votes.csv", "-t", "party", cwd=folder).splitlines())) <= 80


def test_describe_json_has_every_number(folder):
    data = json.loads(good("describe", "play-tennis.csv", "--target", "Play", "--json", cwd=folder))
    assert data["rows"] == 14
    assert data["target"]["classes"] == [{"label": "No", "rows": 5}, {"label": "Yes", "rows": 9}]
    outlook = data["columns"][0]
    assert outlook["gain"] == pytest.approx(0.2467, abs=1e-4)
    assert outlook["distribution"] == [
        {"rows": 4, "level": "Overcast", "by_class": [0, 4]},
        {"rows": 5, "level": "Rain", "by_class": [2, 3]},
        {"rows": 5, "level": "Sunny", "by_class": [3, 2]},
    ]


def test_describe_takes_wishes_about_columns(folder):
    (folder / "t.csv").write_text("size;n;y\nS;1,5;a\nM;2,5;b\nL;x;b\nS;1,0;a\n")
    args = [
        "--sep",
        ";",
        "--decimal",
        ",",
        "--kind",
        "size=ordered",
        "--levels",
        "size=S,M,L",
        "--missing",
        "x",
    ]
    data = json.loads(good("describe", "t.csv", "-t", "y", "--json", *args, cwd=folder))
    size, n = data["columns"]
    assert (size["kind"], size["cut"]) == ("ordered", "M")
    assert (n["kind"], n["missing"], n["cut"]) == ("numeric", 1, 2.0)
