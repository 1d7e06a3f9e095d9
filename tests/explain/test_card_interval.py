"""Intervals of a card's probabilities: about the probability, wider where lines are less sure."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from cards import hand_made

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.explain.card_interval import card_errors, card_interval

ROWS = [{"x": i % 20, "c": "abc"[i % 3], "y": "pqr"[min(i % 20 // 6, 2)]} for i in range(180)]


def fitted(classes):
    rows = [row | {"y": row["y"] if classes == 3 else "p" if row["y"] == "p" else "q"} for row in ROWS]
    rows = [row | {"y": "q"} if i % 11 == 0 else row for i, row in enumerate(rows)]
    return ts.Scorecard().fit(rows, "y"), rows


@pytest.mark.parametrize("classes", [2, 3])
def test_the_probability_lies_in_its_interval(classes):
    model, rows = fitted(classes)
    ends, shares = model.predict_interval(rows), model.predict_proba(rows)
    assert ends.shape == (180, classes, 2)
    assert (ends[:, :, 0] < shares).all()
    assert (shares < ends[:, :, 1]).all()
    assert ((ends >= 0) & (ends <= 1)).all()


def test_of_two_classes_the_ends_are_the_points_and_their_errors_added_up():
    model, rows = fitted(2)
    block = model._find_row(rows[7], 0)[0]
    inner = model.model_
    error = sum(e[int(p.axis.codes(block)[0]), 0] for p, e in zip(inner.parts, inner.errors, strict=True))
    assert card_errors(inner, block)[0, 0] == pytest.approx(error)
    points = inner.points(block)[0, 1]
    low, high = card_interval(inner, block)[0, 1]
    for end, sign in ((low, -1), (high, 1)):
        assert end == pytest.approx(
            1 / (1 + 2 ** (-(points + sign * 1.959963984540054 * error) / inner.step))
        )
    assert card_interval(inner, block)[0, 0] == pytest.approx([1 - high, 1 - low])


def test_surer_lines_give_narrower_intervals():
    model, rows = fitted(3)
    inner = model.model_
    block = model._find_row(rows[3], 0)[0]
    wide = np.diff(card_interval(inner, block)[0], axis=1)
    sure = replace(inner, errors=tuple(e / 2 for e in inner.errors))
    assert (np.diff(card_interval(sure, block)[0], axis=1) < wide).all()
    none = replace(inner, errors=tuple(0 * e for e in inner.errors))
    assert card_interval(none, block)[0] == pytest.approx(np.repeat(inner.shares(block).T, 2, axis=1))


def test_a_card_without_errors_says_so():
    model, rows = fitted(2)
    with pytest.raises(OptionError, match="keeps no standard errors"):
        card_errors(replace(model.model_, errors=()), model._find_row(rows[0], 0)[0])


def test_words_add_their_errors():
    rows = [{"t": "good day" if i % 2 else "bad day", "y": "pq"[(i % 2) ^ (i % 9 == 0)]} for i in range(90)]
    model = ts.Scorecard(kinds={"t": "text"}).fit(rows, "y")
    said = model.predict_interval([{"t": "good"}, {"t": "nothing known"}])
    wide = np.diff(said[:, 1, :], axis=1)[:, 0]
    assert wide[0] > 0
    assert wide[1] == pytest.approx(0.0, abs=1e-12)


def test_errors_stand_on_the_card_on_request():
    from tallystick.explain.card import card_of

    card = card_of(hand_made())
    assert "±" not in str(card)
    assert "+30 ± 2.0" in card.to_text(errors=True)
    assert math.isclose(card.sections[0].lines[0].errors[0], 2.0)
