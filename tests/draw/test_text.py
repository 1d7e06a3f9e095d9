"""Data to lines of text: widths, bars, small distributions, and nothing hostile."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.draw.svg import (
    Span,
    bar,
    between,
    class_words,
    cut,
    folded,
    measured,
    measured_percent,
    p_value,
    padded,
    plain,
    spark,
    table,
    width,
    wrapped,
)
from tallystick.errors import clean


@given(st.text())
def test_clean_text_is_printable(text):
    assert all(c.isprintable() for c in clean(text))


@pytest.mark.slow
@given(st.text(st.characters(categories=["L", "N", "P", "S"])), st.integers(1, 30))
def test_cut_text_is_never_wider_than_asked(text, cells):
    assert width(cut(text, cells)) <= cells


@given(st.floats(0, 1), st.integers(1, 60))
def test_bar_is_as_long_as_its_share(share, cells):
    drawn = bar(share, cells)
    assert len(drawn) <= cells
    assert (drawn == "") == (share == 0)
    assert abs(sum(8 if c == "█" else " ▏▎▍▌▋▊▉".index(c) for c in drawn) - share * cells * 8) <= 1


@pytest.mark.slow
@given(st.lists(st.integers(0, 1000), max_size=20))
def test_spark_has_a_block_for_every_count_and_a_blank_for_none(counts):
    drawn = spark(counts)
    assert len(drawn) == len(counts)
    assert [c == " " for c in drawn] == [n == 0 for n in counts]


def test_spark_shows_heights():
    assert spark([1, 4, 8]) == "▂▅█"


def test_wide_characters_take_two_cells():
    assert width("日本") == 4
    assert padded("日本", 6) == "日本  "
    assert cut("日本語", 5) == "日本…"


@pytest.mark.parametrize("cells", [40, 60, 80])
def test_table_gives_way_in_its_first_column(cells):
    rows = [[Span("a" * 90), Span("1"), Span("x")], [Span("b"), Span("22"), Span("yy")]]
    lines = plain(table(["name", "n", "text"], rows, frozenset({1}), cells)).split("\n")
    assert max(map(len, lines)) == cells
    assert lines[1].startswith("aaa")
    assert "…" in lines[1]
    assert lines[2].endswith("22  yy")


def test_wrapped_lines_are_indented_under_their_opening():
    assert plain(wrapped("one two three four", 12, "  - ")) == "  - one two\n    three\n    four"


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [(0.91, 0.95, "0.91 to 0.95"), (0.911, 0.914, "0.911 to 0.914"), (0.5, 0.5, "0.50 to 0.50")],
)
def test_the_ends_of_an_interval_have_more_digits_where_they_would_look_alike(low, high, told):
    assert between(low, high, ".2f") == told


def test_a_p_value_is_never_told_as_0():
    assert (p_value(0.0), p_value(0.0009), p_value(0.001), p_value(1.0)) == (
        "< 0.001",
        "< 0.001",
        "0.001",
        "1.000",
    )


def test_a_label_that_is_a_number_is_called_a_class():
    assert [class_words(t) for t in ("spam", "4", "-1.5", "4th")] == ["spam", "class 4", "class -1.5", "4th"]


@given(st.lists(st.text("ab 日é", max_size=12), max_size=6), st.integers(8, 30))
def test_a_folded_line_fits_and_loses_no_word(texts, room):
    line = tuple(Span(text, "dim" if k % 2 else "") for k, text in enumerate(texts))
    words = "".join(texts).split()
    parts = folded(line, room)
    assert " ".join("".join(s.text for s in part) for part in parts).split() == words
    longest = max(map(width, words), default=0)
    indent = len("".join(texts)) - len("".join(texts).lstrip())
    assert all(width(text) <= max(room, 4 + longest, indent + longest) for text in plain(parts).split("\n"))


@given(st.floats(0, 1), st.floats(0, 1e-3), st.floats(0, 1e-3))
def test_a_value_lies_within_its_interval_as_both_are_told(value, below, above):
    low, high = max(0.0, value - below), min(1.0, value + above)
    for told, ends in (measured(value, low, high, ".1f"), measured_percent(value, low, high)):
        first, last = (float(end) for end in ends.split(" to "))
        assert first <= float(told) <= last


def test_a_share_is_told_as_100_percent_only_where_it_is_all():
    assert measured_percent(0.9999, 0.9997, 1.0) == ("99.99", "99.97 to 100.00")
    assert measured_percent(1.0, 0.99, 1.0) == ("100.0", "99.0 to 100.0")
