"""Messages in the words of the command line."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.cli.flags import as_flags, checks_as_flags, flag, notes_as_flags
from tallystick.data.schema import Note
from tallystick.errors import Argument, Message, read_with
from tallystick.evaluate.checks import Check


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
