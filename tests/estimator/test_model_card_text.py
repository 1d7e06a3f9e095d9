"""A card as Markdown: tables that no name can break."""

from __future__ import annotations

from tallystick.estimator.model_card import escaped, escaped_sentence


def test_marks_of_markdown_are_shown_as_they_are():
    assert escaped("a|b*c") == r"a\|b\*c"
    assert "\n" not in escaped("a\nb")


def test_commands_in_backquotes_stay_commands():
    assert escaped_sentence("ask `a_b` of c_d") == r"ask `a_b` of c\_d"
