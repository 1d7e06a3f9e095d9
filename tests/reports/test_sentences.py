"""Sentences with names and numbers in them: a share is never rounded to all or none."""

from __future__ import annotations

from tallystick.draw.svg import percent
from tallystick.reports.answer import Name, listed, of_100, say, times


def test_a_share_is_never_rounded_to_all_or_none():
    assert [of_100(s) for s in (0.0, 0.001, 0.954, 0.999, 1.0)] == [
        "none",
        "fewer than 1 of 100",
        "95 of 100",
        "more than 99 of 100",
        "all",
    ]
    assert percent(0.99999) == "99.9 %"
    assert percent(1.0) == "100 %"
    assert percent(0.00001) == "< 0.1 %"
    assert [times(r) for r in (1.08, 3.24, 35.4, 4000.0)] == ["1.08", "3.2", "35", "more than 1,000"]


def test_names_in_sentences_are_pieces_of_their_own_with_controls_shown_as_codes():
    said = say("{} of {}.", Name("a\u202eb"), 3)
    assert [p.name for p in said.pieces] == [True, False, False, False]
    assert str(said) == "a\\u202eb of 3."


def test_names_are_listed_with_an_and_before_the_last():
    assert [str(listed(names)) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
    assert str(say("{} {}", listed(["a", "b"]), say("c")) + say("d.")) == "a and b c d."


def test_a_long_name_is_cut_and_braces_in_it_mean_nothing():
    said = say("{} is {}", Name("x" * 500), Name("{0}{evil}"))
    assert len(str(said)) < 220
    assert str(said).endswith(" is {0}{evil}")
