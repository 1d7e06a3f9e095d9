"""Fitted naive Bayes as text: priors, distributions, the strongest columns first."""

from __future__ import annotations

import tallystick as ts
from tallystick.estimators.naive_bayes_text import naive_bayes_text, told

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
    parts = {p.name: told(p) for p in fitted(distributions={"n": "gaussian"}).parts}
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
