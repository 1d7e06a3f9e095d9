"""A tree by hand: steps, changes, and the script that makes the same tree."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.studio.session import ByHand, TableWishes


@pytest.fixture
def hand(tables):
    return ByHand(TableWishes("votes.csv", tables / "votes.csv", "party"))


def test_a_test_is_chosen_from_its_gains_and_lowers_the_error_on_rows_held_out(hand):
    before = hand.told()
    offered = hand.tests(0)
    assert offered["leaf"]
    gains = [gain for _, _, gain, _, _ in offered["tests"]]
    assert offered["tests"][0][0] == "physician-fee-freeze"
    assert max(gains) == gains[0]
    hand.do("ask", 0, "physician-fee-freeze")
    after = hand.told()
    assert after["leaves"] == 2
    assert after["held_out_wrong"] < before["held_out_wrong"]
    assert after["held_out_rows"] == before["held_out_rows"] > 50


@pytest.mark.slow
def test_a_step_that_is_taken_back_leaves_no_trace(hand):
    hand.do("ask", 0, "crime")
    first = hand.tree.model().to_bytes()
    hand.do("ask", 1, "physician-fee-freeze")
    hand.do("finish", 0, "")
    hand.do("undo", 0, "")
    hand.do("undo", 0, "")
    assert hand.tree.model().to_bytes() == first
    hand.do("undo", 0, "")
    with pytest.raises(OptionError, match="no step"):
        hand.do("undo", 0, "")


def test_the_question_of_a_group_is_changed_and_what_hung_below_is_gone(hand):
    hand.do("ask", 0, "physician-fee-freeze")
    hand.do("ask", 2, "crime")
    hand.do("ask", 1, "mx-missile")
    hand.do("ask", 1, "immigration")
    assert hand._tests() == [(0, "physician-fee-freeze"), (1, "immigration"), (4, "crime")]
    hand.do("back", 1, "")
    assert hand._tests() == [(0, "physician-fee-freeze"), (2, "crime")]
    hand.do("undo", 0, "")
    assert (1, "immigration") in hand._tests()


def test_the_script_makes_the_same_bytes(hand, tables, monkeypatch):
    hand.do("ask", 0, "physician-fee-freeze")
    hand.do("ask", 1, "crime")
    monkeypatch.chdir(tables)
    names = {"ts": ts}
    exec("\n".join(hand.making()), names)
    assert names["model"].to_bytes() == hand.tree.model().to_bytes()


def test_what_cannot_be_asked_is_refused_and_the_tree_stays(hand):
    hand.do("ask", 0, "crime")
    before = hand._tests()
    for step in (("ask", 0, "nothing"), ("ask", 99, "crime"), ("odd", 1, "")):
        with pytest.raises(OptionError):
            hand.do(*step)
        assert hand._tests() == before
