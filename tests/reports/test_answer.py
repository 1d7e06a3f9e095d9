"""What decides the target, in sentences whose numbers are counted from the rows."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.reports.answer import (
    ValueGroup,
    _odds,
    _odds_sentence,
    alone_sentence,
    predicts_alone,
)
from tallystick.reports.answer import (
    column_alone as alone,
)
from tallystick.reports.page import answer


def test_groups_of_one_column_are_its_levels_and_missing(given):
    found = given("tree")
    groups = alone(found.table, found.description["wind"])
    assert [(g.words, g.rows) for g in groups] == [("strong", 27), ("weak", 30), ("missing", 3)]
    sides = alone(found.table, found.description["temp"])
    assert [g.words.split()[0] for g in sides] == ["<", "≥"]
    assert sum(g.rows for g in sides) == 60


def test_one_column_tells_the_target_where_it_gains_most_of_what_the_model_gains():
    sure, unsure = (
        [ValueGroup("a", (9, 1)), ValueGroup("b", (1, 9))],
        [ValueGroup("a", (6, 4)), ValueGroup("b", (5, 5))],
    )
    assert predicts_alone(sure, 0.5, 0.9)
    assert not predicts_alone(unsure, 0.5, 0.9)
    assert not predicts_alone(sure, 0.5, 0.5)
    assert not predicts_alone([], 0.5, 0.9)


def test_what_one_column_tells_is_said_with_its_groups(given):
    said = str(
        alone_sentence(
            given("tree").table, "wind", [ValueGroup("weak", (1, 9)), ValueGroup("strong", (10, 0))]
        )
    )
    assert said.startswith("One column, wind, predicts play correctly for about 95 of 100 rows.")


@pytest.mark.slow
def test_every_method_has_something_to_say(given):
    for method in ("tree", "bayes", "logistic", "card"):
        sentences = answer(given(method))
        assert len(sentences) >= 2
        assert "wind" in " ".join(map(str, sentences))


def test_odds_are_told_of_levels_that_more_than_a_few_rows_have():
    rows = [{"town": "ab"[i % 2], "y": "yn"[(i % 2) != (i % 10 == 3)]} for i in range(600)]
    rows += [{"town": "tiny", "y": "y"}] * 4
    model = ts.LogisticRegression()
    table = model._read(rows, "y")
    model.fit(rows, "y")
    said = str(_odds(model.model_, table, model.model_.parts[0]))
    assert "tiny" not in said
    assert "town is a (300 rows) as where it is b (300 rows)" in said


def test_odds_of_a_level_are_told_against_the_most_frequent_one_with_their_rows_and_interval():
    towns = "a" * 50 + "b" * 400 + "c" * 150
    rows = [{"town": t, "y": "yn"[i % (5 if t == "a" else 2) > 0]} for i, t in enumerate(towns)]
    model = ts.LogisticRegression(l2=0).fit(rows, "y")
    table = model._read(rows, "y")
    said = str(_odds(model.model_, table, model.model_.parts[0]))
    assert "is a (50 rows) as where it is b (400 rows)" in said
    found = re.search(r"are (\S+) times as high(?: \(95 % interval (\S+) to (\S+)\))?", said)
    ratio, low, high = found.groups()
    figures = {f.name: f for f in model.summary().figures}
    if "town = b" in figures:  # weights of their own: no error of the difference
        assert low is None
    else:
        ends = sorted(abs(math.log(e)) for e in figures["town = a"].odds_interval)
        assert [math.log(float(low)), math.log(float(high))] == pytest.approx(ends, abs=0.01)
    assert float(ratio) == pytest.approx(4.0, rel=0.05)


def test_odds_of_a_number_are_told_with_their_interval():
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    rows = {"x": x.tolist(), "y": np.where(rng.random(300) < 1 / (1 + np.exp(-x)), "y", "n").tolist()}
    model = ts.LogisticRegression(l2=0).fit(rows, "y")
    said = str(_odds(model.model_, model._read(rows, "y"), model.model_.parts[0]))
    ratio, low, high = map(float, re.search(r"are (\S+) times .*interval (\S+) to (\S+)\)", said).groups())
    assert 1 < low < ratio < high
    assert math.log(low) + math.log(high) == pytest.approx(2 * math.log(ratio), abs=0.1)


def test_odds_of_classes_that_are_numbers_say_so():
    said = str(_odds_sentence("x", ("2", "1"), 27.0, ("500", "985")))
    assert "the model's odds of class 2 against class 1 are 27 times as high" in said
    assert said.endswith("where x is 500 as where it is 985.")


def test_odds_are_told_between_numbers_of_few_digits_and_are_those_of_these():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=400)})
    frame["y"] = np.where(frame.x + rng.normal(size=400) > 0, "yes", "no")
    model = ts.LogisticRegression()
    table = model._read(frame, "y")
    model.fit(frame, "y")
    found = re.search(r"of (\w+) against (\w+) are (\S+) times .* x is (\S+) as .* is (\S+)\.$",
                      str(_odds(model.model_, table, model.model_.parts[0])))  # fmt: skip
    one, other, told, *ends = found.groups()
    assert all(len(end.lstrip("-0.")) <= 4 for end in ends)
    shares = model.predict_proba([{"x": float(end)} for end in ends])
    up, down = (shares[:, model.classes_.tolist().index(c)] for c in (one, other))
    assert (up / down)[0] / (up / down)[1] == pytest.approx(float(told), rel=0.06)


def test_odds_of_a_number_that_is_mostly_one_value_are_told_beside_the_middle_of_the_others():
    rng = np.random.default_rng(2)
    x = np.where(np.arange(400) % 10, 0.0, rng.integers(50, 150, 400))
    x[0] = 99_999
    rows = {"x": x.tolist(), "y": np.where(rng.random(400) < 0.2 + 0.6 * (x > 0), "y", "n").tolist()}
    model = ts.LogisticRegression(l2=1).fit(rows, "y")
    said = str(_odds(model.model_, model._read(rows, "y"), model.model_.parts[0]))
    middle = re.search(r"x is (\d+) as where it is 0", said)
    assert middle, said
    assert 50 <= int(middle[1]) < 150
