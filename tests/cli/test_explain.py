"""tally explain: why a row gets its answer, rows counted from 1."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import bad, call, good

import tallystick as ts
from tallystick.cli.predict import counts_table
from tallystick.draw.svg import plain


@pytest.mark.slow
def test_explain_counts_rows_from_1_and_says_so(inside, capfd):
    rows = Path("new.csv").read_text().splitlines()
    Path("third.csv").write_text(rows[0] + "\n" + rows[3] + "\n")
    for model in ("votes", "tree"):
        assert call(f"tally explain {model}.tally.json new.csv --row 3") == 0
        third = capfd.readouterr().out.partition("\n")[2]
        assert call(f"tally explain {model}.tally.json third.csv --row 1") == 0
        assert capfd.readouterr().out.partition("\n")[2] == third
    assert call("tally explain votes.tally.json new.csv --row 7") == 2
    assert "--row 7 is not there: new.csv has 6 rows, counted from 1" in capfd.readouterr().err
    assert call("tally explain votes.tally.json new.csv --row 0") == 2


@pytest.mark.slow
def test_explain_of_naive_bayes_shows_the_counts_of_every_column_it_used(inside, capfd):
    assert call("tally explain votes.tally.json new.csv --row 3 --json") == 0
    found = json.loads(capfd.readouterr().out)
    counts = {c["column"]: c["counts"] for c in found["counts"]}
    assert counts["crime"] == {"democrat": 90, "republican": 158}
    assert "physician-fee-freeze" not in counts  # missing in this row: it says nothing


@pytest.mark.slow
def test_explain_works_for_every_kind_of_model(inside, capfd):
    rows = [{"x": i, "z": "ab"[i % 2], "y": i * 1.5} for i in range(20)]
    Path("line.csv").write_text("x,z\n3,a\n")
    ts.RegressionTree(min_samples_leaf=3).fit(rows, "y").save("line.tally.json")
    ts.LogisticRegression().fit("votes.csv", "party").save("logistic.tally.json")
    assert call("tally explain line.tally.json line.csv") == 0
    assert call("tally explain logistic.tally.json new.csv --row 2") == 0
    assert "sum: log-odds" in capfd.readouterr().out


@pytest.mark.slow
def test_tally_explain_has_the_option_that_its_message_names(inside, tmp_path):
    path, rows = tmp_path / "m.json", tmp_path / "rows.csv"
    ts.DecisionTree().fit("play-tennis.csv", "Play").save(path)
    rows.write_text("Outlook\nSunny\n")
    assert "--missing-columns as-missing" in bad("explain", path, rows)
    assert "Answer" in good("explain", path, rows, "--missing-columns", "as-missing")


def test_the_table_of_counts_has_a_line_per_column_and_a_number_per_class():
    counts = [("Outlook", "Sunny", {"No": 3, "Yes": 1_200}), ("\x1b[2J", "x", {"No": 0, "Yes": 2})]
    lines = plain(counts_table(counts, ("No", "Yes"))).splitlines()
    assert [line.split() for line in lines] == [
        ["training", "rows", "with", "this", "value", "No", "Yes"],
        ["Outlook", "Sunny", "3", "1,200"],
        ["\\x1b[2J", "x", "0", "2"],
    ]
