"""Messages in the words of the command line."""

from __future__ import annotations

import pytest
from command import good, tally

import tallystick as ts
from tallystick.cli.options import as_flags, checks_as_flags, flag, notes_as_flags
from tallystick.errors import Argument, Message, arguments_as, for_reader, read_with
from tallystick.judge.checks import Check
from tallystick.schema import Note


@pytest.mark.parametrize(
    ("given", "typed"),
    [
        (Argument("keep", ["zip code"]), "--keep 'zip code'"),
        (Argument("keep", ["it's"]), """--keep 'it'"'"'s'"""),
        (Argument("kinds", {"zip": "levels"}), "--kind zip=levels"),
        (Argument("kinds", {...: "levels"}), "--kind NAME=levels"),
        (Argument("levels", {"size": [...]}), "--levels size=A,B"),
        (read_with("sep", "\t"), "--sep tab"),
        (read_with("header", False), "--no-header"),
        (read_with("encoding", ...), "--encoding NAME"),
        (Argument("missing", [...]), "--missing MARK"),
        (Argument("memory"), "--memory"),
        (Argument("average", False), "--set average=false"),
        (Argument("cut_price"), "--set cut_price"),
    ],
)
def test_an_argument_is_typed_as_a_shell_takes_it(given, typed):
    assert flag(given) == typed


def test_only_arguments_change_and_text_that_looks_like_one_stays():
    message = Message("column 'keep=[1]' is constant. Pass ", Argument("keep", ["x"]), " to use it.")
    assert as_flags(message) == "column 'keep=[1]' is constant. Pass --keep x to use it."
    assert as_flags("a plain text with keep=['x']") == "a plain text with keep=['x']"


def test_a_hostile_name_in_an_argument_cannot_reach_a_terminal():
    assert "\x1b" not in flag(Argument("keep", ["\x1b[2J"]))


def test_notes_and_checks_keep_all_but_the_words():
    cure = Message("pass ", Argument("keep", ["x"]))
    (note,) = notes_as_flags([Note("constant", cure, "x", 3)])
    assert note == Note("constant", "pass --keep x", "x", 3)
    (check,) = checks_as_flags([Check("giveaway", "x tells all.", cure, ("x",))])
    assert check == Check("giveaway", "x tells all.", "pass --keep x", ("x",))


def test_tally_fit_says_where_numbers_are_predicted():
    with pytest.raises(ts.errors.TargetError) as raised:
        ts.DecisionTree().fit({"a": list(range(60)), "y": [i * 1.37 for i in range(60)]}, "y")
    assert "tally fit --regression" in as_flags(raised.value.message)


TEXT = "column 'Day' is left out (60 different values; columns=ts.Columns(keep=['Day']) uses it)."


def test_the_note_of_a_model_file_is_worded_too():
    assert as_flags(TEXT) == "column 'Day' is left out (60 different values; --keep Day uses it)."
    assert as_flags("pass kinds={'zip': 'levels'} or") == "pass --kind zip=levels or"
    for odd in ("columns=ts.Columns(keep=[__import__('os')])", "columns=ts.Columns(keep=['a)", "kinds={1"):
        assert as_flags(odd) == odd


def test_python_reads_messages_in_its_own_words():
    message = Message("pass ", Argument("keep", ["x"]))
    assert for_reader(message) == "pass columns=ts.Columns(keep=['x'])"
    with arguments_as(flag):
        assert for_reader(message) == "pass --keep x"
    assert for_reader(message) == message


@pytest.fixture
def days(tmp_path):
    """A folder with a table that has an identifier, and a model of it."""
    rows = [f"D{i:03d},{'uvw'[i * i % 3]},{i * 7 % 11},{'ny'[i * i % 7 % 2]}" for i in range(60)]
    (tmp_path / "days.csv").write_text("\n".join(["Day,a,b,y", *rows]) + "\n")
    good("fit", "days.csv", "-t", "y", "--model", "tree", "-o", "m.tally.json", cwd=tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        "work days.csv -t y",
        "work days.csv -t y --model bayes --format html",
        "work days.csv -t y --model logistic --json",
        "describe days.csv -t y",
        "describe days.csv -t y --json",
        "fit days.csv -t y --model bayes",
        "fit days.csv -t y --model bayes --json",
        "splits days.csv -t y",
        "prune days.csv -t y",
        "compare days.csv -t y --folds 2",
        "curve days.csv -t y --repeats 2 --method tree",
        "card m.tally.json",
        "card m.tally.json --json",
        "report days.csv -t y -o -",
        "density days.csv --keep b",
    ],
)
def test_a_shell_is_never_given_an_argument_of_python(days, command):
    done = tally(*command.split(), cwd=days)
    printed = " ".join((done.stdout + done.stderr).decode().split())
    assert done.returncode == 0, printed[-300:]
    assert "ts.Columns" not in printed
    assert "keep=[" not in printed
    if "compare" not in command and "curve" not in command:
        assert "--keep Day" in printed


def test_the_file_of_a_model_is_the_same_whoever_asks(days):
    ts.DecisionTree().fit(days / "days.csv", "y").save(days / "own.tally.json")
    assert (days / "own.tally.json").read_bytes() == (days / "m.tally.json").read_bytes()
