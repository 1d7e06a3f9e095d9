"""Intervals of a card's probabilities: about the probability, wider where lines are less sure."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from cards import hand_made

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.scorecard.card import card_errors, card_interval
from tallystick.scorecard.model import CardSpread
from tallystick.table.block import RowBlock as Block

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


def test_of_two_classes_the_ends_are_the_points_and_their_error():
    model, rows = fitted(2)
    block = model._find_row(rows[7], 0)[0]
    inner = model.model_
    error = card_errors(inner, block)[0, 0]
    points = inner.points(block)[0, 1]
    low, high = card_interval(inner, block)[0, 1]
    for end, sign in ((low, -1), (high, 1)):
        assert end == pytest.approx(
            1 / (1 + 2 ** (-(points + sign * 1.959963984540054 * error) / inner.step))
        )
    assert card_interval(inner, block)[0, 0] == pytest.approx([1 - high, 1 - low])


def test_the_error_of_a_sum_is_that_of_the_covariance():
    """By hand: a base and two lines with a factor of one direction, and what each line has of its own."""
    inner = replace(
        hand_made(pair=False),
        spread=CardSpread(
            np.array([1.0]),
            np.array([0.5]),
            (np.array([[2, 1, 1, 1, 1, -2, 0, 0, 0]]),),  # halves: base 1, ages .5, f -1, m 0
        ),
    )
    block = Block(1, {"age": np.array([25.0]), "sex": np.array([0], np.uint8)})
    together, own = 1.0 + 0.5 - 1.0, (1.0 - 1.0) + (4.0 - 0.25) + (4.0 - 1.0)
    assert card_errors(inner, block)[0, 0] == pytest.approx(math.sqrt(together**2 + own))


def test_errors_are_those_of_fishers_information():
    """A card of few lines and next to no prior is a logistic regression on indicators."""
    rng = np.random.default_rng(0)
    a, g = rng.normal(size=1_500).round(3), rng.integers(0, 3, 1_500)
    b = (a + rng.normal(size=1_500) * 0.6).round(3)
    eta = 1.5 * (a > 0) + 1.2 * (b > 0.5) - 1.0 * (g == 0) - 0.3
    y = (rng.random(1_500) < 1 / (1 + np.exp(-eta))).astype(float)
    rows = pd.DataFrame({"a": a, "b": b, "g": np.array(list("uvw"))[g]})
    model = ts.Scorecard(cuts={"a": [0], "b": [0.5]}, l2=1e-4, pairs=0, points_to_double=2000)
    model.fit(rows, np.where(y == 1, "yes", "no"))
    design = np.column_stack([np.ones(1_500), a >= 0, b >= 0.5, g == 1, g == 2]).astype(float)
    found = sm.GLM(y, design, family=sm.families.Binomial()).fit()
    want = np.sqrt(np.einsum("ij,jk,ik->i", design, found.cov_params(), design))
    ends = model.predict_interval(rows)[:, 1]
    logits = np.log(ends / (1 - ends))
    ours = (logits[:, 1] - logits[:, 0]) / 2 / 1.959963984540054
    np.testing.assert_allclose(ours, want, rtol=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
def test_intervals_hold_the_true_probability_about_as_often_as_they_say(classes):
    rng = np.random.default_rng(1)

    def drawn(count):
        a, g = rng.normal(size=count), rng.integers(0, 3, count)
        b = 0.7 * a + 0.7 * rng.normal(size=count)
        eta = np.stack([0 * a, a - 0.5 * b + 0.6 * (g == 1), 0.5 * b - 0.8 * (g == 2)], axis=1)[:, :classes]
        shares = np.exp(eta) / np.exp(eta).sum(axis=1, keepdims=True)
        return pd.DataFrame({"a": a, "b": b, "g": np.array(list("uvw"))[g]}), shares

    new, truth = drawn(200)
    held = []
    for _ in range(30):
        X, shares = drawn(800)
        y = np.array(list("pqr"))[(rng.random((800, 1)) > shares.cumsum(axis=1)).sum(axis=1)]
        ends = ts.Scorecard(pairs=0).fit(X, y).predict_interval(new)
        held.append(((ends[:, :, 0] <= truth) & (truth <= ends[:, :, 1])).mean(axis=0))
    assert (np.mean(held, axis=0) > 0.85).all()
    assert (np.mean(held, axis=0) < 0.99).all()


def test_columns_that_say_the_same_are_unsure_together_not_apart():
    """Two copies share what one would have: their errors cancel, and only the sum is known well."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=400).round(1)
    y = np.where(rng.random(400) < 1 / (1 + np.exp(-2 * x)), "p", "q")
    one = ts.Scorecard(pairs=0).fit(pd.DataFrame({"a": x}), y)
    two = ts.Scorecard(pairs=0).fit(pd.DataFrame({"a": x, "b": x}), y)
    new = pd.DataFrame({"a": [-1.0, 0.0, 1.0], "b": [-1.0, 0.0, 1.0]})
    alone, both = (np.diff(m.predict_interval(new)[:, 1]) for m in (one, two))
    assert len(two.model_.parts) == 2
    np.testing.assert_allclose(both, alone, rtol=0.15)


def test_surer_lines_give_narrower_intervals():
    model, rows = fitted(3)
    inner = model.model_
    block = model._find_row(rows[3], 0)[0]
    wide = np.diff(card_interval(inner, block)[0], axis=1)
    half = replace(inner.spread, base=inner.spread.base / 2, units=inner.spread.units / 2)
    sure = replace(inner, errors=tuple(e / 2 for e in inner.errors), spread=half)
    assert (np.diff(card_interval(sure, block)[0], axis=1) < wide).all()
    none = replace(inner.spread, base=0 * inner.spread.base, units=0 * inner.spread.units)
    none = replace(inner, errors=tuple(0 * e for e in inner.errors), spread=none)
    assert card_interval(none, block)[0] == pytest.approx(np.repeat(inner.shares(block).T, 2, axis=1))


def test_a_card_without_a_spread_says_so():
    model, rows = fitted(2)
    with pytest.raises(OptionError, match="does not keep how the errors of its points go together"):
        card_errors(replace(model.model_, spread=None), model._find_row(rows[0], 0)[0])


def test_words_add_their_errors():
    rows = [{"t": "good day" if i % 2 else "bad day", "y": "pq"[(i % 2) ^ (i % 9 == 0)]} for i in range(90)]
    model = ts.Scorecard(kinds={"t": "text"}).fit(rows, "y")
    said = model.predict_interval([{"t": "good"}, {"t": "nothing known"}])
    wide = np.diff(said[:, 1, :], axis=1)[:, 0]
    assert wide[0] > 0
    assert wide[1] > 0  # the base alone


def test_errors_stand_on_the_card_on_request():
    from tallystick.scorecard.card import card_of

    card = card_of(hand_made())
    assert "±" not in str(card)
    assert "+30 ± 2.0" in card.to_text(errors=True)
    assert math.isclose(card.sections[0].lines[0].errors[0], 2.0)
