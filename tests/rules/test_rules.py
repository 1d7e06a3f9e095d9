"""Rules as a picture: a bar for each, its classes in proportion, names escaped."""

from svg import words

from tallystick.rules.explain import MOST, RuleLine, rule_picture


def test_every_rule_has_a_line_and_its_certainty():
    lines = [
        RuleLine("if x < 3", "yes", (1.0, 9.0), "10 rows, 0.9"),
        RuleLine("otherwise", "no", (5.0, 0.0), "5 rows"),
    ]
    svg = rule_picture("Rules for y", ("no", "yes"), lines)
    told = words(svg)
    assert {"Rules for y", "if x < 3 → yes", "otherwise → no", "10 rows, 0.9"} <= set(told)


def test_names_are_escaped_and_many_rules_are_cut():
    lines = [RuleLine("if <b> = 1", "&", (1.0,), "")] * (MOST + 5)
    svg = rule_picture("<x>", ("&",), lines)
    assert "<b>" not in svg
    assert "5 more rules are not drawn" in svg


def test_no_rows_draw_no_bar():
    assert "otherwise" in rule_picture("t", ("a", "b"), [RuleLine("otherwise", "a", (0.0, 0.0), "")])
