"""Why a card answers as it does: base and points, line by line, and the reason codes."""

from __future__ import annotations

import numpy as np
import small_cards as s

from tallystick.scorecard.explain import explain

NAN = float("nan")


def test_base_and_points_add_up_to_the_score():
    model, block = s.card(), s.rows([20.0, 50.0], [11000.0, 0.0], [2, 1], [[0, 1], []])
    for row in range(2):
        found = explain(model, block, row)
        parts = [r.parts for r in found.reasons]
        assert np.add.accumulate([found.base, *parts])[-1].tolist() == list(found.scores)
        assert found.scores[1] == model.points(block)[row, 1]
        assert list(found.shares) == model.shares(block)[row].tolist()
    assert found.base == (0.0, 11.0)


def test_values_are_told_with_all_digits_and_dates_as_dates():
    block = s.rows([1234567.125, NAN], [10957.5, NAN], [4, 3], [[0, 2], []])
    first, second = explain(s.card(), block, 0), explain(s.card(), block, 1)
    assert [r.value for r in first.reasons] == [
        "1234567.125",
        "2000-01-01 12:00:00",
        "a new level",
        "fine, prompt",
        "1234567.125 and a new level",
    ]
    assert [r.value for r in second.reasons][:3] == ["missing", "missing", "missing"]


def test_the_reasons_are_in_the_data_and_in_the_text():
    found = explain(s.card(), s.rows([20.0], [11000.0], [2], [[1]]))
    assert found.towards == "good"
    assert [c["text"] for c in found.to_dict()["reason_codes"]] == [c.text for c in found.codes]
    assert found.codes[0].text == "age below 25: 34 points less than the best"
    assert "what cost it most points of good:\n  1. age below 25: 34 points less than the best" in str(found)
    best = explain(s.card(), s.rows([50.0], [11000.0], [1], [[2]]))
    assert best.codes == ()
    assert "what cost" not in str(best)
