"""Fitted naive Bayes as text: priors, distributions, the strongest columns first."""

from __future__ import annotations

import math

import tallystick as ts
from tallystick.bayes.estimator import naive_bayes_text, reading_text
from tallystick.bayes.explain import shares, votes
from tallystick.errors import show_every_line

ROWS = {
    "weak": ["u", "u", "v", "v"] * 5,
    "strong": ["k", "l"] * 10,
    "n": [float(i % 5) for i in range(20)],
    "t": ["red sun", "blue"] * 10,
    "y": ["no", "yes"] * 10,
}
KINDS = {"weak": "levels", "strong": "levels", "n": "numeric", "t": "text"}


def fitted(**options):
    return ts.NaiveBayes(kinds=KINDS, **options).fit(ROWS, "y").model_


def test_columns_stand_by_what_they_tell_and_classes_with_their_prior():
    lines = naive_bayes_text(fitted()).splitlines()
    assert lines[0] == "Naive Bayes for y: 20 rows, 4 columns"
    assert lines[2].split() == ["no", "10", "0.5000"]
    order = [line.split()[0] for line in lines[5:]]
    assert order.index("strong") < order.index("weak")


def test_a_column_says_how_it_is_read():
    parts = {p.name: reading_text(p) for p in fitted(distributions={"n": "gaussian"}).parts}
    assert parts["weak"] == "2 levels"
    assert parts["t"] == "3 words, multinomial"
    assert "levels" not in parts["n"]


def test_what_is_too_long_is_counted_and_calibration_is_said():
    text = naive_bayes_text(fitted(calibrate=True), most=1)
    assert "  and 1 more class\n" in text
    assert "  and 3 more columns" in text
    assert "  calibrated: log scores times " in text


def test_hostile_names_are_cleaned():
    model = ts.NaiveBayes().fit({"\x1b[2J": ["u", "v"] * 5, "y": ["\x07p", "q"] * 5}, "y").model_
    assert all(c.isprintable() or c == "\n" for c in naive_bayes_text(model))


def vote_lines(text):
    return text.partition("in log-odds\n")[2].splitlines()


def test_the_votes_stand_below_the_columns():
    model = fitted(distributions={"n": "gaussian"})
    text = naive_bayes_text(model)
    assert "vote for yes, in log-odds" in text
    found = [(line[2:44].strip(), float(line[44:52])) for line in vote_lines(text)]
    assert found == [(f"{v.column} = {v.value}", round(v.weight, 2)) for v in votes(model)]
    assert ("strong = l", round(2 * math.log(11), 2)) in found


def test_votes_that_are_left_out_are_counted():
    model = ts.NaiveBayes(kinds=KINDS).fit(ROWS | {"y": ["a", "b", "c", "d"] * 5}, "y").model_
    lines = vote_lines(naive_bayes_text(model, most=3))
    assert len(lines) == 4
    assert lines[-1] == f"  and {len(votes(model)) - 3} more votes"
    assert [line.split()[-1] for line in lines[:3]] == [v.label for v in votes(model)][:3]


def test_a_value_that_rules_a_class_out_is_said():
    text = naive_bayes_text(fitted(alpha=0))
    assert "  strong = l                                 share 0  alone has it\n" in text


def test_conditional_probabilities_stand_where_every_line_is_wanted():
    model = fitted()
    assert "P(value | class)" not in naive_bayes_text(model)
    show_every_line(True)
    try:
        text = naive_bayes_text(model)
    finally:
        show_every_line(False)
    for name, what in (("weak", "2 levels"), ("strong", "2 levels"), ("t", "3 words, multinomial")):
        table = str(shares(model, name)).partition("\n")[2]
        assert f"P(value | class) of {name}, {what}\n{table}" in text
