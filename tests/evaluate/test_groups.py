"""Errors by group: every row is counted once, under a name that a reader knows."""

from __future__ import annotations

import numpy as np
import pytest
from tables import mixed

import tallystick as ts
from tallystick.cli.main import run as tally
from tallystick.errors import OptionError
from tallystick.evaluate.groups import MOST, error_rates, group_names
from tallystick.evaluate.result import FoldAnswers


@pytest.mark.slow
@pytest.mark.parametrize("few", [True, False])
def test_errors_are_counted_by_a_column_that_is_kept_out_of_the_model(few, tmp_path, capsys):
    data, number = mixed(), np.arange(240)
    data["town"] = [f"t{i}" for i in (number % 3 if few else np.maximum(number, 9))]  # or an identifier
    wishes = {"kinds": {"town": "out"}} if few else {}
    found = ts.cross_validate(ts.NaiveBayes(**wishes), data, "y", folds=3, by="town")
    plain = {n: cells for n, cells in data.items() if n != "town"}
    assert (found.shares == ts.cross_validate(ts.NaiveBayes(), plain, "y", folds=3).shares).all()
    groups = found.by("town")
    assert sum(g["rows"] for g in groups) == 240
    assert groups[0]["rows"] == (80 if few else 10)
    lines = [",".join(map(str, row)).replace("None", "") for row in zip(*data.values(), strict=True)]
    (tmp_path / "t.csv").write_text("\n".join([",".join(data), *lines]))
    page = ["report", str(tmp_path / "t.csv"), "-t", "y", "--by", "town", "--repeats", "0", "--folds", "3"]
    page += ["-o", str(tmp_path / "r.html")]
    assert tally([*page, "--kind", "town=out"] if few else page, False) == 0
    assert ">t2<" in (tmp_path / "r.html").read_text(encoding="utf-8") or not few
    capsys.readouterr()
    with pytest.raises(OptionError, match="'city'"):
        ts.cross_validate(ts.NaiveBayes(), data, "y", folds=3, by="city")


def test_rates_are_those_counted_by_hand_and_rows_never_tested_are_left_out():
    shares = np.array([[0.9, 0.1], [0.2, 0.8], [0.9, 0.1], [0.9, 0.1], [0.5, 0.5]])
    part = FoldAnswers(shares, np.array([0, 0, 1, 1, -1]))
    groups = np.array(["b", "b", "a", "b", "a"])
    first, second = error_rates(groups, np.array([0, 1, 1, 1, 0]), part, None, None)
    assert (first["group"], first["rows"], first["error"]) == ("b", 3.0, 1 / 3)
    assert (first["truth"], first["answers"]) == ([1 / 3, 2 / 3], [2 / 3, 1 / 3])
    assert (second["group"], second["rows"], second["error"]) == ("a", 1.0, 1.0)


def test_many_groups_are_shown_as_the_largest_and_a_rest():
    rows = MOST + 3
    part = FoldAnswers(np.tile([0.9, 0.1], (rows, 1)), np.zeros(rows, np.int64))
    found = error_rates(np.arange(rows), np.zeros(rows, np.int64), part, None, None)
    assert len(found) == MOST + 1
    assert (found[-1]["group"], found[-1]["rows"]) == ("(3 smaller groups)", 3.0)


def test_numbers_are_cut_at_their_quartiles_and_missing_is_a_group():
    rows = {"n": [0.5, 1.5, 2.5, 3.5, 4.5, None], "c": ["u", None, "v", "u", "v", "u"], "y": ["p", "q"] * 3}
    table = ts.NaiveBayes(kinds={"n": "numeric"})._read(rows, "y")
    assert group_names(table, "n").tolist() == [
        "below 1.5",
        "1.5 to below 2.5",
        "2.5 to below 3.5",
        "3.5 or more",
        "3.5 or more",
        "(missing)",
    ]
    assert group_names(table, "c").tolist() == ["u", "(missing)", "v", "u", "v", "u"]
    with pytest.raises(OptionError, match=r"column 'm' is not one that the model uses"):
        group_names(table, "m")
