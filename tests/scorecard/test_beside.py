"""Counting alone beside learning together: both follow from the same lines."""

from __future__ import annotations

import math

import pytest
from cards import hand_made, three_classes, worded

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.scorecard.explain import beside, class_rows, counted_card


def test_counted_points_are_log_ratios_of_class_shares_on_the_scale_of_the_card():
    model = hand_made()
    card = counted_card(model)
    assert class_rows(model).tolist() == [84.0, 59.0]
    sex = next(s for s in card.sections if s.name == "sex")
    ratios = [math.log2((y + 1) / (59 + 2) / ((n + 1) / (84 + 2))) for n, y in ((32, 38), (52, 21))]
    mean = (70 * ratios[0] + 73 * ratios[1]) / 143
    assert [line.points[0] for line in sex.lines] == [round(20 * (r - mean)) for r in ratios]
    assert {s.name for s in card.sections} == {"age", "sex"}  # a pair has no place in naive Bayes


def test_the_counted_card_answers_as_naive_bayes_does():
    rows = [
        {"a": "uvw"[i % 3], "b": "kl"[i // 3 % 2], "y": "pq"[(i % 3 == 0) ^ (i % 5 == 0)]} for i in range(90)
    ]
    model = ts.Scorecard(pairs=0, points_to_double=10_000).fit(rows, "y")
    card = model.to_naive_bayes()
    used = [s.name for s in card.sections]
    bayes = ts.NaiveBayes(alpha=1.0).fit([{n: row[n] for n in (*used, "y")} for row in rows], "y")
    for row in rows[:6]:
        points = card.base[0] + sum(
            line.points[0]
            for s in card.sections
            for line in s.lines
            if row[s.name] in line.text.split(" or ")
        )
        p = bayes.predict_proba([{n: row[n] for n in used}])[0]
        assert points / card.step == pytest.approx(math.log2(p[1] / p[0]), abs=0.05)


def test_columns_that_differ_in_sign_are_pointed_out():
    model = hand_made(pair=False)
    assert beside(model, (1, 0)).opposite == ()
    model.parts[1].points[:] = -model.parts[1].points
    found = beside(model, (1, 0))
    assert found.opposite == ("sex",)
    assert "The two differ in sign in sex:" in str(found).replace("\n", " ")
    assert "sex (differs in sign)" in str(found)
    assert [c["opposite"] for c in found.to_dict()["columns"] if c["name"] == "sex"] == [True]


def test_the_other_class_turns_both_columns():
    one, other = beside(hand_made(), (1, 0)), beside(hand_made(), (0, 1))
    for a, b in zip(one.columns, other.columns, strict=True):
        assert [(x.learnt, x.counted) for x in a.lines] == [(-x.learnt, -x.counted) for x in b.lines]
    assert one.opposite == other.opposite


def test_three_classes_and_words():
    found = beside(three_classes(), (1, 0))
    assert (found.label, found.against) == ("high", "low")
    assert [line.learnt for line in found.columns[0].lines] == [4, -4]
    with pytest.raises(OptionError, match="does not keep how many rows each class has"):
        counted_card(worded())


def test_the_estimator_has_both():
    rows = [{"dose": n, "other": n % 2, "cured": "yes" if n > 4 else "no"} for n in range(10)] * 4
    model = ts.Scorecard(pairs=0).fit(rows, "cured")
    assert str(model.beside_naive_bayes("no")).startswith("cured: no against yes")
    assert model.to_naive_bayes().step == model.card_.step
