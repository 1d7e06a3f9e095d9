"""Flags of a scorecard: what they set, and what they refuse in their own words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import call

import tallystick as ts
from tallystick.cli.options import FLAGS, parameters

ALL = {
    "points_to_double": 40,
    "ranges": 8,
    "cuts": ("age=25,40.5", "pay=-1"),
    "monotone": ("age=falling", "pay=rising:gold: all"),
    "pairs": 0,
    "max_lines": 4,
    "max_columns": 3,
    "l2": "3",
    "class_weight": ("bad=5",),
    "population": ("bad=0.25", "good=0.75"),
}


def test_flags_become_the_parameters_of_a_card():
    found = parameters(ALL)
    assert found == {
        "points_to_double": 40,
        "ranges": 8,
        "cuts": {"age": [25.0, 40.5], "pay": [-1.0]},
        "monotone": {"age": "falling", "pay": {"gold: all": "rising"}},
        "pairs": 0,
        "max_lines": 4,
        "max_columns": 3,
        "l2": 3.0,
        "class_weight": {"bad": 5.0},
        "population": {"bad": 0.25, "good": 0.75},
    }
    ts.Scorecard(**found)._options()  # it takes them all


def test_what_is_not_given_is_not_set():
    none = dict.fromkeys(FLAGS) | dict.fromkeys(("cuts", "monotone", "class_weight", "population"), ())
    assert parameters(none) == {}
    assert parameters({"l2": "cv", "class_weight": ("balanced",)}) == {"l2": "cv", "class_weight": "balanced"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("--model card --cuts dose", "--cuts 'dose' is not NAME=VALUE"),
        ("--model card --cuts dose=a,b", "--cuts of 'dose' must be numbers"),
        ("--model card --cuts dose=4,2", "--cuts of column 'dose' must rise"),
        ("--model card --cuts dose=2 --cuts dose=4", "--cuts names 'dose' twice"),
        ("--model card --cuts dose=1,2,3 --max-lines 2", "make 4 lines, and --max-lines is 2"),
        ("--model card --cuts dos=2", "--cuts names column 'dos', which is not there. Did you mean 'dose'?"),
        (
            "--model card --monotone ward=rising",
            "--monotone is for numbers and ordered levels; column 'ward'",
        ),
        ("--model card --monotone dose=up", "--monotone of column 'dose' must be 'rising' or 'falling'"),
        ("--model card --pairs -1", "--pairs must be a whole number"),
        ("--model card --l2 strong", "--l2 must be a number above 0"),
        ("--model card --population yes=half", "--population of 'yes' must be a number, not 'half'"),
        ("--model card --population yes=0.5", "--population must sum to 1"),
        ("--model card --class-weight yse=2", "--class-weight names 'yse', which is not a class"),
        ("--model tree --cuts dose=2", "--cuts is not for --model tree. Use it with --model card."),
        (
            "--model bayes --l2 2",
            "--l2 is not for --model bayes. Use it with --model logistic or --model card or --model linear.",
        ),
        ("--pairs 0", "--pairs is for one method. Name it: --model card."),
    ],
)
def test_a_wish_that_makes_no_sense_is_refused_in_one_line(typed, said, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    rows = [f"{i % 9},{'ab'[i % 2]},{'yes' if i % 9 > 4 else 'no'}" for i in range(60)]
    Path("t.csv").write_text("dose,ward,cured\n" + "\n".join(rows) + "\n")
    assert call(f"tally fit t.csv -t cured {typed}") == 2
    seen = capfd.readouterr().err
    assert said in seen
    assert seen.count("\n") == 1


def test_wishes_reach_the_model_and_others_take_what_they_have(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    rows = [f"{i % 9},{'ab'[i % 2]},{'yes' if i % 9 > 4 else 'no'}" for i in range(60)]
    Path("t.csv").write_text("dose,ward,cured\n" + "\n".join(rows) + "\n")
    wishes = "--cuts dose=3,6 --monotone dose=rising --pairs 0 --class-weight yes=2"
    assert call(f"tally fit t.csv -t cured --model card --folds 0 -o c.tally.json {wishes}") == 0
    same = ts.Scorecard(
        cuts={"dose": [3, 6]}, monotone={"dose": "rising"}, pairs=0, class_weight={"yes": 2}
    ).fit("t.csv", "cured")
    assert Path("c.tally.json").read_bytes() == same.to_bytes()
    assert call("tally fit t.csv -t cured --model logistic --l2 7 --folds 0 -o l.tally.json") == 0
    assert json.loads(Path("l.tally.json").read_text())["parameters"]["l2"] == 7.0
